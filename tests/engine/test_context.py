"""What follows from a catalogue is kept with its context, and goes with it."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from gpuplanner_gui.domain.catalog import merged_with_snapshot
from gpuplanner_gui.domain.scenario import HardwareChoice
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.context import Context, context_of, kept_in_context
from gpuplanner_gui.files.catalogs import load_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import load_project
from gpuplanner_gui.paths import resources_dir

EXAMPLE = "13b-two-deployments.gpuplan"
MOST_ALIVE = 6
"""Four that are kept on purpose, and those of the newest answers."""


def contexts() -> list[Context]:
    gc.collect()
    return [one for one in gc.get_objects() if isinstance(one, Context)]


def test_projects_that_were_open_leave_no_contexts_behind() -> None:
    before = len(contexts())
    project = load_project(Path(resources_dir() / "examples" / EXAMPLE))
    for _ in range(10):
        plan(project.scenarios[0], merged_with_snapshot(load_catalog(), project.catalog), load_calibration())
    assert len(contexts()) - before <= MOST_ALIVE


def test_answers_are_made_once_for_a_context_and_the_oldest_make_room() -> None:
    asked: list[tuple[Context, str, int]] = []

    @kept_in_context(2)
    def answer(context: Context, name: str, most: int = 1) -> str:
        asked.append((context, name, most))
        return name * most

    one = context_of(load_catalog(), load_calibration())
    other = Context(load_catalog(), load_calibration())
    assert answer(one, "a") == answer(one, "a") == "a"
    assert answer(one, "a", most=2) == "aa"
    assert answer(other, "a") == "a"
    assert [(context is one, name, most) for context, name, most in asked] == [
        (True, "a", 1), (True, "a", 2), (False, "a", 1),
    ]  # fmt: skip
    answer(one, "b")
    answer(one, "a", most=2)
    assert len(asked) == 4, "the newest two are kept"
    answer(one, "a")
    assert len(asked) == 5


def test_a_failure_is_not_kept() -> None:
    @kept_in_context()
    def answer(context: Context) -> str:
        raise KeyError("unknown")

    context = context_of(load_catalog(), load_calibration())
    for _ in range(2):
        with pytest.raises(KeyError):
            answer(context)


def test_what_nobody_sells_is_not_planned_unless_it_is_named() -> None:
    """A home was answered with two accelerators that their maker keeps for itself, without a price."""
    context = context_of(load_catalog(), load_calibration())
    place = {entry.id: index for index, entry in enumerate(context.accelerators)}
    kept, cloud = "microsoft-maia-200", "google-tpu-v6e"
    anything, named = HardwareChoice(), HardwareChoice(accelerators=(kept, cloud))
    assert not context.allowed(anything)[place[kept]]
    assert context.allowed(named)[place[kept]]
    assert context.allowed(anything)[place[cloud]]
    assert context.cannot_be_bought(anything, "own")[place[cloud]]
    assert not context.cannot_be_bought(anything, "rent_on_demand")[place[cloud]]
    assert not context.cannot_be_bought(named, "own")[place[cloud]]
