"""How the chosen plan is started: launch flags, and files that run it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gpuplanner_gui.cli.arguments import (
    PROJECT_FILE,
    command,
    option,
)
from gpuplanner_gui.cli.load import chosen_candidate
from gpuplanner_gui.cli.plan import answered
from gpuplanner_gui.cli.terminal import aligned, json_text
from gpuplanner_gui.domain.launch import Launch
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.words.candidates import candidate_text
from gpuplanner_gui.drawing.words.launch import (
    command_text,
    files_of,
    launcher_for,
    notes_of,
    setting_name,
    setting_value,
    status_name,
    variable_lines,
)
from gpuplanner_gui.engine.handoff import launches
from gpuplanner_gui.files.deploy import TARGETS, DeployPlace, slug, write_deployment
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.project import load_project
from gpuplanner_gui.files.shipped_tables import load_launchers


def _launchers() -> tuple[str, ...]:
    return tuple(one.id for one in load_launchers())


@command(
    "flags", "print launch flags of the chosen plan",
    PROJECT_FILE,
    option("--engine", choices=_launchers, help="only this engine or framework (default: all, planned one first)"),
    option("--json", action="store_true", help="print JSON"),
)  # fmt: skip
def flags(arguments: argparse.Namespace) -> int:
    """`gpuplanner flags FILE.gpuplan`: how the chosen plan is started, in the flags of each engine and framework."""
    project = load_project(arguments.file)
    found = [(results, launch) for results in answered(project) for launch in _launches(results, arguments.engine)]
    if arguments.json:
        print(json_text([_flags_json(results, launch) for results, launch in found]))
    else:
        for results, launch in found:
            print("\n".join(_flags_text(results, launch)))
        if not found:
            print("There is no plan to deploy: `gpuplanner plan` says why.")
    return 0 if found else 1


def startable(results: Results) -> Iterator[tuple[str, int]]:
    """Each workload with its chosen candidate, where that runs."""
    for workload in results.workloads():
        answer = results.answer(workload)
        candidate = chosen_candidate(results) if workload == "serving" else results.candidate(workload)
        if answer is not None and candidate >= 0 and answer.table.fits[candidate]:
            yield workload, candidate


def _launches(results: Results, engine: str | None) -> list[Launch]:
    launchers = [one for one in load_launchers() if engine in (None, one.id)]
    return [
        launch
        for workload, candidate in startable(results)
        for launch in launches(results.scenario, results.catalog, results.plan, workload, candidate, launchers)
    ]


def _flags_text(results: Results, launch: Launch) -> list[str]:
    candidate = candidate_text(results.plan, results.catalog, launch.workload, launch.candidate)
    title = f"{results.scenario.name}: {launch.name}, {candidate}"
    lines = [title, "=" * len(title)]
    if launch.is_possible:
        rows = [
            [setting_name(one.code), setting_value(one), one.text or f"({status_name(one)})"] for one in launch.settings
        ]
        lines += [command_text(launch), "", *variable_lines(launch, results.scenario.model.name), ""]
        lines += [aligned(("setting", "value", "flag"), rows), ""]
    return [*lines, *notes_of(launch), ""]


def _flags_json(results: Results, launch: Launch) -> dict[str, Any]:
    return {
        "scenario": results.scenario.name,
        "workload": launch.workload,
        "engine": launch.launcher,
        "candidate": candidate_text(results.plan, results.catalog, launch.workload, launch.candidate),
        "possible": launch.is_possible,
        "command": list(launch.command),
        "config": list(launch.config),
        "settings": [
            {"code": one.code, "value": one.value, "status": one.status, "text": one.text} for one in launch.settings
        ],
        "notes": [{"code": one.code, "values": one.values} for one in launch.notes],
        "as_of": launch.date,
        "release": launch.release,
        "followers": list(launch.followers),
        "sources": list(launch.sources),
        "prefill": None if launch.prefill is None else _flags_json(results, launch.prefill),
    }


PLACE = (
    ("model", "CHECKPOINT", "the checkpoint: a path on every server, or a name on a hub (default: /models/NAME)"),
    ("draft-model", "CHECKPOINT", "the draft model, where the plan has one"),
    ("image", "IMAGE", "the container image (default: the engine's own of the planned release)"),
    ("checkpoints", "FOLDER", "for a training run: a folder shared by all servers"),
    ("local-disk", "FOLDER", "for a training run: a folder on each server's local disks"),
)


@command(
    "deploy", "write files that run the chosen plan",
    PROJECT_FILE,
    option("--target", choices=tuple(TARGETS), required=True, help="what to deploy with"),
    option("-o", "--output", type=Path, required=True, metavar="FOLDER", help="folder for the files"),
    option("--engine", choices=_launchers, help="engine or framework, instead of the planned one"),
    *(option(f"--{name}", default="", metavar=metavar, help=text) for name, metavar, text in PLACE),
    option("--overwrite", action="store_true", help="overwrite existing files"),
)  # fmt: skip
def deploy(arguments: argparse.Namespace) -> int:
    """`gpuplanner deploy FILE.gpuplan --target kubernetes -o FOLDER`: files that run the chosen plan."""
    place = DeployPlace(**{name.replace("-", "_"): getattr(arguments, name.replace("-", "_")) for name, _, _ in PLACE})
    found: list[tuple[str, dict[str, str]]] = []
    for results in answered(load_project(arguments.file)):
        for workload, candidate in startable(results):
            engine = launcher_for(results, workload, arguments.engine)
            if engine and (workload == "serving" or arguments.target == "slurm" or len(results.workloads()) == 1):
                name = f"{slug(results.scenario.name)}-{workload}"
                files = files_of(results, candidate, engine, arguments.target, place, arguments.output)
                found.append((name, files))
    if not found:
        what = "no plan in this file can be deployed this way"
        raise FileProblem(arguments.file, "", what, "`gpuplanner plan` and `gpuplanner flags` say why")
    parts = {name: text for folder, files in found for name, text in _in_folder(files, folder if found[1:] else "")}
    for path in write_deployment(arguments.output, parts, arguments.overwrite):
        print(path)
    return 0


def _in_folder(files: dict[str, str], folder: str) -> list[tuple[str, str]]:
    return [(f"{folder}/{name}" if folder else name, text) for name, text in files.items()]
