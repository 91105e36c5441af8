"""`gpuplanner load FILE.gpuplan`: the load curve of the chosen plan by simulation, beside the closed form."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpuplanner_gui.cli.plan import chosen_answers, warn_of_carried
from gpuplanner_gui.cli.terminal import JSON, PROJECT_FILE, ProgressLine, aligned, command, option, print_answers
from gpuplanner_gui.cli.trace import TRACE_OPTIONS, read_with_progress
from gpuplanner_gui.domain.curves import LoadCurve
from gpuplanner_gui.domain.load_result import METRICS, STATISTICS, SimulatedCurve, Stage
from gpuplanner_gui.domain.trace import Trace
from gpuplanner_gui.domain.workload import LatencyMetric
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import candidate_text
from gpuplanner_gui.drawing.words.load import batch_text, difference_text, key_rates_text, long_gaps_text
from gpuplanner_gui.drawing.words.request_kinds import has_tokens
from gpuplanner_gui.engine import load_curve
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.serving.curves import serving_candidate
from gpuplanner_gui.engine.simulation.candidate_load import (
    candidate_service,
    scenario_targets,
    simulated_curves,
    simulated_rates,
)
from gpuplanner_gui.engine.simulation.curve import FINE_POINTS, FINE_REQUESTS
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.knowledge import calibrated_by, load_calibration
from gpuplanner_gui.files.project import load_project

SHOWN: tuple[tuple[str, LatencyMetric], ...] = (("TTFT", "ttft"), ("ITL", "itl"), ("E2E", "e2e"))
PERCENTILES = STATISTICS[1:]
MOST_RATES = 1000
ROUNDING = 1e-6
"""A band so much narrower than its percentile is none."""


@dataclass(frozen=True)
class ScenarioCurve:
    """One scenario's curve, with the closed form that it stands beside."""

    results: Results
    candidate: int
    closed_form: LoadCurve | None
    """None for a trace, which is other traffic than the plan's."""
    curve: SimulatedCurve
    replay: SimulatedCurve | None
    """A trace at its own rate on all replicas of the plan."""


@command(
    "load", "simulate a project's service under load",
    PROJECT_FILE,
    option("--scenario", metavar="NAME", help="only this scenario (default: all that serve)"),
    option("--trace", type=Path, metavar="FILE", help="recorded traffic, instead of the request classes"),
    *TRACE_OPTIONS,
    option("--rates", metavar="A,B,…", help="request rates per replica to simulate"),
    option(
        "--requests", type=int, default=FINE_REQUESTS, metavar="N", help=f"requests per rate (default {FINE_REQUESTS})"
    ),
    JSON,
)  # fmt: skip
def load(arguments: argparse.Namespace) -> int:
    """`gpuplanner load FILE.gpuplan`: the load curve of the chosen plan by simulation, beside the closed form."""
    rates = stated_rates(arguments.file, arguments.rates)
    project = load_project(arguments.file)
    trace = read_with_progress(arguments.trace, arguments) if arguments.trace else None
    count = min(max(arguments.requests, 20), 10_000_000)
    answers = chosen_answers(arguments, project, "serving")
    loaded = [simulated(arguments.file, results, trace, rates, count) for results in answers]
    warn_of_carried(project)
    return print_answers(
        arguments,
        lambda: {"project": project.name, "scenarios": [as_json(one) for one in loaded]},
        lambda: (line for one in loaded for line in as_text(one)),
    )


def stated_rates(path: Path, stated: str | None) -> tuple[float, ...]:
    """Rates from the command line. Raises FileProblem for what is no rate."""
    if not stated:
        return ()
    rates = []
    for word in stated.split(",")[:MOST_RATES]:
        try:
            rate = float(word)
        except ValueError:
            rate = math.nan
        if not (math.isfinite(rate) and rate > 0):
            raise FileProblem(path, "", f"--rates holds {word!r}, which is not a rate above 0", "Write --rates 0.5,1,2")
        rates.append(rate)
    return tuple(rates)


