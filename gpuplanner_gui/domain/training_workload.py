"""What is to be trained: the run, its recipe, parallelism, data and checkpoints."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from gpuplanner_gui.domain.field import about
from gpuplanner_gui.domain.quantity import Lognormal, Quantity
from gpuplanner_gui.domain.workload import MOST_TOKENS

TrainingMethod = Literal["pretraining", "continued_pretraining", "full_fine_tune", "lora", "qlora"]
TrainingRecipe = Literal["bf16", "fp16", "fp8", "fp4", "tf32", "fp32"]
OptimizerName = Literal["adamw", "adamw_8bit", "adafactor", "lion", "muon", "sgd_momentum", "sgd"]
Recompute = Literal["auto", "none", "selective", "full"]
ZeroStage = Literal["auto", "0", "1", "2", "3"]
Offload = Literal["auto", "none", "host", "nvme"]
PipelineSchedule = Literal["auto", "1f1b", "interleaved", "zero_bubble", "dualpipe"]
CheckpointPlace = Literal["store", "local_disk", "memory"]
TrainingFramework = Literal["megatron", "fsdp", "deepspeed", "nanotron"]


class StateBytes(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Training state per trained parameter, each part editable; empty parts follow recipe and optimizer."""

    weights: Annotated[float | None, about("Weights", "bytes/param", minimum=0, maximum=16)] = None
    gradients: Annotated[float | None, about("Gradients", "bytes/param", minimum=0, maximum=16)] = None
    master_weights: Annotated[float | None, about("Master weights", "bytes/param", minimum=0, maximum=16)] = None
    first_moment: Annotated[float | None, about("First moment", "bytes/param", minimum=0, maximum=16)] = None
    second_moment: Annotated[float | None, about("Second moment", "bytes/param", minimum=0, maximum=16)] = None


