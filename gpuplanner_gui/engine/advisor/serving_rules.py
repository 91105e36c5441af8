"""Rules about latency, load, memory, formats and speculative decoding of a service."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np

from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.domain.curves import LoadCurve
from gpuplanner_gui.domain.load_result import SimulatedCurve
from gpuplanner_gui.domain.measurement import EvidenceKind
from gpuplanner_gui.domain.plan import Reason, ServingPlan, ServingTable
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.verdict import Finding, Remedy
from gpuplanner_gui.domain.workload import LatencyMetric
from gpuplanner_gui.engine.advisor.case import (
    NAN,
    NOTE,
    SERIOUS,
    WARNING,
    AdvisedService,
    dearer_or_cheaper,
    finding,
    remedy,
    service_to_its_end,
)
from gpuplanner_gui.engine.evidence.record import LEAST_RUNS, best_measured
from gpuplanner_gui.engine.fleet.cold_start import cold_start_of
from gpuplanner_gui.engine.fleet.fleet_sizing import allowed_share, broken_by_cold_starts, week_from_zero
from gpuplanner_gui.engine.fleet.service_need import service_week
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.demand import served_contexts, waits_to_be_full
from gpuplanner_gui.engine.serving.fleet_split import fleet_split, load_multiple
from gpuplanner_gui.engine.serving.plan import planned
from gpuplanner_gui.engine.serving.ranking import AS_CHEAP
from gpuplanner_gui.engine.serving.samples import is_of_samples
from gpuplanner_gui.engine.simulation.curve import knee_rate_per_s
from gpuplanner_gui.engine.simulation.refusal import refusal_of_best
from gpuplanner_gui.engine.uncertainty.distributions import class_mix, mean_prompt_tokens
from gpuplanner_gui.engine.uncertainty.sampling import log_sd_of_pace

MOST_PAID_OVER_USED = 1.5
"""A fleet that pays for more devices than this over those it uses is priced by its units, not by its devices."""


def load_findings(
    curve: LoadCurve | None, first: LatencyMetric = "ttft", simulated: SimulatedCurve | None = None
) -> tuple[Finding, ...]:
    """Whether latency grows faster than throughput at the planned load, and where it begins to.

    `first` is what clients wait for: the first token, or the whole answer. Where the load was `simulated`, its knee and
    its saturation are the simulation's.
    """
    if curve is None or len(curve.rates_per_s) < 4:
        return ()
    waited = curve.ttft_s if first == "ttft" else curve.e2e_s
    rates, latency = curve.rates_per_s, waited.get("p95", waited["mean"])
    planned = curve.planned_rate_per_s
    if not np.isfinite(planned) or planned <= rates[0]:
        return ()
    near = np.interp([0.95 * planned, 1.05 * planned], rates, latency)
    elasticity = float(np.log(near[1] / near[0]) / np.log(1.05 / 0.95))
    knee, most = knee_rate_per_s(rates, curve.output_tokens_per_s, latency), curve.max_rate_per_s
    if simulated is not None:
        knee, most = simulated.knee_rate_per_s, simulated.max_rate_per_s
    values = {"elasticity": elasticity, "planned_per_s": planned, "saturation_per_s": most}
    if elasticity > 1:
        code = "replicas_batching_or_memory" if first == "ttft" else "replicas_or_batch"
        cure = remedy(code, ttft_s=float(np.interp(planned, rates, latency)))
        return (finding("latency_outgrows_load", "serving", WARNING, values, remedy=cure),)
    if np.isfinite(knee):
        code = "knee_is_further_up" if simulated is None else "simulated_knee_is_further_up"
        latency_name = f"{first.upper()} {'p95' if simulated is not None or 'p95' in waited else 'mean'}"
        return (finding(code, "serving", NOTE, values | {"knee_per_s": knee, "latency": latency_name}),)
    return ()


NOTICED_S, FLOW_S, ATTENTION_S = 0.1, 1.0, 10.0
"""A person notices 0.1 s, loses the flow of thought at 1 s and attention at 10 s (Nielsen 1993, Usability Engineering,
section 5.5)."""
LEAST_CHUNK_TOKENS = 512
"""Smaller pieces of prompts leave the devices' arithmetic idle."""
REPLANNED = 16
"""So many of the best candidates hold the one that would be recommended after a change of the engine's settings."""
WORTH_A_CHANGE = 0.9
"""A change that leaves more than this of a latency is not worth advising."""
WORTH_A_WORD = 0.01
"""Share of the cost from which a remedy says what it adds."""
THIN_HEADROOM = 0.15
FULL_CACHE = 0.9
NOTICED_REFUSALS = 0.005
BORNE_REFUSALS = 0.05
"""Share of requests that may be refused where no target has a stricter percentile."""
"""Share of refused requests that is reported: several times the 0.1 % of a context for 99.9 %."""
UNSTABLE_TAIL = 6.0
DEAR_CERTAINTY = 0.2
"""Share of the cost, for replicas beyond the expected need, from which certainty is called dear."""
LOW_UTILISATION = 0.6
USUAL_UTILISATION = 0.75


