"""A plan's candidates in depth: operations under ceilings, layouts of a training job, and how far it scales."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

import msgspec

from gpuplanner_gui.cli.plan import answered, chosen_answers, plain_code, warn_of_carried
from gpuplanner_gui.cli.terminal import JSON, PROJECT_FILE, aligned, aligned_rows, command, option, print_answers
from gpuplanner_gui.domain.curves import Roofline
from gpuplanner_gui.domain.field import fields_of
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.plan import Resource, TrainingTable
from gpuplanner_gui.domain.training_results import LayoutRanking, ScalingCurve
from gpuplanner_gui.drawing.plots.roofline_words import decode_ceiling_text, split_s
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import Cell, scaling_rows
from gpuplanner_gui.drawing.shown_money import money_of, money_shown
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import (
    accelerator_name,
    candidate_text,
    crossover_text,
    is_phase,
    offload_name,
    phase_name,
    point_name,
    precision_name,
    recompute_name,
    resource_name,
)
from gpuplanner_gui.drawing.words.training import lost_text, objective_name, ranking_text
from gpuplanner_gui.engine import roofline
from gpuplanner_gui.engine.training.exploring import layouts, scaling
from gpuplanner_gui.engine.training.layouts import is_usual_expert_tensor
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.knowledge import calibrated_by, load_calibration
from gpuplanner_gui.files.project import load_project

HEADINGS = ("phase", "operation", "format", "FLOP/B", "reached", "time", "share", "compute", "bandwidth", "network",
            "host", "limit")  # fmt: skip
CEILINGS = (
    "peak_flop_per_s", "measured_flop_per_s", "bandwidth_bytes_per_s", "measured_bandwidth_bytes_per_s",
    "decode_ceiling_tokens_per_s", "encoder_s",
)  # fmt: skip
BATCHES = ("crossover_batch", "largest_batch", "planned_batch")


@command(
    "roofline", "show the operations of a plan on the roofline",
    PROJECT_FILE,
    option("--scenario", metavar="NAME", help="only this scenario (default: all)"),
    JSON,
)  # fmt: skip
def roofline_of_plan(arguments: argparse.Namespace) -> int:
    """`gpuplanner roofline FILE.gpuplan`: every operation of the recommended candidate under the device's ceilings."""
    project = load_project(arguments.file)
    answers = [one for one in answered(project, is_judged=False) if arguments.scenario in (None, one.scenario.name)]
    if not answers:
        raise FileProblem(
            arguments.file,
            "",
            f"no scenario is named {arguments.scenario!r}",
            ("Run gpuplanner plan to list the scenarios"),
        )
    found = [
        (results, workload, _roofline(results, workload))
        for results in answers
        for workload in results.workloads()
        if results.candidate(workload) >= 0
    ]
    warn_of_carried(project)
    return print_answers(
        arguments,
        lambda: [_roofline_json(*one) for one in found],
        lambda: (line for one in found for line in _roofline_text(*one)),
    )


def _roofline(results: Results, workload: str) -> Roofline:
    calibration = calibrated_by(results.project.measurements, results.catalog, load_calibration())
    candidate = results.candidate(workload)
    return roofline(results.scenario, results.catalog, calibration, results.plan, workload, candidate)


def _roofline_text(results: Results, workload: str, found: Roofline) -> list[str]:
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
        lines += ["", *([ceiling] if ceiling else [])]
        lines.append(crossover_text(found.batches) + ".")
    return [*lines, ""]


def _row(point: Any) -> list[str]:
    seconds = split_s(point)
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


def _roofline_json(results: Results, workload: str, found: Roofline) -> dict[str, Any]:
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
        **{name: getattr(found, name) for name in CEILINGS},
        **{name: None if shares is None else getattr(shares, name) for name in BATCHES},
        "points": points,
    }


