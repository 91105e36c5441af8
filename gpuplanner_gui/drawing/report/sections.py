"""Candidates, inputs, an estate, sources and glossary: what stands behind the decision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gpuplanner_gui.domain.catalog import newest_date
from gpuplanner_gui.domain.decision import ComparisonAnswer
from gpuplanner_gui.domain.field import About, field_of, fields_of
from gpuplanner_gui.domain.hardware import Accelerator
from gpuplanner_gui.domain.plan import Reason, ServingTable, TrainingTable, column
from gpuplanner_gui.drawing.candidates import best_of_each_device, runs
from gpuplanner_gui.drawing.carried import carried_lines
from gpuplanner_gui.drawing.comparison_rows import comparison_rows
from gpuplanner_gui.drawing.details import details_of
from gpuplanner_gui.drawing.estate_rows import (
    CASH,
    future_rows,
    now_lines,
    order_rows,
    period_rows,
    shown,
    shown_title,
    workload_rows,
)
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.numbers import SKIPPED
from gpuplanner_gui.drawing.report.model import (
    Block,
    Cell,
    Outline,
    ReportSection,
    Row,
    amount,
    clean_detail,
    paragraph,
    rows_cell,
    rows_table,
    section,
    table,
)
from gpuplanner_gui.drawing.report.plots import estate_figures
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import table_of
from gpuplanner_gui.drawing.unit_words import unit_text
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.value_ranges import entered_quantity_text, format_quantity
from gpuplanner_gui.drawing.words.candidates import (
    accelerator_name,
    candidate_text,
    estimates_text,
    evidence_text,
    formats_text,
    order_text,
    resource_name,
)
from gpuplanner_gui.drawing.words.choices import WORKLOAD_TITLES
from gpuplanner_gui.drawing.words.estate import (
    estate_lines,
    futures_line,
    futures_meaning,
    left_out_lines,
    unsure_lines,
)
from gpuplanner_gui.drawing.words.glossary import terms
from gpuplanner_gui.drawing.words.reasons import reason_for_many, reason_text
from gpuplanner_gui.drawing.words.request_kinds import columns_without_meaning

CANDIDATES_SHOWN = 20
DEVICES_SHOWN = 12

_COLUMNS: dict[str, tuple[tuple[str, str], ...]] = {
    "serving": (
        ("ttft_p95_s", "s"), ("e2e_p95_s", "s"), ("tpot_p95_s", "s"), ("headroom", "share"), ("replicas", ""),
        ("devices", ""), ("output_tokens_per_s_per_device", "tok/s"), ("usd_per_million_output_tokens", "USD"),
        ("usd_per_request", "USD"), ("usd_per_month", "USD"),
    ),
    "training": (
        ("run_time_s", "s"), ("deadline_slack_s", "s"), ("step_time_s", "s"), ("samples_per_s", "1/s"),
        ("mfu", "share"), ("goodput", "share"), ("device_hours", ""), ("usd_per_run", "USD"),
    ),
}  # fmt: skip


def candidates_sections(results: Results, workload: str) -> Iterator[ReportSection]:
    """Pinned candidates, the best one of each device, the ranking with all layouts, and why the others do not run."""
    answer = results.answer(workload)
    if answer is None:
        return
    if pinned := results.pinned.get(workload):
        compared = tuple(one for one in dict.fromkeys((answer.best, *pinned)) if one >= 0)
        words = tr("{workload}: pinned candidates beside the recommended one")
        heading = words.format(workload=tr(WORKLOAD_TITLES[workload]))
        yield from section(heading, [_candidate_table(results, workload, compared, heading)])
    ranked = [int(one) for one in answer.table.order[runs(answer.table)[answer.table.order]][:CANDIDATES_SHOWN]]
    best = best_of_each_device(answer, DEVICES_SHOWN)
    name = tr(WORKLOAD_TITLES[workload])
    title = tr("{workload}: ranked candidates").format(workload=name)
    note = tr("The best candidate of each device. The ranking with all layouts follows below.")
    of_service = (estimates_text(results.plan), formats_text(results.scenario.model)) if workload == "serving" else ()
    note = " ".join(one for one in (note, order_text(workload), *of_service) if one)
    if not len(best):
        yield from section(title, [paragraph(tr("No candidate can run."), "quiet")])
    else:
        yield from section(title, [_candidate_table(results, workload, best, title), paragraph(note, "quiet")])
    all_title = tr("{workload}: the {count} best candidates").format(workload=name, count=len(ranked))
    yield from section(all_title, [_candidate_table(results, workload, ranked, all_title)], level=4, is_folded=True)
    yield from _reasons_sections(results, workload)


def _candidate_table(results: Results, workload: str, candidates: Sequence[int], title: str) -> Block | None:
    answer = results.answer(workload)
    if answer is None:
        return None
    hidden = columns_without_meaning(results.scenario)
    told = [one for one in _COLUMNS[workload] if one[0] not in hidden]
    found = answer.table
    numbers = (
        (tr(field_of(type(found), name).about.title), unit, lambda one, name=name: float(column(found, name)[one]))
        for name, unit in told
    )
    rows = table_of(
        candidates,
        (tr("Candidate"), "", lambda one: candidate_text(results.plan, results.catalog, workload, one)),
        *numbers,
        (tr("Limit"), "", lambda one: resource_name(int(found.limit[one]))),
        (tr("Evidence"), "", lambda one: evidence_text(found, one)),
        (tr("Remark"), "", lambda one: reason_text(results.plan, found, one)),
    )
    return rows_table(title, rows, has_units=False)


def _reasons_sections(results: Results, workload: str) -> Iterator[ReportSection]:
    """Sections on candidates that are not recommended, by reason, with the closest one."""
    answer = results.answer(workload)
    if answer is None:
        return
    reasons = answer.table.reason
    counts = Counter(int(reason) for reason in reasons if reason != Reason.NONE)
    rows: list[Row] = []
    for reason, count in counts.most_common():
        rows_of_reason = np.flatnonzero(reasons == reason)
        closest = int(rows_of_reason[np.argmin(np.nan_to_num(answer.table.reason_value[rows_of_reason]))])
        example = candidate_text(results.plan, results.catalog, workload, closest)
        sentence = reason_text(results.plan, answer.table, closest)
        rows.append([amount(count), reason_for_many(reason), f"{example}: {sentence}"])
    total = tr("{workload}: {count} of {total} candidates are not recommended").format(
        workload=tr(WORKLOAD_TITLES[workload]), count=format_value(sum(counts.values())),
        total=format_value(len(reasons)),
    )  # fmt: skip
    made = table(total, [tr("Candidates"), tr("Reason"), tr("Closest")], rows)
    yield from section(total, [made], level=4, is_folded=True)


def assumptions_sections(results: Results) -> Iterator[ReportSection]:
    """Everything that the planner entered or left at its default."""
    entered = details_of(results.scenario, entered_quantity_text)
    details = tuple(clean_detail(one) for one in entered if one.name not in ("name", "notes"))
    note = tr("Values marked “default” are the program's defaults.")
    yield from section(tr("Inputs and assumptions"), [paragraph(note, "quiet"), Outline(details)], is_folded=True)


def sources_sections(results: Results) -> Iterator[ReportSection]:
    """Figures that the file brings; the hardware figures behind the candidates, with where and when they were read."""
    lines = carried_lines(results.catalog, results.project, [results.scenario])
    if lines:
        yield from section(tr("Figures defined in this file"), [paragraph(one) for one in lines])
    rows = table_of(
        _accelerators_shown(results),
        (tr("Accelerator"), "", lambda entry: entry.name),
        (tr("Memory"), "bytes", lambda entry: entry.memory_nominal_bytes),
        (tr("Bandwidth"), "bytes/s", lambda entry: entry.memory_bandwidth_bytes_per_s),
        (tr("Price"), "", _price_text),
        (tr("As of"), "", lambda entry: newest_date(entry) or tr("undated")),
        (tr("Sources"), "", lambda entry: "; ".join(entry.sources) or tr("none stated")),
    )
    title = tr("Catalogue entries and their sources")
    yield from section(title, [rows_table(title, rows, has_units=False)], is_folded=True)


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


def comparison_sections(answer: ComparisonAnswer, results: Results) -> Iterator[ReportSection]:
    """The project's scenarios side by side: inputs that differ, results with bands, rank."""
    compared = comparison_rows(answer, results.catalog)
    title = tr("Scenarios compared")
    yield from section(title, [rows_table(title, compared)], level=2)


