"""Which builder reads which architecture, by `model_type`, then by the name of the model class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.files.model_import.config import Config
from gpuplanner_gui.files.model_import.decoder_family import build_decoder
from gpuplanner_gui.files.model_import.dense_families import DENSE_FAMILIES
from gpuplanner_gui.files.model_import.latent import LATENT_FAMILIES, build_latent
from gpuplanner_gui.files.model_import.moe_families import MOE_FAMILIES

TextBuilder = Callable[[Config, "Config | None"], Model]
"""Builds a model from its own (text) configuration and, where that is nested, the whole file."""


@dataclass(frozen=True)
class Family:
    """A name that configurations use, and what reads it."""

    model_type: str
    build: TextBuilder


def _families() -> dict[str, Family]:
    found: dict[str, Family] = {}
    for name, family in {**DENSE_FAMILIES, **MOE_FAMILIES}.items():
        found[name] = Family(name, partial(_decoder, family))
    for name, latent in LATENT_FAMILIES.items():
        found[name] = Family(name, partial(_latent, latent))
    return found


def _decoder(family, config: Config, outer: Config | None) -> Model:  # type: ignore[no-untyped-def]
    return build_decoder(config, family, outer)


def _latent(family, config: Config, outer: Config | None) -> Model:  # type: ignore[no-untyped-def]
    return build_latent(config, family, outer)


FAMILIES = _families()

CLASSES = {
    "LlamaForCausalLM": "llama",
    "MistralForCausalLM": "mistral",
    "Qwen2ForCausalLM": "qwen2",
    "Qwen3ForCausalLM": "qwen3",
    "MixtralForCausalLM": "mixtral",
    "DeepseekV2ForCausalLM": "deepseek_v2",
    "DeepseekV3ForCausalLM": "deepseek_v3",
    "DeepseekV32ForCausalLM": "deepseek_v32",
}
