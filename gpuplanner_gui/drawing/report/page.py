"""The whole page, and writing it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gpuplanner_gui import __version__
from gpuplanner_gui.domain.scenario import Project
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.report.html import element, heading, paragraph, picture, text
from gpuplanner_gui.drawing.report.plots import WIDTH, DrawnPlot, drawn_plots, file_name
from gpuplanner_gui.drawing.report.sections import (
    assumptions_section,
    candidates_section,
    decision_section,
    findings_section,
    glossary_section,
    notes_section,
    sources_section,
    verdict_section,
)
from gpuplanner_gui.drawing.report.style import STYLE
from gpuplanner_gui.drawing.results import Results

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
"""The page may load nothing, whatever a name in it tries."""


def write_report(
    project: Project, answers: Sequence[Results], path: Path, plots_dir: Path | None = None
) -> tuple[Path, ...]:
    """Write the page, and its plots as PNG where a folder is given; returns what was written.

    Raises OSError as the disk does. Works without a display.
    """
    plots = [drawn_plots(results) for results in answers]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(report_html(project, answers, plots), encoding="utf-8")
    written = [path]
    if plots_dir is not None:
        plots_dir.mkdir(parents=True, exist_ok=True)
        for results, drawn in zip(answers, plots):
            for plot in drawn:
                target = plots_dir / file_name(results.scenario.name, plot.name)
                target.write_bytes(plot.png)
                written.append(target)
    return tuple(written)


def report_html(project: Project, answers: Sequence[Results], plots: Sequence[Sequence[DrawnPlot]]) -> str:
    """The page as text; `plots` holds the drawn plots of each answer."""
    title = project.name or tr("GPU plan")
    body = heading(1, title) + _provenance(project, answers)
    if project.notes.strip():
        body += paragraph(project.notes.strip())
    for results, drawn in zip(answers, plots):
        body += _scenario(results, drawn)
    workloads = tuple(dict.fromkeys(workload for results in answers for workload in results.workloads()))
    body += heading(2, tr("About the figures")) + glossary_section(workloads)
    head = (
        '<meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{text(title)}</title><style>{STYLE}</style>"
    )
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>{element("main", body)}</body></html>\n'


def _provenance(project: Project, answers: Sequence[Results]) -> str:
    digests = sorted({results.plan.calibration_digest for results in answers if results.plan.calibration_digest})
    parts = [tr("GPU Planner {version}").format(version=__version__), tr("seed {seed}").format(seed=project.seed)]
    parts += [tr("calibration {digest}").format(digest=digest[:12]) for digest in digests]
    if project.catalog_digest:
        parts.append(tr("catalogue {digest}").format(digest=project.catalog_digest[:12]))
    return paragraph(" · ".join(parts), "quiet")


def _scenario(results: Results, drawn: Sequence[DrawnPlot]) -> str:
    parts = [heading(2, results.scenario.name), verdict_section(results), findings_section(results)]
    parts += [notes_section(results), decision_section(results)]
    parts += [picture(plot.png, plot.title, WIDTH) for plot in drawn]
    parts += [candidates_section(results, workload) for workload in results.workloads()]
    parts += [assumptions_section(results), sources_section(results)]
    return "".join(parts)
