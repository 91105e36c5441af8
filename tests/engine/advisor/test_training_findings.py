"""Findings of training grow with what they speak of: none falls silent because the plan has fled to another layout."""

import pytest

from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.workload import TrainingWorkload
from gpuplanner_gui.engine import plan

H100 = "nvidia-h100-sxm-80gb"


@pytest.mark.parametrize(
    ("code", "field", "values"),
    [
        ("slow_link", "slow_link_share", (0.1, 0.03, 0.01)),
        ("slow_device", "slow_device_share", (0.9, 0.5, 0.1)),
        ("oversubscribed", "oversubscription", (4.0, 16.0, 64.0)),
    ],
)
def test_a_worse_network_never_silences_its_finding(
    catalog, calibration, llama_8b, code: str, field: str, values: tuple[float, ...]
):
    lost = []
    for value in values:
        hardware = HardwareChoice(accelerators=(H100,), training_devices=64, **{field: value})  # type: ignore[arg-type]
        run = TrainingWorkload(tokens=1e10, global_batch_tokens=1_048_576)
        found = plan(Scenario(name="run", model=llama_8b, training=run, hardware=hardware), catalog, calibration)
        lost.append(next((one.usd for one in found.findings if one.code == code), 0.0))
    assert lost[0] > 0
    assert lost == sorted(lost)
