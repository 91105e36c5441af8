"""How well latency at a request rate is predicted: simulation and closed form against published runs; MLPerf's server.

    python -m tools.fidelity.load

Writes `build/fidelity/load.md` and `load.csv`. Nothing but the times of older releases is fitted to the open-loop
runs, and those are judged by leaving out each group of model and accelerator in turn.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.deployments import Deployments, case_deployments
from gpuplanner_gui.engine.serving.engine_release import engine_of_release
from gpuplanner_gui.engine.serving.predict.door import settled_layouts
from gpuplanner_gui.engine.serving.predict.open_loop import open_loop_values
from gpuplanner_gui.engine.simulation.case_load import OVERLOADED_TTFT_S, case_metrics, case_service, mean_of_runs
from gpuplanner_gui.files.benchmark_rows.question import TableRow
from tools.fidelity.mlperf_server import server_lines, server_rows
from tools.fidelity.report_text import markdown, report_file, write_report, write_rows
from tools.repository import grouped, shipped_context, table_cases, table_rows

EARLY_SEQUENCE_HOST_S = (5e-5, 8e-5, 1.1e-4, 1.4e-4, 1.8e-4)
"""Host time of each sequence in a step of older releases, which did everything in one Python process, and"""
EARLY_DELIVERY_STEPS = (0.0, 0.3, 0.6, 0.9)
"""steps that their first tokens took to the client: what suits the other groups best is taken for each group."""

OVERLOAD_TTFT_S = OVERLOADED_TTFT_S
"""Runs that their source calls overloaded are those whose median first token took longer."""

LIMITS_S = np.geomspace(0.3, 6.0, 14)
"""Simulated median first tokens beyond which a run may be told as overloaded; what tells the other groups' runs best is
taken for each group."""

GROUPS = {
    "TPOT or ITL mean": ("tpot_mean", "itl_mean"),
    "TPOT p50": ("tpot_p50",),
    "E2E mean": ("e2e_mean",),
    "TTFT mean or p50": ("ttft_mean", "ttft_p50"),
    "p99 of any": ("ttft_p99", "tpot_p99", "itl_p99", "e2e_p99"),
    "throughput": ("requests_per_s", "output_tokens_per_s"),
}
TARGETS = {"TPOT or ITL mean": 0.12, "E2E mean": 0.12, "TTFT mean or p50": 0.30, "p99 of any": 0.40}


@dataclass(frozen=True)
class Compared:
    """One metric of one run."""

    case_id: str
    group: str
    metric: str
    measured: float
    simulated: float
    closed_form: float
    left_out: float
    """Simulated, with the times of older releases that suit the other groups."""
    counts: bool


@dataclass(frozen=True)
class Overload:
    """Whether a run is marked as overloaded or was so by its own median, and the first tokens that come out."""

    case_id: str
    group: str
    is_marked: bool
    was_slow: bool
    simulated: float
    """Median first token. [s]"""
    closed_form: float
    left_out: float
    mean_s: float
    """Mean first token, simulated as it ships; what a prediction calls overloaded by."""
    mean_left_out_s: float
    mean_closed_form_s: float


def read_table(name: str, context: Context) -> tuple[list[TableRow], list[dict[str, str]]]:
    """A development table's rows as cases, and as they stand."""
    return list(table_cases(name, context)), table_rows(name)


def configured(case: ServingCase, context: Context) -> tuple[ServingCase, Deployments]:
    """A case with its replica as arrays of one entry."""
    engine = context.calibration.engine(case.engine)
    (settled,) = settled_layouts([case], context, engine)
    return settled, case_deployments([settled], [settled.layout], context, engine)


@dataclass(frozen=True)
class Run:
    """A published run and everything predicted for it."""

    row: TableRow
    case: ServingCase
    group: str
    is_older: bool
    is_marked: bool
    simulated: dict[str, float]
    closed_form: dict[str, float]
    by_host_s: dict[float, dict[str, float]]
    """Simulated with other host times of a sequence and tokens delivered at once, for older releases."""

    def measured(self, metric: str) -> float:
        """In SI units; NaN for a metric that the run does not report."""
        asked = [one for one in self.row.questions if one.asked == metric and one.measured is not None]
        return asked[0].measured / asked[0].per_si_unit if asked and asked[0].measured else math.nan


def runs_of_table() -> tuple[list[Run], list[str]]:
    """Every run predicted, and what could not be read."""
    context = shipped_context()
    table, raw = read_table("measured-open-loop-dev", context)
    refused = [row.refusal for row in table if row.case is None]
    runs = [
        _run(row, stated, *configured(row.case, context), context)
        for row, stated in zip(table, raw, strict=True)
        if isinstance(row.case, ServingCase)
    ]
    return runs, refused


