"""The payments of an order over the years: what is bought now, later and again, and what goes on."""

from __future__ import annotations

import math

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.constants import HOURS_PER_YEAR
from gpuplanner_gui.domain.price import OrderList, RentalOrder
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.engine.advisor.case import Advised, prices_on_term, stock_usd_per_hour, year_draw_share_of
from gpuplanner_gui.engine.cost.bill import YearlyNeed, worth_of_payments
from gpuplanner_gui.engine.cost.ownership import (
    SAME_DAY_YEARS,
    Purchase,
    bought_over_years,
    cash_by_quarter,
    net_present_value,
)
from gpuplanner_gui.engine.cost.prices import OwnedPrices
from gpuplanner_gui.engine.decision.fleet_years import (
    committed_usd_per_year,
    fleet_years,
    more_over_years,
    need_over_years,
)


def order_over_years(case: Advised, order: OrderList, owned: OwnedPrices | None) -> OrderList:
    """The order with the payments of the years, as load and prices change: the planner's own positions stay.

    Parameters
    ----------
    owned : prices of one device that is bought; None where devices are rented.
    """
    need, first = need_over_years(case), (0.0, order.capital_usd)
    added: list[Purchase] = []
    again: list[Purchase] = []
    unpriced_from = 0
    if case.stated_procurement == "own" and owned is not None:
        added, again, running = _bought_over_years(case, order, owned)
    else:
        more_usd = more_over_years(case)
        unpriced_from = int(np.argmax(np.isnan(more_usd))) + 1 if np.isnan(more_usd).any() else 0
        more_usd = np.nan_to_num(more_usd)
        running = order.yearly_usd + more_usd
        # What is owned today may be too little for later years: those are paid as the scenario says.
        order = msgspec.structs.replace(order, term=case.stated_procurement if more_usd.max() > 0 else order.term)
    bought = (first, *added, *again)
    is_steady = np.allclose(running, order.yearly_usd) and not any(usd for start, usd in bought if start > 0)
    starts, usd = np.array(bought).T
    worth = worth_of_payments(need.years, order.cost_of_capital) * need.years.lengths
    return msgspec.structs.replace(
        order,
        horizon_years=need.horizon_years,
        uncounted_years=central(case.scenario.economics.horizon_years) - need.horizon_years,
        cash=cash_by_quarter(bought, running.tolist(), need.horizon_years),
        present_value_usd=net_present_value(order.cost_of_capital, usd, starts) + float(running @ worth),
        devices_by_year=() if is_steady and not unpriced_from else tuple(need.devices.tolist()),
        replacement_usd=math.fsum(usd for _, usd in again),
        unpriced_from_year=unpriced_from,
        rental=_with_rent_after(case, order, need),
    )


def _bought_over_years(
    case: Advised, order: OrderList, owned: OwnedPrices
) -> tuple[list[Purchase], list[Purchase], Floats]:
    """What is bought beyond the first day's order, what is bought again once it is worn out, and what the yearly lines
    grow to. [USD/y]"""
    need, terms = need_over_years(case), case.scenario.economics.ownership
    fleet, years, life = fleet_years(case, need, "own"), need.years, central(terms.useful_life_years)
    needed = fleet.added_devices.copy()
    needed[0] = max(needed[0], order.devices)
    capital, total, annuity = (
        float(np.ravel(one)[0]) for one in (owned.capital.total, owned.annual.total, owned.annual.capital_usd)
    )
    added: list[Purchase] = []
    again: list[Purchase] = []
    bought = [(0.0, order.devices)]
    for start, more in bought_over_years(needed, years.starts, years.ends, life):
        worn = sum(count for begun, count in bought if abs(begun + life - start) < SAME_DAY_YEARS)
        beyond = float(more) - (order.devices if start == 0 else 0.0)
        again.append((start, min(beyond, worn) * capital))
        added.append((start, max(beyond - worn, 0.0) * capital))
        bought.append((start, beyond))
    stock = prices_on_term(case, "own").units.stock
    stock_usd = stock_usd_per_hour(case, stock, year_draw_share_of(case)) * HOURS_PER_YEAR * central(terms.availability)
    held = fleet.held(case.scenario.economics, needed)
    later = (held - order.devices) * (total - annuity) + (fleet.owned_devices - order.stock_devices) * stock_usd
    return added, again, np.asarray(order.yearly_usd + later)


def _with_rent_after(case: Advised, order: OrderList, need: YearlyNeed) -> RentalOrder | None:
    """The rental with the rent that the term commits after the horizon: of all devices that the first year takes on
    it, support included."""
    if order.rental is None or order.rental.term_years <= need.horizon_years:
        return order.rental
    after_usd = (order.rental.term_years - need.horizon_years) * committed_usd_per_year(case)
    return msgspec.structs.replace(order.rental, after_horizon_usd=after_usd)
