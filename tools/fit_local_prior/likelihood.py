"""Spreads, lengths and noise of a prior by how likely random handfuls of results are under it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from gpuplanner_gui.domain.local_calibration import LABELS, NUMBERS, SHARES, CovarianceTerm, PhasePrior
from gpuplanner_gui.engine.local_fit.rows import Rows, Vocabulary
from tools.fit_local_prior.measured import GroupedPoints

Floats = NDArray[np.float64]

HANDFUL, HANDFULS = 11, 60
"""Results of a handful, ten to learn from and one to predict; handfuls of a group."""
DEGREES_OF_FREEDOM = 4.0
"""Of the t distribution of a handful: groups differ in how far off they are."""
RIDGE = 1.0 / 3.0
"""Weight of the squared logarithmic distance from the start, against one group."""
ROUNDS = 60
SPREAD_BOUNDS, LENGTH_BOUNDS, NOISE_BOUNDS = (-7.0, 1.5), (-1.5, 3.5), (-6.0, -1.0)


@dataclass(frozen=True)
class Handfuls:
    """Pairs within handfuls of results. F handfuls of H results."""

    residuals: Floats
    """Shape (F, H)."""
    alike: Floats
    """What each term multiplies its variance with, smoothness apart; shape (terms, F, H, H)."""
    squares: Floats
    """Squared differences of the numbers; shape (numbers, F, H, H)."""
    is_smooth: NDArray[np.bool_]


def fitted(prior: PhasePrior, grouped: GroupedPoints, groups: Sequence[str], seed: int = 1) -> PhasePrior:
    """The prior with the spreads, lengths and noise under which these groups are likeliest, from those it has.

    Notes
    -----
    A handful is drawn from a multivariate t: its covariance is that of the posterior up to a scale of its own.
    """
    pairs = _handfuls(prior, grouped, groups, seed)
    start = np.log([*(term.log_sd for term in prior.terms), *(prior.lengths[name] for name in NUMBERS),
                    prior.noise_log_sd])  # fmt: skip
    bounds = [SPREAD_BOUNDS] * len(prior.terms) + [LENGTH_BOUNDS] * len(NUMBERS) + [NOISE_BOUNDS]
    ridge = RIDGE / len(groups)

    def loss(vector: Floats) -> tuple[float, Floats]:
        value, slope = negative_log_likelihood(vector, pairs)
        return value + 0.5 * ridge * float(((vector - start) ** 2).sum()), slope + ridge * (vector - start)

    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": ROUNDS})
    return _with(prior, np.exp(found.x))


def negative_log_likelihood(vector: Floats, pairs: Handfuls) -> tuple[float, Floats]:
    """Mean over handfuls, and its slope in the logarithms of spreads, lengths and noise."""
    terms, size = len(pairs.alike), pairs.residuals.shape[1]
    spreads, inverse_lengths = np.exp(2.0 * vector[:terms]), np.exp(-2.0 * vector[terms:-1])
    noise, smooth = float(np.exp(2.0 * vector[-1])), pairs.is_smooth
    near = np.exp(-0.5 * np.tensordot(inverse_lengths, pairs.squares, 1))
    falling = np.tensordot(spreads[smooth], pairs.alike[smooth], 1) * near
    covariance = np.tensordot(spreads[~smooth], pairs.alike[~smooth], 1) + falling + noise * np.eye(size)
    inverse = np.linalg.inv(covariance)
    weights = np.einsum("fij,fj->fi", inverse, pairs.residuals)
    far = (weights * pairs.residuals).sum(axis=1)
    degrees = DEGREES_OF_FREEDOM
    value = 0.5 * (degrees + size) * np.log1p(far / degrees) + 0.5 * np.linalg.slogdet(covariance)[1]
    pull = (degrees + size) / (degrees + far)
    slope = 0.5 * (inverse - pull[:, None, None] * weights[:, :, None] * weights[:, None, :])
    by_term = [(np.where(is_smooth, near, 1.0) * slope * alike).sum() for is_smooth, alike in zip(smooth, pairs.alike)]
    by_length = [(slope * falling * square).sum() for square in pairs.squares]
    found = [*(2.0 * spreads * by_term), *(inverse_lengths * by_length), 2.0 * noise * np.einsum("fii->", slope)]
    return float(value.mean()), np.array(found) / len(value)


def _handfuls(prior: PhasePrior, grouped: GroupedPoints, groups: Sequence[str], seed: int) -> Handfuls:
    chance, members = np.random.default_rng(seed), grouped.by_group()
    drawn = np.array([
        chance.choice(members[name], HANDFUL, replace=len(members[name]) < HANDFUL)
        for name in groups for _ in range(HANDFULS)
    ])  # fmt: skip
    rows = Vocabulary(grouped.points).rows(grouped.points)
    residuals = np.array([point.log_residual for point in grouped.points])
    numbers = rows.numbers[:, drawn]
    return Handfuls(
        residuals[drawn],
        np.array([_alike(term, rows, drawn) for term in prior.terms]),
        (numbers[:, :, :, None] - numbers[:, :, None, :]) ** 2,
        np.array([term.is_smooth for term in prior.terms]),
    )


def _alike(term: CovarianceTerm, rows: Rows, drawn: NDArray[np.int64]) -> Floats:
    found = np.ones((*drawn.shape, drawn.shape[1]))
    for name in term.same:
        labels = rows.labels[LABELS.index(name)][drawn]
        found *= labels[:, :, None] == labels[:, None, :]
    if term.share:
        shares = rows.shares[SHARES.index(term.share)][drawn]
        found *= shares[:, :, None] * shares[:, None, :]
    return found


def _with(prior: PhasePrior, values: Floats) -> PhasePrior:
    rounded = [float(f"{value:.3g}") for value in values]
    count = len(prior.terms)
    terms = tuple(msgspec.structs.replace(term, log_sd=sd) for term, sd in zip(prior.terms, rounded))
    lengths = dict(zip(NUMBERS, rounded[count:-1]))
    return msgspec.structs.replace(prior, terms=terms, lengths=lengths, noise_log_sd=rounded[-1])
