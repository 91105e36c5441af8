"""How well serving is predicted on models × accelerators that the fit has not seen, and peers on the same rows.

    python -m tools.fidelity.serving

Refits the closed loops without each group of canonical architecture × accelerator in turn and predicts that group,
within bands from the errors of all other groups: plain, as the program answers, and observed, with what the sources'
clients and recipes did on top (`tools.observation`). Separate pools are judged by `tools.fidelity.pools`, the inference
table by `tools.fidelity.inference`. Writes `build/fidelity/serving.md`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.predict.door import loop_log_sds, serving_answers
from gpuplanner_gui.engine.simulation.traffic import rank_correlation
from tools.fidelity.left_out import LeftOut, Times, left_out
from tools.fidelity.report_text import markdown, peer_lines, percent, sections, write_report
from tools.fit_serving.bands import ServingBand, bands_of, loop_residuals, observed_ends
from tools.fit_serving.closed_loops import LoopProblem
from tools.fit_serving.tables import PEERS, MeasuredCase, RefusedRow, measured_cases
from tools.observation.habits import habits_of, observed_loops
from tools.observation.pools import observed_pools
from tools.repository import grouped, shipped_context, table_rows

FEWEST_RANKED = 5
"""Rows from which a group's order says something."""


@dataclass(frozen=True)
class JudgedRow:
    """One metric of one row; `group` is what was left out together."""

    case_id: str
    metric: str
    group: str
    engine: str
    kind: str
    architecture: str
    load: str
    is_settled: bool
    """Whether the row states what it ran: the engine, and nothing that may have speculated."""
    measured: float
    predicted: float
    """With the observation model on top of the deployment."""
    is_held: bool
    output_tokens: float
    requests_per_device: float
    """Concurrency over devices."""
    plain: float = float("nan")
    """What the program answers: a plain client in steady state."""
    is_plain_held: bool = False

    @property
    def error(self) -> float:
        """Predicted over measured, less one."""
        return self.predicted / self.measured - 1.0

    @property
    def plain_error(self) -> float:
        return self.plain / self.measured - 1.0


def left_out_rows(cases: Sequence[MeasuredCase], context: Context) -> list[JudgedRow]:
    """TTFT and TPOT of every closed loop, by a fit that has not seen its group."""
    found = left_out(cases, context)
    bands = left_out_bands(found.problems, found.observed_logs, context)
    return [row for problem in found.problems for row in _of_problem(problem, found, bands, context)]


def left_out_bands(
    problems: Sequence[LoopProblem], logs: dict[str, tuple[Floats, Floats]], context: Context
) -> dict[str, tuple[ServingBand, ...]]:
    """For every group, the bands that the errors of all others give."""
    residuals = [one for problem in problems for one in loop_residuals(problem, logs[problem.engine], context)]
    groups = sorted({one.group for one in residuals})
    return {group: bands_of([one for one in residuals if one.group != group]) for group in groups}


METRICS = (("ttft_ms", "ttft_mean"), ("tpot_ms", "tpot_mean"))


def _of_problem(
    problem: LoopProblem, found: LeftOut, bands: dict[str, tuple[ServingBand, ...]], context: Context
) -> Iterator[JudgedRow]:
    measured = (problem.log_ttft, problem.log_tpot)
    for (metric, asked), predicted, stated in zip(METRICS, found.observed_logs[problem.engine], measured):
        for one, value, said in zip(problem.cases, 1e3 * np.exp(predicted), 1e3 * np.exp(stated)):
            if not np.isfinite(said):
                continue
            low, high = observed_ends(one, metric, bands[one.group], context)
            plain = 1e3 * found.plain_s[one.case.case_id].get(asked, float("nan"))
            low_sd, high_sd = loop_log_sds(one.case, asked, context)
            row = judged(one, metric, float(said), float(value), bool(low <= np.log(said / value) <= high), context)
            yield replace(
                row, plain=plain, is_plain_held=bool(-Z_80 * low_sd <= np.log(said / plain) <= Z_80 * high_sd)
            )


