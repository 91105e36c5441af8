"""What a framework, its release and a recipe make of the measured kernels and links: all fitted figures together."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.training_calibration import TrainingCalibration, family_of
from gpuplanner_gui.engine.context import Context, kept_in_context


@dataclass(frozen=True)
class Rates:
    """Fitted figures; each a number, or an array over layouts while they are fitted."""

    compute_share: float
    """Share of the accelerator's sustained rate that the framework reaches."""
    sustained_bandwidth: float
    recipe_share: float
    """Share of the kernels' rate that products in the recipe's format reach."""
    expert_share: float
    """Share of the matrix products' rate that grouped products of experts reach."""
    routing_share: float
    """Time of routing over that of its traffic."""
    attention_share: float
    """Share of the measured kernels' rate that attention reaches."""
    attention_backward: float
    state_share: float
    """Share of the measured kernels' rate that recurrences reach."""
    state_backward: float
    elementwise_share: float
    elementwise_backward: float
    cast_share: float
    """Time of rounding to the recipe's format over that of its traffic."""
    accumulation_share: float
    """Time of adding gradients up over that of its traffic."""
    tensor_overlap: float
    expert_overlap: float
    pipeline_overlap: float
    data_cover: float
    """Share of the passes that can hide data-parallel exchange."""
    data_leak: float
    """Share of the exchange that shows even where it is hidden."""
    layer_host_s: float
    expert_host_s: float
    """Further host time for a layer with experts."""
    step_host_s: float
    name: str = ""
    source: str = ""


def rates_of(calibration: TrainingCalibration, framework: str, recipe: str, release: str = "") -> Rates:
    """Figures of a framework's release with a recipe; an empty release is the newest.

    Raises KeyError for a framework or recipe that the calibration does not describe.
    """
    facts, narrow = calibration.framework(framework or calibration.default_framework), calibration.recipe(recipe)
    era = facts.release(release)
    own = {part.name: getattr(facts, part.name) for part in fields(Rates) if hasattr(facts, part.name)}
    of_release = {
        name: getattr(era, name) for name in ("expert_share", "routing_share", "expert_overlap", "expert_host_s")
    }
    of_recipe = {"recipe_share": narrow.compute_share, "cast_share": narrow.cast_share}
    return Rates(**own | of_release | of_recipe, source=f"training calibration: {facts.name}")


@dataclass(frozen=True)
class TrainingPaces:
    """What accelerators keep of the measured kernels' pace; one entry per accelerator of the catalogue."""

    compute: NDArray[np.float64]
    attention: NDArray[np.float64]


@kept_in_context(64)
def paces_of(context: Context, framework: str, release: str = "", has_flash_attention_3: bool = False) -> TrainingPaces:
    """Sustained pace of every accelerator with a framework's release. Raises KeyError for an unknown framework."""
    calibration, accelerators = context.calibration.training, context.accelerators
    facts = calibration.framework(framework or calibration.default_framework)
    young = facts.release(release).pace
    compute, attention = [], []
    for entry in accelerators:
        family = family_of(entry.architecture)
        compute.append(calibration.sustained_compute(entry.architecture) * young.get(family, 1.0))
        usual = facts.attention_by_architecture.get(family, 1.0)
        newer = calibration.flash_attention_3_share.get(family, 0.0) * has_flash_attention_3
        attention.append(max(usual, newer / facts.attention_share))
    return TrainingPaces(np.array(compute), np.array(attention))
