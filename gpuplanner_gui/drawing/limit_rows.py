"""What fills a device's memory and what it would hold, as tables and sentences, for window and command line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.curves import MemoryPart, ServingLimits
from gpuplanner_gui.domain.field import field_of
from gpuplanner_gui.domain.plan import Plan, Reason, ServingTable, TrainingTable, column
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.drawing.language import CodeNames, in_turn, tr
from gpuplanner_gui.drawing.rows import Rows, table_of
from gpuplanner_gui.drawing.units import NOTHING, decimals_text, format_value
from gpuplanner_gui.drawing.words.candidates import candidate_text, precision_name
from gpuplanner_gui.engine.model.table_memory import SERVING_MEMORY, TRAINING_MEMORY


def memory_parts(workload: str) -> tuple[str, ...]:
    """Names of the parts, from the first of a bar to its last."""
    columns = SERVING_MEMORY if workload == "serving" else TRAINING_MEMORY
    return tuple(name.removesuffix("_bytes") for name in columns)


def part_titles(workload: str) -> list[str]:
    table_type = ServingTable if workload == "serving" else TrainingTable
    return [tr(field_of(table_type, f"{name}_bytes").about.title) for name in memory_parts(workload)]


def part_bytes(
    table: ServingTable | TrainingTable, workload: str, candidates: Sequence[int], pool: str = ""
) -> NDArray[np.float64]:
    """Shape (candidates, parts); bytes of one device, of a worker that decodes where prefill has a pool of its own.

    `pool` "prefill_": of one that prefills.
    """
    rows = list(candidates)
    columns = [column(table, f"{pool}{name}_bytes")[rows] for name in memory_parts(workload)]
    return np.stack(columns, axis=1).astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class PlannedMemory:
    """One device of the best candidate of a scenario."""

    candidate: str
    """The candidate in one line: 2 × H200 SXM · FP8 · TP 2."""
    part_bytes: NDArray[np.float64]
    usable_bytes: float


def usable_share(scenario: Scenario, workload: str) -> float:
    """Share of a device's memory that free memory is counted from: of training all, with the headroom to keep free."""
    return scenario.engine_memory_fraction if workload == "serving" else 1.0


def planned_memory(plan: Plan, catalog: Catalog, scenario: Scenario) -> dict[str, PlannedMemory]:
    """Memory of the planned candidate of each workload that has one."""
    found: dict[str, PlannedMemory] = {}
    for workload, answer in (("serving", plan.serving), ("training", plan.training)):
        if answer is None or answer.best < 0:
            continue
        found[workload] = PlannedMemory(
            candidate=candidate_text(plan, catalog, workload, answer.best),
            part_bytes=part_bytes(answer.table, workload, (answer.best,))[0],
            usable_bytes=usable_share(scenario, workload) * float(answer.table.memory_capacity_bytes[answer.best]),
        )
    return found


part_name = CodeNames({
    MemoryPart.NONE: "", MemoryPart.WEIGHTS: "weights", MemoryPart.ACTIVATIONS: "activations",
    MemoryPart.RUNTIME: "runtime", MemoryPart.KV_CACHE: "KV cache", MemoryPart.UNKNOWN: "memory size is not known",
})  # fmt: skip
"""The part of the memory that runs out, in a planner's words."""

UNLIKELY = (
    Reason.HEADS_NOT_DIVISIBLE, Reason.BEYOND_SCALE_UP_DOMAIN, Reason.LAYERS_NOT_DIVISIBLE,
    Reason.PRECISION_NOT_SUPPORTED, Reason.NO_COMPUTE_FIGURE, Reason.ENGINE_NOT_ON_DEVICE,
)  # fmt: skip
"""Reasons other than memory: no larger or smaller model would change them."""


def free_text(limits: ServingLimits, row: int) -> str:
    """21.4 GB free; or 12.4 GB missing."""
    free, missing = float(limits.free_bytes[row]), float(limits.missing_bytes[row])
    if not math.isfinite(free):
        return NOTHING
    text = tr("{size} missing") if missing > 0 else tr("{size} free")
    return text.format(size=format_value(missing if missing > 0 else free, "bytes"))


def context_text(limits: ServingLimits, row: int) -> str:
    """164 000 tokens; with the model's own limit where that is shorter."""
    longest = float(limits.longest_context[row])
    if longest <= 0:
        return NOTHING
    if limits.model_context and longest >= limits.model_context:
        return tr("{count} (the model's maximum)").format(count=decimals_text(limits.model_context))
    return tr("unlimited") if math.isinf(longest) else decimals_text(longest)


def concurrency_text(limits: ServingLimits, row: int) -> str:
    largest = float(limits.largest_concurrency[row])
    return NOTHING if largest <= 0 else tr("unlimited") if math.isinf(largest) else decimals_text(largest)


