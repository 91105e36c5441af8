"""What serving candidates are to the kernels: shares of the work, devices, parameters; arrays over candidates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.engine.columns import gathered
from gpuplanner_gui.engine.communication import ReplicaFabric, fabric_of
from gpuplanner_gui.engine.devices import DeviceTable
from gpuplanner_gui.engine.expert_time import ExpertParameters
from gpuplanner_gui.engine.formula import leaf
from gpuplanner_gui.engine.kernels import FP8_BLOCK, Kernels
from gpuplanner_gui.engine.latent_time import LatentDecodeParameters, LatentPrefillParameters
from gpuplanner_gui.engine.operation_time import (
    DecodeAttentionParameters,
    Device,
    ElementwiseParameters,
    GemmParameters,
    PrefillAttentionParameters,
)
from gpuplanner_gui.engine.precision import PRECISION_INDEX, cache_bytes_per_value, weight_bytes_per_value
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.rates import FamilyFactors
from gpuplanner_gui.engine.state_time import StateDecodeParameters, StatePrefillParameters

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

BF16 = PRECISION_INDEX["bf16"]
NARROW_CACHE = np.array([1 if size < 2 else 0 for size in cache_bytes_per_value()], np.int64)
FORMAT_BYTES = np.append(weight_bytes_per_value(), weight_bytes_per_value()[PRECISION_INDEX["fp8"]])
WEIGHT_ONLY = PRECISION_INDEX["int4"]


@dataclass(frozen=True)
class Layout:
    """How the devices of a replica share its work; arrays of the candidates' shape."""

    tensor_parallel: Floats
    """Devices that share attention and dense layers."""
    pipeline_parallel: Floats
    data_parallel: Floats
    """Groups of `tensor_parallel` devices that each attend to their own sequences, with experts in common."""
    expert_parallel: Floats
    """Groups of devices that hold different experts."""
    expert_tensor_parallel: Floats
    """Devices that share each expert."""


@dataclass(frozen=True)
class Products:
    """Matrix products with weights in one format."""

    weight_bytes: Floats
    activation_bytes: Floats
    device: Device
    """With the peak at this format."""
    parameters: GemmParameters


@dataclass(frozen=True)
class Formats:
    """Index of the weights' format by part of the model, into `kernels.FORMATS`; candidates' shape."""

    mixer: Integers
    ffn: Integers
    expert: Integers


@dataclass(frozen=True)
class Replica:
    """Candidates as the kernels see them; every array has the candidates' shape."""

    layout: Layout
    formats: Formats
    accelerator: Integers
    cache_bytes: Floats
    cache_is_narrow: Integers
    mixer: Products
    ffn: Products
    wide: Products
    """Products in 16 bits: router, head, and what a format leaves out."""
    expert_device: Device
    expert_bytes: Floats
    fabric: ReplicaFabric
    kernels: Kernels

    def __len__(self) -> int:
        return len(self.accelerator)

    def at(self, index: Integers) -> Replica:
        """Some of the candidates."""

        def products(one: Products) -> Products:
            return Products(
                one.weight_bytes[index],
                one.activation_bytes[index],
                gathered(one.device, index),
                gathered(one.parameters, index),
            )

        return Replica(
            layout=gathered(self.layout, index),
            formats=gathered(self.formats, index),
            accelerator=self.accelerator[index],
            cache_bytes=self.cache_bytes[index],
            cache_is_narrow=self.cache_is_narrow[index],
            mixer=products(self.mixer),
            ffn=products(self.ffn),
            wide=products(self.wide),
            expert_device=gathered(self.expert_device, index),
            expert_bytes=self.expert_bytes[index],
            fabric=self.fabric.at(index),
            kernels=self.kernels,
        )

    def alike_but_for_cache(self) -> tuple[Integers, Integers]:
        """First of each run of candidates that differ in their cache's format alone, and every candidate's run."""
        if len(self) < 2:
            return np.arange(len(self)), np.arange(len(self))
        layout, formats = self.layout, self.formats
        starts = np.zeros(len(self), bool)
        starts[:1] = True
        for part in (self.accelerator, *vars(layout).values(), *vars(formats).values()):
            starts[1:] |= part[1:] != part[:-1]
        return np.flatnonzero(starts), np.cumsum(starts) - 1

    @property
    def tensor_parallel(self) -> Floats:
        return self.layout.tensor_parallel

    @property
    def pipeline_parallel(self) -> Floats:
        return self.layout.pipeline_parallel

    @property
    def wide_device(self) -> Device:
        return self.wide.device

    @property
    def weight_bytes(self) -> Floats:
        return self.ffn.weight_bytes

    @cached_property
    def family(self) -> FamilyFactors:
        return gathered(self.kernels.family, self.accelerator)

    @cached_property
    def experts(self) -> ExpertParameters:
        return self.kernels.experts_of(self.accelerator, self.formats.expert)

    @cached_property
    def prefill(self) -> PrefillAttentionParameters:
        return self.kernels.prefill_of(self.accelerator, self.cache_is_narrow)

    @cached_property
    def decode(self) -> DecodeAttentionParameters:
        return self.kernels.decode_of(self.accelerator, self.cache_is_narrow)

    @cached_property
    def latent_prefill(self) -> LatentPrefillParameters:
        return self.kernels.latent_prefill_of(self.accelerator, self.cache_is_narrow)

    @cached_property
    def latent_decode(self) -> LatentDecodeParameters:
        return self.kernels.latent_decode_of(self.accelerator, self.cache_is_narrow)

    @cached_property
    def state_prefill(self) -> StatePrefillParameters:
        return self.kernels.state_prefill_of(self.accelerator)

    @cached_property
    def state_decode(self) -> StateDecodeParameters:
        return self.kernels.state_decode_of(self.accelerator)

    @cached_property
    def elementwise(self) -> ElementwiseParameters:
        return self.kernels.elementwise_of(self.accelerator)


