"""Findings grow with what they speak of: none falls silent because the plan has fled to another layout."""

from __future__ import annotations

from typing import Any

import pytest

from gpuplanner_gui.desktop.store import replaced
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.traffic import LengthFigures, TraceFigures
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.verdict import Finding
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.engine.advisor.lifted_rules import FEEDING_CODES as FEEDING
from gpuplanner_gui.engine.fleet.readiness import planned_tests

pytestmark = pytest.mark.usefixtures("short_simulations")

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


def test_finding_and_stress_tests_take_the_bursts_that_the_fleet_is_sized_for(advised, llama_8b) -> None:
    """Those of the trace, whatever was stated before it came."""
    lengths = LengthFigures(mean=900.0, p50=800.0, p90=2000.0, p95=2500.0, p99=3000.0, longest=9000.0, log_sd=0.7)
    trace = TraceFigures(
        name="day", requests=100_000, duration_s=500.0, rate_per_s=200.0, peak_over_mean_1s=6.0, peak_over_mean_10s=4.0,
        peak_over_mean_60s=2.5, gap_cv=2.0, prompt_tokens=lengths, output_tokens=lengths,
    )  # fmt: skip
    service = ServingWorkload(classes=(RequestClass(peak_rate_per_s=200.0),))
    hardware = HardwareChoice(accelerators=(H100,))
    scenario = Scenario(name="recorded", model=llama_8b, serving=service, hardware=hardware)
    for path, value in (("arrivals", "trace"), ("trace", trace)):
        scenario = replaced(scenario, f"serving.traffic.{path}", value)
    said = next(one.values for one in advised(scenario).findings if one.code == "bursts_of_windows")
    assert (said["busiest_second"], said["busiest_minute"]) == (6.0, 2.5)
    tests = planned_tests(scenario.service, 9, 60.0, has_cached_prefixes=False)
    assert [one.factor for one in tests if one.code == "burst"] == [4.0, 2.5]


def test_of_larger_clusters_the_one_is_told_on_which_a_saved_day_costs_least(advised, llama_8b) -> None:
    """16 devices: 18 cost $603 more for 18.5 h, while 32 cost $23 more for 5.6 days."""
    run = TrainingWorkload(tokens=1e11, global_batch_tokens=4_194_304, deadline_s=120 * 86_400)
    hardware = HardwareChoice(accelerators=(H100,), training_devices=0, max_training_devices=1024)
    found = advised(Scenario(name="larger", model=llama_8b, training=run, serving=None, hardware=hardware))
    assert found.training is not None
    table, best = found.training.table, found.training.best
    (told,) = (one for one in found.findings if one.code.startswith("more_devices_buy_time"))
    twice = (table.devices > table.devices[best]) & (table.devices <= 2 * table.devices[best]) & (table.reason == 0)
    assert len(set(table.devices[twice].tolist())) > 1
    saved = table.run_time_s[best] - table.run_time_s[twice]
    each = (table.usd_per_run[twice] - table.usd_per_run[best])[saved > 0] / saved[saved > 0]
    assert (told.values["more_usd"] / told.values["saved_s"]) == pytest.approx(each.min())
