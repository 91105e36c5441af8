"""Measurements: the script that makes them, what a result says, and a benchmark's table predicted."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from gpuplanner_gui.cli.terminal import JSON, ProgressLine, aligned, command, json_text, option
from gpuplanner_gui.domain.benchmark import Answer, ServingCase, TrainingCase
from gpuplanner_gui.domain.field import fields_of
from gpuplanner_gui.domain.measurement import (
    QUANTITIES,
    Evidence,
    Figure,
    Measurement,
    MeasurementContext,
    MeasurementSet,
    missing_context,
)
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.files import said_text
from gpuplanner_gui.engine.context import Context, context_of
from gpuplanner_gui.engine.serving.predict.door import serving_answers
from gpuplanner_gui.engine.simulation.case_load import SIMULATED_LOADS
from gpuplanner_gui.engine.training.predict import predicted
from gpuplanner_gui.files.benchmark_rows import TableRow, read_benchmark, write_answers
from gpuplanner_gui.files.benchmark_rows.question import (
    AnsweredQuestion,
    RowQuestion,
    refusal_sentence,
    remark_sentence,
)
from gpuplanner_gui.files.catalogs import load_catalog
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.measurements.probe import PROBE_NAME, save_probe
from gpuplanner_gui.files.measurements.sets import ImportedSets, added, read_sets, save_sets
from gpuplanner_gui.files.measurements.values import LOADS
from gpuplanner_gui.files.project import load_project, save_project

SHOWN_STATISTICS = ("mean", "p50", "p95", "p99", "total")
MOST_SHOWN = 12
TITLES = {field.name: field.about.title for field in fields_of(MeasurementContext)}
UNITS = {field.name: field.about.unit for field in fields_of(MeasurementContext)}
SHORT = {"weight_precision": "precision", "prompt_tokens": "isl", "output_tokens": "osl"}
PLAIN = ("model", "accelerator", "devices")
COUNTED = {"training": "Steps", "power": "Samples"}
"""What a run counts that has no requests."""
EXACT = 9
"""Digits of what was set rather than measured."""
HIDDEN = ("model_as_written", "accelerator_as_written", "measured_on")


@command(
    "measurements", "read benchmark results and logs",
    option("files", type=Path, nargs="+", metavar="FILE", help="a benchmark's result, a log, a table"),
    option(
        "--context", metavar="model=…,gpu=…,…", default="",
        help=("context missing in the files: model, accelerator, devices, precision, engine, isl, osl, "
        "concurrency, rate …"),
    ),
    option("--columns", metavar="ttft_ms=…,gpu=…", default="", help="column headings of a CSV from another program"),
    JSON,
    option("--save", type=Path, metavar="OUT.gpumeasure", help="write everything that was read to one file"),
    option("--into", type=Path, metavar="FILE.gpuplan", help="add it to this project, whose plans then use it"),
)  # fmt: skip
def measurements(arguments: argparse.Namespace) -> int:
    """`gpuplanner measurements FILE`: what was measured: every figure with its context, and what the file lacks."""
    read = [(path, _read(path, arguments)) for path in arguments.files]
    if arguments.json:
        print(json_text([_measured_json(path, found) for path, found in read]))
    else:
        print("\n\n".join("\n".join(_measured_text(path, found)) for path, found in read))
    sets = tuple(one for _, found in read for one in found.sets)
    if arguments.save is not None:
        save_sets(arguments.save, sets)
    if arguments.into is not None:
        said = _added_to(arguments.into, sets)
        print(said, file=sys.stderr if arguments.json else sys.stdout)
    return 0


def _added_to(path: Path, sets: tuple[MeasurementSet, ...]) -> str:
    """Add sets to a project's file, each once, and say what its plans use. Raises FileProblem."""
    project = load_project(path)
    held, known = added(project.measurements, sets)
    if held != project.measurements:
        save_project(msgspec.structs.replace(project, measurements=held), path)
    runs = [run for one in sets for run in one.measurements]
    usable = sum(not missing_context(run) for run in runs)
    again = f" There already: {', '.join(known)}." if known else ""
    return f"\nPlans of {path.name} use {usable:,} of {_count(len(runs), 'run')}.{again}"


def _read(path: Path, arguments: argparse.Namespace) -> ImportedSets:
    stated, columns = pairs_of(arguments.context, "--context"), pairs_of(arguments.columns, "--columns")
    with ProgressLine(f"Reading {path.name}") as progress:
        return read_sets(path, load_catalog(), load_calibration(), stated, columns, on_progress=progress.show)


def pairs_of(text: str, option: str) -> dict[str, str]:
    """`a=b,c=d` as pairs. Raises FileProblem."""
    found = {}
    for part in filter(None, (one.strip() for one in text.split(","))):
        key, sign, value = part.partition("=")
        if not sign or not key.strip() or not value.strip():
            raise FileProblem(option, "", f"{part[:40]!r} is no pair", f"Write {option} name=value,name=value")
        found[key.strip()] = value.strip()
    return found


