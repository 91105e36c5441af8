"""Candidates as a table's model: which columns there are, what a cell says, and how rows are ordered."""

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
from gpuplanner_gui.domain.plan import ServingTable, TrainingTable, column
from gpuplanner_gui.drawing.candidates import runs
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.palette import LIGHT, Theme
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import Cell, Column, Rows
from gpuplanner_gui.drawing.shown_money import local_sign, money_shown, shown_money
from gpuplanner_gui.drawing.units import NOTHING, decimals_text, format_value
from gpuplanner_gui.drawing.words.candidates import (
    accelerator_name,
    evidence_help,
    evidence_name,
    planned_name,
    precision_name,
    precisions_text,
    recompute_name,
    resource_letter,
    resource_name,
    serving_layout,
    training_layout,
)
from gpuplanner_gui.drawing.words.reasons import reason_text

Table = ServingTable | TrainingTable
TextOf = Callable[[Results, Table, int], str]
KeysOf = Callable[[Results, Table], NDArray[Any]]


@dataclass(frozen=True)
class CandidateColumn:
    """One column. `quantity` is the table's column that Explain is asked about; empty: nothing to explain."""

    title: str
    quantity: str
    text: TextOf
    keys: KeysOf
    sample: str
    """A text as wide as most, for the column's width."""
    help: str = ""
    is_number: bool = True
    is_result: bool = True
    """False for what identifies a candidate and is shown even when it cannot run."""
    is_limit: bool = False


def _number(
    table_type: type[Table], name: str, sample: str, title: str = "", unit: str | None = None, is_result: bool = True
) -> CandidateColumn:
    about = field_of(table_type, name).about
    shown_unit = about.unit if unit is None else unit
    if shown_unit == "USD/month":
        shown_unit = "USD"

    def text(results: Results, table: Table, candidate: int) -> str:
        return format_value(float(column(table, name)[candidate]), shown_unit)

    def keys(results: Results, table: Table) -> NDArray[Any]:
        return column(table, name).astype(np.float64)

    return CandidateColumn(title or about.title, name, text, keys, sample, about.help, is_result=is_result)


def _accelerator_keys(results: Results, table: Table) -> NDArray[Any]:
    """Places of their names in the alphabet: numbers of a hundred thousand rows are sorted at once, texts are not."""
    names = [accelerator_name(one, results.catalog).casefold() for one in results.plan.accelerators]
    places = np.unique(names, return_inverse=True)[1].astype(np.float64)
    return places[table.accelerator]


def ranks(table: Table) -> NDArray[np.float64]:
    """Place of each candidate in the plan's order, counted from 1."""
    places = np.empty(len(table.order))
    places[table.order] = np.arange(1, len(table.order) + 1)
    return places


def _limit_text(results: Results, table: Table, candidate: int) -> str:
    limit = int(table.limit[candidate])
    return f"{resource_letter(limit)} {resource_name(limit)}"


def _shared_columns(layout: TextOf, layout_sample: str, step: str) -> dict[str, CandidateColumn]:
    return {
        "rank": CandidateColumn(
            "#", "", lambda results, table, candidate: "", lambda _, table: ranks(table), "12 480",
            tr("Rank of the candidate."), is_result=False,
        ),
        "accelerator": CandidateColumn(
            tr("Accelerator"), "",
            lambda results, table, candidate: planned_name(results.plan, results.catalog, table, candidate),
            _accelerator_keys, "RTX PRO 5000 Blackwell 48GB", is_number=False, is_result=False,
        ),
        "layout": CandidateColumn(
            tr("Layout"), "", layout, lambda _, table: table.tensor_parallel * 1000.0 + table.pipeline_parallel,
            layout_sample, tr("How devices split the model: tensor, pipeline, context, expert and data parallelism."),
            is_number=False, is_result=False,
        ),
        "limit": CandidateColumn(
            tr("Limit"), step, _limit_text, lambda results, table: table.limit.astype(np.float64),
            "B memory bandwidth", tr("The resource that takes most of a step."), is_number=False, is_limit=True,
        ),
        "evidence": CandidateColumn(
            tr("Evidence"), "", lambda _, table, candidate: evidence_name(int(table.evidence_kind[candidate])),
            lambda results, table: table.evidence_kind.astype(np.float64), "own measurements",
            tr("What the prediction is based on."), is_number=False,
        ),
    }  # fmt: skip


def _precision_text(results: Results, table: Table, candidate: int) -> str:
    if not isinstance(table, ServingTable):
        return NOTHING
    return precisions_text(results.plan, table, candidate)


def _precision_keys(results: Results, table: Table) -> NDArray[Any]:
    if not isinstance(table, ServingTable):
        return np.zeros(len(table.accelerator))
    return table.weight_precision * 100.0 + table.kv_precision


