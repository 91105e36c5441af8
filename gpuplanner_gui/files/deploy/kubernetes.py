"""Manifests for Kubernetes: a Deployment for workers of one server, a LeaderWorkerSet for those of several.

Separate pools get a router that finds their workers by label, with the right to look for pods of its namespace;
or they are a graph for NVIDIA Dynamo: its frontend before pools of vLLM workers.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from gpuplanner_gui.domain.launch import Deployment, WorkerPool
from gpuplanner_gui.files.deploy.yaml_text import (
    ROUTER_IMAGE,
    ROUTER_PORT,
    DeployPlace,
    Yaml,
    router_script,
    slug,
    worker_script,
    yaml_text,
)

Object = dict[str, Yaml]
POOL_LABEL = "gpuplanner/pool"
SERVES_LABEL = "gpuplanner/serves"
"""Label of pods that answer requests: every pod, or the first of a worker that has several."""
NODE_LABEL = "gpuplanner/accelerator"
GROUP_VARIABLES = 'export NODE_RANK="$LWS_WORKER_INDEX" FIRST_NODE="$LWS_LEADER_ADDRESS"'
STARTS_WITHIN = 180
"""Tries of ten seconds each until a worker has loaded its weights."""
FIRST_TRANSFER_PORT = 8998
"""Where workers that prefill offer their cache by default."""


def kubernetes_files(deployment: Deployment, place: DeployPlace, resource: str) -> dict[str, str]:
    """One file with every object, by its name."""
    objects: list[Object] = []
    for pool in deployment.pools:
        objects += [_workers(deployment, pool, place, resource), _service(deployment, pool)]
    if len(deployment.pools) > 1:
        objects += _router(deployment)
    return {f"{slug(deployment.name)}.yaml": yaml_text(*objects)}


def _labels(deployment: Deployment, role: str) -> dict[str, Yaml]:
    made: dict[str, Yaml] = {"app.kubernetes.io/name": slug(deployment.name), POOL_LABEL: role}
    return made | ({"llm-d.ai/role": role} if role in ("prefill", "decode") else {})


def _name(deployment: Deployment, role: str) -> str:
    return f"{slug(deployment.name)}-{role}"


def _workers(deployment: Deployment, pool: WorkerPool, place: DeployPlace, resource: str) -> Object:
    labels = _labels(deployment, pool.role)
    metadata: Object = {"name": _name(deployment, pool.role), "labels": labels}
    first = pod_of(deployment, pool, place, resource, is_follower=False)
    if pool.nodes == 1:
        spec: Object = {"replicas": pool.workers, "selector": {"matchLabels": labels}, "template": first}
        return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}
    group: Object = {
        "size": pool.nodes, "restartPolicy": "RecreateGroupOnPodRestart", "leaderTemplate": first,
        "workerTemplate": pod_of(deployment, pool, place, resource, is_follower=True),
    }  # fmt: skip
    return {
        "apiVersion": "leaderworkerset.x-k8s.io/v1", "kind": "LeaderWorkerSet", "metadata": metadata,
        "spec": {"replicas": pool.workers, "leaderWorkerTemplate": group},
    }  # fmt: skip


def pod_of(deployment: Deployment, pool: WorkerPool, place: DeployPlace, resource: str, is_follower: bool) -> Object:
    """A pod of a pool; one that serves no requests itself has neither port nor probes."""
    launcher = deployment.launcher
    script = worker_script(pool, launcher, str(launcher.port), is_follower)
    variables = place.variables(deployment)
    environment: list[Yaml] = [
        {"name": "POD_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
        {"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "hf-token", "key": "token", "optional": True}}},
        # Kubernetes replaces $(NAME) in values; $$ keeps it as it was written.
        *({"name": name, "value": value.replace("$", "$$")} for name, value in variables.items()),
    ]
    devices = {resource: str(pool.devices_each)}
    container: Object = {
        "name": "engine", "image": place.image_of(deployment), "command": ["/bin/sh", "-c"],
        "args": [f"{GROUP_VARIABLES}\n{script}" if pool.nodes > 1 else script], "env": environment,
        "resources": {"limits": devices, "requests": devices},
    }  # fmt: skip
    mounts: list[Yaml] = [{"name": "shared-memory", "mountPath": "/dev/shm"}]
    volumes: list[Yaml] = [{"name": "shared-memory", "emptyDir": {"medium": "Memory"}}]
    kind = "File" if launcher.checkpoint_ending else "Directory"
    for number, path in enumerate(value for value in variables.values() if value.startswith("/")):
        mounts.append({"name": f"checkpoint-{number}", "mountPath": path, "readOnly": True})
        volumes.append({"name": f"checkpoint-{number}", "hostPath": {"path": path, "type": kind}})
    container["volumeMounts"] = mounts
    labels = _labels(deployment, pool.role)
    if not is_follower:
        health: Object = {"httpGet": {"path": "/health", "port": launcher.port}, "periodSeconds": 10}
        container |= {
            "ports": [{"name": "http", "containerPort": launcher.port}], "readinessProbe": health,
            "startupProbe": health | {"failureThreshold": STARTS_WITHIN},
        }  # fmt: skip
        labels = labels | {SERVES_LABEL: "true"}
    metadata: Object = {"labels": labels}
    if pool.role == "prefill" and launcher.id == "sglang":
        metadata["annotations"] = {"sglang.ai/bootstrap-port": str(FIRST_TRANSFER_PORT)}
    selector = {NODE_LABEL: slug(deployment.accelerator, 63)}
    return {"metadata": metadata, "spec": {"nodeSelector": selector, "containers": [container], "volumes": volumes}}


def _service(deployment: Deployment, pool: WorkerPool) -> Object:
    selector = _labels(deployment, pool.role) | {SERVES_LABEL: "true"}
    port: Object = {"name": "http", "port": deployment.launcher.port, "targetPort": deployment.launcher.port}
    return {
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": _name(deployment, pool.role)},
        "spec": {"selector": selector, "ports": [port]},
    }  # fmt: skip


def _router(deployment: Deployment) -> Iterator[Object]:
    """The router of separate pools, and its right to see their pods."""
    router, name = deployment.launcher.router, _name(deployment, "router")
    assert router is not None
    metadata: Object = {"name": name}
    rules = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch"]}
    group = "rbac.authorization.k8s.io"
    yield {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}
    yield {"apiVersion": f"{group}/v1", "kind": "Role", "metadata": metadata, "rules": [rules]}
    yield {
        "apiVersion": f"{group}/v1", "kind": "RoleBinding", "metadata": metadata,
        "roleRef": {"apiGroup": group, "kind": "Role", "name": name},
        "subjects": [{"kind": "ServiceAccount", "name": name}],
    }  # fmt: skip
    found = router.discovery.format(
        port=deployment.launcher.port, prefill=_selection(deployment, "prefill"),
        decode=_selection(deployment, "decode"),
    )  # fmt: skip
    labels = _labels(deployment, "router")
    container: Object = {
        "name": "router", "image": ROUTER_IMAGE, "command": ["/bin/sh", "-c"],
        "args": [router_script(router, (router.pools, *_split(found)))],
        "env": [{"name": "NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}}],
        "ports": [{"name": "http", "containerPort": ROUTER_PORT}],
    }  # fmt: skip
    pod: Object = {"metadata": {"labels": labels}, "spec": {"serviceAccountName": name, "containers": [container]}}
    yield {
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata,
        "spec": {"replicas": 1, "selector": {"matchLabels": labels}, "template": pod},
    }  # fmt: skip
    yield {
        "apiVersion": "v1", "kind": "Service", "metadata": metadata,
        "spec": {"selector": labels, "ports": [{"name": "http", "port": ROUTER_PORT, "targetPort": ROUTER_PORT}]},
    }  # fmt: skip


def _selection(deployment: Deployment, role: str) -> str:
    """Labels as the router's command takes them."""
    labels = {"app.kubernetes.io/name": slug(deployment.name), POOL_LABEL: role, SERVES_LABEL: "true"}
    return " ".join(f"{name}={value}" for name, value in labels.items())


def _split(arguments: str) -> list[str]:
    return [f"--{one}" for one in arguments.removeprefix("--").split(" --")]


def dynamo_files(deployment: Deployment, place: DeployPlace, resource: str) -> dict[str, str]:
    """One file with the graph, by its name."""
    runtime = deployment.launcher.dynamo
    assert runtime is not None
    image = place.image or runtime.image.format(release=runtime.release)
    frontend: Object = {
        "name": "Frontend", "type": "frontend", "replicas": 1,
        "podTemplate": {"spec": {"containers": [{"name": "main", "image": image}]}},
    }  # fmt: skip
    workers = [_dynamo_workers(deployment, pool, place, resource, runtime.command, image) for pool in deployment.pools]
    graph: Object = {
        "apiVersion": "nvidia.com/v1beta1", "kind": "DynamoGraphDeployment",
        "metadata": {
            "name": slug(deployment.name, 40),
            "annotations": {"gpuplanner/options-of": f"{deployment.launcher.name} {deployment.launch.release}"},
        },
        "spec": {"components": [frontend, *workers]},
    }  # fmt: skip
    return {f"{slug(deployment.name)}.yaml": yaml_text(graph)}


def _dynamo_workers(
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
