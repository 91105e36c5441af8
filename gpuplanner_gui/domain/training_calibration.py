"""What measured training runs have taught: how far frameworks stay behind their kernels, and how errors spread."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from gpuplanner_gui.domain.field import about
from gpuplanner_gui.domain.training_workload import PipelineSchedule, Recompute, TrainingMethod

TRAINING_FORMAT = "gpuplanner-training-calibration"
PartRecomputation = Literal["first", "every_nth", "never"]
"""The first layers of each chunk; every n-th layer; all or none."""


def family_of(architecture: str) -> str:
    """The family that an architecture's name begins with: "Blackwell Ultra" belongs to Blackwell."""
    return architecture.partition(" ")[0]


class ReleaseFacts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What changed with a release of a framework, from it on."""

    since: Annotated[str, about("Since release", "", "Empty: from the beginning.")] = ""
    pace: Annotated[
        dict[str, float], about("Pace", "", "Of later releases, by architecture, where software was still young.")
    ] = {}
    expert_share: Annotated[
        float, about("Expert products", "", "Of the pace of other products that grouped ones keep.", above=0, maximum=2)
    ]
    routing_share: Annotated[
        float, about("Routing", "", "Time over that of its memory traffic.", minimum=0, maximum=100)
    ]
    expert_overlap: Annotated[float, about("Expert-parallel overlap", "", minimum=0, maximum=1)]
    expert_host_s: Annotated[
        float, about("Host time per layer of experts", "s", "Beyond that of another layer.", minimum=0)
    ] = 0.0


class FrameworkFacts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Overheads of one training framework beyond the measured kernels."""

    framework: Annotated[str, about("Framework")]
    name: Annotated[str, about("Name")]
    compute_share: Annotated[
        float, about("Compute share", "", "Of the pace that the architecture sustains.", above=0, maximum=2)
    ]
    sustained_bandwidth: Annotated[
        float, about("Sustained bandwidth", "", "Of the kernels' measured pace.", above=0, maximum=2)
    ]
    attention_share: Annotated[float, about("Attention", "", "Of the measured kernels' pace.", above=0, maximum=2)]
    attention_by_architecture: Annotated[
        dict[str, float], about("Attention by architecture", "", "Where kernels do not use what the hardware can.")
    ] = {}
    attention_backward: Annotated[
        float, about("Attention backward", "", "Time over the forward pass's.", above=0, maximum=10)
    ]
    state_share: Annotated[float, about("Recurrences", "", "Of the measured kernels' pace.", above=0, maximum=2)]
    state_backward: Annotated[
        float, about("Recurrences backward", "", "Time over the forward pass's.", above=0, maximum=10)
    ]
    elementwise_share: Annotated[
        float, about("Element-wise traffic", "", "Over that of fused 16-bit kernels.", above=0, maximum=10)
    ]
    elementwise_backward: Annotated[
        float, about("Element-wise backward", "", "Time over the forward pass's.", above=0, maximum=10)
    ]
    accumulation_share: Annotated[
        float, about("Gradient accumulation", "", "Time over that of its memory traffic.", minimum=0, maximum=10)
    ]
    tensor_overlap: Annotated[
        float, about("Tensor-parallel overlap", "", "Share hidden behind compute.", minimum=0, maximum=1)
    ]
    data_cover: Annotated[
        float, about("Data-parallel cover", "", "Share of the passes that can hide exchange.", minimum=0, maximum=1)
    ]
    data_leak: Annotated[
        float, about("Data-parallel leak", "", "Share that shows even where it is hidden.", minimum=0, maximum=1)
    ]
    pipeline_overlap: Annotated[float, about("Pipeline overlap", "", minimum=0, maximum=1)]
    layer_host_s: Annotated[
        float, about("Host time per layer", "s", "To launch one layer's forward pass of a micro-batch.", minimum=0)
    ]
    step_host_s: Annotated[float, about("Host time per step", "s", minimum=0)]
    releases: Annotated[tuple[ReleaseFacts, ...], about("Releases", "", "Oldest first.")]
    gradient_bytes: Annotated[
        float, about("Gradients", "bytes/param", "What its runs hold of them.", minimum=0, maximum=16)
    ]
    keeps_gradients: Annotated[
        bool, about("Gradient buffers", "", "Held through the whole step; else made as activations go.")
    ] = True
    usual_schedule: Annotated[
        PipelineSchedule, about("Usual schedule", "", "Of pipelines whose schedule a source does not state.")
    ] = "1f1b"
    schedules: Annotated[
        tuple[PipelineSchedule, ...], about("Schedules", "", "Of pipelines, that its own code can run.")
    ] = ("1f1b",)
    zero_stages: Annotated[
        tuple[int, ...], about("ZeRO stages", "", "Without a pipeline, that its own code can run.")
    ] = (0, 1, 2, 3)
    divides_models: Annotated[
        bool, about("Divides models", "", "Its options give tensor, pipeline, context and expert parallelism.")
    ] = True
    hybrid_stages: Annotated[
        tuple[int, ...], about("Hybrid sharding", "", "ZeRO stages that it can run within groups of copies (HSDP).")
    ] = ()
    offload_stages: Annotated[
        tuple[int, ...], about("Offload", "", "ZeRO stages with which its options keep optimizer state on the host.")
    ] = ()
    offloads_weights: Annotated[
        bool, about("Offloads weights", "", "What keeps optimizer state on the host keeps weights and gradients there.")
    ] = False
    keeps_wide_weights: Annotated[
        bool, about("FP32 weights", "", "Divided weights are kept in FP32 and gathered in 16 bits.")
    ] = False
    activation_share: Annotated[
        float,
        about("Activations", "", "Kept over what fused kernels need; eager code keeps more.", above=0, maximum=10),
    ] = 1.0
    fused_activation_share: Annotated[
        float, about("Activations of compiled code", "", "Kept over what fused kernels need.", above=0, maximum=10)
    ] = 1.0
    logit_bytes: Annotated[
        float, about("Loss", "bytes", "Of a logit, with its copies and gradients.", minimum=0, maximum=32)
    ] = 12.0
    balances_head: Annotated[
        bool, about("Balanced stages", "", "Stages share the output matrix's work: the first holds more layers.")
    ] = False
    selects_by_operator: Annotated[
        bool,
        about("By operator", "", "Selective recomputation keeps attention and every second product, no more."),
    ] = False
    selects_dense_products: Annotated[
        bool,
        about("Dense products", "", "Selective recomputation rebuilds their inputs too, not only norms and experts'."),
    ] = True
    methods: Annotated[
        tuple[TrainingMethod, ...],
        about("Methods", "", "That its own code can run; others are planned with a framework that can."),
    ] = ("pretraining", "continued_pretraining", "full_fine_tune", "lora", "qlora")
    recomputations: Annotated[
        tuple[Recompute, ...], about("Recomputations", "", "Of activations, that its own code can run.")
    ] = ("none", "selective", "full")
    part_recomputation: Annotated[
        PartRecomputation, about("Recomputed in part", "", "Which layers, where not all are recomputed in full.")
    ] = "first"
    bucket_bytes: Annotated[
        float, about("Buckets", "bytes", "For gathering and reducing, where several devices share a model.", minimum=0)
    ] = 0.0
    runtime_bytes: Annotated[float, about("Device context", "bytes", "And libraries' workspaces.", minimum=0)]
    fragmentation_share: Annotated[
        float, about("Fragmentation", "", "Reserved over allocated, of activations and logits.", minimum=0, maximum=1)
    ]
    memory_log_sd: Annotated[
        float, about("Spread of peak memory", "", "Standard deviation of the logarithm.", minimum=0)
    ] = 0.2
    log_sd: Annotated[float, about("Spread of step times", "", "Standard deviation of the logarithm.", minimum=0)]
    expert_log_sd: Annotated[float, about("Spread of step times with experts", "", minimum=0)]
    sources: Annotated[tuple[str, ...], about("Sources")] = ()
    date: Annotated[str, about("As of")] = ""

    def release(self, name: str) -> ReleaseFacts:
        """What holds for a release; the newest for an empty name."""
        if not name:
            return self.releases[-1]
        return [facts for facts in self.releases if facts.since <= name][-1]


