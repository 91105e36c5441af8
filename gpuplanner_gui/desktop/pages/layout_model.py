"""The ranked layouts as a table model: one row for each way to spread the job, and why it lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt

from gpuplanner_gui.desktop.widgets.labels import plain_tool_tip
from gpuplanner_gui.desktop.widgets.tables import IndexedTableModel
from gpuplanner_gui.domain.field import field_of
from gpuplanner_gui.domain.plan import Plan, TrainingTable, column
from gpuplanner_gui.domain.training_results import LayoutRanking
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.shown_money import money_shown, shown_money
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import recompute_name
from gpuplanner_gui.drawing.words.training import front_help, lost_text
from gpuplanner_gui.engine.model.table_memory import memory_bytes

FRONT_MARK = "◆"
FRONT, WHY = tr("Front"), tr("Why it lost")
_LEFT_OUT = (tr("Devices"), "CP", "EP", tr("Virtual"))
"""Columns that are hidden where they say nothing."""
Values = NDArray[Any]


@dataclass(frozen=True)
class LayoutColumn:
    """One column: its heading, its value for sorting, its text."""

    title: str
    sample: str
    keys: Callable[[LayoutRanking], Values]
    text: Callable[[LayoutRanking, int], str]
    help: str = ""
    is_number: bool = True
    is_result: bool = False
    """True for what a layout that cannot run does not have: its reason stands there."""
    is_limit: bool = False


def _size(name: str, sample: str = "128", title: str = "") -> LayoutColumn:
    about = field_of(TrainingTable, name).about

    def text(ranking: LayoutRanking, row: int) -> str:
        return format_value(float(column(ranking.table, name)[row]), "", 7)

    def keys(ranking: LayoutRanking) -> Values:
        values: Values = column(ranking.table, name).astype(float)
        return values

    return LayoutColumn(title or about.title, sample, keys, text, about.help)


def _result(name: str, sample: str, title: str = "", unit: str | None = None) -> LayoutColumn:
    about = field_of(TrainingTable, name).about
    shown_unit = about.unit if unit is None else unit

    def keys(ranking: LayoutRanking) -> Values:
        values: Values = np.where(ranking.table.fits, column(ranking.table, name), np.nan)
        return values

    def text(ranking: LayoutRanking, row: int) -> str:
        return format_value(float(column(ranking.table, name)[row]), shown_unit) if ranking.table.fits[row] else ""

    return LayoutColumn(title or about.title, sample, keys, text, about.help, is_result=True)


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


def columns() -> tuple[LayoutColumn, ...]:
    """All columns, the reason among the first results, so that a narrow window shows it."""
    return (
        LayoutColumn("#", "1 000", lambda ranking: np.arange(len(ranking.table.order), dtype=float),
                     lambda ranking, row: format_value(row + 1, "", 7) if ranking.table.fits[row] else "–"),
        LayoutColumn(FRONT, "Front", lambda ranking: np.where(ranking.on_front, 0.0, 1.0),
                     lambda ranking, row: FRONT_MARK if ranking.on_front[row] else "", is_number=False),
        _size("devices", "100 000"), _size("tensor_parallel"), _size("pipeline_parallel"),
        _size("data_parallel", "1 024"), _size("context_parallel"), _size("expert_parallel"),
        _size("virtual_stages", title=tr("Virtual")), _size("zero_stage"), _size("micro_batch", title=tr("Micro")),
        LayoutColumn(tr("Recompute"), "selective", lambda ranking: ranking.table.recompute.astype(float),
                     _recompute_text, is_number=False),
        _result("step_time_s", "888 ms", tr("Step")), _result("run_time_s", "88.8 d", tr("Run")),
        _result("usd_per_run", "$999 999", tr("Cost")),
        LayoutColumn(WHY, "step +123 ms: EP and CP exchange +123 ms", lambda ranking: ranking.lost_step_s,
                     lambda ranking, row: "", tr("What it lacks, or the part of the step that grew most against the "
                                                 "best."), is_number=False, is_result=True),
        _result("mfu", "41.5 %", unit="share"),
        LayoutColumn(tr("Memory"), "100 %", lambda ranking: memory_bytes(ranking.table)
                     / ranking.table.memory_capacity_bytes, _memory_text, tr("Of the fullest device.")),
    )  # fmt: skip


def varies(ranking: LayoutRanking, place: int) -> bool:
    """Whether a column of sizes says anything: it is not 1 all the way down, nor one number of devices."""
    one = columns()[place]
    if one.title not in _LEFT_OUT:
        return True
    values = one.keys(ranking)
    least = values[0] if one.title == _LEFT_OUT[0] and len(values) else 1.0
    return bool((values != least).any())


class LayoutModel(IndexedTableModel):
    """Rows of a `LayoutRanking`; filtered to what fits, or to the Pareto front."""

    can_be_pinned = False

    def __init__(self) -> None:
        super().__init__()
        self.columns = columns()
        self.ranking: LayoutRanking | None = None
        self.plan: Plan | None = None
        self._texts: dict[int, tuple[str, ...]] = {}
        self._money = shown_money()
        self._only_fitting = self._only_front = False

    def show_ranking(self, ranking: LayoutRanking | None, plan: Plan) -> None:
        if ranking is not self.ranking or self._money != shown_money():
            self.ranking, self.plan, self._money = ranking, plan, shown_money()
            self._texts.clear()
            self.refresh()

    def set_filter(self, only_fitting: bool, only_front: bool) -> None:
        if (only_fitting, only_front) != (self._only_fitting, self._only_front):
            self._only_fitting, self._only_front = only_fitting, only_front
            self.refresh()

    def source_order(self) -> NDArray[np.int64]:
        return np.zeros(0, np.int64) if self.ranking is None else self.ranking.table.order

    def sort_keys(self, column: int) -> NDArray[Any]:
        assert self.ranking is not None
        return self.columns[column].keys(self.ranking)

    def shown_mask(self) -> NDArray[np.bool_] | None:
        if self.ranking is None or not (self._only_fitting or self._only_front):
            return None
        return self.ranking.on_front if self._only_front else self.ranking.table.fits

    def why(self, row: int) -> str:
        assert self.ranking is not None
        assert self.plan is not None
        return lost_text(self.ranking, self.plan, row)

    def help_of(self, column: LayoutColumn) -> str:
        if column.title == FRONT:
            return front_help(self.ranking) if self.ranking is not None else ""
        return tr(column.help)

    def more_data(self, source: int, column: int, role: int) -> Any:
        return plain_tool_tip(self.why(source)) if role == Qt.ItemDataRole.ToolTipRole else None

    def runs_at(self, row: int) -> bool:
        """Whether a layout fits."""
        return self.ranking is not None and bool(self.ranking.table.fits[row])

    def reason_at(self, row: int) -> str:
        return self.why(row)

    def limit_at(self, row: int) -> int:
        """The resource that bounds a layout which runs."""
        return 0 if self.ranking is None else int(self.ranking.table.limit[row])

    def texts_of(self, row: int) -> tuple[str, ...]:
        """The texts of a whole row, made once as long as the ranking is the same."""
        assert self.ranking is not None
        found = self._texts.get(row)
        if found is None:
            ranking = self.ranking
            with money_shown(self._money):
                found = tuple(self.why(row) if one.title == WHY else one.text(ranking, row) for one in self.columns)
            self._texts[row] = found
        return found
