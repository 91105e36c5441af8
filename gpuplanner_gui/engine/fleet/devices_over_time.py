"""Devices that a training run and a service need hour by hour, apart and on one fleet of one kind of device."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Booleans, Floats
from gpuplanner_gui.domain.constants import HOURS_PER_YEAR, SECONDS_PER_HOUR
from gpuplanner_gui.domain.plan import TrainingTable
from gpuplanner_gui.domain.quantity import Quantity, central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.cost.bill import LONGEST_PLAN_YEARS


@dataclass(frozen=True)
class TrainingWindow:
    """When a training run may use devices."""

    start_h: int
    end_h: int

    @property
    def hours(self) -> int:
        return self.end_h - self.start_h


Windows = Sequence[TrainingWindow]
"""One after another: they do not overlap."""
USUAL_WINDOW_H = 30 * 24
"""Least window of a run for which neither a deadline nor a time is stated."""


def horizon_hours(scenario: Scenario) -> int:
    """Whole hours of the planner's horizon, ten years at most. [h]"""
    years = min(central(scenario.economics.horizon_years), LONGEST_PLAN_YEARS)
    return max(24, round(years * HOURS_PER_YEAR))


def held_hours(table: TrainingTable) -> Floats:
    """(K,) Time for which each run holds its devices, at the confidence asked for. [h]

    Retries, validation and experiments are worked and paid for beside the run.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        stretch = table.run_time_confident_s / table.run_time_s
        return np.asarray(table.device_hours / table.devices * stretch, np.float64)


def fewest_in_windows(table: TrainingTable, row: int, windows: Windows) -> int:
    """The run of the fewest devices that ends in every window, on the kind of device of a candidate and judged as that
    is; where none is known to, the candidate itself."""
    shortest_h = min((one.hours for one in windows), default=0)
    is_open = _is_alike(table, row) & (held_hours(table) <= shortest_h)
    return int(min(table.order[is_open[table.order]], key=lambda one: table.devices[one], default=row))


def cheapest_alike(table: TrainingTable, row: int) -> int:
    """The cheapest run on the kind of device of a candidate and judged as that is: the one that leads may be faster."""
    is_open = _is_alike(table, row)
    return int(min(table.order[is_open[table.order]], key=lambda one: table.usd_per_run[one], default=row))


def _is_alike(table: TrainingTable, row: int) -> Booleans:
    is_same = (table.accelerator == table.accelerator[row]) & (table.reason == table.reason[row])
    return np.asarray(is_same & np.isfinite(table.usd_per_run))


def stated_window_s(scenario: Scenario) -> Quantity | None:
    """Time that the planner allows for each run: as stated, or its deadline. [s]"""
    stated = scenario.economics.fleets.training_window_s
    return stated if stated is not None or scenario.training is None else scenario.training.deadline_s


def training_windows(scenario: Scenario, run_h: float, may_overlap: bool = False) -> tuple[TrainingWindow, ...]:
    """When runs may take place, cut at the horizon. None where nothing is trained.

    Parameters
    ----------
    run_h : time that the recommended run holds its devices; where no window is stated, each one is at least so long.
    may_overlap : a run may still work when the next one begins; else its window ends there.
    """
    training, terms = scenario.training, scenario.economics.fleets
    per_year = central(terms.training_runs_per_year)
    if training is None or per_year <= 0:
        return ()
    gap, window = HOURS_PER_YEAR / per_year, stated_window_s(scenario)
    first, end = int(central(terms.first_run_s) / SECONDS_PER_HOUR), horizon_hours(scenario)
    if window is None:
        # A run that never ends has the whole horizon.
        length = max(math.ceil(min(end - first, run_h)), USUAL_WINDOW_H)
    else:
        length = math.ceil(central(window) / SECONDS_PER_HOUR)
    long = length if may_overlap else min(length, gap)
    starts = np.arange(first, end, gap).astype(int)
    spans = [(int(start), int(min(start + long, end))) for start in starts]
    return tuple(TrainingWindow(start, stop) for start, stop in spans if stop - start >= long - 1)


def opening_hour(scenario: Scenario, windows: tuple[TrainingWindow, ...]) -> int:
    """When the service opens: as stated, or when the first run has ended. [h]"""
    stated = scenario.economics.fleets.service_opens_s
    if stated is not None:
        return int(central(stated) / SECONDS_PER_HOUR)
    return windows[0].end_h if windows else 0


@dataclass(frozen=True)
class RunNeed:
    """What one training run takes on one kind of device."""

    device_hours: float
    """Losses and headroom included; infinite where the device can't train."""
    devices: float
    """Devices of the planned run."""
    least_devices: float
    """Least devices that hold the model's state."""
    node_devices: float

    def devices_within(self, windows: Windows) -> float:
        """Devices with which each run ends in its window: the planned ones, or more in whole nodes. Infinite: none."""
        shortest = min((one.hours for one in windows), default=0)
        if not windows or self.device_hours <= self.devices * shortest:
            return self.devices if windows else 0.0
        return float(devices_for_deadline(self.device_hours, shortest, self.least_devices, self.node_devices))