def serving_columns() -> tuple[CandidateColumn, ...]:
    shared = _shared_columns(
        lambda results, table, candidate: serving_layout(table, candidate) if isinstance(table, ServingTable) else "",
        "TP 8 · drafts 3",
        "decode_step_s",
    )
    precision = CandidateColumn(
        tr("Precision"), "", _precision_text, _precision_keys, "NVFP4, FP8 KV",
        tr("Number format of the weights, and of the KV cache if it differs."), is_number=False, is_result=False,
    )  # fmt: skip
    return (
        shared["rank"],
        shared["accelerator"],
        _number(ServingTable, "devices_per_replica", "16", tr("Per replica"), unit="", is_result=False),
        shared["layout"],
        precision,
        _number(ServingTable, "replicas", "888"),
        # What candidates are ranked by is seen in a small window too.
        _number(ServingTable, "usd_per_million_output_tokens", "$88.8"),
        _number(ServingTable, "usd_per_request", "$0.0888"),
        _number(ServingTable, "usd_per_month", "$888 000", tr("$/month")),
        _number(ServingTable, "ttft_p95_s", "888 ms"),
        _number(ServingTable, "e2e_p95_s", "888 ms"),
        _number(ServingTable, "tpot_p95_s", "88.8 ms"),
        _number(ServingTable, "headroom", "888 %", unit="share"),
        _number(ServingTable, "devices", "88 888", unit=""),
        _number(ServingTable, "paid_devices", "88 888", tr("Paid for"), unit=""),
        shared["limit"],
        _number(ServingTable, "output_tokens_per_s_per_device", "88 888 tok/s", tr("Peak load/device")),
        shared["evidence"],
        _number(ServingTable, "prefill_workers", "8", unit="", is_result=False),
        _number(ServingTable, "decode_workers", "8", unit="", is_result=False),
        _number(ServingTable, "draft_tokens", "8", unit="", is_result=False),
    )


def training_columns() -> tuple[CandidateColumn, ...]:
    shared = _shared_columns(
        lambda results, table, candidate: training_layout(table, candidate) if isinstance(table, TrainingTable) else "",
        "TP 8 · PP 4 · DP 128 · ZeRO 1",
        "step_time_s",
    )
    recompute = CandidateColumn(
        tr("Recompute"), "", lambda _, table, candidate: recompute_name(int(column(table, "recompute")[candidate])),
        lambda _, table: column(table, "recompute").astype(np.float64), "selective",
        field_of(TrainingTable, "recompute").about.help, is_number=False, is_result=False,
    )  # fmt: skip
    return (
        shared["rank"],
        shared["accelerator"],
        _number(TrainingTable, "devices", "88 888", unit="", is_result=False),
        shared["layout"],
        _number(TrainingTable, "micro_batch", "16", unit="", is_result=False),
        recompute,
        _number(TrainingTable, "usd_per_run", "$888 000"),
        _number(TrainingTable, "run_time_s", "88.8 d"),
        _number(TrainingTable, "deadline_slack_s", "−88.8 d"),
        _number(TrainingTable, "step_time_s", "88.8 s"),
        _number(TrainingTable, "mfu", "88.8 %", unit="share"),
        _number(TrainingTable, "goodput", "88.8 %", unit="share"),
        _number(TrainingTable, "tokens_per_s_per_device", "88 888 tok/s", tr("Per device")),
        _number(TrainingTable, "device_hours", "888 000", unit=""),
        _number(TrainingTable, "samples_per_s", "88 888 /s"),
        _number(TrainingTable, "data_bytes_per_s", "888 MB/s"),
        _number(TrainingTable, "data_reads_per_s", "88 888 /s"),
        _number(TrainingTable, "data_cores", "88.8", unit=""),
        _number(TrainingTable, "paid_devices", "88 888", tr("Paid for"), unit=""),
        _number(TrainingTable, "checkpoint_storage_bytes", "88.8 TB", unit="bytes on disk"),
        shared["limit"],
        shared["evidence"],
    )


class RankedModel(IndexedTableModel):
    """Rows that run, or say why not; the texts of a row are made once as long as its source is the same."""

    can_be_pinned = False

    def __init__(self) -> None:
        super().__init__()
        self._texts: dict[int, tuple[str, ...]] = {}
        self._money = shown_money()

    def texts_of(self, source: int) -> tuple[str, ...]:
        found = self._texts.get(source)
        if found is None:
            with money_shown(self._money):
                found = self._texts[source] = self.made_texts(source)
        return found

    def made_texts(self, source: int) -> tuple[str, ...]:
        """The texts of a whole row."""
        raise NotImplementedError

    def runs_at(self, source: int) -> bool:
        """Whether a candidate, or a layout, can be run."""
        raise NotImplementedError

    def reason_at(self, source: int) -> str:
        """Why one is not the best."""
        raise NotImplementedError

    def limit_at(self, source: int) -> int:
        """The resource that bounds one that runs."""
        raise NotImplementedError


class CandidateModel(RankedModel):
    """Candidates of one workload."""

    can_be_pinned = True

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

    def title_of(self, column: CandidateColumn) -> str:
        return tr(column.title).replace("$", local_sign(self._money.sign))

    def more_data(self, source: int, column: int, role: int) -> Any:
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tool_tip(self.columns[column], source)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            said = self.texts_of(source)[column] or self.reason_at(source)
            return f"{self.title_of(self.columns[column])} {said}"
        return None

    def runs_at(self, candidate: int) -> bool:
        return bool(self._runs[candidate])

    def reason_at(self, candidate: int) -> str:
        return (
            "" if self.table is None or self.results is None else reason_text(self.results.plan, self.table, candidate)
        )

    def limit_at(self, candidate: int) -> int:
        return 0 if self.table is None else int(self.table.limit[candidate])

    def made_texts(self, candidate: int) -> tuple[str, ...]:
        can_run = self.runs_at(candidate)
        return tuple(
            self.text_at(place, candidate) if can_run or not column.is_result else ""
            for place, column in enumerate(self.columns)
        )

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
        """The shown or the given candidates as text and numbers, with the reason last."""
        if self.table is None or self.results is None:
            return Rows((), ())
        chosen = self.shown_sources() if candidates is None else candidates
        columns = tuple(Column(self.title_of(column)) for column in self.columns)
        cells: list[tuple[Cell, ...]] = []
        for candidate in chosen:
            cells.append((*self.texts_of(int(candidate)), reason_text(self.results.plan, self.table, int(candidate))))
        return Rows((*columns, Column(tr("Reason"))), tuple(cells))
