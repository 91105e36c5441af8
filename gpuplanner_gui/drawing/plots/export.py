"""Plots as files: PNG and SVG through Qt's own paint devices, CSV with units.

A picture is made in steps of a few milliseconds, so that a window can hear keys and mouse between them; what takes
longest, encoding, may be done on any thread. The plot must be one that is shown nowhere: it is laid out and drawn anew.
pyqtgraph's SVG exporter is not used: it fails with PySide6 from 6.11 on.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import pyqtgraph as pg
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPointF, QRect, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QGuiApplication, QImage, QPainter, QPicture
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QGraphicsItem, QGraphicsScene

from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.pens import dots_in_unit

TITLE_HEIGHT = 34
MARGIN = 12
WIDTH, HEIGHT = 960, 540
WIDEST_SCENE = 20_000
SVG_FONT, FONT_OR_SIMILAR = re.compile(r'font-family="([^"]*)"'), r'font-family="\1, Helvetica, Arial, sans-serif"'
SVG_TEXT = re.compile(
    r'<text [^>]*?font-size="(?P<size>[\d.]+)" font-weight="(?P<weight>\d+)"[^>]*>(?P<words>[^<]+)</text>'
)
SVG_BODY, SVG_END = b'<g fill="none"', b"</svg>"
SVG_DEFINITIONS, SVG_DEFINITIONS_END = b"<defs>", b"</defs>"
PASSES = 3
"""An axis takes its width from its texts, the legend its height from what is left: each pass settles one."""

T = TypeVar("T")
Steps = Generator[None, None, T]
"""Work that stops for a moment after each few milliseconds, and gives its result at its end."""


def plot_widget(plot: Plot) -> pg.PlotWidget:
    """A widget that shows the plot. The plot must stay alive as long as the widget."""
    widget = pg.PlotWidget(plotItem=plot.item)
    widget.setBackground(QColor(plot.theme.surface))
    widget.setFrameShape(pg.PlotWidget.Shape.NoFrame)
    widget.setMinimumSize(0, 0)
    # A picture of the plain ground would be kept for each plot, as large as it was last shown; to fill is as fast.
    widget.setCacheMode(pg.PlotWidget.CacheModeFlag.CacheNone)
    # Without a rectangle of its own, a scene asks every item for its bounds at each change.
    widget.scene().setSceneRect(QRectF(0, 0, WIDEST_SCENE, WIDEST_SCENE))
    return widget


def png_bytes(plot: Plot, width: int = WIDTH, height: int = HEIGHT, scale: float = 2.0) -> bytes:
    """The plot with its title, drawn afresh at this size."""
    return encoded(done(image_steps(plot, width, height, scale)))


def svg_bytes(plot: Plot, width: int = WIDTH, height: int = HEIGHT) -> bytes:
    """The plot with its title, as vectors."""
    return put_together(done(drawing_steps(plot, width, height)))


def picture_bytes(plot: Plot, width: int = WIDTH, height: int = HEIGHT) -> bytes:
    """The plot with its title as Qt's own record of what was painted, to be painted again on any device."""
    picture = QPicture()
    with _sheet(plot) as scene:
        done(_lay_out(plot, scene, width, height))
        painter = QPainter(picture)
        painter.fillRect(QRect(0, 0, width, height), QColor(plot.theme.surface))
        with dots_in_unit(1.0):
            _paint_title(plot, painter, width)
            _paint(plot, scene, painter, width, height)
        painter.end()
    return _saved(picture.save)


