"""The hand-off to those who deploy: the command, each setting, what no flag says, and the files that run it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from gpuplanner_gui.domain.launch import Deployment, Launch, LaunchNote, LaunchSetting
from gpuplanner_gui.drawing.language import CodeNames, listed, tr
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import candidate_text, precision_name
from gpuplanner_gui.drawing.words.choices import words_of_choice
from gpuplanner_gui.engine.handoff import deployment_of, launches
from gpuplanner_gui.engine.handoff.options import shell_lines
from gpuplanner_gui.files.deploy import DeployPlace, deployment_files, how_to_start
from gpuplanner_gui.files.shipped_tables import load_launchers

setting_name = CodeNames({
    "tensor_parallel": "Tensor parallel",
    "attention_data_parallel": "Attention data parallel",
    "pipeline_parallel": "Pipeline parallel",
    "virtual_stages": "Virtual pipeline stages",
    "pipeline_layout": "Layers by virtual stage",
    "context_parallel": "Context parallel",
    "expert_parallel": "Expert parallel",
    "expert_tensor_parallel": "Expert tensor parallel",
    "zero_stage": "ZeRO stage",
    "hybrid_sharding": "Hybrid sharding",
    "weight_precision": "Weights",
    "kv_precision": "KV cache",
    "max_context": "Largest context",
    "max_sequences": "Largest batch",
    "token_budget": "Token budget per step",
    "memory_fraction": "Memory fraction",
    "kv_block_tokens": "Tokens per KV block",
    "batching": "Batching",
    "prefix_cache": "Prefix cache",
    "priorities": "Priorities of request classes",
    "embeddings": "Embeds or ranks documents",
    "speculative_tokens": "Draft tokens per step",
    "mtp_drafts": "Draft tokens per step, by MTP layers",
    "eagle3_drafts": "Draft tokens per step, by an EAGLE-3 head",
    "ngram_drafts": "Draft tokens per step, from n-grams",
    "pool_role": "Pool",
    "nodes": "Servers per replica",
    "nodes_of_groups": "Servers per replica, complete groups on each",
    "nodes_in_groups": "Servers per replica, groups across servers",
    "micro_batch": "Micro-batch",
    "global_batch": "Global batch in sequences",
    "micro_batches": "Micro-batches per step",
    "sequence_length": "Sequence length",
    "steps": "Steps",
    "recipe": "Precision recipe",
    "optimizer": "Optimizer",
    "gradients": "Gradient accumulation format",
    "recompute": "Recomputed activations",
    "flash_attention": "Flash attention",
    "method": "Method",
    "initial_weights": "Initial weights",
    "offload": "Optimizer state kept in",
    "offload_weights": "Weights kept in",
    "offload_activations": "Activations kept in",
    "schedule": "Pipeline schedule",
    "checkpoint_path": "Checkpoints are saved to",
    "first_copy": "First copy of a checkpoint",
    "checkpoint_steps": "Steps between checkpoints",
    "checkpoint_behind": "Asynchronous checkpoints",
})  # fmt: skip
_STATES = {
    "given": "given",
    "by_default": "engine default",
    "in_script": "in your training script",
    "in_checkpoint": "read from the checkpoint",
    "not_possible": "not possible",
}
_NOTES = {
    "replicas": "The plan runs {replicas} of these replicas behind a load balancer, spares included.",
    "pools": "The plan runs {prefill} prefill workers and {decode} decode workers behind a router, spares included.",
    "refused": "A context of {tokens} tokens refuses {refused} of the requests; {shorter} tokens would refuse"
    " {shorter_refused}.",
    "planned_for": "The plan's latencies were predicted for {engine}; they will differ here.",
    "checkpoint": "$MODEL must be a checkpoint stored in {precision}; the engine reads the format from it.",
    "stored_as": "$MODEL must be stored as {stored}. The plan counts {weights} for the weights; a larger file leaves"
    " less memory for the cache.",
    "cache_of_all": "--ctx-size is the cache of all slots together ({cache_tokens} tokens; slots: {slots}), not of"
    " each.",
    "cache_short": "Requests of {context} tokens that the cache holds at once: {full_slots}. A request that finds no"
    " room in it fails.",
    "answers_capped": "mlx_lm.server has no limit of the context. --max-tokens is the longest answer of a request that"
    " states none; without it that would be 512 tokens.",
    "relative": "For {other}, set {variables} before `{command}`. {other} decides the rest itself, also how"
    " devices share the model.",
    "validate": "Measure the model's quality in {precision} against the original before it goes live.",
    "emulated": "The device lacks {precision}, so weights are unpacked before each matrix product.",
    "draft": ("The plan assumes {tokens} draft tokens with an acceptance of {acceptance}. You choose the draft model."),
    "mtp_drafts": "The checkpoint's MTP layers draft {tokens} tokens per step. The plan assumes an acceptance of"
    " {acceptance} for each.",
    "eagle3_drafts": "The EAGLE-3 head {head} ($DRAFT_MODEL) drafts {tokens} tokens per step. The plan assumes an"
    " acceptance of {acceptance} for each.",
    "ngram_drafts": "The plan assumes {tokens} draft tokens per step from n-grams of the request, without a draft"
    " model, and an acceptance of {acceptance} for each.",
    "model_arguments": "Add the arguments for your model's layers, heads and tokenizer after these.",
    "titan_config": "$TRAIN_CONFIG names the model, its flavor, the tokenizer and the data. The flags override it.",
    "trl_data": "$DATA is a dataset in TRL format. Set the learning rate and its schedule yourself.",
    "megatron_checkpoint": "$MODEL must be a folder with a checkpoint in {name}'s own format: convert a published one."
    " Once $CHECKPOINTS holds a checkpoint, the run continues from that.",
    "published_checkpoint": "$MODEL must be a folder with the published safetensors. Once $CHECKPOINTS exists, the run"
    " continues from its last checkpoint.",
    "tensor_overlap": "--tp-comm-overlap needs Transformer Engine.",
    "no_tensor_overlap": "The plan's step times assume that tensor-parallel communication overlaps with computation."
    " --tp-comm-overlap does that on devices with NVSwitch from Hopper on, with ZeRO 0 or 1 and not in FP4. It is left"
    " out here, so steps may take longer.",
    "planned_with": "The plan's times and memory were predicted for {framework}; they will differ here.",
    "frozen_parameters": "The plan counts {frozen_share} of the parameters as frozen. Freeze them in your own code;"
    " these flags do not.",
    "training_script": "Add your training script and its arguments after these.",
    "followers": "Add these flags on every server of a replica except the first: {flags}",
    "no_such_layout": "{name} {release} has no options for this part of the layout: {setting} {value}.",
    "release_not_read": "The options of {name} {release} are not known; the oldest known release is {oldest}.",
    "not_on_device": "{name} does not run on {accelerator} ({ecosystem}).",
    "not_for_model": "The program knows no {name} command for models of this kind ({kind}).",
}
_VARIABLES = {
    "$MODEL": "the checkpoint of {model}",
    "$DRAFT_MODEL": "the draft model",
    "$NODE_RANK": "the server's rank, from 0",
    "$FIRST_NODE": "the address of server 0",
    "$TRAIN_CONFIG": "the configuration file of your model",
    "$TRAIN_SCRIPT": "your training script",
    "$DATA": "the training data",
    "$CHECKPOINTS": "a directory shared by all servers",
    "$LOCAL_DISK": "a directory on each server's local disks",
}


def launches_of(results: Results, workload: str) -> tuple[Launch, ...]:
    """The hand-off of the candidate that is looked at, to every launcher; none where nothing runs."""
    candidate = results.candidate(workload)
    answer = results.answer(workload)
    if answer is None or candidate < 0 or not bool(answer.table.fits[candidate]):
        return ()
    return launches(results.scenario, results.catalog, results.plan, workload, candidate, load_launchers())


def launcher_for(results: Results, workload: str, wanted: str | None = None) -> str:
    """The launcher wanted if it is one of the workload, the planned one else, else the first; empty for none.

    Of several of a training plan's framework it is the first that can run the plan.
    """
    fitting = [one for one in load_launchers() if one.workload == workload]
    if wanted:
        return wanted if wanted in {one.id for one in fitting} else ""
    made = launches_of(results, workload)
    own = {one.id for one in fitting if workload == "training" and one.framework == results.plan.trained.framework}
    return next((one.launcher for one in made if one.launcher in own and one.is_possible), made[0].launcher)


def setting_value(setting: LaunchSetting) -> str:
    """8,192; 90 %; FP8; a plain word else."""
    if setting.code in ("weight_precision", "kv_precision", "recipe"):
        return precision_name(str(setting.value))
    if setting.code == "memory_fraction":
        return format_value(float(setting.value), "share")
    if isinstance(setting.value, (int, float)):
        return format_value(setting.value, digits=12)
    return str(setting.value).replace("_", " ")


def status_name(setting: LaunchSetting) -> str:
    return tr(_STATES[setting.status])


def note_text(launch: Launch, note: LaunchNote) -> str:
    """What no flag says, in a sentence."""
    values = {name: _NOTED.get(name, str)(value) for name, value in note.values.items()}
    return tr(_NOTES[note.code]).format(name=launch.name, **values)


def _share(value: Any) -> str:
    return format_value(float(value), "share", 2)


def _count(value: Any) -> str:
    return format_value(float(value), digits=12)


_NOTED: dict[str, Callable[[Any], str]] = {
    "precision": precision_name,
    "acceptance": _share, "refused": _share, "shorter_refused": _share, "frozen_share": _share,
    "tokens": _count, "shorter": _count, "cache_tokens": _count, "slots": _count, "full_slots": _count,
    "context": _count,
    "weights": lambda size: format_value(float(size), "bytes"),
    "engine": lambda code: words_of_choice(code) if code != "generic" else tr("a generic engine"),
    "setting": setting_name,
    "framework": words_of_choice,
    "kind": lambda kind: kind.replace("_", " "),
}  # fmt: skip
"""How a note tells a value, by the value's name; others stand as they are."""


