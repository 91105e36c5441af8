"""What measured training runs have taught: how far frameworks stay behind their kernels, and how errors spread."""

from __future__ import annotations

from typing import Annotated

import msgspec

from gpuplanner_gui.domain.field import about

TRAINING_FORMAT = "gpuplanner-training-calibration"


class ReleaseFacts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What changed with a release of a framework, from it on."""

    since: Annotated[str, about("Since release", "", "Empty: from the beginning.")] = ""
    expert_share: Annotated[
        float, about("Expert products", "", "Of the pace of other products that grouped ones keep.", above=0, maximum=2)
    ]
    routing_share: Annotated[
        float, about("Routing", "", "Time over that of its memory traffic.", minimum=0, maximum=100)
    ]
    expert_overlap: Annotated[float, about("Expert-parallel overlap", "", minimum=0, maximum=1)]


class FrameworkFacts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Overheads of one training framework beyond the measured kernels."""

    framework: Annotated[str, about("Framework")]
    name: Annotated[str, about("Name")]
    sustained_compute: Annotated[
        float, about("Sustained compute", "", "Of the kernels' measured pace, in a long run.", above=0, maximum=2)
    ]
    sustained_bandwidth: Annotated[float, about("Sustained bandwidth", "", above=0, maximum=2)]
    attention_backward: Annotated[
        float, about("Attention backward", "", "Time over the forward pass's.", above=0, maximum=10)
    ]
    elementwise_share: Annotated[
        float, about("Element-wise traffic", "", "Over that of fused 16-bit kernels.", above=0, maximum=10)
    ]
    elementwise_backward: Annotated[
        float, about("Element-wise backward", "", "Time over the forward pass's.", above=0, maximum=10)
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
    gradient_bytes: Annotated[float, about("Gradient accumulation", "bytes/param", minimum=0, maximum=16)]
    runtime_bytes: Annotated[float, about("Context and buffers", "bytes", minimum=0)]
    fragmentation_share: Annotated[
        float, about("Fragmentation", "", "Reserved beyond what is allocated.", minimum=0, maximum=1)
    ]
    log_sd: Annotated[float, about("Spread of step times", "", "Standard deviation of the logarithm.", minimum=0)]
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
    sources: Annotated[tuple[str, ...], about("Sources")] = ()


class TrainingCalibration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, eq=False):
    """All that a training plan rests on beside kernels and catalogue."""

    format: str = TRAINING_FORMAT
    version: int = 1
    default_framework: Annotated[str, about("Framework of a plan")]
    frameworks: Annotated[tuple[FrameworkFacts, ...], about("Frameworks")]
    recipes: Annotated[tuple[RecipeFacts, ...], about("Precision recipes")]
    opaque_efficiency: Annotated[
        float,
        about("Efficiency of other models", "", "Share of peak that CNNs and the like reach.", above=0, maximum=1),
    ]
    training_ecosystems: Annotated[tuple[str, ...], about("Ecosystems with training software")]
    inference_only: Annotated[tuple[str, ...], about("Accelerators made for inference alone")] = ()
    sources: Annotated[tuple[str, ...], about("Sources")] = ()

    def framework(self, name: str) -> FrameworkFacts:
        """Facts of one framework. Raises KeyError for one that is not described."""
        for facts in self.frameworks:
            if facts.framework == name:
                return facts
        raise KeyError(name)

    def recipe(self, name: str) -> RecipeFacts:
        """Facts of one recipe. Raises KeyError for one that is not described."""
        for facts in self.recipes:
            if facts.recipe == name:
                return facts
        raise KeyError(name)
