"""What tools print, as planners keep it: consoles with progress bars and colours, several results in one log."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpuplanner_gui.domain.measurement import Measurement
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.measurements import import_file
from gpuplanner_gui.files.measurements.importer import MOST_MEASUREMENTS

SERVED = """INFO 08-25 11:02:14 [__init__.py:216] Automatically detected platform cuda.
Namespace(subparser='bench', seed=0, {padding}model='meta-llama/Llama-3.1-8B-Instruct', backend='{backend}', \
request_rate={rate}, max_concurrency={concurrency}, num_prompts=200)
Traffic request rate: {rate}
Maximum request concurrency: {concurrency}
  0%|          | 0/200\r100%|##########| 200/200 [00:20<00:00]
============ Serving Benchmark Result ============
\x1b[32mSuccessful requests:                     198       \x1b[0m
Failed requests:                         2
Benchmark duration (s):                  20.00
Total input tokens:                      202752
Total generated tokens:                  25344
Request throughput (req/s):              9.90
Output token throughput (tok/s):         1267.20
Total Token throughput (tok/s):          11404.80
---------------Time to First Token----------------
Mean TTFT (ms):                          85.50
Median TTFT (ms):                        80.25
P99 TTFT (ms):                           190.75
-----Time per Output Token (excl. 1st token)------
Mean TPOT (ms):                          12.50
---------------Inter-token Latency----------------
Median ITL (ms):                         11.75
----------------End-to-end Latency----------------
Mean {end_to_end} (ms):                          1700.00
==================================================
""".replace("\\\n", "")

TENSORRT = """[11/22/2026-10:00:00] [TRT-LLM] [I]

===========================================================
= PYTORCH BACKEND
===========================================================
Model:\t\t\tmeta-llama/Llama-3.1-8B-Instruct
Model Path:\t\tNone
TensorRT LLM Version:\t1.1.0
Dtype:\t\t\tbfloat16
KV Cache Dtype:\t\tFP8
Quantization:\t\tFP8

===========================================================
= REQUEST DETAILS
===========================================================
Number of requests:             1000
Number of concurrent requests:  63.5000
Average Input Length (tokens):  1024.0000
Average Output Length (tokens): 128.0000
===========================================================
= WORLD + RUNTIME INFORMATION
===========================================================
TP Size:                2
PP Size:                1
EP Size:                None
Issue Rate (req/sec):   7.6753E+14

===========================================================
= PERFORMANCE OVERVIEW
===========================================================
Request Throughput (req/sec):                     40.5000
Total Output Throughput (tokens/sec):             5184.0000
Total Latency (ms):                               24691.3580
Average request latency (ms):                     1567.9000
Average time-to-first-token [TTFT] (ms):          110.5000
Average time-per-output-token [TPOT] (ms):        11.4750

-- Per-Request Time-per-Output-Token [TPOT] Breakdown (ms)

[TPOT] MINIMUM: 10.0000
[TPOT] P99    : 14.2500

-- Request Latency Breakdown (ms) -----------------------

[Latency] P90    : 1800.2500
"""


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8", newline="")
    return path


def values_of(run: Measurement) -> dict[tuple[str, str], float]:
    return {(one.quantity, one.statistic): one.value for one in run.figures}


def served(rate: str = "inf", concurrency: str = "32", backend: str = "vllm", end_to_end: str = "E2EL") -> str:
    padding = "ignored=None, " * 60
    return SERVED.format(rate=rate, concurrency=concurrency, backend=backend, end_to_end=end_to_end, padding=padding)


def test_a_serving_benchmarks_console_says_what_its_json_says(tmp_path):
    found = import_file(written(tmp_path / "bench.log", served()))
    (run,) = found.measurements
    assert values_of(run) == pytest.approx({
        ("ttft", "mean"): 0.0855, ("ttft", "p50"): 0.08025, ("ttft", "p99"): 0.19075, ("tpot", "mean"): 0.0125,
        ("itl", "p50"): 0.01175, ("e2e", "mean"): 1.7, ("requests_per_s", "mean"): 9.9,
        ("output_tokens_per_s", "mean"): 1267.2, ("total_tokens_per_s", "mean"): 11404.8,
    })  # fmt: skip
    context = run.context
    assert (context.load, context.concurrency, context.prompt_tokens, context.output_tokens) == (
        "closed_loop", 32.0, 1024.0, 128.0,
    )  # fmt: skip
    assert (context.model_as_written, context.engine, context.requests) == (
        "meta-llama/Llama-3.1-8B-Instruct", "vllm", 198,
    )  # fmt: skip
    assert run.note == "2 of 200 requests failed"


def test_every_run_of_a_sweeps_log_has_its_own_load(tmp_path):
    log = served(rate="4.0", concurrency="None") + served(concurrency="8") + served(concurrency="None")
    runs = import_file(written(tmp_path / "sweep.log", log)).measurements
    assert [(run.context.load, run.context.rate_per_s, run.context.concurrency) for run in runs] == [
        ("open_loop", 4.0, 0.0), ("closed_loop", 0.0, 8.0), ("offline", 0.0, 0.0),
    ]  # fmt: skip
    assert len({run.line for run in runs}) == 3


def test_sglang_says_its_backend_and_spells_the_end_to_end_time_out(tmp_path):
    block = served(backend="none", end_to_end="E2E Latency").replace(
        "Successful", "Backend:                                 sglang-oai\nSuccessful"
    )
    (run,) = import_file(written(tmp_path / "sglang.txt", block)).measurements
    assert run.context.engine == "sglang"
    assert values_of(run)["e2e", "mean"] == pytest.approx(1.7)


def test_a_console_that_stops_before_its_figures_gets_what_is_there(tmp_path):
    whole = served()
    (run,) = import_file(written(tmp_path / "cut.log", whole[: whole.index("Mean TPOT")])).measurements
    assert ("tpot", "mean") not in values_of(run)
    assert values_of(run)["ttft", "mean"] == pytest.approx(0.0855)


def test_tensorrts_printed_report_is_read_as_its_json_is(tmp_path):
    runs = import_file(written(tmp_path / "bench.log", TENSORRT + TENSORRT.replace("63.5", "8.0"))).measurements
    assert [run.context.concurrency for run in runs] == [63.5, 8.0]
    context = runs[0].context
    assert (context.model_as_written, context.devices, context.tensor_parallel) == (
        "meta-llama/Llama-3.1-8B-Instruct", 2, 2,
    )  # fmt: skip
    assert (context.weight_precision, context.kv_precision, context.engine_version) == ("FP8", "FP8", "1.1.0")
    assert (context.load, context.rate_per_s, context.prompt_tokens) == ("closed_loop", 0.0, 1024.0)
    assert values_of(runs[0]) == pytest.approx({
        ("requests_per_s", "mean"): 40.5, ("output_tokens_per_s", "mean"): 5184.0, ("e2e", "mean"): 1.5679,
        ("ttft", "mean"): 0.1105, ("tpot", "mean"): 0.011475, ("tpot", "p99"): 0.01425, ("e2e", "p90"): 1.80025,
    })  # fmt: skip


def test_llama_bench_writes_the_same_rows_in_sql(samples, tmp_path):
    (header, *rows) = [line.split(",") for line in (samples / "llama-bench.csv").read_text().splitlines()]
    statements = "CREATE TABLE IF NOT EXISTS llama_bench (\n  build_commit TEXT\n);\n\n" + "".join(
        f"INSERT INTO llama_bench ({', '.join(header)}) VALUES ({', '.join(row)});\n".replace('"', "'") for row in rows
    )
    found = import_file(written(tmp_path / "bench.sql", statements))
    expected = import_file(samples / "llama-bench.csv")
    assert [(run.context, run.figures) for run in found.measurements] == [
        (run.context, run.figures) for run in expected.measurements
    ]


def test_what_stands_around_a_printed_table_names_devices_and_build(samples, tmp_path):
    before = "ggml_cuda_init: found 2 CUDA devices:\n" + "".join(
        f"  Device {place}: NVIDIA GeForce RTX 4090, compute capability 8.9, VMM: yes\n" for place in (0, 1)
    )
    table = (samples / "llama-bench.md").read_text()
    found = import_file(written(tmp_path / "bench.md", f"{before}{table}\nbuild: 8cf427ff (5163)\n"))
    context = found.measurements[0].context
    assert (context.devices, context.engine_version) == (2, "8cf427ff")
    assert context.accelerator_as_written.startswith("NVIDIA GeForce RTX 4090")


NCCL = """# nccl-tests version 2.18.3 nccl-headers=22907 nccl-library=22907
# Collective test starting: {name}_perf
# nThread 1 nGpus {ranks} minBytes 8 maxBytes 16
# Using devices
{devices}#       size      count    type   redop    root     time   algbw   busbw  #wrong     time   algbw  busbw #wrong
  1073741824  268435456   float     sum      -1   8000.0  134.22  {bus}      0   8100.0  132.56  230.00      0
# Out of bounds values : 0 OK
# Collective test concluded: {name}_perf
"""


def nccl(name: str, ranks: int, bus: float) -> str:
    rank = "#  Rank {0:2d} Group  0 Pid   {0} on node device  {0} [0000:0f:00] NVIDIA H100 80GB HBM3\n"
    return NCCL.format(name=name, ranks=ranks, bus=bus, devices="".join(map(rank.format, range(ranks))))


def test_several_collectives_in_one_file_keep_their_names_and_ranks(tmp_path):
    log = nccl("all_reduce", 8, 234.88) + nccl("alltoall", 4, 100.66)
    runs = import_file(written(tmp_path / "all_reduce-and-more.txt", log)).measurements
    assert [(run.context.operation, run.context.devices) for run in runs] == [("all_reduce", 8), ("all_to_all", 4)]
    assert [values_of(run)["bus_bandwidth", "mean"] for run in runs] == pytest.approx([234.88e9, 100.66e9])


@pytest.mark.parametrize(("is_within", "devices"), [(False, 16), (True, 8)])
def test_copies_of_a_server_count_unless_they_lie_within_its_devices(samples, tmp_path, is_within, devices):
    run = json.loads((samples / "sglang-bench-serving-llama70b-h200.jsonl").read_text().splitlines()[0])
    run["server_info"] = {
        "model_path": "deepseek-ai/DeepSeek-V3", "tp_size": 8, "dp_size": 2, "enable_dp_attention": is_within,
    }  # fmt: skip
    context = import_file(written(tmp_path / "run.jsonl", json.dumps(run))).measurements[0].context
    assert (context.devices, context.data_parallel, context.model_as_written) == (
        devices, 2, "deepseek-ai/DeepSeek-V3",
    )  # fmt: skip


def test_an_earlier_guidellm_names_the_model_with_its_worker(samples, tmp_path):
    report = json.loads((samples / "guidellm-report.json").read_text())
    (benchmark,) = report["benchmarks"]
    strategy = benchmark.pop("config")["strategy"]
    earlier = {"benchmarks": [benchmark | {"args": {"strategy": strategy}, "worker": {"backend_model": "org/m"}}]}
    context = import_file(written(tmp_path / "report.json", json.dumps(earlier))).measurements[0].context
    assert (context.model_as_written, context.load, context.rate_per_s) == ("org/m", "open_loop", 5.0)


def test_a_log_of_more_runs_than_are_kept_says_so(tmp_path):
    block = "= Serving Benchmark Result =\nMean TTFT (ms): 1.0\n" + "=" * 30 + "\n"
    found = import_file(written(tmp_path / "many.log", block * (MOST_MEASUREMENTS + 2)))
    assert len(found.measurements) == MOST_MEASUREMENTS
    assert "2 more results are skipped: the file has too many." in found.remarks


STEP = (
    "{prefix}iteration {step:8d}/  50 | elapsed time per iteration (ms): {time} | "
    "throughput per GPU (TFLOP/s/GPU): 400.0 | global batch size:   128 | number of skipped iterations:   0 |{end}\n"
)
ARGUMENTS = """------------------------ arguments ------------------------
  bf16 ............................................ True
  seq_length ...................................... 8192
  world_size ...................................... 64
"""


@pytest.mark.parametrize(
    ("prefix", "time", "end"),
    [
        pytest.param("\x1b[32m[default7]:\x1b[0m [2026-01-03 15:23:07] ", "{0:.1f}", "", id="colours of a launcher"),
        pytest.param(" ", "\x1b[1m{0:.1f}\x1b[0m", "", id="colours around numbers"),
        pytest.param(" ", "{0:.1f}/1500.2", "\r", id="with the average"),
        pytest.param(" ", "{0:.1f}", " x\n validation loss at iteration 5 | lm loss value: 1.2E+00 |", id="between"),
    ],
)
def test_steps_of_megatrons_log_are_those_of_the_run(tmp_path, prefix, time, end):
    times = [9000.0, 5000.0, 3000.0, *(1000.0 + step for step in range(21))]
    lines = [STEP.format(prefix=prefix, step=step, time=time.format(one), end=end) for step, one in enumerate(times)]
    (run,) = import_file(written(tmp_path / "train.log", "".join(lines))).measurements
    assert values_of(run)["step_time", "p50"] == pytest.approx(1.010)
    assert values_of(run)["model_flop_per_s_per_device", "p50"] == pytest.approx(400e12)
    assert run.context.global_batch == 128


def test_arguments_far_behind_what_libraries_say_first_are_found(tmp_path):
    noise = "node-1:17:17 [0] NCCL INFO Bootstrap : Using eth0\n" * 4000
    log = noise + ARGUMENTS + STEP.format(prefix=" ", step=1, time="1000.0", end="")
    context = import_file(written(tmp_path / "train.log", log)).measurements[0].context
    assert (context.devices, context.sequence_length, context.weight_precision) == (64, 8192, "bf16")


def test_a_trainers_console_has_the_totals_of_its_results_file(tmp_path):
    log = (
        "{'loss': 1.2, 'grad_norm': 0.3, 'learning_rate': 1e-05, 'epoch': 0.1}\n"
        "100%|###| 16/16 [00:09<00:00]\r{'train_runtime': '9.5', 'train_samples_per_second': '13.25', "
        "'train_steps_per_second': '2.5', 'train_loss': '6.8', 'epoch': '2.0'}\n"
    )
    (run,) = import_file(written(tmp_path / "console.log", log)).measurements
    assert values_of(run) == pytest.approx({("training_samples_per_s", "mean"): 13.25, ("step_time", "mean"): 0.4})
    assert (run.line, run.context.duration_s, run.phases) == (2, 9.5, ("training",))


def test_nvidia_smis_device_monitor_is_read_by_its_headings(tmp_path):
    header = (
        "#Date       Time        gpu    pwr  gtemp     sm    mem     fb\n"
        "#YYYYMMDD   HH:MM:SS    Idx      W      C      %      %     MB\n"
    )
    rows = " 20260103   10:00:0{0}      {1}    {2}     40     {3}      5   1024\n"
    log = (header + rows.format(1, 0, 500, 90) + rows.format(1, 1, "-", "-")) * 2
    first, second = import_file(written(tmp_path / "dmon.txt", log)).measurements
    assert values_of(first)["power", "mean"] == pytest.approx(500.0)
    assert values_of(first)["utilisation", "mean"] == pytest.approx(0.9)
    assert {one.quantity for one in second.figures} == {"memory_used"}


def test_samples_of_devices_that_no_column_names_are_said_to_be_taken_as_one(tmp_path):
    found = import_file(written(tmp_path / "power.csv", "power.draw [W]\n154.5 W\n164.5 W\n"))
    assert values_of(found.measurements[0])["power", "mean"] == pytest.approx(159.5)
    assert found.remarks == ("No column names the device of a sample: all samples count as one device.",)


def test_percentiles_are_taken_by_their_rank_not_by_their_digits(tmp_path):
    percentiles = {"10": 1.0, "99.9": 4.0, "0.1": 0.5, "9.9": 0.75, "9.99": 0.76}
    run = {"avg_latency": 2.0, "latencies": [2.0], "percentiles": percentiles}
    (found,) = import_file(written(tmp_path / "latency.json", json.dumps(run))).measurements
    assert values_of(found) == {("e2e", "mean"): 2.0, ("e2e", "p10"): 1.0, ("e2e", "p999"): 4.0}


def test_a_log_whose_lines_begin_with_brackets_is_not_called_json(tmp_path):
    with pytest.raises(FileProblem, match="not a known measurement format"):
        import_file(written(tmp_path / "server.log", "[2026-01-03 10:00:00] started\n" * 50))
