"""Between the window and the decision thread: who is told what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gpuplanner_gui.desktop.decider import Decider

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

    def connect_pane(self, pane: ResultsPane) -> None:
        """Show answers on the pages from now on."""
        self.decider.changed.connect(pane.show_decision)
        pane.asked.connect(self.decider.take_wish)
        if self._window.compute.results is not None:
            self.decider.follow(self._window.compute.results)

    def stop(self) -> None:
        self.decider.stop()
