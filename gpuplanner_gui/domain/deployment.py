"""A chosen plan as an operator runs it: pools of equal workers, each on so many servers, and how each is started."""

from __future__ import annotations

from typing import Literal

import msgspec

from gpuplanner_gui.domain.launch import Launch, Launcher

PoolRole = Literal["serve", "prefill", "decode", "train"]


class WorkerPool(msgspec.Struct, frozen=True, kw_only=True):
    """Equal workers."""

    role: PoolRole
    launch: Launch
    workers: int
    nodes: int
    """Servers that one worker takes."""
    devices_each: int
    """Devices of it on each of them."""


class Deployment(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that runs for one workload of a plan."""

    name: str
    model: str
    accelerator: str
    """Identifier in the catalogue."""
    ecosystem: str
    node_devices: int
    """Devices of a server, used or not."""
    launcher: Launcher
    pools: tuple[WorkerPool, ...]
    """Empty where the launcher cannot run the plan; `launch` then says why."""
    launch: Launch
    model_arguments: tuple[str, ...] = ()
    """The model's shape, for a framework that reads it from its arguments."""
