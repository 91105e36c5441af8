"""What the training views say: while they wait, why a layout lost, what a schedule is called."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.training_results import LayoutRanking, TrainingFits
from gpuplanner_gui.drawing.language import CodeNames, clauses, tr
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import accelerator_name
from gpuplanner_gui.drawing.words.reasons import reason_text

_SCHEDULES = {
    "1f1b": "1F1B", "interleaved": "Interleaved 1F1B", "zero_bubble": "Zero bubble", "dualpipe": "DualPipe",
}  # fmt: skip
objective_name = CodeNames({
    "time": "Shortest time",
    "cost": "Lowest cost",
    "devices": "Fewest devices for the deadline",
})  # fmt: skip

_PARTS = {
    "compute_s": "compute",
    "bandwidth_s": "memory traffic",
    "tensor_communication_s": "TP exchange",
    "data_communication_s": "DP exchange",
    "pipeline_communication_s": "PP exchange",
    "expert_communication_s": "EP and CP exchange",
    "bubble_s": "pipeline bubble",
    "host_s": "host",
    "input_s": "waiting for data",
}


def schedule_name(schedule: str) -> str:
    return tr(_SCHEDULES.get(schedule, schedule))


def waiting_text(results: Results, part: str, waiting: str) -> str:
    """Why a part of the training detail is not there: it failed, there is nothing to look at, or it is on its way."""
    if results.candidate("training") < 0:
        return tr("No candidate can train; the table gives each one's reason.")
    failure = results.training.failures.get(part) if results.training is not None else None
    return failure or waiting


def lost_text(ranking: LayoutRanking, plan: Plan, row: int) -> str:
    """Why a layout is not the best: what it lacks, or the part of the step that grew most."""
    table = ranking.table
    reason = reason_text(plan, table, row)
    part = int(ranking.lost_part[row])
    if part < 0:
        return reason or tr("the best")
    name = tr(_PARTS[ranking.parts[part]])
    more, slower = float(ranking.lost_part_s[row]), float(ranking.lost_step_s[row])
    said = tr("step {slower} slower: {name} +{more}").format(
        slower=format_value(slower, "s", 2), name=name, more=format_value(more, "s", 2)
    )
    if not np.isfinite(slower) or slower <= 0:
        said = tr("equally fast, with more {name}").format(name=name)
    return clauses((reason, said)) if reason else said


def ranking_text(ranking: LayoutRanking, catalog: Catalog) -> str:
    """How many layouts were tried, of what, and how many can run."""
    name = accelerator_name(ranking.accelerator, catalog)
    where = tr("{count} × {name}").format(count=format_value(ranking.devices), name=name) if ranking.devices else name
    return tr("{tried} layouts of {where} tried: {fitting} fit, {front} on the Pareto front").format(
        tried=format_value(ranking.tried, "", 7), where=where, fitting=format_value(ranking.fitting, "", 7),
        front=int(ranking.on_front.sum()),
    )  # fmt: skip


def front_help(ranking: LayoutRanking) -> str:
    """What the Pareto front is of."""
    if ranking.front_by[1] == "memory":
        return tr("Pareto front: no other layout is both faster and smaller in memory.")
    return tr("Pareto front: no other layout is both faster and cheaper.")


def largest_model_text(fits: TrainingFits, devices_of: str) -> str:
    """The largest model of the same shape that the devices can train."""
    found = fits.largest_model
    if not found.parameters:
        return tr("No model of this shape fits {devices}.").format(devices=devices_of)
    return tr(
        "The largest model of this shape that {devices} can train has {parameters} ({layers} layers, width {width}): "
        "{each} bytes of memory for each parameter."
    ).format(
        devices=devices_of, parameters=_parameters(found.parameters), layers=format_value(found.layers),
        width=format_value(found.hidden_size, "", 6), each=format_value(found.bytes_per_parameter),
    )  # fmt: skip


def _parameters(count: float) -> str:
    return tr("{count} parameters").format(count=format_value(count, "param").removesuffix("param").strip())
