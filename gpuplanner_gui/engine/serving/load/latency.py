"""Means and percentiles of what a client waits for, from the steps that it meets."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.simulation.arrays import Numbers, as_floats


@formula(
    title="Mean TTFT",
    unit="s",
    expression="prefill_s + wait_s + residual_s;  residual_s = (1 − prefill utilisation)·decode step/2",
    source="M/G/1 prefill beside a decoding batch",
)
def closed_form_ttft_s(prefill_s: Numbers, wait_s: Numbers, residual_s: Numbers) -> Floats:
    """Mean time to first token: the request's own prefill, the wait, and what is left of the step it arrives in. [s]"""
    return as_floats(prefill_s) + wait_s + residual_s


@formula(
    title="Mean E2E latency",
    unit="s",
    expression="ttft_s + (output_tokens − 1)·step_time_s",
    source="one token per step after the first",
)
def closed_form_e2e_s(ttft_s: Numbers, output_tokens: Numbers, step_time_s: Numbers) -> Floats:
    """Mean time from request to last token. [s]"""
    return as_floats(ttft_s) + (as_floats(output_tokens) - 1) * step_time_s


@formula(
    title="Inter-token latency, percentile",
    unit="s",
    expression="decode_step_s if percentile ≤ 1 − mixed_share, else mixed_step_s",
    source="two-point mixture of decode-only and mixed steps",
)
def itl_percentile_s(
    decode_step_s: Numbers, mixed_step_s: Numbers, mixed_share: Numbers, percentile: Numbers
) -> Floats:
    """Percentile over all tokens of the time between tokens; per-request averages (TPOT) spread far less. [s]

    `percentile` is a share, 0.99 for p99.
    """
    return np.where(as_floats(percentile) <= 1 - as_floats(mixed_share), decode_step_s, mixed_step_s)
