"""Operations timed alone on the planner's own devices: what plans take for the efficiency of kernels on these.

Each timing is set beside what the shipped calibration expects of that product, copy or collective. What the timings of
one device have in common is a factor on its arithmetic, its memory and its latency, shrunk towards the shipped one.
Timings speak for the device that they were made on and for no other.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.hardware import Accelerator, Link
from gpuplanner_gui.domain.knowledge import (
    Calibration,
    CollectiveSet,
    KernelCalibration,
    MeasuredDevice,
    OwnEfficiency,
    ParameterSet,
    Residual,
)
from gpuplanner_gui.domain.measurement import PROCESSOR, Measurement, MeasurementSet, accepted
from gpuplanner_gui.engine.evidence.cases import middle, on_bare_metal
from gpuplanner_gui.engine.evidence.nearest import sizes_in
from gpuplanner_gui.engine.hardware.collectives import CollectiveKind, CollectiveParameters
from gpuplanner_gui.engine.hardware.collectives import collective_time as modelled_collective_time
from gpuplanner_gui.engine.hardware.communication import Library, fabric_kind, link_within, nearest_collective
from gpuplanner_gui.engine.hardware.devices import scale_up_domain
from gpuplanner_gui.engine.kernels.choice import KERNEL_ENGINES
from gpuplanner_gui.engine.kernels.efficiency import PARAMETER_TYPES, compute_units, nearest_set, parameter_tables
from gpuplanner_gui.engine.kernels.operation_time import Device, ElementwiseParameters, elementwise_time, gemm_time
from gpuplanner_gui.engine.model.precision import compute_rate

OWN_LOG_SD = 0.05
"""How far one device lies from others of its name: power limits, cooling, the silicon itself."""
FLOOR_LOG_SD, LATENCY_LOG_SD = 0.3, 0.3
LEAST_NOISE_LOG_SD = 0.08
"""Least noise (spread of the logarithm) of one timing against the model of its kernel."""
COPY_NOISE_LOG_SD = 0.15
"""A copy is the plainest kernel: what norms and activations reach lies about so far from it."""
WORTH_OF_ROWS = 6.0
"""Timings of one sweep err alike: more of them tell as much as so many."""
UNSEEN_SHAPES = 0.5
"""Share of the spread from distance that remains at shapes other than those timed: with each device and each
architecture left out in turn, bands hold 80 % of the rest."""
FEWEST = 3
DEGREES_OF_FREEDOM = 4.0
"""Degrees of freedom of the noise's t distribution, so that one outlier counts little."""
ROUNDS = 5
FARTHEST = math.log(4.0)
"""Timings farther from what is expected were of something else."""
BEYOND_PEAK = 1.05
"""Share of the device's peak or bandwidth that no kernel exceeds except from its cache."""
SHORT_S = 100e-6
"""Kernels that were launched one by one and are shorter than this hold their launch."""
LARGE_COPY_BYTES = 128 * 2**20
FORMATS = {"bf16": "bf16", "fp16": "bf16", "fp8": "fp8", "int8": "int8", "nvfp4": "nvfp4"}
"""Precision of a timed product, and the calibration's name for such products."""
BYTES = {"bf16": 2.0, "fp16": 2.0, "fp8": 1.0, "int8": 1.0, "nvfp4": 0.5625}
BARE = "pytorch"
"""What times products of 8 bits without the quantising of their activations, which engines' timings hold."""
COLLECTIVES: tuple[CollectiveKind, ...] = ("all_reduce", "all_gather", "reduce_scatter")
"""Those that plans look up by device."""
LIBRARY = "nccl"


@dataclass(frozen=True)
class Timings:
    """Timings of one kind of operation on one accelerator, arrays of shape (rows,)."""

    sizes: tuple[Floats, ...]
    measured_s: Floats

    def at(self, which: NDArray[np.bool_]) -> Timings:
        return Timings(tuple(size[which] for size in self.sizes), self.measured_s[which])


@dataclass(frozen=True)
class Fit:
    """Factors on the parts of a time, and how well the whole is known with them."""

    factors: Floats
    log_sd: float
    ratio: float
    """Measured over expected, the middle of all timings."""
    rows: int


