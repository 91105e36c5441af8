"""A plot in a window: its sentence above it, what is under the mouse, and ways to take it along."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QMenu,
    QMessageBox,
    QSizePolicy,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.views.next_turn import NextTurn
from gpuplanner_gui.desktop.views.result_view import theme_of
from gpuplanner_gui.desktop.views.rows_model import RowsModel, rows_table
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.export import plot_widget, png_bytes, write_plot
from gpuplanner_gui.drawing.results import Results

READOUTS_PER_S = 60


class PlotView(QWidget):
    """Shows one `Plot`; hands on what the planner drags and picks in it."""

    candidate_selected = Signal(str, int)
    value_edited = Signal(str, object)

    def __init__(self, plot: Plot, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._fit_soon = NextTurn(self, self._fit)
        self._take_theme_soon = NextTurn(self, self._take_theme)
        self.plot = plot
        self.canvas = plot_widget(plot)
        self.canvas.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._title = ElidedLabel(self)
        self._title.setObjectName("plotTitle")
        font = self._title.font()
        font.setWeight(font.Weight.DemiBold)
        self._title.setFont(font)
        self._readout = ElidedLabel(self)
        self._readout.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._message = QLabel(self)
        self._message.setTextFormat(Qt.TextFormat.PlainText)
        self._message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._message.setWordWrap(True)
        self._message.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._numbers = RowsModel()
        self._table = rows_table(self._numbers, self)
        self._more = self._more_button()
        self._stack = QStackedWidget(self)
        for page in (self.canvas, self._message, self._table):
            self._stack.addWidget(page)
        self._lay_out()
        self._shows_table = False
        self._connect()
        self._take_theme()

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(4)
        self._heading = QStackedWidget(self)
        self._heading.addWidget(self._title)
        self._heading.addWidget(self._readout)
        self._heading.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        top.addWidget(self._heading, 1)
        top.addWidget(self._more)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 4, 4, 4)
        layout.setSpacing(0)
        layout.addLayout(top)
        layout.addWidget(self._stack, 1)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setMinimumSize(220, 150)

    def _more_button(self) -> QToolButton:
        button = QToolButton(self)
        button.setText("⋯")
        button.setAutoRaise(True)
        button.setAccessibleName(tr("More for this plot"))
        button.setToolTip(tr("Copy, save, show as table"))
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(button)
        menu.aboutToShow.connect(lambda: self._fill_menu(menu))
        button.setMenu(menu)
        button.setStyleSheet("QToolButton::menu-indicator { image: none; }")
        return button

    def _connect(self) -> None:
        self.plot.candidate_picked.connect(self.candidate_selected)
        self.plot.value_edited.connect(self.value_edited)
        scene = self.canvas.scene()
        scene.sigMouseClicked.connect(self._on_clicked)
        self._moves = pg.SignalProxy(scene.sigMouseMoved, rateLimit=READOUTS_PER_S, slot=self._on_moved)
        self.canvas.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.canvas.customContextMenuRequested.connect(self._on_menu_requested)

    def show_results(self, results: Results) -> None:
        self.plot.show(results)
        self._title.setText(self.plot.title)
        self.canvas.setAccessibleName(self.plot.title or self.plot.message)
        self._message.setText(self.plot.message)
        self._show_right_page()

    def show_as_table(self, is_table: bool) -> None:
        """Numbers instead of the picture: for a screen reader, for trust."""
        self._shows_table = is_table
        self._show_right_page()

    def _show_right_page(self) -> None:
        if self.plot.message:
            self._stack.setCurrentWidget(self._message)
        elif self._shows_table:
            self._numbers.show_rows(self.plot.as_rows())
            self._stack.setCurrentWidget(self._table)
        else:
            self._stack.setCurrentWidget(self.canvas)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._take_theme_soon.start()

    def _take_theme(self) -> None:
        theme = theme_of(self)
        if self.plot.theme is not theme:
            self.plot.use_theme(theme)
        self.canvas.setBackground(QColor(theme.surface))

    def _on_moved(self, event: tuple[Any]) -> None:
        said = "" if self.plot.message else self._said_at(event[0])
        self._readout.setText(said)
        self._heading.setCurrentWidget(self._readout if said else self._title)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._heading.setCurrentWidget(self._title)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_soon.start()

    def _fit(self) -> None:
        self.plot.fit(self._stack.width(), self._stack.height())

    def _said_at(self, scene_position: Any) -> str:
        if not self.plot.item.getViewBox().sceneBoundingRect().contains(scene_position):
            return ""
        place = self.plot.item.getViewBox().mapSceneToView(scene_position)
        return self.plot.readout_at(place.x(), place.y())

    def _on_clicked(self, event: Any) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if event.double():
            self.plot.zoom_back()
            return
        view = self.plot.item.getViewBox()
        place = view.mapSceneToView(event.scenePos())
        self.plot.clicked_at(place.x(), place.y())
        self._title.setText(self.plot.title)

    def _on_menu_requested(self, position: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._fill_menu(menu)
        menu.popup(self.canvas.mapToGlobal(position))

    def _fill_menu(self, menu: QMenu) -> None:
        menu.clear()
        has_numbers = not self.plot.message
        copy_picture = menu.addAction(tr("Copy picture"), self.copy_picture)
        copy_numbers = menu.addAction(tr("Copy numbers"), self.copy_numbers)
        save = menu.addAction(tr("Save plot …"), self._ask_and_save)
        menu.addSeparator()
        table = menu.addAction(tr("Show as table"))
        table.setCheckable(True)
        table.setChecked(self._shows_table)
        table.toggled.connect(self.show_as_table)
        menu.addAction(tr("Show all"), self.plot.zoom_back)
        for action in (copy_picture, copy_numbers, save, table):
            action.setEnabled(has_numbers)

    def copy_picture(self) -> None:
        QGuiApplication.clipboard().setImage(QImage.fromData(png_bytes(self.plot)))

    def copy_numbers(self) -> None:
        rows = self.plot.as_rows()
        lines = [[column.heading for column in rows.columns], *([str(cell) for cell in row] for row in rows.cells)]
        QGuiApplication.clipboard().setText("\n".join("\t".join(line) for line in lines))

    def _ask_and_save(self) -> None:
        name, _ = QFileDialog.getSaveFileName(
            self, tr("Save plot"), "plot.png", tr("Picture (*.png);;Drawing (*.svg);;Numbers (*.csv)")
        )
        if name:
            self.save_as(Path(name))

    def save_as(self, path: Path) -> None:
        """Write the plot; a disk that refuses, or a suffix that says nothing, is told in a box."""
        try:
            write_plot(self.plot, path if path.suffix else path.with_suffix(".png"))
        except (OSError, ValueError) as error:
            QMessageBox.warning(self, tr("The plot was not saved"), str(error))

    def sizeHint(self) -> QSize:
        return QSize(480, 280)


class ElidedLabel(QLabel):
    """One line of plain text, cut with an ellipsis where it does not fit; the whole of it in the tool tip."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setMinimumWidth(20)
        self._whole = ""

    def setText(self, text: str) -> None:
        if text != self._whole:
            self._whole = text
            self.setAccessibleName(text)
            self._elide()

    def text(self) -> str:
        return self._whole

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def minimumSizeHint(self) -> QSize:
        return QSize(20, super().minimumSizeHint().height())

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance(self._whole), self.fontMetrics().height() + 2)

    def _elide(self) -> None:
        shown = self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, self.width())
        super().setText(shown)
        self.setToolTip("" if shown == self._whole else plain_tool_tip(self._whole))


def plain_tool_tip(text: str) -> str:
    """A tool tip has no plain-text switch: what looks like markup is escaped."""
    import html

    return f"<span>{html.escape(text)}</span>" if "<" in text or "&" in text else text
