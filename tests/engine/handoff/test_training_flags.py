"""What Megatron is told is what was planned: its flags, read as its documentation reads them, give the plan's bytes."""

from __future__ import annotations

import json

import msgspec
import pytest

from gpuplanner_gui.domain.model import LatentAttention, LayerGroup, Model, MoeFfn
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.training_workload import Checkpoints, Parallelism, StateBytes, TrainingWorkload
from gpuplanner_gui.drawing.words.candidates import training_layout
from gpuplanner_gui.drawing.words.launch import note_text
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.handoff.launching import launch_of
from gpuplanner_gui.engine.handoff.options import ShortRun
from gpuplanner_gui.engine.handoff.serving import megatron_arguments
from gpuplanner_gui.engine.model.parameters import model_parameters
from tests.engine.handoff.training_flags import H100, LAUNCHERS, MEGATRON, flags_and_table, sharded_by


def bytes_per_parameter(flags: str, copies: int) -> dict[str, float]:
    """Megatron-Core's own table (developer guide, distributed optimizer): 2 + 4 + 4 + 8, or 2 + 2 + 4 + 8 where
    gradients are reduced in BF16; the distributed optimizer divides masters and moments, optim_grads gradients too."""
    assert "--bf16" in flags
    gradients = 2.0 if "--grad-reduce-in-bf16" in flags else 4.0
    ways = copies if "--use-distributed-optimizer" in flags else 1
    sharded = "optim_grads" in flags
    whole = "optim_grads_params" in flags
    return {
        "weights_bytes": 2.0 / (copies if whole else 1),
        "gradients_bytes": gradients / (copies if sharded else 1),
        "master_weights_bytes": 4.0 / ways,
        "first_moment_bytes": 4.0 / ways,
        "second_moment_bytes": 4.0 / ways,
    }


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"zero_stage": "0"},
        {"zero_stage": "1"},
        {"zero_stage": "2"},
        {"zero_stage": "3"},
        {"state_bytes": StateBytes(gradients=2.0)},
    ],
    ids=["auto", "ZeRO 0", "ZeRO 1", "ZeRO 2", "ZeRO 3", "BF16 gradients"],
)
def test_flags_and_memory_agree(catalog, calibration, llama_8b, changes: dict[str, object]):
    layout = Parallelism(tensor=4, pipeline=1)
    flags, table, best, _ = flags_and_table(catalog, calibration, llama_8b, parallelism=layout, **changes)
    parameters = model_parameters(llama_8b).total / 4
    copies = int(table.data_parallel[best])
    assert copies == 2
    for name, each in bytes_per_parameter(flags, copies).items():
        assert float(getattr(table, name)[best]) == pytest.approx(each * parameters, rel=1e-3), name


def test_checkpoints_are_saved_and_loaded_at_the_planned_interval(catalog, calibration, llama_8b):
    flags, table, best, _ = flags_and_table(
        catalog, calibration, llama_8b, checkpoints=Checkpoints(storage_write_bytes_per_s=1e8)
    )
    assert '--save "$CHECKPOINTS"' in flags
    assert '--load "$CHECKPOINTS"' in flags
    steps = int(flags.split("--save-interval ")[1].split()[0])
    interval = steps * float(table.step_time_s[best])
    assert interval >= float(table.checkpoint_write_s[best])
    assert interval < float(table.checkpoint_interval_s[best]) + float(table.step_time_s[best])


def test_local_copies_are_saved_between_those_in_the_store(catalog, calibration, llama_8b):
    checkpoints = Checkpoints(
        storage_write_bytes_per_s=2e7, first_copy="local_disk", failures_per_node_day=0.5, restart_s=60.0
    )
    flags, table, best, _ = flags_and_table(catalog, calibration, llama_8b, checkpoints=checkpoints)
    often = int(flags.split("--non-persistent-save-interval ")[1].split()[0])
    seldom = int(flags.split(" --save-interval ")[1].split()[0])
    assert often < seldom
    assert "--non-persistent-ckpt-type local" in flags
    assert often * float(table.step_time_s[best]) >= float(table.checkpoint_interval_s[best])
    memory = msgspec.structs.replace(checkpoints, first_copy="memory")
    *_, launch = flags_and_table(catalog, calibration, llama_8b, checkpoints=memory)
    assert "first_copy" in {one.code for one in launch.not_possible}


