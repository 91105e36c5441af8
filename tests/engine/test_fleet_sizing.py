"""Replicas, cold start and scale to zero of a plan's candidate; worked cases E14 and E20–E22 through the same door."""

from __future__ import annotations

import math
from itertools import pairwise

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.domain.scenario import HardwareChoice
from gpuplanner_gui.domain.traffic import Traffic
from gpuplanner_gui.domain.workload import Availability, ReplicaStart, RequestClass, ServingWorkload, Slo
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.fleet.cold_start import cold_start_of
from gpuplanner_gui.engine.fleet.fleet_sizing import broken_by_cold_starts, fleet_sizing
from gpuplanner_gui.engine.fleet.service_need import ServiceNeed, rate_of_each, replicas_by_hour, running_share
from gpuplanner_gui.engine.simulation.failures import carrying_replicas
from tests.drawing.words.test_load import curve as simulated_curve


def on_h100(scenario, **serving):
    return msgspec.structs.replace(
        scenario,
        serving=msgspec.structs.replace(scenario.serving, weight_precisions=("bf16",), **serving),
        hardware=HardwareChoice(accelerators=("nvidia-h100-sxm-80gb",)),
    )


@pytest.fixture
def sized(chat_8b, catalog, calibration):
    def size(**serving):
        scenario = on_h100(chat_8b, **serving)
        found = plan(scenario, catalog, calibration)
        best = found.serving.best
        return found.serving.table, best, fleet_sizing(scenario, found, best)

    return size


def test_replicas_are_those_of_the_plan(sized):
    for wanted in (Availability(), Availability(zones=3, spare_replicas=2), Availability(target_utilisation=0.4)):
        table, best, fleet = sized(availability=wanted)
        assert fleet.total == int(table.replicas[best])
        assert fleet.base * fleet.slo_rate_per_s * wanted.target_utilisation >= fleet.peak_rate_per_s * (1 - 1e-9)
        assert (fleet.base - 1) * fleet.slo_rate_per_s * wanted.target_utilisation < fleet.peak_rate_per_s


def test_each_spare_is_a_replica_more(sized):
    """With an availability that asks for none of its own."""
    counts = []
    for spares in (0, 1, 3):
        table, best, _ = sized(availability=Availability(spare_replicas=spares, target=0.5), tensor_parallel=1)
        counts.append(int(table.replicas[best]))
    assert np.diff(counts).tolist() == [1, 2]


def test_worked_case_e20_cold_start():
    """Case E20 of docs/derivations: 141.107413 GB at 5 GB/s, 120 + 30 + 42 + 18 s."""
    start = cold_start_of(ReplicaStart(), 141.107413e9, 1)
    assert start.weights_s == pytest.approx(28.2214826)
    assert start.total_s == pytest.approx(238.2214826)


def test_replicas_that_start_together_share_the_store():
    start = ReplicaStart(replica_read_bytes_per_s=5e9, storage_read_bytes_per_s=10e9)
    assert cold_start_of(start, 100e9, 2).weights_s == pytest.approx(20.0)
    assert cold_start_of(start, 100e9, 8).weights_s == pytest.approx(80.0)


def test_bringing_a_model_to_all_takes_a_cold_start_for_each_wave(sized):
    _, _, fleet = sized(start=ReplicaStart(replaced_at_once=1))
    assert fleet.rollout_s == pytest.approx(fleet.total * fleet.start.total_s)
    _, _, pairs = sized(start=ReplicaStart(replaced_at_once=2))
    assert pairs.rollout_s == pytest.approx(math.ceil(pairs.total / 2) * pairs.start.total_s)


def test_following_the_load_never_takes_more_than_the_peak(sized):
    _, _, fleet = sized(traffic=Traffic(mean_over_peak=0.5))
    assert fleet.autoscaled_replica_hours <= fleet.static_replica_hours == fleet.total * 168
    _, _, flat = sized(traffic=Traffic(mean_over_peak=1.0))
    assert flat.autoscaled_replica_hours == flat.static_replica_hours
    assert flat.growth_per_s2 == pytest.approx(0.0, abs=1e-12)