def glossary_sections(answers: Sequence[Results]) -> Iterator[ReportSection]:
    """Terms of the field, and what each figure means, from the descriptions beside its declaration."""
    tables = {"serving": ServingTable, "training": TrainingTable}
    seen: dict[str, About] = {}
    for results in answers:
        is_whole = results.scenario.first_latency == "e2e"
        hidden = {_family(name) for name in columns_without_meaning(results.scenario)} if is_whole else set()
        for workload in results.workloads():
            for field in fields_of(tables[workload]):
                if field.about.help and field.name not in SKIPPED and _family(field.name) not in hidden:
                    seen.setdefault(field.about.title, field.about)
    rows = [[tr(title), tr(about.help), unit_text(about.unit)] for title, about in sorted(seen.items())]
    headings = [tr("Figure"), tr("Meaning"), tr("Unit")]
    known = table(tr("Terms"), [tr("Term"), tr("Meaning")], [[term, said] for term, said in terms()])
    made = table(tr("Figures of the candidates"), headings, rows)
    yield from section(tr("Glossary"), [known, made], is_folded=True)


def _family(name: str) -> str:
    """What a column tells, in whichever quantile: ttft of ttft_p95_s and of ttft_low80_s."""
    return name.split("_")[0] if name.endswith("_s") else name


