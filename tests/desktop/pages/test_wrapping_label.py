"""Long words, paths and pasted names are read whole, and widen nothing."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.widgets.labels import LinesLabel, WrappingLabel, unbroken
from gpuplanner_gui.desktop.widgets.message_bar import MessageBar, Severity

WORD = "W" * 120


@pytest.mark.parametrize("is_selectable", [False, True])
def test_long_word_does_not_widen_what_it_stands_in(qtbot: QtBot, is_selectable: bool) -> None:
    box = QWidget()
    qtbot.addWidget(box)
    label = WrappingLabel(f"“{WORD}” holds no number.", is_selectable=is_selectable)
    QVBoxLayout(box).addWidget(label)
    assert box.minimumSizeHint().width() < 120
    assert label.text() == f"“{WORD}” holds no number."
    assert label.accessibleName() == label.text()


def test_long_word_goes_on_in_the_next_line(qtbot: QtBot) -> None:
    label = WrappingLabel(WORD)
    qtbot.addWidget(label)
    whole = label.fontMetrics().horizontalAdvance(WORD)
    assert label.heightForWidth(whole // 3) >= 3 * label.fontMetrics().height()


def test_a_number_and_its_unit_stand_in_one_line(qtbot: QtBot) -> None:
    label = LinesLabel(3)
    qtbot.addWidget(label)
    text = "All replicas share one store of 40 GB/s, at $1 220/month or more."
    label.setText(text)
    whole = label.fontMetrics().horizontalAdvance(text)
    for share in range(35, 100):
        label.resize(whole * share // 100, 60)
        assert "".join(label.shown_text().split()) == "".join(text.split())
        assert not any(line.endswith(("40", "GB/", "220/")) for line in label.lines()), label.lines()
    assert unbroken("docs/units of 8 devices").count("\u2060") == 0, "words with a stroke may be broken"


def test_words_that_can_be_copied_hold_nothing_but_themselves(qtbot: QtBot) -> None:
    label = WrappingLabel(f"The file {WORD} is gone.", is_selectable=True)
    qtbot.addWidget(label)
    label.setSelection(0, len(label.text()))
    assert label.selectedText() == f"The file {WORD} is gone."


def test_message_with_a_long_path_leaves_the_window_its_width(qtbot: QtBot) -> None:
    bar = MessageBar()
    qtbot.addWidget(bar)
    bar.show_message(f"/home/{WORD * 3}/plan.gpuplan cannot be read.", Severity.ERROR, lambda: "Try again")
    assert bar.minimumSizeHint().width() < 400
