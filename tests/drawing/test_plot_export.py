"""Plots as files: laid out for their own size, also from a window; drawings that browsers and editors show alike."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QByteArray, QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.export import png_bytes, svg_bytes
from gpuplanner_gui.drawing.plots.load import LatencyPlot
from gpuplanner_gui.drawing.plots.memory import MemoryPlot
from gpuplanner_gui.drawing.plots.roofline import RooflinePlot
from gpuplanner_gui.drawing.results import Results
from tests.drawing import synthetic

SVG = "{http://www.w3.org/2000/svg}"
SIZE = (960, 540)


@pytest.fixture(scope="module")
def results() -> Results:
    return synthetic.results()


@pytest.fixture(
    params=[lambda: LatencyPlot("ttft"), MemoryPlot, lambda: RooflinePlot("serving")],
    ids=["latency", "memory", "roofline"],
)
def plot(request: pytest.FixtureRequest, results: Results, qapp: QApplication) -> Plot:
    made: Plot = request.param()
    made.show(results)
    return made


def pixels(image: QImage) -> NDArray[np.uint8]:
    grey = image.convertToFormat(QImage.Format.Format_Grayscale8)
    rows = np.frombuffer(grey.constBits(), np.uint8).reshape(grey.height(), grey.bytesPerLine())
    return rows[:, : grey.width()].copy()


def rendered(svg: bytes) -> NDArray[np.uint8]:
    image = QImage(*SIZE, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    QSvgRenderer(QByteArray(svg)).render(painter, QRectF(0, 0, *SIZE))
    painter.end()
    return pixels(image)


def test_a_plot_fills_its_picture(plot: Plot) -> None:
    content = pixels(QImage.fromData(png_bytes(plot, *SIZE, 1.0)))
    for rows in (content, content.T):
        inked = np.flatnonzero((rows != 255).any(axis=1))
        assert inked[0] < 0.05 * len(rows)
        assert inked[-1] > 0.95 * len(rows), "a part of the picture is empty"


def test_a_drawing_shows_what_the_picture_shows(plot: Plot) -> None:
    """Axes stand at their curves, bars and symbols are there, and no pixels were put in."""
    picture, svg = pixels(QImage.fromData(png_bytes(plot, *SIZE, 1.0))), svg_bytes(plot, *SIZE)
    assert b"<image" not in svg
    drawing = rendered(svg)
    # Coarse, for letters and edges are smoothed in different ways.
    coarse = [one.reshape(54, 10, 96, 10).mean(axis=(1, 3)) for one in (picture, drawing)]
    assert np.abs(coarse[0] - coarse[1]).mean() < 4
    ink = (coarse[0] < 220) & (coarse[1] > 250)
    assert ink.sum() < 0.01 * ink.size, "something is missing in the drawing"


def test_a_drawing_keeps_inside_its_plot_and_its_texts_in_their_room(plot: Plot) -> None:
    root = ElementTree.fromstring(svg_bytes(plot, *SIZE))
    clip = root.find(f".//{SVG}clipPath[@id='plot']/{SVG}rect")
    assert clip is not None
    assert 0 < float(clip.get("x", "0")) < float(clip.get("width", "0")) < SIZE[0]
    clipped = [one for one in root.iter(f"{SVG}g") if one.get("clip-path") == "url(#plot)"]
    assert len(clipped) == 1
    texts = [one for one in root.iter(f"{SVG}text") if (one.text or "").strip()]
    assert len(texts) > 5
    assert all(float(one.get("textLength", "0")) > 0 for one in texts)
    assert all(one.get("font-family", "").endswith("sans-serif") for one in texts)


def test_no_part_of_a_drawing_is_scaled_to_nothing(plot: Plot) -> None:
    """Browsers leave out what stands under a matrix that can hardly be inverted, as bytes over pixels make it."""
    root = ElementTree.fromstring(svg_bytes(plot, *SIZE))
    painted = [one for one in root.iter(f"{SVG}g") if any(child.tag != f"{SVG}g" for child in one)]
    assert len(painted) > 20
    for group in painted:
        a, b, c, d, *_ = (float(one) for one in re.findall(r"[-+.\de]+", group.get("transform", "(1,0,0,1")))
        assert abs(a * d - b * c) > 1e-6


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_lines_are_as_wide_in_a_dense_picture(qapp: QApplication, results: Results, scale: float) -> None:
    plot = LatencyPlot("ttft")
    plot.show(results)
    image = pixels(QImage.fromData(png_bytes(plot, *SIZE, scale)))
    column = image[:, round(0.25 * image.shape[1])]
    dark = column < 90
    # The curve of p95, two units wide, is the widest dark run but for text.
    runs = np.diff(np.flatnonzero(np.diff(np.concatenate([[0], dark.astype(int), [0]])))[:])[::2]
    assert runs.max() >= 2 * scale - 1


def test_another_plot_looks_like_the_one_that_the_planner_has_before_them(qapp: QApplication, results: Results) -> None:
    """Hidden curves, another scale, a part of the range, a marked operation: in the picture as on the screen."""
    latency, roofline = LatencyPlot("ttft"), RooflinePlot("serving", phase="decode")
    latency.show(results)
    roofline.show(results)
    plain = rendered(svg_bytes(latency)), rendered(svg_bytes(roofline))
    latency.toggle("p50")
    latency.use_scale("y", not latency.is_log("y"))
    latency.look_at((3.0, 9.0), (0.5, 2.5))
    assert results.rooflines["serving"].points
    roofline.picked = results.rooflines["serving"].points[-1].code
    roofline.draw_again()
    twins = LatencyPlot("ttft"), RooflinePlot("serving", phase="decode")
    for twin, plot, before in zip(twins, (latency, roofline), plain, strict=True):
        twin.look_like(plot)
        drawn = rendered(svg_bytes(twin))
        assert np.array_equal(drawn, rendered(svg_bytes(plot)))
        assert not np.array_equal(drawn, before)
