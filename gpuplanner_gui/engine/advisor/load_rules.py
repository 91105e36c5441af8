"""Rules that need the load curve of the chosen candidate."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.curves import LoadCurve
from gpuplanner_gui.domain.verdict import Finding
from gpuplanner_gui.engine.advisor.case import NOTE, WARNING, finding, remedy
from gpuplanner_gui.engine.simulation.knee import knee_rate_per_s


def load_findings(curve: LoadCurve | None) -> tuple[Finding, ...]:
    """Whether latency grows faster than throughput at the planned load, and where it begins to."""
    if curve is None or len(curve.rates_per_s) < 4:
        return ()
    rates, latency = curve.rates_per_s, curve.ttft_s.get("p95", curve.ttft_s["mean"])
    planned = curve.planned_rate_per_s
    if not np.isfinite(planned) or planned <= rates[0]:
        return ()
    near = np.interp([0.95 * planned, 1.05 * planned], rates, latency)
    elasticity = float(np.log(near[1] / near[0]) / np.log(1.05 / 0.95))
    knee = knee_rate_per_s(rates, curve.output_tokens_per_s, latency)
    values = {
        "elasticity": elasticity, "planned_per_s": planned, "knee_per_s": knee, "saturation_per_s": curve.max_rate_per_s
    }  # fmt: skip
    if elasticity > 1:
        cure = remedy("replicas_batching_or_memory", ttft_s=float(np.interp(planned, rates, latency)))
        return (finding("latency_outgrows_load", "serving", WARNING, values, remedy=cure),)
    if np.isfinite(knee):
        return (finding("knee_is_further_up", "serving", NOTE, values),)
    return ()
