"""Rows of published training results: one metric each, of a run with its shapes, parallelism and framework."""

from __future__ import annotations

import re

import msgspec

from gpuplanner_gui.domain.benchmark import UNKNOWN, FlopConvention, ScalingGranularity, TrainingCase, TrainingMetric
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.model import Attention, DenseFfn, Ffn, LayerGroup, Model, MoeFfn
from gpuplanner_gui.domain.training_workload import (
    OptimizerName,
    PipelineSchedule,
    StateBytes,
    TrainingMethod,
    TrainingRecipe,
)
from gpuplanner_gui.files.benchmark_rows.names import accelerator_named
from gpuplanner_gui.files.benchmark_rows.question import (
    Row,
    RowProblem,
    RowQuestion,
    count,
    measured,
    number,
    shown,
    word,
)
from gpuplanner_gui.files.model_names import resolve_model

METRICS: dict[str, TrainingMetric] = {
    "step_time": "step_time", "tokens_per_s_per_gpu": "tokens_per_s_per_device", "tokens_per_s_total": "tokens_per_s",
    "model_tflops_per_gpu": "model_flop_per_s_per_device", "hw_tflops_per_gpu": "hardware_flop_per_s_per_device",
    "mfu": "mfu", "peak_memory": "peak_memory_allocated", "peak_memory_active": "peak_memory_allocated",
    "peak_memory_reserved": "peak_memory_reserved", "peak_memory_allocated_or_reserved": "peak_memory_allocated",
    "checkpoint_size": "checkpoint_bytes",
}  # fmt: skip
UNITS = {"s": 1.0, "ms": 1e3, "tok/s": 1.0, "tok/s/GPU": 1.0, "TFLOP/s/GPU": 1e-12, "%": 100.0, "": 1.0,
         "GB": 1e-9, "GiB": 2.0**-30}  # fmt: skip
NOT_THE_MODEL = ("allreduce_busbw", "max_achievable_matmul_tflops")
"""Metrics that say something of a network or a kernel alone."""

RECIPES: tuple[tuple[str, TrainingRecipe, ScalingGranularity], ...] = (
    ("nvfp4", "fp4", "usual"), ("mxfp8", "fp8", "micro"), ("fp8-mx", "fp8", "micro"), ("fp8-cs", "fp8", "tensor"),
    ("fp8", "fp8", "usual"), ("tf32", "tf32", "usual"), ("bf16", "bf16", "usual"), ("bfloat16", "bf16", "usual"),
    ("fp16", "fp16", "usual"), ("fp32", "fp32", "usual"),
)  # fmt: skip
FRAMEWORKS = (("foundry", "fsdp"), ("torchtitan", "fsdp"), ("torchtune", "fsdp"), ("litgpt", "fsdp"), ("peft", "fsdp"),
              ("ml-engineering", "fsdp"), ("fsdp", "fsdp"), ("nanotron", "nanotron"))  # fmt: skip