def obstacles_text(launch: Launch) -> str:
    """Which parts of the plan the launcher cannot carry out; empty if it can do all."""
    missing = launch.not_possible
    if launch.prefill is not None:
        missing += tuple(one for one in launch.prefill.not_possible if one.code not in {own.code for own in missing})
    if not missing:
        return ""
    parts = listed(f"{setting_name(one.code)} {setting_value(one)}" for one in missing)
    return tr("✖ {name} cannot run the plan as it is: {parts}.").format(name=launch.name, parts=parts)


def command_text(launch: Launch) -> str:
    """The command over several lines, as a shell takes it; the configuration file it needs is written first.

    Of separate pools the commands of both, each under a comment.
    """
    if launch.prefill is not None:
        alone = msgspec.structs.replace(launch, prefill=None)
        first, then = tr("each prefill worker"), tr("each decode worker")
        return f"# {first}\n{command_text(launch.prefill)}\n# {then}\n{command_text(alone)}"
    return "\n".join(shell_lines(launch))


def variable_lines(launch: Launch, model: str) -> Iterator[str]:
    """What stands for what in the command."""
    text = command_text(launch)
    for name, meaning in _VARIABLES.items():
        if name in text:
            yield f"{name}: {tr(meaning).format(model=model)}"


def source_text(launch: Launch) -> str:
    """Whose options these are, and where they were read."""
    text = tr("Options of {name} {release}, read on {date}: {sources}")
    return text.format(name=launch.name, release=launch.release, date=launch.date, sources=" ".join(launch.sources))