def titan_bytes(flags: str, copies: int) -> dict[str, float]:
    """FSDP2 keeps FP32 weights, gradients and moments, divided; between the passes it holds BF16 weights whole where
    they are not resharded (PyTorch documentation, `fully_shard`)."""
    assert "--training.mixed_precision_param bfloat16 --training.mixed_precision_reduce float32" in flags
    is_kept = "--parallelism.fsdp_reshard_after_forward never" in flags
    ways, replicas = sharded_by(flags)
    assert ways * replicas == copies
    weights = {"weights_bytes": 2.0, "master_weights_bytes": 4.0 / ways} if is_kept else {"weights_bytes": 4.0 / ways}
    rest = dict.fromkeys(("gradients_bytes", "first_moment_bytes", "second_moment_bytes"), 4.0 / ways)
    return {"master_weights_bytes": 0.0} | weights | rest


def deepspeed_bytes(flags: str, copies: int) -> dict[str, float]:
    """ZeRO beside BF16 weights: FP32 gradients, masters and moments; stage 1 divides masters and moments, 2 gradients,
    3 weights: 18 bytes a parameter (DeepSpeed documentation, memory requirements)."""
    config = json.loads(flags[flags.index("{") :])
    stage = config["zero_optimization"]["stage"]
    assert (config["bf16"]["enabled"], config["data_types"]["grad_accum_dtype"]) == (True, "fp32")
    assert config["train_batch_size"] == (
        config["train_micro_batch_size_per_gpu"] * config["gradient_accumulation_steps"] * copies
    )

    def divided(size: float, first_stage: int) -> float:
        return size / copies if stage >= first_stage else size

    return {
        "weights_bytes": divided(2.0, 3), "gradients_bytes": divided(4.0, 2), "master_weights_bytes": divided(4.0, 1),
        "first_moment_bytes": divided(4.0, 1), "second_moment_bytes": divided(4.0, 1),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("launcher", "stage", "reading"),
    [("torchtitan", stage, titan_bytes) for stage in "023"]
    + [("deepspeed", stage, deepspeed_bytes) for stage in "0123"],
)
def test_flags_and_memory_of_other_frameworks_agree(catalog, calibration, llama_8b, launcher, stage, reading):
    small = msgspec.structs.replace(llama_8b, layers=(msgspec.structs.replace(llama_8b.layers[0], count=1),))
    flags, table, best, launch = flags_and_table(
        catalog, calibration, small, LAUNCHERS[launcher], framework=LAUNCHERS[launcher].framework, zero_stage=stage,
        parallelism=Parallelism(tensor=1, pipeline=1),
    )  # fmt: skip
    assert launch.is_possible
    assert "planned_with" not in {one.code for one in launch.notes}
    for name, each in reading(flags, 8).items():
        expected = each * model_parameters(small).total
        assert float(getattr(table, name)[best]) == pytest.approx(expected, rel=1e-3), name


@pytest.mark.parametrize(
    ("launcher", "said", "weights"),
    [
        ("megatron", "--optimizer-cpu-offload --use-precision-aware-optimizer", 2.0),
        ("torchtitan", "--training.enable_cpu_offload", 0.0),  # FSDP's offload takes the weights along
        ("deepspeed", '"offload_optimizer"', 2.0),
    ],
)
def test_offloaded_state_is_where_the_flags_put_it(catalog, calibration, llama_8b, launcher, said, weights):
    flags, table, best, launch = flags_and_table(
        catalog, calibration, llama_8b, LAUNCHERS[launcher], 1, framework=LAUNCHERS[launcher].framework
    )
    assert launch.is_possible
    assert said in flags
    assert int(table.offload[best]) == 1
    assert table.master_weights_bytes[best] == table.first_moment_bytes[best] == table.second_moment_bytes[best] == 0
    assert float(table.weights_bytes[best]) == pytest.approx(weights * model_parameters(llama_8b).total)
    if launcher == "megatron":
        assert "--use-distributed-optimizer" in flags


