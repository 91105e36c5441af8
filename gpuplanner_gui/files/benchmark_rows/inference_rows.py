"""Rows of published inference results: one metric each, of a batch, one stream, a full engine, a service, samples."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpuplanner_gui.domain.benchmark import LoadKind, PoolLayout, ServingCase, ServingMetric
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.files.benchmark_rows.names import (
    cache_format,
    device_named,
    metric_of,
    model_named,
    software_named,
    weight_format,
    workload_of,
)
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

LOADS: dict[str, LoadKind] = {
    "fixed_batch": "batch",
    "single_stream": "batch",
    "concurrency": "batch",
    "offline_max_throughput": "offline",
    "offline": "offline",
    "server": "server",
}
SAMPLE_KINDS = ("encoder", "vision_transformer", "cnn", "diffusion")
RENTED_MACHINE = re.compile(r"(?:^|/)(?:aws|azure|gcp)[._]", re.IGNORECASE)
"""A system's name that begins with a cloud's, such as `aws_inf2.xlarge` or `gcp.c3_standard_8`."""
SAMPLE_METRICS = ("samples_per_s", "requests_per_s", "e2e_p90", "e2e_mean", "peak_memory")


def questions(row: Row) -> tuple[RowQuestion, ...]:
    """The row's one metric. Raises RowProblem for one that is not known."""
    name, unit = word(row, "metric"), word(row, "unit")
    asked, factor = metric_of(name, unit)
    return (RowQuestion(word(row, "case_id"), name, unit, asked, factor, measured(row, "value")),)


def counts(row: Row) -> bool:
    """False where the table's maker suspects the source, or where a processor ran on a rented machine.

    Such a machine has a part of the socket's cores, and the row does not say how many.
    """
    is_part_of_a_socket = word(row, "gpu").startswith("CPU") and RENTED_MACHINE.search(word(row, "source_locator"))
    return not word(row, "suspect") and not is_part_of_a_socket


def case(row: Row, catalog: Catalog, calibration: Calibration) -> tuple[ServingCase, tuple[str, ...]]:
    """The row's configuration, and what was read into it. Raises RowProblem."""
    model_id, model, hinted = model_named(catalog, word(row, "model"))
    device = device_named(catalog, word(row, "gpu"), number(row, "gpu_mem_gb"))
    remarks = list(device.remarks)
    scenario = word(row, "scenario")
    if scenario not in LOADS:
        raise RowProblem(f"the scenario {shown(scenario)!r} is not one that can be predicted")
    asked, _ = metric_of(word(row, "metric"), word(row, "unit"))
    software = software_named(calibration, word(row, "engine"), word(row, "engine_version"))
    load = "samples" if _is_of_samples(model, asked) else LOADS[scenario]
    if load == "samples" and asked not in SAMPLE_METRICS:
        raise RowProblem(f"{word(row, 'metric')} is not defined for a model without tokens")
    lengths = _lengths(row, model_id, load)
    requests = _requests(row, load)
    found = ServingCase(
        case_id=word(row, "case_id"),
        model=model,
        accelerator=device.id,
        engine=software.engine,
        software=software.software,
        assumed_log_sd=device.log_sd,
        load=requests.load,
        layout=_layout(row, model, load, software.splits_layers),
        dense_format=weight_format(word(row, "weight_precision") or hinted or "", remarks),
        kv_precision=cache_format(word(row, "kv_precision"), remarks),
        prompt_tokens=lengths.prompt_tokens,
        output_tokens=lengths.output_tokens,
        output_spread=lengths.output_spread,
        concurrency=requests.at_once,
        max_sequences=requests.most,
        client=_client(scenario, word(row, "notes")),
        beam_width=lengths.beam_width,
        speculates="--speculative" in word(row, "notes"),
        single_stream=scenario == "single_stream",
        sample_flop=lengths.sample_flop,
        counts_tokens=lengths.counts_tokens,
        needs_accuracy="99.9" in word(row, "source_locator") + word(row, "notes"),
        metrics=(asked,),
    )
    return found, (*remarks, *lengths.remarks, *requests.remarks)


def _client(scenario: str, notes: str) -> str:
    if scenario != "server":
        return ""
    return "interactive" if "Interactive" in notes else "server"


def _is_of_samples(model: Model, asked: ServingMetric) -> bool:
    if model.kind in SAMPLE_KINDS:
        return True
    is_heard = model.kind == "encoder_decoder" and asked in SAMPLE_METRICS
    return model.flop_per_sample > 0 and (is_heard or not model_parameters(model).head)


