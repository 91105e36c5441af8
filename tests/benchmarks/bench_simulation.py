"""Prints how fast the load model is: closed form, load curve, long runs; as requests per second of one core."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import numpy as np

from gpuplanner_gui.domain.quantity import Lognormal
from gpuplanner_gui.engine.cancelling import CancelledError
from gpuplanner_gui.engine.simulation.curve import load_curve
from gpuplanner_gui.engine.simulation.pool import Routing
from gpuplanner_gui.engine.simulation.replica import RunControl
from gpuplanner_gui.engine.simulation.result import LatencyTarget, summarised
from gpuplanner_gui.engine.simulation.service import Service
from gpuplanner_gui.engine.simulation.settings import ReplicaSettings
from gpuplanner_gui.engine.simulation.traffic import (
    Lengths,
    TrafficClass,
    TrafficSample,
    traffic_sample,
)
from tests.engine.load.linear import LinearStepTime, service

POINTS, POINT_REQUESTS, POINTS_BUDGET_S = 20, 2000, 1.0
COARSE_BUDGET_S = 0.1
TRACE_REQUESTS, TRACE_BUDGET_S = 100_000, 3.0
CANCEL_BUDGET_S = 0.05

STEP_TIME = LinearStepTime(6.8e-3, 29.4e-6, 55.9e-9)
SETTINGS = ReplicaSettings(256, 2048, 400_000)
CHAT = TrafficClass(1.0, Lengths(Lognormal(650, 1.0), 8000), Lengths(Lognormal(150, 0.8), 2000))
TARGETS = (LatencyTarget("ttft", 0.95, 0.5), LatencyTarget("tpot", 0.95, 0.03))

T = TypeVar("T")


def timed(run: Callable[[], T]) -> tuple[float, T]:
    """Seconds of processor time, which other programs do not lengthen."""
    start = time.process_time()
    result = run()
    return time.process_time() - start, result


def report(what: str, seconds: float, budget_s: float, note: str = "") -> None:
    print(f"{what}: {seconds * 1000:.1f} ms, {seconds / budget_s:.2f} of the budget of {budget_s * 1000:.0f} ms{note}")


def chat(count: int) -> TrafficSample:
    return traffic_sample([CHAT], count, seed=1)


def points(made: Service) -> None:
    capacity = made.saturation_rate_per_s()

    def run() -> None:
        for load in np.linspace(0.05, 1.05, POINTS):
            summarised(made.run(float(load) * capacity), float(load) * capacity)

    seconds = min(timed(run)[0] for _ in range(3))
    rate = POINTS * POINT_REQUESTS / seconds
    report(f"{POINTS} loads × {POINT_REQUESTS} requests", seconds, POINTS_BUDGET_S, f", {rate:,.0f} requests/s")


def curve(made: Service) -> None:
    seconds, _ = timed(lambda: next(load_curve(made, TARGETS)))
    report("first coarse curve", seconds, COARSE_BUDGET_S)
    seconds, curves = timed(lambda: list(load_curve(made, TARGETS)))
    final = curves[-1]
    print(f"final curve with bisection for the targets: {seconds * 1000:.0f} ms, {len(curves)} answers,", end=" ")
    print(f"capacity {final.max_rate_per_s:.2f}/s, within targets {final.slo_rate_per_s:.2f}/s")


def trace() -> None:
    for what, one in (("lognormal", CHAT), ("fixed", TrafficClass(1.0, Lengths(1000), Lengths(200)))):
        made = service(STEP_TIME, SETTINGS, traffic_sample([one], TRACE_REQUESTS, seed=1))
        seconds, result = timed(partial(made.run, 10.0))
        note = f", {TRACE_REQUESTS / seconds:,.0f} requests/s, Little's law within {result.littles_law_error:.1e}"
        report(f"{TRACE_REQUESTS} requests, {what} lengths, one replica", seconds, TRACE_BUDGET_S, note)


def pool() -> None:
    made = service(STEP_TIME, SETTINGS, chat(20_000), replicas=8, routing=Routing.LEAST_LOAD)
    seconds, _ = timed(lambda: made.run(80.0))
    print(f"20000 requests, 8 replicas, least load: {seconds * 1000:.0f} ms, {20_000 / seconds:,.0f} requests/s")


def cancel() -> None:
    """Longest processor time between two questions whether to stop, under heavy load."""
    asked: list[float] = []

    def is_cancelled() -> bool:
        asked.append(time.process_time())
        return len(asked) > 200

    made = service(STEP_TIME, SETTINGS, chat(TRACE_REQUESTS))
    requests = made.traffic.at_rate(30.0)
    try:
        made.serve(requests, control=RunControl(is_cancelled))
    except CancelledError:
        report("longest wait for an answer to cancel", float(np.diff(asked).max()), CANCEL_BUDGET_S)


if __name__ == "__main__":
    one_replica = service(STEP_TIME, SETTINGS, chat(POINT_REQUESTS))
    points(one_replica)
    curve(one_replica)
    trace()
    pool()
    cancel()
