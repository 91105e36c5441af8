"""An estate: many services and training runs over the years, on hardware that they share.

Money is in US dollars, dates are months. A workload refers to a scenario of the file; its plan gives candidates.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Literal

import msgspec

from gpuplanner_gui.domain.field import LONGEST_NAME, about

Month = Annotated[str, msgspec.Meta(pattern=r"^\d{4}-(0[1-9]|1[0-2])$", examples=["2027-01"])]
PeriodLength = Literal["quarter", "month"]
MONTHS_OF: dict[PeriodLength, int] = {"quarter": 3, "month": 1}
LONGEST_YEARS = 5
MOST_HOUR_CLASSES = 12

_Struct = msgspec.Struct


class HourClass(_Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Hours of a day in which the load of services is about the same."""

    name: Annotated[str, about("Name", longest=LONGEST_NAME)]
    hours_per_day: Annotated[float, about("Hours a day", "h", above=0, maximum=24)]
    load_share: Annotated[
        float, about("Load", "share", "Typical load in these hours, as a share of the peak.", minimum=0, maximum=1)
    ] = 1.0


USUAL_HOURS = (
    HourClass(name="peak", hours_per_day=6.0, load_share=1.0),
    HourClass(name="day", hours_per_day=8.0, load_share=0.7),
    HourClass(name="night", hours_per_day=10.0, load_share=0.3),
)


