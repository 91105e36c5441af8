"""80 % bands of predictions, from errors of cases whose group the fit had not seen."""

from __future__ import annotations

import math

from gpuplanner_gui.domain.inference_stack import InferenceStacks, StackBand
from gpuplanner_gui.domain.plan import Evidence
from gpuplanner_gui.domain.serving_case import ServingCase
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving_predict.stacks import is_known, traits_of

Z_80 = 1.2815515655446004
TTFT_WIDER = 1.5
SPECIFICATION_LOG_SD = 0.35
STACK_LOADS = frozenset(("batch", "offline", "server", "steady", "samples"))


def banded(case: ServingCase, metric: str, value: float, evidence: Evidence, context: Context) -> tuple[float, float]:
    """Lower and upper end of the band around a value."""
    if case.load in STACK_LOADS:
        stacks = context.calibration.stacks
        band = stack_band(case.load, metric, is_known(traits_of(case, context), stacks), stacks)
        return value * math.exp(band.low), value * math.exp(band.high)
    spread = context.calibration.engine(case.engine).log_sd
    if metric.startswith("ttft"):
        spread *= TTFT_WIDER
    if evidence is Evidence.SPECIFICATION:
        spread = math.hypot(spread, SPECIFICATION_LOG_SD)
    factor = math.exp(Z_80 * spread)
    return value / factor, value * factor


def quantity_of(metric: str) -> str:
    """What a metric is about: one phase, all of a request, memory."""
    if metric.startswith(("ttft", "prefill")):
        return "prefill"
    if metric.startswith(("tpot", "itl", "decode")):
        return "decode"
    return "memory" if metric == "peak_memory" else "whole"


UNKNOWN = StackBand(low=-Z_80 * 0.5, high=Z_80 * 0.5, rows=0)
"""Where no measurement of any kind gives a band."""


def stack_band(load: str, metric: str, known: bool, stacks: InferenceStacks) -> StackBand:
    """The first, most special band that fits."""
    quantity = quantity_of(metric)
    for band in stacks.bands:
        fits = band.load in ("", load) and band.quantity in ("", quantity)
        if fits and band.is_known in (None, known):
            return band
    return UNKNOWN
