"""Between the window and own measurements: files that are read and written, sets in the project and their context."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QObject, QThread, QTimer, Signal
from PySide6.QtWidgets import QFileDialog

from gpuplanner_gui.desktop.message_bar import Severity
from gpuplanner_gui.desktop.settings import Key, text_setting
from gpuplanner_gui.domain.measurement import MeasurementSet
from gpuplanner_gui.drawing.language import in_turn, listed, tr
from gpuplanner_gui.drawing.words.files import file_problem_text, said_text
from gpuplanner_gui.files.errors import FileProblem

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.main_window import MainWindow
    from gpuplanner_gui.desktop.results_pane import ResultsPane
    from gpuplanner_gui.domain.catalog import Catalog
    from gpuplanner_gui.files.measurements import TableHead
    from gpuplanner_gui.files.measurements.sets import ImportedSets

SUFFIX = ".gpumeasure"
MEASUREMENT_SUFFIXES = (SUFFIX, ".log", ".txt", ".md")
"""Of files that are nothing else; JSON, CSV and lines of JSON are told by what is in them."""
PAGE = "calibrate"
MOST_NAMED = 5


LACKING_TOPIC = "lacking"
"""Of the message that asks for what a file does not say."""


class CalibrateControls(QObject):
    """Carries out what the page of own measurements asks for; every change is an undo step."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        window.tasks.append(lambda: self.is_reading)
        self._reading: MeasurementReading | None = None
        self._waiting: list[tuple[Path, dict[str, str] | None]] = []
        """Files that are read after the one at hand."""
        window.store.project_changed.connect(self._withdraw_question)

    def connect_pane(self, pane: ResultsPane) -> None:
        pane.asked.connect(self.take_wish)

    def take_wish(self, wish: str) -> None:
        """A wish of the page; others' wishes are left alone."""
        prefix, _, what = wish.partition(":")
        if prefix != "calibrate":
            return
        name, _, rest = what.partition(":")
        number, _, stated = rest.partition(":")
        if name == "import":
            self.import_measurements()
        elif name == "probe":
            self.export_probe()
        elif name == "export":
            self.export_measurements()
        elif name == "toggle":
            self._replace(int(number), lambda one: msgspec.structs.replace(one, is_used=not one.is_used))
        elif name == "remove":
            sets = self._sets()
            self._take((*sets[: int(number)], *sets[int(number) + 1 :]), tr("Remove measurements"))
        elif name == "loss":
            self._replace(int(number), partial(_on_machines, float(stated)))
        elif name == "state":
            self._state_context((int(number),), stated)
        elif name == "state_all":
            self._state_context(tuple(range(len(self._sets()))), stated)

    def import_measurements(self) -> None:
        """Ask for a result of a benchmark, a log, a table or a mailed set."""
        window = self._window
        folder = text_setting(window.settings, Key.LAST_FOLDER, str(Path.home()))
        name, _ = QFileDialog.getOpenFileName(window, tr("Import measurements"), folder, tr("All files (*)"))
        if name:
            window.settings.setValue(Key.LAST_FOLDER, str(Path(name).parent))
            self.read(Path(name))

    def read(self, path: Path, columns: dict[str, str] | None = None) -> None:
        """Read a file of any known format into the project, in the background; what it lacks is asked for there.

        `columns` says what the columns of a table hold whose headings do not.
        """
        catalog = self._window.compute.catalog
        if self._reading is not None:
            self._waiting.append((path, columns))
            return
        if catalog is None:
            self._window.messages.show_message(partial(_too_early_text, path.name), Severity.WARNING)
            return
        self._reading = MeasurementReading(path, catalog, columns, self)
        self._reading.headings_unknown.connect(self._ask_for_columns)
        self._reading.progressed.connect(self._show_progress)
        self._reading.answered.connect(self._on_read)
        self._reading.refused.connect(self._on_refused)
        self._reading.start()
        self._window.update_cancel()

    @property
    def is_reading(self) -> bool:
        return self._reading is not None

    def cancel_reading(self) -> None:
        """Give up the file that is being read, if one is, and those that wait."""
        self._waiting.clear()
        if self._reading is not None:
            self._reading.requestInterruption()

    def stop(self) -> None:
        """Give up reading, and wait until it has."""
        self._waiting.clear()
        if self._reading is not None:
            self._reading.requestInterruption()
            self._reading.wait()

    def _show_progress(self, share: float) -> None:
        self._window.status.show_task(tr("Reading measurements"), share)

    def _end_reading(self) -> None:
        """The thread has said its last word."""
        if self._reading is not None:
            self._reading.wait()
            self._reading.deleteLater()
            self._reading = None
        self._window.update_cancel()
        self._window.status.show_task("", 0.0)
        if self._waiting:
            # Later: what was read is taken first.
            QTimer.singleShot(0, self, self._read_next)

    def _read_next(self) -> None:
        if self._waiting:
            self.read(*self._waiting.pop(0))

    def _on_read(self, name: str, found: ImportedSets) -> None:
        from gpuplanner_gui.files.measurements.sets import added

        self._end_reading()
        sets, known = added(self._sets(), found.sets)
        if sets != self._sets():
            self._take(sets, tr("Import {file}").format(file=name))
        if known:
            self._window.messages.show_message(partial(known_text, known), Severity.NOTE)
        words = partial(_remarks_text, found, not known)
        if words():
            self._window.messages.show_message(words, Severity.WARNING, topic=LACKING_TOPIC)
        self._show_page()

    def _show_page(self) -> None:
        from gpuplanner_gui.desktop.results_pane import PLOT_PAGES

        if self._window.results_pane is not None:
            self._window.results_pane.show_page([page.module for page in PLOT_PAGES].index(PAGE))

    def _on_refused(self, words: Callable[[], str]) -> None:
        self._end_reading()
        self._window.messages.show_message(words, Severity.ERROR)

    def _ask_for_columns(self, path: Path, head: TableHead) -> None:
        from gpuplanner_gui.desktop.dialogs.measurement_columns import MeasurementColumnsDialog

        self._end_reading()
        dialog = MeasurementColumnsDialog(path.name, head, self._window)
        dialog.chosen.connect(lambda columns: self.read(path, columns))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def export_measurements(self) -> None:
        """Write the project's sets as a file of their own, to be mailed."""
        from gpuplanner_gui.files.measurements.set_file import save_sets

        window = self._window
        folder = text_setting(window.settings, Key.LAST_FOLDER, str(Path.home()))
        suggested = str(Path(folder) / f"measurements{SUFFIX}")
        filters = tr("Measurements (*.gpumeasure)")
        name, _ = QFileDialog.getSaveFileName(window, tr("Save measurements"), suggested, filters)
        if not name:
            return
        try:
            save_sets(Path(name), self._sets())
        except FileProblem as problem:
            window.messages.show_problem(problem)

    def export_probe(self) -> None:
        """Write the script that measures a machine, to be carried there."""
        from gpuplanner_gui.files.measurements.probe_script import PROBE_NAME, save_probe

        folder = text_setting(self._window.settings, Key.LAST_FOLDER, str(Path.home()))
        filters = tr("Python (*.py)")
        name, _ = QFileDialog.getSaveFileName(
            self._window, tr("Save the probe"), str(Path(folder) / PROBE_NAME), filters
        )
        if not name:
            return
        try:
            save_probe(Path(name))
        except FileProblem as problem:
            self._window.messages.show_problem(problem)
            return
        self._window.messages.show_message(partial(_probe_text, Path(name).name), Severity.NOTE)

    def _state_context(self, chosen: tuple[int, ...], stated: str) -> None:
        """More of the context of some sets, where their runs lack it: one undo step for all."""
        from gpuplanner_gui.files.knowledge import load_calibration
        from gpuplanner_gui.files.measurements.sets import completed

        pairs = dict(line.split("=", 1) for line in stated.splitlines() if "=" in line)
        catalog = self._window.compute.catalog
        if catalog is None:
            return
        sets = list(self._sets())
        try:
            for index in (one for one in chosen if 0 <= one < len(sets)):
                sets[index] = completed(sets[index], pairs, catalog, load_calibration())
        except FileProblem as problem:
            self._window.messages.show_problem(problem)
            return
        self._take(tuple(sets), tr("Change measurements"))
        self._tell_unknown([sets[index] for index in chosen if 0 <= index < len(sets)], pairs)

    def _tell_unknown(self, sets: list[MeasurementSet], pairs: dict[str, str]) -> None:
        """Names that were stated and that no catalogue knows."""
        from gpuplanner_gui.domain.measurement import missing_context

        lacking = {name for one in sets for run in one.measurements for name in missing_context(run)}
        for name in lacking & set(pairs):
            self._window.messages.show_message(partial(_unknown_text, name, pairs[name][:60]), Severity.WARNING)

    def _sets(self) -> tuple[MeasurementSet, ...]:
        return self._window.store.project.measurements

    def _replace(self, index: int, change: Callable[[MeasurementSet], MeasurementSet]) -> None:
        sets = list(self._sets())
        if 0 <= index < len(sets):
            sets[index] = change(sets[index])
            self._take(tuple(sets), tr("Change measurements"))

    def _take(self, sets: tuple[MeasurementSet, ...], words: str) -> None:
        self._window.store.edit_project("measurements", sets, words)

    def _withdraw_question(self) -> None:
        """What was asked for has been said, or the set that lacked it is gone."""
        from gpuplanner_gui.domain.measurement import missing_context

        shown = self._window.messages.shown
        if shown is None or shown.topic != LACKING_TOPIC:
            return
        if not any(missing_context(run) for one in self._sets() for run in one.measurements):
            self._window.messages.withdraw(LACKING_TOPIC)


