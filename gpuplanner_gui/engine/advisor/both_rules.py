"""Rules about a scenario that trains and serves: one kind of device for both, and what each costs on the other's."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.plan import Reason, ServingTable, TrainingTable, column
from gpuplanner_gui.domain.verdict import Finding
from gpuplanner_gui.engine.advisor.case import NOTE, SERIOUS, WARNING, BothCase, Chosen, dearer_or_cheaper, finding

WORTH_SAYING = 1.1


def best_rows(table: ServingTable | TrainingTable) -> dict[int, int]:
    """The best candidate that meets its targets of each accelerator."""
    rows = table.order[table.reason[table.order] == Reason.NONE]
    devices, first = np.unique(table.accelerator[rows], return_index=True)
    return {int(device): int(rows[place]) for device, place in zip(devices, first, strict=True)}


def one_device_for_both(case: BothCase) -> Iterator[Finding]:
    """The cheapest device that does both, against the best for each, over a run and a month of service."""
    training, serving = case.training.best, case.serving.best
    if not training.meets_targets or not serving.meets_targets:
        return
    runs, services = best_rows(training.table), best_rows(serving.table)
    both = runs.keys() & services.keys()
    apart = training.of("usd_per_run") + serving.of("usd_per_month")
    names = {"training_device": training.accelerator.name, "serving_device": serving.accelerator.name}
    costs = {who: _sum_of(case, runs[who], services[who]) for who in both}
    costs = {who: cost for who, cost in costs.items() if np.isfinite(cost)}
    if not costs:
        yield finding("no_device_for_both", "both", NOTE, names)
        return
    who = min(costs, key=lambda one: costs[one])
    if training.accelerator.id == serving.accelerator.id:
        yield finding("one_device_is_best_for_both", "both", NOTE, {**names, "usd": apart})
        return
    more = costs[who] - apart
    if more < 0:
        # A chosen candidate that costs more than it had to: what is saved is not the one device's merit.
        return
    values = {**names, "device": case.context.accelerators[who].name, "more_usd": more, "more_share": more / apart}
    yield finding("one_device_for_both", "both", WARNING if more > 0.1 * apart else NOTE, values, more)


def _sum_of(case: BothCase, run: int, service: int) -> float:
    run_usd = float(column(case.training.best.table, "usd_per_run")[run])
    return run_usd + float(column(case.serving.best.table, "usd_per_month")[service])


def service_on_training_nodes(case: BothCase) -> Iterator[Finding]:
    """What the service would cost on the devices that are best to train on."""
    serving, training = case.serving.best, case.training.best
    if serving.accelerator.id == training.accelerator.id or not serving.meets_targets:
        return
    row = best_rows(serving.table).get(int(training.table.accelerator[training.row]))
    cost = serving.of("usd_per_month")
    elsewhere = float(column(serving.table, "usd_per_month")[row]) if row is not None else np.nan
    if elsewhere > WORTH_SAYING * cost:
        values = {
            "device": training.accelerator.name,
            "cost_ratio": elsewhere / cost,
            "more_usd_per_month": elsewhere - cost,
        }
        yield finding("service_on_training_nodes", "both", WARNING, values, elsewhere - cost)


def training_on_serving_nodes(case: BothCase) -> Iterator[Finding]:
    """How a run would fare on the devices that are best to serve on: slower, dearer, late, or not at all."""
    serving, training = case.serving.best, case.training.best
    if serving.accelerator.id == training.accelerator.id or not training.meets_targets:
        return
    assert isinstance(training.table, TrainingTable)
    who = int(serving.table.accelerator[serving.row])
    mine = training.table.accelerator == who
    rows = training.table.order[(mine & training.table.fits)[training.table.order]]
    name = serving.accelerator.name
    if not len(rows):
        yield _cannot_train(training, mine, name)
        return
    row = int(rows[0])
    slower = float(training.table.device_hours[row] / training.of("device_hours"))
    more = float(training.table.usd_per_run[row]) - training.of("usd_per_run")
    values = {
        "device": name, "slowdown": slower, "run_s": float(training.table.run_time_s[row]),
        "devices": float(training.table.devices[row]),
    }  # fmt: skip
    code, cost = dearer_or_cheaper("training_on_serving_nodes", more, "usd")
    if training.table.reason[row] == Reason.MISSES_DEADLINE:
        yield finding("serving_nodes_train_too_late", "both", WARNING, values, max(more, 0.0))
    elif slower > WORTH_SAYING:
        yield finding(code, "both", WARNING if more > 0 else NOTE, values | cost, max(more, 0.0))


def _cannot_train(training: Chosen, mine: NDArray[np.bool_], name: str) -> Finding:
    table = training.table
    short = mine & (table.reason == Reason.DOES_NOT_FIT)
    if short.any():
        nearest = int(np.where(short, table.reason_value, np.inf).argmin())
        values = {
            "device": name, "missing_bytes": float(table.reason_value[nearest]),
            "devices": float(column(table, "devices")[nearest]),
        }  # fmt: skip
        return finding("serving_nodes_do_not_fit_training", "both", NOTE, values)
    reason = Reason(int(np.bincount(table.reason[mine]).argmax())) if mine.any() else Reason.EXCLUDED
    return finding("serving_nodes_cannot_train", "both", NOTE, {"device": name, "reason": reason.name})


def one_profile_forced(case: BothCase) -> Iterator[Finding]:
    """The hardware choice leaves one device for both workloads."""
    allowed = case.scenario.hardware.accelerators
    if len(allowed) != 1:
        return
    training, serving = case.training.best, case.serving.best
    values = {
        "device": training.accelerator.name, "training_devices": training.of("devices"),
        "serving_devices": serving.of("devices"), "busy_share": case.serving.busy_share,
    }  # fmt: skip
    severity = SERIOUS if not (training.meets_targets and serving.meets_targets) else WARNING
    yield finding("one_profile_forced", "both", severity, values)
