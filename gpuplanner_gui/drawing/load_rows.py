"""Simulated load as tables: stress tests, replicas and their start, the outcome of a search by targets."""

from __future__ import annotations

import math

from gpuplanner_gui.domain.constants import HOURS_PER_YEAR, SECONDS_PER_HOUR
from gpuplanner_gui.domain.load_result import (
    FleetSizing,
    PoolArrangement,
    Readiness,
    SearchOutcome,
    SearchResult,
    StressResult,
    TargetResult,
)
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.drawing.language import clauses, tr
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import Cell, Column, Rows, rows_of, table_of
from gpuplanner_gui.drawing.units import NOTHING, exact_text, format_value
from gpuplanner_gui.drawing.words.candidates import candidate_text, replicas_text
from gpuplanner_gui.drawing.words.simulated_fleet import split_parts_text

PASSED, FAILED = "✓", "✗"

_TESTS = {
    "steady": "Peak load",
    "burst": "Burst × {factor} for {time}",
    "replica_loss": "One replica lost for {time}",
    "zone_loss": "One zone lost: {count} replicas for {time}",
    "reload": "Rollout, {count} at a time: its first {time}",
    "cold_cache": "Prefix cache cold for {time}",
    "longer_prompts": "Prompts × {factor} for {time}",
    "longer_requests": "Requests × {factor} as long for {time}",
}


def test_name(test: StressResult) -> str:
    """A stress test in words."""
    words = tr(_TESTS[test.disturbance])
    return words.format(
        factor=format_value(test.factor, "", 2), time=format_value(test.duration_s, "s", 2), count=test.replicas_hit
    )


def target_text(target: TargetResult, scenario: Scenario) -> str:
    """TTFT p95; with its class where there are several."""
    name = f"{target.metric.upper()} p{target.percentile:g}"
    classes = scenario.serving.classes if scenario.serving is not None else ()
    if len(classes) > 1 and 0 <= target.class_index < len(classes):
        return f"{name}, {classes[target.class_index].name}"
    return name


def stress_rows(readiness: Readiness, scenario: Scenario) -> Rows:
    """One row for each test: whether it passed, each target with what was measured, the worst wait, recovery."""
    each = format_value(readiness.rate_per_s / readiness.simulated_replicas, "req/s")
    steady = tr("Peak load, {rate} per replica").format(rate=each)
    if scenario.serving is not None and scenario.serving.availability.spare_replicas:
        steady = tr("Peak load, {rate} per replica, spares included").format(rate=each)
    named = [(steady, readiness.steady), *((test_name(one), one) for one in readiness.tests)]
    measured = (
        (
            f"{target_text(target, scenario)} ≤ {format_value(target.limit_s, 's')}", "s",
            lambda one, place=place: one[1].targets[place].measured_s,
        )
        for place, target in enumerate(readiness.steady.targets)
    )  # fmt: skip
    worst = tr("Worst TTFT") if scenario.first_latency == "ttft" else tr("Worst wait")
    return table_of(
        named,
        (tr("Test"), "", lambda one: one[0]),
        (tr("Passed"), "", lambda one: PASSED if one[1].passes else FAILED),
        *measured,
        (worst, "s", lambda one: one[1].worst_ttft_s),
        (tr("Recovery after its end"), "", lambda one: _recovery_text(one[1])),
    )


def _recovery_text(test: StressResult) -> str:
    recovery = format_value(test.recovery_s, "s", 2) if math.isfinite(test.recovery_s) else tr("more than a minute")
    if test.rejected or test.unanswered:
        return tr("{count} not answered").format(count=test.rejected + test.unanswered)
    if test.preemptions:
        return tr("{time}, {count} preempted").format(time=recovery, count=format_value(test.preemptions))
    return recovery


def fleet_rows(fleet: FleetSizing, arrangement: PoolArrangement | None) -> Rows:
    """Name, value and what it means, for every figure of a fleet."""
    rows = [*_replica_rows(fleet), *_start_rows(fleet), *_day_rows(fleet)]
    if arrangement is not None:
        rows += _arrangement_rows(arrangement)
    return Rows((Column(tr("Figure")), Column(tr("Value")), Column(tr("Meaning"))), tuple(rows))


