"""Every option that is printed stands in the table of the stated release; what a release lacks is refused."""

from __future__ import annotations

import shlex
from dataclasses import replace
from functools import cache

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.api import plan as answered
from gpuplanner_gui.domain.launch import Launch, Launcher
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.engine.handoff import launch_of
from gpuplanner_gui.engine.handoff.layouts import ReplicaLayout, node_settings
from gpuplanner_gui.files.project import load_project
from gpuplanner_gui.files.shipped_tables import load_launchers
from gpuplanner_gui.paths import resources_dir

LAUNCHERS = {one.id: one for one in load_launchers()}
ROWS = 40
TORCHRUN = {
    "--standalone", "--nnodes", "--nproc-per-node", "--node-rank", "--master-addr", "--rdzv-backend", "--rdzv-endpoint",
}  # fmt: skip


@cache
def planned(model: str, devices: tuple[str, ...], most: int) -> Results:
    """A service of a catalogue model on these devices, with every format and layout."""
    scenario = load_project(resources_dir() / "examples" / "13b-two-deployments.gpuplan").scenarios[0]
    entry = answered(scenario, is_judged=False)[0].catalog.models[model].model
    assert scenario.serving is not None
    classes = tuple(msgspec.structs.replace(one, slos=()) for one in scenario.serving.classes)
    serving = msgspec.structs.replace(
        scenario.serving, weight_precisions=("bf16", "fp8", "nvfp4"), kv_precisions=("bf16", "fp8"), classes=classes
    )
    hardware = msgspec.structs.replace(
        scenario.hardware, accelerators=devices, max_devices_per_replica=most, tensor_parallel_across_nodes=True
    )
    return answered(
        msgspec.structs.replace(scenario, model=entry, serving=serving, hardware=hardware), is_judged=False
    )[0]


def with_release(results: Results, engine: str, release: str, drafts: int = 0) -> Results:
    scenario = results.scenario
    assert scenario.serving is not None
    settings = msgspec.structs.replace(
        scenario.serving.engine, engine=engine, release=release, speculative_tokens=drafts
    )
    serving = msgspec.structs.replace(scenario.serving, engine=settings)
    return replace(results, scenario=msgspec.structs.replace(scenario, serving=serving))


def printed(launch: Launch) -> set[str]:
    """Options as a shell splits them, and keys of the configuration file."""
    words = shlex.split(" ".join((*launch.command, *launch.followers)))
    parent, keys = "", set()
    for line in launch.config:
        name = line.split(":")[0]
        if line.endswith(":"):
            parent = name
        else:
            keys.add(f"{parent}.{name.strip()}" if line.startswith(" ") else name)
    return {word.split("=")[0] for word in words if word.startswith("--")} | keys


def table_of(launcher: Launcher, release: str) -> set[str]:
    """Read without the product's own reader: places in the list of releases."""
    place = launcher.releases.index(release)
    return {
        name for name, span in launcher.options.items()
        if (not span.since or launcher.releases.index(span.since) <= place)
        and (not span.until or launcher.releases.index(span.until) >= place)
    }  # fmt: skip


