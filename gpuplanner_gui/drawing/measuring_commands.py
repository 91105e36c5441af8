"""Command lines that make a measurement with the planner's own engine or framework."""

from __future__ import annotations

import math

from gpuplanner_gui.domain.model import Attention, Model
from gpuplanner_gui.engine.local_fit.next_measurement import NextMeasurement
from gpuplanner_gui.engine.local_fit.next_training import NextTrainingRun

SERVE = {
    "vllm": (
        "vllm bench serve --model {model} --dataset-name random --random-input-len {prompt}"
        " --random-output-len {output} --ignore-eos --max-concurrency {at_once} --num-prompts {requests} --save-result"
        " --metadata gpu={devices}x{device} precision={precision} tp={tp}"
    ),
    "sglang": (
        "python -m sglang.bench_serving --backend sglang --model {model} --dataset-name random"
        " --random-input-len {prompt} --random-output-len {output} --random-range-ratio 1 --max-concurrency {at_once}"
        " --num-prompts {requests} --output-file result.jsonl"
    ),
    "trtllm": (
        "trtllm-bench --model {model} throughput --dataset dataset.jsonl --streaming --concurrency {at_once}"
        " --tp {tp} --pp {pp} --report_json report.json"
    ),
    "llama_cpp": "llama-bench -m {model}.gguf -p {prompt} -n {output} -o json",
}
"""How each engine's own benchmark measures a closed loop of fixed lengths."""
GENERIC = (
    "aiperf profile --model {model} --streaming --isl {prompt} --osl {output} --extra-inputs ignore_eos:true"
    " --concurrency {at_once} --request-count {requests}"
)
REQUESTS_PER_SLOT = 8
"""Enough that the start, when all prompts come at once, counts little."""


def benchmark_command(one: NextMeasurement, model: str) -> str:
    """The command line that makes a measurement with the planner's engine."""
    return SERVE.get(one.engine, GENERIC).format(
        model=_word(model),
        prompt=one.prompt_tokens,
        output=one.output_tokens,
        at_once=one.concurrency,
        requests=one.concurrency * REQUESTS_PER_SLOT,
        devices=one.tensor_parallel * one.pipeline_parallel,
        device=one.accelerator,
        precision=one.weight_precision,
        tp=one.tensor_parallel,
        pp=one.pipeline_parallel,
    )


TRAIN = {
    "megatron": (
        "torchrun --nnodes {nodes} --nproc-per-node {per_node} pretrain_gpt.py --num-layers {layers}"
        " --hidden-size {hidden} --num-attention-heads {heads} --seq-length {length} --max-position-embeddings {length}"
        " --tensor-model-parallel-size {tp} --pipeline-model-parallel-size {pp} --context-parallel-size {cp}"
        " --expert-model-parallel-size {ep} --micro-batch-size {micro} --global-batch-size {batch} --{recipe}"
        " --train-iters 50 --log-interval 1 --log-throughput"
    ),
}
"""How each framework logs the time of its steps."""
TRAIN_GENERIC = (
    "torchrun --nnodes {nodes} --nproc-per-node {per_node} run_clm.py --model_name_or_path {model}"
    " --block_size {length} --per_device_train_batch_size {micro} --gradient_accumulation_steps {accumulation}"
    " --max_steps 50"
    " --logging_steps 1 --include_num_input_tokens_seen --{recipe}"
)
NODE_DEVICES = 8
USUAL_HEAD_SIZE = 128
RECIPE_FLAGS = {"bf16": "bf16", "fp16": "fp16", "fp8": "bf16 --fp8-format hybrid"}


def training_command(one: NextTrainingRun, model: Model) -> str:
    """The command line that times fifty steps with the planner's framework."""
    copies = one.devices // (one.tensor_parallel * one.pipeline_parallel * one.context_parallel)
    heads = [group.mixer.heads for group in model.layers if isinstance(group.mixer, Attention)]
    return TRAIN.get(one.framework, TRAIN_GENERIC).format(
        model=_word(model.name),
        nodes=max(1, math.ceil(one.devices / NODE_DEVICES)),
        per_node=min(one.devices, NODE_DEVICES),
        layers=sum(group.count for group in model.layers),
        hidden=model.hidden_size,
        heads=heads[0] if heads else max(model.hidden_size // USUAL_HEAD_SIZE, 1),
        length=one.sequence_length,
        tp=one.tensor_parallel,
        pp=one.pipeline_parallel,
        cp=one.context_parallel,
        ep=one.expert_parallel,
        micro=one.micro_batch,
        batch=one.global_batch,
        accumulation=max(one.global_batch // (copies * one.micro_batch), 1),
        recipe=RECIPE_FLAGS.get(one.recipe, "bf16"),
    )


def _word(name: str) -> str:
    """A model's name as one argument of a command line that a person may paste."""
    kept = "".join(character if character.isalnum() or character in "._/-" else "-" for character in name)
    return kept.strip("-") or "MODEL"
