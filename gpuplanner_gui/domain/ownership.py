"""What owning a device consists of: what is spent at first, and what every year costs."""

from __future__ import annotations

from typing import Annotated, Generic, TypeVar

import msgspec

from gpuplanner_gui.domain.arrays import Values
from gpuplanner_gui.domain.field import about

Figure = TypeVar("Figure", float, Values)
"""Of one device; or of many, or of one in many samples."""


class CapitalParts(msgspec.Struct, Generic[Figure], frozen=True):
    """Up-front spending for one device."""

    node_usd: Annotated[Figure, about("Devices and servers", "USD", "Purchase price after discount.")]
    network_usd: Annotated[Figure, about("Network", "USD")]
    storage_usd: Annotated[Figure, about("Storage", "USD")]
    installation_usd: Annotated[Figure, about("Installation", "USD")]

    @property
    def total(self) -> Figure:
        return self.node_usd + self.network_usd + self.storage_usd + self.installation_usd


class OwnedParts(msgspec.Struct, Generic[Figure], frozen=True):
    """What owning one device costs in a year."""

    capital_usd: Annotated[Figure, about("Capital", "USD/y", "Purchase plus interest, less resale.")]
    facility_usd: Annotated[Figure, about("Colocation", "USD/y")]
    energy_usd: Annotated[Figure, about("Electricity", "USD/y", "Electricity of the machines and their cooling.")]
    support_usd: Annotated[Figure, about("Hardware support", "USD/y")]
    software_usd: Annotated[Figure, about("Software", "USD/y")]
    staff_usd: Annotated[Figure, about("Staff", "USD/y")]
    insurance_and_tax_usd: Annotated[Figure, about("Insurance and tax", "USD/y")]

    def values(self) -> tuple[Figure, ...]:
        return tuple(getattr(self, name) for name in self.__struct_fields__)

    @property
    def total(self) -> Figure:
        return sum(self.values())
