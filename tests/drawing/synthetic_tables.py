"""Tables of candidates with the shape of real ones, drawn at random: synthetic plans are made of them."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.plan import Reason, ServingTable, TrainingTable
from gpuplanner_gui.files.catalogs import load_shipped_catalog

PRECISIONS = ("bf16", "fp8", "int8", "int4")
WEIGHT_BYTES = np.array([2.0, 1.0, 1.0, 0.55])
PARAMETERS = 70e9


@cache
def catalog() -> Catalog:
    return load_shipped_catalog()


def same(names: tuple[str, ...], values: np.ndarray) -> dict[str, Any]:
    """The same values in several columns."""
    return dict.fromkeys(names, values)


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
    known = {
        "batch": batch,
        "decode_compute_s": compute_s,
        "decode_bandwidth_s": bandwidth_s,
        "decode_interconnect_s": interconnect_s,
        "decode_host_s": host_s,
        "decode_step_s": step,
        "prefill_s": 0.1,
        "ttft_mean_s": ttft * 0.6,
        "ttft_p50_s": ttft * 0.5,
        "ttft_p95_s": ttft,
        "ttft_p99_s": ttft * 1.4,
        "tpot_mean_s": step,
        "tpot_p95_s": step * 1.2,
        "itl_p99_s": step * 2,
        "e2e_mean_s": (ttft + 256 * step),
        "e2e_p95_s": (1.8 * ttft + 256 * step),
        "ttft_low80_s": ttft * 0.82,
        "ttft_high80_s": ttft * 1.26,
        "tpot_low80_s": step * 0.9,
        "tpot_high80_s": step * 1.1,
        "max_rate_per_s": max_rate,
        "slo_rate_per_s": slo_rate,
        "replicas": replicas,
        "replicas_expected": replicas,
        "devices": devices,
        "load_per_replica_per_s": 40 / replicas,
        "headroom": (slo_rate * replicas / 40 - 1),
        "draft_gain": np.ones(len(blank)),
        "output_tokens_per_s_per_device": 40 * 256 / devices,
        "usd_per_hour": usd_per_hour,
        "usd_per_month": usd_per_hour * 730.5,
        "usd_per_million_output_tokens": cost,
        "usd_per_million_input_tokens": cost / 8,
        "usd_per_request": cost * 256e-6,
        "power_w": devices * 700 * 1.25,
    }
    return ServingTable(
        accelerator=accelerator,
        tensor_parallel=tensor,
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
        limit=limit,
        paid_devices=devices,
        unit_devices=np.ones(count),
        owned_devices=np.zeros(count),
        usd_per_device_hour=price,
        owned_usd_per_device_hour=np.zeros(count),
        running_share=np.ones_like(price),
        draw_share=np.ones_like(price),
        evidence=draw.integers(0, 3, count),
        evidence_kind=draw.integers(0, 3, count),
        published_runs=draw.integers(0, 30, count),
        order=order,
        **same(("pipeline_parallel", "attention_data_parallel", "expert_parallel"), np.ones(count, dtype=np.int64)),
        **same(
            (
                "prefill_tensor_parallel",
                "prefill_data_parallel",
                "prefill_expert_parallel",
                "prefill_workers",
                "decode_workers",
                "draft_tokens",
            ),
            np.zeros(count, dtype=np.int64),
        ),
        **same(
            (
                "prefill_weights_bytes",
                "prefill_kv_cache_bytes",
                "prefill_activation_bytes",
                "prefill_runtime_bytes",
                "prefill_kv_pool_bytes",
                "transfer_s",
            ),
            np.full(count, np.nan),
        ),
        **{name: value * blank for name, value in known.items()},
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
    known = {
        "step_time_s": step,
        "step_low80_s": step * 0.9,
        "step_high80_s": step * 1.12,
        "tokens_per_s": tokens_per_step / step,
        "tokens_per_s_per_device": tokens_per_step / step / devices,
        "mfu": compute * 0.55 / step,
        "hfu": compute * 0.6 / step,
        "run_time_s": run_time,
        "run_time_confident_s": 1.2 * run_time,
        "device_hours": devices * run_time / 3600 * 1.15,
        "energy_j": devices * run_time * 800,
        "usd_per_run": usd,
        "usd_per_run_confident": 1.2 * usd,
    }
    return TrainingTable(
        accelerator=accelerator,
        devices=devices,
        tensor_parallel=tensor,
        pipeline_parallel=pipeline,
        data_parallel=data,
        expert_tensor_parallel=tensor,
        zero_stage=zero,
        recompute=draw.integers(0, 3, count),
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
        steps=np.full(count, steps),
        goodput=np.full(count, 0.95),
        paid_devices=devices.astype(float),
        unit_devices=np.ones(count),
        usd_per_device_hour=price,
        power_w=800.0 * blank * devices,
        draw_share=blank,
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
        **same(
            ("context_parallel", "expert_parallel", "micro_batch", "virtual_stages"), np.ones(count, dtype=np.int64)
        ),
        **same(
            ("schedule", "sharding_group", "offload", "activation_offload", "limit"), np.zeros(count, dtype=np.int64)
        ),
        **{name: value * blank for name, value in known.items()},
    )
