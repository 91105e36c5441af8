"""What the best candidates cost, and which resource the money's time goes to; what is paid and stands idle."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.plan import Resource, ServingPlan, ServingTable, TrainingPlan, TrainingTable, column
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.drawing.candidates import compared_candidates
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.palette import LIGHT, Theme, resource_colour
from gpuplanner_gui.drawing.plots.bars import BarPlot, Part
from gpuplanner_gui.drawing.plots.legend import Entry, keyed
from gpuplanner_gui.drawing.plots.step_time import SERVING_PARTS, TRAINING_PARTS
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import NO_ROWS, Cell, Column, Rows
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import accelerator_of, candidate_text, resource_letter, resource_name

WORTH_SAYING = 0.01

USED = (Resource.COMPUTE, Resource.MEMORY_BANDWIDTH, Resource.INTERCONNECT, Resource.HOST)


MADE_OF = (
    "load_per_replica_per_s", "max_rate_per_s", "goodput", *(part.column for part in (*SERVING_PARTS, *TRAINING_PARTS)),
)  # fmt: skip
"""Columns that shares of paid time follow from."""


def busy_share(table: ServingTable | TrainingTable, rows: list[int], scenario: Scenario) -> NDArray[np.float64]:
    """Part of the paid time in which the devices work: mean load over saturation, or goodput."""
    if isinstance(table, TrainingTable):
        return np.nan_to_num(table.goodput[rows])
    mean_over_peak = scenario.serving.traffic.mean_share_of_peak if scenario.serving else 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        share = table.load_per_replica_per_s[rows] / table.max_rate_per_s[rows] * mean_over_peak
    return np.clip(np.nan_to_num(share), 0.0, 1.0)


def time_shares(table: ServingTable | TrainingTable, rows: list[int]) -> NDArray[np.float64]:
    """Share of a step that each resource of `USED` takes, then what waits; shape (rows, 5), rows add up to 1."""
    parts = SERVING_PARTS if isinstance(table, ServingTable) else TRAINING_PARTS
    times = np.zeros((len(rows), len(USED) + 1))
    for part in parts:
        place = USED.index(part.resource) if part.resource is not None else len(USED)
        times[:, place] += np.nan_to_num(column(table, part.column)[rows])
    total = times.sum(axis=1, keepdims=True)
    return np.divide(times, total, out=np.zeros_like(times), where=total > 0)


_LENGTHS = {"serving": "Cost per M output tokens", "training": "Cost of the run"}


class CostPlot(BarPlot):
    """Dollars per million output tokens, or per training run, divided as the devices' time is."""

    def __init__(self, workload: str = "serving", theme: Theme = LIGHT, rows: int = 7) -> None:
        super().__init__("USD", tr(_LENGTHS[workload]), theme, rows)
        self.workload = workload
        self.let_parts_hide()
        self.made_of = MADE_OF
        self._costs: NDArray[np.float64] = np.zeros(0)
        self._shares: NDArray[np.float64] = np.zeros((0, len(USED) + 1))
        self.use_theme(theme)

    def recolour(self) -> None:
        names = [f"{resource_letter(resource)} {resource_name(resource)}" for resource in USED]
        entries = [Entry(name, resource_colour(resource, self.theme)) for name, resource in zip(names, USED)]
        self.set_legend(*keyed([*entries, Entry(tr("paid, not used"), self.theme.unused)]))

    def about(self) -> str:
        return tr(
            "What each candidate costs, the best on top. Colours show what the paid time is used for; grey is "
            "paid for and idle."
        )

    def draw(self, results: Results) -> None:
        answer, selected = results.answer(self.workload), results.candidate(self.workload)
        if answer is None or selected < 0:
            self.show_nothing(tr("No candidate to show."))
            return
        self.candidates = compared_candidates(answer, self.rows, selected, results.pinned.get(self.workload, ()))
        rows = list(self.candidates)
        self._costs = _costs(answer, rows)
        busy = busy_share(answer.table, rows, results.scenario)[:, None]
        shares = time_shares(answer.table, rows) * busy
        shares[:, -1] = 1 - shares[:, :-1].sum(axis=1)
        self._shares = shares
        lengths = shares * np.nan_to_num(self._costs)[:, None]
        colours = [resource_colour(resource, self.theme) for resource in USED]
        parts = tuple(Part(str(index), colour) for index, colour in enumerate([*colours, self.theme.unused]))
        notes = tuple(format_value(cost, "USD") if np.isfinite(cost) else tr("no price") for cost in self._costs)
        names = tuple(candidate_text(results.plan, results.catalog, self.workload, one) for one in rows)
        self.show_stacks(names, parts, lengths, notes=notes, chosen_row=rows.index(selected))
        self.say(self._sentence(results, selected))

    def _sentence(self, results: Results, selected: int) -> str:
        answer = results.answer(self.workload)
        row = self.candidates.index(selected)
        cost = self._costs[row]
        if answer is None or not np.isfinite(cost):
            return tr("No price is known for the selected candidate")
        sentence = (
            tr("{name}: {cost} for the run")
            if self.workload == "training"
            else tr("{name}: {cost} per M output tokens")
        )
        name = accelerator_of(results.plan, results.catalog, answer.table, selected)
        text = sentence.format(name=name, cost=format_value(float(cost), "USD"))
        unused = float(self._shares[row, -1])
        if unused < WORTH_SAYING:
            return text
        return tr("{text}; {unused} of it is paid for and unused").format(
            text=text, unused=format_value(unused, "share", 2)
        )

    def readout_at(self, x: float, y: float) -> str:
        row = self.row_at(y)
        if row < 0 or not np.isfinite(self._costs[row]):
            return ""
        shares = [*(resource_name(resource) for resource in USED), tr("not used")]
        parts = [
            f"{name} {format_value(float(share * self._costs[row]), 'USD')}"
            for name, share in zip(shares, self._shares[row])
            if share > 0.005
        ]
        return " · ".join(parts)

    def as_rows(self) -> Rows:
        if self.results is None or not self.candidates:
            return NO_ROWS
        unit = tr("Cost per M output tokens") if self.workload == "serving" else tr("Cost of the run")
        columns = [Column(tr("Candidate")), Column(unit, "USD")]
        columns += [Column(resource_name(resource), "share") for resource in USED]
        columns.append(Column(tr("Paid, not used"), "share"))
        cells: list[tuple[Cell, ...]] = []
        for candidate, cost, shares in zip(self.candidates, self._costs, self._shares):
            name = candidate_text(self.results.plan, self.results.catalog, self.workload, candidate)
            cells.append((name, float(cost), *(float(share) for share in shares)))
        return Rows(tuple(columns), tuple(cells))


def _costs(answer: ServingPlan | TrainingPlan, rows: list[int]) -> NDArray[np.float64]:
    if isinstance(answer, ServingPlan):
        return answer.table.usd_per_million_output_tokens[rows]
    return answer.table.usd_per_run[rows]
