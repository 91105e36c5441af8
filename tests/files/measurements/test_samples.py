"""Every sample file imports, and its figures are those that stand in it."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from gpuplanner_gui.domain.measurement import Measurement
from gpuplanner_gui.files.measurements import import_file

SAMPLES = Path(__file__).resolve().parent / "samples"

EXPECTED: dict[str, Any] = {
    "aiperf-profile_export.jsonl": ("aiperf_records", 1, ("ttft", "mean", 0.0472739), {"output_tokens": 48.0}),
    "aiperf-profile_export_aiperf.csv": ("aiperf_csv", 1, ("ttft", "p95", 0.06045), {"prompt_tokens": 64.0}),
    "aiperf-profile_export_aiperf.json": ("aiperf_json", 1, ("ttft", "p95", 0.0604511124), {"concurrency": 4.0}),
    "guidellm-report.json": ("guidellm_json", 1, ("e2e", "mean", 0.15141069889), {"rate_per_s": 5.0}),
    "guidellm-report.csv": ("guidellm_csv", 1, ("e2e", "mean", 0.15141069889), {"rate_per_s": 5.0}),
    "mlperf-loadgen-offline-token-latency-mlperf_log_summary.txt": (
        "loadgen", 1, ("output_tokens_per_s", "mean", 980.894), {"load": "offline"},
    ),
    "mlperf-loadgen-server-mlperf_log_summary.txt": (
        "loadgen", 1, ("e2e", "p99", 0.020171864), {"rate_per_s": 19.13},
    ),
    "mlperf-loadgen-server-token-latency-mlperf_log_summary.txt": (
        "loadgen", 1, ("tpot", "p999", 0.000963237), {"load": "open_loop"},
    ),
    "hf-trainer_state.json": ("hf_trainer", 1, ("step_time", "p50", 0.2992), {"micro_batch": 8}),
    "hf-train_results.json": ("hf_results", 1, ("training_samples_per_s", "mean", 13.251), {"duration_s": 9.6596}),
    "torch-profiler-key-averages.txt": ("torch_profiler", 3, ("kernel_share", "mean", 0.8322), {"operation": "other"}),
    "deepspeed-flops-profiler.txt": ("deepspeed_profiler", 1, ("forward_time", "mean", 4.47), {"devices": 0}),
    "deepspeed-engine.constructed.txt": ("deepspeed_profiler", 1, ("step_time", "mean", 0.18473), {"devices": 8}),
    "llama-bench.json": ("llama_bench", 2, ("prefill_tokens_per_s", "mean", 7100.002165), {"prompt_tokens": 512.0}),
    "llama-bench.csv": ("llama_bench", 2, ("prefill_tokens_per_s", "mean", 7285.676949), {"weight_precision": "int4"}),
    "llama-bench.md": ("llama_bench", 4, ("prefill_tokens_per_s", "sd", 23.45), {"engine": "llama.cpp"}),
    "sglang-bench-serving-llama70b-h200.jsonl": ("sglang_serving", 7, ("itl", "p50", 0.013638956), {"rate_per_s": 1.0}),
    "sglang-bench-serving-offline.jsonl": (
        "sglang_serving", 1, ("output_tokens_per_s", "mean", 12412.3947), {"load": "offline", "rate_per_s": 0.0},
    ),
    "megatron-train.log": ("megatron", 1, ("step_time", "p50", 271.607), {"global_batch": 1024}),
    "megatron-older.constructed.log": (
        "megatron", 1, ("model_flop_per_s_per_device", "p50", 165.275e12),
        {"global_batch": 256, "sequence_length": 2048, "devices": 64, "tensor_parallel": 8, "weight_precision": "bf16"},
    ),
    "nemo.constructed.log": ("nemo", 1, ("step_time", "p50", 12.5), {"global_batch": 512}),
    "nccl-all_reduce.constructed.txt": (
        "nccl_tests", 3, ("collective_time", "mean", 20e-6), {"operation": "all_reduce", "devices": 4},
    ),
    "nccl-16ranks.constructed.txt": ("nccl_tests", 2, ("bus_bandwidth", "mean", 37.5e9), {"devices": 16}),
    "nvidia-smi.constructed.csv": ("nvidia_smi", 2, ("power", "mean", 550.0), {"requests": 2}),
    "dcgmi-dmon.constructed.txt": ("dcgmi", 2, ("power", "mean", 655.5), {"devices": 1}),
    "dcgm-exporter.constructed.txt": (
        "dcgm_exporter", 1, ("memory_used", "mean", 2.0**30), {"accelerator_as_written": "NVIDIA H200"},
    ),
    "trtllm-bench-report.constructed.json": ("trtllm_bench", 1, ("tpot", "mean", 0.01403), {"tensor_parallel": 1}),
    "vllm-bench-latency.constructed.json": ("vllm_latency", 1, ("e2e", "p90", 1.207), {"load": "batch"}),
    "vllm-bench-throughput.constructed.json": (
        "vllm_throughput", 1, ("total_tokens_per_s", "mean", 31063.72667), {"load": "offline"},
    ),
    "vllm-bench-serve.constructed.json": (
        "vllm_serve", 2, ("tpot", "mean", 0.0185), {"devices": 2, "output_tokens": 250.0, "measured_on": "2026-01-03"},
    ),
    "probe-cpu.json": ("probe", 38, ("kernel_time", "p50", 0.0559935), {"engine": "pytorch", "operation": "block"}),
    "probe-cpu-2.json": ("probe", 56, ("kernel_time", "p50", 0.1199304), {"device_kind": "cpu"}),
    "probe-h200.json": ("probe", 91, ("kernel_time", "p50", 0.0015675), {"accelerator_as_written": "NVIDIA H200"}),
    "vllm-bench-serve-h200.jsonl": (
        "vllm_serve", 2, ("tpot", "mean", 0.00489197), {"concurrency": 1.0, "prompt_tokens": 1024.0},
    ),
    "probe-l40s.constructed.json": (
        "probe", 35, ("kernel_time", "p50", 5.0287e-05), {"accelerator_as_written": "NVIDIA L40S"},
    ),
    "genai-perf.constructed.json": ("aiperf_json", 1, ("tpot", "p99", 0.017), {"concurrency": 10.0}),
    "genai-perf.constructed.csv": ("aiperf_csv", 1, ("tpot", "p50", 0.028), {"output_tokens": 201.5, "requests": 64}),
    "table.constructed.csv": ("table", 2, ("ttft", "p95", 0.18), {"devices": 1, "concurrency": 16.0}),
}  # fmt: skip


def value_of(run: Measurement, quantity: str, statistic: str) -> float:
    return next(one.value for one in run.figures if (one.quantity, one.statistic) == (quantity, statistic))


@pytest.mark.parametrize("name", EXPECTED)
def test_sample_imports_with_its_figures_and_context(name):
    tool, runs, (quantity, statistic, value), context = EXPECTED[name]
    found = import_file(SAMPLES / name)
    assert (found.tool, len(found.measurements)) == (tool, runs)
    first = found.measurements[0]
    assert value_of(first, quantity, statistic) == pytest.approx(value, rel=1e-4)
    assert {key: getattr(first.context, key) for key in context} == context


def test_every_sample_has_its_source_and_an_expectation():
    with (SAMPLES / "SOURCES.csv").open(encoding="utf-8", newline="") as table:
        listed = {row["file"] for row in csv.DictReader(table)}
    present = {path.name for path in SAMPLES.iterdir()} - {"SOURCES.csv"}
    assert listed == present == set(EXPECTED)


def test_a_table_and_a_report_of_the_same_run_agree_figure_by_figure():
    """GuideLLM's table lists its percentiles without names, from the least to the largest and without the median."""
    table, report = (import_file(SAMPLES / f"guidellm-report.{ending}").measurements[0] for ending in ("csv", "json"))
    named = {(one.quantity, one.statistic): one.value for one in report.figures}
    shared = [one for one in table.figures if (one.quantity, one.statistic) in named]
    assert len(shared) > 30
    assert {(one.quantity, one.statistic): one.value for one in shared} == pytest.approx(
        {(one.quantity, one.statistic): named[one.quantity, one.statistic] for one in shared}
    )


