"""The columns of the table of candidates: what each shows, how it sorts, and what its heading explains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.field import field_of
from gpuplanner_gui.domain.plan import ServingTable, TrainingTable, column
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.units import NOTHING, format_value
from gpuplanner_gui.drawing.words.candidates import (
    accelerator_name,
    evidence_name,
    precisions_text,
    recompute_name,
    resource_letter,
    resource_name,
    serving_layout,
    training_layout,
)

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


def _accelerator(results: Results, table: Table, candidate: int) -> str:
    return accelerator_name(results.plan.accelerators[int(table.accelerator[candidate])], results.catalog)


def _accelerator_keys(results: Results, table: Table) -> NDArray[Any]:
    names = np.array([accelerator_name(one, results.catalog).casefold() for one in results.plan.accelerators])
    return names[table.accelerator] if len(names) else np.zeros(0, dtype=str)


def _rank_text(results: Results, table: Table, candidate: int) -> str:
    return ""


def _rank_keys(results: Results, table: Table) -> NDArray[Any]:
    return ranks(table)


def ranks(table: Table) -> NDArray[np.float64]:
    """Place of each candidate in the plan's order, counted from 1."""
    places = np.empty(len(table.order))
    places[table.order] = np.arange(1, len(table.order) + 1)
    return places


def _layout_keys(results: Results, table: Table) -> NDArray[Any]:
    return table.tensor_parallel * 1000.0 + table.pipeline_parallel


def _limit_text(results: Results, table: Table, candidate: int) -> str:
    limit = int(table.limit[candidate])
    return f"{resource_letter(limit)} {resource_name(limit)}"


def _evidence_text(results: Results, table: Table, candidate: int) -> str:
    return evidence_name(int(table.evidence_kind[candidate]))


def _shared_columns(layout: TextOf, layout_sample: str, step: str) -> dict[str, CandidateColumn]:
    return {
        "rank": CandidateColumn(
            "#", "", _rank_text, _rank_keys, "12 480", tr("Place in the ranking."), is_result=False
        ),
        "accelerator": CandidateColumn(
            tr("Accelerator"), "", _accelerator, _accelerator_keys, "RTX PRO 5000 Blackwell 48GB",
            is_number=False, is_result=False,
        ),
        "layout": CandidateColumn(
            tr("Layout"), "", layout, _layout_keys, layout_sample,
            tr("How devices share the model: tensor, pipeline, context, expert and data parallel."),
            is_number=False, is_result=False,
        ),
        "limit": CandidateColumn(
            tr("Limit"), step, _limit_text, lambda results, table: table.limit.astype(np.float64),
            "B memory bandwidth", tr("The resource that takes most of a step."), is_number=False, is_limit=True,
        ),
        "evidence": CandidateColumn(
            tr("Evidence"), "", _evidence_text, lambda results, table: table.evidence_kind.astype(np.float64),
            "own measurements", tr("What the prediction rests on."), is_number=False,
        ),
    }  # fmt: skip


def _precision_text(results: Results, table: Table, candidate: int) -> str:
    if not isinstance(table, ServingTable):
        return NOTHING
    return precisions_text(results.plan, table, candidate, brief=True)


def _precision_keys(results: Results, table: Table) -> NDArray[Any]:
    if not isinstance(table, ServingTable):
        return np.zeros(len(table.accelerator))
    return table.weight_precision * 100.0 + table.kv_precision


def serving_columns() -> tuple[CandidateColumn, ...]:
    shared = _shared_columns(
        lambda results, table, candidate: serving_layout(table, candidate) if isinstance(table, ServingTable) else "",
        "TP 8 · PP 2",
        "decode_step_s",
    )
    precision = CandidateColumn(
        tr("Precision"), "", _precision_text, _precision_keys, "NVFP4/FP8",
        tr("Format of the weights, and of the KV cache where it differs."), is_number=False, is_result=False,
    )  # fmt: skip
    return (
        shared["rank"],
        shared["accelerator"],
        _number(ServingTable, "devices_per_replica", "16", tr("Per replica"), unit="", is_result=False),
        shared["layout"],
        precision,
        # What candidates are ranked by is seen in a small window too.
        _number(ServingTable, "usd_per_million_output_tokens", "$88.8"),
        _number(ServingTable, "usd_per_month", "$888 000", tr("$/month")),
        _number(ServingTable, "ttft_p95_s", "888 ms"),
        _number(ServingTable, "tpot_p95_s", "88.8 ms"),
        _number(ServingTable, "headroom", "888 %", unit="share"),
        _number(ServingTable, "replicas", "888"),
        _number(ServingTable, "devices", "8 888", unit=""),
        _number(ServingTable, "paid_devices", "8 888", tr("Paid for"), unit=""),
        shared["limit"],
        _number(ServingTable, "output_tokens_per_s_per_device", "8 888 tok/s", tr("Per device")),
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
        tr("Recompute"), "", _recompute_text, _recompute_keys, "selective",
        field_of(TrainingTable, "recompute").about.help, is_number=False, is_result=False,
    )  # fmt: skip
    return (
        shared["rank"],
        shared["accelerator"],
        _number(TrainingTable, "devices", "8 888", unit="", is_result=False),
        shared["layout"],
        _number(TrainingTable, "micro_batch", "16", unit="", is_result=False),
        recompute,
        _number(TrainingTable, "usd_per_run", "$888 000"),
        _number(TrainingTable, "run_time_s", "88.8 d"),
        _number(TrainingTable, "step_time_s", "88.8 s"),
        _number(TrainingTable, "mfu", "88.8 %", unit="share"),
        _number(TrainingTable, "goodput", "88.8 %", unit="share"),
        _number(TrainingTable, "tokens_per_s_per_device", "8 888 tok/s", tr("Per device")),
        _number(TrainingTable, "device_hours", "888 000", unit=""),
        _number(TrainingTable, "samples_per_s", "8 888 /s"),
        _number(TrainingTable, "data_bytes_per_s", "888 MB/s"),
        _number(TrainingTable, "data_cores", "88.8", unit=""),
        _number(TrainingTable, "paid_devices", "8 888", tr("Paid for"), unit=""),
        _number(TrainingTable, "checkpoint_storage_bytes", "88.8 TB", unit="bytes on disk"),
        shared["limit"],
        shared["evidence"],
    )


def _recompute_text(results: Results, table: Table, candidate: int) -> str:
    return recompute_name(int(table.recompute[candidate])) if isinstance(table, TrainingTable) else NOTHING


def _recompute_keys(results: Results, table: Table) -> NDArray[Any]:
    return table.recompute.astype(np.float64) if isinstance(table, TrainingTable) else np.zeros(len(table.accelerator))
