"""What a window says and notes about files: problems, what differs, fields not saved, where the planner was in each."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QScrollArea, QWidget

from gpuplanner_gui.desktop.editors.field_row import FieldRow
from gpuplanner_gui.desktop.editors.input_pane import InputPane
from gpuplanner_gui.desktop.editors.struct_form import FormSection
from gpuplanner_gui.desktop.editors.text_edit import FieldLine
from gpuplanner_gui.desktop.editors.unread import UnreadField, cut_typed, unread_in, unread_text
from gpuplanner_gui.desktop.settings import Key, list_setting
from gpuplanner_gui.desktop.store import Change, ChangeKind
from gpuplanner_gui.desktop.tasks.runner import Step, TaskRunner
from gpuplanner_gui.desktop.widgets.message_bar import Severity
from gpuplanner_gui.desktop.window.project_file import ProjectFile
from gpuplanner_gui.drawing.language import in_turn, tr
from gpuplanner_gui.drawing.words.files import file_problem_text

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.editors.base import EditorPart
    from gpuplanner_gui.desktop.editors.input_pane import InputPane
    from gpuplanner_gui.desktop.pages.results_pane import ResultsPane
    from gpuplanner_gui.desktop.window.window_parts import WindowParts
    from gpuplanner_gui.domain.catalog import Catalog
    from gpuplanner_gui.domain.plan import Plan
    from gpuplanner_gui.domain.scenario import SeenHeadline
    from gpuplanner_gui.drawing.results import Results
    from gpuplanner_gui.files.errors import FileProblem


KEPT_PROJECTS = 50


class SessionMemory(QObject):
    """Notes where the planner goes, by the file's path; an unnamed project leaves no trace."""

    def __init__(self, parts: WindowParts) -> None:
        super().__init__(parts.frame)
        self._parts = parts
        self._pane: ResultsPane | None = None
        self._restored: Path | None = None
        """The file whose place has been found again; while another is being opened, nothing is noted of it."""
        parts.file.changed.connect(self._take_name)
        parts.file.opened.connect(self._restore)
        parts.store.current_scenario_changed.connect(self._note)

    def connect_pane(self, pane: ResultsPane) -> None:
        self._pane = pane
        self._restore()
        pane.page_changed.connect(self._note)

    def _note(self, *_: object) -> None:
        path = self._parts.file.path
        if path is None or self._pane is None or path != self._restored:
            return
        place = json.dumps([str(path), self._pane.page_name(), self._parts.store.current])
        others = [entry for entry in list_setting(self._parts.settings, Key.SESSIONS) if _place(entry)[0] != str(path)]
        self._parts.settings.setValue(Key.SESSIONS, [place, *others][:KEPT_PROJECTS])

    def _take_name(self) -> None:
        """Opened, or saved under another name: what is noted from now on is of that file."""
        self._restored = self._parts.file.path

    def _restore(self) -> None:
        path = self._parts.file.path
        if path is None or self._pane is None:
            self._restored = None
            return
        self._restored = None
        self._find_place(path, self._pane)
        self._restored = path

    def _find_place(self, path: Path, pane: ResultsPane) -> None:
        for entry in list_setting(self._parts.settings, Key.SESSIONS):
            known, page, scenario = _place(entry)
            if known == str(path):
                pane.show_page_named(page)
                if 0 <= scenario < len(self._parts.store.project.scenarios):
                    self._parts.store.select_scenario(scenario)
                return


def _place(entry: str) -> tuple[str, str, int]:
    """Path, page and scenario of an entry; empty where the settings hold something else."""
    try:
        path, page, scenario = json.loads(entry)
    except (ValueError, TypeError, RecursionError):
        return "", "", -1
    if isinstance(path, str) and isinstance(page, str) and isinstance(scenario, int):
        return path, page, scenario
    return "", "", -1


def unread_fields(inputs: InputPane) -> list[tuple[EditorPart, UnreadField]]:
    """Fields of the current scenario with invalid text, in the order of the parts; hidden ones too."""
    return [(part, field) for part, page in inputs.editor.built_pages() for field in unread_in(page)]


def _told(found: Sequence[tuple[EditorPart, UnreadField]]) -> str:
    return unread_text([field for _, field in found])


def go_to_field(inputs: InputPane, part: EditorPart, target: FieldRow | FormSection | FieldLine) -> None:
    """Show a field or section of a form, opening what it is in, and put the cursor there."""
    inputs.show_part(part)
    parent = target.parent()
    while parent is not None and not isinstance(parent, QScrollArea):
        if isinstance(parent, FormSection):
            parent.header.setChecked(True)
        parent = parent.parent()
    if isinstance(target, FormSection):
        target.header.setChecked(True)
    field = target if isinstance(target, FieldLine) else _focus_of(target)
    field.setFocus(Qt.FocusReason.ShortcutFocusReason)
    if isinstance(parent, QScrollArea):
        parent.ensureWidgetVisible(target)


