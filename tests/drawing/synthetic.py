"""Plans with the shape of real ones, made without the engine: what is drawn must not depend on how it was computed."""

from __future__ import annotations

from functools import cache

import msgspec
import numpy as np

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.curves import (
    BatchShares,
    LoadCurve,
    MemoryPart,
    Roofline,
    RooflinePoint,
    ServingLimits,
)
from gpuplanner_gui.domain.method import ExplainedValue
from gpuplanner_gui.domain.model import Attention, DenseFfn, LayerGroup, Model
from gpuplanner_gui.domain.plan import Plan, Reason, ServingPlan, ServingTable, TrainingPlan, TrainingTable
from gpuplanner_gui.domain.scenario import Project, Scenario
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.verdict import Raising, Verdict, VerdictLevel, Verdicts
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.drawing.candidates import RivalRoofline, rival_marks, rivals_of
from gpuplanner_gui.drawing.results import Decision, Results
from gpuplanner_gui.files.catalogs import load_shipped_catalog

PRECISIONS = ("bf16", "fp8", "int8", "int4")
WEIGHT_BYTES = np.array([2.0, 1.0, 1.0, 0.55])
PARAMETERS = 70e9


@cache
def catalog() -> Catalog:
    return load_shipped_catalog()


def model() -> Model:
    group = LayerGroup(count=80, mixer=Attention(heads=64, kv_heads=8, head_dim=128), ffn=DenseFfn(size=28672))
    return Model(name="Chat 70B", hidden_size=8192, vocab_size=128256, layers=(group,), max_context=131072)


def scenario() -> Scenario:
    return Scenario(
        name="Chat service",
        model=model(),
        training=TrainingWorkload(tokens=20e9, deadline_s=14 * 86400.0),
        serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=40.0),)),
    )


