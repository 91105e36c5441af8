"""Fit the prior of local calibration and write `catalogs/local_prior.json`.

    python -m tools.fit_local_prior

Spreads of the terms, their lengths and the noise are those under which random handfuls of results of each group are
likeliest; the width of bands is then the least at which they hold on the rest of a group. Results are predicted by
fits that have not seen their group.
"""

from __future__ import annotations

import argparse
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
from tools.fit_local_prior.likelihood import fitted
from tools.fit_local_prior.measured import REPOSITORY, GroupedPoints, shipped_context
from tools.fit_local_prior.score import folds, outcome, share_in_band

OUTPUT = REPOSITORY / "catalogs" / "local_prior.json"
ONE_MODEL = ("model", "accelerator")
DEPLOYED = (*ONE_MODEL, "engine", "precision", "arrangement")
BLOCKS: tuple[tuple[tuple[str, ...], tuple[str, ...], bool], ...] = (
    (ONE_MODEL, ("",), False),
    ((*ONE_MODEL, "engine"), ("",), False),
    (DEPLOYED, ("",), False),
    ((*DEPLOYED, "build"), ("",), False),
    (ONE_MODEL, ("",), True),
    ((*ONE_MODEL, "engine"), ("",), True),
    ((*DEPLOYED, "build"), ("",), True),
    (ONE_MODEL, SHARES, False),
)
"""What two cases share, the resources whose efficiencies that is (empty: all of the time), and whether it is smooth."""
SPREAD, LENGTHS, NOISE = 0.04, (2.5, 0.95, 2.0, 4.7, 4.8), 0.02
"""From which the fit starts."""
POOLS_NOISE = 0.15
SCALES = ((0.03, 0.1), (1.0, 1.0), (30.0, 0.01))
"""Of the variance, with weights: predictions that are right as they are, the usual ones, machines nobody has timed."""
NOISE_SCALES = (0.3, 1.0, 4.0, 16.0)
SOURCES = (
    "tests/fidelity/data: measured-serving-dev (aiconfigurator-core 0.12, Apache-2.0) and measured-training-dev; fitted"
    " to random results of groups of architecture × accelerator",
)
COUNTS, DRAWS = (1, 3, 5), 4
BAND = 0.8
WIDTHS = np.arange(21) / 20.0


def start() -> PhasePrior:
    """Before anything is fitted."""
    terms = [
        CovarianceTerm(same=same, share=share, is_smooth=smooth, log_sd=SPREAD)
        for same, shares, smooth in BLOCKS
        for share in shares
    ]
    return PhasePrior(
        terms=tuple(terms),
        lengths=dict(zip(NUMBERS, LENGTHS)),
        noise_log_sd=NOISE,
        pools_noise_log_sd=POOLS_NOISE,
        signal_scales=tuple(Weighted(scale=scale, weight=weight) for scale, weight in SCALES),
        noise_scales=tuple(Weighted(scale=scale, weight=1.0) for scale in NOISE_SCALES),
    )


def fitted_phase(grouped: GroupedPoints) -> PhasePrior:
    """The prior of one phase by all its groups."""
    return with_width(fitted(start(), grouped, list(grouped.by_group())), grouped)


def with_width(prior: PhasePrior, grouped: GroupedPoints, seed: int = 2) -> PhasePrior:
    """The prior with the least width at which the band holds as often as asked for, or as it did before."""
    outcomes = [outcome(prior, grouped, fold) for fold in folds(grouped, COUNTS, DRAWS, seed)]
    wanted = min(BAND, share_in_band(outcomes, 1.0))
    held = [share_in_band(outcomes, float(width)) >= wanted for width in WIDTHS]
    return msgspec.structs.replace(prior, least_width=float(WIDTHS[held.index(True)]))


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    phases, context = {}, shipped_context()
    for phase, grouped in left_out_points(context).items():
        phases[phase] = fitted_phase(grouped)
        print(f"{phase}: {len(grouped.points)} points, {len(grouped.by_group())} groups")
    prior = LocalPrior(phases=phases, sources=SOURCES, date=date.today().isoformat())
    OUTPUT.write_bytes(msgspec.json.format(msgspec.json.encode(prior), indent=2) + b"\n")
    print(f"written: {OUTPUT}")


if __name__ == "__main__":
    main()
