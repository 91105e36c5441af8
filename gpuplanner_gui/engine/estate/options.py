"""The candidates of a plan that an estate considers: the one place that reads plans for it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gpuplanner_gui.domain.constants import SECONDS_PER_HOUR
from gpuplanner_gui.domain.plan import Plan, Reason
from gpuplanner_gui.engine.serving.resizing import rate_of_each

_TAKEN = (
    Reason.NONE, Reason.NO_PRICE, Reason.BELOW_CONFIDENCE, Reason.MISSES_DEADLINE, Reason.OVER_BUDGET,
    Reason.END_OF_LIFE,
)  # fmt: skip
"""Reasons that an estate judges by its own dates, prices and budgets."""


@dataclass(frozen=True)
class Option:
    """A candidate that can carry a workload, and what it takes."""

    candidate: int
    accelerator: str
    devices_per_replica: int
    """Of a run: all its devices."""
    carrying_replicas: float
    """Of a service at its peak, not rounded; 1 for a run."""
    spare_replicas: int
    run_hours: float = 0.0

    def devices(self, load: float) -> int:
        """Devices in whole replicas at a share of the planned peak; spares stay."""
        carrying = math.ceil(self.carrying_replicas * load - 1e-9)
        return (max(carrying, 1) + self.spare_replicas) * self.devices_per_replica


def options_of(plan: Plan, part: str, accelerators: frozenset[str], most: int) -> tuple[Option, ...]:
    """The Pareto candidates of a plan on some accelerators, at most `most` of each, the plan's best first."""
    found = _serving(plan, accelerators) if part == "serving" else _training(plan, accelerators)
    kept: dict[str, list[Option]] = {}
    for option in found:
        same = kept.setdefault(option.accelerator, [])
        if not any(_is_as_good(other, option) for other in same):
            same.append(option)
    return tuple(one for same in kept.values() for one in same[:most])


def _serving(plan: Plan, accelerators: frozenset[str]) -> list[Option]:
    if plan.serving is None:
        return []
    table, peak = plan.serving.table, plan.serving.peak_rate_per_s
    rates = rate_of_each(table, 1.0)
    found = []
    for candidate in (int(one) for one in table.order):
        name = plan.accelerators[int(table.accelerator[candidate])]
        is_taken = table.fits[candidate] and int(table.reason[candidate]) in _TAKEN
        replicas, rate = float(table.replicas[candidate]), float(rates[candidate])
        if name not in accelerators or not is_taken or not math.isfinite(replicas) or replicas < 1:
            continue
        carrying = peak / rate if math.isfinite(rate) and rate > 0 and peak > 0 else replicas
        carrying = min(carrying, replicas)
        spares = round(replicas) - math.ceil(carrying - 1e-9)
        found.append(Option(candidate, name, int(table.devices_per_replica[candidate]), carrying, max(spares, 0)))
    return found


def _training(plan: Plan, accelerators: frozenset[str]) -> list[Option]:
    if plan.training is None:
        return []
    table = plan.training.table
    found = []
    for candidate in (int(one) for one in table.order):
        name = plan.accelerators[int(table.accelerator[candidate])]
        hours = float(table.run_time_s[candidate]) / SECONDS_PER_HOUR
        is_taken = table.fits[candidate] and int(table.reason[candidate]) in _TAKEN
        if name in accelerators and is_taken and math.isfinite(hours) and hours > 0:
            found.append(Option(candidate, name, int(table.devices[candidate]), 1.0, 0, hours))
    return found


def _is_as_good(one: Option, other: Option) -> bool:
    """Whether one needs no more devices at any load, nor hours, than the other."""
    if one.run_hours or other.run_hours:
        return one.devices_per_replica <= other.devices_per_replica and one.run_hours <= other.run_hours
    return all(
        one.devices(load) <= other.devices(load) for load in (0.05, 0.1, 0.2, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)
    )
