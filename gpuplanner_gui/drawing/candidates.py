"""Which candidates stand beside the selected one: the best of other devices, and its own neighbours in layout."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.plan import ServingPlan, ServingTable, TrainingPlan, TrainingTable
from gpuplanner_gui.drawing.words_reasons import RUNS_ANYWAY

Table = ServingTable | TrainingTable


def runs(table: Table) -> NDArray[np.bool_]:
    """Candidates that can be run and have numbers, whatever targets they miss."""
    step = table.decode_step_s if isinstance(table, ServingTable) else table.step_time_s
    return np.isin(table.reason, [int(reason) for reason in RUNS_ANYWAY]) & np.isfinite(step)


def best_of_each_device(answer: ServingPlan | TrainingPlan, count: int, selected: int = -1) -> tuple[int, ...]:
    """The best candidate of each accelerator, best first, the selected one always among them."""
    table = answer.table
    ranked = table.order[runs(table)[table.order]]
    _, first = np.unique(table.accelerator[ranked], return_index=True)
    best = [int(candidate) for candidate in ranked[np.sort(first)][:count]]
    if selected < 0 or selected in best:
        return tuple(best)
    same = [candidate for candidate in best if table.accelerator[candidate] == table.accelerator[selected]]
    best = [selected if candidate in same else candidate for candidate in best]
    return tuple(best if selected in best else [selected, *best[: count - 1]])


def layout_neighbours(table: Table, selected: int, count: int) -> tuple[int, ...]:
    """The selected candidate, and those of the same device and precisions on fewer or more devices."""
    same = table.accelerator == table.accelerator[selected]
    if isinstance(table, ServingTable):
        same &= table.weight_precision == table.weight_precision[selected]
        same &= table.kv_precision == table.kv_precision[selected]
        size = table.devices_per_replica
    else:
        size = table.devices
    rank = np.empty(len(table.order), dtype=np.int64)
    rank[table.order] = np.arange(len(table.order))
    others = np.flatnonzero(same & (size != size[selected]))
    if not len(others):
        return (selected,)
    others = others[np.lexsort((rank[others], size[others]))]
    _, first = np.unique(size[others], return_index=True)
    others = others[first]
    nearest = others[np.argsort(np.abs(np.log2(size[others] / size[selected])), kind="stable")][: count - 1]
    shown = [selected, *(int(candidate) for candidate in nearest)]
    return tuple(sorted(shown, key=lambda candidate: int(size[candidate])))
