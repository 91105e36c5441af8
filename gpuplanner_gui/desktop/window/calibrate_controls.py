"""Between the window and own measurements: files that are read and written, sets in the project and their context."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec
from PySide6.QtWidgets import QFileDialog, QWidget

from gpuplanner_gui.desktop.settings import last_folder
from gpuplanner_gui.desktop.tasks.runner import Watch
from gpuplanner_gui.desktop.widgets.message_bar import Severity
from gpuplanner_gui.desktop.widgets.questions import ask_for_file
from gpuplanner_gui.desktop.window.reading_controls import ReadingControls
from gpuplanner_gui.domain.measurement import MeasurementSet
from gpuplanner_gui.drawing.language import in_turn, listed, tr
from gpuplanner_gui.drawing.words.files import said_text

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.pages.calibrate import CalibratePage
    from gpuplanner_gui.desktop.pages.results_pane import ResultsPane
    from gpuplanner_gui.desktop.window.window_parts import WindowParts
    from gpuplanner_gui.domain.catalog import Catalog
    from gpuplanner_gui.files.measurements import TableHead
    from gpuplanner_gui.files.measurements.sets import ImportedSets

SUFFIX = ".gpumeasure"
MEASUREMENT_SUFFIXES = (SUFFIX, ".log", ".txt", ".md")
"""Suffixes of files that can only be measurements; JSON, CSV and JSON lines are recognised by content."""
PAGE = "calibrate"
LACKING_TOPIC = "lacking"
"""Topic of the message that asks for context missing in a file."""
STATED_TOPIC = "stated"
"""Topic of what is wrong with context that was stated; the next statement is told of anew."""


class CalibrateControls(ReadingControls):
    """Carries out what the page of own measurements asks for; every change is an undo step."""

    def __init__(self, parts: WindowParts) -> None:
        super().__init__("measurements", parts)
        self._path = Path()
        self._asked_about: frozenset[tuple[str, str]] = frozenset()
        """Digests and names of the sets whose context the message asks for."""
        parts.store.project_changed.connect(self._withdraw_question)

    def connect_pane(self, pane: ResultsPane) -> None:
        pane.page_built.connect(self._on_page_built)

    def _on_page_built(self, name: str, page: QWidget) -> None:
        if name != PAGE:
            return
        view = cast("CalibratePage", page)
        view.import_requested.connect(self.import_measurements)
        view.probe_requested.connect(self.export_probe)
        view.export_requested.connect(self.export_measurements)
        view.set_toggled.connect(self.toggle)
        view.set_removed.connect(self.remove)
        view.context_stated.connect(lambda place, values: self.state_context((place,), values))
        view.context_stated_for_all.connect(self.state_context_of_all)
        view.loss_stated.connect(self.state_loss)

    def toggle(self, place: int) -> None:
        """Let a set count, or not any more."""
        self._replace(place, lambda one: msgspec.structs.replace(one, is_used=not one.is_used))

    def remove(self, place: int) -> None:
        sets = self._sets()
        self._take((*sets[:place], *sets[place + 1 :]), tr("Remove measurements"))

    def state_loss(self, place: int, share: float) -> None:
        """State the share that a set's runs lost to virtual machines."""
        from gpuplanner_gui.files.measurements.sets import on_machines

        self._replace(place, lambda one: on_machines(one, share))

    def state_context_of_all(self, values: dict[str, str]) -> None:
        self.state_context(tuple(range(len(self._sets()))), values)

    def import_measurements(self) -> None:
        """Ask for a result of a benchmark, a log, a table or a mailed set."""
        path = ask_for_file(self._parts.frame, tr("Import measurements"))
        if path is not None:
            self.read(path)

    def read(self, path: Path, columns: dict[str, str] | None = None) -> None:
        """Read a file of any known format into the project, in the background; what it lacks is asked for there.

        `columns` says what the columns of a table hold whose headings do not.
        """
        catalog = self._parts.compute.catalog
        if self.is_reading:
            self._waiting.append(partial(self.read, path, columns))
            return
        if catalog is None:
            self._parts.messages.show_message(partial(_too_early_text, path.name), Severity.WARNING)
            return
        self._path = path
        self._begin(path, partial(_read, path, columns, catalog))

    def cancel_reading(self) -> bool:
        was_reading = super().cancel_reading()
        if was_reading:
            self._parts.messages.show_message(lambda: tr("The import was cancelled."), Severity.ERROR)
        return was_reading

    def _task_text(self, _: str) -> str:
        return tr("Reading measurements")

    def _on_read(self, name: str, found: ImportedSets | TableHead) -> None:
        from gpuplanner_gui.files.measurements.sets import ImportedSets, added

        if not isinstance(found, ImportedSets):
            self._ask_for_columns(self._path, found)
            return
        sets, known = added(self._sets(), found.sets)
        if sets != self._sets():
            self._take(sets, tr("Import {file}").format(file=name))
        if known:
            self._parts.messages.show_message(partial(known_text, known), Severity.NOTE)
        words = partial(_remarks_text, found, not known)
        if words():
            self._asked_about = frozenset((one.digest, one.name) for one in found.sets)
            self._parts.messages.show_message(words, Severity.WARNING, topic=LACKING_TOPIC)
        if self._parts.results_pane is not None:
            self._parts.results_pane.show_page_named(PAGE)

    def _ask_for_columns(self, path: Path, head: TableHead) -> None:
        from gpuplanner_gui.desktop.dialogs.measurement_columns import MeasurementColumnsDialog

        dialog = MeasurementColumnsDialog(path.name, head, self._parts.frame)
        dialog.chosen.connect(lambda columns: self.read(path, columns))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def export_measurements(self) -> None:
        """Write the project's sets as a file of their own, to be mailed."""
        from gpuplanner_gui.files.measurements.sets import save_sets

        parts, suggested = self._parts, last_folder.place_for(f"measurements{SUFFIX}")
        filters = tr("Measurements (*.gpumeasure)")
        name, _ = QFileDialog.getSaveFileName(parts.frame, tr("Save measurements"), suggested, filters)
        if not name:
            return
        with parts.messages.telling_problems():
            save_sets(Path(name), self._sets())

    def export_probe(self) -> None:
        """Write the script that measures a machine, to be carried there."""
        from gpuplanner_gui.files.measurements.probe import PROBE_NAME, save_probe

        filters = tr("Python (*.py)")
        name, _ = QFileDialog.getSaveFileName(
            self._parts.frame, tr("Save the probe"), last_folder.place_for(PROBE_NAME), filters
        )
        if not name:
            return
        with self._parts.messages.telling_problems():
            save_probe(Path(name))
            self._parts.messages.show_message(partial(_probe_text, Path(name).name), Severity.NOTE)

    def state_context(self, chosen: tuple[int, ...], pairs: dict[str, str]) -> None:
        """More of the context of some sets, where their runs lack it: one undo step for all."""
        from gpuplanner_gui.files.knowledge import load_calibration
        from gpuplanner_gui.files.measurements.sets import completed

        catalog = self._parts.compute.catalog
        if catalog is None:
            return
        sets = list(self._sets())
        meant = [index for index in chosen if 0 <= index < len(sets)]
        self._parts.messages.withdraw(STATED_TOPIC)
        with self._parts.messages.telling_problems(STATED_TOPIC):
            for index in meant:
                sets[index] = completed(sets[index], pairs, catalog, load_calibration())
            self._take(tuple(sets), tr("Change measurements"))
            self._tell_unknown([sets[index] for index in meant], pairs)

    def _tell_unknown(self, sets: list[MeasurementSet], pairs: dict[str, str]) -> None:
        """Names that were stated and that no catalogue knows."""
        from gpuplanner_gui.domain.measurement import missing_context

        lacking = {name for one in sets for run in one.measurements for name in missing_context(run)}
        for name in lacking & set(pairs):
            words = partial(_unknown_text, name, pairs[name][:60])
            self._parts.messages.show_message(words, Severity.WARNING, topic=STATED_TOPIC)

    def _sets(self) -> tuple[MeasurementSet, ...]:
        return self._parts.store.project.measurements

    def _replace(self, index: int, change: Callable[[MeasurementSet], MeasurementSet]) -> None:
        sets = list(self._sets())
        if 0 <= index < len(sets):
            sets[index] = change(sets[index])
            self._take(tuple(sets), tr("Change measurements"))

    def _take(self, sets: tuple[MeasurementSet, ...], words: str) -> None:
        self._parts.store.edit_project("measurements", sets, words)

    def _withdraw_question(self) -> None:
        """Withdraw the question once it is answered or the set is gone."""
        from gpuplanner_gui.domain.measurement import missing_context

        shown = self._parts.messages.shown
        if shown is None or shown.topic != LACKING_TOPIC:
            return
        asked = [one for one in self._sets() if (one.digest, one.name) in self._asked_about]
        if not any(missing_context(run) for one in asked for run in one.measurements):
            self._parts.messages.withdraw(LACKING_TOPIC)