@dataclass(frozen=True)
class StatedLengths:
    """What a request or sample is."""

    prompt_tokens: float
    output_tokens: float
    output_spread: float = 0.0
    beam_width: int = 1
    sample_flop: float = 0.0
    counts_tokens: bool = False
    remarks: tuple[str, ...] = ()


def _lengths(row: Row, model_id: str, load: LoadKind) -> StatedLengths:
    """Lengths as stated, else those of the workload that the row names."""
    prompt, output = number(row, "isl"), number(row, "osl")
    named = workload_of(model_id, word(row, "source"), word(row, "notes"))
    is_contest = word(row, "source").lower().startswith("mlperf")
    if load == "samples":
        if not (is_contest and named.models):
            return StatedLengths(prompt or 0.0, output or 0.0)
        remark = f"a sample is one of the workload {named.workload}"
        tokens = named.prompt_tokens if prompt is None else prompt
        return StatedLengths(tokens, named.output_tokens, 0.0, 1, named.sample_flop, named.counts_tokens, (remark,))
    spread = named.output_spread if any(named.sources) else 0.0
    if is_contest or (prompt is None and output is None):
        prompt = named.prompt_tokens if prompt is None else prompt
        output = named.output_tokens if output is None else output
        remark = f"lengths of the workload {named.workload}: {prompt:g} tokens in, {output:g} out"
        return StatedLengths(prompt, output, spread, named.beam_width, remarks=(remark,))
    return StatedLengths(prompt or 0.0, output or 0.0, spread)


@dataclass(frozen=True)
class StatedRequests:
    """How many requests run at once and how they come."""

    load: LoadKind
    at_once: float
    most: int = 0
    remarks: tuple[str, ...] = ()


_BATCH_IN_NOTES = re.compile(r"\b(?:BS=|batch size )(\d{1,5})\b")
SEEN_BY_CLIENT = "peak concurrent requests seen by client"
"""Counts all requests that any one second saw, also those that came and went within it."""
FEWEST_SEEN, SEEN_PER_REQUEST = 3.5, 1.75
"""What such a client saw where its real concurrency is stated too."""
LONGEST_RUN_SEEN = 100


def _requests(row: Row, load: LoadKind) -> StatedRequests:
    """The stated concurrency in the sense in which the row's notes state it."""
    stated, notes = number(row, "concurrency_or_batch") or 0.0, word(row, "notes")
    if load in ("offline", "batch") and SEEN_BY_CLIENT in notes:
        batch = _BATCH_IN_NOTES.search(notes)
        if batch:
            return StatedRequests("steady", float(batch[1]), remarks=("requests at once as the notes say",))
        if load == "batch" and stated <= LONGEST_RUN_SEEN:
            fewer = max((stated - FEWEST_SEEN) / SEEN_PER_REQUEST, 1.0)
            return StatedRequests(
                "steady", fewer, remarks=(f"about {fewer:.0f} requests at once, from what the client saw",)
            )
    if load == "offline" and "concurrency = max batch" in notes:
        return StatedRequests(load, 0.0, int(stated))
    return StatedRequests(load, stated)


def _layout(row: Row, model: Model, load: LoadKind, splits_layers: bool) -> PoolLayout:
    """How the row's devices share the model; TP that is not stated is left to the engine (0 replicas).

    A single request can use no second replica, so that all devices share its model.
    """
    devices = count(row, "n_gpus")
    if count(row, "ep") > devices:
        raise RowProblem(f"the row counts {devices} devices of a unit whose experts are spread over {count(row, 'ep')}")
    tp, pp = count(row, "tp", 0), count(row, "pp", 0)
    if load == "samples":
        return PoolLayout(replicas=devices, devices_stated=devices)
    if not tp and not pp:
        is_alone = load == "batch" and number(row, "concurrency_or_batch") == 1
        if devices > 1 and not is_alone:
            return PoolLayout(replicas=0.0, devices_stated=devices)
        tp = devices
    tp, pp = max(tp, 1), max(pp, 1)
    if splits_layers:
        tp, pp = 1, tp * pp
    elif tp > devices:
        tp, pp = devices, 1
    has_experts = model_parameters(model).routed_experts > 0
    stated = count(row, "ep")
    ep = stated if has_experts and tp % stated == 0 else 1
    return PoolLayout(
        tensor_parallel=tp,
        pipeline_parallel=pp,
        expert_parallel=ep,
        expert_tensor_parallel=tp // ep,
        replicas=max(1.0, devices // (tp * pp)),
        devices_stated=devices,
    )
