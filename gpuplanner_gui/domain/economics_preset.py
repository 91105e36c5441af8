"""Terms of a kind of owner, ready to be taken over into a scenario's money section; and prices by region."""

from __future__ import annotations

from typing import Annotated

import msgspec

from gpuplanner_gui.domain.economics import Economics
from gpuplanner_gui.domain.field import about
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.sourced import SourcedFigure


class EconomicsPreset(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What owning costs a kind of owner; every figure with its source."""

    id: Annotated[str, about("Identifier")]
    title: Annotated[str, about("Name")]
    ownership: Annotated[dict[str, SourcedFigure], about("Ownership", "", "By field name of `Ownership`.")]
    site: Annotated[dict[str, SourcedFigure], about("Site", "", "By field name of `Site`.")]

    def applied_to(self, economics: Economics) -> Economics:
        """The money section with the preset's figures in place of its own; what the preset lacks stays."""
        ownership = {name: figure.value for name, figure in self.ownership.items()}
        site = {name: figure.value for name, figure in self.site.items()}
        return msgspec.structs.replace(
            economics,
            ownership=msgspec.structs.replace(economics.ownership, **ownership),
            site=msgspec.structs.replace(economics.site, **site),
        )


class ResourceSplit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a machine's price divides among compute, bandwidth, memory capacity, interconnect, host and storage."""

    device_share_of_node: Annotated[SourcedFigure, about("Devices", "", "Share of the node's price.")]
    scale_up_share_of_node: Annotated[SourcedFigure, about("Scale-up links", "", "Share of the node's price.")]
    scale_out_share_of_node: Annotated[SourcedFigure, about("NICs", "", "Share of the node's price.")]
    memory_share_of_device: Annotated[SourcedFigure, about("Memory", "", "Share of the device's price.")]
    capacity_share_of_memory: Annotated[
        SourcedFigure, about("Capacity", "", "What as much ordinary memory would cost; the rest buys bandwidth.")
    ]

    def centrals(self) -> dict[str, float]:
        return {name: central(getattr(self, name).value) for name in self.__struct_fields__}


class CostAssumptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What stands in where neither catalogue nor planner knows."""

    host_power_share: Annotated[
        SourcedFigure, about("Power of the host", "", "Host, NICs and fans, on top of the accelerators' rating.")
    ]
    host_price_share: Annotated[
        SourcedFigure, about("Price of the host", "", "The rest of a server, on top of its accelerators' price.")
    ]
    recomputed_cached_share: Annotated[
        SourcedFigure, about("Cached input computed again", "", "Of the prompt tokens found in the prefix cache.")
    ]
    full_fabric_bytes_per_s: Annotated[
        SourcedFigure, about("Full network", "bytes/s", "Per device: what the owner's network figure pays for.")
    ]
    plain_network_usd_per_device: Annotated[
        SourcedFigure, about("Plain network", "USD", "Of a port: enough for a box of a service.")
    ]
    fabric_switch_share: Annotated[
        SourcedFigure, about("Switches of a fabric", "", "Share of a full fabric's price; the rest are its links.")
    ]

    def figure(self, name: str) -> float:
        """Central value of a figure. Raises AttributeError for an unknown name."""
        return central(getattr(self, name).value)


class EnergyRegion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What electricity costs and emits in a country or state."""

    id: Annotated[str, about("Identifier")]
    title: Annotated[str, about("Region")]
    grid_g_co2e_per_kwh: Annotated[SourcedFigure | None, about("Grid carbon", "g/kWh")] = None
    electricity_usd_per_kwh: Annotated[SourcedFigure | None, about("Electricity", "USD/kWh")] = None


class EconomicsPresets(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file of presets that ships."""

    presets: Annotated[tuple[EconomicsPreset, ...], about("Owners")]
    assumptions: Annotated[CostAssumptions, about("Where nothing is known")]
    resource_split: Annotated[ResourceSplit, about("Price by resource")]
    regions: Annotated[tuple[EnergyRegion, ...], about("Regions")]
