"""Simulated load in sentences: saturation, knee, targets, where the closed form is off; stress, replicas, search."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.curves import LoadCurve
from gpuplanner_gui.domain.load_result import Readiness, SearchResult, SimulatedCurve
from gpuplanner_gui.domain.plan import ServingPlan
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.workload import LatencyMetric, Router
from gpuplanner_gui.drawing.language import clauses, in_turn, listed, mark, tr
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import replicas_text


def key_rates_text(
    curve: SimulatedCurve, closed_form: LoadCurve | None, first: LatencyMetric = "ttft", has_targets: bool = True
) -> list[str]:
    """Saturation, rate at the targets, knee and the rate to plan for, each beside the closed form's."""
    lines = [
        _beside(
            tr("Saturates at {rate} per replica"),
            curve.max_rate_per_s,
            closed_form.max_rate_per_s if closed_form else np.nan,
        )
    ]
    if has_targets and curve.slo_rate_per_s > 0:
        quick = closed_form.slo_rate_per_s if closed_form else np.nan
        lines.append(_beside(tr("Every target is met up to {rate}"), curve.slo_rate_per_s, quick))
    elif has_targets:
        lines.append(tr("Misses a target at every simulated rate"))
    if np.isfinite(curve.knee_rate_per_s):
        knee = tr("Above {rate} (knee) 1 % more load makes {name} p95 more than 1 % longer")
        lines.append(knee.format(rate=_rate(curve.knee_rate_per_s), name=first.upper()))
    if 0 < curve.operating_rate_per_s < curve.slo_rate_per_s * (1 - 1e-3):
        share = format_value(curve.operating_rate_per_s / curve.max_rate_per_s, "share", 2)
        most = tr("Plan for {rate} at most ({share} of saturation)")
        lines.append(most.format(rate=_rate(curve.operating_rate_per_s), share=share))
    return lines


def _beside(words: str, simulated: float, closed: float) -> str:
    text = words.format(rate=_rate(simulated))
    if not np.isfinite(closed):
        return text
    beside = tr("quick estimate {rate}").format(rate=format_value(closed))
    return f"{text} ({beside})"


_DIFFERENCE = "mean {name} up to {worst} from {first} to {last}"
_ONE_DIFFERENCE = "mean {name} {worst} at {last}"
SAME_RATE = 0.02
"""A simulated rate no further from the planned one is the planned one: it is counted from the requests drawn."""
MOST_STATED_RATIO = 10.0
"""Near saturation the closed form goes to infinity, and says no more than that."""


def difference_text(curve: SimulatedCurve, first: LatencyMetric = "ttft") -> str:
    """Where the closed form leaves the band that is usual for it; empty where it does not.

    An answer that comes whole has no gaps.
    """
    lines = []
    wait = (first.upper(), curve.ttft_differs, curve.closed_ttft_s, first)
    gaps = ("ITL", curve.itl_differs, curve.closed_itl_s, "itl")
    for name, differs, closed, metric in (wait, gaps) if first == "ttft" else (wait,):
        if differs.any():
            error = closed[differs] / curve.latency_s[metric]["mean"][differs] - 1
            worst = float(error[np.abs(error).argmax()])
            rates = curve.rates_per_s[differs]
            words = {
                "name": name,
                "first": format_value(float(rates[0])),
                "last": _rate(float(rates[-1])),
                "worst": _error_text(worst),
            }
            lines.append(tr(_DIFFERENCE if differs.sum() > 1 else _ONE_DIFFERENCE).format(**words))
    return (
        tr("Quick estimate against the simulation: {differences}").format(differences=clauses(lines)) if lines else ""
    )


def long_gaps_text(curve: SimulatedCurve) -> list[str]:
    """Why a mean gap may be above the 95th percentile of gaps; nothing where none is."""
    gaps = curve.latency_s["itl"]
    if not (gaps["mean"] > gaps["p95"]).any():
        return []
    return [tr("Mean ITL is above its p95 where a few long gaps, while other prompts are prefilled, raise the mean")]


