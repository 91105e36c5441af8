"""One fleet or two, from a plan's own candidates: every strategy over the horizon, with what it wastes.

Fleets of their own are the plan's recommended ones, paid for as the page on cost has them; where both of these use the
same owned devices at once, one may move to other devices. One fleet for both is the cheapest of the devices that can do
both. Where a run's devices are held all year, it takes the fewest that end it in its window. All money is present
value.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.constants import HOURS_PER_YEAR
from gpuplanner_gui.domain.decision import (
    Fleet,
    FleetRole,
    FleetsAnswer,
    FleetSpan,
    Strategy,
    StrategyAnswer,
    Tier,
)
from gpuplanner_gui.domain.plan import Plan, Reason
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.advisor.case import (
    Advised,
    AdvisedRun,
    AdvisedService,
    draw_share_of,
    idle_share_of,
    price_in_use,
    prices_on_term,
    quote_of,
    serving_case,
    stock_usd_per_hour,
    training_case,
)
from gpuplanner_gui.engine.advisor.training_rules import best_rows
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.cost.bill import (
    FleetYears,
    PlanYears,
    YearlyNeed,
    beside_run,
    factors_of_years,
    trended,
    worth_of_payments,
)
from gpuplanner_gui.engine.cost.commitment import OWNED, CommitmentPlan, MixPrices
from gpuplanner_gui.engine.cost.resources import resource_account
from gpuplanner_gui.engine.decision.fleet_years import (
    fleet_years,
    held_need,
    leaving_stock,
    need_over_years,
    stock_beside_rent,
    years_in_units,
)
from gpuplanner_gui.engine.decision.resource_use import cost_shares, serving_use, training_use
from gpuplanner_gui.engine.decision.ways_to_pay import (
    cheapest_mix,
    cost_of_capital,
    data_bill,
    mixed_offers,
    need_by_hour,
    service_mix,
)
from gpuplanner_gui.engine.fleet.devices_over_time import (
    RunNeed,
    cheapest_alike,
    fewest_in_windows,
    held_hours,
    horizon_hours,
    opening_hour,
    shared_devices,
    training_windows,
    years_of,
)
from gpuplanner_gui.engine.training.communication import cluster_for

MOST_SHARED = 8
"""Kinds of device that are weighed for both workloads together, the cheapest of a year and a run."""
MOST_OWNED_COUNTS = 32
"""Numbers of owned devices beside which a service's rent is tried."""
LATE_RUNS = (Reason.NONE, Reason.MISSES_DEADLINE, Reason.OVER_BUDGET)
"""A larger fleet finishes in time what the candidate alone does not."""


def fleets_of_plan(scenario: Scenario, plan: Plan, context: Context) -> FleetsAnswer | None:
    """Weigh one shared fleet, two fleets, and bursts of rented training capacity.

    None where the scenario does not both train and serve, or no accelerator with a price can do one of them.
    """
    if plan.serving is None or plan.training is None:
        return None
    weighed = _Weighed(scenario, plan, context)
    if weighed.service is None or weighed.run is None or not weighed.windows:
        return None
    if not plan.serving.peak_rate_per_s > 0 or not weighed.opens_h < weighed.hours:
        return None
    loss = central(scenario.economics.fleets.switching_loss)
    fewer = weighed.on_fewest(weighed.run)
    # A released run is the plan's; on owned devices also one that costs less, or leaves more of them to the service.
    cheaper = weighed.run_on(cheapest_alike(plan.trained.table, weighed.run.best.row)) or weighed.run
    several = (weighed.run, cheaper, fewer) if stock_beside_rent(weighed.run).devices[0] else (weighed.run,)
    released = {one.best.row: one for one in several}.values()
    ways: dict[Strategy, tuple[_Held, ...]] = {
        "shared": (weighed.shared(None),), "time_shared": (weighed.shared(loss),),
        "two_fleets": weighed.apart(weighed.kept, fewer), "burst": weighed.apart(weighed.burst, *released),
    }  # fmt: skip
    strategies = tuple(
        StrategyAnswer(
            strategy=name, fleets=tuple(weighed.account(one) for one in fleets),
            timeline=tuple(span for one in fleets for span in one.spans if span.usd > 0 and math.isfinite(one.usd)),
        )
        for name, fleets in ways.items()
    )  # fmt: skip
    return FleetsAnswer(
        strategies=strategies, horizon_h=float(weighed.hours), opens_h=float(weighed.opens_h),
        windows_h=tuple((float(one.start_h), float(one.end_h)) for one in weighed.windows), options=len(weighed.both),
    )  # fmt: skip


