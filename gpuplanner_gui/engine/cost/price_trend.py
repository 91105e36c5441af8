"""How prices of rented devices move over a plan: what is rented by the hour follows, a term keeps its first day's."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.engine.explaining.formula import formula


@formula(
    title="Price after a while",
    unit="1",
    expression="(1 + price_trend_per_year)^years",
    source="a steady change, as planned or as the usual spread has it",
)
def trended(price_trend_per_year: float, years: NDArray[np.floating[Any]] | float) -> NDArray[np.float64]:
    """Price at some time over today's. [1]"""
    return np.asarray((1.0 + price_trend_per_year) ** np.asarray(years, np.float64))


def factors_of_years(price_trend_per_year: float, years: int, term_years: int) -> NDArray[np.float64]:
    """Price in each year over today's: of a term, as on the day that it began; of 0 years, the year's mean. [1]"""
    place = np.arange(years, dtype=np.float64)
    return trended(price_trend_per_year, place + 0.5 if term_years == 0 else place // term_years * term_years)
