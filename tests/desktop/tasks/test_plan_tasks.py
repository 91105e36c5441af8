from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.tasks.plan_tasks import CHECK_PAUSE_MS, QUICK_MS, PlanState, PlanTasks
from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
from gpuplanner_gui.desktop.widgets.event_turns import DrawingTurn
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.domain.scenario import Project, Scenario
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.engine.serving.candidates import POOL_COLUMNS


class Engine:
    """Answers at once, or only when a test lets it; notes what it was asked."""

    def __init__(self) -> None:
        self.catalog = Catalog()
        self.catalog_problem = ""
        self.planned: list[str] = []
        self.curves: list[int] = []
        self.gate = threading.Event()
        self.gate.set()
        self.started = threading.Event()
        self.curve_gate = threading.Event()
        self.curve_gate.set()
        self.failure: Exception | None = None
        self.curve_failure: Exception | None = None
        self.saw_cancel = False
        self.checked: list[str] = []
        self.check_gate = threading.Event()
        self.check_gate.set()
        self.check_failure: Exception | None = None
        self.best_when_simulated: int | None = None
        """None: the simulation leaves the plan as it is."""

    def catalog_of(self, project: Project) -> Catalog:
        return self.catalog

    def plan(self, project: Project, scenario: Scenario, is_cancelled: Callable[[], bool]) -> Any:
        self.planned.append(scenario.name)
        self.started.set()
        while not self.gate.wait(0.005):
            if is_cancelled():
                self.saw_cancel = True
                raise RuntimeError("given up")
        if self.failure:
            raise self.failure
        table = SimpleNamespace(
            accelerator=np.array([0, 0, 1]),
            fits=np.array([False, True, True]),
            tensor_parallel=np.array([1, 2, 1]),
            pipeline_parallel=np.array([1, 1, 1]),
            attention_data_parallel=np.array([1, 1, 1]),
            expert_parallel=np.array([1, 1, 1]),
            draft_tokens=np.zeros(3, np.int64),
            **{name: np.zeros(3, np.int64) for name in POOL_COLUMNS},
            weight_precision=np.array([0, 0, 0]),
            kv_precision=np.array([0, 0, 0]),
            devices=np.array([1, 2, 1]),
            step_time_s=np.ones(3),
            reason=np.array([Reason.DOES_NOT_FIT, Reason.NONE, Reason.NONE]),
            order=np.array([2, 1, 0]),
        )
        serving = SimpleNamespace(table=table, best=2)
        return SimpleNamespace(
            serving=serving, training=None, accelerators=("a", "b"), precisions=("fp8",), of=scenario.name
        )

    def simulated_plan(self, project: Project, scenario: Scenario, plan: Any, is_cancelled: Callable[[], bool]) -> Any:
        self.checked.append(scenario.name)
        while not self.check_gate.wait(0.005):
            if is_cancelled():
                raise RuntimeError("given up")
        if self.check_failure:
            raise self.check_failure
        if self.best_when_simulated is None:
            return plan
        table = SimpleNamespace(**vars(plan.serving.table))
        return SimpleNamespace(**{**vars(plan), "serving": SimpleNamespace(table=table, best=self.best_when_simulated)})

    def load_curve(
        self, project: Project, scenario: Scenario, plan: Any, candidate: int, is_cancelled: Callable[[], bool]
    ) -> Any:
        self.curves.append(candidate)
        assert self.curve_gate.wait(10)
        if self.curve_failure:
            raise self.curve_failure
        return SimpleNamespace(candidate=candidate)

    def rooflines(self, project: Project, scenario: Scenario, plan: Any, workload: str, candidates: Any) -> Any:
        return tuple(SimpleNamespace(accelerator=candidate) for candidate in candidates)

    def explain(
        self, project: Project, scenario: Scenario, plan: Any, workload: str, candidate: int, quantity: str
    ) -> Any:
        return f"{workload} {candidate} {quantity}"

    def stamped(self, project: Project, plans: Any) -> Project:
        return project


@pytest.fixture
def engine() -> Engine:
    return Engine()


@pytest.fixture
def compute(qtbot: QtBot, engine: Engine) -> Iterator[PlanTasks]:
    service = PlanTasks(lambda: cast("ShippedEngine", engine))
    with qtbot.waitSignal(service.catalog_ready):
        service.start()
    yield service
    engine.gate.set()
    engine.check_gate.set()
    service.stop()