@dataclass(frozen=True)
class _Held:
    """One fleet over the horizon; its money is infinite where it cannot be had."""

    role: FleetRole
    accelerator: str
    service: int = -1
    run: int = -1
    """Candidates of the plan."""
    provider: str = ""
    devices: float = 0.0
    owned_devices: float = 0.0
    """The most that it uses at once of what the planner has already."""
    devices_usd: float = math.inf
    data_usd: float = 0.0
    paid_hours: float = 0.0
    training_hours: float = 0.0
    serving_hours: float = 0.0
    spans: tuple[FleetSpan, ...] = ()

    @property
    def usd(self) -> float:
        return self.devices_usd + self.data_usd


class _Weighed:
    """A scenario that trains and serves over its horizon."""

    def __init__(self, scenario: Scenario, plan: Plan, context: Context) -> None:
        self.scenario, self.plan, self.context, self.economics = scenario, plan, context, scenario.economics
        self.service, self.run = serving_case(scenario, plan, context), training_case(scenario, plan, context)
        trained = plan.trained.table
        run_h = 0.0 if self.run is None else float(held_hours(trained)[self.run.best.row])
        self.hours, self.windows = horizon_hours(scenario), training_windows(scenario, run_h)
        self.opens_h = opening_hour(scenario, self.windows)
        # The best layout of each accelerator, one that is late alone included.
        is_run = np.isin(trained.reason, [int(one) for one in LATE_RUNS]) & np.isfinite(trained.usd_per_run)
        self.services, self.runs = best_rows(plan.served.table), best_rows(trained, is_run)
        month, run = plan.served.table.usd_per_month, plan.trained.table.usd_per_run
        usd = {
            one: float(month[self.services[one]] * 12 + run[self.runs[one]])
            for one in self.services.keys() & self.runs.keys()
        }
        is_borne_out = context.prices(self.economics, "rent_on_demand").is_borne_out
        priced = [one for one in usd if math.isfinite(usd[one])]
        self.both = sorted([one for one in priced if is_borne_out[one]] or priced, key=usd.__getitem__)[:MOST_SHARED]

    def service_on(self, row: int) -> AdvisedService | None:
        """The service on another candidate."""
        chosen = msgspec.structs.replace(self.plan.served, best=row)
        return serving_case(self.scenario, msgspec.structs.replace(self.plan, serving=chosen), self.context)

    def run_on(self, row: int) -> AdvisedRun | None:
        """The run on another candidate."""
        chosen = msgspec.structs.replace(self.plan.trained, best=row)
        return training_case(self.scenario, msgspec.structs.replace(self.plan, training=chosen), self.context)

    def on_fewest(self, case: AdvisedRun) -> AdvisedRun:
        """The run of the fewest devices of the same kind that ends in its window."""
        return self.run_on(fewest_in_windows(self.plan.trained.table, case.best.row, self.windows)) or case

    def worth(self, hour: float) -> float:
        """Worth today of a dollar at an hour of the plan. [1]"""
        return float((1.0 + central(self.economics.ownership.cost_of_capital)) ** -(hour / HOURS_PER_YEAR))

    def rent_factor(self, hour: float) -> float:
        """Rent at an hour of the plan over today's, as its worth today. [1]"""
        return self.worth(hour) * float(trended(central(self.economics.price_trend_per_year), hour / HOURS_PER_YEAR))

    def bill_factor(self, hour: float, price_trend_per_year: float = 0.0) -> float:
        """Worth today of a dollar billed in the plan's year of an hour, at its prices, as on the page on cost. [1]"""
        years = PlanYears.of(self.hours / HOURS_PER_YEAR)
        year = int(np.searchsorted(years.starts, hour / HOURS_PER_YEAR, side="right")) - 1
        worth = worth_of_payments(years, central(self.economics.ownership.cost_of_capital))
        return float(worth[year] * factors_of_years(price_trend_per_year, year + 1, 0)[year])

    def apart(self, train: Callable[[AdvisedRun], _Held], *runs: AdvisedRun) -> tuple[_Held, _Held]:
        """A fleet for each workload, for whichever of some runs both cost the least. Where both use the same owned
        devices at once, the second has those that the first leaves, or is on the best of the other kinds of device."""
        assert self.service is not None
        served, found = self.serving(self.service), list[tuple[_Held, _Held]]()
        for run in runs:
            trained = train(run)
            is_beside = any(one.end_h > self.opens_h for one in trained.spans)
            used = trained.owned_devices + served.owned_devices
            if trained.accelerator != served.accelerator or not is_beside or used <= stock_beside_rent(run).devices[0]:
                found.append((trained, served))
                continue
            services, others = self.elsewhere(served.accelerator)
            left = [leaving_stock(self.service, trained.owned_devices), *services]
            moved = [leaving_stock(run, served.owned_devices), *others]
            found += [(trained, self.serving(one)) for one in left] + [(train(one), served) for one in moved]
        return min(found, key=lambda both: sum(one.usd for one in both))

    def elsewhere(self, name: str) -> tuple[list[AdvisedService], list[AdvisedRun]]:
        """The best of each workload on another kind of device, of a run also that of the fewest."""
        others = [who for who, one in enumerate(self.context.accelerators) if one.id != name]
        rows = (next((one[who] for who in one if who in others), -1) for one in (self.services, self.runs))
        service, run = self.service_on(next(rows)), self.run_on(next(rows))
        return [service] if service else [], [run, self.on_fewest(run)] if run else []

    def serving(self, case: AdvisedService) -> _Held:
        """The cheapest fleet that only serves, on as many of the owned devices as pay: one that runs all year costs
        more than to rent for the few hours in which it is needed."""
        full, stock, each = self._serving_on(case), stock_beside_rent(case).devices[0], case.devices_together
        if case.stated_procurement == "own" or not full.owned_devices:
            return full
        fewer = np.unique(np.linspace(0, full.owned_devices // each, MOST_OWNED_COUNTS).astype(np.int64))[:-1] * each
        return min(
            (full, *(self._serving_on(leaving_stock(case, stock - one)) for one in fewer)), key=lambda one: one.usd
        )

    def _serving_on(self, case: AdvisedService) -> _Held:
        """A fleet that only serves, paid for as the page on cost has it over the years from its opening."""
        late, need = self._from_opening(case)
        replicas, each = need_by_hour(late, need), case.devices_together
        if case.stated_procurement == "own":
            held = self._owned("serving", late, fleet_years(late, need, "own"), self.opens_h)
        else:
            mix, data = service_mix(late, need), self._service_data_usd(late, need)
            held = self._rented("serving", late, mix, need.years, each, self.opens_h, data)
        return replace(
            held, service=case.best.row, devices=float(replicas.max()) * each,
            serving_hours=float(replicas.sum()) * each,
        )  # fmt: skip

    def kept(self, case: AdvisedRun) -> _Held:
        """A fleet that only trains and is held from the first window to the end of the horizon."""
        devices, start = self._run_need(case).devices_within(self.windows), self.windows[0].start_h
        if not math.isfinite(devices):
            return _Held("training", case.best.accelerator.id, run=case.best.row)
        hours = self.hours - start
        if case.stated_procurement == "own" or devices <= stock_beside_rent(case).devices[0]:
            need = held_need(np.full(hours, devices))
            held = self._owned("training", case, fleet_years(case, need, "own"), start)
        else:
            # A job does not span sites: owned devices that are too few for it are not used.
            years = PlanYears.of(hours / HOURS_PER_YEAR)
            mix = cheapest_mix(case, np.ones(hours, np.int64), mixed_offers(case, devices), years)
            held = self._rented("training", case, mix, years, devices, start, self._run_data_usd())
        return replace(held, run=case.best.row, devices=devices, training_hours=self._trained(case))

    def burst(self, case: AdvisedRun) -> _Held:
        """A fleet for each training window that is released after it, paid by the hour until the run is done: owned
        where those are enough for the job, else rented."""
        name, hours = case.best.accelerator.id, case.best.of("device_hours")
        devices, stock = self._run_need(case).devices_within(self.windows), stock_beside_rent(case)
        is_owned = devices <= stock.devices[0]
        if is_owned:
            price, support_share, trend = stock_usd_per_hour(case, stock), 0.0, 0.0
        else:
            case = leaving_stock(case, math.inf)
            price, support_share = price_in_use(case, "rent_on_demand"), central(self.economics.renting.support_share)
            trend = central(self.economics.price_trend_per_year)
        usd = hours * price * (1.0 + support_share)
        if not math.isfinite(usd * devices):
            return _Held("training", name, run=case.best.row)
        spans = tuple(
            FleetSpan(
                role="training", tier="committed" if is_owned else "by_the_hour", accelerator=name,
                start_h=float(one.start_h), end_h=float(min(one.end_h, one.start_h + math.ceil(hours / devices))),
                devices=devices, usd=usd * self.bill_factor(one.start_h, trend),
            )
            for one in self.windows
        )  # fmt: skip
        trained = self._trained(case)
        return _Held(
            "training", name, run=case.best.row, devices=devices, devices_usd=sum(one.usd for one in spans),
            data_usd=0.0 if is_owned else self._run_data_usd(), paid_hours=trained, training_hours=trained,
            spans=spans, owned_devices=devices if is_owned else 0.0,
            provider="" if is_owned else quote_of(case, self.economics, "rent_on_demand").provider,
        )  # fmt: skip

    def shared(self, switching_loss: float | None) -> _Held:
        """The cheapest fleet of one kind of device that does both, held throughout."""
        found = [self._shared_on(who, switching_loss) for who in self.both]
        return min(found, key=lambda one: one.usd, default=_Held("shared", ""))

    def _shared_on(self, who: int, switching_loss: float | None) -> _Held:
        row = fewest_in_windows(self.plan.trained.table, self.runs[who], self.windows)
        service, run = self.service_on(self.services[who]), self.run_on(row)
        name = self.context.accelerators[who].id
        if service is None or run is None:
            return _Held("shared", name)
        # What the load needs in each hour: what it leaves of owned devices is there for the run.
        late, years_open = self._from_opening(leaving_stock(service, math.inf))
        serving, each = np.zeros(self.hours), service.devices_together
        serving[self.opens_h :] = need_by_hour(late, years_open) * each
        need, case = self._run_need(run), run if run.stated_procurement == "own" else service
        devices = shared_devices(serving, need, self.windows, 1.0, switching_loss)
        if not (devices < np.iinfo(np.int64).max).all():
            # No number, or of a run so long that no count of devices holds it.
            return _Held("shared", name)
        # A run that takes what serving leaves may be on any of the devices.
        job = devices if switching_loss is not None else np.full(self.hours, need.devices_within(self.windows))
        open_hours, idle = float(years_open.devices @ years_open.years.lengths) * HOURS_PER_YEAR, idle_share_of(run)
        works = self._trained(run) * (draw_share_of(run) - idle) + open_hours * (draw_share_of(service) - idle)
        drawn = idle + works / float(devices.sum())
        if case.stated_procurement == "own":
            held = self._bought_for_both(case, devices, max(float(job.max()), each), drawn)
        else:
            data = self._run_data_usd() + self._service_data_usd(late, years_open)
            held = self._rented_for_both(case, devices, np.minimum(job, devices), each, drawn, data)
        return replace(
            held, service=self.services[who], run=row,
            training_hours=self._trained(run), serving_hours=float(serving.sum()),
        )  # fmt: skip

    def _bought_for_both(self, case: Advised, devices: Floats, together: float, drawn: float) -> _Held:
        """One fleet that is bought for so many devices in each hour, of which so many may work together."""
        units = prices_on_term(case, "own").units
        assert units.network is not None
        # What stays inside a box needs no fabric between them, else all of them are on one.
        reach = 1.0 if together <= units.network.box_devices[0] else math.inf
        fleet = years_in_units(units, held_need(devices), "own", (), reach, is_one_job=True, drawn=drawn)
        return self._owned("shared", case, fleet, 0)

    def _rented_for_both(
        self, case: Advised, devices: Floats, job: Floats, each: float, drawn: float, data_usd: float
    ) -> _Held:
        """One fleet of owned devices, and of rented ones beyond them, for a job and replicas of so many devices."""
        years, stock, who = PlanYears.of(self.hours / HOURS_PER_YEAR), stock_beside_rent(case), np.arange(self.hours)
        held = np.full(self.hours, stock.devices[0])
        trains = replace(stock, devices=held).used_by(who, job, np.maximum(job, 1.0))
        serves = replace(stock, devices=held - trains).used_by(who, devices - job, np.full(self.hours, each))
        owned = np.where(devices <= held, devices, trains + serves)
        added, of_year = devices - owned, np.array([owned[year].max() for year in years_of(self.hours)])
        most = float(added.max())
        offers = mixed_offers(case, most, parts=most) if most > 0 else (MixPrices(0.0),)
        mix = cheapest_mix(case, added.astype(np.int64), offers, years)
        if mix is not None and of_year.any():
            mix = mix.beside_owned(of_year, years, of_year * stock_usd_per_hour(case, stock, drawn))
        found = self._rented("shared", case, mix, years, 1.0, 0, data_usd if most > 0 else 0.0)
        return replace(found, devices=float(devices.max()))

    def _rented(
        self, role: FleetRole, case: Advised, mix: CommitmentPlan | None, years: PlanYears, each: float, start_h: int,
        data_usd: float,
    ) -> _Held:  # fmt: skip
        """Money and hours of a mix whose units are so many devices: what is reserved, then the rest by the hour."""
        if mix is None:
            return _Held(role, case.best.accelerator.id)
        is_held, is_owned = mix.tier > 0, mix.tier == OWNED
        # Owned devices cost the same to run whenever it starts.
        times = np.where(is_owned, self.worth(start_h), self.rent_factor(start_h))
        usd = mix.present_usd(years, cost_of_capital(case)) * times
        hours = mix.paid_hours(years) * each
        parts: tuple[tuple[Tier, NDArray[np.bool_]], ...] = (("committed", is_held), ("by_the_hour", ~is_held))
        return _Held(
            role, case.best.accelerator.id, provider=mix.paid_to, devices_usd=float(usd.sum()), data_usd=data_usd,
            paid_hours=float(hours.sum()), owned_devices=float(mix.units[is_owned.any(axis=1)].sum()) * each,
            spans=tuple(
                self._span(role, kind, case, start_h, float(hours[one].sum()), float(usd[one].sum()))
                for kind, one in parts
            ),
        )  # fmt: skip

    def _owned(self, role: FleetRole, case: Advised, fleet: FleetYears, start_h: int) -> _Held:
        """What is bought for each year's highest load, in whole units, and stays."""
        usd = float(fleet.bill(self.economics).present_usd(cost_of_capital(case))) * self.worth(start_h)
        paid = fleet.owned_devices + fleet.held(self.economics, fleet.added_devices)
        hours = float((paid * fleet.need.years.lengths).sum()) * HOURS_PER_YEAR
        if not math.isfinite(usd):
            return _Held(role, case.best.accelerator.id)
        return _Held(
            role, case.best.accelerator.id, devices=float(paid.max()), devices_usd=usd, paid_hours=hours,
            owned_devices=float(fleet.owned_devices.max()),
            spans=(self._span(role, "committed", case, start_h, hours, usd),),
        )  # fmt: skip

    def _span(self, role: FleetRole, tier: Tier, case: Advised, start_h: int, hours: float, usd: float) -> FleetSpan:
        return FleetSpan(
            role=role, tier=tier, accelerator=case.best.accelerator.id, start_h=float(start_h),
            end_h=float(self.hours), devices=hours / (self.hours - start_h), usd=usd,
        )  # fmt: skip

    def _from_opening(self, case: AdvisedService) -> tuple[AdvisedService, YearlyNeed]:
        """The service planned for the years from its opening."""
        years = (self.hours - self.opens_h) / HOURS_PER_YEAR
        economics = msgspec.structs.replace(self.economics, horizon_years=years)
        late = replace(case, scenario=msgspec.structs.replace(case.scenario, economics=economics))
        return late, need_over_years(late)

    def _run_need(self, case: AdvisedRun) -> RunNeed:
        table, who = case.best.table, int(case.best.table.accelerator[case.best.row])
        fitting = table.devices[(table.accelerator == who) & table.fits]
        node = float(cluster_for(self.context.catalog, self.scenario.hardware).node_devices[who])
        least = float(fitting.min()) if len(fitting) else 1.0
        return RunNeed(case.best.of("device_hours"), case.best.of("devices"), least, node)

    def _trained(self, case: AdvisedRun) -> float:
        return case.best.of("device_hours") * len(self.windows)

    def _run_data_usd(self) -> float:
        """What a provider bills for the data of all runs, were all devices rented. [USD]"""
        each = float(beside_run(self.economics, "rent_on_demand").billed_usd(0.0))
        return sum(each * self.bill_factor(one.start_h) for one in self.windows)

    def _service_data_usd(self, late: AdvisedService, need: YearlyNeed) -> float:
        """What a provider bills for the data of the service from its opening. [USD]"""
        return float(data_bill(late, need).present_usd(cost_of_capital(late))) * self.worth(self.opens_h)

    def account(self, one: _Held) -> Fleet:
        """The fleet with what its money buys, and what of it does work."""
        who = next((place for place, entry in enumerate(self.context.accelerators) if entry.id == one.accelerator), 0)
        worked = (
            (one.training_hours, training_use(self.scenario, self.plan, self.context, one.run)),
            (one.serving_hours, serving_use(self.scenario, self.plan, one.service)),
        )
        paid, used = resource_account(
            one.devices_usd if math.isfinite(one.devices_usd) else 0.0,
            cost_shares(self.context, self.economics, self.economics.serving_procurement, who), one.paid_hours, worked,
        )  # fmt: skip
        return Fleet(
            role=one.role, accelerator=one.accelerator, serving_candidate=one.service, training_candidate=one.run,
            provider=one.provider, devices=one.devices, devices_usd=one.devices_usd, data_usd=one.data_usd,
            paid_hours=one.paid_hours, training_hours=one.training_hours, serving_hours=one.serving_hours,
            paid=paid, used=used,
        )  # fmt: skip
