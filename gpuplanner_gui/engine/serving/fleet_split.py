"""What the replicas of a fleet are for: expected load, confidence, failures, availability; and what load they take."""

from __future__ import annotations

import math

import numpy as np

from gpuplanner_gui.domain.load_result import FleetSplit
from gpuplanner_gui.domain.plan import ServingPlan
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.serving.sizing import with_zones_and_spares
from gpuplanner_gui.engine.uncertainty.sampling import chance_asked


def fleet_split(scenario: Scenario, answer: ServingPlan, candidate: int) -> FleetSplit | None:
    """The split of a candidate's fleet; None where its replicas are unknown.

    Examples
    --------
    Of 20 replicas with 1 spare, 12 of which are enough if all is as expected: 12 + 7 + 1.
    """
    total, with_spares = (
        float(column[candidate]) for column in (answer.table.replicas, answer.table.replicas_expected)
    )
    if not (math.isfinite(total) and math.isfinite(with_spares)):
        return None
    wanted = scenario.service.availability
    spares = min(wanted.spare_replicas, int(total) - 1)
    load = float(answer.table.load_per_replica_per_s[candidate])
    carrying = np.array([round(answer.peak_rate_per_s / load)]) if load > 0 else np.array([total])
    kept_up = max(0, int(total) - int(with_zones_and_spares(scenario.service, carrying)[0]))
    expected = min(int(with_spares) - wanted.spare_replicas, int(total) - spares - kept_up)
    return FleetSplit(
        total=int(total), expected=expected, added=int(total) - spares - expected - kept_up, spares=spares,
        zones=wanted.zones, chance=chance_asked(scenario), kept_up=kept_up,
    )  # fmt: skip


def load_multiple(answer: ServingPlan) -> float:
    """Load that the recommended fleet takes within its targets over the planned, corrected by its simulation. [1]"""
    simulated = answer.simulation_of_best
    more = simulated.share_of_table if simulated is not None else 1.0
    return (1.0 + float(answer.table.headroom[answer.best])) * more
