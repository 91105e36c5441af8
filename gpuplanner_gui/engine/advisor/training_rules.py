"""Rules about a training run: its step, memory and size, how its devices are paid for, and what either costs on the
device bought for the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Booleans
from gpuplanner_gui.domain.constants import HOURS_PER_YEAR, SECONDS_PER_HOUR
from gpuplanner_gui.domain.measurement import EvidenceKind
from gpuplanner_gui.domain.plan import Plan, Reason, Resource, ServingTable, TrainingTable, column
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.verdict import Finding
from gpuplanner_gui.engine.advisor.case import (
    NOTE,
    SERIOUS,
    WARNING,
    AdvisedRun,
    BothCase,
    Chosen,
    added_devices,
    dearer_or_cheaper,
    finding,
    is_held,
    owned_fleet,
    price_in_use,
    quote_of,
    remedy,
)
from gpuplanner_gui.engine.advisor.money_rules import WORTH_CHANGING
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.cost.bill import HELD_TERMS
from gpuplanner_gui.engine.decision.fleet_years import spot_run_factor
from gpuplanner_gui.engine.evidence.record import LEAST_RUNS, best_measured
from gpuplanner_gui.engine.model.table_memory import free_share
from gpuplanner_gui.engine.training.communication import cluster_for
from gpuplanner_gui.engine.training.held_cost import counts_idle_time, held_usd

COMMUNICATION_PARTS = (
    "tensor_communication_s", "data_communication_s", "pipeline_communication_s", "expert_communication_s",
)  # fmt: skip
MUCH_COMMUNICATION = 0.25
MUCH_BUBBLE = 0.1


def is_starved(case: AdvisedRun) -> bool:
    """Whether devices wait for data, or a slow store loses much of their work: more of them would wait as well."""
    return case.best.of("limit") in (Resource.INPUT, Resource.STORAGE)


def communication_bound(case: AdvisedRun) -> Iterator[Finding]:
    """Much of the step is communication that nothing hides."""
    share = case.best.share(*COMMUNICATION_PARTS, of="step_time_s")
    if not share > MUCH_COMMUNICATION:
        return
    tensor = case.best.share("tensor_communication_s", of="step_time_s")
    usd = share * case.best.of("usd_per_run")
    values = {"share": share, "tensor_share": tensor, "network_share": share - tensor, "wasted_usd": usd}
    yield finding("communication_bound", "training", WARNING, values, usd)


def pipeline_bubble(case: AdvisedRun) -> Iterator[Finding]:
    """Stages of the pipeline wait for a good part of the step; another schedule may cost nothing."""
    share = case.best.share("bubble_s", of="step_time_s")
    if not share > MUCH_BUBBLE:
        return
    before = case.best.of("usd_per_run")
    sequences = case.workload.global_batch_tokens // case.workload.sequence_length
    passes = np.ceil(sequences / (case.best.of("micro_batch") * case.best.of("data_parallel")))
    values = {
        "share": share, "stages": case.best.of("pipeline_parallel"), "micro_batches": passes,
        "wasted_usd": share * before,
    }  # fmt: skip
    yield finding("pipeline_bubble", "training", NOTE, values)


def tensor_across_nodes(case: AdvisedRun) -> Iterator[Finding]:
    """Tensor parallelism reaches beyond the fast domain."""
    domain = float(case.context.devices.scale_up_domain[int(case.best.table.accelerator[case.best.row])])
    if case.best.of("tensor_parallel") > domain:
        share = case.best.share("tensor_communication_s", of="step_time_s")
        values = {"tensor_parallel": case.best.of("tensor_parallel"), "domain": domain, "share": share}
        yield finding("tensor_across_nodes", "training", WARNING, values)


def more_devices_buy_time(case: AdvisedRun) -> Iterator[Finding]:
    """What a larger cluster of the same device would save in time and cost in money.

    Of those up to twice as large, else of the next one, that on which the time saved costs least.

    Who has to buy it has to find other work for it too: nothing is said of its price for this run alone.
    """
    table, row = case.best.table, case.best.row
    assert isinstance(table, TrainingTable)
    if is_starved(case) or not np.isfinite(table.run_time_s[row]) or is_held(case):
        return
    rows = case.best.rows_meeting_targets()
    larger = rows[(table.accelerator[rows] == table.accelerator[row]) & (table.devices[rows] > table.devices[row])]
    if not len(larger):
        return
    larger = larger[table.devices[larger] <= max(2 * table.devices[row], table.devices[larger].min())]
    saves_s = table.run_time_s[row] - table.run_time_s[larger]
    more_usd = table.usd_per_run[larger] - table.usd_per_run[row]
    each = np.where(np.isfinite(more_usd) & (saves_s > 0), more_usd / np.maximum(saves_s, 1e-9), np.inf)
    place = int(np.argmin(each))
    if not np.isfinite(each[place]):
        return
    best, saved, more = int(larger[place]), float(saves_s[place]), float(more_usd[place])
    count = int(table.devices[best])
    gain = float(table.run_time_s[row] / table.run_time_s[best]) / (count / float(table.devices[row]))
    code, cost = dearer_or_cheaper("scaling_ends" if gain < 0.7 else "more_devices_buy_time", more, "usd")
    yield finding(code, "training", NOTE, {"devices": count, "saved_s": saved, "scaling_share": gain} | cost)


def start_up_heavy(case: AdvisedRun) -> Iterator[Finding]:
    """So short a run that starting it takes a good part of its time."""
    share = central(case.workload.start_up_s) / case.best.of("run_time_s")
    if share > 0.1:
        usd = share * case.best.of("usd_per_run")
        yield finding("start_up_heavy", "training", NOTE, {"share": share, "run_s": case.best.of("run_time_s")}, usd)


def memory_is_thin(case: AdvisedRun) -> Iterator[Finding]:
    """So little memory is left that fragmentation may end the run."""
    free = free_share(case.best.table, case.best.row)
    if free < 0.1:
        values = {"free_share": free, "free_bytes": free * case.best.of("memory_capacity_bytes")}
        cure = remedy("keep_headroom", {"hardware.min_memory_headroom": 0.1}, "training.free_memory_share", free, 0.1)
        yield finding("memory_is_thin", "training", WARNING, values, remedy=cure)


def activations_dominate(case: AdvisedRun) -> Iterator[Finding]:
    """Activations, not state, fill the memory: sequence and micro-batch decide what fits."""
    share = case.best.share("activation_bytes", "logits_bytes", of="memory_capacity_bytes")
    used = 1 - free_share(case.best.table, case.best.row)
    if share > 0.5 * used and used > 0.5:
        values = {
            "activation_share": share, "micro_batch": case.best.of("micro_batch"),
            "activation_bytes": case.best.of("activation_bytes") + case.best.of("logits_bytes"),
        }  # fmt: skip
        yield finding("activations_dominate", "training", NOTE, values)


def host_memory_is_unknown(case: AdvisedRun) -> Iterator[Finding]:
    """State or activations are kept in the memory of a host that the catalogue does not describe."""
    cluster, kept = cluster_for(case.context.catalog, case.scenario.hardware), case.best.of("host_bytes")
    if kept > 0 and np.isnan(cluster.host_memory_bytes[int(case.best.of("accelerator"))]):
        values = {"host_bytes": kept, "device": case.best.accelerator.name}
        yield finding("host_memory_is_unknown", "training", NOTE, values)


def no_headroom_for_retries(case: AdvisedRun) -> Iterator[Finding]:
    """The plan pays for the run alone: nothing for retries, validation or experiments."""
    job = case.workload
    spare = central(job.retry_share) + central(job.validation_share) + central(job.experiment_share)
    if spare < 0.02:
        hours = case.best.of("device_hours")
        values = {"spare_share": spare, "device_hours": hours, "usual_share": 0.15}
        yield finding("no_headroom_for_retries", "training", WARNING, values, 0.15 * case.best.of("usd_per_run"))


def weak_training_evidence(case: AdvisedRun) -> Iterator[Finding]:
    """The step time rests on a relative or a datasheet."""
    table, row = case.best.table, case.best.row
    assert isinstance(table, TrainingTable)
    if int(table.evidence_kind[row]) < EvidenceKind.RELATIVE:
        return
    first = best_measured(table, row)
    values: dict[str, float | str] = {
        "band_factor": float(np.sqrt(table.step_high80_s[row] / table.step_low80_s[row])),
        "runs": float(table.published_runs[row]), "software": case.plan.trained.framework,
        "least_runs": float(LEAST_RUNS),
    }  # fmt: skip
    code, more = "weak_evidence_only", 0.0
    if first >= 0:
        usd = held_usd(case.scenario, case.context, table, table.usd_per_run, table.device_hours)
        more = float(usd[first] - usd[row])
        name = case.context.accelerators[int(table.accelerator[first])].name
        is_idle_counted = counts_idle_time(case.scenario)
        code, cost = dearer_or_cheaper("weak_evidence_held" if is_idle_counted else "weak_evidence_run", more, "usd")
        values |= {"device": name, **cost}
    yield finding(code, "training", WARNING, values, max(more, 0.0), remedy("measure_steps"))


def targets_missed(case: AdvisedRun) -> Iterator[Finding]:
    """Nothing meets deadline and budget: the cluster is too small, or the money too short."""
    table, row = case.best.table, case.best.row
    reason, ratio = int(table.reason[row]), float(table.reason_value[row])
    usd, budget = case.best.of("usd_per_run"), case.workload.budget_usd
    if budget is not None and usd > central(budget):
        values = {"usd": usd, "budget_usd": central(budget)}
        yield finding("run_over_budget", "training", SERIOUS, values, usd - central(budget))
    if reason != Reason.MISSES_DEADLINE or case.workload.deadline_s is None or is_starved(case):
        return
    values = {
        "run_s": case.best.of("run_time_s"), "deadline_s": central(case.workload.deadline_s),
        "ratio": ratio, "devices": case.best.of("devices"),
    }  # fmt: skip
    yield finding("training_cluster_too_small", "training", SERIOUS, values)


def nothing_can_train(scenario: Scenario, plan: Plan, context: Context) -> Iterator[Finding]:
    """No candidate trains: what lacks most often, and by how little the nearest one misses."""
    answer = plan.training
    if answer is None or answer.best >= 0 or not len(answer.table.reason):
        return
    table = answer.table
    chosen = table.reason[table.reason != Reason.EXCLUDED]
    reason, count = Counter((chosen if len(chosen) else table.reason).tolist()).most_common(1)[0]
    short = np.isin(table.reason, [int(Reason.DOES_NOT_FIT), int(Reason.HEADROOM)])
    values: dict[str, float | str] = {
        "candidates": len(chosen) or len(table.reason),
        "count": count,
        "reason": Reason(reason).name,
    }
    if (table.reason == Reason.DOES_NOT_FIT).any():
        missing = np.where(table.reason == Reason.DOES_NOT_FIT, table.reason_value, np.inf)
        nearest = int(missing.argmin())
        device = context.accelerators[int(table.accelerator[nearest])].name
        values |= {"missing_bytes": missing[nearest], "devices": float(table.devices[nearest]), "device": device}
        yield finding("does_not_fit_to_train", "training", SERIOUS, values)
    elif not short.any():
        yield finding("hardware_cannot_train", "training", SERIOUS, values)


WORTH_SAYING = 1.1


def best_rows(table: ServingTable | TrainingTable, usable: Booleans | None = None) -> dict[int, int]:
    """The best candidate of each accelerator, best first: of those that meet their targets, or are `usable`."""
    usable = table.reason == Reason.NONE if usable is None else usable
    rows = table.order[usable[table.order]]
    _, first = np.unique(table.accelerator[rows], return_index=True)
    best = rows[np.sort(first)]
    return dict(zip(table.accelerator[best].tolist(), best.tolist(), strict=True))


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
    if elsewhere > WORTH_SAYING * cost > 0:
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
    if not np.isfinite(serving.of("devices")):  # What no number of devices carries is told by itself.
        return
    values = {
        "device": training.accelerator.name, "training_devices": training.of("devices"),
        "serving_devices": serving.of("devices"), "busy_share": case.serving.busy_share,
    }  # fmt: skip
    severity = SERIOUS if not (training.meets_targets and serving.meets_targets) else WARNING
    yield finding("one_profile_forced", "both", severity, values)


def spot_for_training(case: AdvisedRun) -> Iterator[Finding]:
    """A run that restarts from checkpoints costs less on spot capacity, interruptions and repeated steps included."""
    if case.procurement != "rent_on_demand" or not case.workload.restartable or not case.best.meets_targets:
        return
    economics, price = case.scenario.economics, case.best.of("usd_per_device_hour")
    quote = quote_of(case, economics, "rent_spot")
    spot = price_in_use(case, "rent_spot")
    is_below = "rent_spot" in quote.quoted or quote.usd_per_hour < quote.of("rent_on_demand")
    if not spot < WORTH_CHANGING * price or not is_below:
        return
    stretch = spot_run_factor(case)
    cost = case.best.of("usd_per_run")
    after = case.run_usd(case.best.of("device_hours") * stretch, spot, "rent_spot")
    deadline = case.workload.deadline_s
    is_late = deadline is not None and case.best.of("run_time_s") * stretch > central(deadline)
    if after > WORTH_CHANGING * cost or is_late:
        return
    cure = remedy(
        "train_on_spot", {"economics.training_procurement": "rent_spot"}, "training.usd_per_run", cost, after,
        stretch_share=stretch - 1,
    )  # fmt: skip
    values: dict[str, float | str] = {
        "provider": quote.provider, "spot_usd_per_hour": spot, "price_usd_per_hour": price,
        "stretch_share": stretch - 1, "saved_share": 1 - after / cost,
    }  # fmt: skip
    yield finding("spot_for_training", "training", NOTE, values, cost - after, cure)


def runs_exceed_year(case: AdvisedRun) -> Iterator[Finding]:
    """A cluster carries no more runs than a year has hours for: others stand beside it, and are ordered."""
    if not np.isfinite(case.replicas) or case.replicas <= 1.0:
        return
    use = case.run_hours * case.runs_per_year / HOURS_PER_YEAR
    values = {
        "runs": case.runs_per_year, "run_s": case.run_hours * SECONDS_PER_HOUR, "use_share": use,
        "clusters": case.replicas,
    }  # fmt: skip
    severity = SERIOUS if case.procurement in HELD_TERMS else NOTE
    yield finding("runs_exceed_year", "training", severity, values)


def run_outlasts_horizon(case: AdvisedRun) -> Iterator[Finding]:
    """A run goes on after the years that costs are compared over: what is ordered pays for a part of it."""
    horizon = central(case.scenario.economics.horizon_years)
    if not case.run_hours > horizon * HOURS_PER_YEAR:
        return
    values = {"run_s": case.run_hours * SECONDS_PER_HOUR, "horizon_years": horizon}
    yield finding("run_outlasts_horizon", "training", WARNING, values)


def term_outlasts_run(case: AdvisedRun) -> Iterator[Finding]:
    """Capacity is reserved or bought for years, and the runs fill only a part of that time."""
    if not is_held(case):
        return
    use = min(1.0, case.hours_per_year / HOURS_PER_YEAR)
    hourly = price_in_use(case, "rent_on_demand")
    price = case.best.of("usd_per_device_hour")
    if not np.isfinite(hourly + price) or use >= price / hourly:
        return
    yearly = case.devices * HOURS_PER_YEAR
    idle = yearly * (price - use * hourly)
    values = {"use_share": use, "break_even_share": price / hourly, "extra_usd_per_year": idle}
    yield finding("term_outlasts_run", "training", WARNING, values, idle, remedy("rent_for_the_run"))


def bought_for_the_run(case: AdvisedRun) -> Iterator[Finding]:
    """A run's cost counts its own hours of devices that are bought for years."""
    use = min(1.0, case.hours_per_year / HOURS_PER_YEAR)
    if case.procurement != "own" or not is_held(case) or use >= WELL_USED:
        return
    added = added_devices(case)
    bought, owned = owned_fleet(case)
    new = float(bought.devices[0]) - (case.devices - added)
    capital = float(np.ravel(owned.capital.total)[0]) * max(added, new)
    if not np.isfinite(capital):
        return
    values: dict[str, float | str] = {
        "devices": added, "device": case.best.accelerator.name, "capital_usd": capital, "use_share": use,
        "usd": case.best.of("usd_per_run"),
    }  # fmt: skip
    yield finding("bought_for_the_run", "training", WARNING, values, capital)


WELL_USED = 0.9