def test_headroom_is_growth_over_window_and_cold_start(sized):
    _, _, fleet = sized(start=ReplicaStart(metric_window_s=100.0))
    assert fleet.headroom_per_s == pytest.approx(fleet.growth_per_s2 * (100.0 + fleet.start.total_s))


def test_scale_to_zero_is_blocked_where_a_cold_start_breaks_a_target(sized):
    _, _, idle = sized(traffic=Traffic(hours=(0.0,) * 12 + (1.0,) * 12))
    assert idle.scale_to_zero_saving == pytest.approx(0.5), "half of the hours have no load"
    assert idle.cold_share == pytest.approx(0.0, abs=1e-9), "in the others requests come seconds apart"
    assert not idle.scale_to_zero_breaks_targets
    _, _, rare = sized(traffic=Traffic(arrivals="users", users=1.0, think_time_s=1800.0))
    assert rare.mean_gap_s > 1800
    assert rare.scale_to_zero_saving > 0.4
    assert rare.scale_to_zero_breaks_targets
    _, _, busy = sized(traffic=Traffic(mean_over_peak=1.0))
    assert busy.cold_share == pytest.approx(0.0, abs=1e-9)
    assert not busy.scale_to_zero_breaks_targets
    assert busy.scale_to_zero_saving == pytest.approx(0.0, abs=1e-6)


def test_the_strictest_target_says_how_many_cold_starts_are_allowed(chat_8b):
    def missed(cold_share: float, *percentiles: float) -> float | None:
        slos = tuple(Slo(metric="ttft", percentile=one, limit_s=6.0) for one in percentiles)
        (first, *_) = chat_8b.serving.classes
        serving = msgspec.structs.replace(chat_8b.serving, classes=(msgspec.structs.replace(first, slos=slos),))
        found = broken_by_cold_starts(serving, 200.0, cold_share)
        return None if found is None else found.percentile

    assert missed(0.053, 95.0) == 95.0
    assert missed(0.047, 95.0) is None
    assert missed(0.047, 95.0, 99.0) == 99.0
    assert missed(0.2, 50.0) is None, "half of the requests may wait: no fixed share of 5 % blocks that"
    assert missed(0.2, 90.0, 95.0) == 95.0


def test_more_spares_are_up_more_often(sized):
    shares = [sized(availability=Availability(spare_replicas=count))[2].enough_up_share for count in (0, 1, 2)]
    assert shares == sorted(shares)
    assert shares[0] < shares[2] <= 1
    _, _, fleet = sized(availability=Availability(target=0.9999, spare_replicas=0))
    carrying = carrying_replicas(fleet.peak_rate_per_s, fleet.slo_rate_per_s)
    assert carrying <= 1, "the second replica is headroom"
    assert fleet.needed_for_availability == 2


def test_a_replica_for_the_availability_is_not_told_as_one_for_the_load(sized, chat_8b):
    few = tuple(msgspec.structs.replace(one, peak_rate_per_s=0.2) for one in chat_8b.serving.classes)
    _, _, fleet = sized(classes=few, availability=Availability(target=0.9999, spare_replicas=0))
    split = fleet.split
    assert split is not None
    assert (split.total, split.expected, split.added, split.spares, split.kept_up) == (2, 1, 0, 0, 1)


def test_slots_hardly_wait_at_the_planned_utilisation(sized):
    _, _, fleet = sized()
    assert fleet.slots > 0
    assert 0 <= fleet.waiting_share < 0.05


def test_a_candidate_that_meets_nothing_has_no_fleet(chat_70b, catalog, calibration):
    scenario = on_h100(chat_70b)
    tight = msgspec.structs.replace(
        scenario.serving.classes[0],
        slos=(msgspec.structs.replace(scenario.serving.classes[0].slos[0], limit_s=1e-6),),
    )
    scenario = msgspec.structs.replace(scenario, serving=msgspec.structs.replace(scenario.serving, classes=(tight,)))
    found = plan(scenario, catalog, calibration)
    fleet = fleet_sizing(scenario, found, found.serving.best)
    assert (fleet.base, fleet.total, fleet.needed_for_availability) == (0, 0, 0)


