"""NeMo's log lines and progress bars: `train_step_timing in s: 12.6`, `global_batch_size: 512`."""

from __future__ import annotations

import re

from gpuplanner_gui.domain.measurement import MeasurementContext
from gpuplanner_gui.files.measurements.importer import Findings, Importer, Look
from gpuplanner_gui.files.measurements.source import Source
from gpuplanner_gui.files.measurements.training_log import FEW_STEPS, WARM_UP_STEPS, StepColumn
from gpuplanner_gui.files.measurements.values import count, number

MARK = b"train_step_timing in s"
_VALUE = rb"\s*[:=]\s*([-+.\deE]{1,30})"
STEP = re.compile(MARK + _VALUE)
FLOPS = re.compile(rb"TFLOPS_per_GPU" + _VALUE)
BATCH = re.compile(rb"global_batch_size" + _VALUE)


def recognises(look: Look) -> bool:
    return not look.kind and look.anywhere(MARK)


def read(source: Source, look: Look) -> Findings:
    """All steps of the log as one run."""
    findings = Findings()
    step_s, flops = StepColumn(), StepColumn()
    batch = first = lines = 0
    for chunk in source.chunks():
        if not step_s.values and MARK in chunk:
            first = lines + chunk.count(b"\n", 0, chunk.find(MARK)) + 1
        lines += chunk.count(b"\n")
        for column, pattern in ((step_s, STEP), (flops, FLOPS)):
            for found in pattern.findall(chunk):
                column.add(number(found.decode()))
        batches = BATCH.findall(chunk)
        batch = count(batches[-1].decode()) if batches else batch
    context = MeasurementContext(engine="nemo", global_batch=batch, requests=len(step_s.values))
    figures = step_s.figures("step_time") + flops.figures("model_flop_per_s_per_device", 1e12)
    findings.add(context, figures, first, FEW_STEPS if len(step_s.values) < 2 * WARM_UP_STEPS else "")
    return findings


IMPORTER = Importer("nemo", "NeMo log", recognises, read)
