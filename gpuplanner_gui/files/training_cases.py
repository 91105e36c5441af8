"""Rows of a training benchmark table (the columns of `measured-training-dev.csv`) as cases that the engine predicts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from gpuplanner_gui.domain.benchmark import UNKNOWN, FlopConvention, ScalingGranularity, TrainingCase, TrainingMetric
from gpuplanner_gui.domain.catalog import AmbiguousName, Catalog
from gpuplanner_gui.domain.model import Attention, DenseFfn, LayerGroup, Model, MoeFfn
from gpuplanner_gui.domain.workload import PipelineSchedule, StateBytes, TrainingMethod, TrainingRecipe
from gpuplanner_gui.engine.parameters import model_parameters
from gpuplanner_gui.files.catalogs import resolve_accelerator

Row = Mapping[str, str]
ReasonCode = Literal["unknown_model", "unknown_accelerator", "unknown_metric", "no_sequence_length", "no_devices"]

BYTES_PER_UNIT = {"GB": 1e9, "GiB": 2.0**30, "TB": 1e12, "MB": 1e6, "MiB": 2.0**20}
METRICS: dict[str, TrainingMetric] = {
    "step_time": "step_time",
    "tokens_per_s_per_gpu": "tokens_per_s_per_device",
    "tokens_per_s_total": "tokens_per_s",
    "model_tflops_per_gpu": "model_flop_per_s_per_device",
    "hw_tflops_per_gpu": "hardware_flop_per_s_per_device",
    "mfu": "mfu",
    "peak_memory": "peak_memory_reserved",
    "peak_memory_active": "peak_memory_allocated",
    "peak_memory_reserved": "peak_memory_reserved",
    "peak_memory_allocated_or_reserved": "peak_memory_reserved",
    "checkpoint_size": "checkpoint_bytes",
}
SCALE = {"TFLOP/s/GPU": 1e12, "%": 0.01, "tok/s/GPU": 1.0, "tok/s": 1.0, "s": 1.0} | BYTES_PER_UNIT
FRAMEWORKS = (
    ("nanotron", "nanotron"),
    ("megatron", "megatron"), ("nemo", "megatron"), ("dgxc", "megatron"), ("korthikanti", "megatron"),
    ("primus", "megatron"), ("narayanan", "megatron"), ("mt-nlg", "megatron"),
    ("llm-foundry", "fsdp"), ("mosaicml", "fsdp"), ("torchtitan", "fsdp"), ("torchtune", "fsdp"), ("litgpt", "fsdp"),
    ("peft", "fsdp"), ("ml-engineering", "fsdp"), ("deepspeed", "fsdp"), ("fsdp", "fsdp"),
)  # fmt: skip
"""Words of a source and the framework family that they mean."""
ALL_NARROW_SOURCES = ("torchtune", "litgpt")
"""Libraries whose 16-bit runs keep weights, gradients and moments in 16 bits."""


class RowProblem(msgspec.Struct, frozen=True):
    """Why a row can't become a case."""

    code: ReasonCode
    value: str = ""