def with_own_kernels(shipped: Calibration, sets: Sequence[MeasurementSet], catalog: Catalog) -> Calibration:
    """The calibration with what operations that were timed alone say of their devices; unchanged without any."""
    kernels, told = own_kernels(sets, catalog, shipped.kernels)
    if not told:
        return shipped
    own = [one for one in kernels.sets if one.is_own], [one for one in kernels.collectives if one.is_own]
    digest = hashlib.sha256(shipped.digest.encode() + msgspec.json.encode(own)).hexdigest()
    return msgspec.structs.replace(shipped, kernels=kernels, own=told, digest=digest)


def own_kernels(
    sets: Sequence[MeasurementSet], catalog: Catalog, shipped: KernelCalibration
) -> tuple[KernelCalibration, tuple[OwnEfficiency, ...]]:
    """The calibration with parameters for devices that were timed, and what these timings changed."""
    runs = [run for run in accepted(tuple(sets)) if run.context.operation and _speaks_for_device(run, catalog)]
    names = dict.fromkeys(run.context.accelerator for run in runs)
    products: list[ParameterSet] = []
    collectives: list[CollectiveSet] = []
    told: list[OwnEfficiency] = []
    for name in names:
        entry, own = catalog.accelerators[name], [run for run in runs if run.context.accelerator == name]
        for made, efficiency in (*_products(own, entry, shipped), *_copies(own, entry, shipped)):
            products += made
            told.append(efficiency)
        for links, efficiency in _collectives(own, entry, link_within(entry, catalog.links), shipped):
            collectives += links
            told.append(efficiency)
    if not told:
        return shipped, ()
    devices = [_device(catalog.accelerators[name], shipped) for name in names]
    found = msgspec.structs.replace(
        shipped,
        devices=(*shipped.devices, *devices),
        sets=(*products, *shipped.sets),  # the first among equals is taken
        collectives=(*collectives, *shipped.collectives),
    )
    return found, tuple(told)


def is_told_of(run: Measurement, told: Sequence[OwnEfficiency]) -> bool:
    """True where a run's operation is among those that changed what plans take for its device."""
    operation, precision = run.context.operation, FORMATS.get(run.context.weight_precision, "")
    kind = {"gemm": ("gemm", precision), "device_copy": ("elementwise", "any")}.get(operation, (operation, LIBRARY))
    return any((one.accelerator, one.operation, one.precision) == (run.context.accelerator, *kind) for one in told)


def _speaks_for_device(run: Measurement, catalog: Catalog) -> bool:
    """Whether a run counts for the device: the tool reported no wrong results and no busy device."""
    entry = catalog.accelerators.get(run.context.accelerator)
    return not run.note and entry is not None and entry.kind != PROCESSOR and run.context.device_kind != PROCESSOR


def _device(entry: Accelerator, shipped: KernelCalibration) -> MeasuredDevice:
    return MeasuredDevice(
        accelerator=entry.id,
        vendor=entry.vendor,
        kind=entry.kind,
        architecture=entry.architecture,
        year=entry.year or 0,
        memory_type=entry.memory_type,
        bandwidth_bytes_per_s=entry.memory_bandwidth_bytes_per_s,
        compute_units=compute_units(entry, shipped),
        is_own=True,
    )


def _time_of(run: Measurement, quantity: str) -> float:
    """Seconds; 0 where there is none, or it holds the launch of a short kernel."""
    found = middle(run.figures, quantity)
    if found is None or "power" in run.phases:
        return 0.0
    if "launch=eager" in run.context.shape and found.value < SHORT_S:
        return 0.0
    return on_bare_metal(found.value, False, run.context.virtualisation_loss)


# Matrix products and copies


def _products(
    runs: Sequence[Measurement], entry: Accelerator, shipped: KernelCalibration
) -> Iterator[tuple[list[ParameterSet], OwnEfficiency]]:
    """New sets for each format of products that was timed, one for each engine's kernels."""
    by_format: dict[str, list[tuple[float, ...]]] = {}
    for run in runs:
        sizes, time_s = sizes_in(run.context.shape, ("m", "n", "k")), _time_of(run, "kernel_time")
        precision = run.context.weight_precision
        rate, is_unpacked = compute_rate(entry, precision) if precision in FORMATS else (math.nan, True)
        if run.context.operation == "gemm" and sizes and time_s > 0 and math.isfinite(rate) and not is_unpacked:
            if FORMATS[precision] != "bf16" and run.context.engine == BARE:
                time_s += _quantising_s(sizes[0] * sizes[2], entry, shipped)
            by_format.setdefault(FORMATS[precision], []).append((*sizes, BYTES[precision], rate, time_s))
    for name, rows in by_format.items():
        columns = np.array(rows).T
        timings = Timings(tuple(columns[:-1]), columns[-1])
        yield from _fitted("gemm", name, _possible(timings, entry), entry, shipped, _product_time(entry, shipped))


