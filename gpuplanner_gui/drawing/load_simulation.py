"""What has been simulated of a scenario so far, for one candidate; each part comes when it is ready."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpuplanner_gui.domain.load_result import FleetSizing, PoolArrangement, Readiness, SearchResult, SimulatedCurve
    from gpuplanner_gui.domain.traffic_figures import TraceFigures


@dataclass(frozen=True, kw_only=True)
class LoadSimulation:
    """Parts that are not there yet are None."""

    candidate: int
    curve: SimulatedCurve | None = None
    fleet: FleetSizing | None = None
    readiness: Readiness | None = None
    arrangement: PoolArrangement | None = None
    search: SearchResult | None = None
    trace: TraceFigures | None = None
    """Recorded traffic that was simulated in place of the request classes."""
