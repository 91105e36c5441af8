"""80 % bands of predictions, from errors of cases whose group the fit had not seen."""

from __future__ import annotations

import math

from gpuplanner_gui.domain.plan import Evidence
from gpuplanner_gui.domain.serving_case import ServingCase
from gpuplanner_gui.engine.context import Context

Z_80 = 1.2815515655446004
TTFT_WIDER = 1.5
SPECIFICATION_LOG_SD = 0.35


def banded(case: ServingCase, metric: str, value: float, evidence: Evidence, context: Context) -> tuple[float, float]:
    """Lower and upper end of the band around a value."""
    spread = context.calibration.engine(case.engine).log_sd
    if metric.startswith("ttft"):
        spread *= TTFT_WIDER
    if evidence is Evidence.SPECIFICATION:
        spread = math.hypot(spread, SPECIFICATION_LOG_SD)
    factor = math.exp(Z_80 * spread)
    return value / factor, value * factor
