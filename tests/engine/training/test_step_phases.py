"""A step by phase adds up to the step of the table; recomputation and adapters show where they should."""

import numpy as np
import pytest

from gpuplanner_gui.engine.training.plan import training_plan
from gpuplanner_gui.engine.training.step_phases import candidate_passes, step_phases

from .conftest import H100, LLAMA_8B, LLAMA_70B, SMALL_MOE, ScenarioMaker


def planned(context, scenario):
    table = training_plan(scenario, context, lambda: None).table
    return table, np.flatnonzero(table.fits)


@pytest.mark.parametrize("model", [LLAMA_8B, LLAMA_70B, SMALL_MOE], ids=["8b", "70b", "experts"])
def test_phases_add_up_to_the_step(context, made: ScenarioMaker, model):
    scenario = made(model, {"accelerators": (H100,), "training_devices": 64})
    table, fitting = planned(context, scenario)
    for candidate in fitting[::20]:
        phases = step_phases(scenario, context, table, int(candidate))
        assert phases.total_s == pytest.approx(float(table.step_time_s[candidate]))
        assert min(phases.forward_s, phases.backward_s, phases.optimizer_s) > 0
        assert phases.recompute_s >= 0


def test_backward_takes_about_twice_the_forward_and_full_recomputation_another_forward(context, made: ScenarioMaker):
    """Kaplan et al. 2020, section 2.1: the backward pass has twice the forward's FLOPs."""
    found = {}
    for recompute in ("none", "full"):
        scenario = made(LLAMA_8B, {"accelerators": (H100,), "training_devices": 64}, recompute=recompute, micro_batch=1)
        table, fitting = planned(context, scenario)
        alone = fitting[(table.pipeline_parallel[fitting] == 1) & (table.tensor_parallel[fitting] == 2)]
        found[recompute] = step_phases(scenario, context, table, int(alone[0]))
    assert found["none"].recompute_s == 0
    assert 1.7 < found["none"].backward_s / found["none"].forward_s < 2.6
    assert found["full"].recompute_s == pytest.approx(found["full"].forward_s, rel=0.25)


def test_experts_talk_where_they_are_spread(context, made: ScenarioMaker):
    scenario = made(SMALL_MOE, {"accelerators": (H100,), "training_devices": 64})
    table, fitting = planned(context, scenario)
    spread = fitting[table.expert_parallel[fitting] == 32]
    phases = step_phases(scenario, context, table, int(spread[0]))
    assert phases.expert_communication_s > 0
    assert phases.context_communication_s == 0


def test_passes_take_what_the_phases_take(context, made: ScenarioMaker):
    scenario = made(LLAMA_70B, {"accelerators": (H100,), "training_devices": 64}, schedule="interleaved")
    table, fitting = planned(context, scenario)
    candidate = int(fitting[table.pipeline_parallel[fitting] == 4][0])
    phases = step_phases(scenario, context, table, candidate)
    found = candidate_passes(table, candidate, phases)
    assert found.stages == 4
    assert found.micro_batches % 4 == 0
    forward = next(task for task in found.tasks if task.kind == "forward")
    chunks = int(table.virtual_stages[candidate])
    assert (forward.end_s - forward.start_s) * chunks * phases.micro_batches >= phases.forward_s
    assert 0 < found.idle_share < 1


def test_up_to_sixteen_micro_batches_are_all_drawn(context, made: ScenarioMaker):
    scenario = made(LLAMA_8B, {"accelerators": (H100,), "training_devices": 64})
    table, fitting = planned(context, scenario)
    counts = {}
    for candidate in fitting[table.pipeline_parallel[fitting] == 1]:
        phases = step_phases(scenario, context, table, int(candidate))
        counts[phases.micro_batches] = candidate_passes(table, int(candidate), phases).micro_batches
    few = {count for count in counts if 6 < count <= 16}
    assert few
    assert all(counts[count] == count for count in few)
    assert all(counts[count] == 16 for count in counts if count > 16)


def test_what_cannot_run_has_no_phases(context, made: ScenarioMaker):
    scenario = made(LLAMA_70B, {"accelerators": (H100,), "training_devices": 64})
    table = training_plan(scenario, context, lambda: None).table
    with pytest.raises(ValueError, match="cannot run"):
        step_phases(scenario, context, table, int(np.flatnonzero(~table.fits)[0]))
