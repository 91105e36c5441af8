"""From a step to the run: throughput, MFU, checkpoints, the store they need, failures, days, energy and money."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers, Values
from gpuplanner_gui.domain.constants import HOURS_PER_YEAR, SECONDS_PER_DAY, SECONDS_PER_HOUR
from gpuplanner_gui.domain.curves import StoreRun
from gpuplanner_gui.domain.economics import Economics
from gpuplanner_gui.domain.plan import Plan, TrainingTable
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.cost.bill import beside_run
from gpuplanner_gui.engine.cost.energy import draw_share, fleet_power_w
from gpuplanner_gui.engine.cost.prices import DevicePrices
from gpuplanner_gui.engine.cost.units import paid_fleet
from gpuplanner_gui.engine.explaining.formula import carried, formula, leaf
from gpuplanner_gui.engine.training.checkpoints import Checkpointing, CheckpointTerms, checkpointing, read_share
from gpuplanner_gui.engine.training.communication import cluster_for
from gpuplanner_gui.engine.training.data_input import checkpoint_bytes, checkpoint_storage_bytes, data_of, feeding
from gpuplanner_gui.engine.training.job import TrainingJob
from gpuplanner_gui.engine.training.layouts import TrainingLayouts
from gpuplanner_gui.engine.training.step_time import TrainingStep
from gpuplanner_gui.engine.training.work import Equipment

ENDLESS = 1e18
"""Bytes per second of a store that nothing waits for."""


@formula(title="Tokens per second", unit="tok/s", expression="tokens_per_step / step_time_s", source="definition")
def training_tokens_per_s(tokens_per_step: float, step_time_s: Floats) -> Floats:
    """Throughput of all devices. [tokens/s]"""
    return tokens_per_step / step_time_s


@formula(title="Tokens per second and device", unit="tok/s", expression="tokens_per_s / devices", source="definition")
def training_tokens_per_s_per_device(tokens_per_s: Floats, devices: Integers) -> Floats:
    """Throughput of one device. [tokens/s]"""
    return tokens_per_s / devices


@formula(
    title="Model FLOPs utilisation",
    unit="",
    expression="model_flop_per_token · tokens_per_s_per_device / peak_flop_per_s",
    source="Chowdhery et al. 2022, PaLM, appendix B, with causal attention counted as the half that is computed",
)
def model_flops_utilisation(
    model_flop_per_token: float, tokens_per_s_per_device: Floats, peak_flop_per_s: Floats
) -> Floats:
    """Useful FLOPs over the dense peak of the recipe's format. [1]"""
    return model_flop_per_token * tokens_per_s_per_device / peak_flop_per_s


@formula(
    title="Hardware FLOPs utilisation",
    unit="",
    expression="mfu · passes / useful_passes",
    source="Korthikanti et al. 2022, section 6: recomputation counts as work",
)
def hardware_flops_utilisation(mfu: Floats, passes: Floats, useful_passes: float) -> Floats:
    """All FLOPs over the dense peak. [1]"""
    return mfu * passes / useful_passes


@formula(title="Steps", unit="", expression="⌈tokens / tokens_per_step⌉", source="definition")
def training_steps(tokens: float, tokens_per_step: float) -> Floats:
    """Updates of the whole run. [1]"""
    return np.asarray(np.ceil(tokens / tokens_per_step))


@formula(
    title="Run time",
    unit="s",
    expression="start_up_s + steps · step_time_s / (goodput · (1 − virtualisation_loss)) + write_s",
    source="failures, checkpoints and virtual machines stretch the steps; the start and the last checkpoint, which"
    " holds the result, are paid once",
)
def run_time_s(
    start_up_s: float,
    steps: Floats,
    step_time_s: Floats,
    goodput: Floats,
    virtualisation_loss: float,
    write_s: Floats,
) -> Floats:
    """Wall-clock time of the run until its result is stored, losses included. [s]"""
    with np.errstate(divide="ignore"):
        return start_up_s + steps * step_time_s / (goodput * (1.0 - virtualisation_loss)) + write_s


