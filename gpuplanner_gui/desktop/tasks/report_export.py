"""File › Export Report: asks for a name, shows how far it is, and says where the document is or why there is none."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, QThread, QTimer, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QProgressDialog

from gpuplanner_gui.desktop.dialogs.report import ReportContents, ReportDialog
from gpuplanner_gui.desktop.message_bar import Severity
from gpuplanner_gui.desktop.settings import Key, text_setting
from gpuplanner_gui.desktop.tasks.ending_thread import end_thread
from gpuplanner_gui.desktop.tasks.report_worker import COMPUTED_SHARE, ReportJob, ReportWorker
from gpuplanner_gui.drawing.language import listed, tr
from gpuplanner_gui.drawing.words.files import file_problem_text
from gpuplanner_gui.files.errors import FileProblem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuplanner_gui.desktop.main_window import MainWindow
    from gpuplanner_gui.drawing.report.model import Figure
    from gpuplanner_gui.drawing.results import Results


DRAWN_SHARE = 0.9
"""Of the progress bar, when all plots are drawn."""
STEPS = 1000


class ReportExport(QObject):
    """One report at a time: answers and file on a thread of its own, plots here, one in each turn of the event loop."""

    finished = Signal(bool)
    """True with a document on disk; False without one, or given up."""

    _ask = Signal(object)
    _ask_to_write = Signal(object)

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._generation = 0
        self._job: ReportJob | None = None
        self._figures: Iterator[tuple[Figure, bytes]] = iter(())
        self.dialog: QProgressDialog | None = None
        self._thread = QThread(self)
        self._thread.setObjectName("report")
        self._worker = ReportWorker(lambda: window.compute.engine, lambda: self._generation)
        self._worker.moveToThread(self._thread)
        queued = Qt.ConnectionType.QueuedConnection
        self._ask.connect(self._worker.answer, queued)
        self._ask_to_write.connect(self._worker.write, queued)
        self._worker.answered.connect(self._on_answered, queued)
        self._worker.progressed.connect(self._on_progressed, queued)
        self._worker.written.connect(self._on_written, queued)
        self._worker.failed.connect(self._on_failed, queued)

    @property
    def is_running(self) -> bool:
        return self._job is not None

    def by_dialog(self) -> None:
        """Ask for the document's name; its ending says the format."""
        from gpuplanner_gui.drawing.report import FORMATS

        if self.is_running or self._window.compute.engine is None or not self._window.store.project.scenarios:
            return
        # The keys for it leave the cursor in its field.
        self._window.file.finish_typing()
        contents = self._contents()
        if contents is None:
            return
        folder = Path(text_setting(self._window.settings, Key.LAST_FOLDER, str(Path.home())))
        stem = self._window.file.path.stem if self._window.file.path else tr("plan")
        filters = {f"{name} (*{suffix})": suffix for suffix, name in FORMATS.items()}
        name, chosen = QFileDialog.getSaveFileName(
            self._window, tr("Export report"), str(folder / f"{stem}.pdf"), ";;".join(filters)
        )
        if name:
            path = Path(name)
            self._window.settings.setValue(Key.LAST_FOLDER, str(path.parent))
            self.start(path if path.suffix else path.with_suffix(filters.get(chosen, ".pdf")), contents)

    def _contents(self) -> ReportContents | None:
        """What the planner wants in the report; None where it was given up. Asks only where there is a choice."""
        project, results = self._window.store.project, self._window.compute.results
        everything = ReportContents(tuple(range(len(project.scenarios))))
        is_new = results is not None and results.project is project and results.scenario is self._window.store.scenario
        chosen = chosen_candidates(results) if is_new else {}
        if len(project.scenarios) < 2 and not chosen:
            return everything
        names = tuple(one.name for one in project.scenarios)
        current = next((place for place, one in enumerate(project.scenarios) if one is self._window.store.scenario), 0)
        dialog = ReportDialog(names, current, chosen, described(results, chosen), self._window)
        return dialog.contents if dialog.exec() else None

    def start(self, path: Path, contents: ReportContents | None = None) -> None:
        """Write the report of the project as it stands now, whole or in part."""
        from gpuplanner_gui.drawing.report import format_of

        try:
            suffix = format_of(path)
        except FileProblem as problem:
            self._end(file_problem_text(problem))
            return
        self._generation += 1
        self._job = ReportJob(
            generation=self._generation, project=self._window.store.project, path=path,
            on_screen=self._window.compute.results, suffix=suffix, contents=contents,
        )  # fmt: skip
        self._show_progress()
        if not self._thread.isRunning():
            self._thread.start()
        self._ask.emit(self._job)

    def cancel(self) -> None:
        """Give it up; what is not on disk yet will not be."""
        if self.is_running:
            self._end("")

    def stop(self) -> None:
        """End the thread; running work gives up at its next look."""
        self._generation += 1
        self._job = None
        end_thread(self._thread, self._worker)

    def _show_progress(self) -> None:
        dialog = QProgressDialog(tr("Computing every scenario in depth…"), tr("Cancel"), 0, STEPS, self._window)
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

    @Slot(int, float)
    def _on_progressed(self, generation: int, share: float) -> None:
        if generation == self._generation:
            self._tell(share)

    @Slot(int, object)
    def _on_answered(self, generation: int, answers: Any) -> None:
        if generation != self._generation or self._job is None:
            return
        self._tell(COMPUTED_SHARE, tr("Drawing plots…"))
        QTimer.singleShot(0, self, lambda: self._begin_drawing(generation, answers))

    def _begin_drawing(self, generation: int, answers: Any) -> None:
        from gpuplanner_gui.drawing.report import drawings, report_of

        if generation != self._generation or self._job is None:
            return
        report = report_of(self._job.project, answers)
        self._job = replace(self._job, report=report)
        self._figures = drawings(report, self._job.suffix)
        self._draw_next(generation, sum(1 for _ in report.figures()))

    def _draw_next(self, generation: int, count: int) -> None:
        """Draw one plot, and leave the window a turn before the next."""
        if generation != self._generation or self._job is None:
            return
        drawn = next(self._figures, None)
        if drawn is None:
            self._tell(DRAWN_SHARE, tr("Writing {name}…").format(name=self._job.path.name))
            self._ask_to_write.emit(self._job)
            return
        self._job.pictures[drawn[0]] = drawn[1]
        done = len(self._job.pictures) / max(count, 1)
        self._tell(COMPUTED_SHARE + (DRAWN_SHARE - COMPUTED_SHARE) * done)
        QTimer.singleShot(0, self, lambda: self._draw_next(generation, count))

    @Slot(int, object)
    def _on_written(self, generation: int, paths: Any) -> None:
        if generation == self._generation:
            self._end("", paths)

    @Slot(int, str)
    def _on_failed(self, generation: int, message: str) -> None:
        if generation == self._generation:
            self._end(message)

    def _end(self, problem: str, paths: tuple[Path, ...] = ()) -> None:
        self._generation += 1
        self._job, self._figures = None, iter(())
        if self.dialog is not None:
            dialog, self.dialog = self.dialog, None
            dialog.canceled.disconnect(self.cancel)
            dialog.close()
            dialog.deleteLater()
        if problem:
            self._window.messages.show_message(problem, Severity.ERROR)
        elif paths:
            path = paths[0]
            words = partial(_written_text, path)
            url = QUrl.fromLocalFile(str(path))
            if not self._window.unread.say_after(f"{words()}."):
                self._window.messages.show_message(
                    words, Severity.NOTE, lambda: tr("Open"), lambda _: QDesktopServices.openUrl(url)
                )
        self.finished.emit(bool(paths))


def _written_text(path: Path) -> str:
    return tr("The report is in {path}").format(path=path)


def chosen_candidates(results: Results | None) -> dict[str, int]:
    """Candidates selected in the tables that can run and are not the recommended ones, by workload."""
    if results is None:
        return {}
    found: dict[str, int] = {}
    for workload in results.workloads():
        answer, candidate = results.answer(workload), results.candidate(workload)
        if answer is not None and 0 <= candidate != answer.best and answer.table.fits[candidate]:
            found[workload] = candidate
    return found


def described(results: Results | None, chosen: dict[str, int]) -> str:
    """Accelerators of the candidates."""
    from gpuplanner_gui.drawing.words.candidates import accelerator_of

    if results is None:
        return ""
    names = []
    for workload, candidate in chosen.items():
        answer = results.answer(workload)
        if answer is not None:
            devices = round(float(answer.table.devices[candidate]))
            names.append(f"{devices} × {accelerator_of(results.plan, results.catalog, answer.table, candidate)}")
    return listed(names)
