"""llama.cpp and MLX at home: the flags take the memory that the plan counted, and what they cannot do is refused."""

from __future__ import annotations

import re
import shlex
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.api import plan as answered
from gpuplanner_gui.domain.launch import Launch
from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.domain.workload import ServingEngine
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.words.launch import notes_of
from gpuplanner_gui.engine.handoff import deployment_of, launch_of
from gpuplanner_gui.engine.model.cache_sizes import kv_bytes_per_token
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.deploy import DeployPlace, deployment_files
from gpuplanner_gui.files.project import load_project
from gpuplanner_gui.files.shipped_tables import load_launchers
from gpuplanner_gui.paths import resources_dir

LAUNCHERS = {one.id: one for one in load_launchers()}
SCALES = {"bf16": 2.0, "int8": 34 / 32, "int4": 18 / 32}
"""Bytes of a cached value: blocks of 32 with a 16-bit scale, as GGUF has them and MLX with groups of 64."""


@cache
def planned(
    engine: ServingEngine, devices: tuple[str, ...], users: int = 1, kv: tuple[str, ...] = ("bf16",), batch: int = 1
) -> Results:
    """The example of one developer with another model, engine and devices, for some users."""
    scenario = load_project(resources_dir() / "examples" / "one-developer.gpuplan").scenarios[0]
    assert scenario.serving is not None
    model = answered_catalog()["llama-3.1-8b"].model
    changes: dict[str, Any] = {
        "engine": msgspec.structs.replace(scenario.serving.engine, engine=engine, max_sequences=batch),
        "traffic": msgspec.structs.replace(scenario.serving.traffic, users=float(users)),
        "kv_precisions": kv, "max_context": 8192,
    }  # fmt: skip
    serving = msgspec.structs.replace(scenario.serving, **changes)
    hardware = msgspec.structs.replace(scenario.hardware, accelerators=devices)
    return answered(
        msgspec.structs.replace(scenario, model=model, serving=serving, hardware=hardware), is_judged=False
    )[0]


@cache
def answered_catalog() -> Any:
    return load_shipped_catalog().models


def rows(results: Results) -> list[int]:
    table = results.plan.serving.table
    return [int(row) for row in np.flatnonzero(table.fits)]


def launched(results: Results, row: int, engine: str) -> Launch:
    return launch_of(results.scenario, results.catalog, results.plan, row, LAUNCHERS[engine])


def values_of(launch: Launch) -> dict[str, str]:
    words = shlex.split(" ".join(launch.command))
    return {word: following for word, following in zip(words, [*words[1:], ""]) if word.startswith("--")}


@pytest.mark.parametrize("batch", [1, 16, 200])
@pytest.mark.parametrize("kv", ["bf16", "int8", "int4"])
def test_the_cache_of_llama_cpp_is_what_the_plan_counts_for_it(batch: int, kv: str) -> None:
    results = planned("llama_cpp", ("nvidia-rtx-4090", "apple-m4-max", "amd-epyc-9654"), 4, (kv,), batch)
    table, per_token = results.plan.serving.table, float(kv_bytes_per_token(results.scenario.model, SCALES[kv]))
    found = [(row, launched(results, row, "llama_cpp")) for row in rows(results)]
    assert found
    for row, launch in found:
        if not launch.is_possible:
            continue
        given = values_of(launch)
        tokens, slots = int(given["--ctx-size"]), int(given["--parallel"])
        together = int(table.tensor_parallel[row] * table.pipeline_parallel[row])
        assert tokens * per_token <= together * table.kv_pool_bytes[row]
        assert 8192 <= tokens <= slots * 8192
        assert given["--kv-unified-per-slot"] == "8192"
        assert slots <= min(batch, table.max_sequences[row])
        # All that the pool holds is used, or all slots are full.
        spare = together * table.kv_pool_bytes[row] - tokens * per_token
        assert tokens == slots * 8192 or spare < 256 * per_token * together
        assert given.get("--cache-type-k") == given.get("--cache-type-v") == {"int8": "q8_0", "int4": "q4_0"}.get(kv)
        assert ("--cache-ram" in given) == (ecosystem(results, row) != "cuda")


