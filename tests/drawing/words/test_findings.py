"""Every finding and every remedy has a sentence that its values fill."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace as replace_struct

import gpuplanner_gui.engine.advisor as advisor
from gpuplanner_gui.domain.scenario import Project
from gpuplanner_gui.domain.verdict import Finding, Remedy
from gpuplanner_gui.drawing.results import LoadSimulation
from gpuplanner_gui.drawing.words.finding_sentences import FINDING_SENTENCES
from gpuplanner_gui.drawing.words.findings import (
    all_findings,
    effect_text,
    finding_text,
    money_text,
    remedy_text,
    sentence_code,
    value_unit,
)
from gpuplanner_gui.drawing.words.remedy_sentences import REMEDY_SENTENCES
from gpuplanner_gui.engine.advisor.metrics import METRICS
from tests.drawing import synthetic
from tests.drawing.words.test_load import curve as simulated
from tests.drawing.words.test_load import fleet as sized_fleet

SOURCES = sorted(Path(advisor.__file__).parent.glob("*.py"))


def codes_in_rules(function: str) -> set[str]:
    """Codes that the rules give to `finding(` or `remedy(` as text."""
    found = set()
    for path in SOURCES:
        found |= set(re.findall(rf'\b{function}\(\s*"(\w+)"', path.read_text(encoding="utf-8")))
    return found


@pytest.mark.parametrize("code", sorted(codes_in_rules("finding")))
def test_every_finding_has_a_sentence(code: str) -> None:
    assert FINDING_SENTENCES.get(sentence_code(code))


@pytest.mark.parametrize("code", sorted(codes_in_rules("remedy")))
def test_every_remedy_has_a_sentence(code: str) -> None:
    assert code in REMEDY_SENTENCES


def test_units_follow_the_names():
    names = ("idle_usd_per_month", "price_usd_per_hour", "more_usd", "lost_share", "node_w", "gap_s", "missing_bytes")
    assert [value_unit(name) for name in names] == ["USD/month", "USD/h", "USD", "share", "W", "s", "bytes"]


def test_numbers_are_in_the_sentence():
    finding = Finding(
        code="unused_fabric", severity=1, workload="serving", usd=5_000.0,
        values={"fabric_usd_per_month": 5_170.0, "used_share": 0.03, "fabric_share": 0.2, "unused_usd_per_month": 5e3},
    )  # fmt: skip
    text = finding_text(finding).replace("\u00a0", " ")
    assert text == "The service pays $5 170/month for links between devices and uses 3 % of them."
    assert money_text(finding).replace("\u00a0", " ") == "$5 000/month of the cost"


def test_stake_of_both_workloads_is_by_the_month_where_it_is_the_service_alone():
    values: dict[str, float | str] = {"device": "MI300X", "cost_ratio": 2.4, "more_usd_per_month": 3_280.0}
    service = Finding(code="service_on_training_nodes", severity=1, workload="both", usd=3_280.0, values=values)
    run = Finding(code="training_on_serving_nodes", severity=1, workload="both", usd=33.0, values={"more_usd": 33.0})
    assert money_text(service).replace("\u00a0", " ") == "$3 280/month more on that device"
    assert money_text(run) == "$33 more on that device"


@pytest.mark.parametrize(
    ("code", "value", "said"),
    [
        ("idle_capacity", "idle_usd_per_month", "$900/month of the cost"),
        ("quantised_model", "saved_usd_per_month", "$900/month more without quantisation"),
        ("weak_evidence_run", "more_usd", "$900 more on that device"),
        ("term_outlasts_run", "extra_usd_per_year", "$900/y of the cost"),
        ("bought_for_the_run", "capital_usd", "$900 to invest"),
        ("host_bound", "saved_usd_per_month", "could save about $900/month"),
        ("service_over_budget", "", "$900/month over budget"),
    ],
)
def test_money_says_whether_it_is_paid_risked_saved_or_asked_elsewhere(code: str, value: str, said: str) -> None:
    workload = "training" if "run" in code else "serving"
    finding = Finding(code=code, severity=1, workload=workload, usd=900.0, values={value: 900.0} if value else {})
    assert money_text(finding) == said
    asked = Remedy(code="change_terms", metric="serving.usd_per_month", before=2_000.0, after=1_100.0)
    assert money_text(replace_struct(finding, remedy=asked)).startswith("saves about $900")


def test_effect_says_what_is_saved_or_only_the_direction():
    saving = Remedy(
        code="change_terms", metric="serving.usd_per_month", before=300.0, after=200.0, values={"term": "own"}
    )
    assert effect_text(saving) == "Cost of the service: $300/month → $200/month"
    assert remedy_text(saving) == "Plan with the fleet bought."
    spot = Remedy(code="train_on_spot", metric="training.usd_per_run", before=12_779.13, after=7_706.63)
    said = effect_text(spot).replace("\u00a0", " ")
    assert said == "Cost of the run: $12 800 → $7 710", "each as it is told elsewhere"
    near = Remedy(code="train_on_spot", metric="training.usd_per_run", before=12_779.13, after=12_752.0)
    assert effect_text(near).replace("\u00a0", " ") == "Cost of the run: $12 780 → $12 750", "alike with three digits"
    unknown = Remedy(code="smaller_token_budget", metric="serving.itl_p99_s", before=0.1, values={"tokens": 512.0})
    assert effect_text(unknown) == ("ITL p99: 100 ms, lower; apply it to see by how much")


def test_a_replica_that_would_be_the_only_one_left_is_told_in_words() -> None:
    spare = Remedy(code="add_spare", metric="serving.load_after_loss", before=math.inf, after=0.339)
    assert effect_text(spare) == ("After a loss, each remaining replica then runs at 33.9 % of what its targets allow.")


def test_a_loss_is_measured_by_the_limit_that_the_verdict_tells() -> None:
    """33.9 % by the quick estimate stood beside a limit of 1.5 times the load."""
    plain = synthetic.results()
    answer = plain.plan.served
    headroom = np.full(len(answer.table.headroom), 1.95)
    served = replace_struct(answer, table=replace_struct(answer.table, headroom=headroom))
    spare = Remedy(code="add_spare", metric="serving.load_after_loss", before=math.inf, after=1 / 2.95)
    lost = Finding(
        code="replica_loss_stops_service", severity=1, workload="serving", values={"replicas": 1.0}, remedy=spare
    )
    planned = replace(plain, plan=replace_struct(plain.plan, serving=served, findings=(lost,)))
    load = float(answer.table.load_per_replica_per_s[answer.best])
    fleet = replace_struct(sized_fleet(is_simulated=True, slo_rate_per_s=1.5 * load), candidate=answer.best)
    simulation = LoadSimulation(candidate=answer.best, fleet=fleet)
    for known, share in ((planned, 1 / 2.95), (replace(planned, simulation=simulation), 1 / 1.5)):
        (said,) = [one for one in all_findings(known) if one.code == lost.code]
        assert said.remedy is not None
        assert said.remedy.after == pytest.approx(share)


@pytest.mark.parametrize("metric", sorted(METRICS))
def test_every_metric_has_a_name(metric: str) -> None:
    assert effect_text(Remedy(code="add_spare", metric=metric, before=1.0, after=2.0))


def test_one_sentence_says_more_and_less_by_the_month_and_for_a_run():
    for code, name, said in (
        ("weak_evidence", "more_usd_per_month", "costs $500/month more."),
        ("weak_evidence_run", "more_usd", "costs $500 more."),
        ("weak_evidence_cheaper", "less_usd_per_month", "costs $500/month less."),
        ("weak_evidence_run_cheaper", "less_usd", "costs $500 less."),
        ("weak_evidence_held", "more_usd", "costs $500 more, idle time included."),
        ("weak_evidence_held_cheaper", "less_usd", "costs $500 less, idle time included."),
    ):
        values: dict[str, float | str] = {
            "device": "H200", "band_factor": 2.0, "least_runs": 5.0, "runs": 0.0, "software": "vllm", name: 500.0,
        }  # fmt: skip
        told = finding_text(Finding(code=code, severity=1, workload="both", usd=0.0, values=values))
        assert told.endswith(said)
        assert "with vLLM in the plan's format: 0; a reliable prediction needs 5." in told


def test_a_mean_load_is_that_of_the_service_and_a_gap_is_a_quick_estimate() -> None:
    """A replica's rate stood beside the mean of all, and the simulated gap beside an estimate without a name."""
    idle = Finding(code="idle_capacity", severity=1, workload="serving", usd=4_790.0, values={
        "busy_share": 0.16, "idle_usd_per_month": 4_790.0, "mean_per_s": 2.5, "saturation_per_s": 15.9})  # fmt: skip
    assert finding_text(idle).replace("\u00a0", " ").startswith("The whole service averages 2.50 req/s: 16 % of ")
    gaps = Finding(code="uneven_tokens", severity=0, workload="serving", values={"gap_s": 0.106, "usual_s": 0.00887})
    assert finding_text(gaps).replace("\u00a0", " ") == (
        "By the quick estimate, 1 % of the gaps between tokens last 106 ms or longer: text stutters while other "
        "prompts are prefilled."
    )


