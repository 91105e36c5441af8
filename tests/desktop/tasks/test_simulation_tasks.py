"""The simulation thread as the window uses it: newest plan wins, readiness when looked at, cancel at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.tasks.simulation_tasks import SimulationTasks
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.engine.cancelling import CancelledError
from tests.drawing import synthetic

TRACE = Path(__file__).parents[2] / "files" / "traces" / "data" / "azure-llm-2023-conv.csv"


class Engine:
    """Answers in steps that a test can hold up; notes what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.traces: list[Any] = []
        self.gate = threading.Event()
        self.gate.set()
        self.failure: Exception | None = None

    def _wait(self, is_cancelled: Callable[[], bool]) -> None:
        while not self.gate.wait(0.002):
            if is_cancelled():
                raise CancelledError

    def simulated_curves(self, results: Any, trace: Any, is_cancelled: Callable[[], bool]) -> Iterator[Any]:
        self.asked.append("curve")
        self.traces.append(trace)
        if self.failure:
            raise self.failure
        for number in range(3):
            self._wait(is_cancelled)
            yield SimpleNamespace(number=number), (number + 1) / 3

    def fleet_sizing(self, results: Any, curve: Any) -> Any:
        self.asked.append("fleet")
        return SimpleNamespace(curve=curve)

    def readiness(self, results: Any, fleet: Any, trace: Any, is_cancelled: Callable[[], bool]) -> Iterator[Any]:
        self.asked.append("readiness")
        for done in (False, True):
            yield SimpleNamespace(is_complete=done), 1.0

    def pool_arrangement(self, results: Any, is_cancelled: Callable[[], bool]) -> Any:
        self.asked.append("arrangement")
        return None

    def slo_search(self, results: Any, trace: Any, is_cancelled: Any, on_progress: Any) -> Any:
        self.asked.append("search")
        on_progress(0.5)
        return SimpleNamespace(winner=None)


@pytest.fixture
def engine() -> Engine:
    return Engine()


@pytest.fixture
def tasks(qtbot: QtBot, engine: Engine) -> Iterator[SimulationTasks]:
    made = SimulationTasks(lambda: engine)  # type: ignore[arg-type,return-value]
    yield made
    engine.gate.set()
    made.stop()


@pytest.fixture
def results() -> Results:
    return synthetic.results()


def finished(tasks: SimulationTasks, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not tasks.is_running, timeout=20_000)


def test_curves_come_one_after_another_then_the_fleet(
    tasks: SimulationTasks, engine: Engine, results: Results, qtbot: QtBot
) -> None:
    seen: list[Any] = []
    tasks.changed.connect(seen.append)
    tasks.follow(results)
    finished(tasks, qtbot)
    assert [one.curve.number for one in seen if one is not None and one.fleet is None] == [0, 1, 2]
    assert tasks.simulation is not None
    assert tasks.simulation.fleet is not None
    assert tasks.simulation.candidate == results.candidate("serving")
    assert engine.asked == ["curve", "fleet"]


def test_the_same_plan_is_simulated_once(
    tasks: SimulationTasks, engine: Engine, results: Results, qtbot: QtBot
) -> None:
    tasks.follow(results)
    tasks.follow(replace(results))
    finished(tasks, qtbot)
    tasks.follow(replace(results))
    assert engine.asked.count("curve") == 1
    tasks.follow(replace(results, selected={"serving": 3}))
    finished(tasks, qtbot)
    assert engine.asked.count("curve") == 2


def test_results_without_a_curve_are_not_simulated(tasks: SimulationTasks, engine: Engine, results: Results) -> None:
    tasks.follow(replace(results, load_curve=None))
    assert not tasks.is_running
    assert engine.asked == []


def test_a_look_at_readiness_while_the_curve_is_simulated_is_not_forgotten(
    qtbot: QtBot, tasks: SimulationTasks, engine: Engine, results: Results
) -> None:
    engine.gate.clear()
    tasks.follow(results)
    qtbot.waitUntil(lambda: "curve" in engine.asked, timeout=20_000)
    tasks.want("readiness", True)
    engine.gate.set()
    qtbot.waitUntil(lambda: engine.asked[-1:] == ["arrangement"] and not tasks.is_running, timeout=20_000)
    assert engine.asked == ["curve", "fleet", "readiness", "arrangement"]


