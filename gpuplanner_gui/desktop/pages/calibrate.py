"""Own measurements: what was imported and what it lacks, cases before and after, drift, what to measure next."""

from __future__ import annotations

from functools import cached_property, partial

from PySide6.QtCore import QSignalBlocker, Signal, SignalInstance
from PySide6.QtGui import QFontDatabase, QGuiApplication, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDoubleSpinBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QTabBar,
    QTableView,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.pages.context_questions import ContextQuestions
from gpuplanner_gui.desktop.pages.plot_view import PlotView
from gpuplanner_gui.desktop.pages.result_view import ResultView
from gpuplanner_gui.desktop.widgets.calm import CalmDoubleSpinBox
from gpuplanner_gui.desktop.widgets.event_turns import DrawingTurn
from gpuplanner_gui.desktop.widgets.flow_layout import flowing, lay_out
from gpuplanner_gui.desktop.widgets.labels import plain_label
from gpuplanner_gui.desktop.widgets.rows_table import RowsTable
from gpuplanner_gui.desktop.widgets.table_columns import WholeColumns
from gpuplanner_gui.desktop.widgets.tables import row_height
from gpuplanner_gui.desktop.widgets.theme import push_button
from gpuplanner_gui.drawing.calibration import (
    drift_rows,
    evidence_sentences,
    missing_fields,
    next_commands,
    next_rows,
    set_rows,
    step_time_words,
    verdict_rows,
)
from gpuplanner_gui.drawing.calibration_view import CalibrationView
from gpuplanner_gui.drawing.evidence import evidence_rows
from gpuplanner_gui.drawing.language import in_turn, tr
from gpuplanner_gui.drawing.plots.residuals import ResidualsPlot
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import NO_ROWS

LEAST_UPPER_HEIGHT, LEAST_LOWER_HEIGHT = 150, 260
LEAST_ROWS = 3
"""So many rows of a section's table are seen at once, where it has them."""
WIDEST_COLUMN = 640
TOOL_SPACING = 6
COMMAND_LINES = 3
CASES, DRIFT, NEXT, EVIDENCE = range(4)


