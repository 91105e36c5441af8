"""How a checkpoint stores its weights, from `quantization_config` or an `hf_quant_config.json` beside it."""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal

from gpuplanner_gui.domain.model import Precision, WeightFormat
from gpuplanner_gui.files.model_import.config import Config, shown
from gpuplanner_gui.files.text import plain_text

DTYPES: dict[str, Precision] = {
    "bfloat16": "bf16",
    "float16": "fp16",
    "half": "fp16",
    "float32": "fp32",
    "float": "fp32",
}
FP32_FAMILIES = frozenset(
    {"gpt2", "bert", "roberta", "xlm-roberta", "distilbert", "vit", "clip", "clip_text_model", "t5", "mt5", "olmo2"}
)
"""Families whose checkpoints are kept in FP32 when their configuration names no type."""
Scope = Literal["linear", "experts", "all"]

SCALE_BYTES_OF_FP8_BLOCK = 4.0
SCALE_BYTES_OF_INTEGER_GROUP = 2.0
SCALE_BYTES_OF_MICRO_BLOCK = 1.0
MX_GROUP, NVFP4_GROUP, NF4_GROUP, INTEGER_GROUP = 32, 16, 64, 128

MIXED = "MIXED_PRECISION"
MODELOPT: dict[str, tuple[Precision, int, float]] = {
    "FP8": ("fp8", 0, 0.0),
    "FP8_PER_CHANNEL_PER_TOKEN": ("fp8", 0, 0.0),
    "FP8_PB_WO": ("fp8", 128 * 128, SCALE_BYTES_OF_FP8_BLOCK),
    "NVFP4": ("nvfp4", NVFP4_GROUP, SCALE_BYTES_OF_MICRO_BLOCK),
    "W4A16_NVFP4": ("nvfp4", NVFP4_GROUP, SCALE_BYTES_OF_MICRO_BLOCK),
    "W4A8_NVFP4_FP8": ("nvfp4", NVFP4_GROUP, SCALE_BYTES_OF_MICRO_BLOCK),
    "MXFP4": ("mxfp4", MX_GROUP, SCALE_BYTES_OF_MICRO_BLOCK),
    "W4A8_MXFP4_FP8": ("mxfp4", MX_GROUP, SCALE_BYTES_OF_MICRO_BLOCK),
    "W4A16_AWQ": ("int4", INTEGER_GROUP, SCALE_BYTES_OF_INTEGER_GROUP),
    "W4A8_AWQ": ("int4", INTEGER_GROUP, SCALE_BYTES_OF_INTEGER_GROUP),
    "MXFP8": ("fp8", MX_GROUP, SCALE_BYTES_OF_MICRO_BLOCK),
    "INT8_SQ": ("int8", 0, 0.0),
    "W8A16": ("int8", 0, 0.0),
}
"""Names of NVIDIA's exporter, with group size and bytes per scale."""


def weight_format(config: Config, outer: Config | None, beside: Config | None) -> WeightFormat:
    """The checkpoint's format; `outer` is the whole file when `config` is its text part, `beside` a second file."""
    native = _native(config, outer)
    block = None
    for place in (config, outer):
        block = block or (place.part("quantization_config") if place is not None else None)
    if block is None and beside is not None:
        block = beside.part("quantization")
    if block is None:
        return WeightFormat(native=native)
    cache = block.text("kv_cache_quant_algo")
    if cache:
        config.notes.assume(f"kv_cache_quant_algo: {cache}; the cache's precision is chosen with the service")
    quantized_native: Precision = "bf16" if native == "fp32" else native
    return _by_method(block, quantized_native, _expert_precision(config, block))


def _native(config: Config, outer: Config | None) -> Precision:
    for place in (config, outer):
        if place is None:
            continue
        name = place.text("torch_dtype", "dtype")
        if name:
            known = DTYPES.get(name.removeprefix("torch."))
            if known is None:
                place.notes.give_up(f"dtype: {shown(name)}; taken as bf16")
                return "bf16"
            return known
    native: Precision = "fp32" if config.family in FP32_FAMILIES else "bf16"
    config.notes.assume(f"torch_dtype: {native} (family default of {config.family})")
    return native


def _expert_precision(config: Config, block: Config) -> str:
    return config.text("expert_dtype") or block.text("expert_dtype")


def _by_method(block: Config, native: Precision, expert_dtype: str) -> WeightFormat:
    method = block.text("quant_method").lower()
    algorithm = block.text("quant_algo").upper()
    scope = _scope(block)
    if expert_dtype.startswith("fp4") and method == "fp8":
        return _micro("mxfp4", MX_GROUP, "fp8", "experts")
    if method in ("fp8", "fbgemm_fp8"):
        return _fp8(block, native, scope)
    if method == "mxfp4":
        return _micro("mxfp4", MX_GROUP, native, "experts")
    if method == "compressed-tensors":
        return _compressed_tensors(block, native, scope)
    if algorithm or method.startswith("modelopt"):
        return _modelopt(block, algorithm, native, scope)
    if method == "bitsandbytes":
        return _bitsandbytes(block, native)
    if block.has("bits", "w_bit"):
        return _integer_groups(block, native, scope)
    block.notes.give_up(f"quantization_config: quant_method {shown(method)}; weights taken as {native}")
    return WeightFormat(native=native)


def _scope(block: Config) -> Scope:
    """Layers that are quantized: only the routed experts when the attention projections are left out."""
    left_out: list[Any] = []
    for key in ("ignore", "modules_to_not_convert", "exclude_modules"):
        left_out += block.items(key)
    names = " ".join(name for name in left_out if isinstance(name, str))
    return "experts" if "self_attn" in names and ("*" in names) else "linear"


