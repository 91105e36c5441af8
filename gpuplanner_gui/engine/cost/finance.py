"""The time value of money: capital recovery, present value, internal rate of return, payback.

Rates are per year as fractions (0.1 is 10 %). Use either nominal rates with nominal cash flows or real with real.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.price import CashQuarter
from gpuplanner_gui.engine.explaining.formula import formula

Values = float | NDArray[np.floating[Any]]

QUARTERS = 4
LOWEST_RATE = -0.99
HIGHEST_RATE = 100.0
NO_INTEREST = 1e-15
"""Rates below this lose all their digits in the formula; without interest the result is the same to 1e-13."""
BISECTIONS = 80
"""Halvings of the interval of rates: 101 / 2^80 is far below the spacing of doubles near any rate."""


@formula(
    title="Capital recovery factor",
    unit="1/y",
    expression="rate·(1 + rate)^years / ((1 + rate)^years − 1)",
    source="Park, Contemporary Engineering Economics, equal-payment series",
)
def capital_recovery_factor(rate: Values, years: Values) -> NDArray[np.float64]:
    """Yearly payment that returns one dollar with interest over `years`; 1/years at no interest. [1/y]

    Examples
    --------
    >>> round(float(capital_recovery_factor(0.1, 4)), 6)
    0.315471
    """
    rates, lives = np.broadcast_arrays(np.asarray(rate, float), np.asarray(years, float))
    is_free = np.abs(rates) < NO_INTEREST
    charged = np.where(is_free, 1.0, rates)
    return np.where(is_free, 1 / lives, charged / -np.expm1(-lives * np.log1p(charged)))


@formula(
    title="Residual value today",
    unit="USD",
    expression="residual_share·capital_usd / (1 + rate)^years",
    source="Park, Contemporary Engineering Economics, present worth",
)
def present_residual_usd(capital_usd: Values, residual_share: Values, rate: Values, years: Values) -> Values:
    """What the sale at the end of life is worth today. [USD]"""
    return residual_share * capital_usd / (1 + np.asarray(rate, float)) ** years


@formula(
    title="Yearly capital cost",
    unit="USD/y",
    expression="(capital_usd − present_residual_usd)·capital_recovery_factor",
    source="Park, Contemporary Engineering Economics, capital recovery cost",
)
def annual_capital_usd(capital_usd: Values, present_residual_usd: Values, capital_recovery_factor: Values) -> Values:
    """Purchase and interest, less resale, as equal yearly payments over the useful life. [USD/y]"""
    return (capital_usd - present_residual_usd) * capital_recovery_factor


@formula(
    title="Straight-line depreciation",
    unit="USD/y",
    expression="capital_usd·(1 − residual_share) / years",
    source="IAS 16, paragraph 62",
)
def straight_line_usd_per_year(capital_usd: Values, residual_share: Values, years: Values) -> Values:
    """Loss of book value per year: the accounting view, without interest. [USD/y]"""
    return capital_usd * (1 - residual_share) / years


def net_present_value(rate: Values, cash_flows: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Worth today of yearly cash flows, the first of them now. [USD]

    `cash_flows` has years on its last axis; `rate` broadcasts with the axes before it.
    """
    flows = np.asarray(cash_flows, float)
    years = np.arange(flows.shape[-1])
    discount = (1 + np.asarray(rate, float))[..., None] ** -years
    worth: NDArray[np.float64] = np.sum(flows * discount, axis=-1)
    return worth


def internal_rate_of_return(cash_flows: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Rate at which the cash flows are worth nothing today, by bisection. [1/y]

    `cash_flows` has years on its last axis, money out first. NaN where no rate between -99 % and 10,000 % does it
    (money never comes back, or never goes out). With several changes of sign one of the roots is found.
    """
    flows = np.asarray(cash_flows, float)
    low = np.full(flows.shape[:-1], LOWEST_RATE)
    high = np.full(flows.shape[:-1], HIGHEST_RATE)
    sign_low = np.sign(net_present_value(low, flows))
    has_root = sign_low * np.sign(net_present_value(high, flows)) < 0
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        is_left = np.sign(net_present_value(middle, flows)) == sign_low
        low, high = np.where(is_left, middle, low), np.where(is_left, high, middle)
    return np.where(has_root, (low + high) / 2, np.nan)


def payback_years(cash_flows: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Years until the money is back, undiscounted, evenly spread within a year. [y]

    `cash_flows` has years on its last axis, money out first; leave the resale out if it comes only at the end.
    Infinite where the sum stays below zero.
    """
    flows = np.asarray(cash_flows, float)
    balance = np.cumsum(flows, axis=-1)
    is_back = balance >= 0
    year = np.argmax(is_back, axis=-1)
    before = np.take_along_axis(balance, np.maximum(year - 1, 0)[..., None], axis=-1)[..., 0]
    inflow = np.take_along_axis(flows, year[..., None], axis=-1)[..., 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.where(year > 0, year - 1 - before / inflow, 0.0)
    return np.where(is_back.any(axis=-1), part, np.inf)


def cash_by_quarter(capital_usd: float, yearly_usd: float, years: float) -> tuple[CashQuarter, ...]:
    """Capital in the first quarter, running cost in equal parts; the last quarter may be a part of one."""
    quarters = years * QUARTERS
    count = math.ceil(quarters - 1e-9)
    return tuple(
        CashQuarter(
            capital_usd=capital_usd if place == 0 else 0.0,
            operating_usd=yearly_usd / QUARTERS * min(1.0, quarters - place),
        )
        for place in range(count)
    )
