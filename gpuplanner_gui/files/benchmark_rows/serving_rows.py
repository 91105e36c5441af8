"""Rows of closed-loop serving results: `measured_ttft_ms` and `measured_tpot_ms` of one pool, or of two."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from gpuplanner_gui.domain.benchmark import PoolLayout, ServingCase
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.model import Model, MoeFfn
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.engine.serving.rates import family_of
from gpuplanner_gui.files.benchmark_rows.names import (
    cache_format,
    device_named,
    model_named,
    nearest_engine,
    release_remarks,
    software_named,
    weight_format,
)
from gpuplanner_gui.files.benchmark_rows.open_loop_rows import year_of
from gpuplanner_gui.files.benchmark_rows.question import Row, RowProblem, RowQuestion, count, measured, number, word

METRICS = (("ttft_ms", "ttft_mean"), ("tpot_ms", "tpot_mean"))


def questions(row: Row) -> tuple[RowQuestion, ...]:
    """TTFT and TPOT of every row, in milliseconds."""
    case_id = word(row, "case_id")
    return tuple(
        RowQuestion(case_id, name, "ms", asked, 1e3, measured(row, f"measured_{name}")) for name, asked in METRICS
    )


def counts(row: Row) -> bool:
    """No row is marked as doubtful."""
    return True


def case(row: Row, catalog: Catalog, calibration: Calibration) -> tuple[ServingCase, tuple[str, ...]]:
    """The row's configuration, and what was read into it. Raises RowProblem."""
    mode = word(row, "mode") or "agg"
    if mode not in ("agg", "disagg"):
        raise RowProblem(f"the mode {mode!r} is neither agg nor disagg")
    _, model, hinted = model_named(catalog, word(row, "model_path"))
    device = device_named(catalog, word(row, "system"))
    prompt, output = number(row, "isl"), number(row, "osl")
    if not prompt or not output:
        raise RowProblem("prompt length (isl) and answer length (osl) are needed")
    remarks: list[str] = []
    dense = weight_format(word(row, "gemm_quant_mode") or word(row, "precision") or hinted or "", remarks)
    expert = weight_format(word(row, "moe_quant_mode"), remarks) or dense
    has_experts = model_parameters(model).routed_experts > 0
    parts = family_of(catalog.accelerators[device.id], calibration.families).counted_parts
    version = word(row, "backend_version") or word(row, "measured_on")
    splits_layers = software_named(calibration, word(row, "backend"), version).splits_layers
    layouts = [
        _with_whole_experts(
            as_software_counts(pool_layout(row, prefix, has_experts, remarks), parts, splits_layers, remarks),
            model, remarks,
        )
        for prefix in (("",) if mode == "agg" else ("decode_", "prefill_"))
    ]  # fmt: skip
    heads = Context.heads(model)
    uneven = [one.tensor_parallel for one in layouts if heads % one.tensor_parallel]
    if uneven and not has_experts:
        raise RowProblem(f"{heads} heads do not divide by TP {uneven[0]}")
    together = _both_pools_devices(model, layouts)
    if together:
        remarks.append(f"TP {together} does not divide the heads; read as the devices of two pools")
        mode, layouts = "disagg", [PoolLayout(replicas=0.0), PoolLayout(replicas=0.0)]
    engine = nearest_engine(calibration, word(row, "backend"))
    concurrency = _concurrency(row, layouts[0], mode)
    found = ServingCase(
        case_id=word(row, "case_id"),
        model=model,
        accelerator=device.id,
        engine=engine.id,
        assumed_log_sd=math.hypot(device.log_sd, engine.log_sd),
        # With pools, the stated release is that of the software that routes between them.
        release=word(row, "backend_version") if mode == "agg" else "",
        year=year_of(row) if mode == "agg" else 0.0,
        load="closed_loop" if mode == "agg" else "disaggregated",
        layout=layouts[0],
        prefill_layout=layouts[1] if mode == "disagg" else None,
        both_pools_devices=together,
        dense_format=dense,
        expert_format=expert,
        kv_precision=cache_format(word(row, "kv_precision"), remarks),
        prompt_tokens=prompt,
        output_tokens=output,
        concurrency=concurrency,
        metrics=("ttft_mean", "tpot_mean"),
    )
    dated = release_remarks(calibration, found.engine, found.release, found.year)
    return found, (*device.remarks, *engine.remarks, *dated, *remarks)


