"""What fills the window: the start page, or results with docks around them that can be moved and put away."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QDockWidget, QHBoxLayout, QStackedWidget, QWidget

from gpuplanner_gui.desktop.editors.input_pane import InputPane, first_width
from gpuplanner_gui.desktop.widgets.event_turns import DrawingTurn, PaintedNextTurn
from gpuplanner_gui.desktop.widgets.flow_layout import lay_out
from gpuplanner_gui.desktop.widgets.labels import plain_label
from gpuplanner_gui.desktop.widgets.quiet_window import QuietDock, QuietWindow
from gpuplanner_gui.desktop.widgets.theme import tool_button
from gpuplanner_gui.drawing.language import tr

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.pages.candidates import CandidatesView

BUTTON_SIDE = 14
"""Pixels of a button's icon at the usual size of type."""


def use_as_title_bar(head: QWidget, dock: QDockWidget) -> None:
    """Make a line of controls, laid out in a row, the dock's title bar, with the two buttons of one at its end."""
    layout = head.layout()
    assert isinstance(layout, QBoxLayout)
    for name, picture, words, act in (
        ("dockFloat", "dock-float", tr("Detach or reattach this panel"),
         lambda: dock.setFloating(not dock.isFloating())),
        ("dockClose", "close", tr("Hide; reopen it from the View menu"), dock.close),
    ):  # fmt: skip
        button = tool_button(
            "", act, head, is_flat=True, name=name, picture=picture, side=BUTTON_SIDE, said=words, tip=words
        )
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        layout.addWidget(button)
    dock.setTitleBarWidget(head)


def use_plain_title_bar(dock: QDockWidget) -> None:
    """The dock's title with the same buttons, which grow with the type as those of the platform do not."""
    head = QWidget()
    layout = lay_out(QHBoxLayout(head), margins=(12, 3, 6, 3), spacing=2)
    title = plain_label(dock.windowTitle())
    layout.addWidget(title, 1)
    use_as_title_bar(head, dock)


LAYOUT_VERSION = 3
"""Version of the stored dock layout; other versions are ignored."""
LEFT, RIGHT = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
BOTTOM = Qt.DockWidgetArea.BottomDockWidgetArea
EXPLAIN_WIDTH = 380
CANDIDATES_SHARE = 0.32
"""Share of the height that candidates take at first; two rows of plots fit above them at 720 pixels."""