OBJECTIVES = ("time", "cost", "devices")
SIZES = (
    ("devices", "devices"), ("TP", "tensor_parallel"), ("PP", "pipeline_parallel"), ("DP", "data_parallel"),
    ("CP", "context_parallel"), ("EP", "expert_parallel"), ("ETP", "expert_tensor_parallel"),
    ("virtual", "virtual_stages"), ("ZeRO", "zero_stage"), ("HSDP", "sharding_group"), ("micro-batch", "micro_batch"),
)  # fmt: skip
NUMBERS = (
    ("step", "step_time_s", "s"), ("MFU", "mfu", "share"), ("run", "run_time_s", "s"), ("cost", "usd_per_run", "USD"),
)  # fmt: skip
ABOUT_TRAINING = (
    PROJECT_FILE,
    option("--scenario", metavar="NAME", help="only this scenario (default: all that train)"),
    option("--accelerator", metavar="ID", help="default: the best candidate's"),
    JSON,
)


@dataclass(frozen=True)
class TrainingQuestion:
    """A scenario's plan, what is known, and the accelerator that the question is about."""

    results: Results
    calibration: Calibration
    accelerator: str
    devices: int
    """Devices of the chosen candidate."""


@command(
    "layouts", "rank every layout of a training job", *ABOUT_TRAINING,
    option("--by", choices=OBJECTIVES, default="time", help="rank by time, cost or devices (default time)"),
    option("--devices", type=int, default=0, metavar="N", help="default: the best candidate's"),
    option("--top", type=int, default=10, metavar="N", help="layouts to print (default 10)"),
)  # fmt: skip
def ranked_layouts(arguments: argparse.Namespace) -> int:
    """`gpuplanner layouts` and `gpuplanner scaling`: ways to spread a training job, and how far more devices help."""
    top, found = max(0, arguments.top), []
    for one in asked(arguments):
        training = one.results.scenario.training
        if arguments.by == "devices" and training is not None and training.deadline_s is None:
            raise FileProblem(
                arguments.file, one.results.scenario.name, "has no deadline that any number of devices meets",
                "Set the training job's deadline, or use --by time or --by cost",
            )  # fmt: skip
        devices = min(max(arguments.devices or one.devices, 1), 1_000_000)
        results = one.results
        ranking = layouts(
            results.scenario, results.catalog, one.calibration, one.accelerator, arguments.by, devices
        )  # fmt: skip
        found.append((results, ranking))
    return print_answers(
        arguments,
        lambda: {"scenarios": [layouts_as_json(*one, top) for one in found]},
        lambda: (line for one in found for line in layouts_as_text(*one, top)),
    )


@command("scaling", "show a training run on 1 to 100,000 devices", *ABOUT_TRAINING)
def scaling_curve(arguments: argparse.Namespace) -> int:
    """`gpuplanner layouts` and `gpuplanner scaling`: ways to spread a training job, and how far more devices help."""
    found = []
    for one in asked(arguments):
        results = one.results
        found.append((one, scaling(results.scenario, results.catalog, one.calibration, one.accelerator)))
    return print_answers(
        arguments,
        lambda: {"scenarios": [scaling_as_json(*one) for one in found]},
        lambda: (line for one in found for line in scaling_as_text(*one)),
    )


def asked(arguments: argparse.Namespace) -> list[TrainingQuestion]:
    """The scenarios that train. Raises FileProblem for a file without, or an accelerator that the catalogue lacks."""
    project = load_project(arguments.file)
    found = []
    for results in chosen_answers(arguments, project, "training"):
        known = calibrated_by(project.measurements, results.catalog, load_calibration())
        answer = results.plan.training
        assert answer is not None
        chosen_row = results.candidate("training")
        best = chosen_row if chosen_row >= 0 else int(answer.table.order[0])
        own = results.plan.accelerators[int(answer.table.accelerator[best])]
        chosen = arguments.accelerator or own
        if chosen not in results.plan.accelerators:
            what = f"--accelerator names {chosen!r}, which the catalogue lacks"
            raise FileProblem(arguments.file, "", what, "`gpuplanner plan --json` prints the identifiers")
        found.append(TrainingQuestion(results, known, chosen, int(answer.table.devices[best])))
    warn_of_carried(project)
    return found