def _error_text(error: float) -> str:
    if error >= MOST_STATED_RATIO:
        return tr("more than ten times too high")
    words = tr("{share} too high") if error >= 0 else tr("{share} too low")
    return words.format(share=format_value(abs(error), "share", 2))


def _rate(rate_per_s: float) -> str:
    return format_value(rate_per_s, "req/s")


def rates_summary(
    curve: SimulatedCurve, closed_form: LoadCurve | None, first: LatencyMetric = "ttft", has_targets: bool = True
) -> str:
    """The key rates in one line."""
    line, *others = key_rates_text(curve, None if curve.is_trace else closed_form, first, has_targets)
    return clauses((line, *(part[:1].lower() + part[1:] for part in others))) + mark(".")


def batch_text(scenario: Scenario, plan: ServingPlan, candidate: int) -> str:
    """Why a batch keeps more in work than the curve at its rate; empty for other traffic."""
    if scenario.serving is None or not scenario.serving.traffic.is_batch or candidate < 0:
        return ""
    return tr(
        "All requests of a batch are there at once: a replica keeps about {count} in work until it is done. The curves "
        "show requests that arrive one by one."
    ).format(count=format_value(float(plan.table.batch[candidate]), digits=2))


def use_summary(curve: SimulatedCurve, closed_form: LoadCurve | None, has_tokens: bool = True) -> str:
    """What a replica does at the rate nearest to the planned one, or at the highest; without tokens also less."""
    planned = closed_form.planned_rate_per_s if closed_form is not None else np.nan
    if not len(curve.rates_per_s):
        return ""
    index = int(np.abs(curve.rates_per_s - planned).argmin()) if np.isfinite(planned) else -1
    preempted, rejected = int(curve.preemptions[index]), int(curve.rejected[index])
    # What a replica answers beyond what comes is left from before, or chance.
    answered = _rate(min(float(curve.throughput_per_s[index]), float(curve.rates_per_s[index])))
    does = tr("keeps up") if answered == _rate(float(curve.rates_per_s[index])) else tr("answers {rate}")
    does = does.format(rate=answered)
    rate = tr("{rate}, the simulated rate next to the plan's,").format(rate=_rate(float(curve.rates_per_s[index])))
    if np.isclose(curve.rates_per_s[index], planned, rtol=SAME_RATE):
        rate = tr("the planned {rate} per replica,").format(rate=_rate(planned))
    if not has_tokens:
        return tr("At {rate} a working replica {does}: {batch} in work at a time on average.").format(
            rate=rate,
            does=does,
            batch=format_value(float(curve.batch[index]), digits=2),
        )
    text = tr(
        "At {rate} a working replica {does}: {tokens} of output, mean batch {batch}, KV cache {use} "
        "full on average ({most} at most), {lost}."
    )
    lost = [
        tr("{count} preempted").format(count=format_value(preempted)) if preempted else tr("none preempted"),
        *([tr("{count} rejected").format(count=format_value(rejected))] if rejected else []),
    ]
    return text.format(
        rate=rate,
        does=does,
        tokens=format_value(float(curve.output_tokens_per_s[index]), "tok/s"),
        batch=format_value(float(curve.batch[index]), digits=2),
        use=format_value(float(curve.kv_use[index]), "share", 2),
        most=format_value(float(curve.peak_kv_use[index]), "share", 2),
        lost=listed(lost),
    )


