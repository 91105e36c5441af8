"""What every view of results shares: its signals, its state, and drawing only what can be seen."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QHideEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QLabel, QMenu, QVBoxLayout, QWidget

from gpuplanner_gui.desktop.tasks.plan_tasks import PlanState
from gpuplanner_gui.desktop.widgets.ask_why import ask_why
from gpuplanner_gui.desktop.widgets.event_turns import DrawingTurn, NextTurn
from gpuplanner_gui.desktop.widgets.flow_layout import STRETCH, lay_out
from gpuplanner_gui.desktop.widgets.labels import WrappingLabel
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.palette import Theme, theme_for
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.shown_money import money_of, use_shown_money

MARGIN = 16
WIDEST = 520
FINDINGS_FOLLOW = ("simulation",)
"""Fields of the results that findings are told from, beside the plan."""
_DIMMED = (PlanState.OUTDATED, PlanState.FAILED)


class Wishing(QWidget):
    """Says what a planner wants of the plan that they look at."""

    candidate_selected = Signal(str, int)
    pin_toggled = Signal(str, int)
    """Pin the candidate, so that plots show it beside the selected one, or unpin it."""
    scenario_selected = Signal(str)
    value_edited = Signal(str, object)
    explain_requested = Signal(str, int, str)
    cell_why_asked = Signal(str)
    """Why the number in a cell of a table is what it is."""
    why_asked = Signal(str)
    """Why the numbers in these words are what they are; without words, about all that the view shows."""
    part_wanted = Signal(str, bool)
    """A part of what is worked out on demand: the view is on screen and shows it, or has left."""
    why_told = Signal(str)
    """The answer in words to "why?" about what no calculation stands behind."""
    plot_asked = Signal(object)
    """A plot whose numbers are to be asked about."""


WISHES = tuple(name for name, one in vars(Wishing).items() if isinstance(one, Signal))
"""Names of these signals, which whatever holds several views hands on."""


class Drawing(Wishing):
    """Anything that keeps something of the plan that it draws."""

    def forget_drawn(self) -> None:
        """Let go of what was drawn: it is old, unseen, and a plan is several megabytes."""
        raise NotImplementedError


class ResultView(Drawing):
    """A view that draws a `Results`. Derived views implement `draw`, and `recolour` if they hold colours."""

    tells_state = True
    """False for views beside one that tells what is the matter."""
    follows: tuple[str, ...] = ()
    """`decision`, `simulation`, `training`: fields of the results that are drawn again when more of them is known."""
    wanted: tuple[str, ...] = ()
    """Parts of them that are worked out while the view is on screen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._draw_soon = DrawingTurn(self, self._draw_pending)
        self._recolour_soon = NextTurn(self, self.recolour)
        self._steps: list[Callable[[], object]] = []
        """What is left to be drawn; one runs in each turn of the event loop."""
        self._step_soon = DrawingTurn(self, self._next_step)
        self.state = PlanState.EMPTY
        self.context: Results | None = None
        self._drawn: Results | None = None
        self._veil = _Veil(self)

    def named_stages(self) -> tuple[str, ...]:
        """Stages whose numbers only this view can show, named as in `drawing.numbers`."""
        return ()

    def show_results(self, context: Results) -> None:
        """Draw this now, or when the view is next seen."""
        self._take(context)
        if self.isVisible():
            self._draw_pending()

    def show_results_soon(self, context: Results) -> None:
        """Draw this in a turn of its own, or when the view is next seen."""
        self._take(context)
        if self.isVisible():
            self._draw_soon.start()

    def _take(self, context: Results) -> None:
        self.context = context
        if not self.isVisible() and self._drawn is not None and context is not self._drawn:
            self.forget_drawn()
        self.set_state(PlanState.CURRENT)

    def is_drawing(self) -> bool:
        """Whether anything on screen still waits for its turn."""
        return bool(self._steps) or self._draw_soon.is_waiting()

    def set_state(self, state: PlanState, message: str = "") -> None:
        """Say how what is on screen relates to what was asked."""
        state = PlanState(state)
        self.state = state
        has_result = self.context is not None
        if state is PlanState.COMPUTING and not has_result:
            message = message or tr("Computing…")
        if state in (PlanState.CURRENT, PlanState.COMPUTING) and has_result:
            self._veil.lift()
            return
        if state is PlanState.EMPTY or not has_result:
            message = message or tr("Nothing to show yet.")
        self._veil.cover(message if self.tells_state else "", is_dimming=has_result and state in _DIMMED)

    def draw(self, context: Results) -> None:
        raise NotImplementedError

    def forget_drawn(self) -> None:
        self._drawn = None
        self._steps = []
        for within in self.findChildren(Drawing):
            if isinstance(within, ResultView):
                within.context = None
            within.forget_drawn()

    def recolour(self) -> None:
        """Take the colours of the present theme."""

    def _draw_pending(self) -> None:
        if self.context is not None and self.context is not self._drawn:
            self._drawn = self.context
            self.use_money()
            self.draw(self.context)

    def draw_in_turns(self, *steps: Callable[[], object]) -> None:
        """Draw by these, one in each turn of the event loop, so that the window hears keys and mouse between them."""
        self._steps = list(steps)
        self._step_soon.start()

    def _next_step(self) -> None:
        if self._steps and self._drawn is not None:
            self.use_money()
            self._steps.pop(0)()
            if self._steps:
                self._step_soon.start()

    def use_money(self) -> None:
        """Write amounts in the currency of the scenario that is drawn; another window may show another one's."""
        if self.context is not None:
            use_shown_money(money_of(self.context.scenario.economics))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._draw_soon.start()
        for part in self.wanted:
            self.part_wanted.emit(part, True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        for part in self.wanted:
            self.part_wanted.emit(part, False)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._recolour_soon.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._veil.setGeometry(self.rect())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Words and tiles: why their numbers are what they are."""
        if self.context is None:
            return
        at_mouse = self.childAt(event.pos())
        words = at_mouse.text() if isinstance(at_mouse, QLabel) else ""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Why these numbers?"), lambda: ask_why(self, words))
        menu.popup(event.globalPos())


class _Veil(QWidget):
    """Lies over a view: dims what is outdated, and says in a sentence what is the matter."""

    def __init__(self, view: QWidget) -> None:
        super().__init__(view)
        self._view = view
        self._is_dimming = False
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._label = WrappingLabel(parent=self, name="veil")
        self._label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._label.setMargin(MARGIN)
        self._label.setAutoFillBackground(True)
        lay_out(QVBoxLayout(self), STRETCH, (self._label, 0, Qt.AlignmentFlag.AlignHCenter), STRETCH)
        self.hide()

    def cover(self, message: str, is_dimming: bool) -> None:
        self._is_dimming = is_dimming
        self._label.setText(message)
        self._fit_label()
        self._label.setVisible(bool(message))
        self.setGeometry(self._view.rect())
        self.raise_()
        self.show()
        self.update()

    def lift(self) -> None:
        self.hide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_label()

    def _fit_label(self) -> None:
        """Size the label to its text, within the view."""
        needed = self._label.fontMetrics().horizontalAdvance(self._label.text()) + 2 * MARGIN + 4
        width = min(needed, WIDEST, max(self._view.width() - 2 * MARGIN, MARGIN * 6))
        self._label.setFixedSize(width, max(self._label.heightForWidth(width), 1))

    def paintEvent(self, event: QPaintEvent) -> None:
        ground = QColor(self.palette().color(QPalette.ColorRole.Window))
        ground.setAlpha(150 if self._is_dimming else 255)
        painter = QPainter(self)
        painter.fillRect(self.rect(), ground)
        painter.end()


def theme_of(widget: QWidget) -> Theme:
    """Light or dark, after the widget's palette."""
    return theme_for(widget.palette().color(QPalette.ColorRole.Window).lightness())
