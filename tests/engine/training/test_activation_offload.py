"""Activations that wait in host memory: what stays, what travels, who can, and when the search takes it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.domain.training_workload import Parallelism
from gpuplanner_gui.engine.training.layout_ranking import layout_search
from gpuplanner_gui.engine.training.layouts import layouts_of, with_layout_fixed
from gpuplanner_gui.engine.training.memory import bytes_per_token, host_activation_bytes
from gpuplanner_gui.engine.training.plan import equipment_of, job_for, planned, training_of, training_plan
from gpuplanner_gui.engine.training.state_memory import end_parameters, shards, state_memory
from gpuplanner_gui.engine.training.work import step_work

from .conftest import H100, LLAMA_8B, ScenarioMaker

LONG = {"sequence_length": 65_536, "global_batch_tokens": 65_536 * 16}
NODE = {"accelerators": (H100,), "training_devices": 8, "max_training_devices": 8}


def layout(context, recompute: int = 0, stages: int = 1, zero: int = 1, away: int = 1, tensor: int = 1):
    sizes = np.array([[8, tensor, stages, 1, 1, tensor]])
    place = np.array([context.devices.ids.index(H100)])
    return layouts_of(place, sizes, zero, 1, recompute, 0, 1, 0, 0, away)


def test_two_layers_stay_and_all_travel_there_and_back(context, made: ScenarioMaker):
    """32 layers: a sixteenth stays, and the layer at work beside it. Copies take 80 % of PCIe's rate."""
    scenario = made(LLAMA_8B)
    job = job_for(scenario, context, training_of(scenario))
    here, away = layout(context, away=0), layout(context)
    (kept, _), (left, live) = bytes_per_token(job, here), bytes_per_token(job, away)
    assert float(left[0]) == pytest.approx(float(kept[0]) / 16)
    assert float(live[0]) == pytest.approx(float(kept[0]) / 32, rel=1e-9)
    waiting = 4096 * float(kept[0])
    assert float(host_activation_bytes(job, away)[0]) == pytest.approx(waiting)
    assert float(host_activation_bytes(job, here)[0]) == 0.0

    def streamed(one) -> float:
        part = shards(job, one)
        state = state_memory(job, part, end_parameters(job, one)[0], one.zero_stage)
        return float(
            step_work(job, one, state, part, equipment_of(scenario, context), np.array([np.inf])).streamed_s[0]
        )

    link = float(context.devices.host_bytes_per_s[one_place(context)]) * 0.8
    assert streamed(away) == pytest.approx(2 * waiting / link)
    assert streamed(here) == 0.0


def one_place(context) -> int:
    return context.devices.ids.index(H100)


@pytest.mark.parametrize(
    ("framework", "method", "given", "is_refused"),
    [
        ("megatron", "continued_pretraining", {}, False),
        ("megatron", "continued_pretraining", {"recompute": 1}, True),  # not beside recomputation
        ("megatron", "continued_pretraining", {"recompute": 2}, True),
        ("megatron", "continued_pretraining", {"stages": 2}, True),
        ("megatron", "continued_pretraining", {"zero": 2}, True),  # its FSDP
        ("fsdp", "full_fine_tune", {"zero": 3, "recompute": 2}, False),  # TRL
        ("fsdp", "pretraining", {"zero": 3}, True),  # torchtitan has no such option
        ("deepspeed", "full_fine_tune", {}, True),
        ("nanotron", "pretraining", {}, True),
    ],
)
def test_what_a_framework_cannot_combine_is_refused(
    context, made: ScenarioMaker, framework: str, method: str, given: dict[str, int], is_refused: bool
):
    scenario = made(LLAMA_8B, framework=framework, method=method)
    table = planned(scenario, context, layout(context, **given), lambda: None).table
    assert (table.reason[0] == Reason.ACTIVATION_OFFLOAD_NOT_IN_FRAMEWORK) == is_refused
    assert table.activation_offload[0] == 1