def slow_first_token(case: AdvisedService) -> Iterator[Finding]:
    """The first token comes later than a person waits without noticing or without turning away.

    Who allows as much by a target of their own has thought of it: that is no reason to doubt the plan.
    """
    late = case.best.of("ttft_p95_s")
    if not late > FLOW_S or case.workload.traffic.is_batch or is_of_samples(case.workload, case.scenario.model):
        return
    limit = ATTENTION_S if late > ATTENTION_S else FLOW_S
    target = _ttft_target(case)
    rows = case.best.rows_meeting_targets()
    quick = rows[case.best.table.ttft_p95_s[rows] <= limit] if isinstance(case.best.table, ServingTable) else rows
    cure = None
    if target and len(quick) and case.best.meets_targets:
        cure = remedy("ask_for_it", {target: limit}, "serving.ttft_p95_s", late, limit, limit_s=limit)
    is_allowed = any(slo.metric == "ttft" and slo.limit_s >= late for _, slo in case.workload.targets)
    severity = SERIOUS if late > ATTENTION_S and not is_allowed else WARNING
    usual = case.best.of("ttft_p50_s")
    share, wait = (0.5, usual) if usual > limit else (0.05, late)
    values = {"share": share, "ttft_s": wait, "limit_s": limit}
    yield finding("slow_first_token", "serving", severity, values, remedy=cure)


def _ttft_target(case: AdvisedService) -> str:
    """Path of the first p95 target of the first token; empty without one."""
    for row, one in enumerate(case.workload.classes):
        for place, slo in enumerate(one.slos):
            if slo.metric == "ttft" and slo.percentile == 95.0:
                return f"serving.classes[{row}].slos[{place}].limit_s"
    return ""


def uneven_tokens(case: AdvisedService) -> Iterator[Finding]:
    """Prompts in between stretch the gap between two tokens until a reader notices."""
    gap, usual = case.best.of("itl_p99_s"), case.best.of("tpot_mean_s")
    if not gap > NOTICED_S or case.workload.traffic.is_batch:
        return
    cure = _smaller_chunks(case, gap) if gap > 2 * usual else None
    yield finding("uneven_tokens", "serving", NOTE, {"gap_s": gap, "usual_s": usual}, remedy=cure)


