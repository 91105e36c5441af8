"""The ranked candidates: every one of them, with the reason where one is not recommended."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeySequence, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QHBoxLayout,
    QMenu,
    QMessageBox,
    QSizePolicy,
    QStackedWidget,
    QStyle,
    QStyleOptionButton,
    QStylePainter,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.pages.candidate_model import CandidateModel
from gpuplanner_gui.desktop.pages.candidate_table import CandidateTable
from gpuplanner_gui.desktop.pages.result_view import ResultView
from gpuplanner_gui.desktop.settings import last_folder
from gpuplanner_gui.desktop.tasks.plan_tasks import PlanState
from gpuplanner_gui.desktop.widgets.flow_layout import STRETCH, Gap, lay_out
from gpuplanner_gui.desktop.widgets.labels import ShorteningLabel, plain_label, plain_tool_tip
from gpuplanner_gui.desktop.widgets.tables import sample_width
from gpuplanner_gui.desktop.widgets.theme import push_button, search_line, tool_button
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.palette import RESOURCES
from gpuplanner_gui.drawing.plots.pens import scaled
from gpuplanner_gui.drawing.results import WORKLOADS, Results
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import candidate_text, left_out_count, ranked_text, resource_name
from gpuplanner_gui.drawing.words.choices import WORKLOAD_TITLES
from gpuplanner_gui.drawing.words.request_kinds import columns_without_meaning
from gpuplanner_gui.drawing.words.verdict import no_workload_text

LEAST_LETTERS = 4
"""Letters of the text that stay readable however narrow the box is."""


class ElidedCheckBox(QCheckBox):
    """A check box whose text ends in an ellipsis where it has no room; the tool tip has it whole."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:
        whole = super().sizeHint()
        words = self.fontMetrics().size(Qt.TextFlag.TextShowMnemonic, self.text()).width()
        least = min(words, self.fontMetrics().averageCharWidth() * LEAST_LETTERS)
        return QSize(whole.width() - words + least, whole.height())

    def shown_text(self) -> str:
        """The text that fits, with its mnemonic."""
        option = self._option()
        room = self.style().subElementRect(QStyle.SubElement.SE_CheckBoxContents, option, self).width()
        if self.width() >= self.sizeHint().width():
            return self.text()
        mnemonic = Qt.TextFlag.TextShowMnemonic.value
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room, mnemonic)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_whole = self.shown_text() == self.text()
        self.setToolTip("" if is_whole else plain_tool_tip(self.text().replace("&", "")))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QStylePainter(self)
        option = self._option()
        option.text = self.shown_text()
        painter.drawControl(QStyle.ControlElement.CE_CheckBox, option)
        painter.end()

    def _option(self) -> QStyleOptionButton:
        option = QStyleOptionButton()
        self.initStyleOption(option)
        return option


LEAST_FILTER, MOST_LEAST_FILTER = 84, 100
LARGE_TYPE = 1.4
"""Type scale from which a hidden button keeps no room."""
ROWS_FOR_WIDTH = 24
COUNT_STRETCH = 3
"""Room of the count over that of the filter; another count moves nothing beside it."""