def case_of(row: Row, catalog: Catalog) -> TrainingCase | RowProblem:
    """One row as a case, or the reason why it is none. Unknown cells stay unknown."""
    metric = METRICS.get(row["metric"])
    if metric is None:
        return RowProblem("unknown_metric", row["metric"])
    model = model_of(row, catalog)
    if model is None:
        return RowProblem("unknown_model", row["model"])
    accelerator = resolve_accelerator(catalog, row["gpu"]) if row["gpu"] else None
    if accelerator is None:
        return RowProblem("unknown_accelerator", row["gpu"])
    sequence, devices = _whole(row, "seq_len"), _whole(row, "n_gpus")
    if sequence is None:
        return RowProblem("no_sequence_length")
    if devices is None:
        return RowProblem("no_devices")
    words = " ".join(row[name].lower() for name in ("notes", "source_locator", "precision"))
    recipe, scaling = _recipe(row["precision"])
    framework = _framework(row["source"])
    method = _method(words)
    has_fused_loss = bool(re.search(r"chunkedce|fused ce|(?<!without )liger", words))
    is_offloaded = bool(re.search(r"adamw offload|cpu offload", words))
    tensor, pipeline, context = (_whole(row, name) or 1 for name in ("tp", "pp", "cp"))
    return TrainingCase(
        case_id=row["case_id"],
        model=model,
        accelerator=accelerator,
        devices=devices,
        metric=metric,
        flop_convention=_convention(words),
        sequence_length=sequence,
        global_batch=_whole(row, "global_batch") or 0,
        micro_batch=_whole(row, "micro_batch") or UNKNOWN,
        tensor_parallel=tensor,
        pipeline_parallel=pipeline,
        virtual_stages=_whole(row, "vpp") or UNKNOWN,
        context_parallel=context,
        expert_parallel=_whole(row, "ep") or 1,
        zero_stage=_number(row, "zero_stage", UNKNOWN),
        recompute=_recompute(row["recompute"]),
        schedule=_schedule(words, row),
        recipe=recipe,
        scaling=scaling,
        method=method,
        state_bytes=_state_bytes(row, framework, is_offloaded),
        optimizer="adamw_8bit" if "adamw8bit" in words else "adamw",
        flash_attention="unfused" not in row["attention_impl"],
        is_loss_chunked=has_fused_loss,
        is_compiled=has_fused_loss or "compile" in words,
        is_optimizer_offloaded=is_offloaded,
        framework=framework,
        release=_release(row),
    )


def measured_of(row: Row) -> float:
    """The measured value in SI units. Raises ValueError for a value that is no number, KeyError for a unit."""
    return float(row["value"]) * SCALE[row["unit"]]


def model_of(row: Row, catalog: Catalog) -> Model | None:
    """The row's architecture: its own numbers where they say all of a dense model, else the catalogue's entry."""
    given = {name: _whole(row, name) for name in ("layers", "hidden", "heads", "kv_heads", "ffn", "vocab")}
    is_dense = not row["moe_experts"] and not row["active_params_b"]
    if is_dense and all(given[name] for name in ("layers", "hidden", "heads", "kv_heads", "ffn", "vocab")):
        return _dense_model(row, given)  # type: ignore[arg-type]
    listed = catalog_model(row["model"], catalog)
    if listed is not None:
        return listed
    if not is_dense and all(given[name] for name in ("layers", "hidden", "heads", "kv_heads", "ffn", "vocab")):
        return _expert_model(row, given)  # type: ignore[arg-type]
    return None


def catalog_model(name: str, catalog: Catalog) -> Model | None:
    """The catalogue's architecture under a name, its aliases included; None where it has none."""
    key = _key(name)
    for entry in catalog.models.values():
        if key in (_key(entry.id), _key(entry.name)):
            return entry.model
    for alias, target in catalog.model_aliases.items():
        if _key(alias) == key:
            meant = target.ids[0] if isinstance(target, AmbiguousName) else target
            return catalog.models[meant].model if meant in catalog.models else None
    return None


