"""The chance with which a plan has to keep its targets, as a share and as a score of the standard normal."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.domain.economics import Confidence
from gpuplanner_gui.domain.preset import UncertaintyDefaults
from gpuplanner_gui.domain.quantity import Lognormal, Quantity, central, is_uncertain
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.uncertainty.distributions import bounded_quantile, normal_quantile

COMMON_SHARE = 0.65
"""Correlation of the errors of candidates of one group: the middle of 0.5 to 0.8."""


def sigma_of_band(low80: NDArray[np.floating[Any]] | float, high80: NDArray[np.floating[Any]] | float) -> Floats:
    """Standard deviation of the logarithm that an 80 % band stands for. [1]"""
    with np.errstate(invalid="ignore"):  # A time without bound has no band.
        sigma: Floats = np.log(np.asarray(high80, float) / np.asarray(low80, float)) / (2 * Z_80)
    return sigma


CHANCES: dict[Confidence, float] = {"expected": 0.5, "p80": 0.8, "p95": 0.95}


def chance_asked(scenario: Scenario) -> float:
    """Chance that every target holds, as the planner asks for it. [1]"""
    return CHANCES[scenario.economics.uncertainty.confidence]


def score_asked(scenario: Scenario) -> float:
    """Standard normal score of that chance: 0 where the expected figures are planned with. [1]"""
    return float(normal_quantile(chance_asked(scenario)))


def between_failures(scenario: Scenario, defaults: UncertaintyDefaults) -> tuple[Quantity, float]:
    """A service's time between failures of a replica as a spread and its scale: the planner's own, or the usual one."""
    assert scenario.serving is not None
    entered = scenario.serving.start.mtbf_s
    if is_uncertain(entered):
        return entered, 1.0
    usual = next((one.distribution.value for one in defaults.inputs if one.id == "failure_rate"), 1.0)
    if isinstance(usual, Lognormal) and scenario.economics.uncertainty.usual_spreads:
        return Lognormal(1.0, usual.sigma), central(entered)
    return 1.0, central(entered)


def sure_between_failures_s(scenario: Scenario, defaults: UncertaintyDefaults) -> float:
    """Time between failures that availability is planned with: half of what may fail is left to the latency. [s]"""
    assert scenario.serving is not None
    if chance_asked(scenario) <= CHANCES["expected"]:
        return central(scenario.serving.start.mtbf_s)
    spread, scale = between_failures(scenario, defaults)
    return scale * float(bounded_quantile(spread, (1.0 - chance_asked(scenario)) / 2.0, 1e-6, float("inf")))


def log_sd_of(quantity: Quantity) -> float:
    """Spread of the logarithm of a positive quantity, by its middle 80 %. [1]"""
    low, high = (float(bounded_quantile(quantity, one, 1e-6, float("inf"))) for one in (0.1, 0.9))
    return float(sigma_of_band(low, high))
