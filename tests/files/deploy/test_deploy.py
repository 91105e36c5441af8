"""`gpuplanner deploy`: files that parse, run exactly the plan with options of the table, and take hostile names."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.api import plan as answered
from gpuplanner_gui.cli import main
from gpuplanner_gui.domain.launch import Deployment
from gpuplanner_gui.domain.model import DraftHead
from gpuplanner_gui.domain.training_workload import TrainingFramework
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.engine.handoff import deployment_of
from gpuplanner_gui.engine.handoff.options import container_image
from gpuplanner_gui.files.deploy import TARGETS, DeployPlace, deployment_files, how_to_start, write_deployment
from gpuplanner_gui.files.deploy.kubernetes import Yaml, yaml_text
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.project import load_project, project_to_bytes
from gpuplanner_gui.files.shipped_tables import load_launchers
from gpuplanner_gui.paths import resources_dir
from tests.conftest import SMALL_CHAT

yaml = pytest.importorskip("yaml", reason="PyYAML is a requirement of the tests")
LAUNCHERS = {one.id: one for one in load_launchers()}
TWO = resources_dir() / "examples" / "13b-two-deployments.gpuplan"
HOSTILE = "\"; rm -rf / #\n- $(reboot) `reboot` ' ${HOME}"


@cache
def planned() -> Results:
    """A large mixture on H200, one worker over several servers allowed."""
    scenario = load_project(TWO).scenarios[0]
    model = answered(scenario, is_judged=False)[0].catalog.models["deepseek-v3"].model
    assert scenario.serving is not None
    classes = tuple(msgspec.structs.replace(one, slos=()) for one in scenario.serving.classes)
    serving = msgspec.structs.replace(scenario.serving, weight_precisions=("fp8",), classes=classes)
    hardware = msgspec.structs.replace(
        scenario.hardware, accelerators=("nvidia-h200-sxm-141gb",), max_devices_per_replica=32,
        tensor_parallel_across_nodes=True,
    )  # fmt: skip
    return answered(
        msgspec.structs.replace(scenario, name=HOSTILE, model=model, serving=serving, hardware=hardware),
        is_judged=False,
    )[0]


def row(**wanted: int) -> int:
    table = planned().plan.serving.table
    found = table.fits & np.isfinite(table.replicas)
    for name, value in wanted.items():
        found &= getattr(table, name) == value
    return int(np.flatnonzero(found)[0])


def deployed(candidate: int, engine: str = "vllm") -> Deployment:
    results = planned()
    return deployment_of(results.scenario, results.catalog, results.plan, candidate, LAUNCHERS[engine])


def objects(files: dict[str, str]) -> list[dict[str, Any]]:
    return [one for text in files.values() for one in yaml.safe_load_all(text)]


def of_kind(found: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [one for one in found if one["kind"] == kind]


def options_of(script: str) -> set[str]:
    """Options of the engine's own command in a script."""
    command = script.split("exec ", 1)[1]
    return {word.split("=")[0] for word in shlex.split(command) if word.startswith("--")}


FILES = Path("out")
POOLS = {"one server": {"tensor_parallel": 8, "prefill_workers": 0, "pipeline_parallel": 1},
         "two servers": {"tensor_parallel": 16, "prefill_workers": 0, "expert_parallel": 1},
         "groups": {"tensor_parallel": 1, "attention_data_parallel": 16, "prefill_workers": 0}}  # fmt: skip


@pytest.mark.parametrize("engine", ["vllm", "sglang"])
@pytest.mark.parametrize("wanted", POOLS.values(), ids=POOLS)
def test_manifests_hold_the_layout_of_the_plan(engine: str, wanted: dict[str, int]) -> None:
    candidate = row(**wanted)
    found = objects(deployment_files(deployed(candidate, engine), "kubernetes", DeployPlace(), FILES))
    table, launcher = planned().plan.serving.table, LAUNCHERS[engine]
    (workers,) = (*of_kind(found, "LeaderWorkerSet"), *of_kind(found, "Deployment"))
    assert workers["spec"]["replicas"] == table.replicas[candidate]
    group = workers["spec"].get("leaderWorkerTemplate")
    pods = [group["leaderTemplate"], group["workerTemplate"]] if group else [workers["spec"]["template"]]
    devices = [int(pod["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"]) for pod in pods]
    size = group["size"] if group else 1
    assert devices[0] * size == table.devices_per_replica[candidate]
    assert len(set(devices)) == 1
    for pod in pods:
        (container,) = pod["spec"]["containers"]
        options = options_of(container["args"][0])
        assert options <= set(launcher.options)
        assert "--port" in options
        assert container["image"].endswith(f":v{launcher.releases[-1]}")
    (service,) = of_kind(found, "Service")
    selector = service["spec"]["selector"]
    assert selector.items() <= pods[0]["metadata"]["labels"].items()
    assert not any(selector.items() <= pod["metadata"]["labels"].items() for pod in pods[1:])
    assert service["spec"]["ports"][0]["targetPort"] == launcher.port
    if engine == "vllm" and group:
        assert ["--headless" in options_of(pod["spec"]["containers"][0]["args"][0]) for pod in pods] == [False, True]


