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

from gpuplanner_gui.desktop.tasks.load_simulator import LoadSimulator
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.engine.planning import CancelledError
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
def simulator(qtbot: QtBot, engine: Engine) -> Iterator[LoadSimulator]:
    made = LoadSimulator(lambda: engine)  # type: ignore[arg-type,return-value]
    yield made
    engine.gate.set()
    made.stop()


@pytest.fixture
def results() -> Results:
    return synthetic.results()


def finished(simulator: LoadSimulator, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not simulator.is_running, timeout=20_000)


def test_curves_come_one_after_another_then_the_fleet(
    simulator: LoadSimulator, engine: Engine, results: Results, qtbot: QtBot
) -> None:
    seen: list[Any] = []
    simulator.changed.connect(seen.append)
    simulator.follow(results)
    finished(simulator, qtbot)
    assert [one.curve.number for one in seen if one is not None and one.fleet is None] == [0, 1, 2]
    assert simulator.simulation is not None
    assert simulator.simulation.fleet is not None
    assert simulator.simulation.candidate == results.candidate("serving")
    assert engine.asked == ["curve", "fleet"]


def test_the_same_plan_is_simulated_once(
    simulator: LoadSimulator, engine: Engine, results: Results, qtbot: QtBot
) -> None:
    simulator.follow(results)
    simulator.follow(replace(results))
    finished(simulator, qtbot)
    simulator.follow(replace(results))
    assert engine.asked.count("curve") == 1
    simulator.follow(replace(results, selected={"serving": 3}))
    finished(simulator, qtbot)
    assert engine.asked.count("curve") == 2


def test_results_without_a_curve_are_not_simulated(simulator: LoadSimulator, engine: Engine, results: Results) -> None:
    simulator.follow(replace(results, load_curve=None))
    assert not simulator.is_running
    assert engine.asked == []


def test_a_look_at_readiness_while_the_curve_is_simulated_is_not_forgotten(
    qtbot: QtBot, simulator: LoadSimulator, engine: Engine, results: Results
) -> None:
    engine.gate.clear()
    simulator.follow(results)
    qtbot.waitUntil(lambda: "curve" in engine.asked, timeout=20_000)
    simulator.want_readiness(True)
    engine.gate.set()
    qtbot.waitUntil(lambda: engine.asked[-1:] == ["arrangement"] and not simulator.is_running, timeout=20_000)
    assert engine.asked == ["curve", "fleet", "readiness", "arrangement"]


def test_cancel_answers_at_once_and_keeps_what_is_there(
    simulator: LoadSimulator, engine: Engine, results: Results, qtbot: QtBot
) -> None:
    simulator.follow(results)
    qtbot.waitUntil(lambda: simulator.simulation is not None, timeout=20_000)
    engine.gate.clear()
    start = time.perf_counter()
    simulator.cancel()
    assert not simulator.is_running
    assert time.perf_counter() - start < 0.05
    assert simulator.simulation is not None


def test_a_new_plan_takes_the_place_of_the_old(
    simulator: LoadSimulator, engine: Engine, results: Results, qtbot: QtBot
) -> None:
    engine.gate.clear()
    simulator.follow(results)
    qtbot.waitUntil(lambda: engine.asked == ["curve"], timeout=20_000)
    simulator.forget()
    assert simulator.simulation is None
    engine.gate.set()
    simulator.follow(replace(results, selected={"serving": 3}))
    finished(simulator, qtbot)
    assert simulator.simulation is not None
    assert simulator.simulation.candidate == 3


def test_stress_tests_run_only_while_somebody_looks(
    simulator: LoadSimulator, engine: Engine, results: Results, qtbot: QtBot
) -> None:
    simulator.follow(results)
    finished(simulator, qtbot)
    assert "readiness" not in engine.asked
    simulator.want_readiness(True)
    finished(simulator, qtbot)
    assert engine.asked[-2:] == ["readiness", "arrangement"]
    simulator.want_readiness(False)
    simulator.want_readiness(True)
    finished(simulator, qtbot)
    assert engine.asked.count("readiness") == 1


def test_search_is_asked_for_and_tells_its_progress(
    simulator: LoadSimulator, engine: Engine, results: Results, qtbot: QtBot
) -> None:
    told: list[tuple[str, float]] = []
    simulator.progress_changed.connect(lambda words, share: told.append((words, share)))
    simulator.follow(results)
    finished(simulator, qtbot)
    simulator.search()
    finished(simulator, qtbot)
    assert simulator.simulation is not None
    assert simulator.simulation.search is not None
    assert simulator.simulation.curve is not None
    assert ("Searching by targets", 0.5) in told
    assert told[-1] == ("", 1.0)


def test_a_failed_stage_is_told_and_the_others_go_on(
    simulator: LoadSimulator, engine: Engine, results: Results, qtbot: QtBot
) -> None:
    engine.failure = RuntimeError("no such thing")
    with qtbot.waitSignal(simulator.stage_failed) as told:
        simulator.follow(results)
    assert told.args == ["Simulating load: no such thing"]
    finished(simulator, qtbot)
    assert engine.asked == ["curve", "fleet"]


def test_a_trace_is_read_and_replayed(simulator: LoadSimulator, engine: Engine, results: Results, qtbot: QtBot) -> None:
    simulator.follow(results)
    finished(simulator, qtbot)
    with qtbot.waitSignal(simulator.trace_read) as read:
        simulator.read_trace(TRACE)
    finished(simulator, qtbot)
    simulator.use_trace(read.args[0].trace, read.args[0].figures)
    finished(simulator, qtbot)
    assert len(engine.traces[-1]) == 600
    assert simulator.simulation is not None
    assert simulator.simulation.trace is not None
    assert simulator.simulation.trace.requests == 600
    simulator.use_trace(None)
    finished(simulator, qtbot)
    assert engine.traces[-1] is None


def test_a_file_that_is_no_trace_is_a_sentence(simulator: LoadSimulator, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n")
    with qtbot.waitSignal(simulator.problem) as told:
        simulator.read_trace(path)
    assert "no column holds the time" in told.args[0]


def test_reading_a_trace_does_not_lose_the_simulation_that_it_interrupts(
    simulator: LoadSimulator, engine: Engine, results: Results, qtbot: QtBot
) -> None:
    engine.gate.clear()
    simulator.follow(results)
    qtbot.waitUntil(lambda: engine.asked == ["curve"], timeout=20_000)
    with qtbot.waitSignal(simulator.trace_read):
        simulator.read_trace(TRACE)
    engine.gate.set()
    qtbot.waitUntil(lambda: simulator.simulation is not None and simulator.simulation.fleet is not None, timeout=20_000)
