"""A tour of the window in five steps: each marks a real part of it, and says what it is for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer, QVariantAnimation, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QPen, QRegion
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget
from shiboken6 import isValid

from gpuplanner_gui.desktop.settings import Key, flag_setting
from gpuplanner_gui.desktop.widgets import theme
from gpuplanner_gui.desktop.widgets.flow_layout import STRETCH, lay_out
from gpuplanner_gui.desktop.widgets.labels import plain_label
from gpuplanner_gui.drawing.language import tr

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.window.window_parts import WindowParts

SLIDE_MS = 200
BUBBLE_WIDTH = 340
GAP = 10


@dataclass(frozen=True)
class TourStep:
    """A step of the tour: the marked widget and the text about it."""

    find: Callable[[WindowParts], QWidget | None]
    title: str
    text: str


def _candidates(parts: WindowParts) -> QWidget | None:
    dock = parts.desk.candidates_dock
    return dock if parts.results_pane is not None and not dock.isFloating() else None


STEPS = (
    TourStep(
        lambda parts: parts.inputs,
        "What you plan",
        "Enter model, workload, hardware and money here. Type values with units: 80 GB, 40 req/s, 2 weeks, "
        "20..60 for a range.",
    ),
    TourStep(
        lambda parts: parts.verdict,
        "The answer first",
        "What to rent or buy, the chance of meeting every target, and the cost. It updates with each edit.",
    ),
    TourStep(
        lambda parts: parts.results_pane.bar if parts.results_pane is not None else None,
        "Four questions",
        "Four places: what to do, why, what it costs and how certain that is, and how alternatives compare. "
        "The line next to the pages names the candidate that they show.",
    ),
    TourStep(
        _candidates,
        "All candidates, ranked",
        "Candidates that cannot run say why. Select one to show it in every plot; Ctrl-click to pin others. "
        "F4 explains a number.",
    ),
    TourStep(
        lambda parts: parts.frame.menuBar(),
        "Everything else",
        "Ctrl+K finds any command, page or accelerator. Shift+F1 and a click explain a field. The Help menu "
        "has this tour.",
    ),
)  # fmt: skip


class Tour(QObject):
    """Leads through the window, which takes no clicks meanwhile; the planner may leave at any step."""

    ended = Signal()

    def __init__(self, parts: WindowParts) -> None:
        super().__init__(parts.frame)
        self._parts = parts
        self._window = parts.frame
        self.place = -1
        self._focused_before: QWidget | None = None
        self.spotlight = _Spotlight(parts.frame)
        self.bubble = _Bubble(parts.frame)
        self.bubble.next.clicked.connect(self.go_on)
        self.bubble.back.clicked.connect(self.go_back)
        self.bubble.skip.clicked.connect(self.end)
        self._slide = QVariantAnimation(self)
        self._slide.setDuration(SLIDE_MS)
        self._slide.valueChanged.connect(self.spotlight.mark)
        parts.workspace.start_page_shown.connect(self.end)
        app = QApplication.instance()
        if app is not None:
            # Before whatever has the focus: a button would move the focus by the arrow keys, a field take Escape.
            app.installEventFilter(self)

    def start(self) -> None:
        if self._is_over:
            self._focused_before = QApplication.focusWidget()
        self.spotlight.show()
        self.bubble.show()
        self._show(0)

    def go_on(self) -> None:
        if self.place + 1 < len(STEPS):
            self._show(self.place + 1)
        else:
            self.end()

    def go_back(self) -> None:
        if self.place > 0:
            self._show(self.place - 1)

    def end(self) -> None:
        """Seen to the end, or left: it does not come again by itself."""
        if self.place < 0:
            return
        self.place = -1
        app = QApplication.instance()
        if app is not None:
            app.removeEventFilter(self)
        self._slide.stop()
        self._parts.settings.setValue(Key.TOUR_DONE, True)
        before = self._focused_before
        if before is not None and isValid(before) and self.bubble.isAncestorOf(QApplication.focusWidget() or before):
            before.setFocus(Qt.FocusReason.OtherFocusReason)
        self.spotlight.deleteLater()
        self.bubble.deleteLater()
        self.ended.emit()
        self.deleteLater()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._does_key(watched, event.key())
        if kind == QEvent.Type.ShortcutOverride and self._has_keys(watched):
            event.accept()  # No shortcut of the window acts: the key comes as itself.
            return True
        if watched is self._window and kind in (QEvent.Type.Resize, QEvent.Type.LayoutRequest) and not self._is_over:
            self._place_marks(slides=False)
        return False

    @property
    def _is_over(self) -> bool:
        return self.place < 0

    def _has_keys(self, watched: QObject) -> bool:
        is_there = not self._is_over and isinstance(watched, QWidget) and QApplication.activePopupWidget() is None
        return is_there and (watched is self._window or self._window.isAncestorOf(watched))  # type: ignore[arg-type]

    def _does_key(self, watched: QObject, key: int) -> bool:
        """Escape leaves from anywhere in the window; arrows walk, Tab goes round, and no other key gets behind."""
        if not self._has_keys(watched):
            return False
        acts: dict[int, Callable[[], None]] = {
            Qt.Key.Key_Right: self.go_on, Qt.Key.Key_Left: self.go_back, Qt.Key.Key_Escape: self.end,
            Qt.Key.Key_Tab: partial(self._go_round, 1), Qt.Key.Key_Backtab: partial(self._go_round, -1),
        }  # fmt: skip
        is_own = self.bubble.isAncestorOf(watched)  # type: ignore[arg-type]
        if key in acts and (is_own or key not in (Qt.Key.Key_Right, Qt.Key.Key_Left)):
            # Later: the button that the key came to goes with the tour.
            QTimer.singleShot(0, self, acts[key])
            return True
        return not is_own or key not in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)

    def _go_round(self, step: int) -> None:
        bubble = self.bubble
        buttons = [one for one in (bubble.skip, bubble.back, bubble.next) if one.isVisible() and one.isEnabled()]
        at = next((place for place, one in enumerate(buttons) if one.hasFocus()), -1)
        buttons[(at + step) % len(buttons)].setFocus(Qt.FocusReason.TabFocusReason)

    def _show(self, place: int) -> None:
        self.place = place
        step = STEPS[place]
        self.bubble.say(tr(step.title), tr(step.text), place)
        self._place_marks(slides=not flag_setting(self._parts.settings, Key.REDUCED_MOTION))
        self.bubble.next.setFocus(Qt.FocusReason.OtherFocusReason)

    def _place_marks(self, slides: bool) -> None:
        self.spotlight.setGeometry(self._window.rect())
        room = self._marked()
        self._slide.stop()
        if slides and not self.spotlight.marked.isEmpty():
            self._slide.setStartValue(self.spotlight.marked)
            self._slide.setEndValue(room)
            self._slide.start()
        else:
            self.spotlight.mark(room)
        self.spotlight.raise_()
        self.bubble.stand_by(room, self._window.rect())
        self.bubble.raise_()

    def _marked(self) -> QRect:
        """The part of the window that this step is about; all of it where that part is not there."""
        target = STEPS[self.place].find(self._parts)
        if target is None or not target.isVisible():
            return self._window.rect()
        return QRect(target.mapTo(self._window, QPoint(0, 0)), target.size())


class _Spotlight(QWidget):
    """Dims everything but the marked part, and lets no click through."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.marked = QRect()
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def mark(self, room: QRect) -> None:
        self.marked = QRect(room)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setClipRegion(QRegion(self.rect()) - QRegion(self.marked))
        painter.fillRect(self.rect(), QColor(0, 0, 0, 110))
        painter.setClipping(False)
        painter.setPen(QPen(theme.tone(theme.CHANGED, self.palette()), 2))
        painter.drawRect(self.marked.adjusted(1, 1, -1, -1))
        painter.end()


