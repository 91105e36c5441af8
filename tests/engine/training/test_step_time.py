"""Communication, the parts of a step, and what must hold whatever the figures."""

import dataclasses
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.domain.model import DenseFfn, LatentAttention, LayerGroup, Model
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.training_workload import StateBytes
from gpuplanner_gui.engine.training.communication import (
    Wires,
    all_to_all_s,
    cluster_for,
    exposed_s,
    half_exchange_s,
    ranks_in_domain,
    ranks_together,
    send_s,
)
from gpuplanner_gui.engine.training.layouts import DUALPIPE, INTERLEAVED, PLAIN, ZERO_BUBBLE, TrainingLayouts
from gpuplanner_gui.engine.training.plan import equipment_of, job_for, training_of, training_plan
from gpuplanner_gui.engine.training.state_memory import end_parameters, shards, state_memory
from gpuplanner_gui.engine.training.step_time import TrainingStep, training_step
from gpuplanner_gui.engine.training.work import step_work, wires_of

from .conftest import H100, IMAGES, LLAMA_8B, LLAMA_70B, SMALL_MOE, ScenarioMaker, llama

LLAMA_2_7B = llama(32, 4096, 32, 32, 11008, 32_000)


def wires(devices: int = 64, domain: float = 8.0, *, is_one_host: bool = True) -> Wires:
    """400 GB/s within a domain, 40 GB/s between, no latency."""
    inside, between, none = np.array([400e9]), np.array([40e9]), np.array([0.0])
    return Wires(
        np.array([devices]), np.array([domain]), np.array([is_one_host]), inside, none, between, none
    )  # fmt: skip


NO_WAITS = wires()
PARTS = [part.name for part in dataclasses.fields(TrainingStep) if part.name not in ("total", "passes")]


def one_layout(context, **given: float) -> TrainingLayouts:
    usual = {
        "accelerator": context.devices.ids.index(H100), "devices": 64, "tensor_parallel": 1, "pipeline_parallel": 1,
        "context_parallel": 1, "expert_parallel": 1, "zero_stage": 1, "micro_batch": 1, "recompute": 0,
        "schedule": 0, "virtual_stages": 1, "sharding_group": 0, "offload": 0, "activation_offload": 0,
    }  # fmt: skip
    values = usual | given
    shared = values["tensor_parallel"] if values["expert_parallel"] == 1 else 1
    values.setdefault("expert_tensor_parallel", shared)
    share = np.array([values.pop("recompute_share", float(values["recompute"] == 2))])
    return TrainingLayouts(**{name: np.array([int(value)]) for name, value in values.items()}, recompute_share=share)


def step_of(scenario: Scenario, context, changed_rates: dict[str, Any] | None = None, **layout: float):
    job = job_for(scenario, context, training_of(scenario))
    one = one_layout(context, **layout)
    part = shards(job, one)
    state = state_memory(job, part, end_parameters(job, one)[0], one.zero_stage)
    work = step_work(job, one, state, part, equipment_of(scenario, context), np.array([np.inf]))
    return training_step(work, dataclasses.replace(job.rates, **(changed_rates or {})))


def test_reduce_scatter_within_and_between_nodes_by_hand():
    """64 ranks, 8 per node: 7/8 of the message inside at 400 GB/s, then 7/8 of an eighth of it at 40 GB/s."""
    found = half_exchange_s(np.array([16e9]), np.array([64]), np.array([8.0]), NO_WAITS)
    assert float(found[0]) == pytest.approx(7 / 8 * 16e9 / 400e9 + 7 / 8 * 2e9 / 40e9)


