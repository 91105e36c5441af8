"""What the search for the cheapest fleet holds possible of a configuration before it is simulated."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gpuplanner_gui.domain.workload import Availability
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.fleet.slo_configurations import (
    CAPACITY_OPTIMISM,
    SLO_OPTIMISM,
    Configuration,
    ReplicaDemand,
    configurations_of,
    fleet_of,
    least_usd,
    predicted_usd,
)
from gpuplanner_gui.files.project import load_project


def one(max_rate_per_s: float, slo_rate_per_s: float) -> Configuration:
    return Configuration(
        candidate=0, max_sequences=64, token_budget=2048, usd_per_replica_hour=2.0, max_rate_per_s=max_rate_per_s,
        slo_rate_per_s=slo_rate_per_s, missed_by=0.0,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("max_rate", "slo_rate", "expected"),
    [
        (10.0, 4.0, SLO_OPTIMISM * 4.0),
        (10.0, 9.5, CAPACITY_OPTIMISM * 10.0),
        (10.0, 0.0, CAPACITY_OPTIMISM * 10.0),
    ],
)
def test_no_replica_is_held_to_carry_more_than_its_capacity_allows(max_rate, slo_rate, expected):
    assert one(max_rate, slo_rate).best_rate_per_s == pytest.approx(expected)


def test_a_fleet_may_cost_less_than_predicted_and_never_more():
    fleet = ReplicaDemand(100.0, Availability(target_utilisation=1.0, spare_replicas=0))
    found = one(10.0, 4.0)
    # 25 replicas carry 4/s each, 18 of them 5.6/s.
    assert predicted_usd(fleet, found) == pytest.approx(25 * 2.0)
    assert least_usd(fleet, found) == pytest.approx(18 * 2.0)
    assert predicted_usd(fleet, one(10.0, 0.0)) == least_usd(fleet, one(10.0, 0.0)) == pytest.approx(9 * 2.0)


def test_a_partly_owned_fleet_costs_the_search_what_the_plan_says(catalog, calibration):
    """Owned replicas at all hours, rented ones while they run."""
    file = Path(__file__).parent / "decision/order_cases/autoscaled-beside-owned.gpuplan"
    scenario = load_project(file).scenarios[0]
    found = plan(scenario, catalog, calibration).served
    table, row = found.table, np.array([found.best])
    (best,) = configurations_of(table, row, row, (256, 2048), scenario.service.start)
    assert best.owned == 2
    base = round(found.peak_rate_per_s / float(table.load_per_replica_per_s[found.best]))
    cost = fleet_of(scenario).usd_per_hour(base, best)
    assert cost == pytest.approx(float(table.usd_per_hour[found.best]))
