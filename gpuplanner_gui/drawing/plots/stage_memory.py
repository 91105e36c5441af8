"""Memory of one device of each pipeline stage: every component, what is allocated, reserved and taken, the capacity."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.field import field_of
from gpuplanner_gui.domain.training_results import StageMemory
from gpuplanner_gui.drawing.language import phrase, tr
from gpuplanner_gui.drawing.plots.bars import BarPlot, Part
from gpuplanner_gui.drawing.plots.legend import Entry
from gpuplanner_gui.drawing.plots.memory import free_text
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import NO_ROWS, Column, Rows
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.training import waiting_text

PARTS = {
    "weights_bytes": "weights",
    "gradients_bytes": "gradients",
    "master_weights_bytes": "master_weights",
    "first_moment_bytes": "first_moment",
    "second_moment_bytes": "second_moment",
    "gathered_bytes": "gathered",
    "activation_bytes": "activation",
    "logits_bytes": "logits",
    "library_bytes": "runtime",
    "fragmentation_bytes": "fragmentation",
}
"""Components in the order in which they are stacked, and their colours' names."""
MOST_STAGES = 16
VISIBLE = 0.002
"""Share of the capacity below which a part is too thin to be seen."""


class StageMemoryPlot(BarPlot):
    """A bar for each stage, the first on top; of many stages, evenly chosen ones with the first and the last."""

    ABOUT = phrase(
        "What fills the memory of a device in each stage of the pipeline. The mark across each bar is how "
        "much the device has."
    )

    workload = "training"

    LENGTH, UNIT, MOST_ROWS = phrase("Memory per device"), "bytes", MOST_STAGES
    _memory: StageMemory | None = None
    _stages: tuple[int, ...] = ()

    def draw(self, results: Results) -> None:
        detail = results.training.step if results.training is not None else None
        self._memory = detail.memory if detail is not None else None
        if self._memory is None:
            self.show_nothing(waiting_text(results, "step", tr("Calculating the memory of each stage…")))
            return
        memory = self._memory
        self._stages = shown_stages(len(memory.layers), self.rows)
        lengths = self._lengths(memory)[list(self._stages)]
        capacity = np.full(len(self._stages), memory.capacity_bytes)
        totals = memory.total_bytes[list(self._stages)]
        names = tuple(_stage_name(one, len(memory.layers)) for one in self._stages)
        notes = tuple(free_text(float(total), memory.capacity_bytes) for total in totals)
        ends = np.maximum(np.minimum(totals, capacity * 2.2), capacity)
        parts = tuple(
            Part(name, self._colour(colour), is_hatched=colour == "fragmentation") for name, colour in PARTS.items()
        )
        self.show_stacks(names, parts, lengths, notes=notes, capacity=capacity, longest=float(ends.max()))
        self._name_parts(memory)
        self.say(self._sentence(memory))

    def _colour(self, name: str) -> str:
        return self.theme.muted if name == "fragmentation" else self.theme.parts[name]

    def _name_parts(self, memory: StageMemory) -> None:
        """In the legend, only what can be seen anywhere."""
        least = VISIBLE * memory.capacity_bytes
        shown = [(name, colour) for name, colour in PARTS.items() if bool((getattr(memory, name) > least).any())]
        entries = [
            Entry(_title(name), self._colour(colour), "hatch" if colour == "fragmentation" else "fill")
            for name, colour in shown
        ]
        self.set_legend(*entries, Entry(tr("capacity"), self.theme.text, "line"))

    def _lengths(self, memory: StageMemory) -> NDArray[np.float64]:
        return np.stack([getattr(memory, name) for name in PARTS], axis=1)

    def _sentence(self, memory: StageMemory) -> str:
        fullest = int(memory.total_bytes.argmax())
        used, capacity = float(memory.total_bytes[fullest]), memory.capacity_bytes
        where = tr("A device") if len(memory.layers) == 1 else tr("Stage {number}").format(number=fullest + 1)
        if used > capacity:
            return tr("{where} is short of {missing}: it needs {used} and has {capacity}").format(
                where=where, missing=format_value(used - capacity, "bytes"), used=format_value(used, "bytes"),
                capacity=format_value(capacity, "bytes"),
            )  # fmt: skip
        return tr(
            "{where} uses {used} ({low} to {high}) of {capacity}; {reserved} reserved, {allocated} allocated"
        ).format(
            where=where, used=format_value(used, "bytes"), capacity=format_value(capacity, "bytes"),
            low=format_value(float(memory.low80_bytes[fullest]), "bytes"),
            high=format_value(float(memory.high80_bytes[fullest]), "bytes"),
            allocated=format_value(float(memory.allocated_bytes[fullest]), "bytes"),
            reserved=format_value(float(memory.reserved_bytes[fullest]), "bytes"),
        )  # fmt: skip

    def row_readout(self, results: Results, row: int, x: float) -> str:
        memory, stage = self._memory, self._stages[row]
        if memory is None:
            return ""
        ends = np.cumsum(self._lengths(memory)[stage])
        inside = int(np.searchsorted(ends, x))
        names = list(PARTS)
        parts = [_stage_name(stage, len(memory.layers))]
        if x >= 0 and inside < len(names):
            size = float(getattr(memory, names[inside])[stage])
            parts.append(f"{_title(names[inside])} {format_value(size, 'bytes')}")
        parts += [
            tr("{count} micro-batches in flight").format(count=format_value(float(memory.in_flight[stage]))),
            tr("allocated {size}").format(size=format_value(float(memory.allocated_bytes[stage]), "bytes")),
            tr("reserved {size}").format(size=format_value(float(memory.reserved_bytes[stage]), "bytes")),
        ]
        return " · ".join(parts)

    def table(self, results: Results) -> Rows:
        memory = self._memory
        if memory is None:
            return NO_ROWS
        columns = (
            Column(tr("Stage")), Column(tr("Layers")), Column(tr("In flight")),
            *(Column(_title(name), "bytes") for name in PARTS), Column(tr("Allocated"), "bytes"),
            Column(tr("Reserved"), "bytes"), Column(tr("Taken"), "bytes"), Column(tr("Capacity"), "bytes"),
        )  # fmt: skip
        sums = np.column_stack([memory.allocated_bytes, memory.reserved_bytes, memory.total_bytes])
        cells = tuple(
            (
                stage + 1,
                int(memory.layers[stage]),
                float(memory.in_flight[stage]),
                *map(float, sizes),
                memory.capacity_bytes,
            )
            for stage, sizes in enumerate(np.hstack([self._lengths(memory), sums]))
        )
        return Rows(columns, cells)


def shown_stages(stages: int, rows: int) -> tuple[int, ...]:
    """All stages, or as many as there are rows for: the first, the last and some between."""
    if stages <= rows:
        return tuple(range(stages))
    return tuple(int(one) for one in np.unique(np.linspace(0, stages - 1, max(rows, 2)).round()))


def _stage_name(stage: int, stages: int) -> str:
    return tr("Every device") if stages == 1 else tr("Stage {number}").format(number=stage + 1)


def _title(name: str) -> str:
    return tr(field_of(StageMemory, name).about.title)
