"""Own training measurements: what memory a framework takes beyond the prediction, and how runs scale.

Scaling is fitted in two stages: what a doubling of devices keeps inside a node, then what one keeps across nodes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.domain.knowledge import LocalCalibration, MemoryPoint, MemoryPrior
from gpuplanner_gui.domain.measurement import Measurement, MeasurementContext, missing_context
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.evidence.cases import middle, training_case
from gpuplanner_gui.engine.evidence.posterior import model_signature
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.model.cache_sizes import kv_bytes_per_token
from gpuplanner_gui.engine.model.precision import PRECISION_INDEX, cache_bytes_per_value
from gpuplanner_gui.engine.training.predict import case_work

FEW = 3
RESERVED = 0.2
"""Share of the cache's growth below which the engine reserves its memory at the start."""
AS_EXPECTED = 0.15
"""A growth that is no farther from the cache's than this share is that of the cache."""


@dataclass(frozen=True)
class MemoryGrowth:
    """Runs of one deployment on several loads. Bytes are of one device."""

    context: MeasurementContext
    """Context of the first run."""
    runs: int
    at_rest_bytes: float
    """Memory without any token in the cache: weights, runtime, buffers."""
    bytes_per_token: float
    expected_bytes_per_token: float

    @property
    def is_reserved(self) -> bool:
        return self.bytes_per_token < RESERVED * self.expected_bytes_per_token

    @property
    def is_as_expected(self) -> bool:
        return abs(self.bytes_per_token / self.expected_bytes_per_token - 1.0) <= AS_EXPECTED


def memory_growth(measurements: Sequence[Measurement], catalog: Catalog) -> tuple[MemoryGrowth, ...]:
    """A line through the memory of each deployment's runs, for those with enough of them.

    Notes
    -----
    Least squares over the tokens of all requests at once, prompt and answer whole: what a closed loop holds at most.
    """
    groups: dict[tuple[object, ...], list[Measurement]] = defaultdict(list)
    for run in measurements:
        context = run.context
        if context.load and context.model in catalog.models and not missing_context(run) and _used(run) is not None:
            kind = (context.model, context.accelerator, context.devices, context.engine, context.weight_precision)
            groups[*kind, context.kv_precision].append(run)
    return tuple(_line(runs, catalog) for runs in groups.values() if len({_tokens(run.context) for run in runs}) >= FEW)


def _used(run: Measurement) -> float | None:
    found = middle(run.figures, "memory_used") or next(
        (one for one in run.figures if (one.quantity, one.statistic) == ("memory_used", "max")), None
    )
    return found.value if found is not None else None


def _tokens(context: MeasurementContext) -> float:
    return context.concurrency * (context.prompt_tokens + context.output_tokens)


def _line(runs: list[Measurement], catalog: Catalog) -> MemoryGrowth:
    context = runs[0].context
    tokens = np.array([_tokens(run.context) for run in runs])
    slope, at_rest = np.polyfit(tokens, np.array([_used(run) for run in runs], dtype=np.float64), 1)
    precision = context.kv_precision if context.kv_precision in PRECISION_INDEX else "bf16"
    value_bytes = cache_bytes_per_value()[PRECISION_INDEX[precision]]
    whole = float(kv_bytes_per_token(catalog.models[context.model].model, value_bytes))
    return MemoryGrowth(context, len(runs), float(at_rest), float(slope), whole / max(context.devices, 1))


@dataclass(frozen=True)
class MemoryReserve:
    """What runs of one model with one framework say. Bytes are of one device."""

    model_id: str
    engine: str
    frameworks: tuple[str, ...]
    """Those that ran, where they take the habits of `engine`."""
    runs: int
    middle_bytes: float
    """Measured less predicted."""
    shift_bytes: float
    """Bytes that plans add (or subtract, if negative)."""


def memory_point(measurement: Measurement, context: Context) -> MemoryPoint | None:
    """A training run's memory beside the shipped prediction; None where it states none, or not of what."""
    stated, used = measurement.context, _peak_bytes(measurement)
    is_training = stated.sequence_length and stated.global_batch and not stated.load
    is_known = stated.model in context.catalog.models and stated.accelerator in context.catalog.accelerators
    if used is None or not is_training or missing_context(measurement) or not is_known:
        return None
    case = training_case(stated, "step_time", context.catalog, context.calibration)
    predicted = float(case_work(case, context).memory.total[0])
    if not np.isfinite(predicted):
        return None
    return MemoryPoint(
        model=model_signature(case.model), model_id=stated.model, engine=case.framework, ran=stated.engine_as_written,
        measured_bytes=used,
        predicted_bytes=predicted,
    )  # fmt: skip


def _peak_bytes(measurement: Measurement) -> float | None:
    for one in measurement.figures:
        if (one.quantity, one.statistic) == ("memory_used", "max"):
            return one.value
    found = middle(measurement.figures, "memory_used")
    return found.value if found is not None else None


def memory_reserves(points: Sequence[MemoryPoint], prior: MemoryPrior) -> tuple[MemoryReserve, ...]:
    """One for each model and framework.

    Notes
    -----
    The middle of the residuals, so that one run far off does no harm, times n·s²/(n·s² + σ²): the posterior mean of a
    normal shift of spread s seen by n runs of spread σ.
    """
    groups: dict[tuple[str, str], list[MemoryPoint]] = {}
    for point in points:
        groups.setdefault((point.model, point.engine), []).append(point)
    found = []
    for (_, engine), runs in groups.items():
        signal = len(runs) * prior.model_sd_bytes**2
        off = float(np.median([run.measured_bytes - run.predicted_bytes for run in runs]))
        shift = signal / (signal + prior.run_sd_bytes**2) * off
        ran = tuple(dict.fromkeys(run.ran or engine for run in runs))
        found.append(MemoryReserve(runs[0].model_id, engine, ran, len(runs), off, shift))
    return tuple(found)


