"""The parts of a scenario that are edited one at a time."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from gpuplanner_gui.domain.economics import Economics
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.workload import ServingWorkload
from gpuplanner_gui.drawing.language import tr


@dataclass(frozen=True)
class Part:
    """A field of the scenario, with its place in the tree."""

    path: str
    """Field of the scenario; empty for the scenario's own name and notes."""
    title: str
    icon: str
    struct_type: type[msgspec.Struct]
    absent: str = ""
    """What is said where the scenario lacks this part."""
    add: str = ""
    """What the button says that adds it."""

    @property
    def words(self) -> str:
        return tr(self.title)


PARTS = (
    Part("model", "Model", "model", Model),
    Part(
        "serving", "Serving", "serving", ServingWorkload,
        "This scenario serves no requests.", "Plan a service",
    ),
    Part(
        "training", "Training", "training", TrainingWorkload,
        "This scenario trains nothing.", "Plan a training job",
    ),
    Part("hardware", "Hardware", "hardware", HardwareChoice),
    Part("economics", "Money", "money", Economics),
)  # fmt: skip
SCENARIO_PART = Part("", "Scenario", "scenario", Scenario)


def part_of_path(path: str) -> Part:
    """The part that a path of the scenario leads into."""
    head = path.split(".")[0].split("[")[0]
    return next((part for part in PARTS if part.path == head), SCENARIO_PART)


def has_part(scenario: Scenario, part: Part) -> bool:
    return not part.path or getattr(scenario, part.path) is not None