def _quantising_s(values: float, entry: Accelerator, shipped: KernelCalibration) -> float:
    """Seconds to turn activations of 16 bits into 8, as expected of a kernel that reads and writes."""
    table = parameter_tables(shipped)["elementwise"]
    found = table.sets[nearest_set(table, shipped, entry, KERNEL_ENGINES[0], "any").index]
    parameters = ElementwiseParameters(**{name: np.asarray(value) for name, value in found.parameters.items()})
    device = Device(np.asarray(1.0), np.asarray(entry.memory_bandwidth_bytes_per_s), np.asarray(1.0))
    return float(elementwise_time(np.asarray(3.0 * values), device, parameters).total)


def _possible(timings: Timings, entry: Accelerator) -> Timings:
    """Those that neither the arithmetic nor the memory of the device forbids."""
    m, n, k, size, peak = timings.sizes
    least = np.maximum(2.0 * m * n * k / peak, k * n * size / entry.memory_bandwidth_bytes_per_s)
    return timings.at(timings.measured_s * BEYOND_PEAK >= least)


Modelled = Callable[[Timings, Any], tuple[Floats, Floats]]
"""Seconds of timings with some parameters, and the shares of the parts that the factors scale, shape (rows, parts)."""


def _product_time(entry: Accelerator, shipped: KernelCalibration) -> Modelled:
    units = np.asarray(float(compute_units(entry, shipped)))

    def modelled(timings: Timings, parameters: Any) -> tuple[Floats, Floats]:
        m, n, k, size, peak = timings.sizes
        device = Device(peak, np.asarray(entry.memory_bandwidth_bytes_per_s), units)
        time = gemm_time(m, n, k, size, size, device, parameters)
        return time.total, np.stack([time.compute_s, time.memory_s, time.floor_s], axis=1) / time.total[:, None]

    return modelled


def _copies(
    runs: Sequence[Measurement], entry: Accelerator, shipped: KernelCalibration
) -> Iterator[tuple[list[ParameterSet], OwnEfficiency]]:
    """Kernels that only read and write, after the largest copies inside the device's memory."""
    rows = [
        (run.context.message_bytes, time_s)
        for run in runs
        if run.context.operation == "device_copy" and run.context.message_bytes >= LARGE_COPY_BYTES
        for time_s in [_time_of(run, "kernel_time")]
        if time_s > 0
    ]
    if not rows:
        return
    columns = np.array(rows).T
    bandwidth = entry.memory_bandwidth_bytes_per_s
    possible = columns[1] * BEYOND_PEAK >= 2.0 * columns[0] / bandwidth

    def modelled(timings: Timings, parameters: Any) -> tuple[Floats, Floats]:
        device = Device(np.asarray(1.0), np.asarray(bandwidth), np.asarray(1.0))
        time = elementwise_time(2.0 * timings.sizes[0], device, parameters)
        nothing = np.zeros_like(time.memory_s)
        return time.total, np.stack([nothing, time.memory_s, time.floor_s], axis=1) / time.total[:, None]

    yield from _fitted(
        "elementwise", "any", Timings((columns[0],), columns[1]).at(possible), entry, shipped, modelled, 1,
        COPY_NOISE_LOG_SD,
    )  # fmt: skip


