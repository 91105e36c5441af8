"""The parts of a scenario's report."""

from __future__ import annotations

from collections import Counter

import numpy as np

from gpuplanner_gui.domain.decision import UncertaintyAnswer
from gpuplanner_gui.domain.field import About, field_of, fields_of
from gpuplanner_gui.domain.hardware import Accelerator
from gpuplanner_gui.domain.plan import Reason, ServingTable, TrainingTable, column
from gpuplanner_gui.drawing.candidates import best_of_each_device, runs
from gpuplanner_gui.drawing.decision_rows import commitment_text, energy_text, investment_text, unit_costs_text
from gpuplanner_gui.drawing.details import details_of
from gpuplanner_gui.drawing.findings import all_findings
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.report.html import details_list, element, folded, heading, paragraph, table, text
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.units import format_quantity, format_value
from gpuplanner_gui.drawing.words import accelerator_name, candidate_text, evidence_name, resource_letter, resource_name
from gpuplanner_gui.drawing.words_decision import (
    band_text,
    certainty_sentence,
    fleets_sentence,
    measurement_text,
    result_name,
)
from gpuplanner_gui.drawing.words_findings import (
    MARKS,
    SEVERITIES,
    effect_text,
    finding_text,
    remedy_text,
    stake_text,
)
from gpuplanner_gui.drawing.words_reasons import reason_for_many, reason_text
from gpuplanner_gui.drawing.words_verdict import verdicts

CANDIDATES_SHOWN = 20
DEVICES_SHOWN = 12
WORKLOAD_TITLES = {"serving": "Serving", "training": "Training"}

_COLUMNS: dict[str, tuple[tuple[str, str], ...]] = {
    "serving": (
        ("ttft_p95_s", "s"), ("tpot_p95_s", "s"), ("headroom", "share"), ("replicas", ""), ("devices", ""),
        ("output_tokens_per_s_per_device", "tok/s"), ("usd_per_million_output_tokens", "USD"), ("usd_per_month", "USD"),
    ),
    "training": (
        ("run_time_s", "s"), ("step_time_s", "s"), ("mfu", "share"), ("goodput", "share"), ("device_hours", ""),
        ("usd_per_run", "USD"),
    ),
}  # fmt: skip


def verdict_section(results: Results) -> str:
    parts = []
    for verdict in verdicts(results):
        lines = paragraph(f"{verdict.state} {verdict.headline}".strip(), "headline")
        lines += paragraph(verdict.detail) + paragraph(verdict.advice, "quiet")
        parts.append(
            element("div", heading(3, tr(WORKLOAD_TITLES[verdict.workload])) + lines, f"verdict {verdict.status}")
        )
    return "".join(parts)


def findings_section(results: Results) -> str:
    """What the planner should know, the gravest first, with what may be done and what is at stake."""
    found = all_findings(results)
    if not found:
        return ""
    rows = []
    for one in found:
        advice = " ".join(part for part in (remedy_text(one.remedy), effect_text(one.remedy)) if part)
        workload = tr(WORKLOAD_TITLES.get(one.workload, "Both"))
        weight = f"{MARKS[one.severity]} {tr(SEVERITIES[one.severity])}"
        rows.append([weight, workload, finding_text(one), advice, stake_text(one)])
    headings = [tr("Weight"), tr("Of"), tr("Finding"), tr("What may be done"), tr("At stake")]
    return heading(3, tr("Findings")) + table(headings, rows, [4])


def decision_section(results: Results) -> str:
    """Fleets, rent or buy, and how sure, as far as they were computed."""
    known = results.decision
    if known is None:
        return ""
    parts = []
    if known.uncertainty is not None:
        parts.append(_uncertainty(known.uncertainty))
    if known.fleets is not None:
        parts += [heading(3, tr("One fleet or two")), paragraph(fleets_sentence(known.fleets, results.catalog))]
    for answer in known.ownership.values():
        title = tr("{workload}: rent or buy").format(workload=tr(WORKLOAD_TITLES[answer.workload]))
        lines = [unit_costs_text(answer), commitment_text(answer), investment_text(answer), energy_text(answer)]
        parts += [heading(3, title), *(paragraph(line) for line in lines if line)]
    return "".join(parts)


def _uncertainty(answer: UncertaintyAnswer) -> str:
    rows = [
        [
            result_name(one.code), format_value(one.planned, one.unit), band_text(one),
            format_value(one.limit, one.unit), format_value(one.input_share, "share", 2),
        ]
        for one in answer.headlines
    ]  # fmt: skip
    headings = [tr("Result"), tr("Planned"), tr("P50 (P10–P90)"), tr("Limit"), tr("Spread from inputs")]
    text = heading(3, tr("How sure")) + paragraph(certainty_sentence(answer)) + paragraph(measurement_text(answer))
    return text + table(headings, rows, [1, 2, 3, 4])


def candidates_section(results: Results, workload: str) -> str:
    """The ranked candidates that run, then the best of each device, then why the others do not run."""
    answer = results.answer(workload)
    if answer is None:
        return ""
    ranked = [int(one) for one in answer.table.order[runs(answer.table)[answer.table.order]][:CANDIDATES_SHOWN]]
    best = best_of_each_device(answer, DEVICES_SHOWN)
    title = tr("{workload}: ranked candidates").format(workload=tr(WORKLOAD_TITLES[workload]))
    parts = [heading(3, title), _candidate_table(results, workload, best)]
    parts.append(paragraph(tr("The best candidate of each device. Below, the ranking with all layouts."), "quiet"))
    parts.append(
        folded(tr("The {count} best candidates").format(count=len(ranked)), _candidate_table(results, workload, ranked))
    )
    parts.append(_reasons_table(results, workload))
    return "".join(parts)


