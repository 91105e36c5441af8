"""A line above the results for what the planner should know and need not decide at once."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from PySide6.QtGui import QGuiApplication, QPalette
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QWidget

from gpuplanner_gui.desktop import theme
from gpuplanner_gui.desktop.icons import icon, icon_size
from gpuplanner_gui.desktop.views.wrapping_label import WrappingLabel
from gpuplanner_gui.drawing.language import tr


class Severity(StrEnum):
    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


_GROUND = {
    Severity.NOTE: theme.NOTE_GROUND,
    Severity.WARNING: theme.WARNING_GROUND,
    Severity.ERROR: theme.ERROR_GROUND,
}


class MessageBar(QFrame):
    """Shows one message at a time, with an action where something can be done about it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._act: Callable[[], object] | None = None
        self._severity = Severity.NOTE
        self.setAutoFillBackground(True)
        self._sign = QLabel(self)
        self.text = WrappingLabel(parent=self, is_selectable=True)
        self.text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.action = QPushButton(self)
        self.action.hide()
        self.action.clicked.connect(self._on_action)
        self._close = QToolButton(self)
        self._close.setIconSize(icon_size(12))
        self._close.setAccessibleName(tr("Close the message"))
        self._close.clicked.connect(self.hide)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 6, 8, 6)
        layout.setSpacing(8)
        layout.addWidget(self._sign)
        layout.addWidget(self.text, 1)
        layout.addWidget(self.action)
        layout.addWidget(self._close)
        self.hide()

    def show_message(
        self, text: str, severity: Severity, action: str = "", act: Callable[[], object] | None = None
    ) -> None:
        self._act = act
        self._severity = severity
        self.text.setText(text)
        self.action.setText(action)
        self.action.setVisible(bool(action))
        self.apply_theme()
        self.show()

    def withdraw(self, text: str) -> None:
        """Close what no longer holds, if it is what is shown."""
        if text and self.text.text() == text:
            self.hide()

    def withdraw_error(self) -> None:
        """Close what went wrong before, as something else is tried now."""
        if self._severity == Severity.ERROR:
            self.hide()

    def apply_theme(self) -> None:
        """Take the colours of the present palette."""
        # Its own palette has the last ground in it, which tells nothing of the theme.
        palette = QGuiApplication.palette()
        palette.setColor(QPalette.ColorRole.Window, theme.tone(_GROUND[self._severity], palette))
        self.setPalette(palette)
        self._sign.setPixmap(icon(self._severity.value).pixmap(icon_size(16), self.devicePixelRatio()))
        self._close.setIcon(icon("close"))

    def _on_action(self) -> None:
        self.hide()
        if self._act is not None:
            self._act()
