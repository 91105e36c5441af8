"""The sentence over a plot, in as many lines as it needs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QWidget

from gpuplanner_gui.desktop.widgets.labels import MOST_TITLE_LINES, PlotTitle

Show = Callable[[QWidget], None]
SENTENCE = (
    "Fleet for the service; training devices only during runs, MI300X + RTX 5090: $55 400 over 3 y; "
    "one shared fleet $145 000 more"
)


@pytest.fixture
def title(shown: Show) -> PlotTitle:
    made = PlotTitle()
    shown(made)
    made.setText(SENTENCE)
    return made


def resize_to(title: PlotTitle, share: float) -> None:
    """So wide that one line holds this share of the sentence."""
    title.resize(round(title.fontMetrics().horizontalAdvance(SENTENCE) * share) + 1, 60)


def test_sentence_that_fits_stands_in_one_line(title: PlotTitle) -> None:
    resize_to(title, 1.0)
    assert title.lines() == (SENTENCE,)
    one_line = title.sizeHint().height()
    resize_to(title, 0.7)
    assert title.sizeHint().height() > one_line


def test_longer_sentence_goes_on_in_a_second_line_whole(title: PlotTitle) -> None:
    resize_to(title, 0.7)
    first, second = title.lines()
    assert f"{first} {second}" == SENTENCE
    assert title.toolTip() == ""


def test_sentence_is_cut_where_the_last_line_does_not_hold_it(title: PlotTitle) -> None:
    resize_to(title, 0.25)
    assert len(title.lines()) == MOST_TITLE_LINES
    assert title.lines()[-1].endswith("…")
    assert title.toolTip() == SENTENCE


@pytest.mark.parametrize("share", [0.4 + step / 50 for step in range(30)])
def test_number_and_its_unit_are_not_parted(title: PlotTitle, share: float) -> None:
    resize_to(title, share)
    first = title.lines()[0]
    assert not first.endswith((" 3", "$55", "$145"))
