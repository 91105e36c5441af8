"""Which measured efficiency each accelerator uses for each precision: chosen once per catalogue and engine, then picked
per candidate by index."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.hardware import Accelerator, Link
from gpuplanner_gui.domain.knowledge import Calibration, KernelCalibration
from gpuplanner_gui.domain.model import Precision
from gpuplanner_gui.engine.columns import S, gathered
from gpuplanner_gui.engine.hardware.communication import Fabrics, bound_fabrics
from gpuplanner_gui.engine.hardware.devices import DeviceTable
from gpuplanner_gui.engine.kernels.efficiency import (
    KernelEvidence,
    ParameterTable,
    compute_units,
    device_distances,
    evidence_of,
    nearest_rows,
    parameter_tables,
)
from gpuplanner_gui.engine.kernels.operation_time import (
    DecodeAttentionParameters,
    ElementwiseParameters,
    GemmParameters,
    PrefillAttentionParameters,
)
from gpuplanner_gui.engine.kernels.special_time import (
    ExpertParameters,
    LatentDecodeParameters,
    LatentPrefillParameters,
    StateDecodeParameters,
    StatePrefillParameters,
)
from gpuplanner_gui.engine.model.precision import PRECISION_INDEX, PRECISIONS, weight_bytes_per_value
from gpuplanner_gui.engine.serving.rates import FamilyFactors, family_factors

FORMATS: tuple[str, ...] = (*PRECISIONS, "fp8_block")
"""Formats of products: every precision, and FP8 with a scale per block, as DeepSeek-V3 and its followers store it."""

NATIVE_KERNEL = {"bf16": "bf16", "fp16": "bf16", "fp32": "bf16", "tf32": "bf16", "fp8": "fp8", "int8": "int8",
                 "fp6": "fp8", "mxfp4": "mxfp4", "nvfp4": "nvfp4", "int4": "int4_weight",
                 "fp8_block": "fp8_block"}  # fmt: skip
UNPACKED_KERNEL = {"fp8": "int8_weight", "int8": "int8_weight", "fp6": "int8_weight", "mxfp4": "int4_weight",
                   "nvfp4": "int4_weight", "int4": "int4_weight", "fp8_block": "int8_weight"}  # fmt: skip
"""The calibration's name for products with weights in a format, run natively or unpacked first."""

EXPERT_KERNEL = NATIVE_KERNEL | {"mxfp4": "mxfp4_fp8", "int8": "fp8"}
UNPACKED_EXPERT_KERNEL = UNPACKED_KERNEL | {"mxfp4": "mxfp4_weight", "fp8": "int4_weight", "int8": "int4_weight",
                                            "fp6": "int4_weight", "fp8_block": "int4_weight"}  # fmt: skip

PEAK_OF_BITS: dict[float, Precision] = {16: "bf16", 8: "fp8", 4: "nvfp4"}
"""Whose peak kernels run at that compute in so many bits."""

KERNEL_ENGINES = ("vllm", "sglang", "trtllm")
CACHES = ("bf16_kv_bf16", "bf16_kv_fp8")


@dataclass(frozen=True)
class KernelRows(Generic[S]):
    """A table of parameters, and which row of it each accelerator takes, by format where that matters."""

    parameters: S
    row: Integers

    def of(self, *place: Integers) -> S:
        """Parameters of candidates, by index of accelerator and, where rows have them, of format or cache."""
        return gathered(self.parameters, self.row[place])


@dataclass(frozen=True)
class Kernels:
    """Kernels of each accelerator, and how it is known what they take.

    Rows of products and experts have shape (accelerators, formats), those of attention (accelerators, 2): wide and
    narrow cache; the others (accelerators,).
    """

    gemm: KernelRows[GemmParameters]
    prefill: KernelRows[PrefillAttentionParameters]
    decode: KernelRows[DecodeAttentionParameters]
    elementwise: KernelRows[ElementwiseParameters]
    latent_prefill: KernelRows[LatentPrefillParameters]
    latent_decode: KernelRows[LatentDecodeParameters]
    experts: KernelRows[ExpertParameters]
    state_prefill: KernelRows[StatePrefillParameters]
    state_decode: KernelRows[StateDecodeParameters]
    gemm_thin: Floats
    """Shape (accelerators, formats): what is left of a relative's padding of products of few rows."""
    is_measured: NDArray[np.bool_]
    """Shape (accelerators, formats): the device itself was timed with products in this format."""
    log_sd: NDArray[np.float64]
    """Shape (accelerators, formats): spread of one product's error."""
    relative: tuple[tuple[str, ...], ...]
    """Accelerator whose timings stand for each."""
    compute_units: NDArray[np.float64]
    fabrics: Fabrics
    family: FamilyFactors

    def gemm_of(self, accelerator: Integers, product_format: Integers) -> GemmParameters:
        found = self.gemm.of(accelerator, product_format)
        thin = self.gemm_thin[accelerator, product_format]
        return replace(found, row_padding=found.row_padding * thin, fill=found.fill * thin)


