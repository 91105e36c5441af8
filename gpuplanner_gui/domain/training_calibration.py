"""What measured training runs have taught: how far frameworks stay behind their kernels, and how errors spread."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from gpuplanner_gui.domain.field import about
from gpuplanner_gui.domain.training_workload import PipelineSchedule, Recompute, TrainingMethod

TRAINING_FORMAT = "gpuplanner-training-calibration"
PartRecomputation = Literal["first", "every_nth", "never"]
"""The first layers of each chunk; every n-th layer; all or none."""
ExpertTensor = Literal["any", "all_or_none"]
"""Devices that share each expert: any number, or as many as share other layers, or one."""


def family_of(architecture: str) -> str:
    """The family that an architecture's name begins with: "Blackwell Ultra" belongs to Blackwell."""
    return architecture.partition(" ")[0]


class ReleaseFacts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What changed with a release of a framework, from it on."""

    since: Annotated[str, about("Since release", "", "Empty: all releases up to the next.")] = ""
    pace: Annotated[
        dict[str, float],
        about("Speed", "", "Speed relative to later releases, by architecture, where the software was still new."),
    ] = {}
    expert_share: Annotated[
        float, about("Grouped expert products", "", "Speed relative to other matrix products.", above=0, maximum=2)
    ]
    routing_share: Annotated[
        float, about("Routing", "", "Time relative to that of its memory traffic.", minimum=0, maximum=100)
    ]
    expert_overlap: Annotated[float, about("Expert-parallel overlap", "", minimum=0, maximum=1)]
    expert_host_s: Annotated[
        float, about("Host time per layer of experts", "s", "In addition to that of an ordinary layer.", minimum=0)
    ] = 0.0


class FrameworkFacts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Overheads of one training framework beyond the measured kernels."""

    framework: Annotated[str, about("Framework")]
    name: Annotated[str, about("Name")]
    compute_share: Annotated[
        float, about("Compute speed", "", "Relative to what the architecture sustains.", above=0, maximum=2)
    ]
    sustained_bandwidth: Annotated[
        float, about("Sustained bandwidth", "", "Relative to the measured kernels.", above=0, maximum=2)
    ]
    attention_share: Annotated[float, about("Attention speed", "", "Relative to timed kernels.", above=0, maximum=2)]
    attention_by_architecture: Annotated[
        dict[str, float],
        about("Attention speed by architecture", "", "For architectures whose features the kernels do not use."),
    ] = {}
    attention_backward: Annotated[
        float, about("Attention backward", "", "Time relative to the forward pass.", above=0, maximum=10)
    ]
    state_share: Annotated[float, about("Recurrent layers", "", "Speed relative to timed kernels.", above=0, maximum=2)]
    state_backward: Annotated[
        float, about("Recurrent layers, backward", "", "Time relative to the forward pass.", above=0, maximum=10)
    ]
    elementwise_share: Annotated[
        float, about("Element-wise traffic", "", "Relative to fused 16-bit kernels.", above=0, maximum=10)
    ]
    elementwise_backward: Annotated[
        float, about("Element-wise backward", "", "Time relative to the forward pass.", above=0, maximum=10)
    ]
    accumulation_share: Annotated[
        float, about("Gradient accumulation", "", "Time relative to that of its memory traffic.", minimum=0, maximum=10)
    ]
    tensor_overlap: Annotated[
        float,
        about("Tensor-parallel overlap", "", "Share of the communication that overlaps with compute.", minimum=0,
              maximum=1),
    ]  # fmt: skip
    data_cover: Annotated[
        float,
        about("Data-parallel overlap", "", "Share of forward and backward passes that can hide communication.",
              minimum=0, maximum=1),
    ]  # fmt: skip
    data_leak: Annotated[
        float,
        about("Data-parallel communication left", "", "Share that remains visible even where it overlaps.", minimum=0,
              maximum=1),
    ]  # fmt: skip
    pipeline_overlap: Annotated[float, about("Pipeline overlap", "", minimum=0, maximum=1)]
    layer_host_s: Annotated[
        float, about("Host time per layer", "s", "Time to launch one layer's forward pass of a micro-batch.", minimum=0)
    ]
    step_host_s: Annotated[float, about("Host time per step", "s", minimum=0)]
    releases: Annotated[tuple[ReleaseFacts, ...], about("Releases", "", "Oldest first.")]
    gradient_bytes: Annotated[
        float, about("Gradients", "bytes/param", "Gradient memory that its runs hold.", minimum=0, maximum=16)
    ]
    keeps_gradients: Annotated[
        bool, about("Gradient buffers", "", "On: held through the whole step. Off: created as activations are freed.")
    ] = True
    usual_schedule: Annotated[
        PipelineSchedule, about("Default schedule", "", "Assumed where a source does not state the pipeline schedule.")
    ] = "1f1b"
    schedules: Annotated[
        tuple[PipelineSchedule, ...], about("Schedules", "", "Pipeline schedules that the framework can run.")
    ] = ("1f1b",)
    zero_stages: Annotated[
        tuple[int, ...], about("ZeRO stages", "", "ZeRO stages that the framework can run without a pipeline.")
    ] = (0, 1, 2, 3)
    divides_models: Annotated[
        bool, about("Model parallelism", "", "The framework offers tensor, pipeline, context and expert parallelism.")
    ] = True
    expert_tensor: Annotated[
        ExpertTensor,
        about("Expert tensor parallelism", "",
              "Sizes that it can run beside expert parallelism: any, or tensor parallelism's or none."),
    ] = "all_or_none"  # fmt: skip
    hybrid_stages: Annotated[
        tuple[int, ...], about("Hybrid sharding", "", "ZeRO stages that it can run with hybrid sharding (HSDP).")
    ] = ()
    offload_stages: Annotated[
        tuple[int, ...], about("Offload", "", "ZeRO stages with which it can offload optimizer state to the host.")
    ] = ()
    activation_offload: Annotated[
        tuple[Recompute, ...],
        about("Offloads activations", "", "Recomputations with which it can offload activations, without a pipeline."),
    ] = ()
    activation_offload_methods: Annotated[
        tuple[TrainingMethod, ...], about("Methods that offload", "", "Training methods that can offload activations.")
    ] = ()
    activation_offload_stages: Annotated[
        tuple[int, ...], about("ZeRO that offloads", "", "ZeRO stages with which it can offload activations.")
    ] = (0, 1, 2, 3)
    offloads_weights: Annotated[
        bool, about("Offloads weights", "", "Offloading optimizer state also offloads weights and gradients.")
    ] = False
    keeps_wide_weights: Annotated[
        bool, about("FP32 weights", "", "Sharded weights are kept in FP32 and gathered in 16 bits.")
    ] = False
    activation_share: Annotated[
        float,
        about("Activations", "", "Relative to fused kernels; eager code keeps more.", above=0, maximum=10),
    ] = 1.0
    fused_activation_share: Annotated[
        float, about("Activations of compiled code", "", "Relative to fused kernels.", above=0, maximum=10)
    ] = 1.0
    logit_bytes: Annotated[
        float,
        about("Loss, per logit", "bytes", "Bytes per logit, including copies and gradients.", minimum=0, maximum=32),
    ] = 12.0
    balances_head: Annotated[
        bool,
        about("Balanced stages", "", "Stages are balanced for the output matrix: the first stages hold more layers."),
    ] = False
    selects_by_operator: Annotated[
        bool,
        about("By operator", "", "Selective recomputation keeps attention and every second matrix product."),
    ] = False
    selects_dense_products: Annotated[
        bool,
        about("Dense products", "", "Selective recomputation also rebuilds the inputs of dense products."),
    ] = True
    methods: Annotated[
        tuple[TrainingMethod, ...],
        about("Methods", "",
              "Training methods that the framework can run. Others are planned with a framework that can."),
    ] = ("pretraining", "continued_pretraining", "full_fine_tune", "lora", "qlora")  # fmt: skip
    recomputations: Annotated[
        tuple[Recompute, ...],
        about("Recomputations", "", "Kinds of activation recomputation that the framework can run."),
    ] = ("none", "selective", "full")
    part_recomputation: Annotated[
        PartRecomputation, about("Partial recomputation", "", "Which layers are recomputed, where not all are.")
    ] = "first"
    bucket_bytes: Annotated[
        float,
        about("Communication buckets", "bytes", "Buffers for gather and reduce, where several devices share a model.",
              minimum=0),
    ] = 0.0  # fmt: skip
    runtime_bytes: Annotated[float, about("Device context", "bytes", "With libraries' workspaces.", minimum=0)]
    fragmentation_share: Annotated[
        float,
        about("Fragmentation", "", "Reserved over allocated memory, for activations and logits.", minimum=0, maximum=1),
    ]
    memory_log_sd: Annotated[
        float, about("Spread of peak memory", "", "Standard deviation of the logarithm.", minimum=0)
    ] = 0.2
    log_sd: Annotated[float, about("Spread of step times", "", "Standard deviation of the logarithm.", minimum=0)]
    expert_log_sd: Annotated[float, about("Spread of step times with experts", "", minimum=0)]
    tuning_log_sd: Annotated[float, about("Spread of step times of fine-tuning", "", minimum=0)] = 0.2
    sources: Annotated[tuple[str, ...], about("Sources")] = ()
    date: Annotated[str, about("As of")] = ""

    def release(self, name: str) -> ReleaseFacts:
        """What holds for a release; the newest for an empty name."""
        if not name:
            return self.releases[-1]
        return [facts for facts in self.releases if facts.since <= name][-1]