def test_findings_of_a_plan_whose_scenario_was_removed_are_those_of_the_plan():
    found = synthetic.results(100)
    gone = replace(found, project=Project(name="Without scenarios"))
    assert all_findings(gone) == all_findings(found)


def test_the_knee_is_the_simulations_once_there_is_one():
    plain = synthetic.results(100)
    assert plain.load_curve is not None
    best = plain.plan.served.best
    plain = replace(plain, load_curve=msgspec.structs.replace(plain.load_curve, candidate=best, planned_rate_per_s=1.0))
    told = [finding_text(one) for one in all_findings(plain) if "knee" in one.code]
    assert told[0].startswith("By the quick estimate, the knee of TTFT p95 is at about ")
    simulation = LoadSimulation(candidate=plain.candidate("serving"), curve=simulated(knee_rate_per_s=2.5))
    told = [finding_text(one) for one in all_findings(replace(plain, simulation=simulation)) if "knee" in one.code]
    assert told[0].startswith(
        "In the simulation, the knee of TTFT p95 is at 2.50 req/s per replica: above it, 1 % more "
    )


def test_a_device_that_ranks_behind_for_few_offers_is_told_with_the_rule_and_allowed_alone() -> None:
    values: dict[str, float | str] = {
        "device": "RTX A6000", "providers": 2.0, "needed": 3.0, "saved_usd_per_month": 980.0,
    }  # fmt: skip
    finding = Finding(code="cheaper_few_offers", severity=1, workload="serving", usd=980.0, values=values)
    assert finding_text(finding) == (
        "On RTX A6000 the service would cost $980/month less. It still ranks lower: devices with offers from at least "
        "3 providers rank first. Providers that offer it: 2."
    )
    alone = Remedy(code="allow_device_alone", metric="", values={"device": "RTX A6000", "devices": 4.0})
    assert remedy_text(alone) == "Allow only RTX A6000. The plan is then 4 × RTX A6000."


