"""A dock whose own first line is its title bar: dragged and double-clicked like one, and no line is lost to a title."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QDockWidget, QToolButton, QWidget

from gpuplanner_gui.drawing.language import tr


def use_as_title_bar(head: QWidget, dock: QDockWidget) -> None:
    """Make a line of controls, laid out in a row, the dock's title bar, with the two buttons of one at its end."""
    layout = head.layout()
    assert isinstance(layout, QBoxLayout)
    floats = _button("dockFloat", tr("Window of its own, or back"), head)
    floats.clicked.connect(lambda: dock.setFloating(not dock.isFloating()))
    closes = _button("dockClose", tr("Put away; the View menu brings it back"), head)
    closes.clicked.connect(dock.close)
    layout.addWidget(floats)
    layout.addWidget(closes)
    dock.setTitleBarWidget(head)


def _button(name: str, words: str, parent: QWidget) -> QToolButton:
    button = QToolButton(parent)
    button.setObjectName(name)
    button.setAccessibleName(words)
    button.setToolTip(words)
    button.setAutoRaise(True)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button