class RecipeFacts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a precision recipe does beside its matrix products."""

    recipe: Annotated[str, about("Recipe", "", "With its scaling, where that matters: fp8_micro.")]
    compute_share: Annotated[
        float, about("Compute share", "", "Of the kernels' pace that the recipe's products keep.", above=0, maximum=2)
    ]
    cast_share: Annotated[
        float, about("Rounding", "", "Time over that of its memory traffic.", minimum=0, maximum=10)
    ] = 1.0
    sources: Annotated[tuple[str, ...], about("Sources")] = ()


class ArchitectureFacts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a family of accelerators keeps up for days, power and clocks being what they are."""

    architecture: Annotated[str, about("Architecture", "", "First word of its name; empty: any other.")]
    sustained_compute: Annotated[
        float, about("Sustained compute", "", "Of the kernels' pace at the highest clock.", above=0, maximum=2)
    ]
    sources: Annotated[tuple[str, ...], about("Sources")] = ()


class PublishedRun(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The fastest published run of an accelerator in a recipe."""

    accelerator: Annotated[str, about("Accelerator", "", "Catalogue id.")]
    recipe: Annotated[str, about("Precision recipe")]
    has_experts: Annotated[bool, about("Experts", "", "Mixtures reach less of a device than dense models do.")]
    flop_per_s: Annotated[
        float, about("Model FLOP/s", "flop/s", "Of one device; causal attention as the half that is computed.", above=0)
    ]
    model: Annotated[str, about("Model")]
    devices: Annotated[int, about("Devices", minimum=1)]
    source: Annotated[str, about("Source")]


class TrainingCalibration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, eq=False):
    """All that a training plan rests on beside kernels and catalogue."""

    format: str = TRAINING_FORMAT
    version: int = 1
    default_framework: Annotated[str, about("Framework of a plan")]
    frameworks: Annotated[tuple[FrameworkFacts, ...], about("Frameworks")]
    recipes: Annotated[tuple[RecipeFacts, ...], about("Precision recipes")]
    architectures: Annotated[tuple[ArchitectureFacts, ...], about("Architectures")]
    adapter_activation_share: Annotated[
        float, about("Activations beside adapters", "", "Over those of a full training.", above=0, maximum=10)
    ] = 0.85
    quantized_activation_share: Annotated[
        float, about("Activations over 4-bit weights", "", "Over those of 16-bit weights.", above=0, maximum=10)
    ] = 1.35
    unpacking_bandwidth_share: Annotated[
        float, about("Unpacking 4-bit weights", "", "Of memory bandwidth, that it reaches.", above=0, maximum=1)
    ] = 0.24
    unpacking_sources: Annotated[tuple[str, ...], about("Sources of unpacking")] = ()
    host_update_bytes_per_s: Annotated[
        float,
        about("Update in host memory", "bytes/s", "State that a device's share of the host goes through.", above=0),
    ] = 25e9
    nvme_bytes_per_s: Annotated[
        float, about("Update on NVMe", "bytes/s", "A device's share, reading and writing.", above=0)
    ] = 3e9
    opaque_efficiency: Annotated[
        float,
        about("Efficiency of other models", "", "Share of peak that CNNs and the like reach.", above=0, maximum=1),
    ]
    training_ecosystems: Annotated[tuple[str, ...], about("Ecosystems with training software")]
    inference_only: Annotated[tuple[str, ...], about("Accelerators made for inference alone")] = ()
    best_published: Annotated[tuple[PublishedRun, ...], about("Best published runs")] = ()
    published_lead: Annotated[
        float,
        about("Lead over published runs", "", "By which a plan surpasses the best one at most.", above=0, maximum=1),
    ] = 0.15
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