def devices_for_deadline(device_hours: float, window_h: float, least_devices: float, devices_per_node: float) -> Floats:
    """Fewest devices, in whole nodes, that do the work within the window; infinite where it can't be done. [1]"""
    devices = np.maximum(least_devices, np.divide(device_hours, window_h))
    return np.asarray(np.ceil(devices / devices_per_node) * devices_per_node)


def shared_devices(
    serving: Floats, run: RunNeed, windows: Windows, unit: float, switching_loss: float | None = None
) -> Floats:
    """Devices of one fleet for both in each hour, whole units, those that each year needs; infinite where it can't do
    both.

    Serving comes first. Training has devices of its own through its windows; with a `switching_loss` (share of idle
    serving hours that changing over costs) it takes what serving leaves at each hour, by night and by weekend.

    Parameters
    ----------
    serving : devices that serve in each hour of the horizon.
    unit : devices of what is bought or rented whole.
    """
    held = np.zeros(len(serving))
    for year in years_of(len(serving)):
        # A run over the turn of a year needs its devices in both.
        open_then = [one for one in windows if one.start_h < year.stop and one.end_h > year.start]
        held[year] = _of_year(serving, run, open_then, year, unit, switching_loss)
    return held


def years_of(hours: int) -> tuple[slice, ...]:
    """The hours of each year of a horizon, the last of them perhaps in part."""
    return tuple(slice(start, min(start + HOURS_PER_YEAR, hours)) for start in range(0, hours, HOURS_PER_YEAR))


def _of_year(
    serving: Floats, run: RunNeed, windows: Windows, year: slice, unit: float, switching_loss: float | None
) -> float:
    """Devices that carry the load of a year and the runs whose windows are open in it."""
    most = float(serving[year].max(initial=0.0))
    alone = run.devices_within(windows)
    beside = max([most, *(float(serving[one.start_h : one.end_h].max(initial=0.0)) + alone for one in windows)])
    if not math.isfinite(beside):
        return math.inf
    if switching_loss is None or not windows:
        return math.ceil(beside / unit) * unit
    low = math.ceil(max(most, run.least_devices) / unit)
    high = max(low, math.ceil(beside / unit / (1 - switching_loss)))
    while low < high:
        middle = (low + high) // 2
        if _finishes_on_the_rest(serving, run, windows, middle * unit, switching_loss):
            high = middle
        else:
            low = middle + 1
    return low * unit


def _finishes_on_the_rest(
    serving: Floats, run: RunNeed, windows: Windows, devices: float, switching_loss: float
) -> bool:
    for window in windows:
        left = devices - serving[window.start_h : window.end_h]
        if left[left >= run.least_devices].sum() * (1 - switching_loss) < run.device_hours:
            return False
    return True
