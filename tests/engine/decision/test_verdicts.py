"""One verdict from all that is known: samples, stress tests, evidence, findings and the site."""

from __future__ import annotations

import math
import re

import msgspec
import pytest

from gpuplanner_gui.domain.economics import Economics
from gpuplanner_gui.domain.measurement import EvidenceKind
from gpuplanner_gui.domain.plan import Plan, column
from gpuplanner_gui.domain.quantity import Lognormal, central
from gpuplanner_gui.domain.scenario import HardwareChoice, Project, Scenario
from gpuplanner_gui.domain.traffic import Traffic
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.verdict import Finding, Verdict
from gpuplanner_gui.domain.workload import Availability, ReplicaStart, RequestClass, ServingWorkload, Slo
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.words.simulated_fleet import split_text
from gpuplanner_gui.drawing.words.verdict import verdicts
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.decision.monte_carlo_plan import uncertainty_of_plan
from gpuplanner_gui.engine.decision.verdicts import judged
from gpuplanner_gui.engine.serving.fleet_split import fleet_split
from gpuplanner_gui.engine.simulation.fleet_check import simulated_plan

SEED = 7


@pytest.fixture
def scenario(llama_8b) -> Scenario:
    slos = (Slo(metric="ttft", percentile=95.0, limit_s=1.0), Slo(metric="tpot", percentile=95.0, limit_s=0.05))
    one = RequestClass(peak_rate_per_s=40.0, prompt_tokens=1000.0, output_tokens=200.0, slos=slos)
    serving = ServingWorkload(
        classes=(one,), weight_precisions=("bf16",), kv_precisions=("bf16",),
        availability=Availability(spare_replicas=3, target_utilisation=0.4),
    )  # fmt: skip
    hardware = HardwareChoice(accelerators=("nvidia-h100-sxm-80gb",), max_devices_per_replica=1)
    return Scenario(name="chat", model=llama_8b, serving=serving, hardware=hardware)


def with_serving(scenario: Scenario, **changed) -> Scenario:
    return msgspec.structs.replace(scenario, serving=msgspec.structs.replace(scenario.serving, **changed))


def at_confidence(scenario: Scenario, confidence) -> Scenario:
    terms = msgspec.structs.replace(scenario.economics.uncertainty, confidence=confidence)
    return msgspec.structs.replace(
        scenario, economics=msgspec.structs.replace(scenario.economics, uncertainty=terms)
    )  # fmt: skip


def test_the_chance_is_that_of_the_page_on_uncertainty(scenario, catalog, calibration):
    found = plan(scenario, catalog, calibration, seed=SEED)
    shown = uncertainty_of_plan(scenario, found, context_of(catalog, calibration), SEED)
    assert found.verdicts.serving.chance == shown.probability("everything")
    assert 0 < found.verdicts.serving.chance < 1


def test_a_fleet_with_room_to_spare_holds_only_once_it_was_tested(scenario, catalog, calibration):
    quick = plan(scenario, catalog, calibration, seed=SEED)
    assert quick.verdicts.serving.level == "likely"
    assert quick.verdicts.serving.reasons == ("untested",)
    final = simulated_plan(scenario, catalog, calibration, quick, SEED)
    assert all(one.passes for one in final.stress.tests)
    verdict = final.verdicts.serving
    assert (verdict.level, verdict.reasons, verdict.evidence_kind) == ("holds", (), "published")
    assert final.verdicts.both == verdict


def test_a_tight_fleet_names_its_weakest_target_and_the_replicas_that_it_lacks(scenario, catalog, calibration):
    tight = with_serving(scenario, availability=Availability(spare_replicas=2, target_utilisation=1.0))
    found = plan(at_confidence(tight, "expected"), catalog, calibration, seed=SEED)
    judging = judged(at_confidence(tight, "p95"), found, context_of(catalog, calibration), SEED)
    verdict = judging.verdicts.serving
    assert verdict.chance < 0.8
    assert verdict.confidence == 0.95
    assert verdict.weakest == "serving.targets"
    assert verdict.raised_by.code == "replicas"
    assert verdict.raised_by.value > found.serving.table.replicas[found.serving.best]


