"""Puts a report together from a project's answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta

from gpuplanner_gui import __version__
from gpuplanner_gui.domain.catalog import Catalog, newest_date
from gpuplanner_gui.domain.decision import FleetsAnswer
from gpuplanner_gui.domain.economics import Economics
from gpuplanner_gui.domain.launch import Launch
from gpuplanner_gui.domain.plan import TrainingPlan
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Project
from gpuplanner_gui.drawing.decision_rows import planned_row
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.report.board import board_sections
from gpuplanner_gui.drawing.report.model import (
    Block,
    Cell,
    Code,
    Report,
    ReportSection,
    Row,
    amount,
    clean,
    paragraph,
    rows_cell,
    rows_table,
    section,
    table,
)
from gpuplanner_gui.drawing.report.money import certainty_sections, cost_sheets, money_sections, order_sections
from gpuplanner_gui.drawing.report.monitoring import monitoring_sections
from gpuplanner_gui.drawing.report.plots import figures_of
from gpuplanner_gui.drawing.report.risks import findings_sections, risks_sections
from gpuplanner_gui.drawing.report.sections import (
    assumptions_sections,
    candidates_sections,
    comparison_sections,
    estate_sections,
    glossary_sections,
    sources_sections,
)
from gpuplanner_gui.drawing.report.summary import side_by_side_sections, summary_sections
from gpuplanner_gui.drawing.report_subjects import SUBJECTS
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import Cell as Value
from gpuplanner_gui.drawing.shown_money import DOLLARS, missing_rate, money_of, money_shown
from gpuplanner_gui.drawing.units import exact_text, format_value
from gpuplanner_gui.drawing.words.candidates import accelerator_name, accelerator_of
from gpuplanner_gui.drawing.words.choices import WORKLOAD_TITLES
from gpuplanner_gui.drawing.words.decision import role_name, strategy_name
from gpuplanner_gui.drawing.words.launch import (
    command_text,
    launches_of,
    notes_of,
    setting_name,
    setting_value,
    source_text,
    status_name,
    variable_lines,
)
from gpuplanner_gui.drawing.words.training import data_text, store_rows, store_text


def deploy_sections(results: Results) -> Iterator[ReportSection]:
    for workload in results.workloads():
        blocks = [block for launch in launches_of(results, workload) for block in launch_blocks(results, launch)]
        title = tr("Deploy: {workload}").format(workload=tr(WORKLOAD_TITLES[workload]).lower())
        yield from section(title, blocks)


def launch_blocks(results: Results, launch: Launch) -> Iterator[Block | None]:
    """One launcher's command, what stands for what, its settings where a flag does not say all."""
    yield paragraph(launch.name, "strong")
    if launch.is_possible:
        yield Code(clean(command_text(launch)))
        yield paragraph(" · ".join(variable_lines(launch, results.scenario.model.name)), "quiet")
    for note in notes_of(launch):
        yield paragraph(note)
    rows = [
        (setting_name(one.code), setting_value(one), status_name(one))
        for one in launch.settings
        if one.status not in ("given", "by_default")
    ]
    title = tr("{name}: settings without a flag").format(name=launch.name)
    yield table(title, (tr("Setting"), tr("Value"), tr("How")), rows)
    yield paragraph(source_text(launch), "quiet")


LONGEST_DAYS = 200 * 365
SPANS_SHOWN = 30


def schedule_sections(results: Results, start: date) -> Iterator[ReportSection]:
    """Dates count from `start`, the day on which the devices are there."""
    note = tr("Dates assume that the devices are available on {day}.").format(day=start)
    known = results.known.fleets
    is_of_fleets = known is not None and known.best is not None
    if known is not None and known.best is not None:
        rows = list(_spans(results, known, start))
        costs = tr(
            "These dates follow the cheapest way to run both workloads ({strategy}), not the order list. A fleet that "
            "follows the load is shown with its mean number of devices. Costs are present values."
        ).format(strategy=strategy_name(known.best.strategy))
    else:
        rows = list(_milestones(results, start))
        costs = tr("The cost of the service is its present value, paid for as the scenario says.")
        costs = costs if results.plan.serving is not None else ""
    devices = tr("Devices (mean)") if is_of_fleets else tr("Devices")
    headings = (tr("From"), tr("Until"), tr("What"), tr("On"), devices, tr("Cost"))
    yield from section(
        tr("Plan with dates"),
        [
            table(tr("Plan with dates"), headings, rows),
            paragraph(note, "quiet") if rows else None,
            paragraph(costs, "quiet") if rows else None,
        ],
    )


def day_after(start: date, hours: float) -> str:
    days = hours / 24
    return str(start + timedelta(days=round(days))) if math.isfinite(days) and days < LONGEST_DAYS else ""