def _candidate_table(results: Results, workload: str, candidates: tuple[int, ...] | list[int]) -> str:
    answer = results.answer(workload)
    if answer is None or not len(candidates):
        return paragraph(tr("No candidate runs."), "quiet")
    described = [(name, unit, field_of(type(answer.table), name).about) for name, unit in _COLUMNS[workload]]
    headings = [
        tr("Candidate"),
        *(tr(about.title) for _, _, about in described),
        tr("Limit"),
        tr("Evidence"),
        tr("Remark"),
    ]
    rows = []
    for one in candidates:
        numbers = [format_value(float(column(answer.table, name)[one]), unit) for name, unit, _ in described]
        limit = int(answer.table.limit[one])
        rows.append(
            [
                candidate_text(results.plan, results.catalog, workload, one),
                *numbers,
                f"{resource_letter(limit)} {resource_name(limit)}",
                evidence_name(int(answer.table.evidence[one])),
                reason_text(results.plan, answer.table, one),
            ]
        )
    return element("div", table(headings, rows, range(1, len(described) + 1)), "scroll")


def _reasons_table(results: Results, workload: str) -> str:
    """How many candidates fall to each reason, with the one that came closest or ranks first."""
    answer = results.answer(workload)
    if answer is None:
        return ""
    reasons = answer.table.reason
    counts = Counter(int(reason) for reason in reasons if reason != Reason.NONE)
    if not counts:
        return ""
    rows = []
    for reason, count in counts.most_common():
        rows_of_reason = np.flatnonzero(reasons == reason)
        closest = int(rows_of_reason[np.argmin(np.nan_to_num(answer.table.reason_value[rows_of_reason]))])
        example = candidate_text(results.plan, results.catalog, workload, closest)
        sentence = reason_text(results.plan, answer.table, closest)
        rows.append([format_value(count), reason_for_many(reason), f"{example}: {sentence}"])
    total = tr("{count} of {total} candidates are not recommended").format(
        count=format_value(sum(counts.values())), total=format_value(len(reasons))
    )
    return folded(total, table([tr("Candidates"), tr("Reason"), tr("Closest")], rows, [0]))


def assumptions_section(results: Results) -> str:
    """Everything that the planner entered or left at its default."""
    details = [one for one in details_of(results.scenario) if one.title not in (tr("Name"), tr("Notes"))]
    inner = paragraph(tr("Values marked “default” were not changed from what the program starts with."), "quiet")
    return folded(tr("Inputs and assumptions"), inner + details_list(details))


def sources_section(results: Results) -> str:
    """The hardware figures behind the ranked candidates, with where and when they were read."""
    shown = _accelerators_shown(results)
    if not shown:
        return ""
    rows = [
        [
            entry.name,
            format_value(entry.memory_bytes, "bytes"),
            format_value(entry.memory_bandwidth_bytes_per_s, "bytes/s"),
            _price_text(entry),
            entry.date or tr("undated"),
            "; ".join(entry.sources) or tr("none stated"),
        ]
        for entry in shown
    ]
    headings = [tr("Accelerator"), tr("Memory"), tr("Bandwidth"), tr("Price"), tr("As of"), tr("Sources")]
    return folded(tr("Catalogue entries and their sources"), table(headings, rows, [1, 2]))


def _accelerators_shown(results: Results) -> list[Accelerator]:
    found: dict[str, Accelerator] = {}
    for workload in results.workloads():
        answer = results.answer(workload)
        if answer is None:
            continue
        for one in best_of_each_device(answer, DEVICES_SHOWN):
            accelerator_id = results.plan.accelerators[int(answer.table.accelerator[one])]
            entry = results.catalog.accelerators.get(accelerator_id)
            if entry is not None:
                found[accelerator_id] = entry
    return sorted(found.values(), key=lambda entry: accelerator_name(entry.id, results.catalog).casefold())


def _price_text(entry: Accelerator) -> str:
    parts = []
    if entry.rental is not None and entry.rental.on_demand_usd_per_h is not None:
        date = f", {entry.rental.as_of_to}" if entry.rental.as_of_to else ""
        parts.append(f"{format_quantity(entry.rental.on_demand_usd_per_h, 'USD/h')}{date}")
    if entry.price is not None:
        date = f", {entry.price.as_of}" if entry.price.as_of else ""
        parts.append(f"{format_quantity(entry.price.usd, 'USD')}{date}")
    return "; ".join(parts) or tr("none known")


def glossary_section(workloads: tuple[str, ...]) -> str:
    """What each figure means, from the descriptions beside its declaration."""
    tables = {"serving": ServingTable, "training": TrainingTable}
    seen: dict[str, About] = {}
    for workload in workloads:
        for field in fields_of(tables[workload]):
            if field.about.help and field.name != "order":
                seen.setdefault(field.about.title, field.about)
    rows = [[tr(title), tr(about.help), about.unit] for title, about in sorted(seen.items())]
    return folded(tr("Glossary"), table([tr("Figure"), tr("Meaning"), tr("Unit")], rows))


def notes_section(results: Results) -> str:
    notes = results.scenario.notes.strip()
    return heading(3, tr("Notes")) + f"<p>{text(notes).replace(chr(10), '<br>')}</p>" if notes else ""
