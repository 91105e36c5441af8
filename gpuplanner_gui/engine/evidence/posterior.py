"""A factor and its spread at any case, given residuals at a few: a Gaussian process with heavy-tailed noise.

How large factors and noise are in the case at hand is not known beforehand, so several guesses are weighed by how well
they explain the points (Bayesian model averaging): where the shipped prediction is right within the noise, it stays.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.knowledge import (
    LABELS,
    NUMBERS,
    SHARES,
    CovarianceTerm,
    ErrorHierarchy,
    LocalPhase,
    LocalPoint,
    LocalPrior,
    PhasePrior,
    Weighted,
)
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.engine.model.parameters import model_parameters

UNSEEN = -1


@dataclass(frozen=True)
class EvidenceRows:
    """Cases: `labels` of shape (labels, N) as codes, `numbers` of shape (numbers, N), `shares` of shape (shares, N)."""

    labels: Integers
    numbers: Floats
    shares: Floats

    def __len__(self) -> int:
        return int(self.labels.shape[1])

    def at(self, index: Integers | NDArray[np.bool_] | slice) -> EvidenceRows:
        return EvidenceRows(self.labels[:, index], self.numbers[:, index], self.shares[:, index])


class Vocabulary:
    """Codes of the labels that points have; what no point has is `UNSEEN` and equals nothing."""

    def __init__(self, points: Sequence[LocalPoint]) -> None:
        self._codes = [
            {name: code for code, name in enumerate(dict.fromkeys(getattr(point, label) for point in points))}
            for label in LABELS
        ]

    def code(self, label: str, name: str) -> int:
        return self._codes[LABELS.index(label)].get(name, UNSEEN)

    def rows(self, points: Sequence[LocalPoint]) -> EvidenceRows:
        """Points as rows."""
        labels = [[self.code(label, getattr(point, label)) for point in points] for label in LABELS]
        numbers = [[getattr(point, name) for point in points] for name in NUMBERS]
        return EvidenceRows(
            np.array(labels, np.int64).reshape(len(LABELS), len(points)),
            np.array(numbers, np.float64).reshape(len(NUMBERS), len(points)),
            np.array([point.shares for point in points], np.float64).reshape(len(points), len(SHARES)).T,
        )


def model_signature(model: Model) -> str:
    """What kernels see of a model: equal for all that share an architecture, whatever their name."""
    layers = sum(group.count for group in model.layers)
    parameters = model_parameters(model)
    return f"{model.hidden_size}×{layers}×{model.vocab_size}:{float(parameters.total):.3g}"


ONE_MODEL = ("model", "accelerator")
ONE_ENGINE = (*ONE_MODEL, "engine")
BUILT = (*ONE_ENGINE, "precision", "arrangement", "release", "month")
INSTALLATION: tuple[tuple[tuple[str, ...], float], ...] = (
    (ONE_MODEL, 0.2), (ONE_ENGINE, 0.2), ((*ONE_ENGINE, "release", "month"), 0.2), (BUILT, 0.4),
)  # fmt: skip
"""What runs share, and its part of the installation's variance: the nearer, the more."""
LOAD = {"log2_batch": 2.5, "log2_devices": 0.95, "log2_time": 2.0, "log2_prompt": 4.7, "log2_output": 4.8}
"""Distances at which loads differ."""
RUNNING = {"log2_running": LOAD["log2_batch"], "log2_time": LOAD["log2_time"]}
RUN: tuple[tuple[tuple[str, ...], dict[str, float], float], ...] = (
    (ONE_MODEL, LOAD, 0.15), (ONE_ENGINE, RUNNING, 0.15), (BUILT, LOAD, 0.4),
)  # fmt: skip
"""What near loads share, and its part of a run's variance."""
RESOURCE = 0.15
"""Part of it that the efficiency of a resource has, where all of the time goes there."""
NOISE = 0.15
"""Part of a run's spread that no other run shares."""
POOLS_NOISE_LOG_SD = 0.15
SERVING_SCALES = ((0.3, 1.0), (1.0, 1.0), (10.0, 0.1))
"""Scales of the variance, with weights: installations as they should be, usual ones, and devices that nobody has
timed."""
TRAINING_SCALES = ((0.001, 2.0), (0.03, 1.0), (0.3, 1.0), (1.0, 1.0), (3.0, 0.5), (30.0, 0.01))
"""Likewise. Half of all training steps are predicted to within a few percent, where a factor learned from few runs
would do harm: that a prediction is right is weighed as likely as not."""
NOISE_SCALES = (0.3, 1.0, 4.0, 16.0)
LEAST_WIDTH: dict[LocalPhase, float] = {"prefill": 0.0, "decode": 0.4, "training": 0.5}
"""Least width of bands at which four in five hold on the rest of a group that is partly measured
(`tools.fidelity.local_fit`)."""