def test_the_chance_without_the_replicas_for_the_confidence_is_that_of_the_fleet_of_the_expected_load(
    scenario, catalog, calibration
):
    tight = with_serving(scenario, availability=Availability(spare_replicas=2, target_utilisation=0.9))
    sure, expected = (
        plan(at_confidence(tight, confidence), catalog, calibration, seed=SEED) for confidence in ("p95", "expected")
    )
    best, fewer = (one.serving.table.replicas[one.serving.best] for one in (sure, expected))
    assert fewer < best
    assert sure.verdicts.serving.chance_of_expected_fleet == pytest.approx(expected.verdicts.serving.chance, abs=0.03)
    assert sure.verdicts.serving.chance_of_expected_fleet < 0.7 < 0.95 <= sure.verdicts.serving.chance
    assert math.isnan(expected.verdicts.serving.chance_of_expected_fleet)
    split = fleet_split(tight, sure.serving, sure.serving.best)
    assert re.search(r"6 % chance without these \d+\)", split_text(split, 0.06).replace("\u00a0", " "))
    # What a budget leaves of the chance no replica changes.
    economics = msgspec.structs.replace(at_confidence(tight, "p95").economics, serving_budget_usd_per_month=1.0)
    poor = plan(msgspec.structs.replace(tight, economics=economics), catalog, calibration, seed=SEED).verdicts.serving
    assert poor.chance < 0.01
    assert poor.chance_of_expected_fleet == sure.verdicts.serving.chance_of_expected_fleet


def test_a_budget_below_the_cost_at_the_confidence_says_what_to_allow(llama_8b, catalog, calibration):
    """Also where the device is little known, which would otherwise be all that is said."""
    job = TrainingWorkload(tokens=20e9, global_batch_tokens=1_048_576)
    hardware = HardwareChoice(accelerators=("amd-mi300x",), max_training_devices=8)
    free = Scenario(name="run", model=llama_8b, training=job, hardware=hardware)
    cost = training_usd(plan(free, catalog, calibration, seed=SEED))

    def with_budget(usd: float) -> Results:
        wanted = msgspec.structs.replace(free, training=msgspec.structs.replace(job, budget_usd=usd))
        found = plan(wanted, catalog, calibration, seed=SEED)
        return Results(project=Project(), scenario=wanted, plan=found, catalog=catalog)

    tight = with_budget(1.2 * cost)
    verdict = tight.plan.verdicts.training
    assert 0.5 < verdict.chance < 0.8
    assert "evidence" in verdict.reasons
    assert verdict.weakest == "training.budget"
    (said,) = verdicts(tight)
    assert said.advice.startswith("Allowing $")
    assert with_budget(verdict.raised_by.value).plan.verdicts.training.chance == pytest.approx(0.8, abs=0.01)


def training_usd(found: Plan) -> float:
    return float(found.training.table.usd_per_run[found.training.best])


def test_a_failed_stress_test_keeps_it_from_holding(scenario, catalog, calibration):
    final = simulated_plan(scenario, catalog, calibration, plan(scenario, catalog, calibration, seed=SEED), SEED)
    tests = (msgspec.structs.replace(final.stress.tests[0], unanswered=1), *final.stress.tests[1:])
    failed = msgspec.structs.replace(final.stress, tests=tests)
    verdict = judged(scenario, final, context_of(catalog, calibration), SEED, stress=failed).verdicts.serving
    assert verdict.level == "likely"
    assert verdict.weakest == f"stress:{tests[0].disturbance}"


def test_an_outage_that_is_rare_enough_is_what_was_asked_for(scenario, catalog, calibration):
    final = simulated_plan(scenario, catalog, calibration, plan(scenario, catalog, calibration, seed=SEED), SEED)
    lost = next(one for one in final.stress.tests if one.disturbance == "replica_loss")
    whole = msgspec.structs.replace(lost, unanswered=1, replicas_hit=final.stress.simulated_replicas)
    context = context_of(catalog, calibration)

    def reasons(mtbf_s: float) -> tuple[str, ...]:
        wanted = with_serving(scenario, start=msgspec.structs.replace(scenario.serving.start, mtbf_s=mtbf_s))
        failed = msgspec.structs.replace(final.stress, tests=(whole,))
        return judged(wanted, final, context, SEED, stress=failed).verdicts.serving.reasons

    assert "stress:replica_loss" not in reasons(1e9)
    assert "stress:replica_loss" in reasons(60.0)


def test_a_serious_finding_leaves_it_open(scenario, catalog, calibration):
    found = plan(scenario, catalog, calibration, seed=SEED)
    grave = Finding(code="spot_interruptions", severity=2, workload="serving", values={})
    verdict = judged(
        scenario, msgspec.structs.replace(found, findings=(grave,)), context_of(catalog, calibration), SEED
    ).verdicts.serving
    assert (verdict.level, verdict.weakest) == ("open", "serious:spot_interruptions")


