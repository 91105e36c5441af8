"""First and later tokens by publisher: of lone prompts, of crowds, of open loops, with and without the start of a run.

`python -m tools.fidelity.first_tokens CLOSED.csv [OPEN.csv] [--publisher-column publisher]` prints the median error of
each publisher and the median of the medians. A crowd's TTFT is judged twice: as a service that goes on, and as a client
saw it who starts all users at once and counts that too.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from gpuplanner_gui.cli.terminal import aligned
from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.deployments import case_deployments
from gpuplanner_gui.engine.serving.engine_release import engine_of_release
from gpuplanner_gui.engine.serving.predict.door import serving_answers
from gpuplanner_gui.engine.serving.rates import rates_of
from gpuplanner_gui.engine.simulation.case_load import SIMULATED_LOADS
from gpuplanner_gui.files.benchmark_rows import TableRow, read_benchmark
from tools.fidelity.publishers import FEWEST_ROWS, has_unusable_ttft
from tools.observation.closed_loops import loop_passes, observed, steady_loop
from tools.observation.habits import Source, habits_of, loop_habits
from tools.repository import grouped, shipped_context

LONE, CROWD, STARTED, LATER = "TTFT lone", "TTFT crowd", "TTFT crowd, with start", "TPOT"
OPEN_FIRST, OPEN_LATER = "TTFT open", "TPOT open"
COLUMNS = (LONE, CROWD, STARTED, LATER, OPEN_FIRST, OPEN_LATER)
TTFT = ("ttft_mean", "ttft_p50")
TPOT = ("tpot_mean", "tpot_p50")


@dataclass(frozen=True)
class Error:
    """One judged figure."""

    publisher: str
    column: str
    ratio: float
    """Predicted over measured."""


def started_ttft_s(cases: Sequence[ServingCase], prompts: Sequence[float], context: Context) -> dict[str, float]:
    """By case, the TTFT that a client reports who starts all users at once, of so many prompts (0: the usual run)."""
    groups: dict[tuple[int, EngineFacts], list[int]] = defaultdict(list)
    for index, case in enumerate(cases):
        engine = engine_of_release(context.calibration.engine(case.engine), case.release, case.year)
        groups[id(case.model), engine].append(index)
    found: dict[str, float] = {}
    for (_, engine), members in groups.items():
        own = [cases[index] for index in members]
        habits = habits_of(engine.engine)
        deployed = case_deployments(own, [case.layout for case in own], context, engine)
        sources = [Source()] * len(own)
        done = loop_habits(own, sources, habits) if habits.admission_steps else None
        if done is None:
            continue
        stated = np.array([prompts[index] for index in members])
        users = np.array([max(case.concurrency, 1.0) for case in own])
        per_user = np.where(stated > 0, np.maximum(stated / users, 1.0), done.prompts_per_user)
        loop = steady_loop(loop_passes(own, deployed, habits.gathering_steps), rates_of(engine))
        seen = observed(loop, replace(done, prompts_per_user=per_user)).ttft_s
        found |= {case.case_id: float(value) for case, value in zip(own, seen, strict=True)}
    return found


def closed_errors(path: Path, context: Context, column: str) -> Iterator[Error]:
    """Of every row of a table of closed loops that is answered."""
    rows, raw = _read(path, context)
    kept = [(row, one) for row, one in zip(rows, raw, strict=True) if isinstance(row.case, ServingCase)]
    cases = [row.case for row, _ in kept if isinstance(row.case, ServingCase)]
    answers = serving_answers(cases, context)
    crowds = [(case, float(one.get("num_prompts") or 0)) for case, (_, one) in zip(cases, kept, strict=True)]
    crowds = [(case, prompts) for case, prompts in crowds if case.load == "closed_loop"]
    started = started_ttft_s([case for case, _ in crowds], [prompts for _, prompts in crowds], context)
    for case, (row, one), answer in zip(cases, kept, answers, strict=True):
        values = {metric.metric: metric.value for metric in answer}
        seen = {question.asked: question.measured for question in row.questions}
        publisher = one.get(column) or "-"
        if seen["tpot_mean"] and values["tpot_mean"]:
            yield Error(publisher, LATER, values["tpot_mean"] * 1e3 / seen["tpot_mean"])
        first = seen["ttft_mean"]
        if not (first and values["ttft_mean"]) or has_unusable_ttft(one):
            continue
        yield Error(publisher, LONE if case.concurrency == 1 else CROWD, values["ttft_mean"] * 1e3 / first)
        if case.concurrency > 1 and case.case_id in started:
            yield Error(publisher, STARTED, started[case.case_id] * 1e3 / first)


def open_errors(path: Path, context: Context, column: str) -> Iterator[Error]:
    """Of every row of a table of open loops that counts and is answered; one figure of each kind a row."""
    rows, raw = _read(path, context)
    kept = [(row, one) for row, one in zip(rows, raw, strict=True) if isinstance(row.case, ServingCase) and row.counts]
    cases = [row.case for row, _ in kept if isinstance(row.case, ServingCase)]
    for (row, one), answer in zip(kept, serving_answers(cases, context, loads=SIMULATED_LOADS), strict=True):
        values = {metric.metric: metric.value for metric in answer}
        for name, metrics in ((OPEN_FIRST, TTFT), (OPEN_LATER, TPOT)):
            found = [
                question
                for metric in metrics
                for question in row.questions
                if question.asked == metric and question.measured and values.get(metric)
            ]
            if found and found[0].measured:
                predicted = (values[found[0].asked] or 0.0) * found[0].per_si_unit
                yield Error(one.get(column) or "-", name, predicted / found[0].measured)


def table_of(errors: Sequence[Error]) -> list[list[str]]:
    """Rows of publishers: median error, its sign and the rows; last the median of publishers with enough rows."""
    groups = grouped(errors, lambda one: (one.publisher, one.column))
    by = {name: [one.ratio for one in own] for name, own in groups.items()}
    lines = [
        [publisher, *(_cell(by.get((publisher, column), [])) for column in COLUMNS)]
        for publisher in sorted({one.publisher for one in errors})
    ]
    middles = []
    for column in COLUMNS:
        own = [_error(ratios) for (_, name), ratios in by.items() if name == column and len(ratios) >= FEWEST_ROWS]
        middles.append(f"{np.median(own):.0%} of {len(own)}" if own else "")
    return [*lines, ["median of medians", *middles]]


def _error(ratios: Sequence[float]) -> float:
    return float(np.median(np.abs(np.array(ratios) - 1.0)))


def _cell(ratios: Sequence[float]) -> str:
    return f"{_error(ratios):.0%} (x{np.median(ratios):.2f}, {len(ratios)})" if ratios else ""


def _read(path: Path, context: Context) -> tuple[tuple[TableRow, ...], list[dict[str, str]]]:
    table = read_benchmark(path, context.catalog, context.calibration)
    with path.open(encoding="utf-8", newline="") as file:
        return table.rows, list(csv.DictReader(file))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("closed", type=Path)
    parser.add_argument("open", type=Path, nargs="?")
    parser.add_argument("--publisher-column", default="publisher")
    arguments = parser.parse_args()
    context = shipped_context()
    reads: list[tuple[Path | None, Callable[[Path, Context, str], Iterator[Error]]]] = [
        (arguments.closed, closed_errors), (arguments.open, open_errors),
    ]  # fmt: skip
    errors = [one for path, read in reads if path for one in read(path, context, arguments.publisher_column)]
    print(aligned(("publisher", *COLUMNS), table_of(errors), frozenset(range(1, len(COLUMNS) + 1))))


if __name__ == "__main__":
    main()
