"""80 % bands of predictions, from errors of cases whose group the fit had not seen."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gpuplanner_gui.domain.inference_stack import InferenceStacks, StackBand
from gpuplanner_gui.domain.plan import Evidence
from gpuplanner_gui.domain.serving_band import ServingBand
from gpuplanner_gui.domain.serving_case import ServingCase
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.predict.stacks import is_known, traits_of
from gpuplanner_gui.engine.serving.rates import family_of

Z_80 = 1.2815515655446004
SPECIFICATION_LOG_SD = 0.35
STACK_LOADS = frozenset(("batch", "offline", "server", "steady", "samples"))


def banded(case: ServingCase, metric: str, value: float, evidence: Evidence, context: Context) -> tuple[float, float]:
    """Lower and upper end of the band around a value."""
    if case.load in STACK_LOADS:
        stacks = context.calibration.stacks
        band = stack_band(case.load, metric, is_known(traits_of(case, context), stacks), stacks)
        return value * math.exp(band.low), value * math.exp(band.high)
    low, high = loop_band(case, metric, context.calibration.serving_bands, context)
    if evidence is Evidence.SPECIFICATION:
        low, high = -math.hypot(low, Z_80 * SPECIFICATION_LOG_SD), math.hypot(high, Z_80 * SPECIFICATION_LOG_SD)
    return value * math.exp(low), value * math.exp(high)


def loop_band(case: ServingCase, metric: str, bands: Sequence[ServingBand], context: Context) -> tuple[float, float]:
    """Logarithms of the band's ends around a loop or pools; other loads take the closed loop's."""
    phase = "prefill" if quantity_of(metric) == "prefill" else "decode"
    quantity = open_loop_quantity(metric) if case.load == "open_loop" else phase
    found = {(band.load, band.quantity): band for band in bands}
    band = found.get((case.load, quantity)) or found.get(("closed_loop", phase))
    if band is None:
        spread = Z_80 * context.calibration.engine(case.engine).log_sd
        return -spread, spread
    width = band.width(band_levels(case, context))
    return band.low * width, band.high * width


FORMAT_WIDTHS = {
    "": "own", "bf16": "16 bit", "fp16": "16 bit", "nvfp4": "4 bit", "mxfp4": "4 bit", "int4": "4 bit",
}  # fmt: skip
"""Formats as bands tell them apart; what is not here has 8 bits."""


def band_levels(case: ServingCase, context: Context) -> dict[str, str]:
    """The traits of a case that widen its band; one that leaves its pools' workers open has no narrow one."""
    device = context.catalog.accelerators[case.accelerator]
    return {
        "engine": case.engine,
        "kind": "dense" if case.model.kind == "dense_decoder" else "other",
        "workers": "unsaid" if case.layout.replicas == 0 else "said",
        "family": family_of(device, context.calibration.families).family,
        "precision": FORMAT_WIDTHS.get(case.expert_format or case.dense_format, "8 bit"),
    }


def quantity_of(metric: str) -> str:
    """What a metric is about: one phase, all of a request, memory."""
    if metric.startswith(("ttft", "prefill")):
        return "prefill"
    if metric.startswith(("tpot", "itl", "decode")):
        return "decode"
    return "memory" if metric == "peak_memory" else "whole"


TAILS = ("_p90", "_p95", "_p99")
"""Statistics that a few requests of a run decide."""


def open_loop_quantity(metric: str) -> str:
    """What a metric of a run at a request rate is about, its tail apart: that is less certain."""
    if metric.endswith("_per_s"):
        return "rate"
    quantity = quantity_of(metric)
    return f"{quantity}_tail" if metric.endswith(TAILS) and quantity != "whole" else quantity


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
