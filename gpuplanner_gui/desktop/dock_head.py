"""A dock whose own first line is its title bar: dragged and double-clicked like one, and no line is lost to a title."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QBoxLayout, QDockWidget, QHBoxLayout, QLabel, QToolButton, QWidget

from gpuplanner_gui.desktop.icons import icon, icon_size
from gpuplanner_gui.drawing.language import tr

BUTTON_SIDE = 14
"""Pixels of a button's icon at the usual size of type."""


def use_as_title_bar(head: QWidget, dock: QDockWidget) -> None:
    """Make a line of controls, laid out in a row, the dock's title bar, with the two buttons of one at its end."""
    layout = head.layout()
    assert isinstance(layout, QBoxLayout)
    floats = _DockButton("dockFloat", "dock-float", tr("Window of its own, or back"), head)
    floats.clicked.connect(lambda: dock.setFloating(not dock.isFloating()))
    closes = _DockButton("dockClose", "close", tr("Put away; the View menu brings it back"), head)
    closes.clicked.connect(dock.close)
    layout.addWidget(floats)
    layout.addWidget(closes)
    dock.setTitleBarWidget(head)


def use_plain_title_bar(dock: QDockWidget) -> None:
    """The dock's title with the same buttons, which grow with the type as those of the platform do not."""
    head = QWidget()
    layout = QHBoxLayout(head)
    layout.setContentsMargins(12, 3, 6, 3)
    layout.setSpacing(2)
    title = QLabel(dock.windowTitle())
    title.setTextFormat(Qt.TextFormat.PlainText)
    layout.addWidget(title, 1)
    use_as_title_bar(head, dock)


class _DockButton(QToolButton):
    """Drawn in the text's colour of the theme at hand."""

    def __init__(self, name: str, picture: str, words: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._picture = picture
        self.setObjectName(name)
        self.setAccessibleName(words)
        self.setToolTip(words)
        self.setAutoRaise(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setIconSize(icon_size(BUTTON_SIDE))
        self.setIcon(icon(picture))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.setIcon(icon(self._picture))
