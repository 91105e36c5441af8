"""Training on its roofline: kernels stay under the device's ceilings, the step's rate is its MFU."""

import numpy as np
import pytest

from gpuplanner_gui.domain.plan import Resource
from gpuplanner_gui.engine.planning import plan
from gpuplanner_gui.engine.serving.curves import roofline
from gpuplanner_gui.engine.training.step_phases import training_points

from .conftest import H100, LLAMA_8B, LLAMA_70B, SMALL_MOE, ScenarioMaker

PEAK_BF16 = 989.4e12
BANDWIDTH = 3.35e12


@pytest.mark.parametrize("model", [LLAMA_8B, LLAMA_70B, SMALL_MOE], ids=["8b", "70b", "experts"])
def test_no_kernel_is_above_the_roof_and_the_step_is_at_its_mfu(context, made: ScenarioMaker, model):
    scenario = made(model, {"accelerators": (H100,), "training_devices": 64})
    answer = plan(scenario, context.catalog, context.calibration)
    assert answer.training is not None
    table, best = answer.training.table, answer.training.best
    points = {one.code: one for one in roofline(
        scenario, context.catalog, context.calibration, answer, "training", best
    ).points}  # fmt: skip
    for one in points.values():
        assert one.phase == "training"
        assert one.achieved_flop_per_s < min(PEAK_BF16, one.intensity_flop_per_byte * BANDWIDTH) * 1.01
    assert points["total"].achieved_flop_per_s == pytest.approx(float(table.mfu[best]) * PEAK_BF16, rel=0.03)
    assert points["products"].resource == Resource.COMPUTE
    assert points["norms_and_activations"].resource == Resource.MEMORY_BANDWIDTH
    assert ("experts" in points) == (model is SMALL_MOE)


def test_what_cannot_run_has_no_points(context, made: ScenarioMaker):
    scenario = made(LLAMA_70B, {"accelerators": (H100,), "training_devices": 64})
    answer = plan(scenario, context.catalog, context.calibration)
    assert answer.training is not None
    table = answer.training.table
    assert training_points(scenario, context, table, int(np.flatnonzero(~table.fits)[0])) == ()
