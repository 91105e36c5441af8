"""Between the window and the decision thread: who is told what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence

from gpuplanner_gui.desktop.message_bar import Severity
from gpuplanner_gui.desktop.settings import Key, text_setting
from gpuplanner_gui.desktop.tasks.decider import Decider
from gpuplanner_gui.drawing.language import tr

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.main_window import MainWindow
    from gpuplanner_gui.desktop.results_pane import ResultsPane


class DecisionControls(QObject):
    """Owns the decider; hands it results and the pages' wishes, and the pages its answers."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.decider = Decider(lambda: window.compute.engine, self)
        window.compute.results_changed.connect(self.decider.follow)
        self.decider.problem.connect(self._show_problem)
        self.overlay_action = QAction(tr("&Overlay Other Scenarios"), window, checkable=True)
        self.overlay_action.setShortcut(QKeySequence("Ctrl+Shift+O"))
        self.overlay_action.setToolTip(tr("Draw the other scenarios' curves into the plots of Load and Memory"))
        self.overlay_action.toggled.connect(self._on_overlaying)
        self.overlay_action.setChecked(text_setting(window.settings, Key.OVERLAYS) == "on")
        window.menus.fill_place("overlays", (self.overlay_action,))

    def _on_overlaying(self, is_on: bool) -> None:
        self._window.settings.setValue(Key.OVERLAYS, "on" if is_on else "off")
        self.decider.set_overlaying(is_on)

    def _show_problem(self, text: str) -> None:
        window = self._window
        window.messages.show_message(
            text, Severity.ERROR, lambda: tr("Try again"), lambda window: window.commands.recompute()
        )

    def connect_pane(self, pane: ResultsPane) -> None:
        """Show answers on the pages from now on."""
        self.decider.changed.connect(pane.show_decision)
        pane.asked.connect(self.decider.take_wish)
        if self._window.compute.results is not None:
            self.decider.follow(self._window.compute.results)

    def stop(self) -> None:
        self.decider.stop()