def kernel_engine(engine: str) -> str:
    """Whose kernels stand for an engine's: its own, else vLLM's."""
    return engine if engine in KERNEL_ENGINES else KERNEL_ENGINES[0]


@dataclass(frozen=True)
class _NearestRows:
    """Rows of the parameter tables that stand for each accelerator of a catalogue under one engine."""

    tables: dict[str, ParameterTable]
    calibration: KernelCalibration
    to_device: NDArray[np.float64]
    engine: str
    emulated: NDArray[np.bool_]
    """Shape (accelerators, formats)."""
    devices: DeviceTable

    def thin(self, rows: Integers, peak_flop_per_s: Floats) -> Floats:
        """What is left of the padding of a relative's products of few rows, at the peaks of those who take them.

        It is a tile's, chosen for the timed device. On one with fewer FLOPs per byte products would be bound by it,
        which nobody would choose there: it keeps its part of the time that reading weights takes.
        """
        weights, ids, sets = self.calibration.relatedness.precisions, self.devices.ids, self.tables["gemm"].sets
        width = [PRECISION_INDEX[PEAK_OF_BITS[weights[one.precision].compute_bits]] for one in sets]
        timed = [ids.index(one.accelerator) if one.accelerator in ids else -1 for one in sets]
        per_byte = self.devices.peak_flop_per_s[timed, width] / self.devices.bandwidth_bytes_per_s[timed]
        per_byte[np.array(timed) < 0] = np.nan
        own = peak_flop_per_s / self.devices.bandwidth_bytes_per_s[:, None]
        return np.nan_to_num(np.minimum(own / per_byte[rows], 1.0), nan=1.0)

    def _rows(self, operation: str, precision: str) -> Integers:
        return nearest_rows(self.tables[operation], self.calibration, self.to_device, self.engine, precision)[0]

    def by_device(self, operation: str) -> Integers:
        return self._rows(operation, "any")

    def by_format(self, operation: str) -> Integers:
        names = [[_kernel_name(operation, name, is_unpacked) for name in FORMATS] for is_unpacked in (False, True)]
        native, unpacked = (np.stack([self._rows(operation, name) for name in one], axis=1) for one in names)
        return np.where(self.emulated, unpacked, native)

    def experts(self) -> Integers:
        efficiency = self.tables["experts"].parameters.memory_efficiency
        return no_slower_when_narrower(self.by_format("experts"), efficiency)

    def attention(self, operation: str, efficiency: str, narrow_gain: float) -> Integers:
        """Where a narrow cache was timed slower than a wide one, engines have the wide one's kernel for it too."""
        chosen = np.stack([self._rows(operation, cache) for cache in CACHES], axis=1).reshape(-1, 2)
        reached = getattr(self.tables[operation].parameters, efficiency)[chosen]
        return np.where(reached * [1.0, narrow_gain] >= reached[:, :1], chosen, chosen[:, :1])


