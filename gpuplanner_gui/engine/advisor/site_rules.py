"""Rules about where a service stands and what befalls it there.

What a building can feed and cool, which devices may or can stand in it; lost replicas, bursts, and spot capacity that
is taken away.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

import numpy as np
from msgspec.structs import replace

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.constants import HOURS_PER_DAY, HOURS_PER_MONTH
from gpuplanner_gui.domain.economics import Procurement
from gpuplanner_gui.domain.hardware import Accelerator
from gpuplanner_gui.domain.plan import Plan, Reason, ServingPlan, TrainingPlan
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.verdict import Finding
from gpuplanner_gui.engine.advisor.case import (
    NOTE,
    SERIOUS,
    WARNING,
    Advised,
    AdvisedRun,
    AdvisedService,
    added_devices,
    connected_devices,
    dearer_or_cheaper,
    finding,
    price_in_use,
    prices_on_term,
    quote_of,
    remedy,
    used_of_stock,
)
from gpuplanner_gui.engine.advisor.metrics import (
    burst_carried,
    enough_replicas_up,
    load_after_loss,
    start_together_s,
    working_replicas,
)
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.cost.energy import WATTS_PER_KW, FacilityFit
from gpuplanner_gui.engine.cost.site import devices_at_site, held_devices, site_fit
from gpuplanner_gui.engine.cost.units import paid_fleet
from gpuplanner_gui.engine.decision.fleet_years import need_over_years
from gpuplanner_gui.engine.serving.fleet_split import fleet_split, load_multiple
from gpuplanner_gui.engine.training.communication import cluster_for
from gpuplanner_gui.engine.training.job import WIDE_RECIPES
from gpuplanner_gui.engine.training.run import run_interruptions

UNASKED_DEVICES = 64
"""So many are had without asking a provider first."""
WORKSTATION_DEVICES = 4
"""Most devices of a workstation, which is no data centre; more need a rack."""


def facility(case: Advised) -> Iterator[Finding]:
    """Power of a rack, power in all, and the kind of cooling, against what the site offers to what stands there."""
    hardware, workload = case.scenario.hardware, case.best.workload
    fit, node_w = held_against_site(case, case.stated_procurement, case.best.of("devices"))
    rack_limit = (hardware.max_kw_per_rack or np.inf) * WATTS_PER_KW
    total_limit = (hardware.max_kw_total or np.inf) * WATTS_PER_KW
    if float(fit.rack_excess_w[0]) > 0:
        values = {"node_w": node_w, "limit_w": rack_limit}
        yield finding("node_exceeds_rack", workload, SERIOUS, values)
    if (excess_w := float(fit.total_excess_w[0])) > 0:
        values = {"fleet_w": total_limit + excess_w, "limit_w": total_limit}
        yield finding("fleet_exceeds_site", workload, SERIOUS, values)
    if bool(fit.is_cooling_missing[0]):
        yield finding("liquid_is_missing", workload, SERIOUS, {"node_w": node_w})


def held_against_site(case: Advised, term: Procurement, of_fleet: float) -> tuple[FacilityFit, float]:
    """What a fleet of so many of the recommended devices has at the site on a term, against the site, and what a node
    of it takes there. [W]"""
    hardware, is_run = case.scenario.hardware, isinstance(case, AdvisedRun)
    who = case.best.table.accelerator[[case.best.row]]
    site = case.context.site_of(case.scenario, None if is_run else case.scenario.serving)
    prices = case.context.prices(case.scenario.economics, term, site)
    every = cluster_for(case.context.catalog, hardware).node_devices
    devices, together = np.array([of_fleet]), np.array([case.devices_together])
    fleet = paid_fleet(prices.units, who, devices / together, together, is_run)
    at_site = devices_at_site(prices, who, devices, fleet.devices, together, is_run)
    held = held_devices(prices, every[who], devices, at_site, fleet.unit_devices)
    fit = site_fit(case.scenario, prices, every, who, devices, at_site, fleet.unit_devices)
    return fit, float(prices.rated_power_w[who][0] * held[0])


def is_purchase_beyond_site(case: Advised) -> bool:
    """Whether the site can't feed or cool the fleet of the year that needs most devices, some of which would be
    bought."""
    most = float(need_over_years(case).devices.max())
    is_bought = used_of_stock(case, prices_on_term(case, "own").units, most) < most
    return is_bought and bool(held_against_site(case, "own", most)[0].is_over[0])


LEFT_OUT = (Reason.EXCLUDED, Reason.END_OF_LIFE, Reason.PRECISION_NOT_SUPPORTED)


def named_device_left_out(scenario: Scenario, plan: Plan, context: Context) -> Iterator[Finding]:
    """A device that the planner named, or owns where none is named, is kept out of a workload: licence, site, end of
    sale, or format."""
    stock = Counter[str]()
    for held in () if scenario.hardware.accelerators else scenario.hardware.owned:
        stock[held.accelerator] += held.devices
    for workload, answer in (("serving", plan.serving), ("training", plan.training)):
        names = scenario.hardware.accelerators or tuple(stock)
        left_out = [] if answer is None else _kept_out(names, plan, context, answer)
        causes = [(entry, _cause(scenario, context, entry, reasons)) for entry, reasons in left_out]
        causes = [(entry, cause) for entry, cause in causes if not stock or (cause and cause[0] in _OF_STOCK)]
        count = sum(cause is not None for _, cause in causes)
        for entry, cause in causes:
            if cause is None:
                continue
            code, path, value = cause
            values: dict[str, float | str] = {"device": entry.name, "devices": float(count)}
            if scenario.training is not None and path == "training.recipe":
                values |= {"format": scenario.training.recipe, "other_format": str(value)}
            if stock:
                code, values["stock"] = _OF_STOCK[code], float(stock[entry.id])
            cure = remedy(
                f"allow_{code}", {path: value}, f"{workload}.named_devices_left_out", count, count - 1.0, **values
            )
            yield finding(code, workload, WARNING, values, remedy=cure)


def unknown_devices(scenario: Scenario, catalog: Catalog) -> Iterator[Finding]:
    """Accelerators that the scenario allows, and that the catalogue does not have, or not any more."""
    allowed = scenario.hardware.accelerators
    known = tuple(one for one in allowed if one in catalog.accelerators)
    count = len(allowed) - len(known)
    if count:
        values = {"entries": ", ".join(one for one in allowed if one not in known), "count": float(count)}
        code = "allow_known_devices" if known else "allow_every_device"
        cure = remedy(code, {"hardware.accelerators": known}, "unknown_devices", count, 0.0)
        yield finding("allowed_devices_unknown", "both", WARNING if known else SERIOUS, values, remedy=cure)


_OF_STOCK = {
    "named_device_not_licensed": "owned_device_not_licensed",
    "named_device_without_recipe": "owned_device_without_recipe",
}
"""Codes for devices that are owned and not named. What is owned need not be sold or rented out."""


def _kept_out(
    names: tuple[str, ...], plan: Plan, context: Context, answer: ServingPlan | TrainingPlan
) -> list[tuple[Accelerator, set[Reason]]]:
    """Devices of these of which no candidate is admitted, and why."""
    found = []
    for name in names:
        if name not in plan.accelerators:
            continue
        reasons = answer.table.reason[answer.table.accelerator == plan.accelerators.index(name)]
        if len(reasons) and np.isin(reasons, LEFT_OUT).all():
            found.append((context.catalog.accelerators[name], {Reason(one) for one in reasons.tolist()}))
    return found


def _cause(
    scenario: Scenario, context: Context, entry: Accelerator, reasons: set[Reason]
) -> tuple[str, str, bool | str] | None:
    """Code, and the input with the value that admits the device; None where another filter keeps it out."""
    hardware = scenario.hardware
    if Reason.END_OF_LIFE in reasons:
        return "named_device_not_sold", "hardware.include_end_of_life", True
    who, unlicensed = context.accelerators.index(entry), replace(hardware, licensed_for_data_centres=False)
    if context.allowed(unlicensed)[who] and not context.allowed(hardware)[who]:
        return "named_device_not_licensed", "hardware.licensed_for_data_centres", False
    if hardware.air_gapped and context.use_term(entry, "air_gap"):
        return "named_device_cloud_only", "hardware.air_gapped", False
    runs = next((one for one in WIDE_RECIPES if entry.supports(one)), None)
    if Reason.PRECISION_NOT_SUPPORTED in reasons and scenario.training is not None and runs is not None:
        return "named_device_without_recipe", "training.recipe", runs
    return None


def largest_cluster(case: Advised) -> Iterator[Finding]:
    """More devices than the offer connects; where no offer says how many it connects, that is said."""
    if case.procurement == "own":
        return
    offer = quote_of(case, case.scenario.economics, case.procurement).offer
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


def priced_one_by_one(case: Advised) -> Iterator[Finding]:
    """The price is by the device, and several have to stand in one node."""
    if case.procurement == "own":
        return
    offer = quote_of(case, case.scenario.economics, case.procurement).offer
    together = connected_devices(case, case.best.of("unit_devices"))
    if offer is None or not together:
        return
    values: dict[str, float | str] = {
        "devices": together, "device": case.best.accelerator.name, "provider": offer.provider,
    }  # fmt: skip
    yield finding("priced_one_by_one", case.best.workload, NOTE, values, remedy=remedy("ask_for_nodes"))


def consumer_licence(case: Advised) -> Iterator[Finding]:
    """The driver of the recommended device is not licensed in a data centre; what the next best one costs."""
    term = case.context.use_term(case.best.accelerator, "data_centre")
    if term is None or _is_on_own_premises(case):
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


def _is_on_own_premises(case: Advised) -> bool:
    """Whether the devices are bought and no data centre is paid for, as in an office or at home."""
    return case.procurement == "own" and not central(case.scenario.economics.ownership.facility_usd_per_kw_month)


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
    owned = price_in_use(case, "own")
    price = case.best.of("usd_per_device_hour")
    if not np.isfinite(owned):
        yield finding("rented_without_network_unpriced", case.best.workload, WARNING, {"price_usd_per_hour": price})
        return
    if is_purchase_beyond_site(case):
        yield finding("rented_without_network_site", case.best.workload, WARNING, {"price_usd_per_hour": price})
        return
    path = f"economics.{case.best.workload}_procurement"
    values = {"price_usd_per_hour": price, "other_usd_per_hour": owned}
    cure = remedy(
        "change_terms", {path: "own"}, f"{case.best.workload}.rented_without_network", case.best.of("devices"), 0.0,
        term="own",
    )  # fmt: skip
    yield finding("rented_without_network", case.best.workload, WARNING, values, remedy=cure)


BURST = 1.5
STALLED_START = 1.5
"""A start that takes so many times as long as a lone one is held up by the store."""
SPARES = "serving.availability.spare_replicas"


def replica_loss(case: AdvisedService) -> Iterator[Finding]:
    """Finding: with one replica lost, the others exceed the rate at which they meet their targets.

    A batch is no service that stops: it goes on after the repair, and its fleet is sized for that.
    """
    if case.workload.traffic.is_batch or not case.best.meets_targets or case.best.of("replicas") > 200:
        return
    after_loss = load_after_loss(case.scenario, case.plan)
    if not after_loss > 1 + 1e-9:
        return
    left = case.best.of("replicas") - 1
    saturates = left <= 0 or case.peak_rate_per_s / left > case.best.of("max_rate_per_s")
    # What stands still for no longer than was asked for is no surprise.
    is_allowed = enough_replicas_up(case.scenario, case.plan) >= case.workload.availability.target
    spares = case.workload.availability.spare_replicas + 1
    # With one more, as many are left as there are now.
    better = case.working_replicas / case.best.of("replicas") / load_multiple(case.plan.served)
    cost = case.spare_usd_per_month
    cure = remedy(
        "add_spare", {SPARES: spares}, "serving.load_after_loss", after_loss, better, spares=spares,
        usd_per_month=cost,
    )  # fmt: skip
    code = "replica_loss_stops_service" if saturates else "replica_loss_breaks_targets"
    values = {"load_share": after_loss, "replicas": left + 1} if left > 0 else {"replicas": 1.0}
    severity = SERIOUS if saturates and not is_allowed else WARNING
    yield finding(code, "serving", severity, values, remedy=cure)


def availability_adds_replicas(case: AdvisedService) -> Iterator[Finding]:
    """What the availability asked for costs: replicas beyond those for load, zones and spares."""
    split = fleet_split(case.scenario, case.plan.served, case.best.row)
    if split is None or not split.kept_up:
        return
    usd = case.kept_up_usd_per_month(split.kept_up)
    values = {"replicas": split.kept_up, "target_share": case.workload.availability.target, "usd_per_month": usd}
    yield finding("availability_adds_replicas", "serving", NOTE, values, usd)


def burst_too_much(case: AdvisedService) -> Iterator[Finding]:
    """A burst half as high again as the planned peak fills queues without end; users who wait cannot come faster."""
    carried, traffic = burst_carried(case.scenario, case.plan), case.workload.traffic
    if traffic.is_batch or traffic.arrivals == "users" or not carried < BURST:
        return
    served, replicas = case.plan.served, case.best.of("replicas")
    # Headroom is there to be used by what is uncertain: it adds no replica before it is more than the confidence adds.
    enough, spares = math.ceil(BURST / carried * replicas), case.workload.availability.spare_replicas
    carrying = max(enough - spares, 1)
    share = math.floor(100 * served.peak_rate_per_s / (case.best.of("slo_rate_per_s") * carrying)) / 100
    cure = remedy(
        "leave_room_for_bursts", {"serving.availability.target_utilisation": share},
        "serving.burst_carried", carried, carried * enough / replicas, share=share,
    )  # fmt: skip
    yield finding("burst_too_much", "serving", WARNING, {"carried": carried, "burst": BURST}, remedy=cure)


def loading_saturates_storage(case: AdvisedService) -> Iterator[Finding]:
    """Replicas that start together, as after an outage, wait for the store that all of them read."""
    start, replicas = case.workload.start, case.best.of("replicas")
    together = start_together_s(case.scenario, case.plan)
    alone = start_together_s(case.scenario, case.plan, replicas=1)
    if not together > STALLED_START * alone:
        return
    wanted = replicas * central(start.replica_read_bytes_per_s)
    cure = remedy(
        "faster_store", {"serving.start.storage_read_bytes_per_s": wanted}, "serving.start_together_s", together,
        alone, read_bytes_per_s=wanted,
    )  # fmt: skip
    values = {
        "replicas": replicas, "together_s": together, "alone_s": alone,
        "read_bytes_per_s": central(start.storage_read_bytes_per_s),
    }  # fmt: skip
    yield finding("loading_saturates_storage", "serving", WARNING, values, remedy=cure)


def service_on_spot(case: AdvisedService) -> Iterator[Finding]:
    """A service with targets that cannot fail over at once runs on capacity that may be taken away."""
    if case.procurement != "rent_spot" or case.workload.restartable:
        return
    replicas = added_devices(case) / case.devices_together
    each = prices_on_term(case, case.procurement).interruptions_per_node_day
    often = replicas * each * HOURS_PER_MONTH / HOURS_PER_DAY
    cure = remedy(
        "rent_on_demand", {"economics.serving_procurement": "rent_on_demand"},
        "serving.spot_interruptions_per_month", often, 0.0,
    )  # fmt: skip
    values = {"interruptions": often, "replicas": working_replicas(case.scenario, case.plan)}
    yield finding("service_on_spot", "serving", SERIOUS, values, remedy=cure)


def training_on_spot(case: AdvisedRun) -> Iterator[Finding]:
    """A run that cannot restart from a checkpoint is planned on capacity that may be taken away."""
    if case.procurement != "rent_spot" or case.workload.restartable:
        return
    table, row = case.plan.trained.table, case.best.row
    often = float(run_interruptions(case.scenario, case.context, table, table.run_time_s)[row])
    cure = remedy(
        "rent_on_demand",
        {"economics.training_procurement": "rent_on_demand"},
        "training.spot_interruptions",
        often,
        0.0,
    )
    values = {"interruptions": often, "run_s": case.best.of("run_time_s")}
    yield finding("training_on_spot", "training", SERIOUS, values, case.best.of("usd_per_run"), cure)


def much_lost_to_failures(case: AdvisedRun) -> Iterator[Finding]:
    """Checkpoints, failures and restarts take a good part of the run, other than by a slow store."""
    kept = case.best.of("goodput")
    is_async = case.workload.checkpoints.asynchronous
    if not kept < 0.9 or (is_async and case.best.of("store_lost_share") > 0.5 * (1 - kept)):
        return
    cure = None
    if not is_async:
        cure = remedy(
            "checkpoint_in_background", {"training.checkpoints.asynchronous": True}, "training.usd_per_run",
            case.best.of("usd_per_run"),
        )  # fmt: skip
    lost = (1 - kept) * case.best.of("usd_per_run")
    values = {
        "lost_share": 1 - kept, "interval_s": case.best.of("checkpoint_interval_s"),
        "checkpoint_bytes": case.best.of("checkpoint_bytes"), "lost_usd": lost,
    }  # fmt: skip
    yield finding("much_lost_to_failures", "training", SERIOUS if kept < 0.75 else WARNING, values, lost, cure)
