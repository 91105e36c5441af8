"""Rules about what happens when a replica is lost, a burst comes, or spot capacity is taken away."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.verdict import Finding
from gpuplanner_gui.engine.advisor.case import NOTE, SERIOUS, WARNING, AdvisedRun, AdvisedService, finding, remedy
from gpuplanner_gui.engine.advisor.metrics import (
    burst_carried,
    load_after_loss,
    spot_interruptions_per_month,
    start_together_s,
    training_spot_interruptions,
    working_replicas,
)
from gpuplanner_gui.engine.serving.sizing import with_zones_and_spares

BURST = 1.5
BURST_UTILISATION = 0.65
"""Leaves room for such a burst in every fleet, as saturation lies above the rate at the targets."""
STALLED_START = 1.5
"""A start that takes so many times as long as a lone one is held up by the store."""
SPARES = "serving.availability.spare_replicas"


def _time_left(case: AdvisedService) -> float:
    """Share of a batch's time in which its fleet has finished."""
    return 1.0 - 1.0 / (1.0 + case.best.of("headroom"))


def replica_loss(case: AdvisedService) -> Iterator[Finding]:
    """Finding: with one replica lost, the others exceed the rate at which they meet their targets."""
    traffic = case.workload.traffic
    if traffic.is_batch and central(case.workload.start.repair_s) <= traffic.batch_time_s * _time_left(case):
        return
    if not case.best.meets_targets or case.best.of("replicas") > 200:
        return
    after_loss = load_after_loss(case.scenario, case.plan)
    if not after_loss > 1 + 1e-9:
        return
    left = case.best.of("replicas") - 1
    saturates = left <= 0 or case.peak_rate_per_s / left > case.best.of("max_rate_per_s")
    spares = case.workload.availability.spare_replicas + 1
    better = case.workload.availability.target_utilisation
    cost = case.spare_usd_per_month
    cure = remedy(
        "add_spare", {SPARES: spares}, "serving.load_after_loss", after_loss, better, spares=spares,
        usd_per_month=cost,
    )  # fmt: skip
    code = "replica_loss_stops_service" if saturates else "replica_loss_breaks_targets"
    values = {"load_share": after_loss, "replicas": left + 1} if left > 0 else {"replicas": 1.0}
    yield finding(code, "serving", SERIOUS if saturates else WARNING, values, remedy=cure)


def availability_adds_replicas(case: AdvisedService) -> Iterator[Finding]:
    """What the availability asked for costs: replicas beyond those for load, zones and spares."""
    carrying = np.round([working_replicas(case.scenario, case.plan)])
    more = case.best.of("replicas") - float(with_zones_and_spares(case.workload, carrying)[0])
    if not more >= 1:
        return
    usd = more * case.spare_usd_per_month
    values = {"replicas": more, "target_share": case.workload.availability.target, "usd_per_month": usd}
    yield finding("availability_adds_replicas", "serving", NOTE, values, usd)


def burst_too_much(case: AdvisedService) -> Iterator[Finding]:
    """A burst half as high again as the planned peak fills queues without end."""
    carried = burst_carried(case.scenario, case.plan)
    if not carried < BURST:
        return
    cure = remedy(
        "leave_room_for_bursts", {"serving.availability.target_utilisation": BURST_UTILISATION},
        "serving.burst_carried", carried, 1 / BURST_UTILISATION, share=BURST_UTILISATION,
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
    often = spot_interruptions_per_month(case.scenario, case.plan)
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
    often = training_spot_interruptions(case.scenario, case.plan)
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
