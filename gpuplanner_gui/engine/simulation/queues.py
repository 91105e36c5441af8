"""Queues: one server, the prefill instance and its parallel variants; and a number of slots, by Erlang's formulas."""

from __future__ import annotations

import math

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.simulation.arrays import Numbers, as_floats, quotient

SERVERS_AT_ONCE = 256
"""Steps of Erlang's recursion between two looks whether anything is blocked any more."""
FORGOTTEN_SPREADS = 10.0
"""Square roots of the load, or of the servers if fewer, after which the recursion has forgotten where it began, to
exp(-10²/2) of the result."""


@formula(
    title="Share of requests blocked when nobody can wait",
    unit="1",
    expression="B(0) = 1;  B(k) = offered_load·B(k−1) / (k + offered_load·B(k−1));  B(servers)",
    source="Erlang 1917; recursion as in Cooper, Introduction to Queueing Theory, 1981, section 3.3",
)
def erlang_blocking_share(servers: Numbers, offered_load: Numbers) -> Floats:
    """Erlang B.

    Parameters
    ----------
    servers : int array
        Concurrency slots. [1]
    offered_load : float array
        Arrival rate × service time. [erlang]

    All arguments broadcast.

    Returns
    -------
    float array, broadcast shape
        Share of arrivals that find every server busy. [1]

    Examples
    --------
    >>> float(erlang_blocking_share(10, 8.0).round(9))
    0.121661064
    """
    slots, load = np.broadcast_arrays(as_floats(servers), as_floats(offered_load))
    if load.size == 1:  # Plain numbers take a fortieth of the time of arrays of one.
        offered, share = load.item(), 1.0
        for server in range(int(_begin(slots, load).item()) + 1, int(slots.item()) + 1):
            share *= offered / (server + offered * share)
        return np.full(load.shape, share)
    return _blocking_of_many(slots, load)


def _begin(slots: Floats, load: Floats) -> Floats:
    """Servers from which on the recursion is followed."""
    few = np.nan_to_num(np.minimum(slots, load))
    return np.asarray(np.maximum(np.floor(few - FORGOTTEN_SPREADS * np.sqrt(np.maximum(few, 0.0))), 0.0))


def _blocking_of_many(slots: Floats, load: Floats) -> Floats:
    """The same of arrays: a few of them may have a thousand times the slots of the others, which leave as they end."""
    begin = _begin(slots, load).ravel()
    steps = slots.ravel() - begin
    order = np.argsort(steps, kind="stable")
    most, server, offered, share = steps[order], begin[order], load.ravel()[order], np.ones(load.size)
    carried, both = np.empty_like(share), np.empty_like(share)
    done, ended = 0, 0
    while ended < len(most) and share[ended:].any():
        last = min(int(most[ended]), done + SERVERS_AT_ONCE)
        rest = tuple(column[ended:] for column in (offered, share, carried, both, server))
        for _ in range(done, last):
            np.add(rest[4], 1.0, out=rest[4])
            np.multiply(rest[0], rest[1], out=rest[2])
            np.add(rest[2], rest[4], out=rest[3])
            np.divide(rest[2], rest[3], out=rest[1])
        done, ended = max(last, 0), int(np.searchsorted(most, last + 1))
    blocking = np.empty_like(share)
    blocking[order] = share
    return blocking.reshape(load.shape)


@formula(
    title="Share of requests that have to wait",
    unit="1",
    expression="B / (1 − (offered_load/servers)·(1 − B)), 1 at or above full load",
    source="Erlang 1917 (delay formula)",
)
def erlang_delay_share(servers: Numbers, offered_load: Numbers) -> Floats:
    """Erlang C; 1 where the offered load reaches the number of servers. Shapes as `erlang_blocking_share`."""
    blocking = erlang_blocking_share(servers, offered_load)
    return _delay_share(blocking, as_floats(servers), as_floats(offered_load))


def users_delay_share(servers: int, users: int, service_over_think: float) -> float:
    """Share of requests that find every server busy, of users who wait for an answer and think before they ask again.

    Who asks sees the system as the others alone would leave it.

    References
    ----------
    .. [1] Lavenberg and Reiser, Stationary state probabilities at arrival instants for closed queueing networks, 1980.
    """
    others = max(users - 1, 0)
    if servers <= 0:
        return 1.0
    if others < servers:
        return 0.0
    inside = np.arange(1, others + 1)
    steps = np.log((others - inside + 1) * service_over_think / np.minimum(inside, servers))
    log_weight = np.concatenate([[0.0], np.cumsum(steps)])
    weight = np.exp(log_weight - log_weight.max())
    return float(weight[servers:].sum() / weight.sum())


def _delay_share(blocking: Floats, servers: Floats, offered_load: Floats) -> Floats:
    busy = np.minimum(offered_load / servers, 1.0)
    return np.asarray(np.where(offered_load < servers, blocking / (1 - busy * (1 - blocking)), 1.0))


@formula(
    title="Share that waits under square-root staffing",
    unit="1",
    expression="1/(1 + β·Φ(β)/φ(β)), β = service_grade",
    source="Halfin and Whitt, Operations Research 29(3), 1981",
)
def square_root_delay_share(service_grade: Numbers) -> Floats:
    """Probability of waiting in the limit of large pools."""
    grade = as_floats(service_grade)
    density = np.exp(-(grade**2) / 2) / math.sqrt(2 * math.pi)
    below = np.vectorize(lambda x: 0.5 * (1 + math.erf(x / math.sqrt(2))), otypes=[np.float64])(grade)
    with np.errstate(divide="ignore"):
        return np.asarray(1 / (1 + grade * below / density))


@formula(
    title="Mean wait, one server",
    unit="s",
    expression="rate_per_s·mean_square_s2 / (2·(1 − rate_per_s·service_s))",
    source="Pollaczek–Khinchine",
)
def single_server_wait_s(rate_per_s: Numbers, service_s: Numbers, mean_square_s2: Numbers) -> Floats:
    """Mean wait of an M/G/1 queue.

    Parameters
    ----------
    rate_per_s : float array
        Poisson arrivals. [1/s]
    service_s, mean_square_s2 : float array
        Mean and mean square of the service time; D² for a fixed time D, 2D² for an exponential one. [s, s²]

    Returns
    -------
    float array, broadcast shape
        Mean wait, infinite at or above full load. [s]

    Examples
    --------
    >>> float(single_server_wait_s(4.0, 0.15, 0.15**2).round(6))
    0.1125
    """
    free = 1 - as_floats(rate_per_s) * service_s
    return quotient(as_floats(rate_per_s) * mean_square_s2, 2 * free, math.inf)


@formula(
    title="Effect of bursty arrivals on the wait",
    unit="1",
    expression="(arrival_cv² + service_cv²)/(1 + service_cv²)",
    source="Kingman 1961; Allen–Cunneen",
)
def burst_wait_factor(arrival_cv: Numbers, service_cv: Numbers) -> Floats:
    """Wait over the wait with Poisson arrivals; a lower bound for a coefficient of variation of 2 and more."""
    arrivals, services = as_floats(arrival_cv) ** 2, as_floats(service_cv) ** 2
    return (arrivals + services) / (1 + services)
