"""The plan with dates: when devices are held, when runs take place, when the service opens."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import date, timedelta

from gpuplanner_gui.domain.decision import FleetsAnswer
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.report.model import Cell, Section, amount, paragraph, section, table, words
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import accelerator_name, accelerator_of
from gpuplanner_gui.drawing.words.decision import role_name, strategy_name

LONGEST_DAYS = 200 * 365
SPANS_SHOWN = 30


def schedule_sections(results: Results, start: date) -> Iterator[Section]:
    """Dates count from `start`, the day on which the devices are there."""
    note = tr("Dates count from {day}, taken as the day on which the devices can be used.").format(day=start)
    known = results.decision.fleets if results.decision is not None else None
    rows = list(_spans(results, known, start) if known is not None and known.best else _milestones(results, start))
    is_of_fleets = known is not None and known.best is not None
    of_fleets = tr(
        "Fleets hold whole nodes, with which a run may take less time than planned; the devices of a fleet that "
        "follows the load are the mean."
    )
    headings = (tr("From"), tr("Until"), tr("What"), tr("On"), tr("Devices"), tr("Cost"))
    yield from section(
        tr("Plan with dates"),
        [
            table(tr("Plan with dates"), headings, rows),
            paragraph(note, "quiet") if rows else None,
            paragraph(of_fleets, "quiet") if rows and is_of_fleets else None,
        ],
    )


def day_after(start: date, hours: float) -> str:
    days = hours / 24
    return str(start + timedelta(days=round(days))) if math.isfinite(days) and days < LONGEST_DAYS else ""


def _spans(results: Results, known: FleetsAnswer, start: date) -> Iterator[tuple[Cell, ...]]:
    best = known.best
    if best is None:
        return
    for begin, end in known.windows_h[:SPANS_SHOWN]:
        what = words(tr("Time for a training run"))
        yield (words(day_after(start, begin)), words(day_after(start, end)), what, words(""), words(""), words(""))
    opens = words(day_after(start, known.opens_h))
    yield (opens, words(day_after(start, known.horizon_h)), words(tr("Service is open")), *[words("")] * 3)
    for span in sorted(best.timeline, key=lambda one: (one.start_h, one.role))[:SPANS_SHOWN]:
        how_long = tr("committed") if span.tier == "committed" else tr("by the hour")
        held = tr("{strategy}: fleet for {role}, {tier}").format(
            strategy=strategy_name(best.strategy), role=role_name(span.role), tier=how_long
        )
        yield (
            words(day_after(start, span.start_h)), words(day_after(start, span.end_h)), words(held),
            words(accelerator_name(span.accelerator, results.catalog)), amount(span.devices), amount(span.usd, "USD"),
        )  # fmt: skip


def _milestones(results: Results, start: date) -> Iterator[tuple[Cell, ...]]:
    """Of a project that only trains or only serves."""
    training, serving, scenario = results.plan.training, results.plan.serving, results.scenario
    terms = scenario.economics.fleets
    if training is not None and training.best >= 0:
        row, found = training.best, training.table
        begin = central(terms.first_run_s) / 3600
        hours, slow = (float(one[row]) for one in (found.run_time_s, found.step_high80_s)) if row >= 0 else (0.0, 0.0)
        latest = hours * slow / float(found.step_time_s[row])
        name = accelerator_of(results.plan, results.catalog, found, row)
        yield (
            words(day_after(start, begin)), words(day_after(start, begin + hours / 3600)), words(tr("Training run")),
            words(name), amount(found.devices[row]), amount(found.usd_per_run[row], "USD"),
        )  # fmt: skip
        if latest > hours:
            late = tr("Run still within its 80 % band until here ({time})").format(time=format_value(latest, "s"))
            yield (words(""), words(day_after(start, begin + latest / 3600)), words(late), *[words("")] * 3)
        if scenario.training is not None and scenario.training.deadline_s is not None:
            due = begin + central(scenario.training.deadline_s) / 3600
            yield (words(""), words(day_after(start, due)), words(tr("Deadline")), *[words("")] * 3)
    if serving is not None and serving.best >= 0:
        row = serving.best
        opens = central(terms.service_opens_s) / 3600 if terms.service_opens_s is not None else 0.0
        ends = opens + central(scenario.economics.horizon_years) * 8760
        months = (ends - opens) / 730
        yield (
            words(day_after(start, opens)), words(day_after(start, ends)), words(tr("Service is open")),
            words(accelerator_of(results.plan, results.catalog, serving.table, row)),
            amount(serving.table.devices[row]), amount(serving.table.usd_per_month[row] * months, "USD"),
        )  # fmt: skip
