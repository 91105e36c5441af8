"""The decision thread works on what a page on screen asks for, once for each plan, and is given up for a newer one.

How sure a plan is comes unasked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import msgspec
import pytest
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.tasks import decision_tasks
from gpuplanner_gui.desktop.tasks.decision_tasks import DecisionTasks
from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
from gpuplanner_gui.domain.scenario import HardwareChoice, Project, Scenario
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.value_ranges import format_range
from gpuplanner_gui.drawing.words.verdict import verdict

WAIT_MS = 60_000


@pytest.fixture(scope="module")
def engine() -> ShippedEngine:
    return ShippedEngine()


@pytest.fixture(scope="module")
def results(engine: ShippedEngine) -> Results:
    scenario = Scenario(
        name="chat",
        model=engine.catalog.models["llama-3.1-8b"].model,
        serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=20.0),)),
        hardware=HardwareChoice(accelerators=("nvidia-l40s", "nvidia-h200-sxm-141gb")),
    )
    project = Project(scenarios=(scenario,))
    found = engine.plan(project, scenario, lambda: False)
    return Results(project=project, scenario=scenario, plan=found, catalog=engine.catalog)


@pytest.fixture
def tasks(engine: ShippedEngine, qtbot: QtBot) -> Iterator[DecisionTasks]:
    made = DecisionTasks(lambda: engine)
    yield made
    made.stop()


def test_nothing_is_found_out_that_no_page_shows(
    engine: ShippedEngine, results: Results, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a busy machine a short wait would outlast the time after which a plan has settled.
    monkeypatch.setattr(decision_tasks, "SETTLED_MS", WAIT_MS)
    tasks = DecisionTasks(lambda: engine)
    tasks.follow(results)
    qtbot.wait(200)
    # What was begun, if anything was, has its answer before it ends.
    qtbot.waitUntil(lambda: not tasks.is_running, timeout=WAIT_MS)
    assert tasks.answer is None
    tasks.stop()


def test_how_sure_a_plan_is_comes_unasked_once_it_stays(tasks: DecisionTasks, results: Results, qtbot: QtBot) -> None:
    tasks.follow(results)
    qtbot.waitUntil(lambda: tasks.answer is not None and tasks.answer.uncertainty is not None, timeout=WAIT_MS)
    assert tasks.answer is not None
    assert tasks.answer.ownership == {}
    said = verdict(replace(results, decision=tasks.answer), "serving").detail
    band = tasks.answer.uncertainty.headline("serving.usd_per_million_output_tokens")
    assert f"({format_range(band.p10, band.p90, 'USD')})" in said


def test_what_a_page_wants_comes_once(tasks: DecisionTasks, results: Results, qtbot: QtBot) -> None:
    tasks.follow(results)
    tasks.want("ownership", True)
    qtbot.waitUntil(lambda: tasks.answer is not None and bool(tasks.answer.ownership), timeout=WAIT_MS)
    assert tasks.answer is not None
    first = tasks.answer.ownership
    assert set(first) == {"serving"}
    tasks.follow(replace(results, selected={"serving": 0}))
    tasks.want("ownership", True)
    qtbot.wait(200)
    assert tasks.answer.ownership is first


def test_fleets_of_a_service_alone_are_refused_in_words(tasks: DecisionTasks, results: Results, qtbot: QtBot) -> None:
    tasks.follow(results)
    tasks.want("fleets", True)
    qtbot.waitUntil(lambda: tasks.answer is not None and "fleets" in tasks.answer.failures, timeout=WAIT_MS)
    assert tasks.answer is not None
    assert tasks.answer.fleets is None


def test_uncertainty_tells_its_progress_and_ends(tasks: DecisionTasks, results: Results, qtbot: QtBot) -> None:
    shares: list[float] = []
    tasks.changed.connect(lambda known: shares.append(known.progress if known is not None else -1.0))
    tasks.want("uncertainty", True)
    tasks.follow(results)
    qtbot.waitUntil(lambda: tasks.answer is not None and tasks.answer.uncertainty is not None, timeout=WAIT_MS)
    told = [share for share in shares if share > 0]
    assert told == sorted(told)
    assert tasks.answer is not None
    assert tasks.answer.uncertainty is not None
    assert tasks.answer.uncertainty.samples == results.scenario.economics.uncertainty.samples


def test_another_plan_forgets_what_was_known(tasks: DecisionTasks, results: Results, qtbot: QtBot) -> None:
    tasks.follow(results)
    tasks.want("ownership", True)
    qtbot.waitUntil(lambda: tasks.answer is not None and bool(tasks.answer.ownership), timeout=WAIT_MS)
    tasks.want("calibration", True)
    tasks.leave(replace(results, plan=msgspec.structs.replace(results.plan)))
    assert tasks.answer is None
    qtbot.wait(500)
    assert tasks.answer is None, "what was being worked out is of a plan that is not on screen any more"


def test_curves_of_other_scenarios_come_when_they_are_asked_for(
    engine: ShippedEngine, tasks: DecisionTasks, results: Results, qtbot: QtBot
) -> None:
    own = results.scenario
    other = msgspec.structs.replace(own, name="one device", hardware=HardwareChoice(accelerators=("nvidia-l40s",)))
    two = replace(results, project=Project(scenarios=(own, other)))
    tasks.follow(two)
    tasks.want("overlays", True)
    qtbot.wait(200)
    unasked = tasks.answer
    assert unasked is None, "nobody asked for an overlay"
    tasks.set_overlaying(True)
    qtbot.waitUntil(lambda: tasks.answer is not None and bool(tasks.answer.overlays), timeout=WAIT_MS)
    assert tasks.answer is not None
    overlays = tasks.answer.overlays
    assert [one.scenario.name for one in overlays] == ["one device"]
    assert overlays[0].load_curve is not None
    assert len(overlays[0].load_curve.rates_per_s) > 2
    assert len(overlays[0].contexts) == len(overlays[0].concurrency)
    held = overlays[0].memory["serving"]
    assert "L40S" in held.candidate
    assert 0 < held.part_bytes.sum() <= held.usable_bytes
    renamed = msgspec.structs.replace(other, name="one L40S")
    tasks.leave(replace(two, project=Project(scenarios=(own, renamed))))
    assert [one.scenario.name for one in tasks.answer.overlays] == ["one L40S"], "a name changes no curve"
    tasks.leave(two)
    overlays = tasks.answer.overlays

    edited = msgspec.structs.replace(own, name="edited")
    plan = engine.plan(two.project, edited, lambda: False)
    tasks.follow(replace(two, project=Project(scenarios=(edited, other)), scenario=edited, plan=plan))
    assert tasks.answer is not None, "curves of scenarios that did not change went away during an edit"
    assert tasks.answer.overlays is overlays
    changed = msgspec.structs.replace(other, name="changed")
    plan = engine.plan(two.project, edited, lambda: False)
    tasks.follow(replace(two, project=Project(scenarios=(edited, changed)), scenario=edited, plan=plan))
    assert tasks.answer is None, "a curve of a scenario that is no more"
    tasks.set_overlaying(False)
    qtbot.wait(200)
    assert tasks.answer is None
