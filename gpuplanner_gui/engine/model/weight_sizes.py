"""Bytes of a model's weights in a precision: which parts a format quantizes, with its scales and zero points.

Scope "linear" covers the layers' matrices and leaves embeddings, head, router, norms, biases and convolutions in the
checkpoint's 16 bits; "experts" covers routed experts only; "all" covers every matrix, embeddings and head too.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from gpuplanner_gui.domain.model import Model, Precision, WeightFormat
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.model.parameters import LayerParameters, ModelParameters, model_parameters

BYTES_PER_VALUE: MappingProxyType[Precision, float] = MappingProxyType(
    {
        "fp32": 4.0,
        "tf32": 4.0,
        "bf16": 2.0,
        "fp16": 2.0,
        "fp8": 1.0,
        "int8": 1.0,
        "fp6": 0.75,
        "mxfp4": 0.5,
        "nvfp4": 0.5,
        "int4": 0.5,
    }
)
"""One value, without scales."""

USUAL_FORMATS: MappingProxyType[Precision, WeightFormat] = MappingProxyType(
    {
        "fp32": WeightFormat(native="fp32"),
        "tf32": WeightFormat(native="fp32"),
        "bf16": WeightFormat(native="bf16"),
        "fp16": WeightFormat(native="fp16"),
        "fp8": WeightFormat(quantized="fp8", group_size=128 * 128, scale_bytes=4.0),
        "int8": WeightFormat(quantized="int8"),
        "fp6": WeightFormat(quantized="fp6", group_size=32, scale_bytes=1.0),
        "mxfp4": WeightFormat(quantized="mxfp4", group_size=32, scale_bytes=1.0, scope="experts"),
        "nvfp4": WeightFormat(quantized="nvfp4", group_size=16, scale_bytes=1.0),
        "int4": WeightFormat(quantized="int4", group_size=128, scale_bytes=2.0, zero_point_bytes=0.5),
    }
)
"""How checkpoints of each precision are usually stored: DeepSeek-V3 FP8 blocks, per-channel INT8 (scales negligible),
OCP microscaling blocks of 32, NVFP4 blocks of 16, AWQ/GPTQ groups of 128."""

SUMMARY_PRECISIONS: tuple[Precision, ...] = ("fp32", "bf16", "fp16", "fp8", "int8", "int4", "mxfp4", "nvfp4")


@dataclass(frozen=True)
class WeightBytes:
    """Weights in memory; the parts add up to `total`."""

    quantized: float
    scales: float
    native: float

    @property
    def total(self) -> float:
        return self.quantized + self.scales + self.native


def bytes_per_quantized_weight(weight_format: WeightFormat) -> float:
    """One quantized weight with its share of scale and zero point; the native size when nothing is quantized."""
    if weight_format.quantized is None:
        return BYTES_PER_VALUE[weight_format.native]
    return BYTES_PER_VALUE[weight_format.quantized] + scale_bytes_per_weight(weight_format)


def scale_bytes_per_weight(weight_format: WeightFormat) -> float:
    """A weight's share of its group's scale and zero point; 0 for one scale per tensor."""
    if not weight_format.group_size:
        return 0.0
    return (weight_format.scale_bytes + weight_format.zero_point_bytes) / weight_format.group_size


def format_in_precision(model: Model, precision: Precision) -> WeightFormat:
    """How the model's weights would be stored in a precision: its own checkpoint's way if it is already in it."""
    own = model.weight_format
    if precision in (own.quantized, own.native if own.quantized is None else None):
        return own
    usual = USUAL_FORMATS[precision]
    if usual.scope == "experts" and not model_parameters(model).routed_experts:
        return WeightFormat(
            native=usual.native,
            quantized=usual.quantized,
            group_size=usual.group_size,
            scale_bytes=usual.scale_bytes,
            zero_point_bytes=usual.zero_point_bytes,
        )
    return usual


def quantized_parameters(parameters: ModelParameters, weight_format: WeightFormat) -> int:
    """How many of the model's parameters a format covers. A vision tower stays native unless the scope is "all"."""
    if weight_format.quantized is None:
        return 0
    if weight_format.scope == "all":
        stacks = parameters.stacks
        return stacks.quantizable + stacks.router + parameters.embeddings + parameters.head
    return quantized_layer_parameters(parameters.decoder + parameters.encoder, weight_format)


def quantized_layer_parameters(layers: LayerParameters, weight_format: WeightFormat) -> int:
    """The same for one layer or a sum of layers, for a part of the model on one device."""
    if weight_format.quantized is None:
        return 0
    if weight_format.scope == "experts":
        return layers.routed_expert_matrices
    return layers.quantizable + (layers.router if weight_format.scope == "all" else 0)


@formula(
    title="Weights in memory",
    unit="bytes",
    expression="quantized parameters × (bytes per value + scale / group) + other parameters × native bytes",
    source="OCP Microscaling specification 1.0, section 5; AWQ, Lin et al. 2023; DeepSeek-V3 report, section 3.3",
)
def weight_bytes(model: Model, weight_format: WeightFormat) -> WeightBytes:
    """All weights of a model stored in a format. Raises nothing."""
    parameters = model_parameters(model)
    covered = quantized_parameters(parameters, weight_format)
    native = BYTES_PER_VALUE[weight_format.native]
    value_bytes = BYTES_PER_VALUE[weight_format.quantized] if weight_format.quantized else native
    return WeightBytes(
        quantized=covered * value_bytes,
        scales=covered * scale_bytes_per_weight(weight_format),
        native=(int(parameters.total) - covered) * native,
    )


def checkpoint_bytes(model: Model) -> float:
    """What the checkpoint's own format takes, with scales."""
    return float(weight_bytes(model, model.weight_format).total)


def weight_bytes_by_precision(model: Model) -> dict[str, float]:
    """Total bytes in every precision a planner usually compares, and in the checkpoint's own format."""
    totals: dict[str, float] = {
        p: float(weight_bytes(model, format_in_precision(model, p)).total) for p in SUMMARY_PRECISIONS
    }
    totals["checkpoint"] = checkpoint_bytes(model)
    return totals