class CandidatesView(ResultView):
    """One table for each workload, a filter above them."""

    tells_state = False
    kept = ("filter", "only_running", "tables")
    unpin_all_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.models: dict[str, CandidateModel] = {workload: CandidateModel(workload) for workload in WORKLOADS}
        self.tables: dict[str, CandidateTable] = {workload: self._make_table(workload) for workload in WORKLOADS}
        self._present: tuple[str, ...] = ()
        self._is_quiet = False
        self._tabs = QTabBar(self)
        self._tabs.setDrawBase(False)
        self._tabs.setUsesScrollButtons(False)
        self._tabs.setElideMode(Qt.TextElideMode.ElideNone)
        self._tabs.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self._tabs.setAccessibleName(tr("Candidates of"))
        self._tabs.currentChanged.connect(self._on_tab_changed)
        self.filter = search_line(tr("Filter, such as h200 fp8"), self, name=tr("Filter candidates"))
        self.filter.setMinimumWidth(round(min(scaled(LEAST_FILTER), MOST_LEAST_FILTER)))
        self.filter.setMaximumWidth(240)
        # Its own wish grows by the button that clears it as soon as something is typed.
        self.filter.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.filter.textChanged.connect(self._on_filter_changed)
        self.only_running = ElidedCheckBox(tr("&Only those that can run"), self)
        self.only_running.toggled.connect(self._on_filter_changed)
        self.pins = self._pins_button()
        self._count = ShorteningLabel(self)
        self._count.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._count.setForegroundRole(self._count.palette().ColorRole.PlaceholderText)
        self._stack = QStackedWidget(self)
        for table in self.tables.values():
            self._stack.addWidget(table)
        self._lay_out()
        self._are_widths_set = False

    def _lay_out(self) -> None:
        self.head = QWidget(self)
        """Choice of the workload, filter and count in a row; a dock takes it as its title bar."""
        lay_out(
            QHBoxLayout(self.head), self._tabs, (self.filter, 1), self.only_running, (self._count, COUNT_STRETCH),
            self.pins, margins=(8, 4, 8, 4), spacing=12,
        )  # fmt: skip
        lay_out(
            QVBoxLayout(self), self.head, (self._stack, 1), (self._made_empty(), 1), margins=(0, 0, 0, 0), spacing=0,
        )  # fmt: skip

    def _pins_button(self) -> QToolButton:
        """The button that counts pinned candidates and lists them in a menu; its room is kept while none is pinned."""
        tip = tr("Plots show pinned candidates together. Ctrl-click a row or press Space to pin it.")
        button = tool_button(tr("{count} pinned").format(count=4), None, self, name="chip", tip=tip)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(button)
        menu.aboutToShow.connect(lambda: self._list_pins(menu))
        button.setMenu(menu)
        kept = button.sizePolicy()
        kept.setRetainSizeWhenHidden(scaled(1.0) < LARGE_TYPE)
        button.setSizePolicy(kept)
        button.hide()
        return button

    def _list_pins(self, menu: QMenu) -> None:
        menu.clear()
        results = self.context
        if results is None:
            return
        for workload, pinned in results.pinned.items():
            for one in pinned:
                name = candidate_text(results.plan, results.catalog, workload, one)
                menu.addAction(name, partial(self.candidate_selected.emit, workload, one))
        menu.addSeparator()
        menu.addAction(tr("Unpin All"), self.unpin_all_wanted.emit)

    def _made_empty(self) -> QWidget:
        """The text in place of the table where every row is filtered out, or nothing is planned."""
        self.empty = QWidget(self)
        self._why_empty = plain_label("", self.empty, wraps=True, name="quiet")
        self._why_empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.show_all = push_button(tr("Show all candidates"), self._show_all, self.empty)
        lay_out(
            QVBoxLayout(self.empty), STRETCH, self._why_empty, (self.show_all, 0, Qt.AlignmentFlag.AlignHCenter),
            Gap(stretch=2),
        )  # fmt: skip
        self.empty.hide()
        return self.empty

    def _show_all(self) -> None:
        self.filter.clear()
        self.only_running.setChecked(False)

    def _say_empty(self) -> None:
        workload = self.workload()
        is_filtered = bool(workload) and self.models[workload].rowCount() == 0
        typed = self.filter.text().strip()
        self._why_empty.setText(
            tr("No candidate matches “{typed}”.").format(typed=typed)
            if typed
            else tr("No candidate can run. Show all candidates to see why.")
        )
        if not workload:
            self._why_empty.setText(no_workload_text())
        self.show_all.setVisible(bool(workload))
        is_cut = is_filtered and (bool(typed) or self.only_running.isChecked())
        self.empty.setVisible(self.context is not None and (is_cut or not workload))
        self._stack.setVisible(self.empty.isHidden())

    def _make_table(self, workload: str) -> CandidateTable:
        model = self.models[workload]
        table = CandidateTable(model, self)
        table.setAccessibleName(tr("Ranked candidates"))
        table.selectionModel().currentRowChanged.connect(
            lambda current, previous: self._on_row_changed(workload, current)
        )
        table.customContextMenuRequested.connect(lambda place: self._show_menu(workload, place))
        table.copy_requested.connect(lambda: self._copy_rows(workload))
        table.cell_asked.connect(lambda index: self._explain_cell(workload, index))
        table.pin_toggled.connect(lambda candidate: self.pin_toggled.emit(workload, candidate))
        model.rows_changed.connect(self._show_count)
        return table

    def draw(self, context: Results) -> None:
        self._show_tabs(context.workloads())
        for workload in context.workloads():
            self.tables[workload].show_pinned(context.pinned.get(workload, ()))
            if self.models[workload].show_results(context):
                self._forget_marked_rows(workload)
            self._select_quietly(workload, context.candidate(workload))
            self._hide_columns(workload, columns_without_meaning(context.scenario))
        self._set_widths()
        self._show_count()
        count = sum(map(len, context.pinned.values()))
        self.pins.setText(tr("{count} pinned").format(count=format_value(count)))
        self.pins.setVisible(count > 0)

    def _hide_columns(self, workload: str, hidden: frozenset[str]) -> None:
        header = self.tables[workload].horizontalHeader()
        for place, one in enumerate(self.models[workload].columns):
            if header.isSectionHidden(place) is not (one.quantity in hidden):
                header.setSectionHidden(place, one.quantity in hidden)
        self.tables[workload].whole_columns.fit()

    def set_state(self, state: PlanState, message: str = "") -> None:
        super().set_state(state, message)
        if self.context is None or self.state is PlanState.EMPTY:
            self._count.setText("")
            self._veil.cover(tr("The ranked candidates appear here."), is_dimming=False)

    def _show_tabs(self, present: tuple[str, ...]) -> None:
        if present == self._present:
            return
        current = self.workload() if self._present else ""
        self._present = present
        blocker = QSignalBlocker(self._tabs)
        while self._tabs.count():
            self._tabs.removeTab(0)
        for workload in present:
            self._tabs.addTab(tr(WORKLOAD_TITLES[workload]))
        del blocker
        self._tabs.setVisible(len(present) > 1)
        self.show_workload(current if current in present else present[0] if present else "")

    def workload(self) -> str:
        """The workload whose candidates are on screen."""
        place = self._tabs.currentIndex()
        return self._present[place] if 0 <= place < len(self._present) else ""

    def more_kept(self) -> str:
        return self.workload()

    def take_kept(self, workload: str) -> str | None:
        """The workload again, as soon as its candidates are there."""
        self.show_workload(workload)
        return None if self.workload() == workload else workload

    def show_workload(self, workload: str) -> None:
        if workload in self._present:
            self._tabs.setCurrentIndex(self._present.index(workload))
            self._stack.setCurrentWidget(self.tables[workload])
            self._show_count()

    def _on_tab_changed(self, place: int) -> None:
        if 0 <= place < len(self._present):
            self.show_workload(self._present[place])

    def _on_filter_changed(self) -> None:
        for workload, model in self.models.items():
            model.set_filter(self.filter.text(), self.only_running.isChecked())
            if self.context is not None and workload in self._present:
                self._select_quietly(workload, self.context.candidate(workload))

    def _forget_marked_rows(self, workload: str) -> None:
        """Other candidates stand in them now."""
        chosen = self.tables[workload].selectionModel()
        if len(chosen.selectedRows()) > 1:
            chosen.clearSelection()

    def _select_quietly(self, workload: str, candidate: int) -> None:
        """Mark the candidate's row without telling anybody; a filter may hide it."""
        table, model = self.tables[workload], self.models[workload]
        row = model.row_of(candidate)
        chosen = table.selectionModel()
        if row >= 0 and chosen.currentIndex().row() == row and chosen.isRowSelected(row):
            return
        column = max(table.currentIndex().column(), 0)
        self._is_quiet = True
        if row < 0:
            chosen.clear()
        else:
            chosen.setCurrentIndex(
                model.index(row, column),
                QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows,
            )
        self._is_quiet = False

    def _on_row_changed(self, workload: str, current: QModelIndex) -> None:
        candidate = self.models[workload].source_at(current.row())
        if candidate >= 0 and not self._is_quiet:
            self.candidate_selected.emit(workload, candidate)

    def _show_count(self) -> None:
        self._say_empty()
        workload = self.workload()
        if not workload:
            self._count.setText("")
            return
        model = self.models[workload]
        running, total = model.counts()
        counts = {"running": format_value(running), "total": format_value(total)}
        text, shorter = tr("{running} of {total} can run").format(**counts), tr("{running} of {total}").format(**counts)
        results = model.source.results if model.source is not None else None
        left_out = left_out_count(results.plan) if workload == "serving" and results is not None else 0
        if left_out:
            text = tr("{text}, {count} left out").format(text=text, count=format_value(left_out))
        if model.rowCount() != total:
            text = tr("{shown} shown · {rest}").format(shown=format_value(model.rowCount()), rest=text)
        ranked = f"{text} · {ranked_text(results.plan, results.scenario, workload)}" if results is not None else text
        self._count.show_texts(ranked, text, shorter)

    def _set_widths(self) -> None:
        """Set column widths from headings, sample texts and the first rows: asking every row would take a quarter of
        a second."""
        if self._are_widths_set:
            return
        self._are_widths_set = True
        for workload, table in self.tables.items():
            metrics, model = table.fontMetrics(), self.models[workload]
            first = [model.texts_of(int(one)) for one in model.shown_sources()[:ROWS_FOR_WIDTH]]
            widths = []
            for place, column in enumerate(model.columns):
                heading = metrics.horizontalAdvance(model.title_of(column)) + 26
                texts = (metrics.horizontalAdvance(row[place]) for row in first if column.is_number)
                # Of a proportional typeface the longest name is not always the widest.
                limits = (metrics.horizontalAdvance(resource_name(one)) for one in RESOURCES if column.is_limit)
                widest = max((sample_width(metrics, column.sample), *texts, *limits))
                widths.append(max(heading, widest + (36 if column.is_limit or place == 0 else 20)))
            table.whole_columns.set_least(widths)

    def _show_menu(self, workload: str, place: QPoint) -> None:
        table = self.tables[workload]
        index = table.indexAt(place)
        if index.isValid():
            menu = self.menu_for(workload, index)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(table.viewport().mapToGlobal(place))

    def menu_for(self, workload: str, index: QModelIndex) -> QMenu:
        """The context menu of a cell and its row."""
        model = self.models[workload]
        menu = QMenu(self.tables[workload])
        column, candidate = model.columns[index.column()], model.source_at(index.row())
        explain = menu.addAction(tr("Why this {quantity}?").format(quantity=tr(column.title)))
        explain.setEnabled(bool(model.index(index.row(), index.column()).data()))
        explain.triggered.connect(lambda: self._explain_cell(workload, index))
        is_pinned = candidate in self.tables[workload].pinned
        pin = menu.addAction(tr("Unpin") if is_pinned else tr("Pin for Comparison"))
        pin.triggered.connect(lambda: self.pin_toggled.emit(workload, candidate))
        menu.addSeparator()
        copy = menu.addAction(tr("&Copy"), lambda: self._copy_rows(workload))
        copy.setShortcut(QKeySequence(QKeySequence.StandardKey.Copy))
        menu.addAction(tr("Save Table as CSV…"), lambda: self._ask_and_save(workload))
        return menu

    def _explain_cell(self, workload: str, index: QModelIndex) -> None:
        model = self.models[workload]
        candidate = model.source_at(index.row())
        if quantity := model.columns[index.column()].quantity:
            self.explain_requested.emit(workload, candidate, quantity)
        elif candidate >= 0:
            self.why_told.emit(model.words_of(index.column(), candidate))

    def _copy_rows(self, workload: str) -> None:
        """Selected rows with their headings, for a spreadsheet."""
        model = self.models[workload]
        rows = sorted(index.row() for index in self.tables[workload].selectionModel().selectedRows())
        table = model.as_rows(np.array([model.source_at(row) for row in rows], dtype=np.int64))
        QGuiApplication.clipboard().setText(table.tabbed_text())

    def _ask_and_save(self, workload: str) -> None:
        suggested = last_folder.place_for("candidates.csv")
        name, _ = QFileDialog.getSaveFileName(self, tr("Save table"), suggested, tr("Table (*.csv)"))
        if name:
            last_folder.note(Path(name))
            self.save_csv(workload, Path(name))

    def save_csv(self, workload: str, path: Path) -> None:
        """Write what is shown, as it is sorted and filtered."""
        try:
            path.write_text(self.models[workload].as_rows().csv_text(), encoding="utf-8-sig", newline="")
        except OSError as error:
            QMessageBox.warning(self, tr("The table was not saved"), str(error))

    def recolour(self) -> None:
        for table in self.tables.values():
            table.viewport().update()
