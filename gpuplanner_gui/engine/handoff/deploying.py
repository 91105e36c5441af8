"""From a candidate to pools of workers: how many, on how many servers, and how each is started."""

from __future__ import annotations

import msgspec
import numpy as np

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.launch import Deployment, Launch, Launcher, PoolRole, WorkerPool
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.handoff.launching import launch_of
from gpuplanner_gui.engine.handoff.options import nodes_for, usual_node_devices
from gpuplanner_gui.engine.handoff.serving import megatron_arguments
from gpuplanner_gui.engine.handoff.training import training_nodes
from gpuplanner_gui.engine.serving.candidates import ServingCandidates

MOST_WORKERS = 10_000
"""Of a plan whose fleet is without end there is nothing to deploy."""


def deployment_of(scenario: Scenario, catalog: Catalog, plan: Plan, candidate: int, launcher: Launcher) -> Deployment:
    """What runs for one workload. Raises IndexError as `launch_of` does."""
    launch = launch_of(scenario, catalog, plan, candidate, launcher)
    answer = plan.serving if launcher.workload == "serving" else plan.training
    assert answer is not None
    accelerator = plan.accelerators[int(answer.table.accelerator[candidate])]
    entry = catalog.accelerators.get(accelerator)
    pools: tuple[WorkerPool, ...] = ()
    if launch.is_possible and (launch.prefill is None or launch.prefill.is_possible):
        pools = (
            _serving_pools(catalog, plan, candidate, launch)
            if launcher.workload == "serving"
            else _training_pool(catalog, plan, candidate, launch)
        )
    return Deployment(
        name=scenario.name, model=scenario.model.name, accelerator=accelerator,
        ecosystem=entry.ecosystem if entry is not None else "", node_devices=usual_node_devices(entry, catalog),
        launcher=launcher, pools=pools, launch=launch,
        model_arguments=megatron_arguments(scenario.model) if launcher.id == "megatron" else (),
    )  # fmt: skip


def _serving_pools(catalog: Catalog, plan: Plan, candidate: int, launch: Launch) -> tuple[WorkerPool, ...]:
    assert plan.serving is not None
    table = plan.serving.table
    replicas = float(table.replicas[candidate])
    if not 1 <= replicas <= MOST_WORKERS:
        return ()
    one = ServingCandidates.of_table(table, np.array([candidate]))
    entry = catalog.accelerators.get(plan.accelerators[int(table.accelerator[candidate])])

    def pool(role: PoolRole, own: Launch, layout: ServingCandidates, workers: float) -> WorkerPool:
        devices = int(layout.worker_devices[0])
        nodes = nodes_for(entry, catalog, devices)
        return WorkerPool(
            role=role, launch=msgspec.structs.replace(own, prefill=None), workers=int(workers), nodes=nodes.count,
            devices_each=nodes.devices_each,
        )  # fmt: skip

    if launch.prefill is None:
        return (pool("serve", launch, one.together, replicas),)
    return (
        pool("prefill", launch.prefill, one.prefill, replicas * int(table.prefill_workers[candidate])),
        pool("decode", launch, one.together, replicas * int(table.decode_workers[candidate])),
    )


def _training_pool(catalog: Catalog, plan: Plan, candidate: int, launch: Launch) -> tuple[WorkerPool, ...]:
    nodes = training_nodes(catalog, plan, candidate)
    return (WorkerPool(role="train", launch=launch, workers=1, nodes=nodes.count, devices_each=nodes.devices_each),)