class ReservationTerm(_Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Rent at a lower price for a promise to keep the devices for a term."""

    months: Annotated[int, about("Term", "months", minimum=1, maximum=60)]
    usd_per_device_hour: Annotated[float, about("Price per device", "USD/h", minimum=0, maximum=1e6)]
    upfront_share: Annotated[float, about("Upfront", "share", "Share paid when signing.", minimum=0, maximum=1)] = 0.0


class EstateHardware(_Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A unit as it is sold, such as a node of eight devices, and the terms on which it can be had."""

    name: Annotated[str, about("Name", longest=LONGEST_NAME)]
    accelerator: Annotated[str, about("Accelerator", "", "Identifier in the catalogue.")]
    devices_per_unit: Annotated[int, about("Devices per unit", "devices", minimum=1, maximum=100_000)] = 8
    kw_per_unit: Annotated[float, about("Power per unit", "kW", "Rated, before PUE.", above=0, maximum=1e6)] = 10.2
    power_use_share: Annotated[
        float, about("Power drawn", "share", "Power drawn, as a share of the rated power.", above=0, maximum=1.5)
    ] = 0.76
    racks_per_unit: Annotated[float, about("Racks per unit", "", minimum=0, maximum=1000)] = 0.25
    cooling: Annotated[Literal["air", "liquid"], about("Cooling")] = "air"
    purchase_usd: Annotated[
        float | None,
        about("Purchase price per unit", "USD", "Installed; empty: not sold.", minimum=0, maximum=1e9),
    ] = None
    running_usd_per_month: Annotated[
        float,
        about("Running cost per unit", "USD/month", "Of an owned unit, electricity excluded.", minimum=0,
              maximum=1e8),
    ] = 0.0  # fmt: skip
    rent_usd_per_device_hour: Annotated[
        float | None,
        about("Rent per device, on demand", "USD/h", "Empty: not offered for rent.", minimum=0, maximum=1e6),
    ] = None
    reservations: Annotated[tuple[ReservationTerm, ...], about("Reservations", most=10)] = ()
    available_from: Annotated[Month | None, about("Available from", "", "First month to order it; empty: now.")] = None
    lead_time_months: Annotated[
        int, about("Lead time", "months", "From order to first use.", minimum=0, maximum=60)
    ] = 0
    units_per_period: Annotated[
        int | None,
        about("Deliveries per period", "", "Most units that are delivered in one period.", minimum=0,
              maximum=1_000_000),
    ] = None  # fmt: skip
    purchase_trend_per_year: Annotated[float, about("Purchase price trend", "1/y", minimum=-0.9, maximum=10)] = 0.0
    rent_trend_per_year: Annotated[float, about("Rental price trend", "1/y", minimum=-0.9, maximum=10)] = 0.0
    resale_share: Annotated[
        float,
        about("Resale value", "share", "Resale value of a new unit, as a share of the purchase price.", minimum=0,
              maximum=1),
    ] = 0.6  # fmt: skip
    resale_trend_per_year: Annotated[float, about("Resale value trend", "1/y", minimum=-1, maximum=0)] = -0.35


class EstateSite(_Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A place for own hardware, with its limits. An empty limit is none."""

    name: Annotated[str, about("Name", longest=LONGEST_NAME)]
    max_kw: Annotated[
        float | None, about("Power feed", "kW", "Power available at the socket, PUE included.", minimum=0, maximum=1e7)
    ] = None
    racks: Annotated[float | None, about("Racks", "", minimum=0, maximum=1e6)] = None
    max_air_kw: Annotated[float | None, about("Air cooling", "kW", minimum=0, maximum=1e7)] = None
    max_liquid_kw: Annotated[float | None, about("Liquid cooling", "kW", minimum=0, maximum=1e7)] = None
    pue: Annotated[float, about("PUE", minimum=1, maximum=4)] = 1.25
    electricity_usd_per_kwh: Annotated[float, about("Electricity", "USD/kWh", minimum=0, maximum=10)] = 0.085
    grid_g_co2e_per_kwh: Annotated[float, about("Grid carbon", "g/kWh", minimum=0, maximum=2000)] = 369.0


class StandingUnits(_Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Own units that stand in a pool when the estate begins."""

    hardware: Annotated[str, about("Hardware")]
    units: Annotated[int, about("Units", "", minimum=1, maximum=1_000_000)]


class EstatePool(_Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Hardware that its workloads share; a pool of one workload is its own fleet."""

    name: Annotated[str, about("Name", longest=LONGEST_NAME)]
    site: Annotated[str, about("Site", "", "Empty: the pool only rents.", longest=LONGEST_NAME)] = ""
    standing: Annotated[tuple[StandingUnits, ...], about("Units in place", most=100)] = ()


class EstateWorkload(_Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A service or a training run of the file, with its dates."""

    scenario: Annotated[str, about("Scenario", longest=LONGEST_NAME)]
    part: Annotated[Literal["serving", "training"], about("Part")] = "serving"
    pool: Annotated[str, about("Pool", longest=LONGEST_NAME)] = ""
    start: Annotated[Month | None, about("Start", "", "First month; empty: the start of the plan.")] = None
    end: Annotated[
        Month | None,
        about("End", "", "First month without the workload. A training run must be finished by then. Empty: no end."),
    ] = None
    date: Annotated[
        Literal["fixed", "flexible"],
        about("Start date", "", "Fixed: starts in its first month. Flexible: may start later."),
    ] = "fixed"
    slack_months: Annotated[
        int,
        about("Latest delay", "months", "How many months later a flexible service may open.", minimum=0, maximum=60),
    ] = 0
    growth_per_year: Annotated[
        float,
        about("Growth", "1/y", "Yearly growth of a service's load; 0.5: 50 % more each year.", minimum=-0.9,
              maximum=20),
    ] = 0.0  # fmt: skip
    priority: Annotated[int, about("Priority", "", "1 is served first if capacity is short.", minimum=1, maximum=5)] = 1
    load_shares: Annotated[
        tuple[Annotated[float, msgspec.Meta(ge=0, le=1)], ...],
        about("Load by hour class", "", "Share of the peak in each hour class; empty: the typical load of the class.",
              most=MOST_HOUR_CLASSES),
    ] = ()  # fmt: skip
    moving_usd: Annotated[
        float, about("Migration cost", "USD", "Cost of moving the service to other hardware.", minimum=0, maximum=1e8)
    ] = 20_000.0


class YearLimits(_Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a year may cost and emit. An empty limit is none."""

    capital_usd: Annotated[float | None, about("Capital", "USD", minimum=0, maximum=1e12)] = None
    operating_usd: Annotated[float | None, about("Operating", "USD", minimum=0, maximum=1e12)] = None
    emissions_kg: Annotated[float | None, about("Emissions", "kg", "As CO₂e.", minimum=0, maximum=1e12)] = None


class EstateFuture(_Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How demand and prices may develop beside what is planned."""

    name: Annotated[str, about("Name", longest=LONGEST_NAME)]
    probability: Annotated[float, about("Probability", above=0, maximum=1)]
    demand_per_year: Annotated[
        float, about("Demand growth", "1/y", "Added to each service's own growth.", minimum=-0.9, maximum=10)
    ] = 0.0
    price_per_year: Annotated[
        float, about("Price trend", "1/y", "On top of other trends.", minimum=-0.9, maximum=10)
    ] = 0.0


USUAL_FUTURES = (
    EstateFuture(name="low", probability=0.25, demand_per_year=-0.25),
    EstateFuture(name="middle", probability=0.5),
    EstateFuture(name="high", probability=0.25, demand_per_year=0.4, price_per_year=0.1),
)


class EstatePin(_Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A decision that the planner made by hand; the rest follows."""

    kind: Annotated[Literal["buy", "sell", "reserve", "rent", "run_on"], about("Decision")]
    period: Annotated[int, about("Period", "", "Counted from 0.", minimum=0, maximum=59)] = 0
    pool: Annotated[str, about("Pool", longest=LONGEST_NAME)] = ""
    hardware: Annotated[str, about("Hardware", longest=LONGEST_NAME)] = ""
    units: Annotated[int, about("Units", "", minimum=0, maximum=1_000_000)] = 0
    workload: Annotated[str, about("Workload", "", "Scenario that runs on the hardware.", longest=LONGEST_NAME)] = ""
    part: Annotated[Literal["serving", "training"], about("Part", "", "Serving or training.")] = "serving"
    term_months: Annotated[
        int, about("Term", "months", "Term of a reservation; 0: the first one offered.", minimum=0, maximum=60)
    ] = 0


class Estate(_Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Workloads, hardware and limits over up to five years."""

    start: Annotated[Month, about("Start")] = "2027-01"
    period: Annotated[PeriodLength, about("Period")] = "quarter"
    periods: Annotated[int, about("Periods", minimum=1, maximum=12 * LONGEST_YEARS)] = 12
    workloads: Annotated[tuple[EstateWorkload, ...], about("Workloads", most=48)] = ()
    hardware: Annotated[tuple[EstateHardware, ...], about("Hardware", most=60)] = ()
    pools: Annotated[tuple[EstatePool, ...], about("Pools", most=48)] = ()
    sites: Annotated[tuple[EstateSite, ...], about("Sites", most=24)] = ()
    hours: Annotated[tuple[HourClass, ...], about("Hour classes", most=MOST_HOUR_CLASSES)] = USUAL_HOURS
    years: Annotated[tuple[YearLimits, ...], about("Limits by year", most=LONGEST_YEARS)] = ()
    futures: Annotated[tuple[EstateFuture, ...], about("Futures", most=5)] = USUAL_FUTURES
    pins: Annotated[tuple[EstatePin, ...], about("Pinned decisions", most=500)] = ()
    discount_per_year: Annotated[float, about("Discount rate", "1/y", minimum=0, maximum=1)] = 0.1
    rented_g_co2e_per_kwh: Annotated[
        float,
        about("Grid carbon, rented", "g/kWh", "Grid carbon of rented devices, PUE included.", minimum=0, maximum=2000),
    ] = 460.0
    options_per_workload: Annotated[
        int,
        about("Candidates per workload", "", "Candidates that the search considers for each workload.", minimum=1,
              maximum=200),
    ] = 40  # fmt: skip


def months_between(start: str, month: str) -> int:
    """Months from one to the other, both as 2027-01."""
    (year, first), (then, second) = (map(int, one.split("-")) for one in (start, month))
    return 12 * (then - year) + second - first


def month_after(start: str, months: int) -> str:
    """So many months after another: 2027-01."""
    year, month = map(int, start.split("-"))
    after = month - 1 + months
    return f"{year + after // 12}-{after % 12 + 1:02d}"


def with_scenarios_renamed(estate: Estate, names: Mapping[str, str]) -> Estate:
    """The estate after scenarios got other names."""
    pools = {one.name for one in estate.pools}

    def name_of(old: str) -> str:
        return names.get(old, old)

    loads = tuple(msgspec.structs.replace(one, scenario=name_of(one.scenario)) for one in estate.workloads)
    pins = tuple(
        msgspec.structs.replace(
            one, workload=name_of(one.workload), pool=one.pool if one.pool in pools else name_of(one.pool)
        )
        for one in estate.pins
    )
    return msgspec.structs.replace(estate, workloads=loads, pins=pins)


def without_lost_workloads(estate: Estate, planned: Collection[tuple[str, str]]) -> Estate:
    """The estate without workloads, and their pins, that are not among the planned scenarios and parts."""
    lost = {(one.scenario, one.part) for one in estate.workloads}.difference(planned)
    if not lost:
        return estate
    return msgspec.structs.replace(
        estate,
        workloads=tuple(one for one in estate.workloads if (one.scenario, one.part) not in lost),
        pins=tuple(one for one in estate.pins if (one.workload, one.part) not in lost),
    )


def with_references_renamed(before: Estate, after: Estate) -> Estate:
    """`after`, an edit of `before`, in which what names a pool, site or unit follows one that was renamed."""
    sites = _renamed(before.sites, after.sites)
    hardware = _renamed(before.hardware, after.hardware)
    pools = _renamed(before.pools, after.pools)
    if not (sites or hardware or pools):
        return after
    replace = msgspec.structs.replace
    return replace(
        after,
        pools=tuple(
            replace(
                pool,
                site=sites.get(pool.site, pool.site),
                standing=tuple(replace(u, hardware=hardware.get(u.hardware, u.hardware)) for u in pool.standing),
            )
            for pool in after.pools
        ),
        workloads=tuple(replace(one, pool=pools.get(one.pool, one.pool)) for one in after.workloads),
        pins=tuple(
            replace(one, pool=pools.get(one.pool, one.pool), hardware=hardware.get(one.hardware, one.hardware))
            for one in after.pins
        ),
    )


_Named = Sequence[EstateSite | EstateHardware | EstatePool]


def _renamed(before: _Named, after: _Named) -> dict[str, str]:
    """Old names and new ones, where no entry came or went."""
    if len(before) != len(after):
        return {}
    return {old.name: new.name for old, new in zip(before, after, strict=True) if old.name != new.name}


class EstateProblem(msgspec.Struct, frozen=True):
    """One thing wrong with an estate's references or dates."""

    path: str
    code: Literal["unknown", "twice", "no_part", "no_estate_site", "too_long", "hours", "shares", "dates"]
    value: str


def estate_problems(estate: Estate, scenario_parts: dict[str, tuple[str, ...]]) -> list[EstateProblem]:
    """Names that lead nowhere, dates that contradict; `scenario_parts` says what each scenario does."""
    found: list[EstateProblem] = []

    def check_names(what: str, names: list[str]) -> None:
        found.extend(
            EstateProblem(f"estate.{what}[{index}].name", "twice", name)
            for index, name in enumerate(names)
            if name in names[:index]
        )

    pools, hardware = [one.name for one in estate.pools], [one.name for one in estate.hardware]
    sites = [one.name for one in estate.sites]
    for what, names in (("pools", pools), ("hardware", hardware), ("sites", sites)):
        check_names(what, names)
    if estate.periods * MONTHS_OF[estate.period] > 12 * LONGEST_YEARS:
        found.append(EstateProblem("estate.periods", "too_long", str(estate.periods)))
    if not estate.hours or abs(sum(one.hours_per_day for one in estate.hours) - 24) > 1e-6:
        found.append(EstateProblem("estate.hours", "hours", f"{sum(one.hours_per_day for one in estate.hours):g}"))
    for index, pool in enumerate(estate.pools):
        if pool.site and pool.site not in sites:
            found.append(EstateProblem(f"estate.pools[{index}].site", "unknown", pool.site))
        if pool.standing and not pool.site:
            found.append(EstateProblem(f"estate.pools[{index}].standing", "no_estate_site", pool.name))
        found.extend(
            EstateProblem(f"estate.pools[{index}].standing", "unknown", one.hardware)
            for one in pool.standing
            if one.hardware not in hardware
        )
    for index, load in enumerate(estate.workloads):
        where = f"estate.workloads[{index}]"
        if load.scenario not in scenario_parts:
            found.append(EstateProblem(f"{where}.scenario", "unknown", load.scenario))
        elif load.part not in scenario_parts[load.scenario]:
            found.append(EstateProblem(f"{where}.part", "no_part", f"{load.scenario}: {load.part}"))
        if load.pool and load.pool not in pools:
            found.append(EstateProblem(f"{where}.pool", "unknown", load.pool))
        if load.load_shares and len(load.load_shares) != len(estate.hours):
            found.append(EstateProblem(f"{where}.load_shares", "shares", str(len(estate.hours))))
        if load.end is not None and load.end <= (load.start or estate.start):
            found.append(EstateProblem(f"{where}.end", "dates", load.end))
    return found
