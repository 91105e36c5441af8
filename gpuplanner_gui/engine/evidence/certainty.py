"""The one rule for bands of serving: what is left unknown of an installation that nobody has measured.

Plan, window, phases and `predict` ask here. Variances of all that is not known add up, so that more evidence never
widens a band, and a greater distance never narrows one. Derivation: docs/derivations/uncertainty.md#bands.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Booleans, Floats, Integers
from gpuplanner_gui.domain.knowledge import ErrorPhase, PhaseError
from gpuplanner_gui.engine.context import Context, kept_in_context
from gpuplanner_gui.engine.evidence.record import LEAST_RUNS, EvidenceRecord, kinds
from gpuplanner_gui.engine.kernels.choice import FORMATS

CALIBRATED_ENGINES = ("vllm", "sglang", "trtllm")
"""Whose steps `tools.fit_serving` fits to closed loops."""


def evidence_record(
    context: Context, engine: str, model_kind: str, accelerator: Integers, precision: Integers
) -> EvidenceRecord:
    """What serving predictions rest on, for cases by index of accelerator and format."""
    by_device, in_formats = _published(context)
    is_timed = context.kernels(engine).is_measured[accelerator, precision]
    device_runs = by_device[accelerator]
    shape = np.broadcast_shapes(accelerator.shape, precision.shape)
    is_seen = model_kind in context.published.model_kinds
    return EvidenceRecord(
        kind=kinds(device_runs * is_seen, is_timed, context.has_timed_relative[accelerator]),
        device_runs=device_runs,
        is_timed=is_timed,
        is_format_seen=is_timed | (in_formats[accelerator, precision] > 0),
        is_engine_seen=np.full(shape, engine in CALIBRATED_ENGINES),
        is_architecture_seen=np.full(shape, is_seen),
    )


@kept_in_context()
def _published(context: Context) -> tuple[Integers, Integers]:
    """Runs on each device; in each format."""
    runs, ids = context.published, context.devices.ids
    return runs.on_devices(ids), runs.in_formats(ids, FORMATS)


@kept_in_context()
def published_runs(context: Context, engine: str, model_kind: str, is_serving: bool) -> Integers:
    """Runs on an engine or framework, shape (devices, formats); none where none is of this kind of model."""
    runs = context.published if is_serving else context.published_training
    return runs.on_engine(context.devices.ids, FORMATS, engine) * (model_kind in runs.model_kinds)


@dataclass(frozen=True)
class LoadTraits:
    """What of a load makes its times less certain."""

    is_crowd: bool = True
    is_pools: bool = False
    has_open_pools: bool = False
    """Nothing says how many workers the pools have."""
    is_burst: bool = False
    """Users of a published run who may have started together."""


USUAL_LOAD = LoadTraits()


def log_variance(
    error: PhaseError, record: EvidenceRecord, transfer_log_sd: Floats, has_relative: Booleans, load: LoadTraits
) -> Floats:
    """Variance of the logarithm of measured over predicted on an installation that nobody has measured."""
    near = error.installation**2 + error.run**2
    near += error.crowd**2 * load.is_crowd + error.burst**2 * load.is_burst
    near += error.pools**2 * load.is_pools + error.open_pools**2 * load.has_open_pools
    far = (
        (error.unpublished, record.device_runs < LEAST_RUNS),
        (error.datasheet, ~has_relative),
        (error.engine, ~record.is_engine_seen),
        (error.format, ~record.is_format_seen),
        (error.architecture, ~record.is_architecture_seen),
    )
    total = near + (error.transfer * np.where(record.is_timed, 0.0, transfer_log_sd)) ** 2
    for log_sd, holds in far:
        total = total + log_sd**2 * holds
    return np.asarray(total)


def step_log_sd(
    context: Context,
    engine: str,
    model_kind: str,
    accelerator: Integers,
    precision: Integers,
    phase: ErrorPhase = "decode",
    load: LoadTraits = USUAL_LOAD,
) -> Floats:
    """Spread of the logarithm of a new installation's TPOT or TTFT over the prediction."""
    record = evidence_record(context, engine, model_kind, accelerator, precision)
    transfer = context.kernels(engine).log_sd[accelerator, precision]
    error, has_relative = context.calibration.errors.phase(phase), context.has_timed_relative[accelerator]
    return np.asarray(np.sqrt(log_variance(error, record, transfer, has_relative, load)))
