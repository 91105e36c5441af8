"""The answer in two lines: what to buy, whether it meets the targets, at what cost, and what limits it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import reduce

import numpy as np

from gpuplanner_gui.domain.plan import Reason, Resource, ServingPlan, ServingTable, TrainingPlan, TrainingTable
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.verdict import Verdict
from gpuplanner_gui.drawing.language import clauses, tr
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.shown_money import missing_rate, money_of, money_shown
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.value_ranges import format_range
from gpuplanner_gui.drawing.words.candidates import (
    accelerator_of,
    precision_name,
    precisions_text,
    replicas_text,
    resource_name,
    serving_layout,
    training_layout,
)
from gpuplanner_gui.drawing.words.findings import keeps_targets, remedy_text
from gpuplanner_gui.drawing.words.reasons import reason_for_many, reason_text
from gpuplanner_gui.drawing.words.request_kinds import has_tokens, request_advice, request_cost_text
from gpuplanner_gui.drawing.words.run_cost import cost_band_text, run_cost_text
from gpuplanner_gui.drawing.words.simulated_fleet import known_multiple
from gpuplanner_gui.drawing.words.target_text import target_text
from gpuplanner_gui.drawing.words.targets import latency_of_target, owned_target_name, targets_of, told_target
from gpuplanner_gui.drawing.words.training import batch_advice, cores_text, optimizer_advice, reads_text, slack_text
from gpuplanner_gui.drawing.words.verdict_level import STATUSES, Status, together_state, verdict_advice, verdict_state
from gpuplanner_gui.engine.advisor.run_levers import devices_left_by_batch
from gpuplanner_gui.engine.cost.bill import PlanYears
from gpuplanner_gui.engine.fleet.service_need import ServiceNeed
from gpuplanner_gui.engine.serving.demand import waits_to_be_full
from gpuplanner_gui.engine.simulation.refusal import refusal_of_best
from gpuplanner_gui.engine.training.held_cost import counts_idle_time


@dataclass(frozen=True)
class VerdictWords:
    """What is said first about a workload."""

    workload: str
    status: Status
    state: str
    """Level and chance, in a few words."""
    headline: str
    detail: str
    advice: str = ""
    """The weakest point, and what would raise it."""

    @property
    def text(self) -> str:
        return "\n".join(line for line in (f"{self.state} {self.headline}".strip(), self.detail, self.advice) if line)


def no_workload_text() -> str:
    """Instead of a verdict on a scenario that neither serves nor trains."""
    return tr("This scenario has no workload. Open Serving or Training under Inputs to add one.")


def verdicts(results: Results) -> tuple[VerdictWords, ...]:
    """One verdict for each workload that the plan answers, about its best candidate; last, one for both together."""
    with money_shown(money_of(results.scenario.economics)):
        found = tuple(verdict(results, workload) for workload in results.workloads())
        return (*found, _both(results)) if len(found) > 1 else found


def _both(results: Results) -> VerdictWords:
    judged = _judged(results, "both")
    is_over_site = judged.weakest.startswith("site:both")
    return VerdictWords(
        workload="both", status=STATUSES[judged.level], state=together_state(judged), headline="", detail="",
        advice=_weakness(results, judged) if is_over_site else "",
    )  # fmt: skip


def _judged(results: Results, workload: str) -> Verdict:
    """The engine's verdict, which alone says how good a plan is."""
    judged = results.judged(workload)
    assert judged is not None
    return judged


def _weakness(results: Results, judged: Verdict, state: str = "") -> str:
    answer, target = results.plan.serving, ""
    if answer is not None and answer.best >= 0:
        place = told_target(results, answer)
        target = owned_target_name(results.scenario, place) if place >= 0 else tr("the load")
    unit = "USD/month" if judged is results.judged("serving") else "USD"
    return verdict_advice(results.plan, judged, state, target, unit, counts_idle_time(results.scenario))


def verdict(results: Results, workload: str) -> VerdictWords:
    answer = results.answer(workload)
    if answer is None:
        raise KeyError(workload)
    if answer.best < 0:
        return _nothing_runs(results, workload, answer)
    if isinstance(answer, ServingPlan):
        return _serving(results, answer)
    return _training(results, answer)


