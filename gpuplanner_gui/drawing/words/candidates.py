"""Codes of the engine in a planner's words: resources, evidence, layouts, candidates, phases and operations."""

from __future__ import annotations

import math
import re

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.curves import BatchShares, RooflinePoint
from gpuplanner_gui.domain.field import field_of
from gpuplanner_gui.domain.measurement import EvidenceKind
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.plan import Plan, Resource, ServingTable, TrainingTable
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.drawing.language import CodeNames, tr
from gpuplanner_gui.drawing.units import decimals_text, format_value
from gpuplanner_gui.drawing.words.choices import WORKLOAD_TITLES
from gpuplanner_gui.engine.evidence.record import LEAST_RUNS
from gpuplanner_gui.engine.model.cache_sizes import has_kv_cache
from gpuplanner_gui.engine.serving.ranking import AS_CHEAP, DOUBT
from gpuplanner_gui.engine.training.layouts import unusual_expert_tensor
from gpuplanner_gui.engine.training.ranking import AS_CHEAP_AT_HAND, AS_CHEAP_TO_PAY
from gpuplanner_gui.engine.uncertainty.sampling import chance_asked

PHASES = {"prefill": "Prefill", "decode": "Decode", "training": "Training step", "sample": "One pass"}
WHOLE = ("step", "total")
OPERATIONS = {
    "qkv": "QKV", "qk_norm": "QK norm", "rope_cache": "Rotary, cache write", "attention": "Attention",
    "output": "Output", "output_down": "Output, down", "cross_query": "Cross query",
    "cross_attention": "Cross attention", "cross_output": "Cross output", "latent_down": "Latent down",
    "latent_up": "Latent up", "query_up": "Query up", "indexer": "Indexer", "indexer_scores": "Indexer scores",
    "convolution": "Convolution", "state": "Recurrent state", "state_input": "State input", "time_step": "Time step",
    "input": "Input", "ffn_up": "Gate, up", "ffn_activation": "Activation", "ffn_down": "Down",
    "router": "Router", "experts": "Experts", "dispatch": "Dispatch", "shared_up": "Shared gate, up",
    "shared_activation": "Shared activation", "shared_down": "Shared down", "dense_up": "Dense gate, up",
    "dense_activation": "Dense activation", "dense_down": "Dense down", "norms": "Norms", "head": "LM head",
    "embedding": "Embedding", "products": "Matrix products", "norms_and_activations": "Norms, activations",
    "head_and_loss": "Head, loss",
}  # fmt: skip


def is_phase(point: RooflinePoint) -> bool:
    """A whole phase, and not one of its operations."""
    return point.code in (point.phase, *WHOLE)


def phase_name(phase: str) -> str:
    return tr(PHASES.get(phase, phase.capitalize()))


def operation_name(code: str) -> str:
    """What engineers call an operation; its code in words where it has no other name."""
    return tr(OPERATIONS.get(code, code.replace("_", " ").replace(".", " ").capitalize()))


def point_name(point: RooflinePoint) -> str:
    return phase_name(point.phase) if is_phase(point) else operation_name(point.code)


def crossover_text(shares: BatchShares) -> str:
    """From which batch decoding is bound by compute, and whether the memory holds as many."""
    if not math.isfinite(shares.crossover_batch):
        return tr("Memory bandwidth limits decode at every batch size")
    crossover = decimals_text(shares.crossover_batch)
    if shares.crossover_batch > shares.largest_batch >= 1:
        words = tr("Compute limits decode from batch {crossover}; memory holds a batch of {largest}")
        return words.format(crossover=crossover, largest=decimals_text(shares.largest_batch))
    return tr("Compute limits decode from batch {crossover}").format(crossover=crossover)


