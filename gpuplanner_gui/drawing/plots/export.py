"""Plots as files: PNG and SVG through Qt's own paint devices, CSV with units.

pyqtgraph's SVG exporter is not used: it fails with PySide6 from 6.11 on.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyqtgraph as pg
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPointF, QRect, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QGuiApplication, QImage, QPainter, QPicture
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QGraphicsItem, QGraphicsScene

from gpuplanner_gui.drawing.plots.base import Plot, pens_for

TITLE_HEIGHT = 34
MARGIN = 12
WIDEST_SCENE = 20_000
SVG_FONT, FONT_OR_SIMILAR = re.compile(r'font-family="([^"]*)"'), r'font-family="\1, Helvetica, Arial, sans-serif"'
SVG_TEXT = re.compile(
    r'<text [^>]*?font-size="(?P<size>[\d.]+)" font-weight="(?P<weight>\d+)"[^>]*>(?P<words>[^<]+)</text>'
)
SVG_BODY, SVG_END = b'<g fill="none"', b"</svg>"
SVG_DEFINITIONS, SVG_DEFINITIONS_END = b"<defs>", b"</defs>"
PASSES = 3
"""An axis takes its width from its texts, the legend its height from what is left: each pass settles one."""


def plot_widget(plot: Plot) -> pg.PlotWidget:
    """A widget that shows the plot. The plot must stay alive as long as the widget."""
    widget = pg.PlotWidget(plotItem=plot.item)
    widget.setBackground(QColor(plot.theme.surface))
    widget.setFrameShape(pg.PlotWidget.Shape.NoFrame)
    widget.setMinimumSize(0, 0)
    # Without a rectangle of its own, a scene asks every item for its bounds at each change.
    widget.scene().setSceneRect(QRectF(0, 0, WIDEST_SCENE, WIDEST_SCENE))
    return widget


def png_bytes(plot: Plot, width: int = 960, height: int = 540, scale: float = 2.0) -> bytes:
    """The plot with its title, drawn afresh at this size."""
    with pens_for(plot, scale), _rendered(plot, width, height) as scene:
        image = QImage(round(width * scale), round(height * scale), QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(scale)
        image.fill(QColor(plot.theme.surface))
        painter = QPainter(image)
        _paint_title(plot, painter, width)
        _paint(plot, scene, painter, width, height)
        painter.end()
    written = QByteArray()
    buffer = QBuffer(written)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(written.data())


def svg_bytes(plot: Plot, width: int = 960, height: int = 540) -> bytes:
    """The plot with its title, as vectors."""
    view = plot.item.getViewBox()
    around = [one for one in plot.item.childItems() if one is not view]
    with pens_for(plot, 1.0), _rendered(plot, width, height) as scene:
        outside = _svg(plot, scene, width, height, [view.childGroup])
        inside = _svg(plot, scene, width, height, around)
        place = view.sceneBoundingRect().translated(MARGIN, TITLE_HEIGHT)
    # Qt's drawings know no clipping: curves would run out of their plot.
    clip = (
        f'<clipPath id="plot"><rect x="{place.x():g}" y="{place.y():g}" '
        f'width="{place.width():g}" height="{place.height():g}"/></clipPath>'
    )
    curves = inside[inside.index(SVG_BODY) : inside.rindex(SVG_END)]
    patterns = inside[inside.index(SVG_DEFINITIONS) + len(SVG_DEFINITIONS) : inside.index(SVG_DEFINITIONS_END)]
    whole = outside.replace(SVG_DEFINITIONS, SVG_DEFINITIONS + clip.encode() + patterns, 1)
    end = whole.rindex(SVG_END)
    whole = whole[:end] + b'<g clip-path="url(#plot)">' + curves + b"</g>" + whole[end:]
    return SVG_FONT.sub(FONT_OR_SIMILAR, SVG_TEXT.sub(_with_width, whole.decode())).encode()


def _with_width(text: re.Match[str]) -> str:
    """A text as wide as in our typeface, also where a reader has another one."""
    font = QFont(QGuiApplication.font())
    font.setPointSizeF(float(text["size"]) * 72 / QGuiApplication.primaryScreen().logicalDotsPerInch())
    font.setWeight(QFont.Weight(int(text["weight"])))
    width = QFontMetricsF(font).horizontalAdvance(html.unescape(text["words"]))
    return f'<text textLength="{width:.1f}" lengthAdjust="spacingAndGlyphs"{text.group()[len("<text") :]}'


def _svg(plot: Plot, scene: QGraphicsScene, width: int, height: int, unseen: Sequence[QGraphicsItem]) -> bytes:
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
    generator.setTitle(plot.title)
    painter = QPainter(generator)
    if plot.item.getViewBox().childGroup in unseen:
        painter.fillRect(QRect(0, 0, width, height), QColor(plot.theme.surface))
        _paint_title(plot, painter, width)
    _paint(plot, scene, painter, width, height)
    painter.end()
    for one, opacity in zip(unseen, opacities):
        one.setOpacity(opacity)
    return bytes(written.data())


def picture_bytes(plot: Plot, width: int = 960, height: int = 540) -> bytes:
    """The plot with its title as Qt's own record of what was painted, to be painted again on any device."""
    picture = QPicture()
    with pens_for(plot, 1.0), _rendered(plot, width, height) as scene:
        painter = QPainter(picture)
        painter.fillRect(QRect(0, 0, width, height), QColor(plot.theme.surface))
        _paint_title(plot, painter, width)
        _paint(plot, scene, painter, width, height)
        painter.end()
    written = QByteArray()
    buffer = QBuffer(written)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    picture.save(buffer)
    return bytes(written.data())