def test_cancel_answers_at_once_and_keeps_what_is_there(
    tasks: SimulationTasks, engine: Engine, results: Results, qtbot: QtBot
) -> None:
    tasks.follow(results)
    qtbot.waitUntil(lambda: tasks.simulation is not None, timeout=20_000)
    engine.gate.clear()
    start = time.perf_counter()
    tasks.cancel()
    assert not tasks.is_running
    assert time.perf_counter() - start < 0.05
    assert tasks.simulation is not None


def test_a_new_plan_takes_the_place_of_the_old(
    tasks: SimulationTasks, engine: Engine, results: Results, qtbot: QtBot
) -> None:
    engine.gate.clear()
    tasks.follow(results)
    qtbot.waitUntil(lambda: engine.asked == ["curve"], timeout=20_000)
    tasks.forget()
    forgotten = tasks.simulation
    assert forgotten is None
    engine.gate.set()
    tasks.follow(replace(results, selected={"serving": 3}))
    finished(tasks, qtbot)
    assert tasks.simulation is not None
    assert tasks.simulation.candidate == 3


def test_stress_tests_run_only_while_somebody_looks(
    tasks: SimulationTasks, engine: Engine, results: Results, qtbot: QtBot
) -> None:
    tasks.follow(results)
    finished(tasks, qtbot)
    assert "readiness" not in engine.asked
    tasks.want("readiness", True)
    finished(tasks, qtbot)
    assert engine.asked[-2:] == ["readiness", "arrangement"]
    tasks.want("readiness", False)
    tasks.want("readiness", True)
    finished(tasks, qtbot)
    assert engine.asked.count("readiness") == 1


def test_search_is_asked_for_and_tells_its_progress(
    tasks: SimulationTasks, engine: Engine, results: Results, qtbot: QtBot
) -> None:
    told: list[tuple[str, float]] = []
    tasks.progress_changed.connect(lambda words, share: told.append((words, share)))
    tasks.follow(results)
    finished(tasks, qtbot)
    tasks.search()
    finished(tasks, qtbot)
    assert tasks.simulation is not None
    assert tasks.simulation.search is not None
    assert tasks.simulation.curve is not None
    assert ("Searching by targets", 0.5) in told
    assert told[-1] == ("", 1.0)


def test_a_failed_stage_is_told_and_the_others_go_on(
    tasks: SimulationTasks, engine: Engine, results: Results, qtbot: QtBot
) -> None:
    engine.failure = RuntimeError("no such thing")
    with qtbot.waitSignal(tasks.stage_failed) as told:
        tasks.follow(results)
    assert told.args == ["Simulating load: no such thing"]
    finished(tasks, qtbot)
    assert engine.asked == ["curve", "fleet"]


def test_a_trace_is_read_and_replayed(tasks: SimulationTasks, engine: Engine, results: Results, qtbot: QtBot) -> None:
    tasks.follow(results)
    finished(tasks, qtbot)
    with qtbot.waitSignal(tasks.trace_read) as read:
        tasks.read_trace(TRACE)
    finished(tasks, qtbot)
    tasks.use_trace(read.args[0].trace, read.args[0].figures)
    finished(tasks, qtbot)
    assert len(engine.traces[-1]) == 600
    assert tasks.simulation is not None
    assert tasks.simulation.trace is not None
    assert tasks.simulation.trace.requests == 600
    tasks.use_trace(None)
    finished(tasks, qtbot)
    assert engine.traces[-1] is None


def test_a_file_that_is_no_trace_is_a_sentence(tasks: SimulationTasks, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n")
    with qtbot.waitSignal(tasks.problem) as told:
        tasks.read_trace(path)
    assert "there is no column for the time" in told.args[0]


def test_reading_a_trace_does_not_lose_the_simulation_that_it_interrupts(
    tasks: SimulationTasks, engine: Engine, results: Results, qtbot: QtBot
) -> None:
    engine.gate.clear()
    tasks.follow(results)
    qtbot.waitUntil(lambda: engine.asked == ["curve"], timeout=20_000)
    with qtbot.waitSignal(tasks.trace_read):
        tasks.read_trace(TRACE)
    engine.gate.set()
    qtbot.waitUntil(lambda: tasks.simulation is not None and tasks.simulation.fleet is not None, timeout=20_000)
