"""Answers of the guided start, in the order in which they decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gpuplanner_gui.domain.economics import Procurement
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.training_workload import TrainingMethod, TrainingWorkload
from gpuplanner_gui.domain.workload import RequestClass

SitePlace = Literal["data_centre", "office", "home", "cloud"]
Variation = Literal["steady", "daily", "bursty"]
VARIATIONS: tuple[Variation, ...] = ("steady", "daily", "bursty")

TRAINING_OF_TASK: dict[str, TrainingMethod] = {
    "fine-tune": "full_fine_tune", "pretrain": "pretraining", "both": "full_fine_tune",
}  # fmt: skip
"""What is trained, and from where, in each task that trains."""
TASKS = ("serve", *TRAINING_OF_TASK)
SERVING_TASKS = ("serve", "both")

GuidedCode = Literal[
    "fits_one", "fits_one_narrow", "needs_several", "fit_unknown",
    "latency_bound", "throughput_bound", "deadline_bound",
    "load_steady", "load_daily", "load_bursty", "load_one_off",
    "owned_only", "licensed_only", "paid_as_said",
    "restartable", "must_not_stop", "spare_kept",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class OwnedDevices:
    """A fleet that is there already."""

    accelerator: str
    """Identifier in the catalogue."""
    count: int


@dataclass(frozen=True, kw_only=True)
class GuidedAnswers:
    """What a planner said: what runs, how fast it must answer, how its load varies, whether it may stop."""

    model: Model
    requests: RequestClass | None = None
    """None: nothing is served. Without targets, throughput is what counts."""
    training: TrainingWorkload | None = None
    variation: Variation = "daily"
    may_stop: bool = False
    """Interruptions are bearable: training goes on from a checkpoint, requests are sent again."""
    place: SitePlace | None = None
    """Where the devices stand; None: anywhere."""
    owned: OwnedDevices | None = None
    """Nothing else is planned with, and it is priced as owned unless said otherwise."""
    procurement: Procurement | None = None
    """How devices are paid for; None: what the other answers suggest."""


@dataclass(frozen=True)
class GuidedStep:
    """What one answer decides, as a code and its values."""

    question: int
    """0 fit, 1 latency, 2 variation, 3 hardware, 4 restart."""
    code: GuidedCode
    values: dict[str, float]
