"""Findings grow with what they speak of: none falls silent because the plan has fled to another layout."""

from __future__ import annotations

from typing import Any

import pytest

from gpuplanner_gui.desktop.store import replaced
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.verdict import Finding
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.engine.advisor.lifted_rules import FEEDING_CODES as FEEDING

H100 = "nvidia-h100-sxm-80gb"
OFTEN = {"training.checkpoints.failures_per_node_day": 0.5}
FREE = {"hardware.training_devices": 0, "hardware.max_training_devices": 256}


def at_stake(finding: Finding) -> float:
    """Money, or more than any money where the targets hang on it."""
    return float("inf") if any(name.startswith("enough") for name in finding.values) else finding.usd


@pytest.mark.parametrize(
    ("codes", "path", "values", "beside"),
    [
        (("slow_link",), "hardware.slow_link_share", (0.1, 0.03, 0.01), {}),
        (("slow_node_link",), "hardware.slow_node_link_share", (0.02, 0.01, 0.003), {}),
        (("slow_device",), "hardware.slow_device_share", (0.9, 0.5, 0.1), {}),
        (("oversubscribed",), "hardware.oversubscription", (4.0, 16.0, 64.0), {}),
        (("slow_checkpoint_store",), "training.checkpoints.storage_write_bytes_per_s", (1e8, 3e7, 1e7), OFTEN),
        (("slow_checkpoint_store",), "training.checkpoints.storage_write_bytes_per_s", (3e7, 1e7, 3e6), OFTEN | FREE),
        (FEEDING, "training.data.storage_read_bytes_per_s", (1e6, 1e5, 1e4), {}),
        (FEEDING, "training.data.cpu_cores_per_device", (0.01, 0.003, 0.001), FREE),
        (("bursty_arrivals",), "serving.traffic.burstiness_cv", (3.0, 6.0, 12.0), {}),
        (("bursts_of_windows",), "serving.traffic.peak_over_mean_1s", (3.0, 6.0),
         {"serving.traffic.arrivals": "mmpp"}),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)  # fmt: skip
def test_a_worse_limit_never_silences_its_finding(
    advised, llama_8b, codes: tuple[str, ...], path: str, values: tuple[float, ...], beside: dict[str, Any]
) -> None:
    run = TrainingWorkload(tokens=1e10, global_batch_tokens=1_048_576)
    service = ServingWorkload(classes=(RequestClass(peak_rate_per_s=200.0),))
    is_run = "serving" not in path
    scenario = Scenario(
        name="limits", model=llama_8b, training=run if is_run else None, serving=None if is_run else service,
        hardware=HardwareChoice(accelerators=(H100,), training_devices=64),
    )  # fmt: skip
    for other, value in beside.items():
        scenario = replaced(scenario, other, value)
    lost = []
    for value in values:
        found = advised(replaced(scenario, path, value))
        lost.append(next((at_stake(one) for one in found.findings if one.code in codes), 0.0))
    assert lost[0] > 0
    assert lost == sorted(lost)