def _smaller_chunks(case: AdvisedService, gap_s: float) -> Remedy | None:
    """The token budget that reads a mean prompt in several pieces, where that shortens the gap and keeps the targets.

    A budget above the prompts' length cuts nothing: half of the present one may change nothing at all.
    """
    engine = case.workload.engine
    prompt = mean_prompt_tokens(case.workload.classes)
    budget = max(LEAST_CHUNK_TOKENS, 2 ** int(np.log2(max(prompt / 2, 1.0))))
    if engine.batching != "chunked_prefill" or budget >= engine.token_budget:
        return None
    settings = msgspec.structs.replace(engine, token_budget=budget)
    serving = msgspec.structs.replace(case.workload, engine=settings)
    changed = msgspec.structs.replace(case.scenario, serving=serving)
    answer = replanned(changed, case)
    if _gap_after(case, answer) < WORTH_A_CHANGE * gap_s:
        answer = service_to_its_end(case, changed) or answer
    after_s = _gap_after(case, answer)
    if not after_s < WORTH_A_CHANGE * gap_s:
        return None
    edits, usd = {"serving.engine.token_budget": budget}, case.best.of("usd_per_month")
    values = {"tokens": float(budget), "more_usd_per_month": float(answer.table.usd_per_month[answer.best]) - usd}
    is_dearer = values["more_usd_per_month"] > WORTH_A_WORD * usd
    code = "smaller_token_budget_dearer" if is_dearer else "smaller_token_budget"
    return remedy(code, edits, "serving.itl_p99_s", gap_s, after_s, **values)


def _gap_after(case: AdvisedService, answer: ServingPlan) -> float:
    """The gap that 1 % of a changed plan's tokens exceed; no number where it misses targets that are kept now. [s]"""
    is_kept = answer.best >= 0 and answer.table.meets_targets[answer.best] >= case.best.meets_targets
    return float(answer.table.itl_p99_s[answer.best]) if is_kept else NAN


def replanned(changed: Scenario, case: AdvisedService) -> ServingPlan:
    """The plan of a changed scenario over the best candidates of the present one: another may come first."""
    table = case.best.table
    assert isinstance(table, ServingTable)
    first = table.order[:REPLANNED]
    rows = first if case.best.row in first else np.append(first, case.best.row)
    chosen = ServingCandidates.of_table(table, rows)
    return planned(changed, case.context, chosen, lambda: None)


def unstable_latency(case: AdvisedService) -> Iterator[Finding]:
    """The slowest requests wait many times as long as the usual ones."""
    ratio = case.best.of("ttft_p99_s") / case.best.of("ttft_p50_s")
    if ratio > UNSTABLE_TAIL:
        is_whole = is_of_samples(case.workload, case.scenario.model)
        yield finding(
            "unstable_answers" if is_whole else "unstable_latency", "serving", WARNING,
            {"ratio": ratio, "p99_s": case.best.of("ttft_p99_s"), "p50_s": case.best.of("ttft_p50_s")},
        )  # fmt: skip


def thin_slo_margin(case: AdvisedService) -> Iterator[Finding]:
    """So little is left to the targets that any error of the plan breaks them."""
    left, target = load_multiple(case.plan.served) - 1, case.workload.availability.target_utilisation
    if not left < THIN_HEADROOM or not case.best.meets_targets:
        return
    cure = remedy(
        "leave_headroom", {"serving.availability.target_utilisation": USUAL_UTILISATION}, "serving.headroom", left,
        1 / USUAL_UTILISATION - 1, share=USUAL_UTILISATION,
    )  # fmt: skip
    yield finding(
        "thin_slo_margin", "serving", WARNING, {"headroom_share": left}, remedy=cure if target > 0.8 else None
    )