def ecosystem(results: Results, row: int) -> str:
    accelerator = results.plan.accelerators[results.plan.serving.table.accelerator[row]]
    return str(results.catalog.accelerators[accelerator].ecosystem)


def test_slots_that_do_not_all_find_room_are_said_and_ollama_gets_the_full_ones() -> None:
    results = planned("llama_cpp", ("nvidia-rtx-4090",), 4, ("bf16",), 200)
    table = results.plan.serving.table
    row = next(one for one in rows(results) if table.devices_per_replica[one] == 1)
    launch = launched(results, row, "llama_cpp")
    given, notes = values_of(launch), notes_of(launch)
    full = int(given["--ctx-size"]) // 8192
    assert full < int(given["--parallel"])
    assert any(
        f"of 8192 tokens that the cache holds at once: {full}." in re.sub(r"(?<=\d)\s(?=\d)", "", one) for one in notes
    )
    (ollama,) = (one for one in notes if "Ollama" in one)
    assert f"OLLAMA_CONTEXT_LENGTH=8192 OLLAMA_NUM_PARALLEL={full} " in ollama
    alone = planned("llama_cpp", ("nvidia-rtx-4090",))
    assert not any("holds at once" in one for one in notes_of(launched(alone, rows(alone)[0], "llama_cpp")))


def test_devices_share_layers_or_matrices_as_the_plan_has_it() -> None:
    results = planned("llama_cpp", ("nvidia-rtx-4090", "amd-epyc-9654"))
    table, seen = results.plan.serving.table, set()
    for row in rows(results):
        launch, tensor, stages = (
            launched(results, row, "llama_cpp"),
            table.tensor_parallel[row],
            table.pipeline_parallel[row],
        )
        text = " ".join(launch.command)
        if tensor == 2 and ecosystem(results, row) == "cpu":
            assert "--numa distribute" in text
            assert "--split-mode" not in text
        elif tensor == 2:
            assert "--split-mode tensor --flash-attn on" in text
        elif stages == 2 and ecosystem(results, row) == "cpu":
            assert not launch.is_possible
        elif stages == 2:
            assert "--split-mode layer --tensor-split 1,1" in text
        else:
            assert "--split-mode" not in text
        seen.add((ecosystem(results, row), int(tensor), int(stages)))
    assert {("cuda", 2, 1), ("cuda", 1, 2), ("cpu", 2, 1), ("cuda", 1, 1)} <= seen


def test_what_llama_cpp_has_no_option_for_is_refused_by_name() -> None:
    results = planned("llama_cpp", ("nvidia-rtx-4090",))
    row = rows(results)[0]
    old = msgspec.structs.replace(results.scenario.serving.engine, release="b4000")
    serving = msgspec.structs.replace(results.scenario.serving, engine=old)
    scenario = msgspec.structs.replace(results.scenario, serving=serving)
    launch = launch_of(scenario, results.catalog, results.plan, row, LAUNCHERS["llama_cpp"])
    assert [(one.code, one.values["oldest"]) for one in launch.notes] == [("release_not_read", "b9553")]
    # A release with a version is newer than every build that was read.
    new = msgspec.structs.replace(old, release="0.4.1")
    scenario = msgspec.structs.replace(scenario, serving=msgspec.structs.replace(serving, engine=new))
    assert launch_of(scenario, results.catalog, results.plan, row, LAUNCHERS["llama_cpp"]).is_possible
    wide = planned("llama_cpp", ("nvidia-rtx-4090",), 4, ("bf16",), 512)
    given = launched(wide, rows(wide)[0], "llama_cpp")
    assert "max_sequences" in {one.code for one in given.not_possible}


