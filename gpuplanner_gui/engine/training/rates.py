"""What a framework, its release and a recipe make of the measured kernels and links: all fitted figures together."""

from __future__ import annotations

from dataclasses import dataclass

from gpuplanner_gui.domain.training_calibration import TrainingCalibration


@dataclass(frozen=True)
class Rates:
    """Fitted figures; each a number, or an array over layouts while they are fitted."""

    sustained_compute: float
    sustained_bandwidth: float
    recipe_share: float
    """Of the kernels' pace that products in the recipe's format keep."""
    expert_share: float
    """Of the matrix products' pace that grouped products of experts keep."""
    routing_share: float
    """Time of routing over that of its traffic."""
    attention_backward: float
    elementwise_share: float
    elementwise_backward: float
    tensor_overlap: float
    expert_overlap: float
    pipeline_overlap: float
    data_cover: float
    """Share of the passes that can hide data-parallel exchange."""
    data_leak: float
    """Share of the exchange that shows even where it is hidden."""
    layer_host_s: float
    step_host_s: float
    name: str = ""
    source: str = ""


def rates_of(calibration: TrainingCalibration, framework: str, recipe: str, release: str = "") -> Rates:
    """Figures of a framework's release with a recipe; an empty release is the newest.

    Raises KeyError for a framework or recipe that the calibration does not describe.
    """
    facts, narrow = calibration.framework(framework or calibration.default_framework), calibration.recipe(recipe)
    era = facts.release(release)
    return Rates(
        sustained_compute=facts.sustained_compute,
        sustained_bandwidth=facts.sustained_bandwidth,
        recipe_share=narrow.compute_share,
        expert_share=era.expert_share,
        routing_share=era.routing_share,
        attention_backward=facts.attention_backward,
        elementwise_share=facts.elementwise_share,
        elementwise_backward=facts.elementwise_backward,
        tensor_overlap=facts.tensor_overlap,
        expert_overlap=era.expert_overlap,
        pipeline_overlap=facts.pipeline_overlap,
        data_cover=facts.data_cover,
        data_leak=facts.data_leak,
        layer_host_s=facts.layer_host_s,
        step_host_s=facts.step_host_s,
        name=facts.name,
        source=f"training calibration: {facts.name}",
    )
