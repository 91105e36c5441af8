"""What own measurements teach of a plan, and the measured cases that are nearest to it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gpuplanner_gui.domain.measurement import Measurement, MeasurementSet, Workload
from gpuplanner_gui.engine.evidence.knowledge import Drift, PointVerdict, is_rate
from gpuplanner_gui.engine.evidence.next_measurement import NextMeasurement, NextTrainingRun


@dataclass(frozen=True)
class EvidenceCase:
    """A measured case, how far it is from the plan, and what the model predicts for it."""

    workload: Workload
    run: Measurement
    quantity: str
    measured: float
    predicted: float
    """Prediction with the shipped calibration; NaN where the model has none."""
    distance: float
    differences: tuple[str, ...]
    source: str
    is_own: bool = False

    @property
    def has_answer(self) -> bool:
        """Whether the model predicts anything of the case."""
        return math.isfinite(self.predicted)

    @property
    def slowness(self) -> float:
        """Measured over predicted time."""
        ratio = self.measured / self.predicted
        return 1.0 / ratio if is_rate(self.quantity) else ratio


@dataclass(frozen=True)
class CalibrationView:
    """Everything that a page or a report says about a project's own measurements."""

    sets: tuple[MeasurementSet, ...]
    verdicts: tuple[PointVerdict, ...]
    drift: Drift | None
    """Drift of the excluded sets against the other sets and the shipped calibration."""
    next_runs: tuple[NextMeasurement, ...]
    next_training: tuple[NextTrainingRun, ...]
    evidence: tuple[EvidenceCase, ...]
    """Measured cases nearest to the plan, published ones and the planner's own."""
    sentences: tuple[str, ...]
    """Sentences: the effect of the measurements, then warnings and findings."""
