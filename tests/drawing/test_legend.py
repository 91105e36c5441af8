"""What a legend shows of a line, and the colours of what lies over a plot's own curves."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication

from gpuplanner_gui.drawing.palette import DARK, LIGHT, Theme
from gpuplanner_gui.drawing.plots.legend import LegendEntry, LegendStrip
from gpuplanner_gui.drawing.plots.load import LatencyPlot
from gpuplanner_gui.drawing.plots.pens import tick_font
from gpuplanner_gui.drawing.plots.picks import Pick
from gpuplanner_gui.drawing.plots.rival_marks import MOST_OVERLAYS, OverlayCurves


def pieces_of(style: str, has_line: bool = False) -> int:
    """Into how many pieces the line before a name falls."""
    strip = LegendStrip(tick_font())
    strip.resize(200, 40)
    strip.show_entries((LegendEntry("", "#000000", style, has_line=has_line),), "#000000")
    image = QImage(60, 40, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    strip.paint(painter)
    painter.end()
    rows = [[image.pixelColor(x, y).lightness() < 100 for x in range(60)] for y in range(40)]
    dark = max(rows, key=sum)
    return sum(here and not before for before, here in zip([False, *dark], dark))


@pytest.mark.parametrize(("style", "least"), [("dash", 2), ("dot", 3), ("dashdot", 2)])
def test_it_is_seen_that_a_line_is_broken(qapp: QApplication, style: str, least: int) -> None:
    assert pieces_of("line") == 1
    assert pieces_of(style) >= least


def test_a_symbol_that_a_line_belongs_to_stands_on_one(qapp: QApplication) -> None:
    assert pieces_of("o", has_line=True) == 2, "the symbol is hollow"


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_other_scenarios_have_colours_of_their_own(qapp: QApplication, theme: Theme) -> None:
    plot = LatencyPlot("ttft")
    overlays = OverlayCurves(plot.item)
    overlays.show([(Pick(f"other {place}"), np.zeros(2), np.zeros(2)) for place in range(MOST_OVERLAYS)])
    overlays.recolour(theme)
    colours = {entry.colour for entry in overlays.entries()}
    assert len(colours) == MOST_OVERLAYS
    assert not colours & {*theme.series, theme.bad}
