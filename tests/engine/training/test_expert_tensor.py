"""Experts that several devices share: memory, exchange, kernels, refusals and the search, by hand.

The mixture has 48 layers of 128 experts, 8 to a token, each three matrices of 2,048 × 768: 28,991,029,248 parameters.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.domain.scenario import HardwareChoice
from gpuplanner_gui.domain.training_workload import Parallelism
from gpuplanner_gui.engine.kernels.operation_time import gemm_time
from gpuplanner_gui.engine.training.communication import all_to_all_s, cluster_for, half_exchange_s
from gpuplanner_gui.engine.training.kernel_time import machine_of
from gpuplanner_gui.engine.training.layout_ranking import layout_search
from gpuplanner_gui.engine.training.layouts import layouts_of, parallel_sizes, with_layout_fixed
from gpuplanner_gui.engine.training.memory import bytes_per_token, training_memory
from gpuplanner_gui.engine.training.plan import equipment_of, job_for, planned, training_of, training_plan
from gpuplanner_gui.engine.training.state_memory import end_parameters, shards, state_memory
from gpuplanner_gui.engine.training.work import pass_times, step_work, wires_of

from .conftest import H100, LLAMA_8B, SMALL_MOE, ScenarioMaker

EXPERT_PARAMETERS = 48 * 128 * 3 * 2048 * 768


def layout(context, tensor: int, expert: int, shared: int, recompute: int = 0, devices: int = 64):
    sizes = np.array([[devices, tensor, 1, 1, expert, shared]])
    return layouts_of(np.array([context.devices.ids.index(H100)]), sizes, 1, 1, recompute, 0, 1, 0, 0, 0)


def work_of(context, scenario, one):
    job = job_for(scenario, context, training_of(scenario))
    part = shards(job, one)
    state = state_memory(job, part, end_parameters(job, one)[0], one.zero_stage)
    return step_work(job, one, state, part, equipment_of(scenario, context), np.array([np.inf]))


@pytest.mark.parametrize(
    ("tensor", "expert", "shared", "ways", "copies"),
    [
        (4, 8, 1, 8, 8),
        (4, 8, 2, 16, 4),
        (4, 8, 4, 32, 2),
        (4, 1, 4, 4, 16),  # nothing said: as other layers
        (4, 1, 1, 1, 64),
        (2, 8, 8, 64, 1),  # experts may be cut finer than attention
    ],
)
def test_experts_are_divided_by_both_sizes_and_repeated_over_the_rest(
    context, made: ScenarioMaker, tensor: int, expert: int, shared: int, ways: int, copies: int
):
    """World / (PP · EP · ETP) copies of the experts; attention's copies are world / (PP · TP) whatever these are."""
    job = job_for(made(SMALL_MOE), context, training_of(made(SMALL_MOE)))
    part = shards(job, layout(context, tensor, expert, shared))
    assert float(part.experts[0]) == EXPERT_PARAMETERS / ways
    assert (int(part.expert_ways[0]), int(part.expert_copies[0])) == (ways, copies)
    assert int(part.copies[0]) == 64 // tensor


def test_devices_that_share_an_expert_gather_its_tokens(context, made: ScenarioMaker):
    """4,096 tokens over TP 4 are 1,024 of 2,048 values of 2 bytes: 4.194 MB, 8 experts each. Eight groups of two
    devices lie over two hosts of eight; two devices gather 8 · 4.194 MB from each, 67.1 MB."""
    scenario = made(SMALL_MOE)
    one = layout(context, 4, 8, 2)
    wires = wires_of(cluster_for(context.catalog, HardwareChoice()), one)
    own = np.array([1024 * 2048 * 2.0])
    sent = all_to_all_s(own, 8.0, np.array([8]), np.array([4.0]), wires)
    gathered = half_exchange_s(np.array([67_108_864.0]), np.array([2]), np.array([2.0]), wires)
    found = work_of(context, scenario, one)
    assert found.all_to_all_s[0] == pytest.approx(float((sent + gathered)[0]), rel=1e-12)
    # There and back, forward and backward, in 48 layers.
    assert found.all_to_alls[0] == 48 * 2 * 2
    whole = work_of(context, scenario, layout(context, 4, 8, 1))
    assert whole.all_to_all_s[0] == pytest.approx(
        float(all_to_all_s(own, 8.0, np.array([8]), np.array([8.0]), wires)[0]), rel=1e-12
    )


