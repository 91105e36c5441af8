"""What to paste into a shell to make a measurement with the planner's own engine or framework."""

from __future__ import annotations

import msgspec

from gpuplanner_gui.domain.launch import Launch, Launcher
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.words.candidates import precision_name
from gpuplanner_gui.drawing.words.launch import command_text, note_text
from gpuplanner_gui.engine.advisor.lifted_rules import SIXTEEN_BIT
from gpuplanner_gui.engine.evidence.next_measurement import NextMeasurement, NextTrainingRun
from gpuplanner_gui.engine.handoff import launch_of
from gpuplanner_gui.engine.handoff.options import ShortRun
from gpuplanner_gui.engine.handoff.serving import megatron_arguments
from gpuplanner_gui.engine.training.job import ADAPTER_METHODS
from gpuplanner_gui.files.shipped_tables import load_launchers

BESIDE_SERVER = {
    "vllm": (
        'vllm bench serve --model "$MODEL" --dataset-name random --random-input-len {prompt}'
        " --random-output-len {output} --ignore-eos --max-concurrency {at_once} --num-prompts {requests}"
        " --save-result --metadata model={model} gpu={devices}x{device} precision={precision} kv_precision={kv} tp={tp}"
        " pp={pp}"
        ' "vllm_version=$(python -c \'from importlib.metadata import version; print(version("vllm"))\')"'
    ),
    "sglang": (
        'python -m sglang.bench_serving --backend sglang --model "$MODEL" --dataset-name random-ids'
        " --random-input-len {prompt} --random-output-len {output} --random-range-ratio 1"
        " --max-concurrency {at_once} --num-prompts {requests} --output-file result.jsonl"
    ),
}
"""Commands of each engine's own benchmark client: a closed loop of fixed lengths, with no external data."""
BY_ITSELF = {
    "trtllm": (
        'trtllm-bench --model "$MODEL" prepare-dataset --output dataset.jsonl token-norm-dist'
        " --num-requests {requests} --input-mean {prompt} --output-mean {output} --input-stdev 0 --output-stdev 0\n"
        'trtllm-bench --model "$MODEL" throughput --dataset dataset.jsonl --streaming --concurrency {at_once}'
        " --tp {tp} --pp {pp} --report_json report.json"
    ),
    "llama_cpp": 'llama-bench -m "$MODEL" -p {prompt} -n {output}{cache} -o json > result.json',
    "mlx": (
        'mlx_lm.benchmark --model "$MODEL" --prompt-tokens {prompt} --generation-tokens {output} --batch-size {at_once}'
    ),
}
"""Benchmarks that start the engine themselves."""
LLAMA_BENCH_CACHE = {name: f" -ctk {kind} -ctv {kind} -fa 1" for name, kind in (("int8", "q8_0"), ("int4", "q4_0"))}
"""Options of llama-bench for a cache in fewer bits; its own choice is FP16."""
ONE_AT_A_TIME = ("llama_cpp",)
"""Engines whose own benchmark knows no requests at once."""
GENERIC = (
    'aiperf profile --model "$MODEL" --url localhost:{port} --endpoint-type chat --streaming --isl {prompt}'
    " --osl {output} --extra-inputs ignore_eos:true --concurrency {at_once} --request-count {requests}"
)
"""Against any server that speaks the usual protocol."""
GENERIC_PORT = 8000
WAITING = "while kill -0 $! && ! curl -sf http://localhost:{port}/health; do sleep 5; done"
"""Shell loop that waits until the server answers or exits."""
STOPPING = "kill %1"
REQUESTS_PER_SLOT = 8
"""Enough that the start, when all prompts come at once, counts little."""
STEPS = 50


def benchmark_command(one: NextMeasurement, results: Results) -> str:
    """Lines that start the planner's engine as the candidate has it, measure it, and stop it; a remark where the
    benchmark tools send no such requests."""
    if any(kind.request != "text" for kind in results.scenario.service.classes):
        said = tr("No benchmark tool sends requests like these: send your own, {count} at a time, and time them.")
        return "# " + said.format(count=one.concurrency)
    name, launcher = _word(results.scenario.model.name), _launcher(one.engine)
    fields = {
        "prompt": one.prompt_tokens, "output": one.output_tokens, "at_once": one.concurrency,
        "requests": one.concurrency * REQUESTS_PER_SLOT, "devices": one.tensor_parallel * one.pipeline_parallel,
        "device": one.accelerator, "precision": one.weight_precision, "kv": one.kv_precision, "tp": one.tensor_parallel,
        "pp": one.pipeline_parallel, "cache": LLAMA_BENCH_CACHE.get(one.kv_precision, ""), "model": name,
        "port": launcher.port if launcher is not None else GENERIC_PORT,
    }  # fmt: skip
    first = f"MODEL={name}{'.gguf' if one.engine == 'llama_cpp' else ''}"
    if one.weight_precision not in SIXTEEN_BIT:
        weights, cache = (precision_name(name) for name in (one.weight_precision, one.kv_precision))
        asked = tr("a checkpoint in {precision}").format(precision=weights)
        if cache != weights:
            asked = tr("a checkpoint in {precision}; KV cache in {cache}").format(precision=weights, cache=cache)
        first = f"{first}  # {asked}"
    launch = (
        launch_of(results.scenario, results.catalog, results.plan, one.candidate, launcher)
        if launcher is not None
        else None
    )
    if launch is not None and not launch.is_possible:
        return _not_possible(launch)
    if one.engine in BY_ITSELF and not (one.engine in ONE_AT_A_TIME and one.concurrency > 1):
        return "\n".join((first, BY_ITSELF[one.engine].format(**fields)))
    client = BESIDE_SERVER.get(one.engine, GENERIC).format(**fields)
    if launch is None:
        return "\n".join((first, f"# {tr('Start your server with the planned flags, then:')}", client))
    return _beside(first, command_text(launch), client, int(str(fields["port"])))


