"""Training and serving on one kind of device, against each on its own: what a shared fleet costs more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.plan import ServingPlan, TrainingPlan
from gpuplanner_gui.drawing.candidates import runs
from gpuplanner_gui.drawing.results import Results


@dataclass(frozen=True)
class Fleet:
    """A candidate for each workload, and what a training run and a month of service cost on them."""

    training: int
    serving: int
    usd_per_run: float
    usd_per_month: float

    @property
    def usd(self) -> float:
        return self.usd_per_run + self.usd_per_month


def separate_fleet(results: Results) -> Fleet | None:
    """The selected candidate of each workload; None where one is missing or has no price."""
    training, serving = results.plan.training, results.plan.serving
    if training is None or serving is None:
        return None
    pair = results.candidate("training"), results.candidate("serving")
    if min(pair) < 0:
        return None
    fleet = _fleet(training, serving, *pair)
    return fleet if np.isfinite(fleet.usd) else None


def shared_fleets(results: Results, count: int) -> tuple[Fleet, ...]:
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


def _fleet(training: TrainingPlan, serving: ServingPlan, training_row: int, serving_row: int) -> Fleet:
    return Fleet(
        training_row,
        serving_row,
        float(training.table.usd_per_run[training_row]),
        float(serving.table.usd_per_month[serving_row]),
    )
