"""The chosen plan as files that run it, with a page that says how they are started and what to know."""

from __future__ import annotations

from pathlib import Path

from gpuplanner_gui.domain.launch import Deployment
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.words.candidates import candidate_text
from gpuplanner_gui.drawing.words.launch import notes_of
from gpuplanner_gui.engine.handoff import deployment_of
from gpuplanner_gui.files.deploy import DeployPlace, deployment_files, how_to_start
from gpuplanner_gui.files.shipped_tables import load_launchers

README = "README.txt"
"""Beside the files."""


def files_of(
    results: Results, candidate: int, engine: str, target: str, place: DeployPlace, folder: Path
) -> dict[str, str]:
    """Names of files with their text. Raises FileProblem where target or engine cannot run the plan."""
    launcher = next(one for one in load_launchers() if one.id == engine)
    deployment = deployment_of(results.scenario, results.catalog, results.plan, candidate, launcher)
    files = deployment_files(deployment, target, place, folder)
    title = candidate_text(results.plan, results.catalog, launcher.workload, candidate)
    return files | {README: _readme(deployment, target, place, title)}


def _readme(deployment: Deployment, target: str, place: DeployPlace, title: str) -> str:
    launcher = deployment.launcher
    lines = [f"{deployment.name}: {launcher.name} {deployment.launch.release}, {title}", ""]
    lines += [
        tr("{role}: {workers} workers; servers for each: {nodes}; devices on each server: {devices}").format(
            role=pool.role, workers=pool.workers, nodes=pool.nodes, devices=pool.devices_each
        )
        for pool in deployment.pools
    ]
    lines += ["", tr("Start:"), *(f"  {one}" for one in how_to_start(deployment, target)), ""]
    lines += [f"{name}: {value}" for name, value in place.variables(deployment).items()]
    lines += ["", *notes_of(deployment.launch), "", tr("Sources: {sources}").format(sources=" ".join(launcher.sources))]
    return "\n".join(lines) + "\n"
