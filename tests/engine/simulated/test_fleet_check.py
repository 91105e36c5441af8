"""The recommended fleet is simulated before its answer is final, and its replicas follow the simulation."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.domain.quantity import Lognormal
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.traffic import Traffic
from gpuplanner_gui.domain.workload import Availability, RequestClass, ServingWorkload, Slo
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.advisor.lifted_rules import with_edits
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.fleet.readiness import readiness
from gpuplanner_gui.engine.serving.curves import serving_candidate
from gpuplanner_gui.engine.serving.fleet_split import load_multiple
from gpuplanner_gui.engine.simulation import fleet_check
from gpuplanner_gui.engine.simulation.candidate_load import candidate_service, scenario_targets
from gpuplanner_gui.engine.simulation.fleet_check import simulated_plan
from gpuplanner_gui.engine.simulation.fleet_part import FleetPart
from gpuplanner_gui.engine.simulation.refusal import refusal_of_best
from gpuplanner_gui.engine.simulation.result import meets
from gpuplanner_gui.engine.simulation.service import Service
from tools.fidelity.small_services import drawn, fewest_by_trial

TARGETS = (Slo(metric="ttft", percentile=95.0, limit_s=1.0), Slo(metric="tpot", percentile=95.0, limit_s=0.03))


@pytest.fixture
def scenario(llama_8b):
    one = RequestClass(peak_rate_per_s=60.0, prompt_tokens=1000.0, output_tokens=200.0, slos=TARGETS)
    serving = ServingWorkload(
        classes=(one,), traffic=Traffic(burstiness_cv=1.0), weight_precisions=("bf16",), kv_precisions=("bf16",),
        availability=Availability(spare_replicas=1, target_utilisation=0.75),
    )  # fmt: skip
    hardware = HardwareChoice(accelerators=("nvidia-h100-sxm-80gb", "nvidia-h200-sxm-141gb"), max_devices_per_replica=1)
    return Scenario(name="fleet", model=llama_8b, serving=serving, hardware=hardware)


def test_a_fleet_that_keeps_its_targets_stands(scenario, catalog, calibration):
    quick = plan(scenario, catalog, calibration)
    assert quick.serving.simulated is None
    final = simulated_plan(scenario, catalog, calibration, quick, seed=3, is_judged=False)
    assert final.serving.best == quick.serving.best
    assert final.serving.simulated.seed == 3
    assert final.serving.simulated.replicas == final.serving.simulated.quick_replicas
    assert np.array_equal(final.serving.table.replicas, quick.serving.table.replicas, equal_nan=True)
    assert (
        simulated_plan(scenario, catalog, calibration, quick, seed=3, is_judged=False).serving.simulated
        == final.serving.simulated
    )


def test_replicas_and_money_follow_the_simulation(scenario, catalog, calibration, monkeypatch):
    """One replica more than the quick estimate: devices, money and load are those of such a fleet."""
    terms = msgspec.structs.replace(scenario.economics.uncertainty, confidence="expected")
    economics = msgspec.structs.replace(scenario.economics, uncertainty=terms)
    scenario = msgspec.structs.replace(scenario, economics=economics)
    quick = plan(scenario, catalog, calibration)
    best, table = quick.serving.best, quick.serving.table
    base = int(table.replicas[best]) - 1
    tried = []

    def fails_at_first(result, targets):
        tried.append(result)
        return len(tried) > 1 and result.replicas > base

    monkeypatch.setattr(fleet_check, "meets", fails_at_first)
    found = simulated_plan(scenario, catalog, calibration, quick, is_judged=False).serving
    assert found.simulated.quick_replicas == base
    assert found.simulated.replicas == base + 1
    after = found.table
    assert after.replicas[best] == base + 2
    assert after.devices[best] == after.replicas[best] * after.devices_per_replica[best]
    assert after.usd_per_hour[best] == pytest.approx(
        after.paid_devices[best] * after.usd_per_device_hour[best], rel=0.2
    )
    assert after.usd_per_hour[best] > table.usd_per_hour[best]
    assert after.replicas_expected[best] == after.replicas[best]
    shared = table.load_per_replica_per_s[best] * base / (base + 1)
    assert after.load_per_replica_per_s[best] == pytest.approx(shared)
    assert found.target_latency_s == (after.ttft_p95_s[best], after.tpot_p95_s[best])
    # The candidates that meet the targets stay in the order of their cost.
    good = [one for one in after.order if after.meets_targets[one] and np.isfinite(after.usd_per_hour[one])]
    assert after.usd_per_hour[good].tolist() == sorted(after.usd_per_hour[good])


def test_a_smaller_fleet_is_told_with_the_rate_that_the_simulation_found(scenario, catalog, calibration, monkeypatch):
    """Fewer replicas that keep the targets with their headroom: each takes its load over the utilisation asked for."""
    uncertainty = msgspec.structs.replace(scenario.economics.uncertainty, confidence="expected")
    slos = (Slo(metric="tpot", percentile=95.0, limit_s=0.010),)
    one = msgspec.structs.replace(scenario.serving.classes[0], slos=slos)
    scenario = msgspec.structs.replace(
        scenario, economics=msgspec.structs.replace(scenario.economics, uncertainty=uncertainty),
        serving=msgspec.structs.replace(scenario.serving, classes=(one,)),
    )  # fmt: skip
    quick = plan(scenario, catalog, calibration)
    monkeypatch.setattr(fleet_check, "meets", lambda result, targets: True)
    found = simulated_plan(scenario, catalog, calibration, quick, is_judged=False).serving
    best, table, simulated = found.best, found.table, found.simulated
    assert simulated.replicas < simulated.quick_replicas
    load, rate = float(table.load_per_replica_per_s[best]), float(table.slo_rate_per_s[best])
    assert load == pytest.approx(60.0 / simulated.replicas)
    assert rate >= 0.999 * load / 0.75
    assert rate == pytest.approx(simulated.rate_share * quick.serving.table.slo_rate_per_s[best])
    assert table.headroom[best] == pytest.approx(rate / load - 1.0)
    assert load_multiple(found) == pytest.approx(rate / load)
    # As expected is what is asked for: both numbers are one, with what the availability takes.
    assert table.replicas_expected[best] == table.replicas[best]


def test_a_fleet_that_nothing_makes_sure_enough_still_carries_the_load(scenario, catalog, calibration, monkeypatch):
    """Who plans for 95 % and cannot have it is told the chance of a fleet that the expected load does not overrun."""
    targets = (Slo(metric="ttft", percentile=95.0, limit_s=0.12),)
    asked = msgspec.structs.replace(
        scenario.serving.classes[0], peak_rate_per_s=4.0, prompt_tokens=2000.0, slos=targets
    )
    terms = msgspec.structs.replace(scenario.economics.uncertainty, confidence="p95")
    unsure = msgspec.structs.replace(
        scenario, serving=msgspec.structs.replace(scenario.serving, classes=(asked,)),
        economics=msgspec.structs.replace(scenario.economics, uncertainty=terms),
    )  # fmt: skip
    quick = plan(unsure, catalog, calibration)
    base = int(quick.serving.table.replicas[quick.serving.best]) - 1
    monkeypatch.setattr(fleet_check, "meets", lambda result, targets: result.replicas > base)
    found = simulated_plan(unsure, catalog, calibration, quick, is_judged=False).serving
    assert found.table.reason[found.best] == Reason.BELOW_CONFIDENCE
    assert found.simulated.replicas == base + 1
    assert found.table.replicas[found.best] == base + 2
    assert found.table.reason_value[found.best] > 1


def test_a_candidate_that_never_holds_gives_way_to_the_next(scenario, catalog, calibration, monkeypatch):
    quick = plan(scenario, catalog, calibration)
    answers = iter([False, False])
    monkeypatch.setattr(fleet_check, "meets", lambda result, targets: next(answers, True))
    final = simulated_plan(scenario, catalog, calibration, quick, is_judged=False).serving
    assert final.best != quick.serving.best
    assert not final.table.meets_targets[quick.serving.best]
    assert final.simulated.candidate == final.best
    table, best = final.table, final.best
    assert final.target_latency_s == (table.ttft_p95_s[best], table.tpot_p95_s[best])


@pytest.mark.parametrize(("users", "think_s"), [(50.0, 0.0), (400.0, 10.0)])
def test_users_are_simulated_and_put_under_stress(scenario, catalog, calibration, users, think_s):
    """Who wait for their answers ask no faster than they get them; what is lost comes back, and nobody bursts."""
    traffic = Traffic(arrivals="users", users=users, think_time_s=think_s)
    serving = msgspec.structs.replace(scenario.serving, traffic=traffic)
    by_users = msgspec.structs.replace(scenario, serving=serving)
    quick = plan(by_users, catalog, calibration)
    final = simulated_plan(by_users, catalog, calibration, quick, seed=3, is_judged=False)
    simulated = final.serving.simulated
    assert simulated.replicas == simulated.quick_replicas >= 1
    assert simulated.requests >= 4 * users / serving.availability.target_utilisation - 4
    assert final.serving.best == quick.serving.best
    steps = list(readiness(by_users, catalog, calibration, final, final.serving.best, replica_start_s=20.0))
    codes = [one.disturbance for one in steps[-1].tests]
    assert "burst" not in codes
    assert {"replica_loss", "reload"} <= set(codes)
    assert steps[-1].rate_per_s >= 0.95 * final.serving.peak_rate_per_s
    assert all(math.isfinite(one.recovery_s) and not one.unanswered for one in steps[-1].tests)


def test_a_slow_fleet_of_users_gets_more_replicas(scenario, catalog, calibration, monkeypatch):
    """Where the simulated users are not served within the targets, the fleet grows until they are."""
    serving = msgspec.structs.replace(scenario.serving, traffic=Traffic(arrivals="users", users=50.0))
    by_users = msgspec.structs.replace(scenario, serving=serving)
    quick = plan(by_users, catalog, calibration)
    monkeypatch.setattr(fleet_check, "meets", lambda result, targets: result.replicas > 1)
    found = simulated_plan(by_users, catalog, calibration, quick, is_judged=False).serving
    assert found.simulated.replicas == 2 > found.simulated.quick_replicas
    before, after = quick.serving.table, found.table
    assert after.replicas[found.best] >= before.replicas[found.best]
    assert after.load_per_replica_per_s[found.best] < 0.9 * before.load_per_replica_per_s[found.best]


def test_users_who_get_a_larger_fleet_have_their_headroom(scenario, catalog, calibration):
    """Ten users before replicas of one place: who keeps the targets carries the load, and more than can be served is no
    rate of a replica."""
    engine = msgspec.structs.replace(scenario.serving.engine, max_sequences=1)
    traffic = Traffic(arrivals="users", users=10.0, think_time_s=0.0)
    serving = msgspec.structs.replace(scenario.serving, traffic=traffic, engine=engine)
    by_users = msgspec.structs.replace(scenario, serving=serving)
    quick = plan(by_users, catalog, calibration)
    found = simulated_plan(by_users, catalog, calibration, quick, is_judged=False).serving
    table, best = found.table, found.best
    assert found.simulated.replicas > found.simulated.quick_replicas
    assert table.meets_targets[best]
    assert table.headroom[best] >= 0.0
    assert table.load_per_replica_per_s[best] <= table.slo_rate_per_s[best] <= table.max_rate_per_s[best]


def test_full_batches_hold_at_the_peak_itself_and_not_only_with_its_headroom(scenario, catalog, calibration):
    """The fewer requests come, the longer a batch waits to be full: two replicas keep 7 s at 13.3 requests a second and
    miss them at 10."""
    context = context_of(catalog, calibration)
    slos = (Slo(metric="e2e", percentile=95.0, limit_s=7.0),)
    one = RequestClass(peak_rate_per_s=10.0, prompt_tokens=512.0, output_tokens=256.0, slos=slos)
    engine = msgspec.structs.replace(scenario.serving.engine, batching="static", max_sequences=16)
    serving = msgspec.structs.replace(scenario.serving, classes=(one,), traffic=Traffic(), engine=engine)
    economics = msgspec.structs.replace(
        scenario.economics, uncertainty=msgspec.structs.replace(scenario.economics.uncertainty, confidence="expected")
    )
    filled = msgspec.structs.replace(scenario, serving=serving, economics=economics)
    quick = plan(filled, catalog, calibration)
    found = simulated_plan(filled, catalog, calibration, quick, is_judged=False).serving
    chosen = serving_candidate(quick, found.best)

    def is_kept(replicas: int, rate_per_s: float) -> bool:
        fleet = candidate_service(filled, context, chosen, 12_000, 5, None, replicas)
        return meets(fleet.run(rate_per_s), scenario_targets(filled))

    assert found.table.meets_targets[found.best]
    assert is_kept(found.simulated.replicas, 10.0)
    assert is_kept(found.simulated.replicas, 10.0 / 0.75)
    assert not is_kept(found.simulated.quick_replicas, 10.0)


def test_a_fleet_is_never_smaller_than_its_load_lets_it_be():
    """Targets that limit no wait hold in any overload that a simulation sees the begin of."""
    assert fleet_check._fewest(lambda count: True, 2, 2) == 2
    assert fleet_check._fewest(lambda count: True, 8, 3) == 3
    assert fleet_check._fewest(lambda count: True, 8, 1) == 1


@pytest.mark.parametrize("number", [21, 62])
def test_no_fewer_replicas_than_runs_four_times_as_long_need(number, catalog, calibration):
    """Bursts at 92 % of what replicas can do, and a wait within 2 % of its limit: one run that happens to go well isn't
    enough."""
    context = context_of(catalog, calibration)
    scenario = drawn(number, context)
    quick = plan(scenario, catalog, calibration)
    found = simulated_plan(scenario, catalog, calibration, quick, seed=1, is_judged=False).serving
    assert found.simulated.replicas >= fewest_by_trial(scenario, context, serving_candidate(quick, quick.serving.best))


@pytest.fixture
def sized(scenario, catalog, calibration):
    """A service of replicas of 20 places on one device, simulated and planned as expected."""

    def of(rate_per_s, within_s):
        soon = (Slo(metric="ttft", percentile=95.0, limit_s=within_s),)
        one = msgspec.structs.replace(scenario.serving.classes[0], peak_rate_per_s=rate_per_s, slos=soon)
        engine = msgspec.structs.replace(scenario.serving.engine, max_sequences=20)
        serving = msgspec.structs.replace(scenario.serving, classes=(one,), engine=engine)
        terms = msgspec.structs.replace(scenario.economics.uncertainty, confidence="expected")
        economics = msgspec.structs.replace(scenario.economics, uncertainty=terms)
        hardware = msgspec.structs.replace(scenario.hardware, accelerators=("nvidia-h100-sxm-80gb",))
        asked = msgspec.structs.replace(scenario, serving=serving, economics=economics, hardware=hardware)
        quick = plan(asked, catalog, calibration)
        return simulated_plan(asked, catalog, calibration, quick, is_judged=False).serving

    return of


def test_a_looser_target_never_takes_more_of_many_replicas(sized):
    """A fleet of more than a few follows the simulation by one replica as by a quarter of them."""
    found = [sized(120.0, within_s) for within_s in (0.15, 0.25, 0.4, 0.6)]
    assert all(8 < one.simulated.replicas < one.simulated.quick_replicas for one in found)
    usd = [float(one.table.usd_per_hour[one.best]) for one in found]
    assert usd == sorted(usd, reverse=True)


def test_many_replicas_of_many_places_are_simulated_together(sized):
    """300 requests a second within 0.2 s: runs of 20,000 requests keep them with 40 replicas and miss them with 38,
    where 24 of them at their share of the load say 43."""
    found = sized(300.0, 0.2).simulated
    assert found.quick_replicas > 45
    assert found.replicas in (39, 40)


def test_many_replicas_of_one_place_are_simulated_together(scenario, catalog, calibration):
    """What a fleet needs beyond its load grows as the load's root: 81 replicas are enough where 24 of them alone, at
    their share of the load, would need 100."""
    serving = scenario.serving
    soon = (Slo(metric="ttft", percentile=95.0, limit_s=0.1),)
    one = msgspec.structs.replace(serving.classes[0], peak_rate_per_s=50.0, slos=soon)
    engine = msgspec.structs.replace(serving.engine, max_sequences=1)
    serving = msgspec.structs.replace(serving, classes=(one,), engine=engine)
    economics = msgspec.structs.replace(
        scenario.economics, uncertainty=msgspec.structs.replace(scenario.economics.uncertainty, confidence="expected")
    )
    many = msgspec.structs.replace(scenario, serving=serving, economics=economics)
    quick = plan(many, catalog, calibration)
    found = simulated_plan(many, catalog, calibration, quick, is_judged=False).serving.simulated
    assert found is not None
    assert found.quick_replicas > 60
    assert found.quick_replicas - 2 <= found.replicas <= found.quick_replicas
    assert found.requests >= 30 * found.replicas


def test_a_part_of_replicas_that_share_has_more_to_spare():
    """1,600 replicas for a load of 1,500: a quarter of the load needs half of what is spare, 375 + 50."""
    part = FleetPart.sharing(0.25, 3000, 1600.0, 1500.0)
    assert part.replicas == 425
    assert part.of_whole(425) == 1600
    assert part.of_whole(435) == 1620
    assert FleetPart.sharing(1.0, 3000, 203.0, 194.2).replicas == 203


def test_long_answers_fill_the_replicas_before_a_run_ends(llama_8b, catalog, calibration):
    """Answers of 2,000 tokens: runs that ended before they held their batches found 15 of 20 replicas enough."""
    slos = (Slo(metric="tpot", percentile=95.0, limit_s=0.012),)
    one = RequestClass(peak_rate_per_s=80.0, prompt_tokens=500.0, output_tokens=2_000.0, slos=slos)
    hardware = HardwareChoice(accelerators=("nvidia-h100-sxm-80gb",), max_devices_per_replica=1)
    scenario = Scenario(name="long", model=llama_8b, serving=ServingWorkload(classes=(one,)), hardware=hardware)
    quick = plan(scenario, catalog, calibration)
    found = simulated_plan(scenario, catalog, calibration, quick, is_judged=False).serving.simulated
    assert found is not None
    assert found.replicas >= 0.9 * found.quick_replicas
    held = 80.0 / found.quick_replicas * float(quick.serving.table.e2e_mean_s[found.candidate])
    assert found.requests >= 4 * held


@pytest.fixture
def asked(scenario):
    """Requests within 7 s, whole, on one device, of a service that waits for full batches or not."""

    def of(batching):
        slos = (Slo(metric="e2e", percentile=95.0, limit_s=7.0),)
        one = RequestClass(peak_rate_per_s=10.0, prompt_tokens=512.0, output_tokens=256.0, slos=slos)
        engine = msgspec.structs.replace(scenario.serving.engine, batching=batching, max_sequences=16)
        serving = msgspec.structs.replace(scenario.serving, classes=(one,), traffic=Traffic(), engine=engine)
        hardware = HardwareChoice(accelerators=("nvidia-h100-sxm-80gb",), max_devices_per_replica=1)
        return msgspec.structs.replace(scenario, serving=serving, hardware=hardware)

    return of


@pytest.mark.parametrize("batching", ["static", "continuous"])
def test_a_refused_fleet_is_told_as_simulated(asked, catalog, calibration, monkeypatch, batching):
    """What is shown beside 'fails' is what was judged: over its limit, with the reason, of the fleet that came
    nearest."""
    refused = asked(batching)
    seen = []

    def measured(result, target):
        seen.append(result.replicas)
        return 9.1 if result.replicas == max(seen) else 9.8

    monkeypatch.setattr(fleet_check, "meets", lambda result, targets: False)
    monkeypatch.setattr(fleet_check, "measured_s", measured)
    quick = plan(refused, catalog, calibration)
    final = simulated_plan(refused, catalog, calibration, quick)
    found, best, table = final.serving, final.serving.best, final.serving.table
    refusal = refusal_of_best(found)
    assert found.simulation_of_best is None
    assert refusal.nearest_s == found.target_latency_s == (9.1,)
    assert table.reason[best] == Reason.MISSES_TARGET
    assert table.reason_value[best] == pytest.approx(1.3)
    assert not table.meets_targets[best]
    assert table.headroom[best] == -1.0
    # The row is the fleet whose latency is told: its replicas, with a spare, and their cost.
    assert table.replicas[best] == table.replicas_expected[best] == refusal.nearest_replicas + 1
    assert refusal.nearest_replicas <= refusal.most_replicas >= 3 * refusal.quick_replicas
    assert table.devices[best] == table.replicas[best] * table.devices_per_replica[best]
    before = quick.serving.table
    each = before.usd_per_hour[best] / before.replicas[best]
    assert table.usd_per_hour[best] == pytest.approx(each * table.replicas[best], rel=0.2)
    (said,) = (one for one in final.findings if one.code.startswith("service_misses"))
    assert said.code == "service_misses_simulated"
    assert said.values["over_share"] == pytest.approx(0.3)
    assert said.values["most_replicas"] == refusal.most_replicas
    assert "whole_batches" not in final.verdicts.serving.reasons


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_remedy_for_a_refused_fleet_holds_when_applied(scenario, catalog, calibration, seed):
    """One developer whose longest prompts take longer than the quick estimate says: looser limits are enough, and
    simulated."""
    soon = (Slo(metric="ttft", percentile=99.9, limit_s=0.35),)
    one = RequestClass(peak_rate_per_s=1.0, prompt_tokens=Lognormal(3000.0, 0.5), output_tokens=200.0, slos=soon)
    traffic = Traffic(arrivals="users", users=1.0, think_time_s=5.0)
    serving = msgspec.structs.replace(scenario.serving, classes=(one,), traffic=traffic)
    hardware = HardwareChoice(accelerators=("nvidia-h100-sxm-80gb",), max_devices_per_replica=1)
    terms = msgspec.structs.replace(scenario.economics.uncertainty, confidence="expected")
    economics = msgspec.structs.replace(scenario.economics, uncertainty=terms)
    tight = msgspec.structs.replace(scenario, serving=serving, hardware=hardware, economics=economics)

    def final(asked: Scenario, is_judged: bool):
        quick = plan(asked, catalog, calibration)
        return simulated_plan(asked, catalog, calibration, quick, seed=seed, is_judged=is_judged)

    found = final(tight, True)
    refusal = refusal_of_best(found.serving)
    assert refusal.nearest_s[0] > 0.35
    (looser,) = (one for one in found.findings if one.code == "lever_looser_targets")
    assert "enough_usd_per_month" in looser.values
    changed = with_edits(tight, {edit.path: edit.value for edit in looser.remedy.edits})
    assert changed.service.classes[0].slos[0].limit_s > refusal.nearest_s[0]
    served = final(changed, False).serving
    assert served.table.meets_targets[served.best]
    assert served.simulation_of_best is not None


def test_a_batch_gets_as_many_replicas_as_it_takes(scenario, catalog, calibration, monkeypatch):
    """Ten times slower than by the quick estimate: ten times the replicas, and no refusal."""
    one = RequestClass(peak_rate_per_s=1.0, prompt_tokens=512.0, output_tokens=256.0, slos=())
    traffic = Traffic(arrivals="batch", batch_requests=1_000_000.0, batch_time_s=8 * 3600.0)
    terms = msgspec.structs.replace(scenario.economics.uncertainty, confidence="expected")
    batch = msgspec.structs.replace(
        scenario, serving=msgspec.structs.replace(scenario.serving, classes=(one,), traffic=traffic),
        economics=msgspec.structs.replace(scenario.economics, uncertainty=terms),
        hardware=HardwareChoice(accelerators=("nvidia-h100-sxm-80gb",), max_devices_per_replica=1),
    )  # fmt: skip
    quick = plan(batch, catalog, calibration)
    rate = quick.serving.peak_rate_per_s / (10.0 * quick.serving.table.replicas[quick.serving.best])
    monkeypatch.setattr(Service, "saturation_rate_per_s", lambda service, control: rate)
    found = simulated_plan(batch, catalog, calibration, quick, is_judged=False).serving
    needed = found.peak_rate_per_s / (rate * batch.service.availability.target_utilisation)
    assert found.simulation_of_best.replicas == math.ceil(needed - 1e-9) > 3 * found.simulated.quick_replicas
    assert found.table.meets_targets[found.best]
