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


def nodes_for(accelerator: Accelerator | None, catalog: Catalog, devices: int) -> Nodes:
    """The fewest servers that hold `devices`: catalogued ones, else of the scale-up domain's size, else of eight."""
    each = USUAL_NODE_DEVICES
    if accelerator is not None:
        built = [node.accelerators_per_host or node.accelerator_count for node in catalog.nodes_of(accelerator.id)]
        domain = accelerator.scale_up.domain_size if accelerator.scale_up else None
        each = max(built) if built else min(domain or each, each)
    each = max(1, min(each, devices))
    return Nodes(-(-devices // each), each)
