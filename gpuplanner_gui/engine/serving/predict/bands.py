"""80 % bands of predicted cases: of a new installation by `engine.evidence.certainty`, of stacks by groups left out."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.domain.local_calibration import ErrorPhase
from gpuplanner_gui.domain.serving_engine import InferenceStacks, StackBand
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.evidence.certainty import LoadTraits, step_log_sd
from gpuplanner_gui.engine.kernels.choice import FORMATS
from gpuplanner_gui.engine.serving.deployments import formats_of_case
from gpuplanner_gui.engine.serving.predict.stacks import is_known, traits_of

STACK_LOADS = frozenset(("batch", "offline", "server", "steady", "samples"))


def banded(case: ServingCase, metric: str, value: float, context: Context) -> tuple[float, float]:
    """Lower and upper end of the band around a value."""
    if case.load in STACK_LOADS:
        stacks = context.calibration.stacks
        band = stack_band(case.load, metric, is_known(traits_of(case, context), stacks), stacks)
        return value * math.exp(band.low), value * math.exp(band.high)
    low_sd, high_sd = loop_log_sds(case, metric, context)
    return value * math.exp(-Z_80 * low_sd), value * math.exp(Z_80 * high_sd)


def loop_log_sds(case: ServingCase, metric: str, context: Context) -> tuple[float, float]:
    """Spread of the logarithm of a metric of loops, pools and runs at a rate, towards less and more, by the rule of
    `engine.evidence.certainty`."""
    phase: ErrorPhase = "prefill" if quantity_of(metric) == "prefill" else "decode"
    statistic = open_loop_quantity(metric) if case.load == "open_loop" else phase
    factor = context.calibration.errors.factor(statistic)
    load, asked = load_traits(case), (context, case.engine, case.model.kind, *case_place(case, context), phase)
    low, high = (step_log_sd(*asked, one)[0] for one in (replace(load, is_burst=False), load))
    return factor * float(low), factor * float(high)


def case_place(case: ServingCase, context: Context) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Index of a case's accelerator and of the format that most of its weights have."""
    accelerator = context.devices.ids.index(case.accelerator)
    return np.array([accelerator]), np.array([FORMATS.index(formats_of_case(case).expert)])


def load_traits(case: ServingCase) -> LoadTraits:
    """Runs at a rate have some requests at once; users in a loop may have started together."""
    is_pools, is_alone = case.load == "disaggregated", case.load == "closed_loop" and case.concurrency <= 1
    is_burst = case.load != "open_loop" and not is_alone
    return LoadTraits(not is_alone, is_pools, is_pools and case.layout.replicas == 0, is_burst)


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
