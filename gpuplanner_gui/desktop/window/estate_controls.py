"""Between the window and the estate's thread: who is told what, and decisions that are pinned by hand."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from gpuplanner_gui.desktop.store import Change, ChangeKind
from gpuplanner_gui.desktop.tasks.estate_tasks import EstateTasks
from gpuplanner_gui.desktop.widgets.message_bar import Severity
from gpuplanner_gui.drawing.language import phrase

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.pages.estate import EstatePage
    from gpuplanner_gui.desktop.pages.results_pane import ResultsPane
    from gpuplanner_gui.desktop.window.window_parts import WindowParts
    from gpuplanner_gui.domain.estate import Estate, EstatePin


class EstateControls(QObject):
    """Owns the estate's planner; hands it the project and the page's wishes, and the page its answers."""

    def __init__(self, parts: WindowParts) -> None:
        super().__init__(parts.frame)
        self._parts = parts
        self.tasks = EstateTasks(lambda: parts.compute.engine, self)
        parts.compute.settled.connect(self._follow)
        parts.store.project_changed.connect(self._on_project_changed)
        self.tasks.drafted.connect(self._on_drafted)
        self.tasks.problem.connect(lambda text: parts.messages.show_message(text, Severity.ERROR))

    def connect_pane(self, pane: ResultsPane) -> None:
        """Show answers on the page from now on."""
        self.tasks.changed.connect(partial(pane.show_found, "estate"))
        pane.part_wanted.connect(self.tasks.want)
        pane.page_built.connect(self._on_page_built)
        self._follow()

    def stop(self) -> None:
        self.tasks.stop()

    def draft(self) -> None:
        """Show the estate of the project; where it has none, make one of all its workloads."""
        self._follow()
        estate = self._parts.store.project.estate
        if estate is not None and estate.workloads:
            self._show_page()
        else:
            self.tasks.draft()

    def _on_drafted(self, estate: Estate) -> None:
        self._parts.store.edit_project("estate", estate, phrase("Plan all workloads as one estate"))
        self._show_page()

    def _show_page(self) -> None:
        pane = self._parts.results_pane
        if pane is not None and pane.results is not None:
            pane.show_results(replace(pane.results, project=self._parts.store.project))
            pane.show_page_named("estate")

    def edit_inputs(self) -> None:
        """Ask for another estate: all its inputs at once, one step to undo."""
        from gpuplanner_gui.desktop.dialogs.estate_inputs import EstateInputsDialog

        project, catalog = self._parts.store.project, self._parts.compute.catalog
        if project.estate is None or catalog is None:
            return
        dialog = EstateInputsDialog(project.estate, project.scenarios, catalog, self._parts.frame)
        if dialog.exec() == EstateInputsDialog.DialogCode.Accepted:
            self._parts.store.edit_project("estate", dialog.estate, phrase("Change the inputs of the estate"))
        dialog.deleteLater()

    def pin(self, pin: EstatePin) -> None:
        """Keep a decision from now on, whatever else changes; in place of one about the same."""
        estate = self._parts.store.project.estate
        if estate is not None:
            others = tuple(one for one in estate.pins if _subject(one) != _subject(pin))
            self._parts.store.edit_project("estate.pins", (*others, pin), phrase("Pin a decision of the estate"))

    def unpin(self, pin: EstatePin) -> None:
        """Leave a decision to the search again."""
        estate = self._parts.store.project.estate
        if estate is not None:
            others = tuple(one for one in estate.pins if _subject(one) != _subject(pin))
            self._parts.store.edit_project("estate.pins", others, phrase("Unpin a decision of the estate"))

    def _follow(self, *_: object) -> None:
        results = self._parts.compute.results
        if results is not None:
            self.tasks.follow(results, self._parts.store.project)

    def _on_project_changed(self, change: Change) -> None:
        if change.kind == ChangeKind.OPENED:
            self.tasks.forget()
        elif change.kind == ChangeKind.PROJECT and change.path.startswith("estate"):
            self._follow()

    def _on_page_built(self, name: str, page: QWidget) -> None:
        if name == "estate":
            estate = cast("EstatePage", page)
            estate.pin_wanted.connect(self.pin)
            estate.unpin_wanted.connect(self.unpin)
            estate.inputs_wanted.connect(self.edit_inputs)
            estate.stop_wanted.connect(self.tasks.stop_searching)
            estate.search_wanted.connect(self.tasks.search_again)


def _subject(pin: EstatePin) -> tuple[object, ...]:
    """What a pin decides; two about the same contradict each other."""
    return (pin.kind, pin.period, pin.pool, pin.hardware, pin.workload, pin.part, pin.term_months)
