"""From a step to the run: throughput, MFU, checkpoints and failures, days, energy and money."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.economics import Economics
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.workload import TrainingWorkload
from gpuplanner_gui.engine.formula import carried, formula, leaf
from gpuplanner_gui.engine.pipeline import checkpoint_bytes, checkpoint_storage_bytes, checkpoint_write_s
from gpuplanner_gui.engine.prices import DevicePrices
from gpuplanner_gui.engine.reliability import checkpointed_efficiency, daly_interval_s, job_mtbf_s
from gpuplanner_gui.engine.rented_beside import beside_run
from gpuplanner_gui.engine.training.job import TrainingJob
from gpuplanner_gui.engine.training.layouts import TrainingLayouts
from gpuplanner_gui.engine.training.step_time import TrainingStep
from gpuplanner_gui.engine.training.work import Equipment

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

SECONDS_PER_HOUR = 3600.0
SECONDS_PER_DAY = 86_400.0
HOST_COPY_SHARE = 0.5
"""Of the link's rate that copies of scattered shards to host memory reach."""
MEMORY_COPY_BYTES_PER_S = 20e9
"""Where a device shares its memory with the host or has no stated link: a copy within memory."""


@dataclass(frozen=True)
class TrainingRun:
    """One entry per layout."""

    tokens_per_s: Floats
    tokens_per_s_per_device: Floats
    mfu: Floats
    hfu: Floats
    steps: Floats
    goodput: Floats
    run_time_s: Floats
    device_hours: Floats
    energy_j: Floats
    paid_devices: Floats
    unit_devices: Floats
    usd_per_device_hour: Floats
    usd_per_run: Floats
    power_w: Floats
    checkpoint_bytes: Floats
    checkpoint_interval_s: Floats
    checkpoint_storage_bytes: Floats


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
    title="Time that a checkpoint stops the run",
    unit="s",
    expression="asynchronous: state on a device / copy rate to the host; else checkpoint / storage rate",
    source="engine notes, reliability, C2",
)
def checkpoint_stall_s(
    checkpoint_bytes: Floats, devices: Integers, copy_bytes_per_s: Floats, storage_bytes_per_s: float, is_async: bool
) -> Floats:
    """Stall of one checkpoint. [s]"""
    copied = checkpoint_bytes / devices / copy_bytes_per_s
    return copied if is_async else np.asarray(checkpoint_write_s(checkpoint_bytes, storage_bytes_per_s))


@formula(
    title="Run time",
    unit="s",
    expression="start_up_s + steps · step_time_s / (goodput · (1 − virtualisation_loss))",
    source="failures, checkpoints and virtual machines stretch the steps; the start is paid once",
)
def run_time_s(
    start_up_s: float, steps: Floats, step_time_s: Floats, goodput: Floats, virtualisation_loss: float
) -> Floats:
    """Wall-clock time of the run, losses included. [s]"""
    with np.errstate(divide="ignore"):
        return start_up_s + steps * step_time_s / (goodput * (1.0 - virtualisation_loss))


