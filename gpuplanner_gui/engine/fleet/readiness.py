"""Is a service ready for what will go wrong: bursts, lost and reloaded replicas, a cold cache, longer prompts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import msgspec

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.load_result import Readiness, StressResult
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.trace import Trace
from gpuplanner_gui.domain.workload import ServingWorkload, request_of
from gpuplanner_gui.engine.cancelling import checking
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.decision.verdicts import judged
from gpuplanner_gui.engine.fleet.fleet_sizing import fleet_sizing
from gpuplanner_gui.engine.fleet.stress import (
    CALM_REQUESTS,
    CALM_TIMES,
    Disturbance,
    StressTest,
    StressTooLongError,
    Users,
    of_the_whole,
    stress,
)
from gpuplanner_gui.engine.serving.curves import serving_candidate
from gpuplanner_gui.engine.simulation.candidate_load import candidate_service, scenario_targets
from gpuplanner_gui.engine.simulation.curve import FINE_REQUESTS
from gpuplanner_gui.engine.simulation.replica import RunControl
from gpuplanner_gui.engine.simulation.result import LatencyTarget, SimulationResult
from gpuplanner_gui.engine.simulation.service import Service

MOST_REQUESTS = 30_000
"""Requests of one test; a service that would get more is simulated smaller, at the same rate per replica that is up,
and where few replicas get very many, through a shorter part of the disturbance."""
FEWEST_REPLICAS, MOST_REPLICAS = 8, 256
"""Fewest and most simulated replicas; each has its own queue, and a few hundred behave as millions would."""
WATCHED_S = 60.0
PROMPT_FACTOR = 1.5
SHORT_BURST_S = 10.0
LONG_BURST_S = 60.0
MIDDLE = (0.3, 0.7)
"""Part of a run's requests over which the rate of users is taken."""
SAME_RATE = 0.01
"""A rate of users that differs from the plan's by a smaller share is the plan's: the difference is chance."""
RELOAD_WAVES = 2
"""Waves of a rolling reload that are simulated: the later ones are like them."""


def readiness(
    scenario: Scenario,
    catalog: Catalog,
    calibration: Calibration,
    plan: Plan,
    candidate: int,
    *,
    replica_start_s: float,
    trace: Trace | None = None,
    seed: int = 0,
    is_cancelled: Callable[[], bool] | None = None,
) -> Iterator[Readiness]:
    """Stress a candidate's whole fleet at its peak rate; one more test in every answer.

    Parameters
    ----------
    replica_start_s : float
        Time until a lost replica is replaced, and that a reload takes. [s]

    Raises
    ------
    ValueError
        For a plan without serving, a candidate that does not fit, or a test of more requests than can be simulated.
    CancelledError
        When `is_cancelled` says so.
    """
    serving = scenario.serving
    if plan.serving is None or serving is None or not plan.serving.table.fits[candidate]:
        raise ValueError("the candidate does not fit")
    stated = float(plan.serving.table.replicas[candidate])
    replicas = int(stated) if math.isfinite(stated) and stated >= 1 else 1
    is_by_users, rate = serving.traffic.arrivals == "users", plan.serving.peak_rate_per_s
    e2e_s = float(plan.serving.table.e2e_mean_s[candidate])
    held = rate * e2e_s if math.isfinite(e2e_s) else 0.0
    simulated = simulated_replicas(replicas, rate, serving, replica_start_s, CALM_TIMES * held)
    service = candidate_service(
        scenario, context_of(catalog, calibration), serving_candidate(plan, candidate), FINE_REQUESTS, seed, trace,
        simulated,
    )  # fmt: skip
    targets = scenario_targets(scenario, trace)
    has_cached = bool(service.traffic.requests.cached_tokens.any())
    calm = max(float(CALM_REQUESTS), CALM_TIMES * held * simulated / replicas)
    tests = tuple(
        replace(one, calm_requests=calm)
        for one in planned_tests(serving, simulated, replica_start_s, has_cached, replicas, scenario.model)
    )
    control, users, rate = RunControl(is_cancelled), None, rate * simulated / replicas
    if is_by_users:
        number = max(round(central(serving.traffic.users) * simulated / replicas), 1)
        users = Users(number, central(serving.traffic.think_time_s))
        # The whole fleet serves them faster than the replicas that carry the peak, so they ask more often.
        measured = steady_rate_per_s(service.run_users(number, users.think_s, control=control))
        rate = rate if abs(measured / rate - 1) < SAME_RATE else measured
    capacity = float(plan.serving.table.max_rate_per_s[candidate])
    yield from _tested(service, targets, tests, candidate, replicas, rate, control, users, capacity)