def serving_table(count: int, seed: int = 3) -> ServingTable:
    draw = np.random.default_rng(seed)
    entries = list(catalog().accelerators.values())
    accelerator = np.arange(count) % len(entries)
    tensor = 2 ** draw.integers(0, 5, count)
    weight_precision = draw.integers(0, 4, count)
    capacity = np.array([entry.memory_bytes for entry in entries])[accelerator]
    bandwidth = np.array([entry.memory_bandwidth_bytes_per_s for entry in entries])[accelerator]
    weights = PARAMETERS * WEIGHT_BYTES[weight_precision] / tensor
    runtime = 0.03 * capacity + 1e9
    activation = np.full(count, 1.2e9)
    pool = capacity * 0.9 - weights - runtime - activation
    fits = pool > 1e9
    reason = np.where(fits, Reason.NONE, Reason.DOES_NOT_FIT)
    reason_value = np.where(fits, 0.0, 1e9 - pool)
    undivided = draw.random(count) < 0.08
    reason = np.where(undivided, Reason.HEADS_NOT_DIVISIBLE, reason)
    reason_value = np.where(undivided, 8.0, reason_value)
    runs = fits & ~undivided
    bandwidth_s = weights / bandwidth
    compute_s = bandwidth_s * draw.uniform(0.1, 0.9, count)
    interconnect_s = np.where(tensor > 1, 2.5e-3, 0.0)
    host_s = np.full(count, 1.5e-3)
    step = bandwidth_s + compute_s + interconnect_s + host_s
    batch = np.clip(pool / 1.3e9, 1, 128)
    max_rate = batch / (step * 256)
    slo_rate = max_rate * draw.uniform(0.4, 0.85, count)
    ttft = 0.1 + 20 * step * draw.uniform(0.5, 2, count)
    misses = runs & (step > 0.05)
    reason = np.where(misses, Reason.MISSES_TARGET, reason)
    reason_value = np.where(misses, step / 0.05, reason_value)
    price = draw.uniform(0.4, 6, count)
    no_price = draw.random(count) < 0.1
    price[no_price] = np.nan
    replicas = np.ceil(40 / np.maximum(slo_rate * 0.75, 1e-3)) + 1
    devices = replicas * tensor
    usd_per_hour = devices * price
    cost = usd_per_hour / (20 * 256 * 3600) * 1e6
    blank = np.where(runs, 1.0, np.nan)
    quality = np.where(runs, cost + 1e6 * misses, np.inf)
    order = np.argsort(np.where(np.isnan(quality), 1e9, quality), kind="stable")
    limit = np.argmax(np.stack([compute_s, bandwidth_s, np.zeros(count), interconnect_s, host_s]), axis=0)
    return ServingTable(
        accelerator=accelerator,
        tensor_parallel=tensor,
        pipeline_parallel=np.ones(count, dtype=np.int64),
        attention_data_parallel=np.ones(count, dtype=np.int64),
        expert_parallel=np.ones(count, dtype=np.int64),
        prefill_tensor_parallel=np.zeros(count, dtype=np.int64),
        prefill_data_parallel=np.zeros(count, dtype=np.int64),
        prefill_expert_parallel=np.zeros(count, dtype=np.int64),
        prefill_workers=np.zeros(count, dtype=np.int64),
        decode_workers=np.zeros(count, dtype=np.int64),
        draft_tokens=np.zeros(count, dtype=np.int64),
        prefill_weights_bytes=np.full(count, np.nan),
        prefill_kv_cache_bytes=np.full(count, np.nan),
        prefill_activation_bytes=np.full(count, np.nan),
        prefill_runtime_bytes=np.full(count, np.nan),
        prefill_kv_pool_bytes=np.full(count, np.nan),
        transfer_s=np.full(count, np.nan),
        devices_per_replica=tensor,
        weight_precision=weight_precision,
        kv_precision=np.minimum(weight_precision, 1),
        emulated=weight_precision == 3,
        fits=fits,
        reason=reason.astype(np.int64),
        reason_value=reason_value,
        meets_targets=runs & ~misses,
        memory_capacity_bytes=capacity,
        weights_bytes=weights,
        kv_cache_bytes=np.clip(pool, 0, None) * 0.6,
        kv_pool_bytes=pool,
        activation_bytes=activation,
        runtime_bytes=runtime,
        max_sequences=batch,
        batch=batch * blank,
        decode_compute_s=compute_s * blank,
        decode_bandwidth_s=bandwidth_s * blank,
        decode_interconnect_s=interconnect_s * blank,
        decode_host_s=host_s * blank,
        decode_step_s=step * blank,
        prefill_s=0.1 * blank,
        limit=limit,
        ttft_mean_s=ttft * 0.6 * blank,
        ttft_p50_s=ttft * 0.5 * blank,
        ttft_p95_s=ttft * blank,
        ttft_p99_s=ttft * 1.4 * blank,
        tpot_mean_s=step * blank,
        tpot_p95_s=step * 1.2 * blank,
        itl_p99_s=step * 2 * blank,
        e2e_mean_s=(ttft + 256 * step) * blank,
        e2e_p95_s=(1.8 * ttft + 256 * step) * blank,
        ttft_low80_s=ttft * 0.82 * blank,
        ttft_high80_s=ttft * 1.26 * blank,
        tpot_low80_s=step * 0.9 * blank,
        tpot_high80_s=step * 1.1 * blank,
        max_rate_per_s=max_rate * blank,
        slo_rate_per_s=slo_rate * blank,
        replicas=replicas * blank,
        replicas_expected=replicas * blank,
        devices=devices * blank,
        load_per_replica_per_s=40 / replicas * blank,
        headroom=(slo_rate * replicas / 40 - 1) * blank,
        draft_gain=np.ones(len(blank)) * blank,
        output_tokens_per_s_per_device=40 * 256 / devices * blank,
        paid_devices=devices,
        unit_devices=np.ones(count),
        usd_per_device_hour=price,
        running_share=np.ones_like(price),
        usd_per_hour=usd_per_hour * blank,
        usd_per_month=usd_per_hour * 730.5 * blank,
        usd_per_million_output_tokens=cost * blank,
        usd_per_million_input_tokens=cost / 8 * blank,
        usd_per_request=cost * 256e-6 * blank,
        power_w=devices * 700 * 1.25 * blank,
        evidence=draw.integers(0, 3, count),
        evidence_kind=draw.integers(0, 3, count),
        published_runs=draw.integers(0, 30, count),
        order=order,
    )


