"""Batches that begin with whoever is there and end together: what a request waits for the batch that runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.serving.load.states import LOAD_GRID, LoadStates
from gpuplanner_gui.engine.simulation.arrays import Numbers, as_floats
from gpuplanner_gui.engine.simulation.queues import erlang_blocking_share

FEW_AT_ONCE = np.array([1e-3, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 1.0, 1.5, 4.0])
"""Batches, over time, of a grid of load: whether a replica is idle decides how long is waited,"""
MANY_AT_ONCE = np.array([0.1, 0.4, 0.75, 1.0])
"""and beyond these how long a batch takes, up to all places."""


SPREADS = 6.0
"""Standard deviations of a Poisson number beyond which it does not go."""
FEWEST_PLACES = 8.0
"""Up to so many the usual grid of load is as fine."""


def whole_batch_grid(places: Floats) -> Floats:
    """Share of the most requests per step at each point of the grid of load, shape (points, deployments)."""
    few, last = FEW_AT_ONCE[:, None], FEW_AT_ONCE[-1]
    batch = np.concatenate([np.repeat(few, len(places), axis=1), last + MANY_AT_ONCE[:, None] * (places - last)])
    return np.where(places > FEWEST_PLACES, batch / places, LOAD_GRID[:, None])


@dataclass(frozen=True, kw_only=True)
class WholeBatchStates(LoadStates):
    """States in which a part of the requests waits for the rest of the batch that runs."""

    begun_share: Floats
    """Requests that find no replica idle. [1]"""
    pass_s: Floats
    """Time of a batch."""

    def ttft_s(self, percentile: float) -> Floats:
        """See `LoadStates.ttft_s`; who comes while a batch runs comes at any moment of it."""
        rest_s = np.minimum(rest_of_batch_s(self.begun_share, self.pass_s), self._known_wait_s)
        at_once = self.waiting(self.wait_s - rest_s)
        late_s = np.where(rest_s > 0, late_rest_of_batch_s(self.begun_share, self.pass_s, percentile), 0.0)
        first_s = LoadStates.ttft_s(at_once, percentile)
        mean_s = np.where(np.isfinite(first_s), at_once.ttft_mean_s, 0.0)
        beyond = np.hypot(np.maximum(first_s - mean_s, 0.0), np.maximum(late_s - rest_s, 0.0))
        return np.asarray(np.where(late_s > rest_s, self.ttft_mean_s + beyond, first_s + late_s))


def whole_batch_states(states: LoadStates, output_tokens: float, places: Floats, replicas: Numbers) -> WholeBatchStates:
    """States of replicas that find a batch running, `replicas` of them behind a router that knows who is idle."""
    pass_s = states.step_s * output_tokens
    share = begun_share(states.batch, as_floats(replicas), places)
    whole = WholeBatchStates(**vars(states), begun_share=share, pass_s=pass_s)
    waiting = whole.waiting(states.wait_s + rest_of_batch_s(share, pass_s))
    assert isinstance(waiting, WholeBatchStates)
    return waiting


@formula(
    title="Requests that find every replica at work",
    unit="1",
    expression="x / (1 + x) · (1 - 1/places), x = batch · exp(batch) · B(replicas - 1, replicas · batch); B = 1 from"
    " batch = 1 on",
    source="birth and death of batches; all at work, a replica that ends one is idle only if nobody waits for it, and"
    " begins the next with all who do (docs/derivations/load.md#whole-batches); B is Erlang's blocked share; with one"
    " place the wait for it is the whole wait",
)
def begun_share(batch: Floats, replicas: Floats, places: Floats) -> Floats:
    """Share of the requests that wait for a running batch. [1]

    Examples
    --------
    One replica at work half of the time: a batch is on average 1 where it holds 0.567 over time.

    >>> float(begun_share(np.array(0.5671), np.array(1.0), np.array(np.inf)).round(3))
    0.5
    """
    count, batch = np.broadcast_arrays(replicas, batch)
    offered = count * batch
    blocked = np.where(batch < 1.0, 0.0, 1.0)
    # So many more replicas than answers never are at work all at once.
    some = (batch < 1.0) & (count - offered < SPREADS * (1.0 + np.sqrt(offered)))
    blocked[some] = erlang_blocking_share(count[some] - 1.0, offered[some])
    with np.errstate(over="ignore"):
        idle = np.exp(-batch) / np.maximum(batch * blocked, 1e-300)
    return np.asarray((1.0 - 1.0 / np.maximum(places, 1.0)) / (1.0 + idle))


@formula(
    title="Remaining time of the running batch",
    unit="s",
    expression="begun_share · pass_s/2",
    source="requests of a batch start and end together: half of the running batch remains",
)
def rest_of_batch_s(begun_share: Floats, pass_s: Floats) -> Floats:
    """What a request waits on average for the batch that runs. [s]"""
    return np.asarray(begun_share * pass_s / 2.0)


@formula(
    title="Remaining time of the running batch, percentile over requests",
    unit="s",
    expression="pass_s · max(1 - (1 - percentile/100) / begun_share, 0)",
    source="evenly spread over the batch for those who find one running, nothing for the others",
)
def late_rest_of_batch_s(begun_share: Floats, pass_s: Floats, percentile: float) -> Floats:
    """What so many of a hundred requests wait no longer than. [s]"""
    beyond = 1.0 - percentile / 100
    return np.asarray(pass_s * np.maximum(1.0 - beyond / np.maximum(begun_share, 1e-12), 0.0))