def _key(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _dense_model(row: Row, given: dict[str, int]) -> Model:
    """Gated or not, tied or not: whichever comes nearest to the stated number of parameters; gated where none is."""
    stated = float(row["params_b"] or 0) * 1e9
    made = [
        _decoder(row["model"], given, DenseFfn(size=given["ffn"], gated=gated), tied)
        for gated in (True, False)
        for tied in (False, True)
    ]
    if not stated:
        return made[0]
    return min(made, key=lambda model: abs(model_parameters(model).total - stated))


def _expert_model(row: Row, given: dict[str, int]) -> Model:
    experts, top_k = int(row["moe_experts"]), int(row["moe_topk"] or 1)
    ffn = MoeFfn(experts=experts, top_k=top_k, expert_size=given["ffn"])
    return _decoder(row["model"], given, ffn, False)


def _decoder(name: str, given: dict[str, int], ffn: DenseFfn | MoeFfn, tied: bool) -> Model:
    head_dim = max(1, given["hidden"] // given["heads"])
    mixer = Attention(heads=given["heads"], kv_heads=given["kv_heads"], head_dim=head_dim)
    return Model(
        name=name,
        hidden_size=given["hidden"],
        vocab_size=given["vocab"],
        tied_embeddings=tied,
        layers=(LayerGroup(count=given["layers"], mixer=mixer, ffn=ffn),),
        other_parameters=given["hidden"],
    )


def _whole(row: Row, name: str) -> int | None:
    text = row.get(name, "").strip()
    return int(float(text)) if text else None


def _number(row: Row, name: str, missing: int) -> int:
    found = _whole(row, name)
    return missing if found is None else found


def _recipe(precision: str) -> tuple[TrainingRecipe, ScalingGranularity]:
    text = precision.lower()
    if "nvfp4" in text or ("fp4" in text and "nf4" not in text):
        return "fp4", "usual"
    if "mxfp8" in text or "fp8-mx" in text:
        return "fp8", "micro"
    if "fp8" in text:
        return "fp8", "tensor" if "cs" in text else "usual"
    if "fp16" in text or text == "half":
        return "fp16", "usual"
    if "tf32" in text:
        return "tf32", "usual"
    return ("fp32", "usual") if "fp32" in text and "bf16" not in text else ("bf16", "usual")


def _state_bytes(row: Row, framework: str, is_offloaded: bool) -> StateBytes:
    """`true` precision, and libraries that load the whole model in 16 bits, keep nothing wider; `pure` reduces in 16
    bits; FSDP's mixed precision keeps FP32 weights and gathers them in 16 bits."""
    precision, source = row["precision"].lower(), row["source"].lower()
    if "bf16-true" in precision or any(word in source for word in ALL_NARROW_SOURCES):
        return StateBytes(gradients=2.0, master_weights=0.0, first_moment=2.0, second_moment=2.0)
    if "pure" in precision:
        return StateBytes(gradients=2.0)
    keeps_wide = framework == "fsdp" and _number(row, "zero_stage", 3) == 3 and not is_offloaded
    return StateBytes(weights=4.0, gradients=4.0, master_weights=0.0) if keeps_wide else StateBytes()


def _framework(source: str) -> str:
    text = source.lower()
    return next((family for word, family in FRAMEWORKS if word in text), "")


def _method(words: str) -> TrainingMethod:
    if "qlora" in words or "nf4" in words:
        return "qlora"
    if "lora" in words:
        return "lora"
    return "full_fine_tune" if "sft" in words or "finetune" in words or "fine-tune" in words else "pretraining"


def _convention(words: str) -> FlopConvention:
    if "full (non-causal)" in words or "non-causal" in words:
        return "full"
    return "six_n" if "6n" in words and "attention" not in words else "causal"


def _recompute(text: str) -> int:
    lowered = text.lower()
    if not lowered:
        return UNKNOWN
    if "full" in lowered:
        return 2
    return 1 if "selective" in lowered else 0


def _schedule(words: str, row: Row) -> PipelineSchedule:
    if re.search(r"\bzb|v-half|v-min|zero.bubble", words):
        return "zero_bubble"
    stated = _whole(row, "vpp")
    return "interleaved" if stated is None or stated > 1 else "1f1b"


def _release(row: Row) -> str:
    """Year and month of a release named in a row's locator or source; empty where none is."""
    found = re.search(r"(?:§|/|\bv|\bNeMo )(2\d\.\d\d)", f"{row['source_locator']} {row['source']} {row['notes']}")
    return found.group(1) if found else ""


def cases_of(rows: list[dict[str, Any]], catalog: Catalog) -> list[tuple[dict[str, Any], TrainingCase | RowProblem]]:
    """Every row with its case or problem."""
    return [(row, case_of(row, catalog)) for row in rows]
