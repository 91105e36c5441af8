"""`gpuplanner roofline FILE.gpuplan`: every operation of the recommended candidate under the device's ceilings."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import msgspec

from gpuplanner_gui.cli.json_text import json_text
from gpuplanner_gui.cli.plan import answered
from gpuplanner_gui.cli.tables import aligned
from gpuplanner_gui.domain.curves import Roofline
from gpuplanner_gui.domain.plan import Resource
from gpuplanner_gui.drawing.plots.roofline_words import decode_ceiling_text
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import (
    accelerator_name,
    candidate_text,
    crossover_text,
    is_phase,
    phase_name,
    point_name,
    precision_name,
    resource_name,
)
from gpuplanner_gui.engine import roofline
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.knowledge import calibrated_by, load_calibration
from gpuplanner_gui.files.project import load_project

HEADINGS = ("phase", "operation", "format", "FLOP/B", "reached", "time", "share", "compute", "bandwidth", "network",
            "host", "limit")  # fmt: skip


def add_parser(subparsers: Any) -> None:
    """Mount the command."""
    command = subparsers.add_parser("roofline", help="operations of a plan under its ceilings", description=__doc__)
    command.add_argument("file", type=Path, help="a .gpuplan file")
    command.add_argument("--scenario", metavar="NAME", help="only this scenario (default: all)")
    command.add_argument("--json", action="store_true", help="print JSON, in SI base units")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print each scenario's operations, phase by phase."""
    project = load_project(arguments.file)
    answers = [one for one in answered(project) if arguments.scenario in (None, one.scenario.name)]
    if not answers:
        raise FileProblem(arguments.file, "", f"no scenario is named {arguments.scenario!r}", "See gpuplanner plan")
    found = [
        (results, workload, _roofline(results, workload))
        for results in answers
        for workload in results.workloads()
        if results.candidate(workload) >= 0
    ]
    if arguments.json:
        print(json_text([as_json(*one) for one in found]))
    else:
        for one in found:
            print("\n".join(as_text(*one)))
    return 0


def _roofline(results: Results, workload: str) -> Roofline:
    calibration = calibrated_by(results.project.measurements, results.catalog, load_calibration())
    candidate = results.candidate(workload)
    return roofline(results.scenario, results.catalog, calibration, results.plan, workload, candidate)


def as_text(results: Results, workload: str, found: Roofline) -> list[str]:
    """Ceilings, a line for each operation, and what bounds larger batches."""
    name = accelerator_name(results.plan.accelerators[found.accelerator], results.catalog)
    what = candidate_text(results.plan, results.catalog, workload, results.candidate(workload))
    lines = [f"{results.scenario.name}, {workload}: {what}"]
    for format_name in found.formats or tuple(found.peak_flop_per_s):
        if format_name in found.peak_flop_per_s:
            stated = format_value(found.peak_flop_per_s[format_name], "flop/s")
            reached = format_value(found.measured_flop_per_s[format_name], "flop/s")
            lines.append(f"{precision_name(format_name)}: {stated} by the datasheet, {reached} measured")
    stated = format_value(found.bandwidth_bytes_per_s, "bytes/s")
    reached = format_value(found.measured_bandwidth_bytes_per_s, "bytes/s")
    lines.append(f"Memory: {stated} by the datasheet, {reached} measured")
    other = accelerator_name(found.measured_on, results.catalog) if found.measured_on else name
    lines += [f"Measured ceilings are those of {other}.", ""]
    lines.append(aligned(HEADINGS, [_row(one) for one in found.points], frozenset(range(3, 11))))
    if found.batches is not None:
        ceiling = decode_ceiling_text(found)
        lines += ["", *([f"Decode by the memory's bandwidth: {ceiling}."] if ceiling else [])]
        lines.append(crossover_text(found.batches) + ".")
    return [*lines, ""]


def _row(point: Any) -> list[str]:
    seconds = (point.compute_s, point.bandwidth_s, point.interconnect_s, point.host_s)
    total = sum(seconds)
    return [
        phase_name(point.phase),
        "all" if is_phase(point) else point_name(point),
        precision_name(point.precision),
        format_value(point.intensity_flop_per_byte),
        format_value(point.achieved_flop_per_s, "flop/s"),
        format_value(point.time_s, "s"),
        format_value(point.share, "share", 2),
        *(format_value(one / total, "share", 2) if total > 0 else "" for one in seconds),
        resource_name(point.resource),
    ]


def as_json(results: Results, workload: str, found: Roofline) -> dict[str, Any]:
    """Ceilings and points, codes as names; null for a crossover that there is none of."""
    points = []
    for one in found.points:
        fields = msgspec.structs.asdict(one)
        points.append(fields | {"limit": Resource(fields.pop("resource")).name.lower()})
    shares = found.batches
    return {
        "scenario": results.scenario.name,
        "workload": workload,
        "accelerator": results.plan.accelerators[found.accelerator],
        "measured_on": found.measured_on,
        "peak_flop_per_s": found.peak_flop_per_s,
        "measured_flop_per_s": found.measured_flop_per_s,
        "bandwidth_bytes_per_s": found.bandwidth_bytes_per_s,
        "measured_bandwidth_bytes_per_s": found.measured_bandwidth_bytes_per_s,
        "decode_ceiling_tokens_per_s": found.decode_ceiling_tokens_per_s,
        "crossover_batch": shares.crossover_batch if shares is not None else None,
        "largest_batch": shares.largest_batch if shares is not None else None,
        "planned_batch": shares.planned_batch if shares is not None else None,
        "points": points,
    }
