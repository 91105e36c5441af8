"""What has been found out about the decision so far; each part comes when it is ready."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gpuplanner_gui.domain.curves import ServingLimits
from gpuplanner_gui.domain.decision import ComparisonAnswer, FleetsAnswer, OwnershipAnswer, UncertaintyAnswer
from gpuplanner_gui.drawing.language import labelled, tr

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gpuplanner_gui.domain.curves import LoadCurve
    from gpuplanner_gui.domain.scenario import Project, Scenario
    from gpuplanner_gui.drawing.calibration_view import CalibrationView
    from gpuplanner_gui.drawing.memory_parts import PlannedMemory
    from gpuplanner_gui.engine.phases.speeds import PhaseSpeeds


@dataclass(frozen=True, kw_only=True)
class ScenarioOverlay:
    """The best candidates of another scenario."""

    scenario: Scenario
    load_curve: LoadCurve | None
    contexts: NDArray[np.float64]
    """Tokens; none where nothing is served."""
    concurrency: NDArray[np.float64]
    """Sequences that fit at each of the contexts."""
    memory: Mapping[str, PlannedMemory] = field(default_factory=dict)
    """By workload: what fills a device."""


@dataclass(frozen=True, kw_only=True)
class Decision:
    """Parts that are not there yet are None, or lack their workload."""

    fleets: FleetsAnswer | None = None
    ownership: Mapping[str, OwnershipAnswer] = field(default_factory=dict)
    uncertainty: UncertaintyAnswer | None = None
    comparison: ComparisonAnswer | None = None
    phases: PhaseSpeeds | None = None
    """Times of every phase on every accelerator."""
    calibration: CalibrationView | None = None
    """What own measurements teach of the plan, and which measured cases are nearest to it."""
    limits: ServingLimits | None = None
    """What the memory of each serving candidate would hold."""
    overlays: tuple[ScenarioOverlay, ...] = ()
    """Curves and memory of the project's other scenarios."""
    progress: float = 0.0
    """Of the uncertainty that is being computed, 0 to 1."""
    failures: Mapping[str, str] = field(default_factory=dict)
    """Why a part will not come, by the part's name; no words where there is nothing to weigh."""


def awaited_text(decision: Decision | None, part: str, waiting: str) -> str:
    """Why a part is not there: it is on its way, or it failed, and this is why."""
    failure = decision.failures.get(part, "") if decision is not None else ""
    return labelled(tr("Failed"), failure) if failure else waiting


def is_awaited(decision: Decision | None, part: str) -> bool:
    """Whether a part is still on its way."""
    return decision is None or (getattr(decision, part) is None and part not in decision.failures)


def carried(decision: Decision | None, project: Project, scenario: Scenario) -> Decision | None:
    """What stays true when the scenario at hand changes and the others do not: their curves."""
    if decision is None or not decision.overlays:
        return None
    others = [one for one in project.scenarios if one is not scenario]
    is_same = all(any(one is overlay.scenario for one in others) for overlay in decision.overlays)
    return Decision(overlays=decision.overlays) if is_same else None
