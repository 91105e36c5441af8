"""The recommended fleet simulated before its answer is final: whether it keeps the targets, else how many replicas do.

A plan's own numbers are a quick estimate in closed form. Where the simulation, with the file's seed, says otherwise by
more than chance, the number of replicas follows it, and the candidates are ranked anew.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import cache, partial

import msgspec
import numpy as np

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.curves import SimulatedFleet
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.plan import Plan, Reason, ServingPlan
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.advisor import findings
from gpuplanner_gui.engine.cancelling import checking
from gpuplanner_gui.engine.context import Context, context_of
from gpuplanner_gui.engine.decision.sized_plan import EXPECTED, sized_as_simulated, sized_plan, usd_of_fewer
from gpuplanner_gui.engine.fleet.readiness import stressed_plan
from gpuplanner_gui.engine.recent import aside
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.curves import serving_candidate
from gpuplanner_gui.engine.serving.demand import waits_to_be_full
from gpuplanner_gui.engine.serving.plan import planned
from gpuplanner_gui.engine.serving.ranking import price_tier, usd_with_doubt
from gpuplanner_gui.engine.serving.resizing import base_replicas_of, peak_rate_of, resized, with_latencies, with_row
from gpuplanner_gui.engine.simulation.arrays import smallest
from gpuplanner_gui.engine.simulation.candidate_load import candidate_service, scenario_targets
from gpuplanner_gui.engine.simulation.fleet_part import ASKS_PER_USER, REQUESTS, FleetPart, fleet_part, users_of
from gpuplanner_gui.engine.simulation.refusal import refused_fleet, told_as_refused, without
from gpuplanner_gui.engine.simulation.replica import RunControl
from gpuplanner_gui.engine.simulation.result import LatencyTarget, SimulationResult, keeps_up, measured_s, meets
from gpuplanner_gui.engine.simulation.service import Service
from gpuplanner_gui.engine.uncertainty.sampling import chance_asked

MOST_TIMES = 3
"""Replicas tried are up to this many times those of the quick estimate."""
MOST_LOOKED_AT = 400
"""Fleets at the head of the ranking among which rivals are looked for."""
MOST_CANDIDATES = 4
"""Recommendations that may fall, one after the other."""
MOST_RIVALS = 2
"""Simulated beside a recommendation, where the simulation might make them"""
HOPED = 1.1
"""so many times as much smaller as it made that one, or a replica smaller: how far the quick estimate, which takes
bursts for worse than they are, is off differs from fleet to fleet. A rival takes its place where it costs less than"""
CHEAPER = 0.98
"""of it."""
FEW = 8
"""Up to so many replicas runs that come near a limit are repeated, and it is tried how much more than needed they take;
of more, fewer than the quick estimate's have to stay clear of every limit, also in a run of"""
LONG = 24_000
"""requests: a queue near saturation is long in coming."""
RATE_STEP = 1.04
"""Ratio of one rate to the next where it is searched how much more a replica takes."""
NEAR, NEARLY_FULL, LONGER, LONGER_RUNS = 0.15, 0.85, 4, 3
"""Where a run comes so near to a limit, as a share of it, or keeps its targets with replicas so far loaded, waits
differ widely from run to run: this many runs with as many times the requests decide."""
SURE_SPREADS = 2.0
"""Standard deviations, of those runs' logarithms, by which they have to stay below a limit on average."""


def simulated_plan(
    scenario: Scenario,
    catalog: Catalog,
    calibration: Calibration,
    plan: Plan,
    seed: int = 0,
    is_cancelled: Callable[[], bool] | None = None,
    is_judged: bool = True,
) -> Plan:
    """The plan as it stands: its recommended fleet simulated and put under its stress tests, and what the limits of
    the scenario cost, found by planning again without each. The same object where there is nothing of this.

    Not simulated are plans that meet no target, and fleets without a target. `is_judged`: for one who reads verdict and
    findings; without, both stay those of the quick estimate, and candidates and fleet are the same.

    Raises
    ------
    CancelledError
        When `is_cancelled` says so.
    """
    context, control, check = context_of(catalog, calibration), RunControl(is_cancelled), checking(is_cancelled)

    def again(changed: Scenario, changed_context: Context, /, found: Plan | None = None) -> Plan:
        with aside():
            if found is None:
                return sized_plan(changed, changed_context, seed, check)[0]
            if changed.serving is None or found.serving is None:
                return found
            return _with_fleet_checked(changed, changed_context, found, seed % 2**32, control)

    final, is_simulated = plan, scenario.serving is not None and plan.serving is not None
    if is_simulated:
        final = _with_fleet_checked(scenario, context, plan, seed % 2**32, control, is_told=True)
    if not is_judged:
        return final
    found = findings(scenario, final, context, again)
    if not is_simulated and [one.code for one in found] == [one.code for one in plan.findings]:
        return plan
    final = msgspec.structs.replace(final, findings=found)
    return stressed_plan(scenario, catalog, calibration, final, seed, is_cancelled)


