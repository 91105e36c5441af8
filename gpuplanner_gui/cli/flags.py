"""`gpuplanner flags FILE.gpuplan`: how the chosen plan is started, in the flags of each engine and framework."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gpuplanner_gui.cli.json_text import json_text
from gpuplanner_gui.cli.load import chosen_candidate
from gpuplanner_gui.cli.plan import answered
from gpuplanner_gui.cli.tables import aligned
from gpuplanner_gui.domain.launch import Launch
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.words.candidates import candidate_text
from gpuplanner_gui.drawing.words.launch import (
    command_text,
    notes_of,
    setting_name,
    setting_value,
    status_name,
    variable_lines,
)
from gpuplanner_gui.engine.handoff import launches
from gpuplanner_gui.files.project import load_project
from gpuplanner_gui.files.shipped_tables import load_launchers


def add_parser(subparsers: Any) -> None:
    """Mount the command."""
    command = subparsers.add_parser("flags", help="print launch flags of the chosen plan", description=__doc__)
    command.add_argument("file", type=Path, help="a .gpuplan file")
    names = tuple(one.id for one in load_launchers())
    command.add_argument("--engine", choices=names, help="only this one (default: all; the planned one first)")
    command.add_argument("--json", action="store_true", help="print JSON")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the hand-off of every scenario; status 1 where there is nothing that could be started."""
    project = load_project(arguments.file)
    found = [(results, launch) for results in answered(project) for launch in _launches(results, arguments.engine)]
    if arguments.json:
        print(json_text([_as_json(results, launch) for results, launch in found]))
    else:
        for results, launch in found:
            print("\n".join(_as_text(results, launch)))
        if not found:
            print("No plan that could be started: `gpuplanner plan` says why.")
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


def _as_text(results: Results, launch: Launch) -> list[str]:
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


def _as_json(results: Results, launch: Launch) -> dict[str, Any]:
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
        "prefill": None if launch.prefill is None else _as_json(results, launch.prefill),
    }
