"""Pipelines, servers, formats and places of state in training flags: each as planned, or the launcher is refused."""

from __future__ import annotations

import json
from itertools import pairwise

import msgspec
import pytest

from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.training_workload import Parallelism, TrainingWorkload
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.handoff.launching import launch_of
from gpuplanner_gui.engine.handoff.options import ShortRun
from gpuplanner_gui.engine.model.parameters import model_parameters
from tests.engine.handoff.training_flags import H100, LAUNCHERS, MEGATRON, flags_and_table, sharded_by


def titan_stages(flags: str, layers: int) -> list[int]:
    """Layers of each stage as torchtitan 0.2.2 cuts them (`distributed/pipeline_parallel.py`); it raises elsewhere."""
    words = flags.split()
    said = dict(pairwise(words))
    option = "--parallelism.pipeline_parallel_"
    ranks, is_single = int(said[f"{option}degree"]), said[f"{option}schedule"] == "1F1B"
    first, last = (int(said[f"{option}{end}_stage_less_layers"]) for end in ("first", "last"))
    counted = layers + first + last
    per_stage = said.get(f"{option}layers_per_stage")
    stages = -(-counted // int(per_stage)) if per_stage else ranks * (1 if is_single else 2)
    assert stages % ranks == 0
    each = stages // ranks
    assert each == 1 if is_single else each >= 2
    if said[f"{option}schedule"] in ("ZBVZeroBubble", "DualPipeV"):
        assert each == 2  # torch.distributed.pipelining.schedules
    assert stages <= counted
    assert max(first, last) <= counted // stages
    cut = [counted // stages + (place < counted % stages) for place in range(stages)]
    return [cut[0] - first, *cut[1:-1], cut[-1] - last]


@pytest.mark.parametrize("schedule", ["1f1b", "interleaved", "zero_bubble"])
@pytest.mark.parametrize("ranks", [2, 4, 8, 16])
@pytest.mark.parametrize("layers", [32, 33, 40, 61])
def test_torchtitan_cuts_pipelines_as_planned_or_is_refused(
    catalog, calibration, llama_8b, schedule: str, ranks: int, layers: int
):
    """8 layers a stage for 32 of zero bubble over two ranks: each rank holds two stages, the first and the last one."""
    model = msgspec.structs.replace(llama_8b, layers=(msgspec.structs.replace(llama_8b.layers[0], count=layers),))
    sizes = Parallelism(tensor=1, pipeline=ranks, virtual_stages=2 if schedule == "interleaved" else 0)
    flags, table, best, launch = flags_and_table(
        catalog, calibration, model, LAUNCHERS["torchtitan"], 32, framework="fsdp", parallelism=sizes,
        schedule=schedule,
    )  # fmt: skip
    if not launch.is_possible:
        assert {one.values["setting"] for one in launch.notes if one.code == "no_such_layout"} == {"pipeline_parallel"}
        assert schedule != "1f1b" or layers < 2 * ranks
        return
    cut = titan_stages(flags, layers)
    assert sum(cut) == layers
    assert min(cut) >= 0
    held = [cut[rank] + (cut[-1 - rank] if schedule == "zero_bubble" else 0) for rank in range(ranks)]
    planned = ranks * int(table.virtual_stages[best])
    assert max(held if schedule == "zero_bubble" else cut) == -(-layers // planned)
    if (schedule, ranks, layers) == ("zero_bubble", 2, 32):
        assert cut == [8, 8, 8, 8]


@pytest.mark.parametrize(
    ("devices", "tensor", "servers", "each"), [(12, 1, 2, 6), (20, 1, 4, 5), (20, 4, 5, 4), (10, 2, 5, 2)]
)
def test_as_many_processes_start_as_devices_are_planned(
    catalog, calibration, llama_8b, devices: int, tensor: int, servers: int, each: int
):
    """Every server starts as many processes, and tensor-parallel groups stay on one; 8 on each of 2 were 16 for 12."""
    flags, *_ = flags_and_table(
        catalog, calibration, llama_8b, devices=devices, parallelism=Parallelism(tensor=tensor, pipeline=1),
        global_batch_tokens=devices * 4096,
    )  # fmt: skip
    assert f"torchrun --nnodes {servers} --nproc-per-node {each} " in flags


def test_cards_in_slots_stand_eight_to_a_server(catalog, calibration, llama_8b):
    """H100 PCIe: an NVLink bridge joins two cards, a host holds eight. It was 8 servers of 2."""
    layout = Parallelism(tensor=1, pipeline=1)
    flags, *_ = flags_and_table(
        catalog, calibration, llama_8b, devices=16, accelerator="nvidia-h100-pcie-80gb", parallelism=layout
    )
    assert "torchrun --nnodes 2 --nproc-per-node 8 " in flags


@pytest.mark.parametrize("is_short", [False, True])
def test_state_is_divided_over_context_parallel_ranks_of_one_copy(catalog, calibration, llama_8b, is_short: bool):
    """ZeRO 1 of 8B over 8 ranks: 12 bytes of masters and moments over 8, which Megatron divides only when told so."""
    training = TrainingWorkload(
        tokens=1e10, sequence_length=16_384, global_batch_tokens=16 * 16_384, zero_stage="1",
        offload="none",
        parallelism=Parallelism(tensor=1, pipeline=1, context=8),
    )  # fmt: skip
    hardware = HardwareChoice(accelerators=(H100,), training_devices=8, max_training_devices=8)
    scenario = Scenario(name="8B", model=llama_8b, training=training, hardware=hardware)
    answer = plan(scenario, catalog, calibration)
    table, best = answer.training.table, answer.training.best
    assert float(table.master_weights_bytes[best]) == pytest.approx(4 * model_parameters(llama_8b).total / 8, rel=1e-3)
    short = ShortRun(devices=8, copies=1, global_batch=16, expert_parallel=1, steps=5) if is_short else None
    launch = launch_of(scenario, catalog, answer, best, MEGATRON, short)
    assert "--use-distributed-optimizer" in " ".join(launch.command)
    titan = " ".join(launch_of(scenario, catalog, answer, best, LAUNCHERS["torchtitan"], short).command)
    assert sharded_by(titan) == (1, 1)


@pytest.mark.parametrize(("method", "is_possible"), [("lora", True), ("qlora", False)])
def test_adapters_in_fp16_ask_volta_for_nothing_it_lacks(
    catalog, calibration, llama_8b, method: str, is_possible: bool
):
    """V100 has neither BF16 nor FlashAttention-2. TRL 1.16 makes adapters of 4-bit weights BF16, whose gradients FP16's
    loss scaling refuses (pytorch/pytorch#127176)."""
    flags, *_, launch = flags_and_table(
        catalog, calibration, llama_8b, LAUNCHERS["trl"], accelerator="nvidia-v100-sxm2-32gb", framework="fsdp",
        recipe="fp16", method=method,
    )  # fmt: skip
    assert launch.is_possible == is_possible
    if is_possible:
        assert "--fp16" in flags
        assert "--dtype float16" in flags
        assert "--attn_implementation sdpa" in flags
        assert "bfloat16" not in flags


@pytest.mark.parametrize(("recipe", "status"), [("bf16", "given"), ("fp32", "not_possible")])
def test_flash_attention_is_asked_for_16_bits_alone(catalog, calibration, llama_8b, recipe: str, status: str):
    flags, *_, launch = flags_and_table(catalog, calibration, llama_8b, devices=32, recipe=recipe)
    assert [one.status for one in launch.settings if one.code == "flash_attention"] == [status]
    assert ("--attention-backend flash" in flags) == (status == "given")


@pytest.mark.parametrize(("share", "every"), [(0.6, 1), (0.5, 2), (0.4, 2), (0.3, 3)])
def test_torchtitan_recomputes_no_fewer_layers_than_planned(catalog, calibration, llama_8b, share: float, every: int):
    flags, *_ = flags_and_table(
        catalog, calibration, llama_8b, LAUNCHERS["torchtitan"], framework="fsdp", zero_stage="3", recompute="full",
        parallelism=Parallelism(tensor=1, pipeline=1, recomputed_layers=share),
    )  # fmt: skip
    assert f"--activation_checkpoint.selective_ac_option {every} " in flags


@pytest.mark.parametrize(("stage", "is_possible"), [("3", True), ("2", False)])
def test_deepspeed_keeps_state_on_nvme_with_zero_3(catalog, calibration, llama_8b, stage: str, is_possible: bool):
    """Only stage 3 swaps state to NVMe (`deepspeed/runtime/zero/stage3.py`, 0.19.8)."""
    flags, *_, launch = flags_and_table(
        catalog, calibration, llama_8b, LAUNCHERS["deepspeed"], framework="deepspeed", zero_stage=stage, offload="nvme",
    )  # fmt: skip
    assert launch.is_possible == is_possible
    if is_possible:
        offload = json.loads(flags[flags.index("{") :])["zero_optimization"]["offload_optimizer"]
        assert offload == {"device": "nvme", "nvme_path": "$LOCAL_DISK"}


def test_a_run_that_measures_on_one_device_offloads_as_planned(catalog, calibration, llama_8b):
    """Without a ZeRO stage DeepSpeed keeps the optimizer on the device, which 8B does not fit."""
    training = TrainingWorkload(
        tokens=1e10, global_batch_tokens=1_048_576, framework="deepspeed", zero_stage="2", offload="host"
    )
    hardware = HardwareChoice(accelerators=(H100,), training_devices=8, max_training_devices=8)
    scenario = Scenario(name="8B", model=llama_8b, training=training, hardware=hardware)
    answer = plan(scenario, catalog, calibration)
    short = ShortRun(devices=1, copies=1, global_batch=8, expert_parallel=1, steps=5)
    launch = launch_of(scenario, catalog, answer, answer.training.best, LAUNCHERS["deepspeed"], short)
    told = json.loads("".join(launch.config))["zero_optimization"]
    assert (told["stage"], told["offload_optimizer"]["device"]) == (2, "cpu")


@pytest.mark.parametrize("copies", [1, 2])
def test_a_run_that_measures_a_pipeline_has_its_own_batch(catalog, calibration, llama_8b, copies: int):
    """torchtitan asserts that the global batch is a multiple of the copies' (`trainer.py`, 0.2.2)."""
    training = TrainingWorkload(
        tokens=1e10, global_batch_tokens=1_048_576, framework="fsdp", parallelism=Parallelism(tensor=1, pipeline=2)
    )
    hardware = HardwareChoice(accelerators=(H100,), training_devices=16, max_training_devices=16)
    scenario = Scenario(name="8B", model=llama_8b, training=training, hardware=hardware)
    answer = plan(scenario, catalog, calibration)
    short = ShortRun(devices=2 * copies, copies=copies, global_batch=16 * copies, expert_parallel=1, steps=5)
    launch = launch_of(scenario, catalog, answer, answer.training.best, LAUNCHERS["torchtitan"], short)
    assert "--training.local_batch_size 16 " in " ".join(launch.command)