@pytest.mark.parametrize("launcher", ["torchtitan", "megatron"])
def test_groups_that_divide_state_are_as_the_flags_say(catalog, calibration, llama_8b, launcher):
    """HSDP on four nodes of eight: 4 bytes of weights over 8 copies in torchtitan; 12 bytes of optimizer over 32/4 in
    Megatron, whose instances of the distributed optimizer are the replicas."""
    small = msgspec.structs.replace(llama_8b, layers=(msgspec.structs.replace(llama_8b.layers[0], count=1),))
    flags, table, best, launch = flags_and_table(
        catalog, calibration, small, LAUNCHERS[launcher], 32, framework=LAUNCHERS[launcher].framework,
        zero_stage="3" if launcher == "torchtitan" else "1", parallelism=Parallelism(tensor=1, pipeline=1),
        hybrid_sharding=True,
    )  # fmt: skip
    assert launch.is_possible
    assert int(table.sharding_group[best]) == 8
    parameters = model_parameters(small).total
    if launcher == "torchtitan":
        assert sharded_by(flags) == (8, 4)
        assert float(table.weights_bytes[best]) == pytest.approx(4 * parameters / 8, rel=1e-3)
    else:
        assert "--num-distributed-optimizer-instances 4" in flags
        assert float(table.master_weights_bytes[best]) == pytest.approx(4 * parameters / 8, rel=1e-3)


@pytest.mark.parametrize(("launcher", "method"), [("fsdp", "full_fine_tune"), ("trl", "lora")])
def test_accelerate_is_told_the_groups_that_divide_state(catalog, calibration, llama_8b, launcher, method):
    """HSDP on four nodes of eight is four replicas of eight shards (`accelerate launch` of 1.10, ParallelismConfig).

    Accelerate recomputes whole layers or none; what the plan chooses itself may be finer.
    """
    flags, table, best, launch = flags_and_table(
        catalog, calibration, llama_8b, LAUNCHERS[launcher], 32, framework="fsdp", method=method, zero_stage="2",
        parallelism=Parallelism(tensor=1, pipeline=1), hybrid_sharding=True, recompute="full",
    )  # fmt: skip
    assert launch.is_possible
    assert int(table.sharding_group[best]) == 8
    replicas = "--parallelism_config_dp_replicate_size 4 --parallelism_config_dp_shard_size 8"
    assert f"--use_parallelism_config {replicas}" in flags


def test_selective_recomputation_names_what_the_model_has(catalog, calibration, llama_8b):
    """Norms of every model, activation functions of experts, up-projections of latent attention."""
    latent = LatentAttention(
        heads=16, q_lora_rank=0, kv_lora_rank=512, qk_nope_head_dim=128, qk_rope_head_dim=64, value_head_dim=128
    )
    group = LayerGroup(count=8, mixer=latent, ffn=MoeFfn(experts=16, top_k=2, expert_size=1024))
    mixture = Model(name="latent", kind="moe_decoder", hidden_size=2048, vocab_size=32_000, layers=(group,))
    asked = "--recompute-granularity selective --recompute-modules layernorm"
    for model, more in ((llama_8b, " --"), (mixture, " moe_act mla_up_proj")):
        flags, *_ = flags_and_table(catalog, calibration, model, recompute="selective")
        assert asked + more in flags


