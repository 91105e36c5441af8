"""Open risks and what to do about each: findings, chances below what one would sign, what was never measured."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from gpuplanner_gui.domain.measurement import EvidenceKind
from gpuplanner_gui.domain.plan import ServingPlan, TrainingPlan
from gpuplanner_gui.drawing.language import mark, tr
from gpuplanner_gui.drawing.report.model import ReportSection, section, table
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.units import NOTHING, format_value
from gpuplanner_gui.drawing.words.candidates import accelerator_of, evidence_text, precision_name
from gpuplanner_gui.drawing.words.choices import WORKLOAD_TITLES
from gpuplanner_gui.drawing.words.decision import input_name, worth_text
from gpuplanner_gui.drawing.words.findings import (
    MARKS,
    SEVERITIES,
    all_findings,
    effect_text,
    finding_text,
    money_text,
    remedy_text,
)
from gpuplanner_gui.drawing.words.remedy_sentences import REMEDY_SENTENCES
from gpuplanner_gui.drawing.words.request_kinds import has_tokens
from gpuplanner_gui.drawing.words.target_text import batch_time_s
from gpuplanner_gui.drawing.words.targets import planned_ends_s
from gpuplanner_gui.drawing.words.verdict_level import chance_text, weakest_text
from gpuplanner_gui.engine.decision.uncertain_inputs import TRAINING_MODEL
from gpuplanner_gui.engine.handoff.serving import stored_precision
from gpuplanner_gui.engine.model.cache_sizes import has_kv_cache

SURE = 0.9
"""A target that holds less often than this is a risk, whatever chance the planner asks for."""
_MISSES = {
    "serving.targets": "The service misses a latency target in {share} of the simulations",
    "serving.load": "The service cannot handle its load in {share} of the simulations",
    "serving.deadline": "The batch finishes too late in {share} of the simulations",
    "serving.availability": "The service misses its availability target in {share} of the simulations",
    "serving.budget": "The service exceeds its budget in {share} of the simulations",
    "training.date": "The run misses its deadline in {share} of the simulations",
    "training.budget": "The run exceeds its budget in {share} of the simulations",
}
Risk = tuple[str, str, str]
"""The risk, what to do about it, and what is planned."""


def findings_sections(results: Results) -> Iterator[ReportSection]:
    """Sections on findings, the gravest first, with remedies and their money."""
    rows = []
    for one in all_findings(results):
        advice = " ".join(part for part in (remedy_text(one.remedy), effect_text(one.remedy)) if part)
        workload = tr(WORKLOAD_TITLES.get(one.workload, "Both"))
        weight = f"{MARKS[one.severity]}\u00a0{tr(SEVERITIES[one.severity])}"
        rows.append((weight, workload, finding_text(one), advice, money_text(one)))
    headings = (tr("Severity"), tr("Workload"), tr("Finding"), tr("What you can do"), tr("Money"))
    yield from section(tr("Findings"), [table(tr("Findings"), headings, rows)])


def risks_sections(results: Results) -> Iterator[ReportSection]:
    """Sections on open risks and the actions they need."""
    rows = [("☐", *one) for one in (*open_risks(results), *_gate(results))]
    serves = "serving" in results.workloads()
    action = tr("Action before going live") if serves else tr("Action before the run")
    headings = (tr("Still open"), tr("Risk"), action, tr("Figure to watch"))
    yield from section(tr("Open risks and actions"), [table(tr("Open risks and actions"), headings, rows)])


def open_risks(results: Results) -> list[Risk]:
    """Risks of this plan alone."""
    return [*_evidence(results), *_chances(results), *_stressed(results), *_quality(results), *_to_measure(results)]


def _quality(results: Results) -> Iterator[Risk]:
    """A model that is served in another format than it was trained in has yet to show that it is as good."""
    answer, plan = results.plan.serving, results.plan
    if answer is None or answer.best < 0:
        return
    row = answer.best
    weights, cache = (
        plan.precisions[int(one[row])] for one in (answer.table.weight_precision, answer.table.kv_precision)
    )
    stored = stored_precision(results.scenario)
    if weights != stored:
        risk = tr("Quality of {model} in {precision} is unknown; its checkpoint is {stored}").format(
            model=results.scenario.model.name, precision=precision_name(weights), stored=precision_name(stored)
        )
        action = tr("Validate accuracy on your own tasks against the original, calibrate the scales, watch for drift")
        yield (risk, action, tr("loss of task accuracy (agree on a limit first)"))
    if cache not in ("bf16", "fp16") and has_kv_cache(results.scenario.model):
        risk = tr("Quality with the KV cache in {precision} is unknown").format(precision=precision_name(cache))
        action = tr("Compare long contexts and reasoning tasks with and without it")
        yield (risk, action, tr("loss of task accuracy (agree on a limit first)"))


def _evidence(results: Results) -> Iterator[Risk]:
    for workload in results.workloads():
        answer = results.answer(workload)
        if answer is None or answer.best < 0 or int(answer.table.evidence_kind[answer.best]) == EvidenceKind.OWN:
            continue
        name = accelerator_of(results.plan, results.catalog, answer.table, answer.best)
        figure, (low, middle, high) = _band(results, answer)
        known = evidence_text(answer.table, answer.best)
        risk = tr("{workload} on {name} was not measured by you; evidence: {known}").format(
            workload=tr(WORKLOAD_TITLES[workload]), name=name, known=known
        )
        remedy = tr(REMEDY_SENTENCES["measure_steps" if workload == "training" else "measure_it"])
        action = remedy.rstrip(mark("."))
        measure = tr("{name} {middle} (80 % range of the model's error at the planned inputs: {low} to {high})").format(
            name=figure,
            middle=format_value(middle, "s"),
            low=format_value(low, "s"),
            high=tr("overload") if high == math.inf else format_value(high, "s"),
        )
        yield (risk, action, measure if math.isfinite(middle) else NOTHING)


def _band(results: Results, answer: ServingPlan | TrainingPlan) -> tuple[str, tuple[float, float, float]]:
    """What a measurement would show of the best candidate, and that figure between the ends of the model's band."""
    best = answer.best
    if isinstance(answer, TrainingPlan):
        return tr("step time"), _step_band(results, answer)
    served, serving = answer.table, results.scenario.serving
    metric, name, middle = "tpot", tr("TPOT p95"), served.tpot_p95_s
    band = served.tpot_low80_s, served.tpot_mean_s, served.tpot_high80_s
    # Nothing comes before the whole answer, whose band is that of a first token.
    if not has_tokens(results.scenario) or not np.isfinite(served.tpot_mean_s[best]):
        metric, name, middle = "e2e", tr("E2E p95"), served.e2e_p95_s
        band = served.ttft_low80_s, served.ttft_p95_s, served.ttft_high80_s
    figure, ends = float(middle[best]), (math.nan, math.nan)
    if serving is not None and serving.traffic.is_batch:
        name, figure = tr("batch time"), batch_time_s(serving.traffic, answer)
    else:  # Slower devices are busier, too.
        ends = planned_ends_s(results, answer, metric, figure)
    low, known, high = (float(one[best]) for one in band)
    if math.isnan(ends[0]):
        ends = figure * low / known, figure * high / known
    return name, (ends[0], figure, ends[1])


