"""Memory of one device: what fills it, for candidates and their rivals, and for each stage of a pipeline."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.field import field_of
from gpuplanner_gui.domain.plan import ServingPlan, ServingTable, TrainingPlan, TrainingTable
from gpuplanner_gui.domain.training_results import StageMemory
from gpuplanner_gui.drawing.candidates import best_of_each_device, layout_neighbours
from gpuplanner_gui.drawing.language import phrase, tr
from gpuplanner_gui.drawing.limit_rows import PlannedMemory, memory_parts, part_bytes, part_titles, usable_share
from gpuplanner_gui.drawing.plots.axes import MEMORY_TITLE, shortened
from gpuplanner_gui.drawing.plots.bars import BarPlot, Part
from gpuplanner_gui.drawing.plots.legend import LegendEntry
from gpuplanner_gui.drawing.plots.picks import Pick
from gpuplanner_gui.drawing.plots.rival_marks import LONGEST_NAME, overlaid_memory
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import NO_ROWS, Column, Rows, numbers_beside
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import worker_text
from gpuplanner_gui.drawing.words.training import waiting_text

ROWS = 7
LEAST_CANDIDATES = 2
"""Least bars of the current scenario beside those of others."""


class MemoryPlot(BarPlot):
    """Bars of bytes per device, with what may be used as a mark across each; under them, compared scenarios."""

    ABOUT = phrase(
        "Memory of one device by use, each candidate at its planned batch. The mark across each bar is the memory "
        "that may be used: of serving the engine's share, of training all that the driver leaves. A bar beyond it does "
        "not fit."
    )

    UNIT = "bytes"

    def __init__(self, workload: str = "serving", rows: int = ROWS) -> None:
        self._share = 1.0
        words = tr("Memory per device, each at its own planned batch (1 GB = 2³⁰ bytes)")
        if workload == "training":
            words = tr("Memory per device (1 GB = 2³⁰ bytes)")
        super().__init__(workload, length=words, most_rows=rows)
        self.pools: tuple[str, ...] = ()
        """Prefix of the columns for each bar: "prefill_" for the bar of a prefill worker."""
        self.beside: tuple[tuple[str, PlannedMemory], ...] = ()
        """Name and memory of each compared scenario; its bar lies under those of the candidates."""

    def parts(self) -> tuple[Part, ...]:
        titled = zip(part_titles(self.workload), memory_parts(self.workload))
        return tuple(Part(title, self.theme.parts[name]) for title, name in titled)

    def legend_entries(self) -> tuple[LegendEntry, ...]:
        """The parts, and what the mark across each bar is."""
        name = tr("usable device memory")
        if self._share < 1:
            name = tr("limit of the engine ({share} of device memory)").format(share=format_value(self._share, "share"))
        return (*super().legend_entries(), LegendEntry(name, self.theme.text, "line"))

    def draw(self, results: Results) -> None:
        answer, selected = results.answer(self.workload), results.candidate(self.workload)
        if answer is None or selected < 0:
            self.beside = ()
            self.show_nothing(tr("No candidate to show."))
            return
        self.beside = overlaid_memory(results, self.workload)[: max(self.rows - LEAST_CANDIDATES, 0)]
        most, table = self.rows - len(self.beside), answer.table
        bars = [
            (one, pool) for one in self._compared(results, answer, selected, most) for pool in _pools_of(table, one)
        ][:most]
        self.candidates, self.pools = tuple(one for one, _ in bars), tuple(pool for _, pool in bars)
        rows = [part_bytes(table, self.workload, (one,), pool) for one, pool in bars]
        rows += [one.part_bytes[None] for _, one in self.beside]
        self._sizes = lengths = np.concatenate(rows)
        self._share = usable_share(results.scenario, self.workload)
        own = self._share * table.memory_capacity_bytes[list(self.candidates)]
        self._usable = usable = np.concatenate([own, [one.usable_bytes for _, one in self.beside]])
        names = self._names(results)
        names += [f"{shortened(name, LONGEST_NAME)}: {one.candidate}" for name, one in self.beside]
        notes = tuple(free_text(float(used), float(most)) for used, most in zip(np.nansum(lengths, axis=1), usable))
        row = self.candidates.index(selected)
        # One bar that is far too long must not make the others unreadable.
        ends = np.maximum(np.minimum(np.nansum(lengths, axis=1), usable * 2.2), usable)
        self.show_stacks(
            names, self.parts(), lengths, notes=notes, capacity=usable, longest=float(np.nanmax(ends)),
            chosen_row=row, faint_from=len(self.candidates) if self.beside else None,
        )  # fmt: skip
        self.set_legend(*self.legend_entries())
        batch = format_value(float(table.batch[selected])) if isinstance(table, ServingTable) else ""
        self.say(self._sentence(float(np.nansum(lengths[row])), float(usable[row]), batch))

    def _names(self, results: Results) -> list[str]:
        bars = zip(self.candidates, self.pools)
        return [worker_text(results.plan, results.catalog, self.workload, one, pool) for one, pool in bars]

    def _compared(
        self, results: Results, answer: ServingPlan | TrainingPlan, selected: int, rows: int
    ) -> tuple[int, ...]:
        """The selected candidate and the pinned ones; else it among its neighbours, then the best of other devices."""
        pinned = results.pinned.get(self.workload, ())
        if pinned:
            return (selected, *(one for one in pinned if one != selected))[:rows]
        near = layout_neighbours(answer.table, selected, rows // 2 + 1)
        device = answer.table.accelerator[selected]
        rivals = [one for one in best_of_each_device(answer, rows + 1) if answer.table.accelerator[one] != device]
        return (*near, *rivals[: max(rows - len(near), 0)])

    def _sentence(self, used: float, usable: float, batch: str) -> str:
        if not (np.isfinite(usable) and usable > 0):
            return tr("The memory size of this device is not known")
        if used > usable:
            missing = format_value(used - usable, "bytes")
            return tr("Does not fit: {missing} per device missing").format(missing=missing)
        words = {
            "serving": tr("Serving at its mean batch ({batch}) uses {used} of {most} per device; {free} is free"),
            "training": tr("Training uses {used} of {most} per device; {free} is free"),
        }
        text = words[self.workload]
        if self._share < 1:
            text = tr(
                "Serving at its mean batch ({batch}) uses {used} per device of the {most} that the engine may use; "
                "{free} is free"
            )
        return text.format(
            used=format_value(used, "bytes"), most=format_value(usable, "bytes"),
            free=format_value(usable - used, "bytes"), batch=batch,
        )  # fmt: skip

    def pick_at(self, x: float, y: float) -> Pick | None:
        """Under the candidates' bars lie those of other scenarios."""
        row = self.row_at(y) - len(self.candidates)
        return Pick(self.beside[row][0]) if row >= 0 else super().pick_at(x, y)

    def row_readout(self, results: Results, row: int, x: float) -> str:
        sizes = zip(part_titles(self.workload), self._sizes[row])
        return " · ".join(f"{title} {format_value(float(size), 'bytes')}" for title, size in sizes)

    def table(self, results: Results) -> Rows:
        names = [*self._names(results), *(f"{name}: {one.candidate}" for name, one in self.beside)]
        titles = (*part_titles(self.workload), tr("May be used"))
        columns = (Column(tr("Candidate")), *(Column(title, "bytes") for title in titles))
        return Rows(columns, numbers_beside(names, np.column_stack([self._sizes, self._usable])))


