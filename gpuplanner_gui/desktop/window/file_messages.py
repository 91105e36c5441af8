"""What a window says about files: what could not be read or written, changes on disk, and figures that differ."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gpuplanner_gui.desktop.store import Change, ChangeKind
from gpuplanner_gui.desktop.tasks.runner import Step, TaskRunner
from gpuplanner_gui.desktop.widgets.message_bar import Severity
from gpuplanner_gui.desktop.window.project_file import ProjectFile
from gpuplanner_gui.drawing.language import in_turn, tr
from gpuplanner_gui.drawing.words.files import file_problem_text

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.window.window_parts import WindowParts
    from gpuplanner_gui.domain.plan import Plan
    from gpuplanner_gui.drawing.results import Results
    from gpuplanner_gui.files.errors import FileProblem

TOPIC, CARRIED = "file", "carried"
MOST_HEADLINES = 2


class FileMessages(QObject):
    """Also compares the first plan of an opened project with the headline results in its file."""

    def __init__(self, parts: WindowParts) -> None:
        super().__init__(parts.frame)
        self._parts = parts
        self._is_due = False
        file = parts.file
        file.opened.connect(parts.messages.leave_project)
        file.problem.connect(self._show_problem)
        file.changed_on_disk.connect(self._say_changed_on_disk)
        file.not_saved.connect(partial(self._show_problem, is_unsaved=True))
        file.changed.connect(lambda: parts.messages.withdraw(TOPIC))
        parts.store.project_changed.connect(self._on_project_changed)
        parts.compute.completed.connect(self._on_completed)
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

    def _say_changed_on_disk(self, name: str) -> None:
        self._parts.messages.show_message(
            lambda: tr("“{name}” was changed on disk by another program.").format(name=name),
            Severity.WARNING,
            lambda: tr("Read it again"),
            (ProjectFile, ProjectFile.read_again),
            topic=TOPIC,
        )

    def _on_project_changed(self, change: Change) -> None:
        # After an edit, other numbers are the planner's own doing.
        self._is_due = change.kind == ChangeKind.OPENED
        self._own.cancel()

    def _on_completed(self) -> None:
        results, scenario = self._parts.compute.results, self._parts.store.scenario
        if not self._is_due or results is None or scenario is None or results.scenario is not scenario:
            return
        self._is_due = False
        from gpuplanner_gui.drawing.carried import brought
        from gpuplanner_gui.files.project import changed_headlines

        project = self._parts.store.project
        count = sum(len(brought(results.catalog, one)) for one in project.scenarios)
        changed = changed_headlines(project, {scenario.name: results.plan})
        if count:
            told = (count, ())
            self._say_carried(told)
            self._own.run(lambda: (Step(CARRIED, lambda watch: self._compared(results, count, watch.is_cancelled)),))
        elif changed:
            self._parts.messages.show_message(partial(differing_text, len(changed)), Severity.WARNING)

    def _compared(self, results: Results, count: int, is_cancelled: Callable[[], bool]) -> tuple[int, tuple[str, ...]]:
        """On the runner's thread: the headlines that own figures change, in sentences."""
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
            partial(brings_figures_text, *told),
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
            store.put_project(with_own_figures(store.project, engine.catalog), own_figures_text())


def brings_figures_text(count: int, headlines: tuple[str, ...]) -> str:
    text = tr(
        "This project brings its own figures of {count} entries, and plans with them. Their devices are marked †;"
        " Findings lists the figures beside yours."
    )
    return in_turn(text.format(count=count), *headlines[:MOST_HEADLINES])


def own_figures_text() -> str:
    return tr("Plan with My Figures")


def differing_text(count: int) -> str:
    text = tr(
        "{count} of the results that were saved with this project come out otherwise here, because catalogue or"
        " calibration differ. Saving keeps the new ones."
    )
    return text.format(count=count)