@lru_cache(maxsize=4)
def local_prior(errors: ErrorHierarchy) -> LocalPrior:
    """The prior of own measurements; errors are compared by identity."""
    found: dict[LocalPhase, PhasePrior] = {}
    for phase in LEAST_WIDTH:
        own = errors.training if phase == "training" else errors.phase(phase)
        found[phase] = phase_prior(phase, own.installation, own.run)
    return LocalPrior(phases=found, memory=errors.memory)


def phase_prior(phase: LocalPhase, installation_log_sd: float, run_log_sd: float) -> PhasePrior:
    """The prior of one phase from what its installations and their runs vary by."""

    def spread(whole: float, part: float) -> float:
        return whole * math.sqrt(part)

    terms = (
        *(CovarianceTerm(same=same, log_sd=spread(installation_log_sd, part)) for same, part in INSTALLATION),
        *(CovarianceTerm(same=same, lengths=near, log_sd=spread(run_log_sd, part)) for same, near, part in RUN),
        *(CovarianceTerm(same=ONE_MODEL, share=share, log_sd=spread(run_log_sd, RESOURCE)) for share in SHARES),
    )
    scales = TRAINING_SCALES if phase == "training" else SERVING_SCALES
    return PhasePrior(
        terms=terms,
        noise_log_sd=NOISE * run_log_sd,
        pools_noise_log_sd=POOLS_NOISE_LOG_SD,
        signal_scales=tuple(Weighted(scale=scale, weight=weight) for scale, weight in scales),
        noise_scales=tuple(Weighted(scale=scale, weight=1.0) for scale in NOISE_SCALES),
        least_width=LEAST_WIDTH[phase],
    )


DEGREES_OF_FREEDOM = 1.0
"""Degrees of freedom of the noise's t distribution, so that one outlier counts little."""
ROBUST_ROUNDS = 5
LEAST_VARIANCE = 1e-10
AT_ONCE = 2**16
"""Pairs of cases and points that are compared at once, so that they stay in the cache."""
LEAST_DIFFERENCE = 1e-6
"""Least difference of numbers that are not equal."""


def covariance(prior: PhasePrior, left: EvidenceRows, right: EvidenceRows) -> Floats:
    """Covariance of the log factors of two sets of cases, shape (left, right).

    Notes
    -----
    Each term adds its variance where all its labels and numbers agree, times exp(−d²/2) where it has lengths; d is the
    distance of the numbers over these. A term of a share is an efficiency of that resource: it counts as far as both
    spend their time there.
    """
    pairs = _Pairs(left, right)
    total = np.zeros((len(left), len(right)))
    for term in prior.terms:
        weight = pairs.alike(term.same, term.equal) * term.log_sd**2
        if term.lengths:
            weight *= pairs.nearness(tuple(term.lengths.items()))
        if term.share:
            which = SHARES.index(term.share)
            weight *= left.shares[which][:, None] * right.shares[which]
        total += weight
    return total