def test_a_summarys_grouped_digits_are_read():
    """GenAI-Perf writes `"1,250.40"` from a thousand on."""
    run = import_file(SAMPLES / "genai-perf.constructed.csv").measurements[0]
    assert value_of(run, "ttft", "mean") == pytest.approx(1.2504)
    assert value_of(run, "e2e", "p99") == pytest.approx(9.8008)
    assert run.context.prompt_tokens == pytest.approx(2048.25)


def test_an_invalid_contest_run_imports_with_the_reason_noted():
    found = import_file(SAMPLES / "mlperf-loadgen-server-mlperf_log_summary.txt")
    assert found.measurements[0].note.startswith("LoadGen calls the run INVALID.")
    assert "399 more queries" in found.measurements[0].note


def test_of_what_a_contest_run_lacks_headings_without_text_are_left_out():
    found = import_file(SAMPLES / "mlperf-loadgen-server-token-latency-mlperf_log_summary.txt")
    assert "INVALID. TPOT Early Stopping Result: Run unsuccessful." in found.measurements[0].note


def test_counts_that_differ_between_client_and_server_are_remarked():
    found = import_file(SAMPLES / "aiperf-profile_export_aiperf.json")
    assert any("48" in remark and "16" in remark for remark in found.remarks)


def test_warm_up_steps_are_left_out_of_a_log_that_is_long_enough():
    run = import_file(SAMPLES / "nemo.constructed.log").measurements[0]
    assert value_of(run, "step_time", "p90") == pytest.approx(12.5)
    assert run.line == 2


def test_large_messages_are_not_averaged_with_tiny_ones():
    runs = import_file(SAMPLES / "nccl-all_reduce.constructed.txt").measurements
    assert value_of(runs[-1], "bus_bandwidth", "mean") == pytest.approx(402.65e9)
    assert runs[-1].context.message_bytes == 2**30


def test_a_missing_power_reading_is_no_zero():
    silent = import_file(SAMPLES / "nvidia-smi.constructed.csv").measurements[1]
    assert "power" not in {one.quantity for one in silent.figures}


def test_a_limit_on_concurrency_at_an_unlimited_rate_is_a_closed_loop():
    context = import_file(SAMPLES / "vllm-bench-serve.constructed.json").measurements[1].context
    assert (context.load, context.concurrency, context.rate_per_s) == ("closed_loop", 32.0, 0.0)


def test_failed_requests_are_noted():
    assert import_file(SAMPLES / "vllm-bench-serve.constructed.json").measurements[0].note == "2 of 200 requests failed"


def test_phases_are_tagged():
    serving = import_file(SAMPLES / "vllm-bench-serve.constructed.json").measurements[0]
    assert set(serving.phases) == {"prefill", "decode", "serving"}
    assert import_file(SAMPLES / "nemo.constructed.log").measurements[0].phases == ("training",)
