"""Puts a report together from a project's answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from gpuplanner_gui import __version__
from gpuplanner_gui.domain.catalog import Catalog, newest_date
from gpuplanner_gui.domain.economics import Economics
from gpuplanner_gui.domain.scenario import Project
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.report.deploy import deploy_sections
from gpuplanner_gui.drawing.report.model import Report, Section, clean, paragraph, section
from gpuplanner_gui.drawing.report.money import certainty_sections, money_sections
from gpuplanner_gui.drawing.report.monitoring import monitoring_sections
from gpuplanner_gui.drawing.report.order import order_sections
from gpuplanner_gui.drawing.report.plots import figures_of
from gpuplanner_gui.drawing.report.risks import findings_sections, risks_sections
from gpuplanner_gui.drawing.report.schedule import schedule_sections
from gpuplanner_gui.drawing.report.sections import (
    assumptions_sections,
    candidates_sections,
    comparison_sections,
    glossary_sections,
    sources_sections,
)
from gpuplanner_gui.drawing.report.summary import side_by_side_sections, summary_sections
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.shown_money import DOLLARS, missing_rate, money_of, money_shown
from gpuplanner_gui.drawing.units import exact_text


def report_of(project: Project, answers: Sequence[Results], today: date | None = None) -> Report:
    """The report of a project; `today` dates it, and the plan begins on it."""
    day = today or date.today()
    sections: list[Section] = []
    comparison = next((one.decision.comparison for one in answers if one.decision and one.decision.comparison), None)
    if comparison is not None:
        with money_shown(money_of(answers[0].scenario.economics)):
            sections += comparison_sections(comparison, answers[0])
    for results in answers:
        with money_shown(money_of(results.scenario.economics)):
            sections += _scenario(results, day, is_first=not sections)
    workloads = tuple(dict.fromkeys(workload for results in answers for workload in results.workloads()))
    about = tr("About the figures")
    sections += section(about, [paragraph(tr("What each figure means."), "quiet")], level=2, starts_page=True)
    sections += glossary_sections(workloads)
    return Report(
        title=clean(project.name) or tr("GPU plan"),
        provenance=_provenance(project, answers, day),
        introduction=clean(project.notes).strip(),
        sections=tuple(sections),
    )


def _scenario(results: Results, day: date, is_first: bool) -> Iterator[Section]:
    notes = [paragraph(line) for line in results.scenario.notes.strip().splitlines()]
    yield Section(clean(results.scenario.name), (), level=2, starts_page=not is_first)
    notes.append(paragraph(rate_note(results.scenario.economics), "quiet"))
    yield from summary_sections(results)
    yield from section(tr("Notes"), notes)
    rest: list[Section] = [*schedule_sections(results, day), *side_by_side_sections(results)]
    rest += [*findings_sections(results), *risks_sections(results), *monitoring_sections(results)]
    rest += [*order_sections(results), *certainty_sections(results), *money_sections(results)]
    rest += section(tr("Plots"), figures_of(results))
    rest += deploy_sections(results)
    for workload in results.workloads():
        rest += candidates_sections(results, workload)
    rest += [*assumptions_sections(results), *sources_sections(results)]
    for place, part in enumerate(rest):
        # The summary is a page of its own.
        yield part if place else Section(part.title, part.blocks, part.level, part.is_folded, starts_page=True)


def _provenance(project: Project, answers: Sequence[Results], day: date) -> tuple[str, ...]:
    digests = sorted({results.plan.calibration_digest for results in answers if results.plan.calibration_digest})
    parts = [
        tr("GPU Planner {version}").format(version=__version__), tr("written {day}").format(day=day),
        tr("seed {seed}").format(seed=project.seed),
    ]  # fmt: skip
    parts += [tr("calibration {digest}").format(digest=digest[:12]) for digest in digests]
    if project.catalog_digest:
        parts.append(tr("catalogue {digest}").format(digest=project.catalog_digest[:12]))
    dates = catalog_dates(answers[0].catalog) if answers else None
    if dates is not None:
        parts.append(tr("catalogue figures from {first} to {last}").format(first=dates[0], last=dates[1]))
    return tuple(clean(part) for part in parts)


def catalog_dates(catalog: Catalog) -> tuple[str, str] | None:
    """The oldest and the newest date of any accelerator's figures; None where none has a date."""
    dates = sorted(found for found in map(newest_date, catalog.accelerators.values()) if found)
    return (dates[0], dates[-1]) if dates else None


def rate_note(economics: Economics) -> str:
    """In which currency a document's amounts are, and by which rate; empty for dollars that nobody wanted otherwise."""
    money = money_of(economics)
    if money is DOLLARS:
        return missing_rate(economics)
    return tr("Amounts in {currency}, at {rate} US dollars for one.").format(
        currency=money.currency, rate=exact_text(money.usd_per_unit)
    )
