"""Spreads, lengths and noise of a prior by how likely random handfuls of results are under it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from gpuplanner_gui.domain.local_calibration import LABELS, NUMBERS, SHARES, CovarianceTerm, PhasePrior
from gpuplanner_gui.engine.evidence.posterior import LEAST_DIFFERENCE
from gpuplanner_gui.engine.evidence.rows import Rows, Vocabulary
from tools.fit_local_prior.measured import GroupedPoints

Floats = NDArray[np.float64]

HANDFUL, HANDFULS = 11, 60
"""Results of a handful, ten to learn from and one to predict; handfuls of a group."""
DEGREES_OF_FREEDOM = 4.0
"""Of the t distribution of a handful: groups differ in how far off they are."""
RIDGE = 4.0
"""Weight of the squared logarithmic distance from the start, against one group: there are hardly more groups than
spreads, and whether those of a few groups hold for others is what a planner needs."""
ROUNDS = 60
FOLDS = 5
SPREAD_BOUNDS, LENGTH_BOUNDS, NOISE_BOUNDS = (-7.0, 1.5), (-1.5, 3.5), (-6.0, -1.0)


@dataclass(frozen=True)
class Kind:
    """Numbers that some terms fall with; all of them share the lengths."""

    names: tuple[str, ...]
    terms: tuple[int, ...]
    at: int
    """Where its first length stands among all lengths."""


@dataclass(frozen=True)
class Handfuls:
    """Pairs within handfuls of results. F handfuls of H results."""

    residuals: Floats
    """Shape (F, H)."""
    alike: Floats
    """What each term multiplies its variance with, nearness apart; shape (terms, F, H, H)."""
    squares: dict[str, Floats]
    """Squared differences of the numbers; shape (F, H, H)."""
    kinds: tuple[Kind, ...]


def fitted(
    prior: PhasePrior, grouped: GroupedPoints, groups: Sequence[str], seed: int = 1, ridge: float = RIDGE
) -> PhasePrior:
    """The prior with the spreads, lengths and noise under which these groups are likeliest, from those it has.

    Notes
    -----
    A handful is drawn from a multivariate t: its covariance is that of the posterior up to a scale of its own.
    """
    pairs = _handfuls(prior, grouped, groups, seed)
    lengths = [prior.terms[kind.terms[0]].lengths[name] for kind in pairs.kinds for name in kind.names]
    start = np.log([*(term.log_sd for term in prior.terms), *lengths, prior.noise_log_sd])
    bounds = [SPREAD_BOUNDS] * len(prior.terms) + [LENGTH_BOUNDS] * len(lengths) + [NOISE_BOUNDS]
    pull = ridge / len(groups)

    def loss(vector: Floats) -> tuple[float, Floats]:
        value, slope = negative_log_likelihood(vector, pairs)
        return value + 0.5 * pull * float(((vector - start) ** 2).sum()), slope + pull * (vector - start)

    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": ROUNDS})
    return _with(prior, np.exp(found.x), pairs.kinds)


def fitted_without(prior: PhasePrior, grouped: GroupedPoints) -> dict[str, PhasePrior]:
    """By group, a prior fitted to groups without it: each fit leaves out every fifth."""
    names = list(grouped.by_group())
    found: dict[str, PhasePrior] = {}
    for fold in range(FOLDS):
        without = fitted(prior, grouped, [name for index, name in enumerate(names) if index % FOLDS != fold])
        found |= dict.fromkeys(names[fold::FOLDS], without)
    return found


def kinds_of(terms: Sequence[CovarianceTerm]) -> tuple[Kind, ...]:
    """Terms by the numbers that they fall with; those that fall with none are of no kind."""
    members: dict[tuple[str, ...], list[int]] = {}
    for index, term in enumerate(terms):
        if term.lengths:
            members.setdefault(tuple(term.lengths), []).append(index)
    starts = np.cumsum([0, *map(len, members)]).tolist()
    return tuple(Kind(names, tuple(found), at) for (names, found), at in zip(members.items(), starts))


def negative_log_likelihood(vector: Floats, pairs: Handfuls) -> tuple[float, Floats]:
    """Mean over handfuls, and its slope in the logarithms of spreads, lengths and noise."""
    terms, size = len(pairs.alike), pairs.residuals.shape[1]
    spreads, noise = np.exp(2.0 * vector[:terms]), float(np.exp(2.0 * vector[-1]))
    inverse_squares = np.exp(-2.0 * vector[terms:-1])
    near = [_nearness(kind, pairs, inverse_squares) for kind in pairs.kinds]
    weights = list(pairs.alike)
    for kind, falling in zip(pairs.kinds, near):
        for term in kind.terms:
            weights[term] = weights[term] * falling
    covariance = sum(spread * weight for spread, weight in zip(spreads, weights)) + noise * np.eye(size)
    value, slope = _t_density(covariance, pairs.residuals)
    by_term = [2.0 * spread * float((slope * weight).sum()) for spread, weight in zip(spreads, weights)]
    by_length = []
    for kind in pairs.kinds:
        pull = slope * sum(spreads[term] * weights[term] for term in kind.terms)
        for offset, name in enumerate(kind.names):
            by_length.append(inverse_squares[kind.at + offset] * float((pull * pairs.squares[name]).sum()))
    found = [*by_term, *by_length, 2.0 * noise * float(np.einsum("fii->", slope))]
    return value, np.array(found) / len(pairs.residuals)


def _nearness(kind: Kind, pairs: Handfuls, inverse_squares: Floats) -> Floats:
    distance = sum(inverse_squares[kind.at + offset] * pairs.squares[name] for offset, name in enumerate(kind.names))
    return np.asarray(np.exp(-0.5 * distance))


def _t_density(covariance: Floats, residuals: Floats) -> tuple[float, Floats]:
    """Mean of the negative logarithms of multivariate t densities, and the slope of their sum in each covariance."""
    degrees, size = DEGREES_OF_FREEDOM, residuals.shape[1]
    inverse = np.linalg.inv(covariance)
    weights = np.einsum("fij,fj->fi", inverse, residuals)
    far = (weights * residuals).sum(axis=1)
    value = 0.5 * (degrees + size) * np.log1p(far / degrees) + 0.5 * np.linalg.slogdet(covariance)[1]
    pull = (degrees + size) / (degrees + far)
    slope = 0.5 * (inverse - pull[:, None, None] * weights[:, :, None] * weights[:, None, :])
    return float(value.mean()), slope


def _handfuls(prior: PhasePrior, grouped: GroupedPoints, groups: Sequence[str], seed: int) -> Handfuls:
    chance, members = np.random.default_rng(seed), grouped.by_group()
    drawn = np.array([
        chance.choice(members[name], HANDFUL, replace=len(members[name]) < HANDFUL)
        for name in groups for _ in range(HANDFULS)
    ])  # fmt: skip
    rows = Vocabulary(grouped.points).rows(grouped.points)
    residuals = np.array([point.log_residual for point in grouped.points])
    numbers = rows.numbers[:, drawn]
    squares = (numbers[:, :, :, None] - numbers[:, :, None, :]) ** 2
    return Handfuls(
        residuals[drawn],
        np.array([_alike(term, rows, drawn) for term in prior.terms]),
        dict(zip(NUMBERS, squares)),
        kinds_of(prior.terms),
    )


def _alike(term: CovarianceTerm, rows: Rows, drawn: NDArray[np.int64]) -> Floats:
    found = np.ones((*drawn.shape, drawn.shape[1]))
    for name in term.same:
        labels = rows.labels[LABELS.index(name)][drawn]
        found *= labels[:, :, None] == labels[:, None, :]
    for name in term.equal:
        numbers = rows.numbers[NUMBERS.index(name)][drawn]
        found *= np.abs(numbers[:, :, None] - numbers[:, None, :]) < LEAST_DIFFERENCE
    if term.share:
        shares = rows.shares[SHARES.index(term.share)][drawn]
        found *= shares[:, :, None] * shares[:, None, :]
    return found


def _with(prior: PhasePrior, values: Floats, kinds: Sequence[Kind]) -> PhasePrior:
    rounded = [float(f"{value:.3g}") for value in values]
    count = len(prior.terms)
    terms = [msgspec.structs.replace(term, log_sd=sd) for term, sd in zip(prior.terms, rounded)]
    for kind in kinds:
        begin = count + kind.at
        lengths = dict(zip(kind.names, rounded[begin : begin + len(kind.names)]))
        for index in kind.terms:
            terms[index] = msgspec.structs.replace(terms[index], lengths=lengths)
    return msgspec.structs.replace(prior, terms=tuple(terms), noise_log_sd=rounded[-1])