def _serving(results: Results, answer: ServingPlan) -> VerdictWords:
    table, best = answer.table, answer.best
    meets = bool(table.meets_targets[best]) and int(table.reason[best]) == Reason.NONE
    target = target_text(results, answer)
    month_usd = float(table.usd_per_month[best])
    month = format_value(month_usd, "USD/month") + _growth_text(results, answer) if np.isfinite(month_usd) else ""
    cost_text = " · ".join(part for part in (month, _unit_cost_text(results, table, best)) if part)
    no_rate = missing_rate(results.scenario.economics)
    is_text = has_tokens(results.scenario)
    bound = tr("decoding bound by {resource}") if is_text else tr("bound by {resource}")
    limit = bound.format(resource=resource_name(table.limit[best]))
    if is_text and not np.isfinite(table.tpot_mean_s[best]):  # Nothing is decoded for answers of one token.
        limit = ""
    room = _room_text(results, answer) if meets else ""
    judged = _judged(results, "serving")
    state = verdict_state(judged, tr("every target"))
    advice = _weakness(results, judged, state) if meets else _serving_advice(results, answer)
    if table.draft_gain[best] < 1:
        advice = " ".join(part for part in (advice, _draft_text(float(table.draft_gain[best]))) if part)
    return VerdictWords(
        workload="serving",
        status=STATUSES[judged.level],
        state=state,
        headline=_serving_headline(results, answer),
        detail=" · ".join(part for part in (target, room, cost_text, no_rate, limit) if part),
        advice=advice,
    )


def _growth_text(results: Results, answer: ServingPlan) -> str:
    """That the plan is sized for today's load, and the replicas of the last year where it grows or shrinks."""
    serving, economics = results.scenario.service, results.scenario.economics
    growth, years = central(serving.traffic.growth_per_year), PlanYears.of(central(economics.horizon_years))
    if not growth:
        return ""
    need = ServiceNeed.of(answer, np.array([answer.best]), serving)
    last = need.replicas(answer.peak_rate_per_s * years.highest_load(growth))[-1]
    return tr(" at today's load ({replicas} in year {year}, at {growth} growth a year)").format(
        replicas=replicas_text(int(last)) if np.isfinite(last) else tr("replicas unknown"),
        year=len(years.starts), growth=format_value(growth, "share", 2),
    )  # fmt: skip


def _room_text(results: Results, answer: ServingPlan) -> str:
    """How much more load would be carried; a batch is told by when it is done, before its deadline."""
    serving = results.scenario.serving
    times, is_simulated = known_multiple(results, answer)
    if serving is None or serving.traffic.is_batch or not np.isfinite(times) or times < LEAST_TIMES:
        return ""
    words = tr("meets its targets up to {times} times this load (quick estimate)")
    if is_simulated:
        words = tr("meets its targets up to {times} times this load (simulated)")
    return words.format(times=format_value(times, digits=2))


LEAST_TIMES = 1.05


def _draft_text(gain: float) -> str:
    """That a token takes longer with drafts than without."""
    return tr("Draft tokens slow this load down: without them a token takes {share} less time.").format(
        share=format_value(1 - gain, "share", 2)
    )


def _unit_cost_text(results: Results, table: ServingTable, best: int) -> str:
    """What a million tokens, or a request of another kind, cost, and between what, once that is known."""
    of_requests = request_cost_text(results, float(table.usd_per_request[best]))
    if of_requests:
        return of_requests
    cost = float(table.usd_per_million_output_tokens[best])
    if not np.isfinite(cost):
        return tr("no price")
    text = tr("{cost} per M output tokens").format(cost=format_value(cost, "USD"))
    return text + cost_band_text(results, "serving.usd_per_million_output_tokens", cost)


def _serving_headline(results: Results, answer: ServingPlan) -> str:
    table, best = answer.table, answer.best
    layout = ", ".join(
        part
        for part in (precisions_text(results.plan, table, best), serving_layout(table, best).replace(" · ", ", "))
        if part
    )
    fleet = _fleet_text(results.scenario, float(table.replicas[best]))
    each = f"{int(table.devices_per_replica[best])} × {accelerator_of(results.plan, results.catalog, table, best)}"
    return tr("Serve on {each} per replica, {layout} · {fleet}").format(each=each, layout=layout, fleet=fleet)


def _fleet_text(scenario: Scenario, replicas: float) -> str:
    if not np.isfinite(replicas):
        return tr("replicas unknown")
    count = int(replicas)
    text = replicas_text(count)
    if scenario.serving is None:
        return text
    availability = scenario.serving.availability
    notes = []
    if 0 < availability.spare_replicas < count:
        working = count - availability.spare_replicas
        notes.append(tr("{working} + {spare} spare").format(working=working, spare=availability.spare_replicas))
    if availability.zones > 1:
        notes.append(tr("{zones} zones").format(zones=availability.zones))
    return f"{text} ({', '.join(notes)})" if notes else text