@pytest.mark.parametrize(
    ("network", "by_hand_s"),
    [
        # 2 · (7/8 · 13.48 GB / 360 GB/s + 31/32 · 13.48 GB / 8 / rate): NVLink at 80 % of 450 GB/s, then each network.
        ("ib-ndr-400", 0.138),  # 90 % of 50 GB/s: 2 · (32.8 + 36.3) ms
        ("eth-400", 0.283),  # 30 % of 50 GB/s: 2 · (32.8 + 108.8) ms
        ("eth-100", 0.568),  # 52 % of 12.5 GB/s: 2 · (32.8 + 251.1) ms
    ],
)
def test_s70_gradients_of_7b_over_256_devices_by_hand(context, network: str, by_hand_s: float):
    """An all-reduce of 6.74 billion BF16 gradients, eight devices to a node, on each fabric of the requirement (K7)."""
    cluster = cluster_for(context.catalog, HardwareChoice(network=network))
    wired = wires_of(cluster, one_layout(context, devices=256))
    half = half_exchange_s(np.array([13.48e9]), np.array([256]), np.array([8.0]), wired)
    assert 2 * float(half[0]) == pytest.approx(by_hand_s, rel=0.02)


def test_one_rank_exchanges_nothing():
    one = np.array([1])
    assert half_exchange_s(np.array([1e9]), one, np.array([1.0]), NO_WAITS)[0] == 0
    assert all_to_all_s(np.array([1e9]), 8.0, one, np.array([1.0]), NO_WAITS)[0] == 0


def test_tokens_go_to_another_node_once():
    """8 experts per token over 64 ranks on 8 nodes: 7 other nodes, each reached with 1 − (7/8)⁸ = 65.6 %."""
    found = all_to_all_s(np.array([1e9]), 8.0, np.array([64]), np.array([8.0]), NO_WAITS)
    assert float(found[0]) == pytest.approx(7 * (1 - (7 / 8) ** 8) * 1e9 / 40e9)
    inside = all_to_all_s(np.array([1e9]), 8.0, np.array([8]), np.array([8.0]), NO_WAITS)
    assert float(inside[0]) == pytest.approx(8 * 7 / 8 * 1e9 / 400e9)


def test_pipeline_goes_at_the_pace_of_its_slowest_hop():
    """A pipeline within one domain stays on its links; in any other, some stage's neighbour is on another host."""
    message = np.array([4e9])
    assert send_s(message, wires(8))[0] == pytest.approx(4e9 / 400e9)
    assert send_s(message, wires(16))[0] == pytest.approx(4e9 / 40e9)


@pytest.mark.parametrize(
    ("network", "by_hand_s"),
    [
        # 4096 tokens × 4096 values × 2 bytes / TP 2 = 16.8 MB, 512 micro-batches, there and back; rate and latency:
        ("eth-1", 196.4),  # 70 % of 125 MB/s: 1024 · (191.7 ms + 0.1 ms)
        ("eth-10", 19.74),  # 70 % of 1.25 GB/s: 1024 · (19.2 ms + 0.1 ms)
        ("eth-100", 2.75),  # 52 % of 12.5 GB/s: 1024 · (2.58 ms + 0.1 ms)
    ],
)
def test_hops_of_a_pipeline_whose_stages_alternate_between_hosts_by_hand(
    context, made: ScenarioMaker, network: str, by_hand_s: float
):
    """Llama 2 7B, TP 2 · PP 16 · DP 2 on 64 H100: stages of four devices, so that every second hop leaves its host."""
    scenario = made(LLAMA_2_7B, {"network": network}, global_batch_tokens=1024 * 4096)
    layout = {"tensor_parallel": 2, "pipeline_parallel": 16}
    step = step_of(scenario, context, {"pipeline_overlap": 0.0}, **layout)
    assert float(step.pipeline_communication_s[0]) == pytest.approx(by_hand_s, rel=0.02)