def test_without_a_run_near_it_a_plan_is_open(scenario, catalog, calibration):
    found = plan(scenario, catalog, calibration, seed=SEED)
    kinds = found.serving.table.evidence_kind.copy()
    kinds[found.serving.best] = EvidenceKind.DATASHEET
    table = msgspec.structs.replace(found.serving.table, evidence_kind=kinds)
    changed = msgspec.structs.replace(found, serving=msgspec.structs.replace(found.serving, table=table))
    verdict = judged(scenario, changed, context_of(catalog, calibration), SEED).verdicts.serving
    assert (verdict.level, verdict.evidence_kind, verdict.raised_by.code) == ("open", "datasheet", "measure")


def test_the_best_measured_device_stands_beside_one_that_rests_on_less(scenario, catalog, calibration):
    found = plan(scenario, catalog, calibration, seed=SEED)
    assert found.verdicts.serving.measured is None
    runs = found.serving.table.published_runs.copy()
    assert runs[found.serving.best] >= 5
    runs[found.serving.best] = 4
    table = msgspec.structs.replace(found.serving.table, published_runs=runs)
    unsure = msgspec.structs.replace(found, serving=msgspec.structs.replace(found.serving, table=table))
    measured = judged(scenario, unsure, context_of(catalog, calibration), SEED).verdicts.serving.measured
    assert measured is None, "its formats were chosen: no other row of the device runs them"
    either = with_serving(scenario, weight_precisions=("bf16", "fp8"))
    found = plan(either, catalog, calibration, seed=SEED)
    table = found.serving.table
    runs, other = table.published_runs.copy(), int(table.order[1])
    runs[found.serving.best] = 4
    unsure = msgspec.structs.replace(
        found,
        serving=msgspec.structs.replace(found.serving, table=msgspec.structs.replace(table, published_runs=runs)),
    )
    measured = judged(either, unsure, context_of(catalog, calibration), SEED).verdicts.serving.measured
    assert measured.candidate == other
    assert measured.more_usd == table.usd_per_month[other] - table.usd_per_month[found.serving.best]


def test_availability_counts_with_the_planners_own_time_between_failures(scenario, catalog, calibration):
    """The audit's case: ready, with enough replicas up a tenth of the time."""
    often = with_serving(scenario, start=ReplicaStart(mtbf_s=6 * 3600.0, repair_s=6 * 3600.0))
    verdict = plan(often, catalog, calibration, seed=SEED).verdicts.serving
    assert verdict.chance >= 0.8
    short = plan(scenario, catalog, calibration, seed=SEED)
    verdict = judged(often, short, context_of(catalog, calibration), SEED).verdicts.serving
    assert (verdict.level, verdict.weakest) == ("fails", "serving.availability")
    assert verdict.chance < 0.1
    assert verdict.raised_by.code == "spares"


def test_a_replica_for_the_availability_of_a_batch_works_with_the_others(scenario, catalog, calibration):
    """It is no spare that stands by: the batch is done sooner, so that it adds little to the bill of an autoscaled
    fleet and makes the deadline surer; nor is the loss of a replica said to stop anything."""

    def asked(requests: float, target: float) -> Plan:
        batch = with_serving(
            scenario, availability=Availability(target=target, spare_replicas=0),
            traffic=Traffic(arrivals="batch", batch_requests=requests), start=ReplicaStart(is_autoscaled=True),
        )  # fmt: skip
        return plan(batch, catalog, calibration, seed=SEED)

    def best(found: Plan, name: str) -> float:
        return float(column(found.served.table, name)[found.served.best])

    requests = 0.6 * best(asked(1e6, 0.5), "slo_rate_per_s") * 8 * 3600.0
    one, two = (asked(requests, target) for target in (0.5, 0.999))
    assert (best(one, "replicas"), best(two, "replicas")) == (1, 2)
    assert two.verdicts.serving.chance > one.verdicts.serving.chance
    told = {found.code: found.usd for found in two.findings}
    more_usd = best(two, "usd_per_month") - best(one, "usd_per_month")
    assert told["availability_adds_replicas"] == pytest.approx(more_usd, rel=0.01)
    assert not any(code.startswith("replica_loss") for code in told)


@pytest.mark.parametrize("batching", ["static", "dynamic"])
def test_batches_that_the_ranking_does_not_know_leave_it_open(scenario, catalog, calibration, batching):
    whole = with_serving(scenario, engine=msgspec.structs.replace(scenario.serving.engine, batching=batching))
    verdict = plan(whole, catalog, calibration, seed=SEED).verdicts.serving
    assert "whole_batches" in verdict.reasons
    assert verdict.level in ("open", "fails")