@pytest.mark.parametrize("engine", ["vllm", "sglang"])
def test_separate_pools_stand_behind_a_router_that_finds_them(engine: str) -> None:
    candidate = int(np.flatnonzero(planned().plan.serving.table.prefill_workers > 0)[0])
    table = planned().plan.serving.table
    found = objects(deployment_files(deployed(candidate, engine), "kubernetes", DeployPlace(), FILES))
    pools = (*of_kind(found, "Deployment"), *of_kind(found, "LeaderWorkerSet"))
    names = {one["metadata"]["name"].rsplit("-", 1)[1]: one for one in pools}
    units = int(table.replicas[candidate])
    assert names["prefill"]["spec"]["replicas"] == units * table.prefill_workers[candidate]
    assert names["decode"]["spec"]["replicas"] == units * table.decode_workers[candidate]
    (router,) = names["router"]["spec"]["template"]["spec"]["containers"]
    launcher = LAUNCHERS[engine]
    assert launcher.router is not None
    assert options_of(router["args"][0]) <= set(launcher.router.options)
    for role in ("prefill", "decode"):
        words = shlex.split(router["args"][0].split("exec ", 1)[1])
        place = words.index(f"--{role}-selector")
        labels = dict(word.split("=") for word in words[place + 1 : place + 4])
        spec = names[role]["spec"]
        pod = spec.get("template") or spec["leaderWorkerTemplate"]["leaderTemplate"]
        assert labels.items() <= pod["metadata"]["labels"].items()
    (rule,) = of_kind(found, "Role")[0]["rules"]
    assert rule["verbs"] == ["get", "list", "watch"]


def test_dynamo_holds_both_pools_of_the_plan() -> None:
    """The graph of Dynamo's guide to separate pools: a frontend, prefill and decode, with options of its vLLM."""
    table = planned().plan.serving.table
    split = [int(one) for one in np.flatnonzero(table.prefill_workers > 0)]
    candidate = next(one for one in split if all(pool.nodes == 1 for pool in deployed(one).pools))
    (graph,) = objects(deployment_files(deployed(candidate), "dynamo", DeployPlace(), FILES))
    assert (graph["kind"], graph["apiVersion"]) == ("DynamoGraphDeployment", "nvidia.com/v1beta1")
    parts = {one["type"]: one for one in graph["spec"]["components"]}
    units, launcher = int(table.replicas[candidate]), LAUNCHERS["vllm"]
    assert parts["frontend"]["replicas"] == 1
    for role, each in (("prefill", table.prefill_workers), ("decode", table.decode_workers)):
        assert parts[role]["replicas"] == units * each[candidate]
        (container,) = parts[role]["podTemplate"]["spec"]["containers"]
        assert container["name"] == "main"
        assert container["resources"]["limits"]["nvidia.com/gpu"]
        script = container["args"][0]
        assert f"--disaggregation-mode {role}" in script
        engine = options_of(script) - {"--model", "--disaggregation-mode"}
        # Dynamo 1.4.2 comes with vLLM 0.26.0.
        there = {name for name, span in launcher.options.items() if not span.since or _number(span.since) <= (0, 26, 0)}
        assert engine <= there
    one_pool = deployed(row(**POOLS["one server"]))
    with pytest.raises(FileProblem, match="no separate pools"):
        deployment_files(one_pool, "dynamo", DeployPlace(), FILES)
    on_several = next(one for one in split if any(pool.nodes > 1 for pool in deployed(one).pools))
    with pytest.raises(FileProblem, match="one server"):
        deployment_files(deployed(on_several), "dynamo", DeployPlace(), FILES)