class DataPipeline(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What brings samples to the accelerators."""

    bytes_per_token: Annotated[Quantity, about("Stored bytes per token", "bytes/tok", minimum=0)] = 4.0
    storage_read_bytes_per_s: Annotated[
        Quantity, about("Storage read rate", "bytes/s", "Read rate that all readers get together.", above=0)
    ] = 10e9
    bytes_per_sample: Annotated[
        Quantity | None,
        about(
            "Stored bytes per sample",
            "bytes",
            "Of an image, a video or a window of sound, in place of bytes per token; empty: by its size.",
            above=0,
        ),
    ] = None
    bytes_per_read: Annotated[
        Quantity | None, about("Bytes per read", "bytes", "Size of one read; empty: one sequence or sample.", above=0)
    ] = None
    storage_reads_per_s: Annotated[
        Quantity | None,
        about("Storage reads per second", "1/s", "Reads per second that all readers get together; empty: no limit.",
              above=0),
    ] = None  # fmt: skip
    preprocessing_tokens_per_s_per_core: Annotated[
        Quantity,
        about("Preprocessing per core", "tok/s", "Tokens that one core prepares; tokenised text needs almost no work.",
              above=0),
    ] = 1e6  # fmt: skip
    samples_per_s_per_core: Annotated[
        Quantity | None,
        about(
            "Samples prepared per core",
            "1/s",
            "Images, videos or windows of sound that one core prepares; empty: at published rates.",
            above=0,
        ),
    ] = None
    cpu_cores_per_device: Annotated[Quantity, about("CPU cores per device", "cores", above=0)] = 12.0


class Checkpoints(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How progress is kept, and what an interruption costs."""

    storage_write_bytes_per_s: Annotated[Quantity, about("Checkpoint write rate", "bytes/s", above=0)] = 40e9
    asynchronous: Annotated[
        bool,
        about("Asynchronous checkpoints", "",
              "Training stops only for the copy to host memory; the write overlaps with the next steps."),
    ] = True  # fmt: skip
    first_copy: Annotated[
        CheckpointPlace,
        about(
            "First copy",
            "",
            "Where a checkpoint is saved first: the shared store, the hosts' own disks, or the memory of two "
            "hosts. The copy to the store overlaps with the next steps.",
            advanced=True,
        ),
    ] = "store"
    lost_copy_share: Annotated[
        Quantity,
        about(
            "Failures that lose the host",
            "",
            "Share of failures that lose a copy on local disk or in memory. Hardware caused 78 % of the "
            "failures of Llama 3 405B.",
            minimum=0,
            maximum=1,
            advanced=True,
        ),
    ] = 0.78
    shares_store: Annotated[
        bool,
        about("Store shared with data", "", "Data reads and checkpoint writes share the store's bandwidth.",
              advanced=True),
    ] = True  # fmt: skip
    restart_s: Annotated[
        Quantity, about("Restart", "s", "Time to detect a failure, replace the node, reload and warm up.", minimum=0)
    ] = 600.0
    kept: Annotated[int, about("Checkpoints kept", minimum=1, maximum=10_000)] = 3
    failures_per_node_day: Annotated[
        Quantity,
        about("Failures per node and day", "1/d", "About 4e-3 for an established fleet, 8e-3 for a new one.",
              minimum=0),
    ] = Lognormal(4e-3, 0.5)  # fmt: skip


class Parallelism(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A layout that the planner fixes, wholly or in part."""

    tensor: Annotated[
        int,
        about(
            "Tensor parallel",
            "",
            "Devices that share each layer; 0: the search chooses.",
            zero_means="by search",
            minimum=0,
            maximum=4096,
        ),
    ] = 0
    pipeline: Annotated[
        int,
        about(
            "Pipeline stages",
            "",
            "Stages that the layers are split into; 0: the search chooses.",
            zero_means="by search",
            minimum=0,
            maximum=4096,
        ),
    ] = 0
    context: Annotated[
        int,
        about(
            "Context parallel",
            "",
            "Devices that share each sequence; 0: the search chooses.",
            zero_means="by search",
            minimum=0,
            maximum=4096,
        ),
    ] = 0
    expert: Annotated[
        int,
        about(
            "Expert parallel",
            "",
            "Devices that share the experts; 0: the search chooses.",
            zero_means="by search",
            minimum=0,
            maximum=4096,
        ),
    ] = 0
    expert_tensor: Annotated[
        int,
        about(
            "Expert tensor parallel",
            "",
            "Devices that share each expert; 0: the search chooses.",
            zero_means="by search",
            minimum=0,
            maximum=4096,
            advanced=True,
        ),
    ] = 0
    virtual_stages: Annotated[
        int,
        about(
            "Virtual stages",
            "",
            "Virtual stages of an interleaved pipeline; 0: the search chooses.",
            zero_means="by search",
            minimum=0,
            maximum=1024,
        ),
    ] = 0
    recomputed_layers: Annotated[
        float | None,
        about("Recomputed layers", "share", "Share of the layers that full recomputation covers; empty: all.",
              minimum=0, maximum=1),
    ] = None  # fmt: skip


class TrainingWorkload(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A job that ends: steps over data, judged by date and budget."""

    method: Annotated[TrainingMethod, about("Method", "", "What is trained, starting from what.")] = (
        "continued_pretraining"
    )
    tokens: Annotated[
        Quantity, about("Training tokens", "tok", "Tokens of the whole run, all epochs included.", above=0)
    ]
    sequence_length: Annotated[int, about("Sequence length", "tok", minimum=1, maximum=MOST_TOKENS)] = 4096
    global_batch_tokens: Annotated[
        int,
        about(
            "Global batch",
            "tok",
            "Tokens per optimizer step, on all devices.",
            minimum=1,
            maximum=10**15,
        ),
    ] = 4_194_304
    micro_batch: Annotated[
        int,
        about("Micro-batch", "seq", "Sequences per device and forward pass; 0: the search chooses.", minimum=0,
              maximum=100_000, zero_means="by search"),
    ] = 0  # fmt: skip
    recipe: Annotated[TrainingRecipe, about("Precision recipe", "", "Number format of the matrix products.")] = "bf16"
    optimizer: Annotated[OptimizerName, about("Optimizer")] = "adamw"
    state_bytes: Annotated[StateBytes, about("State per parameter", advanced=True)] = StateBytes()
    framework: Annotated[
        TrainingFramework,
        about(
            "Framework",
            "",
            "Framework whose measured overlap, buffers and activations the plan uses.",
            advanced=True,
        ),
    ] = "megatron"
    zero_stage: Annotated[ZeroStage, about("ZeRO stage", "", "auto: the fastest stage that fits.")] = "auto"
    hybrid_sharding: Annotated[
        bool,
        about(
            "Hybrid sharding (HSDP)",
            "",
            "Shard within a scale-up domain and replicate between domains. Off: the search chooses, unless "
            "you fix sizes.",
            advanced=True,
        ),
    ] = False
    offload: Annotated[
        Offload,
        about(
            "Optimizer offload",
            "",
            "Keep master weights and moments in host memory or on NVMe; auto: in host memory where that ends "
            "the run sooner.",
            advanced=True,
        ),
    ] = "auto"
    offload_weights: Annotated[
        bool,
        about(
            "Offload weights",
            "",
            "Keep weights and gradients in host memory too, and load layers as needed. Needs ZeRO 3 or a single copy.",
            advanced=True,
        ),
    ] = False
    offload_activations: Annotated[
        bool,
        about(
            "Offload activations",
            "",
            "Keep activations in host memory until the backward pass. Off: the search chooses, unless you fix sizes.",
            advanced=True,
        ),
    ] = False
    frozen_share: Annotated[
        Quantity,
        about(
            "Frozen parameters",
            "",
            "Share of the parameters that training does not update, such as a vision tower.",
            minimum=0,
            maximum=0.999,
            advanced=True,
        ),
    ] = 0.0
    recompute: Annotated[Recompute, about("Activation recomputation", "", "auto: the fastest that fits.")] = "auto"
    schedule: Annotated[
        PipelineSchedule,
        about("Pipeline schedule", "",
              "auto: the search takes the fastest schedule that the framework has and that fits.", advanced=True),
    ] = "auto"  # fmt: skip
    parallelism: Annotated[
        Parallelism,
        about("Parallel layout", "", "Sizes that the search must keep; 0: the search chooses.", advanced=True),
    ] = Parallelism()
    flash_attention: Annotated[bool, about("Flash attention", advanced=True)] = True
    flash_attention_3: Annotated[
        bool,
        about("FlashAttention-3", "",
              "On Hopper: attention by FlashAttention-3 or cuDNN rather than the framework's default. Megatron-LM "
              "uses such kernels anyway.", advanced=True),
    ] = False  # fmt: skip
    lora_rank: Annotated[int, about("LoRA rank", minimum=1, maximum=65_536, advanced=True)] = 16
    deadline_s: Annotated[
        Quantity | None, about("Deadline", "s", "Time or date by which the run must end, losses included.", above=0)
    ] = None
    budget_usd: Annotated[Quantity | None, about("Budget", "USD", "For the whole run.", above=0)] = None
    start_up_s: Annotated[
        Quantity,
        about("Start-up", "s", "Time to compile, capture graphs and load before the first step.", minimum=0,
              advanced=True),
    ] = 600.0  # fmt: skip
    retry_share: Annotated[
        Quantity,
        about("Retries", "share", "Device time beyond the run: paid for, not in its time.", minimum=0, maximum=10),
    ] = 0.05
    validation_share: Annotated[Quantity, about("Validation runs", "share", minimum=0, maximum=10)] = 0.02
    experiment_share: Annotated[Quantity, about("Experiments", "share", minimum=0, maximum=10)] = 0.08
    thermal_derate: Annotated[
        Quantity,
        about("Sustained clock", "share", "Share of the clock that is held as devices heat up; 100 %: all of it.",
              above=0, maximum=1),
    ] = 1.0  # fmt: skip
    restartable: Annotated[bool, about("Can restart", "", "From a checkpoint; allows spot capacity.")] = True
    data: Annotated[DataPipeline, about("Data pipeline")] = DataPipeline()
    checkpoints: Annotated[Checkpoints, about("Checkpoints and failures")] = Checkpoints()
