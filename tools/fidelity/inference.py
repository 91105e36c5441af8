"""How well the published inference results are predicted by fits that have not seen a row's architecture × accelerator.

    python -m tools.fidelity.inference

Refits the stacks ten times, each time without a tenth of the groups, and predicts those. A band is that of the other
tenths' residuals, so that neither value nor band has seen the row's group. Writes `build/fidelity/inference.md`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from gpuplanner_gui.domain.serving_engine import InferenceStacks
from gpuplanner_gui.engine.serving.predict.door import stack_band
from tools.fidelity.report_text import ERROR_HEAD, error_cells, markdown, sections, write_report
from tools.fit_inference.fit import LeftOutRow, bands_of, design_of, left_out, memory_residuals
from tools.fit_inference.problem import InferenceProblem, inference_problem
from tools.fit_serving.tables import RefusedRow, measured_cases
from tools.repository import grouped, shipped_context

COMPLETE = ("fixed_batch", "single_stream")
"""Scenarios that say what ran; of the others, scheduler settings are not known."""


@dataclass(frozen=True)
class JudgedResult:
    """A row with the classes that it is reported by."""

    metric: str
    scenario: str
    source: str
    software: str
    family: str
    kind: str
    is_known: bool
    log: float
    """Of predicted over measured."""
    is_held: bool


def judged(problem: InferenceProblem, rows: Sequence[LeftOutRow], stacks: InferenceStacks) -> Iterator[JudgedResult]:
    """Every row with its error and whether a band that has not seen its fold holds it."""
    for fold in sorted({row.fold for row in rows}):
        others = bands_of([row.residual for row in rows if row.fold != fold])
        with_bands = msgspec.structs.replace(stacks, bands=others)
        for row in rows:
            if row.fold == fold:
                residual, case = row.residual, problem.cases[row.position]
                band = stack_band(residual.load, residual.metric, residual.is_known, with_bands)
                traits = problem.traits[row.position]
                yield JudgedResult(
                    metric=case.row["metric"],
                    scenario=case.row["scenario"],
                    source=case.row["source"],
                    software=traits.software,
                    family=traits.family,
                    kind=traits.kind,
                    is_known=residual.is_known,
                    log=-residual.log,
                    is_held=band.low <= residual.log <= band.high,
                )


def scores(rows: Sequence[JudgedResult]) -> list[str]:
    return error_cells(np.expm1([row.log for row in rows]), [row.is_held for row in rows])


def table(rows: Sequence[JudgedResult], title: str, key: Callable[[JudgedResult], str]) -> list[str]:
    """Scores by class."""
    classes = sorted(grouped(rows, key).items())
    return markdown([title, *ERROR_HEAD], [[name, *scores(members)] for name, members in classes])


def _completeness(row: JudgedResult) -> str:
    return "complete (target 20 %)" if row.scenario in COMPLETE else "scheduler settings unknown (target 30 %)"


VIEWS: tuple[tuple[str, str, Callable[[JudgedResult], str]], ...] = (
    ("By configuration", "configuration", _completeness),
    ("By metric", "metric", lambda row: row.metric),
    ("By scenario", "scenario", lambda row: row.scenario),
    ("By kind of model", "kind", lambda row: row.kind),
    ("By what the fit knew", "software on the family", lambda row: "known" if row.is_known else "not known"),
    ("By family of devices", "family", lambda row: row.family or "other"),
    ("By software", "software", lambda row: row.software),
    ("By source and metric", "source, metric", lambda row: f"{row.source}, {row.metric}"),
)


def report(rows: Sequence[JudgedResult], memory: Sequence[float], refused: Sequence[RefusedRow]) -> list[str]:
    """The tables as lines of Markdown."""
    parts = [(title, table(rows, column, key)) for title, column, key in VIEWS]
    peak = markdown(ERROR_HEAD[:4], [error_cells(np.expm1(memory))])
    reasons = Counter(one.reason.replace("|", "/") for one in refused)
    unanswered = markdown(["reason", "rows"], [[reason, str(number)] for reason, number in reasons.items()])
    parts += [("Peak memory, which nothing is fitted to", peak), ("Rows without an answer", unanswered)]
    return sections("Published inference results, groups of architecture × accelerator left out", parts)


def main() -> None:
    """Refit, judge, write and print."""
    context = shipped_context()
    stacks = context.calibration.stacks
    cases, refused = measured_cases("inference", context.catalog, context.calibration)
    problem = inference_problem(cases, context)
    design = design_of(problem.traits, problem.is_of_samples)
    rows = list(judged(problem, left_out(problem, design, stacks.usual), stacks))
    lines = report(rows, [-one.log for one in memory_residuals(cases, context)], refused)
    write_report("inference.md", lines, "## By source and metric")


if __name__ == "__main__":
    main()
