"""What deployments are to the kernels: shares of the work, devices, parameters; arrays over deployments."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.engine.columns import gathered
from gpuplanner_gui.engine.explaining.formula import carried, leaf
from gpuplanner_gui.engine.hardware.communication import ReplicaFabric, fabric_of, link_rate
from gpuplanner_gui.engine.hardware.devices import DeviceTable
from gpuplanner_gui.engine.kernels.choice import FORMAT_WEIGHT_BYTES, Kernels
from gpuplanner_gui.engine.kernels.operation_time import (
    DecodeAttentionParameters,
    Device,
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
from gpuplanner_gui.engine.model.precision import PRECISION_INDEX, cache_bytes_per_value
from gpuplanner_gui.engine.serving.formats import Formats, device_precision
from gpuplanner_gui.engine.serving.rates import FamilyFactors

BF16 = PRECISION_INDEX["bf16"]
NARROW_CACHE = np.array([1 if size < 2 else 0 for size in cache_bytes_per_value()], np.int64)
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
    """Device with its peak rate in this format."""
    parameters: GemmParameters


@dataclass(frozen=True)
class Replica:
    """Deployments as the kernels see them; arrays of the deployments' shape, parameters made when asked for."""

    layout: Layout
    formats: Formats
    accelerator: Integers
    kv_precision: Integers
    bandwidth_bytes_per_s: Floats
    peak_flop_per_s: Floats
    """Peak rate of matrix products in the format of most weights."""
    link_bytes_per_s: Floats
    """Rate between the devices that work on one token, per device and direction: fabric, or PCIe."""
    devices: DeviceTable
    kernels: Kernels

    def __len__(self) -> int:
        return len(self.accelerator)

    def at(self, index: Integers) -> Replica:
        """Some of the deployments."""
        return Replica(
            gathered(self.layout, index),
            gathered(self.formats, index),
            self.accelerator[index],
            self.kv_precision[index],
            carried(self.bandwidth_bytes_per_s[index], self.bandwidth_bytes_per_s),
            carried(self.peak_flop_per_s[index], self.peak_flop_per_s),
            carried(self.link_bytes_per_s[index], self.link_bytes_per_s),
            self.devices,
            self.kernels,
        )

    def alike_but_for_cache(self) -> tuple[Integers, Integers]:
        """First of each run of deployments that differ in their cache's format alone, and everyone's run."""
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
    def weight_bytes(self) -> Floats:
        """Bytes of one weight of the feed-forward part."""
        return FORMAT_WEIGHT_BYTES[self.formats.ffn]

    @cached_property
    def cache_bytes(self) -> Floats:
        """Bytes of one cached number."""
        return cache_bytes_per_value()[self.kv_precision]

    @cached_property
    def _cache_is_narrow(self) -> Integers:
        return NARROW_CACHE[self.kv_precision]

    @cached_property
    def mixer(self) -> Products:
        return self._products(self.formats.mixer)

    @cached_property
    def ffn(self) -> Products:
        is_same = self.formats.ffn is self.formats.mixer or np.array_equal(self.formats.ffn, self.formats.mixer)
        return self.mixer if is_same else self._products(self.formats.ffn)

    @cached_property
    def wide(self) -> Products:
        """Products in 16 bits: router, head, and what a format leaves out."""
        return self._products(np.full_like(self.accelerator, BF16))

    @property
    def wide_device(self) -> Device:
        return self.wide.device

    @cached_property
    def expert_device(self) -> Device:
        peak = peak_of(self.devices, self.accelerator, self.formats.expert)
        return Device(peak, self.wide_device.bandwidth_bytes_per_s, self.wide_device.compute_units)

    @property
    def expert_bytes(self) -> Floats:
        """Bytes of one weight of a routed expert."""
        return FORMAT_WEIGHT_BYTES[self.formats.expert]

    @cached_property
    def fabric(self) -> ReplicaFabric:
        ranks, links = _ranks(self.layout), self.link_bytes_per_s
        return fabric_of(self.accelerator, ranks, links, self.devices, self.kernels.fabrics)

    def _products(self, which: Integers) -> Products:
        return products_of(self.accelerator, which, self.devices, self.kernels)

    @cached_property
    def family(self) -> FamilyFactors:
        return gathered(self.kernels.family, self.accelerator)

    @cached_property
    def experts(self) -> ExpertParameters:
        return self.kernels.experts.of(self.accelerator, self.formats.expert)

    @cached_property
    def prefill(self) -> PrefillAttentionParameters:
        return self.kernels.prefill.of(self.accelerator, self._cache_is_narrow)

    @cached_property
    def decode(self) -> DecodeAttentionParameters:
        return self.kernels.decode.of(self.accelerator, self._cache_is_narrow)

    @cached_property
    def latent_prefill(self) -> LatentPrefillParameters:
        return self.kernels.latent_prefill.of(self.accelerator, self._cache_is_narrow)

    @cached_property
    def latent_decode(self) -> LatentDecodeParameters:
        return self.kernels.latent_decode.of(self.accelerator, self._cache_is_narrow)

    @cached_property
    def state_prefill(self) -> StatePrefillParameters:
        return self.kernels.state_prefill.of(self.accelerator)

    @cached_property
    def state_decode(self) -> StateDecodeParameters:
        return self.kernels.state_decode.of(self.accelerator)

    @cached_property
    def elementwise(self) -> ElementwiseParameters:
        return self.kernels.elementwise.of(self.accelerator)


def replica_of(
    layout: Layout,
    formats: Formats,
    accelerator: Integers,
    kv_precision: Integers,
    devices: DeviceTable,
    kernels: Kernels,
) -> Replica:
    """Deployments on accelerators, given by their indices."""
    source = "catalogue: accelerator"
    bandwidth = leaf(devices.bandwidth_bytes_per_s[accelerator], "bandwidth_bytes_per_s", "bytes/s", source)
    peak = leaf(peak_of(devices, accelerator, formats.expert), "peak_flop_per_s", "FLOP/s", source)
    links = leaf(
        link_rate(accelerator, _ranks(layout), devices), "link_bytes_per_s", "bytes/s",
        "catalogue: the accelerator's fabric, or PCIe at the scenario's rate if that is lower",
    )  # fmt: skip
    return Replica(layout, formats, accelerator, kv_precision, bandwidth, peak, links, devices, kernels)


def _ranks(layout: Layout) -> Floats:
    """Devices that work on one token."""
    return layout.tensor_parallel * layout.data_parallel


def products_of(accelerator: Integers, which: Integers, devices: DeviceTable, kernels: Kernels) -> Products:
    """Products on accelerators (by index) with weights in formats (by index into `kernels.FORMATS`)."""
    peak, bandwidth = peak_of(devices, accelerator, which), devices.bandwidth_bytes_per_s[accelerator]
    stored = FORMAT_WEIGHT_BYTES[which]
    is_native = ~devices.is_emulated[accelerator, device_precision(which)] & (stored < 2) & (which != WEIGHT_ONLY)
    return Products(
        stored,
        np.where(is_native, np.minimum(stored, 2.0), 2.0),
        Device(peak, bandwidth, kernels.compute_units[accelerator]),
        kernels.gemm_of(accelerator, which),
    )


def peak_of(devices: DeviceTable, accelerator: Integers, which: Integers) -> Floats:
    """Peak rate of products in a format. [flop/s]"""
    peak: Floats = devices.peak_flop_per_s[accelerator, device_precision(which)]
    return peak