def some_rows(results: Results) -> list[int]:
    """Rows that run, of every layout."""
    answer = results.plan.serving
    assert answer is not None
    runs = np.flatnonzero(answer.table.fits & np.isfinite(answer.table.replicas))
    layouts: dict[tuple[int, ...], int] = {}
    for row in runs:
        names = ("tensor_parallel", "pipeline_parallel", "attention_data_parallel", "expert_parallel",
                 "prefill_workers", "weight_precision", "kv_precision")  # fmt: skip
        layouts.setdefault(tuple(int(getattr(answer.table, one)[row]) for one in names), int(row))
    return list(layouts.values())[:: max(1, len(layouts) // ROWS)]


PLANNED: dict[str, list[tuple[str, tuple[str, ...]]]] = {
    "cuda": [
        ("deepseek-v3", ("nvidia-h200-sxm-141gb", "nvidia-gb200-nvl72")), ("llama-3.1-70b", ("nvidia-h100-sxm-80gb",)),
    ],
    "metal": [("llama-3.1-70b", ("apple-m2-ultra",))],
}  # fmt: skip


AT_NIGHT = pytest.mark.deep
"""Releases between the oldest and the newest that were read."""


@pytest.mark.parametrize(
    ("engine", "release", "model", "devices"),
    [
        pytest.param(one.id, release, *case, marks=() if release in (one.releases[0], one.releases[-1]) else AT_NIGHT)
        for one in LAUNCHERS.values() if one.port
        for ecosystem, cases in PLANNED.items() if ecosystem in one.ecosystems
        for release in one.releases
        for case in cases
    ],
)  # fmt: skip
def test_every_option_printed_stands_in_the_table_of_the_release(
    engine: str, release: str, model: str, devices: tuple[str, ...]
) -> None:
    results = with_release(planned(model, devices, 32), engine, release, drafts=2)
    launcher, known = LAUNCHERS[engine], table_of(LAUNCHERS[engine], release)
    possible = 0
    for row in some_rows(results):
        launch = launch_of(results.scenario, results.catalog, results.plan, row, launcher)
        assert launch.release == release
        for one in (launch, launch.prefill):
            if one is None or not one.is_possible:
                continue
            possible += 1
            assert printed(one) <= known, (row, printed(one) - known)
        if not launch.is_possible:
            assert {one.code for one in launch.notes} <= {"no_such_layout"}
            assert all(one.values["release"] == release for one in launch.notes)
    assert possible


def test_training_options_stand_in_their_tables() -> None:
    results = answered(load_project(resources_dir() / "examples" / "13b-two-deployments.gpuplan"), is_judged=False)[0]
    table = results.plan.training.table
    for engine in ("megatron", "fsdp", "torchtitan", "deepspeed", "trl"):
        launcher = LAUNCHERS[engine]
        for row in np.flatnonzero(table.fits)[:: max(1, int(table.fits.sum()) // ROWS)]:
            launch = launch_of(results.scenario, results.catalog, results.plan, int(row), launcher)
            launch = msgspec.structs.replace(launch, config=())
            assert printed(launch) <= set(launcher.options) | TORCHRUN


def test_a_release_without_an_option_is_refused_by_its_name() -> None:
    results = planned("deepseek-v3", ("nvidia-h200-sxm-141gb",), 32)
    table = results.plan.serving.table
    several = np.flatnonzero(table.fits & (table.tensor_parallel == 16) & (table.expert_parallel == 1))
    old, new = (
        launch_of(one.scenario, one.catalog, one.plan, int(several[0]), LAUNCHERS["vllm"])
        for one in (with_release(results, "vllm", release) for release in ("0.10.2", "0.33.0"))
    )
    assert not old.is_possible
    assert [one.values for one in old.notes] == [{"release": "0.10.2", "setting": "nodes", "value": 2}]
    assert "--nnodes 2" in " ".join(new.command)
    assert new.followers == ("--headless",)
    before = with_release(results, "vllm", "0.6.0")
    unknown = launch_of(before.scenario, before.catalog, before.plan, int(several[0]), LAUNCHERS["vllm"])
    assert [one.code for one in unknown.notes] == ["release_not_read"]


def test_experts_over_part_of_the_devices_are_no_layout_of_vllm() -> None:
    results = planned("deepseek-v3", ("nvidia-h200-sxm-141gb",), 32)
    table = results.plan.serving.table
    row = int(np.flatnonzero(table.fits & (table.expert_parallel == 16) & (table.prefill_workers == 0))[0])
    changed = table.expert_parallel.copy()
    changed[row] = 4
    serving = msgspec.structs.replace(
        results.plan.serving, table=msgspec.structs.replace(table, expert_parallel=changed)
    )
    plan = msgspec.structs.replace(results.plan, serving=serving)
    refused, taken = (
        launch_of(results.scenario, results.catalog, plan, row, LAUNCHERS[one]) for one in ("vllm", "sglang")
    )
    assert not refused.is_possible
    assert "--ep-size 4" in " ".join(taken.command)


@pytest.mark.parametrize(
    ("layout", "node_devices", "code", "servers", "each"),
    [
        (ReplicaLayout(tensor=10, stages=1, groups=1, experts=1), 8, "nodes", 2, 5),
        (ReplicaLayout(tensor=5, stages=1, groups=1, experts=1), 4, "nodes", 5, 1),
        (ReplicaLayout(tensor=4, stages=4, groups=1, experts=1), 8, "nodes", 2, 8),
        (ReplicaLayout(tensor=1, stages=1, groups=12, experts=12), 8, "nodes_of_groups", 2, 6),
        (ReplicaLayout(tensor=4, stages=1, groups=3, experts=1), 8, "nodes_of_groups", 3, 4),
        (ReplicaLayout(tensor=2, stages=2, groups=5, experts=1), 8, "nodes_of_groups", 5, 4),
    ],
)
def test_servers_of_a_replica_hold_its_devices_and_no_more(
    layout: ReplicaLayout, node_devices: int, code: str, servers: int, each: int
) -> None:
    """Engines start the same number of workers on each server: 12 ranks on 2 servers of 8 were 16."""
    (said,) = node_settings(layout, node_devices)
    assert (said.code, said.value, said.numbers["devices_each"]) == (code, servers, each)
    assert servers * each == layout.tensor * layout.stages * layout.groups
    assert said.numbers.get("groups_each", layout.groups) == layout.groups / (servers if "groups" in code else 1)