def test_experts_cut_as_other_layers_send_nothing_of_their_own(context, made: ScenarioMaker):
    assert work_of(context, made(SMALL_MOE), layout(context, 4, 1, 4)).all_to_all_s[0] == 0.0
    assert work_of(context, made(SMALL_MOE), layout(context, 4, 1, 2)).all_to_all_s[0] > 0.0
    assert work_of(context, made(SMALL_MOE), layout(context, 4, 1, 1)).all_to_all_s[0] == 0.0


def test_gathered_tokens_are_kept_for_the_backward_pass(context, made: ScenarioMaker):
    """One more copy of 8 · 2,048 values of 2 bytes a token and layer for each further device that shares an expert."""
    scenario = made(SMALL_MOE)
    job = job_for(scenario, context, training_of(scenario))
    copy = 2.0 * 8 * 2048
    for recompute, more_kept, more_live in ((0, 48 * copy, 0.0), (1, 48 * copy, 0.0), (2, 0.0, copy)):
        one, two, four = (bytes_per_token(job, layout(context, 4, 8, size, recompute)) for size in (1, 2, 4))
        assert float(two[0][0] - one[0][0]) == pytest.approx(more_kept)
        assert float(four[0][0] - one[0][0]) == pytest.approx(3 * more_kept)
        assert float(two[1][0] - one[1][0]) == pytest.approx(more_live)


def test_experts_that_are_shared_take_narrower_products_of_more_tokens(context, made: ScenarioMaker):
    """ETP 2 halves an expert's width and doubles its tokens: the same FLOPs, half the weights' gradients to add up."""
    scenario = made(SMALL_MOE)
    job, equipment = job_for(scenario, context, training_of(scenario)), equipment_of(scenario, context)
    whole, shared = (pass_times(job, layout(context, 4, 8, size), equipment) for size in (1, 2))
    # More rows and fewer columns for the same FLOPs: the kernel's efficiency differs a little.
    assert float(shared.expert_compute_s[0]) == pytest.approx(float(whole.expert_compute_s[0]), rel=0.15)
    weights = {size: EXPERT_PARAMETERS / 8 / size for size in (1, 2)}
    dense = 48 * (2048 * (32 + 2 * 4) * 128 / 4 + 32 * 128 / 4 * 2048 + 128 * 2048 / 4)
    ratio = float(shared.accumulation_s[0] / whole.accumulation_s[0])
    assert ratio == pytest.approx((weights[2] + dense) / (weights[1] + dense), rel=0.01)


def test_experts_run_a_matrix_product_each(context, made: ScenarioMaker):
    """EP 8 leaves 16 experts, each with 4,096 · 8 / 16 = 2,048 tokens: 2,048² × 1,536 and 2,048 × 768 × 2,048."""
    scenario = made(SMALL_MOE)
    job, equipment = job_for(scenario, context, training_of(scenario)), equipment_of(scenario, context)
    found = pass_times(job, layout(context, 1, 8, 1), equipment)
    who = np.array([context.devices.ids.index(H100)])
    machine = machine_of(job, who, equipment.devices, equipment.kernels, equipment.space_kernels)
    tokens, width = np.array([job.sequence_tokens * 8 / 16]), np.array(job.product_bytes)
    sizes = ((1536.0, 2048.0), (2048.0, 768.0))
    products = [
        gemm_time(tokens, np.array(columns), np.array(depth), width, width, machine.narrow, machine.gemm)
        for columns, depth in sizes
    ]
    assert found.expert_compute_s[0] == pytest.approx(48 * 16 * sum(float(one.compute_s[0]) for one in products))


