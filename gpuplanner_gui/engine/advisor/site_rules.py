"""Rules about the site: what a building can feed and cool, and which devices may or can stand there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gpuplanner_gui.domain.plan import Finding
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.engine.advisor.case import (
    NOTE,
    SERIOUS,
    WARNING,
    ServingCase,
    TrainingCase,
    dearer_or_cheaper,
    finding,
    remedy,
)
from gpuplanner_gui.engine.cost.energy import facility_fit
from gpuplanner_gui.engine.training.cluster import cluster_for

RATED_W = 1e3
WORKSTATION_DEVICES = 4
"""As many stand under a desk, which is no data centre; more want a rack."""


def facility(case: ServingCase | TrainingCase) -> Iterator[Finding]:
    """Power of a rack, power in all, and the kind of cooling, against what the site offers."""
    hardware, workload = case.scenario.hardware, case.best.workload
    who = int(case.best.table.accelerator[case.best.row])
    prices = case.context.prices(case.scenario.economics, case.procurement)
    node_devices = float(cluster_for(case.context.catalog, hardware).node_devices[who])
    devices, pue = case.best.of("devices"), central(case.scenario.economics.site.pue)
    node_w = float(prices.rated_power_w[who]) * min(node_devices, devices)
    rack_limit = (hardware.max_kw_per_rack or np.inf) * RATED_W
    total_limit = (hardware.max_kw_total or np.inf) * RATED_W
    needs_liquid = bool(prices.is_liquid_cooled[who] and not prices.is_air_cooled[who])
    fit = facility_fit(
        np.ceil(devices / node_devices), node_w, needs_liquid, rack_limit, total_limit, pue,
        not hardware.cooling or "liquid" in hardware.cooling,
    )  # fmt: skip
    if float(fit.rack_excess_w) > 0:
        values = {"node_w": node_w, "limit_w": rack_limit}
        yield finding("node_exceeds_rack", workload, SERIOUS, values)
    if float(fit.total_excess_w) > 0:
        values = {"fleet_w": total_limit + float(fit.total_excess_w), "limit_w": total_limit}
        yield finding("fleet_exceeds_site", workload, SERIOUS, values)
    if bool(fit.is_cooling_missing):
        yield finding("liquid_is_missing", workload, SERIOUS, {"node_w": node_w})


def consumer_licence(case: ServingCase | TrainingCase) -> Iterator[Finding]:
    """The driver of the recommended device is not licensed in a data centre; what the next best one costs."""
    term = case.context.use_term(case.best.accelerator, "data_centre")
    if term is None:
        return
    devices, column = case.best.of("devices"), "usd_per_month" if case.best.workload == "serving" else "usd_per_run"
    values: dict[str, float | str] = {
        "device": case.best.accelerator.name, "devices": devices, "source": term.source
    }  # fmt: skip
    severity = WARNING if devices > WORKSTATION_DEVICES else NOTE
    cure = remedy(
        "licensed_devices", {"hardware.licensed_for_data_centres": True},
        f"{case.best.workload}.unlicensed_devices", devices, 0.0,
    )  # fmt: skip
    other = _next_licensed(case)
    if other is None:
        yield finding("consumer_licence_only", case.best.workload, severity, values)
        return
    row, name = other
    more = float(getattr(case.best.table, column)[row]) - case.best.of(column)
    is_service = column == "usd_per_month"
    code, cost = dearer_or_cheaper(
        "consumer_licence" if is_service else "consumer_licence_run", more, column if is_service else "usd"
    )
    yield finding(code, case.best.workload, severity, values | {"other_device": name} | cost, max(more, 0.0), cure)


def _next_licensed(case: ServingCase | TrainingCase) -> tuple[int, str] | None:
    """The best candidate within its targets on a device that may stand in a data centre."""
    table = case.best.table
    for row in case.best.rows_meeting_targets():
        entry = case.context.accelerators[int(table.accelerator[row])]
        if case.context.use_term(entry, "data_centre") is None:
            return int(row), entry.name
    return None


def rented_without_network(case: ServingCase | TrainingCase) -> Iterator[Finding]:
    """An air-gapped site, and a fleet that is rented: what stands there is owned, or leased by special contract."""
    if not case.scenario.hardware.air_gapped or case.procurement == "own":
        return
    who = int(case.best.table.accelerator[case.best.row])
    owned = float(case.context.prices(case.scenario.economics, "own").usd_per_device_hour[who])
    price = case.best.of("usd_per_device_hour")
    if not np.isfinite(owned):
        yield finding("rented_without_network_unpriced", case.best.workload, WARNING, {"price_usd_per_hour": price})
        return
    path = f"economics.{case.best.workload}_procurement"
    values = {"price_usd_per_hour": price, "other_usd_per_hour": owned}
    cure = remedy(
        "change_terms", {path: "own"}, f"{case.best.workload}.rented_without_network", case.best.of("devices"), 0.0,
        term="own",
    )  # fmt: skip
    yield finding("rented_without_network", case.best.workload, WARNING, values, remedy=cure)
