"""Fits what frameworks hold beyond the formulas of memory to published peaks, and how far predictions miss.

    python -m tools.fit_training.memory

Residuals are logarithms of predicted over measured peak memory, one vote per group of architecture × accelerator, each
figure held by its prior. Layouts are chosen once, by the calibration as it is; near its values peaks are as good as
linear in the fitted figures, so that fits without a group share one linearisation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Booleans, Floats
from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.domain.training_calibration import FrameworkFacts, TrainingCalibration
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.training.job import job_of_case
from gpuplanner_gui.engine.training.memory import training_memory
from gpuplanner_gui.engine.training.predict import CaseWork, case_peak_bytes
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.paths import catalogs_dir
from tools.fit_training.parameters import Measured, is_fully_stated, measured_rows, works_of
from tools.repository import shipped_context, write_json

ERROR_SCALE = 0.05
"""Log errors beyond this count ever less."""
STEPS = 12
SLOPE_STEP = 1e-3
FLOOR_LOG_SD = 0.05


@dataclass(frozen=True)
class Figure:
    """A fitted figure: where it is kept, and how far from its prior it is readily believed."""

    framework: str
    """Empty: of the whole calibration."""
    name: str
    prior: float
    spread: float


FIGURES = (
    Figure("fsdp", "activation_share", 1.5, 0.2),
    Figure("fsdp", "fused_activation_share", 1.1, 0.2),
    Figure("nanotron", "activation_share", 1.5, 0.2),
    Figure("nanotron", "logit_bytes", 12.0, 1.0),
    Figure("fsdp", "logit_bytes", 12.0, 1.0),
    Figure("fsdp", "fragmentation_share", 0.06, 0.03),
    Figure("deepspeed", "bucket_bytes", 5e9, 2e9),
    Figure("", "adapter_activation_share", 0.85, 0.15),
    Figure("", "quantized_activation_share", 1.35, 0.2),
)
FOLLOWERS = {"deepspeed": "fsdp"}
"""Frameworks that share the figures of others where they have none of their own."""


@dataclass(frozen=True)
class Peaks:
    """Rows of peak memory, and peaks linearised about the calibration's figures."""

    rows: list[Measured]
    log_errors: Floats
    slopes: Floats
    """Of each row's log error by each figure, in its spreads."""
    start: Floats
    """The calibration's figures, in spreads from their priors."""
    weights: Floats

    @property
    def groups(self) -> NDArray[np.str_]:
        return np.array([row.group for row in self.rows])

    @property
    def frameworks(self) -> NDArray[np.str_]:
        return np.array([row.case.framework for row in self.rows])

    def errors_at(self, values: Floats) -> Floats:
        """ln(predicted / measured) with figures given in spreads from their priors."""
        return np.asarray(self.log_errors + self.slopes @ (values - self.start))


def peaks(context: Context) -> Peaks:
    """Every row of peak memory that is a case."""
    rows = [row for row in measured_rows(context)[0] if row.case.metric.startswith("peak_memory") and row.value > 0]
    works = works_of(rows, context)
    calibration = context.calibration.training
    values = _values_of(calibration)
    errors = _log_errors(rows, works, calibration)
    slopes = np.empty((len(rows), len(FIGURES)))
    for column in range(len(FIGURES)):
        moved = values.copy()
        moved[column] += SLOPE_STEP
        slopes[:, column] = (_log_errors(rows, works, with_figures(calibration, moved)) - errors) / SLOPE_STEP
    is_used = np.array([is_fully_stated(row) for row in rows])
    sizes = Counter(row.group for row, used in zip(rows, is_used) if used)
    weights = np.array([sizes[row.group] ** -0.5 if used else 0.0 for row, used in zip(rows, is_used)])
    return Peaks(rows, errors, slopes, values, weights)


def _values_of(calibration: TrainingCalibration) -> Floats:
    found = []
    for figure in FIGURES:
        owner: object = calibration.framework(figure.framework) if figure.framework else calibration
        found.append((getattr(owner, figure.name) - figure.prior) / figure.spread)
    return np.array(found)