def as_software_counts(layout: PoolLayout, parts: int, splits_layers: bool, remarks: list[str]) -> PoolLayout:
    """A stated layout as the devices share the model: some software counts so many `parts` of a device each, and some
    splits layers over devices, one after another, whatever its tables call that."""
    tensor, stages = layout.tensor_parallel, layout.pipeline_parallel
    if parts > 1:
        remarks.append(f"TP {tensor} counts cores, of which a device has {parts}")
        tensor = math.ceil(tensor / parts)
    if splits_layers and tensor > 1:
        remarks.append(f"TP {tensor} is read as {tensor * stages} stages: the software splits layers over devices")
        tensor, stages = 1, tensor * stages
    if tensor == layout.tensor_parallel:
        return layout
    experts = math.gcd(layout.expert_parallel, tensor * layout.data_parallel)
    return msgspec.structs.replace(
        layout,
        tensor_parallel=tensor,
        pipeline_parallel=stages,
        expert_parallel=experts,
        expert_tensor_parallel=tensor * layout.data_parallel // experts,
    )


def _both_pools_devices(model: Model, layouts: Sequence[PoolLayout]) -> int:
    """Devices of two pools together, which some tables write as the tensor parallelism of one or of each; else 0."""
    devices = {layout.tensor_parallel for layout in layouts}
    is_open = len(layouts) == 1 or not any(layout.replicas for layout in layouts)
    return devices.pop() if is_open and len(devices) == 1 and _is_no_group(model, layouts[0]) else 0


def _with_whole_experts(layout: PoolLayout, model: Model, remarks: list[str]) -> PoolLayout:
    """The layout with whole experts on each device: beside attention in groups a thinner split than a kernel's tile
    can't run."""
    widths = [group.ffn.expert_size for group in model.layers if isinstance(group.ffn, MoeFfn)]
    parts = layout.expert_tensor_parallel
    if layout.data_parallel == 1 or not widths or min(widths) >= parts * THINNEST_EXPERT:
        return layout
    remarks.append(f"experts of {min(widths)} do not split in {parts}; read as EP {layout.devices}")
    return msgspec.structs.replace(layout, expert_parallel=layout.devices, expert_tensor_parallel=1)


THINNEST_EXPERT = 128
"""Values of an expert's width that kernels take at a time, and that a block of FP8 scales covers."""


def _is_no_group(model: Model, layout: PoolLayout) -> bool:
    """True where experts and more devices than divide the heads say that the devices can't be one group."""
    heads = Context.heads(model)
    return layout.expert_tensor_parallel > 1 and heads > 0 and heads % layout.tensor_parallel != 0


def _concurrency(row: Row, layout: PoolLayout, mode: str) -> float:
    stated = number(row, "concurrency")
    if stated:
        return stated
    batch = number(row, "batch_size" if mode == "agg" else "decode_batch_size")
    if not batch:
        raise RowProblem("the concurrency is needed")
    return batch * layout.data_parallel * max(layout.replicas, 1.0)


def _counted_once(tp: int, dp: int, expert_tp: int, ep: int) -> int | None:
    """Devices behind counts that were multiplied with each other; None for counts that are right.

    Some tables multiply tensor and expert parallelism of the same devices: 8 devices with TP 8 and EP 8 appear as TP 64
    with expert TP 8 and EP 8; 4 devices with attention in parallel as TP 4, DP 4, EP 16.
    """
    if expert_tp == ep > 1 and tp * dp == ep * ep:
        return ep
    return tp if tp == dp > 1 and ep == tp * dp and expert_tp == 1 else None


def pool_layout(row: Row, prefix: str, has_experts: bool, remarks: list[str]) -> PoolLayout:
    """Layout of the pool whose columns begin so; of the only one, a product of device counts that can't be is the count
    squared."""
    tp, dp = count(row, f"{prefix}tp_size"), count(row, f"{prefix}attention_dp_size")
    pp = count(row, f"{prefix}pp_size")
    expert_tp, ep = count(row, f"{prefix}moe_tp_size"), count(row, f"{prefix}moe_ep_size")
    once = _counted_once(tp, dp, expert_tp, ep) if has_experts and not prefix else None
    if once is not None:
        remarks.append(f"{tp * dp} devices read as {once}, whose parallelism was multiplied with itself")
        tp, dp, expert_tp, ep = (once, 1, 1, once) if dp == 1 or tp > 1 else (1, once, 1, once)
    devices = tp * dp
    if not has_experts or expert_tp * ep != devices:
        ep = ep if has_experts and devices % ep == 0 else 1
        expert_tp = devices // ep
    workers = number(row, f"{prefix}num_workers")
    return PoolLayout(
        tensor_parallel=tp,
        pipeline_parallel=pp,
        data_parallel=dp,
        expert_parallel=ep,
        expert_tensor_parallel=max(1, expert_tp),
        replicas=1.0 if not prefix else workers or 0.0,
    )