def _focus_of(target: FieldRow | FormSection) -> QWidget:
    return target.editor.focus_widget() if isinstance(target, FieldRow) else target.focus_widget()


UNREAD_TOPIC, NAME_TAKEN = "unread", "name taken"


class UnreadControls(QObject):
    """Looks at the fields when they matter; nothing is kept of them."""

    def __init__(self, parts: WindowParts) -> None:
        super().__init__(parts.frame)
        self._parts = parts
        parts.file.unread = lambda: _told(unread_fields(parts.inputs))
        parts.file.saved.connect(lambda: self.say_after(tr("Saved.")))

    def say_after(self, done: str) -> bool:
        """Tell what was done and what it does not hold, with the way to the first such field. False if it has all."""
        messages, inputs = self._parts.messages, self._parts.inputs
        messages.withdraw(UNREAD_TOPIC)
        found = unread_fields(inputs)
        if not found:
            return False
        part, first = found[0]
        messages.show_message(
            f"{done} {_told(found)}",
            Severity.WARNING,
            lambda: tr("Show"),
            (InputPane, lambda inputs: go_to_field(inputs, part, first.line)),
            topic=UNREAD_TOPIC,
        )
        return True


TOPIC, READING, CARRIED, DIFFERS = "file", "reading", "carried", "differs"
MOST_HEADLINES = 2
SAID_AFTER_MS = 300
"""Time after which it is said that a file is being read: most are sooner."""


