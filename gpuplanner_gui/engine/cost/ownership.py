"""What owning a device costs per year and per hour, by part, and when owning beats renting; the time value of money.

Capital recovery, present value, internal rate of return, payback. Rates are per year as fractions (0.1 is 10 %). Use
either nominal rates with nominal cash flows or real with real.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Values
from gpuplanner_gui.domain.constants import HOURS_PER_YEAR, MONTHS_PER_YEAR
from gpuplanner_gui.domain.ownership import CapitalParts, OwnedParts
from gpuplanner_gui.domain.price import CashQuarter
from gpuplanner_gui.engine.explaining.formula import formula

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
    expression="1 / ((1 − (1 + rate)^−⌊years⌋) / rate + (years − ⌊years⌋) / (1 + rate)^years)",
    source="Park, Contemporary Engineering Economics, equal-payment series; a part of a year is paid at its end",
)
def capital_recovery_factor(rate: Values, years: Values) -> NDArray[np.float64]:
    """Yearly payment that returns one dollar with interest over `years`; 1/years at no interest. [1/y]

    Over whole years rate·(1 + rate)^years / ((1 + rate)^years − 1).

    Examples
    --------
    >>> round(float(capital_recovery_factor(0.1, 4)), 6)
    0.315471
    """
    rates, lives = np.broadcast_arrays(np.asarray(rate, float), np.asarray(years, float))
    is_free = np.abs(rates) < NO_INTEREST
    charged = np.where(is_free, 1.0, rates)
    whole, growth = np.floor(lives), np.log1p(charged)
    worth = -np.expm1(-whole * growth) / charged + (lives - whole) * np.exp(-lives * growth)
    return np.where(is_free, 1 / lives, 1 / worth)


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
    """Purchase and interest, less resale, as equal payments at the end of each year of the useful life. [USD/y]"""
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


def net_present_value(rate: float, cash_flows: Floats, at_years: Floats) -> float:
    """Worth today of cash flows, each at its time from now. [USD]"""
    return float(np.sum(cash_flows * (1.0 + rate) ** -at_years))


def internal_rate_of_return(cash_flows: Floats, at_years: Floats) -> float:
    """Rate at which the cash flows are worth nothing today, by bisection; money out comes first. [1/y]

    NaN where no rate between -99 % and 10,000 % does it (money never comes back, or never goes out). With several
    changes of sign one of the roots is found.
    """
    low, high = LOWEST_RATE, HIGHEST_RATE
    sign_low = np.sign(net_present_value(low, cash_flows, at_years))
    if not sign_low * np.sign(net_present_value(high, cash_flows, at_years)) < 0:
        return math.nan
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        is_left = np.sign(net_present_value(middle, cash_flows, at_years)) == sign_low
        low, high = (middle, high) if is_left else (low, middle)
    return (low + high) / 2


def payback_years(cash_flows: Floats, until_years: Floats) -> float:
    """Years until the money is back, undiscounted, each flow evenly spread until its time. [y]

    Money out comes first; leave the resale out if it comes only at the end. Infinite where the sum stays below zero.
    """
    balance = np.cumsum(cash_flows)
    years = np.flatnonzero(balance >= 0)
    if not len(years):
        return math.inf
    year = int(years[0])
    left = balance[year - 1] / cash_flows[year] * (until_years[year] - until_years[year - 1])
    return float(until_years[year - 1] - left) if year else 0.0


Purchase = tuple[float, float]
"""When something is bought, in years from the first day, and for how much. [y, USD]"""
SAME_DAY_YEARS = 1e-9
"""Times closer than this are one, however they were added up."""


def bought_over_years(
    needed: Floats, starts: Floats, ends: Floats, useful_life_years: float
) -> list[tuple[float, Floats]]:
    """When to buy how many, so that what still lives is enough in each year; years on the first axis of the need.

    What is worn out is bought again only as far as it is still needed, and nothing is sold before.
    """
    bought: list[tuple[float, Floats]] = []
    due = set(starts.tolist())
    while due:
        time = min(due)
        due = {one for one in due if one > time + SAME_DAY_YEARS}
        year = int(np.searchsorted(starts, time + SAME_DAY_YEARS, "right")) - 1
        living = (usd for start, usd in bought if start + useful_life_years > time + SAME_DAY_YEARS)
        more = np.maximum(needed[year] - sum(living, np.zeros_like(needed[year])), 0.0)
        if not more.any():
            continue
        bought.append((time, more))
        if time + useful_life_years < ends[-1] - SAME_DAY_YEARS:
            due.add(time + useful_life_years)
    return bought


def held_over_years(needed: Floats, starts: Floats, ends: Floats, useful_life_years: float) -> Floats:
    """What of `bought_over_years` is held in each year, on average over the year."""
    held = np.zeros_like(needed)
    for start, more in bought_over_years(needed, starts, ends, useful_life_years):
        shares = (np.minimum(ends, start + useful_life_years) - np.maximum(starts, start)) / (ends - starts)
        for year in np.flatnonzero(shares > SAME_DAY_YEARS):
            held[year] += shares[year] * more
    return held


def cash_by_quarter(bought: Sequence[Purchase], yearly_usd: Sequence[float], years: float) -> tuple[CashQuarter, ...]:
    """Purchases in their quarter, running cost of each year in equal parts; the last quarter may be a part of one."""
    quarters = years * QUARTERS
    count = math.ceil(quarters - SAME_DAY_YEARS)
    capital = [0.0] * count
    for start, usd in bought:
        capital[int(start * QUARTERS + SAME_DAY_YEARS)] += usd
    return tuple(
        CashQuarter(
            capital_usd=capital[place],
            operating_usd=yearly_usd[place // QUARTERS] / QUARTERS * min(1.0, quarters - place),
        )
        for place in range(count)
    )


@dataclass(frozen=True)
class OwnershipTerms:
    """All that ownership costs depend on apart from the machine itself, as the scenario names it; all broadcast."""

    capital_discount: Values
    network_usd_per_device: Values
    storage_usd_per_device: Values
    installation_share: Values
    """Freight, racking and commissioning as a share of the other capital. [1]"""
    useful_life_years: Values
    residual_share: Values
    """Resale at the end of life as a share of the capital. [1]"""
    cost_of_capital: Values
    facility_usd_per_kw_month: Values
    """Colocation without power, or the yearly cost of an own building spread over months. [USD/(kW·month)]"""
    infrastructure_power_share: Values
    """Switches, storage and management as a share of the nodes' rated power. [1]"""
    power_share_of_rating: Values
    """Mean draw as a share of rated power. [1]"""
    pue: Values
    electricity_usd_per_kwh: Values
    support_share_per_year: Values
    software_usd_per_device_year: Values
    staff_usd_per_device_year: Values
    insurance_and_tax_share_per_year: Values

    def capital_usd(self, node_usd: Values) -> CapitalParts[Values]:
        """Up-front spending for one device, by part. [USD]"""
        network_usd, storage_usd = self.network_usd_per_device, self.storage_usd_per_device
        discount, installation = self.capital_discount, self.installation_share
        return device_capital_usd(node_usd, discount, network_usd, storage_usd, installation)