def idle_capacity(case: AdvisedService) -> Iterator[Finding]:
    """What stands ready and is not used, as a price: part of it is the headroom that targets need.

    A higher utilisation is advised only where the planner chose less than usual and the targets leave room for it.
    """
    cost, busy = case.best.of("usd_per_month"), case.busy_share
    if not 0 < busy < 0.6 or not np.isfinite(cost):
        return
    target = case.workload.availability.target_utilisation
    cure = None
    if target < LOW_UTILISATION and case.workload.availability.zones <= 1:
        slo_rate = case.best.of("slo_rate_per_s")
        replicas = np.ceil(case.peak_rate_per_s / (slo_rate * USUAL_UTILISATION) - 1e-9)
        replicas += case.workload.availability.spare_replicas
        after = case.month_usd(replicas=float(replicas))
        if after < cost:
            path = "serving.availability.target_utilisation"
            cure = remedy(
                "use_more_of_it", {path: USUAL_UTILISATION}, "serving.usd_per_month", cost, after,
                share=USUAL_UTILISATION,
            )  # fmt: skip
    idle = cost * (1 - busy)
    yield finding(
        "idle_capacity", "serving", WARNING if busy < 0.2 else NOTE,
        {"busy_share": busy, "idle_usd_per_month": idle, "headroom_share": case.best.of("headroom"),
         "mean_per_s": case.mean_rate_per_s, "saturation_per_s": case.mean_rate_per_s / busy}, idle, cure,
    )  # fmt: skip


def full_cache(case: AdvisedService) -> Iterator[Finding]:
    """Finding: long requests at the planned load fill the KV cache, so that requests would be preempted.

    A batch keeps its replicas full: a cache that is full is what it is for, and its rate reckons with it.
    """
    pool, used = case.best.of("kv_pool_bytes"), case.best.of("kv_cache_bytes")
    batch = case.best.of("batch")
    if not pool > 0 or not batch > 0 or case.workload.traffic.is_batch:
        return
    mix = class_mix(case.workload.classes)
    spread = 0.0
    if mix.output_tokens > 0 and mix.decode_kv_token_steps > 0:
        mean = mix.output_tokens * (case.plan.serving.mean_prompt_tokens + mix.output_tokens / 2)  # type: ignore[union-attr]
        spread = max(mix.decode_kv_token_steps / mean - 1, 0.0)
    # The sum over a batch of requests whose sizes vary: its own variation falls with the root of their number.
    high = used * (1 + 2.326 * np.sqrt((1 + spread) / batch))
    if high / pool > FULL_CACHE:
        yield finding(
            "full_cache", "serving", SERIOUS if used / pool > FULL_CACHE else WARNING,
            {"used_share": used / pool, "high_share": min(high / pool, 9.99), "pool_bytes": pool},
        )  # fmt: skip


def requests_refused(case: AdvisedService) -> Iterator[Finding]:
    """Requests longer than the largest context, stated or the model's own, are refused."""
    contexts = served_contexts(case.workload, case.scenario.model)
    if not contexts or not contexts[0][1] > NOTICED_REFUSALS:
        return
    tokens, share = contexts[0]
    usual = msgspec.structs.replace(case.workload, max_context=0)
    after = served_contexts(usual, case.scenario.model)[0][1]
    cure = None
    if after < share:
        cure = remedy("serve_longer", {"serving.max_context": 0}, "serving.refused_share", share, after)
    values = {"refused_share": share, "tokens": int(tokens)}
    tails = [1 - slo.percentile / 100 for one in case.workload.classes for _, slo in one.held_slos]
    severity = SERIOUS if share > min([BORNE_REFUSALS, *tails]) else WARNING
    yield finding("requests_refused", "serving", severity, values, remedy=cure)


def split_for_latency(case: AdvisedService) -> Iterator[Finding]:
    """A replica spans several devices although one would hold the model: the reason is latency or cost, said here."""
    table, row = case.best.table, case.best.row
    assert isinstance(table, ServingTable)
    if table.devices_per_replica[row] < 2:
        return
    alone = np.flatnonzero(
        (table.accelerator == table.accelerator[row]) & (table.devices_per_replica == 1) & table.fits
    )
    meeting = alone[table.reason[alone] == Reason.NONE]
    values = {"devices": table.devices_per_replica[row]}
    if len(meeting):
        single = float(table.usd_per_month[meeting].min())
        if not single > AS_CHEAP * table.usd_per_month[row]:
            return
        code, values = "split_for_cost", values | {
            "usd_per_month": table.usd_per_month[row], "single_usd_per_month": single,
        }  # fmt: skip
    else:
        same = table.weight_precision[alone] == table.weight_precision[row]
        same &= table.kv_precision[alone] == table.kv_precision[row]
        missing = alone[same & (table.reason[alone] == Reason.MISSES_TARGET)]
        if not len(missing) or not case.best.meets_targets:
            return
        code, values = "split_for_latency", values | {"over": table.reason_value[missing[0]]}
    if np.isfinite(list(values.values())).all():
        yield finding(code, "serving", NOTE, values)


