"""80 % bands of what sources observe, from errors of groups that the fit had not seen: one width per phase, times a
shrunk factor per trait. They judge fits; the program's own bands are `engine.evidence.certainty`'s."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.predict.door import quantity_of
from gpuplanner_gui.engine.serving.rates import family_of
from tools.fit_serving.closed_loops import LoopProblem
from tools.fit_serving.parameters import group_weights, weighted_quantile
from tools.fit_serving.pools import PoolProblem
from tools.fit_serving.tables import MeasuredCase

FORMAT_WIDTHS = {
    "": "own", "bf16": "16 bit", "fp16": "16 bit", "nvfp4": "4 bit", "mxfp4": "4 bit", "int4": "4 bit",
}  # fmt: skip
"""Widths of formats as bands tell them apart; what is not here has 8 bits."""

LOW, HIGH = 0.09, 0.91
"""Quantiles of the seen groups' errors; a little outside 0.1 and 0.9, since the groups are few and the next one is
another: so its rows lie within in four cases of five (nested leaving out, `tools.fidelity.serving`)."""
SIZE_QUANTILE = 0.8
"""Of the errors' size, by which the levels of a trait are compared."""
GROUPS_FOR_HALF = 6.0
"""Groups of a level that tell as much about its width as all others do."""
ROUNDS = 4
NARROWEST = 0.01


@dataclass(frozen=True)
class ServingBand:
    """An 80 % band of measured over predicted, in logarithms, for a load and a phase."""

    load: str
    quantity: str
    low: float
    high: float
    factors: Mapping[tuple[str, str], float]
    """By trait and level."""
    rows: int = 0
    groups: int = 0

    def width(self, levels: Mapping[str, str]) -> float:
        """What the traits multiply the band with; an unknown level counts as the widest known, and no less than 1."""
        product = 1.0
        for trait, level in levels.items():
            known = {one: factor for (name, one), factor in self.factors.items() if name == trait}
            product *= known.get(level, max([1.0, *known.values()]))
        return product


@dataclass(frozen=True)
class Residual:
    """Logarithm of measured over predicted of one row whose group the fit had not seen."""

    load: str
    quantity: str
    group: str
    levels: Mapping[str, str]
    log: float


def loop_residuals(problem: LoopProblem, logs: tuple[Floats, Floats], context: Context) -> list[Residual]:
    """Errors of one engine's closed loops as observed, from `closed_loops.logs_of`."""
    parts = (("prefill", problem.log_ttft - logs[0]), ("decode", problem.log_tpot - logs[1]))
    return [
        Residual("closed_loop", quantity, one.group, observed_levels(one, context), float(log))
        for quantity, errors in parts
        for one, log in zip(problem.cases, errors)
        if np.isfinite(log)
    ]


def pool_residuals(
    problem: PoolProblem, logs: tuple[Floats, Floats], context: Context, as_stated: bool
) -> list[Residual]:
    """Errors of one engine's pools, from `pools.left_out_logs`; of rows as they stand, as the program reads them, or as
    recipes complete them."""
    ttft_s, tpot_s = problem.measured_s
    parts = (("prefill", np.log(ttft_s) - logs[0]), ("decode", np.log(tpot_s) - logs[1]))
    return [
        Residual("disaggregated", quantity, one.group, observed_levels(one, context), float(log))
        for quantity, errors in parts
        for one, log in zip(problem.read(as_stated), errors)
        if np.isfinite(log)
    ]


def band_levels(case: ServingCase, context: Context) -> dict[str, str]:
    """The traits of a case that widen its band."""
    device = context.catalog.accelerators[case.accelerator]
    return {
        "engine": case.engine,
        "kind": "dense" if case.model.kind == "dense_decoder" else "other",
        "family": family_of(device, context.calibration.families).family,
        "precision": FORMAT_WIDTHS.get(case.expert_format or case.dense_format, "8 bit"),
    }


def observed_levels(one: MeasuredCase, context: Context) -> dict[str, str]:
    """The traits of a row that widen the band of what is observed: pools left open count as drafts left unsaid."""
    is_open = one.source.may_speculate or one.case.layout.replicas == 0
    return band_levels(one.case, context) | {"drafts": "unsaid" if is_open else "said"}


def observed_ends(
    one: MeasuredCase, metric: str, bands: Sequence[ServingBand], context: Context
) -> tuple[float, float]:
    """Logarithms of the ends of the band around what is observed of a row."""
    (band,) = [band for band in bands if (band.load, band.quantity) == (one.case.load, quantity_of(metric))]
    width = band.width(observed_levels(one, context))
    return band.low * width, band.high * width


def bands_of(residuals: Sequence[Residual]) -> tuple[ServingBand, ...]:
    """A band for every load and phase among the residuals."""
    classes = sorted({(one.load, one.quantity) for one in residuals})
    return tuple(_band([one for one in residuals if (one.load, one.quantity) == which]) for which in classes)


def _band(rows: Sequence[Residual]) -> ServingBand:
    logs, weight = np.array([one.log for one in rows]), group_weights([one.group for one in rows])
    groups = np.array([one.group for one in rows])
    width = np.ones(len(rows))
    factors: dict[tuple[str, str], float] = {}
    for _ in range(ROUNDS):
        for trait in rows[0].levels:
            levels = np.array([one.levels[trait] for one in rows])
            usual = weighted_quantile(np.abs(logs) / width, weight, SIZE_QUANTILE)
            for level in np.unique(levels):
                own = levels == level
                count = len(np.unique(groups[own]))
                share = count / (count + GROUPS_FOR_HALF)
                size = weighted_quantile(np.abs(logs[own]) / width[own], weight[own], SIZE_QUANTILE)
                step = float((max(size, NARROWEST) / max(usual, NARROWEST)) ** share)
                factors[trait, str(level)] = factors.get((trait, str(level)), 1.0) * step
                width[own] *= step
    low, high = (weighted_quantile(logs / width, weight, share) for share in (LOW, HIGH))
    return ServingBand(
        load=rows[0].load,
        quantity=rows[0].quantity,
        low=round(min(low, -NARROWEST), 3),
        high=round(max(high, NARROWEST), 3),
        factors=factors,
        rows=len(rows),
        groups=len(np.unique(groups)),
    )
