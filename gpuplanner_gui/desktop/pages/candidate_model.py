"""Ranked rows as a table's model, and candidates as such rows: columns, what a cell says, how rows are ordered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt

from gpuplanner_gui.desktop.widgets.labels import plain_tool_tip
from gpuplanner_gui.desktop.widgets.tables import IndexedTableModel
from gpuplanner_gui.domain.field import field_of
from gpuplanner_gui.domain.plan import Reason, ServingTable, TrainingTable, column
from gpuplanner_gui.drawing.candidates import runs
from gpuplanner_gui.drawing.language import in_turn, tr
from gpuplanner_gui.drawing.palette import LIGHT, Theme
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import Column, Rows
from gpuplanner_gui.drawing.shown_money import local_sign, money_shown, shown_money
from gpuplanner_gui.drawing.units import decimals_text, format_value
from gpuplanner_gui.drawing.words.candidates import (
    accelerator_name,
    evidence_help,
    evidence_text,
    order_text,
    planned_name,
    precision_name,
    precisions_text,
    recompute_name,
    resource_name,
    serving_layout,
    training_layout,
)
from gpuplanner_gui.drawing.words.reasons import reason_text

Table = ServingTable | TrainingTable
Source = TypeVar("Source")


@dataclass(frozen=True)
class RankedColumn(Generic[Source]):
    """One column. `quantity` is the table's column that Explain is asked about; empty: nothing to explain."""

    title: str
    text: Callable[[Source, int], str]
    keys: Callable[[Source], NDArray[Any]]
    sample: str
    """A text as wide as most, for the column's width."""
    help: str = ""
    quantity: str = ""
    is_number: bool = True
    is_result: bool = True
    """False for what identifies a row and is shown even when it cannot run."""
    is_limit: bool = False


@dataclass(frozen=True)
class Candidates:
    """What the columns of candidates are made from."""

    results: Results
    table: Table


CandidateText = Callable[[Candidates, int], str]


def number_column(
    table_type: type[Table], name: str, sample: str, title: str = "", unit: str | None = None, is_result: bool = True,
    digits: int = 3,
) -> RankedColumn[Any]:  # fmt: skip
    """A column of the table of candidates, or of layouts, in the unit that its field states unless told otherwise."""
    about = field_of(table_type, name).about
    shown_unit = about.unit if unit is None else unit
    if shown_unit == "USD/month":
        shown_unit = "USD"

    def text(source: Any, row: int) -> str:
        return format_value(float(column(source.table, name)[row]), shown_unit, digits)

    def keys(source: Any) -> NDArray[Any]:
        return column(source.table, name).astype(np.float64)

    return RankedColumn(title or about.title, text, keys, sample, about.help, name, is_result=is_result)


def _accelerator_keys(source: Candidates) -> NDArray[Any]:
    """Places of their names in the alphabet: numbers of a hundred thousand rows are sorted at once, texts are not."""
    names = [accelerator_name(one, source.results.catalog).casefold() for one in source.results.plan.accelerators]
    places = np.unique(names, return_inverse=True)[1].astype(np.float64)
    return places[source.table.accelerator]


def ranks(table: Table) -> NDArray[np.float64]:
    """Place of each candidate in the plan's order, counted from 1."""
    places = np.empty(len(table.order))
    places[table.order] = np.arange(1, len(table.order) + 1)
    return places


