"""One fleet or two, with a plan's own candidates."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.decision import FleetsAnswer, Strategy
from gpuplanner_gui.domain.economics import Economics, FleetTerms, RentalTerms
from gpuplanner_gui.domain.plan import Plan, Reason
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import OwnedStock, Scenario
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.workload import RequestClass
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.decision.fleets_of_plan import fleets_of_plan
from gpuplanner_gui.engine.decision.ownership_view import ownership_of_plan
from gpuplanner_gui.engine.fleet.devices_over_time import held_hours
from gpuplanner_gui.files.project import load_project

TIGHT_S = 60 * 3600.0
"""A window in which no fewer devices than the plan's 16 end the run, in 54 h; eight take 108 h."""


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


def test_a_burst_is_paid_for_its_device_hours_alone(both, both_plan, context):
    """Three runs, each at its device-hours times the price of an hour, from the end of its year at 10 %."""
    burst, _ = fleets_of_plan(both, both_plan, context).of("burst").fleets
    table, row = both_plan.training.table, both_plan.training.best
    hours, price = float(table.device_hours[row]), float(table.usd_per_device_hour[row])
    assert burst.paid_hours == burst.training_hours == pytest.approx(3 * hours)
    assert burst.usd == pytest.approx(sum(hours * price / 1.1 ** (year + 1) for year in range(3)))


def test_training_windows_follow_the_runs_and_service_opens_after_the_first(both, both_plan, context):
    twice = fleets_of_plan(with_fleets(both, training_runs_per_year=2.0), both_plan, context)
    assert [start for start, _ in twice.windows_h] == [0, 4380, 8760, 13140, 17520, 21900]
    assert twice.opens_h == 14 * 24
    early = fleets_of_plan(with_fleets(both, service_opens_s=0.0), both_plan, context)
    assert early.opens_h == 0


def test_a_long_run_without_a_deadline_is_on_the_planned_devices(both, context, catalog, calibration):
    """It got the devices that end it in 30 days, which nobody entered."""
    long = msgspec.structs.replace(both, training=TrainingWorkload(tokens=2e12, global_batch_tokens=1_048_576))
    made = plan(long, catalog, calibration)
    table, row = made.training.table, made.training.best
    assert table.run_time_s[row] > 40 * 24 * 3600
    answer = fleets_of_plan(long, made, context)
    for way in ("two_fleets", "burst"):
        assert answer.of(way).fleets[0].devices == table.devices[row]
    ((begin, end), *_) = answer.windows_h
    assert (end - begin) * table.devices[row] >= table.device_hours[row]
    timed = fleets_of_plan(with_fleets(long, training_window_s=30 * 24 * 3600.0), made, context)
    assert timed.of("burst").fleets[0].devices > table.devices[row]


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
    terms = FleetTerms()
    assert central(terms.training_virtualisation_loss) < central(terms.serving_virtualisation_loss)
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
    needed = [np.nan_to_num(one.table.replicas_expected[same], nan=np.inf) for one in (bare, heavy)]
    assert (needed[1] >= needed[0]).all()
    lost = 1 - heavy.table.max_rate_per_s[same] / bare.table.max_rate_per_s[same]
    assert lost == pytest.approx(0.4, abs=0.02)


def test_a_service_alone_has_nothing_to_compare(service, service_plan, context):
    assert fleets_of_plan(service, service_plan, context) is None


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


def data_of(answer: FleetsAnswer, strategy: Strategy) -> list[float]:
    return [one.data_usd for one in answer.of(strategy).fleets]


def test_rented_fleets_carry_storage_and_egress(billed):
    """By hand, worth today at 10 % a year, from the ends of the plan's years and of the service's."""
    plain, answer = billed
    runs = sum((12 * 230 + 1_080) * 1.1 / 1.1 ** (year + 1) for year in range(3))
    lengths = np.array([1.0, 1.0, 1.0 - 14 / 365])
    worth = 1.1 ** -(14 / 365 + np.arange(3) + lengths)
    service = float((12 * lengths * (230 + 4_500) * 1.1 * worth).sum())
    for strategy in ("burst", "two_fleets"):
        assert data_of(answer, strategy) == pytest.approx([runs, service])
    assert data_of(answer, "shared") == pytest.approx([runs + service])
    for before, after in zip(plain.strategies, answer.strategies):
        for one, other in zip(before.fleets, after.fleets):
            assert other.usd == pytest.approx(other.devices_usd + other.data_usd)
            if one.training_candidate == other.training_candidate:
                assert other.devices_usd == pytest.approx(one.usd)