def training_table(count: int, seed: int = 5) -> TrainingTable:
    draw = np.random.default_rng(seed)
    entries = list(catalog().accelerators.values())
    accelerator = np.arange(count) % len(entries)
    tensor = 2 ** draw.integers(0, 4, count)
    pipeline = 2 ** draw.integers(0, 3, count)
    data = 2 ** draw.integers(0, 6, count)
    devices = tensor * pipeline * data
    capacity = np.array([entry.memory_bytes for entry in entries])[accelerator]
    peak = np.array([entry.peak_flop_per_s("bf16") or np.nan for entry in entries])[accelerator]
    zero = draw.integers(0, 4, count)
    per_device = PARAMETERS / (tensor * pipeline)
    share = np.where(zero >= 1, data, 1)
    parts = {
        "weights_bytes": 2 * per_device / np.where(zero >= 3, data, 1),
        "gradients_bytes": 2 * per_device / np.where(zero >= 2, data, 1),
        "master_weights_bytes": 4 * per_device / share,
        "first_moment_bytes": 4 * per_device / share,
        "second_moment_bytes": 4 * per_device / share,
        "activation_bytes": draw.uniform(4e9, 20e9, count),
        "logits_bytes": np.full(count, 2.1e9),
        "runtime_bytes": np.full(count, 3e9),
    }
    used = np.sum(list(parts.values()), axis=0)
    known = np.isfinite(peak)
    fits = (used < capacity * 0.95) & known
    reason = np.where(known, np.where(fits, Reason.NONE, Reason.DOES_NOT_FIT), Reason.NO_COMPUTE_FIGURE)
    tokens_per_step = 4_194_304
    compute = 6 * PARAMETERS * tokens_per_step / (devices * np.where(known, peak, 1e14) * 0.55)
    times = {
        "compute_s": compute,
        "bandwidth_s": compute * 0.12,
        "tensor_communication_s": np.where(tensor > 1, compute * 0.1, 0),
        "data_communication_s": compute * 0.05,
        "pipeline_communication_s": np.where(pipeline > 1, compute * 0.01, 0),
        "expert_communication_s": np.zeros(count),
        "bubble_s": compute * (pipeline - 1) / 16,
        "host_s": np.full(count, 0.02),
        "input_s": np.zeros(count),
    }
    step = np.sum(list(times.values()), axis=0)
    steps = 20e9 / tokens_per_step
    run_time = steps * step * 1.05 + 600
    meets = fits & (run_time < 14 * 86400)
    reason = np.where(fits & ~meets, Reason.MISSES_DEADLINE, reason)
    reason_value = np.where(reason == Reason.DOES_NOT_FIT, used - capacity * 0.95, run_time / (14 * 86400))
    price = draw.uniform(0.8, 6, count)
    usd = devices * run_time / 3600 * price * 1.15
    blank = np.where(fits, 1.0, np.nan)
    order = np.argsort(np.where(meets, usd, np.where(fits, usd + 1e12, np.inf)), kind="stable")
    return TrainingTable(
        accelerator=accelerator,
        devices=devices,
        tensor_parallel=tensor,
        pipeline_parallel=pipeline,
        data_parallel=data,
        context_parallel=np.ones(count, dtype=np.int64),
        expert_parallel=np.ones(count, dtype=np.int64),
        expert_tensor_parallel=tensor,
        zero_stage=zero,
        micro_batch=np.ones(count, dtype=np.int64),
        recompute=draw.integers(0, 3, count),
        schedule=np.zeros(count, dtype=np.int64),
        virtual_stages=np.ones(count, dtype=np.int64),
        sharding_group=np.zeros(count, dtype=np.int64),
        offload=np.zeros(count, dtype=np.int64),
        activation_offload=np.zeros(count, dtype=np.int64),
        host_bytes=np.zeros(count),
        data_slowed_share=np.zeros(count),
        deadline_slack_s=14 * 86400 - run_time,
        fits=fits,
        reason=reason.astype(np.int64),
        reason_value=reason_value,
        meets_targets=meets,
        memory_capacity_bytes=capacity,
        **parts,
        **{name: time * blank for name, time in times.items()},
        step_time_s=step * blank,
        step_low80_s=step * 0.9 * blank,
        step_high80_s=step * 1.12 * blank,
        limit=np.zeros(count, dtype=np.int64),
        tokens_per_s=tokens_per_step / step * blank,
        tokens_per_s_per_device=tokens_per_step / step / devices * blank,
        mfu=compute * 0.55 / step * blank,
        hfu=compute * 0.6 / step * blank,
        steps=np.full(count, steps),
        goodput=np.full(count, 0.95),
        run_time_s=run_time * blank,
        run_time_confident_s=1.2 * run_time * blank,
        device_hours=devices * run_time / 3600 * 1.15 * blank,
        energy_j=devices * run_time * 800 * blank,
        paid_devices=devices.astype(float),
        unit_devices=np.ones(count),
        usd_per_device_hour=price,
        usd_per_run=usd * blank,
        usd_per_run_confident=1.2 * usd * blank,
        power_w=800.0 * blank * devices,
        checkpoint_bytes=np.full(count, PARAMETERS * 14),
        samples_per_s=np.full(count, 100.0),
        data_bytes_per_s=np.full(count, 1.6e6),
        data_reads_per_s=np.full(count, 98.0),
        store_lost_share=np.zeros(count),
        data_cores=np.full(count, 0.4),
        checkpoint_stall_s=np.full(count, 2.0),
        checkpoint_write_s=np.full(count, 60.0),
        checkpoint_interval_s=np.full(count, 1800.0),
        checkpoint_store_interval_s=np.full(count, 1800.0),
        checkpoint_storage_bytes=np.full(count, 4 * PARAMETERS * 14),
        evidence=draw.integers(0, 3, count),
        evidence_kind=draw.integers(0, 3, count),
        published_runs=draw.integers(0, 30, count),
        order=order,
    )


