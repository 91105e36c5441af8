"""Published or measured results of training and serving, as typed cases that the engine can predict."""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, Literal

import msgspec

from gpuplanner_gui.domain.field import about
from gpuplanner_gui.domain.model import Model, Precision
from gpuplanner_gui.domain.training_workload import (
    OptimizerName,
    PipelineSchedule,
    StateBytes,
    TrainingMethod,
    TrainingRecipe,
)

ProductFormat = Literal["", "fp32", "tf32", "bf16", "fp16", "fp8", "fp8_block", "int8", "fp6", "mxfp4", "nvfp4", "int4"]
"""Format of weights in products; empty: the checkpoint's own."""

LoadKind = Literal["closed_loop", "disaggregated", "batch", "offline", "server", "steady", "open_loop", "samples"]
"""Closed loop at a concurrency; prefill and decode pools in a closed loop; one batch from start to end; the engine full
of requests; requests under a latency limit that is not stated; a constant number of requests, seen after its start;
requests at a rate; samples of a model without tokens.
"""

ServingMetric = Literal[
    "ttft_mean", "ttft_p50", "ttft_p90", "ttft_p99", "tpot_mean", "tpot_p50", "tpot_p99", "itl_mean", "itl_p50",
    "itl_p99", "e2e_mean", "e2e_p50", "e2e_p90", "e2e_p99", "output_tokens_per_s", "total_tokens_per_s",
    "prefill_tokens_per_s", "decode_tokens_per_s", "requests_per_s", "samples_per_s", "peak_memory",
]  # fmt: skip
"""Latencies in seconds, rates of all devices together, memory in bytes of all devices together."""