class AdapterCosts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What adapters cost beside the frozen matrices, in a framework that runs each operation by itself."""

    frameworks: Annotated[tuple[str, ...], about("Frameworks", least=1)]
    is_wide: Annotated[bool, about("FP32 adapters", "", "Trained in FP32: each use casts what enters.")]
    forward_bytes: Annotated[
        float, about("Forward", "bytes", "Per token, for each value into and out of an adapted matrix.", minimum=0)
    ]
    backward_bytes: Annotated[float, about("Backward", "bytes", "Likewise.", minimum=0)]
    activation_share: Annotated[
        float, about("Activations", "", "Kept, relative to those with adapters in 16 bits.", minimum=1, maximum=4)
    ] = 1.0
    sources: Annotated[tuple[str, ...], about("Sources", least=1)]
    date: Annotated[str, about("Date")]


class RecipeFacts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a precision recipe does beside its matrix products."""

    recipe: Annotated[str, about("Recipe", "", "With its scaling where that matters, such as fp8_micro.")]
    compute_share: Annotated[float, about("Compute speed", "", "Relative to the measured kernels.", above=0, maximum=2)]
    cast_share: Annotated[
        float, about("Casts", "", "Time relative to that of their memory traffic.", minimum=0, maximum=10)
    ] = 1.0
    sources: Annotated[tuple[str, ...], about("Sources")] = ()


