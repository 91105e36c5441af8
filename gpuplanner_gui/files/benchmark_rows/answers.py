"""Predictions as CSV: one line per question, an empty prediction with its reason where there is none."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from gpuplanner_gui.files.benchmark_rows.question import Question
from gpuplanner_gui.files.formula_guard import without_formula
from gpuplanner_gui.files.whole_file import write_whole_file

COLUMNS = ("case_id", "metric", "unit", "predicted", "low80", "high80", "measured", "evidence", "note")


@dataclass(frozen=True)
class AnsweredQuestion:
    """A question with its prediction in the table's unit; without one, `note` says why."""

    question: Question
    predicted: float | None
    low80: float | None
    high80: float | None
    evidence: str
    note: str
    counts: bool = True


def write_answers(path: Path, answered: Iterable[AnsweredQuestion]) -> None:
    """Write all predictions. Raises FileProblem where the file can't be written."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(_cells(one) for one in answered)
    write_whole_file(path, text.getvalue().encode("utf-8"))


def _cells(one: AnsweredQuestion) -> list[str]:
    question = one.question
    return [
        without_formula(question.case_id),
        without_formula(question.metric),
        without_formula(question.unit),
        _number(one.predicted),
        _number(one.low80),
        _number(one.high80),
        _number(question.measured),
        one.evidence,
        without_formula(one.note),
    ]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
