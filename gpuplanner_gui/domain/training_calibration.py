"""What measured training runs have taught: how far frameworks stay behind their kernels, and how errors spread."""

from __future__ import annotations

from typing import Annotated

import msgspec

from gpuplanner_gui.domain.field import about

TRAINING_FORMAT = "gpuplanner-training-calibration"


class FrameworkFacts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Overheads of one training framework beyond the measured kernels."""

    framework: Annotated[str, about("Framework")]
    name: Annotated[str, about("Name")]
    sustained_compute: Annotated[
        float, about("Sustained compute", "", "Of the kernels' measured rate, in a long run.", above=0, maximum=2)
    ]
    sustained_bandwidth: Annotated[float, about("Sustained bandwidth", "", above=0, maximum=2)]
    attention_backward: Annotated[
        float, about("Attention backward", "", "Time over the forward pass's.", above=0, maximum=10)
    ]
    elementwise_share: Annotated[
        float, about("Element-wise traffic", "", "Over that of unfused 16-bit kernels.", above=0, maximum=10)
    ]
    tensor_overlap: Annotated[
        float, about("Tensor-parallel overlap", "", "Share hidden behind compute.", minimum=0, maximum=1)
    ]
    data_overlap: Annotated[
        float, about("Data-parallel overlap", "", "Share of the passes that can hide it.", minimum=0, maximum=1)
    ]
    pipeline_overlap: Annotated[float, about("Pipeline overlap", "", minimum=0, maximum=1)]
    expert_overlap: Annotated[float, about("Expert-parallel overlap", "", minimum=0, maximum=1)]
    layer_host_s: Annotated[
        float, about("Host time per layer", "s", "To launch one layer's forward pass of a micro-batch.", minimum=0)
    ]
    step_host_s: Annotated[float, about("Host time per step", "s", minimum=0)]
    gradient_bytes: Annotated[float, about("Gradient accumulation", "bytes/param", minimum=0, maximum=16)]
    runtime_bytes: Annotated[float, about("Context and buffers", "bytes", minimum=0)]
    fragmentation_share: Annotated[
        float, about("Fragmentation", "", "Reserved beyond what is allocated.", minimum=0, maximum=1)
    ]
    log_sd: Annotated[float, about("Spread of step times", "", "Standard deviation of the logarithm.", minimum=0)]
    sources: Annotated[tuple[str, ...], about("Sources")] = ()
    date: Annotated[str, about("As of")] = ""


class RecipeFacts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a precision recipe does beside its matrix products."""

    recipe: Annotated[str, about("Recipe")]
    compute_share: Annotated[
        float, about("Compute share", "", "Of the kernels' rate that casts and scaling leave.", above=0, maximum=2)
    ]
    cast_bytes_per_value: Annotated[
        float, about("Cast traffic", "bytes", "Per value that enters a product.", minimum=0, maximum=64)
    ] = 0.0
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
