"""`gpuplanner deploy FILE.gpuplan --target kubernetes -o FOLDER`: files that run the chosen plan."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from gpuplanner_gui.cli.flags import startable
from gpuplanner_gui.cli.plan import answered
from gpuplanner_gui.drawing.words.launch import files_of, launcher_for
from gpuplanner_gui.files.deploy import TARGETS, DeployPlace, slug, write_deployment
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.project import load_project
from gpuplanner_gui.files.shipped_tables import load_launchers

PLACE = (
    ("model", "CHECKPOINT", "the checkpoint: a path on every server, or a name on a hub (default: /models/NAME)"),
    ("draft-model", "CHECKPOINT", "the draft model, where the plan has one"),
    ("image", "IMAGE", "the container image (default: the engine's own of the planned release)"),
    ("checkpoints", "FOLDER", "of a training run: a folder that every server reaches"),
    ("local-disk", "FOLDER", "of a training run: a folder on each server's own disks"),
)


def add_parser(subparsers: Any) -> None:
    """Mount the command."""
    command = subparsers.add_parser("deploy", help="write files that run the chosen plan", description=__doc__)
    command.add_argument("file", type=Path, help="a .gpuplan file")
    command.add_argument("--target", choices=tuple(TARGETS), required=True, help="what will run it")
    command.add_argument("-o", "--output", type=Path, required=True, metavar="FOLDER", help="where the files go")
    names = tuple(one.id for one in load_launchers())
    command.add_argument("--engine", choices=names, help="instead of the planned one")
    for name, metavar, text in PLACE:
        command.add_argument(f"--{name}", default="", metavar=metavar, help=text)
    command.add_argument("--overwrite", action="store_true", help="write over files that are there")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write a folder; of several scenarios or workloads each has one in it. Nothing is written if any cannot run."""
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
        what = "no plan in this file can be started so"
        raise FileProblem(arguments.file, "", what, "`gpuplanner plan` and `gpuplanner flags` say why")
    parts = {name: text for folder, files in found for name, text in _in_folder(files, folder if found[1:] else "")}
    for path in write_deployment(arguments.output, parts, arguments.overwrite):
        print(path)
    return 0


def _in_folder(files: dict[str, str], folder: str) -> list[tuple[str, str]]:
    return [(f"{folder}/{name}" if folder else name, text) for name, text in files.items()]