def _number(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))


def test_compose_gives_each_worker_its_own_devices() -> None:
    deployment = deployed(row(**POOLS["one server"]))
    each, workers = 2, 4
    pool = msgspec.structs.replace(deployment.pools[0], workers=workers, devices_each=each)
    (text,) = deployment_files(
        msgspec.structs.replace(deployment, pools=(pool,)), "compose", DeployPlace(), FILES
    ).values()
    services = yaml.safe_load(text)["services"]
    given_devices = [
        device for name, one in services.items() if name != "router"
        for device in one["deploy"]["resources"]["reservations"]["devices"][0]["device_ids"]
    ]  # fmt: skip
    assert sorted(given_devices) == [str(one) for one in range(8)]
    assert "router" in services
    for name, one in services.items():
        script = one["command"][0].replace("$$", "$")
        launcher = LAUNCHERS["vllm"]
        assert launcher.router is not None
        assert options_of(script) <= set(launcher.router.options if name == "router" else launcher.options)
    too_many = msgspec.structs.replace(deployment, pools=(msgspec.structs.replace(pool, workers=workers + 1),))
    with pytest.raises(FileProblem, match="Compose runs on one server"):
        deployment_files(too_many, "compose", DeployPlace(), FILES)


@pytest.mark.parametrize("engine", ["vllm", "sglang", "trtllm"])
@pytest.mark.parametrize("wanted", POOLS.values(), ids=POOLS)
def test_batch_jobs_hold_the_layout_and_are_shell(engine: str, wanted: dict[str, int], tmp_path: Path) -> None:
    candidate = row(**wanted)
    deployment = deployed(candidate, engine)
    files = deployment_files(deployment, "slurm", DeployPlace(model=HOSTILE), FILES)
    table = planned().plan.serving.table
    directives = dict(
        line.removeprefix("#SBATCH --").split("=") for line in files["serve.sbatch"].splitlines()
        if line.startswith("#SBATCH --") and "=" in line
    )  # fmt: skip
    assert int(directives["nodes"]) * int(directives["gpus-per-node"]) == table.devices_per_replica[candidate]
    replicas = int(table.replicas[candidate])
    assert directives.get("array", "0-0") == f"0-{replicas - 1}"
    for name, text in files.items():
        (tmp_path / name).write_text(text)
        assert subprocess.run(["bash", "-n", str(tmp_path / name)], check=False).returncode == 0, name


def test_a_job_needs_no_file_that_is_not_written() -> None:
    """Several workers without a router are jobs alone; separate pools without one cannot be reached."""
    for engine in ("vllm", "trtllm"):
        deployment = deployed(row(**POOLS["one server"]), engine)
        files = deployment_files(deployment, "slurm", DeployPlace(), FILES)
        assert deployment.pools[0].workers > 1
        assert ("router.sh" in files) == (engine == "vllm")
        named = {line.split()[1] for line in how_to_start(deployment, "slurm")}
        assert named <= set(files)
    split = deployed(int(np.flatnonzero(planned().plan.serving.table.prefill_workers > 0)[0]), "trtllm")
    for target in ("slurm", "kubernetes"):
        with pytest.raises(FileProblem, match="No router is known"):
            deployment_files(split, target, DeployPlace(), FILES)


def test_variables_of_the_configuration_file_are_set_as_well(tmp_path: Path) -> None:
    """TensorRT-LLM is told the draft head in launch.yaml."""
    results = planned()
    head = DraftHead(kind="eagle3", checkpoint="someone/head")
    engine = msgspec.structs.replace(results.scenario.serving.engine, speculative_tokens=3)
    scenario = msgspec.structs.replace(
        results.scenario, model=msgspec.structs.replace(results.scenario.model, drafts=head),
        serving=msgspec.structs.replace(results.scenario.serving, engine=engine),
    )  # fmt: skip
    candidate = row(**POOLS["one server"])
    made = deployment_of(scenario, results.catalog, results.plan, candidate, LAUNCHERS["trtllm"])
    files = deployment_files(made, "slurm", DeployPlace(draft_model="/models/head"), FILES)
    assert "export DRAFT_MODEL=/models/head" in files["serve.sbatch"]
    script = files["serve.sh"].split("END", 1)
    (tmp_path / "serve.sh").write_text(f"{script[0]}END{script[1].split('END', 1)[0]}END")
    environment = {"DRAFT_MODEL": "/models/head", "SLURM_NODEID": "0"}
    subprocess.run(["/bin/bash", "serve.sh"], cwd=tmp_path, env=environment, check=True)
    assert "  speculative_model_dir: /models/head" in (tmp_path / "launch.yaml").read_text()
    (pod,) = of_kind(objects(deployment_files(made, "kubernetes", DeployPlace(), FILES)), "Deployment")
    (container,) = pod["spec"]["template"]["spec"]["containers"]
    assert {"MODEL", "DRAFT_MODEL"} <= {one["name"] for one in container["env"]}


