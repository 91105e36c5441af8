"""Measured training results as cases, and the work of each case's step, made once for all fits."""

from __future__ import annotations

from dataclasses import dataclass

from gpuplanner_gui.domain.benchmark import TrainingCase
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.training.predict import CaseWork, case_work, flop_per_token
from gpuplanner_gui.engine.training.step_time import training_step
from gpuplanner_gui.files.benchmark_rows import training_rows
from gpuplanner_gui.files.benchmark_rows.question import RowProblem
from tools.repository import table_rows

SCORED = ("step_time", "tokens_per_s_per_device")


@dataclass(frozen=True)
class Measured:
    """One row: what was measured, the case, its group."""

    row: dict[str, str]
    case: TrainingCase
    value: float
    architecture: str
    """Of the accelerator."""

    @property
    def group(self) -> str:
        """Canonical architecture × accelerator: what a fit is judged by leaving out."""
        return f"{canonical(self.row)} × {self.case.accelerator}"


def canonical(row: dict[str, str]) -> str:
    """The architecture by its numbers, so that two names of one model are one; the name where numbers are missing."""
    numbers = [row[name] for name in ("layers", "hidden", "heads", "ffn")]
    return "-".join(numbers) if all(numbers) else row["model"]


def measured_rows(context: Context) -> tuple[list[Measured], list[tuple[dict[str, str], str]]]:
    """Every row that is a case as the command line reads it, and every one that is not with its reason."""
    made, refused = [], []
    for row in table_rows("measured-training-dev"):
        try:
            question = training_rows.questions(row)[0]
            case, _ = training_rows.case(row, context.catalog, context.calibration)
        except RowProblem as problem:
            refused.append((row, str(problem)))
            continue
        if question.measured is None or not training_rows.counts(row):
            continue
        architecture = context.catalog.accelerators[case.accelerator].architecture
        made.append(Measured(row, case, float(question.measured) / question.per_si_unit, architecture))
    return made, refused


def step_seconds(found: Measured, made: CaseWork) -> float:
    """The measured metric as seconds per step; NaN for one that is no speed."""
    job, case = made.job, found.case
    if case.metric == "step_time":
        return found.value
    if case.metric == "tokens_per_s_per_device":
        return job.tokens_per_step / (found.value * case.devices)
    if case.metric == "tokens_per_s":
        return job.tokens_per_step / found.value
    flop = flop_per_token(case, job) * job.tokens_per_step / case.devices
    if case.metric == "model_flop_per_s_per_device":
        return flop / found.value
    if case.metric == "hardware_flop_per_s_per_device":
        return flop * executed_share(made) / found.value
    if case.metric == "mfu":
        return flop / (found.value * float(made.work.peak_flop_per_s[0]))
    return float("nan")


def executed_share(made: CaseWork) -> float:
    """FLOPs that the hardware does, recomputation included, over the model's."""
    passes = float(training_step(made.work, made.job.rates).passes[0])
    return passes / (1 + made.job.backward_share)


def is_fully_stated(row: Measured) -> bool:
    """Shapes, batch and layout are the source's own words."""
    needed = ["seq_len", "micro_batch", *(["tp", "pp"] if row.case.devices > 1 else [])]
    return all(row.row[name] for name in needed)


def works_of(rows: list[Measured], context: Context) -> list[CaseWork]:
    """The work of every row's step."""
    return [case_work(found.case, context) for found in rows]