class PoolLayout(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the devices of one replica share its work, and how many replicas a pool has."""

    tensor_parallel: Annotated[int, about("TP", "", "Devices that share attention and dense layers.", minimum=1)] = 1
    pipeline_parallel: Annotated[int, about("PP", minimum=1)] = 1
    data_parallel: Annotated[
        int,
        about("Attention DP", "",
              "Groups of devices that each run attention for their own sequences and share the experts.", minimum=1),
    ] = 1  # fmt: skip
    expert_parallel: Annotated[int, about("EP", "", "Groups of devices that hold different experts.", minimum=1)] = 1
    expert_tensor_parallel: Annotated[int, about("Expert TP", "", "Devices that share an expert.", minimum=1)] = 1
    replicas: Annotated[float, about("Replicas", "", "0: not stated.", minimum=0)] = 1.0
    devices_stated: Annotated[int, about("Devices", "", "Of all replicas; 0: those of the layout.", minimum=0)] = 0

    @property
    def devices(self) -> int:
        """Devices of the pool in one replica."""
        return self.tensor_parallel * self.data_parallel * self.pipeline_parallel


class ServingCase(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A served model as a benchmark table describes it."""

    case_id: str
    model: Model
    accelerator: Annotated[str, about("Accelerator", "", "Identifier in the catalogue.")]
    engine: Annotated[str, about("Engine", "", "Engine, named as in the catalogue of serving engines.")]
    load: LoadKind
    software: Annotated[
        str,
        about("Software", "",
              "Software and generation, named as in the catalogue of inference stacks; empty: the engine."),
    ] = ""  # fmt: skip
    assumed_log_sd: Annotated[
        float,
        about("Spread of assumed facts", "",
              "Spread of times (of the logarithm) where the table does not state the board or engine.", minimum=0),
    ] = 0.0  # fmt: skip
    layout: PoolLayout = PoolLayout()
    """Layout of the replica; of the decode pool where pools are separate."""
    prefill_layout: PoolLayout | None = None
    both_pools_devices: Annotated[
        int,
        about(
            "Devices of both pools",
            "",
            "Devices of prefill and decode pools together, where the table states only the sum; 0: from their layouts.",
            minimum=0,
        ),
    ] = 0
    dense_format: ProductFormat = ""
    expert_format: ProductFormat = ""
    kv_precision: Annotated[Precision | None, about("KV cache", "", "KV cache format; none: the default.")] = None
    prompt_tokens: Annotated[float, about("Prompt", "tok", minimum=0)] = 0.0
    output_tokens: Annotated[float, about("Answer", "tok", minimum=0)] = 0.0
    shortest_share: Annotated[
        float,
        about("Shortest length", "",
              "Lengths are uniform between this share of the stated length and the stated length.", above=0),
    ] = 1.0  # fmt: skip
    prompt_spread: Annotated[float, about("Spread of prompts", "", "Coefficient of variation.", minimum=0)] = 0.0
    output_spread: Annotated[float, about("Spread of answers", "", "Coefficient of variation.", minimum=0)] = 0.0
    draws_evenly: Annotated[
        bool, about("Uniform lengths", "", "Lengths are uniform around their mean; off: lognormal.")
    ] = False
    longest_output: Annotated[
        float, about("Longest answer", "tok", "Longest answer that the benchmark allows; 0: no limit.", minimum=0)
    ] = 0.0
    concurrency: Annotated[float, about("Concurrency", "", "Requests, batch or samples in flight; 0: not stated.")] = (
        0.0
    )
    rate_per_s: Annotated[float, about("Request rate", "1/s", minimum=0)] = 0.0
    arrival_cv: Annotated[float, about("Burstiness", "", "CV of the gaps; 1: Poisson.", minimum=0)] = 1.0
    requests: Annotated[int, about("Requests in the run", "", "0: not stated.", minimum=0)] = 0
    year: Annotated[float, about("Year of the releases", "", "Software year; 0: the newest.", minimum=0)] = 0.0
    release: Annotated[str, about("Release", "", "Engine release as the table writes it; empty: not stated.")] = ""
    chunks_prompts: Annotated[bool, about("Chunked prefill", "", "Switched on; off: the release's default.")] = False
    client: Annotated[
        str, about("Client", "", "Contest scenario whose latency limit applied: server or interactive.")
    ] = ""
    max_sequences: Annotated[int, about("Largest batch", "", "0: the engine's default.", minimum=0)] = 0
    token_budget: Annotated[int, about("Token budget", "tok", "0: the engine's default.", minimum=0)] = 0
    prefix_is_cached: Annotated[bool, about("Prompts in the prefix cache")] = False
    speculates: Annotated[bool, about("Speculative decoding", "", "In use; number of drafts unknown.")] = False
    draft_tokens: Annotated[
        int,
        about("Draft tokens", "tok",
              "Tokens that the model's prediction layer drafts in a step of separate pools; 0: none.", minimum=0),
    ] = 0  # fmt: skip
    beam_width: Annotated[int, about("Beams", minimum=1)] = 1
    single_stream: Annotated[bool, about("Single stream", "", "One request after the other.")] = False
    sample_flop: Annotated[float, about("FLOPs per sample", "FLOP", "0: the model's own figure.", minimum=0)] = 0.0
    counts_tokens: Annotated[bool, about("Throughput in tokens", "", "Counts answer tokens, not samples.")] = False
    needs_accuracy: Annotated[
        bool, about("Strict accuracy limit", "", "The contest requires accuracy within 0.1 % of the reference.")
    ] = False
    metrics: tuple[ServingMetric, ...] = ()


class Refusal(IntEnum):
    """Why a case has no prediction; `refusal_value` holds the number that belongs to it."""

    NONE = 0
    NO_COMPUTE_FIGURE = 1
    """The device has no known peak rate for the format."""
    NO_MEMORY_FIGURE = 2
    NOT_DEFINED = 3
    """The metric does not exist for such a load or model."""
    OVERLOADED = 4
    """Requests come faster than they can be served, so that no steady value exists; requests per second served."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """A prediction of one metric in SI units, or the code and value of why there is none."""

    metric: str
    value: float | None = None
    low80: float | None = None
    high80: float | None = None
    evidence: int = 2
    """How the prediction is known, as `domain.plan.Evidence`."""
    evidence_kind: int = 4
    """What the prediction rests on, as `domain.plan.EvidenceKind`."""
    refusal: Refusal = Refusal.NONE
    refusal_value: float = 0.0
    remarks: tuple[str, ...] = ()
    """Codes of what was taken for granted."""
    missing_bytes: float = 0.0
    """Bytes by which the weights exceed the memory of a device."""


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
    accelerator: Annotated[str, about("Accelerator", "", "Identifier in the catalogue.")]
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
    expert_tensor_parallel: Annotated[
        int, about("ETP", "", "Devices that share each expert; 0: as TP without EP, else one.", minimum=0)
    ] = 0
    zero_stage: Annotated[int, about("ZeRO stage", "", "-1: the framework's default.", minimum=-1, maximum=3)] = UNKNOWN
    recompute: Annotated[
        int, about("Recompute", "", "0: none, 1: selective, 2: full, -1: not stated.", minimum=-1, maximum=2)
    ] = UNKNOWN
    schedule: PipelineSchedule = "1f1b"
    recipe: TrainingRecipe = "bf16"
    scaling: ScalingGranularity = "usual"
    method: TrainingMethod = "pretraining"
    optimizer: OptimizerName = "adamw"
    state_bytes: StateBytes = StateBytes()
    lora_rank: Annotated[int, about("LoRA rank", minimum=1)] = 16
    flash_attention: bool = True
    flash_attention_3: Annotated[bool, about("FlashAttention-3", "", "Or cuDNN: attention made for Hopper.")] = False
    is_loss_chunked: Annotated[bool, about("Chunked loss", "", "All logits never exist at once.")] = False
    chunked_logits_share: Annotated[
        float,
        about("Chunk of the loss", "", "Share of the logits that a chunked loss holds at once.", above=0, maximum=1),
    ] = 1.0 / 16.0
    is_compiled: Annotated[
        bool, about("Compiled", "", "Compiled, or built of fused kernels where the framework is not.")
    ] = False
    is_optimizer_offloaded: Annotated[bool, about("Optimizer in host memory")] = False
    are_weights_offloaded: Annotated[bool, about("Weights in host memory")] = False
    are_activations_offloaded: Annotated[bool, about("Activations in host memory")] = False
    framework: Annotated[str, about("Framework", "", "Name in the training calibration; empty: the default.")] = ""
    release: Annotated[str, about("Release", "", "Release of the framework, such as 26.06.")] = ""
    network: Annotated[str, about("Network", "", "Identifier of the link between nodes; empty: the default.")] = ""
