"""What limits a pass or one operation: the resource that takes most of its time, or partly filled tiles.

Kernels compute whole tiles. Of few tokens most of that is padding: its time is compute's, but the FLOPs that are asked
for would be done before memory is read.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.plan import Resource
from gpuplanner_gui.engine.serving.replica import Replica

SPLIT = (Resource.COMPUTE, Resource.MEMORY_BANDWIDTH, Resource.INTERCONNECT, Resource.HOST)
"""Resources in the order of the parts of `StepTimes`."""
TILED = ("gemm", "prefill", "latent_prefill", "experts", "state_prefill")
"""Kernels whose padding is work that they compute beside what they are asked for."""


def without_padding(replica: Replica) -> Replica:
    """The same deployments with kernels that compute what they are asked for alone."""
    rows = {name: getattr(replica.kernels, name) for name in TILED}
    full = {name: replace(one, parameters=_without_padding(one.parameters)) for name, one in rows.items()}
    return replace(replica, kernels=replace(replica.kernels, **full))


def _without_padding(parameters: Any) -> Any:
    names = [one.name for one in fields(parameters) if one.name.endswith("_padding") or one.name == "fill"]
    return replace(parameters, **{name: np.zeros_like(getattr(parameters, name)) for name in names})


def limits(parts_s: Floats, full_s: Floats) -> Integers:
    """The `Resource` that most time goes to; partly filled tiles where only padding makes compute outlast memory.

    Both are times by `SPLIT` along the first axis, those of `full_s` without padding.
    """
    limit = np.array([int(one) for one in SPLIT])[parts_s.argmax(axis=0)]
    is_padding = (limit == Resource.COMPUTE) & (full_s[0] < full_s[1])
    return np.where(is_padding, int(Resource.PARTLY_FILLED_TILES), limit)