def test_long_sequences_wait_in_host_memory_where_that_is_faster(context, made: ScenarioMaker):
    """Attention over 65,536 tokens gives the link time: it beats recomputing, or dividing over more devices."""
    scenario = made(LLAMA_8B, NODE, **LONG)
    table = training_plan(scenario, context, lambda: None).table
    away = np.flatnonzero(table.fits & (table.activation_offload > 0))
    assert len(away)
    row = int(away[0])
    assert table.pipeline_parallel[row] == 1
    assert table.recompute[row] == 0
    assert 0 < table.host_bytes[row] < 0.75 * 2**41 / 8
    fixed = with_layout_fixed(scenario, table, row)
    assert fixed.training.offload_activations
    again = training_plan(fixed, context, lambda: None).table
    assert again.step_time_s[0] == pytest.approx(float(table.step_time_s[row]), rel=1e-9)
    # The same sizes with activations kept on the device are slower, or do not fit.
    sizes = Parallelism(
        tensor=int(table.tensor_parallel[row]), pipeline=1, context=int(table.context_parallel[row]), expert=1
    )  # fmt: skip
    kept = training_plan(made(LLAMA_8B, NODE, parallelism=sizes, **LONG), context, lambda: None).table
    assert not kept.activation_offload.any()
    assert not kept.fits[0] or kept.step_time_s[0] > table.step_time_s[row]


def test_the_layouts_page_ranks_them_too(context, made: ScenarioMaker):
    table = layout_search(made(LLAMA_8B, NODE, **LONG), context, H100, 8, lambda: None).table
    assert set(np.unique(table.activation_offload)) == {0, 1}
    stated = layout_search(made(LLAMA_8B, NODE, offload_activations=True, **LONG), context, H100, 8, lambda: None).table
    assert set(np.unique(stated.activation_offload)) == {1}


def test_hosts_that_hold_no_activations_refuse_them(context, made: ScenarioMaker):
    """A million tokens on one device: more than its eighth of two terabytes."""
    sizes = {"sequence_length": 2**20, "global_batch_tokens": 2**20 * 16, "zero_stage": "1"}
    table = planned(made(LLAMA_8B, NODE, **sizes), context, layout(context), lambda: None).table
    assert table.reason[0] == Reason.OVER_HOST_MEMORY
    assert table.reason_value[0] == pytest.approx(float(table.host_bytes[0]) - 0.75 * 2**41 / 8, rel=1e-9)


@settings(max_examples=10, deadline=None)
@given(
    st.sampled_from(("megatron", "fsdp")),
    st.sampled_from((4096, 32_768, 131_072)),
    st.sampled_from(("full_fine_tune", "lora")),
)
def test_a_wider_choice_never_makes_the_best_layout_slower(context, made, framework: str, length: int, method: str):
    scenario = made(LLAMA_8B, NODE, framework=framework, method=method, sequence_length=length)
    place = np.array([one_place(context)])
    sizes = np.array([[8, 1, 1, 1, 1, 1], [8, 2, 1, 1, 1, 2], [8, 2, 1, 2, 1, 2]])
    open_ = layouts_of(place, sizes)
    closed = replace(open_, activation_offload=np.zeros(3, np.int64))
    for one, other in zip(
        *(planned(scenario, context, some, lambda: None).table.step_time_s for some in (open_, closed))
    ):
        assert np.isnan(other) or one <= other * (1 + 1e-12)


def test_a_slower_device_saves_no_energy(context, made: ScenarioMaker) -> None:
    """Recomputing all or keeping activations on the host takes two cards as long; recomputing draws more power."""
    card = "nvidia-rtx-4090"
    hardware = {
        "accelerators": (card,), "training_devices": 2, "max_training_devices": 2, "licensed_for_data_centres": False,
    }  # fmt: skip
    job = {"method": "qlora", "tokens": 50e6, "global_batch_tokens": 262_144}
    energy_j = []
    for share in (1.0, 0.8):
        plan = training_plan(made(LLAMA_8B, hardware | {"slow_device_share": share}, **job), context, lambda: None)
        energy_j.append(float(plan.table.energy_j[plan.best]))
    assert energy_j[1] >= energy_j[0]