def _on_machines(virtualisation_loss: float, one: MeasurementSet) -> MeasurementSet:
    from gpuplanner_gui.files.measurements.sets import on_machines

    return on_machines(one, virtualisation_loss)


def _remarks_text(found: ImportedSets, is_new: bool) -> str:
    """What is to be said of a file that was read; empty where there is nothing. What is known was asked about."""
    return in_turn(*map(said_text, found.remarks), lacking_text(found) if is_new else "")


def _too_early_text(file: str) -> str:
    return tr("{file} is not read: the catalogue is not there yet. Try again soon.").format(file=file)


def _probe_text(file: str) -> str:
    said = tr("Carry {file} to the machine and run it there: python {file}. Then drop its JSON file here.")
    return said.format(file=file)


def _unknown_text(name: str, value: str) -> str:
    from gpuplanner_gui.drawing.words.calibration import field_title

    said = tr("{what} {value!r} is not known: write it as the catalogue does, or add it there.")
    return said.format(what=field_title(name), value=value)


def known_text(names: tuple[str, ...]) -> str:
    """Sets that were in the project already: nothing counts twice."""
    shown = listed(names[:MOST_NAMED]) + (" …" if len(names) > MOST_NAMED else "")
    return tr("In the project already, and not counted twice: {names}.").format(names=shown)