class CalibratePage(ResultView):
    """Sets beside their residuals; below, one of four tables. A set that lacks context has fields for it."""

    import_requested = Signal()
    probe_requested = Signal()
    """The script that measures a machine is to be written to a file."""
    export_requested = Signal()
    set_toggled = Signal(int)
    """A set's place: it is to count, or not any more."""
    set_removed = Signal(int)
    context_stated = Signal(int, dict)
    """A set's place, and values by the names of what it did not say."""
    context_stated_for_all = Signal(dict)
    loss_stated = Signal(int, float)
    """A set's place, and the share of speed that its runs lost to virtual machines."""
    follows = ("decision",)
    wanted = ("calibration",)
    kept = ("sections", "set_table")

    def __init__(self) -> None:
        super().__init__()
        self.view: CalibrationView | None = None
        self._tables: list[RowsTable] = []
        self._to_fit: list[RowsTable] = []
        self._fit_next = DrawingTurn(self, self._fit_one)
        self._commands: tuple[str, ...] = ()
        self.summary = _text(self)
        self.set_table = self._table(tr("Sets of measurements"))
        self.set_table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.set_table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.set_table.selectionModel().currentRowChanged.connect(lambda current, previous: self._ask_for_context())
        self.questions = ContextQuestions(self)
        self.questions.stated.connect(partial(self._ask_about_set, self.context_stated))
        self.questions.stated_for_all.connect(self.context_stated_for_all)
        self.sections = _Sections(self)
        self.sections.setMinimumHeight(LEAST_LOWER_HEIGHT)
        self.sections.currentChanged.connect(self._give_rows_room)
        self.copy_button = push_button(tr("Copy command"), self._copy_command, self)
        self.remarks = [_text(self) for _ in range(4)]
        self._loss_label = QLabel(tr("Measured on"), self)
        self.loss = self._loss_edit()
        self._loss_label.setBuddy(self.loss)
        self._add_section(CASES, tr("Before and after"))
        self._add_section(DRIFT, tr("New runs against the plan"))
        self.next_table = self._add_section(NEXT, tr("What to measure next"), self.copy_button)
        self.next_table.rows_model.breaks_headings = True
        self.next_table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        # Its last column is a number, which a reader follows from the row's name.
        self.next_table.horizontalHeader().setStretchLastSection(False)
        self.command = self._command_box()
        self._add_section(EVIDENCE, tr("Nearest measurements"))
        self.sets, self.cases, self.drifted, self.next_runs, self.evidence = (one.rows_model for one in self._tables)
        upper = QWidget(self)
        upper.setMinimumHeight(LEAST_UPPER_HEIGHT)
        self._upper_line = lay_out(QHBoxLayout(upper), (self.set_table, 4), margins=(0, 0, 0, 0), spacing=12)
        layout = lay_out(QVBoxLayout(self), margins=(16, 8, 12, 8), spacing=8)
        self._tools = self._made_tools()
        self.empty = _Empty(self)
        self.empty.import_button.clicked.connect(self.import_requested)
        self.empty.probe_button.clicked.connect(self.probe_requested)
        self.empty.hide()
        layout.addWidget(self._tools)
        layout.addWidget(self.empty)
        layout.addWidget(self.summary)
        self._upper = upper
        layout.addWidget(upper, 2)
        layout.addWidget(self.questions)
        layout.addWidget(self.sections, 3)

    @cached_property
    def residuals(self) -> PlotView:
        """The picture beside the sets; a plot takes a turn of its own to be made."""
        view = PlotView(ResidualsPlot, self)
        self._upper_line.addWidget(view, 3)
        return view

    def heightForWidth(self, width: int) -> int:
        """The least that shows everything: a scroll area takes this for the page's height."""
        layout = self.layout()
        return layout.minimumHeightForWidth(width) if layout is not None else -1

    def draw(self, context: Results) -> None:
        found = context.known.calibration
        self.view = found
        self.draw_in_turns(lambda: self.residuals, partial(self._draw_residuals, context))
        self.questions.know(context.catalog)
        if found is None:
            # What is chosen may not be the project's any more; what is typed stays.
            self._allow()
            self.summary.setText(context.known.failures.get("calibration", tr("Comparing with measurements…")))
            return
        row = self.set_table.currentIndex().row()
        if 0 < self.sets.rowCount() < len(found.sets):
            # What has just come in is what a planner has questions to answer about.
            row = len(found.sets) - 1
        self.summary.setText("\n".join(found.sentences))
        shown = (
            set_rows(found) if found.sets else NO_ROWS,
            verdict_rows(found, context) if found.verdicts else NO_ROWS,
            drift_rows(found, context) if found.drift is not None else NO_ROWS,
            next_rows(found, context),
            evidence_rows(found.evidence, context.catalog),
        )
        changed = [table for table, rows in zip(self._tables, shown, strict=True) if table.show_rows(rows)]
        self._to_fit += [table for table in changed if table not in self._to_fit]
        self._commands = next_commands(found, context)
        self._show_command()
        self._say_remarks(found, context)
        self._make_room(found)
        self._give_rows_room()
        self._fit_one()
        if found.sets:
            self.set_table.selectRow(min(max(row, 0), len(found.sets) - 1))
        self._ask_for_context()

    def _draw_residuals(self, context: Results) -> None:
        self.residuals.show_results(context)
        self.residuals.setVisible(self.view is None or bool(self.view.verdicts))

    def _fit_one(self) -> None:
        """One table in each turn of the event loop: its cells are all measured."""
        if self._to_fit:
            _fit_columns(self._to_fit.pop(0))
            self._fit_next.start()

    def is_drawing(self) -> bool:
        return super().is_drawing() or self._fit_next.is_waiting()

    def _command_box(self) -> QPlainTextEdit:
        """The box with the command for the selected run, below its table."""
        box = QPlainTextEdit(self)
        box.setReadOnly(True)
        box.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        box.setAccessibleName(tr("Commands for the measurement"))
        box.setMinimumHeight(box.fontMetrics().lineSpacing() * COMMAND_LINES)
        page = self.next_table.parentWidget()
        layout = page.layout() if page is not None else None
        assert isinstance(layout, QVBoxLayout)
        layout.insertWidget(layout.indexOf(self.next_table) + 1, box, 800)
        self.next_table.selectionModel().currentRowChanged.connect(self._show_command)
        return box

    def _checkpoint_words(self) -> str:
        if not any("MODEL=" in one for one in self._commands):
            return tr("Then import the result.")
        return tr("Set MODEL to your checkpoint's name, folder or file, run the command, and import its result.")

    def _show_command(self) -> None:
        row = max(self.next_table.currentIndex().row(), 0)
        if not self.next_table.currentIndex().isValid():
            self.next_table.selectRow(row)
        text = self._commands[row] if row < len(self._commands) else ""
        if text != self.command.toPlainText():
            self.command.setPlainText(text)

    def _make_room(self, found: CalibrationView) -> None:
        """Hide empty tables, so that the others get their room."""
        has_sets = bool(found.sets)
        self.empty.setVisible(not has_sets)
        for widget in (self._tools, self.summary, self._upper):
            widget.setVisible(has_sets)
        is_first = has_sets and not self.sections.isTabVisible(CASES)
        for place in (CASES, DRIFT):
            self.sections.setTabVisible(place, has_sets)
        if not self.sections.isTabVisible(self.sections.currentIndex()):
            self.sections.setCurrentIndex(NEXT)
        if is_first:
            self.sections.setCurrentIndex(CASES)
        for table in self._tables[1:]:
            table.setVisible(table.rows_model.rowCount() > 0)
            rows = min(table.rows_model.rowCount(), LEAST_ROWS)
            beside = table.horizontalHeader().sizeHint().height() + table.horizontalScrollBar().sizeHint().height()
            table.setMinimumHeight(beside + rows * row_height() + 2 * table.frameWidth())
        for widget in (self.copy_button, self.command):
            widget.setVisible(self.next_runs.rowCount() > 0)

    def _give_rows_room(self) -> None:
        """The lower part is as high as the section in front needs it: larger type takes more."""
        page = self.sections.currentWidget()
        inner = page.layout() if page is not None else None
        if inner is not None:
            tabs = self.sections.tabBar().sizeHint().height()
            needed = inner.totalMinimumHeightForWidth(max(page.width(), 1)) + tabs
            self.sections.setMinimumHeight(max(LEAST_LOWER_HEIGHT, needed))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._give_rows_room()

    def _say_remarks(self, found: CalibrationView, context: Results) -> None:
        drifted = found.drift
        self.remarks[CASES].setText(
            tr(
                "For each run: what was predicted before your runs were imported, and what your other runs predict "
                "for it. A plan uses the second kind."
            )
            if found.verdicts
            else in_turn(
                tr("No run can be compared yet."),
                tr("Choose a set above and fill in what is missing.") if any(map(missing_fields, found.sets)) else "",
            )
        )
        self.remarks[DRIFT].setText(
            tr("Exclude a set to check it against the plan without using it for calibration.")
            if drifted is None
            else ""
        )
        self.remarks[NEXT].setText(
            in_turn(
                tr("Most valuable measurements first; each row assumes that those above it are done."),
                step_time_words(found),
                tr("A measurement usually lowers that figure; one that contradicts the prediction raises it."),
                tr("A training run takes the plan's layout on few devices: enough to show its speed.")
                if found.next_training
                else "",
                self._checkpoint_words(),
            )
            if found.next_runs or found.next_training
            else tr("No candidate is uncertain enough to be worth a measurement.")
        )
        self.remarks[EVIDENCE].setText("\n".join(evidence_sentences(found, context)))
        for remark in self.remarks:
            remark.setVisible(bool(remark.text()))
        beyond = len(drifted.beyond) if drifted is not None else 0
        title = tr("New runs against the plan")
        self.sections.setTabText(DRIFT, f"{title} ({beyond})" if beyond else title)

    def _add_section(self, place: int, title: str, button: QPushButton | None = None) -> RowsTable:
        page = QWidget(self)
        layout = lay_out(QVBoxLayout(page), margins=(0, 6, 0, 0), spacing=6)
        top = QHBoxLayout()
        top.addWidget(self.remarks[place], 1)
        if button is not None:
            top.addWidget(button)
        layout.addLayout(top)
        table = self._table(title)
        layout.addWidget(table, 1000)
        # Where there is no table, its remark stays at the top.
        layout.addStretch(1)
        self.sections.addTab(page, title)
        return table

    def _table(self, name: str) -> RowsTable:
        table = RowsTable(name, self)
        table.setWordWrap(False)
        table.setMinimumSize(200, 72)
        table.horizontalHeader().setStretchLastSection(True)
        self._tables.append(table)
        return table

    def _made_tools(self) -> QWidget:
        buttons = (
            (tr("Import…"), self.import_requested,
             tr("A benchmark result, a log, a table or a saved set; or drop it here")),
            (tr("Save the probe…"), self.probe_requested, _probe_words()),
            (tr("Save as a file…"), self.export_requested, tr("All sets in one file, for sharing")),
            (tr("Exclude"), lambda: self._ask_about_set(self.set_toggled),
             tr("An excluded set is compared with the plan but not used, which shows drift")),
            (tr("Remove"), lambda: self._ask_about_set(self.set_removed), ""),
        )  # fmt: skip
        made = [push_button(words, act, self, tip=tip) for words, act, tip in buttons]
        self.import_button, self.probe_button, self.export_button, self.toggle_button, self.remove_button = made
        measured_on = QWidget(self)
        lay_out(QHBoxLayout(measured_on), self._loss_label, self.loss, margins=(0, 0, 0, 0))
        return flowing((*made, measured_on), self, TOOL_SPACING, TOOL_SPACING)

    def _loss_edit(self) -> QDoubleSpinBox:
        edit = CalmDoubleSpinBox(self)
        edit.setRange(0.0, 90.0)
        edit.setDecimals(1)
        edit.setSuffix(tr(" % lost to virtual machines"))
        edit.setSpecialValueText(tr("bare metal"))
        edit.setKeyboardTracking(False)
        edit.setAccessibleName(tr("Hardware of the set"))
        edit.setToolTip(
            tr(
                "Performance that these runs lost to virtual machines, typically 3 %. Plans for virtual machines "
                "do not add it again."
            )
        )
        edit.valueChanged.connect(lambda percent: self._ask_about_set(self.loss_stated, percent / 100))
        return edit

    def _chosen(self) -> int:
        """The set at hand; -1 for none."""
        row = self.set_table.currentIndex().row()
        return row if self.view is not None and 0 <= row < len(self.view.sets) else -1

    def _allow(self) -> int:
        """Let nothing be asked about a set while none is known to be chosen; the place of the one that is."""
        chosen = self._chosen()
        for widget in (self.toggle_button, self.remove_button, self.loss, self._loss_label):
            widget.setEnabled(chosen >= 0)
        self.questions.allow(chosen >= 0)
        self.export_button.setEnabled(self.view is not None and bool(self.view.sets))
        return chosen

    def _ask_for_context(self) -> None:
        chosen = self._allow()
        if self.view is None or chosen < 0:
            self.questions.ask((), "")
            return
        one = self.view.sets[chosen]
        self.toggle_button.setText(tr("Exclude") if one.is_used else tr("Use"))
        with QSignalBlocker(self.loss):
            self.loss.setValue(100 * max((run.context.virtualisation_loss for run in one.measurements), default=0.0))
        names = missing_fields(one)
        alike = sum(bool(set(names) & set(missing_fields(other))) for other in self.view.sets)
        self.questions.ask(names, f"{one.digest} {one.name}", alike)

    def _ask_about_set(self, signal: SignalInstance, *stated: object) -> None:
        if self._chosen() >= 0:
            signal.emit(self._chosen(), *stated)

    def _copy_command(self) -> None:
        QGuiApplication.clipboard().setText(self.command.toPlainText())


