"""`gpuplanner report FILE.gpuplan -o OUT`: the plan as PDF, HTML, XLSX, CSV or Markdown, by the name's ending."""

from __future__ import annotations

import argparse
from pathlib import Path

import msgspec

from gpuplanner_gui.cli.plan import answered, own_project
from gpuplanner_gui.cli.terminal import OWN_FIGURES, PROJECT_FILE, Argument, ProgressLine, command, option
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.scenario import Project
from gpuplanner_gui.drawing.in_depth import about, chosen_candidates, compared, in_depth, ranked_candidate
from gpuplanner_gui.drawing.report_subjects import IN_SHORT, SUBJECTS
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.words.verdict import verdicts
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.knowledge import calibrated_by, load_calibration
from gpuplanner_gui.files.project import load_project


def _sections(text: str) -> tuple[str, ...]:
    names = tuple(SUBJECTS) if text == "all" else tuple(one.strip() for one in text.split(","))
    unknown = [one for one in names if one not in SUBJECTS]
    if unknown:
        raise argparse.ArgumentTypeError(f"there is no section {unknown[0]!r}; name some of {', '.join(SUBJECTS)}")
    return names


def _rank(workload: str) -> Argument:
    words = f"report the {workload} candidate at this place of the ranking, as `plan` lists them (default: the one "
    words += "that the file names as chosen, else 1, the best)"
    return option(f"--{workload}-rank", type=int, metavar="N", help=words)


@command(
    "report", "write a project's plan as a document",
    PROJECT_FILE,
    option("-o", "--output", type=Path, required=True, metavar="OUT",
           help="file to write; ends in .pdf, .html, .xlsx, .csv or .md"),
    option("--plots", type=Path, metavar="FOLDER", help="also write the plots as PNG files"),
    option(
        "--scenario", action="append", metavar="NAME", help="report only this scenario; may be given several times"
    ),
    *map(_rank, ("serving", "training")),
    option(
        "--sections", type=_sections, metavar="A,B",
        help=f"sections to write, of {', '.join(SUBJECTS)}; or all "
             f"(default: {','.join(IN_SHORT)}; for .xlsx and .csv all)",
    ),
    OWN_FIGURES,
)  # fmt: skip
def report(arguments: argparse.Namespace) -> int:
    """`gpuplanner report FILE.gpuplan -o OUT`: the plan as PDF, HTML, XLSX, CSV or Markdown, by the name's ending."""
    # Draws with Qt, which the other commands do without.
    from gpuplanner_gui.drawing.report import format_of, write_report

    format_of(arguments.output)
    project = load_project(arguments.file)
    if arguments.own_figures:
        project = own_project(project)
    planned = answered(_only(project, arguments.scenario or [], arguments.file))
    known = [calibrated_by(project.measurements, one.catalog, load_calibration()) for one in planned]
    ranks = {"serving": arguments.serving_rank, "training": arguments.training_rank}
    planned = tuple(_about_ranked(one, calibration, ranks, arguments.file) for one, calibration in zip(planned, known))
    answers = _in_depth(planned, known)
    written = write_report(project, answers, arguments.output, plots_dir=arguments.plots, subjects=arguments.sections)
    for results in answers:
        print(results.scenario.name)
        for verdict in verdicts(results):
            print(verdict.text)
        print()
    print(f"Report: {arguments.output.resolve()}")
    for path in written:
        if path.resolve() != arguments.output.resolve():
            print(f"Plot: {path.resolve()}")
    return 0


def _in_depth(planned: tuple[Results, ...], known: list[Calibration]) -> tuple[Results, ...]:
    """Everything that a document shows of each scenario, and of all beside each other."""
    answers: list[Results] = []
    with ProgressLine("Computing") as progress:
        for place, (results, calibration) in enumerate(zip(planned, known)):

            def tell(share: float, place: int = place) -> None:
                progress.show((place + share) / len(planned))

            answers.append(in_depth(results, calibration, tell, progress.beat))
        return compared(answers, known[0], progress.beat) if known else ()


def _only(project: Project, names: list[str], path: Path) -> Project:
    """The project with the scenarios of those names; all of them where none is named."""
    if not names:
        return project
    known = [one.name for one in project.scenarios]
    for name in names:
        if name not in known:
            listed = ", ".join(repr(one) for one in known)
            what = f"The project has no scenario {name!r}; it has {listed}"
            raise FileProblem(path, "", what, "Name one of them")
    return msgspec.structs.replace(project, scenarios=tuple(one for one in project.scenarios if one.name in names))


def _about_ranked(results: Results, calibration: Calibration, ranks: dict[str, int | None], path: Path) -> Results:
    chosen = chosen_candidates(results)
    for workload, rank in ranks.items():
        answer = results.answer(workload)
        if rank is None or answer is None:
            continue
        try:
            chosen[workload] = ranked_candidate(results, workload, rank)
        except IndexError:
            raise _no_such_rank(path, workload, rank, int(answer.table.fits.sum())) from None
        if not answer.table.fits[chosen[workload]]:
            raise _no_such_rank(path, workload, rank, int(answer.table.fits.sum()))
    return about(results, calibration, chosen)


def _no_such_rank(path: Path, workload: str, rank: int, count: int) -> FileProblem:
    what = f"No {workload} candidate that can run stands at place {rank}; {count} can"
    return FileProblem(path, "", what, "Look the place up in the list that `plan` prints")