def _with_fleet_checked(
    scenario: Scenario, context: Context, plan: Plan, seed: int, control: RunControl, is_told: bool = False
) -> Plan:
    """The plan after simulations of the fleets that it recommends, until one stands; as it is without targets.

    `is_told`: for one who is told the fleet's chance. Other plans, which findings try by the dozen, simulate one rival,
    and only where the simulation made the recommended fleet smaller: they are told to cost no less than they would.
    """
    found = plan.serving
    assert found is not None
    quick, refused = found.table, list[SimulatedFleet]()
    for _ in range(MOST_CANDIDATES):
        if found.best < 0 or not found.table.meets_targets[found.best]:
            break
        checked = _checked(scenario, context, plan, found, seed, control, is_told)
        if checked is None:
            return plan
        found, is_settled = checked
        if found.simulated is not None and not found.simulated.replicas:
            refused.append(found.simulated)
        if is_settled:
            smaller = int(found.table.replicas[found.best] < quick.replicas[found.best])
            found = _after_rivals(scenario, context, plan, found, seed, control, MOST_RIVALS if is_told else smaller)
            break
    if refused and found.table.reason[found.best] == Reason.MISSES_TARGET:
        found = told_as_refused(found, scenario, refused)
    elif found.best >= 0 and found.table is not quick:
        found = with_latencies(found, scenario, context)
    return msgspec.structs.replace(plan, serving=msgspec.structs.replace(found, quick=plan.serving))


def _after_rivals(
    scenario: Scenario, context: Context, plan: Plan, found: ServingPlan, seed: int, control: RunControl, most: int
) -> ServingPlan:
    """The plan after simulations of what would cost less if they made it smaller."""
    for row, hoped in _rivals(scenario, context, plan, found)[:most]:
        if not hoped < CHEAPER * usd_with_doubt(scenario, found.table)[found.best]:
            break
        rival = msgspec.structs.replace(found, best=row, peak_rate_per_s=peak_rate_of(found, scenario, row))
        checked = _checked(scenario, context, plan, rival, seed, control)
        if checked is not None and checked[0].best == row:
            usd = checked[0].table.usd_per_hour
            found = checked[0] if usd[row] < CHEAPER * usd[found.best] else found
    return found


def _rivals(scenario: Scenario, context: Context, plan: Plan, found: ServingPlan) -> list[tuple[int, float]]:
    """Fleets that would cost less than the recommended one with somewhat fewer replicas, and what they would cost, the
    cheapest first. [USD/h]

    Fewer may be enough where by the quick estimate they carry the expected peak, or as many times that as the
    simulation made the recommended fleet smaller. Of one accelerator's at the same cost, the least loaded.
    """
    table, best = found.table, found.best
    shrunk = max(float(plan.served.table.replicas[best] / table.replicas[best]), 1.0)
    tier, usd = price_tier(scenario, context, table), usd_with_doubt(scenario, table)
    rows = table.order[table.reason[table.order] == Reason.NONE][:MOST_LOOKED_AT]
    rows = rows[(tier[rows] <= tier[best]) & (rows != best) & table.meets_targets[rows]]
    rows = rows[usd[rows] > 0]
    replicas = table.replicas[rows]
    fewer = np.maximum(np.minimum(np.floor(replicas / (HOPED * shrunk)), replicas - 1), 1)
    doubted = usd[rows] / table.usd_per_hour[rows]
    hoped = np.round(doubted * usd_of_fewer(scenario, context, found, rows, fewer), 6)
    rivals: dict[tuple[int, float], tuple[float, int]] = {}
    for place in np.flatnonzero(hoped < CHEAPER * usd[best]):
        row = int(rows[place])
        left = base_replicas_of(found, scenario, row) - float(replicas[place] - fewer[place])
        taken = float(table.slo_rate_per_s[row]) * shrunk * left
        if left >= 1 and (load := round(peak_rate_of(found, scenario, row) / taken, 3)) <= 1.0:
            kind = int(table.accelerator[row]), float(hoped[place])
            rivals[kind] = min(rivals.get(kind, (math.inf, 0)), (load, int(place)))
    return sorted(((int(rows[place]), least) for (_, least), (_, place) in rivals.items()), key=lambda one: one[1])