@formula(
    title="Capital per device",
    unit="USD",
    expression="(node_usd·(1 − discount) + network_usd + storage_usd)·(1 + installation_share)",
    source="sum of the parts",
)
def device_capital_usd(
    node_usd: Values,
    discount: Values,
    network_usd: Values,
    storage_usd: Values,
    installation_share: Values,
) -> CapitalParts[Values]:
    """Up-front spending for one device, by part. [USD]

    `node_usd` is the device with its share of the node; the discount applies to that alone.
    """
    node = node_usd * (1 - discount)
    return CapitalParts(node, network_usd, storage_usd, (node + network_usd + storage_usd) * installation_share)


@formula(
    title="Capital per device, all parts",
    unit="USD",
    expression="node + network + storage + installation",
    source="sum of the parts",
)
def device_capital_total_usd(capital: CapitalParts[Values]) -> Values:
    """Up-front spending for one device. [USD]"""
    return capital.total


@formula(
    title="Provisioned power per device",
    unit="W",
    expression="rated_power_w·(1 + infrastructure_share)",
    source="switches, storage and management draw a share of the nodes' power",
)
def provisioned_power_w(rated_power_w: Values, infrastructure_share: Values) -> Values:
    """Power that the facility must hold ready for one device with its share of the node, before cooling. [W]"""
    return rated_power_w * (1 + infrastructure_share)