def test_a_framework_takes_the_sizes_that_it_can_cut_experts_by(context, made: ScenarioMaker):
    """Megatron-Core any; torchtitan asserts ETP = TP or ETP = 1."""
    found = {}
    for framework in ("megatron", "fsdp"):
        scenario = made(SMALL_MOE, framework=framework)
        table = layout_search(scenario, context, H100, 64, lambda: None).table
        wide = (table.tensor_parallel == 8) & (table.expert_parallel == 4)
        found[framework] = set(np.unique(table.expert_tensor_parallel[wide]).tolist())
        assert (table.devices % (table.pipeline_parallel * table.expert_parallel * table.expert_tensor_parallel)
                == 0).all()  # fmt: skip
    assert found == {"megatron": {1, 2, 4, 8}, "fsdp": {1, 8}}


@pytest.mark.parametrize(
    ("framework", "shared", "reason", "value"),
    [
        ("fsdp", 2, Reason.EXPERT_TENSOR_NOT_IN_FRAMEWORK, 2.0),
        ("fsdp", 4, Reason.NONE, 0.0),
        ("megatron", 2, Reason.NONE, 0.0),
        ("megatron", 512, Reason.EXPERT_WIDTH_NOT_DIVISIBLE, 768.0),  # 768 / 512 is no whole number
    ],
)
def test_what_cannot_cut_experts_so_is_refused_with_its_reason(
    context, made: ScenarioMaker, framework: str, shared: int, reason: Reason, value: float
):
    one = replace(layout(context, 4, 8, shared, recompute=2, devices=4096), zero_stage=np.array([0]))
    table = planned(made(SMALL_MOE, framework=framework), context, one, lambda: None).table
    assert table.reason[0] == reason
    assert table.reason_value[0] == value or reason == Reason.NONE


def test_dense_models_have_nothing_to_share(context, made: ScenarioMaker):
    table = layout_search(made(LLAMA_8B), context, H100, 64, lambda: None).table
    assert (table.expert_tensor_parallel == table.tensor_parallel).all()
    one, other = (layout(context, 4, 1, size) for size in (4, 1))
    job = job_for(made(LLAMA_8B), context, training_of(made(LLAMA_8B)))
    assert training_memory(job, one).total[0] == training_memory(job, other).total[0]


def test_a_stated_size_is_kept_and_a_found_one_is_fixed(context, made: ScenarioMaker):
    hardware = {"accelerators": (H100,), "training_devices": 64}
    stated = made(SMALL_MOE, hardware, parallelism=Parallelism(tensor=4, expert=8, expert_tensor=2))
    table = training_plan(stated, context, lambda: None).table
    own = table.accelerator == context.devices.ids.index(H100)
    assert set(table.expert_tensor_parallel[own].tolist()) == {2}
    free = training_plan(made(SMALL_MOE, hardware), context, lambda: None).table
    row = int(np.flatnonzero((free.expert_parallel == 8) & (free.expert_tensor_parallel == 4))[0])
    fixed = with_layout_fixed(made(SMALL_MOE, hardware), free, row)
    assert fixed.training.parallelism.expert_tensor == 4


@settings(max_examples=12, deadline=None)
@given(st.sampled_from((16, 64, 256)), st.sampled_from((4096, 16_384)))
def test_more_ways_to_cut_experts_never_make_the_best_layout_slower(context, made, devices: int, length: int):
    """The search with whole experts alone, and with those that are cut as well."""
    scenario = made(SMALL_MOE, sequence_length=length)
    place = np.array([context.devices.ids.index(H100)])
    best = []
    for divides in (False, True):
        sizes = parallel_sizes((devices,), 48, 8, (1,), (1, 8), 8, divides_experts=divides)
        table = planned(scenario, context, layouts_of(place, sizes), lambda: None).table
        best.append(float(np.nanmin(np.where(table.fits, table.step_time_s, np.nan))))
    assert best[1] <= best[0] * (1 + 1e-12)