def readiness_summary(readiness: Readiness, has_spares: bool = True, router: Router = "least_load") -> str:
    """Whether the service is ready, and for how many disturbances.

    `has_spares`: more replicas share the load here than in the verdict. `router` tells whether it evens out their load.
    """
    tests = (readiness.steady, *readiness.tests)
    passed = sum(test.passes for test in tests)
    if not readiness.is_complete:
        told = tr("{passed} of {count} tests passed so far").format(passed=passed, count=len(tests))
        return _as_fleet(told, readiness, has_spares, router)
    fleet = replicas_text(readiness.replicas)
    rate = _rate(readiness.rate_per_s * readiness.replicas / readiness.simulated_replicas)
    if readiness.simulated_replicas < readiness.replicas:
        fleet = tr("{fewer} of {count} replicas simulated, spares included,").format(
            count=readiness.replicas, fewer=readiness.simulated_replicas
        )
        rate = tr("{part} of {rate}").format(part=format_value(readiness.rate_per_s), rate=rate)
    told = tr("All {count} stress tests passed ({fleet} at {rate})")
    if not readiness.passes:
        told = tr("{failed} of {count} stress tests failed ({fleet} at {rate})")
    told = told.format(failed=len(tests) - passed, count=len(tests), fleet=fleet, rate=rate)
    return in_turn(
        _as_fleet(told, readiness, has_spares, router), _rule_text(readiness), _other_windows_text(readiness)
    )


def _rule_text(readiness: Readiness) -> str:
    """What a test holds the service to; empty where no latency is held."""
    if not readiness.steady.targets:
        return ""
    return tr(
        "A test passes if all requests are answered and every percentile is within its target; the worst TTFT does "
        "not count."
    )


LOWER = 0.99
"""A percentile below this share of that at steady load asks for a reason."""


def _other_windows_text(readiness: Readiness) -> str:
    """Why a disturbed service may show lower latencies than the steady one; empty where none does."""
    usual = [one.measured_s for one in readiness.steady.targets]
    shown = [(one.measured_s, steady) for test in readiness.tests for one, steady in zip(test.targets, usual)]
    is_worst_lower = any(one.worst_ttft_s <= readiness.steady.worst_ttft_s for one in readiness.tests)
    if not is_worst_lower and not any(measured < LOWER * steady for measured, steady in shown):
        return ""
    return tr(
        "Each test counts only the requests during its disturbance and in the minute after it, so its latencies can be "
        "lower than at peak load."
    )


def _as_fleet(told: str, readiness: Readiness, has_spares: bool, router: Router) -> str:
    """Why latencies of the whole fleet are lower than the verdict's, or one replica fails what takes it down."""
    if readiness.replicas == 1 and readiness.passes:
        return told + mark(".")
    if readiness.replicas > 1 and not has_spares and router == "random":
        return told + mark(".")
    if readiness.replicas == 1:
        return tr(
            "{tests}. With one replica, a loss or a rollout stops the service. These two tests lower the verdict only "
            "if the availability target is missed."
        ).format(tests=told)
    if router == "random":
        words = tr(
            "{tests}. The router spreads the load over all replicas, spares included: at peak load, latencies are "
            "lower than the verdict's."
        )
    elif has_spares:
        words = tr(
            "{tests}. The router sends each request to the replica with the least load, and spares take requests "
            "too. So latencies at peak are lower than in the verdict and on the Load page, which show one replica "
            "alone, at its load without spares."
        )
    else:
        words = tr(
            "{tests}. The router sends each request to the replica with the least load. So latencies at peak are lower "
            "than in the verdict, which shows one replica alone."
        )
    return words.format(tests=told)


def search_summary(search: SearchResult) -> str:
    """How far the search went, and what it found."""
    ran = tr("{considered} configurations considered, {simulated} runs").format(
        considered=format_value(search.considered), simulated=format_value(search.simulated)
    )
    if search.winner is None and search.is_complete:
        return tr("No configuration meets every target ({ran})").format(ran=ran)
    if search.winner is None:
        none = tr("The search was stopped before it found a configuration that meets every target ({ran})")
        return none.format(ran=ran)
    cut = "" if search.is_complete else tr("; the search was stopped early")
    cost = format_value(search.winner.usd_per_hour, "USD/h")
    return tr("Cheapest within every simulated target: {cost} ({ran}{cut})").format(cost=cost, ran=ran, cut=cut)