def simulated(path: Path, results: Results, trace: Trace | None, rates: Sequence[float], count: int) -> ScenarioCurve:
    """The curve of one scenario's candidate. Raises FileProblem where none can run."""
    scenario, plan, catalog = results.scenario, results.plan, results.catalog
    calibration = calibrated_by(results.project.measurements, catalog, load_calibration())
    candidate = results.candidate("serving")
    if candidate < 0 or not plan.served.table.fits[candidate]:
        raise FileProblem(path, scenario.name, "no candidate can serve this", "Run `gpuplanner plan` to see why")
    # A trace is other traffic than the plan's closed form is about.
    closed = load_curve(scenario, catalog, calibration, plan, candidate) if trace is None else None
    context, chosen = context_of(catalog, calibration), serving_candidate(plan, candidate)
    seed = results.project.seed % 2**32
    targets = scenario_targets(scenario, trace)
    replay = None
    with ProgressLine("Simulating") as progress:
        if rates:
            service = candidate_service(scenario, context, chosen, count, seed, trace)
            curve = simulated_rates(
                service, targets, rates, candidate, closed, trace is not None, progress.beat, scenario.first_latency
            )
        else:
            for curve in simulated_curves(
                scenario, catalog, calibration, plan, candidate, closed,
                trace=trace, seed=seed, requests=count, is_cancelled=progress.beat,
            ):  # fmt: skip
                is_final = curve.stage is Stage.FINAL
                progress.show(1.0 if is_final else len(curve.rates_per_s) / (FINE_POINTS + 1))
        if trace is not None and trace.arrival_s[-1] > 0:
            replicas = int(plan.served.table.replicas[candidate]) if plan.served.table.meets_targets[candidate] else 1
            fleet = candidate_service(scenario, context, chosen, len(trace), seed, trace, replicas=max(replicas, 1))
            rate = len(trace) / float(trace.arrival_s[-1])
            replay = simulated_rates(fleet, targets, [rate], candidate, closed, True, progress.beat)
    return ScenarioCurve(results, candidate, closed, curve, replay)


def as_text(loaded: ScenarioCurve) -> list[str]:
    """A scenario's curve as lines."""
    results, curve = loaded.results, loaded.curve
    name = results.scenario.name
    lines = [name, "=" * len(name), candidate_text(results.plan, results.catalog, "serving", loaded.candidate), ""]
    first = loaded.results.scenario.first_latency
    for title, metric in SHOWN if first == "ttft" else SHOWN[-1:]:
        lines += [f"{title}, one replica", _latency_table(curve, metric, first), ""]
    lines += ["Use of the replica", _use_table(curve, has_tokens(loaded.results.scenario)), ""]
    has_targets = bool(results.scenario.service.targets)
    lines += key_rates_text(curve, loaded.closed_form, first, has_targets)
    lines += list(filter(None, [difference_text(curve, first)]))
    lines += long_gaps_text(curve) if first == "ttft" else []
    if results.plan.serving is not None and (
        batch := batch_text(results.scenario, results.plan.serving, loaded.candidate)
    ):
        lines.append(batch)
    if loaded.replay is not None:
        lines += ["", *_replay_text(loaded.replay)]
    return [*lines, ""]


def _latency_table(curve: SimulatedCurve, metric: LatencyMetric, first: LatencyMetric) -> str:
    headings = ["req/s", "mean", *PERCENTILES, "p95 ±"]
    closed = {first: curve.closed_ttft_s, "itl": curve.closed_itl_s}.get(metric)
    headings += ["quick estimate, mean"] if closed is not None else []
    rows = []
    for index, rate in enumerate(curve.rates_per_s):
        row = [format_value(float(rate))]
        row += [format_value(float(curve.latency_s[metric][name][index]), "s") for name in STATISTICS]
        row.append(
            _half_width_text(float(curve.band_s[metric]["p95"][index]), float(curve.latency_s[metric]["p95"][index]))
        )
        if closed is not None:
            differs = curve.ttft_differs if metric == first else curve.itl_differs
            row.append(format_value(float(closed[index]), "s") + (" !" if differs[index] else ""))
        rows.append(row)
    return aligned(headings, rows, frozenset(range(len(headings))))


def _half_width_text(half_width_s: float, latency_s: float) -> str:
    """Half width of a band as text; 0 where only rounding is left."""
    return format_value(0.0 if half_width_s < ROUNDING * latency_s else half_width_s, "s", 2)