def _pools_of(table: ServingTable | TrainingTable, candidate: int) -> tuple[str, ...]:
    """A bar for each of a candidate's pools: the one that decodes, or does both, first."""
    is_apart = isinstance(table, ServingTable) and table.prefill_workers[candidate] > 0
    return ("", "prefill_") if is_apart else ("",)


def free_text(used: float, usable: float) -> str:
    """Text of the free or missing memory of a device; empty where its size is unknown."""
    if not np.isfinite(usable):
        return ""
    if used > usable:
        return tr("{missing} missing").format(missing=format_value(used - usable, "bytes"))
    return tr("{free} free").format(free=format_value(usable - used, "bytes"))


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
        "Memory of a device in each pipeline stage, by use. The mark across each bar is what its driver leaves."
    )

    workload = "training"

    LENGTH, UNIT, MOST_ROWS = MEMORY_TITLE, "bytes", MOST_STAGES
    _memory: StageMemory | None = None
    _stages: tuple[int, ...] = ()

    def draw(self, results: Results) -> None:
        detail = results.in_depth.step
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
            Part(_title(name), self._colour(colour), is_hatched=colour == "fragmentation")
            for name, colour in PARTS.items()
        )
        self.show_stacks(names, parts, lengths, notes=notes, capacity=capacity, longest=float(ends.max()))
        # Only the parts that some bar shows are named in the legend.
        least = VISIBLE * memory.capacity_bytes
        entries = [
            LegendEntry(part.name, part.colour, "hatch" if part.is_hatched else "fill")
            for part, sizes in zip(parts, self._lengths(memory).T)
            if (sizes > least).any()
        ]
        self.set_legend(*entries, LegendEntry(tr("usable device memory"), self.theme.text, "line"))
        self.say(self._sentence(memory))

    def _colour(self, name: str) -> str:
        return self.theme.muted if name == "fragmentation" else self.theme.parts[name]

    def _lengths(self, memory: StageMemory) -> NDArray[np.float64]:
        return np.stack([getattr(memory, name) for name in PARTS], axis=1)

    def _sentence(self, memory: StageMemory) -> str:
        fullest = int(memory.total_bytes.argmax())
        used, capacity = float(memory.total_bytes[fullest]), memory.capacity_bytes
        where = tr("A device") if len(memory.layers) == 1 else tr("Stage {number}").format(number=fullest + 1)
        if used > capacity:
            return tr("{where} lacks {missing}: it needs {used} and can use {capacity}").format(
                where=where, missing=format_value(used - capacity, "bytes"), used=format_value(used, "bytes"),
                capacity=format_value(capacity, "bytes"),
            )  # fmt: skip
        return tr(
            "{where} uses {used} (80 % range {low} to {high}) of {capacity} usable; PyTorch would report {reserved} as "
            "reserved"
        ).format(
            where=where, used=format_value(used, "bytes"), capacity=format_value(capacity, "bytes"),
            low=format_value(float(memory.low80_bytes[fullest]), "bytes"),
            high=format_value(float(memory.high80_bytes[fullest]), "bytes"),
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
            Column(tr("Reserved"), "bytes"), Column(tr("Used"), "bytes"), Column(tr("Device memory"), "bytes"),
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
