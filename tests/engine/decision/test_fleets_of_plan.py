"""One fleet or two, with a plan's own candidates."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.decision import FleetsAnswer
from gpuplanner_gui.domain.economics import Economics, FleetTerms
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.decision.fleets_of_plan import NothingToCompareError, fleets_of_plan


def with_fleets(scenario, **terms):
    economics = msgspec.structs.replace(scenario.economics, fleets=FleetTerms(**terms))
    return msgspec.structs.replace(scenario, economics=economics)


@pytest.fixture(scope="module")
def answer(both, both_plan, context) -> FleetsAnswer:
    return fleets_of_plan(both, both_plan, context)


def test_every_strategy_is_weighed(answer):
    assert [one.strategy for one in answer.strategies] == ["shared", "time_shared", "two_fleets", "burst"]
    assert all(one.is_possible for one in answer.strategies)
    assert answer.best is not None


def test_releasing_the_training_fleet_costs_less_than_keeping_it(answer):
    """S124: dense nodes for the training window, released after, and only the service is paid for."""
    burst, kept = answer.of("burst"), answer.of("two_fleets")
    assert burst.usd < kept.usd
    released = [span for span in burst.timeline if span.role == "training"]
    assert released
    assert all(span.end_h - span.start_h <= 14 * 24 + 1 for span in released)
    assert max(span.end_h for span in burst.timeline if span.role == "serving") == answer.horizon_h


def test_one_shared_fleet_costs_more_than_two(answer):
    """S122: one configuration sized for the harder workload overspends on the other."""
    assert answer.of("shared").usd > answer.of("burst").usd
    assert answer.of("shared").unused_usd > answer.of("burst").unused_usd
    assert answer.of("time_shared").usd <= answer.of("shared").usd


def test_timeline_and_fleets_add_up(answer):
    for strategy in answer.strategies:
        assert sum(span.usd for span in strategy.timeline) == pytest.approx(strategy.usd, rel=1e-9)
        for fleet in strategy.fleets:
            assert fleet.paid.total == pytest.approx(fleet.usd, rel=1e-9)
            assert all(0 <= used <= paid * (1 + 1e-9) for used, paid in zip(fleet.used.values(), fleet.paid.values()))
            assert fleet.training_hours + fleet.serving_hours <= fleet.paid_hours * (1 + 1e-9)


def test_a_service_hardly_uses_the_links_that_it_pays_for(answer):
    """S73, S125: on the shared fleet, interconnect is paid for and nearly unused."""
    (fleet,) = answer.of("shared").fleets
    assert fleet.used.interconnect < 0.05 * fleet.paid.interconnect


def test_training_on_serving_devices_takes_longer_and_the_reverse_costs_more(answer):
    """S125, S126: each workload on the other one's devices."""
    by_workload = {one.workload: one for one in answer.misplaced}
    for one in by_workload.values():
        assert one.elsewhere_usd > one.home_usd


def test_training_windows_follow_the_runs_and_service_opens_after_the_first(both, both_plan, context):
    twice = fleets_of_plan(with_fleets(both, training_runs_per_year=2.0), both_plan, context)
    assert [start for start, _ in twice.windows_h] == [0, 4380, 8760, 13140, 17520, 21900]
    assert twice.opens_h == 14 * 24
    early = fleets_of_plan(with_fleets(both, service_opens_s=0.0), both_plan, context)
    assert early.opens_h == 0


def test_more_training_never_costs_less(both, both_plan, context):
    costs = [
        [
            one.usd
            for one in fleets_of_plan(with_fleets(both, training_runs_per_year=runs), both_plan, context).strategies
        ]
        for runs in (1.0, 3.0, 9.0)
    ]
    assert (np.diff(np.array(costs), axis=0) >= -1e-6).all()


def test_virtual_machines_for_the_service_cost_what_they_lose(both, context, catalog, calibration):
    """S127: an overhead per fleet, by default none for training and a little for serving."""
    assert FleetTerms().training_virtualisation_loss < FleetTerms().serving_virtualisation_loss
    answers = {}
    for loss in (0.0, 0.4):
        scenario = with_fleets(both, serving_virtualisation_loss=loss)
        found = plan(scenario, catalog, calibration)
        answers[loss] = (found.serving, fleets_of_plan(scenario, found, context).of("burst").usd)
    (bare, bare_usd), (heavy, heavy_usd) = answers[0.0], answers[0.4]
    same = heavy.table.fits & (bare.table.slo_rate_per_s > 0)
    assert heavy_usd > bare_usd
    stretched = heavy.table.decode_step_s[same] / bare.table.decode_step_s[same]
    assert np.nanmin(np.where(bare.table.batch[same] == heavy.table.batch[same], stretched, np.inf)) >= 1.0
    # No number of replicas holds a target that even an idle one misses.
    needed = [np.nan_to_num(one.table.replicas[same], nan=np.inf) for one in (bare, heavy)]
    assert (needed[1] >= needed[0]).all()
    lost = 1 - heavy.table.max_rate_per_s[same] / bare.table.max_rate_per_s[same]
    assert lost == pytest.approx(0.4, abs=0.02)


def test_a_service_alone_has_nothing_to_compare(service, service_plan, context):
    with pytest.raises(NothingToCompareError):
        fleets_of_plan(service, service_plan, context)


def test_owners_hold_what_they_own(both, catalog, calibration, context):
    from gpuplanner_gui.engine import plan

    owned = msgspec.structs.replace(both, economics=Economics(serving_procurement="own", training_procurement="own"))
    answer = fleets_of_plan(owned, plan(owned, catalog, calibration), context)
    held = {span.tier for span in answer.of("shared").timeline}
    assert held == {"committed"}
