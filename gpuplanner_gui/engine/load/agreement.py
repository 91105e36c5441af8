"""Closed form against simulation: by how much they differ, and whether that is more than is usual for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.engine.load.arrays import BoolArray, FloatArray
from gpuplanner_gui.engine.load.latency import closed_form_ttft_s, prefill_queue
from gpuplanner_gui.engine.load.service import Service
from gpuplanner_gui.engine.load.summary import RunSummary

SHORT_PROMPT_TOKENS = 1000.0
"""Mean prompt up to which the mean-field step time has been seen within `SHORT_ITL_BAND` of a simulation."""

SHORT_ITL_BAND = (-0.033, 0.025)
LONG_ITL_BAND = (-0.14, 0.0)
"""Closed form over simulation less 1, mean ITL at 0.3–0.75 of the capacity; long: prompts of 4,000–8,000 tokens."""

LIGHT_PREFILL_UTILISATION = 0.6
LIGHT_TTFT_BAND = (-0.10, 0.04)
HEAVY_TTFT_BAND = (0.0, 0.63)
"""The same for mean TTFT, below and above a prefill utilisation of 0.6."""

RUN_ERROR = 0.05
"""Relative error of a simulated mean TTFT with 2,000 requests; widens every band."""


@dataclass(frozen=True)
class Agreement:
    """Closed-form means at the rates of some runs, and where they leave their band; shape (runs,)."""

    rate_per_s: FloatArray
    ttft_s: FloatArray
    itl_s: FloatArray
    ttft_error: FloatArray
    itl_error: FloatArray
    ttft_differs: BoolArray
    itl_differs: BoolArray


def agreement(service: Service, runs: Sequence[RunSummary]) -> Agreement:
    """Compare mean TTFT and ITL of simulated runs with the closed form.

    Errors are closed form over simulation less 1. Where either is saturated there is nothing to compare, and nothing
    differs.
    """
    rates = np.array([run.rate_per_s for run in runs])
    step_time, mix, state = service.closed_form(rates)
    queue = prefill_queue(step_time, state, rates / service.replicas, mix, service.settings.token_budget)
    ttft = closed_form_ttft_s(queue.mean_service_s, queue.mean_wait_s, queue.residual_s)
    speculation = service.settings.speculation
    itl = state.step_time_s
    simulated_ttft = np.array([run.ttft.mean_s for run in runs])
    simulated_itl = np.array([run.itl.mean_s for run in runs])
    ttft_error, itl_error = ttft / simulated_ttft - 1, itl / simulated_itl - 1
    is_short = mix.computed_tokens <= SHORT_PROMPT_TOKENS and speculation is None
    is_light = queue.utilisation <= LIGHT_PREFILL_UTILISATION
    comparable = ~state.is_saturated & np.isfinite(ttft) & ~np.array([run.is_overloaded for run in runs])
    ttft_low = np.where(is_light, LIGHT_TTFT_BAND[0], HEAVY_TTFT_BAND[0])
    ttft_high = np.where(is_light, LIGHT_TTFT_BAND[1], HEAVY_TTFT_BAND[1])
    return Agreement(
        rate_per_s=rates,
        ttft_s=ttft,
        itl_s=itl,
        ttft_error=ttft_error,
        itl_error=itl_error,
        ttft_differs=comparable & _is_outside(ttft_error, ttft_low, ttft_high),
        itl_differs=comparable & _is_outside(itl_error, *(SHORT_ITL_BAND if is_short else LONG_ITL_BAND)),
    )


def _is_outside(error: FloatArray, low: FloatArray | float, high: FloatArray | float) -> BoolArray:
    return np.asarray((error < low - RUN_ERROR) | (error > high + RUN_ERROR))