def test_egress_grows_with_the_requests(both, catalog, calibration, context, billed):
    grown = msgspec.structs.replace(
        both, economics=msgspec.structs.replace(both.economics, renting=BILL),
        serving=msgspec.structs.replace(
            both.serving, traffic=msgspec.structs.replace(both.serving.traffic, growth_per_year=1.0)
        ),
    )  # fmt: skip
    answer = fleets_of_plan(grown, plan(grown, catalog, calibration), context)
    assert data_of(answer, "burst")[1] > 2 * data_of(billed[1], "burst")[1]
    assert data_of(answer, "burst")[0] == data_of(billed[1], "burst")[0]


def test_an_owners_held_devices_are_billed_no_data_and_rented_bursts_are(both, catalog, calibration, context, billed):
    owned = msgspec.structs.replace(
        both,
        economics=msgspec.structs.replace(
            both.economics, renting=BILL, serving_procurement="own", training_procurement="own"
        ),
    )
    answer = fleets_of_plan(owned, plan(owned, catalog, calibration), context)
    assert data_of(answer, "shared") == [0.0]
    assert data_of(answer, "two_fleets") == [0.0, 0.0]
    assert answer.of("burst").fleets[0].data_usd == pytest.approx(data_of(billed[1], "burst")[0])


def test_fleets_of_their_own_are_the_plans_and_paid_for_as_the_cost_page_has_them(both, both_plan, context):
    """A service that is open from the start: the mix of the Cost page, to the cent, on the recommended devices."""
    early = with_fleets(both, service_opens_s=0.0, training_window_s=TIGHT_S)
    answer = fleets_of_plan(early, both_plan, context)
    for workload in ("serving", "training"):
        owned = ownership_of_plan(early, both_plan, context, workload)
        (fleet,) = [one for one in answer.of("two_fleets").fleets if one.role == workload]
        assert (fleet.accelerator, fleet.devices) == (owned.accelerator, owned.devices)
        if workload == "serving":
            assert fleet.usd == pytest.approx(owned.commitment_usd, abs=0.005)
            assert fleet.provider == owned.commitments[0].provider


def test_an_owners_fleets_are_bought_as_the_cost_page_has_them(both, catalog, calibration, context):
    economics = Economics(serving_procurement="own", training_procurement="own")
    owned = msgspec.structs.replace(both, economics=economics)
    made = plan(owned, catalog, calibration)
    run_h = float(held_hours(made.training.table)[made.training.best])
    early = with_fleets(owned, service_opens_s=0.0, training_window_s=3600 * (run_h + 1))
    for fleet in fleets_of_plan(early, made, context).of("two_fleets").fleets:
        told = ownership_of_plan(early, made, context, fleet.role)
        assert fleet.usd == pytest.approx(next(one.usd for one in told.terms if one.term == "own"), abs=0.005)


def test_a_kept_training_fleet_is_held_on_the_cheapest_terms(both, both_plan, context):
    """By the hour at most; the run itself costs less by the hour."""
    answer = fleets_of_plan(with_fleets(both, training_window_s=TIGHT_S), both_plan, context)
    (kept, _), (burst, _) = (answer.of(one).fleets for one in ("two_fleets", "burst"))
    assert kept.devices == burst.devices
    assert kept.paid_hours == pytest.approx(kept.devices * 3 * 8760)
    hourly = burst.usd / burst.paid_hours
    assert kept.usd <= kept.paid_hours * hourly * (1 + 1e-9)


H100 = "nvidia-h100-sxm-80gb"