class _Bubble(QFrame):
    """The words of a step, with the ways on."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("card")
        self.setAutoFillBackground(True)
        self.setFixedWidth(BUBBLE_WIDTH)
        self._title = plain_label(name="partTitle")
        self._text = plain_label(wraps=True)
        self._count = plain_label(name="quiet")
        self.skip = QPushButton(tr("Skip the tour"))
        self.back = QPushButton(tr("&Back"))
        self.next = QPushButton()
        self.next.setDefault(True)
        row = lay_out(QHBoxLayout(), self.skip, STRETCH, self.back, self.next)
        lay_out(QVBoxLayout(self), self._title, self._text, self._count, row, margins=(16, 14, 16, 14), spacing=8)

    def say(self, title: str, text: str, place: int) -> None:
        self._title.setText(title)
        self._text.setText(text)
        self._count.setText(tr("{place} of {count}").format(place=place + 1, count=len(STEPS)))
        is_last = place + 1 == len(STEPS)
        self.back.setEnabled(place > 0)
        self.skip.setVisible(not is_last)
        self.next.setText(tr("&Done") if is_last else tr("&Next"))
        self.setAccessibleName(title)
        self.next.setAccessibleDescription(f"{title}. {text}")
        self.setFixedHeight(self.layout().heightForWidth(BUBBLE_WIDTH))  # type: ignore[union-attr]

    def stand_by(self, marked: QRect, window: QRect) -> None:
        """Place the bubble beside, below or above the marked widget; inside its lower corner if there is no room."""
        width, height = self.width(), self.height()
        middle = max(GAP, min(marked.center().y() - height // 2, window.height() - height - GAP))
        along = max(GAP, min(marked.left() + 2 * GAP, window.width() - width - GAP))
        if marked.right() + width + 2 * GAP < window.width():
            self.move(marked.right() + GAP, middle)
        elif marked.bottom() + height + 2 * GAP < window.height():
            self.move(along, marked.bottom() + GAP)
        elif marked.top() - height - 2 * GAP > 0:
            self.move(along, marked.top() - height - GAP)
        elif marked.left() - width - 2 * GAP > 0:
            self.move(marked.left() - width - GAP, middle)
        else:
            self.move(marked.right() - width - 2 * GAP, marked.bottom() - height - 2 * GAP)


def offer_at_first_run(parts: WindowParts) -> None:
    """Show the tour when the first plan is on screen, to who has not seen it yet."""
    if flag_setting(parts.settings, Key.TOUR_DONE):
        return
    watch = _FirstPlan(parts)
    parts.compute.completed.connect(watch.look)
    parts.store.project_changed.connect(watch.look)
    parts.workspace.workspace_shown.connect(watch.look)


def lead(parts: WindowParts) -> Tour:
    """The tour from its first step; one that is under way begins again."""
    tour = next((one for one in parts.frame.findChildren(Tour) if one.place >= 0), None) or Tour(parts)
    tour.start()
    return tour


class _FirstPlan(QObject):
    """Waits until there is something to show."""

    def __init__(self, parts: WindowParts) -> None:
        super().__init__(parts.frame)
        self._parts = parts
        self._is_done = False

    def look(self, *_: object) -> None:
        parts = self._parts
        is_seen = parts.results_pane is not None and parts.results_pane.isVisible()
        if not self._is_done and is_seen and parts.compute.results is not None:
            self._is_done = True
            # Later: whoever showed the workspace puts the focus somewhere first.
            QTimer.singleShot(0, parts.frame, lambda: lead(parts))
            self.deleteLater()
