"""What results say of themselves: a target kept, a fleet's idle money."""

from __future__ import annotations

import pytest

from gpuplanner_gui.domain.decision import Fleet, ResourceMoney
from gpuplanner_gui.domain.load_result import TargetResult


@pytest.mark.parametrize(("measured_s", "is_kept"), [(0.19, True), (0.2, True), (0.21, False), (float("nan"), True)])
def test_a_target_is_kept_up_to_its_limit_and_where_no_request_tells(measured_s: float, is_kept: bool) -> None:
    found = TargetResult(metric="ttft", percentile=95.0, limit_s=0.2, measured_s=measured_s)
    assert found.is_kept is is_kept


def test_a_fleet_leaves_unused_what_it_pays_for_and_does_not_use() -> None:
    fleet = Fleet(
        role="shared", accelerator="a", devices=8.0, devices_usd=50.0, paid_hours=100.0, training_hours=20.0,
        serving_hours=55.0, paid=ResourceMoney(10.0, 10.0, 10.0, 10.0, 10.0),
        used=ResourceMoney(4.0, 3.0, 2.0, 1.0, 0.0),
    )  # fmt: skip
    assert fleet.unused_usd == pytest.approx(40.0)
    assert fleet.busy_share == pytest.approx(0.75)