@pytest.mark.parametrize(
    ("network", "by_hand_s"),
    [
        # 6.74 billion gradients, 2 bytes each, over 64 devices, 8 to a host: 2 · (7/8 · 13.48 GB
        # / 360 GB/s + 7/8 · 13.48 GB / 8 / rate); reduce-scatter and gather alike.
        ("eth-1", 33.77),  # 2 · (32.8 ms + 1.474 GB / 87.5 MB/s)
        ("eth-10", 3.436),  # 2 · (32.8 ms + 1.474 GB / 875 MB/s)
        ("eth-100", 0.519),  # 2 · (32.8 ms + 1.474 GB / 6.5 GB/s)
    ],
)
def test_gradients_of_llama_2_7b_over_64_devices_by_hand(
    context, made: ScenarioMaker, network: str, by_hand_s: float
):  # fmt: skip
    scenario = made(LLAMA_2_7B, {"network": network}, state_bytes=StateBytes(gradients=2.0))
    step = step_of(scenario, context, {"data_cover": 0.0, "data_leak": 1.0})
    assert float(step.data_communication_s[0]) == pytest.approx(by_hand_s, rel=0.01)


def test_a_pipeline_exchanges_as_much_as_its_larger_end_by_hand(context, made: ScenarioMaker):
    """Half of the 6.476 billion parameters of the layers and one of two matrices of 131 million: 6.74 GB over 32
    copies, 8 to a host: 2 · (7/8 · 6.74 GB / 360 GB/s + 3/4 · 6.74 GB / 8 / 6.5 GB/s)."""
    scenario = made(LLAMA_2_7B, {"network": "eth-100"}, state_bytes=StateBytes(gradients=2.0))
    step = step_of(scenario, context, {"data_cover": 0.0, "data_leak": 1.0}, pipeline_parallel=2)
    assert float(step.data_communication_s[0]) == pytest.approx(0.227, rel=0.01)


def test_a_model_of_unknown_blocks_exchanges_its_gradients_by_hand(context, made: ScenarioMaker):
    """25.6 million of a ResNet-50, FP32 gradients and 16-bit weights over 64 devices, 8 to a host: 6 bytes each
    · (7/8 / 360 GB/s + 7/8 / 8 / 875 MB/s) = 19.5 ms, and 0.6 ms of latency each way."""
    scenario = made(IMAGES, {"network": "eth-10"}, global_batch_tokens=512)
    step = step_of(scenario, context, {"data_cover": 0.0, "data_leak": 1.0}, micro_batch=8)
    assert float(step.data_communication_s[0]) == pytest.approx(0.0195, rel=0.1)


def test_embeddings_travel_in_16_bits_beside_matrices_of_4_by_hand(context, made: ScenarioMaker):
    """Llama 2 7B under ZeRO-3 on one host: 6.48 billion parameters in 0.516 bytes and 262 million in 2, gathered twice
    in each of 8 passes: 16 · 7/8 · 3.87 GB / 360 GB/s; adapters and latencies add a hundredth."""
    scenario = made(LLAMA_2_7B, method="qlora", framework="fsdp", global_batch_tokens=64 * 4096)
    layout = {"devices": 8, "zero_stage": 3}
    step = step_of(scenario, context, {"data_cover": 0.0, "data_leak": 1.0}, **layout)
    assert float(step.data_communication_s[0]) == pytest.approx(16 * 7 / 8 * 3.866e9 / 360e9, rel=0.05)


def test_a_slower_network_never_brings_a_shorter_step(context, made: ScenarioMaker):
    def best(network: str) -> float:
        hardware = {"accelerators": (H100,), "training_devices": 64, "network": network}
        scenario = made(LLAMA_2_7B, hardware, global_batch_tokens=1024 * 4096)
        table = training_plan(scenario, context, lambda: None).table
        return float(table.step_time_s[table.order[0]])

    fastest, hundred, ten, one = (best(network) for network in ("ib-ndr-400", "eth-100", "eth-10", "eth-1"))
    assert fastest < hundred < 1.1 * fastest
    assert ten > 1.3 * hundred
    assert one > 3 * ten


