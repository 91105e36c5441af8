"""What operators make of separate pools: fitted so that the published times of pools left open become likely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers
from tools.fit_serving.gauss_newton import group_weights
from tools.observation.habits import TRAITS, PoolPractice
from tools.observation.pools import shares_of

USUAL_ERROR = 0.12
"""Mean size of TPOT's logarithmic error of a set-up that is known."""
RIDGE = 1e-2
"""Against traits that no row tells, in units of a trait's spread."""
ROUNDS = 60
LONGEST = 1.0
CLOSE = 1e-3


@dataclass(frozen=True)
class OpenPools:
    """Rows that leave their pools open: every set-up of each with its traits and how far its time is from the row's."""

    traits: Floats
    log_errors: Floats
    """Of TPOT, predicted over measured."""
    of: Integers
    groups: tuple[str, ...]
    """Of the rows."""

    def at(self, rows: NDArray[np.bool_]) -> OpenPools:
        """Some of the rows."""
        kept = rows[self.of]
        number = np.cumsum(rows) - 1
        groups = tuple(group for group, is_kept in zip(self.groups, rows) if is_kept)
        return OpenPools(self.traits[kept], self.log_errors[kept], number[self.of[kept]], groups)


def joined(parts: Sequence[OpenPools]) -> OpenPools:
    """The rows of several engines together."""
    starts = np.cumsum([0, *(len(part.groups) for part in parts)])
    return OpenPools(
        np.concatenate([part.traits for part in parts]),
        np.concatenate([part.log_errors for part in parts]),
        np.concatenate([part.of + start for part, start in zip(parts, starts)]),
        tuple(group for part in parts for group in part.groups),
    )


def fitted_practice(pools: OpenPools) -> PoolPractice:
    """Utilities that make the measured times most likely, which lie around a set-up's as Laplace has it.

    Expectation and maximisation: how likely each set-up is to have run, given the row's time; then a Newton step of the
    logit towards these shares.

    References
    ----------
    .. [1] Train, Discrete Choice Methods with Simulation, 2009, chapter 14.
    """
    if not len(pools.groups):
        return PoolPractice()
    spread = pools.traits.std(axis=0) + 1e-9
    traits = (pools.traits - pools.traits.mean(axis=0)) / spread
    weight = group_weights(list(pools.groups))[pools.of] / len(pools.groups)
    log_likely = -np.abs(pools.log_errors) / USUAL_ERROR
    starts = np.searchsorted(pools.of, np.arange(len(pools.groups)))
    utility = np.zeros(len(TRAITS))
    for _ in range(ROUNDS):
        of_choice = traits @ utility
        share = shares_of(of_choice, pools.of)
        ran = shares_of(of_choice + log_likely, pools.of)
        slope = traits.T @ ((ran - share) * weight) - RIDGE * utility
        means = np.add.reduceat(traits * share[:, None], starts)
        curvature = (traits * (share * weight)[:, None]).T @ traits - (means * weight[starts][:, None]).T @ means
        step = np.linalg.solve(curvature + RIDGE * np.eye(len(utility)), slope)
        step *= min(1.0, LONGEST / max(float(np.abs(step).max()), 1e-12))
        utility = utility + step
        if np.abs(step).max() < CLOSE:
            break
    return PoolPractice(**dict(zip(TRAITS, (utility / spread).tolist())))