def parameters_text(limits: ServingLimits, row: int) -> str:
    largest = float(limits.largest_parameters[row])
    return format_value(largest, "param") if largest > 0 and math.isfinite(largest) else NOTHING


def limit_rows(
    limits: ServingLimits,
    rows: Sequence[int],
    layouts: Sequence[str],
    weights: Sequence[str],
    caches: Sequence[str],
    has_cache: bool = True,
) -> Rows:
    """A line for each of some candidates: what is free or missing, and the three inverse answers; all at one batch.

    Requests that are no text keep no cache: nothing of it is asked.
    """
    batch, tokens = decimals_text(limits.concurrency), decimals_text(limits.context_tokens)
    lacks = any(int(limits.runs_out_at[row]) != MemoryPart.NONE for row in rows)
    missing = ((tr("Does not fit"), "", lambda one: part_name(int(limits.runs_out_at[one[0]])) or NOTHING),) * lacks
    cache = ((tr("KV cache"), "", lambda one: precision_name(one[3])),) * has_cache
    memory = tr("Per device at batch {batch}").format(batch=batch) if has_cache else tr("Memory")
    largest = tr("Largest model at {batch} × {count} tokens").format(batch=batch, count=tokens)
    largest = largest if has_cache else tr("Largest model")
    inverse = (
        (
            tr("Largest batch at {count} tokens").format(count=tokens),
            "seq",
            lambda one: concurrency_text(limits, one[0]),
        ),
        (tr("Longest context at batch {batch}").format(batch=batch), "tok", lambda one: context_text(limits, one[0])),
    ) * has_cache
    return table_of(
        zip(rows, layouts, weights, caches, strict=True),
        (tr("Devices"), "", lambda one: one[1]),
        (tr("Weights"), "", lambda one: precision_name(one[2])),
        *cache,
        (memory, "", lambda one: free_text(limits, one[0])),
        *missing,
        *inverse,
        (largest, "", lambda one: parameters_text(limits, one[0])),
    )


def neighbours(table: ServingTable, selected: int, most: int) -> list[int]:
    """Candidates of the selected device and KV format without pipelines: every number of devices and weight format.

    The selected candidate itself always is among them.
    """
    same = (table.accelerator == table.accelerator[selected]) & (table.kv_precision == table.kv_precision[selected])
    same &= table.pipeline_parallel == 1
    same &= ~np.isin(table.reason, [int(one) for one in UNLIKELY])
    same[selected] = True
    found = np.flatnonzero(same)
    order = np.lexsort((-found, table.weight_precision[found], table.devices_per_replica[found]))
    ranked = [int(one) for one in found[order]]
    return ranked[:most] if selected in ranked[:most] else [*ranked[: most - 1], selected]


def limits_sentence(limits: ServingLimits, row: int, most_running: float, largest_batch: float = math.inf) -> str:
    """The sentence about the most sequences that memory holds, and how many a replica runs if they are fewer: the
    engine's largest batch."""
    if int(limits.runs_out_at[row]) != MemoryPart.NONE:
        missing = format_value(float(limits.missing_bytes[row]), "bytes")
        part = part_name(int(limits.runs_out_at[row]))
        return tr("Batch {batch} of {count} tokens needs {missing} more memory per device, for the {part}").format(
            batch=decimals_text(limits.concurrency),
            count=decimals_text(limits.context_tokens),
            missing=missing,
            part=part,
        )
    longest = float(limits.longest_context[row])
    held = tr("Memory holds {batch} sequences of {count} tokens (prompt and half the answer).")
    if most_running < float(limits.largest_concurrency[row]):
        held = tr(
            "Memory holds {batch} sequences of {count} tokens (prompt and half the answer); a replica runs at most "
            "{most} at once."
        )
        if most_running == largest_batch:
            held = tr(
                "Memory holds {batch} sequences of {count} tokens (prompt and half the answer); a replica runs at most "
                "{most} at once, the engine's largest batch."
            )
    grown = tr("Planned sequences ({given}) could grow to {longest} tokens each")
    if limits.model_context and longest >= limits.model_context:
        longest, grown = (
            limits.model_context,
            tr("Planned sequences ({given}) could grow to the model's {longest} tokens each"),
        )
    elif math.isinf(longest):
        grown = tr("Planned sequences ({given}) could grow without limit")
    return in_turn(
        held.format(
            batch=concurrency_text(limits, row), count=decimals_text(limits.context_tokens),
            most=decimals_text(most_running),
        ),
        grown.format(given=decimals_text(limits.concurrency), longest=decimals_text(longest)),
    )  # fmt: skip
