"""What a benchmark row asks: metrics with their units, and what was measured where the table says so."""

from __future__ import annotations

from dataclasses import dataclass

from gpuplanner_gui.domain.benchmark import ServingCase, TrainingCase


@dataclass(frozen=True)
class Question:
    """One number that a row asks for."""

    case_id: str
    metric: str
    """As the table calls it."""
    unit: str
    asked: str
    """As the engine calls it."""
    per_si_unit: float
    """Factor from the engine's SI value to the table's unit."""
    measured: float | None


@dataclass(frozen=True)
class TableRow:
    """A row as a case with its questions; without a case, `refusal` says why."""

    line: int
    questions: tuple[Question, ...]
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
