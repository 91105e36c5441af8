"""Where a step's time goes, in the colours of the five resources, and with it the money that candidates cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from gpuplanner_gui.domain.field import field_of
from gpuplanner_gui.domain.plan import Resource, ServingPlan, ServingTable, TrainingPlan, TrainingTable, column
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.drawing.candidates import compared_candidates
from gpuplanner_gui.drawing.language import listed, phrase, tr
from gpuplanner_gui.drawing.palette import SPLIT, Theme, resource_colour
from gpuplanner_gui.drawing.plots.bars import BarPlot, Part
from gpuplanner_gui.drawing.plots.legend import LegendEntry
from gpuplanner_gui.drawing.plots.picks import Pick, candidate_pick
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import Column, Rows, numbers_beside
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import accelerator_of, candidate_text, resource_name
from gpuplanner_gui.drawing.words.request_kinds import RequestCostUnit, has_tokens, request_cost_unit
from gpuplanner_gui.engine.decision.resource_use import reading_share
from gpuplanner_gui.engine.fleet.service_need import carried_share


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


def shaded(resource: Resource, shade: int, theme: Theme) -> str:
    """A resource's colour, nearer to the ground for a shade above 100."""
    colour = QColor(resource_colour(resource, theme))
    return (colour.darker(shade) if theme.is_dark else colour.lighter(shade)).name()


MOST_OVER_SELECTED = 20.0
"""Times of the selected step over which a bar of another is cut."""


class StepTimePlot(BarPlot):
    """The decode step or the training step of the selected candidate and of the best of other devices."""

    ABOUT = phrase("Time of one step by resource, for the selected candidate and the best candidates of other devices.")

    LENGTH, UNIT, MOST_ROWS = phrase("Time of a step"), "s", 6
    _lengths: NDArray[np.float64] = np.zeros((0, 0))

    @property
    def times(self) -> tuple[TimePart, ...]:
        """Parts of the bars."""
        return SERVING_PARTS if self.workload == "serving" else TRAINING_PARTS

    def _colour(self, part: TimePart) -> str:
        return self.theme.unused if part.resource is None else shaded(part.resource, part.shade, self.theme)

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
        # Far longer bars are cut, and end in an arrow head: the selected one's parts would not be seen.
        longest = float(min(totals.max(), totals[row] * MOST_OVER_SELECTED))
        self.show_stacks(names, parts, lengths, notes=notes, longest=longest, chosen_row=row)
        self.set_legend(*self.legend_entries())
        self.say(self._sentence(lengths[row], results))

    def _times_of(self, table: ServingTable | TrainingTable, candidates: tuple[int, ...]) -> NDArray[np.float64]:
        rows = list(candidates)
        return np.stack([column(table, part.column)[rows] for part in self.times], axis=1).astype(np.float64)

    def _sentence(self, times: NDArray[np.float64], results: Results) -> str:
        answer, selected = results.answer(self.workload), results.candidate(self.workload)
        assert answer is not None
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
            sentence = tr("A training step takes {time} on {devices}; {share} of it is {what}")
        devices = format_value(float(answer.table.devices[selected]), "devices")
        return sentence.format(time=format_value(total, "s"), share=share, what=what, devices=devices)

    def row_readout(self, results: Results, row: int, x: float) -> str:
        shown = [(part, float(time)) for part, time in zip(self.times, self._lengths[row]) if time > 0]
        return " · ".join(f"{self._part_title(part)} {format_value(time, 's')}" for part, time in shown)

    def table(self, results: Results) -> Rows:
        columns = (Column(tr("Candidate")), *(Column(self._part_title(part), "s") for part in self.times))
        names = [candidate_text(results.plan, results.catalog, self.workload, one) for one in self.candidates]
        return Rows(columns, numbers_beside(names, self._lengths))


WORTH_SAYING, LEAST_SEEN = 0.01, 0.005


MADE_OF = (
    "load_per_replica_per_s", "max_rate_per_s", "prefill_s", "goodput",
    *(part.column for part in (*SERVING_PARTS, *TRAINING_PARTS)),
)  # fmt: skip
"""Columns that shares of paid time follow from."""


def busy_share(answer: ServingPlan | TrainingPlan, rows: list[int], scenario: Scenario) -> NDArray[np.float64]:
    """Part of the paid time in which the devices work: mean load over saturation, spares counted, or goodput."""
    if isinstance(answer, TrainingPlan):
        return np.nan_to_num(answer.table.goodput[rows])
    term = scenario.economics.serving_procurement
    return np.clip(carried_share(scenario.service, term, answer, np.array(rows)), 0.0, 1.0)


