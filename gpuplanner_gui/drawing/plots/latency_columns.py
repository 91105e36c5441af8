"""Latency against rate as columns to draw, whether it comes from the closed form or from a simulation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.load_result import SimulatedCurve
from gpuplanner_gui.domain.plan import LoadCurve

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LatencyColumns:
    """One metric of one replica; arrays over rates. `low` and `high` are the ends of p95's 80 % band."""

    rates_per_s: Floats
    latency_s: dict[str, Floats]
    low_s: Floats
    high_s: Floats
    output_tokens_per_s: Floats
    batch: Floats
    kv_use: Floats
    preemptions: Floats
    max_rate_per_s: float
    planned_rate_per_s: float
    is_simulated: bool

    def statistic(self, name: str) -> Floats:
        """A percentile or the mean; NaN where it is not known."""
        found = self.latency_s.get(name)
        return np.full(len(self.rates_per_s), np.nan) if found is None else found

    @property
    def has_latency(self) -> bool:
        return bool(len(self.rates_per_s)) and bool(np.isfinite(self.statistic("p95")).any())


def closed_form_columns(curve: LoadCurve, metric: str) -> LatencyColumns:
    """From the closed form; its band is the model's own uncertainty."""
    latency: dict[str, Floats] = getattr(curve, f"{metric}_s", {})
    p95 = latency.get("p95", np.full(len(curve.rates_per_s), np.nan))
    return LatencyColumns(
        rates_per_s=curve.rates_per_s,
        latency_s=latency,
        low_s=p95 * curve.low80_factor,
        high_s=p95 * curve.high80_factor,
        output_tokens_per_s=curve.output_tokens_per_s,
        batch=curve.batch,
        kv_use=curve.kv_use,
        preemptions=np.full(len(curve.rates_per_s), np.nan),
        max_rate_per_s=curve.max_rate_per_s,
        planned_rate_per_s=curve.planned_rate_per_s,
        is_simulated=False,
    )


def simulated_columns(curve: SimulatedCurve, metric: str, closed_form: LoadCurve) -> LatencyColumns:
    """From a simulation; its band is the model's uncertainty and the chance in one run together."""
    latency = curve.latency_s[metric]
    p95, chance = latency["p95"], np.nan_to_num(curve.band_s[metric]["p95"])
    below = np.hypot(p95 * (1 - closed_form.low80_factor), chance)
    above = np.hypot(p95 * (closed_form.high80_factor - 1), chance)
    return LatencyColumns(
        rates_per_s=curve.rates_per_s,
        latency_s=latency,
        low_s=np.maximum(p95 - below, p95 * 0.01),
        high_s=p95 + above,
        output_tokens_per_s=curve.output_tokens_per_s,
        batch=curve.batch,
        kv_use=curve.kv_use,
        preemptions=curve.preemptions.astype(np.float64),
        max_rate_per_s=curve.max_rate_per_s,
        planned_rate_per_s=closed_form.planned_rate_per_s,
        is_simulated=True,
    )
