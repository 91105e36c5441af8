"""Rows of published inference results: one metric each, of a batch, one stream, a full engine, a service, samples."""

from __future__ import annotations

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.serving_case import LoadKind, PoolLayout, ServingCase
from gpuplanner_gui.engine.parameters import model_parameters
from gpuplanner_gui.files.benchmark_rows.cells import Row, count, measured, number, shown, word
from gpuplanner_gui.files.benchmark_rows.formats import cache_format, metric_of, weight_format
from gpuplanner_gui.files.benchmark_rows.names import accelerator_named, engine_named, model_named
from gpuplanner_gui.files.benchmark_rows.question import Question, RowProblem
from gpuplanner_gui.files.benchmark_rows.workloads import workload_of

LOADS: dict[str, LoadKind] = {
    "fixed_batch": "batch",
    "single_stream": "batch",
    "concurrency": "closed_loop",
    "offline_max_throughput": "offline",
    "offline": "offline",
    "server": "server",
}
SAMPLE_KINDS = ("encoder", "vision_transformer", "cnn", "diffusion")
SAMPLE_METRICS = ("samples_per_s", "requests_per_s", "e2e_p90", "e2e_mean", "peak_memory")


def questions(row: Row) -> tuple[Question, ...]:
    """The row's one metric. Raises RowProblem for one that is not known."""
    name, unit = word(row, "metric"), word(row, "unit")
    asked, factor = metric_of(name, unit)
    return (Question(word(row, "case_id"), name, unit, asked, factor, measured(row, "value")),)


def unread_questions(row: Row) -> tuple[Question, ...]:
    """The question of a row whose metric is not understood, to be refused by name."""
    return (Question(word(row, "case_id"), word(row, "metric"), word(row, "unit"), "", 1.0, measured(row, "value")),)


def counts(row: Row) -> bool:
    """False where the table's maker suspects the source."""
    return not word(row, "suspect")


def case(row: Row, catalog: Catalog, calibration: Calibration) -> tuple[ServingCase, tuple[str, ...]]:
    """The row's configuration, and what was read into it. Raises RowProblem."""
    model_id, model, hinted = model_named(catalog, word(row, "model"))
    accelerator = accelerator_named(catalog, word(row, "gpu"), number(row, "gpu_mem_gb"))
    scenario = word(row, "scenario")
    if scenario not in LOADS:
        raise RowProblem(f"the scenario {shown(scenario)!r} is not one that can be predicted")
    asked, _ = metric_of(word(row, "metric"), word(row, "unit"))
    engine = engine_named(calibration, word(row, "engine"))
    load = "samples" if _is_of_samples(model) else LOADS[scenario]
    if load == "samples" and asked not in SAMPLE_METRICS:
        raise RowProblem(f"{word(row, 'metric')} is not defined for a model without tokens")
    prompt, output, beams, remarks = _lengths(row, model_id, load)
    expert_parallel = count(row, "ep")
    found = ServingCase(
        case_id=word(row, "case_id"),
        model=model,
        accelerator=accelerator,
        engine=engine,
        load=load,
        layout=_layout(row, model, load, engine, expert_parallel),
        dense_format=weight_format(word(row, "weight_precision") or hinted or ""),
        kv_precision=cache_format(word(row, "kv_precision")),
        prompt_tokens=prompt,
        output_tokens=output,
        concurrency=number(row, "concurrency_or_batch") or 0.0,
        client="server" if scenario == "server" else "burst" if load == "closed_loop" else "",
        beam_width=beams,
        single_stream=scenario == "single_stream",
        metrics=(asked,),
    )
    return found, remarks


def _is_of_samples(model: Model) -> bool:
    return model.kind in SAMPLE_KINDS or (model.flop_per_sample > 0 and not model_parameters(model).head)


def _lengths(row: Row, model_id: str, load: LoadKind) -> tuple[float, float, int, tuple[str, ...]]:
    """Prompt, answer and beams: as stated; those of the workload that the row names where neither is."""
    prompt, output = number(row, "isl"), number(row, "osl")
    texts = (word(row, "source"), word(row, "notes"))
    is_named = word(row, "source").lower().startswith("mlperf")
    if load == "samples":
        return prompt or 0.0, output or 0.0, 1, ()
    if is_named or (prompt is None and output is None):
        found = workload_of(model_id, *texts)
        prompt = prompt if prompt is not None else found.prompt_tokens
        output = output if output is not None else found.output_tokens
        remark = f"lengths of the workload {found.workload}: {prompt:g} tokens in, {output:g} out"
        return prompt, output, found.beam_width, (remark,)
    return prompt or 0.0, output or 0.0, 1, ()


def _layout(row: Row, model: Model, load: LoadKind, engine: str, expert_parallel: int) -> PoolLayout:
    """How the row's devices share the model; TP that is not stated is left to the engine (0 replicas)."""
    devices = count(row, "n_gpus")
    tp, pp = count(row, "tp", 0), count(row, "pp", 0)
    if load == "samples" or (not tp and not pp):
        return PoolLayout(replicas=0.0 if devices > 1 and load != "samples" else devices, devices_stated=devices)
    tp = max(tp, 1)
    if tp > devices:
        tp, pp = devices, 1
    elif not pp:
        pp = 1
    has_experts = model_parameters(model).routed_experts > 0
    ep = expert_parallel if has_experts and tp % expert_parallel == 0 else 1
    return PoolLayout(
        tensor_parallel=tp,
        pipeline_parallel=pp,
        expert_parallel=ep,
        expert_tensor_parallel=tp // ep,
        replicas=max(1.0, devices // (tp * pp)),
        devices_stated=devices,
    )