resource_name = CodeNames({
    Resource.COMPUTE: "compute",
    Resource.MEMORY_BANDWIDTH: "memory bandwidth",
    Resource.MEMORY_CAPACITY: "memory capacity",
    Resource.INTERCONNECT: "interconnect",
    Resource.HOST: "host and launch",
    Resource.INPUT: "data",
    Resource.STORAGE: "storage",
    Resource.PARTLY_FILLED_TILES: "partly filled tiles",
})  # fmt: skip
evidence_name = CodeNames({
    EvidenceKind.OWN: "own measurements",
    EvidenceKind.PUBLISHED: "published runs",
    EvidenceKind.TIMED: "timed kernels",
    EvidenceKind.RELATIVE: "a related device",
    EvidenceKind.DATASHEET: "datasheet",
})  # fmt: skip
evidence_help = CodeNames({
    EvidenceKind.OWN: "This prediction rests mainly on your own measurements.",
    EvidenceKind.PUBLISHED: "Runs on this device have been published.",
    EvidenceKind.TIMED: "Kernels were timed on this device, but fewer than five runs of such models on it are known.",
    EvidenceKind.RELATIVE: "Fewer than five runs of such models on this device are known. The plan uses a related "
    "device, with a wider band.",
    EvidenceKind.DATASHEET: "Neither this device nor a related one was timed. The plan uses its datasheet.",
})  # fmt: skip


def evidence_text(table: ServingTable | TrainingTable, candidate: int) -> str:
    """What a candidate's prediction rests on; runs of its device with another engine or format are told apart."""
    kind = int(table.evidence_kind[candidate])
    if kind == EvidenceKind.PUBLISHED and table.published_runs[candidate] < LEAST_RUNS:
        return tr("published runs with other software or formats")
    return evidence_name(kind)


recompute_name = CodeNames(enumerate(("none", "selective", "full")))


def precision_name(precision: str) -> str:
    return precision.upper()


def accelerator_name(accelerator_id: str, catalog: Catalog) -> str:
    """The catalogue's name; the identifier where a project knows a device that the catalogue lacks."""
    known = catalog.accelerators.get(accelerator_id)
    name = known.name if known else accelerator_id
    return f"{name} {CARRIED_MARK}" if any(one.accelerator == accelerator_id for one in catalog.carried) else name


CARRIED_MARK = "†"
"""After the name of a device that is planned with figures of the project's file, not of this installation."""


def planned_name(plan: Plan, catalog: Catalog, table: ServingTable | TrainingTable, candidate: int) -> str:
    """The name of a candidate's device; one whose price is quoted in the file is marked too."""
    device = plan.accelerators[int(table.accelerator[candidate])]
    name = accelerator_name(device, catalog)
    return f"{name} {CARRIED_MARK}" if device in plan.quoted and not name.endswith(CARRIED_MARK) else name


def accelerator_of(plan: Plan, catalog: Catalog, table: ServingTable | TrainingTable, candidate: int) -> str:
    """The candidate's device in a sentence: its name without remarks in brackets."""
    return without_remark(planned_name(plan, catalog, table, candidate))


def without_remark(name: str) -> str:
    """A name without what stands in brackets: B300 SXM (Blackwell Ultra) is B300 SXM."""
    return re.sub(r"\s*\([^)]*\)", "", name) or name


def serving_layout(table: ServingTable, candidate: int) -> str:
    """How one replica is spread: TP 2 · PP 2; empty for a single device. Both of separate pools, and drafts."""
    prefill, main = pool_layouts(table, candidate)
    if not table.prefill_workers[candidate]:
        return main
    text = tr("{prefill_workers} × prefill {prefill} + {decode_workers} × decode {decode}").format(
        prefill_workers=int(table.prefill_workers[candidate]), prefill=prefill,
        decode_workers=int(table.decode_workers[candidate]), decode=main,
    )  # fmt: skip
    return " ".join(text.split())


def pool_layouts(table: ServingTable, candidate: int) -> tuple[str, str]:
    """Of a worker that prefills, and of one that decodes or does both."""
    prefill = _sizes(
        candidate,
        ("TP", table.prefill_tensor_parallel),
        ("DP", table.prefill_data_parallel),
        ("EP", table.prefill_expert_parallel),
    )
    main = _sizes(
        candidate,
        ("TP", table.tensor_parallel),
        ("PP", table.pipeline_parallel),
        ("DP", table.attention_data_parallel),
        ("EP", table.expert_parallel),
    )
    drafts = int(table.draft_tokens[candidate])
    drafted = tr("drafts {count}").format(count=drafts) if drafts else ""
    return prefill, " · ".join(part for part in (main, drafted) if part)


def _sizes(candidate: int, *parts: tuple[str, NDArray[np.int64]]) -> str:
    return " · ".join(f"{name} {int(sizes[candidate])}" for name, sizes in parts if sizes[candidate] > 1)


def offload_name(place: int) -> str:
    """Where optimizer state is: the device (0), the host, NVMe."""
    return (tr("the device"), tr("the host"), "NVMe")[place]


