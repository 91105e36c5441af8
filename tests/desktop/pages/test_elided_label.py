"""A label that has no room cuts words, but shows no part of a number."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.widgets.labels import ElidedLabel, LinesLabel, ShorteningLabel


@pytest.mark.parametrize(
    ("whole", "room_of", "shown"),
    [
        ("12\u00a0292 of 26\u00a0880 can run", "12\u00a0292 of 26\u00a08…", "12\u00a0292 of…"),
        ("330 layouts: 146 fit, 29 on the front", "330 layouts: 146 fit, 29…", "330 layouts: 146 fit…"),
        ("The fleet costs $4,720 a month", "The fleet costs $4,7…", "The fleet costs…"),
        ("Instinct MI300X in FP8", "Instinct MI300…", "Instinct MI300…"),
        ("Fleet of one", "Fleet of one", "Fleet of one"),
    ],
)
def test_no_part_of_a_number_is_shown(qtbot: QtBot, whole: str, room_of: str, shown: str) -> None:
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.setText(whole)
    label.show()
    label.resize(label.fontMetrics().horizontalAdvance(room_of) + 1, 20)
    assert label.shown_text() == shown
    assert label.toolTip() == ("" if shown == whole else whole)


def test_a_shorter_text_takes_the_place_of_one_without_room(qtbot: QtBot) -> None:
    label = ShorteningLabel()
    qtbot.addWidget(label)
    label.show_texts("12 of 26 can run", "12 of 26")
    label.show()
    metrics = label.fontMetrics()
    shown = []
    for width in ("12 of 26 can run", "12 of 26 ca", "12 o"):
        label.resize(metrics.horizontalAdvance(width) + 1, 20)
        shown.append(label.shown_text())
    assert shown == ["12 of 26 can run", "12 of 26", ""]
    assert label.toolTip() == "12 of 26 can run"


def test_paragraphs_begin_lines_of_their_own(qtbot: QtBot) -> None:
    """As one line they were painted over each other, cut above and below."""
    label = LinesLabel(3)
    qtbot.addWidget(label)
    label.setText("one\ntwo")
    label.resize(400, 100)
    assert label.lines() == ("one", "two")
    assert label.sizeHint().height() > 2 * label.fontMetrics().lineSpacing()
    label.setText("one\ntwo\nthree\nfour")
    assert label.lines() == ("one", "two", "three …")
    label.setText("a long sentence " * 20 + "\nand the next")
    assert label.lines()[-1] == "and the next"
    assert label.lines()[-2].endswith("…")
