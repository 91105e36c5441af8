"""Layouts of a replica as settings of an engine, and which of them its launch flags cannot tell it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gpuplanner_gui.domain.arrays import Booleans, Integers
from gpuplanner_gui.domain.launch import Launcher
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context, kept_in_context
from gpuplanner_gui.engine.handoff.options import (
    Nodes,
    Setting,
    is_older_than_read,
    nodes_for,
    rule_of,
    said_by,
    stated_release,
)
from gpuplanner_gui.engine.hardware.devices import usual_node_devices
from gpuplanner_gui.engine.serving.candidates import ServingCandidates


class ReplicaLayout(NamedTuple):
    """Sizes of one replica, or of a worker of a pool."""

    tensor: int
    stages: int
    groups: int
    experts: int


def layouts_of(candidates: ServingCandidates) -> list[ReplicaLayout]:
    """The layout of each candidate."""
    parts = ("tensor_parallel", "pipeline_parallel", "data_parallel", "expert_parallel")
    return [ReplicaLayout(*sizes) for sizes in zip(*(getattr(candidates, name).tolist() for name in parts))]


def size_settings(layout: ReplicaLayout) -> Iterator[Setting]:
    """Parallel sizes that an engine must be told, those of 1 left out."""
    tensor, stages, groups, experts = layout
    together = tensor * groups
    devices = together * stages
    if together > 1:
        yield Setting("tensor_parallel", tensor, {"together": together, "devices": devices})
    if stages > 1:
        yield Setting("pipeline_parallel", stages, {"devices": devices, "shares": ",".join(["1"] * stages)})
    if groups > 1:
        yield Setting("attention_data_parallel", groups, {"together": together})
    if experts > 1:
        yield Setting("expert_parallel", experts, {"together": together})


def replica_nodes(layout: ReplicaLayout, node_devices: int) -> Nodes:
    """Servers of at most so many devices that a replica spans."""
    group = layout.tensor * layout.stages
    return nodes_for(node_devices, group * layout.groups, layout.tensor, group)


def node_settings(layout: ReplicaLayout, node_devices: int) -> Iterator[Setting]:
    """Servers of so many devices that a replica spans; nothing where one holds it."""
    nodes, group = replica_nodes(layout, node_devices), layout.tensor * layout.stages
    count, held = nodes.count, nodes.devices_each
    numbers: dict[str, str | int | float] = {"devices_each": held}
    if count <= 1:
        return
    if layout.groups == 1:
        yield Setting("nodes", count, numbers)
    elif held % group == 0:
        yield Setting("nodes_of_groups", count, {**numbers, "groups_each": held // group})
    else:
        yield Setting("nodes_in_groups", count, numbers)


def refused_layouts(scenario: Scenario, context: Context, candidates: ServingCandidates, is_pool: bool) -> Booleans:
    """Where the engine's release has no option for a part of the layout; nowhere for one that was not read.

    `is_pool`: candidates are workers of separate pools.
    """
    engine = scenario.service.engine.engine
    launcher = next((one for one in context.calibration.launchers if one.id == engine), None)
    release = "" if launcher is None else stated_release(scenario, launcher)
    if launcher is None or is_older_than_read(launcher, release):
        return np.zeros(len(candidates), bool)
    machines, machine_of = _machines(context)
    parts = (
        machine_of[candidates.accelerator], candidates.tensor_parallel, candidates.pipeline_parallel,
        candidates.data_parallel, candidates.expert_parallel,
    )  # fmt: skip
    shape = tuple(int(one.max(initial=0)) + 1 for one in parts)
    keys, place = np.unique(np.ravel_multi_index(parts, shape), return_inverse=True)
    found = [
        _is_refused(context, engine, release, machines[machine], ReplicaLayout(*sizes), is_pool)
        for machine, *sizes in zip(*(one.tolist() for one in np.unravel_index(keys, shape)))
    ]
    return np.array(found, bool)[place]


Machine = tuple[str, int]
"""Software ecosystem of an accelerator, and devices of its servers."""


@kept_in_context(most=1)
def _machines(context: Context) -> tuple[list[Machine], Integers]:
    """The machines of the catalogue, and which of them each accelerator has."""
    each: list[Machine] = [(one.ecosystem, usual_node_devices(one, context.catalog)) for one in context.accelerators]
    known = list(dict.fromkeys(each))
    return known, np.array([known.index(one) for one in each], np.int64)


@kept_in_context(most=8192)
def _is_refused(
    context: Context, engine: str, release: str, machine: Machine, layout: ReplicaLayout, is_pool: bool
) -> bool:
    launcher: Launcher = next(one for one in context.calibration.launchers if one.id == engine)
    ecosystem, node_devices = machine
    if ecosystem not in launcher.ecosystems:
        return False  # It runs nothing there, which is another reason.
    settings = [*size_settings(layout), *node_settings(layout, node_devices)]
    settings += [Setting("pool_role", role) for role in ("prefill", "decode") if is_pool]
    said = (said_by(one, rule_of(launcher, one, release, ecosystem)) for one in settings)
    return any(one.status == "not_possible" for one in said)
