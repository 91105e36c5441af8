"""Stress tests of a plan's fleet: each is run, says what was measured, and passes or fails by its targets."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import pytest

from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.traffic import Traffic
from gpuplanner_gui.domain.workload import Availability, RequestClass, ServingWorkload, Slo
from gpuplanner_gui.engine import CancelledError, plan
from gpuplanner_gui.engine.fleet.readiness import planned_tests, readiness, share_simulated, simulated_replicas
from gpuplanner_gui.engine.fleet.stress import Disturbance, StressTest
from gpuplanner_gui.engine.simulation.arrangement import pool_arrangement

START_S = 60.0


def on_h100(scenario, **serving):
    return msgspec.structs.replace(
        scenario,
        serving=msgspec.structs.replace(scenario.serving, weight_precisions=("bf16",), **serving),
        hardware=HardwareChoice(accelerators=("nvidia-h100-sxm-80gb",)),
    )


def checked(scenario, catalog, calibration, **options):
    found = plan(scenario, catalog, calibration)
    answers = list(
        readiness(scenario, catalog, calibration, found, found.serving.best, replica_start_s=START_S, **options)
    )
    return answers


def test_answers_come_one_test_at_a_time(chat_8b, catalog, calibration):
    answers = checked(on_h100(chat_8b), catalog, calibration)
    assert [len(answer.tests) for answer in answers] == list(range(len(answers)))
    assert [answer.is_complete for answer in answers] == [False] * (len(answers) - 1) + [True]
    codes = [test.disturbance for test in answers[-1].tests]
    assert codes == ["burst", "burst", "replica_loss", "reload", "longer_prompts"]


def test_a_planned_fleet_keeps_its_targets_undisturbed(chat_8b, catalog, calibration):
    last = checked(on_h100(chat_8b), catalog, calibration)[-1]
    assert last.steady.passes
    assert all(target.measured_s <= target.limit_s for target in last.steady.targets)
    assert last.simulated_replicas == last.replicas
    assert last.rate_per_s == pytest.approx(20.0)


def test_passing_means_every_target_kept_and_recovered(chat_8b, catalog, calibration):
    wild = Traffic(peak_over_mean_10s=12.0, peak_over_mean_60s=6.0)
    last = checked(on_h100(chat_8b, traffic=wild), catalog, calibration)[-1]
    assert not last.passes
    for test in last.tests:
        kept = all(target.is_kept for target in test.targets)
        assert test.passes == (kept and math.isfinite(test.recovery_s) and not test.rejected and not test.unanswered)
    worst = next(test for test in last.tests if test.factor == 6.0)
    assert worst.worst_ttft_s > last.steady.worst_ttft_s


def test_without_a_spare_the_loss_of_a_replica_hurts_more(chat_8b, catalog, calibration):
    tight: dict[str, Any] = {"target_utilisation": 1.0}
    bare, spared = (
        checked(on_h100(chat_8b, availability=Availability(spare_replicas=count, **tight)), catalog, calibration)[-1]
        for count in (0, 2)
    )

    def loss(answer):
        test = next(test for test in answer.tests if test.disturbance == "replica_loss")
        return {target.metric: target.measured_s for target in test.targets}

    assert loss(bare)["tpot"] > loss(spared)["tpot"]


def test_zones_and_cached_prefixes_bring_their_own_tests():
    one = RequestClass(peak_rate_per_s=20.0)
    serving = ServingWorkload(classes=(one,), availability=Availability(zones=3))
    tests = {test.code: test for test in planned_tests(serving, 9, START_S, True)}
    assert tests["zone_loss"].replicas == (0, 1, 2)
    assert "cold_cache" in tests
    plain = {test.code for test in planned_tests(ServingWorkload(classes=(one,)), 9, START_S, False)}
    assert plain == {"burst", "replica_loss", "reload", "longer_prompts"}


def test_images_are_not_asked_for_longer_and_documents_are(catalog):
    models = {name: catalog.models[name].model for name in ("sdxl-1.0", "bge-m3")}
    image, document = (
        ServingWorkload(classes=(RequestClass(peak_rate_per_s=2.0, request=kind),)) for kind in ("image", "document")
    )
    codes = [one.code for one in planned_tests(image, 3, START_S, False, 3, models["sdxl-1.0"])]
    assert codes == ["burst", "burst", "replica_loss", "reload"]
    codes = [one.code for one in planned_tests(document, 3, START_S, False, 3, models["bge-m3"])]
    assert codes[-1] == "longer_requests"


def test_of_very_many_requests_a_part_of_the_disturbance_is_simulated():
    loss = StressTest(Disturbance.REPLICA_LOSS, 200.0, 60.0, replicas=(0,))
    assert share_simulated(loss, 10.0) == 1.0
    assert share_simulated(loss, 5000.0) == pytest.approx(30_000 / (5000.0 * 260.0))


def test_large_fleets_are_simulated_smaller_at_the_same_rate_each(chat_8b, catalog, calibration):
    serving = ServingWorkload(classes=(RequestClass(peak_rate_per_s=2000.0),))
    fewer = simulated_replicas(400, 2000.0, serving, START_S)
    assert 4 <= fewer < 40
    last = checked(on_h100(chat_8b, classes=(RequestClass(peak_rate_per_s=2000.0),)), catalog, calibration)[0]
    assert last.simulated_replicas < last.replicas
    assert last.rate_per_s / last.simulated_replicas == pytest.approx(2000.0 / last.replicas)


def test_a_fleet_of_millions_is_simulated_in_hundreds():
    serving = ServingWorkload(classes=(RequestClass(peak_rate_per_s=0.01),))
    assert simulated_replicas(30_000_000, 0.01, serving, START_S) <= 256
    assert simulated_replicas(30_000_000, 1e8, serving, START_S) <= 256


def test_a_cancelled_check_ends(chat_8b, catalog, calibration):
    with pytest.raises(CancelledError):
        checked(on_h100(chat_8b), catalog, calibration, is_cancelled=lambda: True)


def test_classes_on_their_own_pools_are_sized_apart(chat_8b, catalog, calibration):
    batch = RequestClass(
        name="batch",
        peak_rate_per_s=5.0,
        prompt_tokens=4000.0,
        priority=5,
        slos=(Slo(metric="e2e", percentile=95.0, limit_s=300.0),),
    )
    scenario = on_h100(chat_8b, classes=(*chat_8b.serving.classes, batch))
    found = plan(scenario, catalog, calibration)
    answer = pool_arrangement(scenario, catalog, calibration, found, found.serving.best)
    assert answer is not None
    assert len(answer.separate) == 2
    assert 0 < answer.shared_with_priorities <= answer.shared
    assert answer.separate_total == sum(answer.separate)
    assert answer.usd_per_replica_hour > 0


def test_one_class_has_one_pool_or_one_for_prefill_and_one_for_decode(chat_8b, catalog, calibration):
    scenario = on_h100(chat_8b)
    found = plan(scenario, catalog, calibration)
    answer = pool_arrangement(scenario, catalog, calibration, found, found.serving.best)
    assert answer is not None
    assert answer.separate == (answer.shared,)
    assert answer.apart_total == answer.prefill + answer.decode > 1
    # 1024 tokens of 131 072 bytes over the network of 50 GB/s, and what waits for it.
    assert 1024 * 131_072 / 50e9 <= answer.transfer_s < 0.05


def test_pools_of_whole_batches_are_not_taken_apart(chat_8b, catalog, calibration):
    dynamic = msgspec.structs.replace(chat_8b.serving.engine, batching="dynamic")
    (chat,) = chat_8b.serving.classes
    scenario = on_h100(chat_8b, engine=dynamic, classes=(msgspec.structs.replace(chat, peak_rate_per_s=2.0),))
    found = plan(scenario, catalog, calibration)
    answer = pool_arrangement(scenario, catalog, calibration, found, found.serving.best)
    assert answer is not None
    assert answer.apart_total == 0


def test_one_replica_that_is_lost_leaves_its_only_user_waiting(chat_8b, catalog, calibration):
    """Once an hour nobody may ask while a replica is out for a minute: it is lost until somebody does."""
    alone: dict[str, Any] = {
        "traffic": Traffic(arrivals="users", users=1.0, think_time_s=900.0),
        "availability": Availability(spare_replicas=0, target=0.5),
    }
    last = checked(on_h100(chat_8b, **alone), catalog, calibration)[-1]
    assert last.replicas == 1
    loss = next(test for test in last.tests if test.disturbance == "replica_loss")
    assert not loss.passes
    assert loss.worst_ttft_s > 0.5 * START_S
    assert last.steady.passes


def test_users_are_sized_by_the_rate_that_they_make(chat_8b, catalog, calibration):
    """A class of 20 req/s that one user asks in turn needs one replica."""
    alone: dict[str, Any] = {
        "traffic": Traffic(arrivals="users", users=1.0, think_time_s=60.0),
        "availability": Availability(spare_replicas=0, target=0.5),
    }
    scenario = on_h100(chat_8b, **alone)
    found = plan(scenario, catalog, calibration)
    answer = pool_arrangement(scenario, catalog, calibration, found, found.serving.best)
    assert answer is not None
    assert answer.shared == 1
    assert answer.prefill < 0, "pools one behind the other are simulated under requests that come by themselves"


def test_a_service_is_full_before_it_is_disturbed(llama_8b, catalog, calibration):
    """Answers of 17 s at 80 a second: after 500 requests, 6 s, its replicas were a third full."""
    slos = (Slo(metric="tpot", percentile=95.0, limit_s=0.02),)
    one = RequestClass(peak_rate_per_s=80.0, prompt_tokens=500.0, output_tokens=2_000.0, slos=slos)
    hardware = HardwareChoice(accelerators=("nvidia-h100-sxm-80gb",), max_devices_per_replica=1)
    scenario = Scenario(name="long", model=llama_8b, serving=ServingWorkload(classes=(one,)), hardware=hardware)
    found = plan(scenario, catalog, calibration)
    first = next(readiness(scenario, catalog, calibration, found, found.serving.best, replica_start_s=120.0))
    expected_s = float(found.serving.table.tpot_mean_s[found.serving.best])
    assert first.steady.targets[0].measured_s > 0.97 * expected_s