class _Pairs:
    """What terms ask of pairs of cases; each answer is made once."""

    def __init__(self, left: EvidenceRows, right: EvidenceRows) -> None:
        self._left, self._right = left, right
        self._alike: dict[tuple[tuple[str, ...], tuple[str, ...]], Floats] = {}
        self._near: dict[tuple[tuple[str, float], ...], Floats] = {}
        self._square: dict[str, Floats] = {}

    def alike(self, same: tuple[str, ...], equal: tuple[str, ...]) -> Floats:
        """1 where all these labels and numbers agree, else 0."""
        found = self._alike.get((same, equal))
        if found is None:
            agree = np.ones((len(self._left), len(self._right)), bool)
            for name in same:
                here, there = (side.labels[LABELS.index(name)] for side in (self._left, self._right))
                agree &= (here[:, None] == there) & (here != UNSEEN)[:, None]
            for name in equal:
                agree &= self._squares(name) < LEAST_DIFFERENCE**2
            found = self._alike[same, equal] = agree.astype(np.float64)
        return found

    def nearness(self, lengths: tuple[tuple[str, float], ...]) -> Floats:
        """exp(−d²/2) of the distance of these numbers over their lengths."""
        found = self._near.get(lengths)
        if found is None:
            distance = sum(self._squares(name) / length**2 for name, length in lengths)
            found = self._near[lengths] = np.asarray(np.exp(-0.5 * distance))
        return found

    def _squares(self, name: str) -> Floats:
        found = self._square.get(name)
        if found is None:
            here, there = (side.numbers[NUMBERS.index(name)] for side in (self._left, self._right))
            found = self._square[name] = (here[:, None] - there) ** 2
        return found


def prior_variance(prior: PhasePrior, rows: EvidenceRows) -> Floats:
    """Variance of each case's log factor before anything is measured, noise apart."""
    total = np.zeros(len(rows))
    for term in prior.terms:
        total += term.log_sd**2 * (rows.shares[SHARES.index(term.share)] ** 2 if term.share else 1.0)
    return total


def band_width(prior: PhasePrior, rows: EvidenceRows, variance: Floats, noise: Floats) -> Floats:
    """What remains of a band's width where points leave this variance; noise is a variance, of the case itself. [1]

    `least_width` holds the errors that differ from case to case within what the terms take for alike.
    """
    return width_of(share_left(prior, rows, variance, noise), prior.least_width)


def share_left(prior: PhasePrior, rows: EvidenceRows, variance: Floats, noise: Floats) -> Floats:
    """Share of the prior variance that the points leave."""
    return np.minimum((variance + noise) / (prior_variance(prior, rows) + noise), 1.0)


def width_of(left: Floats, least_width: float) -> Floats:
    """Width of a band where points leave such a share of the variance."""
    floor = least_width**2
    return np.asarray(np.sqrt(floor + (1.0 - floor) * left))


@dataclass(frozen=True)
class _Guess:
    """One guess at the scales, fitted to the points."""

    scale: float
    noise_scale: float
    log_evidence: float
    weights: Floats
    """Solution of covariance · weights = residuals."""
    lower: Floats
    """Cholesky factor of the points' covariance, noise included."""
    noise: Floats
    """Variance of each point as its residual suggests."""
    level: Floats
    """The same before any residual was seen."""