def _checked(
    scenario: Scenario,
    context: Context,
    plan: Plan,
    found: ServingPlan,
    seed: int,
    control: RunControl,
    is_told: bool = False,
) -> tuple[ServingPlan, bool] | None:
    """The plan after one simulation, and whether its recommendation stands; None where there is nothing to hold."""
    traffic = scenario.service.traffic
    is_held = bool(scenario_targets(scenario)) or traffic.is_batch
    if not is_held or not math.isfinite(base_replicas_of(found, scenario, found.best)):
        return None
    chosen = serving_candidate(msgspec.structs.replace(plan, serving=found), found.best)
    quick = _expected_base(scenario, context, chosen)
    asked = scenario, context, found, chosen, quick, seed, control
    simulated = _batch_simulated(*asked) if traffic.is_batch else _simulated(*asked, is_told)
    if not simulated.replicas:
        return without(found, scenario, context, simulated), False
    return _corrected(plan, found, scenario, context, simulated, control)


def _batch_simulated(
    scenario: Scenario, context: Context, found: ServingPlan, chosen: ServingCandidates, quick: float, seed: int,
    control: RunControl,
) -> SimulatedFleet:  # fmt: skip
    """Replicas that end a batch in time, by the rate at which one saturates; none where no request fits."""
    rate = candidate_service(scenario, context, chosen, REQUESTS, seed, None, 1).saturation_rate_per_s(control)
    utilisation = scenario.service.availability.target_utilisation
    if not rate > 0:
        return refused_fleet(scenario, found.best, int(quick), {int(quick): ()}, REQUESTS, seed)
    fewest = math.ceil(found.peak_rate_per_s / (rate * utilisation) - 1e-9)
    return SimulatedFleet(
        candidate=found.best, replicas=fewest, quick_replicas=int(quick), rate_share=quick / fewest, requests=REQUESTS,
        seed=seed,
    )  # fmt: skip


def _simulated(
    scenario: Scenario, context: Context, found: ServingPlan, chosen: ServingCandidates, quick: float, seed: int,
    control: RunControl, is_told: bool,
) -> SimulatedFleet:  # fmt: skip
    """The fewest replicas that keep the targets, and what each takes within them; none where too many would not."""
    targets, best = scenario_targets(scenario), found.best
    utilisation, traffic = scenario.service.availability.target_utilisation, scenario.service.traffic
    users, part = users_of(scenario), fleet_part(scenario, found, chosen, quick)
    count = max(part.requests, ASKS_PER_USER * (crowd := round(users * part.share)))
    service = candidate_service(scenario, context, chosen, count, seed, None, part.replicas)
    rate, tried = found.peak_rate_per_s * part.share / utilisation, dict[int, tuple[float, ...]]()

    def holds(replicas: int, times: float = 1.0) -> bool:
        first, whole = run(service.with_replicas(replicas), times), part.of_whole(replicas)
        tried[whole] = tuple(measured_s(first, one) for one in targets)
        is_kept = meets(first, targets)
        is_full = not users and times * rate > NEARLY_FULL * replicas * float(found.table.max_rate_per_s[best])
        if replicas > FEW:
            return is_kept and (replicas >= part.replicas or not _is_near(first, targets))
        if not (_is_near(first, targets) or (is_kept and is_full)):
            return is_kept
        longer = (again(replicas, LONGER * count, seed + 1 + one) for one in range(LONGER_RUNS))
        is_sure, tried[whole] = _sure_s((run(fleet, times) for fleet in longer), targets)
        return is_sure

    def run(fleet: Service, times: float = 1.0) -> SimulationResult:
        if users:
            return fleet.run_users(max(round(times * crowd), 1), central(traffic.think_time_s), control=control)
        return fleet.run(times * rate, control=control)

    def again(replicas: int, requests: int, other_seed: int) -> Service:
        return candidate_service(scenario, context, chosen, requests, other_seed, None, replicas)

    def lasts(replicas: int) -> bool:
        result = run(again(replicas, max(LONG, count), seed + 1))
        return meets(result, targets) and not _is_near(result, targets)

    least = _fewest_carrying(found, part, users)
    if waits_to_be_full(scenario.service):
        both = sorted({utilisation, 1.0})  # A batch takes longest to fill at the peak without its headroom.
        fewest = _fewest_filled(lambda one: all(holds(one, times) for times in both), part.replicas, least)
    else:
        fewest = _fewest_lasting(lasts, _fewest(holds, part.replicas, least), part.replicas)
    if not fewest:
        return refused_fleet(scenario, best, int(quick), tried, count, seed)
    needed = part.of_whole(fewest)
    # The rate of a fleet that stays as it is counts in its chance alone.
    taken: float = 1.0
    shares: tuple[float, ...] = ()
    if is_told or needed != quick or base_replicas_of(found, scenario, best) > quick:
        more = cache(lambda times: run(service.with_replicas(fewest), times))
        clear = (partial(_is_clear_of, one, more) for one in targets)
        taken, shares = _shares_taken(scenario, found, quick, needed, fewest, clear)
    return SimulatedFleet(
        candidate=best, replicas=needed, quick_replicas=int(quick), rate_share=taken, limit_shares=shares,
        requests=count, seed=seed,
    )  # fmt: skip