def _run(row: TableRow, stated: dict[str, str], case: ServingCase, found: Deployments, context: Context) -> Run:
    engine = context.calibration.engine(case.engine)
    is_older = engine_of_release(engine, case.release, case.year) != engine
    closed = {name: float(value[0]) for name, value in open_loop_values([case], found, engine).items()}
    return Run(
        row=row,
        case=case,
        group=f"{stated['model_path'].split('/')[-1]} on {stated['system']}",
        is_older=is_older,
        is_marked="overload" in stated["flag"],
        simulated=mean_of_runs(case, 0, found, engine),
        closed_form=closed,
        by_host_s={
            host: case_metrics(case_service(case, 0, found, _with_host(engine, host)).run(case.rate_per_s))
            for host in EARLY_SEQUENCE_HOST_S
        }
        if is_older
        else {},
    )


def _with_host(engine: EngineFacts, sequence_host_s: float) -> EngineFacts:
    older = [msgspec.structs.replace(one, sequence_host_s=sequence_host_s, delivery_steps=0.0) for one in engine.older]
    return msgspec.structs.replace(engine, older=tuple(older))


def left_out(run: Run, runs: list[Run]) -> dict[str, float]:
    """A run's metrics with the times that suit the older releases' unmarked runs of all other groups."""
    if not run.is_older:
        return run.simulated
    others = [one for one in runs if one.is_older and one.row.counts and one.group != run.group]

    def error(metric: str, host_s: float, steps: float) -> float:
        ratios = [delivered(one.by_host_s[host_s], steps)[metric] / one.measured(metric) for one in others]
        return float(np.nanmedian(np.abs(np.log(ratios))))

    host_s = min(EARLY_SEQUENCE_HOST_S, key=lambda host: error("tpot_p50", host, 0.0))
    steps = min(EARLY_DELIVERY_STEPS, key=lambda count: error("ttft_p50", host_s, count))
    return delivered(run.by_host_s[host_s], steps)


def delivered(values: dict[str, float], steps: float) -> dict[str, float]:
    """Metrics with answers that reach their client so many steps later."""
    late_s = steps * values["itl_mean"]
    return {name: value + (late_s if name.startswith(("ttft", "e2e")) else 0.0) for name, value in values.items()}


def open_loop() -> tuple[list[Compared], list[Overload], list[str]]:
    """Every metric of every run, whether it is overloaded, and what could not be read."""
    runs, refused = runs_of_table()
    compared: list[Compared] = []
    overloads: list[Overload] = []
    for run in runs:
        fitted = left_out(run, runs)
        for question in run.row.questions:
            metric = question.asked
            if question.measured is not None:
                simulated, closed, without = (
                    values.get(metric, math.nan) for values in (run.simulated, run.closed_form, fitted)
                )
                measured, counts = question.measured / question.per_si_unit, run.row.counts
                compared.append(
                    Compared(run.case.case_id, run.group, metric, measured, simulated, closed, without, counts)
                )
        predictions = (run.simulated, run.closed_form, fitted)
        medians = [values["ttft_p50"] for values in predictions]
        means = [values["ttft_mean"] for values in (run.simulated, fitted, run.closed_form)]
        was_slow = run.is_marked or run.measured("ttft_p50") > OVERLOAD_TTFT_S
        overloads.append(Overload(run.case.case_id, run.group, run.is_marked, was_slow, *medians, *means))
    return compared, overloads, refused


def median_error(rows: Iterable[Compared], of: str) -> tuple[float, int]:
    """Median of |predicted/measured − 1|, and of how many."""
    errors = [abs(getattr(row, of) / row.measured - 1) for row in rows if math.isfinite(getattr(row, of))]
    return (float(np.median(errors)), len(errors)) if errors else (math.nan, 0)


def balanced_accuracy(rows: Sequence[Overload], of: str, truth: str = "is_marked") -> float:
    """Mean of the shares of overloaded and of other runs that are told right, at limits from the other groups."""
    limits = {group: best_limit_s([row for row in rows if row.group != group], of, truth) for group in groups_of(rows)}
    return told_right([getattr(row, of) > limits[row.group] for row in rows], rows, truth)


def groups_of(rows: Sequence[Overload]) -> set[str]:
    """Of model and accelerator."""
    return {row.group for row in rows}


def best_limit_s(rows: Sequence[Overload], of: str, truth: str) -> float:
    """The limit that tells most of some runs right."""
    return max(LIMITS_S, key=lambda limit: told_right([getattr(row, of) > limit for row in rows], rows, truth))


