"""What a context knows of evidence: measured, of a timed vendor's GPUs, or from the data sheet alone."""

from __future__ import annotations

import numpy as np
import pytest

from gpuplanner_gui.domain.plan import Evidence
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.candidates import ServingCandidates


@pytest.mark.parametrize(
    ("device", "expected"),
    [
        ("nvidia-h100-sxm-80gb", Evidence.CALIBRATED),
        ("nvidia-a30", Evidence.CALIBRATED),
        ("nvidia-jetson-agx-orin-64gb", Evidence.SPECIFICATION),
        ("intel-gaudi2", Evidence.SPECIFICATION),
        ("amd-mi300x", Evidence.SPECIFICATION),
    ],
)
def test_evidence_is_of_the_device_or_of_gpus_of_its_vendor(catalog, calibration, device, expected):
    context = Context(catalog, calibration)
    one, bf16 = np.ones(1, np.int64), np.zeros(1, np.int64)
    candidates = ServingCandidates(np.array([context.devices.ids.index(device)]), one, one, bf16, bf16)
    assert context.evidence("vllm", candidates).tolist() == [expected]
