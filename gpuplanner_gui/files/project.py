"""`.gpuplan` files: read as if hostile, written so that they can be mailed, compared and kept."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from gpuplanner_gui import __version__
from gpuplanner_gui.domain.catalog import (
    CATALOG_KINDS,
    MOST_ENTRIES,
    Catalog,
    CatalogKind,
    CatalogSnapshot,
    catalog_digest,
    snapshot_of,
)
from gpuplanner_gui.domain.field import problems_of
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.plan import Plan, Reason
from gpuplanner_gui.domain.scenario import FORMAT_NAME, FORMAT_VERSION, Project, Scenario, SeenHeadline
from gpuplanner_gui.files.bounded import checked_struct, problem_text, refuse_bulk_and_hidden_text
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.estate_check import refuse_bad_estate
from gpuplanner_gui.files.migrations import migrated
from gpuplanner_gui.files.safe_json import read_bytes, read_json
from gpuplanner_gui.files.whole_file import write_whole_file

KEPT_CANDIDATES = 20
"""Candidates at the top of a plan whose accelerators go into the snapshot."""


def load_project(path: Path | str) -> Project:
    """The project in a file.

    Raises FileProblem, naming the place, for a file that can't be read, is too large, damaged, of a newer version, or
    holds what no plan may hold. Nothing is loaded in part.
    """
    place = Path(path)
    return project_from_bytes(read_bytes(place), place)


def project_from_bytes(content: bytes, path: Path | str = "project.gpuplan") -> Project:
    """The project in the bytes of a file; `path` is what errors call it. Raises FileProblem."""
    place = Path(path)
    data = read_json(content, name=place)
    if not isinstance(data, dict) or data.get("format") != FORMAT_NAME:
        raise FileProblem(place, "", "This is not a GPU Planner project", "Choose a file that GPU Planner saved")
    _check_version(data, place)
    refuse_bulk_and_hidden_text(data, place)
    project: Project = checked_struct(
        migrated(data, FORMAT_VERSION),
        Project,
        place,
        "Ask the sender for the file again, or correct the place named",
        "Correct the value and open the file again",
    )
    _check_names(project, place)
    refuse_bad_estate(project, place)
    return project


def project_to_bytes(project: Project) -> bytes:
    """A project as its file: UTF-8 JSON, two spaces, keys in a fixed order, numbers that read back exactly."""
    current = msgspec.structs.replace(project, version=FORMAT_VERSION, app_version=__version__)
    return msgspec.json.format(msgspec.json.encode(current), indent=2) + b"\n"


def save_project(project: Project, path: Path) -> None:
    """Write a project's file, if the program can open it again. Raises FileProblem, naming the place."""
    # Before it is bytes: JSON has no NaN, and the null in its place names no value.
    for found in problems_of(project):
        raise FileProblem(path, found.path, problem_text(found), "Correct it and save again")
    content = project_to_bytes(project)
    project_from_bytes(content, path)
    write_whole_file(path, content)


def named_accelerators(project: Project) -> set[str]:
    """Accelerators that a project itself names: allowed, owned, quoted, of its estate."""
    named = {one.accelerator for one in project.estate.hardware} if project.estate else set()
    for scenario in project.scenarios:
        named.update(scenario.hardware.accelerators)
        named.update(held.accelerator for held in scenario.hardware.owned)
        named.update(quoted.accelerator for quoted in scenario.economics.overrides)
    return named


def with_snapshot(project: Project, catalog: Catalog, calibration: Calibration, plans: Mapping[str, Plan]) -> Project:
    """A project ready to be mailed: the catalogue entries that it uses, digests, and the results that the sender saw.

    `catalog` has the project's own entries over it: what it brought and this installation has otherwise stays in it, as
    do all of them while a scenario has no plan. `plans` holds the plans by scenario name; a scenario without one keeps
    the headlines it had.
    """
    used = named_accelerators(project)
    used.update(one.accelerator for one in catalog.carried if one.accelerator)
    headlines: list[SeenHeadline] = []
    for scenario in project.scenarios:
        plan = plans.get(scenario.name)
        if plan is None:
            used.update(entry.id for entry in project.catalog.accelerators)
            headlines.extend(one for one in project.headlines if one.scenario == scenario.name)
            continue
        used.update(_top_accelerators(plan))
        headlines.extend(headlines_of(scenario, plan))
    return msgspec.structs.replace(
        project,
        version=FORMAT_VERSION,
        app_version=__version__,
        calibration_digest=calibration.digest,
        catalog_digest=catalog_digest(catalog),
        catalog=_snapshot(project, catalog, used),
        headlines=tuple(headlines),
    )