def content_steps(plot: Plot, suffix: str, title: str = "") -> Steps[Callable[[], bytes]]:
    """Steps that make the content of a plot file (.png, .svg, .csv); the last gives a function for any thread.

    Numbers are taken at once, of a plot that has been drawn. Raises ValueError for another kind.
    """
    if suffix not in (".png", ".svg", ".csv"):
        raise ValueError(f"no plot format has the suffix {suffix!r}")
    numbers = plot.as_rows().csv_text() if suffix == ".csv" else ""

    def steps() -> Steps[Callable[[], bytes]]:
        if suffix == ".png":
            return partial(encoded, (yield from image_steps(plot, title=title)))
        if suffix == ".svg":
            return partial(put_together, (yield from drawing_steps(plot, title=title)))
        yield
        # With a mark at its start, by which spreadsheets know the encoding.
        return partial(numbers.encode, "utf-8-sig")

    return steps()


def done(steps: Steps[T]) -> T:
    """Every step at once."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result


def image_steps(
    plot: Plot, width: int = WIDTH, height: int = HEIGHT, scale: float = 2.0, title: str = ""
) -> Steps[QImage]:
    """The plot as a picture, under its own sentence or another."""
    with _sheet(plot) as scene:
        yield from _lay_out(plot, scene, width, height, scale)
        image = QImage(round(width * scale), round(height * scale), QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(scale)
        image.fill(QColor(plot.theme.surface))
        painter = QPainter(image)
        with dots_in_unit(scale):
            _paint_title(plot, painter, width, title)
            _paint(plot, scene, painter, width, height)
        painter.end()
    return image


def encoded(image: QImage) -> bytes:
    """The picture as PNG; may be called on any thread."""
    return _saved(lambda buffer: image.save(buffer, "PNG"))  # type: ignore[call-overload]


def _saved(save: Callable[[Any], object]) -> bytes:
    """What a picture writes to a device of Qt's."""
    written = QByteArray()
    buffer = QBuffer(written)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    save(buffer)
    return bytes(written.data())


@dataclass(frozen=True)
class Drawn:
    """Vectors before they are put together."""

    around: bytes
    """Title, axes and legend."""
    inside: bytes
    """Markup that is clipped to the plot."""
    place: QRectF
    """Rectangle of the plot, in the drawing's units."""
    dots_per_inch: float


def drawing_steps(plot: Plot, width: int = WIDTH, height: int = HEIGHT, title: str = "") -> Steps[Drawn]:
    """The plot as vectors, under its own sentence or another."""
    view = plot.item.getViewBox()
    others = [one for one in plot.item.childItems() if one is not view]
    with _sheet(plot) as scene:
        yield from _lay_out(plot, scene, width, height)
        with dots_in_unit(1.0):
            around = _svg(plot, scene, width, height, [view.childGroup], title)
        yield
        with dots_in_unit(1.0):
            inside = _svg(plot, scene, width, height, others)
        place = view.sceneBoundingRect().translated(MARGIN, TITLE_HEIGHT)
    return Drawn(around, inside, place, QGuiApplication.primaryScreen().logicalDotsPerInch())


def put_together(drawn: Drawn) -> bytes:
    """One drawing of both parts; may be called on any thread."""
    # Qt's drawings know no clipping: curves would run out of their plot.
    place = drawn.place
    clip = (
        f'<clipPath id="plot"><rect x="{place.x():g}" y="{place.y():g}" '
        f'width="{place.width():g}" height="{place.height():g}"/></clipPath>'
    )
    inside = drawn.inside
    curves = inside[inside.index(SVG_BODY) : inside.rindex(SVG_END)]
    patterns = inside[inside.index(SVG_DEFINITIONS) + len(SVG_DEFINITIONS) : inside.index(SVG_DEFINITIONS_END)]
    whole = drawn.around.replace(SVG_DEFINITIONS, SVG_DEFINITIONS + clip.encode() + patterns, 1)
    end = whole.rindex(SVG_END)
    whole = whole[:end] + b'<g clip-path="url(#plot)">' + curves + b"</g>" + whole[end:]
    with_width = partial(_with_width, drawn.dots_per_inch)
    return SVG_FONT.sub(FONT_OR_SIMILAR, SVG_TEXT.sub(with_width, whole.decode())).encode()