def load_curve(candidate: int, max_rate: float = 9.0) -> LoadCurve:
    rates = np.geomspace(max_rate / 50, max_rate * 0.98, 120)
    waiting = 1 / (1 - rates / max_rate)
    ttft = {name: 0.08 * factor * waiting for name, factor in STATISTICS.items()}
    tpot = {name: 0.018 * factor**0.25 * waiting**0.25 for name, factor in STATISTICS.items()}
    return LoadCurve(
        candidate=candidate,
        rates_per_s=rates,
        ttft_s=ttft,
        itl_mean_s=tpot["mean"],
        tpot_s=tpot,
        e2e_s={name: ttft[name] + 256 * tpot[name] for name in STATISTICS},
        output_tokens_per_s=rates * 256,
        batch=rates * 256 * tpot["mean"],
        kv_use=np.minimum(rates / max_rate, 1),
        max_rate_per_s=max_rate,
        slo_rate_per_s=max_rate * 0.8,
        planned_rate_per_s=max_rate * 0.55,
        low80_factor=0.82,
        high80_factor=1.26,
    )


STATISTICS = {"mean": 1.2, "p50": 1.0, "p90": 2.0, "p95": 2.6, "p99": 4.0}


def roofline(accelerator: int, workload: str = "serving") -> Roofline:
    entry = list(catalog().accelerators.values())[accelerator]
    peaks = {name: entry.peak_flop_per_s(name) for name in ("bf16", "fp8")}
    known = {name: rate for name, rate in peaks.items() if rate} or {"bf16": 1e13}
    top = max(known.values())
    bandwidth = entry.memory_bandwidth_bytes_per_s
    points = (
        RooflinePoint(
            code="prefill",
            phase="prefill",
            intensity_flop_per_byte=2200.0,
            achieved_flop_per_s=top * 0.6,
            time_s=0.1,
            resource=0,
            compute_s=0.08,
            bandwidth_s=0.015,
            host_s=0.005,
            share=1.0,
        ),
        RooflinePoint(
            code="decode",
            phase="decode",
            intensity_flop_per_byte=35.0,
            achieved_flop_per_s=35 * bandwidth * 0.7,
            time_s=0.02,
            resource=1,
            compute_s=0.003,
            bandwidth_s=0.014,
            interconnect_s=0.002,
            host_s=0.001,
            share=1.0,
        ),
        RooflinePoint(
            code="decode_attention",
            phase="decode",
            intensity_flop_per_byte=8.0,
            achieved_flop_per_s=8 * bandwidth * 0.6,
            time_s=0.006,
            resource=1,
            compute_s=0.001,
            bandwidth_s=0.005,
            share=0.3,
            precision="bf16",
        ),
    )
    training = (
        RooflinePoint(
            code="step",
            phase="training",
            intensity_flop_per_byte=900.0,
            achieved_flop_per_s=top * 0.42,
            time_s=1.0,
            resource=0,
        ),
    )
    return Roofline(
        accelerator=accelerator,
        peak_flop_per_s=known,
        measured_flop_per_s={name: rate * 0.72 for name, rate in known.items()},
        bandwidth_bytes_per_s=bandwidth,
        measured_bandwidth_bytes_per_s=bandwidth * 0.88,
        points=points if workload == "serving" else training,
        formats=("bf16",),
        batches=batch_shares() if workload == "serving" else None,
        context_tokens=1152.0,
        prompt_tokens=1024.0,
    )


