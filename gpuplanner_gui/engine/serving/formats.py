"""What each part of a served model is stored in: from its checkpoint, and what a planner or a published row asks for.

One resolver for candidates and for published or own measurements, so that both get the same kernels and the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from gpuplanner_gui.domain.arrays import Integers
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.engine.kernels.choice import FORMATS
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.engine.model.precision import PRECISION_INDEX, PRECISIONS

WIDE_FORMATS = ("bf16", "fp16", "fp32", "tf32")
FP8_CACHE_FORMATS = ("fp8", "fp8_block", "nvfp4")
"""Checkpoints in these come with scales for an FP8 cache, which TensorRT-LLM then uses."""


@dataclass(frozen=True)
class StoredFormats:
    """Names of `kernels.FORMATS` by part of a model."""

    mixer: str
    ffn: str
    """Dense feed-forward parts and shared experts."""
    expert: str
    ends: str
    """Embeddings, head, and what no format covers."""


def own_format(model: Model) -> str:
    """The checkpoint's own format: FP8 with a scale per block is a format of its own."""
    own = model.weight_format
    if own.quantized == "fp8" and own.group_size > 1:
        return "fp8_block"
    return own.quantized or own.native


@lru_cache(maxsize=4096)
def stored_formats(model: Model, dense: str = "", expert: str = "") -> StoredFormats:
    """Formats of a model's parts under a wish; empty: the checkpoint's own.

    FP8 means the checkpoint's blocks where it has them, and FP4 its own kind of blocks. A checkpoint whose format
    covers the experts alone keeps the rest as it is, and so do attention layers of models with experts in NVFP4
    (ModelOpt's checkpoints of DeepSeek-R1); MXFP4 is a format of experts.
    """
    own, native = model.weight_format, model.weight_format.native
    quantized = own_format(model)
    wished_expert = _as_stored(expert or dense or quantized, quantized)
    wished = _as_stored(dense or quantized, quantized)
    ends = wished if wished in WIDE_FORMATS else native if native in WIDE_FORMATS else "bf16"
    if own.scope == "experts" and own.quantized is not None:
        return StoredFormats(native, native, wished_expert, ends)
    has_experts = model_parameters(model).routed_experts > 0
    mixer = "bf16" if has_experts and wished == "nvfp4" else wished
    if has_experts and wished == "mxfp4":
        mixer = wished = "bf16"
    return StoredFormats(mixer, wished, wished_expert, ends)


def _as_stored(stated: str, own: str) -> str:
    if stated == "fp8" and own == "fp8_block":
        return own
    return own if stated == "nvfp4" and own == "mxfp4" else stated


def cache_format(engine: str, stored: StoredFormats, stated: str | None) -> str:
    """The cache's format: as stated, else what the engine chooses for such a checkpoint."""
    if stated is not None:
        return stated
    has_scales = stored.ffn in FP8_CACHE_FORMATS or stored.expert in FP8_CACHE_FORMATS
    return "fp8" if engine == "trtllm" and has_scales else "bf16"


@dataclass(frozen=True)
class Formats:
    """Index of the weights' format by part of the model, into `kernels.FORMATS`; deployments' shape."""

    mixer: Integers
    ffn: Integers
    expert: Integers
    ends: Integers


def format_arrays(stored: Sequence[StoredFormats]) -> Formats:
    """One entry per deployment."""

    def column(part: str) -> Integers:
        return np.array([FORMATS.index(getattr(one, part)) for one in stored], np.int64)

    return Formats(column("mixer"), column("ffn"), column("expert"), column("ends"))


def formats_of_precisions(model: Model, precision: Integers) -> Formats:
    """Formats of deployments whose planner wishes a precision each (index into `PRECISIONS`)."""
    by_precision = format_arrays([stored_formats(model, name, name) for name in PRECISIONS])
    return Formats(*(column[precision] for column in vars(by_precision).values()))


def device_precision(which: Integers) -> Integers:
    """Index into `PRECISIONS` of a format: blocks of FP8 are FP8 to a device."""
    return np.where(which == len(PRECISIONS), PRECISION_INDEX["fp8"], which)