def _with_width(dots_per_inch: float, text: re.Match[str]) -> str:
    """A text as wide as in our typeface, also where a reader has another one."""
    font = QFont(QGuiApplication.font())
    font.setPointSizeF(float(text["size"]) * 72 / dots_per_inch)
    font.setWeight(QFont.Weight(int(text["weight"])))
    width = QFontMetricsF(font).horizontalAdvance(html.unescape(text["words"]))
    return f'<text textLength="{width:.1f}" lengthAdjust="spacingAndGlyphs"{text.group()[len("<text") :]}'


def _svg(
    plot: Plot, scene: QGraphicsScene, width: int, height: int, unseen: Sequence[QGraphicsItem], title: str = ""
) -> bytes:
    """The picture without some of its parts."""
    opacities = [one.opacity() for one in unseen]
    for one in unseen:
        one.setOpacity(0.0)
    written = QByteArray()
    generator = QSvgGenerator()
    generator.setOutputDevice(QBuffer(written))
    # An axis is a record of what was painted, and is scaled where it is played back at another resolution.
    generator.setResolution(round(QGuiApplication.primaryScreen().logicalDotsPerInch()))
    generator.setSize(QSize(width, height))
    generator.setViewBox(QRect(0, 0, width, height))
    generator.setTitle(title or plot.title)
    painter = QPainter(generator)
    if plot.item.getViewBox().childGroup in unseen:
        painter.fillRect(QRect(0, 0, width, height), QColor(plot.theme.surface))
        _paint_title(plot, painter, width, title)
    _paint(plot, scene, painter, width, height)
    painter.end()
    for one, opacity in zip(unseen, opacities):
        one.setOpacity(opacity)
    return bytes(written.data())


@contextmanager
def _sheet(plot: Plot) -> Iterator[QGraphicsScene]:
    """A scene for the plot alone."""
    widget = plot_widget(plot)
    try:
        yield widget.scene()
    finally:
        widget.plotItem = None
        widget.scene().removeItem(plot.item)
        widget.deleteLater()


def _lay_out(plot: Plot, scene: QGraphicsScene, width: int, height: int, dots: float = 1.0) -> Steps[None]:
    """Draw the plot with lines for so many dots in a unit of length, and give every part its place."""
    with dots_in_unit(dots):
        plot.use_theme(plot.theme)
    yield
    place = QRectF(QPointF(), QSizeF(width - 2 * MARGIN, height - TITLE_HEIGHT - MARGIN))
    with dots_in_unit(dots):
        plot.item.setGeometry(place)
        plot.fit(place.width(), place.height())
    yield
    unseen = QPicture()
    for _ in range(PASSES):
        with dots_in_unit(dots):
            plot.item.layout.activate()
            painter = QPainter(unseen)
            scene.render(painter, place, place)
            painter.end()
        yield


def _paint_title(plot: Plot, painter: QPainter, width: int, words: str = "") -> None:
    font = QFont(QGuiApplication.font())
    font.setPointSizeF(12)
    font.setWeight(QFont.Weight.DemiBold)
    painter.setFont(font)
    painter.setPen(QColor(plot.theme.text))
    title = QRectF(MARGIN, 0, width - 2 * MARGIN, TITLE_HEIGHT)
    metrics, text = QFontMetricsF(font), words or plot.title or plot.message
    if metrics.horizontalAdvance(text) > title.width():
        # Two smaller lines have the height of one.
        font.setPointSizeF(9)
        painter.setFont(font)
    flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap
    painter.drawText(title, flags, text)


def _paint(plot: Plot, scene: QGraphicsScene, painter: QPainter, width: int, height: int) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    space = QRectF(MARGIN, TITLE_HEIGHT, width - 2 * MARGIN, height - TITLE_HEIGHT - MARGIN)
    with plot.as_vectors():
        scene.render(painter, space, QRectF(plot.item.geometry().topLeft(), space.size()))