def _measured_text(path: Path, found: ImportedSets) -> list[str]:
    """What was recognised, the runs with their context, and what is missing."""
    runs = [run for one in found.sets for run in one.measurements]
    figures = sum(len(run.figures) for run in runs)
    shown = sum(one.statistic in SHOWN_STATISTICS for run in runs[:MOST_SHOWN] for one in run.figures)
    counted = _count(figures, "figure") + (f" ({shown:,} below, --json has all)" if shown < figures else "")
    phases = ", ".join(dict.fromkeys(phase for run in runs for phase in run.phases))
    lines = [f"{path.name}: {found.title}, {_count(len(runs), 'run')}, {counted}; {phases}"]
    lines += map(said_text, found.remarks)
    for run in runs[:MOST_SHOWN]:
        lines += ["", *_run_text(run)]
    if len(runs) > MOST_SHOWN:
        lines += ["", f"… and {len(runs) - MOST_SHOWN} more (--json has all)"]
    refused = sum(bool(missing_context(run)) for run in runs)
    if refused:
        names = ", ".join(TITLES[name].lower() for name in found.missing)
        hint = ",".join(f"{SHORT.get(name, name)}={_choices(name)}" for name in found.missing)
        lines += [
            "",
            f"{_refusal(refused, len(runs))} be used without: {names}.",
            f"Add --context {hint}",
        ]
    return lines


def _choices(name: str) -> str:
    """What may be written for a field of the context."""
    return "|".join(LOADS) if name == "load" else "…"


def _refusal(refused: int, runs: int) -> str:
    if refused < runs:
        return f"{refused:,} of {_count(runs, 'run')} cannot"
    return "The run cannot" if runs == 1 else f"None of the {runs:,} runs can"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _run_text(run: Measurement) -> Iterator[str]:
    place = f"line {run.line}: " if run.line else ""
    yield place + (context_text(run) or "no context")
    if run.note:
        yield f"  ! {run.note}"
    rows = [
        [QUANTITIES[one.quantity].title, one.statistic, format_value(one.value, one.unit, 4), one.phase]
        for one in sorted(run.figures, key=_figure_order)
        if one.statistic in SHOWN_STATISTICS
    ]
    yield from (f"  {line}" for line in aligned(["figure", "of", "value", "phase"], rows, frozenset({2})).splitlines())
    missing = missing_context(run)
    if missing:
        yield "  not accepted, missing: " + ", ".join(TITLES[name].lower() for name in missing)


def _figure_order(one: Figure) -> tuple[int, int]:
    statistics = [*SHOWN_STATISTICS, one.statistic]
    return list(QUANTITIES).index(one.quantity), statistics.index(one.statistic)


def context_text(run: Measurement) -> str:
    """The context on one line; names as the catalogue has them, else as they are written."""
    context, parts = run.context, []
    counted = next((title for phase, title in COUNTED.items() if phase in run.phases), TITLES["requests"])
    for field in fields_of(MeasurementContext):
        name, value = field.name, getattr(context, field.name)
        if name in ("model", "accelerator"):
            written = getattr(context, f"{name}_as_written")
            value = value or (f"{written} (not in the catalogue)" if written else "")
        if not value or name in HIDDEN:
            continue
        digits = EXACT if not isinstance(value, str) and value == round(value) else 3
        shown = value if isinstance(value, str) else format_value(float(value), UNITS[name], digits)
        shown = shown.removesuffix("s") if (name, value) == ("devices", 1) else shown
        title = counted if name == "requests" else TITLES[name]
        parts.append(shown if name in PLAIN else f"{title} {shown}")
    return ", ".join(parts)


def _measured_json(path: Path, found: ImportedSets) -> dict[str, Any]:
    """Everything, with keys that stay."""
    sets: Sequence[Any] = msgspec.to_builtins(found.sets)
    for one, built in zip(found.sets, sets):
        for run, target in zip(one.measurements, built["measurements"]):
            target["missing"] = list(missing_context(run))
            target["accepted"] = not target["missing"]
    return {
        "file": path.name,
        "recognised_as": found.title,
        "remarks": list(found.remarks),
        "missing": list(found.missing),
        "sets": sets,
    }


@command(
    "probe", "write a script that measures a machine",
    option("-o", "--out", type=Path, default=Path(PROBE_NAME), help=f"file to write ({PROBE_NAME})"),
)  # fmt: skip
def probe(arguments: argparse.Namespace) -> int:
    """`gpuplanner probe [-o FILE]`: write the probe, one file that measures a machine with nothing but PyTorch."""
    save_probe(arguments.out)
    print(f"Written: {arguments.out}. Copy it to the machine and run it there with a Python that has PyTorch:")
    print(f"    python {arguments.out.name} --dry-run     shows what it would do")
    print(f"    python {arguments.out.name}               at most three minutes, writes gpuplanner-probe.json")
    print("Then add that file to a project: gpuplanner measurements gpuplanner-probe.json --into FILE.gpuplan, or drop")
    print("it on the window.")
    return 0


EVIDENCE = {
    Evidence.MEASURED: "measured",
    Evidence.CALIBRATED: "calibrated",
    Evidence.SPECIFICATION: "specification only",
}
HEADINGS = ("metric", "rows", "answered", "median error", "90th percentile", "inside the band")


@command(
    "predict", "predict every row of a benchmark table",
    option("cases", type=Path, metavar="CASES.csv", help="serving, inference, open-loop or training results"),
    option("--out", type=Path, required=True, metavar="PREDICTIONS.csv", help="where to write"),
    option(
        "--configs", type=Path, metavar="FOLDER", help="models that the catalogue lacks: <owner>--<name>/config.json"
    ),
)  # fmt: skip
def predict(arguments: argparse.Namespace) -> int:
    """`gpuplanner predict CASES.csv --out PREDICTIONS.csv`: every row of a benchmark table predicted."""
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
    serving = [(row.line, row.case) for row in rows if isinstance(row.case, ServingCase)]
    answers = serving_answers([case for _, case in serving], context, loads=SIMULATED_LOADS)
    by_line = {line: found for (line, _), found in zip(serving, answers)}
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