def notes_of(launch: Launch) -> tuple[str, ...]:
    """Everything to know beside the command: what cannot be done first."""
    first = obstacles_text(launch)
    flags = " ".join(launch.followers)
    more = (tr(_NOTES["followers"]).format(flags=flags),) if flags else ()
    return (*((first,) if first else ()), *(note_text(launch, one) for one in launch.notes), *more)


YOURS = ("$TRAIN_CONFIG", "$TRAIN_SCRIPT", "$DATA")
"""Variables of training commands that no file sets."""
README = "README.txt"
"""Beside the files."""


def files_of(
    results: Results, candidate: int, engine: str, target: str, place: DeployPlace, folder: Path
) -> dict[str, str]:
    """Names of files with their text. Raises FileProblem where target or engine cannot run the plan."""
    launcher = next(one for one in load_launchers() if one.id == engine)
    deployment = deployment_of(results.scenario, results.catalog, results.plan, candidate, launcher)
    files = deployment_files(deployment, target, place, folder)
    title = candidate_text(results.plan, results.catalog, launcher.workload, candidate)
    return files | {README: _readme(deployment, target, place, title)}


def _readme(deployment: Deployment, target: str, place: DeployPlace, title: str) -> str:
    launcher = deployment.launcher
    lines = [f"{deployment.name}: {launcher.name} {deployment.launch.release}, {title}", ""]
    lines += [
        tr("{role}: {workers} workers; servers for each: {nodes}; devices on each server: {devices}").format(
            role=pool.role, workers=pool.workers, nodes=pool.nodes, devices=pool.devices_each
        )
        for pool in deployment.pools
    ]
    yours = [line for line in variable_lines(deployment.launch, deployment.model) if line.startswith(YOURS)]
    if yours:
        lines += ["", tr("Export these variables before you start:"), *(f"  {one}" for one in yours)]
    lines += ["", tr("Start:"), *(f"  {one}" for one in how_to_start(deployment, target)), ""]
    lines += [f"{name}: {value}" for name, value in place.variables(deployment).items()]
    lines += ["", *notes_of(deployment.launch), "", tr("Sources: {sources}").format(sources=" ".join(launcher.sources))]
    return "\n".join(lines) + "\n"
