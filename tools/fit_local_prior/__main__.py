"""Fit the prior of local calibration and write `catalogs/local_prior.json`.

    python -m tools.fit_local_prior

Spreads of the terms, their lengths and the noise are those under which random handfuls of results of each group are
likeliest; the width of bands is then the least at which they hold on the rest of a group that the prior has not seen.
Spreads of memory stay as they are. Results are predicted by fits that have not seen their group.
"""

from __future__ import annotations

import argparse
from datetime import date

import msgspec
import numpy as np

from gpuplanner_gui.domain.local_calibration import (
    SHARES,
    CovarianceTerm,
    LocalPhase,
    LocalPrior,
    PhasePrior,
    Weighted,
)
from gpuplanner_gui.files.local_calibration import load_local_prior
from tools.fit_local_prior.left_out import left_out_points
from tools.fit_local_prior.likelihood import fitted, fitted_without
from tools.fit_local_prior.measured import REPOSITORY, GroupedPoints, shipped_context
from tools.fit_local_prior.score import folds, outcome, share_in_band

OUTPUT = REPOSITORY / "catalogs" / "local_prior.json"
ONE_MODEL = ("model", "accelerator")
ONE_ENGINE = (*ONE_MODEL, "engine")
DEPLOYED = (*ONE_ENGINE, "precision", "arrangement")
RELEASED = (*DEPLOYED, "release")
BUILT = (*RELEASED, "month")
LOAD = {"log2_batch": 2.5, "log2_devices": 0.95, "log2_time": 2.0, "log2_prompt": 4.7, "log2_output": 4.8}
ALONE = {"log2_running": 2.5, "log2_time": LOAD["log2_time"]}
SPREAD, NOISE = 0.04, 0.02
"""From which the fit starts."""
TERMS: tuple[CovarianceTerm, ...] = (
    *(
        CovarianceTerm(same=same, log_sd=SPREAD)
        for same in (
            ONE_MODEL,
            ONE_ENGINE,
            (*ONE_ENGINE, "release"),
            (*ONE_ENGINE, "month"),
            (*ONE_ENGINE, "release", "month"),
            DEPLOYED,
            BUILT,
        )
    ),
    CovarianceTerm(same=RELEASED, equal=("log2_devices",), log_sd=SPREAD),
    *(
        CovarianceTerm(same=same, lengths={name: length}, log_sd=SPREAD)
        for same in (ONE_ENGINE, BUILT)
        for name, length in ALONE.items()
    ),
    CovarianceTerm(same=ONE_MODEL, lengths=LOAD, log_sd=SPREAD),
    CovarianceTerm(same=RELEASED, lengths=LOAD, log_sd=SPREAD),
    *(CovarianceTerm(same=ONE_MODEL, share=share, log_sd=SPREAD) for share in SHARES),
)
"""Why cases may be off alike: all of what they share, one number of the load at a time, the load as a whole, or the
efficiency of a resource."""
POOLS_NOISE = 0.15
RIGHT, USUAL, UNTIMED = (0.001, 2.0), (1.0, 1.0), (30.0, 0.01)
SCALES: dict[LocalPhase, tuple[tuple[float, float], ...]] = {
    "decode": (USUAL, UNTIMED),
    "prefill": (USUAL, UNTIMED),
    "training": (RIGHT, (0.03, 1.0), (0.3, 1.0), USUAL, (3.0, 0.5), UNTIMED),
}
"""Of the variance, with weights: the usual predictions, machines nobody has timed, and of training also predictions
that are right as they are or nearly, and frameworks far off. Half of all training steps are predicted to within a few
percent, where a factor learned from few runs would do harm: that a prediction is right is weighed as likely as not."""
NOISE_SCALES = (0.3, 1.0, 4.0, 16.0)
SOURCES = (
    "tests/fidelity/data: measured-serving-dev (aiconfigurator-core 0.12, Apache-2.0) and measured-training-dev; fitted"
    " to random results of groups of architecture × accelerator",
)
COUNTS, DRAWS = (1, 3, 5, 10), 8
BAND = 0.8
WIDTHS = np.arange(21) / 20.0


def start(phase: LocalPhase) -> PhasePrior:
    """Before anything is fitted."""
    return PhasePrior(
        terms=TERMS,
        noise_log_sd=NOISE,
        pools_noise_log_sd=POOLS_NOISE,
        signal_scales=tuple(Weighted(scale=scale, weight=weight) for scale, weight in SCALES[phase]),
        noise_scales=tuple(Weighted(scale=scale, weight=1.0) for scale in NOISE_SCALES),
    )


def fitted_phase(phase: LocalPhase, grouped: GroupedPoints) -> PhasePrior:
    """The prior of one phase by all its groups."""
    begun = start(phase)
    prior = fitted(begun, grouped, list(grouped.by_group()))
    return msgspec.structs.replace(prior, least_width=least_width(fitted_without(begun, grouped), grouped))


def least_width(priors: dict[str, PhasePrior], grouped: GroupedPoints, seed: int = 2) -> float:
    """The least width at which bands hold as often as asked for, or as the whole ones do.

    `priors` are those of fits without each group; groups and counts of points weigh the same.
    """
    outcomes = [outcome(priors[fold.group], grouped, fold) for fold in folds(grouped, COUNTS, DRAWS, seed)]
    shares = [share_in_band(outcomes, float(width)) for width in WIDTHS]
    wanted = min(BAND, shares[-1])
    return float(WIDTHS[[share >= wanted for share in shares].index(True)])


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    phases, context = {}, shipped_context()
    for phase, grouped in left_out_points(context).items():
        phases[phase] = fitted_phase(phase, grouped)
        print(f"{phase}: {len(grouped.points)} points, {len(grouped.by_group())} groups")
    prior = LocalPrior(phases=phases, memory=load_local_prior().memory, sources=SOURCES, date=date.today().isoformat())
    OUTPUT.write_bytes(msgspec.json.format(msgspec.json.encode(prior), indent=2) + b"\n")
    print(f"written: {OUTPUT}")


if __name__ == "__main__":
    main()
