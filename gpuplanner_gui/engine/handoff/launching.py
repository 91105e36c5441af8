"""A plan in the words of one launcher, what that cannot do, and the pools of workers that it starts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
import numpy as np

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.launch import (
    Deployment,
    FlagRule,
    Launch,
    Launcher,
    LaunchNote,
    LaunchSetting,
    PoolRole,
    Relative,
    WorkerPool,
)
from gpuplanner_gui.domain.plan import Plan, ServingPlan
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.handoff.layouts import layouts_of, replica_nodes
from gpuplanner_gui.engine.handoff.options import (
    LAYOUT,
    Setting,
    ShortRun,
    container_image,
    device_traits,
    filled,
    is_older_than_read,
    rule_of,
    said_by,
    stated_release,
    takes,
)
from gpuplanner_gui.engine.handoff.serving import WITH_TOKENS, megatron_arguments, serving_notes, serving_settings
from gpuplanner_gui.engine.handoff.training import (
    cuda_connections,
    shortened,
    training_nodes,
    training_notes,
    training_settings,
)
from gpuplanner_gui.engine.hardware.devices import usual_node_devices
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.deployments import Role


def launches(
    scenario: Scenario, catalog: Catalog, plan: Plan, workload: str, candidate: int, launchers: Iterable[Launcher]
) -> tuple[Launch, ...]:
    """The hand-off of a candidate to every launcher of its workload, the one that was planned for first."""
    planned = plan.training.framework if workload == "training" and plan.training is not None else ""
    if workload == "serving" and scenario.serving is not None:
        planned = scenario.serving.engine.engine
    fitting = sorted(
        (one for one in launchers if one.workload == workload), key=lambda one: planned not in (one.id, one.framework)
    )
    return tuple(launch_of(scenario, catalog, plan, candidate, launcher) for launcher in fitting)


def launch_of(
    scenario: Scenario,
    catalog: Catalog,
    plan: Plan,
    candidate: int,
    launcher: Launcher,
    short: ShortRun | None = None,
    role: Role = "both",
) -> Launch:
    """The hand-off of one candidate to one launcher; `short` has it train only to be measured.

    Of separate pools it is that of the workers that decode, with the other workers' in `prefill`. A launcher that
    cannot run the layout has no command; its notes say why.

    Raises
    ------
    IndexError
        For a candidate that the plan's table lacks, or a plan without an answer for the launcher's workload.
    """
    answer = plan.serving if launcher.workload == "serving" else plan.training
    if answer is None or not 0 <= candidate < len(answer.table.accelerator):
        raise IndexError(candidate)
    if isinstance(answer, ServingPlan) and role == "both" and answer.table.prefill_workers[candidate] > 0:
        roles: tuple[Role, Role] = ("decode", "prefill")
        own, other = (launch_of(scenario, catalog, plan, candidate, launcher, role=one) for one in roles)
        return msgspec.structs.replace(own, prefill=other)
    release = stated_release(scenario, launcher)
    variables: dict[str, str] = {}
    if launcher.workload == "serving":
        settings = serving_settings(scenario, catalog, plan, candidate, launcher, role)
        is_several = any(one.code.startswith("nodes") for one in settings)
    else:
        variables, settings = _training_of(scenario, catalog, plan, candidate, short)
        is_several = int(variables["nodes"]) > 1
    command = (is_several and launcher.command_of_several) or launcher.command
    accelerator = plan.accelerators[int(answer.table.accelerator[candidate])]
    ecosystem, link = device_traits(catalog.accelerators.get(accelerator))
    rules = {one.code: rule_of(launcher, one, release, ecosystem, link) for one in settings}
    said = tuple(said_by(setting, rules[setting.code]) for setting in settings)
    obstacles = (*_obstacles(scenario, catalog, accelerator, launcher), *_refusals(launcher, release, said))
    made = Launch(
        launcher=launcher.id, name=launcher.name, workload=launcher.workload, candidate=candidate, command=(),
        config=(), settings=(), notes=obstacles, sources=launcher.sources, date=launcher.date, release=release,
    )  # fmt: skip
    if obstacles:
        return made
    in_file = {code for code, rule in rules.items() if rule is not None and rule.config}
    lines = [line for one in said if one.code in in_file for line in one.text.splitlines()]
    config = _as_json(lines) if launcher.config_format == "json" else _as_yaml(lines)
    parts = [filled(command, variables)]
    parts += [one.text for one in said if one.text and one.code not in in_file]
    parts += [launcher.config_argument] if config else []
    notes = (
        *_workload_notes(scenario, plan, candidate, launcher, settings, said), *_rule_notes(rules.values()),
        *(_relative(one, settings, ecosystem) for one in launcher.relatives),
    )  # fmt: skip
    return msgspec.structs.replace(
        made, command=tuple(parts), config=config, settings=said, notes=notes, followers=_followers(settings, rules),
        environment=dict(launcher.pool_environment) if role != "both" else {},
    )  # fmt: skip


def _training_of(
    scenario: Scenario, catalog: Catalog, plan: Plan, candidate: int, short: ShortRun | None
) -> tuple[dict[str, str], tuple[Setting, ...]]:
    """What a training command is filled in with, and its settings."""
    devices = short.devices if short is not None else int(plan.trained.table.devices[candidate])
    nodes = training_nodes(catalog, plan, candidate, devices)
    settings = training_settings(scenario, catalog, plan, candidate)
    variables = {
        "nodes": str(nodes.count), "devices_each": str(nodes.devices_each), "devices": str(devices),
        "connections": cuda_connections(plan.trained.table, candidate),
    }  # fmt: skip
    return variables, tuple(shortened(settings, short) if short is not None else settings)


def _workload_notes(
    scenario: Scenario,
    plan: Plan,
    candidate: int,
    launcher: Launcher,
    settings: Iterable[Setting],
    said: Iterable[LaunchSetting],
) -> Iterator[LaunchNote]:
    """What no flag says of the service or the training job."""
    if launcher.workload == "serving":
        return serving_notes(scenario, plan, candidate, launcher, settings, said)
    return training_notes(scenario, plan, launcher)


def _rule_notes(rules: Iterable[FlagRule | None]) -> Iterator[LaunchNote]:
    """What has to be known where rules hold."""
    return (LaunchNote(code=rule.note) for rule in rules if rule is not None and rule.note)


def _relative(relative: Relative, settings: Iterable[Setting], ecosystem: str) -> LaunchNote:
    """How a program that runs the engine is told the same."""
    pairs = ((one, rule) for one in settings for rule in relative.flags if takes(rule, one, ecosystem))
    told = " ".join(text for one, rule in pairs if (text := said_by(one, rule).text))
    return LaunchNote(code="relative", values={"other": relative.name, "variables": told, "command": relative.command})


def _followers(settings: Iterable[Setting], rules: dict[str, FlagRule | None]) -> tuple[str, ...]:
    """What every server but the first of a replica is told besides."""
    pairs = ((one, rules[one.code]) for one in settings)
    return tuple(filled(rule.followers, one.variables) for one, rule in pairs if rule is not None and rule.followers)


def _refusals(launcher: Launcher, release: str, said: Iterable[LaunchSetting]) -> Iterable[LaunchNote]:
    """Parts of the layout that the release has no option for: with others, another plan would run."""
    if is_older_than_read(launcher, release):
        yield LaunchNote(code="release_not_read", values={"release": release, "oldest": launcher.releases[0]})
        return
    for one in said:
        if one.code in LAYOUT and one.status == "not_possible":
            yield LaunchNote(
                code="no_such_layout", values={"release": release, "setting": one.code, "value": one.value}
            )


def _obstacles(scenario: Scenario, catalog: Catalog, accelerator: str, launcher: Launcher) -> Iterable[LaunchNote]:
    """Why a launcher cannot run this at all."""
    entry = catalog.accelerators.get(accelerator)
    if entry is not None and entry.ecosystem not in launcher.ecosystems:
        yield LaunchNote(code="not_on_device", values={"accelerator": entry.name, "ecosystem": entry.ecosystem})
    kinds = launcher.model_kinds or WITH_TOKENS
    kind: str = scenario.model.kind
    if kind in kinds and scenario.model.embeds and "encoder" not in kinds:
        kind = "embedding_model"
    if kind not in kinds:
        yield LaunchNote(code="not_for_model", values={"kind": kind})


def _as_json(lines: list[str]) -> tuple[str, ...]:
    """`a.b: 1` and `a.c: true` as one object, keys that share a parent in one of their own; none for no line."""
    root: dict[str, object] = {}
    for line in lines:
        key, _, value = line.partition(": ")
        *parents, name = key.split(".")
        place = root
        for parent in parents:
            place = place.setdefault(parent, {})  # type: ignore[assignment]
        place[name] = int(value) if value.isdecimal() else {"true": True, "false": False}.get(value, value)
    return tuple(msgspec.json.format(msgspec.json.encode(root)).decode().splitlines()) if root else ()


def _as_yaml(lines: list[str]) -> tuple[str, ...]:
    """`a.b: 1` and `a.c: 2` as nested lines; keys that share a parent stand together."""
    groups: dict[str, list[str]] = {}
    for line in lines:
        key, _, value = line.partition(": ")
        parent, _, name = key.rpartition(".")
        groups.setdefault(parent, []).append(f"{name}: {value}")
    written: list[str] = []
    for parent, entries in groups.items():
        written += [f"{parent}:", *(f"  {one}" for one in entries)] if parent else entries
    return tuple(written)


MOST_WORKERS = 10_000
"""Most workers to deploy; a larger fleet has no sensible deployment."""


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
        launcher=launcher, pools=pools, launch=launch, image=container_image(launcher, entry, launch.release),
        model_arguments=megatron_arguments(scenario.model) if launcher.id == "megatron" else (),
    )  # fmt: skip


def _serving_pools(catalog: Catalog, plan: Plan, candidate: int, launch: Launch) -> tuple[WorkerPool, ...]:
    table = plan.served.table
    replicas = float(table.replicas[candidate])
    if not 1 <= replicas <= MOST_WORKERS:
        return ()
    one = ServingCandidates.of_table(table, np.array([candidate]))
    entry = catalog.accelerators.get(plan.accelerators[int(table.accelerator[candidate])])

    def pool(role: PoolRole, own: Launch, layout: ServingCandidates, workers: float) -> WorkerPool:
        nodes = replica_nodes(layouts_of(layout)[0], usual_node_devices(entry, catalog))
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