@pytest.mark.parametrize(
    ("ranks", "stride", "devices", "domain", "together"),
    [
        (6, 1, 24, 8, 2),  # 0–5 | 6, 7 and 8–11: the second group is parted 2 + 4.
        (3, 2, 24, 8, 1),  # The same six devices, two to a rank.
        (6, 1, 6, 8, 6),  # Alone in its host.
        (12, 1, 48, 8, 4),  # 0–7, 8–11 and 12–15, 16–23.
        (8, 1, 64, 8, 8),
        (16, 4, 64, 8, 2),
        (4, 2, 64, 8, 4),
        (2, 16, 64, 8, 1),
    ],
)
def test_the_group_that_hosts_part_worst(ranks: int, stride: int, devices: int, domain: int, together: int):
    found = ranks_together(np.array([ranks]), np.array([stride]), wires(devices, domain))
    assert float(found[0]) == together


def test_a_rack_wide_domain_is_given_out_in_whole_groups():
    """64 of 72 devices of a rack serve one group; the next begins in the next rack."""
    rack = wires(256, 72.0, is_one_host=False)
    assert float(ranks_together(np.array([64]), np.array([1]), rack)[0]) == 64


def test_ranks_that_share_a_domain():
    ranks, stride = np.array([16, 16, 4, 2]), np.array([1, 4, 2, 16])
    np.testing.assert_array_equal(ranks_in_domain(ranks, stride, np.full(4, 8.0)), [8, 2, 4, 1])


@given(exchange=st.floats(0, 100), cover=st.floats(0, 100), leak=st.floats(0, 1))
def test_what_shows_of_an_exchange_lies_between_its_leak_and_all_of_it(exchange: float, cover: float, leak: float):
    shown = float(exposed_s(np.array([exchange]), np.array([cover]), leak)[0])
    assert leak * exchange - 1e-12 <= shown <= exchange + 1e-12


def test_sums_over_pcie_hide_behind_no_more_than_the_computing_by_hand(context, made: ScenarioMaker):
    """Llama 2 7B, 512 K tokens on eight L40S, TP 8: 32 layers · 4 all-reduces · 2 · 7/8 · 524,288 tokens · 4,096 · 2 B
    are 962 GB, at 70 % of 31.5 GB/s 43.6 s: beyond what the devices compute for."""
    scenario = made(LLAMA_2_7B, global_batch_tokens=524_288)
    layout = {"accelerator": context.devices.ids.index("nvidia-l40s"), "devices": 8, "tensor_parallel": 8}
    step = step_of(scenario, context, micro_batch=8, **layout)
    within = float(step.tensor_communication_s[0] + step.compute_s[0] + step.bandwidth_s[0])
    assert within == pytest.approx(43.6, rel=0.02)


@pytest.mark.parametrize(
    ("model", "part", "layout"),
    [
        (LLAMA_2_7B, "tensor", {"tensor_parallel": 16}),
        (LLAMA_2_7B, "pipeline", {"tensor_parallel": 2, "pipeline_parallel": 16}),
        (SMALL_MOE, "expert", {"expert_parallel": 32}),
    ],
)
def test_no_exchange_is_longer_than_the_step_that_hides_it(context, made: ScenarioMaker, model, part: str, layout):
    scenario = made(model, {"network": "eth-1"}, global_batch_tokens=1024 * 4096)
    shown, hidden = (step_of(scenario, context, {f"{part}_overlap": share}, **layout) for share in (0.0, 1.0))
    exchange = float(getattr(shown, f"{part}_communication_s")[0])
    assert exchange > float(shown.compute_s[0] + shown.bandwidth_s[0])
    assert float(hidden.total[0]) >= exchange


@pytest.mark.parametrize(
    ("model", "layout"),
    [
        (LLAMA_8B, {}),
        (LLAMA_70B, {"tensor_parallel": 8, "pipeline_parallel": 4, "virtual_stages": 4}),
        (LLAMA_70B, {"tensor_parallel": 2, "context_parallel": 4, "zero_stage": 3, "recompute": 2}),
        (SMALL_MOE, {"expert_parallel": 32, "recompute": 1}),
    ],
    ids=["data", "pipeline", "context and ZeRO-3", "experts"],
)
def test_parts_add_up_and_none_is_negative(context, made: ScenarioMaker, model, layout):
    step = step_of(made(model), context, **layout)
    parts = np.array([float(getattr(step, name)[0]) for name in PARTS])
    assert (parts >= 0).all()
    assert parts.sum() == pytest.approx(float(step.total[0]), rel=1e-12)


