"""The measured tables that stand in the repository, as cases with what was measured and the group they belong to."""

from __future__ import annotations

from dataclasses import dataclass, field

from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.files.benchmark_rows import inference_rows, open_loop_rows, serving_rows
from gpuplanner_gui.files.benchmark_rows.question import RowProblem, RowQuestion
from tools.observation.habits import Source, as_drawn, source_of
from tools.repository import table_rows

TABLES = {
    "serving": ("measured-serving-dev", serving_rows),
    "inference": ("measured-inference-dev", inference_rows),
    "open_loop": ("measured-open-loop-dev", open_loop_rows),
    "publishers": ("measured-publishers-dev", serving_rows),
    "publishers_open": ("measured-publishers-open-dev", open_loop_rows),
}
PEERS = "peer-predictions-serving-dev"

SAME_ARCHITECTURE = (
    (("deepseek-r1", "deepseek-v3"), "deepseek-v3"),
    (("llama-3-8b", "llama-3.1-8b", "llama-3.3-8b"), "llama-3-8b"),
    (("llama-3-70b", "llama-3.1-70b", "llama-3.3-70b"), "llama-3-70b"),
)
"""Beginnings of catalogue identifiers that are one architecture in different trainings."""


@dataclass(frozen=True)
class MeasuredCase:
    """A row that became a case, with its questions; `group` is left out as a whole."""

    case: ServingCase
    questions: tuple[RowQuestion, ...]
    group: str
    row: dict[str, str]
    ways: tuple[ServingCase, ...] = ()
    """Set-ups among which the source leaves open what ran; empty: the case is what ran."""
    source: Source = field(default_factory=Source)
    """How it was measured."""


@dataclass(frozen=True)
class RefusedRow:
    """A row that could not become a case, and why."""

    case_id: str
    reason: str


def canonical(model_name: str) -> str:
    """One name for the trainings of an architecture."""
    plain = model_name.lower()
    for beginnings, name in SAME_ARCHITECTURE:
        if plain.startswith(beginnings):
            return name
    return plain


def measured_cases(
    table: str, catalog: Catalog, calibration: Calibration
) -> tuple[list[MeasuredCase], list[RefusedRow]]:
    """Every row of a table whose source is not in doubt, and those that could not be read."""
    name, module = TABLES[table]
    names = {id(entry.model): entry.id for entry in catalog.models.values()}
    found, refused = [], []
    for row in table_rows(name):
        if not module.counts(row):
            continue
        try:
            questions = module.questions(row)
            case, _ = module.case(row, catalog, calibration)
        except RowProblem as problem:
            refused.append(RefusedRow(row.get("case_id", ""), problem.sentence))
            continue
        group = f"{canonical(names[id(case.model)])} × {case.accelerator}"
        if table == "serving":
            source = source_of(row, case)
            found.append(MeasuredCase(as_drawn(case, source), questions, group, row, source=source))
        else:
            found.append(MeasuredCase(case, questions, group, row))
    return found, refused