def once_s(training: TrainingWorkload, checkpoint_write_s: Floats) -> Floats:
    """Time of a run that neither slower steps nor more tokens stretch: its start and its last checkpoint. [s]"""
    return np.asarray(central(training.start_up_s) + checkpoint_write_s)


@formula(
    title="Deadline slack",
    unit="s",
    expression="deadline_s − run_time_s",
    source="definition: time from the end of the run to the deadline; negative if late",
)
def deadline_slack_s(deadline_s: float, run_time_s: Floats) -> Floats:
    """How early a run ends; NaN without a deadline. [s]"""
    return deadline_s - run_time_s


def clusters_side_by_side(runs_per_year: float, run_h: Values) -> Floats:
    """Clusters that a year's runs of so many hours need; one run has one, however long it takes. [1]"""
    needed = np.ceil(runs_per_year * np.asarray(run_h) / HOURS_PER_YEAR - 1e-9)
    return np.asarray(np.fmax(np.where(runs_per_year > 1, needed, 1.0), 1.0))


@formula(
    title="Device-hours paid",
    unit="h",
    expression="devices · run_time_s / 3600 · (1 + retry_share + validation_share + experiment_share)",
    source="headroom for retries, validation runs and experiments",
)
def training_device_hours(
    devices: Integers, run_time_s: Floats, retry_share: float, validation_share: float, experiment_share: float
) -> Floats:
    """Hours of devices that the run and what belongs to it take. [h]"""
    return devices * run_time_s / SECONDS_PER_HOUR * (1.0 + retry_share + validation_share + experiment_share)


@formula(
    title="Cost of the run",
    unit="USD",
    expression="(device_hours · usd_per_device_hour + beside_usd) · (1 + support_share)",
    source="price over time; a provider bills storage, egress and support beside devices",
)
def training_usd(
    device_hours: Floats, usd_per_device_hour: Floats, beside_usd: Floats, support_share: Values
) -> Floats:
    """What the run costs. [USD]"""
    return np.asarray((device_hours * usd_per_device_hour + beside_usd) * (1.0 + support_share))


@formula(
    title="Share of the run in which devices work",
    unit="",
    expression="(1 − (bubble_s + host_s + input_s) / step_time_s) · (1 − start_up_s / run_time_s)",
    source="devices that wait for other stages, their host or data, or for the start, are idle",
)
def working_share(
    bubble_s: Floats, host_s: Floats, input_s: Floats, step_time_s: Floats, start_up_s: float, run_time_s: Floats
) -> Floats:
    """Share of the run in which devices compute, move or exchange; work that a failure loses is work too. [1]"""
    return np.asarray((1.0 - (bubble_s + host_s + input_s) / step_time_s) * (1.0 - start_up_s / run_time_s))


@formula(
    title="Energy of the run",
    unit="J",
    expression="device_hours · 3600 · power_w / devices",
    source="power over time",
)
def training_energy_j(device_hours: Floats, power_w: Floats, devices: Integers) -> Floats:
    """Energy of the run at the site, retries and experiments included. [J]"""
    return device_hours * SECONDS_PER_HOUR * power_w / devices


@formula(title="Samples per second", unit="1/s", expression="tokens_per_s / sequence_tokens", source="definition")
def samples_per_s(tokens_per_s: Floats, sequence_tokens: float) -> Floats:
    """Sequences that all devices train on; samples of a model without tokens. [1/s]"""
    return tokens_per_s / sequence_tokens


@formula(
    title="Share of the run that the checkpoint store costs",
    unit="",
    expression="1 − endless_run_time_s / run_time_s",
    source="against checkpoints that a store takes as fast as the hosts send them, the last one included",
)
def store_lost_share(run_time_s: Floats, endless_run_time_s: Floats) -> Floats:
    """Share of the run's time that a store of any rate would save. [1]"""
    with np.errstate(invalid="ignore"):
        lost = np.maximum(0.0, 1.0 - endless_run_time_s / run_time_s)
    return np.where(np.isfinite(endless_run_time_s), lost, 0.0)


