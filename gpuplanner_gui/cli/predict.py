"""`gpuplanner predict CASES.csv --out PREDICTIONS.csv`: every row of a benchmark table predicted."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gpuplanner_gui.cli.tables import aligned
from gpuplanner_gui.domain.benchmark import Answer, ServingCase, TrainingCase
from gpuplanner_gui.domain.plan import Evidence
from gpuplanner_gui.engine.context import Context, context_of
from gpuplanner_gui.engine.serving.predict.door import serving_answers
from gpuplanner_gui.engine.simulation.case_load import SIMULATED_LOADS
from gpuplanner_gui.engine.training.predict import predicted
from gpuplanner_gui.files.benchmark_rows import TableRow, read_benchmark, write_answers
from gpuplanner_gui.files.benchmark_rows.question import AnsweredQuestion, RowQuestion
from gpuplanner_gui.files.benchmark_rows.sentences import refusal_sentence, remark_sentence
from gpuplanner_gui.files.catalogs import load_catalog
from gpuplanner_gui.files.knowledge import load_calibration

EVIDENCE = {
    Evidence.MEASURED: "measured",
    Evidence.CALIBRATED: "calibrated",
    Evidence.SPECIFICATION: "specification only",
}
HEADINGS = ("metric", "rows", "answered", "median error", "90th percentile", "inside the band")


def add_parser(subparsers: Any) -> None:
    """Mount the command."""
    command = subparsers.add_parser("predict", help="predict every row of a benchmark table", description=__doc__)
    command.add_argument(
        "cases", type=Path, metavar="CASES.csv", help="serving, inference, open-loop or training results"
    )
    command.add_argument("--out", type=Path, required=True, metavar="PREDICTIONS.csv", help="where to write")
    command.add_argument(
        "--configs", type=Path, metavar="FOLDER", help="models that the catalogue lacks: <owner>--<name>/config.json"
    )
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Predict, write, and print how far predictions are from what was measured."""
    catalog, calibration = load_catalog(), load_calibration()
    table = read_benchmark(arguments.cases, catalog, calibration, arguments.configs)
    answered = answers_of(table.rows, context_of(catalog, calibration))
    write_answers(arguments.out, answered)
    without = sum(one.predicted is None for one in answered)
    asked = f"{len(answered)} predictions in {arguments.out}, from a table of {table.kind} results"
    print(f"{asked}; {without} without an answer.")
    summary = summary_of(answered)
    if summary:
        print(aligned(HEADINGS, summary, frozenset(range(1, len(HEADINGS)))))
    return 0


def answers_of(rows: Sequence[TableRow], context: Context) -> list[AnsweredQuestion]:
    """Every question of every row, in their order."""
    serving = [row for row in rows if isinstance(row.case, ServingCase)]
    by_line = {
        row.line: answers
        for row, answers in zip(
            serving,
            serving_answers(
                [row.case for row in serving if isinstance(row.case, ServingCase)], context, loads=SIMULATED_LOADS
            ),
        )
    }
    found: list[AnsweredQuestion] = []
    for row in rows:
        if isinstance(row.case, TrainingCase):
            found.extend(_trained(row, row.case, context))
        elif row.case is None:
            found.extend(_refused(question, row, row.refusal) for question in row.questions)
        else:
            found.extend(_served(row, by_line[row.line]))
    return found


def _refused(question: RowQuestion, row: TableRow, why: str) -> AnsweredQuestion:
    return AnsweredQuestion(question, None, None, None, "", why, row.counts)


def _served(row: TableRow, answers: Sequence[Answer]) -> Iterator[AnsweredQuestion]:
    by_metric = {answer.metric: answer for answer in answers}
    for question in row.questions:
        answer = by_metric[question.asked]
        if answer.value is None or answer.low80 is None or answer.high80 is None:
            yield _refused(question, row, refusal_sentence(answer.refusal, answer.refusal_value))
            continue
        note = "; ".join((*row.remarks, *(remark_sentence(code, answer.missing_bytes) for code in answer.remarks)))
        yield _answered(question, row, answer.value, answer.low80, answer.high80, Evidence(answer.evidence), note)


def _trained(row: TableRow, case: TrainingCase, context: Context) -> Iterator[AnsweredQuestion]:
    answer = predicted(case, context)
    for question in row.questions:
        if not math.isfinite(answer.value):
            yield _refused(question, row, f"no answer: {answer.reason.name.lower().replace('_', ' ')}")
            continue
        note = "; ".join(row.remarks)
        yield _answered(question, row, answer.value, answer.low80, answer.high80, answer.evidence, note)


def _answered(
    question: RowQuestion, row: TableRow, value: float, low: float, high: float, evidence: Evidence, note: str
) -> AnsweredQuestion:
    factor = question.per_si_unit
    return AnsweredQuestion(question, value * factor, low * factor, high * factor, EVIDENCE[evidence], note, row.counts)


def summary_of(answered: Sequence[AnsweredQuestion]) -> list[list[str]]:
    """Per metric: rows with a measured value, how many are answered, their error, and how many lie in the band.

    Rows whose source is in doubt are left out.
    """
    metrics: dict[str, list[AnsweredQuestion]] = {}
    for one in answered:
        if one.question.measured and one.counts:
            metrics.setdefault(one.question.metric, []).append(one)
    return [_summary_line(metric, members) for metric, members in metrics.items()]


def _summary_line(metric: str, members: Sequence[AnsweredQuestion]) -> list[str]:
    errors, inside = [], []
    for one in members:
        measured = one.question.measured
        if one.predicted is None or one.low80 is None or one.high80 is None or not measured:
            continue
        errors.append(abs(one.predicted / measured - 1.0))
        inside.append(one.low80 <= measured <= one.high80)
    if not errors:
        return [metric, str(len(members)), "0", "", "", ""]
    middle, high = np.percentile(errors, [50, 90])
    return [metric, str(len(members)), str(len(errors)), f"{middle:.1%}", f"{high:.1%}", f"{np.mean(inside):.0%}"]
