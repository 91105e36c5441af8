"""Start of the search: the spreads, lengths and noise under which the measured residuals are most likely."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from gpuplanner_gui.domain.local_calibration import LABELS, NUMBERS, SHARES
from gpuplanner_gui.engine.local_fit.rows import Vocabulary
from tools.fit_local_prior.measured import GroupedPoints

Array = np.ndarray  # type: ignore[type-arg]
Term = tuple[tuple[str, ...], str, bool]

POINTS = 90
"""Of a sample: some of every group on one accelerator."""
LEAST_OF_GROUP = 8
FARTHEST = 0.45
"""Log residuals beyond count as this: the noise's tails are the fit's business, not the prior's."""
PULL = 0.02
"""Towards the start, so that what the samples leave open stays."""
BOUNDS = {"term": (1e-3, 1.5), "length": (0.4, 30.0), "noise": (0.01, 0.6)}


@dataclass(frozen=True)
class Sample:
    """Residuals of some points with what each term makes of them."""

    terms: Array
    squared: Array
    """Squared differences of the numbers, shape (numbers, points, points)."""
    residuals: Array
    is_pools: Array


def samples(grouped: GroupedPoints, terms: tuple[Term, ...], seed: int) -> list[Sample]:
    """As many samples of every accelerator as it has groups."""
    chance = np.random.default_rng(seed)
    groups = grouped.by_group()
    found = []
    for accelerator in sorted({name.split(" × ")[-1] for name in groups}):
        own = [members for name, members in groups.items() if name.split(" × ")[-1] == accelerator]
        count = max(POINTS // len(own), LEAST_OF_GROUP)
        for _ in own:
            chosen = [chance.choice(members, min(count, len(members)), replace=False) for members in own]
            found.append(_sample(grouped, np.concatenate(chosen), terms))
    return found


def _sample(grouped: GroupedPoints, chosen: Array, terms: tuple[Term, ...]) -> Sample:
    points = [grouped.points[index] for index in chosen]
    rows = Vocabulary(points).rows(points)
    same = {name: rows.labels[row][:, None] == rows.labels[row][None, :] for row, name in enumerate(LABELS)}
    masks = []
    for labels, share, _ in terms:
        mask = np.logical_and.reduce([same[name] for name in labels]).astype(float)
        if share:
            own = rows.shares[SHARES.index(share)]
            mask *= np.outer(own, own)
        masks.append(mask)
    return Sample(
        np.array(masks),
        (rows.numbers[:, :, None] - rows.numbers[:, None, :]) ** 2,
        np.clip([point.log_residual for point in points], -FARTHEST, FARTHEST),
        np.array([point.arrangement == "pools" for point in points]),
    )


def likeliest(grouped: GroupedPoints, terms: tuple[Term, ...], start: Array, seed: int) -> Array:
    """Logarithms of spreads, lengths and the two noises under which the samples are most likely."""
    drawn = samples(grouped, terms, seed)
    is_smooth = np.array([smooth for _, _, smooth in terms])
    count, lengths = len(terms), len(NUMBERS)

    def objective(vector: Array) -> float:
        values = np.exp(vector)
        variance, scale = values[:count] ** 2, values[count : count + lengths]
        single, pools = values[count + lengths :]
        total = 0.0
        for one in drawn:
            near = np.exp(-0.5 * np.tensordot(1.0 / scale**2, one.squared, 1))
            plain = np.tensordot(np.where(is_smooth, 0.0, variance), one.terms, 1)
            smooth = np.tensordot(np.where(is_smooth, variance, 0.0), one.terms, 1) * near
            noise = np.diag(np.where(one.is_pools, pools, single) ** 2)
            lower = np.linalg.cholesky(plain + smooth + noise)
            solved = np.linalg.solve(lower, one.residuals)
            total += 0.5 * float(solved @ solved) + float(np.log(np.diag(lower)).sum())
        return total / len(drawn) + PULL * float(((vector - start) ** 2).sum())

    kinds = ["term"] * count + ["length"] * lengths + ["noise"] * 2
    bounds = [tuple(np.log(BOUNDS[kind])) for kind in kinds]
    found = minimize(objective, start, method="L-BFGS-B", bounds=bounds, options={"maxiter": 60, "maxfun": 3000})
    return np.asarray(found.x)