def batch_shares() -> BatchShares:
    batch = np.geomspace(1, 65536, 33)
    return BatchShares(
        batch=batch,
        compute_s=batch * 2e-5,
        bandwidth_s=0.005 + batch * 8e-6,
        interconnect_s=np.full(33, 1e-3),
        host_s=np.full(33, 5e-4),
        planned_batch=24.0,
        largest_batch=300.0,
        crossover_batch=417.0,
    )


def limits(table: ServingTable) -> ServingLimits:
    contexts = np.array([2.0**power for power in range(8, 21)])
    pool = np.maximum(table.kv_pool_bytes, 0.0)
    return ServingLimits(
        concurrency=8.0,
        context_tokens=1152.0,
        model_parameters=PARAMETERS,
        model_context=131072,
        free_bytes=table.kv_pool_bytes - 8 * 1152 * 327_680.0 + 0.1 * table.memory_capacity_bytes,
        missing_bytes=np.maximum(8 * 1152 * 327_680.0 - table.kv_pool_bytes, 0.0),
        runs_out_at=np.where(table.fits, int(MemoryPart.NONE), int(MemoryPart.WEIGHTS)),
        largest_concurrency=np.floor(pool / (1152 * 327_680.0)),
        longest_context=np.floor(pool / (8 * 327_680.0)),
        largest_parameters=PARAMETERS * (table.weights_bytes + pool) / table.weights_bytes,
        contexts=contexts,
        concurrency_by_context=np.floor(pool / (contexts[:, None] * 327_680.0)),
    )


def plan(count: int = 2000) -> Plan:
    serving, training = serving_table(count), training_table(count)
    return Plan(
        accelerators=tuple(catalog().accelerators),
        precisions=PRECISIONS,
        serving=ServingPlan(
            table=serving,
            best=int(serving.order[0]),
            mean_prompt_tokens=1024.0,
            mean_output_tokens=256.0,
            peak_rate_per_s=40.0,
            limiting_slo=0,
        ),
        training=TrainingPlan(
            table=training,
            best=int(training.order[0]),
            flop_per_token=6 * PARAMETERS,
            tokens=20e9,
            framework="megatron",
        ),
        findings=(),
        calibration_digest="0" * 64,
        elapsed_s=0.08,
        verdicts=Verdicts(serving=verdict(), training=verdict(), both=verdict()),
    )


def verdict(
    level: VerdictLevel = "holds", chance: float = 0.86, reasons: tuple[str, ...] = (), weakest: str = "",
    raised_by: Raising | None = None,
) -> Verdict:  # fmt: skip
    return Verdict(
        level=level, chance=chance, confidence=0.8, weakest=weakest, weakest_chance=float("nan"), reasons=reasons,
        evidence_kind="published", raised_by=raised_by,
    )  # fmt: skip


def results(count: int = 2000) -> Results:
    answer = plan(count)
    assert answer.serving is not None
    assert answer.training is not None
    best = answer.serving.best
    question = scenario()
    return Results(
        project=Project(name="Test project", scenarios=(question,)),
        scenario=question,
        plan=answer,
        catalog=catalog(),
        load_curve=load_curve(best),
        rooflines={
            "serving": roofline(int(answer.serving.table.accelerator[best])),
            "training": roofline(int(answer.training.table.accelerator[answer.training.best]), "training"),
        },
        rivals={"serving": rivals(answer.serving), "training": rivals(answer.training, "training")},
        decision=Decision(limits=limits(answer.serving.table)),
    )


def rivals(
    answer: ServingPlan | TrainingPlan, workload: str = "serving", selected: int = -1
) -> tuple[RivalRoofline, ...]:
    marks = rival_marks(answer, answer.best if selected < 0 else selected)
    return rivals_of(marks, [roofline(int(answer.table.accelerator[one]), workload) for one in marks])


def without(answer: Plan, workload: str) -> Plan:
    return msgspec.structs.replace(answer, **{workload: None})


def explained() -> ExplainedValue:
    figure = ExplainedValue(
        name="bandwidth", title="Memory bandwidth", unit="bytes/s", value=4.8e12, source="catalogue, datasheet 2024-11"
    )
    weights = ExplainedValue(name="weights", title="Weight bytes", unit="bytes", value=35e9, expression="P × b / TP")
    return ExplainedValue(
        name="decode_step_s",
        title="Decode step",
        unit="s",
        value=0.0183,
        expression="weights / bandwidth + launch",
        source="docs/derivations/serving-step.md",
        inputs=(weights, figure),
    )
