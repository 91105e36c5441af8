"""A row of widgets that goes on in the next line."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.widgets.flow_layout import flowing


def test_row_goes_on_in_the_next_line_and_takes_its_height(qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    buttons = [QPushButton(f"Button {place}") for place in range(4)]
    row = flowing(buttons, page, spacing=8, line_spacing=4)
    layout = QVBoxLayout(page)
    layout.addWidget(row)
    layout.addStretch(1)
    wide = sum(one.sizeHint().width() + 8 for one in buttons) + 40
    page.resize(wide, 300)
    page.show()
    one_line = row.height()
    assert len({button.y() for button in buttons}) == 1
    page.resize(wide // 2, 300)
    assert len({button.y() for button in buttons}) == 2
    assert row.height() == 2 * one_line + 4
    assert all(button.geometry().right() <= row.width() for button in buttons)


def test_lower_widgets_stand_in_the_middle_of_their_line(qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    label, button = QLabel("on"), QPushButton("Shortest time")
    row = flowing((label, button), page, spacing=8, line_spacing=4)
    QVBoxLayout(page).addWidget(row)
    page.resize(400, 100)
    page.show()
    assert label.height() < button.height()
    assert abs(label.geometry().center().y() - button.geometry().center().y()) <= 1