class FileMessages(QObject):
    """Also compares the first plan of an opened project with the headline results in its file."""

    def __init__(self, parts: WindowParts) -> None:
        super().__init__(parts.frame)
        self._parts = parts
        self._is_due = self._is_opened = self._is_marked = False
        self._catalog = self._own_catalog = parts.store.project.catalog
        """Entries that the project brings, and what its planner has left of them."""
        self._to_compare = 0
        """Figures of the project that was opened, whose plan is to be compared once it is simulated."""
        self._say_soon = QTimer(self, singleShot=True, interval=SAID_AFTER_MS)
        self._say_soon.timeout.connect(self._say_reading)
        file = parts.file
        file.opened.connect(parts.messages.leave_project)
        file.problem.connect(self._show_problem)
        file.reading_changed.connect(self._on_reading)
        file.changed_on_disk.connect(self._say_changed_on_disk)
        file.not_saved.connect(partial(self._show_problem, is_unsaved=True))
        file.changed.connect(lambda: parts.messages.withdraw(TOPIC))
        file.saved.connect(lambda: parts.messages.withdraw(DIFFERS))
        parts.store.project_changed.connect(self._on_project_changed)
        parts.store.name_taken.connect(self._say_name_taken)
        parts.compute.completed.connect(self._on_completed)
        parts.compute.settled.connect(self._on_settled)
        self._own = TaskRunner("own figures", self)
        self._own.answered.connect(lambda _, told: self._say_carried(told))

    def stop(self) -> None:
        """End the thread that plans with own figures."""
        self._own.stop()

    def _show_problem(self, problem: FileProblem, is_unsaved: bool = False) -> None:
        self._parts.messages.show_message(
            partial(file_problem_text, problem),
            Severity.ERROR,
            (lambda: tr("Save As…")) if is_unsaved else str,
            (ProjectFile, ProjectFile.save_as),
            topic=TOPIC,
        )

    def _on_reading(self) -> None:
        self._parts.messages.withdraw(READING)
        if self._parts.file.is_reading:
            self._say_soon.start()
        else:
            self._say_soon.stop()

    def _say_reading(self) -> None:
        name = self._parts.file.being_read
        self._parts.messages.show_message(
            lambda: tr("Reading {file}").format(file=name),
            Severity.NOTE,
            lambda: tr("Cancel"),
            (ProjectFile, ProjectFile.cancel_reading),
            topic=READING,
        )

    def _say_changed_on_disk(self, name: str) -> None:
        self._parts.messages.show_message(
            lambda: tr("Another program or window changed “{name}” on disk.").format(name=name),
            Severity.WARNING,
            lambda: tr("Reload"),
            (ProjectFile, ProjectFile.read_again),
            topic=TOPIC,
        )

    def _say_name_taken(self, asked: str, name: str) -> None:
        self._parts.messages.show_message(
            lambda: tr("Another scenario is named “{asked}”; this one is named “{name}”.").format(
                asked=cut_typed(asked), name=cut_typed(name)
            ),
            Severity.NOTE,
            topic=NAME_TAKEN,
        )

    def _on_project_changed(self, change: Change) -> None:
        # After an edit, other numbers are the planner's own doing.
        self._is_opened, self._to_compare = change.kind == ChangeKind.OPENED, 0
        before, self._catalog = self._catalog, self._parts.store.project.catalog
        is_other = self._catalog is not before and change.kind != ChangeKind.SAVED
        is_left = is_other and self._catalog is self._own_catalog
        # By undo, what was left comes back.
        self._is_due = self._is_opened or (is_other and not is_left)
        if is_left:
            self._parts.messages.withdraw(CARRIED)
        self._own.cancel()

    def _on_completed(self) -> None:
        results, scenario = self._parts.compute.results, self._parts.store.scenario
        if not self._is_due or results is None or scenario is None or results.scenario is not scenario:
            return
        self._is_due = False
        from gpuplanner_gui.drawing.carried import brought, estate_brought
        from gpuplanner_gui.files.project import changed_headlines

        project = self._parts.store.project
        of_scenarios = [one for scenario in project.scenarios for one in brought(results.catalog, scenario)]
        count = len(of_scenarios) + len(estate_brought(project, results.catalog))
        self._is_marked = any(one.accelerator for one in of_scenarios)
        changed = changed_headlines(project, {scenario.name: results.plan})
        if count:
            self._say_carried((count, ()))
            self._to_compare = count
        elif changed and self._is_opened:
            text = partial(differing_text, changed, results.catalog)
            self._parts.messages.show_message(text, Severity.WARNING, topic=DIFFERS)

    def _on_settled(self, results: Results) -> None:
        count, self._to_compare = self._to_compare, 0
        if count:
            self._own.run(lambda: (Step(CARRIED, lambda watch: self._compared(results, count, watch.is_cancelled)),))

    def _compared(self, results: Results, count: int, is_cancelled: Callable[[], bool]) -> tuple[int, tuple[str, ...]]:
        """The headlines that the project's own figures change, as sentences; runs on the runner's thread."""
        from gpuplanner_gui.drawing.carried import both_text, headlines_of_both

        engine = self._parts.compute.engine
        assert engine is not None
        own: Plan = engine.plan_with_own_figures(results.project, results.scenario, is_cancelled)
        pairs = headlines_of_both(results.scenario, results.plan, own)
        return count, tuple(
            both_text(one, other, results.catalog)
            for one, other in sorted(pairs, key=lambda pair: "usd" not in pair[0].code)
        )

    def _say_carried(self, told: tuple[int, tuple[str, ...]]) -> None:
        shown = self._parts.messages.shown
        if told[1] and (shown is None or shown.topic != CARRIED):
            return  # The planner has closed it, or something else is said.
        self._parts.messages.show_message(
            partial(brings_figures_text, *told, self._is_marked),
            Severity.WARNING,
            own_figures_text,
            (FileMessages, FileMessages.plan_with_own_figures),
            topic=CARRIED,
        )

    def plan_with_own_figures(self) -> None:
        """Leave out what the project brings where this catalogue has figures of its own; one step of undo."""
        from gpuplanner_gui.drawing.carried import with_own_figures

        engine, store = self._parts.compute.engine, self._parts.store
        if engine is not None:
            project = with_own_figures(store.project, engine.catalog)
            self._own_catalog = project.catalog
            store.put_project(project, own_figures_text())


def brings_figures_text(count: int, headlines: tuple[str, ...], is_marked: bool = True) -> str:
    """`is_marked`: devices are among the entries; models and prices of an estate bear no mark."""
    text = tr("This project uses its own figures for {count} catalogue entries; Findings compares them with yours.")
    if count == 1:
        text = tr("This project uses its own figures for one catalogue entry; Findings compares it with yours.")
    if is_marked:
        text = tr("{text} Devices with such figures are marked †.").format(text=text)
    return in_turn(text.format(count=count), *headlines[:MOST_HEADLINES])


def own_figures_text() -> str:
    return tr("Use My Catalogue")


def differing_text(changed: Sequence[tuple[SeenHeadline, SeenHeadline | None]], catalog: Catalog) -> str:
    from gpuplanner_gui.drawing.carried import saved_text

    told = (saved_text(saved, now, catalog) for saved, now in changed[:MOST_HEADLINES])
    because = tr("The catalogue, the calibration or the program has changed. Saving stores the new results.")
    return in_turn(*told, because)