def _serving_advice(results: Results, answer: ServingPlan) -> str:
    table, best = answer.table, answer.best
    reason, ratio = int(table.reason[best]), float(table.reason_value[best])
    targets = targets_of(results.scenario)
    if refusal_of_best(answer) is not None:
        # What would be enough was simulated as well.
        found = (one for one in results.plan.findings if one.workload == "serving" and keeps_targets(one))
        return " ".join(
            filter(None, (_because(results, answer), remedy_text(next((one.remedy for one in found), None))))
        )
    if reason == Reason.MISSES_TARGET and 0 <= answer.limiting_slo < len(targets) and np.isfinite(ratio):
        first = answer.limiting_slo
        values = {place: latency_of_target(results.scenario, answer, place) for place in range(len(targets))}
        missed = {place: value for place, value in values.items() if value > targets[place][1].limit_s}
        missed = {first: missed.pop(first, targets[first][1].limit_s * ratio), **missed}
        allowed = (
            tr("{name} {reachable} instead of {limit}").format(
                name=owned_target_name(results.scenario, place), reachable=format_value(value, "s"),
                limit=format_value(targets[place][1].limit_s, "s"),
            )
            for place, value in missed.items()
        )  # fmt: skip
        return tr("To meet it: allow {limits}, or {change}.").format(
            limits=reduce(lambda one, other: tr("{one} and {other}").format(one=one, other=other), allowed),
            change=_change_for(targets[first][1].metric, waits_to_be_full(results.scenario.service)),
        )
    return _because(results, answer)


def _change_for(metric: str, waits_for_full_batches: bool) -> str:
    if metric != "tpot" and waits_for_full_batches:
        return tr("make the largest batch smaller, or choose a batching that does not wait for full batches")
    if metric == "ttft":
        return tr("shorten prompts, cache prefixes, or allow more devices per replica")
    return tr("allow smaller formats, or more devices per replica")


def _because(results: Results, answer: ServingPlan | TrainingPlan) -> str:
    sentence = reason_text(results.plan, answer.table, answer.best)
    return f"{sentence[0].upper()}{sentence[1:]}." if sentence else ""


def _training(results: Results, answer: TrainingPlan) -> VerdictWords:
    table, best, scenario = answer.table, answer.best, results.scenario
    meets = bool(table.meets_targets[best]) and int(table.reason[best]) in (Reason.NONE, Reason.BELOW_CONFIDENCE)
    job = scenario.training
    name = accelerator_of(results.plan, results.catalog, table, best)
    recipe = precision_name(job.recipe) if job else ""
    layout = training_layout(table, best).replace(" · ", ", ")
    headline = tr("Train on {count} × {name}, {layout}").format(
        count=format_value(float(table.devices[best])), name=name, layout=", ".join(p for p in (recipe, layout) if p)
    )
    judged = _judged(results, "training")
    state = verdict_state(judged, _asked_of_run(job))
    return VerdictWords(
        workload="training",
        status=STATUSES[judged.level],
        state=state,
        headline=headline,
        detail=_training_detail(results, answer),
        advice=_weakness(results, judged, state) if meets else _training_advice(results, answer),
    )


def _asked_of_run(job: TrainingWorkload | None) -> str:
    """What a run has to meet: its deadline, its budget, or both; empty for neither."""
    if job is None or (job.deadline_s is None and job.budget_usd is None):
        return ""
    if job.budget_usd is None:
        return tr("the deadline")
    return tr("the budget of the run") if job.deadline_s is None else tr("every target")


def _training_detail(results: Results, answer: TrainingPlan) -> str:
    scenario = results.scenario
    table, best, job = answer.table, answer.best, scenario.training
    run_time = float(table.run_time_s[best])
    parts = [tr("Takes {time}").format(time=format_value(run_time, "s"))]
    judged = results.judged("training")
    if judged is not None and judged.run_time_band_s is not None and np.isfinite(judged.run_time_band_s[1]):
        parts[0] += f" ({format_range(*judged.run_time_band_s, 's', 2, beside=run_time)})"
    if job is not None and job.deadline_s is not None:
        deadline = format_value(central(job.deadline_s), "s")
        parts[0] += tr(", deadline {deadline} ({slack})").format(deadline=deadline, slack=slack_text(table, best))
    parts += [
        run_cost_text(results, answer),
        *filter(None, (missing_rate(scenario.economics),)),
        tr("MFU {share}").format(share=format_value(table.mfu[best], "share", 2)),
        tr("bound by {resource}").format(resource=resource_name(table.limit[best])),
    ]
    return " · ".join(parts)