def _beside(first: str, server: str, client: str, port: int) -> str:
    return "\n".join((first, f"{server} &", WAITING.format(port=port), client, STOPPING))


def _not_possible(launch: Launch) -> str:
    return "\n".join(f"# {note_text(launch, note)}" for note in launch.notes)


def _launcher(name: str) -> Launcher | None:
    return next((one for one in load_launchers() if one.id == name), None)


OF_MEASURING = "--mock-data --tokenizer-type NullTokenizer --lr 1e-5 --eval-iters 0 --log-interval 1 --log-throughput"
"""No data, no tokenizer and no checkpoint are needed to time Megatron's steps."""
SCRIPT = (
    'run_clm.py --model_name_or_path "$MODEL" --train_file "$TEXT" --do_train --output_dir measured'
    " --block_size {length} --per_device_train_batch_size {micro} --gradient_accumulation_steps {micro_batches}"
    " --max_steps {steps} --logging_steps 1 --save_strategy no"
)
"""The language-modelling example of Hugging Face's transformers; its results say how long steps took."""
OF_ADAPTERS = "trl"
SCRIPT_RECIPES = {"bf16": " --bf16", "fp16": " --fp16"}


def training_command(one: NextTrainingRun, results: Results) -> str:
    """Lines that time a few steps of the candidate's layout with the planner's framework."""
    copies = max(one.devices // (one.tensor_parallel * one.pipeline_parallel * one.context_parallel), 1)
    short = ShortRun(one.devices, copies, one.global_batch, one.expert_parallel, STEPS)
    launch = _timed_launch(one, results, short)
    if launch is None:
        return ""
    if not launch.is_possible:
        return _not_possible(launch)
    if launch.launcher == OF_ADAPTERS:
        first = f"MODEL={_word(results.scenario.model.name)}\nDATA=your-dataset\nCHECKPOINTS=measured"
        return f"{first}\n{command_text(launch)} \\\n  --logging_steps 1"
    if launch.launcher == "megatron":
        return _of_megatron(launch, results.scenario.model)
    if launch.launcher == "torchtitan":
        return f"TRAIN_CONFIG=your-model.toml\n{command_text(launch)} \\\n  --metrics.log_freq 1 | tee steps.log"
    micro_batches = max(one.global_batch // (copies * one.micro_batch), 1)
    script = SCRIPT.format(length=one.sequence_length, micro=one.micro_batch, micro_batches=micro_batches, steps=STEPS)
    script += SCRIPT_RECIPES.get(one.recipe, "")
    first = f"MODEL={_word(results.scenario.model.name)}\nTEXT=text.txt"
    if launch.launcher == "deepspeed":
        return f"{first}\n{command_text(_of_trainer(launch, script))}"
    return f"{first}\n{command_text(launch)} \\\n  {script}"


def _timed_launch(one: NextTrainingRun, results: Results, short: ShortRun) -> Launch | None:
    """Of the framework's launchers the first that can run the layout; of adapters that of the library for them."""
    is_adapter = results.scenario.job.method in ADAPTER_METHODS
    own = [
        each for each in load_launchers()
        if (each.id == OF_ADAPTERS if is_adapter else each.framework == one.framework)
    ] or [each for each in load_launchers() if each.id == "fsdp"]  # fmt: skip
    made = [launch_of(results.scenario, results.catalog, results.plan, one.candidate, each, short) for each in own]
    return next((each for each in made if each.is_possible), made[0] if made else None)


def _of_trainer(launch: Launch, script: str) -> Launch:
    """A DeepSpeed launch of a script of transformers', whose Trainer takes the configuration by an option of its
    own."""
    script_here, config_here = ('"$TRAIN_SCRIPT" --deepspeed', script), ("--deepspeed_config", "--deepspeed")
    pieces = (piece.replace(*script_here).replace(*config_here) for piece in launch.command)
    return msgspec.structs.replace(launch, command=tuple(pieces))


def _of_megatron(launch: Launch, model: Model) -> str:
    shape = megatron_arguments(model)
    if not shape:
        said = tr("Replace these with the arguments for your model's layers:")
        return f"# {said}\nMODEL_ARGUMENTS=\n{command_text(launch)} \\\n  $MODEL_ARGUMENTS \\\n  {OF_MEASURING}"
    return f"{command_text(launch)} \\\n  {' '.join(shape)} \\\n  {OF_MEASURING} | tee steps.log"


def _word(name: str) -> str:
    """A model's name as one argument of a command line that a person may paste."""
    kept = "".join(character if character.isalnum() or character in "._/-" else "-" for character in name)
    return kept.strip("-") or "MODEL"
