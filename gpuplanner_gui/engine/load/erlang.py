"""Queues with several servers: Erlang's loss and delay formulas and the staffing that follows from them.

A server is one concurrency slot: replicas × the sequences that each runs at once.
"""

from __future__ import annotations

import math

import numpy as np

from gpuplanner_gui.engine.formula import formula
from gpuplanner_gui.engine.load.arrays import FloatArray, IntArray, Numbers, as_floats, quotient

MAX_SERVERS = 1_000_000
"""Search for a staffing stops here; more concurrency slots than any single pool has."""


@formula(
    title="Share of requests blocked when nobody can wait",
    unit="1",
    expression="B(0) = 1;  B(k) = offered_load·B(k−1) / (k + offered_load·B(k−1));  B(servers)",
    source="Erlang 1917; recursion as in Cooper, Introduction to Queueing Theory, 1981, section 3.3",
)
def erlang_blocking_share(servers: Numbers, offered_load: Numbers) -> FloatArray:
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
    blocking = np.ones(load.shape)
    for server in range(1, int(slots.max(initial=0)) + 1):
        carried = load * blocking
        blocking = np.where(server <= slots, carried / (server + carried), blocking)
    return np.asarray(blocking)


@formula(
    title="Share of requests that have to wait",
    unit="1",
    expression="B / (1 − (offered_load/servers)·(1 − B)), 1 at or above full load",
    source="Erlang 1917 (delay formula)",
)
def erlang_delay_share(servers: Numbers, offered_load: Numbers) -> FloatArray:
    """Erlang C; 1 where the offered load reaches the number of servers. Shapes as `erlang_blocking_share`."""
    blocking = erlang_blocking_share(servers, offered_load)
    return _delay_share(blocking, as_floats(servers), as_floats(offered_load))


def _delay_share(blocking: FloatArray, servers: FloatArray, offered_load: FloatArray) -> FloatArray:
    busy = np.minimum(offered_load / servers, 1.0)
    return np.asarray(np.where(offered_load < servers, blocking / (1 - busy * (1 - blocking)), 1.0))


@formula(
    title="Mean wait for a free slot",
    unit="s",
    expression="C·service_s/(servers − offered_load) · (arrival_cv²+ service_cv²)/2",
    source="Erlang C; Allen, Probability, Statistics and Queueing Theory, 1990 (Allen–Cunneen)",
)
def erlang_wait_s(
    servers: Numbers,
    offered_load: Numbers,
    service_s: Numbers,
    arrival_cv: Numbers = 1.0,
    service_cv: Numbers = 1.0,
) -> FloatArray:
    """Mean wait in an M/M/c queue, scaled for other variability by Allen and Cunneen.

    Parameters
    ----------
    servers, offered_load : array
        As in `erlang_blocking_share`.
    service_s : float array
        Mean service time of one request. [s]
    arrival_cv, service_cv : float array
        Coefficient of variation of gaps between arrivals and of service times; 1 is Poisson and exponential. [1]

    Returns
    -------
    float array, broadcast shape
        Mean wait, infinite at or above full load. [s]
    """
    free = as_floats(servers) - as_floats(offered_load)
    poisson = quotient(erlang_delay_share(servers, offered_load) * service_s, free, math.inf)
    return poisson * (as_floats(arrival_cv) ** 2 + as_floats(service_cv) ** 2) / 2


@formula(
    title="Share of requests that wait longer than a limit",
    unit="1",
    expression="C · exp(−(servers − offered_load)·limit_s/service_s)",
    source="M/M/c, first come first served",
)
def erlang_wait_exceeds_share(
    servers: Numbers, offered_load: Numbers, service_s: Numbers, limit_s: Numbers
) -> FloatArray:
    """Probability that the wait is longer than `limit_s`; 1 at or above full load. [1]"""
    free = np.maximum(as_floats(servers) - as_floats(offered_load), 0.0)
    return np.asarray(erlang_delay_share(servers, offered_load) * np.exp(-free * limit_s / service_s))


@formula(
    title="Slots needed for a wait target",
    unit="1",
    expression="smallest c with P(wait > limit_s) ≤ exceeded_share",
    source="M/M/c, first come first served",
)
def erlang_servers_needed(
    offered_load: Numbers, service_s: Numbers, limit_s: Numbers, exceeded_share: Numbers
) -> IntArray:
    """Smallest number of servers that keeps the share waiting longer than `limit_s` at or below `exceeded_share`.

    Raises
    ------
    ValueError
        If more than `MAX_SERVERS` would be needed.
    """
    load, service, limit, allowed = np.broadcast_arrays(
        as_floats(offered_load), as_floats(service_s), as_floats(limit_s), as_floats(exceeded_share)
    )
    blocking = np.ones(load.shape)
    needed = np.zeros(load.shape, dtype=np.int64)
    for server in range(1, MAX_SERVERS + 1):
        carried = load * blocking
        blocking = carried / (server + carried)
        delayed = _delay_share(blocking, as_floats(server), load)
        exceeding = delayed * np.exp(-np.maximum(server - load, 0.0) * limit / service)
        needed = np.where((needed == 0) & (exceeding <= allowed), server, needed)
        if needed.all():
            return needed
    raise ValueError(f"more than {MAX_SERVERS} servers needed")


@formula(
    title="Slots by the square-root rule",
    unit="1",
    expression="⌈offered_load + service_grade·√offered_load⌉",
    source="Halfin and Whitt, Operations Research 29(3), 1981",
)
def square_root_servers(offered_load: Numbers, service_grade: Numbers) -> FloatArray:
    """Servers by square-root staffing; a quick check on `erlang_servers_needed` for large pools."""
    load = as_floats(offered_load)
    return np.ceil(load + as_floats(service_grade) * np.sqrt(load))


@formula(
    title="Share that waits under square-root staffing",
    unit="1",
    expression="1/(1 + β·Φ(β)/φ(β)), β = service_grade",
    source="Halfin and Whitt, Operations Research 29(3), 1981",
)
def square_root_delay_share(service_grade: Numbers) -> FloatArray:
    """Probability of waiting in the limit of large pools."""
    grade = as_floats(service_grade)
    density = np.exp(-(grade**2) / 2) / math.sqrt(2 * math.pi)
    below = np.vectorize(lambda x: 0.5 * (1 + math.erf(x / math.sqrt(2))), otypes=[np.float64])(grade)
    with np.errstate(divide="ignore"):
        return np.asarray(1 / (1 + grade * below / density))