def submit(compute: PlanTasks, project: Project, name: str = "one", **selected: str) -> None:
    compute.submit(project, msgspec.structs.replace(project.scenarios[0], name=name), selected, {})


def test_pinned_candidates_come_with_curves_of_their_own(
    compute: PlanTasks, engine: Engine, project: Project, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(compute.completed):
        submit(compute, project)
    assert compute.results is not None
    best = compute.results.candidate("serving")
    with qtbot.waitSignal(compute.completed):
        compute.select({}, {"serving": ["a/fp8/fp8/2/1", "gone/fp8/fp8/2/1"]})
    pinned = compute.results.pinned["serving"]
    assert len(pinned) == 1, "what the plan lacks is left out"
    assert pinned[0] != best
    assert [one.candidate for one in compute.results.rivals["serving"]] == list(pinned)
    assert list(compute.results.pinned_curves) == list(pinned)
    assert compute.results.candidate("serving") == best


def test_plan_comes_with_its_curves_when_they_are_quick(compute: PlanTasks, project: Project, qtbot: QtBot) -> None:
    shown: list[Results] = []
    compute.results_changed.connect(shown.append)
    # However busy the machine, these count as quick.
    compute._details_wait.setInterval(10_000)
    with qtbot.waitSignal(compute.completed):
        submit(compute, project)
    assert len(shown) == 1
    assert shown[0].rooflines
    assert [one.candidate for one in shown[0].rivals["serving"]] == [1]
    assert shown[0].load_curve is not None
    assert compute.state == PlanState.CURRENT
    assert compute.results is not None
    assert compute.results.selected == {"serving": 2}


def test_plan_is_shown_before_slow_curves(compute: PlanTasks, engine: Engine, project: Project, qtbot: QtBot) -> None:
    engine.curve_gate.clear()
    with qtbot.waitSignal(compute.results_changed):
        submit(compute, project)
    assert compute.results is not None
    assert compute.results.load_curve is None
    with qtbot.waitSignal(compute.completed):
        engine.curve_gate.set()
    assert compute.results.load_curve is not None


def test_of_many_quick_edits_only_the_newest_is_planned(
    compute: PlanTasks, engine: Engine, project: Project, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(compute.completed):
        for number in range(60):
            submit(compute, project, f"edit {number}")
    assert engine.planned == ["edit 59"]


def test_running_work_is_cancelled_by_a_newer_edit(
    compute: PlanTasks, engine: Engine, project: Project, qtbot: QtBot
) -> None:
    engine.gate.clear()
    submit(compute, project, "old")
    qtbot.waitUntil(engine.started.is_set)
    submit(compute, project, "new")
    qtbot.waitUntil(lambda: engine.saw_cancel)
    with qtbot.waitSignal(compute.completed):
        engine.gate.set()
    assert compute.results is not None
    assert compute.results.scenario.name == "new"
    assert compute.state == PlanState.CURRENT


@pytest.mark.parametrize("first_takes_ms", [0, QUICK_MS + 50])
def test_quick_work_is_shown_while_newer_edits_wait(
    compute: PlanTasks, engine: Engine, project: Project, qtbot: QtBot, first_takes_ms: int
) -> None:
    """Also where the work before was slow, as the first plan after a start is."""
    engine.gate.clear()
    submit(compute, project, "first")
    qtbot.wait(first_takes_ms)
    with qtbot.waitSignal(compute.completed):
        engine.gate.set()
    shown: list[str] = []
    compute.results_changed.connect(lambda results: shown.append(results.scenario.name))
    engine.gate.clear()
    engine.started.clear()
    submit(compute, project, "second")
    qtbot.waitUntil(engine.started.is_set)
    submit(compute, project, "third")
    submit(compute, project, "fourth")
    qtbot.wait(20)
    with qtbot.waitSignal(compute.completed):
        engine.gate.set()
    assert not engine.saw_cancel
    assert shown == ["second", "fourth"]
    assert engine.planned == ["first", "second", "fourth"]
    assert compute.state == PlanState.CURRENT


def test_work_that_turns_out_slow_is_given_up_for_a_newer_edit(
    compute: PlanTasks, engine: Engine, project: Project, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(compute.completed):
        submit(compute, project, "quick")
    engine.gate.clear()
    engine.started.clear()
    submit(compute, project, "slow")
    qtbot.waitUntil(engine.started.is_set)
    submit(compute, project, "newest")
    qtbot.waitUntil(lambda: engine.saw_cancel)
    with qtbot.waitSignal(compute.completed):
        engine.gate.set()
    assert compute.results is not None
    assert compute.results.scenario.name == "newest"


def test_failed_plan_says_why_and_keeps_the_old_result(
    compute: PlanTasks, engine: Engine, project: Project, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(compute.completed):
        submit(compute, project, "good")
    engine.failure = ValueError("the moon is full")
    with qtbot.waitSignal(compute.completed):
        submit(compute, project, "bad")
    assert compute.state == PlanState.FAILED
    assert compute.results is not None
    assert compute.results.scenario.name == "good"
    engine.failure = None
    with qtbot.waitSignal(compute.completed):
        compute.retry()
    assert compute.results.scenario.name == "bad"


def test_failure_of_one_stage_leaves_the_others(
    compute: PlanTasks, engine: Engine, project: Project, qtbot: QtBot
) -> None:
    engine.curve_failure = ValueError("no curve today")
    with qtbot.waitSignals([compute.completed, compute.state_changed]):
        submit(compute, project)
    assert compute.state == PlanState.FAILED
    assert compute.results is not None
    assert compute.results.rooflines
    assert compute.results.load_curve is None


def test_selecting_a_candidate_asks_only_for_its_details(
    compute: PlanTasks, engine: Engine, project: Project, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(compute.completed):
        submit(compute, project)
    with qtbot.waitSignal(compute.completed):
        compute.select({"serving": "a/fp8/fp8/2/1"}, {})
    assert engine.planned == ["one"]
    assert engine.curves == [2, 1]
    assert compute.results is not None
    assert compute.results.selected == {"serving": 1}


def test_candidate_that_does_not_fit_can_be_looked_at(
    compute: PlanTasks, engine: Engine, project: Project, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(compute.completed):
        submit(compute, project, serving="a/fp8/fp8/1/1")
    assert compute.state == PlanState.CURRENT
    assert compute.results is not None
    assert compute.results.selected == {"serving": 0}
    assert compute.results.load_curve is None
    assert compute.results.rooflines
    assert engine.curves == []


def test_selection_survives_an_edit_and_falls_back_to_the_best(
    compute: PlanTasks, project: Project, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(compute.completed):
        submit(compute, project, serving="a/fp8/fp8/2/1")
    assert compute.results is not None
    assert compute.results.selected == {"serving": 1}
    with qtbot.waitSignal(compute.completed):
        submit(compute, project, serving="gone/fp8/fp8/2/1")
    assert compute.results.selected == {"serving": 2}


def test_long_computation_dims_the_old_result(
    compute: PlanTasks, engine: Engine, project: Project, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(compute.completed):
        submit(compute, project)
    engine.gate.clear()
    submit(compute, project, "slow")
    assert compute.state == PlanState.COMPUTING
    qtbot.waitUntil(lambda: compute.state == PlanState.OUTDATED)
    with qtbot.waitSignal(compute.completed):
        engine.gate.set()
    assert compute.state == PlanState.CURRENT


def test_cancel_keeps_the_old_result_as_outdated(
    compute: PlanTasks, engine: Engine, project: Project, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(compute.completed):
        submit(compute, project)
    engine.gate.clear()
    submit(compute, project, "unwanted")
    compute.cancel()
    assert compute.state == PlanState.OUTDATED
    assert compute.results is not None
    assert compute.results.scenario.name == "one"


def test_question_asked_before_the_catalogue_is_there_is_answered_after(
    engine: Engine, project: Project, qtbot: QtBot
) -> None:
    service = PlanTasks(lambda: cast("ShippedEngine", engine))
    submit(service, project)
    qtbot.wait(60)
    assert engine.planned == []
    with qtbot.waitSignal(service.completed):
        service.start()
    service.stop()
    assert engine.planned == ["one"]


def test_unloadable_catalogue_is_a_failure_with_its_sentence(qtbot: QtBot) -> None:
    def broken() -> ShippedEngine:
        raise ValueError("accelerators.json is damaged")

    service = PlanTasks(broken)
    with qtbot.waitSignal(service.state_changed) as told:
        service.start()
    service.stop()
    assert told.args == ["failed", "accelerators.json is damaged"]


def test_explanation_is_answered(compute: PlanTasks, project: Project, qtbot: QtBot) -> None:
    with qtbot.waitSignal(compute.completed):
        submit(compute, project)
    with qtbot.waitSignal(compute.explained) as told:
        compute.explain("serving", 1, "ttft_p95_s")
    assert told.args == ["serving 1 ttft_p95_s"]


def test_stopping_amid_work_ends_the_thread(engine: Engine, project: Project, qtbot: QtBot) -> None:
    service = PlanTasks(lambda: cast("ShippedEngine", engine))
    with qtbot.waitSignal(service.catalog_ready):
        service.start()
    engine.gate.clear()
    submit(service, project)
    qtbot.waitUntil(engine.started.is_set)
    service.stop()
    assert engine.saw_cancel


def test_next_question_waits_until_the_last_answer_is_drawn(
    compute: PlanTasks, engine: Engine, project: Project, qtbot: QtBot
) -> None:
    asked_when_drawn: list[list[str]] = []

    def draw() -> None:
        time.sleep(0.05)
        QCoreApplication.processEvents()
        asked_when_drawn.append(list(engine.planned))

    turn = DrawingTurn(compute, draw)
    compute.results_changed.connect(lambda: turn.start() if not asked_when_drawn else None)
    compute.results_changed.connect(lambda: submit(compute, project, "two") if len(engine.planned) == 1 else None)
    submit(compute, project, "one")
    qtbot.waitUntil(lambda: engine.planned == ["one", "two"], timeout=10_000)
    assert asked_when_drawn == [["one"]]


def test_the_recommended_fleet_is_simulated_after_its_plan_is_shown(
    compute: PlanTasks, engine: Engine, project: Project, qtbot: QtBot
) -> None:
    """Where the simulation recommends another candidate, curves follow it."""
    engine.best_when_simulated = 1
    with qtbot.waitSignal(compute.completed):
        submit(compute, project)
    assert compute.results is not None
    assert (engine.checked, compute.results.selected) == ([], {"serving": 2})
    qtbot.waitUntil(lambda: compute.results.load_curve is not None and compute.results.load_curve.candidate == 1)
    assert compute.results.selected == {"serving": 1}
    assert compute.results.plan.serving.best == 1
    assert (engine.planned, engine.checked, engine.curves) == (["one"], ["one"], [2, 1])
    assert compute.state == PlanState.CURRENT
    with qtbot.waitSignal(compute.settled):
        compute.select({"serving": "a/fp8/fp8/1/1"}, {})
    assert engine.checked == ["one"], "a candidate that is looked at changes nothing of the fleet"


def test_a_plan_that_simulation_confirms_settles_without_being_shown_again(
    compute: PlanTasks, engine: Engine, project: Project, qtbot: QtBot
) -> None:
    shown: list[Results] = []
    compute.results_changed.connect(shown.append)
    with qtbot.waitSignal(compute.settled) as told:
        submit(compute, project)
    assert engine.checked == ["one"]
    assert len(shown) == 1
    assert told.args[0].plan is shown[0].plan


def test_a_newer_edit_gives_up_the_simulation_of_the_fleet(
    compute: PlanTasks, engine: Engine, project: Project, qtbot: QtBot
) -> None:
    engine.check_gate.clear()
    settled: list[str] = []
    compute.settled.connect(lambda results: settled.append(results.scenario.name))
    with qtbot.waitSignal(compute.completed):
        submit(compute, project, "old")
    qtbot.waitUntil(lambda: engine.checked == ["old"])
    with qtbot.waitSignal(compute.completed):
        submit(compute, project, "new")
    with qtbot.waitSignal(compute.settled):
        engine.check_gate.set()
    assert settled == ["new"]
    assert engine.checked == ["old", "new"]


def test_a_quick_estimate_stands_where_its_fleet_cannot_be_simulated(
    compute: PlanTasks, engine: Engine, project: Project, qtbot: QtBot
) -> None:
    engine.check_failure = ValueError("no simulation today")
    with qtbot.waitSignal(compute.settled) as told:
        submit(compute, project)
    assert told.args[0] is compute.results
    assert compute.state == PlanState.CURRENT


def test_an_edit_that_fails_simulates_nothing(
    compute: PlanTasks, engine: Engine, project: Project, qtbot: QtBot
) -> None:
    engine.check_gate.clear()
    with qtbot.waitSignal(compute.completed):
        submit(compute, project, "good")
    engine.failure = ValueError("the moon is full")
    with qtbot.waitSignal(compute.completed):
        submit(compute, project, "bad")
    engine.checked.clear()
    engine.check_gate.set()
    qtbot.wait(CHECK_PAUSE_MS + 50)
    assert engine.checked == []
