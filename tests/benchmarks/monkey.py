"""Random events in the window with a seed: kinds of exception, memory, and the longest turn of the window's thread.

python tests/benchmarks/monkey.py [EVENTS] [SEED] [MINUTES]      # 20000, 1 and no limit where not said

Goal: no exception; after five minutes of thirty, memory flat within 5 % and no turn over 50 ms. A turn is judged by the
processor time of the window's thread, without what the monkey takes to look for something to do; the time on the clock
stands beside it. A shared machine may do the same work in twice the processor time: so a loop of fixed length is timed
with each batch, and its time over the least that was seen stands beside the turns ("pace").
Memory is counted after the allocator has given back what nobody holds. Projects that the monkey has made differ by a
third: so every few minutes the example is opened anew, and what is held then is compared ("at rest").
"""

from __future__ import annotations

import math
import sys
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from gpuplanner_gui.desktop.tasks.runner import TaskRunner
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.paths import resources_dir
from tests.benchmarks.bench_frames import STALL_BUDGET_MS, Watch
from tests.benchmarks.bench_memory import resident_bytes
from tests.benchmarks.example_window import EXAMPLE, SMALL_SCREEN, example_window, settle, wait
from tests.desktop.monkey import Monkey

BATCH = 250
REST_EVERY_S = 150.0
REST_PAGE = "overview"
LONGEST_WORK_S = 120.0
PACE_LOOP = 100_000
TOLD = 3
"""Of the longest turns of a batch."""


def main() -> int:
    events, seed, minutes = (float(one) for one in [*sys.argv[1:], *("20000", "1", "inf")[len(sys.argv) - 1 :]])
    kinds: set[str] = set()
    with example_window() as window:
        monkey = Monkey(window, int(seed))

        def note(kind: type[BaseException], problem: BaseException, trace: TracebackType | None) -> None:
            last = traceback.extract_tb(trace)[-1]
            name = f"{kind.__name__} {last.filename}:{last.lineno}"
            if name not in kinds:
                kinds.add(name)
                traceback.print_exception(kind, problem, trace)
                print("  after:", *monkey.done[-6:], sep="\n    ")

        sys.excepthook = note
        watch = Watch()
        for look in ("_widgets", "_close_what_opened"):
            setattr(monkey, look, partial(spared, watch, getattr(monkey, look)))
        watch.start()
        pace = Pace()
        began, done, rests = time.perf_counter(), 0, 0
        while done < events and time.perf_counter() - began < 60 * minutes:
            monkey.run(BATCH)
            done += BATCH
            print(
                f"{done} events, {time.perf_counter() - began:.0f} s, {len(kinds)} kinds, {pace.told()}, {told(watch)}",
                flush=True,
            )
            if time.perf_counter() - began > REST_EVERY_S * (rests + 1):
                rests += 1
                print(f"at rest: {rest_bytes(window) / 1e6:.0f} MB", flush=True)
                watch.forget()
        watch.stop()
        window.file.unread = str  # What is half typed at the end asks for nothing.
    return 1 if kinds else 0


class Pace:
    """How much longer the machine takes for the same work than at its best in this run."""

    def __init__(self) -> None:
        self._least_s = math.inf

    def told(self) -> str:
        began = time.thread_time()
        sum(one * one for one in range(PACE_LOOP))
        spent_s = time.thread_time() - began
        self._least_s = min(self._least_s, spent_s)
        return f"pace {spent_s / self._least_s:.2f}"


def rest_bytes(window: MainWindow) -> int:
    """Memory with the example in the window, all of its answer drawn and nothing being worked out."""
    window.resize(*SMALL_SCREEN)
    wait(1)  # Opening a project is another turn.
    window.store.undo_stack.setClean()
    unread, window.file.unread = window.file.unread, str
    window.file.open_template(resources_dir() / "examples" / f"{EXAMPLE}.gpuplan")
    window.file.unread = unread
    if window.results_pane is not None:
        window.results_pane.show_page_named(REST_PAGE)  # What is worked out, and kept, depends on the page.
    settle(window)
    until = time.perf_counter() + LONGEST_WORK_S
    while time.perf_counter() < until and any(one.is_running for one in window.findChildren(TaskRunner)):
        settle(window)
    return resident_bytes()


def spared(watch: Watch, work: Callable[[], Any]) -> Any:
    """Its time is the monkey's, not the window's."""
    with watch.spared():
        return work()


def told(watch: Watch) -> str:
    """Memory and the longest turns since the last call, with where the thread was in them."""
    longest_ms, clock_ms = (max(turns, default=math.nan) for turns in (watch.busy_ms, watch.wall_ms))
    over = sum(one > STALL_BUDGET_MS for one in watch.busy_ms)
    places = ", ".join(f"{busy_ms:.0f} ms in {place}" for busy_ms, place in sorted(watch.places, reverse=True)[:TOLD])
    turns = f"{over} of {len(watch.busy_ms)} turns over {STALL_BUDGET_MS:.0f} ms"
    for seen in (watch.busy_ms, watch.wall_ms, watch.places):
        seen.clear()
    memory = resident_bytes()
    watch.forget()
    return f"{memory / 1e6:.0f} MB, {turns}, longest {longest_ms:.0f} ms, {clock_ms:.0f} ms on the clock: {places}"


if __name__ == "__main__":
    sys.exit(main())