def shipped_rows(cases: Sequence[MeasuredCase], context: Context) -> list[JudgedRow]:
    """Every metric of every closed loop and pool as the program answers it, NaN where it refuses, and with the
    observation model on top; both within the band that the program prints."""
    found, seen = [], observed_times(cases, context)
    for one, answers in zip(cases, serving_answers([one.case for one in cases], context)):
        by_metric = {answer.metric: answer for answer in answers}
        for question in one.questions:
            answer, said = by_metric[question.asked], (question.measured or 0.0) / question.per_si_unit
            if not said:
                continue
            plain = float("nan") if answer.value is None else answer.value * question.per_si_unit
            held = answer.low80 is not None and answer.high80 is not None and answer.low80 <= said <= answer.high80
            value = seen[one.case.case_id][question.asked] * question.per_si_unit
            low_sd, high_sd = loop_log_sds(one.case, question.asked, context)
            is_held = -Z_80 * low_sd <= np.log((question.measured or 0.0) / value) <= Z_80 * high_sd
            row = judged(one, question.metric, question.measured or 0.0, value, bool(is_held), context)
            found.append(replace(row, plain=plain, is_plain_held=held))
    return found


def observed_times(cases: Sequence[MeasuredCase], context: Context) -> Times:
    """What sources saw, by the habits as they stand."""
    parts = grouped(cases, lambda one: (id(one.case.model), one.case.engine, one.case.load))
    found: Times = {}
    for (_, engine, load), own in parts.items():
        facts, habits = context.calibration.engine(engine), habits_of(engine)
        see = observed_pools if load == "disaggregated" else observed_loops
        seen = see([one.case for one in own], [one.source for one in own], context, facts, habits)
        for one, ttft_s, tpot_s in zip(own, seen.ttft_s.tolist(), seen.tpot_s.tolist()):
            found[one.case.case_id] = {"ttft_mean": ttft_s, "tpot_mean": tpot_s}
    return found


def judged(
    one: MeasuredCase, metric: str, measured: float, predicted: float, is_held: bool, context: Context
) -> JudgedRow:
    """One metric of a case beside its prediction."""
    return JudgedRow(
        case_id=one.case.case_id,
        metric=metric,
        group=one.group,
        engine=one.case.engine,
        kind=one.case.model.kind,
        architecture=context.catalog.accelerators[one.case.accelerator].architecture,
        load=one.case.load,
        is_settled=not one.source.may_speculate,
        measured=measured,
        predicted=predicted,
        is_held=is_held,
        output_tokens=one.case.output_tokens * (1.0 + one.case.shortest_share) / 2.0,
        requests_per_device=one.case.concurrency / one.case.layout.devices,
    )


HEAD = ["rows", "plain: median error", "90th percentile", "in the 80 % band", "observed: median error",
        "90th percentile", "median bias", "in the 80 % band"]  # fmt: skip


def scores(rows: Sequence[JudgedRow]) -> list[str]:
    """Rows with an answer; median and 90th percentile of the size of errors and share in the band of what the program
    answers; these and the bias with the observation model on top."""
    plain, seen = (np.array(errors) for errors in zip(*((row.plain_error, row.error) for row in rows)))
    is_answered = np.isfinite(plain)
    if not is_answered.any():
        return [f"0 of {len(rows)}", *["–"] * (len(HEAD) - 1)]
    count = str(len(rows)) if is_answered.all() else f"{is_answered.sum()} of {len(rows)}"
    size = np.abs(plain[is_answered])
    plain_held = np.array([row.is_plain_held for row in rows])[is_answered].mean()
    figures = (np.median(size), np.quantile(size, 0.9), plain_held, np.median(np.abs(seen)),
               np.quantile(np.abs(seen), 0.9), np.median(seen), np.mean([row.is_held for row in rows]))  # fmt: skip
    return [count, *(percent(float(figure)) for figure in figures)]


def rows_by(rows: Sequence[JudgedRow], key: Callable[[JudgedRow], str]) -> list[list[str]]:
    return [[name, *scores(own)] for name, own in sorted(grouped(rows, key).items())]


CLASSES: tuple[tuple[str, Callable[[JudgedRow], bool], str, str], ...] = (
    ("all", lambda row: True, "10 %, 90th percentile 35 %", "20 %"),
    ("dense on Hopper", lambda row: row.kind == "dense_decoder" and row.architecture == "Hopper", "6 %", "–"),
    ("dense on Blackwell", lambda row: row.kind == "dense_decoder" and row.architecture == "Blackwell", "–", "–"),
    ("experts", lambda row: row.kind == "moe_decoder", "–", "–"),
    ("without drafts that may have run", lambda row: row.is_settled, "–", "–"),
    ("vLLM", lambda row: row.engine == "vllm", "–", "–"),
    ("SGLang", lambda row: row.engine == "sglang", "–", "–"),
    ("TensorRT-LLM", lambda row: row.engine == "trtllm", "–", "–"),
)