@formula(
    title="Yearly facility cost",
    unit="USD/y",
    expression="usd_per_kw_month·rated_power_w/1000·12",
    source="colocation is billed on provisioned power",
)
def facility_usd_per_year(rated_power_w: Values, usd_per_kw_month: Values) -> Values:
    """Space, cooling plant and power feeds, sized for rated power. [USD/y]"""
    return usd_per_kw_month * (rated_power_w / 1000) * MONTHS_PER_YEAR


@formula(
    title="Yearly electricity cost",
    unit="USD/y",
    expression="rated_power_w/1000·power_use·pue·usd_per_kwh·8760",
    source="energy is billed on mean power, cooling included",
)
def electricity_usd_per_year(rated_power_w: Values, power_use: Values, pue: Values, usd_per_kwh: Values) -> Values:
    """Electricity of a year; `power_use` is mean over rated draw. Zero price if colocation includes power. [USD/y]"""
    return rated_power_w / 1000 * power_use * pue * usd_per_kwh * HOURS_PER_YEAR


@formula(
    title="Yearly cost of owning",
    unit="USD/y",
    expression="capital + facility + energy + support + software + staff + insurance and tax",
    source="sum of the parts",
)
def owned_usd_per_year(
    annual_capital_usd: Values,
    facility_usd: Values,
    energy_usd: Values,
    capital_usd: Values,
    support_share: Values,
    software_usd: Values,
    staff_usd: Values,
    insurance_and_tax_share: Values,
) -> OwnedParts[Values]:
    """What one device costs in a year, by part; support, insurance and tax are shares of `capital_usd`. [USD/y]"""
    return OwnedParts(
        annual_capital_usd,
        facility_usd,
        energy_usd,
        support_share * capital_usd,
        software_usd,
        staff_usd,
        insurance_and_tax_share * capital_usd,
    )


@formula(
    title="Owned cost per device-hour",
    unit="USD/h",
    expression="(capital + facility + energy + support + software + staff + insurance and tax) / 8760",
    source="spread over every hour of the year",
)
def owned_usd_per_hour(annual: OwnedParts[Values]) -> Values:
    """Cost of an hour, used or not. [USD/h]"""
    return annual.total / HOURS_PER_YEAR


@formula(
    title="Cost per useful device-hour",
    unit="USD/h",
    expression="usd_per_hour / (availability·utilisation)",
    source="idle hours are charged to the hours in use",
)
def useful_usd_per_hour(usd_per_hour: Values, availability: Values, utilisation: Values) -> Values:
    """Cost of an hour of work; infinite for a device that is never used. [USD/h]"""
    with np.errstate(divide="ignore"):
        return np.asarray(usd_per_hour, float) / (np.asarray(availability, float) * utilisation)


@formula(
    title="Break-even share of hours",
    unit="1",
    expression="owned_usd / rent_usd",
    source="owned hours cost the same used or idle, rented hours only when used",
)
def break_even_utilisation(owned_usd: Values, rent_usd: Values) -> Values:
    """Share of hours in use above which owning is cheaper, rent being for all; above 1, renting always wins. [1]"""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.divide(owned_usd, rent_usd)


def running_usd_per_year(annual: OwnedParts[Values]) -> Floats:
    """Yearly cost of a device that stands there already; of one without a price, support and insurance are not known.
    [USD/y]"""
    running = annual.total - annual.capital_usd
    unpriced = np.asarray(annual.facility_usd + annual.energy_usd + annual.software_usd + annual.staff_usd)
    return np.where(np.isnan(running), unpriced, running)


def owned_cost(terms: OwnershipTerms, node_usd: Values, rated_power_w: Values) -> OwnedParts[Values]:
    """Yearly cost of one device with its share of the node under the given terms, by part. [USD/y]"""
    capital_usd = device_capital_total_usd(terms.capital_usd(node_usd))
    rate, years = terms.cost_of_capital, terms.useful_life_years
    residual_usd = present_residual_usd(capital_usd, terms.residual_share, rate, years)
    power_w = provisioned_power_w(rated_power_w, terms.infrastructure_power_share)
    return owned_usd_per_year(
        annual_capital_usd(capital_usd, residual_usd, capital_recovery_factor(rate, years)),
        facility_usd_per_year(power_w, terms.facility_usd_per_kw_month),
        electricity_usd_per_year(power_w, terms.power_share_of_rating, terms.pue, terms.electricity_usd_per_kwh),
        capital_usd,
        terms.support_share_per_year,
        terms.software_usd_per_device_year,
        terms.staff_usd_per_device_year,
        terms.insurance_and_tax_share_per_year,
    )