RECOMPUTES = (("full", 2), ("selective", 1), ("none", 0))
NARROW_STATE = StateBytes(gradients=2.0, master_weights=0.0, first_moment=2.0, second_moment=2.0)
"""State of runs that hold everything in 16 bits, as torchtune and "true" precisions do."""
TORCHTUNE, TORCHTITAN, LITGPT = "torchtune", "torchtitan", "litgpt"
TORCHTUNE_LOGITS, COMPILED_LOGITS, LIGER_LOGITS = 2.5 / 12.0, 4.0 / 12.0, 1.0 / 32.0
"""Shares of the logits' bytes: torchtune keeps the 16-bit ones and makes an eighth in FP32; a compiled loss keeps
16-bit ones and their gradients; Liger makes a part of all."""
USUAL_RECOMPUTES = ((TORCHTITAN, 1), (TORCHTUNE, 2), (LITGPT, 0))
"""What these switch on unless told otherwise."""
USUAL_PASSES = ((LITGPT, 4),)
"""Micro-batches that these add up in a step unless told otherwise."""
LADDER = ("packed", "compile", "chunkedCE", "actckpt", "optim-in-bwd", "act-offload", "adamw8bit", "LoRA", "QLoRA")
"""Torchtune's list of measures against memory, each row with all before it."""
PRESSED = StateBytes(gradients=0.0, master_weights=0.0)
"""State of an optimizer that runs within the backward pass: no gradient outlives its use."""
ADAPTERS = ("lora", "results/ia3", "results/oft", "results/boft")
"""Small trained parts beside frozen weights; all counted as LoRA."""
HOPPER_ATTENTION = ("fa3", "flashattention-3", "flash_attention_3", "cudnn")
TUNING = ("sft", "finetun", "fine-tun")
ANY_ACCELERATOR = "nvidia-h200-sxm-141gb"
"""Stands in where a row states none and asks for memory or a checkpoint, which hardly depend on it."""
_RELEASE = re.compile(r"(?<![\d.])(2\d\.\d\d)(?:\.\d\d)?(?![\d.])")
SHORT_SEQUENCE, LONG_SEQUENCE = 1024, 8192
"""Sequence length of the GPT-2 family, and the longest that pre-training begins with."""
USUAL_VOCABULARY = 51200


def questions(row: Row) -> tuple[RowQuestion, ...]:
    """The row's one metric. Raises RowProblem for one that is not known."""
    name, unit = word(row, "metric"), word(row, "unit")
    if name in NOT_THE_MODEL:
        raise RowProblem(f"{name} is a property of the machine, not of a model's training")
    if name not in METRICS:
        raise RowProblem(f"the metric {shown(name)!r} is not one that can be predicted")
    if unit not in UNITS:
        raise RowProblem(f"the unit {shown(unit)!r} of {name} is not known")
    return (RowQuestion(word(row, "case_id"), name, unit, METRICS[name], UNITS[unit], measured(row, "value")),)


def counts(row: Row) -> bool:
    """False where the table's maker warns of the value."""
    return "CAUTION" not in word(row, "notes")