def class_rows(rows: Sequence[JudgedRow]) -> Iterator[list[str]]:
    for metric in ("tpot_ms", "ttft_ms"):
        for name, test, tpot_target, ttft_target in CLASSES:
            part = [row for row in rows if row.metric == metric and test(row)]
            if part:
                yield [metric, name, *scores(part), tpot_target if metric == "tpot_ms" else ttft_target]


def spearman(measured: Floats, predicted: Floats) -> float:
    """Correlation of ranks; NaN where either does not vary."""
    if np.ptp(measured) == 0 or np.ptp(predicted) == 0:
        return float("nan")
    return rank_correlation(measured, predicted)


def throughput_rows(rows: Sequence[JudgedRow]) -> Iterator[JudgedRow]:
    """Output tokens per second and device as TTFT and TPOT of a closed loop imply them, measured and predicted."""
    first = {row.case_id: row for row in rows if row.metric == "ttft_ms"}
    for row in rows:
        if row.metric == "tpot_ms" and row.case_id in first:
            ttft, tokens = first[row.case_id], row.output_tokens
            measured = ttft.measured + tokens * row.measured
            predicted = ttft.predicted + tokens * row.predicted
            served = 1e3 * tokens * row.requests_per_device
            yield replace(row, metric="tokens/s per device", measured=served / measured, predicted=served / predicted)


def order_rows(rows: Sequence[JudgedRow]) -> Iterator[list[str]]:
    """How well configurations of one model on one accelerator under one engine are put in order."""
    rows = [*rows, *throughput_rows(rows)]
    for metric in ("tokens/s per device", "tpot_ms", "ttft_ms"):
        known_rows = (row for row in rows if row.metric == metric and np.isfinite(row.predicted))
        parts = grouped(known_rows, lambda row: (row.group, row.engine))
        found = [
            spearman(np.array([row.measured for row in part]), np.array([row.predicted for row in part]))
            for part in parts.values()
            if len(part) >= FEWEST_RANKED
        ]
        known = np.array([one for one in found if np.isfinite(one)])
        if len(known):
            yield [metric, str(len(known)), f"{np.median(known):.3f}", f"{np.quantile(known, 0.1):.3f}", "0.97"]


def peer_errors(rows: Sequence[JudgedRow]) -> dict[tuple[str, str], list[tuple[float, float]]]:
    """Of each tool and metric on the rows that it answered, and ours on the same rows."""
    ours = {(row.case_id, row.metric): row for row in rows if np.isfinite(row.predicted)}
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for peer in table_rows(PEERS):
        for metric in ("tpot_ms", "ttft_ms"):
            row = ours.get((peer["case_id"], metric))
            if row is not None and peer[metric]:
                theirs = float(peer[metric]) / row.measured - 1.0
                found.setdefault((peer["tool"], metric), []).append((theirs, row.error))
    return found


def refused_rows(tables: dict[str, Sequence[RefusedRow]]) -> Iterator[list[str]]:
    for table, refused in tables.items():
        for reason, count in Counter(one.reason for one in refused).most_common():
            yield [table, str(count), reason.replace("|", "/")]


def report(loops: Sequence[JudgedRow], refused: dict[str, Sequence[RefusedRow]]) -> list[str]:
    tpot = [row for row in loops if row.metric == "tpot_ms"]
    ttft = [row for row in loops if row.metric == "ttft_ms"]
    parts = [
        ("Closed loops, groups of architecture × accelerator left out",
         markdown(["metric", "class", *HEAD, "target"], list(class_rows(loops)))),
        ("Order of configurations within a group and engine (Spearman), left out",
         markdown(["metric", "groups", "median", "10th percentile", "target"], list(order_rows(loops)))),
        ("Peers on the same rows, ours left out", peer_lines(peer_errors(loops))),
        ("Rows that no case could be made of",
         markdown(["table", "rows", "reason"], list(refused_rows(refused)))),
        ("TPOT by group and engine", markdown(["group", *HEAD], rows_by(tpot, _group_and_engine))),
        ("TTFT by group and engine", markdown(["group", *HEAD], rows_by(ttft, _group_and_engine))),
    ]  # fmt: skip
    return sections("Serving against published results", parts)


def _group_and_engine(row: JudgedRow) -> str:
    return f"{row.group}, {row.engine}"


def main() -> None:
    context = shipped_context()
    cases, refused = measured_cases("serving", context.catalog, context.calibration)
    write_report(
        "serving.md", report(left_out_rows(cases, context), {"serving": refused}), "## TPOT by group and engine"
    )


if __name__ == "__main__":
    main()
