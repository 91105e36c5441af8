"""One setting that a plan holds, and where its devices stand."""

from __future__ import annotations

from dataclasses import dataclass, field

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.hardware import Accelerator

USUAL_NODE_DEVICES = 8
"""Of a server that the catalogue does not know: most are built for eight."""


@dataclass(frozen=True)
class Setting:
    """A code, the value that tells it apart, and further numbers that a flag may want."""

    code: str
    value: str | int | float
    numbers: dict[str, str | int | float] = field(default_factory=dict)

    @property
    def variables(self) -> dict[str, str]:
        return {name: str(value) for name, value in {"value": self.value, **self.numbers}.items()}


@dataclass(frozen=True)
class ShortRun:
    """What a run that only measures has otherwise than the job that is planned."""

    devices: int
    copies: int
    """Of the model."""
    global_batch: int
    """Sequences of a step."""
    expert_parallel: int
    steps: int


@dataclass(frozen=True)
class Nodes:
    """Servers that hold some devices."""

    count: int
    devices_each: int


def usual_node_devices(accelerator: Accelerator | None, catalog: Catalog) -> int:
    """Devices of a server: of the largest catalogued one, else of the scale-up domain, else eight."""
    if accelerator is None:
        return USUAL_NODE_DEVICES
    built = [node.accelerators_per_host or node.accelerator_count for node in catalog.nodes_of(accelerator.id)]
    domain = accelerator.scale_up.domain_size if accelerator.scale_up else None
    return max(built) if built else min(domain or USUAL_NODE_DEVICES, USUAL_NODE_DEVICES)


def nodes_for(accelerator: Accelerator | None, catalog: Catalog, devices: int) -> Nodes:
    """The fewest servers that hold `devices`."""
    each = max(1, min(usual_node_devices(accelerator, catalog), devices))
    return Nodes(-(-devices // each), each)