def _remarks_text(found: ImportedSets, is_new: bool) -> str:
    """The remarks about a file that was read; empty for none. What is known was asked about."""
    return in_turn(*map(said_text, found.remarks), lacking_text(found) if is_new else "")


def _too_early_text(file: str) -> str:
    return tr("{file} cannot be read until the catalogue is loaded. Try again in a moment.").format(file=file)


def _probe_text(file: str) -> str:
    said = tr("Copy {file} to the machine and run: python {file}. Then drop its JSON file here.")
    return said.format(file=file)


def _unknown_text(name: str, value: str) -> str:
    from gpuplanner_gui.drawing.words.calibration import field_title

    said = tr("{what} {value!r} is not in the catalogue: use a name from the catalogue, or add it there.")
    return said.format(what=field_title(name), value=value)


def known_text(names: tuple[str, ...]) -> str:
    """Sets that were in the project already: nothing counts twice."""
    from gpuplanner_gui.drawing.words.calibration import first_of

    return tr("Already in the project, not imported again: {names}.").format(names=first_of(names))


def lacking_text(found: ImportedSets) -> str:
    """The request for context that a file lacks; empty where it has all."""
    from gpuplanner_gui.domain.measurement import missing_context
    from gpuplanner_gui.drawing.words.calibration import field_title

    runs = [run for one in found.sets for run in one.measurements]
    refused = sum(bool(missing_context(run)) for run in runs)
    if not refused:
        return ""
    names = listed(field_title(name).lower() for name in found.missing)
    if len(runs) == 1:
        return tr("To use this run, fill in its {names} on the page Calibrate.").format(names=names)
    text = tr("To use {refused} of {count} runs, fill in their {names} on the page Calibrate.")
    return text.format(refused=refused, count=len(runs), names=names)


def _read(path: Path, columns: dict[str, str] | None, catalog: Catalog, watch: Watch) -> ImportedSets | TableHead:
    """A file's sets; the head of a table none of whose headings is known."""
    from gpuplanner_gui.files.knowledge import load_calibration
    from gpuplanner_gui.files.measurements import UnknownHeadings
    from gpuplanner_gui.files.measurements.sets import read_sets

    try:
        return read_sets(
            path, catalog, load_calibration(), columns=columns,
            is_cancelled=watch.is_cancelled, on_progress=watch.progress,
        )  # fmt: skip
    except UnknownHeadings as problem:
        return problem.head
