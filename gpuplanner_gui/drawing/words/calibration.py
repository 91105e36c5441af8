"""Own measurements in words: cases, warnings, drift and its likely cause, command lines to measure with."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.field import fields_of
from gpuplanner_gui.domain.knowledge import LocalPoint, OwnEfficiency
from gpuplanner_gui.domain.measurement import (
    QUANTITIES,
    MeasuredLoad,
    MeasurementContext,
    MeasurementSet,
    missing_context,
)
from gpuplanner_gui.drawing.language import CodeNames, in_turn, listed, tr
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import precision_name, without_remark
from gpuplanner_gui.drawing.words.choices import WORKLOAD_TITLES, words_of_choice
from gpuplanner_gui.engine.evidence.knowledge import Drift, OutsideTrend, PointVerdict
from gpuplanner_gui.engine.evidence.training_own import MemoryGrowth, MemoryReserve, ScalingFit

field_title = CodeNames({field.name: field.about.title for field in fields_of(MeasurementContext)})
"""A field of the context as a planner calls it."""
MOST_NAMED = 5
NARROWER = 0.95
"""A spread that keeps more of itself is told as the same."""
LONGEST_VERSION = 20
CAUSES = {
    "none": "",
    "engine_version": (
        "The engine is {new} instead of {old}: read its release notes, or measure with the old one again."
    ),
    "network": (
        "The error grows with the number of devices: check the links between them (a slow rail, another "
        "job, a new fabric)."
),
    "memory_pressure": (
        "The error grows with the batch: check for cache evictions, a smaller memory fraction, longer "
        "prompts."
),
    "host": (
        "The error grows as steps get shorter: check the host (busy cores, a debug build, tokenisation, "
        "logging)."
),
    "one_phase": "Only one of prefill and decode is off: check its settings (chunking, graphs, caching).",
    "clocks": (
        "Everything is off by the same factor: check clocks, power limits, temperature and other tenants "
        "of the machine."
),
}  # fmt: skip


EXAMPLES = {
    "model": "Llama 3.1 8B", "accelerator": "H100 SXM", "devices": "8", "weight_precision": "bf16, fp8, int4",
    "engine": "vllm, sglang, trtllm, megatron", "concurrency": "32",
    "rate_per_s": "4", "prompt_tokens": "1024", "output_tokens": "256", "sequence_length": "4096",
    "global_batch": "512", "operation": "all_reduce, decode", "message_bytes": "1e9",
}  # fmt: skip
"""What a planner may fill in where a file does not say."""


def field_example(name: str) -> str:
    """What a planner might write; the same in every language."""
    return EXAMPLES.get(name, "")


def phase_title(phase: str) -> str:
    """What a figure speaks of, within a sentence."""
    words = {
        "prefill": tr("prefill"), "decode": tr("decode"), "serving": tr("serving"), "training": tr("training"),
        "communication": tr("communication"), "transfer": tr("copies"), "kernel": tr("kernels"), "power": tr("power"),
        "memory": tr("memory"),
    }  # fmt: skip
    return words.get(phase, phase)


def load_words() -> dict[MeasuredLoad, str]:
    """Kinds of load that a run may have been under."""
    return {
        "closed_loop": tr("a fixed number of concurrent requests"),
        "open_loop": tr("requests at a fixed rate"),
        "offline": tr("all requests at once"),
        "batch": tr("a single batch"),
    }


def first_of(names: Sequence[str]) -> str:
    """The first few names."""
    return listed(names[:MOST_NAMED]) + (" …" if len(names) > MOST_NAMED else "")


def quantity_title(quantity: str) -> str:
    """A quantity's name; that of the metric without its statistic where it is one of the engine's."""
    name = quantity.removesuffix("_mean").removesuffix("_p50")
    return tr(QUANTITIES[name].title) if name in QUANTITIES else quantity


def quantity_unit(quantity: str) -> str:
    name = quantity.removesuffix("_mean").removesuffix("_p50")
    return QUANTITIES[name].unit if name in QUANTITIES else ""


def case_text(context: MeasurementContext, catalog: Catalog) -> str:
    """A measured case in a line: `Llama 3.1 8B on 2 × L40S, BF16, vLLM, 16 at once`."""
    model, device = catalog.models.get(context.model), catalog.accelerators.get(context.accelerator)
    what = tr("{model} on {devices}{device}").format(
        model=model.model.name if model is not None else context.model,
        devices=f"{context.devices} × " if context.devices > 1 else "",
        device=without_remark(device.name) if device is not None else context.accelerator,
    )
    engine = words_of_choice(context.engine_as_written or context.engine)
    parts = [
        what,
        precision_name(context.weight_precision),
        f"{engine} {context.engine_version[:LONGEST_VERSION]}".strip(),
    ]
    if context.load == "offline":
        parts.append(tr("all requests at once"))
    elif context.rate_per_s:
        parts.append(format_value(context.rate_per_s, "req/s"))
    elif context.concurrency:
        parts.append(tr("{count} concurrent").format(count=format_value(context.concurrency)))
    if context.load and context.prompt_tokens:
        lengths = (format_value(context.prompt_tokens), format_value(context.output_tokens))
        parts.append(tr("{prompt} + {answer} tok").format(prompt=lengths[0], answer=lengths[1]))
    elif context.global_batch:
        parts.append(
            tr("{batch} × {length} tok per step").format(
                batch=format_value(float(context.global_batch)), length=format_value(float(context.sequence_length))
            )
        )
    if context.virtualisation_loss:
        lost = format_value(context.virtualisation_loss, "share", 2)
        parts.append(tr("corrected for the {share} lost to virtual machines").format(share=lost))
    return listed(part for part in parts if part)


def summary_text(
    verdicts: Sequence[PointVerdict], sets: Sequence[MeasurementSet], has_own_kernels: bool = False
) -> str:
    """What the measurements have done, in a sentence."""
    if not sets:
        return tr("No measurements yet. Import results of benchmarks, logs or the probe, and plans will use them.")
    if not verdicts and has_own_kernels:
        return tr("Plans use timings of single operations. No complete run can be compared with a prediction yet.")
    if not any(one.is_used for one in sets):
        return tr("Every set is excluded: plans do not use these measurements.")
    if not verdicts:
        is_lacking = any(missing_context(run) for one in sets if one.is_used for run in one.measurements)
        return in_turn(
            tr("No measurement can be compared with a prediction yet."),
            tr("Fill in what is missing.") if is_lacking else "",
        )
    before = float(np.median([one.error_before for one in verdicts]))
    after = float(np.median([one.error_after for one in verdicts]))
    outliers = sum(one.is_outlier for one in verdicts)
    if len(verdicts) == 1:
        return tr("1 run imported. The prediction was off by {before}.").format(before=format_value(before, "share", 2))
    runs = runs_of([one.point for one in verdicts])
    text = (
        tr("1 run imported. Median prediction error {before} → {after} (leave-one-out).")
        if runs == 1
        else tr("{count} runs imported. Median prediction error {before} → {after} (leave-one-out).")
    )
    text = text.format(count=runs, before=format_value(before, "share", 2), after=format_value(after, "share", 2))
    if outliers == 1:
        text = in_turn(text, tr("1 outlier ({mark}) is down-weighted.").format(mark="▲"))
    elif outliers:
        text = in_turn(text, tr("{count} outliers ({mark}) are down-weighted.").format(count=outliers, mark="▲"))
    return text


def runs_of(points: Sequence[LocalPoint]) -> int:
    """How many runs these values are of."""
    return len({(one.set_index, one.measurement_index) for one in points})


def foreign_text(workload: str, phases: Sequence[str]) -> str:
    """Why measurements of the other workload are not used."""
    if workload == "serving":
        return tr("Training measurements are not used for serving: a training step does not predict inference.")
    names = listed(map(phase_title, phases))
    return tr("Measurements of {phases} are not used for training: inference does not predict a training step.").format(
        phases=names
    )


OPERATIONS = {
    "gemm": "Matrix products", "elementwise": "Memory traffic", "all_reduce": "All-reduce",
    "all_gather": "All-gather", "reduce_scatter": "Reduce-scatter",
}  # fmt: skip


def own_kernels_text(own: OwnEfficiency, catalog: Catalog) -> str:
    """What operations timed alone changed for one device."""
    name = tr(OPERATIONS[own.operation])
    if own.operation == "gemm":
        name = f"{name} ({precision_name(own.precision)})"
    text = tr("{operation} on {device}: {runs} timings took {ratio} times the expected time. Plans now use them.")
    if own.log_sd_after < NARROWER * own.log_sd_before:
        text = tr(
            "{operation} on {device}: {runs} timings took {ratio} times the expected time. Plans now use them: "
            "±{after} instead of ±{before}."
        )
    return text.format(
        operation=name,
        device=catalog.accelerators[own.accelerator].name,
        runs=own.runs,
        ratio=f"{own.ratio:.2f}",
        before=format_value(own.log_sd_before, "share", 2),
        after=format_value(own.log_sd_after, "share", 2),
    )


def recorded_text(operations: Sequence[str]) -> str:
    """What is kept and shown without a plan resting on it."""
    shown = first_of(operations)
    text = tr("Timings of single operations ({shown}) are stored, but no plan uses them.")
    return text.format(shown=shown)


def outside_text(trend: OutsideTrend) -> str:
    """Time outside the main kernels, as a finding where it rises."""
    low, high = format_value(trend.fewest_share, "share", 2), format_value(trend.most_share, "share", 2)
    if trend.is_finding:
        text = tr(
            "Time outside the main kernels rises from {low} on {few} devices to {high} on {many}, mostly "
            "{risen}: the job is unbalanced."
        )
    else:
        text = tr("Time outside the main kernels hardly changes: {low} on {few} devices, {high} on {many}.")
    return text.format(
        low=low, high=high, few=trend.fewest_devices, many=trend.most_devices, risen=tr(trend.risen or "other")
    )


def memory_text(growth: MemoryGrowth, catalog: Catalog) -> str:
    """How memory grows with what is in the cache, beside what the model's cache should take."""
    what = case_text(
        msgspec.structs.replace(growth.context, concurrency=0.0, prompt_tokens=0.0, output_tokens=0.0), catalog
    )
    expected = format_value(growth.expected_bytes_per_token, "bytes")
    if growth.is_reserved:
        text = tr("{what}: memory does not grow with load, because the engine reserves it ({at_rest} of each device).")
    elif growth.is_as_expected:
        text = tr("{what}: device memory grows by {slope} per token, as expected for the KV cache ({expected}).")
    else:
        text = tr(
            "{what}: device memory grows by {slope} per token, but the KV cache only by {expected}. Check "
            "the cache format, unused blocks and activations of long prompts."
        )
    return text.format(
        what=what, at_rest=format_value(growth.at_rest_bytes, "bytes"),
        slope=format_value(growth.bytes_per_token, "bytes"), expected=expected,
    )  # fmt: skip