def write_plot(plot: Plot, path: Path) -> None:
    """Write as the path's suffix says: .png, .svg or .csv. Raises ValueError for another, OSError as the disk does."""
    suffix = path.suffix.lower()
    if suffix == ".png":
        path.write_bytes(png_bytes(plot))
    elif suffix == ".svg":
        path.write_bytes(svg_bytes(plot))
    elif suffix == ".csv":
        path.write_text(plot.as_rows().csv_text(), encoding="utf-8-sig", newline="")
    else:
        raise ValueError(f"no plot format has the suffix {suffix!r}")


@contextmanager
def _rendered(plot: Plot, width: int, height: int) -> Iterator[QGraphicsScene]:
    """The plot laid out for a picture of this size; one that is on screen is there again afterwards as it was."""
    scene = plot.item.scene()
    room = QSizeF(width - 2 * MARGIN, height - TITLE_HEIGHT - MARGIN)
    if scene is not None and scene.views():
        shown = plot.item.geometry()
        try:
            _lay_out(plot, QRectF(QPointF(), room))
            yield scene
        finally:
            _lay_out(plot, shown)
        return
    widget = plot_widget(plot)
    widget.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    widget.resize(room.toSize())
    plot.fit(widget.width(), widget.height())
    widget.show()
    for _ in range(PASSES):
        QGuiApplication.processEvents()
    try:
        yield widget.scene()
    finally:
        widget.hide()
        widget.plotItem = None
        widget.scene().removeItem(plot.item)
        widget.deleteLater()


def _lay_out(plot: Plot, place: QRectF) -> None:
    """Give the plot this place in its scene, at once."""
    plot.item.setGeometry(place)
    plot.fit(place.width(), place.height())
    unseen = QPicture()
    for _ in range(PASSES):
        plot.item.layout.activate()
        painter = QPainter(unseen)
        plot.item.scene().render(painter, place, place)
        painter.end()


def _paint_title(plot: Plot, painter: QPainter, width: int) -> None:
    font = QFont(QGuiApplication.font())
    font.setPointSizeF(12)
    font.setWeight(QFont.Weight.DemiBold)
    painter.setFont(font)
    painter.setPen(QColor(plot.theme.text))
    title = QRectF(MARGIN, 0, width - 2 * MARGIN, TITLE_HEIGHT)
    painter.drawText(title, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, plot.title or plot.message)


def _paint(plot: Plot, scene: QGraphicsScene, painter: QPainter, width: int, height: int) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    space = QRectF(MARGIN, TITLE_HEIGHT, width - 2 * MARGIN, height - TITLE_HEIGHT - MARGIN)
    with plot.as_vectors():
        scene.render(painter, space, QRectF(plot.item.geometry().topLeft(), space.size()))