def _spans(results: Results, known: FleetsAnswer, start: date) -> Iterator[Row]:
    best = known.best
    if best is None:
        return
    for begin, end in known.windows_h[:SPANS_SHOWN]:
        yield (day_after(start, begin), day_after(start, end), tr("Window of a training run"), *[""] * 3)
    opens = day_after(start, known.opens_h)
    yield (opens, day_after(start, known.horizon_h), tr("Service is open"), *[""] * 3)
    for span in sorted(best.timeline, key=lambda one: (one.start_h, one.role))[:SPANS_SHOWN]:
        how_long = tr("committed") if span.tier == "committed" else tr("rented by the hour")
        held = tr("Fleet for {role}, {tier}").format(role=role_name(span.role), tier=how_long)
        yield (
            day_after(start, span.start_h), day_after(start, span.end_h), held,
            accelerator_name(span.accelerator, results.catalog), amount(span.devices), amount(span.usd, "USD"),
        )  # fmt: skip


def _latest_end_s(results: Results, answer: TrainingPlan) -> float:
    """Run time at the upper end of the 80 % range: the verdict's, or before that the model's. [s]"""
    judged = results.judged("training")
    if judged is not None and judged.run_time_band_s is not None:
        return judged.run_time_band_s[1]
    table, best = answer.table, answer.best
    return float(table.run_time_s[best] * table.step_high80_s[best] / table.step_time_s[best])


def _milestones(results: Results, start: date) -> Iterator[Row]:
    """Milestones of a project that only trains or only serves."""
    training, serving, scenario = results.plan.training, results.plan.serving, results.scenario
    terms = scenario.economics.fleets
    if training is not None and training.best >= 0:
        row, found = training.best, training.table
        begin = central(terms.first_run_s) / 3600
        hours, latest = float(found.run_time_s[row]), _latest_end_s(results, training)
        name = accelerator_of(results.plan, results.catalog, found, row)
        yield (
            day_after(start, begin), day_after(start, begin + hours / 3600), tr("Training run"),
            name, amount(found.devices[row]), amount(found.usd_per_run[row], "USD"),
        )  # fmt: skip
        paid = begin + float(found.device_hours[row] / found.devices[row])
        if paid > begin + hours / 3600:
            beyond = tr(
                "Retries, validation and experiments, if all come after the run ({time}; its cost includes them)"
            ).format(time=format_value((paid - begin) * 3600 - hours, "s"))
            yield (day_after(start, begin + hours / 3600), day_after(start, paid), beyond, *[""] * 3)
        if hours < latest < math.inf:
            late = tr("Latest end of the run within the 80 % range ({time})").format(time=format_value(latest, "s"))
            yield ("", day_after(start, begin + latest / 3600), late, *[""] * 3)
        if scenario.training is not None and scenario.training.deadline_s is not None:
            due = begin + central(scenario.training.deadline_s) / 3600
            yield ("", day_after(start, due), tr("Deadline"), *[""] * 3)
    if serving is not None and serving.best >= 0:
        row = serving.best
        opens = central(terms.service_opens_s) / 3600 if terms.service_opens_s is not None else 0.0
        ends = opens + central(scenario.economics.horizon_years) * 8760
        answer = results.known.ownership.get("serving")
        planned = planned_row(answer) if answer is not None else None
        yield (
            day_after(start, opens), day_after(start, ends), tr("Service is open"),
            accelerator_of(results.plan, results.catalog, serving.table, row),
            amount(serving.table.devices[row]), amount(planned.usd if planned is not None else math.nan, "USD"),
        )  # fmt: skip


def storage_sections(results: Results) -> Iterator[ReportSection]:
    """Data and checkpoints of the recommended run, and what slower stores cost."""
    best = results.plan.training.best if results.plan.training is not None else -1

    def cell(value: Value, unit: str) -> Cell:
        return rows_cell(math.nan if value is None else value, unit)

    made = rows_table(tr("Checkpoint stores"), store_rows(results), has_units=False, cell=cell)
    yield from section(
        tr("Data and storage"), [paragraph(data_text(results, best)), paragraph(store_text(results, best)), made]
    )


Maker = Callable[[Results], Iterable[ReportSection]]


def _parts(day: date) -> dict[str, tuple[Maker, ...]]:
    """Functions that make the sections of each subject of the annex."""
    return {
        "summary": (
            summary_sections,
            _notes,
            lambda one: schedule_sections(one, day),
            storage_sections,
            side_by_side_sections,
        ),
        "order": (order_sections,),
        "money": (money_sections,),
        "risks": (findings_sections, risks_sections, certainty_sections),
        "monitoring": (monitoring_sections,),
        "plots": (lambda one: section(tr("Plots"), figures_of(one)),),
        "deploy": (deploy_sections,),
        "candidates": (_candidates,),
        "costs": (lambda one: section(tr("Cost sheet"), list(cost_sheets(one))),),
        "inputs": (assumptions_sections,),
        "sources": (sources_sections,),
    }


