"""Fits training's figures to published results and writes `catalogs/training_calibration.json`.

    python -m tools.fit_training.fit

Residuals are logarithms of predicted over measured step time, one vote per group of architecture × accelerator and
layout, with a loss that lets outliers go; each figure is held by its prior.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.domain.training_calibration import PublishedRun
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.training.model_numbers import TrainingNumbers
from gpuplanner_gui.engine.training.predict import CaseWork
from gpuplanner_gui.engine.training.step_time import training_step
from gpuplanner_gui.engine.training.work import TrainingStepWork
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.paths import catalogs_dir
from tools.fit_serving.closed_loops import joined
from tools.fit_training.parameters import (
    PARAMETERS,
    SCORED,
    TUNING,
    Columns,
    Measured,
    calibration_with,
    columns_of,
    measured_rows,
    rates_over,
    step_seconds,
    works_of,
)
from tools.repository import shipped_context, write_json


def best_published(rows: Iterable[Measured], works: Iterable[CaseWork]) -> tuple[PublishedRun, ...]:
    """Of pre-training runs whose speed is stated in time or tokens, the one with most model FLOP/s per device."""
    best: dict[tuple[str, str, bool], PublishedRun] = {}
    for found, made in zip(rows, works):
        case, job = found.case, made.job
        if case.metric not in SCORED or case.method != "pretraining":
            continue
        flop = (1 + job.backward_share) * job.numbers.flop_per_token * job.tokens_per_step
        rate = flop / step_seconds(found, made) / case.devices
        key = (case.accelerator, case.recipe, job.numbers.experts > 0)
        if key not in best or rate > best[key].flop_per_s:
            best[key] = PublishedRun(
                accelerator=case.accelerator, recipe=case.recipe, has_experts=key[2], flop_per_s=float(f"{rate:.4g}"),
                model=found.row["model"], devices=case.devices, source=found.row["source"],
            )  # fmt: skip
    return tuple(best[key] for key in sorted(best))


ERROR_SCALE = 0.1
"""Log errors beyond this count ever less."""
MFU_WEIGHT = 0.5
"""Of rows that state MFU alone, whose FLOP convention is less sure."""
FLOOR_LOG_SD = 0.06
SHARE_HELD = 0.8
SPEEDS = (*SCORED, "tokens_per_s", "model_flop_per_s_per_device", "hardware_flop_per_s_per_device", "mfu")


@dataclass(frozen=True)
class Material:
    """Rows that a fit learns from, and what their steps have to do."""

    rows: list[Measured]
    work: TrainingStepWork
    step_s: Floats
    columns: Columns
    weights: Floats
    """Votes; zero for rows that are judged but teach nothing."""
    numbers: list[TrainingNumbers]

    @property
    def groups(self) -> NDArray[np.str_]:
        return np.array([found.group for found in self.rows])

    @property
    def is_used(self) -> NDArray[np.bool_]:
        return self.weights > 0

    @property
    def is_scored(self) -> NDArray[np.bool_]:
        return np.array([found.case.metric in SCORED for found in self.rows])

    def log_errors(self, values: Floats) -> Floats:
        """ln(predicted / measured) of step time."""
        named = {parameter.name: value for parameter, value in zip(PARAMETERS, values)}
        predicted = training_step(self.work, rates_over(named, self.columns)).total
        return np.asarray(np.log(predicted / self.step_s))


def material(context: Context) -> Material:
    """Rows with a speed."""
    rows, _ = measured_rows(context)
    rows = [found for found in rows if found.case.metric in SPEEDS]
    works = works_of(rows, context)
    seconds = np.array([step_seconds(found, made) for found, made in zip(rows, works)])
    has_peak = np.array([np.isfinite(made.work.peak_flop_per_s[0]) for made in works])
    known = np.flatnonzero(has_peak & np.isfinite(seconds) & (seconds > 0))
    rows, works, seconds = [rows[i] for i in known], [works[i] for i in known], seconds[known]
    work = joined([made.work for made in works], [1] * len(works))
    numbers = [made.job.numbers for made in works]
    return Material(rows, _without_pace(work), seconds, columns_of(rows), _weights(rows), numbers)


def _is_used(found: Measured) -> bool:
    """Fully stated rows with a step time or tokens per second, or an MFU of frameworks that state nothing else; a batch
    or a sequence length that had to be guessed teaches nothing."""
    case, row = found.case, found.row
    if not row["seq_len"] or (case.pipeline_parallel > 1 and not row["global_batch"]):
        return False
    return case.metric in SCORED or (case.metric == "mfu" and case.framework == "nanotron")


def _without_pace(work: TrainingStepWork) -> TrainingStepWork:
    """Paces of accelerators are among what is fitted."""
    ones = np.ones_like(work.compute_pace)
    return replace(work, compute_pace=ones, attention_pace=ones)


def _weights(rows: list[Measured]) -> Floats:
    """Each group of rows has the vote of the square root of its size, so that tables with many rows do not rule."""
    is_used = np.array([_is_used(found) for found in rows])
    sizes = Counter(found.group for found, used in zip(rows, is_used) if used)
    weights = np.array([sizes[found.group] ** -0.5 if used else 0.0 for found, used in zip(rows, is_used)])
    weights *= [1.0 if found.case.metric in SCORED else MFU_WEIGHT for found in rows]
    return np.asarray(weights * np.sqrt(np.count_nonzero(is_used) / np.sum(weights**2)))


def fitted(found: Material, used: NDArray[np.bool_]) -> Floats:
    """Values of `PARAMETERS` from some of the rows."""
    prior, low, high, spread = (
        np.array([getattr(parameter, name) for parameter in PARAMETERS]) for name in ("prior", "low", "high", "spread")
    )

    taught = used & found.is_used

    def residuals(values: Floats) -> Floats:
        errors = found.log_errors(values)[taught] * found.weights[taught] / ERROR_SCALE
        return np.concatenate([errors, (values - prior) / spread])

    start = np.clip(prior, low + 1e-3 * (high - low), high - 1e-3 * (high - low))
    answer = least_squares(residuals, start, bounds=(low, high), loss="soft_l1", x_scale=spread, max_nfev=80, ftol=1e-6)
    return np.asarray(answer.x)


def left_out_errors(found: Material, kinds: NDArray[np.str_] | None = None) -> Floats:
    """ln(predicted / measured) of every row by a fit that has not seen its group, or its kind of another division."""
    kinds = found.groups if kinds is None else kinds
    errors = np.full(len(found.rows), np.nan)
    for kind in sorted(set(kinds)):
        out = kinds == kind
        errors[out] = found.log_errors(fitted(found, ~out))[out]
    return errors


def spreads(found: Material, errors: Floats) -> dict[str, float]:
    """What makes the 80 % band hold that many of the left-out rows, per framework, for models with experts, and for
    fine-tuning.

    Dense models are judged on groups left out and on whole publishers left out: the wider counts. Nearly all rows of
    experts and of fine-tuning are one publisher's, so groups are left out there.
    """
    has_experts = np.array([bool(made.experts) for made in found.numbers])
    is_tuning = np.array([found.case.method != "pretraining" for found in found.rows])
    publishers = np.array([found.publisher for found in found.rows])
    strange = left_out_errors(found, publishers)
    is_used = found.is_used
    spread = {TUNING: _spread(errors[is_tuning & is_used])}
    for name in ("megatron", "fsdp", "nanotron"):
        is_own = (found.columns.framework == name) & is_used
        dense, experts = is_own & ~has_experts, is_own & has_experts
        alone = dense & ~is_tuning
        spread[name] = max(_spread(errors[dense]), _spread(strange[alone], publishers[alone]))
        spread[f"{name} experts"] = _spread(errors[experts if experts.any() else has_experts & is_used])
    return spread


def _spread(errors: Floats, publishers: NDArray[np.str_] | None = None) -> float:
    """Half-width that holds 80 % of log errors, over 1.28; of publishers, the mean of each one's."""
    parts = [errors] if publishers is None else [errors[publishers == name] for name in sorted(set(publishers))]
    return max(FLOOR_LOG_SD, float(np.mean([np.quantile(np.abs(part), SHARE_HELD) for part in parts])) / Z_80)


def main() -> None:
    context = shipped_context()
    found = material(context)
    values = fitted(found, np.ones(len(found.rows), bool))
    errors = left_out_errors(found)
    named = {parameter.name: float(value) for parameter, value in zip(PARAMETERS, values)}
    for parameter in PARAMETERS:
        print(f"{parameter.name:28s} {named[parameter.name]:10.4g}   prior {parameter.prior:g}")
    scored = np.abs(np.expm1(-errors[found.is_scored & found.is_used]))
    print(
        f"left out: median {np.median(scored):.3f}, 90th percentile {np.quantile(scored, 0.9):.3f}, {len(scored)} rows"
    )
    spread = spreads(found, errors)
    print("spread", spread)
    calibration = calibration_with(named, load_calibration().training, spread)
    measured = best_published(found.rows, works_of(found.rows, context))
    fitted_on = {one.accelerator for one in measured}
    best = (*measured, *(one for one in calibration.best_published if one.accelerator not in fitted_on))
    calibration = msgspec.structs.replace(calibration, best_published=best)
    path = catalogs_dir() / "training_calibration.json"
    write_json(path, msgspec.to_builtins(calibration), indent=1)


if __name__ == "__main__":
    main()