def replica_arrays(candidates: ServingCandidates, devices: DeviceTable, kernels: Kernels) -> Replica:
    """Everything that the kernels need to know about the candidates of a plan."""
    tp = candidates.tensor_parallel.astype(np.float64)
    one = np.ones_like(tp)
    weights = candidates.weight_precision
    return replica_of(
        candidates.accelerator,
        Layout(tp, candidates.pipeline_parallel.astype(np.float64), one, one, tp),
        Formats(weights, weights, weights),
        candidates.kv_precision,
        devices,
        kernels,
    )


def replica_of(
    accelerator: Integers,
    layout: Layout,
    formats: Formats,
    kv_precision: Integers,
    devices: DeviceTable,
    kernels: Kernels,
) -> Replica:
    """Gather devices and kernel parameters of candidates given by their indices."""
    specification = "catalogue: accelerator"
    bandwidth = leaf(devices.bandwidth_bytes_per_s[accelerator], "bandwidth_bytes_per_s", "bytes/s", specification)
    units = kernels.compute_units[accelerator]

    def products(which: Integers) -> Products:
        return _products(accelerator, which, bandwidth, units, devices, kernels)

    mixer = products(formats.mixer)
    ffn = mixer if formats.ffn is formats.mixer else products(formats.ffn)
    expert_peak = peak_of(devices, accelerator, formats.expert)
    return Replica(
        layout=layout,
        formats=formats,
        accelerator=accelerator,
        cache_bytes=cache_bytes_per_value()[kv_precision],
        cache_is_narrow=NARROW_CACHE[kv_precision],
        mixer=mixer,
        ffn=ffn,
        wide=products(np.full_like(accelerator, BF16)),
        expert_device=ffn.device if formats.expert is formats.ffn else Device(expert_peak, bandwidth, units),
        expert_bytes=FORMAT_BYTES[formats.expert],
        fabric=fabric_of(accelerator, devices, kernels.fabrics),
        kernels=kernels,
    )


def _products(
    accelerator: Integers, which: Integers, bandwidth: Floats, units: Floats, devices: DeviceTable, kernels: Kernels
) -> Products:
    peak = leaf(peak_of(devices, accelerator, which), "peak_flop_per_s", "FLOP/s", "catalogue: accelerator")
    stored = FORMAT_BYTES[which]
    column = np.where(which == FP8_BLOCK, PRECISION_INDEX["fp8"], which)
    is_native = ~devices.is_emulated[accelerator, column] & (stored < 2) & (which != WEIGHT_ONLY)
    return Products(
        stored,
        np.where(is_native, np.minimum(stored, 2.0), 2.0),
        Device(peak, bandwidth, units),
        kernels.gemm_of(accelerator, which),
    )


def peak_of(devices: DeviceTable, accelerator: Integers, which: Integers) -> Floats:
    """Peak rate of products in a format. [flop/s]"""
    column = np.where(which == FP8_BLOCK, PRECISION_INDEX["fp8"], which)
    peak: Floats = devices.peak_flop_per_s[accelerator, column]
    return peak
