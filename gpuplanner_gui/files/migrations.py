"""Opens project files of earlier formats: step N takes version N to N + 1, on plain data, and is never edited again."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from gpuplanner_gui import __version__, paths

BUILD_FILE = "build.json"
SHOWN_DIGITS = 12


def version_text() -> str:
    """The version, with the commit where this is a build that says it."""
    digits, _, modified = build_commit().partition("-")
    if not digits:
        return __version__
    python = _stated("python")
    parts = (f"commit {digits[:SHOWN_DIGITS]}", "modified" if modified else "", f"Python {python}" if python else "")
    return f"{__version__} ({', '.join(part for part in parts if part)})"


def build_commit() -> str:
    """The commit that this build was made from; empty in a checkout."""
    return _stated("commit")


def _stated(name: str) -> str:
    """What this build says of itself; empty in a checkout."""
    try:
        stated = json.loads((paths.resources_dir() / BUILD_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    return str(stated.get(name, "")) if isinstance(stated, dict) else ""


Migration = Callable[[dict[str, Any]], dict[str, Any]]


def frameworks_that_ran(data: dict[str, Any]) -> dict[str, Any]:
    """Version 1 to 2: logs of DeepSpeed and of Hugging Face's Trainer were all kept as FSDP's.

    DeepSpeed has habits of its own by now; the Trainer takes FSDP's, and says that it is the Trainer. What a planner
    wrote beside the file can't be told from what was guessed then: a log of either tool is taken for that tool's.
    """
    return {**data, **_with_sets(data, "measurements")}


def frameworks_of_sets(data: dict[str, Any]) -> dict[str, Any]:
    """The same step of a file that holds nothing but measurements."""
    return {**data, **_with_sets(data, "sets")}


def chosen_by_nobody(data: dict[str, Any]) -> dict[str, Any]:
    """Version 2 to 3: defaults that changed keep what an older file meant.

    1F1B was what nobody had chosen: the search now chooses the pipeline's schedule. A job whose pipeline stages are
    fixed keeps it: its layout was taken over from a plan, or written down. Files from before devices were asked for
    their licence allowed every device.
    """
    scenarios = data.get("scenarios")
    if not isinstance(scenarios, list):
        return data
    return {**data, "scenarios": [_licensed_or_not(_searched(one)) for one in scenarios]}


def with_estate(data: dict[str, Any]) -> dict[str, Any]:
    """Version 3 to 4: a file may hold an estate. Older files hold none and mean what they meant."""
    return data


def _licensed_or_not(scenario: Any) -> Any:
    hardware = scenario.get("hardware", {}) if isinstance(scenario, dict) else None
    if not isinstance(hardware, dict) or "licensed_for_data_centres" in hardware:
        return scenario
    return {**scenario, "hardware": {**hardware, "licensed_for_data_centres": False}}


def _searched(scenario: Any) -> Any:
    """What is no scenario stays as it is: reading it says what is wrong with it."""
    training = scenario.get("training") if isinstance(scenario, dict) else None
    if not isinstance(training, dict) or training.get("schedule") != "1f1b":
        return scenario
    layout = training.get("parallelism")
    if isinstance(layout, dict) and layout.get("pipeline"):
        return scenario
    return {**scenario, "training": {**training, "schedule": "auto"}}


def _with_sets(data: dict[str, Any], name: str) -> dict[str, Any]:
    found = data.get(name)
    return {name: [_renamed(one) for one in found]} if isinstance(found, list) else {}


def _renamed(measurement_set: Any) -> Any:
    runs = measurement_set.get("measurements") if isinstance(measurement_set, dict) else None
    if not isinstance(runs, list):
        return measurement_set
    tool = measurement_set.get("tool")
    return {**measurement_set, "measurements": [_with_framework(run, tool) for run in runs]}


def _with_framework(run: Any, tool: Any) -> Any:
    """What is no run stays as it is: reading it says what is wrong with it."""
    context = run.get("context") if isinstance(run, dict) else None
    if not isinstance(context, dict) or context.get("engine") != "fsdp":
        return run
    written = context.get("engine_as_written") or ""
    if tool == "deepspeed_profiler" or "deepspeed" in str(written).lower():
        kept = {key: value for key, value in context.items() if key != "engine_as_written"}
        return {**run, "context": {**kept, "engine": "deepspeed"}}
    if tool == "hf_trainer" and not written:
        return {**run, "context": {**context, "engine_as_written": "hf_trainer"}}
    return run


MIGRATIONS: dict[int, Migration] = {1: frameworks_that_ran, 2: chosen_by_nobody, 3: with_estate}
"""Version 1 is the first. A step says in its docstring what it changes and why, and a file of its version is kept in
`tests/files/versions/`."""
SET_MIGRATIONS: dict[int, Migration] = {1: frameworks_of_sets}
"""The steps of files that hold nothing but measurements."""


def migrated(data: dict[str, Any], newest: int, steps: dict[int, Migration] = MIGRATIONS) -> dict[str, Any]:
    """Plain data brought to the newest version, step by step. Raises KeyError where a step is missing."""
    version = int(data["version"])
    while version < newest:
        data = steps[version](data)
        version += 1
        data = {**data, "version": version}
    return data
