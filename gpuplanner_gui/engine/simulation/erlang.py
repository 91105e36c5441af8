"""Queues with several servers: Erlang's loss and delay formulas and the staffing that follows from them.

A server is one concurrency slot: replicas × the sequences that each runs at once.
"""

from __future__ import annotations

import math

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.simulation.arrays import Numbers, as_floats


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
def erlang_delay_share(servers: Numbers, offered_load: Numbers) -> Floats:
    """Erlang C; 1 where the offered load reaches the number of servers. Shapes as `erlang_blocking_share`."""
    blocking = erlang_blocking_share(servers, offered_load)
    return _delay_share(blocking, as_floats(servers), as_floats(offered_load))


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