def _snapshot(project: Project, catalog: Catalog, used: set[str]) -> CatalogSnapshot:
    """The entries of these accelerators, and what the project brought; where that is too much, only what it had."""
    brought = [(one.kind, one.id) for one in catalog.carried]
    networks = [one.hardware.network for one in project.scenarios if one.hardware.network]
    names: dict[CatalogKind, Any] = {
        "accelerators": used,
        "nodes": [node.id for node in catalog.nodes.values() if node.accelerator_id in used],
        "offers": [offer.id for offer in catalog.offers.values() if offer.accelerator_id in used],
        "links": [*networks, *(entry_id for kind, entry_id in brought if kind == "links")] if used else (),
        "models": [entry_id for kind, entry_id in brought if kind == "models"],
    }
    snapshot = snapshot_of(catalog, names)
    is_within = all(len(getattr(snapshot, kind)) <= MOST_ENTRIES for kind in CATALOG_KINDS)
    return snapshot if is_within else project.catalog


CHANCE = "chance"


def headlines_of(scenario: Scenario, plan: Plan, *, are_shown: bool = False) -> Iterator[SeenHeadline]:
    """The few results that a reader compares: what is recommended, how fast, for how much; unknown ones left out.

    Of serving they are the quick estimate's, so that a plan that was simulated and one that wasn't can be compared;
    `are_shown`: those of the plan as it is shown, for two that were simulated.
    """
    return (one for one in _headlines(scenario, plan, are_shown) if math.isfinite(one.value))


def _headlines(scenario: Scenario, plan: Plan, are_shown: bool) -> Iterator[SeenHeadline]:
    serving = plan.serving
    if serving is not None and serving.quick is not None and not are_shown:
        serving = serving.quick
    of_serving = (
        ("devices", "devices"),
        (f"{scenario.first_latency}_p95_s", "s"),
        ("tpot_mean_s", "s"),
        ("usd_per_month", "USD/month"),
        ("usd_per_million_output_tokens", "USD"),
    )
    of_training = (("devices", "devices"), ("run_time_s", "s"), ("mfu", "share"), ("usd_per_run", "USD"))
    for workload, answer, columns in (("serving", serving, of_serving), ("training", plan.training, of_training)):
        if answer is not None and answer.best >= 0:
            name = plan.accelerators[int(answer.table.accelerator[answer.best])]
            for code, unit in columns:
                value = float(getattr(answer.table, code)[answer.best])
                code = f"{workload}.{code}"
                yield SeenHeadline(scenario=scenario.name, code=code, value=value, unit=unit, candidate=name)
    yield from _chances(scenario, plan)


def _chances(scenario: Scenario, plan: Plan) -> Iterator[SeenHeadline]:
    """Chances of the verdict, once the fleet was tested: before, they are of another fleet."""
    if plan.verdicts is None or (plan.serving is not None and plan.stress is None):
        return
    for workload, answer in (("serving", plan.serving), ("training", plan.training)):
        judged = plan.verdicts.serving if workload == "serving" else plan.verdicts.training
        if judged is not None and answer is not None and answer.best >= 0:
            name = plan.accelerators[int(answer.table.accelerator[answer.best])]
            yield SeenHeadline(
                scenario=scenario.name, code=f"{workload}.{CHANCE}", value=judged.chance, unit="share", candidate=name
            )


SAME_RESULT = 5e-3
"""Largest relative difference of results that read alike: three digits are shown."""


def changed_headlines(project: Project, plans: Mapping[str, Plan]) -> list[tuple[SeenHeadline, SeenHeadline | None]]:
    """Headlines of the file that this program computes otherwise, each with its new one; None where it has none."""
    changed = []
    for old in project.headlines:
        plan = plans.get(old.scenario)
        scenario = next((one for one in project.scenarios if one.name == old.scenario), None)
        if plan is None or scenario is None:
            continue
        now = {one.code: one for one in headlines_of(scenario, plan)}.get(old.code)
        if now is None and old.code.endswith(f".{CHANCE}"):
            continue  # not tested yet
        if now is None or now.candidate != old.candidate or abs(now.value - old.value) > SAME_RESULT * abs(old.value):
            changed.append((old, now))
    return changed


def _top_accelerators(plan: Plan) -> set[str]:
    names: set[str] = set()
    for part in (plan.serving, plan.training):
        if part is None:
            continue
        table = part.table
        good = [index for index in table.order[:KEPT_CANDIDATES] if table.reason[index] == Reason.NONE]
        names.update(plan.accelerators[int(table.accelerator[index])] for index in good)
    return names


def _check_version(data: dict[str, Any], path: Path) -> None:
    version = data.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise FileProblem(path, "$.version", "The format version is missing or not a positive whole number")
    if version > FORMAT_VERSION:
        writer = str(data.get("app_version", ""))[:40]
        wrote = writer if writer.replace(".", "").isalnum() else "?"
        raise FileProblem(
            path,
            "$.version",
            (
                "The file has format version {version} (written by GPU Planner {wrote}); GPU Planner {own} reads up to "
                "version {newest}"
            ),
            "Open it with a newer GPU Planner, or ask the sender to save it for this one",
            version=version,
            wrote=wrote,
            own=__version__,
            newest=FORMAT_VERSION,
        )


def _check_names(project: Project, path: Path) -> None:
    names = [one.name for one in project.scenarios]
    for index, name in enumerate(names):
        if name in names[:index]:
            raise FileProblem(
                path,
                f"$.scenarios[{index}].name",
                "Two scenarios are named {name}",
                "Give each its own name",
                name=repr(name),
            )