def checkpoint_parameters_bytes(job: TrainingJob) -> Floats:
    """Size of one checkpoint of the whole model, frozen parameters included, or of the adapters alone. [bytes]"""
    frozen = 0.0 if job.is_adapter else (job.numbers.parameters - job.trained_parameters) * job.state.weights
    return np.asarray(
        checkpoint_bytes(
            leaf(job.trained_parameters, "parameters", "", "model: trained parameters"),
            leaf(job.state.checkpoint, "bytes_per_parameter", "bytes/param", "recipe and optimizer"),
            leaf(frozen, "frozen_bytes", "bytes", "model: weights of frozen parameters"),
        )
    )


def training_run(
    job: TrainingJob,
    training: TrainingWorkload,
    layouts: TrainingLayouts,
    step: TrainingStep,
    equipment: Equipment,
    prices: DevicePrices,
    economics: Economics,
) -> dict[str, Floats]:
    """Columns of the table that say what the whole run of layouts is that can run."""
    who, devices = layouts.accelerator, layouts.devices
    tokens_per_step = leaf(job.tokens_per_step, "tokens_per_step", "tok", "scenario: global batch")
    speed = _speed_columns(job, layouts, step, equipment, tokens_per_step)
    size = checkpoint_parameters_bytes(job)
    kept, free = _kept(training, layouts, speed["tokens_per_s"], size, equipment, prices)
    once = training_steps(leaf(central(training.tokens), "tokens", "tok", "scenario"), tokens_per_step)
    steps = carried(np.broadcast_to(once, speed["tokens_per_s"].shape), once)
    lost, start_s = central(economics.fleets.training_virtualisation_loss), central(training.start_up_s)
    virtual = leaf(lost, "virtualisation_loss", "", "scenario: fleets over time")
    start_up = leaf(start_s, "start_up_s", "s", "scenario")
    time, least = (run_time_s(start_up, steps, step.total, to.goodput, virtual, to.write_s) for to in (kept, free))
    shares = ("retry_share", "validation_share", "experiment_share")
    hours = training_device_hours(
        devices, time, *(leaf(central(getattr(training, name)), name, "", "scenario") for name in shares)
    )
    working = working_share(step.bubble_s, step.host_s, step.input_s, step.total, start_up, time)
    pue = leaf(central(economics.site.pue), "pue", "", "scenario: site")
    drawn_w = prices.mean_power_w(who, working, working)
    drawn = draw_share(drawn_w, prices.power_w[who])
    paid = paid_fleet(prices.units, who, np.ones(len(who)), devices, True, drawn)
    beside, idle_w = prices.infrastructure_share_of(who, devices, devices, is_one_job=True), prices.idle_power_w[who]
    power = fleet_power_w(devices, drawn_w, paid.devices, idle_w, 1.0, beside, pue)
    stored = checkpoint_storage_bytes(leaf(float(training.checkpoints.kept), "kept", "", "scenario"), size)
    fed = feeding(training.data, job.sequence_tokens, tokens_per_step, step.total, step.input_s)
    billed = beside_run(economics, economics.training_procurement).where(paid.stock_devices < devices)
    return speed | {
        "steps": steps,
        "goodput": kept.goodput,
        "run_time_s": time,
        "device_hours": hours,
        "energy_j": training_energy_j(hours, power, devices),
        "paid_devices": paid.devices,
        "unit_devices": paid.unit_devices,
        "usd_per_device_hour": paid.usd_per_device_hour,
        "usd_per_run": training_usd(hours, paid.usd_per_device_hour, billed.usd, billed.support_share),
        "power_w": power,
        "draw_share": drawn,
        "deadline_slack_s": deadline_slack_s(leaf(_deadline_s(training), "deadline_s", "s", "scenario"), time),
        "data_bytes_per_s": fed.bytes_per_s,
        "data_reads_per_s": fed.reads_per_s,
        "data_cores": fed.cores,
        "store_lost_share": store_lost_share(time, least),
        "data_slowed_share": kept.slowed_share,
        "checkpoint_bytes": carried(np.broadcast_to(size, speed["tokens_per_s"].shape), size),
        "checkpoint_storage_bytes": carried(np.broadcast_to(stored, speed["tokens_per_s"].shape), stored),
        **{
            f"checkpoint_{name}": getattr(kept, name)
            for name in ("stall_s", "write_s", "interval_s", "store_interval_s")
        },
    }