MORE_NINES = 10.0
"""An outage is told down to this part of the target's own. Below it, what is not modelled decides: failures of a whole
site, of software, of people. Our choice."""


def _replica_rows(fleet: FleetSizing) -> list[tuple[Cell, ...]]:
    basis = tr("simulated") if fleet.is_simulated else tr("quick estimate")
    rate = format_value(fleet.slo_rate_per_s, "req/s")
    if not fleet.base:
        return [(tr("Replicas"), NOTHING, tr("No rate meets the targets ({basis})").format(basis=basis))]
    peak = format_value(fleet.peak_rate_per_s, "req/s")
    up, outage = _availability_texts(fleet)
    split = split_parts_text(fleet.split) if fleet.split is not None else ""
    bare = tr("no headroom, confidence or spares: {peak} ÷ {rate} that a replica takes within its targets ({basis})")
    if fleet.is_batch:
        bare = tr("no headroom, confidence or spares: {peak} for the deadline ÷ {rate} that a replica takes ({basis})")
    rows: list[tuple[Cell, ...]] = [
        (tr("Replicas"), str(fleet.total), split),
        (
            tr("Replicas without any reserve"),
            str(max(1, math.ceil(fleet.peak_rate_per_s / fleet.slo_rate_per_s - 1e-9))),
            bare.format(peak=peak, rate=rate, basis=basis),
        ),
        *([(tr("Zones"), str(fleet.zones), tr("one of them may fail"))] if fleet.zones > 1 else []),
        (
            tr("Batches done in time despite failures") if fleet.is_batch else tr("Availability"),
            up,
            outage,
        ),
    ]
    if not fleet.is_batch:
        waiting = _waiting_text(fleet.waiting_share)
        rows.append((tr("Requests that wait because all batches are full"), waiting, _slots_text(fleet)))
    return rows


def _availability_texts(fleet: FleetSizing) -> tuple[str, str]:
    """The share of the time in which enough replicas are up, and what it means beside its target."""
    most = round(1 - (1 - fleet.availability_target) / MORE_NINES, 9)
    is_more = most < fleet.enough_up_share and fleet.replica_availability < 1
    up = format_value(fleet.enough_up_share, "share", 5)
    outage = format_value((1 - fleet.enough_up_share) * HOURS_PER_YEAR * SECONDS_PER_HOUR, "s", 2)
    if is_more:
        up = tr("over {share}").format(share=exact_text(most, "share"))
        outage = tr("under {time}").format(time=format_value((1 - most) * HOURS_PER_YEAR * SECONDS_PER_HOUR, "s", 2))
    said = tr("target {target}").format(target=exact_text(fleet.availability_target, "share"))
    if fleet.enough_up_share < fleet.availability_target and fleet.needed_for_availability:
        said = tr("{target}; needs {count} replicas").format(target=said, count=fleet.needed_for_availability)
    if fleet.is_batch:
        return up, said
    return up, tr("{outage} a year with too few replicas; {target}").format(outage=outage, target=said)


def _slots_text(fleet: FleetSizing) -> str:
    """How many requests run at once, and who asks them."""
    if fleet.users:
        asks = tr("{count} users wait for each answer before asking again").format(count=format_value(fleet.users))
        asks = tr("1 user waits for each answer before asking again") if fleet.users == 1 else asks
        at_once = tr("without spares, up to {slots} requests run at once").format(slots=format_value(fleet.slots))
        at_once = tr("without spares, 1 request at a time") if fleet.slots == 1 else at_once
        return clauses((at_once, asks))
    if fleet.slots == 1:
        return tr("without spares, at the peak; 1 request runs at a time")
    return tr("at the peak; without spares, up to {slots} requests run at once").format(slots=format_value(fleet.slots))


LEAST_WAITING = 1e-6
"""A smaller share of requests is none that anybody will meet."""


def _waiting_text(share: float) -> str:
    return (
        f"< {format_value(LEAST_WAITING, 'share', 2)}" if 0 < share < LEAST_WAITING else format_value(share, "share", 2)
    )


