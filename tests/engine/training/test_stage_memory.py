"""Memory stage by stage agrees with the table's most loaded device; parts add up."""

import numpy as np
import pytest

from gpuplanner_gui.engine.model.table_memory import memory_bytes
from gpuplanner_gui.engine.training.exploring import layers_of_stages, stage_memory
from gpuplanner_gui.engine.training.plan import training_plan

from .conftest import H100, LLAMA_8B, LLAMA_70B, ScenarioMaker


@pytest.mark.parametrize("schedule", ["1f1b", "interleaved"])
def test_fullest_stage_is_the_tables_device(context, made: ScenarioMaker, schedule):
    scenario = made(LLAMA_70B, {"accelerators": (H100,), "training_devices": 64}, schedule=schedule)
    table = training_plan(scenario, context, lambda: None).table
    for stages in (1, 4, 8):
        candidate = int(np.flatnonzero(table.fits & (table.pipeline_parallel == stages))[0])
        found = stage_memory(scenario, context, table, candidate)
        assert len(found.layers) == stages
        assert found.layers.sum() == 80
        assert found.total_bytes.max() == pytest.approx(memory_bytes(table)[candidate])


def test_earlier_stages_hold_more_micro_batches(context, made: ScenarioMaker):
    """1F1B: the first of p stages holds p micro-batches, the last one (Narayanan et al. 2021, section 2.2)."""
    scenario = made(LLAMA_70B, {"accelerators": (H100,), "training_devices": 64}, schedule="1f1b")
    table = training_plan(scenario, context, lambda: None).table
    candidate = int(np.flatnonzero(table.fits & (table.pipeline_parallel == 4))[0])
    found = stage_memory(scenario, context, table, candidate)
    np.testing.assert_array_equal(found.in_flight, [4, 3, 2, 1])
    assert (np.diff(found.activation_bytes) < 0).all()
    np.testing.assert_array_equal(found.logits_bytes > 0, [False, False, False, True])


def test_allocated_is_less_than_reserved_and_that_less_than_taken(context, made: ScenarioMaker):
    scenario = made(LLAMA_70B, {"accelerators": (H100,), "training_devices": 64})
    plan = training_plan(scenario, context, lambda: None)
    found = stage_memory(scenario, context, plan.table, plan.best)
    assert (found.allocated_bytes < found.reserved_bytes).all()
    assert (found.reserved_bytes < found.total_bytes).all()
    assert (found.total_bytes < found.capacity_bytes).all()


def test_layers_are_dealt_out_full_stages_first():
    np.testing.assert_array_equal(layers_of_stages(10, 4), [3, 3, 3, 1])
    np.testing.assert_array_equal(layers_of_stages(8, 1), [8])


def test_the_band_of_memory_is_that_of_left_out_peaks(context, made: ScenarioMaker):
    plan = training_plan(made(LLAMA_8B, {"accelerators": (H100,), "training_devices": 8}), context, lambda: None)
    found = stage_memory(made(LLAMA_8B), context, plan.table, plan.best)
    spread = context.calibration.training.framework("megatron").memory_log_sd
    assert found.log_sd == spread > 0
    assert (found.low80_bytes < found.total_bytes).all()
    high = (found.high80_bytes - found.library_bytes) / found.reserved_bytes
    assert high == pytest.approx(np.exp(1.2815515655446004 * spread))