def training_layout(table: TrainingTable, candidate: int) -> str:
    """How the job is spread: TP 2 · PP 4 · VPP 5 · DP 8 · ZeRO 1; sizes of 1 are left out."""
    parts = (
        ("TP", table.tensor_parallel),
        ("PP", table.pipeline_parallel),
        ("VPP", table.virtual_stages),
        ("CP", table.context_parallel),
        ("EP", table.expert_parallel),
    )
    sizes = [f"{name} {int(column[candidate])}" for name, column in parts if column[candidate] > 1]
    if shared := unusual_expert_tensor(table, candidate):
        sizes.append(f"ETP {shared}")
    if table.data_parallel[candidate] > 1:
        sizes.append(f"DP {int(table.data_parallel[candidate])}")
    if table.zero_stage[candidate] > 0:
        sizes.append(f"ZeRO {int(table.zero_stage[candidate])}")
    if table.sharding_group[candidate] > 0:
        sizes.append(f"HSDP {int(table.sharding_group[candidate])}")
    if table.offload[candidate] > 0:
        sizes.append(tr("state on {place}").format(place=offload_name(int(table.offload[candidate]))))
    if table.activation_offload[candidate] > 0:
        sizes.append(tr("activations on {place}").format(place=offload_name(1)))
    return " · ".join(sizes)


_SIZE = r"(?:TP|PP|VPP|CP|EP|ETP|DP|ZeRO|HSDP) \d+"
_SIZES = re.compile(rf"\b{_SIZE}(?: · {_SIZE})*")


def compact_layout(text: str) -> str:
    """Layouts within a text as short as they are written: TP 2 · PP 2 as TP2 PP2."""
    return _SIZES.sub(lambda found: found[0].replace(" · ", "\0").replace(" ", "").replace("\0", " "), text)


def precisions_text(plan: Plan, table: ServingTable, candidate: int) -> str:
    """FP8; where the KV cache has another format: INT8, FP8 KV."""
    weights = precision_name(plan.precisions[int(table.weight_precision[candidate])])
    kv_cache = precision_name(plan.precisions[int(table.kv_precision[candidate])])
    if weights == kv_cache:
        return weights
    return tr("{weights}, {kv} KV").format(weights=weights, kv=kv_cache)


def devices_text(plan: Plan, catalog: Catalog, workload: str, candidate: int) -> str:
    """All devices of a candidate, without their layout: 6 × H200 SXM."""
    answer = plan.serving if workload == "serving" else plan.training
    if answer is None:
        return ""
    count, name = answer.table.devices[candidate], accelerator_of(plan, catalog, answer.table, candidate)
    return f"{int(count)} × {name}" if count > 0 else name


def candidate_text(plan: Plan, catalog: Catalog, workload: str, candidate: int) -> str:
    """A candidate in one line: 2 × H200 SXM · FP8 · TP 2."""
    if workload == "serving" and plan.serving is not None:
        serving = plan.serving.table
        count, name = int(serving.devices_per_replica[candidate]), accelerator_of(plan, catalog, serving, candidate)
        formats = precisions_text(plan, serving, candidate)
        parts = [f"{count} × {name}", formats, serving_layout(serving, candidate)]
        return " · ".join(part for part in parts if part)
    if plan.training is None:
        return ""
    training = plan.training.table
    count, name = int(training.devices[candidate]), accelerator_of(plan, catalog, training, candidate)
    parts = [f"{count} × {name}", training_layout(training, candidate)]
    return " · ".join(part for part in parts if part)


def worker_text(plan: Plan, catalog: Catalog, workload: str, candidate: int, pool: str = "") -> str:
    """A candidate in one line; of separate pools one worker, with `pool` "prefill_" one that prefills."""
    table = plan.serving.table if workload == "serving" and plan.serving is not None else None
    if table is None or not table.prefill_workers[candidate]:
        return candidate_text(plan, catalog, workload, candidate)
    prefill, decode = pool_layouts(table, candidate)
    parts = (
        tr("Prefill worker") if pool else tr("Decode worker"), accelerator_of(plan, catalog, table, candidate),
        precisions_text(plan, table, candidate), prefill if pool else decode,
    )  # fmt: skip
    return " · ".join(part for part in parts if part)


def left_out_count(plan: Plan) -> int:
    """Candidates and pairs of layouts that the serving search did not plan."""
    found = plan.serving
    return 0 if found is None else found.pruned + found.pool_pairs_left_out + found.drafted_left_out


