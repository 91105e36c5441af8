"""The tables of the readiness page, and of the limits of memory: no text is cut, numbers stand at the right."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.pages.serving_plots import ReadinessPage
from gpuplanner_gui.desktop.widgets.rows_table import RowsTable
from gpuplanner_gui.desktop.widgets.style_rules import CELL_PADDING
from gpuplanner_gui.drawing.rows import Column, Rows

MEANING = "no headroom, confidence or spares: 40 req/s ÷ 8.04 req/s that a replica takes within its targets (simulated)"
WIDTHS = range(620, 1200, 4)
HEAD, ALIGNED, RIGHT = Qt.Orientation.Horizontal, Qt.ItemDataRole.TextAlignmentRole, Qt.AlignmentFlag.AlignRight


def test_a_meaning_that_all_but_fits_is_wrapped(qtbot: QtBot) -> None:
    """Between the width that a size hint counts with and the one in which text is painted, its end was cut off."""
    page = ReadinessPage()
    qtbot.addWidget(page)
    page.show()
    columns = (Column("Figure"), Column("Value"), Column("Meaning"))
    fleet = page.fleet
    fleet.show_rows("", Rows(columns, (("Replicas without any reserve", "5", MEANING),)))
    wrapped = []
    for width in WIDTHS:
        page.resize(width, 700)
        qtbot.waitUntil(lambda: not fleet.fit_soon.is_waiting())
        metrics = fleet.table.fontMetrics()
        is_cut = metrics.horizontalAdvance(MEANING) > fleet.table.columnWidth(2) - 2 * CELL_PADDING
        wrapped.append(is_cut)
        assert not is_cut or fleet.table.rowHeight(0) >= 2 * metrics.lineSpacing(), width
    assert {True, False} == set(wrapped)


def test_the_text_above_the_stress_tests_is_whole(qtbot: QtBot) -> None:
    """It ended in dots after three lines, with the window as wide as a screen."""
    page = ReadinessPage()
    qtbot.addWidget(page)
    page.show()
    text = " ".join(f"Sentence {number} says what a test of the service counts." for number in range(12))
    page.stress.show_rows(text, Rows((Column("Test"),), (("Peak load",),)))
    for width in (620, 1000, 1400):
        page.resize(width, 700)
        assert page.stress.sentence.shown_text() == text, width


def test_numbers_with_a_remark_stand_at_the_right(qtbot: QtBot) -> None:
    """A column of contexts stood at the left of its cells, beside one of batches at the right: "107 4 455"."""
    table = RowsTable("Limits")
    qtbot.addWidget(table)
    cells = (("107", "4\N{NO-BREAK SPACE}455"), ("766", "131\N{NO-BREAK SPACE}072 (the model's maximum)"))
    table.show_rows(Rows((Column("Batch", "seq"), Column("Context", "tok")), cells))
    model = table.model()
    assert [Qt.AlignmentFlag(model.headerData(place, HEAD, ALIGNED)) & RIGHT for place in (0, 1)] == [RIGHT, RIGHT]
