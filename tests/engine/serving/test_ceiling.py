"""A service is held at what published runs reached and what its device can do, and it is said."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.measurement import FastestRun, Measurement, MeasurementContext, MeasurementSet, figure
from gpuplanner_gui.domain.scenario import HardwareChoice
from gpuplanner_gui.domain.workload import ServingWorkload
from gpuplanner_gui.engine import plan
from gpuplanner_gui.files.knowledge import calibrated_by

H100 = "nvidia-h100-sxm-80gb"
LEAD = 0.15


def on(scenario, *accelerators: str):
    hardware = HardwareChoice(accelerators=accelerators, max_devices_per_replica=1)
    serving = ServingWorkload(classes=scenario.serving.classes, weight_precisions=("bf16", "fp8"))
    return msgspec.structs.replace(scenario, hardware=hardware, serving=serving)


def with_fastest(calibration, *runs: FastestRun):
    return msgspec.structs.replace(
        calibration, published=msgspec.structs.replace(calibration.published, fastest=runs, served_lead=LEAD)
    )


def rows_of(found, precision: str):
    table = found.serving.table
    return np.flatnonzero((table.weight_precision == found.precisions.index(precision)) & table.fits)


@pytest.mark.parametrize(("runs", "slowdown", "held"), [(5, 2.0, 2.0 / (1 + LEAD * (1 - np.exp(-1 / LEAD)))),
                                                        (4, 2.0, 1.0), (5, 0.9, 1.0)])  # fmt: skip
def test_steps_are_hardly_faster_than_all_of_five_published_runs(chat_8b, catalog, calibration, runs, slowdown, held):
    scenario = on(chat_8b, H100)
    free = plan(scenario, catalog, with_fastest(calibration))
    found = plan(
        scenario, catalog, with_fastest(calibration, FastestRun(H100, "bf16", runs, slowdown, 0, "llama-3-8b"))
    )
    row, other = rows_of(found, "bf16"), rows_of(found, "fp8")
    for name in ("max_rate_per_s", "prefill_s"):
        was, now = (getattr(one.serving.table, name) for one in (free, found))
        ratio = was[row] / now[row] if name == "max_rate_per_s" else now[row] / was[row]
        assert ratio == pytest.approx(held, rel=0.03)
        np.testing.assert_array_equal(was[other], now[other])


def test_no_own_measurement_makes_memory_faster_than_it_is(chat_8b, catalog, calibration):
    """Runs that say 2 ms a token of weights whose reading alone takes 16 GB / 3.35 TB/s = 4.8 ms."""
    context = MeasurementContext(
        model="llama-3.1-8b", accelerator=H100, devices=1, tensor_parallel=1, weight_precision="bf16", engine="vllm",
        load="closed_loop", prompt_tokens=1000.0, output_tokens=250.0,
    )  # fmt: skip
    runs = tuple(
        Measurement(context=msgspec.structs.replace(context, concurrency=load), figures=(figure("tpot", 0.002),))
        for load in (1.0, 2.0, 4.0, 8.0, 16.0, 64.0)
    )
    own = calibrated_by((MeasurementSet(name="mine", measurements=runs),), catalog, calibration)
    model = catalog.models["llama-3.1-8b"].model
    found = plan(msgspec.structs.replace(on(chat_8b, H100), model=model), catalog, own)
    table, row = found.serving.table, rows_of(found, "bf16")
    reading_s = 0.93 * table.weights_bytes[row] / 3.35e12  # All but the input embedding.
    assert np.all(table.decode_step_s[row] > reading_s / 1.05)
    (said,) = [one for one in found.findings if one.code == "measured_beyond_hardware"]
    assert float(said.values["beyond_share"]) > 0.3