def test_mlx_is_told_the_plan_and_keeps_its_caches_within_the_pool() -> None:
    results = planned("mlx", ("apple-m4-max",), 4, ("bf16", "int8"), 8)
    table = results.plan.serving.table
    for row in rows(results):
        launch, given = launched(results, row, "mlx"), values_of(launched(results, row, "mlx"))
        assert given["--decode-concurrency"] == "8"
        assert given["--prefill-step-size"] == str(results.scenario.serving.engine.token_budget)
        assert int(given["--prompt-cache-bytes"]) == int(table.kv_pool_bytes[row])
        is_narrow = results.plan.precisions[table.kv_precision[row]] == "int8"
        # A quantised cache is served one request at a time.
        assert ("kv_precision" in {one.code for one in launch.not_possible}) == is_narrow
    alone = planned("mlx", ("apple-m4-max",), 1, ("int8",))
    assert "--kv-bits 8" in " ".join(launched(alone, rows(alone)[0], "mlx").command)


def test_mlx_is_planned_on_apple_silicon_alone_and_says_so() -> None:
    devices = ("apple-m4-max", "nvidia-rtx-4090", "amd-epyc-9654", "amd-ryzen-ai-max-395", "apple-m4-neural-engine")
    results = planned("mlx", devices)
    table = results.plan.serving.table
    runs = {results.plan.accelerators[one] for one in table.accelerator[table.fits]}
    assert runs == {"apple-m4-max"}
    others = np.array([results.plan.accelerators[one] in devices[1:] for one in table.accelerator])
    assert others.any()
    assert (table.reason[others] == Reason.ENGINE_NOT_ON_DEVICE).all()


def test_no_replica_spans_servers_where_the_launcher_cannot() -> None:
    """Two Sparks are two servers: a layout over both would be planned and then refused by its flags."""
    results = planned("llama_cpp", ("nvidia-dgx-spark-gb10",))
    table = results.plan.serving.table
    over = (table.devices_per_replica > 1) & (table.reason != Reason.EXCLUDED)
    assert over.any()
    assert set(table.reason[over]) <= {Reason.ENGINE_ON_ONE_SERVER, Reason.PRECISION_NOT_SUPPORTED}
    assert not table.fits[over].any()


@pytest.mark.parametrize("engine", ["llama_cpp", "mlx"])
def test_the_checkpoint_is_named_as_the_engine_stores_it(engine: ServingEngine) -> None:
    results = planned(engine, ("apple-m4-max",))
    table = results.plan.serving.table
    wanted = {"int4": ("Q4_K_M", "--q-bits 4"), "int8": ("Q8_0", "--q-bits 8"), "bf16": ("BF16", "BF16")}
    for row in rows(results):
        weights = results.plan.precisions[table.weight_precision[row]]
        (note,) = (one for one in notes_of(launched(results, row, engine)) if one.startswith("$MODEL"))
        assert wanted[weights][engine == "mlx"] in note
        assert f"{table.weights_bytes[row] / 2**30:.3g}" in note


def test_files_of_a_container_find_the_program_and_the_one_file_of_the_model() -> None:
    results = planned("llama_cpp", ("nvidia-rtx-4090",))
    table = results.plan.serving.table
    row = next(one for one in rows(results) if table.devices_per_replica[one] == 1 and table.replicas[one] == 1)
    made = deployment_of(results.scenario, results.catalog, results.plan, row, LAUNCHERS["llama_cpp"])
    assert made.image == "ghcr.io/ggml-org/llama.cpp:server-cuda-b11312"
    compose = deployment_files(made, "compose", DeployPlace(), Path("out"))["compose.yaml"]
    assert "/models/llama-3-1-8b.gguf" in compose
    assert "PATH:/app" in compose
    pod = "\n".join(deployment_files(made, "kubernetes", DeployPlace(), Path("out")).values())
    assert 'type: "File"' in pod