def test_no_targets_that_can_be_met_fail(scenario, catalog, calibration):
    slo = Slo(metric="ttft", percentile=95.0, limit_s=1e-4)
    one = msgspec.structs.replace(scenario.serving.classes[0], slos=(slo,))
    verdict = plan(with_serving(scenario, classes=(one,)), catalog, calibration, seed=SEED).verdicts.serving
    assert verdict.level == "fails"
    assert verdict.reasons[0] == "misses_targets"


def test_requests_that_are_refused_fail_it_where_a_target_does_not_leave_them_out(scenario, catalog, calibration):
    def judge(max_context: int, percentile: float) -> Verdict:
        slo = Slo(metric="ttft", percentile=percentile, limit_s=2.0)
        prompts = Lognormal(1000.0, 0.5)
        one = msgspec.structs.replace(scenario.serving.classes[0], prompt_tokens=prompts, slos=(slo,))
        asked = with_serving(scenario, classes=(one,), max_context=max_context)
        return plan(asked, catalog, calibration, seed=SEED).verdicts.serving

    # A share of 1.4 % is longer than 3,200 tokens, answers included: less than a p95 leaves out, more than a p99.
    assert "refused" not in judge(3_200, 95.0).reasons
    assert (judge(3_200, 99.0).level, judge(3_200, 99.0).reasons[0]) == ("fails", "refused")
    assert judge(1_500, 95.0).reasons[0] == "refused"


def test_both_fleets_share_one_site(scenario, catalog, calibration):
    """Each fits the site by itself; together they do not."""
    job = TrainingWorkload(tokens=1e9)
    hardware = msgspec.structs.replace(scenario.hardware, training_devices=8)
    economics = Economics(serving_procurement="own", training_procurement="own")
    both = msgspec.structs.replace(scenario, training=job, hardware=hardware, economics=economics)
    found = plan(both, catalog, calibration, seed=SEED)
    prices = context_of(catalog, calibration).prices(economics, "own")
    rated_w = prices.rated_power_w[int(found.serving.table.accelerator[found.serving.best])]
    counts = [float(one.table.paid_devices[one.best]) for one in (found.serving, found.training)]
    kw = rated_w * central(both.economics.site.pue) / 1e3
    enough = 1.05 * sum(counts) * kw
    roomy = msgspec.structs.replace(both, hardware=msgspec.structs.replace(hardware, max_kw_total=enough))
    assert "site:both_exceed_site" not in plan(roomy, catalog, calibration, seed=SEED).verdicts.both.reasons
    short = 1.05 * max(counts) * kw
    narrow = msgspec.structs.replace(both, hardware=msgspec.structs.replace(hardware, max_kw_total=short))
    verdicts = plan(narrow, catalog, calibration, seed=SEED).verdicts
    assert verdicts.both.level == "fails"
    assert verdicts.both.weakest == "site:both_exceed_site"
    assert verdicts.both.chance <= min(verdicts.serving.chance, verdicts.training.chance)


def test_what_has_no_price_is_open_and_not_called_a_miss(scenario, catalog, calibration, llama_8b):
    hardware = HardwareChoice(accelerators=("amd-mi355x",), max_devices_per_replica=1)
    job = TrainingWorkload(tokens=1e9, global_batch_tokens=1_048_576)
    unpriced = msgspec.structs.replace(scenario, hardware=hardware, training=job)
    verdicts = plan(unpriced, catalog, calibration, seed=SEED).verdicts
    for verdict in (verdicts.serving, verdicts.training):
        assert (verdict.level, verdict.weakest) == ("open", "unpriced")


def test_the_target_told_is_the_one_that_samples_miss_oftenest(scenario, catalog, calibration):
    """A growing load reaches TPOT first, but a slow machine misses TTFT first: the verdict named the wrong one."""
    one = msgspec.structs.replace(
        scenario.serving.classes[0], peak_rate_per_s=20.0, prompt_tokens=2000.0, output_tokens=400.0
    )
    asked = with_serving(scenario, classes=(one,), availability=Availability(spare_replicas=0))
    found = plan(asked, catalog, calibration, seed=SEED)
    shown = uncertainty_of_plan(asked, found, context_of(catalog, calibration), SEED)
    ttft, tpot = (shown.headline(f"serving.{metric}_p95_s").p90 for metric in ("ttft", "tpot"))
    assert ttft / 1.0 > tpot / 0.05
    assert found.serving.limiting_slo == 1
    assert found.verdicts.serving.missed_metric == "ttft"
    (told,) = verdicts(Results(project=Project(), scenario=asked, plan=found, catalog=catalog))
    assert told.detail.startswith("TTFT p95")
    assert "TTFT p95" in told.advice
