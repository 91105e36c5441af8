"""Own measurements applied to training layouts: their steps take longer or shorter, their bands narrow."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.engine.evidence.knowledge import knowledge_of
from gpuplanner_gui.engine.evidence.points import log2_tokens, training_arrangement, training_shares
from gpuplanner_gui.engine.evidence.posterior import EvidenceRows, Vocabulary, model_signature
from gpuplanner_gui.engine.explaining.formula import leaf
from gpuplanner_gui.engine.hardware.devices import DeviceTable
from gpuplanner_gui.engine.serving.pace import SOURCE, as_measured_s
from gpuplanner_gui.engine.training.job import TrainingJob
from gpuplanner_gui.engine.training.layouts import TrainingLayouts
from gpuplanner_gui.engine.training.step_time import TrainingStep

PARTS = (
    "compute_s", "bandwidth_s", "tensor_communication_s", "data_communication_s", "pipeline_communication_s",
    "expert_communication_s", "bubble_s", "host_s",
)  # fmt: skip
"""What a measured step holds; waiting for data is the planner's own input pipeline."""


@dataclass(frozen=True)
class TrainingPace:
    """Factors on step times; layouts' shape."""

    factor: Floats
    width: Floats
    is_measured: NDArray[np.bool_]


def training_pace(
    calibration: Calibration, job: TrainingJob, layouts: TrainingLayouts, devices: DeviceTable, step: TrainingStep
) -> TrainingPace | None:
    """Factors of layouts with such predicted steps; None where nothing was measured."""
    known = knowledge_of(calibration.local).get("training")
    if known is None:
        return None
    words, count = known.vocabulary, len(layouts)
    accelerator = np.array([words.code("accelerator", name) for name in devices.ids], np.int64)
    codes = accelerator[layouts.accelerator]
    chosen = np.flatnonzero(codes >= 0)
    model, framework = model_signature(job.model), job.framework.framework
    months = [words.code("month", known.build_of(framework, model, name)[1]) for name in devices.ids]
    labels = (
        words.code("model", model), codes[chosen], words.code("engine", framework),
        words.code("precision", job.recipe), _arrangements(words, layouts.at(chosen)),
        words.code("release", known.build_of(framework)[0]),
        np.array(months, np.int64)[layouts.accelerator[chosen]],
    )  # fmt: skip
    on = layouts.devices[chosen].astype(np.float64)
    numbers = (
        np.log2(np.maximum(job.tokens_per_step / on, 1.0)), np.log2(np.maximum(job.tokens_per_step, on)), np.log2(on),
        np.log2(np.maximum(step.total[chosen], 1e-9)), log2_tokens(job.sequence_tokens), 0.0,
    )  # fmt: skip
    shape = chosen.shape
    log, width, is_measured = known.factor(
        EvidenceRows(
            np.stack([np.broadcast_to(one, shape) for one in labels]),
            np.stack([np.broadcast_to(one, shape) for one in numbers]),
            training_shares(step)[:, chosen],
        )
    )
    factors, widths, marks = np.ones(count), np.ones(count), np.zeros(count, bool)
    factors[chosen], widths[chosen], marks[chosen] = np.exp(log), width, is_measured
    return TrainingPace(factors, widths, marks)


def _arrangements(words: Vocabulary, layouts: TrainingLayouts) -> NDArray[np.int64]:
    """Codes of how layouts cut the model; few ways are many layouts."""
    cuts = (layouts.tensor_parallel, layouts.pipeline_parallel, layouts.context_parallel, layouts.expert_parallel)
    base = max((int(cut.max(initial=1)) for cut in cuts), default=1) + 1
    keys = ((cuts[0] * base + cuts[1]) * base + cuts[2]) * base + cuts[3]
    _, first, of_layout = np.unique(keys, return_index=True, return_inverse=True)
    names = [training_arrangement(*(int(cut[index]) for cut in cuts)) for index in first]
    codes = np.array([words.code("arrangement", name) for name in names], np.int64)
    return codes[of_layout]


def paced_step(step: TrainingStep, pace: TrainingPace | None) -> TrainingStep:
    """A step at the measured pace; its parts still add up to its total."""
    if pace is None:
        return step
    factor = leaf(pace.factor, "local_factor", "", SOURCE)
    paced = {name: as_measured_s(getattr(step, name), factor) for name in PARTS}
    own = np.asarray(step.total - step.input_s)
    return replace(step, **paced, total=as_measured_s(own, factor) + step.input_s)