def _fitted(
    operation: str,
    precision: str,
    timings: Timings,
    entry: Accelerator,
    shipped: KernelCalibration,
    modelled: Modelled,
    fewest: int = FEWEST,
    noise: float = LEAST_NOISE_LOG_SD,
) -> Iterator[tuple[list[ParameterSet], OwnEfficiency]]:
    table = parameter_tables(shipped)[operation]
    kind = PARAMETER_TYPES[operation]
    made: list[ParameterSet] = []
    first: tuple[Fit, float] | None = None
    for engine in KERNEL_ENGINES:
        evidence = nearest_set(table, shipped, entry, engine, precision)
        start = table.sets[evidence.index]
        transfer = shipped.relatedness.transfer_log_sd.get(operation, 0.0) * evidence.distance
        spread = math.hypot(transfer, OWN_LOG_SD)

        def with_factors(factors: Floats, start: ParameterSet = start) -> Any:
            return kind(**{name: np.asarray(value) for name, value in _scaled(start.parameters, factors).items()})

        own_noise = max(noise, start.residual.log_sd)
        fit = fitted(timings, modelled, with_factors, np.array([spread, spread, FLOOR_LOG_SD]), own_noise, fewest)
        if fit is None:
            return
        log_sd = min(evidence.log_sd, math.hypot(start.residual.log_sd, fit.log_sd, UNSEEN_SHAPES * transfer))
        parameters, residual = _scaled(start.parameters, fit.factors), _residual(start.residual, log_sd, fit.rows)
        own = {"accelerator": entry.id, "engine": engine, "precision": precision, "is_own": True}
        made.append(msgspec.structs.replace(start, parameters=parameters, residual=residual, **own))
        first = first or (fit, evidence.log_sd)
    assert first is not None
    yield made, _told(entry, operation, precision, first[0], first[1], made[0].residual.log_sd)


def _scaled(parameters: dict[str, float], factors: Floats) -> dict[str, float]:
    """Parameters of kernels whose arithmetic, memory and floor take so many times as long."""
    compute, memory, floor = map(float, factors)
    by = {
        "compute_efficiency": 1.0 / compute, "memory_efficiency": 1.0 / memory, "floor_s": floor, "depth_s": floor,
    }  # fmt: skip
    return {name: value * by.get(name, 1.0) for name, value in parameters.items()}


def _residual(start: Residual, log_sd: float, rows: int) -> Residual:
    return msgspec.structs.replace(start, log_sd=log_sd, rows=rows)


def _told(entry: Accelerator, operation: str, precision: str, fit: Fit, before: float, after: float) -> OwnEfficiency:
    return OwnEfficiency(
        accelerator=entry.id, operation=operation, precision=precision, runs=fit.rows, ratio=fit.ratio,
        log_sd_before=before, log_sd_after=after,
    )  # fmt: skip


# Collectives


def _collectives(
    runs: Sequence[Measurement], entry: Accelerator, link: Link, shipped: KernelCalibration
) -> Iterator[tuple[list[CollectiveSet], OwnEfficiency]]:
    """Sets for each collective of NCCL that was timed inside one domain."""
    domain = scale_up_domain(entry)
    for kind in COLLECTIVES:
        rows = [
            (float(run.context.devices), run.context.message_bytes, time_s)
            for run in runs
            if run.context.operation == kind and 2 <= run.context.devices <= domain and _is_of_library(run)
            for time_s in [_time_of(run, "collective_time")]
            if time_s > 0 and run.context.message_bytes > 0
        ]
        if rows:
            columns = np.array(rows).T
            yield from _fitted_collective(kind, Timings((columns[0], columns[1]), columns[2]), entry, link, shipped)


def _is_of_library(run: Measurement) -> bool:
    return LIBRARY in (run.context.engine, *run.context.shape.replace(",", " ").split())