def _training_advice(results: Results, answer: TrainingPlan) -> str:
    table, best, job = answer.table, answer.best, results.scenario.training
    reason, ratio = int(table.reason[best]), float(table.reason_value[best])
    if job is None or not np.isfinite(ratio):
        return _because(results, answer)
    if reason == Reason.MISSES_DEADLINE and job.deadline_s is not None:
        reachable = format_value(central(job.deadline_s) * ratio, "s")
        if table.limit[best] == Resource.INPUT:
            return tr("To meet it: allow {reachable}, or supply data at {rate} in {reads} with {cores}.").format(
                reachable=reachable, rate=format_value(float(table.data_bytes_per_s[best]), "bytes/s"),
                reads=reads_text(float(table.data_reads_per_s[best])),
                cores=cores_text(float(table.data_cores[best])),
            )  # fmt: skip
        if table.limit[best] == Resource.STORAGE and answer.store_needed is not None:
            rate = format_value(answer.store_needed.write_bytes_per_s, "bytes/s")
            return tr("To meet it: allow {reachable}, or write checkpoints at {rate}.").format(
                reachable=reachable, rate=rate
            )
        limit_kw = results.scenario.hardware.max_kw_total
        if limit_kw is not None and _is_held_by_power(table, best):
            return tr(
                "To meet it: allow {reachable}, more power, or fewer tokens. The site's {limit} keep more devices out."
            ).format(reachable=reachable, limit=format_value(limit_kw, "kW"))
        return tr("To meet it: allow {reachable}, more devices, or fewer tokens.").format(reachable=reachable)
    if reason == Reason.OVER_BUDGET and job.budget_usd is not None:
        needed = format_value(central(job.budget_usd) * ratio, "USD")
        return tr("To meet it: allow {needed}, fewer tokens, or cheaper terms.").format(needed=needed)
    return _because(results, answer)


def _is_held_by_power(table: TrainingTable, candidate: int) -> bool:
    """Whether the site's power alone keeps more of a candidate's devices out."""
    more = (table.accelerator == table.accelerator[candidate]) & (table.devices > table.devices[candidate])
    return bool((table.reason[more] == Reason.OVER_POWER).any())


def _nothing_runs(results: Results, workload: str, answer: ServingPlan | TrainingPlan) -> VerdictWords:
    """The commonest reasons, and the candidate that misses by least where memory is what lacks."""
    table = answer.table
    total = len(table.reason)
    counts = Counter(int(reason) for reason in table.reason).most_common(3)
    reasons = clauses(f"{format_value(count)} {reason_for_many(reason)}" for reason, count in counts)
    lacking = np.isin(table.reason, (Reason.DOES_NOT_FIT, Reason.KV_CACHE_TOO_SMALL))
    advice = ""
    if lacking.any():
        nearest = int(np.where(lacking, table.reason_value, np.inf).argmin())
        wording = tr("Closest: {name}, which lacks {missing} per device. Allow more devices or smaller formats.")
        if isinstance(answer, TrainingPlan) and devices_left_by_batch(answer.table):
            wording = tr(
                "Closest: {name}, which lacks {missing} per device. More devices can't share the batch evenly: train "
                "with another batch, or allow smaller formats."
            )
        advice = wording.format(
            name=accelerator_of(results.plan, results.catalog, table, nearest),
            missing=format_value(table.reason_value[nearest], "bytes"),
        )
    elif np.isin(table.reason, (Reason.BATCH_TOO_SMALL, Reason.BATCH_NOT_DIVISIBLE)).any():
        advice = batch_advice(results.scenario)
    elif (table.reason == Reason.ADAPTERS_UNKNOWN).any():
        advice = tr(
            "The size of adapters follows from the model's layers, which are not stated. Import its config.json, or "
            "choose another method than LoRA and QLoRA."
        )
    elif (table.reason == Reason.OPTIMIZER_NOT_IN_FRAMEWORK).any():
        advice = optimizer_advice(results.scenario)
    elif (table.reason == Reason.REQUEST_NOT_FOR_MODEL).any():
        advice = request_advice(results.scenario)
    elif total == 0:
        advice = tr("The choice of hardware and formats leaves no candidate: allow more of them.")
    return VerdictWords(
        workload=workload,
        status=STATUSES[_judged(results, workload).level],
        state=tr("No candidate can serve this.") if workload == "serving" else tr("No candidate can train this."),
        headline="",
        detail=tr("Of {total} candidates: {reasons}").format(total=format_value(total), reasons=reasons)
        if total
        else "",
        advice=advice,
    )
