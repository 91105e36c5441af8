"""Manifests in YAML, every text quoted or a block; those for Kubernetes: a Deployment for workers of one server, a
LeaderWorkerSet for those of several.

Separate pools get a router that finds their workers by label, with the right to look for pods of its namespace;
or they are a graph for NVIDIA Dynamo: its frontend before pools of vLLM workers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from gpuplanner_gui.domain.launch import Deployment, Launcher, Router, WorkerPool
from gpuplanner_gui.engine.handoff.options import shell_lines

MODELS = "/models"
"""Folder of checkpoints on every server, where nothing else is said."""


@dataclass(frozen=True)
class DeployPlace:
    """What no plan holds; empty: the usual."""

    model: str = ""
    """The checkpoint: a path on every server, or a name on a hub."""
    draft_model: str = ""
    image: str = ""
    checkpoints: str = ""
    """Checkpoint folder of a training run, which every server reaches."""
    local_disk: str = ""

    def variables(self, deployment: Deployment) -> dict[str, str]:
        """What the variables of the plan's commands stand for, those alone that they name."""
        ending = deployment.launcher.checkpoint_ending
        values = {
            "MODEL": self.model or f"{MODELS}/{slug(deployment.model)}{ending}",
            "DRAFT_MODEL": self.draft_model or f"{MODELS}/draft{ending}",
            "CHECKPOINTS": self.checkpoints or f"/checkpoints/{slug(deployment.name)}",
            "LOCAL_DISK": self.local_disk or "/tmp/checkpoints",
        }  # fmt: skip
        text = " ".join(piece for pool in deployment.pools for piece in (*pool.launch.command, *pool.launch.config))
        return {name: value for name, value in values.items() if f"${name}" in text}

    def image_of(self, deployment: Deployment) -> str:
        """The container image; empty where none is known for these devices."""
        return self.image or deployment.image


def slug(text: str, longest: int = 40) -> str:
    """A name that hosts, labels and files take."""
    plain = re.sub(r"[^a-z0-9]+", "-", text.casefold()).strip("-")[:longest].strip("-")
    return plain if plain[:1].isalpha() else f"plan-{plain}".strip("-")


ROUTER_IMAGE = "python:3.12-slim"
"""The router is installed into it when it starts."""
ROUTER_PORT = 8080


def worker_script(pool: WorkerPool, launcher: Launcher, port: str, is_follower: bool = False) -> str:
    """What a shell runs on a server; `NODE_RANK` and `FIRST_NODE` are set where a worker takes several."""
    more = [launcher.listen.format(port=port)] if launcher.listen else []
    more += pool.launch.followers if is_follower else ()
    place = (f'export PATH="$PATH:{launcher.image_folder}"',) if launcher.image_folder else ()
    return "\n".join((*place, *shell_lines(pool.launch, *more, with_exec=True)))


def router_script(router: Router, arguments: Sequence[str]) -> str:
    """Installs the router and starts it."""
    command = " \\\n  ".join((f"exec {router.command.format(port=ROUTER_PORT)}", *arguments))
    return f"pip install --quiet {router.package}\n{command}"


Yaml = Mapping[str, "Yaml"] | Sequence["Yaml"] | str | int | bool
_PLAIN_KEY = re.compile(r"[A-Za-z_][\w./-]*")
_BLOCK = re.compile(r"[!-~][\n -~]*")
"""Texts that a literal block may hold; others are quoted."""
_BEYOND = re.compile("[\U00010000-\U0010ffff]")


def yaml_text(*documents: Yaml) -> str:
    """Documents in block style."""
    return "---\n".join("\n".join(_lines(one)) + "\n" for one in documents)


def _lines(value: Yaml) -> Iterator[str]:
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from _under(f"{key if _PLAIN_KEY.fullmatch(key) else _scalar(key)}:", inner)
    elif isinstance(value, Sequence) and not isinstance(value, str) and value:
        for inner in value:
            first, *rest = _lines(inner) if not _is_block(inner) else _under("", inner)
            yield f"- {first.lstrip()}"
            yield from (f"  {line}" for line in rest)
    else:
        yield _scalar(value)


def _under(head: str, value: Yaml) -> Iterator[str]:
    if _is_block(value):
        assert isinstance(value, str)
        yield f"{head} |{'' if value.endswith(chr(10)) else '-'}"
        yield from (f"  {line}" if line else "" for line in value.removesuffix("\n").split("\n"))
    elif isinstance(value, (str, int)) or not value:
        yield f"{head} {_scalar(value)}"
    else:
        yield head
        yield from (f"  {line}" for line in _lines(value))


def _is_block(value: Yaml) -> bool:
    """A text of several lines that a literal block holds as it is."""
    return isinstance(value, str) and "\n" in value[:-1] and bool(_BLOCK.fullmatch(value)) and value[-2:] != "\n\n"


def _scalar(value: Yaml) -> str:
    """JSON's form of it, which is YAML's as well but for characters beyond 16 bits."""
    if isinstance(value, str):
        pieces = _BEYOND.split(value)
        beyond = [f"\\U{ord(one):08x}" for one in _BEYOND.findall(value)]
        return '"' + "".join(
            part for pair in zip((json.dumps(one)[1:-1] for one in pieces), [*beyond, ""]) for part in pair
        ) + '"'  # fmt: skip
    return json.dumps(value if isinstance(value, int) else ([] if isinstance(value, Sequence) else {}))


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