def reserve_text(reserve: MemoryReserve, catalog: Catalog) -> str:
    """How far the memory of training runs was off, and what plans do about it."""
    is_more = reserve.middle_bytes >= 0
    one, several = (
        (tr("{what}: a measured run uses {off} more per device than predicted. Plans add {shift}."),
         tr("{what}: {runs} measured runs use {off} more per device than predicted. Plans add {shift}."))
        if is_more
        else (tr("{what}: a measured run uses {off} less per device than predicted. Plans subtract {shift}."),
              tr("{what}: {runs} measured runs use {off} less per device than predicted. Plans subtract {shift}."))
    )  # fmt: skip
    return (one if reserve.runs == 1 else several).format(
        what=tr("Memory of {model} with {framework}").format(
            model=catalog.models[reserve.model_id].model.name,
            framework=listed(words_of_choice(one) for one in reserve.frameworks),
        ),
        runs=reserve.runs,
        off=format_value(abs(reserve.middle_bytes), "bytes"),
        shift=format_value(abs(reserve.shift_bytes), "bytes"),
    )


def scaling_text(fit: ScalingFit, accelerator: str, farthest: int) -> str:
    """What a doubling keeps inside a node and across nodes, and where that leads."""
    inside, across = (
        format_value(float(np.exp(log)), "share", 3) for log in (fit.log_kept_inside, fit.log_kept_across)
    )
    middle, low, high = (float(value[0]) for value in fit.throughput_per_device(np.array([float(farthest)])))
    alone = float(fit.throughput_per_device(np.array([1.0]))[0][0])
    text = tr(
        "Training on {device}: each doubling of devices keeps {inside} of the speed per device within a node "
        "({runs_inside} runs) and {across} across nodes ({runs_across} runs{usual}). On {devices} devices "
        "{share} is left ({low} to {high})."
    )
    return text.format(
        device=accelerator,
        inside=inside,
        across=across,
        runs_inside=fit.runs_inside,
        runs_across=fit.runs_across,
        usual="" if fit.runs_across else tr(": typical value"),
        devices=farthest,
        share=format_value(middle / alone, "share", 2),
        low=format_value(low / alone, "share", 2),
        high=format_value(high / alone, "share", 2),
    )