class ArchitectureFacts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a family of accelerators keeps up for days, power and clocks being what they are."""

    architecture: Annotated[str, about("Architecture", "", "First word of its name; empty: all others.")]
    sustained_compute: Annotated[
        float, about("Sustained compute", "", "Speed relative to kernels at the highest clock.", above=0, maximum=2)
    ]
    sources: Annotated[tuple[str, ...], about("Sources")] = ()


class PublishedRun(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The fastest published run of an accelerator in a recipe."""

    accelerator: Annotated[str, about("Accelerator", "", "Identifier in the catalogue.")]
    recipe: Annotated[str, about("Precision recipe")]
    has_experts: Annotated[bool, about("Experts", "", "Mixtures of experts reach a smaller share of the peak.")]
    flop_per_s: Annotated[float, about("Model FLOP/s", "flop/s", "Per device; causal attention counts half.", above=0)]
    model: Annotated[str, about("Model")]
    devices: Annotated[int, about("Devices", minimum=1)]
    source: Annotated[str, about("Source")]


class SampleData(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How pictures, videos and sound are stored and prepared for training, where a scenario does not say."""

    picture_bytes: Annotated[
        float, about("Stored picture", "bytes", "At least: pictures are stored larger than models see them.", above=0)
    ]
    picture_bytes_per_pixel: Annotated[float, about("Bytes per pixel", "bytes", "Of large pictures.", above=0)]
    picture_bytes_per_s_per_core: Annotated[
        float, about("Decoding", "bytes/s", "JPEG that a core decodes, crops and resizes.", above=0)
    ]
    audio_bytes_per_s: Annotated[float, about("Stored sound", "bytes/s", "Of one second of speech.", above=0)]
    audio_s_per_s_per_core: Annotated[
        float, about("Spectrograms", "", "Seconds of sound that a core prepares in a second.", above=0)
    ]
    prepared_bytes_per_s_per_core: Annotated[
        float, about("Prepared samples", "bytes/s", "Latents and encoded prompts that a core reads.", above=0)
    ]
    sources: Annotated[tuple[str, ...], about("Sources", least=1)]
    date: Annotated[str, about("Date")]


class TrainingCalibration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, eq=False):
    """All that a training plan rests on beside kernels and catalogue."""

    format: str = TRAINING_FORMAT
    version: int = 1
    default_framework: Annotated[str, about("Framework of a plan")]
    frameworks: Annotated[tuple[FrameworkFacts, ...], about("Frameworks")]
    recipes: Annotated[tuple[RecipeFacts, ...], about("Precision recipes")]
    architectures: Annotated[tuple[ArchitectureFacts, ...], about("Architectures")]
    adapter_activation_share: Annotated[
        float, about("Activations with adapters", "", "Relative to full training.", above=0, maximum=10)
    ] = 0.85
    adapters: Annotated[tuple[AdapterCosts, ...], about("What adapters cost")] = ()
    quantized_activation_share: Annotated[
        float, about("Activations with 4-bit weights", "", "Relative to 16-bit weights.", above=0, maximum=10)
    ] = 1.35
    unpacking_bandwidth_share: Annotated[
        float,
        about("Unpacking 4-bit weights", "", "Share of memory bandwidth reached while unpacking.", above=0, maximum=1),
    ] = 0.12
    compiled_unpacking_share: Annotated[
        float, about("Unpacking 4-bit weights, compiled", "", "Likewise, by compiled code.", above=0, maximum=1)
    ] = 0.47
    unpacking_sources: Annotated[tuple[str, ...], about("Sources of unpacking")] = ()
    host_update_bytes_per_s: Annotated[
        float,
        about("Optimizer update in host memory", "bytes/s",
              "State that one device's share of the host updates per second.", above=0),
    ] = 25e9  # fmt: skip
    nvme_bytes_per_s: Annotated[
        float, about("Optimizer update on NVMe", "bytes/s", "One device's share, read and write.", above=0)
    ] = 3e9
    flash_attention_3_share: Annotated[
        dict[str, float],
        about("FlashAttention-3", "", "Its speed relative to timed kernels, by the architecture that it is made for."),
    ] = {}
    flash_attention_3_sources: Annotated[tuple[str, ...], about("Sources of FlashAttention-3")] = ()
    opaque_efficiency: Annotated[
        float,
        about("Efficiency of other models", "",
              "Share of the peak that CNNs and similar models reach; in FP8 and FP4 of the 16-bit peak.", above=0,
              maximum=1),
    ]  # fmt: skip
    sample_data: Annotated[SampleData | None, about("Data of pictures and sound")] = None
    training_ecosystems: Annotated[tuple[str, ...], about("Ecosystems with training software")]
    inference_only: Annotated[tuple[str, ...], about("Accelerators made for inference alone")] = ()
    best_published: Annotated[tuple[PublishedRun, ...], about("Best published runs")] = ()
    published_lead: Annotated[
        float,
        about("Lead over published runs", "", "A plan exceeds the best published run by this factor at most.", above=0,
              maximum=1),
    ] = 0.15  # fmt: skip
    published_lead_reason: Annotated[str, about("Reason of that lead")] = ""
    sources: Annotated[tuple[str, ...], about("Sources")] = ()

    def best_of(self, accelerator: str, recipe: str, has_experts: bool) -> PublishedRun | None:
        """The fastest published run of an accelerator in a recipe; None where none is known."""
        key = (accelerator, recipe, has_experts)
        return next((one for one in self.best_published if (one.accelerator, one.recipe, one.has_experts) == key), None)

    def framework_for(self, name: str, method: TrainingMethod) -> str:
        """The framework that a job is planned with: its own, else the first that knows the method."""
        knowing = (one for one in (self.framework(name), *self.frameworks) if method in one.methods)
        return next(knowing, self.framework(name)).framework

    def adapters_of(self, framework: str, is_wide: bool) -> AdapterCosts | None:
        """What adapters cost under a framework; None where nobody counted it."""
        return next((one for one in self.adapters if framework in one.frameworks and one.is_wide == is_wide), None)

    def framework(self, name: str) -> FrameworkFacts:
        """Facts of one framework. Raises KeyError for one that is not described."""
        for facts in self.frameworks:
            if facts.framework == name:
                return facts
        raise KeyError(name)

    def sustained_compute(self, architecture: str) -> float:
        """Pace that a family of accelerators sustains; that of any other where it is not described."""
        paces = {facts.architecture: facts.sustained_compute for facts in self.architectures}
        return paces.get(family_of(architecture), paces[""])

    def recipe(self, name: str) -> RecipeFacts:
        """Facts of one recipe. Raises KeyError for one that is not described."""
        for facts in self.recipes:
            if facts.recipe == name:
                return facts
        raise KeyError(name)