@pytest.mark.parametrize(("stage", "devices"), [("0", 8), ("3", 8), ("auto", 1)])
def test_recomputation_is_asked_of_whatever_does_it(catalog, calibration, llama_8b, stage: str, devices: int):
    """FSDP recomputes by an option of `accelerate`; without it the option does nothing, and the script recomputes."""
    small = msgspec.structs.replace(llama_8b, layers=(msgspec.structs.replace(llama_8b.layers[0], count=1),))
    flags, _, _, launch = flags_and_table(
        catalog, calibration, small, LAUNCHERS["fsdp"], devices, framework="fsdp", zero_stage=stage, recompute="full",
        parallelism=Parallelism(tensor=1, pipeline=1),
    )  # fmt: skip
    (said,) = [one.status for one in launch.settings if one.code == "recompute"]
    assert launch.is_possible
    assert ("--fsdp_activation_checkpointing" in flags) == ("--use_fsdp" in flags) == (stage == "3")
    assert said == ("given" if stage == "3" else "in_script")


def test_adapters_are_planned_with_a_framework_that_knows_them(catalog, calibration, llama_8b):
    """QLoRA of 8B: TRL is told 4-bit weights, adapters, batch, length, recomputation and where to save."""
    flags, table, best, launch = flags_and_table(catalog, calibration, llama_8b, LAUNCHERS["trl"], method="qlora")
    assert launch.is_possible
    assert {one.code for one in launch.not_possible} <= {"checkpoint_behind"}
    for said in (
        "--load_in_4bit --bnb_4bit_quant_type nf4 --use_bnb_nested_quant", "--lora_r 16 --lora_alpha 32",
        "--max_length 4096 --packing", '--output_dir "$CHECKPOINTS" --save_strategy steps --save_steps',
        f"--per_device_train_batch_size {int(table.micro_batch[best])}",
        f"--gradient_checkpointing {'true' if table.recompute[best] == 2 else 'false'}",
    ):  # fmt: skip
        assert said in flags
    *_, megatron = flags_and_table(catalog, calibration, llama_8b, method="qlora")
    assert not megatron.is_possible
    assert "method" in {one.values["setting"] for one in megatron.notes if one.code == "no_such_layout"}


def test_frozen_parameters_are_told_to_whoever_starts_the_run(catalog, calibration, llama_8b):
    told = {}
    for frozen in (0.0, 0.9):
        *_, launch = flags_and_table(catalog, calibration, llama_8b, frozen_share=frozen)
        told[frozen] = [note_text(launch, one) for one in launch.notes if one.code == "frozen_parameters"]
    assert not told[0.0]
    assert "90 % of the parameters" in told[0.9][0]


def test_uneven_stages_are_printed_chunk_by_chunk(catalog, calibration):
    """Llama 3 405B: 126 layers over 16 stages of 8 chunks, the first and the last without a layer (report 2024,
    section 3.3.2)."""
    training = TrainingWorkload(
        tokens=1e12, sequence_length=8192, global_batch_tokens=16 * 2**20,
        parallelism=Parallelism(tensor=8, pipeline=16, context=2, virtual_stages=8),
    )  # fmt: skip
    hardware = HardwareChoice(accelerators=(H100,), training_devices=16_384, max_training_devices=16_384)
    model = catalog.models["llama-3.1-405b"].model
    scenario = Scenario(name="405B", model=model, training=training, hardware=hardware)
    answer = plan(scenario, catalog, calibration)
    flags = " ".join(launch_of(scenario, catalog, answer, answer.training.best, MEGATRON).command)
    assert '--pipeline-model-parallel-layout "E|(t|)*126L"' in flags
    assert "--num-virtual-stages-per-pipeline-rank" not in flags
    assert flags.startswith("env CUDA_DEVICE_MAX_CONNECTIONS=1 torchrun --nnodes 2048")
    titan = " ".join(launch_of(scenario, catalog, answer, answer.training.best, LAUNCHERS["torchtitan"]).command)
    less = "--parallelism.pipeline_parallel_first_stage_less_layers 1 --parallelism.pipeline_parallel_last_stage_less"
    assert f"pipeline_parallel_layers_per_stage 1 {less}_layers 1" in titan