def test_a_fleet_that_follows_its_load_is_paid_while_it_runs() -> None:
    """Twelve hours at the peak, six at half of it, six without load: four, two and no replicas, and a spare."""
    traffic = Traffic(hours=(1.0,) * 12 + (0.5,) * 6 + (0.0,) * 6)
    need = ServiceNeed(Availability(spare_replicas=1), np.array([10.0]), np.zeros(1), np.zeros(1))
    scaled = ServingWorkload(
        classes=(RequestClass(peak_rate_per_s=40.0),), traffic=traffic, start=ReplicaStart(is_autoscaled=True),
        availability=Availability(spare_replicas=1),
    )  # fmt: skip
    peak = np.array([40.0])
    assert running_share(scaled, "rent_on_demand", need, peak)[0] == pytest.approx((12 * 5 + 6 * 3) / (24 * 5))
    assert running_share(scaled, "rent_1y", need, peak)[0] == 1.0
    held = msgspec.structs.replace(scaled, start=ReplicaStart())
    assert running_share(held, "rent_on_demand", need, peak)[0] == 1.0


CHAT = ServingWorkload(
    classes=(RequestClass(peak_rate_per_s=1.0),), availability=Availability(target_utilisation=0.75)
)  # fmt: skip


@given(count=st.integers(1, 40), full=st.floats(0.1, 200.0), faster=st.floats(1.0, 3.0))
def test_a_looser_target_never_runs_more_of_the_same_replicas(count: int, full: float, faster: float) -> None:
    """Each is sized for a rate that explains the number at the peak, and for no lower one where it could take more."""
    peak = np.array([100.0])
    slow, fast = (rate_of_each(peak, one * np.ones(1), peak / count, CHAT) for one in (full, full * faster))
    assert (slow <= fast).all()
    assert np.ceil(peak / slow - 1e-9) == np.ceil(peak / fast - 1e-9) == count
    if count - 1 < 100.0 / (full * 0.75) <= count:
        assert slow[0] == pytest.approx(full * 0.75, rel=2e-6)


@pytest.mark.parametrize(
    ("per_unit", "replicas", "paid"),
    [(1.0, 5.0, 12 * 5 + 6 * 3), (2.0, 5.0, (12 * 3 + 6 * 2) / 3 * 5), (8.0, 5.0, 18 * 5)],
)
def test_an_instance_is_paid_for_while_one_of_its_replicas_runs(per_unit: float, replicas: float, paid: float) -> None:
    """Five replicas for twelve hours, three for six, none for six; in instances of two: three, two, none."""
    traffic = Traffic(hours=(1.0,) * 12 + (0.5,) * 6 + (0.0,) * 6)
    scaled = ServingWorkload(
        classes=(RequestClass(peak_rate_per_s=40.0),), traffic=traffic,
        start=ReplicaStart(
            is_autoscaled=True, provision_s=0.0, image_s=0.0, compile_s=0.0, graph_capture_s=0.0, warm_up_s=0.0
        ),
        availability=Availability(spare_replicas=1),
    )  # fmt: skip
    peak, one = np.array([40.0]), np.ones(1)
    need = ServiceNeed.counted(scaled, 10.0 * one, replicas * one, peak, 0.0 * one)
    need = need.in_units(replicas * one, per_unit * one, one, 0.0 * one)
    assert running_share(scaled, "rent_on_demand", need, peak)[0] == pytest.approx(paid / (24 * replicas))


@pytest.mark.parametrize("hours", [2.0, 8.0, 12.0, 40.0])
def test_a_batch_is_paid_for_until_it_is_done(hours: float) -> None:
    """Two replicas of 10 req/s at 75 % carry 12 req/s: each works 0.6 of the time, after half an hour's start."""
    scaled = ServingWorkload(
        classes=(RequestClass(peak_rate_per_s=1.0),), start=ReplicaStart(is_autoscaled=True),
        traffic=Traffic(arrivals="batch", batch_requests=12.0 * 3600 * hours, batch_time_s=3600.0 * hours),
    )  # fmt: skip
    peak, one = np.array([12.0]), np.ones(1)
    rate = rate_of_each(peak, 10.0 * one, peak / 2, scaled)
    need = ServiceNeed(Availability(spare_replicas=0), rate, np.zeros(1), np.array([1800.0]))
    worked_h = 0.6 * hours + 0.5
    assert running_share(scaled, "rent_on_demand", need, peak)[0] == pytest.approx(worked_h / max(hours, 24.0))
    assert replicas_by_hour(scaled, need, 12.0, 240, 0.0).mean() == pytest.approx(2 * worked_h / max(hours, 24.0))


