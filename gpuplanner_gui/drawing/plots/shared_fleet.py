"""What one kind of device for both workloads costs, against the best device for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from gpuplanner_gui.domain.plan import ServingPlan, TrainingPlan
from gpuplanner_gui.drawing.candidates import runs
from gpuplanner_gui.drawing.language import phrase, tr
from gpuplanner_gui.drawing.plots.bars import BarPlot
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import Rows, rows_of
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import accelerator_of, candidate_text


@dataclass(frozen=True)
class CandidatePair:
    """A candidate for each workload, and what a training run and a month of service cost on them."""

    training: int
    serving: int
    usd_per_run: float
    usd_per_month: float

    @property
    def usd(self) -> float:
        return self.usd_per_run + self.usd_per_month


def separate_fleet(results: Results) -> CandidatePair | None:
    """The selected candidate of each workload; None where one is missing or has no price."""
    training, serving = results.plan.training, results.plan.serving
    if training is None or serving is None:
        return None
    pair = results.candidate("training"), results.candidate("serving")
    if min(pair) < 0:
        return None
    fleet = _fleet(training, serving, *pair)
    return fleet if np.isfinite(fleet.usd) else None


def shared_fleets(results: Results, count: int) -> tuple[CandidatePair, ...]:
    """Fleets of one kind of device that does both, the cheapest first."""
    training, serving = results.plan.training, results.plan.serving
    if training is None or serving is None:
        return ()
    best_training, best_serving = _best_by_device(training), _best_by_device(serving)
    both = best_training.keys() & best_serving.keys()
    fleets = [_fleet(training, serving, best_training[device], best_serving[device]) for device in sorted(both)]
    return tuple(sorted((fleet for fleet in fleets if np.isfinite(fleet.usd)), key=lambda fleet: fleet.usd)[:count])


def _best_by_device(answer: ServingPlan | TrainingPlan) -> dict[int, int]:
    """Best candidate that meets its targets, by accelerator; without any, the best that runs."""
    table = answer.table
    good = runs(table) & table.meets_targets
    usable = good if good.any() else runs(table)
    ranked = table.order[usable[table.order]]
    devices, first = np.unique(table.accelerator[ranked], return_index=True)
    return {int(device): int(ranked[place]) for device, place in zip(devices, first)}


def _fleet(training: TrainingPlan, serving: ServingPlan, training_row: int, serving_row: int) -> CandidatePair:
    return CandidatePair(
        training_row,
        serving_row,
        float(training.table.usd_per_run[training_row]),
        float(serving.table.usd_per_month[serving_row]),
    )


SHARED_SHOWN = 6


class SharedFleetPlot(BarPlot):
    """One training run and one month of service: each on its own device on top, then both on the same."""

    ABOUT = phrase(
        "Cost of a training run plus a month of service: each on its own best device, or both on the same device."
    )

    LENGTH, UNIT, MOST_ROWS = phrase("A run and a month of service"), "USD", SHARED_SHOWN + 1
    PARTS = ((phrase("a training run"), "series 0"), (phrase("a month of service"), "accent"))
    fleets: tuple[CandidatePair, ...] = ()

    def draw(self, results: Results) -> None:
        separate, shared = separate_fleet(results), shared_fleets(results, self.rows - 1)
        if separate is None or not shared:
            self.fleets = ()
            self.show_nothing(tr("To compare fleets, plan a training job and a service whose prices are known."))
            return
        self.fleets = (separate, *shared)
        lengths = np.array([[fleet.usd_per_run, fleet.usd_per_month] for fleet in self.fleets])
        names = tuple(self._name(results, fleet, place) for place, fleet in enumerate(self.fleets))
        notes = tuple(self._note(fleet, separate, place) for place, fleet in enumerate(self.fleets))
        self.show_stacks(names, self.parts(), lengths, notes=notes, chosen_row=0)
        self.say(self._sentence(results, separate, shared[0]))

    def _name(self, results: Results, fleet: CandidatePair, place: int) -> str:
        training, serving = self._devices(results, fleet)
        return tr("Both on {device}").format(device=serving) if place else f"{training} + {serving}"

    def _devices(self, results: Results, fleet: CandidatePair) -> tuple[str, str]:
        plan = results.plan
        assert plan.training is not None
        assert plan.serving is not None
        return (
            accelerator_of(plan, results.catalog, plan.training.table, fleet.training),
            accelerator_of(plan, results.catalog, plan.serving.table, fleet.serving),
        )

    def _note(self, fleet: CandidatePair, separate: CandidatePair, place: int) -> str:
        cost = format_value(fleet.usd, "USD")
        if not place or separate.usd <= 0:
            return cost
        more = fleet.usd / separate.usd - 1
        return f"{cost} ({'+' if more >= 0 else '−'}{format_value(abs(more), 'share', 2)})"

    def _sentence(self, results: Results, separate: CandidatePair, shared: CandidatePair) -> str:
        training, serving = self._devices(results, separate)
        device = self._devices(results, shared)[1]
        more = shared.usd - separate.usd
        if training == serving:
            return tr("{device} is best for both").format(device=serving)
        if more <= 0:
            return tr("One fleet of {device} costs no more than two").format(device=device)
        sentence = tr("One fleet of {device} for both costs {more} more than the best for each")
        return sentence.format(device=device, more=format_value(more, "USD"))

    def row_readout(self, results: Results, row: int, x: float) -> str:
        fleet = self.fleets[row]
        training = candidate_text(results.plan, results.catalog, "training", fleet.training)
        serving = candidate_text(results.plan, results.catalog, "serving", fleet.serving)
        run, month = format_value(fleet.usd_per_run, "USD"), format_value(fleet.usd_per_month, "USD/month")
        return tr("Train: {training}, {run} · serve: {serving}, {month}").format(
            training=training, run=run, serving=serving, month=month
        )

    def shown_candidates(self) -> Mapping[str, Sequence[int]]:
        return {"training": [one.training for one in self.fleets], "serving": [one.serving for one in self.fleets]}

    def table(self, results: Results) -> Rows:
        text = partial(candidate_text, results.plan, results.catalog)
        return rows_of(
            self.fleets,
            (tr("Trains on"), "", lambda fleet: text("training", fleet.training)),
            (tr("Serves on"), "", lambda fleet: text("serving", fleet.serving)),
            (tr("Training run"), "USD", lambda fleet: fleet.usd_per_run),
            (tr("Month of service"), "USD", lambda fleet: fleet.usd_per_month),
        )