def with_figures(calibration: TrainingCalibration, values: Floats) -> TrainingCalibration:
    """The calibration with figures given in spreads from their priors."""
    named = {
        (figure.framework, figure.name): float(f"{figure.prior + figure.spread * value:.5g}")
        for figure, value in zip(FIGURES, values)
    }

    def changed(facts: FrameworkFacts) -> FrameworkFacts:
        kinds = (FOLLOWERS.get(facts.framework, ""), facts.framework)
        own = {name: value for kind in kinds if kind for (owner, name), value in named.items() if owner == kind}
        return msgspec.structs.replace(facts, **own)

    shared = {name: value for (owner, name), value in named.items() if not owner}
    frameworks = tuple(changed(facts) for facts in calibration.frameworks)
    return msgspec.structs.replace(calibration, frameworks=frameworks, **shared)


def _log_errors(rows: list[Measured], works: list[CaseWork], calibration: TrainingCalibration) -> Floats:
    found = []
    for row, made in zip(rows, works):
        job = job_of_case(row.case, calibration)
        memory = training_memory(job, made.layout)
        found.append(np.log(case_peak_bytes(row.case, job, memory, made.work.micro_batches) / row.value))
    return np.array(found)


def fitted(found: Peaks, used: Booleans) -> Floats:
    """Figures from some of the rows, in spreads from their priors: iteratively reweighted least squares."""
    taught = used & (found.weights > 0)
    slopes, weights = found.slopes[taught], found.weights[taught] / ERROR_SCALE
    values = found.start
    for _ in range(STEPS):
        errors = found.errors_at(values)[taught]
        lean = weights * (1.0 + (errors / ERROR_SCALE) ** 2) ** -0.25
        left = np.vstack([slopes * lean[:, None], np.eye(len(FIGURES))])
        right = np.concatenate([(slopes @ values - errors) * lean, np.zeros(len(FIGURES))])
        values = np.linalg.lstsq(left, right, rcond=None)[0]
    return np.asarray(values)


def left_out_errors(found: Peaks) -> Floats:
    """ln(predicted / measured) of every row by a fit that has not seen its group."""
    errors = np.full(len(found.rows), np.nan)
    for group in sorted(set(found.groups)):
        out = found.groups == group
        errors[out] = found.errors_at(fitted(found, ~out))[out]
    return errors


def spreads(found: Peaks, errors: Floats) -> dict[str, float]:
    """What makes the 80 % band hold that many of the left-out rows, per framework; of all for one without rows."""
    taught = found.weights > 0
    spread = {"": float(np.quantile(np.abs(errors[taught]), 0.8)) / Z_80}
    for name in set(found.frameworks[taught]):
        own = np.abs(errors[taught & (found.frameworks == name)])
        spread[str(name)] = max(FLOOR_LOG_SD, float(np.quantile(own, 0.8)) / Z_80)
    return spread


def with_spreads(calibration: TrainingCalibration, spread: Mapping[str, float]) -> TrainingCalibration:
    """The calibration with the spreads of peak memory."""
    frameworks = tuple(
        msgspec.structs.replace(facts, memory_log_sd=float(f"{spread.get(facts.framework, spread['']):.3g}"))
        for facts in calibration.frameworks
    )
    return msgspec.structs.replace(calibration, frameworks=frameworks)


def main() -> None:
    context = shipped_context()
    found = peaks(context)
    values = fitted(found, np.ones(len(found.rows), bool))
    for figure, value in zip(FIGURES, values):
        print(f"{figure.framework:10s} {figure.name:28s} {figure.prior + figure.spread * value:10.4g}"
              f"   prior {figure.prior:g}")  # fmt: skip
    errors = left_out_errors(found)
    relative = np.expm1(errors[found.weights > 0])
    print(f"left out: median {np.median(np.abs(relative)):.3f}, more than 15 % low {np.mean(relative < -0.15):.3f}, "
          f"{len(relative)} rows")  # fmt: skip
    spread = spreads(found, errors)
    print("spread", spread)
    calibration = with_spreads(with_figures(load_calibration().training, values), spread)
    path = catalogs_dir() / "training_calibration.json"
    write_json(path, msgspec.to_builtins(calibration), indent=1)


if __name__ == "__main__":
    main()