def test_more_time_makes_a_batch_no_dearer(chat_8b, catalog, calibration):
    """Fewer replicas work as much longer: what they cost together does not follow from where a deadline falls."""

    def month(hours: float) -> float:
        traffic = Traffic(arrivals="batch", batch_requests=1_000_000, batch_time_s=3600.0 * hours)
        start = ReplicaStart(is_autoscaled=True)
        scenario = on_h100(chat_8b, traffic=traffic, start=start)
        table = plan(scenario, catalog, calibration).serving.table
        return float(table.usd_per_month[table.meets_targets].min())

    usd = [month(hours) for hours in (2.0, 3.0, 4.0, 6.0, 8.0, 10.4, 16.0)]
    assert all(later <= sooner * 1.01 for sooner, later in pairwise(usd)), usd


def test_a_batch_with_slack_for_repairs_has_no_replica_for_its_availability(sized, chat_8b):
    """What is done in part of two days waits for a repair; a service with the same load is down until then."""
    few = tuple(msgspec.structs.replace(one, peak_rate_per_s=0.2) for one in chat_8b.serving.classes)
    wanted, days_s = Availability(target=0.9999, spare_replicas=0), 2 * 86_400.0
    _, _, served = sized(classes=few, availability=wanted)
    traffic = Traffic(arrivals="batch", batch_requests=0.2 * days_s, batch_time_s=days_s)
    _, _, batch = sized(classes=few, availability=wanted, traffic=traffic)
    assert (served.total, served.needed_for_availability) == (2, 2)
    assert (batch.total, batch.needed_for_availability) == (1, 1)
    assert wanted.target <= batch.enough_up_share < 1


@pytest.mark.parametrize("failing_h", [100.0, 720.0])
def test_an_easier_batch_takes_no_more_replicas_or_money(chat_8b, catalog, calibration, failing_h):
    """With more time, rarer failures or a lower target; of a fleet that is paid for all the time."""

    def month(hours: float = 12.0, target: float = 0.9999, rarer: float = 1.0) -> tuple[float, float]:
        traffic = Traffic(arrivals="batch", batch_requests=1_000_000, batch_time_s=3600.0 * hours)
        start = ReplicaStart(mtbf_s=failing_h * 3600.0 * rarer)
        wanted = Availability(target=target, spare_replicas=0)
        found = plan(on_h100(chat_8b, traffic=traffic, start=start, availability=wanted), catalog, calibration).serving
        return float(found.table.replicas[found.best]), float(found.table.usd_per_month[found.best])

    for easier in (
        [month(hours=hours) for hours in (2.0, 4.0, 6.0, 9.0, 12.0, 24.0, 48.0)],
        [month(target=target) for target in (0.999999, 0.9999, 0.99, 0.5)],
        [month(rarer=times) for times in (0.5, 1.0, 10.0)],
    ):
        assert all(later <= sooner for sooner, later in pairwise(easier)), easier


def test_an_autoscaled_fleet_within_one_instance_is_billed_for_the_instance(chat_8b, catalog, calibration):
    """MI300X is had as spot capacity by eights: few replicas on one cost no less than it, at night or not."""
    scaled = msgspec.structs.replace(chat_8b.serving, start=ReplicaStart(is_autoscaled=True))
    hardware = HardwareChoice(accelerators=("amd-mi300x",), include_end_of_life=True)
    economics = msgspec.structs.replace(chat_8b.economics, serving_procurement="rent_spot")
    scenario = msgspec.structs.replace(chat_8b, serving=scaled, hardware=hardware, economics=economics)
    found = plan(scenario, catalog, calibration).serving
    table, best = found.table, found.best
    assert table.paid_devices[best] == table.unit_devices[best] == 8
    assert table.running_share[best] == pytest.approx(1.0)
    listed = table.usd_per_device_hour[best] * table.devices[best]
    assert table.usd_per_hour[best] == pytest.approx(listed)


