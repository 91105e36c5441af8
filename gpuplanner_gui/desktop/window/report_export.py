"""File › Export Report: asks for a name, shows how far it is, and says where the document is or why there is none."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QProgressDialog

from gpuplanner_gui.desktop.dialogs.deploy import ReportContents, ReportDialog
from gpuplanner_gui.desktop.settings import last_folder
from gpuplanner_gui.desktop.tasks.runner import Step, TaskRunner, Watch, failure_text
from gpuplanner_gui.desktop.widgets.message_bar import MessageBar, Severity
from gpuplanner_gui.drawing.language import listed, tr
from gpuplanner_gui.drawing.words.files import file_problem_text
from gpuplanner_gui.files.errors import FileProblem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
    from gpuplanner_gui.desktop.window.window_parts import WindowParts
    from gpuplanner_gui.domain.scenario import Project, Scenario
    from gpuplanner_gui.drawing.report.model import Report, ReportFigure
    from gpuplanner_gui.drawing.results import Results


ANSWERS, FILE = "answers", "file"
"""Steps."""
COMPUTED_SHARE = 0.6
"""Share of the progress bar for computing answers; plots and writing take the rest."""
DRAWN_SHARE = 0.9
"""Share of the progress bar that is done when all plots are drawn."""
STEPS = 1000


@dataclass(frozen=True, kw_only=True)
class ReportJob:
    """A report to be written, as far as it is known."""

    project: Project
    path: Path
    suffix: str
    on_screen: Results | None = None
    """Spares planning its scenario again."""
    contents: ReportContents | None = None
    """None: every scenario, with what the file names as chosen."""
    report: Report | None = None
    pictures: dict[ReportFigure, bytes] = field(default_factory=dict)

    def is_on_screen(self, scenario: Scenario) -> bool:
        return self.on_screen is not None and self.on_screen.scenario is scenario


class ReportExport(QObject):
    """One report at a time: answers and file on a thread of its own, plots here, one in each turn of the event loop."""

    finished = Signal(bool)
    """True with a document on disk; False without one, or given up."""

    def __init__(self, parts: WindowParts, say_unread: Callable[[str], bool]) -> None:
        """`say_unread` says what was done, with the fields that it could not include; False where it has all."""
        super().__init__(parts.frame)
        self._parts = parts
        self._say_unread = say_unread
        self._job: ReportJob | None = None
        self._figures: Iterator[tuple[ReportFigure, bytes]] = iter(())
        self.dialog: QProgressDialog | None = None
        self._runner = TaskRunner("report", self)
        self._runner.answered.connect(self._on_answered)
        self._runner.progressed.connect(lambda step, share: self._tell(share) if step == ANSWERS else None)
        self._runner.failed.connect(lambda _, problem: self._end(failure_text(problem)))

    @property
    def is_running(self) -> bool:
        return self._job is not None

    def by_dialog(self) -> None:
        """Ask for the document's name; its ending says the format."""
        from gpuplanner_gui.drawing.report import FORMATS

        if self.is_running or self._parts.compute.engine is None or not self._parts.store.project.scenarios:
            return
        # The keys for it leave the cursor in its field.
        self._parts.file.finish_typing()
        contents = self._contents()
        if contents is None:
            return
        stem = self._parts.file.path.stem if self._parts.file.path else tr("plan")
        filters = {f"{name} (*{suffix})": suffix for suffix, name in FORMATS.items()}
        name, chosen = QFileDialog.getSaveFileName(
            self._parts.frame, tr("Export report"), last_folder.place_for(f"{stem}.pdf"), ";;".join(filters)
        )
        if name:
            path = Path(name)
            last_folder.note(path)
            self.start(path if path.suffix else path.with_suffix(filters.get(chosen, ".pdf")), contents)

    def _contents(self) -> ReportContents | None:
        """Ask what the report should contain; None if the planner cancels."""
        from gpuplanner_gui.drawing.in_depth import chosen_candidates

        project, results = self._parts.store.project, self._on_screen()
        chosen = chosen_candidates(results) if results is not None else {}
        names = tuple(one.name for one in project.scenarios)
        preview = partial(_preview, project, results) if results is not None else None
        has_estate = project.estate is not None and bool(project.estate.workloads)
        dialog = ReportDialog(
            names, max(self._parts.store.current, 0), chosen, described(results, chosen), self._parts.frame, preview,
            has_estate=has_estate, has_pinned=results is not None and any(results.pinned.values()),
        )  # fmt: skip
        return dialog.contents if dialog.exec() else None

    def _on_screen(self) -> Results | None:
        """What the window shows of the scenario at hand, with its simulation."""
        results, pane, bar = self._parts.planner.results_of_now(), self._parts.results_pane, self._parts.verdict
        if results is None or pane is None or bar is None:
            return results
        return bar.with_simulation(pane.with_known(results))

    def start(self, path: Path, contents: ReportContents | None = None) -> None:
        """Write the report of the project as it stands now, whole or in part."""
        from gpuplanner_gui.drawing.report import format_of

        try:
            suffix = format_of(path)
        except FileProblem as problem:
            self._end(file_problem_text(problem))
            return
        self._job = job = ReportJob(
            project=self._parts.store.project, path=path, on_screen=self._on_screen(), suffix=suffix,
            contents=contents,
        )  # fmt: skip
        self._show_progress()
        engine = self._parts.compute.engine
        self._runner.run(lambda: (Step(ANSWERS, partial(_answers, job, engine)),))

    def cancel(self) -> None:
        """Give it up; what is not on disk yet will not be."""
        if self.is_running:
            self._end("")

    def stop(self) -> None:
        """End the thread; running work gives up at its next look."""
        self._job = None
        self._runner.stop()

    def _show_progress(self) -> None:
        dialog = QProgressDialog(tr("Computing every scenario in depth…"), tr("Cancel"), 0, STEPS, self._parts.frame)
        dialog.setWindowTitle(tr("Export report"))
        dialog.setWindowModality(Qt.WindowModality.WindowModal)
        dialog.setMinimumWidth(420)
        dialog.setMinimumDuration(0)
        dialog.setAutoClose(False)
        dialog.setAutoReset(False)
        dialog.setValue(0)
        dialog.canceled.connect(self.cancel)
        self.dialog = dialog

    def _tell(self, share: float, words: str = "") -> None:
        if self.dialog is not None:
            self.dialog.setValue(round(STEPS * share))
            if words:
                self.dialog.setLabelText(words)

    def _on_answered(self, step: str, value: Any) -> None:
        if step == FILE:
            self._end("", value)
            return
        self._tell(COMPUTED_SHARE, tr("Drawing plots…"))
        job = self._job
        QTimer.singleShot(0, self, lambda: self._begin_drawing(job, value))

    def _begin_drawing(self, job: ReportJob | None, answers: Any) -> None:
        from gpuplanner_gui.drawing.report import drawings, report_of, usual_subjects

        if job is None or job is not self._job:
            return
        chosen = job.contents.subjects if job.contents is not None else None
        report = report_of(job.project, answers, subjects=usual_subjects(job.suffix) if chosen is None else chosen)
        self._job = job = replace(job, report=report)
        self._figures = drawings(report, job.suffix)
        self._draw_next(job, sum(1 for _ in report.figures()))

    def _draw_next(self, job: ReportJob, count: int) -> None:
        """Draw one plot, and leave the window a turn before the next."""
        if job is not self._job:
            return
        drawn = next(self._figures, None)
        if drawn is None:
            self._tell(DRAWN_SHARE, tr("Writing {name}…").format(name=job.path.name))
            self._runner.run(lambda: (Step(FILE, partial(_write, job)),))
            return
        job.pictures[drawn[0]] = drawn[1]
        done = len(job.pictures) / max(count, 1)
        self._tell(COMPUTED_SHARE + (DRAWN_SHARE - COMPUTED_SHARE) * done)
        QTimer.singleShot(0, self, lambda: self._draw_next(job, count))

    def _end(self, problem: str, paths: tuple[Path, ...] = ()) -> None:
        self._runner.cancel()
        self._job, self._figures = None, iter(())
        if self.dialog is not None:
            dialog, self.dialog = self.dialog, None
            dialog.canceled.disconnect(self.cancel)
            dialog.close()
            dialog.deleteLater()
        if problem:
            self._parts.messages.show_message(problem, Severity.ERROR)
        elif paths:
            path = paths[0]
            words = partial(lambda path: tr("The report is in {path}").format(path=path), path)
            url = QUrl.fromLocalFile(str(path))
            if not self._say_unread(f"{words()}."):
                self._parts.messages.show_message(
                    words, Severity.NOTE, lambda: tr("Open"), (MessageBar, lambda _: QDesktopServices.openUrl(url))
                )
        self.finished.emit(bool(paths))