def with_stock(scenario: Scenario, devices: int, **economics) -> Scenario:
    """A scenario on one kind of device, of which the planner has some, whose power costs nothing."""
    hardware = msgspec.structs.replace(
        scenario.hardware, accelerators=(H100,),
        owned=(OwnedStock(accelerator=H100, devices=devices),) if devices else (),
    )  # fmt: skip
    site = msgspec.structs.replace(scenario.economics.site, electricity_usd_per_kwh=0.0)
    money = msgspec.structs.replace(scenario.economics, site=site, **economics)
    return msgspec.structs.replace(scenario, hardware=hardware, economics=money)


@pytest.fixture(scope="module")
def stocked_plan(both, catalog, calibration) -> Plan:
    return plan(with_stock(both, 64), catalog, calibration)


OF_EIGHT_S = 80 * 3600.0
"""A window in which the plan's eight devices end the run, in 76 h, and no fewer."""


def of_stock(both: Scenario, stocked_plan: Plan, context: Context, devices: int, **economics) -> FleetsAnswer:
    terms = {"fleets": FleetTerms(training_window_s=OF_EIGHT_S)} | economics
    return fleets_of_plan(with_stock(both, devices, **terms), stocked_plan, context)


def usd_of(answer: FleetsAnswer, strategy: Strategy) -> list[float]:
    return [one.usd for one in answer.of(strategy).fleets]


def test_a_shared_fleet_of_owned_devices_costs_what_they_take_to_run(both, stocked_plan, context):
    """By hand, without power: 8 that train in the first year, 3 more that serve from then on, at one price an hour."""
    (fleet,) = of_stock(both, stocked_plan, context, 64).of("shared").fleets
    each = float(stocked_plan.served.table.owned_usd_per_device_hour[stocked_plan.served.best])
    assert fleet.usd == pytest.approx((8 / 1.1 + 11 / 1.1**2 + 11 / 1.1**3) * 8760 * each)
    assert (fleet.devices, fleet.paid_hours, fleet.data_usd, fleet.provider) == (11, 30 * 8760, 0, "")


def test_more_owned_devices_never_cost_more(both, stocked_plan, context):
    answers = [of_stock(both, stocked_plan, context, devices) for devices in (0, 1, 8, 11, 16)]
    costs = np.array([[one.usd for one in answer.strategies] for answer in answers])
    assert (np.diff(costs, axis=0) <= 1e-6).all()
    # One that serves and 8 that train, 8 that train and 3 that serve: of a job all devices are of one site, or none.
    shared = costs[:, 0]
    assert shared[0] > shared[1] > shared[2] > shared[3] == pytest.approx(shared[4])


@pytest.mark.parametrize(
    ("device", "counts"), [("amd-mi300x", (7, 8)), (H100, (3, 4)), ("nvidia-l40s", (4, 5, 7, 8, 9))]
)
def test_no_fleet_is_dearer_for_owned_devices_that_change_which_runs_are_tried(
    device, counts, catalog, calibration, context
):
    """An eighth MI300X made a shared fleet $79,444 of seven after $66,295 of six: no run of three was in the list. A
    fourth H100 made both workloads want it, and one of them rent all of its own."""
    scenario = load_project("tests/cases/t11-both.gpuplan").scenarios[0]
    costs = []
    for count in counts:
        stock = (OwnedStock(accelerator=device, devices=count),)
        owned = msgspec.structs.replace(scenario, hardware=msgspec.structs.replace(scenario.hardware, owned=stock))
        answer = fleets_of_plan(owned, plan(owned, catalog, calibration), context)
        costs.append([one.usd for one in answer.strategies])
    assert (np.diff(np.array(costs), axis=0) <= 1e-6).all()


def test_an_owned_device_that_would_work_few_hours_is_left_aside(both, catalog, calibration, context):
    """To run the thirteenth all year cost $11,348 more than to rent one for the hours in which it is needed."""
    traffic = (RequestClass(peak_rate_per_s=200.0),)
    busy = msgspec.structs.replace(both, serving=msgspec.structs.replace(both.serving, classes=traffic))
    planned = plan(with_stock(busy, 64), catalog, calibration)
    answers = [fleets_of_plan(with_stock(busy, devices), planned, context) for devices in (11, 12, 13, 18, 19)]
    costs = np.array([[one.usd for one in answer.strategies] for answer in answers])
    assert (np.diff(costs, axis=0) <= 1e-6).all()
    (committed, hourly) = (one for one in answers[2].of("burst").timeline if one.role == "serving")
    assert committed.devices < 13
    assert 0 < hourly.devices < 0.5


