"""`gpuplanner measurements FILE`: what was measured: every figure with its context, and what the file leaves out."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from gpuplanner_gui.cli.json_text import json_text
from gpuplanner_gui.cli.progress import Progress
from gpuplanner_gui.cli.tables import aligned
from gpuplanner_gui.domain.field import fields_of
from gpuplanner_gui.domain.measurement import (
    QUANTITIES,
    Figure,
    Measurement,
    MeasurementContext,
    missing_context,
)
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.files import said_text
from gpuplanner_gui.files.catalogs import load_catalog
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.measurements.naming import LOADS
from gpuplanner_gui.files.measurements.sets import ImportedSets, read_sets, save_sets

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


def add_parser(subparsers: Any) -> None:
    """Mount the command."""
    command = subparsers.add_parser("measurements", help="read results of benchmarks and logs", description=__doc__)
    command.add_argument("files", type=Path, nargs="+", metavar="FILE", help="a benchmark's result, a log, a table")
    command.add_argument(
        "--context",
        metavar="model=…,gpu=…,…",
        default="",
        help="what the files do not say: model, accelerator, devices, precision, engine, isl, osl, concurrency, rate …",
    )
    command.add_argument(
        "--columns", metavar="ttft_ms=…,gpu=…", default="", help="headings of a CSV that no known program wrote"
    )
    command.add_argument("--json", action="store_true", help="print JSON, in SI base units")
    command.add_argument("--save", type=Path, metavar="OUT.gpumeasure", help="write what was read as one file")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read, print, and save where that is asked for."""
    read = [(path, _read(path, arguments)) for path in arguments.files]
    if arguments.json:
        print(json_text([as_json(path, found) for path, found in read]))
    else:
        print("\n\n".join("\n".join(as_text(path, found)) for path, found in read))
    if arguments.save is not None:
        save_sets(arguments.save, tuple(one for _, found in read for one in found.sets))
    return 0


def _read(path: Path, arguments: argparse.Namespace) -> ImportedSets:
    stated, columns = pairs_of(arguments.context, "--context"), pairs_of(arguments.columns, "--columns")
    with Progress(f"Reading {path.name}") as progress:
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


def as_text(path: Path, found: ImportedSets) -> list[str]:
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
            f"{_refused(refused, len(runs))} be used without: {names}.",
            f"Add --context {hint}",
        ]
    return lines


def _choices(name: str) -> str:
    """What may be written for a field of the context."""
    return "|".join(LOADS) if name == "load" else "…"


def _refused(refused: int, runs: int) -> str:
    if refused < runs:
        return f"{refused:,} of {_count(runs, 'run')} can't"
    return "The run can't" if runs == 1 else f"None of the {runs:,} runs can"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _run_text(run: Measurement) -> Iterator[str]:
    place = f"line {run.line}: " if run.line else ""
    yield place + (context_text(run) or "no context")
    if run.note:
        yield f"  ! {run.note}"
    rows = [
        [QUANTITIES[one.quantity].title, one.statistic, _value(one), one.phase]
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


def _value(one: Figure) -> str:
    return format_value(one.value, one.unit, 4)


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
        digits = EXACT if isinstance(value, int) else 3
        shown = value if isinstance(value, str) else format_value(float(value), UNITS[name], digits)
        shown = shown.removesuffix("s") if (name, value) == ("devices", 1) else shown
        title = counted if name == "requests" else TITLES[name]
        parts.append(shown if name in PLAIN else f"{title} {shown}")
    return ", ".join(parts)


def as_json(path: Path, found: ImportedSets) -> dict[str, Any]:
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