def _answers(job: ReportJob, engine: Any, watch: Watch) -> tuple[Results, ...]:
    """Every scenario in depth."""
    from gpuplanner_gui.drawing.in_depth import about, chosen_candidates, compared, in_depth

    calibration = engine.calibration_of(job.project)
    wanted = job.contents
    places = range(len(job.project.scenarios)) if wanted is None else wanted.scenarios
    scenarios = [job.project.scenarios[place] for place in places if place < len(job.project.scenarios)]
    answers: list[Results] = []
    for place, scenario in enumerate(scenarios):

        def tell(share: float, place: int = place) -> None:
            watch.progress(COMPUTED_SHARE * (place + share) / len(scenarios))

        tell(0.0)
        planned = _planned(job, scenario, engine, watch)
        chosen = chosen_candidates(planned)
        if wanted is not None and job.is_on_screen(scenario):
            chosen = dict(wanted.chosen)
        planned = about(planned, calibration, chosen)
        answers.append(in_depth(planned, calibration, tell, watch.is_cancelled))
    return compared(answers, calibration, watch.is_cancelled)


def _planned(job: ReportJob, scenario: Scenario, engine: ShippedEngine, watch: Watch) -> Results:
    from gpuplanner_gui.drawing.results import Results

    if job.on_screen is not None and job.is_on_screen(scenario):
        # The document is about what the file names or recommends, whatever row is looked at, unless it is asked for.
        return replace(job.on_screen, selected={})
    quick = engine.plan(job.project, scenario, watch.is_cancelled)
    plan = engine.simulated_plan(job.project, scenario, quick, watch.is_cancelled)
    return Results(project=job.project, scenario=scenario, plan=plan, catalog=engine.catalog_of(job.project))


def _write(job: ReportJob, watch: Watch) -> tuple[Path, ...]:
    """Put the document together and on disk; its files, the one to be opened first."""
    from gpuplanner_gui.drawing.report import rendered, write_file

    assert job.report is not None
    files = rendered(job.report, job.suffix, job.pictures, job.path)
    if not watch.is_cancelled():
        for path, content in files.items():
            write_file(path, content)
    return tuple(files)


def described(results: Results | None, chosen: dict[str, int]) -> str:
    """Accelerators of the candidates."""
    from gpuplanner_gui.drawing.words.candidates import accelerator_of

    if results is None:
        return ""
    names = []
    for workload, candidate in chosen.items():
        table = results.plan.answers[workload].table
        devices = round(float(table.devices[candidate]))
        names.append(f"{devices} × {accelerator_of(results.plan, results.catalog, table, candidate)}")
    return listed(names)


def _preview(project: Project, results: Results, subject: str) -> str:
    """Preview of a section for the scenario on screen, without pictures: HTML with every text escaped."""
    from gpuplanner_gui.drawing.report import report_of
    from gpuplanner_gui.drawing.report.html import sections_html

    if subject == "plots":
        return tr("The plots of every page.")
    return sections_html(report_of(project, (results,), subjects=(subject,)))