def estimates_text(plan: Plan) -> str:
    """Which rows of the serving table are simulated; empty where none is, or there is no other."""
    found = plan.serving
    if found is None or found.simulation_of_best is None or int(found.table.fits.sum()) < 2:
        return ""
    return tr(
        "Only the number of replicas of the first fleet is simulated. All latencies, and the other fleets, are quick "
        "estimates; a simulation may change their replicas."
    )


def formats_text(model: Model) -> str:
    """What one format of a serving candidate is that of; empty of a model without a cache."""
    return tr("Where one format is named, weights and KV cache both have it.") if has_kv_cache(model) else ""


def ranked_text(plan: Plan, scenario: Scenario, workload: str) -> str:
    """By what the rows of the table are ranked, in a few words; the whole rule is `order_text`."""
    if plan.serving is not None and workload == "serving":
        simulated = plan.serving.simulation_of_best
        if simulated is not None and simulated.is_in_table:  # The first row's load reserve is the simulation's.
            return tr("ranked by cost; latencies are quick estimates")
        return tr("ranked by cost; latencies and load reserve are quick estimates")
    text = tr("cheapest first, by cost at {chance} confidence; within {same} of the least, the fastest first")
    if scenario.hardware.owned and scenario.serving is None:
        text = tr("cheapest first, by cost at {chance} confidence; of about the same cost, the fastest first")
    chance = format_value(chance_asked(scenario), "share", 2)
    return text.format(chance=chance, same=format_value(AS_CHEAP_TO_PAY - 1, "share", 2))


def order_text(workload: str) -> str:
    """By what candidates that meet every target are ranked, and what decides between those that cost the same."""
    if workload == "training":
        return tr(
            "Runs that meet every target are ranked by what they cost at the confidence asked for, not by the expected "
            "cost shown. Within {same} of the cheapest, the fastest comes first; on owned devices that no service "
            "uses, within {owned}. Hours in which bought or reserved devices wait count; where no deadline is "
            "set, runs on them that end within horizon and useful life come before longer ones. Devices that few "
            "providers offer come last."
        ).format(
            same=format_value(AS_CHEAP_TO_PAY - 1, "share", 2), owned=format_value(AS_CHEAP_AT_HAND - 1, "share", 2)
        )
    return tr(
        "Fleets that meet every target are ranked by cost. Within {same} of the cheapest, these come first, in this "
        "order: devices and formats with published runs, wider weights and cache, fewer devices, smaller replicas, the "
        "fastest. For this ranking, a device known only by its datasheet counts as {doubt} dearer, unless you chose "
        "the devices. Devices that few providers offer come last."
    ).format(same=format_value(AS_CHEAP - 1, "share", 2), doubt=format_value(DOUBT - 1, "share", 2))


def left_out_texts(plan: Plan) -> list[str]:
    """What the serving search left out without planning it, a sentence for each reason."""
    found = plan.serving
    if found is None:
        return []
    sentences = (
        (found.pruned, 0, tr("{left_out} candidates were left out beforehand: their weights cannot fit.")),
        (found.pool_pairs_left_out, found.pool_pairs,
         tr("Separate pools: {tried} pairs of layouts tried, {left_out} less promising ones left out.")),
        (found.drafted_left_out, found.drafted,
         tr("Draft tokens: {tried} candidates tried with them, {left_out} less promising ones left out.")),
    )  # fmt: skip
    return [
        sentence.format(tried=format_value(tried), left_out=format_value(left_out))
        for left_out, tried, sentence in sentences
        if left_out or tried
    ]


def headline_name(code: str) -> str:
    """A result that is saved with a project: `serving.ttft_p95_s` → Serving: TTFT p95."""
    workload, _, name = code.partition(".")
    table = ServingTable if workload == "serving" else TrainingTable
    if name == "chance":
        return f"{tr(WORKLOAD_TITLES.get(workload, workload))}: {tr('Chance of meeting every target')}"
    try:
        title = tr(field_of(table, name).about.title)
    except KeyError:
        # Of a file that another version wrote.
        return code
    return f"{tr(WORKLOAD_TITLES.get(workload, workload))}: {title}"


def replicas_text(count: float) -> str:
    """So many replicas; one in the singular."""
    return tr("1 replica") if count == 1 else tr("{count} replicas").format(count=format_value(count))
