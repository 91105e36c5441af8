"""What has been worked out about training beyond the plan; each part comes when it is ready and was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gpuplanner_gui.domain.training_results import LayoutRanking, ScalingCurve, StepDetail, TrainingFits


@dataclass(frozen=True, kw_only=True)
class TrainingDetail:
    """Parts that are not there yet are None; one that waits for its successor stays."""

    step: StepDetail | None = None
    scaling: ScalingCurve | None = None
    layouts: LayoutRanking | None = None
    fits: TrainingFits | None = None
    outdated: frozenset[str] = frozenset()
    """Names of parts that are of an earlier plan or candidate."""
    failures: Mapping[str, str] = field(default_factory=dict)
    """Why a part will not come, in a sentence, by the part's name."""