def told_right(told: Sequence[bool], rows: Sequence[Overload], truth: str) -> float:
    """Balanced accuracy of what is told of runs."""
    right = np.array(told) == np.array([getattr(row, truth) for row in rows])
    is_overloaded = np.array([getattr(row, truth) for row in rows])
    shares = [right[kind].mean() for kind in (is_overloaded, ~is_overloaded) if kind.any()]
    return float(np.mean(shares))


HEAD = ["metric", "values", "simulated", "with older releases' times from the other groups", "closed form", "asked for"]


def report(compared: list[Compared], overloads: list[Overload], refused: list[str]) -> list[str]:
    """The figures as Markdown."""
    clean, table = [row for row in compared if row.counts], []
    for name, metrics in GROUPS.items():
        rows = [row for row in clean if row.metric in metrics]
        errors = {of: median_error(rows, of) for of in ("simulated", "left_out", "closed_form")}
        asked = f"{TARGETS[name]:.0%}" if name in TARGETS else ""
        shares = [f"{error:.1%}" for error, _ in errors.values()]
        table.append([name, str(errors["simulated"][1]), *shares, asked])
    lines = [
        "# Latency at a request rate",
        "",
        f"{len({row.case_id for row in clean})} published runs without a mark, in"
        f" {len({row.group for row in clean})} groups of model and accelerator, none fitted to but for older"
        " releases' times; medians of |predicted/measured − 1|.",
        "",
        *markdown(HEAD, table),
        "",
        *overload_lines(overloads),
        "",
        *group_lines(clean),
    ]
    if refused:
        lines += ["", f"{len(refused)} rows could not be read:", *(f"- {text}" for text in sorted(set(refused)))]
    return lines


def overload_lines(overloads: list[Overload]) -> list[str]:
    """Overload against no overload."""
    marked = sum(row.is_marked for row in overloads)

    def at_2_s(of: str) -> float:
        return told_right([getattr(row, of) > OVERLOAD_TTFT_S for row in overloads], overloads, "is_marked")

    simulated, fitted, closed = (balanced_accuracy(overloads, of) for of in ("simulated", "left_out", "closed_form"))
    return [
        f"Overload, {len(overloads)} runs of which {marked} are marked (asked for: a balanced accuracy of 85 %). As"
        f" predictions tell it, by a mean first token after {OVERLOAD_TTFT_S:g} s: simulated {at_2_s('mean_s'):.1%},"
        f" with older releases' times left out {at_2_s('mean_left_out_s'):.1%}, closed form"
        f" {at_2_s('mean_closed_form_s'):.1%}. By the median, at {OVERLOAD_TTFT_S:g} s: simulated"
        f" {at_2_s('simulated'):.1%}, left out {at_2_s('left_out'):.1%}, closed form {at_2_s('closed_form'):.1%}; at"
        f" the limit that tells the other groups' runs best: simulated {simulated:.1%}, left out {fitted:.1%}, closed"
        f" form {closed:.1%}.",
        "",
        f"{sum(row.was_slow for row in overloads)} are marked or had a median first token after {OVERLOAD_TTFT_S:g} s"
        " themselves, which is what the mark means; against these, simulated"
        f" {balanced_accuracy(overloads, 'simulated', 'was_slow'):.1%}.",
    ]


def group_lines(clean: list[Compared]) -> list[str]:
    """Bias of each group, so that what is off can be found."""
    lines = []
    for group, rows in sorted(grouped(clean, lambda row: row.group).items()):
        cells = []
        for metrics in (("tpot_mean", "itl_mean", "tpot_p50"), ("ttft_mean", "ttft_p50")):
            ratios = [row.left_out / row.measured for row in rows if row.metric in metrics]
            cells.append(f"{np.median(ratios):.2f} ({len(ratios)})" if ratios else "")
        lines.append([group, str(len(rows)), *cells])
    return markdown(["group", "values", "TPOT/ITL mean or p50: predicted/measured", "TTFT mean or p50"], lines)


def main() -> None:
    """Compare and write."""
    context = shipped_context()
    compared, overloads, refused = open_loop()
    table, raw = read_table("measured-inference-dev", context)
    server = server_lines(*server_rows(table, raw, context))
    write_report("load.md", [*report(compared, overloads, refused), "", *server])
    names = ("case_id", "group", "metric", "measured", "simulated", "left_out", "closed_form", "counts")
    write_rows(report_file("load.csv"), names, ([getattr(row, name) for name in names] for row in compared))


if __name__ == "__main__":
    main()