def time_shares(table: ServingTable | TrainingTable, rows: list[int]) -> NDArray[np.float64]:
    """Shares of the busy time: prefill, each resource of `SPLIT`, and waiting; shape (rows, 6), rows add up to 1.

    The plan knows how long prefill takes, not by resource; the rest of a service's time divides as its decode steps.
    """
    parts = SERVING_PARTS if isinstance(table, ServingTable) else TRAINING_PARTS
    times = np.zeros((len(rows), len(SPLIT) + 1))
    for part in parts:
        place = SPLIT.index(part.resource) if part.resource is not None else len(SPLIT)
        times[:, place] += np.nan_to_num(column(table, part.column)[rows])
    total = times.sum(axis=1, keepdims=True)
    shares = np.divide(times, total, out=np.zeros_like(times), where=total > 0)
    prefill = reading_share(table, rows) if isinstance(table, ServingTable) else np.zeros(len(rows))
    return np.column_stack([prefill, shares * (1 - prefill[:, None])])


_LENGTHS = {"serving": "Cost per M output tokens", "training": "Cost of the run"}


def resource_parts(resources: Sequence[Resource], theme: Theme) -> tuple[Part, ...]:
    """A part for what each resource takes, by its name and colour."""
    return tuple(Part(resource_name(one), resource_colour(one, theme)) for one in resources)


PREFILL_SHADE = 190
"""Far enough from the colour of compute that thin parts of both are told apart."""


def used_parts(theme: Theme) -> tuple[Part, ...]:
    """Parts of the paid time: prefill, the resources, and what waits."""
    prefill = Part(tr("prefill"), shaded(Resource.COMPUTE, PREFILL_SHADE, theme))
    return (prefill, *resource_parts(SPLIT, theme), Part(tr("paid, not used"), theme.unused))


def part_names() -> list[str]:
    """Names of the parts of the paid time that are used."""
    return [tr("prefill"), *(resource_name(one) for one in SPLIT)]


def paid_shares(answer: ServingPlan | TrainingPlan, rows: list[int], scenario: Scenario) -> NDArray[np.float64]:
    """Shares of the paid time, of `used_parts`; shape (rows, 6), rows add up to 1."""
    shares = time_shares(answer.table, rows) * busy_share(answer, rows, scenario)[:, None]
    shares[:, -1] = 1 - shares[:, :-1].sum(axis=1)
    return shares


def shares_text(shares: NDArray[np.float64], whole: float, unit: str, digits: int = 3) -> str:
    """compute 40 % · host 3 % · not used 57 %: what can be seen of a bar."""
    names = [*part_names(), tr("not used")]
    return " · ".join(
        f"{name} {format_value(float(share * whole), unit, digits)}"
        for name, share in zip(names, shares)
        if share > LEAST_SEEN
    )


class CostPlot(BarPlot):
    """Dollars per million output tokens, unit of other requests or training run, divided as the devices' time is."""

    ABOUT = phrase(
        "Cost of each candidate, the best on top. Colours show what the paid time is spent on: prefill as a whole, "
        "and the resources of decode or training steps. Grey is paid for but idle."
    )

    UNIT = "USD"
    made_of = MADE_OF

    def __init__(self, workload: str = "serving", rows: int = 7) -> None:
        super().__init__(workload, length=tr(_LENGTHS[workload]), most_rows=rows)
        self._length = tr(_LENGTHS[workload])
        self._costs: NDArray[np.float64] = np.zeros(0)
        self._shares: NDArray[np.float64] = np.zeros((0, len(SPLIT) + 2))

    def parts(self) -> tuple[Part, ...]:
        return used_parts(self.theme)

    def draw(self, results: Results) -> None:
        answer, selected = results.answer(self.workload), results.candidate(self.workload)
        if answer is None or selected < 0:
            self.show_nothing(tr("No candidate to show."))
            return
        self.candidates = compared_candidates(answer, self.rows, selected, results.pinned.get(self.workload, ()))
        rows = list(self.candidates)
        unit = request_cost_unit(results.scenario) if self.workload == "serving" else None
        self._costs = _costs(answer, rows, unit)
        self._length = tr(unit.title if unit is not None else _LENGTHS[self.workload])
        self.item.getAxis("bottom").setLabel(self._length)
        self._shares = paid_shares(answer, rows, results.scenario)
        lengths = self._shares * np.nan_to_num(self._costs)[:, None]
        notes = tuple(format_value(cost, "USD") if np.isfinite(cost) else tr("no price") for cost in self._costs)
        names = tuple(candidate_text(results.plan, results.catalog, self.workload, one) for one in rows)
        self.show_stacks(names, self.parts(), lengths, notes=notes, chosen_row=rows.index(selected))
        self.say(self._sentence(results, selected))

    def _sentence(self, results: Results, selected: int) -> str:
        answer = results.answer(self.workload)
        row = self.candidates.index(selected)
        cost = self._costs[row]
        if answer is None or not np.isfinite(cost):
            return tr("No price is known for the selected candidate")
        priced = tr("{cost} per M output tokens")
        if self.workload == "training":
            is_owned = results.scenario.economics.training_procurement == "own"
            priced = tr("{cost}, the time between runs not counted") if is_owned else tr("{cost} for the run")
        elif (unit := request_cost_unit(results.scenario)) is not None:
            priced = tr(unit.text)
        text = tr("{name}: {cost}").format(
            name=accelerator_of(results.plan, results.catalog, answer.table, selected),
            cost=priced.format(cost=format_value(float(cost), "USD")),
        )
        unused = float(self._shares[row, -1])
        if unused < WORTH_SAYING:
            return text
        return tr("{text}; {unused} of it pays for unused capacity").format(
            text=text, unused=format_value(unused, "share", 2)
        )

    def row_readout(self, results: Results, row: int, x: float) -> str:
        cost = float(self._costs[row])
        return shares_text(self._shares[row], cost, "USD") if np.isfinite(cost) else ""

    def table(self, results: Results) -> Rows:
        names = [candidate_text(results.plan, results.catalog, self.workload, one) for one in self.candidates]
        # A training run has no prefill.
        first = 0 if self.workload == "serving" else 1
        columns = (Column(tr("Candidate")), Column(self._length, "USD"), *used_columns()[first:])
        return Rows(columns, numbers_beside(names, np.column_stack([self._costs, self._shares[:, first:]])))


