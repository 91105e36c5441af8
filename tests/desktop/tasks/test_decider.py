"""The decision thread works on what a page on screen asks for, once for each plan, and is given up for a newer one.

How sure a plan is comes unasked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import msgspec
import pytest
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.engine_door import ShippedEngine
from gpuplanner_gui.desktop.tasks.decider import Decider
from gpuplanner_gui.domain.scenario import HardwareChoice, Project, Scenario
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.units import format_range
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
def decider(engine: ShippedEngine, qtbot: QtBot) -> Iterator[Decider]:
    made = Decider(lambda: engine)
    yield made
    made.stop()


def test_nothing_is_found_out_that_no_page_shows(decider: Decider, results: Results, qtbot: QtBot) -> None:
    decider.follow(results)
    qtbot.wait(200)
    assert decider.decision is None
    assert not decider.is_running


def test_how_sure_a_plan_is_comes_unasked_once_it_stays(decider: Decider, results: Results, qtbot: QtBot) -> None:
    decider.follow(results)
    qtbot.waitUntil(lambda: decider.decision is not None and decider.decision.uncertainty is not None, timeout=WAIT_MS)
    assert decider.decision is not None
    assert decider.decision.ownership == {}
    said = verdict(replace(results, decision=decider.decision), "serving").detail
    band = decider.decision.uncertainty.headline("serving.usd_per_million_output_tokens")
    assert f"({format_range(band.p10, band.p90, 'USD')})" in said


def test_what_a_page_wants_comes_once(decider: Decider, results: Results, qtbot: QtBot) -> None:
    decider.follow(results)
    decider.take_wish("want:ownership")
    qtbot.waitUntil(lambda: decider.decision is not None and bool(decider.decision.ownership), timeout=WAIT_MS)
    assert decider.decision is not None
    first = decider.decision.ownership
    assert set(first) == {"serving"}
    decider.follow(replace(results, selected={"serving": 0}))
    decider.take_wish("want:ownership")
    qtbot.wait(200)
    assert decider.decision.ownership is first


def test_fleets_of_a_service_alone_are_refused_in_words(decider: Decider, results: Results, qtbot: QtBot) -> None:
    decider.follow(results)
    decider.take_wish("want:fleets")
    qtbot.waitUntil(lambda: decider.decision is not None and "fleets" in decider.decision.failures, timeout=WAIT_MS)
    assert decider.decision is not None
    assert decider.decision.fleets is None


def test_uncertainty_tells_its_progress_and_ends(decider: Decider, results: Results, qtbot: QtBot) -> None:
    shares: list[float] = []
    decider.changed.connect(lambda known: shares.append(known.progress if known is not None else -1.0))
    decider.take_wish("want:uncertainty")
    decider.follow(results)
    qtbot.waitUntil(lambda: decider.decision is not None and decider.decision.uncertainty is not None, timeout=WAIT_MS)
    told = [share for share in shares if share > 0]
    assert told == sorted(told)
    assert decider.decision is not None
    assert decider.decision.uncertainty is not None
    assert decider.decision.uncertainty.samples == results.scenario.economics.uncertainty.samples


def test_another_plan_forgets_what_was_known(decider: Decider, results: Results, qtbot: QtBot) -> None:
    decider.follow(results)
    decider.take_wish("want:ownership")
    qtbot.waitUntil(lambda: decider.decision is not None and bool(decider.decision.ownership), timeout=WAIT_MS)
    decider.forget()
    assert decider.decision is None


def test_curves_of_other_scenarios_come_when_they_are_asked_for(
    engine: ShippedEngine, decider: Decider, results: Results, qtbot: QtBot
) -> None:
    own = results.scenario
    other = msgspec.structs.replace(own, name="one device", hardware=HardwareChoice(accelerators=("nvidia-l40s",)))
    two = replace(results, project=Project(scenarios=(own, other)))
    decider.follow(two)
    decider.take_wish("want:overlays")
    qtbot.wait(200)
    assert decider.decision is None, "nobody asked for an overlay"
    decider.set_overlaying(True)
    qtbot.waitUntil(lambda: decider.decision is not None and bool(decider.decision.overlays), timeout=WAIT_MS)
    assert decider.decision is not None
    overlays = decider.decision.overlays
    assert [one.scenario.name for one in overlays] == ["one device"]
    assert overlays[0].load_curve is not None
    assert len(overlays[0].load_curve.rates_per_s) > 2
    assert len(overlays[0].contexts) == len(overlays[0].concurrency)
    held = overlays[0].memory["serving"]
    assert "L40S" in held.candidate
    assert 0 < held.part_bytes.sum() <= held.capacity_bytes

    edited = msgspec.structs.replace(own, name="edited")
    plan = engine.plan(two.project, edited, lambda: False)
    decider.follow(replace(two, project=Project(scenarios=(edited, other)), scenario=edited, plan=plan))
    assert decider.decision is not None, "curves of scenarios that did not change went away during an edit"
    assert decider.decision.overlays is overlays
    changed = msgspec.structs.replace(other, name="changed")
    plan = engine.plan(two.project, edited, lambda: False)
    decider.follow(replace(two, project=Project(scenarios=(edited, changed)), scenario=edited, plan=plan))
    assert decider.decision is None, "a curve of a scenario that is no more"
    decider.set_overlaying(False)
    qtbot.wait(200)
    assert decider.decision is None