def _shares_taken(
    scenario: Scenario, found: ServingPlan, quick: float, needed: int, fewest: int,
    clear: Iterable[Callable[[float], bool]],
) -> tuple[float, tuple[float, ...]]:  # fmt: skip
    """Rate that each of the fewest replicas takes over the quick estimate's, within all targets and within each."""
    table, best = found.table, found.best
    each, users = float(table.slo_rate_per_s[best]), users_of(scenario)
    # More users ask no more often than they are answered, whatever replicas of the quick estimate take.
    carried = float(table.max_rate_per_s[best]) if users else math.inf
    most = carried * needed if users else quick * each
    peak = found.peak_rate_per_s / scenario.service.availability.target_utilisation
    need = min(max(peak, (quick - 1.0) * each), most)
    loads = [min(rate_of_replica(need / needed, fewest, one), carried) for one in clear]
    taken = max(min(loads) / each, 1.0 if needed == quick else 0.0)
    end = RATE_STEP**-2 * MOST_TIMES * need / needed if fewest <= FEW else 0.0
    return taken, tuple(max(load / each, taken) if load < end else math.inf for load in loads)


def _fewest_carrying(found: ServingPlan, part: FleetPart, users: float) -> int:
    """Replicas of the part that carry its load: fewer, with a queue that grows without end, keep targets that limit no
    wait."""
    carried = 0.0 if users else found.peak_rate_per_s * part.share / float(found.table.max_rate_per_s[found.best])
    return min(max(math.ceil(carried), 1), part.replicas) if math.isfinite(carried) else part.replicas


def _is_clear_of(target: LatencyTarget, run: Callable[[float], SimulationResult], times: float) -> bool:
    """Whether a multiple of the rate is served and keeps a target by more than chance."""
    result = run(times)
    return keeps_up(result) and not measured_s(result, target) > (1.0 - NEAR) * target.limit_s


def _corrected(
    plan: Plan,
    found: ServingPlan,
    scenario: Scenario,
    context: Context,
    simulated: SimulatedFleet,
    control: RunControl,
) -> tuple[ServingPlan, bool]:
    """The plan with the replicas that the simulation found, and whether its recommendation stands."""
    best, replicas, table = found.best, simulated.replicas, found.table
    is_enough = simulated.rate_share == 1.0 or base_replicas_of(found, scenario, best) <= replicas
    stays = replicas == simulated.quick_replicas and is_enough
    columns = {}
    if replicas != simulated.quick_replicas or math.isnan(table.replicas_expected[best]):
        chosen = serving_candidate(msgspec.structs.replace(plan, serving=found), best)
        columns["replicas_expected"] = _as_expected(scenario, context, chosen, float(replicas)).table.replicas[0]
    if not stays:
        columns["slo_rate_per_s"] = simulated.rate_share * table.slo_rate_per_s[best]
        columns["headroom"] = columns["slo_rate_per_s"] / table.load_per_replica_per_s[best] - 1.0
    simulated = msgspec.structs.replace(simulated, is_in_table=not stays)
    found = msgspec.structs.replace(found, simulated=simulated, table=with_row(table, best, columns))
    if stays:
        return found, True
    if chance_asked(scenario) <= EXPECTED:
        found = resized(found, scenario, context, np.array([best]), np.array([float(replicas)]))
    else:
        whole = msgspec.structs.replace(plan, serving=found)
        found = sized_as_simulated(scenario, whole, context, simulated.seed, control.look)
    return found, found.best == best


