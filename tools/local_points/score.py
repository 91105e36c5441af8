"""How much a few points of a group help the rest of it, under a prior."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.local_calibration import PhasePrior
from gpuplanner_gui.engine.evidence.points import noise_variance
from gpuplanner_gui.engine.evidence.posterior import Posterior, share_left, width_of
from gpuplanner_gui.engine.evidence.rows import Vocabulary
from tools.local_points.measured import GroupedPoints

MOST_TESTED = 150
FEWEST_TESTED = 5
Array = np.ndarray


@dataclass(frozen=True)
class Fold:
    """Points to learn from and points to test on."""

    group: str
    count: int
    learned: Array
    tested: Array


@dataclass(frozen=True)
class Outcome:
    """Median errors of a fold's tested points, and the share in the band."""

    fold: Fold
    before: float
    after: float
    needed: Array
    """Of the stated band, what would have held each tested point."""
    left: Array
    """Of the variance with the points over that without."""

    def in_band(self, least_width: float) -> float:
        """Share of tested points in a band of at least such a width."""
        return float(np.mean(self.needed <= width_of(self.left, least_width)))


def folds(
    grouped: GroupedPoints, counts: Sequence[int], draws: int, seed: int, most_tested: int = MOST_TESTED
) -> list[Fold]:
    """Random draws of so many points out of every group, the rest, or many of it, to test on."""
    chance = np.random.default_rng(seed)
    found = []
    for name, members in grouped.by_group().items():
        for count in counts:
            if len(members) < count + FEWEST_TESTED:
                continue
            for _ in range(draws if count else 1):
                learned = chance.choice(members, count, replace=False)
                tested = np.setdiff1d(members, learned)
                if len(tested) > most_tested:
                    tested = chance.choice(tested, most_tested, replace=False)
                found.append(Fold(name, count, learned, tested))
    return found


def outcome(prior: PhasePrior, grouped: GroupedPoints, fold: Fold) -> Outcome:
    """Learn from a fold's points and test on the others."""
    learned = [grouped.points[index] for index in fold.learned]
    tested = [grouped.points[index] for index in fold.tested]
    residuals = np.array([point.log_residual for point in tested])
    vocabulary = Vocabulary(learned)
    noise = noise_variance(learned, prior.noise_log_sd, prior.pools_noise_log_sd)
    posterior = Posterior(prior, vocabulary.rows(learned), np.array([one.log_residual for one in learned]), noise)
    asked = vocabulary.rows(tested)
    mean, variance = posterior.mean_and_variance(asked)
    test_noise = noise_variance(tested, prior.noise_log_sd, prior.pools_noise_log_sd)
    left = share_left(prior, asked, variance, test_noise) if len(learned) else np.ones(len(tested))
    stated = np.array([np.log(point.high80 / point.predicted) for point in tested])
    return Outcome(
        fold,
        float(np.median(np.abs(np.expm1(-residuals)))),
        float(np.median(np.abs(np.expm1(mean - residuals)))),
        np.abs(residuals - mean) / stated,
        left,
    )


def by_group(outcomes: Sequence[Outcome], least_width: float) -> dict[tuple[str, int], tuple[float, float, float]]:
    """Mean over draws: error before and after, share in the band."""
    found: dict[tuple[str, int], list[tuple[float, float, float]]] = {}
    for one in outcomes:
        key = (one.fold.group, one.fold.count)
        found.setdefault(key, []).append((one.before, one.after, one.in_band(least_width)))
    return {key: tuple(np.mean(many, axis=0).tolist()) for key, many in found.items()}