def drift_text(drift: Drift) -> str:
    """New measurements against what is expected."""
    if not drift.beyond:
        return tr("The {count} new measurements lie within the band.").format(count=len(drift.points))
    way = tr("slower") if drift.median_log_residual > 0 else tr("faster")
    off = format_value(abs(float(np.expm1(drift.median_log_residual))), "share", 2)
    text = tr("{beyond} of {count} new measurements lie outside the band; their median is {off} {way}.")
    found = text.format(beyond=len(drift.beyond), count=len(drift.points), off=off, way=way)
    cause = tr(CAUSES[drift.cause]).format(new=_versions(drift.new_releases), old=_versions(drift.known_releases))
    return in_turn(found, cause) if cause else found


def _versions(releases: Sequence[str]) -> str:
    return listed(one[:LONGEST_VERSION] for one in releases[:MOST_NAMED])


def release_text(engine: str, taken: str, others: Sequence[str]) -> str:
    """Which release of an engine plans are for where several were measured."""
    text = tr("Plans assume {engine} {release}, the newest release you measured. Runs of {others} count less.")
    return text.format(engine=words_of_choice(engine), release=taken[:LONGEST_VERSION], others=_versions(others))


def concern_text(workload: str, concerned: int, count: int, others: Sequence[str]) -> str:
    """How many of the measured cases a plan can learn from: those of its model on a candidate's accelerator."""
    name = WORKLOAD_TITLES[workload]
    shown = first_of(others)
    if not concerned:
        text = tr("{workload}: no measured run uses this plan's model and accelerators ({others}).")
    else:
        text = tr(
            "{workload}: {concerned} of {count} measured runs use this plan's model and accelerators. The "
            "others do not affect it ({others})."
        )
    return text.format(workload=tr(name), concerned=concerned, count=count, others=shown)


def effect_text(workload: str, before: str, after: str) -> str:
    """What a workload's plan is with the measurements, and what it would be without them."""
    name = tr(WORKLOAD_TITLES[workload])
    if before == after:
        return tr("{workload}: {after}. These measurements do not change it.").format(workload=name, after=after)
    return tr("{workload}: {after}. Without these measurements: {before}.").format(
        workload=name, after=after, before=before
    )