@given(
    tensor=st.sampled_from([1, 2, 4, 8]), pipeline=st.sampled_from([1, 2, 4]), micro=st.sampled_from([1, 2, 4]),
    recompute=st.sampled_from([0, 1, 2]), zero=st.sampled_from([0, 1]), factor=st.floats(1.01, 4.0),
)  # fmt: skip
def test_a_better_pace_never_slows_a_step(
    context, made: ScenarioMaker, tensor: int, pipeline: int, micro: int, recompute: int, zero: int, factor: float
):
    layout: dict[str, Any] = {
        "tensor_parallel": tensor, "pipeline_parallel": pipeline, "micro_batch": micro, "recompute": recompute,
        "zero_stage": zero,
    }  # fmt: skip
    scenario = made(LLAMA_8B)
    job = job_for(scenario, context, training_of(scenario))
    before = float(step_of(scenario, context, **layout).total[0])
    for name in ("compute_share", "sustained_bandwidth", "attention_share"):
        better = {name: getattr(job.rates, name) * factor}
        assert float(step_of(scenario, context, better, **layout).total[0]) <= before
    assert float(step_of(scenario, context, {"tensor_overlap": 1.0}, **layout).total[0]) <= before


@given(more=st.integers(2, 8), micro=st.sampled_from([1, 2, 4]))
def test_a_larger_batch_takes_longer_and_a_longer_sequence_costs_more_per_token(
    context, made: ScenarioMaker, more: int, micro: int
):
    small = step_of(made(LLAMA_8B, global_batch_tokens=2**20), context, micro_batch=micro)
    large = step_of(made(LLAMA_8B, global_batch_tokens=more * 2**20), context, micro_batch=micro)
    assert float(large.total[0]) > float(small.total[0])
    long = step_of(made(LLAMA_8B, sequence_length=8192), context, micro_batch=micro)
    short = step_of(made(LLAMA_8B, sequence_length=4096), context, micro_batch=2 * micro)
    assert float(long.compute_s[0]) > float(short.compute_s[0])


def test_recomputation_costs_a_forward_pass(context, made: ScenarioMaker):
    scenario = made(LLAMA_8B)
    none, half, full = (
        step_of(scenario, context, recompute=2 if share else 0, recompute_share=share) for share in (0.0, 0.5, 1.0)
    )
    growth = float(full.compute_s[0] - none.compute_s[0])
    assert 0.15 < growth / float(none.compute_s[0]) < 1 / 3
    assert float(half.compute_s[0] - none.compute_s[0]) == pytest.approx(growth / 2)
    assert float(full.passes[0]) == 4


def test_selective_recomputation_repeats_the_up_projections_of_latent_attention(context, made: ScenarioMaker):
    """109 MFLOP a token and layer (1,536 · 24,576 and 512 · 32,768 parameters) in a fourth product, where all matrices
    take three of 720 MFLOP, and attention over 4,096 tokens 1 + 3.2 passes of 168. Other layers repeat no product; the
    memory that these products wait for counts with them."""
    latent = LatentAttention(
        heads=128, q_lora_rank=1536, kv_lora_rank=512, qk_nope_head_dim=128, qk_rope_head_dim=64, value_head_dim=128
    )
    group = LayerGroup(count=64, mixer=latent, ffn=DenseFfn(size=8_053))
    model = Model(name="latent", hidden_size=7168, vocab_size=1024, layers=(group,))
    growth = {}
    for name, one in (("latent", model), ("grouped", LLAMA_8B)):
        none, selective = (step_of(made(one), context, recompute=mode) for mode in (0, 1))
        growth[name] = float(selective.compute_s[0] / none.compute_s[0]) - 1
    assert growth["grouped"] == 0
    assert growth["latent"] == pytest.approx(109 / (3 * 720 + 4.2 * 168), rel=0.15)


