"""Writes a report in the format that its file's name asks for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path

from gpuplanner_gui.domain.scenario import Project
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.report.build import report_of
from gpuplanner_gui.drawing.report.html import html_page
from gpuplanner_gui.drawing.report.model import Report, ReportFigure
from gpuplanner_gui.drawing.report.plain import csv_text, markdown_text
from gpuplanner_gui.drawing.report.plots import figure_picture, figure_png
from gpuplanner_gui.drawing.report.xlsx import xlsx_bytes
from gpuplanner_gui.drawing.report_subjects import IN_SHORT, SUBJECTS
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.whole_file import write_whole_file

FORMATS = {".pdf": "PDF", ".html": "HTML", ".xlsx": "Excel", ".csv": "CSV", ".md": "Markdown"}
"""Suffix to name, in the order in which they are offered."""
_DRAWN_BY: dict[str, Callable[[ReportFigure], bytes]] = {".html": figure_png, ".md": figure_png, ".pdf": figure_picture}
Pictures = dict[ReportFigure, bytes]


def format_of(path: Path) -> str:
    """The format that a file's name asks for. Raises FileProblem for one that there is not."""
    suffix = path.suffix.lower()
    if suffix in (".htm", ".markdown"):
        return {".htm": ".html", ".markdown": ".md"}[suffix]
    if suffix not in FORMATS:
        what = tr("“{suffix}” is not a report format").format(suffix=suffix or path.name)
        remedy = tr("Use a file name that ends in one of {formats}").format(formats=", ".join(FORMATS))
        raise FileProblem(path, "", what, remedy)
    return suffix


def usual_subjects(suffix: str) -> tuple[str, ...]:
    """Default subjects of a format: a document has the short ones, data formats have all."""
    return IN_SHORT if suffix in _DRAWN_BY else tuple(SUBJECTS)


def drawings(report: Report, suffix: str) -> Iterator[tuple[ReportFigure, bytes]]:
    """The figures that a format wants, one by one; on the thread that draws."""
    draw = _DRAWN_BY.get(suffix)
    if draw is not None:
        for figure in report.figures():
            yield figure, draw(figure)


def rendered(report: Report, suffix: str, pictures: Pictures, path: Path) -> dict[Path, bytes]:
    """Every file of a report with its content; Markdown has its pictures in a folder beside it."""
    if suffix == ".md":
        folder, names = path.with_name(f"{path.stem}-plots"), _names(pictures)
        text = markdown_text(report, {figure: f"{_in_link(folder.name)}/{name}" for figure, name in names.items()})
        files = {path: text.encode("utf-8")}
        return files | {folder / name: pictures[figure] for figure, name in names.items()}
    if suffix == ".pdf":
        # Qt's fonts are loaded for the formats that need them alone.
        from gpuplanner_gui.drawing.report.pdf import pdf_bytes

        return {path: pdf_bytes(report, pictures)}
    if suffix == ".xlsx":
        return {path: xlsx_bytes(report)}
    if suffix == ".csv":
        return {path: csv_text(report).encode("utf-8-sig")}
    return {path: html_page(report, pictures).encode("utf-8")}


def write_report(
    project: Project,
    answers: Sequence[Results],
    path: Path,
    plots_dir: Path | None = None,
    subjects: Collection[str] | None = None,
) -> tuple[Path, ...]:
    """Write the report of these subjects, and its plots as PNG where a folder is given; returns what was written.

    Raises FileProblem for a name without a format, or a place where nothing can be written. Works without a display.
    """
    suffix = format_of(path)
    report = report_of(project, answers, subjects=usual_subjects(suffix) if subjects is None else subjects)
    files = rendered(report, suffix, dict(drawings(report, suffix)), path)
    if plots_dir is not None:
        every = report_of(project, answers, subjects=("plots",))
        figures = {figure: figure_png(figure) for figure in every.figures()}
        files |= {plots_dir / name: figures[figure] for figure, name in _names(figures).items()}
    for target, content in files.items():
        write_file(target, content)
    return tuple(files)


def write_file(path: Path, content: bytes) -> None:
    """Write a file whole, into a folder that is made where it is missing; a link stays one. Raises FileProblem."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = tr("the report can't be written ({reason})").format(reason=error.strerror or error)
        raise FileProblem(path, "", what, tr("Choose another folder or name")) from error
    write_whole_file(path, content)


def _names(figures: Iterable[ReportFigure]) -> dict[ReportFigure, str]:
    """A file name for each figure, told apart by a number where two would share one."""
    names: dict[ReportFigure, str] = {}
    taken: set[str] = set()
    for figure in figures:
        name, number = figure.name, 1
        while name in taken:
            number += 1
            name = f"{figure.name.removesuffix('.png')}-{number}.png"
        taken.add(name)
        names[figure] = name
    return names


def _in_link(name: str) -> str:
    """A folder's name as a link in Markdown takes it."""
    return "".join(
        one
        if one.isalnum() or one in "-_."
        else "".join(f"%{byte:02X}" for byte in one.encode("utf-8", "surrogateescape"))
        for one in name
    )
