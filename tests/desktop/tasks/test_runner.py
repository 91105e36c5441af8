"""One task at a time: the newest wins, one can be called off at once, steps fail alone, a stuck thread is left."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.tasks.estate_tasks import EstateTasks
from gpuplanner_gui.desktop.tasks.runner import PAUSE_MS, Step, TaskRunner, Watch, are_threads_left, failure_text
from gpuplanner_gui.desktop.widgets.event_turns import DrawingTurn
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.scenario import Project, TooManyCandidates
from gpuplanner_gui.files.errors import FileProblem
from tests.drawing import synthetic

WAIT_MS = 20_000


class Work:
    """A step that goes on until a test lets it end, and looks all the while whether it is still wanted."""

    def __init__(self) -> None:
        self.began, self.may_end, self.saw_cancel = threading.Event(), threading.Event(), threading.Event()
        self.gave_up_at_s = 0.0

    def __call__(self, watch: Watch) -> str:
        self.began.set()
        while not self.may_end.wait(0.002):
            if watch.is_cancelled():
                self.gave_up_at_s = time.perf_counter()
                self.saw_cancel.set()
                raise RuntimeError("given up")
        return "done"


class Told:
    """What a runner says."""

    def __init__(self, runner: TaskRunner) -> None:
        self.answers: list[tuple[str, Any]] = []
        self.failures: list[tuple[str, str]] = []
        self.shares: list[tuple[str, float]] = []
        self.finished = 0
        runner.answered.connect(lambda step, value: self.answers.append((step, value)))
        runner.failed.connect(lambda step, problem: self.failures.append((step, failure_text(problem))))
        runner.progressed.connect(lambda step, share: self.shares.append((step, share)))
        runner.finished.connect(self._on_finished)

    def _on_finished(self) -> None:
        self.finished += 1


@pytest.fixture
def make_runner(qtbot: QtBot) -> Iterator[Callable[..., TaskRunner]]:
    made: list[TaskRunner] = []

    def make(**times: int) -> TaskRunner:
        made.append(TaskRunner("work", None, **times))
        return made[-1]

    yield make
    for runner in made:
        runner.stop()


@pytest.fixture
def runner(make_runner: Callable[..., TaskRunner]) -> TaskRunner:
    return make_runner()


def task(*steps: tuple[str, Callable[[Watch], Any]]) -> Callable[[], list[Step]]:
    return lambda: [Step(name, compute) for name, compute in steps]


def answering(value: int) -> Callable[[Watch], int]:
    return lambda _: value


def ended(runner: TaskRunner, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not runner.is_running, timeout=WAIT_MS)


def test_steps_answer_in_order_off_the_windows_thread(runner: TaskRunner, qtbot: QtBot) -> None:
    told, threads = Told(runner), set[int]()

    def compute(value: int, watch: Watch) -> int:
        threads.add(threading.get_ident())
        watch.progress(0.5)
        return value

    runner.run(task(("one", partial(compute, 1)), ("two", partial(compute, 2))))
    assert runner.is_running
    ended(runner, qtbot)
    assert told.answers == [("one", 1), ("two", 2)]
    assert told.shares == [("one", 0.0), ("one", 0.5), ("two", 0.0), ("two", 0.5)]
    assert told.finished == 1
    assert threading.get_ident() not in threads


def test_an_answer_may_be_followed_by_a_better_one_and_is_told_once(runner: TaskRunner, qtbot: QtBot) -> None:
    told, rough, fine = Told(runner), object(), object()

    def compute(watch: Watch) -> object:
        watch.answer(rough)
        watch.answer(fine)
        return fine

    runner.run(task(("curve", compute)))
    ended(runner, qtbot)
    assert told.answers == [("curve", rough), ("curve", fine)]


def test_a_step_that_fails_is_told_and_the_others_go_on(runner: TaskRunner, qtbot: QtBot, tmp_path: Path) -> None:
    told = Told(runner)

    def fails(_: Watch) -> None:
        raise ValueError("no such thing")

    def misreads(_: Watch) -> None:
        raise FileProblem(tmp_path / "a.csv", "line 2", "a number is expected", "Write one")

    runner.run(task(("first", fails), ("file", misreads), ("last", lambda _: 3)))
    ended(runner, qtbot)
    assert told.failures[0] == ("first", "no such thing")
    assert "a.csv" in told.failures[1][1]
    assert told.answers == [("last", 3)]
    assert told.finished == 1


def test_a_search_too_large_is_told_in_a_sentence_and_logged_as_no_fault(
    runner: TaskRunner, qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    def asks_for_too_much(_: Watch) -> None:
        raise TooManyCandidates(250_640, 100_000)

    told = Told(runner)
    runner.run(task(("plan", asks_for_too_much)))
    ended(runner, qtbot)
    assert re.match("This search has 250.640 candidates; at most 100.000 are planned at once.", told.failures[0][1])
    assert not caplog.records


def test_of_many_tasks_asked_for_in_one_turn_only_the_newest_runs(runner: TaskRunner, qtbot: QtBot) -> None:
    told = Told(runner)
    for number in range(60):
        runner.run(task(("edit", answering(number))))
    ended(runner, qtbot)
    assert told.answers == [("edit", 59)]


def test_a_newer_task_takes_the_place_of_one_that_runs(runner: TaskRunner, qtbot: QtBot) -> None:
    told, old = Told(runner), Work()
    runner.run(task(("old", old)))
    qtbot.waitUntil(old.began.is_set, timeout=WAIT_MS)
    runner.run(task(("new", lambda _: "newest")))
    ended(runner, qtbot)
    assert old.saw_cancel.is_set()
    assert told.answers == [("new", "newest")]
    assert told.failures == []
    assert told.finished == 1


@pytest.mark.parametrize(("takes_ms", "patience_ms"), [(0, 10_000), (120, 60)])
def test_quick_work_is_not_given_up_for_a_newer_task(
    make_runner: Callable[..., TaskRunner], qtbot: QtBot, takes_ms: int, patience_ms: int
) -> None:
    """Slower than the runner's patience, it is. Where it is quick, a busy machine must not make it slow."""
    runner = make_runner(patience_ms=patience_ms)
    told, first = Told(runner), Work()
    runner.run(task(("first", first)))
    qtbot.waitUntil(first.began.is_set, timeout=WAIT_MS)
    runner.run(task(("second", lambda _: "second")))
    runner.run(task(("third", lambda _: "third")))
    qtbot.wait(takes_ms)
    first.may_end.set()
    ended(runner, qtbot)
    is_quick = takes_ms == 0
    assert first.saw_cancel.is_set() is not is_quick
    assert told.answers == ([("first", "done")] if is_quick else []) + [("third", "third")]


