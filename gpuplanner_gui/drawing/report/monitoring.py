"""What to watch once the plan runs, with thresholds taken from the plan itself."""

from __future__ import annotations

import math
from collections.abc import Iterator

from gpuplanner_gui.domain.plan import ServingPlan, TrainingPlan
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.report.model import ReportSection, Row, amount, paragraph, section, table
from gpuplanner_gui.drawing.report.summary import communication_s
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.words.request_kinds import has_tokens, request_cost_unit
from gpuplanner_gui.drawing.words.simulated_fleet import known_multiple
from gpuplanner_gui.drawing.words.targets import latency_of_target, owned_target_name, targets_of
from gpuplanner_gui.engine.fleet.fleet_sizing import fleet_sizing

NEAR = 0.8
"""Share of a limit from which a value deserves a look."""
FULL = 0.9
"""Share of the memory that counts as full; the rest is in partly filled blocks."""


def monitoring_sections(results: Results) -> Iterator[ReportSection]:
    """A table for each workload: what, as planned, look at, act at, and what to do then."""
    headings = (tr("Metric"), tr("As planned"), tr("Investigate at"), tr("Act above"), tr("Action"))
    tables = []
    serving, training = results.plan.serving, results.plan.training
    if serving is not None and serving.best >= 0:
        rows = [*_latencies(results, serving), *_load(results, serving), *_starts(results, serving)]
        tables.append(table(tr("Service"), headings, rows))
    if training is not None and training.best >= 0:
        tables.append(table(tr("Training"), headings, _training(results, training)))
    note = tr("Thresholds are the targets and 80 % ranges of this plan. Plan again when measurements leave the band.")
    yield from section(tr("What to monitor"), [*tables, paragraph(note, "quiet") if tables else None])


def _row(what: str, planned: float, look: float, act: float, unit: str, then: str) -> Row:
    return (what, amount(planned, unit), amount(look, unit), amount(act, unit), then)


def _latencies(results: Results, answer: ServingPlan) -> Iterator[Row]:
    for place, (_, slo) in enumerate(targets_of(results.scenario)):
        planned = latency_of_target(results.scenario, answer, place)
        look = max(NEAR * slo.limit_s, min(planned, slo.limit_s)) if math.isfinite(planned) else NEAR * slo.limit_s
        then = tr("Add replicas; check for long prompts and a cold prefix cache")
        yield _row(owned_target_name(results.scenario, place), planned, look, slo.limit_s, "s", then)


def _load(results: Results, answer: ServingPlan) -> Iterator[Row]:
    found, row = answer.table, answer.best
    serving = results.scenario.serving
    if serving is None:
        return
    planned = float(found.load_per_replica_per_s[row])
    most = planned * known_multiple(results, answer)[0]
    look = max(planned, most * serving.availability.target_utilisation)
    yield _row(
        tr("Requests per replica"),
        planned,
        look,
        most,
        "req/s",
        tr("Add replicas: above this rate targets are missed"),
    )
    pool, used = float(found.kv_pool_bytes[row]), float(found.kv_cache_bytes[row])
    is_written = has_tokens(results.scenario)
    if pool > 0 and is_written:
        then = tr("Requests are preempted and recomputed: check for fragmentation and longer prompts than planned")
        yield _row(tr("KV cache in use"), used / pool, max(NEAR, used / pool), max(FULL, used / pool), "share", then)
    batch, most_sequences = float(found.batch[row]), float(min(serving.engine.max_sequences, found.max_sequences[row]))
    together = tr("Sequences decoded together") if is_written else tr("Requests worked on together")
    yield _row(together, batch, max(batch, NEAR * most_sequences), most_sequences, "seq",
               tr("Requests queue: add replicas"))  # fmt: skip
    hits = [(one, central(one.prefix_cache_share)) for one in serving.classes if central(one.prefix_cache_share) > 0]
    for one, share in hits:
        yield _row(tr("Prefix-cache hits, {name}").format(name=one.name), share, NEAR * share, 0.5 * share, "share",
                   tr("Route all requests of a conversation to the same replica"))  # fmt: skip
    unit = request_cost_unit(results.scenario)
    name, cost = tr("Cost per M output tokens"), float(found.usd_per_million_output_tokens[row])
    if unit is not None:
        name, cost = tr(unit.title), float(found.usd_per_request[row]) * unit.requests
    yield _row(name, cost, 1.1 * cost, 1.25 * cost, "USD",
               tr("Idle replicas or less load: release some, or plan again"))  # fmt: skip


def _starts(results: Results, answer: ServingPlan) -> Iterator[Row]:
    """Warm-up while the fleet grows, and replicas that are up."""
    serving = results.scenario.serving
    is_fleet = bool(answer.table.fits[answer.best]) and math.isfinite(float(answer.table.replicas[answer.best]))
    if serving is None or not is_fleet:
        return
    fleet = fleet_sizing(results.scenario, results.plan, answer.best)
    start = float(fleet.start.total_s)
    yield _row(tr("Warm-up of a new replica"), start, 1.25 * start, 1.5 * start, "s",
               tr("The store or the image registry is slow: keep a warm spare"))  # fmt: skip
    yield _row(tr("Spare capacity while replicas start"), fleet.headroom_per_s, fleet.headroom_per_s,
               0.5 * fleet.headroom_per_s, "req/s",
               tr("Below this, load grows faster than replicas start: scale earlier"))  # fmt: skip
    yield _row(tr("Replicas up"), float(fleet.total), float(fleet.total), float(fleet.base), "",
               tr("The remaining replicas cannot handle the peak: replace lost ones at once"))  # fmt: skip


def _training(results: Results, answer: TrainingPlan) -> Iterator[Row]:
    found, row = answer.table, answer.best
    step, slow = float(found.step_time_s[row]), float(found.step_high80_s[row])
    yield _row(tr("Step time"), step, 1.1 * step, max(slow, 1.1 * step), "s",
               tr("Find a slow device or link; otherwise import the measurement and plan again"))  # fmt: skip
    mfu = float(found.mfu[row])
    yield _row(tr("MFU"), mfu, mfu / 1.1, mfu * min(step / slow, 1 / 1.1) if slow > 0 else mfu / 1.1, "share",
               tr("See step time"))  # fmt: skip
    waiting = communication_s(answer) / step
    yield _row(tr("Waiting for communication"), waiting, 1.25 * waiting, 1.5 * waiting + 0.02, "share",
               tr("Time the collectives on each link: look for a slow link or wrong topology"))  # fmt: skip
    data = float(found.input_s[row]) / step
    yield _row(tr("Waiting for data"), data, data + 0.02, data + 0.05, "share",
               tr("Add readers or preprocessing, or use a local copy"))  # fmt: skip
    goodput = float(found.goodput[row])
    lost = 1 - goodput
    yield _row(tr("Goodput"), goodput, 1 - 1.5 * lost, 1 - 2 * lost, "share",
               tr("More failures or slower restarts than planned: check restart time and spares"))  # fmt: skip
    yield _row(tr("Time since the last checkpoint"), float(found.checkpoint_interval_s[row]),
               1.5 * float(found.checkpoint_interval_s[row]), 2 * float(found.checkpoint_interval_s[row]), "s",
               tr("Check whether checkpoint storage is slow or full"))  # fmt: skip
    cost, job = float(found.usd_per_run[row]), results.scenario.training
    budget = central(job.budget_usd) if job is not None and job.budget_usd is not None else 1.25 * cost
    yield _row(tr("Money spent"), cost, max(cost, NEAR * budget), max(cost, budget), "USD",
               tr("Stop at a checkpoint and decide whether to continue"))  # fmt: skip