def _deadline_s(training: TrainingWorkload) -> float:
    return float("nan") if training.deadline_s is None else central(training.deadline_s)


def _speed_columns(
    job: TrainingJob, layouts: TrainingLayouts, step: TrainingStep, equipment: Equipment, tokens_per_step: float
) -> dict[str, Floats]:
    """Throughput, and the share of the devices' peak that it is."""
    rate = training_tokens_per_s(tokens_per_step, step.total)
    each = training_tokens_per_s_per_device(rate, layouts.devices)
    useful = 1.0 + job.backward_share
    flop = leaf(useful * job.numbers.flop_per_token, "model_flop_per_token", "flop", "model: forward and backward")
    peaks = equipment.devices.peak_flop_per_s[layouts.accelerator, job.compute_index]
    mfu = model_flops_utilisation(flop, each, leaf(peaks, "peak_flop_per_s", "flop/s", "catalogue: accelerator"))
    sequence = leaf(float(job.sequence_tokens), "sequence_tokens", "tok", "scenario: sequence length")
    return {
        "tokens_per_s": rate,
        "tokens_per_s_per_device": each,
        "mfu": mfu,
        "hfu": hardware_flops_utilisation(mfu, step.passes, useful),
        "samples_per_s": samples_per_s(rate, sequence),
    }


def _kept(
    training: TrainingWorkload,
    layouts: TrainingLayouts,
    tokens_per_s: Floats,
    size: Floats,
    equipment: Equipment,
    prices: DevicePrices,
) -> tuple[Checkpointing, Checkpointing]:
    """Checkpoints of the layouts, and those to a store that takes all that the hosts send."""
    terms = CheckpointTerms(
        training.checkpoints, equipment.devices, equipment.cluster, equipment.nvme_bytes_per_s,
        prices.job_interruptions_per_node_day(layouts.accelerator, layouts.devices),
    )  # fmt: skip
    reading = read_share(training.data, training.checkpoints, tokens_per_s)
    kept = checkpointing(terms, layouts.accelerator, layouts.devices, size, reading)
    endless = replace(terms, checkpoints=msgspec.structs.replace(terms.checkpoints, storage_write_bytes_per_s=ENDLESS))
    free = checkpointing(endless, layouts.accelerator, layouts.devices, size, np.zeros_like(reading))
    return kept, free


NEAR_BEST = 0.01
"""Share of the run's time that a fast enough store may add."""
HALVINGS = 40
LADDER = (400e9, 100e9, 40e9, 10e9, 1e9, 0.1e9)
"""Bytes per second of stores that a run's cost is told for: from parallel file systems on flash to one disk."""


def checkpointing_of_row(
    scenario: Scenario,
    context: Context,
    table: TrainingTable,
    row: int,
    interruptions_per_node_day: Values,
    write_bytes_per_s: float | None = None,
) -> Checkpointing:
    """Checkpoints of one candidate with other interruptions than the plan's, or another store.

    Raises ValueError for a scenario without training.
    """
    job = scenario.training
    if job is None:
        raise ValueError("the scenario has no training workload")
    given = job.checkpoints
    if write_bytes_per_s is not None:
        given = msgspec.structs.replace(given, storage_write_bytes_per_s=write_bytes_per_s)
    one = slice(row, row + 1)
    terms = CheckpointTerms(
        given, context.devices_of(scenario.hardware), cluster_for(context.catalog, scenario.hardware),
        context.calibration.training.nvme_bytes_per_s, interruptions_per_node_day,
    )  # fmt: skip
    reading = read_share(data_of(job, scenario.model, context), given, table.tokens_per_s[one])
    return checkpointing(terms, table.accelerator[one], table.devices[one], table.checkpoint_bytes[one], reading)