def test_processors_are_no_gpus_and_no_target_starts_a_mac() -> None:
    deployment = deployed(row(**POOLS["one server"]))
    on_processors = msgspec.structs.replace(deployment, ecosystem="cpu")
    job = deployment_files(on_processors, "slurm", DeployPlace(), FILES)["serve.sbatch"]
    assert "--gpus" not in job
    assert "#SBATCH --exclusive" in job
    assert "--gpus-per-node=8" in deployment_files(deployment, "slurm", DeployPlace(), FILES)["serve.sbatch"]
    on_macs = msgspec.structs.replace(deployment, ecosystem="metal")
    for target in TARGETS:
        with pytest.raises(FileProblem, match=r"does not start programs on Macs.*gpuplanner flags"):
            deployment_files(on_macs, target, DeployPlace(image="mine:1"), FILES)


def test_a_target_that_cannot_run_the_plan_says_why() -> None:
    several = deployed(row(**POOLS["two servers"]), "trtllm")
    with pytest.raises(FileProblem, match="by MPI"):
        deployment_files(several, "kubernetes", DeployPlace(), FILES)
    other = msgspec.structs.replace(deployed(row(**POOLS["one server"])), ecosystem="gaudi", image="")
    with pytest.raises(FileProblem, match="Name an image"):
        deployment_files(other, "kubernetes", DeployPlace(), FILES)
    assert deployment_files(other, "kubernetes", DeployPlace(image="mine:1"), FILES)


@pytest.mark.parametrize(
    ("engine", "device", "release", "image"),
    [
        ("vllm", "nvidia-h200-sxm-141gb", "0.12.0", "vllm/vllm-openai:v0.12.0"),
        ("vllm", "amd-mi300x", "0.26.0", "vllm/vllm-openai-rocm:v0.26.0"),
        ("vllm", "amd-mi300x", "0.12.0", ""),
        ("vllm", "amd-mi60", "0.26.0", ""),
        ("sglang", "amd-mi325x", "0.5.16", "lmsysorg/sglang:v0.5.16-rocm700-mi30x"),
        ("sglang", "amd-mi355x", "0.5.16", "lmsysorg/sglang:v0.5.16-rocm700-mi35x"),
        ("trtllm", "nvidia-h200-sxm-141gb", "1.2.0", "nvcr.io/nvidia/tensorrt-llm/release:1.2.0"),
    ],
)
def test_images_are_those_of_the_devices_and_the_release(engine: str, device: str, release: str, image: str) -> None:
    entry = planned().catalog.accelerators[device]
    assert container_image(LAUNCHERS[engine], entry, release) == image


def test_what_a_target_cannot_run_is_told_beside_what_it_can(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["deploy", str(TWO), "--target", "compose", "-o", str(tmp_path)]) == 0
    assert (tmp_path / "compose.yaml").is_file()
    assert "plan-13b-assistant-training: A training run needs Slurm" in capsys.readouterr().err


def test_the_recommended_fleet_of_amd_devices_can_be_applied(tmp_path: Path) -> None:
    chat = str(SMALL_CHAT)
    assert main(["deploy", chat, "--target", "kubernetes", "-o", str(tmp_path)]) == 0
    (workers,) = of_kind(objects({one.name: one.read_text() for one in tmp_path.glob("*.yaml")}), "Deployment")
    (container,) = workers["spec"]["template"]["spec"]["containers"]
    assert container["image"].startswith("vllm/vllm-openai-rocm:v")
    assert container["resources"]["limits"] == {"amd.com/gpu": "1"}


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_text_comes_back_from_yaml_as_it_was(key: str, text: str) -> None:
    value: Yaml = {
        f"k{key}": [text, {"inner": text, "lines": f"{text}\n{text}"}],
        "number": 3,
        "flag": True,
        "none": [],
    }
    assert yaml.safe_load(yaml_text(value)) == value


