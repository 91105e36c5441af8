"""Every layout of the selected accelerator in a table: ranked by time, cost or devices, each with why it lost."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.pages.candidate_model import RankedColumn, RankedModel, number_column
from gpuplanner_gui.desktop.pages.candidate_table import CandidateTable
from gpuplanner_gui.desktop.pages.result_view import ResultView
from gpuplanner_gui.desktop.tasks.decision_tasks import LAYOUTS
from gpuplanner_gui.desktop.widgets.ask_why import ask_why_cell
from gpuplanner_gui.desktop.widgets.calm import CalmSpinBox
from gpuplanner_gui.desktop.widgets.event_turns import NextTurn
from gpuplanner_gui.desktop.widgets.flow_layout import flowing, lay_out
from gpuplanner_gui.desktop.widgets.labels import LinesLabel, plain_label, plain_tool_tip
from gpuplanner_gui.desktop.widgets.tables import copied_text, sample_width
from gpuplanner_gui.desktop.widgets.theme import choice_box
from gpuplanner_gui.domain.plan import Plan, TrainingTable, column
from gpuplanner_gui.domain.training_results import LayoutRanking
from gpuplanner_gui.domain.training_workload import Parallelism
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.plots.pens import scaled
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.shown_money import shown_money
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import offload_name, recompute_name
from gpuplanner_gui.drawing.words.training import (
    front_help,
    lost_text,
    objective_name,
    place_text,
    ranking_text,
    waiting_text,
)
from gpuplanner_gui.engine.model.table_memory import memory_bytes
from gpuplanner_gui.engine.training.layout_ranking import SHAPE
from gpuplanner_gui.engine.training.layouts import is_usual_expert_tensor

FRONT_MARK = "◆"
FRONT, WHY = tr("Pareto"), tr("Why it lost")
OFFLOAD = tr("Offload")
VIRTUAL = "VPP"
ACTIVATIONS = tr("Activations on")
_SAYS_NOTHING = {"CP": 1.0, "EP": 1.0, VIRTUAL: 1.0, OFFLOAD: 0.0, ACTIVATIONS: 0.0, "HSDP group": 0.0}
"""Columns that are hidden where every layout has this number."""


def _size(name: str, sample: str = "128", title: str = "") -> RankedColumn[LayoutRanking]:
    return number_column(TrainingTable, name, sample, title, unit="", is_result=False, digits=7)


def _recompute_text(ranking: LayoutRanking, row: int) -> str:
    table = ranking.table
    recompute = int(table.recompute[row])
    share = 1.0 if table.recompute_share is None else float(table.recompute_share[row])
    if recompute == 2 and share < 1.0:
        return tr("{share} full").format(share=format_value(share, "share", 2))
    return recompute_name(recompute)


def _memory_text(ranking: LayoutRanking, row: int) -> str:
    used, capacity = memory_bytes(ranking.table)[row], ranking.table.memory_capacity_bytes[row]
    return format_value(float(used / capacity), "share", 2)


def _offloaded(title: str, name: str, help_text: str) -> RankedColumn[LayoutRanking]:
    return RankedColumn(
        title, lambda ranking, row: offload_name(int(column(ranking.table, name)[row])),
        lambda ranking: column(ranking.table, name).astype(float), "the device", help_text, is_number=False,
        is_result=False,
    )  # fmt: skip


def columns() -> tuple[RankedColumn[LayoutRanking], ...]:
    """All columns, the reason among the first results, so that a narrow window shows it."""
    rank = RankedColumn[LayoutRanking](
        "#", lambda ranking, row: format_value(row + 1, "", 7) if ranking.table.fits[row] else "–",
        lambda ranking: np.arange(len(ranking.table.order), dtype=float), "1 000", is_result=False,
    )  # fmt: skip
    front = RankedColumn[LayoutRanking](
        FRONT, lambda ranking, row: FRONT_MARK if ranking.on_front[row] else "",
        lambda ranking: np.where(ranking.on_front, 0.0, 1.0), "Pareto", is_number=False, is_result=False,
    )  # fmt: skip
    recompute = RankedColumn[LayoutRanking](
        tr("Recompute"), _recompute_text, lambda ranking: ranking.table.recompute.astype(float), "selective",
        is_number=False, is_result=False,
    )  # fmt: skip
    why = RankedColumn[LayoutRanking](
        WHY, lambda ranking, row: "", lambda ranking: ranking.lost_step_s,
        "0.88 % slower: EP and CP exchange +8.88 %, rest −8.88 %",
        tr("Why it cannot run, or the part of the step that grew most, in % of the best layout's step."),
        is_number=False,
    )  # fmt: skip
    memory = RankedColumn[LayoutRanking](
        tr("Memory"), _memory_text, lambda ranking: memory_bytes(ranking.table) / ranking.table.memory_capacity_bytes,
        "100 %", tr("Memory of the fullest device."), is_result=False,
    )  # fmt: skip
    return (
        rank, front,
        _size("devices", "100 000"), _size("tensor_parallel"), _size("pipeline_parallel"),
        _size("data_parallel", "1 024"), _size("context_parallel"), _size("expert_parallel"),
        _size("expert_tensor_parallel"), _size("virtual_stages", title=VIRTUAL), _size("zero_stage"),
        _size("sharding_group"),
        _offloaded(OFFLOAD, "offload", tr("Where optimizer state is kept.")),
        _offloaded(ACTIVATIONS, "activation_offload", tr("Where activations wait for the backward pass.")),
        _size("micro_batch", title=tr("Micro")),
        recompute,
        number_column(TrainingTable, "step_time_s", "8.88 min", tr("Step")),
        number_column(TrainingTable, "run_time_s", "88.8 d", tr("Run")),
        number_column(TrainingTable, "usd_per_run", "$999 999", tr("Cost")),
        why,
        number_column(TrainingTable, "mfu", "41.5 %", unit="share"),
        memory,
    )  # fmt: skip


def varies(ranking: LayoutRanking, place: int) -> bool:
    """Whether a column says anything: it has not the plain number all the way down, nor one number of devices."""
    one = columns()[place]
    values = one.keys(ranking)
    if one.title == "ETP":
        return not bool(is_usual_expert_tensor(ranking.table).all())
    if one.title == tr("Devices"):
        return len(values) > 0 and bool((values != values[0]).any())
    return one.title not in _SAYS_NOTHING or bool((values != _SAYS_NOTHING[one.title]).any())


class LayoutModel(RankedModel):
    """Rows of a `LayoutRanking`; filtered to what fits, or to the Pareto front."""

    def __init__(self) -> None:
        super().__init__()
        self.columns = columns()
        self.source: LayoutRanking | None = None
        self.plan: Plan | None = None
        self._only_fitting = self._only_front = False

    def show_ranking(self, ranking: LayoutRanking | None, plan: Plan) -> None:
        if ranking is not self.source or self._money != shown_money():
            self.source, self.plan, self._money = ranking, plan, shown_money()
            self._texts.clear()
            self.refresh()

    def set_filter(self, only_fitting: bool, only_front: bool) -> None:
        if (only_fitting, only_front) != (self._only_fitting, self._only_front):
            self._only_fitting, self._only_front = only_fitting, only_front
            self.refresh()

    def shown_mask(self) -> NDArray[np.bool_] | None:
        if self.source is None or not (self._only_fitting or self._only_front):
            return None
        return self.source.on_front if self._only_front else self.source.table.fits

    def reason_at(self, row: int) -> str:
        assert self.source is not None
        assert self.plan is not None
        return lost_text(self.source, self.plan, row)

    def help_of(self, column: RankedColumn[Any]) -> str:
        if column.title == FRONT:
            return front_help(self.source) if self.source is not None else ""
        return tr(column.help)

    def more_data(self, source: int, column: int, role: int) -> Any:
        return plain_tool_tip(self.reason_at(source)) if role == Qt.ItemDataRole.ToolTipRole else None

    def running(self) -> NDArray[np.bool_]:
        return np.zeros(0, dtype=bool) if self.source is None else self.source.table.fits

    def text_at(self, column: RankedColumn[Any], row: int) -> str:
        return self.reason_at(row) if column.title == WHY else super().text_at(column, row)


OBJECTIVES = ("time", "cost", "devices")
MOST_DEVICES = 100_000
MOST_LINES = 3
"""Most lines of what is said about the layouts."""
PADDING = 18


class LayoutsPage(ResultView):
    """Controls above, the table below; a double click, Enter or the button puts a layout into the scenario."""

    ranking_asked = Signal(str, int)
    """An objective and a number of devices, 0 for as many as the candidate's."""
    layout_chosen = Signal(int)
    """A row of the ranking, to be put into the scenario."""
    layout_freed = Signal()
    """The layout is the search's again."""
    follows = ("training",)
    wanted = (LAYOUTS,)
    kept = ("objective", "only_fitting", "only_front", "table")

    def __init__(self) -> None:
        super().__init__()
        self.model = LayoutModel()
        self.table = LayoutTable(self.model, self)
        objectives = [(name, objective_name(name)) for name in OBJECTIVES]
        self.objective = choice_box(objectives, tr("Layouts are ranked by"))
        self.devices = CalmSpinBox(self)
        self.only_fitting = QCheckBox(tr("Only layouts that fit"), self)
        self.only_front = QCheckBox(tr("Only the Pareto front"), self)
        self.use = QPushButton(tr("Use this layout"), self)
        self.free = QPushButton(tr("Let the search choose"), self)
        self.said = LinesLabel(MOST_LINES, self)
        self._message = plain_label(parent=self, wraps=True)
        self._stack = QStackedWidget(self)
        self._set_up_controls()
        self._lay_out()
        self._connect()

    def _set_up_controls(self) -> None:
        self.devices.setRange(1, MOST_DEVICES)
        self.devices.setFixedWidth(round(scaled(76)))
        self.devices.setKeyboardTracking(False)
        self.devices.setAccessibleName(tr("Number of devices"))
        self.use.setToolTip(tr("Fix this layout in the scenario; Undo reverts it"))
        self.use.setEnabled(False)
        self.free.setToolTip(tr("Remove the fixed layout and let the search choose"))
        self._message.setAlignment(Qt.AlignmentFlag.AlignCenter)

    def _lay_out(self) -> None:
        on, devices = QLabel(tr("on"), self), QLabel(tr("devices"), self)
        asked = (self.objective, on, self.devices, devices, self.only_fitting, self.only_front)
        top = lay_out(
            QHBoxLayout(), (flowing(asked, self, spacing=8, line_spacing=4), 1),
            (self.free, 0, Qt.AlignmentFlag.AlignTop), (self.use, 0, Qt.AlignmentFlag.AlignTop),
            margins=(16, 8, 12, 4), spacing=8,
        )  # fmt: skip
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._message)
        layout = lay_out(QVBoxLayout(self), top, margins=(0, 0, 0, 0), spacing=0)
        self.said.fill_width()
        lay_out(layout, lay_out(QHBoxLayout(), self.said, margins=(20, 0, 16, 4)), (self._stack, 1))

    def _connect(self) -> None:
        self.objective.currentIndexChanged.connect(self._on_question)
        self.devices.valueChanged.connect(self._on_question)
        for box in (self.only_fitting, self.only_front):
            box.toggled.connect(self._on_filter)
        self.use.clicked.connect(self._use_current)
        self.free.clicked.connect(self.layout_freed)
        self.table.used.connect(self._use_current)
        self.table.selectionModel().selectionChanged.connect(self._update_use)
        self.model.modelReset.connect(self._update_use)

    def draw(self, context: Results) -> None:
        ranking = context.in_depth.layouts
        self._offer(context)
        self.model.show_ranking(ranking, context.plan)
        waiting = tr("Trying every layout…")
        self._message.setText(waiting_text(context, LAYOUTS, waiting) if ranking is None else "")
        self._stack.setCurrentWidget(self.table if ranking is not None else self._message)
        said = ranking_text(ranking, context.catalog) if ranking is not None else ""
        place = place_of_candidate(context, ranking) if ranking is not None else -1
        if ranking is not None and place >= 0:
            said += place_text(ranking, place)
        is_old = LAYOUTS in context.in_depth.outdated
        self.said.setText(f"{said} · {waiting}" if is_old and said else said)
        training = context.scenario.training
        self.free.setVisible(training is not None and training.parallelism != Parallelism())

    def _offer(self, context: Results) -> None:
        """The candidate's own number of devices, unless the planner asks for another; a deadline only where one is."""
        own = self._own_devices()
        if not own:
            return
        if not self.devices.hasFocus():
            with QSignalBlocker(self.devices):
                self.devices.setValue(own)
        training = context.scenario.training
        item = self.objective.model().item(OBJECTIVES.index("devices"))  # type: ignore[attr-defined]
        item.setEnabled(training is not None and training.deadline_s is not None)
        item.setToolTip("" if item.isEnabled() else tr("Enter a deadline for the training job first"))
        self.devices.setEnabled(self.objective.currentData() == "time")

    def _on_question(self) -> None:
        is_time = self.objective.currentData() == "time"
        self.devices.setEnabled(is_time)
        own = self._own_devices()
        devices = self.devices.value() if is_time and self.devices.value() != own else 0
        self.ranking_asked.emit(self.objective.currentData(), devices)

    def _own_devices(self) -> int:
        context = self.context
        answer = context.plan.training if context is not None else None
        if context is None or answer is None or context.candidate("training") < 0:
            return 0
        return int(answer.table.devices[context.candidate("training")])

    def _on_filter(self) -> None:
        self.model.set_filter(self.only_fitting.isChecked(), self.only_front.isChecked())

    def _current_row(self) -> int:
        rows = self.table.selectionModel().selectedRows()
        return self.model.source_at(rows[0].row()) if rows else -1

    def _update_use(self) -> None:
        row, ranking = self._current_row(), self.model.source
        self.use.setEnabled(ranking is not None and row >= 0 and bool(ranking.table.fits[row]))

    def _use_current(self) -> None:
        if self.use.isEnabled():
            self.layout_chosen.emit(self._current_row())