def test_frozen_weights_spare_a_third_of_the_backward_pass(context, made: ScenarioMaker):
    full = step_of(made(LLAMA_8B, framework="fsdp"), context)
    lora = step_of(made(LLAMA_8B, method="lora", framework="fsdp"), context)
    assert 0.6 < float(lora.compute_s[0] / full.compute_s[0]) < 0.8  # Attention keeps its whole backward pass.


def test_frozen_parameters_spare_their_weights_gradients_by_hand(context, made: ScenarioMaker):
    """Of three products a matrix (forward, input's gradient, weight's gradient) nine tenths of the last go: 2.1 / 3 of
    the products stay, and a tenth of adding gradients up. Attention keeps its whole backward pass."""
    whole, part, adapted = (
        step_of(made(LLAMA_8B, framework="fsdp", **given), context)
        for given in ({}, {"frozen_share": 0.9}, {"method": "lora"})
    )
    assert 2.1 / 3 < float(part.compute_s[0] / whole.compute_s[0]) < 0.78
    assert float(part.compute_s[0]) == pytest.approx(
        float(0.1 * whole.compute_s[0] + 0.9 * adapted.compute_s[0]), rel=1e-6
    )
    assert float(part.bandwidth_s[0]) < 0.95 * float(whole.bandwidth_s[0])


def test_bubble_by_schedule(context, made: ScenarioMaker):
    layout: dict[str, Any] = {"pipeline_parallel": 4, "devices": 64}
    plain, interleaved, zero, dual = (
        float(step_of(made(LLAMA_8B), context, schedule=code, virtual_stages=chunks, **layout).bubble_s[0])
        for code, chunks in ((PLAIN, 1), (INTERLEAVED, 4), (ZERO_BUBBLE, 1), (DUALPIPE, 1))
    )
    assert plain == pytest.approx(4 * interleaved)
    assert plain == pytest.approx(3 * zero)
    assert plain == pytest.approx(3 * dual)


def test_dualpipe_hides_tokens_on_their_way_and_gives_up_compute_units(context, made: ScenarioMaker):
    """20 of 132 units send: computing takes 132/112 as long, and the exchange shows only where it takes longer."""
    layout: dict[str, Any] = {"pipeline_parallel": 4, "expert_parallel": 8, "devices": 64}
    plain, dual = (step_of(made(SMALL_MOE), context, schedule=code, **layout) for code in (PLAIN, DUALPIPE))
    assert float(dual.compute_s[0]) == pytest.approx(132 / 112 * float(plain.compute_s[0]))
    assert float(dual.expert_communication_s[0]) < 0.2 * float(plain.expert_communication_s[0])
    dense: dict[str, Any] = {"pipeline_parallel": 4, "devices": 64}
    first, second = (step_of(made(LLAMA_8B), context, schedule=code, **dense) for code in (PLAIN, DUALPIPE))
    assert float(second.compute_s[0]) == float(first.compute_s[0])


def test_zero_three_exchanges_every_pass(context, made: ScenarioMaker):
    scenario = made(LLAMA_70B)
    rates = {"data_cover": 0.0}
    once = step_of(scenario, context, rates, zero_stage=1)
    every = step_of(scenario, context, rates, zero_stage=3)
    assert float(every.data_communication_s[0]) > 5 * float(once.data_communication_s[0])


def test_unfused_attention_pays_for_its_scores(context, made: ScenarioMaker):
    flash = step_of(made(LLAMA_8B, sequence_length=8192), context)
    unfused = step_of(made(LLAMA_8B, sequence_length=8192, flash_attention=False), context)
    assert float(unfused.bandwidth_s[0]) > 2 * float(flash.bandwidth_s[0])


def test_network_between_nodes_can_be_chosen(context, made: ScenarioMaker):
    scenario = made(LLAMA_8B)
    slow = msgspec.structs.replace(scenario, hardware=msgspec.structs.replace(scenario.hardware, network="eth-10"))
    usual, slower = (float(step_of(one, context).data_communication_s[0]) for one in (scenario, slow))
    assert slower > 4 * usual