@pytest.mark.parametrize("shared", [1, 2])
def test_experts_are_cut_in_the_flags_as_in_the_plan(catalog, calibration, shared: int):
    """Megatron cuts experts by the tensor-parallel size unless told otherwise."""
    training = TrainingWorkload(tokens=1e10, parallelism=Parallelism(tensor=2, expert=8, expert_tensor=shared))
    hardware = HardwareChoice(accelerators=(H100,), training_devices=64, max_training_devices=64)
    model = catalog.models["qwen3-30b-a3b"].model
    scenario = Scenario(name="experts", model=model, training=training, hardware=hardware)
    answer = plan(scenario, catalog, calibration)
    flags = " ".join(launch_of(scenario, catalog, answer, answer.training.best, MEGATRON).command)
    assert f"--expert-model-parallel-size 8 --expert-tensor-parallel-size {shared}" in flags
    titan = " ".join(launch_of(scenario, catalog, answer, answer.training.best, LAUNCHERS["torchtitan"]).command)
    degrees = f"expert_parallel_degree 8 --parallelism.expert_tensor_parallel_degree {shared}"
    assert f"--parallelism.{degrees}" in titan
    assert training_layout(answer.training.table, answer.training.best).count("ETP") == (shared > 1)


@pytest.mark.parametrize(
    ("launcher", "method", "status", "said"),
    [
        ("trl", "lora", "given", "--attn_implementation flash_attention_3"),
        ("torchtitan", "pretraining", "not_possible", ""),
    ],
)
def test_flash_attention_3_is_asked_for_or_said_to_be_missing(
    catalog, calibration, llama_8b, launcher: str, method: str, status: str, said: str
):
    changes = {"framework": "fsdp", "method": method, "flash_attention_3": True}
    flags, _, _, launch = flags_and_table(catalog, calibration, llama_8b, LAUNCHERS[launcher], **changes)
    (setting,) = [one for one in launch.settings if one.code == "flash_attention"]
    assert setting.status == status
    assert said in flags


@pytest.mark.parametrize(
    ("launcher", "framework", "method", "said"),
    [
        ("megatron", "megatron", "continued_pretraining", "--cpu-offloading-num-layers 31"),
        ("trl", "fsdp", "full_fine_tune", "--activation_offloading true"),
        ("torchtitan", "fsdp", "full_fine_tune", ""),  # it has no such option, and is refused
    ],
)
def test_activations_in_host_memory_are_asked_for(
    catalog, calibration, llama_8b, launcher: str, framework: str, method: str, said: str
):
    sizes = Parallelism(tensor=1, pipeline=1, context=1, expert=1)
    changes = {"framework": framework, "method": method, "offload_activations": True, "recompute": "none",
               "zero_stage": "1" if framework == "megatron" else "3", "parallelism": sizes}  # fmt: skip
    flags, table, best, launch = flags_and_table(catalog, calibration, llama_8b, LAUNCHERS[launcher], **changes)
    assert table.activation_offload[best] == 1
    assert launch.is_possible == bool(said)
    assert said in flags
    assert said or "offload_activations" in {one.values.get("setting") for one in launch.notes}


@pytest.mark.parametrize(
    ("launcher", "said"),
    [
        ("megatron", '--pretrained-checkpoint "$MODEL"'),
        ("torchtitan", '--checkpoint.initial_load_path "$MODEL" --checkpoint.initial_load_in_hf'),
    ],
)
@pytest.mark.parametrize("method", ["continued_pretraining", "full_fine_tune"])
def test_what_is_tuned_starts_from_its_weights(catalog, calibration, llama_8b, launcher: str, said: str, method: str):
    """On an empty folder of checkpoints the run began with random weights. Pretraining does, and so may a run that only
    measures."""
    layout: dict[str, object] = {
        "framework": LAUNCHERS[launcher].framework, "zero_stage": "1" if launcher == "megatron" else "3",
        "parallelism": Parallelism(tensor=1, pipeline=1),
    }  # fmt: skip
    flags, *_, launch = flags_and_table(catalog, calibration, llama_8b, LAUNCHERS[launcher], method=method, **layout)
    assert launch.is_possible
    assert said in flags
    assert "initial_weights" in {one.code for one in launch.settings}
    layout["method"] = "pretraining"
    flags, *_, launch = flags_and_table(catalog, calibration, llama_8b, LAUNCHERS[launcher], **layout)
    assert "$MODEL" not in flags
    assert "initial_weights" not in {one.code for one in launch.settings}