def emulated_format(case: AdvisedService) -> Iterator[Finding]:
    """The weights' format has no matrix units here and is unpacked before each product."""
    table, row = case.best.table, case.best.row
    assert isinstance(table, ServingTable)
    if table.emulated[row]:
        values = {
            "format": case.plan.precisions[int(table.weight_precision[row])],
            "compute_share": case.best.share("decode_compute_s", of="decode_step_s"),
        }
        yield finding("emulated_format", "serving", NOTE, values)


def more_flops_cost_more(case: AdvisedService) -> Iterator[Finding]:
    """The device with the highest peak rate is not the cheapest that serves this load within its targets."""
    table, rows = case.best.table, case.best.rows_meeting_targets()
    if len(rows) < 2 or not case.best.meets_targets:
        return
    column = case.plan.precisions.index("bf16")
    peaks = case.context.devices.peak_flop_per_s[:, column]
    _, first = np.unique(table.accelerator[rows], return_index=True)
    best_rows = rows[np.sort(first)]
    # A rack paid for two of its devices is dear whatever its peak rate; larger fleets of it would be dearer still.
    best_rows = best_rows[table.paid_devices[best_rows] <= MOST_PAID_OVER_USED * table.devices[best_rows]]
    if not len(best_rows):
        return
    strongest = int(best_rows[np.nan_to_num(peaks[table.accelerator[best_rows]]).argmax()])
    mine = peaks[table.accelerator[case.best.row]]
    assert isinstance(table, ServingTable)
    cost, dearer = case.best.of("usd_per_month"), float(table.usd_per_month[strongest])
    more = float(peaks[table.accelerator[strongest]] / mine)
    if more > 1.5 and dearer > 1.2 * cost > 0:
        name, planned = (
            case.context.accelerators[int(table.accelerator[place])].name for place in (strongest, case.best.row)
        )
        values = {
            "device": name, "flops_ratio": more, "cost_ratio": dearer / cost,
            "devices": float(table.paid_devices[strongest]),
            "plan_device": planned, "plan_devices": case.best.of("paid_devices"),
        }  # fmt: skip
        yield finding("more_flops_cost_more", "serving", NOTE, values)


def rarely_used(case: AdvisedService) -> Iterator[Finding]:
    """Requests are so rare that switching off between them would pay, if a first request may wait for the start."""
    rate = case.peak_rate_per_s * case.mean_over_peak
    service = case.best.of("e2e_mean_s")
    gap = 1 / rate - service
    weights = case.best.of("weights_bytes") * case.best.of("devices_per_replica")
    start = cold_start_of(case.workload.start, weights, 1).total_s
    if not gap > start:
        return
    rates = case.peak_rate_per_s * service_week(case.workload.traffic).ravel()
    kept = week_from_zero(rates, service, central(case.workload.start.keep_alive_s), start)
    if not kept.saving_share > 0:
        return
    saved = kept.saving_share * case.best.of("usd_per_month")
    missed = broken_by_cold_starts(case.workload, start, kept.cold_share)
    values = {
        "gap_s": 1 / rate, "start_s": start, "cold_share": kept.cold_share,
        "saved_usd_per_month": saved, "saved_share": kept.saving_share,
    }  # fmt: skip
    code = "scale_to_zero_breaks_target" if missed is not None else "scale_to_zero_saves"
    if missed is not None:
        values |= {"limit_s": missed.limit_s, "allowed_share": allowed_share(missed)}
    yield finding(code, "serving", NOTE, values, saved)


