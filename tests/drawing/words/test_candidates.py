"""Codes become sentences with their numbers, and no code is left without one."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.api import new_scenario, plan, read_model
from gpuplanner_gui.domain.curves import SimulatedFleet
from gpuplanner_gui.domain.decision import Headline, UncertaintyAnswer
from gpuplanner_gui.domain.field import Problem, problems_of
from gpuplanner_gui.domain.measurement import Evidence, EvidenceKind
from gpuplanner_gui.domain.plan import Reason, Resource, ServingTable
from gpuplanner_gui.domain.quantity import Range
from gpuplanner_gui.domain.scenario import OwnedStock
from gpuplanner_gui.domain.verdict import Finding, Raising, Verdict
from gpuplanner_gui.domain.workload import RequestClass
from gpuplanner_gui.drawing.language import tr, use_translator
from gpuplanner_gui.drawing.results import Decision, Results
from gpuplanner_gui.drawing.words.candidates import (
    candidate_text,
    compact_layout,
    evidence_help,
    evidence_name,
    evidence_text,
    formats_text,
    headline_name,
    order_text,
    ranked_text,
    resource_name,
)
from gpuplanner_gui.drawing.words.explain import explanation_lines
from gpuplanner_gui.drawing.words.files import problem_text
from gpuplanner_gui.drawing.words.findings import finding_text
from gpuplanner_gui.drawing.words.reasons import reason_for_many, reason_text
from gpuplanner_gui.drawing.words.simulated_fleet import simulated_text
from gpuplanner_gui.drawing.words.verdict import verdict, verdicts
from gpuplanner_gui.drawing.words.verdict_level import verdict_state
from gpuplanner_gui.engine.evidence.record import LEAST_RUNS
from tests.drawing import synthetic


@pytest.fixture(scope="module")
def results() -> Results:
    return synthetic.results()


def changed_row(results: Results, row: int, **values: float) -> Results:
    """The results with one serving candidate changed, which becomes the best."""
    assert results.plan.serving is not None
    table = results.plan.serving.table
    columns = {}
    for name, value in values.items():
        column = getattr(table, name).copy()
        column[row] = value
        columns[name] = column
    serving = msgspec.structs.replace(results.plan.serving, table=msgspec.structs.replace(table, **columns), best=row)
    return replace(results, plan=msgspec.structs.replace(results.plan, serving=serving))


def reason_of(results: Results, reason: Reason, value: float, **values: float) -> str:
    changed = changed_row(results, 0, reason=reason, reason_value=value, **values)
    assert changed.plan.serving is not None
    return reason_text(changed.plan, changed.plan.serving.table, 0)


def test_a_cheaper_candidate_that_comes_behind_says_why() -> None:
    """Only one provider offers TPUs."""
    asked = new_scenario(read_model("llama-3.1-8b"), rate=20)
    hardware = msgspec.structs.replace(asked.hardware, accelerators=("google-tpu-v6e", "nvidia-h200-sxm-141gb"))
    found = plan(msgspec.structs.replace(asked, hardware=hardware), is_judged=False)[0].plan
    table = found.served.table
    good = table.order[(table.reason[table.order] == Reason.NONE) & table.meets_targets[table.order]]
    cheaper = good[table.usd_per_month[good] < 0.98 * table.usd_per_month[good[0]]]
    assert len(cheaper)
    assert reason_text(found, table, int(good[0])) == ""
    assert {reason_text(found, table, int(one)) for one in cheaper} == {"cheaper, but few providers offer it"}


@pytest.mark.parametrize(
    ("reason", "value", "says"),
    [
        (Reason.NONE, 0.0, ""),
        (
            Reason.DOES_NOT_FIT,
            12.4 * 2**30,
            "does not fit: 12.4 GB per device missing for the weights",
        ),
        (Reason.PRECISION_NOT_SUPPORTED, 1.0, "FP8 is not supported"),
        (Reason.MISSES_TARGET, 1.4, "misses a target: at best 1.40 × its limit"),
        (Reason.OVER_POWER, 43_000.0, "43 kW more than the site's power limit"),
        (Reason.HEADROOM, 0.042, "leaves only 4.20 % of memory free"),
    ],
)
def test_reason_says_its_number(results: Results, reason: Reason, value: float, says: str) -> None:
    assert reason_of(results, reason, value) == says


def test_heads_are_compared_with_the_tensor_parallel_size(results: Results) -> None:
    says = reason_of(results, Reason.HEADS_NOT_DIVISIBLE, 8.0, tensor_parallel=16)
    assert says == "8 heads are not divisible by 16"


@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_has_both_sentences(results: Results, reason: Reason) -> None:
    assert reason is Reason.NONE or reason_of(results, reason, 1.0)
    assert reason_for_many(reason)


def test_a_layout_is_written_closer_where_it_has_no_room() -> None:
    assert (
        compact_layout("TP 2 · PP 2 · ETP 4 · ZeRO 1 · state on the host") == "TP2 PP2 ETP4 ZeRO1 · state on the host"
    )
    assert compact_layout("RTX PRO 6000 · FP8, BF16 KV") == "RTX PRO 6000 · FP8, BF16 KV"


def test_every_resource_and_evidence_has_a_name() -> None:
    assert all(resource_name(resource) for resource in Resource)
    assert all(evidence_name(evidence) and evidence_help(evidence) for evidence in Evidence)


def test_runs_with_other_software_are_told_apart(results: Results) -> None:
    for runs, said in ((LEAST_RUNS, "published runs"), (0, "published runs with other software or formats")):
        serving = changed_row(results, 0, evidence_kind=EvidenceKind.PUBLISHED, published_runs=runs).plan.serving
        assert serving is not None
        assert evidence_text(serving.table, 0) == said


def test_candidate_is_named_in_one_line(results: Results) -> None:
    row = list(results.plan.accelerators).index("nvidia-h200-sxm-141gb")
    changed = changed_row(
        results, 0, accelerator=row, devices_per_replica=2, tensor_parallel=2, weight_precision=1, kv_precision=1
    )
    assert candidate_text(changed.plan, changed.catalog, "serving", 0) == "2 × H200 SXM 141GB · FP8 · TP 2"


def good_candidate(results: Results) -> Results:
    row = list(results.plan.accelerators).index("nvidia-h200-sxm-141gb")
    return changed_row(
        replace(results, load_curve=synthetic.load_curve(0)),
        0,
        accelerator=row,
        devices_per_replica=2,
        tensor_parallel=2,
        weight_precision=1,
        kv_precision=1,
        replicas=6,
        ttft_p95_s=0.62,
        usd_per_million_output_tokens=1.42,
        limit=Resource.MEMORY_BANDWIDTH,
        reason=Reason.NONE,
        meets_targets=True,
        headroom=0.31,
    )


def test_verdict_says_what_to_buy_and_what_limits_it(results: Results) -> None:
    said = verdict(good_candidate(results), "serving")
    assert said.status == "good"
    assert said.state == "Holds: 86 % chance of meeting every target."
    assert said.headline == "Serve on 2 × H200 SXM 141GB per replica, FP8, TP 2 · 6 replicas (5 + 1 spare)"
    assert said.detail == (
        "TTFT p95 620 ms (80 % range 417–1\N{NO-BREAK SPACE}150 ms if only the step time is uncertain), "
        "target 1 s at 40 req/s · "
        "meets its targets up to 1.3 times this load (quick estimate) · "
        "$744\N{NO-BREAK SPACE}000/month · $1.42 per M output tokens · "
        "decoding bound by memory bandwidth"
    )


def judged(results: Results, workload: str, verdict: Verdict) -> Results:
    known = results.plan.verdicts
    assert known is not None
    verdicts = msgspec.structs.replace(known, **{workload: verdict})
    return replace(results, plan=msgspec.structs.replace(results.plan, verdicts=verdicts))


def test_verdict_says_its_weakest_point_and_what_would_raise_it(results: Results) -> None:
    weak = synthetic.verdict(
        "likely", 0.62, ("untested", "chance"), "serving.targets", Raising(code="replicas", value=8.0)
    )
    said = verdict(judged(good_candidate(results), "serving", weak), "serving")
    assert said.status == "warning"
    assert said.state.replace("\u00a0", " ") == "Likely: 62 % chance of meeting every target."
    assert said.advice.replace("\u00a0", " ") == (
        "Most likely to be missed: TTFT p95 at peak. Not yet tested under stress. For 80 % confidence: 8 replicas."
    )


def test_verdict_says_why_a_high_chance_is_only_likely(results: Results) -> None:
    """It holds once stress tests passed: the reason stood a line further down."""
    quick = synthetic.verdict("likely", 0.89, ("untested",), "serving.targets", None)
    said = verdict(judged(good_candidate(results), "serving", quick), "serving")
    words = "Likely: 89 % chance of meeting every target, but it is not yet tested under stress."
    assert said.state.replace("\u00a0", " ") == words
    assert "stress" not in said.advice


def test_verdict_that_holds_says_which_share_of_the_requests_it_refuses(results: Results) -> None:
    held = judged(good_candidate(results), "serving", synthetic.verdict("holds", 0.9, (), "serving.targets"))
    long = Finding(
        code="requests_refused", workload="serving", severity=1, usd=0.0, remedy=None,
        values={"refused_share": 0.021, "tokens": 40960},
    )  # fmt: skip
    told = replace(held, plan=msgspec.structs.replace(held.plan, findings=(long,)))
    said = verdict(told, "serving").advice.replace("\u00a0", " ")
    assert "2.1 % of the requests are too long and are refused." in said
    assert "too long" not in verdict(held, "serving").advice


def test_verdict_says_at_once_what_holds_it_down_beside_a_high_chance(results: Results) -> None:
    unlike = synthetic.verdict("open", 0.9, ("evidence",), "evidence", Raising(code="measure"))
    said = verdict(judged(good_candidate(results), "serving", unlike), "serving")
    assert said.state.replace("\u00a0", " ") == (
        "Uncertain prediction (too few similar runs): 90 % chance of meeting every target."
    )
    assert "Weakest point" not in said.advice
    assert said.advice.startswith("Your own benchmark on this device would narrow the ranges most.")
    unsure = synthetic.verdict("open", 0.4, ("evidence", "chance_open"), "evidence")
    said = verdict(judged(good_candidate(results), "serving", unsure), "serving")
    assert said.state.replace("\u00a0", " ") == "Uncertain: 40 % chance of meeting every target."
    assert said.advice.startswith("Weakest point: too few similar runs.")


@pytest.mark.parametrize(
    ("limits", "target"),
    [
        ({"deadline_s": 1e6}, "the deadline"),
        ({"budget_usd": 1e6}, "the budget of the run"),
        ({"deadline_s": 1e6, "budget_usd": 1e6}, "every target"),
    ],
)
def test_verdict_of_a_run_names_the_one_target_that_it_has(
    limits: dict[str, float], target: str, results: Results
) -> None:
    job = results.scenario.training
    assert job is not None
    asked = msgspec.structs.replace(job, **{"deadline_s": None, "budget_usd": None, **limits})
    of_run = replace(results, scenario=msgspec.structs.replace(results.scenario, training=asked))
    sure = judged(of_run, "training", synthetic.verdict("holds", 0.9))
    assert verdict(sure, "training").state.replace("\u00a0", " ") == f"Holds: 90 % chance of meeting {target}."


def test_verdict_names_the_test_and_the_site_that_stop_it(results: Results) -> None:
    lost = synthetic.verdict("likely", 0.9, ("stress:replica_loss",), "stress:replica_loss")
    said = verdict(judged(good_candidate(results), "serving", lost), "serving")
    assert "a target is missed in the stress test of the loss of a replica" in said.advice
    over = synthetic.verdict("fails", 0.9, ("site:both_exceed_site",), "site:both_exceed_site")
    *_, both = verdicts(judged(good_candidate(results), "both", over))
    assert both.status == "bad"
    assert "more power than the site provides" in both.advice


def test_verdict_says_where_draft_tokens_cost(results: Results) -> None:
    good = good_candidate(results)
    assert "Draft" not in verdict(good, "serving").text
    said = verdict(changed_row(good, 0, draft_gain=0.8), "serving")
    assert said.state == "Holds: 86 % chance of meeting every target."
    assert said.advice.replace("\u00a0", " ") == (
        "Draft tokens slow this load down: without them a token takes 20 % less time."
    )
    assert "Draft" not in verdict(changed_row(good, 0, draft_gain=1.2), "serving").text


def test_verdict_says_how_sure_its_cost_is_once_that_is_known(results: Results) -> None:
    band = Headline(
        code="serving.usd_per_million_output_tokens",
        unit="USD",
        planned=1.42,
        p10=1.1,
        p50=1.45,
        p90=1.9,
        input_share=0.5,
    )
    sure = UncertaintyAnswer(
        samples=1, seed=1, headlines=(band,), tornados=(), probabilities=(), rivals=(), measurements=(), inputs=()
    )
    said = verdict(replace(good_candidate(results), decision=Decision(uncertainty=sure)), "serving")
    assert "$1.42 per M output tokens ($1.10–1.90)" in said.detail


def test_verdict_names_the_nearest_target_where_saturation_comes_first(results: Results) -> None:
    good = changed_row(good_candidate(results), 0, tpot_p95_s=0.045)
    assert good.plan.serving is not None
    serving = msgspec.structs.replace(good.plan.serving, limiting_slo=-1)
    said = verdict(replace(good, plan=msgspec.structs.replace(good.plan, serving=serving)), "serving")
    range_of_step = "(80 % range 35–62 ms if only the step time is uncertain)"
    assert said.detail.startswith(f"TPOT p95 45 ms {range_of_step}, target 50 ms")


def test_a_simulation_is_told_of_the_candidate_that_was_simulated(results: Results) -> None:
    """Where each that is simulated loses its place, the recommended one is a quick estimate."""
    good = good_candidate(results)
    assert good.plan.serving is not None

    def said(candidate: int, replicas: int = 5, quick: int = 0, zones: int = 1) -> str:
        fleet = SimulatedFleet(
            candidate=candidate, replicas=replicas, quick_replicas=quick or replicas, rate_share=1.0, requests=3000,
            seed=1, nearest_replicas=14, most_replicas=15,
        )  # fmt: skip
        sized = changed_row(good, 0, replicas_expected=replicas * zones + 1.0)
        serving = msgspec.structs.replace(sized.plan.served, simulated=fleet)
        workload = good.scenario.service
        wanted = msgspec.structs.replace(workload.availability, zones=zones)
        scenario = msgspec.structs.replace(
            good.scenario, serving=msgspec.structs.replace(workload, availability=wanted)
        )
        return simulated_text(
            replace(good, scenario=scenario, plan=msgspec.structs.replace(good.plan, serving=serving))
        )

    best, enough = good.plan.serving.best, "for the expected load (headroom included)"
    requests = "3\u00a0000 simulated requests confirm that"
    assert good.plan.serving.table.replicas[best] == 6
    assert said(best, 12) == f"6 replicas = 5 {enough} + 1 spare; {requests} 5 carry the load.", (
        "never more than are ordered"
    )
    assert said(best, 5) == f"6 replicas = 5 {enough} + 1 spare; {requests} 5 carry the load."
    assert said(best, 2) == f"6 replicas = 2 {enough} + 3 for 80 % confidence + 1 spare; {requests} 2 carry the load."
    assert said(best, 1).endswith("; 3\u00a0000 simulated requests confirm that 1 is enough.")
    corrected = said(best, 2, quick=3)
    assert corrected.startswith(f"6 replicas = 2 {enough} + 3 for 80 % confidence + 1 spare; ")
    assert corrected.endswith("; 3\u00a0000 simulated requests: the load takes 2, by the quick estimate 3.")
    assert "4 for the expected load (headroom and zones included) + 1 for 80" in said(best, 2, zones=2)
    assert said(best + 1) == "Quick estimate, not yet simulated."
    assert said(best, 0, quick=5) == (
        "3\u00a0000 simulated requests: no number of replicas up to 15 meets every target; nearest: 14."
    )
    settled = msgspec.structs.replace(good.plan.serving, quick=good.plan.serving)
    final = simulated_text(replace(good, plan=msgspec.structs.replace(good.plan, serving=settled)))
    assert final == "Quick estimate, not simulated: cheaper candidates were, and they miss a target."


def test_verdict_says_what_would_have_to_change(results: Results) -> None:
    missed = changed_row(good_candidate(results), 0, reason=Reason.MISSES_TARGET, reason_value=1.4, meets_targets=False)
    said = verdict(judged(missed, "serving", synthetic.verdict("fails", 0.0, ("misses_targets",))), "serving")
    assert said.status == "bad"
    assert "comes closest" in said.state
    assert "allow TTFT p95 1.40 s instead of 1 s" in said.advice
    both = replace(missed, plan=msgspec.structs.replace(missed.plan, serving=msgspec.structs.replace(
        missed.plan.served, target_latency_s=(1.4, 0.09), limiting_slo=0)))  # fmt: skip
    said = verdict(judged(both, "serving", synthetic.verdict("fails", 0.0, ("misses_targets",))), "serving")
    assert "allow TTFT p95 1.40 s instead of 1 s and TPOT p95 90 ms instead of 50 ms, or " in said.advice


def test_verdict_says_why_nothing_runs_and_what_was_closest(results: Results) -> None:
    assert results.plan.serving is not None
    table = results.plan.serving.table
    count = len(table.reason)
    missing = np.full(count, 9e9)
    missing[7] = 3.2 * 2**30
    none_fits = msgspec.structs.replace(table, reason=np.full(count, int(Reason.DOES_NOT_FIT)), reason_value=missing)
    serving = msgspec.structs.replace(results.plan.serving, table=none_fits, best=-1)
    nothing = replace(results, plan=msgspec.structs.replace(results.plan, serving=serving))
    said = verdict(judged(nothing, "serving", synthetic.verdict("fails", 0.0, ("nothing_runs",))), "serving")
    assert said.status == "bad"
    assert said.state == "No candidate can serve this."
    assert "2\u00a0000 do not fit in memory" in said.detail
    assert "lacks 3.20 GB per device" in said.advice


def test_verdict_names_the_batch_where_only_that_keeps_more_devices_out(results: Results) -> None:
    """ "Allow more devices" was said at 1,024 and at 4,096: 244 sequences divide among four copies."""
    assert results.plan.training is not None
    table = results.plan.training.table
    most = table.devices == table.devices.max()
    assert not most.all()
    for reason, says in ((Reason.BATCH_NOT_DIVISIBLE, "another batch"), (Reason.DOES_NOT_FIT, "Allow more devices")):
        reasons = np.where(most, int(reason), int(Reason.DOES_NOT_FIT))
        changed = msgspec.structs.replace(table, reason=reasons, reason_value=np.full(len(reasons), 9e9))
        training = msgspec.structs.replace(results.plan.training, table=changed, best=-1)
        nothing = replace(results, plan=msgspec.structs.replace(results.plan, training=training))
        said = verdict(judged(nothing, "training", synthetic.verdict("fails", 0.0, ("nothing_runs",))), "training")
        assert says in said.advice


def test_verdict_of_an_empty_plan_names_the_hardware_choice(results: Results) -> None:
    assert results.plan.serving is not None
    table = results.plan.serving.table
    empty = msgspec.structs.replace(
        table, **{name: getattr(table, name)[:0] for name in ServingTable.__struct_fields__}
    )
    serving = msgspec.structs.replace(results.plan.serving, table=empty, best=-1)
    said = verdict(replace(results, plan=msgspec.structs.replace(results.plan, serving=serving)), "serving")
    assert "choice of hardware" in said.advice


def test_training_verdict_compares_with_the_deadline(results: Results) -> None:
    said = next(one for one in verdicts(results) if one.workload == "training")
    assert said.headline.startswith("Train on ")
    assert "deadline 14 d" in said.detail
    assert "MFU" in said.detail


def test_training_verdict_names_the_power_that_keeps_more_devices_out(results: Results) -> None:
    """A site of 20 kW was advised to add devices, which its power had refused."""
    assert results.plan.training is not None
    table, limited = results.plan.training.table, msgspec.structs.replace(results.scenario.hardware, max_kw_total=20.0)
    best = int(table.devices.argmin())
    for refused, says in ((Reason.OVER_POWER, "more power, or fewer tokens. The site's 20 kW keep"),
                          (Reason.BATCH_NOT_DIVISIBLE, "more devices, or fewer tokens.")):  # fmt: skip
        reason = np.where(table.devices > table.devices[best], int(refused), int(Reason.MISSES_DEADLINE))
        late = msgspec.structs.replace(
            table, reason=reason, reason_value=np.full(len(reason), 1.2), meets_targets=np.zeros(len(reason), bool),
            accelerator=np.full(len(reason), table.accelerator[best]),
        )  # fmt: skip
        training = msgspec.structs.replace(results.plan.training, table=late, best=best)
        scenario = msgspec.structs.replace(results.scenario, hardware=limited)
        changed = replace(results, scenario=scenario, plan=msgspec.structs.replace(results.plan, training=training))
        said = verdict(judged(changed, "training", synthetic.verdict("fails", 0.0, ("misses_targets",))), "training")
        assert says in said.advice.replace("\u00a0", " ")


def test_users_are_not_promised_places_that_there_are_not(results: Results) -> None:
    serving = results.scenario.serving
    assert serving is not None

    def said(users: float, places: int) -> str:
        traffic = msgspec.structs.replace(serving.traffic, arrivals="users", users=users)
        engine = msgspec.structs.replace(serving.engine, max_sequences=places)
        asked = msgspec.structs.replace(serving, traffic=traffic, engine=engine)
        scenario = msgspec.structs.replace(results.scenario, serving=asked)
        return verdict(replace(results, scenario=scenario), "serving").detail

    assert "times this load" in verdict(results, "serving").detail
    assert "times this load" in said(50.0, 10_000)
    assert "times this load" not in said(1e6, 1)


def test_training_verdict_says_what_buying_the_devices_takes(results: Results) -> None:
    bought = Finding(
        code="bought_for_the_run", severity=1, workload="training", values={"capital_usd": 984_000.0}, usd=984_000.0
    )
    owning = replace(results, plan=msgspec.structs.replace(results.plan, findings=(bought,)))
    assert "buying the devices takes $984 000" in verdict(owning, "training").detail.replace("\u00a0", " ")
    assert "buying" not in verdict(results, "training").detail


def test_problems_of_an_input_are_sentences() -> None:
    wrong = RequestClass(peak_rate_per_s=Range(60.0, -20.0), priority=200)
    sentences = [problem_text(problem) for problem in problems_of(wrong)]
    assert "Peak rate: enter the lower end of the range first; it is 60.0..-20.0. (peak_rate_per_s)" in sentences
    assert "Priority must be at most 100; it is 200. (priority)" in sentences


def test_problem_without_a_place_is_still_a_sentence() -> None:
    assert problem_text(Problem("", "choice", "x", "a, b")) == "The value must be one of a, b; it is “x”."


def test_finding_without_a_sentence_of_its_own_keeps_its_values() -> None:
    finding = Finding(
        code="input_bound", severity=1, workload="training", values={"step_s": 0.5, "waiting_share": 0.25}
    )
    assert finding_text(finding) == "Input bound: step s 500 ms, waiting share 25 %"


def test_explanation_is_indented_text() -> None:
    text = "\n".join(explanation_lines(synthetic.explained()))
    assert text.splitlines()[0] == "Decode step = 18.3 ms"
    assert "    Memory bandwidth = 4.80 TB/s" in text
    assert "[catalogue, datasheet 2024-11]" in text


def test_another_language_takes_effect_at_once() -> None:
    use_translator(lambda text: text.upper())
    try:
        assert resource_name(Resource.COMPUTE) == "COMPUTE"
    finally:
        use_translator(None)
    assert tr("compute") == "compute"


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("serving.ttft_p95_s", "Serving: TTFT p95"), ("training.usd_per_run", "Training: Cost of the run"),
        ("serving.of_another_version", "serving.of_another_version"),
    ],
)  # fmt: skip
def test_saved_results_are_named_in_words(code: str, name: str) -> None:
    assert headline_name(code) == name


def test_bounds_are_said_without_empty_digits() -> None:
    assert problem_text(Problem("", "over", 1.2, 0.999, "Hits")) == "Hits must be at most 0.999; it is 1.2."


@pytest.mark.parametrize(("chance", "said"), [(0.796, "79 %"), (0.8, "80 %"), (0.793, "79 %"), (0.856, "86 %")])
def test_a_chance_below_the_confidence_is_not_rounded_up_to_it(chance: float, said: str) -> None:
    assert said in verdict_state(synthetic.verdict("likely" if chance < 0.8 else "holds", chance), "every target")


def test_what_decides_between_candidates_of_one_cost_is_said() -> None:
    said = order_text("serving").replace("\u00a0", " ")
    assert "Within 1 % of the cheapest" in said
    assert "15 % dearer" in said
    assert "devices and formats with published runs" in said
    assert "not by the expected cost shown" in order_text("training")


def test_the_table_says_in_short_what_ranks_it_and_what_is_estimated(results: Results) -> None:
    """Runs of $12,800, $12,900 and $12,800 stood in this order, and a load reserve beside a simulated one."""
    said = ranked_text(results.plan, results.scenario, "training").replace("\u00a0", " ")
    assert said == "cheapest first, by cost at 80 % confidence; within 1 % of the least, the fastest first"
    owned = msgspec.structs.replace(results.scenario.hardware, owned=(OwnedStock(accelerator="x", devices=8),))
    alone = msgspec.structs.replace(results.scenario, hardware=owned, serving=None)
    assert "within" not in ranked_text(results.plan, alone, "training"), "on owned devices, another share decides"
    assert "latencies and load reserve are quick" in ranked_text(results.plan, results.scenario, "serving")
    fleet = SimulatedFleet(
        candidate=results.plan.served.best,
        replicas=3,
        quick_replicas=2,
        rate_share=2 / 3,
        requests=3000,
        seed=1,
        is_in_table=True,
    )
    changed = msgspec.structs.replace(
        results.plan, serving=msgspec.structs.replace(results.plan.served, simulated=fleet)
    )  # fmt: skip
    assert "load reserve" not in ranked_text(changed, results.scenario, "serving"), "the first row's is simulated"


def test_the_cache_of_a_format_that_stands_alone_is_said(results) -> None:
    assert formats_text(results.scenario.model) == "Where one format is named, weights and KV cache both have it."
