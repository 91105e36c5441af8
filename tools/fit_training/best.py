"""The best published run of each accelerator and recipe, of dense models and of mixtures.

What a plan should not surpass without saying so.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpuplanner_gui.domain.training_calibration import PublishedRun
from gpuplanner_gui.engine.training.predict import CaseWork
from tools.fit_training.measured import SCORED, Measured, step_seconds


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
