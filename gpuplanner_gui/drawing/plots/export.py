"""Plots as files: PNG and SVG through Qt's own paint devices, CSV with units.

pyqtgraph's SVG exporter is not used: it fails with PySide6 from 6.11 on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyqtgraph as pg
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QImage, QPainter, QPicture
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QGraphicsView

from gpuplanner_gui.drawing.plots.base import Plot

TITLE_HEIGHT = 34
MARGIN = 12
WIDEST_SCENE = 20_000


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
    with _rendered(plot, width, height) as widget:
        image = QImage(round(width * scale), round(height * scale), QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(scale)
        image.fill(QColor(plot.theme.surface))
        painter = QPainter(image)
        _paint(plot, widget, painter, width, height)
        painter.end()
    written = QByteArray()
    buffer = QBuffer(written)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(written.data())


def svg_bytes(plot: Plot, width: int = 960, height: int = 540) -> bytes:
    """The plot with its title, as vectors."""
    written = QByteArray()
    buffer = QBuffer(written)
    with _rendered(plot, width, height) as widget:
        generator = QSvgGenerator()
        generator.setOutputDevice(buffer)
        generator.setSize(QSize(width, height))
        generator.setViewBox(QRect(0, 0, width, height))
        generator.setTitle(plot.title)
        painter = QPainter(generator)
        painter.fillRect(QRect(0, 0, width, height), QColor(plot.theme.surface))
        _paint(plot, widget, painter, width, height)
        painter.end()
    return bytes(written.data())


def picture_bytes(plot: Plot, width: int = 960, height: int = 540) -> bytes:
    """The plot with its title as Qt's own record of what was painted, to be painted again on any device."""
    picture = QPicture()
    with _rendered(plot, width, height) as widget:
        painter = QPainter(picture)
        painter.fillRect(QRect(0, 0, width, height), QColor(plot.theme.surface))
        _paint(plot, widget, painter, width, height)
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
def _rendered(plot: Plot, width: int, height: int) -> Iterator[QGraphicsView]:
    """The plot in a widget of this size; where it is on screen already, its scene is borrowed and given back."""
    scene = plot.item.scene()
    shown = scene.views()[0] if scene is not None and scene.views() else None
    if shown is not None:
        yield shown
        return
    widget = plot_widget(plot)
    widget.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    widget.resize(width - 2 * MARGIN, height - TITLE_HEIGHT - MARGIN)
    plot.fit(widget.width(), widget.height())
    widget.show()
    for _ in range(3):
        # An axis takes its width from its texts, the legend its height from what is left: each pass settles one.
        QGuiApplication.processEvents()
    try:
        yield widget
    finally:
        widget.hide()
        widget.plotItem = None
        widget.scene().removeItem(plot.item)
        widget.deleteLater()


def _paint(plot: Plot, view: QGraphicsView, painter: QPainter, width: int, height: int) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    font = QFont(QGuiApplication.font())
    font.setPointSizeF(12)
    font.setWeight(QFont.Weight.DemiBold)
    painter.setFont(font)
    painter.setPen(QColor(plot.theme.text))
    title = QRectF(MARGIN, 0, width - 2 * MARGIN, TITLE_HEIGHT)
    painter.drawText(title, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, plot.title or plot.message)
    space = QRectF(MARGIN, TITLE_HEIGHT, width - 2 * MARGIN, height - TITLE_HEIGHT - MARGIN)
    with plot.as_vectors():
        view.render(painter, space, view.viewport().rect(), Qt.AspectRatioMode.KeepAspectRatio)