def _fp8(block: Config, native: Precision, scope: Scope) -> WeightFormat:
    sizes = block.items("weight_block_size", int)
    group = 1
    for size in sizes:
        if not 1 <= size <= 1_000_000:
            raise block.problem("weight_block_size", "{size} is outside 1 to 1,000,000", size=shown(size))
        group *= size
    if not sizes:
        return WeightFormat(native=native, quantized="fp8", scope=scope)
    return WeightFormat(
        native=native, quantized="fp8", group_size=group, scale_bytes=SCALE_BYTES_OF_FP8_BLOCK, scope=scope
    )


def _micro(precision: Precision, group: int, native: Precision, scope: Scope) -> WeightFormat:
    return WeightFormat(
        native=native, quantized=precision, group_size=group, scale_bytes=SCALE_BYTES_OF_MICRO_BLOCK, scope=scope
    )


def _modelopt(block: Config, algorithm: str, native: Precision, scope: Scope) -> WeightFormat:
    if algorithm == MIXED:
        return _of_most_weights(block, native)
    known = MODELOPT.get(algorithm)
    if known is None:
        block.notes.give_up(f"quantization: quant_algo {shown(algorithm)}; weights taken as {native}")
        return WeightFormat(native=native)
    precision, usual_group, scale = known
    group = block.integer("group_size", default=usual_group, least=0) if block.has("group_size") else usual_group
    return WeightFormat(native=native, quantized=precision, group_size=group, scale_bytes=scale, scope=scope)


def _of_most_weights(block: Config, native: Precision) -> WeightFormat:
    """One format for a checkpoint of several: that of its experts or feed-forward parts, which hold most weights.

    Where only experts are listed, only they are quantized; else everything counts as narrow as they, which is noted.
    """
    layers = block.part("quantized_layers")
    named = layers.data if layers is not None else {}
    algorithms = {name: _algorithm(entry) for name, entry in named.items()}
    experts = [name for name in algorithms if "experts" in name and "shared" not in name]
    feed_forward = [name for name in algorithms if ".mlp." in name]
    counts = Counter(algorithms[name] for name in experts or feed_forward or algorithms)
    if not counts:
        block.notes.give_up(f"quantization: {MIXED} names no layers; weights taken as {native}")
        return WeightFormat(native=native)
    algorithm = counts.most_common(1)[0][0]
    others = sorted(set(algorithms.values()) - {algorithm})
    if others:
        block.notes.assume(f"quant_algo: {algorithm} for all quantized layers (some have {', '.join(others)})")
    scope: Scope = "experts" if experts and len(experts) == len(algorithms) else "linear"
    return _modelopt(block, algorithm, native, scope)


def _algorithm(entry: Any) -> str:
    return plain_text(str(entry.get("quant_algo", "")), 40).upper() if isinstance(entry, dict) else ""


def _compressed_tensors(block: Config, native: Precision, scope: Scope) -> WeightFormat:
    groups = block.part("config_groups")
    first = next(iter(groups.data), None) if groups is not None else None
    weights = None
    if groups is not None and first is not None:
        group = groups.part(first)
        weights = group.part("weights") if group is not None else None
    if weights is None:
        block.notes.give_up(f"quantization_config: no weights group; weights taken as {native}")
        return WeightFormat(native=native)
    bits = weights.integer("num_bits", default=8, most=64)
    size = weights.integer("group_size", default=0, least=-1) if weights.has("group_size") else 0
    size = max(size, 0)
    is_float = weights.text("type", default="int") == "float"
    if bits == 4 and is_float:
        name = block.text("format") or weights.text("format")
        is_nvfp4 = "nvfp4" in name or size == NVFP4_GROUP
        return _micro("nvfp4" if is_nvfp4 else "mxfp4", size or MX_GROUP, native, scope)
    if bits == 8 and is_float:
        return _fp8_of_blocks(weights, native, scope)
    return _integers(block, bits, size, 0.0, native, scope)


def _fp8_of_blocks(weights: Config, native: Precision, scope: Scope) -> WeightFormat:
    group = 1
    for size in weights.items("block_structure", int):
        group *= max(size, 1)
    if group == 1:
        return WeightFormat(native=native, quantized="fp8", scope=scope)
    return WeightFormat(native=native, quantized="fp8", group_size=group, scale_bytes=2.0, scope=scope)


def _integer_groups(block: Config, native: Precision, scope: Scope) -> WeightFormat:
    bits = block.integer("bits", "w_bit", default=4, most=64)
    size = max(block.integer("group_size", "q_group_size", default=INTEGER_GROUP, least=-1), 0)
    return _integers(block, bits, size, bits / 8, native, scope)


def _integers(block: Config, bits: int, group: int, zero_point: float, native: Precision, scope: Scope) -> WeightFormat:
    precision: Precision = "int4" if bits <= 4 else "int8"
    if bits not in (4, 8):
        block.notes.give_up(f"quantization_config: {bits}-bit weights; taken as {precision}")
    scale = SCALE_BYTES_OF_INTEGER_GROUP if group else 0.0
    return WeightFormat(
        native=native,
        quantized=precision,
        group_size=group,
        scale_bytes=scale,
        zero_point_bytes=zero_point if group else 0.0,
        scope=scope,
    )


def _bitsandbytes(block: Config, native: Precision) -> WeightFormat:
    if block.flag("load_in_4bit", "_load_in_4bit", default=False, quiet=True):
        return WeightFormat(native=native, quantized="int4", group_size=NF4_GROUP, scale_bytes=4.0)
    return WeightFormat(native=native, quantized="int8")
