"""Where the planner works: results in the middle, and docks around them that may be moved, floated and put away."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QAction, QKeySequence, QShowEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from gpuplanner_gui.desktop.input_pane import InputPane, first_width
from gpuplanner_gui.drawing.language import tr

LAYOUT_VERSION = 2
"""Of what is kept of the docks; what other versions kept is left alone."""
LEFT, RIGHT = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea


class Desk(QMainWindow):
    """A part of the window, not one of its own."""

    def __init__(self, inputs: InputPane, results: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowFlags(Qt.WindowType.Widget)
        self.setDockOptions(self.DockOption.AllowTabbedDocks | self.DockOption.AllowNestedDocks)
        self.setCentralWidget(results)
        self.inputs_dock = self._dock(tr("Inputs"), "inputs", LEFT)
        self.inputs_dock.setWidget(inputs)
        self.explain_dock = self._dock(tr("Why this number?"), "explain", RIGHT)
        self.explain_dock.hide()
        self._is_arranged = False

    def toggle_actions(self) -> tuple[QAction, ...]:
        """Menu entries that put each dock away and bring it back."""
        inputs, explain = self.inputs_dock.toggleViewAction(), self.explain_dock.toggleViewAction()
        inputs.setText(tr("&Inputs"))
        explain.setText(tr("&Why This Number?"))
        explain.setShortcut(QKeySequence("F4"))
        return inputs, explain

    def arrange(self) -> None:
        """Every dock where it is at first."""
        for dock, area in ((self.inputs_dock, LEFT), (self.explain_dock, RIGHT)):
            dock.setFloating(False)
            self.addDockWidget(area, dock)
        self.inputs_dock.show()
        self.explain_dock.hide()
        self.share_width()

    def share_width(self) -> None:
        """As much for the inputs as they need, and the rest for results."""
        self.resizeDocks([self.inputs_dock], [first_width(self.width())], Qt.Orientation.Horizontal)

    def layout_state(self) -> QByteArray:
        return self.saveState(LAYOUT_VERSION)

    def restore_layout(self, state: QByteArray) -> None:
        """As it was kept, but for an explanation, which is of a number that nobody looks at any more."""
        self._is_arranged = not state.isEmpty() and self.restoreState(state, LAYOUT_VERSION)
        self.explain_dock.hide()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._is_arranged:
            self._is_arranged = True
            self.share_width()

    def _dock(self, title: str, name: str, area: Qt.DockWidgetArea) -> QDockWidget:
        dock = QDockWidget(title, self)
        dock.setObjectName(name)
        dock.setAccessibleName(title)
        self.addDockWidget(area, dock)
        return dock
