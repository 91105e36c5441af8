"""Hugging Face Trainer: `trainer_state.json` with its log, `train_results.json` and the console with the totals.

The number of devices, the model and the precision are in neither.
"""

from __future__ import annotations

import re

from gpuplanner_gui.domain.measurement import Figure, MeasurementContext
from gpuplanner_gui.files.measurements.importer import Findings, Importer, Look
from gpuplanner_gui.files.measurements.source import Source
from gpuplanner_gui.files.measurements.training_log import FEW_STEPS, WARM_UP_STEPS, StepColumn
from gpuplanner_gui.files.measurements.values import JsonObject, figures_of

PRINTED = "'train_runtime': "
_PRINTED_VALUE = re.compile(r"'(\w{1,60})': '?([-+.\deE]{1,30})")
LONGEST_PRINTED = 2000


def is_printed(look: Look) -> bool:
    return not look.kind and look.anywhere(PRINTED.encode()) and look.anywhere(b"'train_steps_per_second': ")


def is_state(look: Look) -> bool:
    return look.has("log_history", "global_step")


def is_results(look: Look) -> bool:
    return look.has("train_runtime") and look.has("train_steps_per_second")


def read_state(source: Source, look: Look) -> Findings:
    """Steps between log entries, and the totals of the last entry."""
    findings, state = Findings(), look.first
    step_s, tokens = StepColumn(), StepColumn()
    totals, before = JsonObject({}), None
    for entry in state.objects("log_history"):
        if "train_steps_per_second" in entry:
            totals = entry
            continue
        now = (entry.number("step"), entry.number("train_runtime"), entry.number("num_input_tokens_seen"))
        if before is not None and None not in now[:2] and None not in before[:2]:
            _add_interval(before, now, step_s, tokens)
        before = now
    context = MeasurementContext(
        engine="hf_trainer",
        micro_batch=state.count("train_batch_size"),
        requests=state.count("global_step"),
        duration_s=totals.positive("train_runtime"),
    )
    figures = (
        step_s.figures("step_time") + tokens.figures("training_tokens_per_s") + _totals(totals, bool(step_s.values))
    )
    note = FEW_STEPS if state.count("global_step") < 2 * WARM_UP_STEPS else ""
    findings.add(context, figures, 0, note)
    return findings


Logged = tuple[float | None, float | None, float | None]


def _add_interval(before: Logged, now: Logged, step_s: StepColumn, tokens: StepColumn) -> None:
    """Time per step and tokens per second between two entries of the log."""
    steps, seconds = (now[0] or 0) - (before[0] or 0), (now[1] or 0) - (before[1] or 0)
    if steps <= 0 or seconds <= 0:
        return
    step_s.add(seconds / steps)
    if now[2] is not None and before[2] is not None:
        tokens.add((now[2] - before[2]) / seconds)


def read_results(source: Source, look: Look) -> Findings:
    """The totals of a run; start-up is in them."""
    findings, result = Findings(), look.first
    context = MeasurementContext(engine="hf_trainer", duration_s=result.positive("train_runtime"))
    findings.add(context, _totals(result, False), 1, "the totals include start-up")
    return findings


def read_printed(source: Source, look: Look) -> Findings:
    """The totals of every run in a console's log: a dictionary as Python prints it."""
    findings = Findings()
    for line, text in source.lines():
        if PRINTED not in text:
            continue
        start = text.index(PRINTED)
        result = JsonObject(dict(_PRINTED_VALUE.findall(text[start : start + LONGEST_PRINTED])))
        context = MeasurementContext(engine="hf_trainer", duration_s=result.positive("train_runtime"))
        findings.add(context, _totals(result, False), line, "the totals include start-up")
    return findings


def _totals(result: JsonObject, has_steps: bool) -> list[Figure]:
    """Means of the whole run, those that the log itself did not give."""
    steps, runtime = result.positive("train_steps_per_second"), result.positive("train_runtime")
    flop, seen = result.positive("total_flos"), result.positive("num_input_tokens_seen")
    values = {
        ("training_samples_per_s", "mean"): result.number("train_samples_per_second"),
        ("training_flop_per_s", "mean"): flop / runtime if flop and runtime else None,
    }
    if not has_steps:
        values |= {
            ("step_time", "mean"): 1 / steps if steps else None,
            ("training_tokens_per_s", "mean"): seen / runtime if seen and runtime else None,
        }
    return figures_of(values)


STATE = Importer("hf_trainer", "Hugging Face Trainer state", is_state, read_state, ('"log_history"',))
RESULTS = Importer("hf_results", "Hugging Face Trainer results", is_results, read_results, ('"train_runtime"',))
PRINTED_RESULTS = Importer("hf_results", "Hugging Face Trainer results", is_printed, read_printed)