class _Empty(QFrame):
    """The page before the first measurement: what measurements are good for, and two ways to get one."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        title = plain_label(tr("No measurements yet"), self, name="partTitle")
        why = _text(self)
        why.setText(
            tr(
                "Plans are based on published timings, or on a device's datasheet. Results from your own machines "
                "correct the predictions and usually narrow their ranges."
            )
        )
        layout = QGridLayout(self)
        layout.setContentsMargins(16, 12, 16, 14)
        layout.setHorizontalSpacing(12)
        layout.setVerticalSpacing(8)
        layout.addWidget(title, 0, 0, 1, 2)
        layout.addWidget(why, 1, 0, 1, 2)
        self.import_button = QPushButton(tr("Import…"), self)
        self.probe_button = QPushButton(tr("Save the probe…"), self)
        results = tr("Results of vLLM, SGLang, TensorRT-LLM and others, training logs, tables; or drop files here.")
        ways = ((self.import_button, results), (self.probe_button, _probe_words()))
        for row, (button, words) in enumerate(ways, 2):
            button.setAccessibleDescription(words)
            said = _text(self)
            said.setObjectName("quiet")
            said.setText(words)
            layout.addWidget(button, row, 0)
            layout.addWidget(said, row, 1)
        layout.setColumnStretch(1, 1)


class _Tabs(QTabBar):
    """Whoever scrolls the page past them stays in the section that is open."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class _Sections(QTabWidget):
    """Sections whose tables scroll, so that the height does not depend on the width."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setTabBar(_Tabs(self))

    def hasHeightForWidth(self) -> bool:
        return False


def _probe_words() -> str:
    return tr("A Python script that measures a machine in a few minutes. It needs only PyTorch. Import its result.")


def _text(parent: QWidget) -> QLabel:
    label = plain_label("", parent, wraps=True)
    # Without it, a long text is taken for a narrow and tall one.
    label.setMinimumSize(240, 16)
    return label


def _fit_columns(table: QTableView) -> None:
    """Make columns as wide as their contents, those that fit whole; the last takes the rest if the table allows it."""
    table.resizeColumnsToContents()
    places = range(table.model().columnCount())
    whole = table.findChild(WholeColumns) or WholeColumns(table)
    whole.set_least([min(table.columnWidth(place) + 8, WIDEST_COLUMN) for place in places])