def _shared_columns(
    workload: str, layout: CandidateText, layout_sample: str, step: str
) -> dict[str, RankedColumn[Candidates]]:
    return {
        "rank": RankedColumn(
            "#", lambda source, candidate: "", lambda source: ranks(source.table), "12 480",
            order_text(workload), is_result=False,
        ),
        "accelerator": RankedColumn(
            tr("Accelerator"),
            lambda source, row: planned_name(source.results.plan, source.results.catalog, source.table, row),
            _accelerator_keys, "RTX PRO 5000 Blackwell 48GB", is_number=False, is_result=False,
        ),
        "layout": RankedColumn(
            tr("Layout"), layout,
            lambda source: source.table.tensor_parallel * 1000.0 + source.table.pipeline_parallel,
            layout_sample, tr(
                "How devices split the model: tensor (TP), pipeline (PP), context (CP), expert (EP) and data (DP) "
                "parallelism; virtual stages of a pipeline (VPP), tensor parallelism of experts (ETP). Where there is "
                "little room, TP2 PP2 stands for TP 2 · PP 2."
            ),
            is_number=False, is_result=False,
        ),
        "limit": RankedColumn(
            tr("Limit"), lambda source, candidate: resource_name(int(source.table.limit[candidate])),
            lambda source: source.table.limit.astype(np.float64), "partly filled tiles",
            tr("The resource that takes most of a step. Partly filled tiles: kernels compute mostly padding."),
            step, is_number=False, is_limit=True,
        ),
        "evidence": RankedColumn(
            tr("Evidence"), lambda source, candidate: evidence_text(source.table, candidate),
            lambda source: source.table.evidence_kind.astype(np.float64), "own measurements",
            tr("What the prediction is based on."), is_number=False,
        ),
    }  # fmt: skip


def serving_columns() -> tuple[RankedColumn[Candidates], ...]:
    shared = _shared_columns(
        "serving", lambda source, candidate: serving_layout(cast(ServingTable, source.table), candidate),
        "TP 8 · drafts 3", "decode_step_s",
    )  # fmt: skip
    precision = RankedColumn[Candidates](
        tr("Precision"),
        lambda source, candidate: precisions_text(source.results.plan, cast(ServingTable, source.table), candidate),
        lambda source: column(source.table, "weight_precision") * 100.0 + column(source.table, "kv_precision"),
        "NVFP4, FP8 KV",
        tr("Number format of the weights, and of the KV cache if it differs."), is_number=False, is_result=False,
    )  # fmt: skip
    return (
        shared["rank"],
        shared["accelerator"],
        number_column(ServingTable, "devices_per_replica", "16", tr("Devices/replica"), unit="", is_result=False),
        shared["layout"],
        precision,
        number_column(ServingTable, "replicas", "888"),
        # What candidates are ranked by is seen in a small window too.
        number_column(ServingTable, "usd_per_million_output_tokens", "$88.8"),
        number_column(ServingTable, "usd_per_request", "$0.0888"),
        number_column(ServingTable, "usd_per_month", "$888 000", tr("$/month")),
        number_column(ServingTable, "ttft_p95_s", "888 ms"),
        number_column(ServingTable, "e2e_p95_s", "888 ms"),
        number_column(ServingTable, "tpot_p95_s", "88.8 ms"),
        number_column(ServingTable, "headroom", "888 %", unit="share"),
        number_column(ServingTable, "devices", "88 888", unit=""),
        number_column(ServingTable, "paid_devices", "88 888", unit=""),
        shared["limit"],
        number_column(ServingTable, "output_tokens_per_s_per_device", "88 888 tok/s", tr("Output at peak/device")),
        shared["evidence"],
        number_column(ServingTable, "prefill_workers", "8", unit="", is_result=False),
        number_column(ServingTable, "decode_workers", "8", unit="", is_result=False),
        number_column(ServingTable, "draft_tokens", "8", unit="", is_result=False),
    )


