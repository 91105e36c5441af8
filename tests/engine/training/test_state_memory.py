"""Training state: worked case E1, the ZeRO paper's table, optimizers, methods."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.domain.training_workload import Checkpoints, StateBytes
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.engine.training.data_input import checkpoint_bytes, checkpoint_write_s
from gpuplanner_gui.engine.training.job import state_per_parameter
from gpuplanner_gui.engine.training.layouts import layouts_of
from gpuplanner_gui.engine.training.memory import TrainingMemory, training_memory
from gpuplanner_gui.engine.training.model_numbers import training_model
from gpuplanner_gui.engine.training.plan import job_for, planned, training_of
from gpuplanner_gui.engine.training.state_memory import sharded_state_bytes

from .conftest import H100, IMAGES, LLAMA_8B, ONE_NODE, SMALL_MOE, ScenarioMaker

GIB = 2**30
LLAMA_8B_PARAMETERS = 8_030_261_248
NOTHING_GIVEN = StateBytes()


def usual_bytes() -> float:
    return state_per_parameter("bf16", "adamw", "pretraining", NOTHING_GIVEN).total


def test_worked_case_e1_sixteen_bytes_per_parameter():
    assert usual_bytes() == 16
    assert 7e9 * usual_bytes() == 112e9
    assert 7e9 * usual_bytes() / GIB == pytest.approx(104.308128, abs=5e-7)


def test_worked_case_e1_llama_8b(context, made: ScenarioMaker):
    index = np.array([context.devices.ids.index(H100)])

    def state_bytes(devices: int, zero_stage: int) -> float:
        layout = layouts_of(index, np.array([[devices, 1, 1, 1, 1, 1]]), zero_stage, 1, 2, 0, 1)
        paper = StateBytes(gradients=2.0)
        scenario = made(LLAMA_8B, {"training_devices": devices}, micro_batch=1, state_bytes=paper)
        table = planned(scenario, context, layout, lambda: None).table
        state = float(
            table.weights_bytes[0] + table.gradients_bytes[0] + table.master_weights_bytes[0]
            + table.first_moment_bytes[0] + table.second_moment_bytes[0]
        )  # fmt: skip
        beside = float(table.activation_bytes[0] + table.logits_bytes[0] + table.runtime_bytes[0])
        if not table.fits[0]:
            assert table.reason_value[0] == pytest.approx(state + beside - float(table.memory_capacity_bytes[0]))
        return state

    assert training_model(LLAMA_8B, 4096, True).parameters == LLAMA_8B_PARAMETERS
    assert state_bytes(1, 0) == 128_484_179_968
    assert state_bytes(8, 0) == 128_484_179_968
    assert state_bytes(8, 3) / GIB == pytest.approx(14.957527, abs=5e-7)


@pytest.mark.parametrize(
    ("framework", "zero_stage", "weights", "gradients", "master", "moments"),
    [
        # Megatron adds gradients up in FP32: 18 bytes per parameter, 6 + 12/d with the optimizer divided.
        ("megatron", 0, 2.0, 4.0, 4.0, 8.0),
        ("megatron", 1, 2.0, 4.0, 0.5, 1.0),
        ("megatron", 2, 2.0, 0.5, 0.5, 1.0),
        # FSDP keeps FP32 weights: 16 bytes, all divided in stage 3, 16-bit weights whole beside them in stage 2.
        ("fsdp", 0, 4.0, 4.0, 0.0, 8.0),
        ("fsdp", 2, 2.0, 0.5, 0.5, 1.0),
        ("fsdp", 3, 0.5, 0.5, 0.0, 1.0),
    ],
)
def test_state_of_eight_copies_as_each_framework_keeps_it(
    context, made: ScenarioMaker, framework: str, zero_stage: int, weights: float, gradients: float, master: float,
    moments: float,
):  # fmt: skip
    index = np.array([context.devices.ids.index(H100)])
    layout = layouts_of(index, np.array([[8, 1, 1, 1, 1, 1]]), zero_stage, 1, 2, 0, 1)
    scenario = made(LLAMA_8B, {"training_devices": 8}, micro_batch=1, framework=framework)
    table = planned(scenario, context, layout, lambda: None).table
    found = (
        table.weights_bytes, table.gradients_bytes, table.master_weights_bytes,
        table.first_moment_bytes + table.second_moment_bytes,
    )  # fmt: skip
    for part, each in zip(found, (weights, gradients, master, moments)):
        assert float(part[0]) == pytest.approx(each * LLAMA_8B_PARAMETERS)


@pytest.mark.parametrize(("stage", "expected_gb"), [(0, 120.0), (1, 31.40625), (2, 16.640625), (3, 1.875)])
def test_zero_paper_table(stage: int, expected_gb: float):
    state = state_per_parameter("bf16", "adamw", "pretraining", NOTHING_GIVEN)
    parameters, copies, none = np.array([7.5e9]), np.array([64]), np.array([0.0])
    parts = (
        (state.weights, 3), (state.gradients, 2), (state.master_weights, 1), (state.first_moment, 1),
        (state.second_moment, 1),
    )  # fmt: skip
    total = sum(
        float(sharded_state_bytes(size, parameters, none, np.where(stage >= since, copies, 1), copies)[0])
        for size, since in parts
    )
    assert total / 1e9 == pytest.approx(expected_gb, rel=1e-12)


@pytest.mark.parametrize(
    ("optimizer", "moments"),
    [("adamw", 8.0), ("adamw_8bit", 2.03125), ("lion", 4.0), ("sgd_momentum", 4.0), ("sgd", 0.0)],
)
def test_moments_of_each_optimizer(optimizer: str, moments: float):
    state = state_per_parameter("bf16", optimizer, "pretraining", NOTHING_GIVEN)  # type: ignore[arg-type]
    assert state.first_moment + state.second_moment == moments


def test_muon_leaves_embeddings_to_adamw_and_adafactor_keeps_rows_and_columns():
    numbers = training_model(LLAMA_8B, 4096, True)
    muon = state_per_parameter("bf16", "muon", "pretraining", NOTHING_GIVEN, numbers.muon_left_share)
    embeddings = 2 * 128_256 * 4096
    norms = 65 * 4096
    assert muon.second_moment == pytest.approx(4 * (embeddings + norms) / LLAMA_8B_PARAMETERS)
    factored = state_per_parameter("bf16", "adafactor", "pretraining", NOTHING_GIVEN, 0.0, numbers.factored_share)
    assert 0 < factored.second_moment < 0.01


def test_every_part_can_be_given():
    given_parts = StateBytes(weights=1, gradients=2, master_weights=3, first_moment=0.5, second_moment=0.25)
    state = state_per_parameter("bf16", "adamw", "pretraining", given_parts)
    assert state.total == 6.75
    assert state.checkpoint == 4.75


def test_fp32_keeps_no_second_copy_of_the_weights():
    assert state_per_parameter("fp32", "adamw", "pretraining", NOTHING_GIVEN).total == 16
    assert state_per_parameter("tf32", "sgd", "pretraining", NOTHING_GIVEN).total == 8


def test_lora_state_is_the_frozen_model_and_little_more(context, made: ScenarioMaker):
    index = np.array([context.devices.ids.index(H100)])
    layout = layouts_of(index, np.array([[1, 1, 1, 1, 1, 1]]), 0, 1, 2, 0, 1)

    def weights(method: str) -> float:
        table = planned(made(method=method, micro_batch=1, lora_rank=8), context, layout, lambda: None).table
        assert table.first_moment_bytes[0] < 1e9
        return float(table.weights_bytes[0])

    adapters = training_model(LLAMA_8B, 4096, True).adapter_parameters(8)
    # PEFT keeps adapters in FP32.
    assert weights("lora") == pytest.approx(2 * LLAMA_8B_PARAMETERS + 4 * adapters)
    # 4 bits and 0.127 bit of constants for the layers, 16 bits for embeddings, head and the last norm.
    ends = 2 * 128_256 * 4096 + 4096
    layers = LLAMA_8B_PARAMETERS - ends
    assert weights("qlora") == pytest.approx(layers * (0.5 + 0.127 / 8) + 2 * ends + 4 * adapters)


def test_lora_of_rank_16_on_every_matrix_of_llama_8b():
    """41,943,040 is what PEFT reports for it."""
    assert training_model(LLAMA_8B, 4096, True).adapter_parameters(16) == 41_943_040


def test_worked_case_e18_checkpoint():
    state = state_per_parameter("bf16", "adamw", "pretraining", NOTHING_GIVEN)
    size = checkpoint_bytes(70_553_706_496, state.checkpoint)
    assert size / 1e9 == pytest.approx(987.751891, abs=5e-7)
    assert checkpoint_write_s(size, 40e9) == pytest.approx(24.693797, abs=5e-7)


@given(dense=st.floats(1e6, 1e12), experts=st.floats(0, 1e12), copies=st.integers(1, 4096), more=st.integers(2, 64))
def test_more_copies_never_need_more_memory_each(dense: float, experts: float, copies: int, more: int):
    def state(count: int) -> float:
        ranks = np.array([count])
        return float(sharded_state_bytes(12.0, np.array([dense]), np.array([experts]), ranks, ranks)[0])

    assert state(copies * more) <= state(copies)


def table_of(context, made: ScenarioMaker, sizes: tuple[int, ...], zero_stage: int, **training: object):
    index = np.array([context.devices.ids.index(H100)])
    layout = layouts_of(index, np.array([sizes]), zero_stage, 1, 2, 0, 1)
    return planned(made(LLAMA_8B, micro_batch=1, **training), context, layout, lambda: None).table


def test_a_model_of_unknown_blocks_is_quantised_and_gathered_whole_by_hand(context, made: ScenarioMaker):
    """ResNet-50's 25,557,032 parameters: 4 bits and constants with QLoRA; under ZeRO-3 an eighth of 16 bits is kept,
    and all of them are there while they are used."""
    index = np.array([context.devices.ids.index(H100)])

    def memory(zero_stage: int, **job: object) -> TrainingMemory:
        scenario = made(IMAGES, ONE_NODE, global_batch_tokens=8, **job)
        layout = layouts_of(index, np.array([[8, 1, 1, 1, 1, 1]]), zero_stage, 1, 0, 0, 1)
        return training_memory(job_for(scenario, context, training_of(scenario)), layout)

    assert memory(0, method="qlora").state.weights[0] == pytest.approx(25_557_032 * (0.5 + 0.127 / 8))
    cut, divided = (memory(stage, framework="deepspeed") for stage in (2, 3))
    assert divided.state.weights[0] == pytest.approx(25_557_032 * 2 / 8)
    assert divided.buffers[0] - cut.buffers[0] == pytest.approx(25_557_032 * 2)


def test_hybrid_sharding_divides_within_a_node_and_repeats_between(context, made: ScenarioMaker):
    sizes = (64, 1, 1, 1, 1, 1)
    whole, hybrid = (table_of(context, made, sizes, 3, hybrid_sharding=choice) for choice in (False, True))
    assert float(whole.weights_bytes[0]) == pytest.approx(2 * LLAMA_8B_PARAMETERS / 64)
    assert float(hybrid.weights_bytes[0]) == pytest.approx(2 * LLAMA_8B_PARAMETERS / 8)
    assert hybrid.data_communication_s[0] < whole.data_communication_s[0]


def test_offloaded_state_leaves_the_device_and_slows_the_update(context, made: ScenarioMaker):
    sizes = (8, 1, 1, 1, 1, 1)
    kept, host, nvme = (table_of(context, made, sizes, 1, offload=place) for place in ("none", "host", "nvme"))
    assert kept.master_weights_bytes[0] > 0
    for table in (host, nvme):
        assert table.master_weights_bytes[0] == table.first_moment_bytes[0] == table.second_moment_bytes[0] == 0
        assert table.checkpoint_bytes[0] == kept.checkpoint_bytes[0]
    assert kept.step_time_s[0] < host.step_time_s[0] < nvme.step_time_s[0]
    state = 12 * LLAMA_8B_PARAMETERS / 8
    moved = 6 * LLAMA_8B_PARAMETERS / 8
    extra = float(host.host_s[0] - kept.host_s[0])
    assert extra == pytest.approx(2 * state / 25e9 + moved / (63.015e9 * 0.8), rel=0.01)


@pytest.mark.parametrize("zero_stage", [1, 2, 3])
def test_each_rank_moves_its_part_of_gradients_and_weights_whatever_the_stage(
    context, made: ScenarioMaker, zero_stage: int
):
    """Eight ranks divide the update, whether each has all gradients or its part: 4 + 2 bytes go over the link."""
    sizes, job = (8, 1, 1, 1, 1, 1), {"framework": "deepspeed", "state_bytes": StateBytes(gradients=4.0)}
    kept = table_of(context, made, sizes, 3, **job)
    host = table_of(context, made, sizes, zero_stage, offload="host", **job)
    state, moved = 12 * LLAMA_8B_PARAMETERS / 8, 6 * LLAMA_8B_PARAMETERS / 8
    extra = float(host.host_s[0] - kept.host_s[0])
    assert extra == pytest.approx(2 * state / 25e9 + moved / (63.015e9 * 0.8), rel=0.01)


def test_experts_of_one_rank_are_updated_by_it_alone(context, made: ScenarioMaker):
    """Experts dealt out over all eight ranks have no copies to divide an update among: each rank's host keeps masters,
    moments and gradients of an eighth of all parameters, 12 + 4 bytes each."""
    index = np.array([context.devices.ids.index(H100)])
    layout = layouts_of(index, np.array([[8, 1, 1, 1, 8, 1]]), 1, 1, 2, 0, 1)
    table = planned(made(SMALL_MOE, micro_batch=1, offload="host"), context, layout, lambda: None).table
    assert float(table.host_bytes[0]) == pytest.approx(16 * model_parameters(SMALL_MOE).total / 8, rel=1e-3)


def test_frozen_weights_do_not_come_back_from_an_update(context, made: ScenarioMaker):
    sizes, job = (8, 1, 1, 1, 1, 1), {"framework": "deepspeed", "frozen_share": 0.9}
    kept, host = (table_of(context, made, sizes, 2, offload=place, **job) for place in ("none", "host"))
    state, moved = 1.2 * LLAMA_8B_PARAMETERS / 8, 0.6 * LLAMA_8B_PARAMETERS / 8
    extra = float(host.host_s[0] - kept.host_s[0])
    assert extra == pytest.approx(2 * state / 25e9 + moved / (63.015e9 * 0.8), rel=0.01)


def test_embeddings_and_head_stay_in_16_bits_beside_matrices_of_4(context, made: ScenarioMaker):
    """Of Llama 3 8B under ZeRO-3 two layers of 218,112,000 parameters in 4 bits with constants and the whole head of
    525,336,576 in 16 are there while they are used."""
    index = np.array([context.devices.ids.index(H100)])

    def buffers(zero_stage: int) -> float:
        scenario = made(LLAMA_8B, ONE_NODE, method="qlora", framework="fsdp")
        layout = layouts_of(index, np.array([[8, 1, 1, 1, 1, 1]]), zero_stage, 1, 2, 0, 1)
        return float(training_memory(job_for(scenario, context, training_of(scenario)), layout).buffers[0])

    gathered = 2 * 218_112_000 * (0.5 + 0.127 / 8) + 2 * 525_336_576
    assert buffers(3) - buffers(2) == pytest.approx(gathered, rel=1e-3)


def test_storage_holds_the_checkpoints_kept_and_the_one_being_written(context, made: ScenarioMaker):
    sizes = (8, 1, 1, 1, 1, 1)
    three, ten = (table_of(context, made, sizes, 1, checkpoints=Checkpoints(kept=kept)) for kept in (3, 10))
    assert three.checkpoint_bytes[0] == ten.checkpoint_bytes[0] == pytest.approx(14 * LLAMA_8B_PARAMETERS)
    assert three.checkpoint_storage_bytes[0] == pytest.approx(4 * 14 * LLAMA_8B_PARAMETERS)
    assert ten.checkpoint_storage_bytes[0] == pytest.approx(11 * 14 * LLAMA_8B_PARAMETERS)


def test_frozen_parameters_keep_their_weights_alone(context, made: ScenarioMaker):
    sizes = (8, 1, 1, 1, 1, 1)
    whole, half = (table_of(context, made, sizes, 1, frozen_share=share) for share in (0.0, 0.5))
    assert half.weights_bytes[0] == whole.weights_bytes[0]
    for name in ("gradients_bytes", "master_weights_bytes", "first_moment_bytes", "second_moment_bytes"):
        assert getattr(half, name)[0] == pytest.approx(0.5 * getattr(whole, name)[0])
    assert whole.checkpoint_bytes[0] == pytest.approx(14 * LLAMA_8B_PARAMETERS)
    # Frameworks write the whole model: 14 bytes for each trained parameter, 2 for each frozen one.
    assert half.checkpoint_bytes[0] == pytest.approx((14 + 2) / 2 * LLAMA_8B_PARAMETERS)
    assert half.mfu[0] == pytest.approx(whole.mfu[0], rel=0.5)


def test_narrow_recipes_keep_a_copy_of_the_weights_and_narrow_inputs(context, made: ScenarioMaker):
    wide, narrow = (state_per_parameter(recipe, "adamw", "pretraining", NOTHING_GIVEN) for recipe in ("bf16", "fp8"))
    assert narrow.weights == wide.weights + 1
    sizes = training_model(LLAMA_8B, 4096, True).activation
    saved = sizes.bytes_per_token(0) - sizes.bytes_per_token(0, 1.0)
    attention_output = 4096  # stays in 16 bits for its own backward pass, the copy of 8 bits beside it
    assert saved == 32 * (2 * 4096 + 14336 - attention_output)
