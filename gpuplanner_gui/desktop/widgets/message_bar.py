"""A line above the results for what the planner should know and need not decide at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QGuiApplication, QPalette, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QWidget

from gpuplanner_gui.desktop.widgets import theme
from gpuplanner_gui.desktop.widgets.event_turns import NextTurn
from gpuplanner_gui.desktop.widgets.icons import icon, icon_size, use_icon
from gpuplanner_gui.desktop.widgets.labels import WrappingLabel
from gpuplanner_gui.desktop.widgets.layouts import lay_out
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.words.files import file_problem_text

if TYPE_CHECKING:
    from gpuplanner_gui.files.errors import FileProblem

Words = str | Callable[[], str]
"""A sentence, or what makes it, where it is to be said again in another language."""
Act = tuple[type, Callable[[Any], object]]
"""What can be done about it, and the kind of object that does it, of the window that shows the message by then."""


class Severity(StrEnum):
    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


_GROUND = {
    Severity.NOTE: theme.NOTE_GROUND,
    Severity.WARNING: theme.WARNING_GROUND,
    Severity.ERROR: theme.ERROR_GROUND,
}


@dataclass(frozen=True)
class Message:
    """Something that the planner should know."""

    words: Words
    severity: Severity
    action: Callable[[], str] = str
    """What the button says; without a word there is none."""
    act: Act | None = None
    topic: str = ""
    """By which whoever said it can withdraw it."""
    is_about_project: bool = True
    """It tells nothing of another project."""

    def text(self) -> str:
        return self.words if isinstance(self.words, str) else self.words()


class MessageBar(QFrame):
    """Shows one message at a time, with an action where something can be done about it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._message: Message | None = None
        self._doers: dict[type, object] = {}
        self._over: QWidget | None = None
        self._place_soon = NextTurn(self, self._place)
        self.setAutoFillBackground(True)
        self._sign = QLabel(self)
        self.text = WrappingLabel(parent=self, is_selectable=True)
        self.text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.action = QPushButton(self)
        self.action.hide()
        self.action.clicked.connect(self._on_action)
        self._close = QToolButton(self)
        use_icon(self._close, "close")
        self._close.setIconSize(icon_size(12))
        self._close.setAccessibleName(tr("Close the message"))
        self._close.clicked.connect(self.hide)
        lay_out(
            QHBoxLayout(self), self._sign, (self.text, 1), self.action, self._close, margins=(12, 6, 8, 6),
            spacing=8,
        )  # fmt: skip
        self.hide()

    def lie_over(self, widget: QWidget) -> None:
        """Lie at the foot of this: nothing moves under the pointer when a message comes or goes."""
        self.setParent(widget)
        self._over = widget
        widget.installEventFilter(self)
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._over and event.type() == QEvent.Type.Resize:
            self._place_soon.start()
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_soon.start()

    def _place(self) -> None:
        if self._over is not None:
            width = self._over.width()
            # The size hint is that of the narrowest label: a third of the window.
            height = self.heightForWidth(width)
            self.setGeometry(0, self._over.height() - height, width, height)
            self.raise_()

    def know(self, *doers: object) -> None:
        """Let messages be acted on by these."""
        self._doers |= {type(one): one for one in doers}

    def show_message(
        self,
        words: Words,
        severity: Severity,
        action: Callable[[], str] = str,
        act: Act | None = None,
        *,
        topic: str = "",
        is_about_project: bool = True,
    ) -> None:
        self._show(Message(words, severity, action, act, topic, is_about_project))

    def show_problem(self, problem: FileProblem) -> None:
        """A file that could not be read or written."""
        self.show_message(partial(file_problem_text, problem), Severity.ERROR)

    def _show(self, message: Message) -> None:
        self._message = message
        self.text.setText(message.text())
        action = message.action()
        self.action.setText(action)
        self.action.setVisible(bool(action))
        self.apply_theme()
        self.show()
        self._place()

    @property
    def shown(self) -> Message | None:
        """The message that the planner has before them."""
        return None if self.isHidden() else self._message

    def take_over(self, other: MessageBar) -> None:
        """Say what another window said, in the language of the moment."""
        message = other.shown
        if message is not None and not isinstance(message.words, str):
            self._show(message)

    def withdraw(self, topic: str) -> None:
        """Close what no longer holds, if it is what is shown."""
        if self.shown is not None and self.shown.topic == topic:
            self.hide()

    def withdraw_error(self) -> None:
        """Close what went wrong before, as something else is tried now."""
        if self.shown is not None and self.shown.severity == Severity.ERROR:
            self.hide()

    def leave_project(self) -> None:
        """Close what was said of a project that another one takes the place of."""
        if self.shown is not None and self.shown.is_about_project:
            self.hide()

    def apply_theme(self) -> None:
        """Take the colours of the present palette."""
        severity = self._message.severity if self._message is not None else Severity.NOTE
        # Its own palette has the last ground in it, which tells nothing of the theme.
        palette = QGuiApplication.palette()
        palette.setColor(QPalette.ColorRole.Window, theme.tone(_GROUND[severity], palette))
        self.setPalette(palette)
        self._sign.setPixmap(icon(severity.value).pixmap(icon_size(16), self.devicePixelRatio()))

    def _on_action(self) -> None:
        message = self._message
        self.hide()
        if message is not None and message.act is not None:
            kind, act = message.act
            act(self._doers[kind])
