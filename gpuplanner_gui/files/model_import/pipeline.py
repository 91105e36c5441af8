"""Whole diffusion pipelines: a `model_index.json` and the configurations of its parts in folders beside it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.files.model_import.config import Config, shown

USUAL_RUN = {"FluxPipeline": (28, 1), "StableDiffusion3Pipeline": (28, 2)}
"""Denoising steps, and passes of each, that pipelines take when nobody says otherwise (diffusers, recalled)."""
OTHER_RUN = (50, 2)
DENOISERS = ("unet", "transformer")
WITHOUT_WEIGHTS = ("scheduler", "tokenizer", "feature_extractor", "image_processor", "processor")


def is_pipeline(config: Config) -> bool:
    """Whether a configuration lists parts and has no layers of its own."""
    return config.text("_class_name").endswith("Pipeline")


def build_pipeline(config: Config, read_part: Callable[[Path], Model]) -> Model:
    """All parts in memory; a request is an image or video denoised in the usual steps and decoded.

    The prompt's encoding, a thousandth of the work, is left out of the FLOPs.
    """
    parts = {name: model for name in _parts(config) if (model := _part(config, name, read_part)) is not None}
    denoiser = next((parts[name] for name in DENOISERS if name in parts), None)
    once = parts["vae"].flop_per_sample if "vae" in parts else 0.0
    work = Model(name="", kind="diffusion", family=config.text("_class_name"), has_head=False)
    total = sum(int(model_parameters(model).total) for model in parts.values())
    if denoiser is None or not denoiser.flop_per_sample:
        config.notes.give_up("no unet or transformer whose work is known")
        return msgspec.structs.replace(work, custom_parameters=total)
    steps, passes = USUAL_RUN.get(work.family, OTHER_RUN)
    config.notes.assume(f"{steps} denoising steps of {passes} passes (usual for {work.family})")
    return msgspec.structs.replace(
        work,
        custom_parameters=total,
        flop_per_sample=steps * passes * denoiser.flop_per_sample + once,
        training_flop_per_sample=denoiser.flop_per_sample,
        denoising_steps=steps,
        sample_pixels=denoiser.sample_pixels,
        sample_frames=denoiser.sample_frames,
        attention_flop_share=denoiser.attention_flop_share,
        sample=f"{steps} steps of {passes} passes, decoded; {denoiser.sample}",
    )


def _parts(config: Config) -> list[str]:
    """Folders of parts with weights; a part that is null is left out of this pipeline."""
    return [
        name
        for name, value in config.data.items()
        if isinstance(value, list) and any(value) and name.isidentifier() and not name.startswith(WITHOUT_WEIGHTS)
    ]


def _part(config: Config, name: str, read_part: Callable[[Path], Model]) -> Model | None:
    path = config.path.parent / name / "config.json"
    if not path.is_file():
        config.notes.give_up(f"{shown(name)}: no {name}/config.json stands beside this file; it is not counted")
        return None
    model = read_part(path)
    for sentence in model.not_understood:
        config.notes.give_up(f"{name}: {sentence}")
    return model