def test_cancelling_is_told_at_once_and_seen_by_the_work_within_50_ms(runner: TaskRunner, qtbot: QtBot) -> None:
    told, work = Told(runner), Work()
    runner.run(task(("long", work)))
    qtbot.waitUntil(work.began.is_set, timeout=WAIT_MS)
    start_s = time.perf_counter()
    runner.cancel()
    assert not runner.is_running
    assert time.perf_counter() - start_s < 0.05
    assert work.saw_cancel.wait(WAIT_MS / 1000)
    assert work.gave_up_at_s - start_s < 0.05
    qtbot.wait(20)
    assert (told.answers, told.failures, told.finished) == ([], [], 0)
    runner.run(task(("next", lambda _: 1)))
    ended(runner, qtbot)
    assert told.answers == [("next", 1)]


def test_nothing_begins_within_the_pause_and_the_steps_are_asked_for_after_it(
    make_runner: Callable[..., TaskRunner], qtbot: QtBot
) -> None:
    runner, asked = make_runner(pause_ms=80), list[int]()

    def ask(number: int) -> list[Step]:
        asked.append(number)
        return [Step("one", lambda _: number)]

    runner.run(lambda: ask(1))
    qtbot.wait(50)
    runner.run(lambda: ask(2))
    qtbot.wait(50)
    assert asked == []
    ended(runner, qtbot)
    assert asked == [2]
    runner.run(lambda: ask(3))
    runner.cancel()
    qtbot.wait(120)
    assert asked == [2]


def test_a_task_without_steps_leaves_what_runs_alone(runner: TaskRunner, qtbot: QtBot) -> None:
    told, work = Told(runner), Work()
    runner.run(task(("long", work)))
    qtbot.waitUntil(work.began.is_set, timeout=WAIT_MS)
    runner.run(list)
    qtbot.wait(20)
    work.may_end.set()
    ended(runner, qtbot)
    assert told.answers == [("long", "done")]
    runner.run(list)
    ended(runner, qtbot)
    assert told.finished == 2


def test_a_task_waits_until_the_window_has_drawn(runner: TaskRunner, qtbot: QtBot) -> None:
    told, at_drawing = Told(runner), list[bool]()
    parent = QObject()
    turn = DrawingTurn(parent, lambda: at_drawing.append(bool(told.shares)))
    turn.start()
    runner.run(task(("one", lambda _: 1)))
    ended(runner, qtbot)
    assert at_drawing == [False]
    assert told.answers == [("one", 1)]


def test_a_thread_that_ends_in_time_leaves_nothing(qtbot: QtBot) -> None:
    runner, work = TaskRunner("brief"), Work()
    runner.run(task(("one", work)))
    qtbot.waitUntil(work.began.is_set, timeout=WAIT_MS)
    runner.stop()
    assert work.saw_cancel.is_set()
    assert not are_threads_left()


def test_a_thread_that_goes_on_outlives_its_window(qtbot: QtBot, caplog: pytest.LogCaptureFixture) -> None:
    began, may_end = threading.Event(), threading.Event()

    def deaf(_: Watch) -> None:
        began.set()
        may_end.wait(60)

    runner = TaskRunner("patient")
    runner.run(task(("one", deaf)))
    qtbot.waitUntil(began.is_set, timeout=WAIT_MS)
    runner.stop(wait_ms=10)
    assert "the patient thread did not stop within 10 ms" in caplog.text
    assert are_threads_left()
    # Qt would end the program here, were the thread still its owner's.
    runner.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    may_end.set()
    qtbot.waitUntil(lambda: not are_threads_left(), timeout=WAIT_MS)


def test_a_plan_of_another_project_is_let_go(qtbot: QtBot) -> None:
    """It is ten megabytes, and nobody asks for it again."""
    before = synthetic.results(100)
    other = replace(before, project=Project(name="Another project"))
    tasks = EstateTasks(lambda: None)
    tasks.keep_plan(before.scenario, before.plan, before)
    asked: list[str] = []

    def make() -> Plan:
        asked.append("again")
        return before.plan

    assert tasks.plan_of(before.scenario, before, make) is before.plan
    assert not asked
    tasks.follow(other)
    qtbot.wait(2 * PAUSE_MS)
    tasks.plan_of(before.scenario, before, make)
    assert asked
    tasks.stop()