def training_columns() -> tuple[RankedColumn[Candidates], ...]:
    shared = _shared_columns(
        "training",
        lambda source, candidate: training_layout(cast(TrainingTable, source.table), candidate),
        "TP 8 · PP 4 · DP 128 · ZeRO 1",
        "step_time_s",
    )
    recompute = RankedColumn[Candidates](
        tr("Recompute"), lambda source, candidate: recompute_name(int(column(source.table, "recompute")[candidate])),
        lambda source: column(source.table, "recompute").astype(np.float64), "selective",
        field_of(TrainingTable, "recompute").about.help, is_number=False, is_result=False,
    )  # fmt: skip
    return (
        shared["rank"],
        shared["accelerator"],
        number_column(TrainingTable, "devices", "88 888", unit="", is_result=False),
        shared["layout"],
        number_column(TrainingTable, "micro_batch", "16", unit="", is_result=False),
        recompute,
        number_column(TrainingTable, "usd_per_run", "$888 000"),
        number_column(TrainingTable, "run_time_s", "88.8 d"),
        number_column(TrainingTable, "deadline_slack_s", "−88.8 d"),
        number_column(TrainingTable, "step_time_s", "88.8 s"),
        number_column(TrainingTable, "mfu", "88.8 %", unit="share"),
        number_column(TrainingTable, "goodput", "88.8 %", unit="share"),
        number_column(TrainingTable, "tokens_per_s_per_device", "88 888 tok/s", tr("Per device")),
        number_column(TrainingTable, "device_hours", "888 000", unit=""),
        number_column(TrainingTable, "samples_per_s", "88 888 /s"),
        number_column(TrainingTable, "data_bytes_per_s", "888 MB/s"),
        number_column(TrainingTable, "data_reads_per_s", "88 888 /s"),
        number_column(TrainingTable, "data_cores", "88.8", unit=""),
        number_column(TrainingTable, "paid_devices", "88 888", unit=""),
        number_column(TrainingTable, "checkpoint_storage_bytes", "88.8 TB", unit="bytes on disk"),
        shared["limit"],
        shared["evidence"],
    )


class RankedModel(IndexedTableModel):
    """Rows that run, or say why not; the texts of a row are made once as long as its source is the same."""

    can_be_pinned = False
    columns: tuple[RankedColumn[Any], ...]
    source: Any = None
    """What columns are made from; None before there is anything to show."""

    def __init__(self) -> None:
        super().__init__()
        self._texts: dict[int, tuple[str, ...]] = {}
        self._money = shown_money()

    def texts_of(self, row: int) -> tuple[str, ...]:
        found = self._texts.get(row)
        if found is None:
            with money_shown(self._money):
                found = self._texts[row] = tuple(self.text_at(column, row) for column in self.columns)
        return found

    def text_at(self, column: RankedColumn[Any], row: int) -> str:
        """A cell's text; none for a result of what cannot run."""
        return column.text(self.source, row) if self.runs_at(row) or not column.is_result else ""

    def sort_keys(self, column: int) -> NDArray[Any]:
        described = self.columns[column]
        keys = described.keys(self.source)
        return np.where(self.running(), keys, np.nan) if described.is_result else keys

    def source_order(self) -> NDArray[np.int64]:
        return np.zeros(0, dtype=np.int64) if self.source is None else self.source.table.order

    def running(self) -> NDArray[np.bool_]:
        """Which candidates, or layouts, can be run."""
        raise NotImplementedError

    def runs_at(self, row: int) -> bool:
        return bool(self.running()[row])

    def is_rival_at(self, row: int) -> bool:
        """Whether one could be chosen: what runs and misses a target could not, however cheap it is."""
        return self.runs_at(row)

    def reason_at(self, row: int) -> str:
        """Why one is not the best."""
        raise NotImplementedError

    def limit_at(self, row: int) -> int:
        """The resource that bounds one that runs."""
        return 0 if self.source is None else int(self.source.table.limit[row])