def _start_rows(fleet: FleetSizing) -> list[tuple[Cell, ...]]:
    start = fleet.start
    parts = (
        (tr("machine"), start.provision_s),
        (tr("image"), start.image_s),
        (tr("weights"), start.weights_s),
        (tr("compile"), start.compile_s),
        (tr("graphs"), start.graph_capture_s),
        (tr("warm-up"), start.warm_up_s),
    )
    told = [f"{name} {format_value(value, 's', 2)}" for name, value in parts if value > 0]
    # The order lists what the store gives all replicas: this is what one of them gets of it.
    size, replicas = format_value(fleet.weight_bytes, "bytes on disk"), max(fleet.total, 1)
    together_s = start.weights_s + fleet.start_together_s - start.total_s
    alone, together = (
        format_value(bytes_read / max(time_s, 1e-9), "bytes/s")
        for bytes_read, time_s in ((fleet.weight_bytes, start.weights_s), (replicas * fleet.weight_bytes, together_s))
    )
    explained = tr("{parts}; one replica reads its {size} of weights (1 GB = 10⁹ bytes) at {rate}").format(
        parts=" + ".join(told), size=size, rate=alone
    )
    rows: list[tuple[Cell, ...]] = [
        (tr("Cold start of one replica"), format_value(start.total_s, "s"), explained),
        (
            tr("Cold start of all replicas together"),
            format_value(fleet.start_together_s, "s"),
            tr("{replicas} read {rate} together from one store").format(
                replicas=replicas_text(replicas), rate=together
            ),
        ),
        (
            tr("Rollout of a new model to all replicas"),
            format_value(fleet.rollout_s, "s"),
            tr("{count} at a time, each with a cold start").format(
                count=format_value(fleet.replaced_at_once, "replicas")
            ),
        ),
    ]
    if not fleet.is_batch:
        free = format_value(fleet.headroom_per_s, "req/s", 2)
        rows.append((tr("Headroom that autoscaling needs"), free, _growth_text(fleet)))
    return rows


def _growth_text(fleet: FleetSizing) -> str:
    """How much the load grows until a replica that it calls for serves."""
    if not fleet.growth_per_s2 > 0:
        return tr("the load does not grow over the day")
    whole_s, start_s = fleet.headroom_per_s / fleet.growth_per_s2, fleet.start.total_s
    return tr(
        "the load grows by up to {growth} per minute, and a new replica serves after {time} (autoscaler {window}, cold "
        "start {start})"
    ).format(
        growth=format_value(fleet.growth_per_s2 * 60, "req/s", 2), time=format_value(whole_s, "s"),
        window=format_value(max(whole_s - start_s, 0.0), "s", 2), start=format_value(start_s, "s"),
    )  # fmt: skip


def _day_rows(fleet: FleetSizing) -> list[tuple[Cell, ...]]:
    if not fleet.base:
        return []
    saved = 1 - fleet.autoscaled_replica_hours / fleet.static_replica_hours if fleet.static_replica_hours else 0.0
    hours = tr("{static} replica-hours per week either way")
    if saved > 0:
        hours = tr("{auto} replica-hours per week instead of {static}; the plan's cost leaves this saving out")
        if fleet.is_stopped:
            hours = tr("{auto} replica-hours per week instead of {static}; the plan's cost counts this saving")
        if fleet.total == 1 and not fleet.is_batch:
            hours = tr("off in whole hours without load: {hours}").format(hours=hours)
    if fleet.is_batch and not saved > 0:
        return []
    rows: list[tuple[Cell, ...]] = [
        (
            tr("Replicas released after the batch") if fleet.is_batch else tr("Autoscaling"),
            tr("{share} less").format(share=format_value(saved, "share", 2)) if saved > 0 else tr("saves nothing"),
            hours.format(
                auto=format_value(fleet.autoscaled_replica_hours), static=format_value(fleet.static_replica_hours)
            ),
        )
    ]
    if fleet.is_batch:
        return rows
    meaning = tr("{share} of requests would wait for a cold start; they come {gap} apart on average").format(
        share=_waiting_text(fleet.cold_share), gap=format_value(fleet.mean_gap_s, "s", 3)
    )
    if fleet.scale_to_zero_breaks_targets:
        verdict = tr("would miss a target")
    elif fleet.scale_to_zero_saving > 0:
        verdict = tr("saves {share}").format(share=format_value(fleet.scale_to_zero_saving, "share", 2))
    else:
        verdict = tr("saves nothing")
        if fleet.cold_share < LEAST_WAITING:
            meaning = tr("requests come {gap} apart on average: replicas are never idle long enough").format(
                gap=format_value(fleet.mean_gap_s, "s", 3)
            )
    return [*rows, (tr("Scaling to zero between requests"), verdict, meaning)]