def test_a_run_that_only_measures_needs_no_weights(catalog, calibration, llama_8b):
    training = TrainingWorkload(tokens=1e10, global_batch_tokens=1_048_576, method="full_fine_tune")
    hardware = HardwareChoice(accelerators=(H100,), training_devices=8, max_training_devices=8)
    scenario = Scenario(name="8B", model=llama_8b, training=training, hardware=hardware)
    answer = plan(scenario, catalog, calibration)
    short = ShortRun(devices=8, copies=1, global_batch=8, expert_parallel=1, steps=5)
    launch = launch_of(scenario, catalog, answer, answer.training.best, MEGATRON, short)
    assert "--pretrained-checkpoint" not in " ".join(launch.command)


@pytest.mark.parametrize(
    ("model", "refused"),
    [
        ("bert-base", {"megatron", "torchtitan", "trl"}),
        ("embeddinggemma-300m", {"megatron", "torchtitan", "trl"}),
        ("mamba2-1.3b", {"megatron", "torchtitan"}),
        ("flux.1-dev", {"megatron", "torchtitan", "trl", "deepspeed"}),
        ("llama-3.1-8b", set()),
    ],
)
def test_no_script_trains_another_model_than_the_planned_one(catalog, calibration, model: str, refused: set[str]):
    """pretrain_gpt.py made a causal decoder of BERT, and cannot build recurrent layers."""
    entry = catalog.models[model].model
    hardware = HardwareChoice(accelerators=(H100,), training_devices=8, max_training_devices=8)
    sizes = {"tokens": 1e6} if entry.kind == "diffusion" else {"tokens": 1e9, "sequence_length": 512}
    scenario = Scenario(name=model, model=entry, training=TrainingWorkload(**sizes), hardware=hardware)  # type: ignore[arg-type]
    answer = plan(scenario, catalog, calibration)
    training = {name: one for name, one in LAUNCHERS.items() if one.workload == "training"}
    launches = {name: launch_of(scenario, catalog, answer, 0, one) for name, one in training.items()}
    assert {name for name, one in launches.items() if "not_for_model" in {note.code for note in one.notes}} == refused
    assert bool(megatron_arguments(entry)) == ("megatron" not in refused)


@pytest.mark.parametrize(
    ("accelerator", "changes", "is_overlapped"),
    [
        (H100, {"zero_stage": "1"}, True),
        (H100, {"zero_stage": "3"}, False),  # Megatron's FSDP wants more than one CUDA connection
        ("nvidia-b200-sxm-180gb", {"recipe": "fp4"}, False),  # Transformer Engine has no user buffers of NVFP4
        ("nvidia-a100-sxm-80gb", {}, False),
        ("nvidia-l40s", {}, False),
        ("amd-mi300x", {}, False),
    ],
)
def test_tensor_parallel_exchanges_overlap_where_transformer_engine_can(
    catalog, calibration, llama_8b, accelerator: str, changes: dict[str, str], is_overlapped: bool
):
    """The fitted step times assume the overlap: CUDA multicast, compute capability 9.0 and NVSwitch."""
    layout = Parallelism(tensor=2, pipeline=1)
    training = TrainingWorkload(tokens=1e9, parallelism=layout, **changes)  # type: ignore[arg-type]
    hardware = HardwareChoice(accelerators=(accelerator,), training_devices=8, max_training_devices=8)
    scenario = Scenario(name="8B", model=llama_8b, training=training, hardware=hardware)
    answer = plan(scenario, catalog, calibration)
    launch = launch_of(scenario, catalog, answer, int(answer.training.table.order[0]), MEGATRON)
    assert launch.is_possible
    assert ("--sequence-parallel --tp-comm-overlap" in " ".join(launch.command)) == is_overlapped
    assert ("tensor_overlap" if is_overlapped else "no_tensor_overlap") in {one.code for one in launch.notes}
