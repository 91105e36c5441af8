"""A small estate that is planned in a moment, for pages, plots and reports."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import msgspec

from gpuplanner_gui.domain.estate import (
    Estate,
    EstateHardware,
    EstatePin,
    EstatePool,
    EstateSite,
    EstateWorkload,
    ReservationTerm,
    StandingUnits,
    YearLimits,
)
from gpuplanner_gui.drawing.results import EstateFindings, Results
from gpuplanner_gui.engine.estate.answer import EstateAnswer, planned_estate, robust
from gpuplanner_gui.engine.estate.problem import Option
from gpuplanner_gui.engine.estate.why import reasons

NODE = EstateHardware(
    name="node", accelerator="a", devices_per_unit=8, kw_per_unit=10.0, purchase_usd=60_000.0,
    rent_usd_per_device_hour=4.0, lead_time_months=3,
    reservations=(
        ReservationTerm(months=6, usd_per_device_hour=2.0), ReservationTerm(months=12, usd_per_device_hour=1.5),
    ),
)  # fmt: skip
DEAR = msgspec.structs.replace(NODE, name="dear node", accelerator="b", purchase_usd=200_000.0)
ESTATE = Estate(
    periods=4, hardware=(NODE, DEAR), sites=(EstateSite(name="hall", max_kw=50.0),),
    pools=(EstatePool(name="cluster", site="hall", standing=(StandingUnits(hardware="node", units=1),)),),
    workloads=(
        EstateWorkload(scenario="chat", pool="cluster", growth_per_year=1.0),
        EstateWorkload(scenario="search", start="2027-04", priority=3),
        EstateWorkload(
            scenario="tune", part="training", pool="cluster", start="2027-04", end="2027-10", date="flexible"
        ),
    ),
    years=(YearLimits(capital_usd=500_000.0),),
)  # fmt: skip
OPTIONS = {
    ("chat", "serving"): (Option(0, "a", 1, 14.0, 0), Option(1, "b", 1, 9.0, 0)),
    ("search", "serving"): (Option(0, "a", 2, 3.0, 0), Option(1, "b", 2, 3.0, 0)),
    ("tune", "training"): (Option(0, "a", 8, 1.0, 0, 500.0),),
}


@cache
def planned(*pins: EstatePin) -> EstateAnswer:
    return planned_estate(msgspec.structs.replace(ESTATE, pins=pins), OPTIONS, gap=0.0, most_s=120.0)


@cache
def findings(*pins: EstatePin) -> EstateFindings:
    """The plan with futures and reasons."""
    found = planned(*pins)
    return EstateFindings(
        answer=found, ahead=robust(found.estate, OPTIONS, gap=0.0, most_s=120.0),
        reasons=reasons(found.problem, found.found, most_s=120.0),
    )  # fmt: skip


def with_estate(results: Results, *pins: EstatePin) -> Results:
    project = msgspec.structs.replace(results.project, estate=planned(*pins).estate)
    return replace(results, project=project, estate=findings(*pins))
