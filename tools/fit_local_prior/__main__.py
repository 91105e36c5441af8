"""Fit the prior of local calibration and write `catalogs/local_prior.json`.

    python -m tools.fit_local_prior [--seconds 120]

The spreads of the terms, their lengths and the noise under which the residuals are most likely, then a random search
from there; judged by how much 1, 3 and 5 random points of a group help the rest of it, and that points of another model
on the same accelerator do no harm. Closed loops are predicted by fits that have not seen their group.
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
from tools.fit_local_prior.evidence import likeliest
from tools.fit_local_prior.left_out import left_out_points
from tools.fit_local_prior.measured import REPOSITORY, GroupedPoints, all_points, shipped_context
from tools.fit_local_prior.score import coverage, folds, objective, sibling_folds

OUTPUT = REPOSITORY / "catalogs" / "local_prior.json"
ONE_MODEL = ("model", "accelerator")
SAME: tuple[tuple[tuple[str, ...], str, bool], ...] = (
    (ONE_MODEL, "", False),
    ((*ONE_MODEL, "engine", "arrangement"), "", False),
    ((*ONE_MODEL, "precision"), "", False),
    ((*ONE_MODEL, "engine", "precision", "arrangement"), "", False),
    (ONE_MODEL, "", True),
    ((*ONE_MODEL, "engine", "precision", "arrangement"), "", True),
    *((ONE_MODEL, share, False) for share in SHARES),
    *(((*ONE_MODEL, "engine", "precision", "arrangement"), share, False) for share in SHARES),
    *((("accelerator", "engine", "arrangement"), share, False) for share in SHARES),
)
"""What two cases share, the resource whose efficiency that is (empty: all of the time), and whether it is smooth."""
START = (0.08, 0.05, 0.05, 0.05, 0.05, 0.1, *(0.25,) * 5, *(0.15,) * 5, *(0.03,) * 5)
LENGTHS = (3.5, 1.8, 1.1, 3.0)
NOISE, POOLS_NOISE = 0.05, 0.15
SCALES = (0.03, 0.3, 1.0, 3.0)
NOISE_SCALES = (0.3, 1.0, 4.0)
SOURCES = (
    "tests/fidelity/data: measured-serving-dev (aiconfigurator-core 0.12, Apache-2.0) and measured-training-dev; judged"
    " on groups of architecture × accelerator by random points of each",
)
COUNTS = (1, 3, 5)
BAND = 0.8
WIDTHS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def prior_of(vector: np.ndarray) -> PhasePrior:  # type: ignore[type-arg]
    """The prior that a vector of logarithms stands for."""
    values = np.exp(vector)
    terms = tuple(
        CovarianceTerm(same=same, share=share, is_smooth=smooth, log_sd=float(f"{value:.3g}"))
        for (same, share, smooth), value in zip(SAME, values)
    )
    at = len(SAME)
    lengths = {name: float(f"{value:.3g}") for name, value in zip(NUMBERS, values[at : at + 4])}
    noise, pools, unchanged = (float(f"{value:.3g}") for value in values[at + 4 :])
    weights = (unchanged, 1.0, 1.0, 1.0)
    return PhasePrior(
        terms=terms,
        lengths=lengths,
        noise_log_sd=noise,
        pools_noise_log_sd=pools,
        signal_scales=tuple(Weighted(scale=scale, weight=weight) for scale, weight in zip(SCALES, weights)),
        noise_scales=tuple(Weighted(scale=scale, weight=1.0) for scale in NOISE_SCALES),
    )


def start_vector() -> np.ndarray:  # type: ignore[type-arg]
    return np.log(np.array([*START, *LENGTHS, NOISE, POOLS_NOISE, 2.0]))


def searched(grouped: GroupedPoints, seconds: float, seed: int = 1) -> tuple[PhasePrior, float]:
    """The best prior found in so many seconds, and its objective."""
    chosen = folds(grouped, COUNTS, 3, seed) + sibling_folds(grouped, 10, 2, seed)
    chance = np.random.default_rng(seed)
    start = start_vector()
    best = np.append(likeliest(grouped, SAME, start[:-1], seed), start[-1])
    least, step = objective(prior_of(best), grouped, chosen), 0.3
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        moved = best + chance.normal(size=len(best)) * step * (chance.random(len(best)) < 0.4)
        found = objective(prior_of(moved), grouped, chosen)
        if found < least:
            best, least, step = moved, found, min(step * 1.3, 0.6)
        else:
            step = max(step * 0.97, 0.08)
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