def _fitted_collective(
    kind: CollectiveKind, timings: Timings, entry: Accelerator, link: Link, shipped: KernelCalibration
) -> Iterator[tuple[list[CollectiveSet], OwnEfficiency]]:
    rate = np.asarray(link.bytes_per_s_per_direction)
    of_engines = KERNEL_ENGINES if kind == "all_reduce" else ()
    kinds: list[tuple[Library, str]] = [("nccl", ""), *(("custom", engine) for engine in of_engines)]
    found = nearest_collective(shipped, kind, entry, link, "", "nccl")
    start = found.parameters

    def modelled(given: Timings, parameters: Any) -> tuple[Floats, Floats]:
        ranks, size = given.sizes
        time = modelled_collective_time(kind, size, ranks, rate, parameters)
        total = time.total
        return total, np.stack([time.wire_s, time.latency_s + time.ramp_s], axis=1) / total[:, None]

    prior = np.array([max(found.log_sd, OWN_LOG_SD), max(found.log_sd, LATENCY_LOG_SD)])
    fit = fitted(
        timings, modelled, lambda factors: _scaled_link(start, factors), prior, LEAST_NOISE_LOG_SD, FEWEST,
    )  # fmt: skip
    if fit is None:
        return
    log_sd = min(found.log_sd, math.hypot(LEAST_NOISE_LOG_SD, fit.log_sd))
    residual = Residual(
        median_error=0.0, p90_error=0.0, median_log_bias=0.0, log_sd=log_sd, log_p10=0.0, log_p90=0.0, rows=fit.rows
    )
    made = []
    for library, engine in kinds:
        before = nearest_collective(shipped, kind, entry, link, engine, library)
        # Kernels of an engine's own run over the same wires, at latencies of their own.
        is_same = library == LIBRARY or before.level == "specification"
        values = _scaled_link(before.parameters, fit.factors if is_same else np.array([fit.factors[0], 1.0]))
        parameters = {one.name: float(getattr(values, one.name)) for one in fields(CollectiveParameters)}
        ranks = int(timings.sizes[0].max())
        made.append(
            CollectiveSet(
                collective=kind, fabric=fabric_kind(link), library=library, engine=engine, accelerator=entry.id,
                link_bytes_per_s=float(rate), largest_ranks=ranks, parameters=parameters, residual=residual,
                is_own=True, reduces_on_the_way=before.reduces_on_the_way,
            )
        )  # fmt: skip
    yield made, _told(entry, kind, LIBRARY, fit, found.log_sd, log_sd)


def _scaled_link(parameters: CollectiveParameters, factors: Floats) -> CollectiveParameters:
    """Parameters of a collective whose wire and latency take so many times as long."""
    wire, latency = factors
    return replace(
        parameters,
        latency_s=parameters.latency_s * latency,
        latency_per_rank_s=parameters.latency_per_rank_s * latency,
        ramp_s=parameters.ramp_s * latency,
        efficiency_2=parameters.efficiency_2 / wire,
        efficiency_4=parameters.efficiency_4 / wire,
        efficiency_8=parameters.efficiency_8 / wire,
    )


# The fit


def fitted(
    timings: Timings,
    modelled: Modelled,
    with_factors: Callable[[Floats], Any],
    prior_log_sd: Floats,
    noise_log_sd: float,
    fewest: int,
) -> Fit | None:
    """Factors on the parts of the time; None where too few timings can be of what is expected.

    Parameters
    ----------
    with_factors
        Parameters of the operation when each part takes so many times as long.
    prior_log_sd : float array, shape (parts,)
        Spread of the logarithms of the factors, before anything is measured.

    Notes
    -----
    Bayesian regression of ln(measured / expected) on the shares of the parts, linear around the factors found so far,
    with noise of a t distribution by reweighting. Residuals that stay larger than the noise widen the result.
    """
    parts = len(prior_log_sd)
    expected, _ = modelled(timings, with_factors(np.ones(parts)))
    off = np.log(timings.measured_s / expected)
    near = np.abs(off) <= FARTHEST
    if near.sum() < fewest or near.mean() < 0.5:
        return None
    ratio = float(np.exp(np.median(off[near])))
    timings = timings.at(near)
    count = len(timings.measured_s)
    level = noise_log_sd**2 * max(count / WORTH_OF_ROWS, 1.0)
    logs: Floats = np.zeros(parts)
    precision: Floats = np.diag(1.0 / prior_log_sd**2)
    for _ in range(ROUNDS):
        expected, shares = modelled(timings, with_factors(np.exp(logs)))
        left = np.log(timings.measured_s / expected)
        held = level * (DEGREES_OF_FREEDOM + left**2 / noise_log_sd**2) / (DEGREES_OF_FREEDOM + 1.0)
        precision = np.diag(1.0 / prior_log_sd**2) + (shares.T / held) @ shares
        found = np.linalg.solve(precision, (shares.T / held) @ (left + shares @ logs))
        logs = np.asarray(np.clip(found, -FARTHEST, FARTHEST))
    expected, shares = modelled(timings, with_factors(np.exp(logs)))
    left = np.log(timings.measured_s / expected)
    covariance = np.linalg.inv(precision)
    known = float(np.sqrt(np.mean(np.einsum("ip,pq,iq->i", shares, covariance, shares))))
    excess = max(float(np.median(np.abs(left))) / 0.6745 - noise_log_sd, 0.0)
    return Fit(np.exp(logs), math.hypot(known, excess), ratio, count)
