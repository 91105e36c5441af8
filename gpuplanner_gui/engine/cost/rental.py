"""Renting: bills by part, prepaid terms, currencies, and prices that have aged."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from gpuplanner_gui.engine.cost.finance import Values, capital_recovery_factor
from gpuplanner_gui.engine.cost.ownership import HOURS_PER_YEAR, MONTHS_PER_YEAR
from gpuplanner_gui.engine.formula import formula

HOURS_PER_MONTH = HOURS_PER_YEAR / MONTHS_PER_YEAR
OLD_PRICE_DAYS = 90
"""Contract prices of H100s moved by 38 % in five months of 2025-26: a quarter is enough to be wrong by 20 %."""


@dataclass(frozen=True)
class RentalBill:
    """What rented capacity costs in a month. [USD/month]"""

    devices_usd: Values
    storage_usd: Values
    egress_usd: Values
    support_usd: Values

    @property
    def total(self) -> Values:
        return self.devices_usd + self.storage_usd + self.egress_usd + self.support_usd


@formula(
    title="Monthly bill of rented capacity",
    unit="USD/month",
    expression="(device_hours·price + stored_gb·price + egress_gb·price)·(1 + support_share)",
    source="sum of the parts; support is billed as a share of the rest",
)
def rental_bill_usd(
    device_hours: Values,
    usd_per_device_hour: Values,
    stored_bytes: Values,
    storage_usd_per_gb_month: Values,
    egress_bytes: Values,
    egress_usd_per_gb: Values,
    support_share: Values,
) -> RentalBill:
    """Bill of one month, by part. [USD/month]

    Parameters
    ----------
    device_hours : billed in the month, used or not. [h]
    stored_bytes, egress_bytes : mean held, and sent out, in the month. [bytes]
    storage_usd_per_gb_month, egress_usd_per_gb : per decimal gigabyte. [USD]
    support_share : of the rest of the bill. [1]
    """
    devices = device_hours * usd_per_device_hour
    storage = stored_bytes / 1e9 * storage_usd_per_gb_month
    egress = egress_bytes / 1e9 * egress_usd_per_gb
    return RentalBill(devices, storage, egress, (devices + storage + egress) * support_share)


@formula(
    title="Price of a term paid in advance",
    unit="USD/h",
    expression="usd_per_hour·((1 − upfront_share) + upfront_share·rate·term/(1 − (1 + rate)^−term))",
    source="the prepaid part spread as equal payments with interest",
)
def prepaid_usd_per_hour(usd_per_hour: Values, upfront_share: Values, term_years: Values, rate: Values) -> Values:
    """What an hour of a term really costs when part of the term is paid on its first day. [USD/h]"""
    burden = capital_recovery_factor(rate, term_years) * term_years
    return usd_per_hour * ((1 - upfront_share) + upfront_share * burden)


@formula(
    title="Price per device at equal work",
    unit="USD/h",
    expression="usd_per_hour / (1 − virtualisation_loss)",
    source="work lost to the hypervisor is bought again",
)
def bare_metal_equivalent_usd_per_hour(usd_per_hour: Values, virtualisation_loss: Values) -> Values:
    """Price of as much work as an hour on bare metal does. [USD/h]"""
    return usd_per_hour / (1 - virtualisation_loss)


@formula(
    title="Amount in dollars",
    unit="USD",
    expression="amount·usd_per_unit",
    source="exchange rate given by the planner",
)
def amount_in_usd(amount: Values, usd_per_unit: Values) -> Values:
    """Turn an amount in another currency into dollars. [USD]"""
    return amount * usd_per_unit


def price_age_days(as_of: date, today: date) -> int:
    """Days since a price was read; 0 for a price from the future. [d]"""
    return max(0, (today - as_of).days)


def is_price_old(as_of: date, today: date, limit_days: int = OLD_PRICE_DAYS) -> bool:
    """Whether a price should be read again before money is committed."""
    return price_age_days(as_of, today) > limit_days