def steady_rate_per_s(result: SimulationResult) -> float:
    """Requests that users send per second, between the first who ask and the last who do. [1/s]"""
    first, last = (int(share * (len(result.sent_s) - 1)) for share in MIDDLE)
    return float((last - first) / (result.sent_s[last] - result.sent_s[first]))


def _tested(
    service: Service,
    targets: Sequence[LatencyTarget],
    tests: Sequence[StressTest],
    candidate: int,
    replicas: int,
    rate: float,
    control: RunControl,
    users: Users | None,
    capacity_per_s: float,
) -> Iterator[Readiness]:
    calm_s = min(LONG_BURST_S, MOST_REQUESTS / rate) if tests else CALM_REQUESTS / rate
    before = tests[0].calm_requests if tests else CALM_REQUESTS
    calm = StressTest(Disturbance.BURST, calm_s, watched_s=0.0, factor=1.0, named="steady", calm_requests=before)
    found = Readiness(
        candidate=candidate,
        replicas=replicas,
        simulated_replicas=service.replicas,
        rate_per_s=rate,
        steady=stress(service, rate, calm, targets, control, users),
        tests=(),
        is_complete=not tests,
    )
    yield found
    done: list[StressResult] = []
    usual_s = [one.measured_s for one in found.steady.targets]
    for planned in tests:
        part = planned.share_of_lost
        asking = None if users is None else replace(users, number=max(round(users.number * part), 1))
        share = 1.0 if asking else share_simulated(planned, rate * part)
        result = stress(service, rate * part, planned.shortened(share), targets, control, asking)
        if share < 1.0:
            piles_up = _piles_up(planned, rate * part / capacity_per_s, service.replicas)
            result = of_the_whole(result, planned, share, usual_s, piles_up)
        done.append(result)
        yield msgspec.structs.replace(found, tests=tuple(done), is_complete=len(done) == len(tests))


def share_simulated(test: StressTest, rate_per_s: float) -> float:
    """Part of a disturbance that is simulated, with the time watched: all, or as long as `MOST_REQUESTS` last. [1]"""
    wanted = rate_per_s * (max(test.factor, 1.0) * test.disturbed_s + test.watched_s)
    return min(MOST_REQUESTS / wanted, 1.0)


def _piles_up(test: StressTest, busy_replicas: float, replicas: int) -> bool:
    """Whether more comes during a disturbance than is done: `busy_replicas` are as many as the usual load fills."""
    lost = 0 if test.disturbance is Disturbance.BURST else test.at_once or len(test.replicas)
    grows = test.disturbance is Disturbance.COLD_CACHE
    return grows or busy_replicas * max(test.factor, 1.0) >= replicas - lost


def simulated_replicas(
    replicas: int, rate_per_s: float, serving: ServingWorkload, replica_start_s: float, calm_requests: float = 0.0
) -> int:
    """Replicas to simulate: all of them, or so many fewer that a test stays within `MOST_REQUESTS`.

    Never more than `MOST_REPLICAS`; never fewer than the zones, so that one of them can be lost.
    """
    longest_s = RELOAD_WAVES * replica_start_s + WATCHED_S
    wanted = max(calm_requests, CALM_REQUESTS) + rate_per_s * longest_s
    if wanted <= MOST_REQUESTS:
        return min(replicas, MOST_REPLICAS)
    fewest = max(FEWEST_REPLICAS, 2 * serving.availability.zones)
    return min(replicas, max(fewest, min(math.floor(replicas * MOST_REQUESTS / wanted), MOST_REPLICAS)))