def layouts_as_text(results: Results, ranking: LayoutRanking, top: int) -> list[str]:
    """What was tried, and the best layouts as a table."""
    table, rows = ranking.table, []
    hidden = "ETP" if bool(is_usual_expert_tensor(table).all()) else ""
    is_away = bool(table.activation_offload.any())
    shown = [(title, name) for title, name in SIZES if title != hidden]
    for row in range(min(top, len(table.order))):
        cells = [str(row + 1), "*" if ranking.on_front[row] else ""]
        cells += [str(int(getattr(table, name)[row])) for _, name in shown]
        cells += [recompute_name(int(table.recompute[row])), offload_name(int(table.offload[row]))]
        cells += [offload_name(int(table.activation_offload[row]))] if is_away else []
        cells += [format_value(float(getattr(table, name)[row]), unit) for _, name, unit in NUMBERS]
        rows.append([*cells, lost_text(ranking, results.plan, row)])
    sizes, figures = (title for title, _ in shown), (title for title, _, _ in NUMBERS)
    headings = ["#", "front", *sizes, "recompute", "state on", *(["activations on"] if is_away else []), *figures]
    first = 4 + len(shown) + is_away
    numbers = [*range(2, 2 + len(shown)), *range(first, first + len(NUMBERS))]
    name, said = results.scenario.name, f"{objective_name(ranking.objective)}: {ranking_text(ranking, results.catalog)}"
    return [name, "=" * len(name), said, aligned([*headings, "why it lost"], rows, frozenset(numbers)), ""]


def layouts_as_json(results: Results, ranking: LayoutRanking, top: int) -> dict[str, Any]:
    """All columns of the best layouts, with what each lost by."""
    names = [field.name for field in fields_of(TrainingTable) if field.name not in ("order", "accelerator")]
    rows = []
    for row in range(min(top, len(ranking.table.order))):
        entry: dict[str, Any] = {"rank": row + 1, "on_front": bool(ranking.on_front[row])}
        for name in names:
            column = getattr(ranking.table, name)
            entry[name] = None if column is None else plain_code(name, column[row])
        part = int(ranking.lost_part[row])
        entry["lost_by"] = ranking.parts[part] if part >= 0 else None
        entry["lost_by_s"] = ranking.lost_part_s[row]
        entry["slower_s"] = ranking.lost_step_s[row]
        rows.append(entry)
    return {
        "name": results.scenario.name, "accelerator": ranking.accelerator, "ranked_by": ranking.objective,
        "front_by": list(ranking.front_by), "tried": ranking.tried, "fitting": ranking.fitting, "layouts": rows,
    }  # fmt: skip


def scaling_as_text(one: TrainingQuestion, curve: ScalingCurve) -> list[str]:
    """The curve as a table, a row for each number of devices."""
    name = one.results.scenario.name
    with money_shown(money_of(one.results.scenario.economics)):
        rows = scaling_rows(curve)
        table = aligned_rows(rows, _number_text, frozenset(range(len(rows.columns))))
    return [name, "=" * len(name), accelerator_name(one.accelerator, one.results.catalog), table, ""]


def _number_text(cell: Cell, unit: str) -> str:
    return cell if isinstance(cell, str) else "–" if cell is None else format_value(float(cell), unit, 4)


def scaling_as_json(one: TrainingQuestion, curve: ScalingCurve) -> dict[str, Any]:
    """Every column of the curve, unknown numbers as null."""
    names = [field.name for field in fields_of(ScalingCurve) if field.name not in ("accelerator", "knee")]
    points = [
        {name: plain_code(name, getattr(curve, name)[place]) for name in names} for place in range(len(curve.devices))
    ]  # fmt: skip
    knee = int(curve.devices[curve.knee]) if curve.knee >= 0 else None
    return {
        "name": one.results.scenario.name, "accelerator": one.accelerator, "knee_devices": knee, "points": points
    }  # fmt: skip