def _arrangement_rows(arrangement: PoolArrangement) -> list[tuple[Cell, ...]]:
    def count(replicas: int, none: str = tr("more than {most}")) -> str:
        if not replicas:
            return none.format(most=arrangement.most)
        usd = replicas * arrangement.usd_per_replica_hour
        cost = f", {format_value(usd, 'USD/h')}" if math.isfinite(usd) else ""
        return f"{replicas_text(replicas)}{cost}"

    shared = tr("peak load with headroom, served in order of arrival; without what is added for confidence and spares")
    rows: list[tuple[Cell, ...]] = [(tr("Fewest replicas in one pool"), count(arrangement.shared), shared)]
    if len(arrangement.separate) > 1:
        separate = " + ".join(str(number) for number in arrangement.separate)
        first = tr("lower priorities wait")
        rows += [
            (tr("Fewest in one pool with priorities"), count(arrangement.shared_with_priorities), first),
            (tr("Fewest with a pool for each class"), count(arrangement.separate_total), separate),
        ]
    if arrangement.prefill < 0:
        return rows if len(rows) > 1 else []  # One way alone is no choice.
    if arrangement.apart_total:
        meaning = tr("{prefill} + {decode}; cache transfer takes {time} per prompt").format(
            prefill=arrangement.prefill, decode=arrangement.decode, time=format_value(arrangement.transfer_s, "s", 2)
        )
    else:
        meaning = tr("even {most} prefill replicas miss a TTFT target")
        if arrangement.prefill:
            meaning = tr("{prefill} prefill replicas are enough, but even {most} decode replicas miss a target")
        meaning = meaning.format(prefill=arrangement.prefill, most=arrangement.most)
    apart = count(arrangement.apart_total, tr("none up to {most} in each pool"))
    return [*rows, (tr("Fewest with separate prefill and decode pools"), apart, meaning)]


def search_rows(search: SearchResult, results: Results) -> Rows:
    """The winner and the runners-up: what each needs, what it costs, why it lost and what would have to change.

    Without a winner, those that come nearest to the targets.
    """
    won, text = tr("cheapest that meets every target"), tr("{candidate}, batch {batch}, {budget} tok")

    def configuration(one: SearchOutcome) -> str:
        return text.format(
            candidate=candidate_text(results.plan, results.catalog, "serving", one.candidate),
            batch=format_value(one.max_sequences), budget=format_value(one.token_budget),
        )  # fmt: skip

    return rows_of(
        filter(None, (search.winner, *search.runners_up)),
        (tr("Configuration"), "", configuration),
        (tr("Replicas"), "", lambda one: str(one.replicas) if one.replicas else NOTHING),
        (tr("Per hour"), "USD/h", lambda one: one.usd_per_hour),
        (tr("Why"), "", lambda one: won if one is search.winner else why_lost(one, results.scenario)),
    )


def why_lost(one: SearchOutcome, scenario: Scenario) -> str:
    """Why a candidate lost: the missed target or the extra cost, and the price at which it would win."""
    parts = []
    if math.isfinite(one.price_factor) and one.price_factor >= 0.9995:
        return tr("costs the same")
    tightest = one.tightest
    if one.lost_on == "idle" and tightest is not None and not tightest.is_kept:
        return tr("{name} is {measured} even at low load: relax the target of {limit}").format(
            name=target_text(tightest, scenario),
            measured=format_value(tightest.measured_s, "s"),
            limit=format_value(tightest.limit_s, "s"),
        )
    if tightest is not None and not tightest.is_kept:
        measured = format_value(tightest.measured_s, "s") if math.isfinite(tightest.measured_s) else tr("unbounded")
        parts.append(
            tr("at that price {name} is {measured}, target {limit}").format(
                name=target_text(tightest, scenario), measured=measured, limit=format_value(tightest.limit_s, "s")
            )
        )
    if math.isfinite(one.price_factor):
        parts.append(tr("would win at {share} of its price").format(share=format_value(one.price_factor, "share", 2)))
    else:
        parts.append(tr("more replicas do not help"))
    return clauses(parts)
