"""A plan's deployment as a folder of files, or why a target cannot run it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from gpuplanner_gui.domain.launch import Deployment, Router, WorkerPool
from gpuplanner_gui.engine.handoff.options import shell_lines
from gpuplanner_gui.files.deploy.kubernetes import (
    NODE_LABEL,
    ROUTER_IMAGE,
    ROUTER_PORT,
    DeployPlace,
    Yaml,
    dynamo_files,
    kubernetes_files,
    router_script,
    slug,
    worker_script,
    yaml_text,
)
from gpuplanner_gui.files.errors import FileProblem, said
from gpuplanner_gui.files.shipped_tables import device_resources
from gpuplanner_gui.files.whole_file import make_folder, write_whole_file

ENDPOINTS = "endpoints"
"""Folder beside the scripts, in which workers say where they are."""


def slurm_files(deployment: Deployment, place: DeployPlace) -> dict[str, str]:
    """`ROLE.sbatch`, to be handed in, with the script that its servers run; `router.sh` where several workers serve."""
    files: dict[str, str] = {}
    for pool in deployment.pools:
        files[f"{pool.role}.sbatch"] = _job(deployment, pool, place)
        files[f"{pool.role}.sh"] = _server(deployment, pool)
    if (router := _router_of(deployment)) is not None:
        files["router.sh"] = _slurm_router(router, is_split=len(deployment.pools) > 1)
    return files


def _router_of(deployment: Deployment) -> Router | None:
    """What spreads requests over the workers; None for one worker, or where no router is known."""
    return deployment.launcher.router if sum(pool.workers for pool in deployment.pools) > 1 else None


def _job(deployment: Deployment, pool: WorkerPool, place: DeployPlace) -> str:
    tasks = pool.devices_each if deployment.launcher.is_mpi and pool.nodes > 1 else 1
    first = max(1, deployment.launcher.port)
    # Slurm hands out no sockets by number: a worker on processors takes its server.
    on_processors = deployment.ecosystem == "cpu"
    lines = [
        "#!/bin/bash", f"#SBATCH --job-name={slug(deployment.name)}-{pool.role}", f"#SBATCH --nodes={pool.nodes}",
        f"#SBATCH --ntasks-per-node={tasks}",
        *([] if on_processors else [f"#SBATCH --gpus-per-node={pool.devices_each}"]),
        *(["#SBATCH --exclusive"] if pool.nodes > 1 or pool.role == "train" or on_processors else []),
        *([f"#SBATCH --array=0-{pool.workers - 1}"] if pool.workers > 1 else []),
        "set -euo pipefail", 'cd "$SLURM_SUBMIT_DIR"',
        *(f"export {name}={shlex.quote(value)}" for name, value in place.variables(deployment).items()),
        'FIRST_NODE=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)', "export FIRST_NODE",
    ]  # fmt: skip
    if pool.role != "train":
        lines += [
            f"export PORT=$(({first} + ${{SLURM_ARRAY_TASK_ID:-0}}))", f"mkdir -p {ENDPOINTS}",
            f'echo "http://$FIRST_NODE:$PORT" > "{ENDPOINTS}/{pool.role}-${{SLURM_ARRAY_TASK_ID:-0}}"',
        ]  # fmt: skip
    mpi = "--mpi=pmix " if tasks > 1 else ""
    lines.append(f'srun {mpi}bash {pool.role}.sh "$@"')
    return "\n".join(lines) + "\n"


def _server(deployment: Deployment, pool: WorkerPool) -> str:
    lines = ["set -euo pipefail", 'export NODE_RANK="$SLURM_NODEID"']
    if pool.role == "train":
        lines += shell_lines(pool.launch, *deployment.model_arguments, '"$@"', with_exec=True)
    else:
        if pool.launch.followers:
            follower = worker_script(pool, deployment.launcher, "$PORT", is_follower=True)
            lines += ['if [ "$NODE_RANK" -gt 0 ]; then', follower, "fi"]
        lines.append(worker_script(pool, deployment.launcher, "$PORT"))
    return "\n".join(lines) + "\n"


def _slurm_router(router: Router, is_split: bool) -> str:
    """Run once the workers answer: it is told where they are."""
    lines = ["set -euo pipefail", 'cd "$(dirname "$0")"', f"pip install --quiet {router.package}", "arguments=()"]
    if is_split:
        lines.append(f"arguments+=({router.pools})")
        for role, template in (("prefill", router.prefill), ("decode", router.decode)):
            words = template.format(url='"$(cat "$one")"')
            lines.append(f"for one in {ENDPOINTS}/{role}-*; do arguments+=({words}); done")
    else:
        lines.append(f"arguments+=({router.workers.format(urls=f'$(cat {ENDPOINTS}/serve-*)')})")
    lines.append(f'exec {router.command.format(port=ROUTER_PORT)} "${{arguments[@]}}"')
    return "\n".join(lines) + "\n"


def compose_files(deployment: Deployment, place: DeployPlace) -> dict[str, str]:
    """`compose.yaml`. A lone worker is reached at its engine's port, several through the router's."""
    services: dict[str, Yaml] = {}
    addresses: dict[str, list[str]] = {}
    launcher, first_device = deployment.launcher, 0
    variables = place.variables(deployment)
    is_alone = sum(pool.workers for pool in deployment.pools) == 1
    for pool in deployment.pools:
        for number in range(pool.workers):
            name = f"{pool.role}-{number}"
            devices = range(first_device, first_device + pool.devices_each)
            first_device += pool.devices_each
            environment: dict[str, Yaml] = {key: _kept(value) for key, value in variables.items()}
            environment["HF_TOKEN"] = "${HF_TOKEN:-}"
            if deployment.ecosystem == "rocm":
                environment["HIP_VISIBLE_DEVICES"] = ",".join(map(str, devices))
            service: dict[str, Yaml] = {
                "image": place.image_of(deployment), "entrypoint": ["/bin/sh", "-c"],
                "command": [_kept(worker_script(pool, launcher, str(launcher.port)))],
                "environment": environment,
                "ipc": "host", "restart": "unless-stopped", **_devices(deployment.ecosystem, devices),
            }  # fmt: skip
            paths = [value for value in variables.values() if value.startswith("/")]
            if paths:
                service["volumes"] = [
                    {"type": "bind", "source": _kept(path), "target": _kept(path), "read_only": True} for path in paths
                ]
            if is_alone:
                service["ports"] = [f"{launcher.port}:{launcher.port}"]
            services[name] = service
            addresses.setdefault(pool.role, []).append(f"http://{name}:{launcher.port}")
    if not is_alone:
        services["router"] = _compose_router(deployment, addresses)
    return {"compose.yaml": yaml_text({"services": services})}


def _kept(text: str) -> str:
    """Compose replaces variables in every text; $$ keeps them for the shell."""
    return text.replace("$", "$$")


def _devices(ecosystem: str, devices: Sequence[int]) -> dict[str, Yaml]:
    numbers = [str(one) for one in devices]
    if ecosystem == "cuda":
        wanted: Yaml = {"driver": "nvidia", "device_ids": numbers, "capabilities": ["gpu"]}
        return {"deploy": {"resources": {"reservations": {"devices": [wanted]}}}}
    return {"devices": ["/dev/kfd", "/dev/dri"], "group_add": ["video"]}


def _compose_router(deployment: Deployment, addresses: dict[str, list[str]]) -> dict[str, Yaml]:
    router = deployment.launcher.router
    assert router is not None
    if len(deployment.pools) > 1:
        named = {"prefill": router.prefill, "decode": router.decode}
        arguments = [router.pools]
        arguments += [named[role].format(url=url) for role, urls in addresses.items() for url in urls]
    else:
        arguments = [router.workers.format(urls=" ".join(url for urls in addresses.values() for url in urls))]
    return {
        "image": ROUTER_IMAGE, "entrypoint": ["/bin/sh", "-c"], "command": [_kept(router_script(router, arguments))],
        "ports": [f"{ROUTER_PORT}:{ROUTER_PORT}"], "restart": "unless-stopped",
        "depends_on": [f"{role}-{place}" for role, urls in addresses.items() for place in range(len(urls))],
    }  # fmt: skip


TARGETS = {"kubernetes": "Kubernetes", "dynamo": "NVIDIA Dynamo", "compose": "Docker Compose", "slurm": "Slurm"}


def deployment_files(deployment: Deployment, target: str, place: DeployPlace, folder: Path) -> dict[str, str]:
    """Names of files with their text. Raises FileProblem where the target cannot run the plan, saying why."""
    problem = _obstacle(deployment, target, place)
    if problem:
        raise FileProblem(folder, "", problem[0], problem[1])
    if target == "kubernetes":
        return kubernetes_files(deployment, place, device_resources()[deployment.ecosystem])
    if target == "dynamo":
        return dynamo_files(deployment, place, device_resources()[deployment.ecosystem])
    return compose_files(deployment, place) if target == "compose" else slurm_files(deployment, place)


def how_to_start(deployment: Deployment, target: str) -> tuple[str, ...]:
    """Commands that start what the files describe."""
    if target in ("kubernetes", "dynamo"):
        label = f"{NODE_LABEL}={slug(deployment.accelerator, 63)}"
        return (f"kubectl label node NODE {label}", f"kubectl apply -f {slug(deployment.name)}.yaml")
    if target == "compose":
        return ("docker compose up -d",)
    is_training = any(pool.role == "train" for pool in deployment.pools)
    return tuple(
        f"sbatch {pool.role}.sbatch{' YOUR ARGUMENTS' if is_training else ''}" for pool in deployment.pools
    ) + (("bash router.sh",) if _router_of(deployment) is not None else ())


def _obstacle(deployment: Deployment, target: str, place: DeployPlace) -> tuple[str, str] | None:
    """What the target lacks, and what to do instead."""
    launcher, pools = deployment.launcher, deployment.pools
    workers, is_split = sum(pool.workers for pool in pools), len(pools) > 1
    if not pools:
        what = said("{name} cannot run this plan, or the plan has no fleet", name=launcher.name)
        return what, said("`gpuplanner flags` says why; choose another engine")
    if deployment.ecosystem == "metal":
        what = said("{target} does not start programs on Macs", target=TARGETS[target])
        return what, said("Start it by hand on each Mac: `gpuplanner flags` prints the command")
    no_router = (
        said("No router is known for several workers of {name}", name=launcher.name),
        said("Choose vLLM or SGLang as the engine"),
    )
    if launcher.router is None and is_split:
        return no_router
    if target == "slurm":
        return None
    if launcher.workload == "training":
        return said("A training run needs Slurm"), said("Choose Slurm as the target")
    devices = sum(pool.workers * pool.nodes * pool.devices_each for pool in pools)
    if target == "compose" and (devices > deployment.node_devices or any(pool.nodes > 1 for pool in pools)):
        what = said(
            "Compose runs on one server, but the plan needs {devices} devices and a server has {each}",
            devices=devices, each=deployment.node_devices,
        )  # fmt: skip
        return what, said("Choose Kubernetes or Slurm as the target")
    if target == "dynamo" and (problem := _obstacle_of_dynamo(deployment)) is not None:
        return problem
    if target == "kubernetes" and launcher.is_mpi and any(pool.nodes > 1 for pool in pools):
        what = said(
            "{name} starts workers on several servers by MPI, which a LeaderWorkerSet does not support",
            name=launcher.name,
        )
        return what, said("Choose Slurm as the target, or vLLM or SGLang as the engine")
    if launcher.router is None and target == "compose" and workers > 1:
        return no_router
    if deployment.ecosystem not in device_resources():
        what = said("How containers ask for devices of {ecosystem} is not known", ecosystem=deployment.ecosystem)
        return what, said("Choose Slurm as the target")
    if target == "compose" and deployment.ecosystem not in ("cuda", "rocm"):
        what = said("How Compose gives devices of {ecosystem} is not known", ecosystem=deployment.ecosystem)
        return what, said("Choose Kubernetes or Slurm as the target")
    if not place.image_of(deployment):
        what = said(
            "No container image of {name} is known for {ecosystem}", name=launcher.name, ecosystem=deployment.ecosystem
        )
        return what, said("Name an image, such as registry.example.com/vllm:1")
    return None


def _obstacle_of_dynamo(deployment: Deployment) -> tuple[str, str] | None:
    """Why Dynamo cannot run the plan: its graph is for pools of vLLM workers on NVIDIA devices, each on one server."""
    pools = deployment.pools
    if len(pools) < 2:
        return said("The plan has no separate pools, which Dynamo is for"), said("Choose Kubernetes as the target")
    if deployment.launcher.dynamo is None or deployment.ecosystem != "cuda":
        what = said("Files for Dynamo are written for vLLM on NVIDIA devices")
        return what, said("Choose Kubernetes as the target, or vLLM as the engine")
    if any(pool.nodes > 1 for pool in pools):
        return said("Files for Dynamo hold workers of one server"), said("Choose Kubernetes as the target")
    return None


def write_deployment(folder: Path, files: Mapping[str, str], overwrite: bool = False) -> tuple[Path, ...]:
    """Write the files into a folder that is made where it is missing. Raises FileProblem rather than write over one."""
    there = [name for name in files if (folder / name).exists()]
    if there and not overwrite:
        raise FileProblem(
            folder / there[0],
            "",
            "this file already exists",
            "Choose another folder, or allow overwriting (--overwrite)",
        )
    for parent in {(folder / name).parent for name in files}:
        make_folder(parent)
    for name, text in files.items():
        write_whole_file(folder / name, text.encode("utf-8"))
    return tuple(folder / name for name in files)