class Desk(QuietWindow):
    """A part of the window, not one of its own."""

    def __init__(self, inputs: InputPane, results: QWidget) -> None:
        super().__init__()
        self.setWindowFlags(Qt.WindowType.Widget)
        self.setDockOptions(self.DockOption.AllowTabbedDocks | self.DockOption.AllowNestedDocks)
        self.setCentralWidget(results)
        self.inputs_dock = self._dock(tr("Inputs"), "inputs", LEFT)
        self.inputs_dock.setWidget(inputs)
        self.explain_dock = self._dock(tr("Why this number?"), "explain", RIGHT)
        self.explain_dock.hide()
        self.candidates_dock = self._dock(tr("Candidates"), "candidates", BOTTOM)
        # Until the table is there.
        self.candidates_dock.setTitleBarWidget(QWidget())
        self.candidates_dock.setWidget(QWidget())
        # The table lies under the results alone; inputs go down to the window's foot.
        self.setCorner(Qt.Corner.BottomLeftCorner, LEFT)
        self.setCorner(Qt.Corner.BottomRightCorner, RIGHT)
        self._is_arranged = False
        self._are_candidates_aside = False
        self._inputs_turn = DrawingTurn(self, self._arrange_inputs)
        self._candidates_turn = DrawingTurn(self, self._arrange_candidates)

    def toggle_actions(self) -> tuple[QAction, ...]:
        """Menu entries that put each dock away and bring it back."""
        inputs, explain = self.inputs_dock.toggleViewAction(), self.explain_dock.toggleViewAction()
        inputs.setText(tr("&Inputs"))
        explain.setText(tr("&Why This Number?"))
        explain.setShortcut(QKeySequence("F4"))
        return inputs, explain, self.candidates_dock.toggleViewAction()

    def open_explanation(self) -> None:
        """Make room for the answer to a "why?"."""
        if not self.explain_dock.isVisible():
            self.explain_dock.show()
            self.resizeDocks([self.explain_dock], [EXPLAIN_WIDTH], Qt.Orientation.Horizontal)

    def docks(self) -> tuple[QDockWidget, ...]:
        return self.inputs_dock, self.explain_dock, self.candidates_dock

    def hold_candidates(self, view: CandidatesView) -> None:
        """Take the table in, with its first line as the dock's title bar."""
        use_as_title_bar(view.head, self.candidates_dock)
        self.candidates_dock.setWidget(view)

    def show_candidates(self) -> None:
        """Bring them back if they were put away, and to the front if they float."""
        self.candidates_dock.show()
        self.candidates_dock.raise_()
        if self.candidates_dock.isFloating():
            self.candidates_dock.activateWindow()

    def allow_candidates(self, are_allowed: bool) -> None:
        """Put them away while a page has no use for them, and bring back what was not put away by hand."""
        dock = self.candidates_dock
        if are_allowed and self._are_candidates_aside:
            dock.show()
        elif not are_allowed and not self._are_candidates_aside:
            self._are_candidates_aside = not dock.isHidden()
            dock.hide()
        if are_allowed:
            self._are_candidates_aside = False
        dock.toggleViewAction().setEnabled(are_allowed)

    def arrange(self) -> None:
        """Every dock where it is at first; each returns in a turn of its own, for all are long to lay out."""
        for dock, area in ((self.inputs_dock, LEFT), (self.explain_dock, RIGHT), (self.candidates_dock, BOTTOM)):
            if dock.isFloating() or self.dockWidgetArea(dock) != area:
                # A hidden one moves in no time, however many fields it holds.
                dock.hide()
                # WORKAROUND for Qt (seen in 6.10.3): a window that was closed has no handle, and a dock that is taken
                # back without one sets the style of all its fields anew, which takes 50 to 160 ms.
                if dock.isFloating():
                    dock.winId()
                dock.setFloating(False)
                self.addDockWidget(area, dock)
        self.explain_dock.hide()
        self._inputs_turn.start()
        self._candidates_turn.start()

    def _arrange_inputs(self) -> None:
        self.inputs_dock.show()
        self.share_width()

    def _arrange_candidates(self) -> None:
        self.candidates_dock.setVisible(self.candidates_dock.toggleViewAction().isEnabled())
        self.share_height()

    def share_width(self) -> None:
        """Give the inputs the width they need, and results the rest."""
        self.resizeDocks([self.inputs_dock], [first_width(self.width())], Qt.Orientation.Horizontal)

    def share_height(self) -> None:
        """A third for candidates, and the rest for plots."""
        self.resizeDocks([self.candidates_dock], [round(self.height() * CANDIDATES_SHARE)], Qt.Orientation.Vertical)

    def layout_state(self) -> QByteArray:
        aside = self._are_candidates_aside
        # What a page has no use for is not put away for good.
        self.allow_candidates(True)
        state = self.saveState(LAYOUT_VERSION)
        self.allow_candidates(not aside)
        return state

    def restore_layout(self, state: QByteArray) -> None:
        """Restore the stored layout without the panel Why?, whose number is no longer on screen."""
        self._is_arranged = not state.isEmpty() and self.restoreState(state, LAYOUT_VERSION)
        self.explain_dock.hide()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._is_arranged:
            self._is_arranged = True
            self.share_width()
            self.share_height()

    def _dock(self, title: str, name: str, area: Qt.DockWidgetArea) -> QDockWidget:
        dock = QuietDock(title, self)
        dock.setObjectName(name)
        dock.setAccessibleName(title)
        use_plain_title_bar(dock)
        self.addDockWidget(area, dock)
        return dock


class Workspace(QStackedWidget):
    """Shows the place of work until a start page is asked for."""

    start_page_shown = Signal()
    workspace_shown = Signal()
    """The start page has made room for it."""

    def __init__(self, work: QWidget) -> None:
        super().__init__()
        self.addWidget(work)
        self.make_start_page: Callable[[], QWidget]
        self.start_page: QWidget | None = None
        self._paint_soon = PaintedNextTurn(self)

    @property
    def is_at_work(self) -> bool:
        """The planner sees the place of work."""
        return self.currentIndex() == 0

    def show_start_page(self) -> None:
        """Offer ways to begin instead of the project at hand, until one is taken."""
        if self.start_page is None:
            self.start_page = self.make_start_page()
            self.addWidget(self.start_page)
        self.setCurrentWidget(self.start_page)
        self.start_page_shown.emit()

    def show_workspace(self) -> None:
        if not self.is_at_work:
            self._paint_soon.start()
            self.setCurrentIndex(0)
            self.workspace_shown.emit()