def test_two_fleets_do_not_use_the_same_owned_devices(both, stocked_plan, context):
    """8 are enough for either workload and not for both: one of them rents, whichever costs less."""
    none, eight, many = (of_stock(both, stocked_plan, context, devices) for devices in (0, 8, 64))
    for strategy in ("two_fleets", "burst"):
        (rents, rented), (trains, serves) = usd_of(none, strategy), usd_of(many, strategy)
        assert eight.of(strategy).usd == pytest.approx(min(trains + rented, rents + serves))
        assert eight.of(strategy).usd > many.of(strategy).usd * 1.05


def test_a_run_before_the_service_opens_leaves_it_the_same_owned_devices(both, stocked_plan, context):
    fleets = FleetTerms(training_runs_per_year=0.25, training_window_s=OF_EIGHT_S)
    eight, many = (of_stock(both, stocked_plan, context, devices, fleets=fleets) for devices in (8, 64))
    assert usd_of(eight, "burst") == pytest.approx(usd_of(many, "burst"))
    assert eight.of("two_fleets").usd > many.of("two_fleets").usd


def test_runs_on_owned_devices_follow_no_price_of_a_provider(both, stocked_plan, context):
    renting = RentalTerms(support_share=0.2, stored_bytes=10e12)
    plain, dear = (
        of_stock(both, stocked_plan, context, 64, **terms)
        for terms in ({}, {"renting": renting, "price_trend_per_year": 0.5})
    )
    assert usd_of(dear, "burst") == pytest.approx(usd_of(plain, "burst"))
    assert {span.tier for span in dear.of("burst").timeline} == {"committed"}


def test_what_is_held_all_year_takes_the_fewest_devices_whichever_run_is_cheapest_by_the_hour(
    both, stocked_plan, context
):
    """Another run of the same device leads the list: what is held stays, and the burst follows it."""
    table = stocked_plan.training.table
    other = max(
        (row for row in table.order if table.reason[row] == Reason.NONE), key=lambda row: float(table.devices[row])
    )
    led = msgspec.structs.replace(table, order=np.array([other, *table.order[table.order != other]]))
    training = msgspec.structs.replace(stocked_plan.training, table=led, best=int(other))
    again = msgspec.structs.replace(stocked_plan, training=training)
    before, after = (fleets_of_plan(with_stock(both, 0), one, context) for one in (stocked_plan, again))
    for strategy in ("shared", "time_shared", "two_fleets"):
        assert usd_of(after, strategy) == pytest.approx(usd_of(before, strategy))
    fewest = table.devices[(table.reason == Reason.NONE) & np.isfinite(table.usd_per_run)].min()
    assert after.of("two_fleets").fleets[0].devices == fewest
    assert after.of("burst").fleets[0].devices == table.devices[other] > fewest


def test_a_bought_shared_fleet_in_one_box_has_no_network(both, catalog, calibration, context):
    """8 in one box cost the same whatever a fabric costs, and are paid for whole: the service alone uses 3."""
    bought = with_stock(both, 0, serving_procurement="own", training_procurement="own")
    costs = []
    for usd in (0.0, 4_000.0, 40_000.0):
        ownership = msgspec.structs.replace(bought.economics.ownership, network_usd_per_device=usd)
        economics = msgspec.structs.replace(bought.economics, ownership=ownership)
        scenario = msgspec.structs.replace(bought, economics=economics)
        (fleet,) = fleets_of_plan(scenario, plan(scenario, catalog, calibration), context).of("time_shared").fleets
        assert (fleet.devices, fleet.paid_hours) == (8, 3 * 8 * 8760)
        costs.append(fleet.usd)
    assert costs == pytest.approx([costs[0]] * 3)
