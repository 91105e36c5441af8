"""Where a step's time goes, in the colours of the five resources."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from gpuplanner_gui.domain.field import field_of
from gpuplanner_gui.domain.plan import Resource, ServingTable, TrainingTable, column
from gpuplanner_gui.drawing.candidates import compared_candidates
from gpuplanner_gui.drawing.language import phrase, tr
from gpuplanner_gui.drawing.palette import resource_colour
from gpuplanner_gui.drawing.plots.bars import BarPlot, Part
from gpuplanner_gui.drawing.plots.legend import LegendEntry
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import Column, Rows, numbers_beside
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import candidate_text, resource_name
from gpuplanner_gui.drawing.words.request_kinds import has_tokens


@dataclass(frozen=True)
class TimePart:
    """A part of a step: its column, the resource it is spent on (None: nothing is used), how far its shade is off."""

    column: str
    resource: Resource | None
    shade: int = 100


SERVING_PARTS = (
    TimePart("decode_compute_s", Resource.COMPUTE),
    TimePart("decode_bandwidth_s", Resource.MEMORY_BANDWIDTH),
    TimePart("decode_interconnect_s", Resource.INTERCONNECT),
    TimePart("decode_host_s", Resource.HOST),
)
TRAINING_PARTS = (
    TimePart("compute_s", Resource.COMPUTE),
    TimePart("bandwidth_s", Resource.MEMORY_BANDWIDTH),
    TimePart("tensor_communication_s", Resource.INTERCONNECT),
    TimePart("data_communication_s", Resource.INTERCONNECT, 125),
    TimePart("pipeline_communication_s", Resource.INTERCONNECT, 145),
    TimePart("expert_communication_s", Resource.INTERCONNECT, 165),
    TimePart("bubble_s", None),
    TimePart("host_s", Resource.HOST),
    TimePart("input_s", Resource.HOST, 135),
)


class StepTimePlot(BarPlot):
    """The decode step or the training step of the selected candidate and of the best of other devices."""

    ABOUT = phrase("Time of one step by resource, for the selected candidate and the best candidates of other devices.")

    LENGTH, UNIT = phrase("Time of a step"), "s"

    def __init__(self, workload: str = "serving", rows: int = 6) -> None:
        super().__init__(most_rows=rows)
        self.workload = workload
        self.times = SERVING_PARTS if workload == "serving" else TRAINING_PARTS
        self._lengths: NDArray[np.float64] = np.zeros((0, len(self.times)))

    def _colour(self, part: TimePart) -> str:
        if part.resource is None:
            return self.theme.unused
        colour = QColor(resource_colour(part.resource, self.theme))
        return (colour.darker(part.shade) if self.theme.is_dark else colour.lighter(part.shade)).name()

    def _part_title(self, part: TimePart) -> str:
        table_type = ServingTable if self.workload == "serving" else TrainingTable
        return tr(field_of(table_type, part.column).about.title)

    def legend_entries(self) -> tuple[LegendEntry, ...]:
        """Legend entries of the parts that take time in some bar."""
        taken = np.nansum(self._lengths, axis=0) > 0
        shown = [part for part, is_taken in zip(self.times, taken) if is_taken]
        return tuple(LegendEntry(self._part_title(part), self._colour(part)) for part in shown)

    def draw(self, results: Results) -> None:
        answer, selected = results.answer(self.workload), results.candidate(self.workload)
        if answer is None or selected < 0 or not np.isfinite(self._times_of(answer.table, (selected,))).any():
            self.show_nothing(tr("The selected candidate cannot run."))
            return
        self.candidates = compared_candidates(answer, self.rows, selected, results.pinned.get(self.workload, ()))
        self._lengths = lengths = self._times_of(answer.table, self.candidates)
        totals = np.nansum(lengths, axis=1)
        row = self.candidates.index(selected)
        parts = tuple(Part(self._part_title(part), self._colour(part)) for part in self.times)
        notes = tuple(format_value(float(total), "s") for total in totals)
        names = tuple(candidate_text(results.plan, results.catalog, self.workload, one) for one in self.candidates)
        longest = float(min(totals.max(), totals[row] * 4))
        self.show_stacks(names, parts, lengths, notes=notes, longest=longest, chosen_row=row)
        self.set_legend(*self.legend_entries())
        self.say(self._sentence(lengths[row], results))

    def _times_of(self, table: ServingTable | TrainingTable, candidates: tuple[int, ...]) -> NDArray[np.float64]:
        rows = list(candidates)
        return np.stack([column(table, part.column)[rows] for part in self.times], axis=1).astype(np.float64)

    def _sentence(self, times: NDArray[np.float64], results: Results) -> str:
        total = float(np.nansum(times))
        by_resource: dict[Resource | None, float] = {}
        for part, time in zip(self.times, np.nan_to_num(times)):
            by_resource[part.resource] = by_resource.get(part.resource, 0.0) + float(time)
        largest = max(by_resource, key=lambda resource: by_resource[resource])
        share = format_value(by_resource[largest] / total, "share", 2) if total > 0 else ""
        what = tr("waiting") if largest is None else resource_name(largest)
        sentence = tr("A decode step takes {time}; {share} of it is {what}")
        if not has_tokens(results.scenario):
            sentence = tr("A pass takes {time}; {share} of it is {what}")
        if self.workload == "training":
            sentence = tr("A training step takes {time}; {share} of it is {what}")
        return sentence.format(time=format_value(total, "s"), share=share, what=what)

    def row_readout(self, results: Results, row: int, x: float) -> str:
        shown = [(part, float(time)) for part, time in zip(self.times, self._lengths[row]) if time > 0]
        return " · ".join(f"{self._part_title(part)} {format_value(time, 's')}" for part, time in shown)

    def table(self, results: Results) -> Rows:
        columns = (Column(tr("Candidate")), *(Column(self._part_title(part), "s") for part in self.times))
        names = [candidate_text(results.plan, results.catalog, self.workload, one) for one in self.candidates]
        return Rows(columns, numbers_beside(names, self._lengths))