SUMMED = (*CASH, "proceeds_usd", "net_usd", "emissions_t")
"""Columns of the periods with a total."""


def estate_sections(results: Results) -> Iterator[ReportSection]:
    """Sections about the estate; none where it is not planned."""
    found = results.estate
    if found is None or found.answer is None:
        return
    answer = found.answer
    lines = [*estate_lines(answer), *left_out_lines(results.project, answer.estate, results.catalog)]
    lines += unsure_lines(results.known.comparison, answer)
    blocks: list[Block | None] = [paragraph(line) for line in lines]
    blocks += estate_figures(results)
    blocks.append(_period_table(period_rows(answer)))
    blocks.append(rows_table(tr("Orders by date"), shown(order_rows(answer)), has_units=False))
    blocks.append(rows_table(tr("Where workloads run"), shown(workload_rows(answer)), has_units=False))
    if found.ahead is not None:
        blocks.append(paragraph(futures_line(found.ahead)))
        blocks += [paragraph(line) for line in now_lines(answer, found.ahead)]
        blocks.append(paragraph(futures_meaning(answer)))
        blocks.append(rows_table(tr("Futures"), shown(future_rows(found.ahead)), has_units=False))
    yield ReportSection(tr("Estate"), (), level=2, starts_page=True)
    yield from section(tr("Plan of the estate"), blocks)


def _period_table(data: list[dict[str, Any]]) -> Block | None:
    """Cash by period: what each period pays in the end, and totals, are formulas where the format has some."""
    for row in data:
        row["net_usd"] = sum(row[kind] for kind in CASH) - row["proceeds_usd"]
    keys = ["month", *CASH, "proceeds_usd", "net_usd", "power_kw", "emissions_t", "fill"]
    rows = shown([{key: row[key] for key in keys} for row in data])
    net, sold = keys.index("net_usd"), keys.index("proceeds_usd")
    paid = "+".join(f"{{{keys.index(kind)}}}" for kind in CASH)
    cells = []
    for values in rows.cells:
        line = [rows_cell(one, rows.columns[place].unit) for place, one in enumerate(values)]
        line[net] = replace(line[net], formula=f"{paid}-{{{sold}}}")
        cells.append(line)
    total: list[Cell | str] = [tr("Total")]
    for place, key in list(enumerate(keys))[1:]:
        if key in SUMMED:
            whole = sum(float(values[place] or 0.0) for values in rows.cells)
            total.append(replace(amount(whole, rows.columns[place].unit), formula="SUM({above})"))
        else:
            total.append("")
    return table(tr("Money, power and emissions by period"), [shown_title(key) for key in keys], [*cells, total])