def test_larger_batches_tell_the_time_of_an_answer_whether_it_has_tokens_or_not():
    values: dict[str, float | str] = {"saved_usd_per_month": 1_650.0, "e2e_s": 2.5}
    finding = Finding(code="lever_larger_batch", severity=0, workload="serving", usd=1_650.0, values=values)
    text = finding_text(finding).replace("\u00a0", " ")
    assert text == (
        "With batches twice as large, the service would cost $1 650/month less. A request then takes 2.50 s on average."
    )


def test_a_small_difference_of_a_run_is_told_in_cents():
    finding = Finding(
        code="more_devices_buy_time", severity=0, workload="training",
        values={"devices": 4.0, "saved_s": 73_440.0, "more_usd": 0.9942, "scaling_share": 0.996},
    )  # fmt: skip
    text = finding_text(finding).replace("\u00a0", " ")
    assert text == "On 4 devices the run ends 20.4 h earlier and costs $0.99 more (scaling efficiency 99.6 %)."


def test_one_replica_and_several_are_told_alike():
    for replicas, told in ((1.0, "Replicas: 1."), (3.0, "Replicas: 3.")):
        finding = Finding(
            code="replica_loss_stops_service", severity=2, workload="serving", values={"replicas": replicas}
        )
        assert finding_text(finding) == f"If one replica is lost, the service cannot carry its peak. {told}"