def test_names_of_a_project_stay_harmless(tmp_path: Path) -> None:
    deployment = deployed(row(**POOLS["one server"]))
    place = DeployPlace(model=HOSTILE)
    found = objects(deployment_files(deployment, "kubernetes", place, FILES))
    (workers,) = of_kind(found, "Deployment")
    (container,) = workers["spec"]["template"]["spec"]["containers"]
    values = {one["name"]: one.get("value") for one in container["env"]}
    assert values["MODEL"].replace("$$", "$") == HOSTILE
    assert "reboot" not in container["args"][0]
    slurm = deployment_files(deployment, "slurm", place, FILES)["serve.sbatch"]
    shown = tmp_path / "shown.sh"
    export = slurm[slurm.index("export MODEL=") : slurm.index("FIRST_NODE=$(")]
    shown.write_text(export + 'printf %s "$MODEL"')
    assert subprocess.run(["bash", str(shown)], capture_output=True, text=True, check=True).stdout == HOSTILE


def written(folder: Path) -> Iterator[str]:
    return (str(path.relative_to(folder)) for path in sorted(folder.rglob("*")) if path.is_file())


def test_command_writes_a_folder_and_never_over_files_unsaid(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["deploy", str(TWO), "--target", "slurm", "-o", str(tmp_path / "out")]
    assert main(command) == 0
    printed = capsys.readouterr().out.splitlines()
    assert sorted(printed) == sorted(str(tmp_path / "out" / name) for name in written(tmp_path / "out"))
    assert any(name.endswith("train.sbatch") for name in printed)
    assert any(name.endswith("README.txt") for name in printed)
    (tmp_path / "out" / Path(printed[0]).relative_to(tmp_path / "out")).write_text("mine")
    assert main(command) == 1
    assert "already exists" in capsys.readouterr().err
    assert Path(printed[0]).read_text() == "mine"
    assert main([*command, "--overwrite"]) == 0
    assert Path(printed[0]).read_text() != "mine"


@pytest.mark.parametrize(
    ("framework", "program", "yours"),
    [
        ("deepspeed", "DeepSpeed", "$TRAIN_SCRIPT"),
        ("fsdp", "torchtitan", "$TRAIN_CONFIG"),
        ("megatron", "Megatron", ""),
    ],
)
def test_files_start_the_framework_that_was_planned_with(
    tmp_path: Path, framework: TrainingFramework, program: str, yours: str
) -> None:
    """They started Megatron-LM whatever the framework, and `set -u` stopped them at variables that nobody had named."""
    project = load_project(TWO)
    training = project.scenarios[0].training
    assert training is not None
    training = msgspec.structs.replace(
        training, framework=framework, recompute="full" if framework == "deepspeed" else "selective"
    )
    scenario = msgspec.structs.replace(project.scenarios[0], training=training, serving=None)
    file = tmp_path / "one.gpuplan"
    file.write_bytes(project_to_bytes(msgspec.structs.replace(project, scenarios=(scenario,))))
    assert main(["deploy", str(file), "--target", "slurm", "-o", str(tmp_path / "out")]) == 0
    readme = (tmp_path / "out" / "README.txt").read_text(encoding="utf-8")
    assert f": {program}" in readme.splitlines()[0]
    assert "were predicted for" not in readme
    script = (tmp_path / "out" / "train.sh").read_text(encoding="utf-8")
    assert yours in script
    assert readme.count("Export these variables before you start:") == bool(yours)
    assert f"\n  {yours}: " in readme or not yours


def test_a_hostile_project_writes_into_its_folder_alone(tmp_path: Path) -> None:
    project = load_project(TWO)
    scenario = msgspec.structs.replace(project.scenarios[0], name="../../etc/passwd")
    path = tmp_path / "hostile.gpuplan"
    path.write_bytes(project_to_bytes(msgspec.structs.replace(project, scenarios=(scenario,))))
    assert main(["deploy", str(path), "--target", "slurm", "-o", str(tmp_path / "out")]) == 0
    assert all(".." not in name for name in written(tmp_path / "out"))
    assert sorted(one.name for one in tmp_path.iterdir()) == ["hostile.gpuplan", "out"]


def test_write_refuses_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(FileProblem, match="can't be made"):
        write_deployment(tmp_path / "out", {"sub/a.txt": "x"})