def bound_kernels(
    accelerators: tuple[Accelerator, ...],
    devices: DeviceTable,
    links: dict[str, Link],
    calibration: Calibration,
    engine: str,
) -> Kernels:
    """Choose the nearest measured parameters for every accelerator and format of a catalogue."""
    tables = parameter_tables(calibration.kernels)
    to_device = device_distances(accelerators, calibration.kernels)
    emulated = np.concatenate([devices.is_emulated, devices.is_emulated[:, [PRECISION_INDEX["fp8"]]]], axis=1)
    rows = _NearestRows(tables, calibration.kernels, to_device, engine, emulated, devices)
    peak = np.concatenate([devices.peak_flop_per_s, devices.peak_flop_per_s[:, [PRECISION_INDEX["fp8"]]]], axis=1)
    products = _product_evidence(tables["gemm"], accelerators, emulated, calibration, engine, to_device)
    chosen = {
        "gemm": products.row,
        "prefill_attention": rows.attention("prefill_attention", "compute_efficiency", 1.0),
        "decode_attention": rows.attention("decode_attention", "memory_efficiency", 2.0),
        "elementwise": rows.by_device("elementwise"),
        "latent_prefill_attention": rows.attention("latent_prefill_attention", "compute_efficiency", 1.0),
        "latent_decode_attention": rows.attention("latent_decode_attention", "memory_efficiency", 2.0),
        "experts": rows.experts(),
        "state_prefill": rows.by_device("state_prefill"),
        "state_decode": rows.by_device("state_decode"),
    }
    kinds: dict[str, Any] = {
        name.removesuffix("_attention"): KernelRows(tables[name].parameters, row) for name, row in chosen.items()
    }
    return Kernels(
        **kinds,
        gemm_thin=rows.thin(products.row, peak),
        is_measured=products.is_measured,
        log_sd=products.log_sd,
        relative=products.relative,
        compute_units=np.array([compute_units(entry, calibration.kernels) for entry in accelerators], np.float64),
        fabrics=bound_fabrics(accelerators, links, calibration.kernels, engine, to_device),
        family=family_factors(accelerators, calibration.families),
    )


FORMAT_WEIGHT_BYTES = np.append(weight_bytes_per_value(), weight_bytes_per_value()[PRECISION_INDEX["fp8"]])
"""Bytes per weight by index into `FORMATS`, block scales included."""


def no_slower_when_narrower(rows: Integers, memory_efficiency: NDArray[np.float64]) -> Integers:
    """Rows of parameters, shape (accelerators, formats), in which no narrower format reads its weights more slowly.

    Where timings of a format say that its kernel takes longer per weight than that of 16 bits, engines have a better
    one: the kernel for blocks of FP8, or the one for 16 bits fed with narrower weights, whichever reads faster.
    """
    wide, block = PRECISION_INDEX["bf16"], len(PRECISIONS)
    per_weight = FORMAT_WEIGHT_BYTES / memory_efficiency[rows]
    is_slower = (FORMAT_WEIGHT_BYTES[wide] > FORMAT_WEIGHT_BYTES) & (per_weight > per_weight[:, [wide]])
    best = np.where(
        memory_efficiency[rows[:, [block]]] > memory_efficiency[rows[:, [wide]]], rows[:, [block]], rows[:, [wide]]
    )
    return np.where(is_slower, best, rows)


@dataclass(frozen=True)
class _ProductEvidence:
    row: Integers
    is_measured: NDArray[np.bool_]
    log_sd: NDArray[np.float64]
    relative: tuple[tuple[str, ...], ...]


def _product_evidence(
    table: ParameterTable,
    accelerators: tuple[Accelerator, ...],
    emulated: NDArray[np.bool_],
    calibration: Calibration,
    engine: str,
    to_device: NDArray[np.float64],
) -> _ProductEvidence:
    """Which timings stand for the dense products of every accelerator in every format."""
    chosen: dict[str, tuple[Integers, NDArray[np.float64]]] = {}

    def evidence(position: int, entry: Accelerator, name: str) -> KernelEvidence:
        if name not in chosen:
            chosen[name] = nearest_rows(table, calibration.kernels, to_device, engine, name)
        rows, distances = chosen[name]
        return evidence_of(table, calibration.kernels, entry, name, int(rows[position]), float(distances[position]))

    found = [
        [evidence(position, entry, _kernel_name("gemm", name, unpacked)) for name, unpacked in zip(FORMATS, which)]
        for position, (entry, which) in enumerate(zip(accelerators, emulated))
    ]
    shape = (len(accelerators), len(FORMATS))
    return _ProductEvidence(
        np.array([[one.index for one in line] for line in found], np.int64).reshape(shape),
        np.array([[one.level == "measured" for one in line] for line in found], bool).reshape(shape),
        np.array([[one.log_sd for one in line] for line in found], np.float64).reshape(shape),
        tuple(tuple(one.accelerator for one in line) for line in found),
    )


def _kernel_name(operation: str, product_format: str, is_emulated: bool) -> str:
    native, unpacked = (
        (EXPERT_KERNEL, UNPACKED_EXPERT_KERNEL) if operation == "experts" else (NATIVE_KERNEL, UNPACKED_KERNEL)
    )
    return unpacked.get(product_format, "bf16") if is_emulated else native[product_format]