def weak_evidence(case: AdvisedService) -> Iterator[Finding]:
    """The recommendation rests on a relative or a datasheet: no run on the device is known, no kernel was timed."""
    table, row = case.best.table, case.best.row
    if int(table.evidence_kind[row]) < EvidenceKind.RELATIVE:
        return
    first = best_measured(table, row)
    assert isinstance(table, ServingTable)
    values: dict[str, float | str] = {
        "band_factor": float(np.exp(Z_80 * log_sd_of_pace(table, row))), "runs": float(table.published_runs[row]),
        "software": case.workload.engine.engine, "least_runs": float(LEAST_RUNS),
    }  # fmt: skip
    if first < 0:
        yield finding("weak_evidence_only", "serving", WARNING, values, remedy=remedy("measure_it"))
        return
    more = float(table.usd_per_month[first]) - case.best.of("usd_per_month")
    name = case.context.accelerators[int(table.accelerator[first])].name
    code, cost = dearer_or_cheaper("weak_evidence", more, "usd_per_month")
    values |= {"device": name, **cost}
    yield finding(code, "serving", WARNING, values, max(more, 0.0), remedy("measure_it"))


def price_of_certainty(case: AdvisedService) -> Iterator[Finding]:
    """Replicas beyond those that are expected to be enough: own measurements would tell how many of them are needed.

    Their cost is that of the units that they add.
    """
    split = fleet_split(case.scenario, case.plan.served, case.best.row)
    if split is None:
        return
    month = case.month_usd(replicas=split.total)
    cost = month - case.month_usd(replicas=split.total - split.added)
    if not cost > DEAR_CERTAINTY * month:
        return
    values = {
        "chance_share": split.chance, "replicas": split.total, "expected_replicas": split.expected,
        "added_replicas": split.added, "spare_replicas": split.spares, "zones": split.zones,
        "kept_up_replicas": split.kept_up,
        "more_usd_per_month": cost,
    }  # fmt: skip
    yield finding("price_of_certainty", "serving", WARNING, values, cost, remedy("measure_it"))


def targets_missed(case: AdvisedService) -> Iterator[Finding]:
    """Nothing meets every latency target."""
    table, row = case.best.table, case.best.row
    if int(table.reason[row]) != Reason.MISSES_TARGET:
        return
    refused = refusal_of_best(case.plan.served)
    if refused is not None:
        values = {
            "over_share": float(table.reason_value[row]) - 1.0, "nearest_replicas": refused.nearest_replicas,
            "most_replicas": refused.most_replicas,
        }  # fmt: skip
        yield finding("service_misses_simulated", "serving", SERIOUS, values)
    elif waits_to_be_full(case.workload):
        yield finding("service_misses_full_batches", "serving", SERIOUS, {"over": float(table.reason_value[row])})
    else:
        is_whole = "tpot" not in case.scenario.told_latencies
        read = {"e2e_s": "e2e_p95_s"} if is_whole else {"ttft_s": "ttft_p95_s", "tpot_s": "tpot_p95_s"}
        values = {"over": float(table.reason_value[row])} | {name: case.best.of(one) for name, one in read.items()}
        code = "service_misses_whole_answers" if is_whole else "service_misses_targets"
        yield finding(code, "serving", SERIOUS, values)


def over_budget(case: AdvisedService) -> Iterator[Finding]:
    """The cheapest fleet costs more in a month than there is money for."""
    budget = case.scenario.economics.serving_budget_usd_per_month
    cost = case.best.of("usd_per_month")
    if budget is not None and cost > central(budget):
        values = {"usd_per_month": cost, "budget_usd_per_month": central(budget)}
        yield finding("service_over_budget", "serving", SERIOUS, values, cost - central(budget))