def case(row: Row, catalog: Catalog, calibration: Calibration) -> tuple[TrainingCase, tuple[str, ...]]:
    """The row's run, and what was read into it. Raises RowProblem."""
    model, remarks = _model(row, catalog)
    notes, source = _spelled_out(word(row, "notes")), word(row, "source")
    recipe, scaling = _recipe(word(row, "precision"))
    framework = next((known for mark, known in FRAMEWORKS if mark in source.lower()), "megatron")
    if framework == "fsdp" and "deepspeed" in notes.lower():
        framework = "deepspeed"
    release = _RELEASE.search(f"{word(row, 'source_locator')} {source}")
    if framework not in {facts.framework for facts in calibration.training.frameworks}:
        framework = calibration.training.default_framework
    tp, pp, cp, ep = (count(row, name) for name in ("tp", "pp", "cp", "ep"))
    devices = count(row, "n_gpus")
    method = _method(f"{notes} {word(row, 'source_locator')}", word(row, "precision"))
    optimizer = _optimizer(notes)
    is_pressed = "optim-in-bwd" in notes
    if TORCHTUNE in source.lower() and devices == 1 and method == "full_fine_tune":
        optimizer, is_pressed = "adamw_8bit", True
    zero = number(row, "zero_stage")
    if zero is not None and zero > 3:
        raise RowProblem(f"the ZeRO stage is {zero:g}, which is none")
    found = TrainingCase(
        case_id=word(row, "case_id"),
        model=model,
        accelerator=_accelerator(row, catalog),
        devices=devices,
        metric=METRICS[word(row, "metric")],
        flop_convention=_convention(notes, source),
        sequence_length=count(row, "seq_len", _usual_sequence(model)),
        global_batch=count(row, "global_batch", 0) or _usual_batch(row, source, devices // (tp * pp * cp)),
        micro_batch=count(row, "micro_batch", UNKNOWN),
        tensor_parallel=tp,
        pipeline_parallel=pp,
        virtual_stages=count(row, "vpp", UNKNOWN),
        context_parallel=cp,
        expert_parallel=ep,
        zero_stage=UNKNOWN if zero is None else int(zero),
        recompute=_recompute(word(row, "recompute"), source, method, devices),
        schedule=_schedule(notes),
        recipe=recipe,
        scaling=scaling,
        method=method,
        flash_attention=word(row, "attention_impl") != "unfused",
        flash_attention_3=_has_any(word(row, "attention_impl"), HOPPER_ATTENTION),
        optimizer=optimizer,
        state_bytes=_state_bytes(source, word(row, "precision"), optimizer, is_pressed),
        is_loss_chunked=_is_loss_chunked(notes, source),
        chunked_logits_share=_chunked_share(source),
        is_compiled=_has_any(notes, ("compile", "liger")) and "without liger" not in notes.lower(),
        is_optimizer_offloaded=_has_any(notes, ("adamw offload", "optimizer offload")),
        are_weights_offloaded=_has_any(notes, ("cpu offload", "cpuoffload")),
        are_activations_offloaded=_has_any(notes, ("act-offload", "activation offload")),
        framework=framework,
        release=release[1] if release else "",
    )
    return found, remarks


def _spelled_out(notes: str) -> str:
    """Notes of a cumulative list, with the measures that came before the row's."""
    step = notes.partition("ladder:")[2].strip().lstrip("+")
    if "cumulative" not in notes or step not in LADDER:
        return notes
    at = LADDER.index(step)
    before = LADDER[: LADDER.index("act-offload") + 1] if step in ("LoRA", "QLoRA") else LADDER[:at]
    kept = [one for one in before if not (step in ("LoRA", "QLoRA") and one == "optim-in-bwd")]
    return f"{notes} {' '.join(kept)}"


def _accelerator(row: Row, catalog: Catalog) -> str:
    if not word(row, "gpu") and METRICS[word(row, "metric")].startswith(("peak_memory", "checkpoint_bytes")):
        return ANY_ACCELERATOR
    return accelerator_named(catalog, word(row, "gpu"))


def _usual_batch(row: Row, source: str, copies: int) -> int:
    """Sequences of a step where the source leaves them to its tool's habit; 0: unknown."""
    passes = next((many for mark, many in USUAL_PASSES if mark in source.lower()), 0)
    return passes * count(row, "micro_batch", 1) * max(copies, 1)


def _usual_sequence(model: Model) -> int:
    return min(model.max_context, LONG_SEQUENCE) if model.max_context else SHORT_SEQUENCE


def _recipe(precision: str) -> tuple[TrainingRecipe, ScalingGranularity]:
    text = precision.lower()
    if not text:
        return "bf16", "usual"
    for mark, recipe, scaling in RECIPES:
        if mark in text:
            return recipe, scaling
    raise RowProblem(f"the precision {shown(precision)!r} is not known")


def _convention(notes: str, source: str) -> FlopConvention:
    text = notes.lower()
    if "full (non-causal)" in text or "foundry" in source:
        return "full"
    return "six_n" if "6n" in text or "six-n" in text or "6*n" in text else "causal"


def _has_any(text: str, marks: tuple[str, ...]) -> bool:
    return any(mark in text.lower() for mark in marks)


def _recompute(stated: str, source: str, method: str, devices: int) -> int:
    usual = next((level for mark, level in USUAL_RECOMPUTES if mark in source.lower()), UNKNOWN)
    if TORCHTUNE in source.lower() and method == "lora" and devices == 1:
        usual = 0
    return next((level for mark, level in RECOMPUTES if mark in stated.lower()), usual)


def _is_loss_chunked(notes: str, source: str) -> bool:
    text, origin = notes.lower(), source.lower()
    is_liger = "liger" in text and "without liger" not in text
    is_habit = (TORCHTUNE in origin and "ladder" not in text) or (TORCHTITAN in origin and "compile" in text)
    return is_liger or is_habit or _has_any(text, ("chunkedce", "chunked ce"))


def _chunked_share(source: str) -> float:
    if TORCHTUNE in source.lower():
        return TORCHTUNE_LOGITS
    return COMPILED_LOGITS if TORCHTITAN in source.lower() else LIGER_LOGITS


def _optimizer(notes: str) -> OptimizerName:
    return "adamw_8bit" if _has_any(notes, ("adamw8bit", "8-bit adam", "adam8bit")) else "adamw"


def _state_bytes(source: str, precision: str, optimizer: OptimizerName, is_pressed: bool) -> StateBytes:
    """What the framework keeps by default; "pure" and "true" precisions keep no FP32 copy."""
    if is_pressed:
        is_narrow = optimizer == "adamw"
        return msgspec.structs.replace(
            PRESSED, first_moment=2.0 if is_narrow else None, second_moment=2.0 if is_narrow else None
        )
    if _has_any(source, (TORCHTUNE, "huggingface/peft")) or "-true" in precision.lower():
        return NARROW_STATE if optimizer == "adamw" else StateBytes(gradients=2.0, master_weights=0.0)
    return StateBytes(gradients=2.0) if "pure" in precision.lower() else StateBytes()


def _schedule(notes: str) -> PipelineSchedule:
    text = notes.lower()
    if "zbb" in text or "zero-bubble" in text or "zbv" in text or "zb" in text.split():
        return "zero_bubble"
    return "interleaved" if "interleaved" in text else "1f1b"


def _method(notes: str, precision: str) -> TrainingMethod:
    text = f"{notes} {precision}".lower()
    if "qlora" in text or ("lora" in text and "nf4" in text):
        return "qlora"
    if _has_any(text, ADAPTERS):
        return "lora"
    return "full_fine_tune" if _has_any(text, TUNING) else "pretraining"


def _model(row: Row, catalog: Catalog) -> tuple[Model, tuple[str, ...]]:
    """The catalogue's model where the row's shapes agree with it, else one made of the row's shapes."""
    name = word(row, "model")
    found, _ = resolve_model(catalog, name)
    known = catalog.models[found].model if found is not None else None
    layers, hidden = number(row, "layers"), number(row, "hidden")
    if known is not None and (not layers or not hidden or _has_shape(known, layers, hidden)):
        return known, ()
    if not layers or not hidden:
        raise RowProblem(f"the model {shown(name)!r} is not in the catalogue, and the row states no shapes")
    return _made(row, name, round(layers), round(hidden)), ("the model is made of the row's own shapes",)


def _has_shape(model: Model, layers: float, hidden: float) -> bool:
    return model.hidden_size == hidden and sum(group.count for group in model.layers) == layers


def _made(row: Row, name: str, layers: int, hidden: int) -> Model:
    heads = count(row, "heads", max(1, hidden // 128))
    size = count(row, "ffn", 4 * hidden)
    gated = size < 4 * hidden
    experts = count(row, "moe_experts", 0)
    ffn: Ffn = DenseFfn(size=size, gated=gated)
    if experts:
        ffn = MoeFfn(experts=experts, top_k=min(experts, count(row, "moe_topk", 2)), expert_size=size)
    attention = Attention(heads=heads, kv_heads=count(row, "kv_heads", heads), head_dim=max(1, hidden // heads))
    return Model(
        name=shown(name) or "model",
        kind="moe_decoder" if experts else "dense_decoder",
        hidden_size=hidden,
        vocab_size=count(row, "vocab", USUAL_VOCABULARY),
        layers=(LayerGroup(count=layers, mixer=attention, ffn=ffn),),
        tied_embeddings=not gated,
        source="the benchmark table's row",
    )