def lacking_text(found: ImportedSets) -> str:
    """What a file does not say and the planner must; empty where it says all."""
    from gpuplanner_gui.domain.measurement import missing_context
    from gpuplanner_gui.drawing.words.calibration import field_title

    runs = [run for one in found.sets for run in one.measurements]
    refused = sum(bool(missing_context(run)) for run in runs)
    if not refused:
        return ""
    names = listed(field_title(name).lower() for name in found.missing)
    if len(runs) == 1:
        return tr("The run counts only when you say its {names}: fill it in on the page Calibrate.").format(names=names)
    text = tr("{refused} of {count} runs count only when you say their {names}: fill it in on the page Calibrate.")
    return text.format(refused=refused, count=len(runs), names=names)


class MeasurementReading(QThread):
    """Reads one file; answers with its sets, or with what says in a sentence why there are none."""

    progressed = Signal(float)
    answered = Signal(str, object)
    headings_unknown = Signal(object, object)
    """A table's path, and the head of it."""
    refused = Signal(object)

    def __init__(self, path: Path, catalog: Catalog, columns: dict[str, str] | None, parent: QObject) -> None:
        super().__init__(parent)
        self._path = path
        self._columns = columns
        self._catalog = catalog

    def run(self) -> None:
        from gpuplanner_gui.files.knowledge import load_calibration
        from gpuplanner_gui.files.measurements import ImportCancelled, UnknownHeadings
        from gpuplanner_gui.files.measurements.sets import read_sets

        try:
            found = read_sets(
                self._path, self._catalog, load_calibration(), columns=self._columns,
                is_cancelled=self.isInterruptionRequested, on_progress=self.progressed.emit,
            )  # fmt: skip
        except UnknownHeadings as problem:
            self.headings_unknown.emit(self._path, problem.head)
        except FileProblem as problem:
            self.refused.emit(partial(file_problem_text, problem))
        except ImportCancelled:
            self.refused.emit(lambda: tr("Reading was given up."))
        else:
            self.answered.emit(self._path.name, found)