def rate_of_replica(shown: float, replicas: int, holds: Callable[[float], bool]) -> float:
    """Rate that a replica takes within the targets if `replicas` are the fewest that are enough. [1/s]

    A simulation has shown that each takes `shown`; `holds` says whether it takes a multiple of that. The largest rate
    is searched for: `shown` depends on the load and the headroom asked for, what a replica takes does not.

    Examples
    --------
    >>> [round(rate_of_replica(shown, 2, lambda times: times * shown < 1.3), 2) for shown in (0.7, 1.0, 1.29)]
    [1.28, 1.28, 1.29]
    """
    if replicas > FEW:
        return shown
    first, last = math.floor(math.log(shown, RATE_STEP)), math.ceil(math.log(MOST_TIMES * shown, RATE_STEP))
    return max(shown, RATE_STEP ** (smallest(lambda step: not holds(RATE_STEP**step / shown), first, last) - 1))


def _is_near(result: SimulationResult, targets: tuple[LatencyTarget, ...]) -> bool:
    """Whether a run comes so near to a limit that chance decides."""
    return any(abs(measured_s(result, one) / one.limit_s - 1.0) < NEAR for one in targets)


def _sure_s(runs: Iterable[SimulationResult], targets: tuple[LatencyTarget, ...]) -> tuple[bool, tuple[float, ...]]:
    """Whether all runs keep the targets, and differ so little that another one would as well; and the latencies for
    which it is so: those of a run that misses one, else what another run would stay below. [s]"""
    logs = []
    for one in runs:
        seen_s = tuple(measured_s(one, target) for target in targets)
        if not meets(one, targets):
            return False, seen_s
        logs.append(
            [math.log(max(value, 1e-12) / target.limit_s) for value, target in zip(seen_s, targets, strict=True)]
        )
    most = np.mean(logs, axis=0) + SURE_SPREADS * np.std(logs, axis=0, ddof=1)
    worst_s = (math.exp(over) * target.limit_s for over, target in zip(most, targets, strict=True))
    return not bool((most > 0).any()), tuple(worst_s)


def _expected_base(scenario: Scenario, context: Context, chosen: ServingCandidates) -> float:
    """Replicas that carry the peak if every figure is as expected."""
    return max(base_replicas_of(_as_expected(scenario, context, chosen), scenario, 0), 1.0)


def _as_expected(
    scenario: Scenario, context: Context, chosen: ServingCandidates, base_replicas: float | None = None
) -> ServingPlan:
    """A candidate if every figure is as expected, with so many replicas that carry the peak or those of its targets."""
    terms = msgspec.structs.replace(scenario.economics.uncertainty, confidence="expected")
    economics = msgspec.structs.replace(scenario.economics, uncertainty=terms)
    base = None if base_replicas is None else np.array([base_replicas])
    return planned(msgspec.structs.replace(scenario, economics=economics), context, chosen, lambda: None, base)


def _fewest(holds: Callable[[int], bool], quick: int, least: int) -> int:
    """The fewest that hold, 0 if too many would not.

    Never fewer than `least`, which is at most `quick`.
    """
    if holds(quick):
        enough = max(quick - 1, least)
        if enough == quick or not holds(enough):
            return quick
        low, high = least - 1, enough
    else:
        low, high = quick, quick * MOST_TIMES
        if not holds(high):
            return 0
    return smallest(holds, low, high)


def _fewest_lasting(lasts: Callable[[int], bool], fewest: int, quick: int) -> int:
    """The fewest of more than a few, and fewer than the quick estimate's, that a longer run finds enough as well."""
    while FEW < fewest < quick and not lasts(fewest):
        fewest += 1
    return fewest


def _fewest_filled(holds: Callable[[int], bool], quick: int, least: int) -> int:
    """The same where batches wait to be full: far too many hold no better than too few."""
    strides = [stride for power in range(quick.bit_length() + 1) for stride in (2**power, -(2**power))]
    tried = (quick + stride for stride in (0, *strides) if least <= quick + stride <= MOST_TIMES * quick)
    found = next(filter(holds, tried), 0)
    while found > least and holds(found - 1):
        found -= 1
    return found
