"""Between the window and the decision thread: who is told what."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from gpuplanner_gui.desktop.message_bar import Severity
from gpuplanner_gui.desktop.settings import Key, text_setting
from gpuplanner_gui.desktop.tasks.decision_tasks import DecisionTasks
from gpuplanner_gui.desktop.tasks.plan_tasks import PlanTasks
from gpuplanner_gui.drawing.language import tr

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.results_pane import ResultsPane
    from gpuplanner_gui.desktop.views.uncertainty import UncertaintyPage
    from gpuplanner_gui.desktop.window_parts import WindowParts


class DecisionControls(QObject):
    """Owns the decider; hands it results and the pages' wishes, and the pages its answers."""

    def __init__(self, parts: WindowParts) -> None:
        super().__init__(parts.frame)
        self._parts = parts
        self.tasks = DecisionTasks(lambda: parts.compute.engine, self)
        parts.compute.settled.connect(self.tasks.follow)
        self.tasks.problem.connect(self._show_problem)
        self.overlay_action = QAction(tr("&Overlay Other Scenarios"), self, checkable=True)
        self.overlay_action.setShortcut(QKeySequence("Ctrl+Shift+O"))
        self.overlay_action.setToolTip(tr("Draw the other scenarios' curves into the plots of Load and Memory"))
        self.overlay_action.toggled.connect(self._on_overlaying)
        self.overlay_action.setChecked(text_setting(parts.settings, Key.OVERLAYS) == "on")

    def _on_overlaying(self, is_on: bool) -> None:
        self._parts.settings.setValue(Key.OVERLAYS, "on" if is_on else "off")
        self.tasks.set_overlaying(is_on)

    def _show_problem(self, text: str) -> None:
        self._parts.messages.show_message(text, Severity.ERROR, lambda: tr("Try again"), (PlanTasks, PlanTasks.retry))

    def connect_pane(self, pane: ResultsPane) -> None:
        """Show answers on the pages from now on."""
        self.tasks.changed.connect(partial(pane.show_found, "decision"))
        pane.part_wanted.connect(self.tasks.want)
        pane.page_built.connect(self._on_page_built)
        if self._parts.compute.results is not None:
            self.tasks.follow(self._parts.compute.results)

    def _on_page_built(self, name: str, page: QWidget) -> None:
        if name == "uncertainty":
            cast("UncertaintyPage", page).cancelled.connect(self.tasks.cancel)

    def stop(self) -> None:
        self.tasks.stop()