def _step_band(results: Results, answer: TrainingPlan) -> tuple[float, float, float]:
    """A step's 80 % range around its time; it ends where the hardware does, as the Uncertainty page has it. [s]"""
    low, middle, high = (
        float(one[answer.best]) for one in (answer.table.step_low80_s, answer.table.step_time_s,
                                            answer.table.step_high80_s)
    )  # fmt: skip
    known = results.known.uncertainty
    bars = (bar for one in (known.tornados if known is not None else ()) for bar in one.bars)
    believed = next((bar for bar in bars if bar.input == TRAINING_MODEL), None)
    return (max(low, middle * believed.low_input) if believed is not None else low), middle, high


def _chances(results: Results) -> Iterator[Risk]:
    known = results.known.uncertainty
    for one in known.probabilities if known is not None else ():
        if one.code in _MISSES and one.value < SURE:
            missed = chance_text(1 - round(one.value, 2))
            chance = tr("chance of meeting it: {share}").format(share=chance_text(one.value))
            action = tr("Relax the limit, or add capacity")
            yield (tr(_MISSES[one.code]).format(share=missed), action, chance)


def _stressed(results: Results) -> Iterator[Risk]:
    """A stress test that the recommended fleet fails."""
    judged = results.judged("serving")
    if judged is not None and judged.weakest.startswith("stress"):
        missed = weakest_text(results.plan, judged, "")
        yield (f"{missed[:1].upper()}{missed[1:]}", tr("Add spare replicas or headroom"), NOTHING)


_OTHER_CHOICE = "{name} may differ so much from the plan that another device is better"
_SLOWER = {
    "serving_model": "Serving may be so much slower than predicted that another device is better",
    "training_model": "Training may be so much slower than predicted that another device is better",
    "rated_power": "The device may draw so much more power than assumed that another one is better",
}
"""Of inputs that a benchmark tells."""
_WORTH_KNOWING = "knowing it before the choice is worth about {usd} on average"
_WORTH_MEASURING = "measuring first is worth about {usd} on average"


def _to_measure(results: Results) -> Iterator[Risk]:
    known = results.known.uncertainty
    if known is None:
        return
    for one in known.measurements[:3]:
        risk, action, worth = tr(_OTHER_CHOICE), tr("Find out before you order"), tr(_WORTH_KNOWING)
        if one.input in _SLOWER:
            risk, action, worth = tr(_SLOWER[one.input]), tr("Measure it before you order"), tr(_WORTH_MEASURING)
        yield (risk.format(name=input_name(one.input)), action, worth.format(usd=worth_text(one, known)))


def _gate(results: Results) -> Iterator[Risk]:
    if "serving" in results.workloads():
        yield (
            tr("A change of model, engine or driver changes every figure in this report"),
            tr("Keep a load test with these lengths and targets, and run it before each release"), NOTHING,
        )  # fmt: skip
    else:
        yield (
            tr("A change of model, framework or driver changes every figure in this report"),
            tr("Time some steps of this layout again after each change, before a long run"), NOTHING,
        )  # fmt: skip
