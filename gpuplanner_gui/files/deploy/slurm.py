"""Batch jobs for Slurm: one a pool, its workers as the tasks of an array; and a script that starts the router."""

from __future__ import annotations

import shlex

from gpuplanner_gui.domain.launch import Deployment, Router, WorkerPool
from gpuplanner_gui.engine.handoff.options import shell_lines
from gpuplanner_gui.files.deploy.yaml_text import ROUTER_PORT, DeployPlace, slug, worker_script

ENDPOINTS = "endpoints"
"""Folder beside the scripts, in which workers say where they are."""


def slurm_files(deployment: Deployment, place: DeployPlace) -> dict[str, str]:
    """`ROLE.sbatch`, to be handed in, with the script that its servers run; `router.sh` where several workers serve."""
    files: dict[str, str] = {}
    for pool in deployment.pools:
        files[f"{pool.role}.sbatch"] = _job(deployment, pool, place)
        files[f"{pool.role}.sh"] = _server(deployment, pool)
    router = deployment.launcher.router
    if router is not None and sum(pool.workers for pool in deployment.pools) > 1:
        files["router.sh"] = _router(router, is_split=len(deployment.pools) > 1)
    return files


def _job(deployment: Deployment, pool: WorkerPool, place: DeployPlace) -> str:
    tasks = pool.devices_each if deployment.launcher.is_mpi and pool.nodes > 1 else 1
    first = max(1, deployment.launcher.port)
    lines = [
        "#!/bin/bash", f"#SBATCH --job-name={slug(deployment.name)}-{pool.role}", f"#SBATCH --nodes={pool.nodes}",
        f"#SBATCH --ntasks-per-node={tasks}", f"#SBATCH --gpus-per-node={pool.devices_each}",
        *(["#SBATCH --exclusive"] if pool.nodes > 1 or pool.role == "train" else []),
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


def _router(router: Router, is_split: bool) -> str:
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