def used_columns() -> tuple[Column, ...]:
    """Table columns of the shares of the paid time."""
    return (*(Column(name, "share") for name in part_names()), Column(tr("Paid, not used"), "share"))


def _costs(answer: ServingPlan | TrainingPlan, rows: list[int], unit: RequestCostUnit | None) -> NDArray[np.float64]:
    """What the plot draws: dollars a run, a million output tokens, or a unit of requests that are no text."""
    if isinstance(answer, TrainingPlan):
        return answer.table.usd_per_run[rows]
    if unit is None:
        return answer.table.usd_per_million_output_tokens[rows]
    return answer.table.usd_per_request[rows] * unit.requests


_VERBS = {"training": "Train: {name}", "serving": "Serve: {name}"}


class ResourceUsePlot(BarPlot):
    """Shares of the paid time, one bar for each workload's selected candidate."""

    ABOUT = phrase(
        "Share of the paid time that training and serving spend on each resource; prefill, mostly compute, is one "
        "part. If the same colour differs much in length, no single device suits both."
    )

    LENGTH, UNIT, MOST_ROWS = phrase("Share of the paid time"), "share", 2
    made_of = MADE_OF
    _shares: NDArray[np.float64] = np.zeros((0, len(SPLIT) + 2))
    _chosen: Mapping[str, tuple[int]] = MappingProxyType({})
    _names: tuple[str, ...] = ()

    def parts(self) -> tuple[Part, ...]:
        return used_parts(self.theme)

    def draw(self, results: Results) -> None:
        chosen = [(workload, results.candidate(workload)) for workload in ("training", "serving")]
        chosen = [(workload, candidate) for workload, candidate in chosen if candidate >= 0]
        self._chosen = {workload: (candidate,) for workload, candidate in chosen}
        if not chosen:
            self.show_nothing(tr("No candidate to show."))
            return
        answers = [(answer, one) for workload, one in chosen if (answer := results.answer(workload)) is not None]
        self._shares = np.concatenate([paid_shares(answer, [one], results.scenario) for answer, one in answers])
        self._names = tuple(
            tr(_VERBS[workload]).format(name=candidate_text(results.plan, results.catalog, workload, one))
            for workload, one in chosen
        )
        self.show_stacks(self._names, self.parts(), self._shares, longest=1.0)
        self.say(self._sentence())

    def _sentence(self) -> str:
        parts = []
        for workload, shares in zip(self._chosen, self._shares):
            largest = int(np.argmax(shares[:-1]))
            share = format_value(float(shares[largest]), "share", 2)
            sentence = tr("training pays for {resource} ({share})")
            if workload == "serving":
                sentence = tr("serving pays for {resource} ({share})")
            parts.append(sentence.format(resource=part_names()[largest], share=share))
        text = listed(parts)
        return text[:1].upper() + text[1:]

    def pick_at(self, x: float, y: float) -> Pick | None:
        """Each bar is the selected candidate of its workload."""
        row = self.row_at(y)
        if self.results is None or row < 0:
            return None
        workload = tuple(self._chosen)[row]
        return candidate_pick(self.results, workload, self.results.candidate(workload))

    def row_readout(self, results: Results, row: int, x: float) -> str:
        return shares_text(self._shares[row], 1.0, "share", 2)

    def shown_candidates(self) -> Mapping[str, Sequence[int]]:
        return self._chosen

    def table(self, results: Results) -> Rows:
        return Rows((Column(tr("Candidate")), *used_columns()), numbers_beside(self._names, self._shares))
