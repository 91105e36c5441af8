"""Scenarios of a few devices with prices on all terms, so that plans are quick and comparable."""

from __future__ import annotations

import msgspec
import pytest

from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.context import context_of

DAY_S = 86_400.0
DEVICES = (
    "nvidia-h100-sxm-80gb", "nvidia-h200-sxm-141gb", "nvidia-a100-sxm-80gb", "nvidia-l40s", "nvidia-rtx-5090",
    "amd-mi300x",
)  # fmt: skip


@pytest.fixture(scope="session")
def both(llama_8b) -> Scenario:
    """An 8B model that is trained further once a year and served."""
    return Scenario(
        name="both",
        model=llama_8b,
        training=TrainingWorkload(tokens=20e9, deadline_s=14 * DAY_S, global_batch_tokens=1_048_576),
        serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=40.0),)),
        hardware=HardwareChoice(accelerators=DEVICES, max_training_devices=64),
    )


@pytest.fixture(scope="session")
def context(catalog, calibration):
    return context_of(catalog, calibration)


@pytest.fixture(scope="session")
def both_plan(both, catalog, calibration):
    return plan(both, catalog, calibration)


@pytest.fixture(scope="session")
def service(both) -> Scenario:
    return msgspec.structs.replace(both, name="service", training=None)


@pytest.fixture(scope="session")
def service_plan(service, catalog, calibration):
    return plan(service, catalog, calibration)
