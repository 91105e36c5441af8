"""One fleet or two, with a plan's own candidates."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.decision import FleetsAnswer
from gpuplanner_gui.domain.economics import Economics, FleetTerms, RentalTerms
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
        devices_usd = sum(fleet.devices_usd for fleet in strategy.fleets)
        assert sum(span.usd for span in strategy.timeline) == pytest.approx(devices_usd, rel=1e-9)
        for fleet in strategy.fleets:
            assert fleet.paid.total == pytest.approx(fleet.devices_usd, rel=1e-9)
            assert all(0 <= used <= paid * (1 + 1e-9) for used, paid in zip(fleet.used.values(), fleet.paid.values()))
            assert fleet.training_hours + fleet.serving_hours <= fleet.paid_hours * (1 + 1e-9)


def test_a_service_hardly_uses_the_links_that_its_owner_pays_for(answer, both, catalog, calibration, context):
    """S73, S125: on an owned shared fleet, interconnect is paid for and nearly unused; rent has no such part."""
    owned = msgspec.structs.replace(both, economics=Economics(serving_procurement="own", training_procurement="own"))
    (fleet,) = fleets_of_plan(owned, plan(owned, catalog, calibration), context).of("shared").fleets
    assert fleet.used.interconnect < 0.05 * fleet.paid.interconnect
    (rented,) = answer.of("shared").fleets
    assert rented.paid.interconnect == 0


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


BILL = RentalTerms(
    serving_egress_bytes_per_month=50e12, training_egress_bytes_per_run=12e12, stored_bytes=10e12, support_share=0.1
)
"""10,000 GB held at 0.023 are 230 USD a month; 50,000 GB moved out at 0.09 are 4,500; 12,000 GB of a run 1,080."""


@pytest.fixture(scope="module")
def billed(both, catalog, calibration, context) -> tuple[FleetsAnswer, FleetsAnswer]:
    """The fleets with a provider's support, without and with data."""
    answers = []
    for bill in (RentalTerms(support_share=0.1), BILL):
        scenario = msgspec.structs.replace(both, economics=msgspec.structs.replace(both.economics, renting=bill))
        answers.append(fleets_of_plan(scenario, plan(scenario, catalog, calibration), context))
    return answers[0], answers[1]


def test_rented_fleets_carry_storage_and_egress_in_parts_that_add_up(billed):
    plain, answer = billed
    open_months = (3 * 8760 - 14 * 24) / 730
    for strategy in ("burst", "two_fleets"):
        training, serving = answer.of(strategy).fleets
        assert training.storage_usd == pytest.approx(3 * 12 * 230 * 1.1)
        assert training.egress_usd == pytest.approx(3 * 1_080 * 1.1)
        assert serving.storage_usd == pytest.approx(open_months * 230 * 1.1)
        assert serving.egress_usd == pytest.approx(open_months * 4_500 * 1.1, rel=1e-3)
    (shared,) = answer.of("shared").fleets
    assert shared.storage_usd == pytest.approx(training.storage_usd + serving.storage_usd)
    assert shared.egress_usd == pytest.approx(training.egress_usd + serving.egress_usd)
    for before, after in zip(plain.strategies, answer.strategies):
        for one, other in zip(before.fleets, after.fleets):
            assert other.usd == pytest.approx(other.devices_usd + other.storage_usd + other.egress_usd)
            assert other.devices_usd == pytest.approx(one.usd)


def test_egress_grows_with_the_requests(both, catalog, calibration, context, billed):
    grown = msgspec.structs.replace(
        both, economics=msgspec.structs.replace(both.economics, renting=BILL),
        serving=msgspec.structs.replace(
            both.serving, traffic=msgspec.structs.replace(both.serving.traffic, growth_per_year=1.0)
        ),
    )  # fmt: skip
    answer = fleets_of_plan(grown, plan(grown, catalog, calibration), context)
    steady, growing = (one.of("burst").fleets[1] for one in (billed[1], answer))
    years = 3 - 14 / 365
    assert growing.egress_usd / steady.egress_usd == pytest.approx((2**years - 1) / np.log(2) / years, rel=2e-3)
    assert growing.storage_usd == steady.storage_usd


def test_an_owners_held_devices_are_billed_no_data_and_rented_bursts_are(both, catalog, calibration, context):
    owned = msgspec.structs.replace(
        both,
        economics=msgspec.structs.replace(
            both.economics, renting=BILL, serving_procurement="own", training_procurement="own"
        ),
    )
    answer = fleets_of_plan(owned, plan(owned, catalog, calibration), context)
    (shared,) = answer.of("shared").fleets
    assert (shared.storage_usd, shared.egress_usd) == (0.0, 0.0)
    kept, serving = answer.of("two_fleets").fleets
    assert (kept.storage_usd, kept.egress_usd) == (0.0, 0.0)
    assert answer.of("burst").fleets[0].egress_usd == pytest.approx(3 * 1_080 * 1.1)
    # Of a base that is owned and peaks that are rented, the peaks' share of the hours is billed.
    month = (3 * 8760 - 14 * 24) / 730 * 4_500 * 1.1
    spans = {span.tier: span for span in answer.of("burst").timeline if span.role == "serving"}
    hourly = spans["by_the_hour"].devices * (3 * 8760 - 14 * 24) if "by_the_hour" in spans else 0.0
    assert serving.egress_usd == pytest.approx(month * hourly / serving.paid_hours, rel=1e-3)
