"""How devices share a model where a source does not say: the fewest that hold it, in as many replicas."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from gpuplanner_gui.domain.benchmark import PoolLayout, ProductFormat, ServingCase
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.deployments import case_deployments

SIZES = (1, 2, 4, 8, 16, 32, 64)
POOL_SHARE = 0.15
"""Of memory that a usable configuration leaves to the cache."""


def settled_layouts(cases: Sequence[ServingCase], context: Context, engine: EngineFacts) -> list[ServingCase]:
    """The cases with every layout decided."""
    formatted = settled_formats(cases, context)
    return [case if case.layout.replicas else _settled(case, context, engine) for case in formatted]


def settled_pools(cases: Sequence[ServingCase], context: Context, engine: EngineFacts) -> list[ServingCase]:
    """The cases with one worker of each pool where they leave open how many; a case that leaves nothing open as it is.

    Pools of which only the sum of devices is known have half of them each.
    """
    return [case if case.layout.replicas else _of_one_worker(case, context, engine) for case in cases]


def _of_one_worker(case: ServingCase, context: Context, engine: EngineFacts) -> ServingCase:
    layouts = [case.layout, case.prefill_layout or case.layout]
    if case.both_pools_devices:
        half = max(case.both_pools_devices // 2, 1)
        layouts = [PoolLayout(data_parallel=half, expert_parallel=half)] * 2
    elif max(one.devices for one in layouts) == 1:
        layouts = [_smallest(case, SIZES, context, engine)] * 2
    decode, prefill = (msgspec.structs.replace(one, replicas=max(one.replicas, 1.0)) for one in layouts)
    return msgspec.structs.replace(case, layout=decode, prefill_layout=prefill, both_pools_devices=0)


def _settled(case: ServingCase, context: Context, engine: EngineFacts) -> ServingCase:
    """On the devices stated, in as many replicas."""
    devices = max(case.layout.devices_stated, 1)
    found = _smallest(case, [size for size in SIZES if size <= devices] or [1], context, engine)
    count = max(1.0, devices // found.tensor_parallel)
    layout = msgspec.structs.replace(found, replicas=count, devices_stated=devices)
    return msgspec.structs.replace(case, layout=layout)


def _smallest(case: ServingCase, sizes: Sequence[int], context: Context, engine: EngineFacts) -> PoolLayout:
    """The smallest power of two that holds the model with room for requests."""
    layouts = [PoolLayout(tensor_parallel=size, expert_tensor_parallel=size) for size in sizes]
    found = case_deployments([case] * len(layouts), layouts, context, engine)
    memory = context.devices.memory_bytes[found.replica.accelerator]
    enough = np.flatnonzero(found.memory.pool > POOL_SHARE * memory)
    return layouts[int(enough[0])] if len(enough) else layouts[-1]


CONTEST_FORMATS: tuple[ProductFormat, ...] = ("fp8", "int8")
"""Formats that contest entries for models with tokens use where nothing is said: the first that is native."""
SAMPLE_FORMATS: tuple[ProductFormat, ...] = ("int8", "fp8", "fp16", "bf16")
ACCURATE_FORMATS: tuple[ProductFormat, ...] = ("fp8", "fp16", "bf16", "int8")
"""The same for samples; those that keep results within 0.1 % of the reference."""


def settled_formats(cases: Sequence[ServingCase], context: Context) -> list[ServingCase]:
    """The cases with the format of contest entries where nothing is said."""
    return [case if case.dense_format else _in_contest_format(case, context) for case in cases]


def _in_contest_format(case: ServingCase, context: Context) -> ServingCase:
    if case.load not in ("offline", "server", "samples") or case.model.weight_format.quantized is not None:
        return case
    usual = CONTEST_FORMATS
    if case.load == "samples":
        usual = ACCURATE_FORMATS if case.needs_accuracy else SAMPLE_FORMATS
    device = context.catalog.accelerators[case.accelerator]
    for name in usual:
        if device.supports(name):
            return msgspec.structs.replace(case, dense_format=name)
    return case
