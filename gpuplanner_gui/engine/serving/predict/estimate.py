"""What a kind of load answers for its cases: arrays by metric, refusals, evidence, remarks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.benchmark import Refusal
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.evidence.certainty import evidence_record
from gpuplanner_gui.engine.serving.deployments import Deployments
from gpuplanner_gui.engine.serving.gate import refused_formats

DOES_NOT_FIT = "does_not_fit"
"""Remark: the weights alone are larger than the devices' memory; predicted as if they were in it."""
FORMAT_REFUSED = "format_refused"
"""Remark: the engine is recorded not to run a format of the case on the device; predicted as if it did."""


@dataclass(frozen=True)
class Estimates:
    """Arrays with an entry per case, by metric in SI units; NaN where a metric is not defined for the load."""

    values: dict[str, Floats]
    refusal: Integers
    refusal_value: Floats
    kind: Integers
    """`EvidenceKind`."""
    remarks: tuple[tuple[str, ...], ...]
    missing_bytes: Floats
    """By which the weights exceed the memory of a device."""


def estimates(values: dict[str, Floats], found: Deployments, context: Context) -> Estimates:
    """Values with what stands against them: devices without rates refuse; weights too large and formats that the
    engine refuses are remarked.

    Somebody ran the case, so that it does run, in a way that its description leaves out.
    """
    who = found.replica.accelerator
    memory = context.devices.memory_bytes[who]
    unrated = np.isnan(found.replica.wide.device.peak_flop_per_s) | np.isnan(found.replica.ffn.device.peak_flop_per_s)
    refusal = np.where(unrated, int(Refusal.NO_COMPUTE_FIGURE), int(Refusal.NONE))
    refusal = np.where(np.isnan(memory), int(Refusal.NO_MEMORY_FIGURE), refusal)
    is_refused = np.any([refused for _, refused in refused_formats(found, context)], axis=0)
    missing = np.maximum(np.nan_to_num(found.memory.weights - memory), 0.0)
    codes = ((DOES_NOT_FIT, missing > 0), (FORMAT_REFUSED, is_refused))
    remarks = tuple(tuple(code for code, holds in codes if holds[index]) for index in range(len(found)))
    return Estimates(values, refusal, np.zeros(len(found)), kinds_of(found, context), remarks, missing)


def kinds_of(found: Deployments, context: Context) -> Integers:
    """What each case rests on."""
    engine, model_kind = found.engine.engine, found.model.kind
    return evidence_record(context, engine, model_kind, found.replica.accelerator, found.replica.formats.ffn).kind
