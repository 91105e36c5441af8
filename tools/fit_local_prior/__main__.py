"""Fit the prior of local calibration and write `catalogs/local_prior.json`.

    python -m tools.fit_local_prior [--seconds 120]

A search for the spreads of the terms, their lengths and the noise, judged by how much 1, 3 and 5 random points of a
group help the rest of it, and that points of another model on the same accelerator do no harm. Closed loops are
predicted by fits that have not seen their group.
"""

from __future__ import annotations

import argparse
import time
from datetime import date

import msgspec
import numpy as np

from gpuplanner_gui.domain.local_calibration import (
    NUMBERS,
    SHARES,
    CovarianceTerm,
    LocalPrior,
    PhasePrior,
    Weighted,
)
from tools.fit_local_prior.left_out import left_out_points
from tools.fit_local_prior.measured import REPOSITORY, GroupedPoints, all_points, shipped_context
from tools.fit_local_prior.score import coverage, folds, objective, sibling_folds

OUTPUT = REPOSITORY / "catalogs" / "local_prior.json"
ONE_MODEL = ("model", "accelerator")
DEPLOYED = (*ONE_MODEL, "engine", "precision", "arrangement")
ALL = ("",)
BLOCKS: tuple[tuple[tuple[str, ...], tuple[str, ...], bool, float], ...] = (
    (ONE_MODEL, ALL, False, 0.03),
    ((*ONE_MODEL, "engine"), ALL, False, 0.03),
    ((*ONE_MODEL, "arrangement"), ALL, False, 0.03),
    ((*ONE_MODEL, "engine", "precision"), ALL, False, 0.035),
    (DEPLOYED, ALL, False, 0.06),
    (ONE_MODEL, ALL, True, 0.035),
    ((*ONE_MODEL, "engine"), ALL, True, 0.04),
    (DEPLOYED, ALL, True, 0.08),
    (ONE_MODEL, SHARES, False, 0.02),
    (DEPLOYED, SHARES, False, 0.02),
    (("accelerator", "engine", "arrangement"), SHARES, False, 0.015),
)
"""What two cases share, the resources whose efficiencies that is (empty: all of the time), whether it is smooth, and
the spread that the search starts from. All resources of a block have the same."""
LENGTHS = (2.5, 0.95, 2.0, 4.7, 4.8)
NOISE, POOLS_NOISE, UNCHANGED = 0.02, 0.15, 1.0
SMALLER = (1.5, 1.0, 0.3)
"""Factors on the spreads at the start: where the shipped calibration has seen the results, little is left to learn."""
SCALES = (0.03, 0.3, 1.0, 3.0, 30.0, 300.0)
"""Of the variance; the largest are for machines that nobody has timed."""
FAR = 0.1
"""Weight of the last two."""
NOISE_SCALES = (0.3, 1.0, 4.0, 16.0)
SOURCES = (
    "tests/fidelity/data: measured-serving-dev (aiconfigurator-core 0.12, Apache-2.0) and measured-training-dev; judged"
    " on groups of architecture × accelerator by random points of each",
)
COUNTS = (1, 3, 5)
TESTED = 40
"""Of each group during the search."""
CHILDREN, WEIGHTS = 8, np.array([0.5, 0.3, 0.2])
"""Tried in a generation, and how much the best of them count for the next."""
BAND = 0.8
WIDTHS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def prior_of(vector: np.ndarray) -> PhasePrior:  # type: ignore[type-arg]
    """The prior that a vector of logarithms stands for."""
    values = np.exp(vector)
    terms = tuple(
        CovarianceTerm(same=same, share=share, is_smooth=smooth, log_sd=float(f"{value:.3g}"))
        for (same, shares, smooth, _), value in zip(BLOCKS, values)
        for share in shares
    )
    at = len(BLOCKS)
    lengths = {name: float(f"{value:.3g}") for name, value in zip(NUMBERS, values[at:])}
    noise, pools, unchanged = (float(f"{value:.3g}") for value in values[at + len(NUMBERS) :])
    weights = (unchanged, 1.0, 1.0, 1.0, FAR, FAR)
    return PhasePrior(
        terms=terms,
        lengths=lengths,
        noise_log_sd=noise,
        pools_noise_log_sd=pools,
        signal_scales=tuple(Weighted(scale=scale, weight=weight) for scale, weight in zip(SCALES, weights)),
        noise_scales=tuple(Weighted(scale=scale, weight=1.0) for scale in NOISE_SCALES),
    )


def start_vector(smaller: float) -> np.ndarray:  # type: ignore[type-arg]
    spreads = [smaller * spread for *_, spread in BLOCKS]
    return np.log(np.array([*spreads, *LENGTHS, NOISE, POOLS_NOISE, UNCHANGED]))


def searched(grouped: GroupedPoints, seconds: float, seed: int = 1) -> tuple[PhasePrior, float]:
    """The best prior found in so many seconds, and its objective.

    An evolution strategy: each generation starts from the mean of the last one's best, every number at a pace of its
    own.
    """
    chosen = folds(grouped, COUNTS, 4, seed, TESTED) + sibling_folds(grouped, 10, 2, seed, TESTED)
    chance = np.random.default_rng(seed)
    starts = [start_vector(smaller) for smaller in SMALLER]
    least, middle = min(((objective(prior_of(one), grouped, chosen), one) for one in starts), key=lambda pair: pair[0])
    best, pace = middle, np.full(len(middle), 0.2)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        moved = middle + chance.normal(size=(CHILDREN, len(middle))) * pace
        found = np.array([objective(prior_of(one), grouped, chosen) for one in moved])
        fittest = moved[np.argsort(found)[: len(WEIGHTS)]]
        pace = np.sqrt(0.85 * pace**2 + 0.15 * ((fittest - middle) ** 2).mean(axis=0))
        middle = WEIGHTS @ fittest
        if found.min() < least:
            least, best = float(found.min()), moved[int(np.argmin(found))]
    return with_width(prior_of(best), grouped, seed), least


def with_width(prior: PhasePrior, grouped: GroupedPoints, seed: int) -> PhasePrior:
    """The prior with the least width at which the band holds as often as asked for, or as it did before."""
    chosen = folds(grouped, COUNTS, 4, seed + 1)
    wanted = min(BAND, coverage(msgspec.structs.replace(prior, least_width=1.0), grouped, chosen))
    for width in WIDTHS:
        prior = msgspec.structs.replace(prior, least_width=width)
        if coverage(prior, grouped, chosen) >= wanted:
            break
    return prior


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=120.0, help="of search for each phase")
    seconds = parser.parse_args().seconds
    phases = {}
    context = shipped_context()
    for phase, grouped in (all_points(context) | left_out_points(context)).items():
        phases[phase], least = searched(grouped, seconds)
        print(f"{phase}: {len(grouped.points)} points, {len(grouped.by_group())} groups, objective {least:.3f}")
    prior = LocalPrior(phases=phases, sources=SOURCES, date=date.today().isoformat())
    OUTPUT.write_bytes(msgspec.json.format(msgspec.json.encode(prior), indent=2) + b"\n")
    print(f"written: {OUTPUT}")


if __name__ == "__main__":
    main()