def place_of_candidate(context: Results, ranking: LayoutRanking) -> int:
    """Rank of the selected candidate's layout; -1 if it is not in the ranking."""
    answer, candidate = context.plan.training, context.candidate("training")
    if answer is None or candidate < 0:
        return -1
    is_same = np.ones(len(ranking.table.order), dtype=bool)
    for name in SHAPE:
        is_same &= column(ranking.table, name) == column(answer.table, name)[candidate]
    found = np.flatnonzero(is_same)
    return int(found[0]) if len(found) else -1


class LayoutTable(CandidateTable):
    """Shows a `LayoutModel`."""

    def __init__(self, model: LayoutModel, parent: QWidget) -> None:
        super().__init__(model, parent)
        self.setAccessibleName(tr("Layouts"))
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        header = self.horizontalHeader()
        header.setStretchLastSection(False)
        header.setSectionsMovable(False)
        metrics = header.fontMetrics()
        for place, one in enumerate(model.columns):
            widest = max(sample_width(metrics, one.sample), metrics.horizontalAdvance(one.title))
            self.setColumnWidth(place, widest + PADDING)
        self._widen_soon = NextTurn(self, self._widen_reasons)
        model.modelReset.connect(self._hide_what_says_nothing)
        self.cell_asked.connect(lambda index: ask_why_cell(self, str(index.data())))
        self.used = self.activated
        self.copy_requested.connect(self._copy)
        self._model = model

    def _hide_what_says_nothing(self) -> None:
        ranking = self._model.source
        for place in range(self._model.columnCount()):
            self.setColumnHidden(place, ranking is not None and not varies(ranking, place))
        self._widen_soon.start()

    def _widen_reasons(self) -> None:
        """Give the rest of the width to the column of reasons; where that is too little, the columns behind it begin
        beyond the edge, and none is cut."""
        columns = self._model.columns
        why = next(place for place, one in enumerate(columns) if one.title == WHY)
        widths = [0 if self.isColumnHidden(place) else self.columnWidth(place) for place in range(len(columns))]
        before, behind, room = sum(widths[:why]), sum(widths[why + 1 :]), self.viewport().width()
        least = self.horizontalHeader().fontMetrics().horizontalAdvance(columns[why].sample) + PADDING
        self.setColumnWidth(why, max(least, room - before - (behind if room - before - behind >= least else 0)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._widen_soon.start()

    def _copy(self) -> None:
        """The selected row with its headings, for a spreadsheet."""
        rows = [one.row() for one in self.selectionModel().selectedRows()]
        columns = range(self._model.columnCount())
        QApplication.clipboard().setText(copied_text(self._model, rows, columns, with_headings=True))
