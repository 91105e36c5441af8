"""How far a few points can go at all: what would remain of a group's error if more were known than points tell.

For each group: the error with the one factor that suits it best, with the best one of each engine and format, and of
each release too, as if these were known; with all other points of the group given; with points that
the prior would choose instead of random ones; with a prior fitted to the group itself; and what random points leave
where the prior is exactly right. Beside them: how far runs differ that agree in all that is stated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.local_calibration import LABELS, NUMBERS, LocalPoint, PhasePrior
from gpuplanner_gui.engine.evidence.knowledge import phase_knowledge, thinned
from gpuplanner_gui.engine.evidence.points import noise_variance
from gpuplanner_gui.engine.evidence.posterior import Posterior, covariance
from gpuplanner_gui.engine.evidence.rows import Rows, Vocabulary
from tools.fit_local_prior.likelihood import fitted
from tools.fit_local_prior.measured import GroupedPoints
from tools.fit_local_prior.score import FEWEST_TESTED, Fold, outcome

Floats = NDArray[np.float64]

FACTORS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("one factor", ()),
    ("by engine and format", ("engine", "precision")),
    ("by release too", ("engine", "precision", "release", "month")),
)
"""Known factors, with what they go by."""
ASKED = ("none", *(name for name, _ in FACTORS), "all others", "{count} chosen", "{count} random, prior of its own")
FEWEST_PER_FACTOR = 3
"""Points on average, below which factors would only repeat the points."""
CANDIDATES = 401
DRAWS, MOST = 10, 160
FEWEST_CHOSEN_FROM = 10
FAR = 0.1
FREE = 0.05
"""Ridge of a fit to one group, which may go where it likes."""
LEGEND = (
    "Factors are as if known: of the whole group, of each engine and format, of each release and month too (how many,",
    "under *factors*; none where they would have fewer than three points each). *All others*: each point predicted by",
    "all the rest of its group. *Chosen*: not at random, but those of a random half that narrow the group most. *Prior",
    "of its own*: random points with spreads, lengths and noise fitted to all results of the group that is judged,",
    "which nobody could know before. *Prior right*: groups made up from the prior itself, so that nothing could be",
    "known better before the points are seen: what random ones then leave is what so few can tell. *Runs alike*: two",
    "figures of one group that agree in all that is stated, release, month and load included; what sets them apart no",
    "point can tell.",
)
Array = np.ndarray  # type: ignore[type-arg]


@dataclass(frozen=True)
class Floors:
    """Median errors of each group, and what the prior itself expects of random points."""

    title: str
    count: int
    groups: tuple[str, ...]
    error: Floats
    """Shape (groups, what is known), in the order of `ASKED`."""
    factors: NDArray[np.int64]
    """How many factors the finest division has, by group."""
    if_right: Floats
    """Error with random points over that without where residuals are drawn from the prior, by group."""
    alike: Floats
    """By how much runs that agree in all that is stated differ, as logarithms."""


def floors_of(title: str, grouped: GroupedPoints, priors: Mapping[str, PhasePrior], count: int, seed: int) -> Floors:
    """Errors of all groups that have points enough; `priors` have not seen their group."""
    chance = np.random.default_rng(seed)
    names = [name for name, members in grouped.by_group().items() if len(members) >= count + FEWEST_TESTED]
    rows, factors, if_right = [], [], []
    for name in names:
        members = grouped.by_group()[name]
        points, prior = [grouped.points[index] for index in members], priors[name]
        residuals = np.array([point.log_residual for point in points])
        known = [_with_factors(points, residuals, keys) for _, keys in FACTORS]
        rows.append([
            median_error(residuals, np.zeros(len(points))), *known, _others_given(prior, points),
            float(np.mean([_chosen(prior, grouped, name, members, count, chance) for _ in range(DRAWS)])),
            _prior_of_its_own(prior, grouped, name, members, count, chance),
        ])  # fmt: skip
        factors.append(len(set(_keys(points, FACTORS[-1][1]))))
        if_right.append(_if_right(prior, points, count, chance))
    alike = np.concatenate([apart([grouped.points[index] for index in grouped.by_group()[name]]) for name in names])
    return Floors(title, count, tuple(names), np.array(rows), np.array(factors), np.array(if_right), alike)


def median_error(residuals: Floats, log_factors: Floats) -> float:
    """Median of the errors that factors on the prediction leave."""
    return float(np.median(np.abs(np.expm1(log_factors - residuals))))


def best_factor(residuals: Floats) -> float:
    """Logarithm of the one factor with the least median error."""
    tried = np.linspace(residuals.min(), residuals.max(), CANDIDATES)
    return float(min(tried, key=lambda one: median_error(residuals, np.full(len(residuals), one))))


def _keys(points: Sequence[LocalPoint], names: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [tuple(getattr(point, name) for name in names) for point in points]


def _with_factors(points: Sequence[LocalPoint], residuals: Floats, names: tuple[str, ...]) -> float:
    """Error with the best factor of each part of the group; NaN where parts are too small to speak of one."""
    keys = _keys(points, names)
    if len(points) < FEWEST_PER_FACTOR * len(set(keys)):
        return float("nan")
    found = np.zeros(len(points))
    for key in set(keys):
        members = np.array([one == key for one in keys])
        found[members] = best_factor(residuals[members])
    return median_error(residuals, found)


def _others_given(prior: PhasePrior, points: Sequence[LocalPoint]) -> float:
    """Error of each point predicted by all the others, thinned as the program thins them."""
    left_out, _ = phase_knowledge(prior, thinned(points)).posterior.left_out()
    return median_error(left_out, np.zeros(len(left_out)))


def _chosen(
    prior: PhasePrior, grouped: GroupedPoints, name: str, members: Array, count: int, chance: np.random.Generator
) -> float:
    """Error on the rest where, of a random half of the group, those are measured that narrow it most."""
    half = chance.choice(members, max(len(members) // 2, min(FEWEST_CHOSEN_FROM, len(members))), replace=False)
    taken = half[most_telling(prior, [grouped.points[index] for index in half], count)]
    return outcome(prior, grouped, Fold(name, count, taken, np.setdiff1d(members, taken))).after


def _prior_of_its_own(
    prior: PhasePrior, grouped: GroupedPoints, name: str, members: Array, count: int, chance: np.random.Generator
) -> float:
    """Error on the rest where the prior was fitted to this very group."""
    own, errors = fitted(prior, grouped, [name], ridge=FREE), []
    for _ in range(2 * DRAWS):
        taken = chance.choice(members, count, replace=False)
        errors.append(outcome(own, grouped, Fold(name, count, taken, np.setdiff1d(members, taken))).after)
    return float(np.mean(errors))


def apart(points: Sequence[LocalPoint]) -> Floats:
    """Logarithms of the ratios of figures whose cases agree in all that is stated."""
    figures: dict[tuple[object, ...], list[float]] = {}
    for point in points:
        case = (*(getattr(point, name) for name in (*LABELS, *NUMBERS) if name != "log2_time"), point.quantity)
        figures.setdefault(case, []).append(float(np.log(point.measured)))
    pairs = [abs(one - other) for alike in figures.values() for one, other in combinations(alike, 2)]
    return np.array(pairs, np.float64)


def most_telling(prior: PhasePrior, points: Sequence[LocalPoint], count: int) -> list[int]:
    """So many of the points, each the one that takes away most variance of all once those before it are known."""
    rows = Vocabulary(points).rows(points)
    left, noise = covariance(prior, rows, rows), noise_variance(points, prior.noise_log_sd, prior.pools_noise_log_sd)
    found: list[int] = []
    for _ in range(count):
        gains = (left**2).sum(axis=0) / (np.diag(left) + noise)
        gains[found] = -1.0
        best = int(gains.argmax())
        found.append(best)
        left = left - np.outer(left[:, best], left[best]) / (left[best, best] + noise[best])
    return found


def _if_right(prior: PhasePrior, points: Sequence[LocalPoint], count: int, chance: np.random.Generator) -> float:
    """Error with random points over that without, in groups made up from the prior."""
    before, after = [], []
    for _ in range(2 * DRAWS):
        some = chance.permutation(len(points))[:MOST]
        drawn = [points[index] for index in some]
        rows = Vocabulary(drawn).rows(drawn)
        noise = noise_variance(drawn, prior.noise_log_sd, prior.pools_noise_log_sd)
        lower = np.linalg.cholesky(covariance(prior, rows, rows) + np.diag(noise))
        residuals = lower @ chance.normal(size=len(drawn))
        expected = _expected(prior, rows, residuals, noise, count)
        before.append(median_error(residuals[count:], np.zeros(len(drawn) - count)))
        after.append(median_error(residuals[count:], expected))
    return float(np.mean(after) / np.mean(before))


def _expected(prior: PhasePrior, rows: Rows, residuals: Floats, noise: Floats, count: int) -> Floats:
    learned, asked = np.arange(count), np.arange(count, len(rows))
    posterior = Posterior(prior, rows.at(learned), residuals[:count], noise[:count])
    return posterior.mean_and_variance(rows.at(asked))[0]


def floors_report(found: Sequence[Floors]) -> str:
    """The errors in Markdown."""
    lines = ["# How far points can go: median error if so much were known", "", *LEGEND, ""]
    for one in found:
        heads = [name.format(count=one.count) for name in ASKED]
        lines += [
            f"## {one.title}",
            "",
            "| group | " + " | ".join(heads) + f" | factors | {one.count} random, prior right |",
            "|---|" + "---:|" * (len(heads) + 2),
        ]
        for name, row, count, ratio in zip(one.groups, one.error, one.factors, one.if_right):
            lines.append(f"| {name} | {_cells(row)} | {count} | {ratio:.2f} of before |")
        middle = np.nanmedian(one.error, axis=0)
        lines += [
            f"| **median of groups** | {_cells(middle)} | {np.median(one.factors):.0f} |"
            f" {np.median(one.if_right):.2f} |",
            f"| **of the error without** | {_ratios(_of_without(one.error))} | | |",
            f"| **geometric mean of groups** | {_ratios(_geometric(one.error / one.error[:, :1]))} | |"
            f" {float(_geometric(one.if_right)):.2f} |",
            "",
            *_of_alike(one.alike),
        ]
    return "\n".join(lines)


def _of_alike(alike: Floats) -> list[str]:
    if not len(alike):
        return []
    middle, high = np.expm1(np.quantile(alike, (0.5, 0.9)))
    far = np.mean(alike > np.log1p(FAR))
    return [
        f"Runs alike: {len(alike)} pairs; half of them differ by {middle:.1%} or more, a tenth by {high:.0%} or more,"
        f" {far:.0%} by more than {FAR:.0%}.",
        "",
    ]


def _geometric(ratios: Floats) -> Floats:
    return np.asarray(np.exp(np.nanmean(np.log(ratios), axis=0)))


def _of_without(errors: Floats) -> Floats:
    """Median over groups, over the median without of the groups that have such a figure."""
    known = np.where(np.isfinite(errors), errors[:, :1], np.nan)
    return np.asarray(np.nanmedian(errors, axis=0) / np.nanmedian(known, axis=0))


def _cells(errors: Floats) -> str:
    return " | ".join(f"{value:.1%}" if np.isfinite(value) else "–" for value in errors)


def _ratios(values: Floats) -> str:
    return " | ".join(f"{value:.2f}" for value in values)