@formula(
    title="Device-hours",
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
def training_usd(device_hours: Floats, usd_per_device_hour: Floats, beside_usd: Floats, support_share: float) -> Floats:
    """What the run costs. [USD]"""
    return (device_hours * usd_per_device_hour + beside_usd) * (1.0 + support_share)


@formula(
    title="Power while training",
    unit="W",
    expression="devices · device_power_w · pue",
    source="devices with their share of the node, under load; PUE adds cooling and losses",
)
def training_power_w(devices: Integers, device_power_w: Floats, pue: float) -> Floats:
    """Drawn at the site. [W]"""
    return devices * device_power_w * pue


@formula(
    title="Energy of the run",
    unit="J",
    expression="device_hours · 3600 · power_w / devices",
    source="power over time",
)
def training_energy_j(device_hours: Floats, power_w: Floats, devices: Integers) -> Floats:
    """At the site, headroom included. [J]"""
    return device_hours * SECONDS_PER_HOUR * power_w / devices


@formula(
    title="Checkpoint interval",
    unit="s",
    expression="min(daly_s, 1 d)",
    source="Daly's optimum; a run that hardly fails still keeps a checkpoint a day",
)
def rarest_interval_s(daly_s: Floats) -> Floats:
    """Computing time between checkpoints. [s]"""
    return np.minimum(daly_s, SECONDS_PER_DAY)


def checkpoint_parameters_bytes(job: TrainingJob) -> Floats:
    """Size of one checkpoint of the whole model, or of the adapters alone. [bytes]"""
    return np.asarray(
        checkpoint_bytes(
            leaf(job.trained_parameters, "parameters", "", "model: trained parameters"),
            leaf(job.state.checkpoint, "bytes_per_parameter", "bytes/param", "recipe and optimizer"),
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
) -> TrainingRun:
    """The whole run of layouts that can run."""
    who, devices = layouts.accelerator, layouts.devices
    tokens_per_step = leaf(job.tokens_per_step, "tokens_per_step", "tok", "scenario: global batch")
    rate = training_tokens_per_s(tokens_per_step, step.total)
    each = training_tokens_per_s_per_device(rate, devices)
    useful = 1.0 + job.backward_share
    flop = leaf(useful * job.numbers.flop_per_token, "model_flop_per_token", "flop", "model: forward and backward")
    peak = leaf(
        equipment.devices.peak_flop_per_s[who, job.compute_index], "peak_flop_per_s", "flop/s", "catalogue: accelerator"
    )
    mfu = model_flops_utilisation(flop, each, peak)
    hfu = hardware_flops_utilisation(mfu, step.passes, useful)
    size = checkpoint_parameters_bytes(job)
    interval, goodput = _kept_going(training, layouts, equipment, size, prices.interruptions_per_node_day)
    once = training_steps(leaf(central(training.tokens), "tokens", "tok", "scenario"), tokens_per_step)
    steps = carried(np.broadcast_to(once, rate.shape), once)
    virtual = leaf(
        central(economics.fleets.training_virtualisation_loss), "virtualisation_loss", "", "scenario: fleets over time"
    )
    start_up = leaf(central(training.start_up_s), "start_up_s", "s", "scenario")
    time = run_time_s(start_up, steps, step.total, goodput, virtual)
    hours = training_device_hours(
        devices,
        time,
        leaf(central(training.retry_share), "retry_share", "", "scenario"),
        leaf(central(training.validation_share), "validation_share", "", "scenario"),
        leaf(central(training.experiment_share), "experiment_share", "", "scenario"),
    )
    paid = prices.fleet(who, np.ones(len(who)), devices, is_one_job=True)
    price = paid.usd_per_device_hour
    power = training_power_w(
        devices,
        leaf(prices.power_w[who], "device_power_w", "W", "catalogue: node or device"),
        leaf(central(economics.site.pue), "pue", "", "scenario: site"),
    )
    stored = checkpoint_storage_bytes(leaf(float(training.checkpoints.kept), "kept", "", "scenario"), size)
    beside = beside_run(economics, economics.training_procurement)
    usd = training_usd(hours, price, beside.usd, beside.support_share)
    return TrainingRun(
        rate, each, mfu, hfu, steps, goodput, time, hours, training_energy_j(hours, power, devices), paid.devices,
        paid.unit_devices, price,
        usd, power, carried(np.broadcast_to(size, rate.shape), size), interval,
        carried(np.broadcast_to(stored, rate.shape), stored),
    )  # fmt: skip


def _kept_going(
    training: TrainingWorkload, layouts: TrainingLayouts, equipment: Equipment, size: Floats, interruptions: float
) -> tuple[Floats, Floats]:
    """Best checkpoint interval, and the share of time that makes progress with it."""
    who, terms = layouts.accelerator, training.checkpoints
    nodes = np.ceil(layouts.devices / equipment.cluster.node_devices[who])
    failures = central(terms.failures_per_node_day) + interruptions
    mtbf = job_mtbf_s(
        nodes, leaf(failures, "failures_per_node_day", "1/d", "scenario, spot interruptions included"), np.float64(0.0)
    )
    link = equipment.devices.host_bytes_per_s[who] * HOST_COPY_SHARE
    stall = checkpoint_stall_s(
        size,
        layouts.devices,
        leaf(np.where(np.isnan(link), MEMORY_COPY_BYTES_PER_S, link), "copy_bytes_per_s", "bytes/s", "catalogue: PCIe"),
        leaf(central(terms.storage_write_bytes_per_s), "storage_bytes_per_s", "bytes/s", "scenario"),
        terms.asynchronous,
    )
    interval = rarest_interval_s(daly_interval_s(stall, mtbf))
    recovery = leaf(central(terms.restart_s), "recovery_s", "s", "scenario")
    return interval, checkpointed_efficiency(interval, stall, mtbf, recovery)
