"""A Compose file for one server: a service for each worker on devices of its own, a router before several."""

from __future__ import annotations

from collections.abc import Sequence

from gpuplanner_gui.domain.launch import Deployment
from gpuplanner_gui.files.deploy.yaml_text import (
    ROUTER_IMAGE,
    ROUTER_PORT,
    DeployPlace,
    Yaml,
    router_script,
    worker_script,
    yaml_text,
)


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
        services["router"] = _router(deployment, addresses)
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


def _router(deployment: Deployment, addresses: dict[str, list[str]]) -> dict[str, Yaml]:
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
