"""One published or measured result, as a typed case that the engine can predict."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from gpuplanner_gui.domain.field import about
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.workload import OptimizerName, PipelineSchedule, StateBytes, TrainingMethod, TrainingRecipe

TrainingMetric = Literal[
    "step_time", "tokens_per_s_per_device", "tokens_per_s", "model_flop_per_s_per_device",
    "hardware_flop_per_s_per_device", "mfu", "peak_memory_allocated", "peak_memory_reserved", "checkpoint_bytes",
]  # fmt: skip
FlopConvention = Literal["causal", "full", "six_n"]
"""How a source counts model FLOPs: attention as the causal half, as the full square, or not at all."""
ScalingGranularity = Literal["usual", "tensor", "block", "micro"]
"""Values that share an FP8 scale: a tensor, a block of it, or 32 values (MXFP8)."""

UNKNOWN = -1
"""Stands for a choice that a source does not state; the engine then assumes what the search would choose."""


class TrainingCase(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A training run as a benchmark table describes it, and the metric asked for."""

    case_id: str
    model: Model
    accelerator: Annotated[str, about("Accelerator", "", "Catalogue id.")]
    devices: Annotated[int, about("Devices", minimum=1)]
    metric: TrainingMetric
    flop_convention: FlopConvention = "causal"
    sequence_length: Annotated[int, about("Sequence length", "tok", minimum=1)]
    global_batch: Annotated[int, about("Global batch", "seq", "0: one micro-batch per copy.", minimum=0)] = 0
    micro_batch: Annotated[int, about("Micro-batch", "seq", "-1: not stated.", minimum=-1)] = UNKNOWN
    tensor_parallel: Annotated[int, about("TP", minimum=1)] = 1
    pipeline_parallel: Annotated[int, about("PP", minimum=1)] = 1
    virtual_stages: Annotated[int, about("Virtual stages", "", "-1: not stated.", minimum=-1)] = UNKNOWN
    context_parallel: Annotated[int, about("CP", minimum=1)] = 1
    expert_parallel: Annotated[int, about("EP", minimum=1)] = 1
    zero_stage: Annotated[int, about("ZeRO stage", "", "-1: the framework's usual one.", minimum=-1, maximum=3)] = (
        UNKNOWN
    )
    recompute: Annotated[
        int, about("Recompute", "", "0 none, 1 selective, 2 full, -1: not stated.", minimum=-1, maximum=2)
    ] = UNKNOWN
    schedule: PipelineSchedule = "1f1b"
    recipe: TrainingRecipe = "bf16"
    scaling: ScalingGranularity = "usual"
    method: TrainingMethod = "pretraining"
    optimizer: OptimizerName = "adamw"
    state_bytes: StateBytes = StateBytes()
    lora_rank: Annotated[int, about("LoRA rank", minimum=1)] = 16
    flash_attention: bool = True
    is_loss_chunked: Annotated[bool, about("Chunked loss", "", "Logits never exist all at once.")] = False
    chunked_logits_share: Annotated[
        float, about("Chunk of the loss", "", "Of the logits, what a chunked loss holds at once.", above=0, maximum=1)
    ] = 1.0 / 16.0
    is_compiled: Annotated[bool, about("Compiled", "", "Or built of fused kernels, where the framework is not.")] = (
        False
    )
    is_optimizer_offloaded: Annotated[bool, about("Optimizer in host memory")] = False
    are_weights_offloaded: Annotated[bool, about("Weights in host memory")] = False
    are_activations_offloaded: Annotated[bool, about("Activations in host memory")] = False
    framework: Annotated[str, about("Framework", "", "As the training calibration names it; empty: the default.")] = ""
    release: Annotated[str, about("Release", "", "Of the framework, such as 26.06.")] = ""
    network: Annotated[str, about("Network", "", "Catalogue id of the link between nodes; empty: the usual.")] = ""