def _use_table(curve: SimulatedCurve, has_tokens: bool) -> str:
    of_tokens = {"tok/s", "KV use", "KV peak", "preempted"}
    headings = ["req/s", "answered", "tok/s", "batch", "KV use", "KV peak", "preempted", "rejected", ""]
    rows = []
    for index, rate in enumerate(curve.rates_per_s):
        state = "overload" if curve.is_overloaded[index] else "" if curve.meets_targets[index] else "misses a target"
        rows.append(
            [
                format_value(float(rate)),
                format_value(float(curve.throughput_per_s[index])),
                format_value(float(curve.output_tokens_per_s[index])),
                format_value(float(curve.batch[index])),
                format_value(float(curve.kv_use[index]), "share", 2),
                format_value(float(curve.peak_kv_use[index]), "share", 2),
                str(int(curve.preemptions[index])),
                str(int(curve.rejected[index])),
                state,
            ]
        )
    kept = [place for place, one in enumerate(headings) if has_tokens or one not in of_tokens]
    shown = [[row[place] for place in kept] for row in rows]
    return aligned([headings[place] for place in kept], shown, frozenset(range(len(kept) - 1)))


def _replay_text(replay: SimulatedCurve) -> list[str]:
    if not len(replay.rates_per_s):
        return []
    parts = []
    for title, metric in SHOWN:
        at = replay.latency_s[metric]
        parts.append(
            f"{title} p50 {format_value(float(at['p50'][0]), 's')}, p99 {format_value(float(at['p99'][0]), 's')}"
        )
    verdict = "overload" if replay.is_overloaded[0] else "meets" if replay.meets_targets[0] else "misses a target"
    count, rate = format_value(replay.requests), format_value(float(replay.rates_per_s[0]), "req/s")
    head = f"The trace at its own {rate}, {count} requests on {replay.replicas} replicas: {verdict}"
    return [head, "  " + " · ".join(parts)]


def as_json(loaded: ScenarioCurve) -> dict[str, Any]:
    """Everything that the text tells, unknown numbers as null."""
    results = loaded.results
    table = results.plan.serving.table if results.plan.serving is not None else None
    assert table is not None
    index = loaded.candidate
    return {
        "scenario": results.scenario.name,
        "accelerator": results.plan.accelerators[int(table.accelerator[index])],
        "tensor_parallel": int(table.tensor_parallel[index]),
        "pipeline_parallel": int(table.pipeline_parallel[index]),
        "weight_precision": results.plan.precisions[int(table.weight_precision[index])],
        "kv_precision": results.plan.precisions[int(table.kv_precision[index])],
        "closed_form": {
            "max_rate_per_s": loaded.closed_form.max_rate_per_s,
            "slo_rate_per_s": loaded.closed_form.slo_rate_per_s,
        }
        if loaded.closed_form is not None
        else None,
        "curve": curve_json(loaded.curve),
        "trace_replay": curve_json(loaded.replay) if loaded.replay is not None else None,
    }


def curve_json(curve: SimulatedCurve) -> dict[str, Any]:
    """A curve's rates and its points."""
    names = ("max_rate_per_s", "slo_rate_per_s", "knee_rate_per_s", "operating_rate_per_s", "littles_law_error")
    return {
        "replicas": curve.replicas,
        "requests_per_rate": curve.requests,
        **{name: getattr(curve, name) for name in names},
        "points": [_point_json(curve, index) for index in range(len(curve.rates_per_s))],
    }


def _point_json(curve: SimulatedCurve, index: int) -> dict[str, Any]:
    point: dict[str, Any] = {"rate_per_s": curve.rates_per_s[index]}
    for metric in METRICS:
        point[f"{metric}_s"] = {name: curve.latency_s[metric][name][index] for name in STATISTICS}
        point[f"{metric}_band_s"] = {name: curve.band_s[metric][name][index] for name in PERCENTILES}
    for name in ("throughput_per_s", "output_tokens_per_s", "batch", "kv_use", "peak_kv_use"):
        point[name] = getattr(curve, name)[index]
    for name in ("preemptions", "rejected"):
        point[name] = int(getattr(curve, name)[index])
    for name in ("is_overloaded", "meets_targets", "ttft_differs", "itl_differs"):
        point[name] = bool(getattr(curve, name)[index])
    point["closed_form_ttft_mean_s"] = curve.closed_ttft_s[index]
    point["closed_form_itl_mean_s"] = curve.closed_itl_s[index]
    return point
