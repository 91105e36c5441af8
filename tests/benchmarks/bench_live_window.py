"""Prints for how long at most another thread waits for Python while a long trace is read, described and replayed.

    python -m tests.benchmarks.bench_live_window [REQUESTS]

A window is that other thread. A wait is how long the work computed while the window's thread neither did so itself nor
stood in the queue for a processor, which other programs lengthen. Traces are read with a session for each request, as
Mooncake's lines with their blocks, and as plain columns.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gpuplanner_gui.desktop.tasks.runner import SWITCH_INTERVAL_S
from gpuplanner_gui.domain.quantity import Lognormal
from gpuplanner_gui.engine.cancelling import CancelledError
from gpuplanner_gui.engine.simulation.replica import RunControl
from gpuplanner_gui.engine.simulation.result import summarised
from gpuplanner_gui.engine.simulation.settings import ReplicaSettings
from gpuplanner_gui.engine.simulation.traffic import (
    Lengths,
    TrafficClass,
    trace_figures,
    trace_sample,
    traffic_sample,
)
from gpuplanner_gui.files.traces import read_trace
from tests.engine.load.linear import LinearStepTime, service

REQUESTS = 1_000_000
STALL_BUDGET_S = 0.05
CANCEL_BUDGET_S = 0.05
CANCEL_AFTER_S = (0.02, 0.1, 0.2, 1.0, 5.0)
"""While the columns of a run are made, early in the run, and late."""
TICK_S = 0.002
RATE_PER_S = 12.0
BLOCKS = 8


def queued_s() -> float:
    """For how long this thread has stood in the queue for a processor; 0 where the system does not tell."""
    try:
        told = Path(f"/proc/self/task/{threading.get_native_id()}/schedstat").read_text(encoding="ascii")
    except OSError:
        return 0.0
    return int(told.split()[1]) * 1e-9


class WaitWatch:
    """How long other threads of this program computed while this one could have gone on."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        self._own, self._all, self._queued = time.thread_time(), time.process_time(), queued_s()

    def lap_s(self) -> float:
        """The wait since the last call."""
        own, others = time.thread_time() - self._own, time.process_time() - self._all
        # A virtual processor that stands still counts as this thread's own work.
        waited = (others - own) - own - (queued_s() - self._queued)
        self._start()
        return max(waited, 0.0)


def longest_wait(what: str, work: Callable[[], Any]) -> Any:
    """Run on a thread of its own; print the longest time in which this one could not go on, and where that was."""
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(work()))
    started = time.perf_counter()
    thread.start()
    longest, place, watch = 0.0, "", WaitWatch()
    while thread.is_alive():
        time.sleep(TICK_S)
        waited = watch.lap_s()
        if waited > longest:
            longest = waited
            frame = sys._current_frames().get(thread.ident or 0)
            place = f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}" if frame is not None else "its end"
    print(
        f"{what}: {time.perf_counter() - started:.1f} s; longest wait {longest * 1000:.1f} ms at {place},"
        f" {longest / STALL_BUDGET_S:.2f} of the budget of {STALL_BUDGET_S * 1000:.0f} ms"
    )
    return found[0] if found else None


def write_trace(path: Path, count: int) -> None:
    """A trace in columns of usual names."""
    rng = np.random.default_rng(0)
    times = np.cumsum(rng.exponential(1 / RATE_PER_S, count))
    prompts = Lengths(Lognormal(650, 1.0), 8000).at(rng.random(count)).astype(int)
    outputs = Lengths(Lognormal(150, 0.8), 2000).at(rng.random(count)).astype(int) + 1
    with path.open("w", encoding="utf-8") as file:
        file.write("timestamp,input_tokens,output_tokens\n")
        file.writelines(f"{t:.4f},{max(p, 1)},{o}\n" for t, p, o in zip(times, prompts, outputs, strict=True))


def write_sessions(path: Path, count: int) -> None:
    """BurstGPT's columns, each request of a session of its own."""
    with path.open("w", encoding="utf-8") as file:
        file.write("Timestamp,Session ID,Model,Request tokens,Response tokens\n")
        file.writelines(f"{n / RATE_PER_S:.3f},{n},a,{100 + n % 300},{50 + n % 77}\n" for n in range(count))


def write_blocks(path: Path, count: int) -> None:
    """Mooncake's lines, each prompt of blocks that no other has."""
    with path.open("w", encoding="utf-8") as file:
        for n in range(count):
            blocks = list(range(n * BLOCKS, (n + 1) * BLOCKS))
            tokens = f'"input_length": {BLOCKS * 512}, "output_length": 52'
            file.write(f'{{"timestamp": {n * 80}, {tokens}, "hash_ids": {blocks}}}\n')


def cancelled(run: Callable[[Callable[[], bool]], Any], after_s: float) -> None:
    """Print how long a run's thread goes on after it is told to stop."""
    stop = threading.Event()

    def attempt() -> None:
        try:
            run(stop.is_set)
        except CancelledError:
            return

    thread = threading.Thread(target=attempt)
    thread.start()
    time.sleep(after_s)
    before = time.process_time()
    stop.set()
    thread.join()
    waited = time.process_time() - before
    print(f"cancelled after {after_s:g} s: {waited * 1000:.1f} ms, {waited / CANCEL_BUDGET_S:.2f} of the budget")


def main() -> None:
    """Read, describe, replay, summarise, cancel."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else REQUESTS
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    step_time = LinearStepTime(6.8e-3, 29.4e-6, 55.9e-9)
    settings = ReplicaSettings(256, 2048, 400_000)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.csv"
        for what, write in (("sessions", write_sessions), ("lines with blocks", write_blocks)):
            write(path, count)
            longest_wait(f"{count:,} {what} read", lambda: read_trace(path))
        write_trace(path, count)
        trace = longest_wait(f"{count:,} rows read", lambda: read_trace(path))
    longest_wait("described", lambda: trace_figures(trace))
    sample = longest_wait("made a load", lambda: trace_sample(trace, 1e6))
    under_test = longest_wait("service", lambda: service(step_time, settings, sample))
    for after_s in CANCEL_AFTER_S:
        cancelled(lambda is_cancelled: under_test.run(RATE_PER_S, control=RunControl(is_cancelled)), after_s)
    result = longest_wait("replayed", lambda: under_test.run(RATE_PER_S))
    longest_wait("summarised", lambda: summarised(result, RATE_PER_S))
    chat = TrafficClass(1.0, Lengths(Lognormal(650, 1.0), 8000), Lengths(Lognormal(150, 0.8), 2000))
    longest_wait("as many drawn from classes", lambda: traffic_sample([chat], count, seed=1).at_rate(RATE_PER_S))


if __name__ == "__main__":
    main()
