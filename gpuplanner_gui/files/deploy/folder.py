"""A plan's deployment as a folder of files, or why a target cannot run it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from gpuplanner_gui.domain.launch import Deployment
from gpuplanner_gui.files.deploy.compose import compose_files
from gpuplanner_gui.files.deploy.kubernetes import NODE_LABEL, kubernetes_files
from gpuplanner_gui.files.deploy.slurm import slurm_files
from gpuplanner_gui.files.deploy.yaml_text import DeployPlace, slug
from gpuplanner_gui.files.errors import FileProblem, said
from gpuplanner_gui.files.shipped_tables import device_resources
from gpuplanner_gui.files.whole_file import make_folder, write_whole_file

TARGETS = {"kubernetes": "Kubernetes", "compose": "Docker Compose", "slurm": "Slurm"}


def deployment_files(deployment: Deployment, target: str, place: DeployPlace, folder: Path) -> dict[str, str]:
    """Names of files with their text. Raises FileProblem where the target cannot run the plan, saying why."""
    problem = _obstacle(deployment, target, place)
    if problem:
        raise FileProblem(folder, "", problem[0], problem[1])
    if target == "kubernetes":
        return kubernetes_files(deployment, place, device_resources()[deployment.ecosystem])
    return compose_files(deployment, place) if target == "compose" else slurm_files(deployment, place)


def how_to_start(deployment: Deployment, target: str) -> tuple[str, ...]:
    """Commands that start what the files describe."""
    if target == "kubernetes":
        label = f"{NODE_LABEL}={slug(deployment.accelerator, 63)}"
        return (f"kubectl label node NODE {label}", f"kubectl apply -f {slug(deployment.name)}.yaml")
    if target == "compose":
        return ("docker compose up -d",)
    is_training = any(pool.role == "train" for pool in deployment.pools)
    return tuple(
        f"sbatch {pool.role}.sbatch{' YOUR ARGUMENTS' if is_training else ''}" for pool in deployment.pools
    ) + (("bash router.sh",) if sum(pool.workers for pool in deployment.pools) > 1 else ())


def _obstacle(deployment: Deployment, target: str, place: DeployPlace) -> tuple[str, str] | None:
    """What the target lacks, and what to do instead."""
    launcher, pools = deployment.launcher, deployment.pools
    workers, is_split = sum(pool.workers for pool in pools), len(pools) > 1
    if not pools:
        what = said("{name} cannot run this plan, or the plan has no fleet", name=launcher.name)
        return what, said("`gpuplanner flags` says why; choose another engine")
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
    if target == "kubernetes" and launcher.is_mpi and any(pool.nodes > 1 for pool in pools):
        what = said(
            "{name} starts workers on several servers by MPI, which a LeaderWorkerSet does not support",
            name=launcher.name,
        )
        return what, said("Choose Slurm as the target, or vLLM or SGLang as the engine")
    if launcher.router is None and (is_split or (target == "compose" and workers > 1)):
        what = said("No router is known for several workers of {name}", name=launcher.name)
        return what, said("Choose vLLM or SGLang as the engine")
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


def write_deployment(folder: Path, files: Mapping[str, str], overwrite: bool = False) -> tuple[Path, ...]:
    """Write the files into a folder that is made where it is missing. Raises FileProblem rather than write over one."""
    there = [name for name in files if (folder / name).exists()]
    if there and not overwrite:
        raise FileProblem(
            folder / there[0], "", said("this file already exists"),
            said("Choose another folder, or allow overwriting (--overwrite)"),
        )  # fmt: skip
    for parent in {(folder / name).parent for name in files}:
        make_folder(parent)
    for name, text in files.items():
        write_whole_file(folder / name, text.encode("utf-8"))
    return tuple(folder / name for name in files)
