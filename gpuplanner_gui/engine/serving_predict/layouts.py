"""How devices share a model where a source does not say: the fewest that hold it, in as many replicas."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from gpuplanner_gui.domain.serving_case import PoolLayout, ProductFormat, ServingCase
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving_predict.configuration import configuration

SIZES = (1, 2, 4, 8, 16, 32, 64)
POOL_SHARE = 0.15
"""Of memory that a usable configuration leaves to the cache."""


def settled_layouts(cases: Sequence[ServingCase], context: Context, engine: EngineFacts) -> list[ServingCase]:
    """The cases with every layout decided."""
    return [_settled(case, context, engine) if not case.layout.replicas else case for case in cases]


def _settled(case: ServingCase, context: Context, engine: EngineFacts) -> ServingCase:
    """The smallest power of two that holds the model with room for requests, in the stated format or the narrowest."""
    devices = max(case.layout.devices_stated, 1)
    formatted = case if case.dense_format else _in_contest_format(case, context)
    sizes = [size for size in SIZES if size <= devices] or [1]
    layouts = [_sharing(size, devices) for size in sizes]
    found = configuration([formatted] * len(layouts), layouts, context, engine)
    memory = context.devices.memory_bytes[found.replica.accelerator]
    enough = np.flatnonzero(found.pool_bytes > POOL_SHARE * memory)
    chosen = layouts[int(enough[0])] if len(enough) else layouts[-1]
    return msgspec.structs.replace(formatted, layout=chosen)


def _sharing(size: int, devices: int) -> PoolLayout:
    return PoolLayout(
        tensor_parallel=size,
        expert_tensor_parallel=size,
        replicas=max(1.0, devices // size),
        devices_stated=devices,
    )


CONTEST_FORMATS: tuple[ProductFormat, ...] = ("fp8", "int8")
"""Formats that contest entries use where nothing is said: the first that the device computes in natively."""


def _in_contest_format(case: ServingCase, context: Context) -> ServingCase:
    if case.load not in ("offline", "server") or case.model.weight_format.quantized is not None:
        return case
    device = context.catalog.accelerators[case.accelerator]
    for name in CONTEST_FORMATS:
        if device.supports(name):
            return msgspec.structs.replace(case, dense_format=name)
    return case
