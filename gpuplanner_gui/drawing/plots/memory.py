"""Memory of one device: what fills it, for the selected candidate, its neighbours and its rivals."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.plan import ServingPlan, TrainingPlan
from gpuplanner_gui.drawing.candidates import best_of_each_device, layout_neighbours
from gpuplanner_gui.drawing.language import phrase, tr
from gpuplanner_gui.drawing.memory_parts import PlannedMemory, memory_parts, part_bytes, part_titles
from gpuplanner_gui.drawing.overlays import LONGEST_NAME, overlaid_memory
from gpuplanner_gui.drawing.plots.axes import shortened
from gpuplanner_gui.drawing.plots.bars import BarPlot, Part
from gpuplanner_gui.drawing.plots.picks import Pick
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import Column, Rows, numbers_beside
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import candidate_text

ROWS = 7
LEAST_CANDIDATES = 2
"""So many bars are of the scenario at hand, however many others lie beside it."""


class MemoryPlot(BarPlot):
    """Bars of bytes per device, with the device's capacity as a mark across each; under them, compared scenarios."""

    ABOUT = phrase(
        "What fills the memory of one device, part by part; the mark across each bar is how much the "
        "device has. A bar beyond its mark does not fit."
    )

    LENGTH, UNIT = phrase("Memory per device"), "bytes"
    LEGEND = ((phrase("capacity"), "text", "line"),)

    def __init__(self, workload: str = "serving", rows: int = ROWS) -> None:
        super().__init__(most_rows=rows)
        self.workload = workload
        self.beside: tuple[tuple[str, PlannedMemory], ...] = ()
        """Name and memory of each compared scenario; its bar lies under those of the candidates."""

    def parts(self) -> tuple[Part, ...]:
        titled = zip(part_titles(self.workload), memory_parts(self.workload))
        return tuple(Part(title, self.theme.parts[name]) for title, name in titled)

    def draw(self, results: Results) -> None:
        answer, selected = results.answer(self.workload), results.candidate(self.workload)
        if answer is None or selected < 0:
            self.beside = ()
            self.show_nothing(tr("No candidate to show."))
            return
        self.beside = overlaid_memory(results, self.workload)[: max(self.rows - LEAST_CANDIDATES, 0)]
        self.candidates = self._compared(results, answer, selected, self.rows - len(self.beside))
        table = answer.table
        rows = [part_bytes(table, self.workload, self.candidates), *(one.part_bytes[None] for _, one in self.beside)]
        self._sizes = lengths = np.concatenate(rows)
        self._capacity = capacity = np.concatenate(
            [table.memory_capacity_bytes[list(self.candidates)], [one.capacity_bytes for _, one in self.beside]]
        )
        names = [candidate_text(results.plan, results.catalog, self.workload, one) for one in self.candidates]
        names += [f"{shortened(name, LONGEST_NAME)}: {one.candidate}" for name, one in self.beside]
        notes = tuple(free_text(float(used), float(room)) for used, room in zip(np.nansum(lengths, axis=1), capacity))
        row = self.candidates.index(selected)
        # One bar that is far too long must not make the others unreadable.
        ends = np.maximum(np.minimum(np.nansum(lengths, axis=1), capacity * 2.2), capacity)
        self.show_stacks(
            names, self.parts(), lengths, notes=notes, capacity=capacity, longest=float(np.nanmax(ends)),
            chosen_row=row, faint_from=len(self.candidates) if self.beside else None,
        )  # fmt: skip
        self.say(self._sentence(float(np.nansum(lengths[row])), float(capacity[row])))

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

    def _sentence(self, used: float, capacity: float) -> str:
        if not (np.isfinite(capacity) and capacity > 0):
            return tr("The memory size of this device is not known")
        if used > capacity:
            missing = format_value(used - capacity, "bytes")
            return tr("Does not fit: {missing} per device missing").format(missing=missing)
        free = format_value(1 - used / capacity, "share", 2)
        return tr("Uses {used} of {capacity} per device, {free} free").format(
            used=format_value(used, "bytes"), capacity=format_value(capacity, "bytes"), free=free
        )

    def pick_at(self, x: float, y: float) -> Pick | None:
        """Under the candidates' bars lie those of other scenarios."""
        row = self.row_at(y) - len(self.candidates)
        return Pick(self.beside[row][0]) if row >= 0 else super().pick_at(x, y)

    def row_readout(self, results: Results, row: int, x: float) -> str:
        sizes = zip(part_titles(self.workload), self._sizes[row])
        return " · ".join(f"{title} {format_value(float(size), 'bytes')}" for title, size in sizes)

    def table(self, results: Results) -> Rows:
        names = [candidate_text(results.plan, results.catalog, self.workload, one) for one in self.candidates]
        names += [f"{name}: {one.candidate}" for name, one in self.beside]
        titles = (*part_titles(self.workload), tr("Capacity"))
        columns = (Column(tr("Candidate")), *(Column(title, "bytes") for title in titles))
        return Rows(columns, numbers_beside(names, np.column_stack([self._sizes, self._capacity])))


def free_text(used: float, capacity: float) -> str:
    """How much of a device is left, or how much is missing; empty where its size is not known. In bytes."""
    if not np.isfinite(capacity):
        return ""
    if used > capacity:
        return tr("{missing} missing").format(missing=format_value(used - capacity, "bytes"))
    return tr("{free} free").format(free=format_value(capacity - used, "bytes", 2))
