"""What the search for the cheapest fleet holds possible of a configuration before it is simulated."""

from __future__ import annotations

import pytest

from gpuplanner_gui.domain.workload import Availability
from gpuplanner_gui.engine.fleet.slo_configurations import (
    CAPACITY_OPTIMISM,
    SLO_OPTIMISM,
    Configuration,
    ReplicaDemand,
    least_usd,
    predicted_usd,
)


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