def report_of(
    project: Project, answers: Sequence[Results], today: date | None = None, subjects: Collection[str] = tuple(SUBJECTS)
) -> Report:
    """The report of a project: the estate or a page for the board of each scenario, then what else is asked for.

    Scenarios of a planned estate have no page for the board: what is ordered for one alone is not what the estate
    orders, and none of their sums is a part of its total.
    `today` dates it, and the plan begins on it.
    """
    day = today or date.today()
    sections: list[ReportSection] = []
    for results in answers[:1] if "estate" in subjects else ():
        with money_shown(money_of(results.scenario.economics)):
            sections += (replace(one, subject="estate") for one in estate_sections(results))
    is_in_estate = bool(sections)
    for results in answers if "board" in subjects and not is_in_estate else ():
        with money_shown(money_of(results.scenario.economics)):
            sections += board_sections(results, bool(sections))
    comparison = next((one.known.comparison for one in answers if one.known.comparison), None)
    if comparison is not None and "summary" in subjects:
        with money_shown(money_of(answers[0].scenario.economics)):
            made = comparison_sections(comparison, answers[0])
            sections += (replace(one, subject="summary", starts_page=bool(sections)) for one in made)
    for results in answers:
        with money_shown(money_of(results.scenario.economics)):
            sections += _annex(results, day, subjects, bool(sections), is_in_estate)
    if "sources" in subjects:
        sections += (replace(one, level=2, starts_page=True, subject="sources") for one in glossary_sections(answers))
    if sections and sections[-1].subject != "board":
        sections += (replace(one, subject=sections[-1].subject) for one in _again(project, answers))
    return Report(
        title=clean(project.name) or tr("GPU plan"),
        provenance=_provenance(answers, day),
        introduction=clean(project.notes).strip(),
        sections=tuple(sections),
    )


def _annex(
    results: Results, day: date, subjects: Collection[str], starts_page: bool, is_in_estate: bool
) -> Iterator[ReportSection]:
    parts = [
        replace(one, subject=subject)
        for subject, makers in _parts(day).items()
        if subject in subjects
        for make in makers
        for one in make(results)
    ]
    if parts:
        alone = tr("This scenario is planned alone here. What to order is in the estate's plan, which shares hardware.")
        said = paragraph(alone if is_in_estate else "")
        yield ReportSection(
            clean(results.scenario.name), (said,) if said is not None else (), level=2,
            starts_page=starts_page, subject=parts[0].subject,
        )  # fmt: skip
        yield from parts


def _notes(results: Results) -> Iterator[ReportSection]:
    notes = [paragraph(line) for line in results.scenario.notes.strip().splitlines()]
    notes.append(paragraph(rate_note(results.scenario.economics), "quiet"))
    yield from section(tr("Notes"), notes)


def _candidates(results: Results) -> Iterator[ReportSection]:
    return (one for workload in results.workloads() for one in candidates_sections(results, workload))


def _provenance(answers: Sequence[Results], day: date) -> tuple[str, ...]:
    parts = [tr("GPU Planner {version}").format(version=__version__), tr("written {day}").format(day=day)]
    dates = catalog_dates(answers[0].catalog) if answers else None
    if dates is not None:
        parts.append(tr("catalogue figures from {first} to {last} (devices)").format(first=dates[0], last=dates[1]))
    prices = [one.date for one in answers[0].catalog.api_prices] if answers else []
    parts += [tr("API prices of {date}").format(date=max(prices))] if prices else []
    return tuple(parts)


def _again(project: Project, answers: Sequence[Results]) -> Iterator[ReportSection]:
    """The last section: what is needed to reproduce the figures."""
    digests = sorted({results.plan.calibration_digest for results in answers if results.plan.calibration_digest})
    parts = [tr("Seed {seed}").format(seed=project.seed)]
    parts += [tr("calibration {digest}").format(digest=digest[:12]) for digest in digests]
    if project.catalog_digest:
        parts.append(tr("catalogue {digest}").format(digest=clean(project.catalog_digest[:12])))
    yield from section(tr("How to reproduce these figures"), [paragraph(" · ".join(parts), "quiet")])


def catalog_dates(catalog: Catalog) -> tuple[str, str] | None:
    """The oldest and the newest date of any accelerator's figures; None where none has a date."""
    dates = sorted(found for found in map(newest_date, catalog.accelerators.values()) if found)
    return (dates[0], dates[-1]) if dates else None


def rate_note(economics: Economics) -> str:
    """The note on currency and exchange rate; empty if dollars were asked for."""
    money = money_of(economics)
    if money is DOLLARS:
        return missing_rate(economics)
    return tr("Amounts in {currency}; 1 {currency} is {rate} US dollars.").format(
        currency=money.currency, rate=exact_text(money.usd_per_unit)
    )