def own_reserve_bytes(local: LocalCalibration | None, model: str, engine: str) -> float:
    """Measured memory of a device beyond the shipped calibration; 0 where nothing was measured.

    `model` is a signature.
    """
    if local is None:
        return 0.0
    concerned = [point for point in local.memory if (point.model, point.engine) == (model, engine)]
    found = memory_reserves(concerned, local.prior.memory)
    return found[0].shift_bytes if found else 0.0


USUAL_KEPT_INSIDE, USUAL_KEPT_ACROSS = 0.985, 0.97
"""Throughput per device that a doubling usually keeps, inside a node and across nodes: the middle of published runs."""
PRIOR_LOG_SD = 0.04
"""Spread of the logarithm of what a doubling keeps, before anything is measured."""
NOISE_LOG_SD = 0.02
"""Noise (spread of the logarithm) of one run."""


@dataclass(frozen=True)
class ScalingFit:
    """Throughput per device against devices, on a logarithmic scale."""

    node_devices: int
    log_one_device: float
    """Logarithm of the throughput of one device by itself."""
    log_kept_inside: float
    """Logarithm of what a doubling inside the node keeps."""
    log_kept_across: float
    """The same for a doubling of nodes."""
    covariance: Floats
    """Covariance of these three, shape (3, 3)."""
    runs_inside: int
    runs_across: int

    def efficiency(self, devices: Floats) -> Floats:
        """Throughput per device over that of one device. [1]"""
        inside, across = doublings(devices, self.node_devices)
        return kept_share(inside, across, self.log_kept_inside, self.log_kept_across)

    def throughput_per_device(self, devices: Floats) -> tuple[Floats, Floats, Floats]:
        """Predicted throughput per device with its 80 % band, in the unit of the runs."""
        inside, across = doublings(devices, self.node_devices)
        rows = np.stack([np.ones_like(inside), inside, across])
        log = self.log_one_device + inside * self.log_kept_inside + across * self.log_kept_across
        variance = np.einsum("i...,ij,j...->...", rows, self.covariance, rows) + NOISE_LOG_SD**2
        width = Z_80 * np.sqrt(variance)
        return np.exp(log), np.exp(log - width), np.exp(log + width)


def doublings(devices: Floats, node_devices: int) -> tuple[Floats, Floats]:
    """Doublings of devices inside a node, and of nodes."""
    counts = np.maximum(np.asarray(devices, np.float64), 1.0)
    return np.log2(np.minimum(counts, node_devices)), np.log2(np.maximum(counts / node_devices, 1.0))


@formula(
    title="Scaling efficiency",
    unit="",
    expression="kept_inside^(doublings inside the node) · kept_across^(doublings of nodes)",
    source="scaling within one node first, then across nodes",
)
def kept_share(inside: Floats, across: Floats, log_kept_inside: float, log_kept_across: float) -> Floats:
    """Throughput per device over that of one device. [1]"""
    return np.asarray(np.exp(inside * log_kept_inside + across * log_kept_across))


def scaling_fit(devices: Floats, throughput_per_device: Floats, node_devices: int) -> ScalingFit:
    """Fit runs of one job on several counts of devices.

    Parameters
    ----------
    devices, throughput_per_device : float arrays, shape (runs,)
        All above 0; any unit of throughput.
    node_devices : int
        Devices of a node.

    Raises
    ------
    ValueError
        Without runs, or with one that is not above 0.

    Notes
    -----
    Ridge regression of the logarithm, in two stages. Runs inside a node settle one device's pace and what a doubling
    inside keeps; with these, the others settle what a doubling of nodes keeps. What too few runs leave open stays at
    what published runs usually keep.
    """
    counts, rates = np.asarray(devices, np.float64), np.asarray(throughput_per_device, np.float64)
    if not len(counts) or np.any(counts <= 0) or np.any(rates <= 0):
        raise ValueError("scaling needs runs with devices and throughput above 0")
    inside, across = doublings(counts, node_devices)
    within = counts <= node_devices
    start = np.array([float(np.log(rates).mean()), np.log(USUAL_KEPT_INSIDE), np.log(USUAL_KEPT_ACROSS)])
    spread = np.array([10.0, PRIOR_LOG_SD, PRIOR_LOG_SD])
    rows = np.stack([np.ones_like(inside), inside, across], axis=1)
    mean, covariance = start, np.diag(spread**2)
    for chosen in (within, ~within):
        mean, covariance = _updated(mean, covariance, rows[chosen], np.log(rates[chosen]))
    return ScalingFit(
        node_devices,
        float(mean[0]),
        float(mean[1]),
        float(mean[2]),
        covariance,
        int(within.sum()),
        int((~within).sum()),
    )


def _updated(mean: Floats, covariance: Floats, rows: Floats, logs: Floats) -> tuple[Floats, Floats]:
    """Bayesian linear regression: the next stage's start is the last one's result."""
    if not len(rows):
        return mean, covariance
    precision = np.linalg.inv(covariance) + rows.T @ rows / NOISE_LOG_SD**2
    found = np.linalg.inv(precision)
    return np.asarray(found @ (np.linalg.solve(covariance, mean) + rows.T @ logs / NOISE_LOG_SD**2)), np.asarray(found)
