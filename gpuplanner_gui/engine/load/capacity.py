"""Largest rate that meets a condition, by bisection; for closed forms over many candidates and for one simulation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gpuplanner_gui.engine.load.arrays import BoolArray, FloatArray, Numbers, as_floats


def largest_rates(meets: Callable[[FloatArray], BoolArray], upper_per_s: Numbers, halvings: int = 24) -> FloatArray:
    """Largest rates at which a condition holds, all candidates at once.

    Parameters
    ----------
    meets : callable
        From rates, shape (…), to whether each candidate meets its targets; holds below some rate and not above. [1/s]
    upper_per_s : float array
        Rates to search up to, as a rule the capacity. [1/s]

    Returns
    -------
    float array, shape (…)
        0 where the condition holds at no rate, `upper_per_s` where it holds up to there. [1/s]
    """
    upper = as_floats(upper_per_s)
    low, high = np.zeros(upper.shape), np.array(upper)
    low = np.where(meets(high), high, low)
    for _ in range(halvings):
        middle = 0.5 * (low + high)
        held = meets(middle)
        low, high = np.where(held, middle, low), np.where(held, high, middle)
    return low
