"""What is read off between the points of the load grid: capacity, and the rate that keeps every target."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.workload import Slo
from gpuplanner_gui.engine.explaining.formula import carried, formula, leaf
from gpuplanner_gui.engine.serving.load.full_batches import FullBatchStates
from gpuplanner_gui.engine.serving.load.states import LoadStates
from gpuplanner_gui.engine.simulation.arrays import clamped


@dataclass(frozen=True)
class Slowdown:
    """How many times as long deployments take as predicted; their shape."""

    step: Floats
    first_token: Floats

    def at(self, part: NDArray[np.int64]) -> Slowdown:
        return Slowdown(self.step[part], self.first_token[part])

    def of(self, slo: Slo, latency_s: Callable[[Slo], Floats]) -> Floats:
        """Factor on what a target limits; on a whole answer that of its first token as far as it is a part of it.

        `latency_s` gives what a target limits.
        """
        if slo.metric == "ttft":
            return self.first_token
        if slo.metric != "e2e":
            return self.step
        whole, first = latency_s(slo), latency_s(msgspec.structs.replace(slo, metric="ttft"))
        part = np.divide(first, whole, out=np.ones_like(whole), where=np.isfinite(whole) & (whole > first))
        return np.asarray(self.step + (self.first_token - self.step) * part)


def slowed_latency_s(
    loads: Floats, latency_s: Floats, load: Floats, slow: Floats | float, power: float = 1.0
) -> Floats:
    """Latency at loads of a replica whose steps all take `slow` times as long; infinite where it can't keep up. [s]

    It is the planned replica in a time that passes so many times as slowly: as busy as that one at `slow` times the
    load. `loads`, rising, and `load` are shares of the planned capacity; `power` is of `slow`, on what the latency
    tells.
    """
    busy = load * slow
    with np.errstate(invalid="ignore"):  # A queue without end is that however quick the machines are.
        found = np.interp(busy, loads, latency_s) * slow**power
    return np.asarray(np.where((busy < 1) & ~np.isnan(found), found, np.inf), float)


def rising_latency_s(states: LoadStates, slo: Slo) -> Floats:
    """What a target limits, along the grid: what has been exceeded once stays so; infinite where nothing is known.

    Where batches wait to be full, what more load shortens counts as short as it gets.
    """
    latency = states.latency_s(slo)
    known = np.where(np.isfinite(latency), latency, np.inf)
    if isinstance(states, FullBatchStates):
        known = np.minimum.accumulate(known[::-1], axis=0)[::-1]
    return carried(risen(known), latency)


def rising_rate_per_s(states: LoadStates) -> Floats:
    """The rates along the grid, none lower than one at less load."""
    return risen(states.rate_per_s)


def risen(values: Floats) -> Floats:
    """Along the grid, none lower than one before; several times faster than `numpy.maximum.accumulate`."""
    found = np.array(values)
    for row in range(1, len(found)):
        np.maximum(found[row - 1], found[row], out=found[row])
    return found


def capacity_per_s(states: LoadStates) -> Floats:
    """Rate at which prompts pile up, or at which the caps end the grid, per candidate. [1/s]"""
    return rate_at_limit_per_s(rising_rate_per_s(states), risen(states.utilisation), 1.0)


def highest_load_within(
    axis: Floats,
    states: LoadStates,
    slos: tuple[Slo, ...],
    capacity: Floats,
    latency_s: Callable[[LoadStates, Slo], Floats] = rising_latency_s,
    slower: Slowdown | None = None,
) -> tuple[Floats, NDArray[np.int64]]:
    """Largest load at which every target holds, per deployment, and the index of the target that fails first.

    `axis` is the load at each point of the grid: requests a second, or users.

    0 where a target already fails on an idle replica; between two grid points the latency is taken as linear in load.
    `latency_s` gives what a target limits, rising along the grid; `capacity` is `capacity_per_s`. Targets are as many
    times as tight as `slower` says.
    """
    best, first = capacity, np.full(capacity.shape, -1)
    for index, rate in enumerate(loads_within(axis, states, slos, capacity, latency_s, slower)):
        first = np.where(rate < best, index, first)
        best = lower_rate_per_s(best, rate)
    return best, first


def loads_within(
    axis: Floats,
    states: LoadStates,
    slos: tuple[Slo, ...],
    capacity: Floats,
    latency_s: Callable[[LoadStates, Slo], Floats] = rising_latency_s,
    slower: Slowdown | None = None,
) -> Iterator[Floats]:
    """Largest load at which each target holds; see `highest_load_within`."""
    rates = np.minimum(axis, capacity)
    for slo in slos:
        limit = leaf(slo.limit_s, f"{slo.metric} p{slo.percentile:g} limit", "s", "scenario: targets")
        latency = latency_s(states, slo)
        if slower is not None:
            latency = latency * slower.of(slo, partial(latency_s, states))
        yield rate_at_limit_per_s(rates, latency, limit)


@formula(
    title="Rate at the targets",
    unit="req/s",
    expression="min(rate_per_s, rate_at_limit_per_s)",
    source="every target must be met",
)
def lower_rate_per_s(rate_per_s: Floats, rate_at_limit_per_s: Floats) -> Floats:
    """The rate that one more target leaves. [1/s]"""
    return np.minimum(rate_per_s, rate_at_limit_per_s)


@formula(
    title="Rate at a limit",
    unit="req/s",
    expression="where latency_s, rising with rate_per_s, crosses limit_s",
    source="linear between the points of the load grid; its inverse where the upper one is infinite",
)
def rate_at_limit_per_s(rate: Floats, latency: Floats, limit_s: Floats | float) -> Floats:
    """Where a latency that rises along the grid crosses its limit."""
    within = latency <= limit_s
    count = within.sum(axis=0)
    columns = np.arange(rate.shape[1])
    below, above = np.maximum(count - 1, 0), np.minimum(count, rate.shape[0] - 1)
    low, high = latency[below, columns], latency[above, columns]
    with np.errstate(invalid="ignore", divide="ignore"):
        part = np.where(high > low, (limit_s - low) / (high - low), 0.0)
        # Waits grow like the inverse of what is left of the capacity.
        part = np.where(np.isfinite(high), part, 1.0 - low / limit_s)
    at = rate[below, columns] + clamped(part, 0.0, 1.0) * (rate[above, columns] - rate[below, columns])
    return np.where(count == 0, 0.0, np.where(count == rate.shape[0], rate[-1], at))


def value_at_load(rates: Floats, values: Floats, rate_per_s: Floats) -> Floats:
    """What stands along the grid, read off at one load per deployment: the first point's below, infinite beyond.

    `rates` is the load along the grid, and `values` what goes with it, both rising.
    """
    above, part = _between(rates, rate_per_s)
    columns = np.arange(rates.shape[1])
    start, end = values[above - 1, columns], values[above, columns]
    with np.errstate(invalid="ignore"):
        found = np.where(part > 0, start + part * (end - start), start)
    return np.asarray(np.where(rate_per_s > rates[-1] * (1 + 1e-9), np.inf, found))


def _between(rates: Floats, rate_per_s: Floats) -> tuple[NDArray[np.int64], Floats]:
    """The point of the grid above a load, and the share of the way there from the one below."""
    columns = np.arange(rates.shape[1])
    above = np.clip((rates < rate_per_s).sum(axis=0), 1, rates.shape[0] - 1)
    low, high = rates[above - 1, columns], rates[above, columns]
    with np.errstate(invalid="ignore", divide="ignore"):
        return above, clamped(np.where(high > low, (rate_per_s - low) / (high - low), 0.0), 0.0, 1.0)


def requests_at_load(rates: Floats, requests_per_step: Floats, rate_per_s: Floats) -> Floats:
    """Requests per step that go with one load per deployment, read off between grid points; the last point's beyond.

    `rates` is the load along the grid, rising.
    """
    above, part = _between(rates, rate_per_s)
    columns = np.arange(rates.shape[1])
    start, end = requests_per_step[above - 1, columns], requests_per_step[above, columns]
    below_first = rate_per_s < rates[0]
    with np.errstate(invalid="ignore", divide="ignore"):
        scaled = requests_per_step[0] * rate_per_s / rates[0]
    return np.asarray(np.where(below_first, scaled, start + part * (end - start)))