def planned_tests(
    serving: ServingWorkload,
    replicas: int,
    replica_start_s: float,
    has_cached_prefixes: bool,
    of: int = 0,
    model: Model | None = None,
) -> tuple[StressTest, ...]:
    """Which disturbances a scenario calls for; users who wait for their answers ask in no bursts.

    `replicas` are simulated, of so many; 0: of themselves. Documents and audio for `model` may be longer; images and
    videos are of the size that is stated.
    """
    whole = max(of, replicas)

    def losing(code: str, test: StressTest, lost: int, lost_of_whole: int) -> StressTest:
        share = (1 - lost / replicas) / (1 - lost_of_whole / whole) if lost < replicas else 1.0
        return replace(test, named=code, share_of_lost=share)

    traffic, zones = serving.traffic, serving.availability.zones
    if traffic.is_batch:  # Nobody waits: what is lost is run again, within the time that the fleet has left.
        return ()
    _, short, long = traffic.busiest_windows
    peaks = ((SHORT_BURST_S, short), (LONG_BURST_S, long))
    tests = [
        StressTest(Disturbance.BURST, duration_s, WATCHED_S, max(peak, 1.0))
        for duration_s, peak in peaks
        if traffic.arrivals != "users"
    ]
    loss = StressTest(Disturbance.REPLICA_LOSS, replica_start_s, WATCHED_S, replicas=(0,))
    tests.append(losing("replica_loss", loss, 1, 1))
    if zones > 1 and replicas >= zones:
        in_zone = tuple(range(math.ceil(replicas / zones)))
        loss = StressTest(Disturbance.REPLICA_LOSS, replica_start_s, WATCHED_S, replicas=in_zone)
        tests.append(losing("zone_loss", loss, len(in_zone), math.ceil(whole / zones)))
    replaced = serving.start.replaced_at_once
    at_once = min(max(round(replaced * replicas / whole), 1), max(replicas - 1, 1))
    reloaded = tuple(range(min(replicas, at_once * RELOAD_WAVES)))
    reload = StressTest(Disturbance.RELOAD, replica_start_s, WATCHED_S, replicas=reloaded, at_once=at_once)
    tests.append(losing("reload", reload, at_once, min(replaced, max(whole - 1, 1))))
    if has_cached_prefixes:
        tests.append(StressTest(Disturbance.COLD_CACHE, LONG_BURST_S, WATCHED_S))
    kinds = {"text"} if model is None else {request_of(one, model) for one in serving.classes}
    if kinds <= {"text"} or kinds <= {"document", "audio"}:
        longer = Disturbance.LONGER_PROMPTS if "text" in kinds else Disturbance.LONGER_REQUESTS
        tests.append(StressTest(longer, LONG_BURST_S, WATCHED_S, PROMPT_FACTOR))
    return tuple(tests)


def stressed_plan(
    scenario: Scenario,
    catalog: Catalog,
    calibration: Calibration,
    plan: Plan,
    seed: int,
    is_cancelled: Callable[[], bool] | None = None,
) -> Plan:
    """The plan with the stress tests of its serving fleet and its verdict; without tests where none can be run.

    Raises CancelledError.
    """
    check = checking(is_cancelled)
    stress: Readiness | None = None
    answer, serving = plan.serving, scenario.serving
    if serving is not None and answer is not None and answer.best >= 0 and answer.table.meets_targets[answer.best]:
        start_s = fleet_sizing(scenario, plan, answer.best).start.total_s
        steps = readiness(
            scenario, catalog, calibration, plan, answer.best,
            replica_start_s=start_s, seed=seed % 2**32, is_cancelled=is_cancelled,
        )  # fmt: skip
        try:
            for step in steps:
                check()
                stress = step
        except StressTooLongError:
            stress = None
    return judged(scenario, plan, context_of(catalog, calibration), seed, check, stress)
