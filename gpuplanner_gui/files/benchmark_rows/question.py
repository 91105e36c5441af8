"""A benchmark row: its cells, what it asks, what was measured, and predictions written as CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from gpuplanner_gui.domain.benchmark import Refusal, ServingCase, TrainingCase
from gpuplanner_gui.files.text import plain_text, without_formula
from gpuplanner_gui.files.whole_file import write_whole_file


@dataclass(frozen=True)
class RowQuestion:
    """One number that a row asks for."""

    case_id: str
    metric: str
    """The metric as the table calls it."""
    unit: str
    asked: str
    """The metric as the engine calls it."""
    per_si_unit: float
    """Factor from the engine's SI value to the table's unit."""
    measured: float | None


@dataclass(frozen=True)
class TableRow:
    """A row as a case with its questions; without a case, `refusal` says why."""

    line: int
    questions: tuple[RowQuestion, ...]
    case: ServingCase | TrainingCase | None
    refusal: str = ""
    remarks: tuple[str, ...] = ()
    """What was read into the row, as sentences."""
    counts: bool = True
    """False where the source itself is in doubt: answered, but left out of accuracy figures."""


class RowProblem(Exception):
    """A row that can't become a case, with the reason as a sentence."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


COLUMNS = ("case_id", "metric", "unit", "predicted", "low80", "high80", "measured", "evidence", "note")


@dataclass(frozen=True)
class AnsweredQuestion:
    """A question with its prediction in the table's unit; without one, `note` says why."""

    question: RowQuestion
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


LONGEST_ECHO = 80
LARGEST = 1e15

Row = Mapping[str, str]


def shown(text: str) -> str:
    """A cell's text as an error may repeat it: one line, no control characters, not long."""
    plain = plain_text(text)
    return plain if len(plain) <= LONGEST_ECHO else plain[: LONGEST_ECHO - 1] + "…"


def word(row: Row, name: str) -> str:
    """A cell without surrounding space; empty where the column is missing."""
    return row.get(name, "").strip()


def number(row: Row, name: str, *, least: float = 0.0) -> float | None:
    """A cell as a number, None where it is empty. Raises RowProblem."""
    text = word(row, name)
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        raise RowProblem(f"{name} is {shown(text)!r}, which is not a number") from None
    if not math.isfinite(value) or not least <= value <= LARGEST:
        raise RowProblem(f"{name} is {shown(text)}, which is out of range")
    return value


def count(row: Row, name: str, default: int = 1) -> int:
    """A cell as a whole number of at least 1; `default` where it is empty or 0. Raises RowProblem."""
    value = number(row, name)
    if value is None or value < 1:
        return default
    if value > 1e6:
        raise RowProblem(f"{name} is {value:g}, which is out of range")
    return round(value)


def measured(row: Row, name: str) -> float | None:
    """A measured value; None where it is empty, no number, or not above 0, as hidden values may be."""
    try:
        value = number(row, name)
    except RowProblem:
        return None
    return value if value else None


def unread_question(row: Row) -> RowQuestion:
    """The question of a row whose metric is not understood, to be refused by name."""
    return RowQuestion(word(row, "case_id"), word(row, "metric"), word(row, "unit"), "", 1.0, measured(row, "value"))


REFUSALS = {
    Refusal.NONE: "",
    Refusal.NO_COMPUTE_FIGURE: "no peak rate of the accelerator is known for this precision",
    Refusal.NO_MEMORY_FIGURE: "the accelerator's memory size is not known",
    Refusal.NOT_DEFINED: "the metric is not defined for this load or model, or the row lacks what it depends on",
    Refusal.OVERLOADED: "requests arrive faster than the {value:.3g} per second that can be served",
}
REMARKS = {
    "does_not_fit": "the weights as described are {missing:.3g} GB larger than the memory of a device; predicted as if"
    " they fitted",
    "overloaded": "requests arrive faster than they can be served: TTFT is more than 2 s on average",
    "workers_open": "how many workers the pools have is not stated; predicted with one of each",
    "format_refused": "the engine is not known to run this number format on this accelerator; predicted as if it did",
}


def refusal_sentence(refusal: Refusal, value: float) -> str:
    """The reason as a sentence."""
    return REFUSALS[refusal].format(value=value)


def remark_sentence(code: str, missing_bytes: float = 0.0) -> str:
    """A remark as a sentence, with what memory lacks; a code that has none as it is."""
    return REMARKS.get(code, code).format(missing=missing_bytes / 1e9)
