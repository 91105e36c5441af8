"""A graph for NVIDIA Dynamo: its frontend before pools of vLLM workers that prefill and workers that decode."""

from __future__ import annotations

import msgspec

from gpuplanner_gui.domain.launch import Deployment, WorkerPool
from gpuplanner_gui.files.deploy.kubernetes import Object, pod_of
from gpuplanner_gui.files.deploy.yaml_text import DeployPlace, Yaml, slug, yaml_text


def dynamo_files(deployment: Deployment, place: DeployPlace, resource: str) -> dict[str, str]:
    """One file with the graph, by its name."""
    runtime = deployment.launcher.dynamo
    assert runtime is not None
    image = place.image or runtime.image.format(release=runtime.release)
    frontend: Object = {
        "name": "Frontend", "type": "frontend", "replicas": 1,
        "podTemplate": {"spec": {"containers": [{"name": "main", "image": image}]}},
    }  # fmt: skip
    workers = [_workers(deployment, pool, place, resource, runtime.command, image) for pool in deployment.pools]
    graph: Object = {
        "apiVersion": "nvidia.com/v1beta1", "kind": "DynamoGraphDeployment",
        "metadata": {
            "name": slug(deployment.name, 40),
            "annotations": {"gpuplanner/options-of": f"{deployment.launcher.name} {deployment.launch.release}"},
        },
        "spec": {"components": [frontend, *workers]},
    }  # fmt: skip
    return {f"{slug(deployment.name)}.yaml": yaml_text(graph)}


def _workers(
    deployment: Deployment, pool: WorkerPool, place: DeployPlace, resource: str, worker: str, image: str
) -> Object:
    """A pool as a component; the operator adds its ports and probes."""
    command = (worker, *pool.launch.command[1:], f"--disaggregation-mode {pool.role}")
    pool = msgspec.structs.replace(pool, launch=msgspec.structs.replace(pool.launch, command=command))
    quiet = msgspec.structs.replace(
        deployment, launcher=msgspec.structs.replace(deployment.launcher, listen=""), image=image
    )
    template: dict[str, Yaml] = dict(pod_of(quiet, pool, place, resource, is_follower=True))
    spec = template["spec"]
    assert isinstance(spec, dict)
    (container,) = spec["containers"]
    template["spec"] = spec | {"containers": [container | {"name": "main"}]}
    return {"name": pool.role, "type": pool.role, "replicas": pool.workers, "podTemplate": template}
