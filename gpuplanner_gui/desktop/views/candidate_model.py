"""Ranked candidates as a table model: texts are made for the rows on screen, sorting and filtering use the arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex, Qt

from gpuplanner_gui.desktop.views.candidate_columns import (
    CandidateColumn,
    Table,
    ranks,
    serving_columns,
    training_columns,
)
from gpuplanner_gui.desktop.views.elided_label import plain_tool_tip
from gpuplanner_gui.desktop.views.indexed_table import LEFT, RIGHT, Index, IndexedTableModel
from gpuplanner_gui.drawing.candidates import runs
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.palette import LIGHT, Theme
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import Cell, Column, Rows
from gpuplanner_gui.drawing.shown_money import local_sign, money_shown, shown_money
from gpuplanner_gui.drawing.units import decimals_text
from gpuplanner_gui.drawing.words.candidates import accelerator_name, evidence_help, precision_name
from gpuplanner_gui.drawing.words.reasons import reason_text


class CandidateModel(IndexedTableModel):
    """Candidates of one workload."""

    def __init__(self, workload: str) -> None:
        super().__init__()
        self.workload = workload
        self.columns: tuple[CandidateColumn, ...] = serving_columns() if workload == "serving" else training_columns()
        self.results: Results | None = None
        self.table: Table | None = None
        self.theme: Theme = LIGHT
        self._runs: NDArray[np.bool_] = np.zeros(0, dtype=bool)
        self._ranks: NDArray[np.float64] = np.zeros(0)
        self._words: tuple[str, ...] = ()
        self._only_running = False
        self._texts: dict[int, tuple[str, ...]] = {}
        self._money = shown_money()

    def show_results(self, results: Results) -> bool:
        """Show the candidates of these results; says whether they are others than before."""
        answer = results.answer(self.workload)
        self.results = results
        is_new_money = self._money != shown_money()
        is_new = answer is not None and answer.table is not self.table
        if answer is not None and (is_new or is_new_money):
            self.table, self._money = answer.table, shown_money()
            self._texts.clear()
            self._runs, self._ranks = runs(answer.table), ranks(answer.table)
            self.refresh_in_place()
        if is_new_money:
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.columns) - 1)
        return is_new

    def set_filter(self, text: str, only_running: bool) -> None:
        """Show rows that hold every word, in their accelerator's name or vendor, or in a precision."""
        words = tuple(text.casefold().split())
        if (words, only_running) != (self._words, self._only_running):
            self._words, self._only_running = words, only_running
            self.refresh()

    def counts(self) -> tuple[int, int]:
        """Candidates that run, and all of them."""
        return int(self._runs.sum()), len(self._runs)

    def source_order(self) -> NDArray[np.int64]:
        return np.zeros(0, dtype=np.int64) if self.table is None else self.table.order

    def sort_keys(self, column: int) -> NDArray[Any]:
        assert self.results is not None
        assert self.table is not None
        described = self.columns[column]
        keys = described.keys(self.results, self.table)
        if described.is_result:
            keys = np.where(self._runs, keys, np.nan) if keys.dtype.kind == "f" else np.where(self._runs, keys, "")
        return keys

    def shown_mask(self) -> NDArray[np.bool_] | None:
        if self.table is None or (not self._words and not self._only_running):
            return None
        mask = self._runs.copy() if self._only_running else np.ones(len(self._runs), dtype=bool)
        for word in self._words:
            mask &= self._holding(word)
        return mask

    def _holding(self, word: str) -> NDArray[np.bool_]:
        assert self.results is not None
        assert self.table is not None
        plan, catalog = self.results.plan, self.results.catalog
        named = []
        for accelerator_id in plan.accelerators:
            known = catalog.accelerators.get(accelerator_id)
            vendor = known.vendor if known else ""
            named.append(word in f"{vendor} {accelerator_name(accelerator_id, catalog)}".casefold())
        found = np.array(named, dtype=bool)[self.table.accelerator]
        if self.workload == "serving":
            formats = np.array([word == precision_name(one).casefold() for one in plan.precisions], dtype=bool)
            found |= formats[self.table.weight_precision]  # type: ignore[union-attr]
        return found

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  (Qt's own signature)
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return self.title_of(column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tool_tip(tr(column.help)) if column.help else None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column.is_number else LEFT
        return None

    def title_of(self, column: CandidateColumn) -> str:
        return tr(column.title).replace("$", local_sign(self._money.sign))

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self.table is None or self.results is None:
            return None
        column, candidate = self.columns[index.column()], self.source_at(index.row())
        if role == Qt.ItemDataRole.DisplayRole:
            return self.texts_of(candidate)[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column.is_number else LEFT
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tool_tip(column, candidate)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{self.title_of(column)} {self.texts_of(candidate)[index.column()] or self.reason_at(candidate)}"
        return None

    def runs_at(self, candidate: int) -> bool:
        """Whether a candidate can be run."""
        return bool(self._runs[candidate])

    def reason_at(self, candidate: int) -> str:
        return (
            "" if self.table is None or self.results is None else reason_text(self.results.plan, self.table, candidate)
        )

    def limit_at(self, candidate: int) -> int:
        """The resource that bounds a candidate which runs."""
        return 0 if self.table is None else int(self.table.limit[candidate])

    def texts_of(self, candidate: int) -> tuple[str, ...]:
        """The texts of a whole row, made once as long as the table is the same."""
        found = self._texts.get(candidate)
        if found is None:
            can_run = self.runs_at(candidate)
            with money_shown(self._money):
                found = tuple(
                    self.text_at(place, candidate) if can_run or not column.is_result else ""
                    for place, column in enumerate(self.columns)
                )
            self._texts[candidate] = found
        return found

    def text_at(self, column: int, candidate: int) -> str:
        assert self.table is not None
        assert self.results is not None
        if column == 0:
            return decimals_text(int(self._ranks[candidate])) if self._runs[candidate] else "–"
        return self.columns[column].text(self.results, self.table, candidate)

    def _tool_tip(self, column: CandidateColumn, candidate: int) -> str | None:
        assert self.table is not None
        assert self.results is not None
        reason = reason_text(self.results.plan, self.table, candidate)
        if reason:
            return plain_tool_tip(reason)
        if column.title == tr("Evidence"):
            return plain_tool_tip(evidence_help(int(self.table.evidence_kind[candidate])))
        return None

    def as_rows(self, candidates: NDArray[np.int64] | None = None) -> Rows:
        """What is shown, or the given candidates, as text and numbers with the reason last."""
        if self.table is None or self.results is None:
            return Rows((), ())
        chosen = self.shown_sources() if candidates is None else candidates
        columns = tuple(Column(self.title_of(column)) for column in self.columns)
        cells: list[tuple[Cell, ...]] = []
        for candidate in chosen:
            cells.append((*self.texts_of(int(candidate)), reason_text(self.results.plan, self.table, int(candidate))))
        return Rows((*columns, Column(tr("Reason"))), tuple(cells))
