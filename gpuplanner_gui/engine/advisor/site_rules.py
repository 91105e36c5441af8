"""Rules about what a building can feed and cool."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gpuplanner_gui.domain.plan import Finding
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.engine.advisor.case import SERIOUS, ServingCase, TrainingCase, finding
from gpuplanner_gui.engine.cost.energy import facility_fit
from gpuplanner_gui.engine.training.cluster import cluster_for

RATED_W = 1e3


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