class Posterior:
    """Log factors given residuals. `residuals` and `noise` have an entry per row; noise is a variance."""

    def __init__(self, prior: PhasePrior, rows: EvidenceRows, residuals: Floats, noise: Floats) -> None:
        self._prior = prior
        self._rows = rows
        shared = covariance(prior, rows, rows)
        pairs = [(signal, level) for signal in prior.signal_scales for level in prior.noise_scales]
        self._guesses = [
            _guess(shared, residuals, noise, signal.scale, level.scale, np.log(signal.weight * level.weight))
            for signal, level in pairs
        ]
        evidence = np.array([one.log_evidence for one in self._guesses])
        raised = np.exp(evidence - evidence.max(initial=-np.inf))
        self._shares = raised / raised.sum()

    def mean_and_variance(self, rows: EvidenceRows) -> tuple[Floats, Floats]:
        """Log factor at each row and the variance that is left of it, noise apart."""
        if not len(self._rows) or not len(rows):
            scale = _usual_scale(self._prior)
            return np.zeros(len(rows)), scale * prior_variance(self._prior, rows)
        step = max(AT_ONCE // len(self._rows), 1)
        parts = [self._part(rows.at(slice(at, at + step))) for at in range(0, len(rows), step)]
        return np.concatenate([mean for mean, _ in parts]), np.concatenate([spread for _, spread in parts])

    def _part(self, rows: EvidenceRows) -> tuple[Floats, Floats]:
        across = covariance(self._prior, rows, self._rows)
        whole = prior_variance(self._prior, rows)
        means, variances = [], []
        for one in self._guesses:
            means.append(one.scale * across @ one.weights)
            solved = np.linalg.solve(one.lower, one.scale * across.T)
            variances.append(np.maximum(one.scale * whole - (solved**2).sum(axis=0), 0.0))
        mean = np.tensordot(self._shares, np.array(means), 1)
        spread = np.tensordot(self._shares, np.array(variances) + (np.array(means) - mean) ** 2, 1)
        return np.asarray(mean), np.asarray(spread)

    def unmeasured_variance(self, rows: EvidenceRows) -> Floats:
        """Variance that each row would have without points, at the scales that the points speak for."""
        scale = sum(share * one.scale for share, one in zip(self._shares, self._guesses))
        return np.asarray(scale * prior_variance(self._prior, rows))

    def joint(self, rows: EvidenceRows) -> Floats:
        """Covariance of the log factors at several rows that points leave, shape (rows, rows)."""
        own = covariance(self._prior, rows, rows)
        if not len(self._rows):
            return _usual_scale(self._prior) * own
        across = covariance(self._prior, rows, self._rows)
        found = np.zeros(own.shape)
        for share, one in zip(self._shares, self._guesses):
            solved = np.linalg.solve(one.lower, one.scale * across.T)
            found += share * (one.scale * own - solved.T @ solved)
        return found

    def left_out(self) -> tuple[Floats, Floats]:
        """Residual of each point against what the others and the prior say of it, and the spread expected of that."""
        found, variance = np.zeros(len(self._rows)), np.zeros(len(self._rows))
        for share, one in zip(self._shares, self._guesses):
            inverse = np.linalg.inv(one.lower @ one.lower.T)
            diagonal = np.maximum(np.diag(inverse), LEAST_VARIANCE)
            found += share * one.weights / diagonal
            # The noise of the point itself as it was before its residual raised it.
            variance += share * np.maximum(1.0 / diagonal - one.noise + one.level, LEAST_VARIANCE)
        return found, np.sqrt(variance)

    def noise_scale(self) -> float:
        """Mean scale of the noise that the points suggest."""
        return float(sum(share * one.noise_scale for share, one in zip(self._shares, self._guesses)))


def _guess(
    shared: Floats, residuals: Floats, noise: Floats, scale: float, noise_scale: float, log_prior: float
) -> _Guess:
    """Fit one guess, giving points far from the others less weight round by round."""
    level = np.maximum(noise * noise_scale, LEAST_VARIANCE)
    held = level.copy()
    count = len(residuals)
    lower, weights, off = np.eye(count), np.zeros(count), np.zeros(count)
    for turn in range(ROBUST_ROUNDS):
        if turn:
            held = level * (DEGREES_OF_FREEDOM + off**2 / level) / (DEGREES_OF_FREEDOM + 1.0)
        lower = np.linalg.cholesky(scale * shared + np.diag(held))
        weights = np.linalg.solve(lower.T, np.linalg.solve(lower, residuals))
        off = held * weights
    evidence = -0.5 * float(residuals @ weights) - float(np.log(np.diag(lower)).sum()) + float(log_prior)
    evidence += float(_price_of_tails(off, held, level).sum())
    return _Guess(scale, noise_scale, evidence, weights, lower, held, level)


def _price_of_tails(off: Floats, held: Floats, level: Floats) -> Floats:
    """What noise of each point must add to the evidence for having been raised: its t density over the Gaussian's.

    Without it, a guess that calls every point an outlier would explain all of them for nothing.
    """
    of_t = -0.5 * (DEGREES_OF_FREEDOM + 1.0) * np.log1p(off**2 / (DEGREES_OF_FREEDOM * level)) - 0.5 * np.log(level)
    return np.asarray(of_t + 0.5 * off**2 / held + 0.5 * np.log(held))


def _usual_scale(prior: PhasePrior) -> float:
    """The weighted median of the guesses: the largest are for rare cases, and must not speak for all."""
    ranked = sorted(prior.signal_scales, key=lambda one: one.scale)
    reached = np.cumsum([one.weight for one in ranked])
    return ranked[int(np.searchsorted(reached, reached[-1] / 2.0))].scale
