"""Rules about the site: what a building can feed and cool, and which devices may or can stand there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gpuplanner_gui.domain.hardware import Accelerator
from gpuplanner_gui.domain.plan import Plan, Reason, ServingPlan, TrainingPlan
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.verdict import Finding
from gpuplanner_gui.engine.advisor.case import (
    NOTE,
    SERIOUS,
    WARNING,
    Advised,
    dearer_or_cheaper,
    finding,
    fleet_on_term,
    remedy,
)
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.cost.site import WATTS_PER_KW, held_devices, site_fit
from gpuplanner_gui.engine.training.communication import cluster_for

UNASKED_DEVICES = 64
"""So many are had without asking a provider first."""
WORKSTATION_DEVICES = 4
"""Most devices of a workstation, which is no data centre; more need a rack."""


def facility(case: Advised) -> Iterator[Finding]:
    """Power of a rack, power in all, and the kind of cooling, against what the site offers."""
    hardware, workload = case.scenario.hardware, case.best.workload
    who = int(case.best.table.accelerator[case.best.row])
    prices = case.context.prices(case.scenario.economics, case.procurement)
    every = cluster_for(case.context.catalog, hardware).node_devices
    node_devices = float(every[who])
    devices = case.best.of("devices")
    paid, unit = (_known(case.best.of(name), devices) for name in ("paid_devices", "unit_devices"))
    node_w = float(prices.rated_power_w[who] * held_devices(node_devices, devices, paid, unit))
    rack_limit = (hardware.max_kw_per_rack or np.inf) * WATTS_PER_KW
    total_limit = (hardware.max_kw_total or np.inf) * WATTS_PER_KW
    fit = site_fit(case.scenario, prices, every, np.array(who), np.array(devices), np.array(paid), np.array(unit))
    if float(fit.rack_excess_w) > 0:
        values = {"node_w": node_w, "limit_w": rack_limit}
        yield finding("node_exceeds_rack", workload, SERIOUS, values)
    if float(fit.total_excess_w) > 0:
        values = {"fleet_w": total_limit + float(fit.total_excess_w), "limit_w": total_limit}
        yield finding("fleet_exceeds_site", workload, SERIOUS, values)
    if bool(fit.is_cooling_missing):
        yield finding("liquid_is_missing", workload, SERIOUS, {"node_w": node_w})


def _known(count: float, otherwise: float) -> float:
    return count if np.isfinite(count) else otherwise


def named_device_left_out(scenario: Scenario, plan: Plan, context: Context) -> Iterator[Finding]:
    """A device that the planner named is kept out of a workload by a licence, a site or the end of its sale."""
    for workload, answer in (("serving", plan.serving), ("training", plan.training)):
        left_out = [] if answer is None else _named_out(scenario, plan, context, answer)
        causes = [(entry, _cause(scenario, context, entry, is_old)) for entry, is_old in left_out]
        count = sum(cause is not None for _, cause in causes)
        for entry, cause in causes:
            if cause is None:
                continue
            code, path, value = cause
            cure = remedy(
                f"allow_{code}", {path: value}, f"{workload}.named_devices_left_out", count, count - 1.0,
                device=entry.name,
            )  # fmt: skip
            yield finding(code, workload, WARNING, {"device": entry.name, "devices": float(count)}, remedy=cure)


def _named_out(
    scenario: Scenario, plan: Plan, context: Context, answer: ServingPlan | TrainingPlan
) -> list[tuple[Accelerator, bool]]:
    """Named devices of which no candidate is admitted, and whether that is because their sale has ended."""
    found = []
    for name in scenario.hardware.accelerators:
        if name not in plan.accelerators:
            continue
        reasons = answer.table.reason[answer.table.accelerator == plan.accelerators.index(name)]
        if len(reasons) and np.isin(reasons, (Reason.EXCLUDED, Reason.END_OF_LIFE)).all():
            found.append((context.catalog.accelerators[name], bool((reasons == Reason.END_OF_LIFE).any())))
    return found


def _cause(scenario: Scenario, context: Context, entry: Accelerator, is_old: bool) -> tuple[str, str, bool] | None:
    """Code, and the input with the value that admits the device; None where another filter keeps it out."""
    hardware = scenario.hardware
    if is_old:
        return "named_device_not_sold", "hardware.include_end_of_life", True
    if hardware.licensed_for_data_centres and context.use_term(entry, "data_centre"):
        return "named_device_not_licensed", "hardware.licensed_for_data_centres", False
    if hardware.air_gapped and context.use_term(entry, "air_gap"):
        return "named_device_cloud_only", "hardware.air_gapped", False
    return None


def largest_cluster(case: Advised) -> Iterator[Finding]:
    """More devices than the offer connects; where no offer says how many it connects, that is said."""
    if case.procurement == "own":
        return
    offer = case.context.offers.quote(case.best.accelerator, case.procurement, case.scenario.economics).offer
    devices, workload = case.best.of("devices"), case.best.workload
    if offer is None or devices <= max(offer.accelerator_count, UNASKED_DEVICES):
        return
    values: dict[str, float | str] = {
        "devices": devices,
        "device": case.best.accelerator.name,
        "provider": offer.provider,
    }
    if offer.largest_cluster is None:
        yield finding("cluster_size_unknown", workload, NOTE, values, remedy=remedy("ask_quotes"))
    elif devices > offer.largest_cluster:
        values["most"] = float(offer.largest_cluster)
        yield finding("cluster_beyond_offer", workload, SERIOUS, values, remedy=remedy("ask_quotes"))


def consumer_licence(case: Advised) -> Iterator[Finding]:
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


def _next_licensed(case: Advised) -> tuple[int, str] | None:
    """The best candidate within its targets on a device that may stand in a data centre."""
    table = case.best.table
    for row in case.best.rows_meeting_targets():
        entry = case.context.accelerators[int(table.accelerator[row])]
        if case.context.use_term(entry, "data_centre") is None:
            return int(row), entry.name
    return None


def rented_without_network(case: Advised) -> Iterator[Finding]:
    """An air-gapped site, and a fleet that is rented: what stands there is owned, or leased by special contract."""
    if not case.scenario.hardware.air_gapped or case.procurement == "own":
        return
    owned = float(fleet_on_term(case, case.scenario.economics, "own").usd_per_device_hour[0])
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
