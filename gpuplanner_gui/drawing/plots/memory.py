"""Memory of one device: what fills it, for the selected candidate, its neighbours and its rivals."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.field import field_of
from gpuplanner_gui.domain.plan import ServingTable, TrainingTable, column
from gpuplanner_gui.drawing.candidates import best_of_each_device, layout_neighbours
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.palette import LIGHT, Theme
from gpuplanner_gui.drawing.plots.bars import Bars, Part, StackedBars
from gpuplanner_gui.drawing.plots.base import BarPlot
from gpuplanner_gui.drawing.plots.legend import Entry, keyed
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import NO_ROWS, Cell, Column, Rows
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words import candidate_text

SERVING_PARTS = ("weights", "kv_cache", "activation", "runtime")
TRAINING_PARTS = (
    "weights", "gradients", "master_weights", "first_moment", "second_moment", "activation", "logits", "runtime",
)  # fmt: skip
ROWS = 7


class MemoryPlot(BarPlot):
    """Bars of bytes per device, with the device's capacity as a mark across each."""

    def __init__(self, workload: str = "serving", theme: Theme = LIGHT, rows: int = ROWS) -> None:
        super().__init__("bytes", theme, rows)
        self.workload = workload
        self.part_names = SERVING_PARTS if workload == "serving" else TRAINING_PARTS
        self._bars = StackedBars()
        self.set_toggles(**self._bars.switches())
        self.item.addItem(self._bars, ignoreBounds=True)
        self.use_theme(theme)

    @property
    def _table_type(self) -> type[ServingTable | TrainingTable]:
        return ServingTable if self.workload == "serving" else TrainingTable

    def recolour(self) -> None:
        titles = [tr(field_of(self._table_type, f"{name}_bytes").about.title) for name in self.part_names]
        entries = [Entry(title, self.theme.parts[name]) for name, title in zip(self.part_names, titles)]
        self.set_legend(*keyed(entries), Entry(tr("capacity"), self.theme.text, "line"))

    def draw(self, results: Results) -> None:
        answer, selected = results.answer(self.workload), results.candidate(self.workload)
        if answer is None or selected < 0:
            self.show_message(tr("No candidate to show."))
            self.candidates = ()
            self._bars.setVisible(False)
            return
        self._bars.setVisible(True)
        table = answer.table
        near = layout_neighbours(table, selected, self.rows // 2 + 1)
        rivals = [one for one in best_of_each_device(answer, self.rows + 1) if one not in near]
        device = table.accelerator[selected]
        rivals = [one for one in rivals if table.accelerator[one] != device]
        self.candidates = (*near, *rivals[: self.rows - len(near)])
        lengths = self._lengths(table, self.candidates)
        capacity = table.memory_capacity_bytes[list(self.candidates)]
        names = tuple(candidate_text(results.plan, results.catalog, self.workload, one) for one in self.candidates)
        notes = tuple(_note(float(used), float(room)) for used, room in zip(np.nansum(lengths, axis=1), capacity))
        parts = tuple(Part(name, self.theme.parts[name]) for name in self.part_names)
        row = self.candidates.index(selected)
        # One bar that is far too long must not make the others unreadable.
        ends = np.maximum(np.minimum(np.nansum(lengths, axis=1), capacity * 2.2), capacity)
        view_end = self.set_bars(names, float(np.nanmax(ends)))
        self._bars.show_bars(Bars(parts, lengths, capacity, notes, row), self.theme, view_end)
        self.say(self._sentence(float(np.nansum(lengths[row])), float(capacity[row])))

    def _lengths(self, table: ServingTable | TrainingTable, candidates: tuple[int, ...]) -> NDArray[np.float64]:
        rows = list(candidates)
        return np.stack([column(table, f"{name}_bytes")[rows] for name in self.part_names], axis=1).astype(np.float64)

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

    def readout_at(self, x: float, y: float) -> str:
        row = self.row_at(y)
        if row < 0 or self.results is None:
            return ""
        answer = self.results.answer(self.workload)
        if answer is None:
            return ""
        lengths = self._lengths(answer.table, self.candidates)[row]
        titles = [tr(field_of(self._table_type, f"{name}_bytes").about.title) for name in self.part_names]
        return " · ".join(f"{title} {format_value(float(size), 'bytes')}" for title, size in zip(titles, lengths))

    def as_rows(self) -> Rows:
        answer = self.results.answer(self.workload) if self.results else None
        if answer is None or self.results is None or not self.candidates:
            return NO_ROWS
        described = [field_of(self._table_type, f"{name}_bytes").about for name in self.part_names]
        columns = [Column(tr("Candidate")), *(Column(tr(about.title), about.unit) for about in described)]
        columns.append(Column(tr("Capacity"), "bytes"))
        lengths = self._lengths(answer.table, self.candidates)
        cells: list[tuple[Cell, ...]] = []
        for candidate, sizes in zip(self.candidates, lengths):
            name = candidate_text(self.results.plan, self.results.catalog, self.workload, candidate)
            capacity = float(answer.table.memory_capacity_bytes[candidate])
            cells.append((name, *(float(size) for size in sizes), capacity))
        return Rows(tuple(columns), tuple(cells))


def _note(used: float, capacity: float) -> str:
    if not np.isfinite(capacity):
        return ""
    if used > capacity:
        return tr("{missing} missing").format(missing=format_value(used - capacity, "bytes"))
    return tr("{free} free").format(free=format_value(capacity - used, "bytes", 2))