@pytest.mark.parametrize(("start_h", "paid"), [(0.0, 54.0), (0.5, 55.5), (6.0, 72.0), (9.0, 78.0), (30.0, 96.0)])
def test_a_replica_is_paid_for_from_its_start_up_before_the_load_needs_it(start_h: float, paid: float) -> None:
    """Six hours need one replica, six two, six four, six two again: whoever starts half an hour is paid for half an
    hour more before each rise, and what takes longer than the lull is never released."""
    traffic = Traffic(hours=(0.25,) * 6 + (0.5,) * 6 + (1.0,) * 6 + (0.5,) * 6)
    need = ServiceNeed(Availability(spare_replicas=0), np.array([10.0]), np.zeros(1), np.array([start_h * 3600.0]))
    scaled = ServingWorkload(
        classes=(RequestClass(peak_rate_per_s=40.0),), traffic=traffic, start=ReplicaStart(is_autoscaled=True),
        availability=Availability(spare_replicas=0),
    )  # fmt: skip
    peak = np.array([40.0])
    assert running_share(scaled, "rent_on_demand", need, peak)[0] == pytest.approx(paid / 96)
    years = replicas_by_hour(scaled, need, 40.0, 8_760, 0.0)
    assert years.mean() == pytest.approx(paid / 24, rel=1e-3)


def test_a_longer_start_up_never_makes_an_autoscaled_service_cheaper(chat_8b, catalog, calibration):
    """One that takes half the day to start is held for the peak: the plan costs what a fixed fleet does."""
    usd = [
        plan(on_h100(chat_8b, start=ReplicaStart(is_autoscaled=True, provision_s=hours * 3600.0)), catalog, calibration)
        for hours in (0.0, 0.5, 4.0, 24.0)
    ]
    months = [float(one.serving.table.usd_per_month[one.serving.best]) for one in usd]
    fixed = plan(on_h100(chat_8b, start=ReplicaStart()), catalog, calibration).serving
    assert months == sorted(months)
    assert months[0] < months[1] < months[2]
    assert months[-1] == pytest.approx(float(fixed.table.usd_per_month[fixed.best]))


def test_users_ask_as_often_as_they_are_answered(chat_8b, catalog, calibration):
    """Not as a class states, nor as in a trace; where users were simulated, their rate at the targets counts."""
    traffic = Traffic(arrivals="users", users=1.0, think_time_s=30.0)
    scenario = on_h100(chat_8b, traffic=traffic, availability=Availability(spare_replicas=0, target=0.5))
    found = plan(scenario, catalog, calibration)
    best = found.serving.best
    of_users = msgspec.structs.replace(simulated_curve(), candidate=best, slo_rate_per_s=0.5)
    simulated = fleet_sizing(scenario, found, best, of_users)
    assert (simulated.is_simulated, simulated.slo_rate_per_s) == (True, 0.5)
    of_trace = msgspec.structs.replace(of_users, slo_rate_per_s=1e-4, is_trace=True)
    fleet = fleet_sizing(scenario, found, best, of_trace)
    assert fleet.peak_rate_per_s == found.serving.peak_rate_per_s < scenario.serving.peak_rate_per_s
    assert fleet.base == fleet.total == found.serving.table.replicas[best] == 1
    assert fleet.enough_up_share == pytest.approx(fleet.replica_availability)
    assert not fleet.is_simulated


def test_one_replica_does_not_size_a_fleet_that_shares_its_places(chat_8b, catalog, calibration):
    """Replicas of one place: alone each keeps its targets at a twentieth of what it takes beside the others."""
    engine = msgspec.structs.replace(chat_8b.serving.engine, max_sequences=1)
    scenario = on_h100(chat_8b, engine=engine)
    found = plan(scenario, catalog, calibration)
    best, table = found.serving.best, found.serving.table
    rate = float(table.slo_rate_per_s[best]) / 20
    alone = msgspec.structs.replace(simulated_curve(), candidate=best, slo_rate_per_s=rate)
    fleet = fleet_sizing(scenario, found, best, alone)
    assert fleet.base > 1
    assert fleet == fleet_sizing(scenario, found, best)
    many = fleet_sizing(on_h100(chat_8b), plan(on_h100(chat_8b), catalog, calibration), best, alone)
    assert many.is_simulated