class CandidateModel(RankedModel):
    """Candidates of one workload."""

    can_be_pinned = True

    def __init__(self, workload: str) -> None:
        super().__init__()
        self.workload = workload
        self.columns = serving_columns() if workload == "serving" else training_columns()
        self.source: Candidates | None = None
        self.theme: Theme = LIGHT
        self._runs: NDArray[np.bool_] = np.zeros(0, dtype=bool)
        self._ranks: NDArray[np.float64] = np.zeros(0)
        self._words: tuple[str, ...] = ()
        self._only_running = False

    def show_results(self, results: Results) -> bool:
        """Show the candidates of these results; says whether they are others than before."""
        answer = results.answer(self.workload)
        is_new_money = self._money != shown_money()
        is_new = answer is not None and (self.source is None or answer.table is not self.source.table)
        if self.source is not None:
            self.source = replace(self.source, results=results)
        if answer is not None and (is_new or is_new_money):
            self.source, self._money = Candidates(results, answer.table), shown_money()
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

    def shown_mask(self) -> NDArray[np.bool_] | None:
        if self.source is None or (not self._words and not self._only_running):
            return None
        mask = self._runs.copy() if self._only_running else np.ones(len(self._runs), dtype=bool)
        for word in self._words:
            mask &= self._holding(word)
        return mask

    def _holding(self, word: str) -> NDArray[np.bool_]:
        assert self.source is not None
        plan, catalog, table = self.source.results.plan, self.source.results.catalog, self.source.table
        named = []
        for accelerator_id in plan.accelerators:
            known = catalog.accelerators.get(accelerator_id)
            vendor = known.vendor if known else ""
            named.append(word in f"{vendor} {accelerator_name(accelerator_id, catalog)}".casefold())
        found = np.array(named, dtype=bool)[table.accelerator]
        if self.workload == "serving":
            formats = np.array([word == precision_name(one).casefold() for one in plan.precisions], dtype=bool)
            found |= formats[column(table, "weight_precision")]
        return found

    def title_of(self, column: RankedColumn[Any]) -> str:
        return tr(column.title).replace("$", local_sign(self._money.sign))

    def more_data(self, source: int, column: int, role: int) -> Any:
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tool_tip(self.columns[column], source)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            said = self.texts_of(source)[column] or self.reason_at(source)
            return f"{self.title_of(self.columns[column])} {said}"
        return None

    def running(self) -> NDArray[np.bool_]:
        return self._runs

    def is_rival_at(self, row: int) -> bool:
        return self.source is not None and bool(self.source.table.reason[row] == Reason.NONE)

    def reason_at(self, candidate: int) -> str:
        return "" if self.source is None else reason_text(self.source.results.plan, self.source.table, candidate)

    def text_at(self, column: RankedColumn[Any], candidate: int) -> str:
        if column is self.columns[0]:
            return decimals_text(int(self._ranks[candidate])) if self._runs[candidate] else "–"
        return super().text_at(column, candidate)

    def _tool_tip(self, column: RankedColumn[Any], candidate: int) -> str | None:
        assert self.source is not None
        reason = self.reason_at(candidate)
        if reason:
            return plain_tool_tip(reason)
        if column.title == tr("Evidence"):
            return plain_tool_tip(evidence_help(int(self.source.table.evidence_kind[candidate])))
        return None

    def words_of(self, column: int, candidate: int) -> str:
        """Why a cell says what it says, where it is no number that is calculated."""
        assert self.source is not None
        described = self.columns[column]
        kind = int(self.source.table.evidence_kind[candidate])
        return in_turn(
            tr("{name}: {value}.").format(name=self.title_of(described), value=self.texts_of(candidate)[column]),
            described.help,
            evidence_help(kind) if described.title == tr("Evidence") else "",
            tr("This cell has no calculation to show."),
        )

    def as_rows(self, candidates: NDArray[np.int64] | None = None) -> Rows:
        """The shown or the given candidates as text and numbers, with the reason last."""
        if self.source is None:
            return Rows((), ())
        chosen = self.shown_sources() if candidates is None else candidates
        columns = tuple(Column(self.title_of(column)) for column in self.columns)
        cells = tuple((*self.texts_of(int(one)), self.reason_at(int(one))) for one in chosen)
        return Rows((*columns, Column(tr("Reason"))), cells)