def run_interruptions(
    scenario: Scenario, context: Context, layouts: TrainingLayouts | TrainingTable, run_time_s: Floats
) -> Floats:
    """Nodes that are taken away during runs of so long, if they are on spot capacity. [1]"""
    nodes = np.ceil(layouts.devices / cluster_for(context.catalog, scenario.hardware).node_devices[layouts.accelerator])
    return np.asarray(nodes * _interruptions_per_node_day(scenario, context, layouts) * run_time_s / SECONDS_PER_DAY)


def _interruptions_per_node_day(
    scenario: Scenario, context: Context, layouts: TrainingLayouts | TrainingTable
) -> Floats:
    economics = scenario.economics
    prices = context.prices(economics, economics.training_procurement, context.site_of(scenario))
    return prices.job_interruptions_per_node_day(layouts.accelerator, layouts.devices)


def run_with_store(
    scenario: Scenario, context: Context, table: TrainingTable, row: int, write_bytes_per_s: float
) -> StoreRun:
    """One candidate's run with a store of another write rate; layout, failures and prices stay."""
    economics, one = scenario.economics, slice(row, row + 1)
    often = _interruptions_per_node_day(scenario, context, table)[row]
    found = checkpointing_of_row(scenario, context, table, row, often, write_bytes_per_s)
    goodput, planned_s = float(found.goodput[0]), float(table.run_time_s[row])
    writes = found.write_s[0], table.checkpoint_write_s[row]
    once, planned_once = (once_s(scenario.job, write_s) for write_s in writes)
    with np.errstate(divide="ignore"):
        time = float(once + (planned_s - planned_once) * np.divide(float(table.goodput[row]), goodput))
    prices = context.prices(economics, economics.training_procurement, context.site_of(scenario))
    added = prices.added_devices(table.accelerator[one], table.devices[one], table.devices[one], is_one_job=True)
    beside = beside_run(economics, economics.training_procurement).where(added > 0)
    hours = table.device_hours[row] * time / planned_s
    usd = float(training_usd(hours, table.usd_per_device_hour[one], beside.usd, beside.support_share)[0])
    return StoreRun(
        write_bytes_per_s=write_bytes_per_s,
        write_s=float(found.write_s[0]),
        interval_s=float(found.store_interval_s[0]),
        goodput=goodput,
        run_time_s=time,
        usd_per_run=usd,
    )


def store_needed(scenario: Scenario, context: Context, table: TrainingTable, row: int) -> StoreRun:
    """The slowest store with which a run takes at most a hundredth longer than with an endless one.

    A run that hardly fails still keeps a checkpoint a day.
    """
    best = run_with_store(scenario, context, table, row, ENDLESS)
    low, high = 0.0, float(np.log(ENDLESS))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        run = run_with_store(scenario, context, table, row, float(np.exp(middle)))
        low, high = (low, middle) if run.run_time_s <= (1 + NEAR_BEST) * best.run_time_s else (middle, high)
    daily = float(table.checkpoint_bytes[row]) / SECONDS_PER_DAY
    return run_with_store(scenario, context, table, row, max(float(np.exp(high)), daily))


def with_stores(scenario: Scenario, plan: Plan, context: Context) -> Plan:
    """The plan with the store that its recommended run needs, and what the scenario's and slower ones cost."""
    found, job = plan.training, scenario.training
    if found is None or job is None or found.best < 0 or not np.isfinite(found.table.run_time_s[found.best]):
        return plan
    needed = store_needed(scenario, context, found.table, found.best)
    given = central(job.checkpoints.storage_write_bytes_per_s)
    rates = sorted({given, *LADDER}, reverse=True)
    stores = tuple(run_with_store(scenario, context, found.table, found.best, rate) for rate in rates)
    training = msgspec.structs.replace(found, store_needed=needed, stores=stores)
    return msgspec.structs.replace(plan, training=training)
