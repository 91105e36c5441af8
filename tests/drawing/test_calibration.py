"""Own measurements as tables and sentences: before and after, warnings across phases, drift, commands."""

from __future__ import annotations

import json
import shlex
import subprocess
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.knowledge import MemoryPoint
from gpuplanner_gui.domain.measurement import Measurement, MeasurementContext, MeasurementSet, figure
from gpuplanner_gui.domain.scenario import HardwareChoice, Project, Scenario
from gpuplanner_gui.domain.training_workload import Parallelism, TrainingWorkload
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.drawing.calibration import (
    calibration_view,
    next_commands,
    next_rows,
    set_rows,
    verdict_rows,
)
from gpuplanner_gui.drawing.evidence import evidence_rows
from gpuplanner_gui.drawing.explained_numbers import explained_number, numbers_in
from gpuplanner_gui.drawing.measuring_commands import benchmark_command
from gpuplanner_gui.drawing.numbers import numbers_of
from gpuplanner_gui.drawing.results import Decision, Results
from gpuplanner_gui.drawing.words.calibration import reserve_text
from gpuplanner_gui.drawing.words.candidates import candidate_text
from gpuplanner_gui.drawing.words.launch import launcher_for
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.evidence.knowledge import local_calibration
from gpuplanner_gui.engine.evidence.training_own import memory_reserves
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import calibrated_by, load_calibration
from gpuplanner_gui.files.measurements.sets import read_sets
from tests.engine.local_fit.conftest import shipped_prior

pytestmark = pytest.mark.usefixtures("short_simulations")

H100 = "nvidia-h100-sxm-80gb"


def served(tpot_s: float, concurrency: float = 16.0, **changes) -> Measurement:
    context = MeasurementContext(
        model="llama-3.1-8b", accelerator=H100, devices=1, tensor_parallel=1, weight_precision="fp8", engine="vllm",
        engine_version="0.9", load="closed_loop", concurrency=concurrency, prompt_tokens=1000.0, output_tokens=250.0,
    )  # fmt: skip
    return Measurement(context=msgspec.structs.replace(context, **changes), figures=(figure("tpot", tpot_s),))


TRAINED = Measurement(context=MeasurementContext(), figures=(figure("step_time", 2.0),))


def results_of(*sets: MeasurementSet) -> Results:
    """A plan for a small chat service on two accelerators, with these sets in its project."""
    catalog = load_shipped_catalog()
    scenario = Scenario(
        name="chat",
        model=catalog.models["llama-3.1-8b"].model,
        serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=20.0),), weight_precisions=("fp8",)),
        hardware=HardwareChoice(accelerators=(H100, "nvidia-h200-sxm-141gb")),
    )
    project = Project(scenarios=(scenario,), measurements=sets)
    calibration = calibrated_by(project.measurements, catalog, load_calibration())
    return Results(project=project, scenario=scenario, plan=plan(scenario, catalog, calibration), catalog=catalog)


@pytest.fixture(scope="module")
def slow() -> Results:
    runs = tuple(served(0.02 * (1 + concurrency / 100), concurrency) for concurrency in (4.0, 8.0, 16.0, 32.0))
    return results_of(MeasurementSet(name="mine", tool="vllm_serve", measurements=runs))


def test_nothing_measured_says_what_to_do_and_what_to_measure():
    results = results_of()
    view = calibration_view(results)
    assert view.sentences[0].startswith("No measurements yet")
    rows = next_rows(view, results)
    assert len(rows.cells) == 2
    titles = [one.title for one in rows.columns]
    # At 1366 pixels two columns are seen beside the run: before without after says nothing.
    assert [title.split(" (")[0] for title in titles[2:4]] == ["Step time at P90, before", "Step time at P90, after"]
    place = titles.index("Published runs (same device, software, format)")
    assert results.plan.serving is not None
    known = results.plan.serving.table.published_runs
    assert [row[place] for row in rows.cells] == [known[one.candidate] for one in view.next_runs]
    assert 0 < sum(float(row[-1]) for row in rows.cells) <= 1


def test_a_run_names_its_caches_format_as_the_plan_does(slow):
    """FP8 weights with a BF16 cache were "FP8", and a result of the command said nothing of the cache."""
    plan, (run, *_) = slow.plan, calibration_view(slow).next_runs
    table = plan.serving.table
    mixed = next(
        row for row in range(len(table.reason))
        if table.fits[row] and (plan.precisions[table.weight_precision[row]], plan.precisions[table.kv_precision[row]])
        == ("fp8", "bf16")
    )  # fmt: skip
    run = replace(run, candidate=mixed, weight_precision="fp8", kv_precision="bf16")
    view = replace(calibration_view(slow), next_runs=(run,))
    assert "FP8, BF16 KV, " in str(next_rows(view, slow).cells[0][1])
    (lines,) = next_commands(view, slow)
    assert "# a checkpoint in FP8; KV cache in BF16" in lines
    assert " kv_precision=bf16 " in lines


def test_cases_are_shown_before_and_after(slow):
    view = calibration_view(slow)
    rows = verdict_rows(view, slow)
    assert len(rows.cells) == 4
    before, after = (sum(abs(float(row[column])) for row in rows.cells) for column in (5, 7))
    assert after < before / 2
    assert all(float(row[5]) > 0 for row in rows.cells), "slower than shipped"
    assert {row[8] for row in rows.cells} == {"mine"}
    assert rows.cells[0][1] == "Llama 3.1 8B on H100 SXM5 80GB, FP8, vLLM 0.9, 4 concurrent, 1\u00a0000 + 250 tok"
    assert view.sentences[0].startswith("4 runs imported.")


def test_a_set_says_what_it_lacks():
    lacking = MeasurementSet(name="bare", tool="nemo", measurements=(TRAINED,))
    row = set_rows(calibration_view(results_of(lacking))).cells[0]
    assert row[:5] == ("not yet", "bare", "NeMo log", 1, 0)
    assert row[5] == "training"
    assert row[6] == "model, accelerator, devices, precision, engine, sequence length, global batch"


def test_training_results_are_not_used_for_serving_and_that_is_said():
    view = calibration_view(results_of(MeasurementSet(name="t", measurements=(TRAINED,))))
    assert any("does not predict inference" in sentence for sentence in view.sentences)
    assert view.verdicts == ()


def trained(devices: int, step_s: float) -> Measurement:
    context = MeasurementContext(
        model="llama-3.1-8b", accelerator=H100, devices=devices, weight_precision="bf16", engine="megatron",
        sequence_length=4096, global_batch=16 * devices,
    )  # fmt: skip
    return Measurement(context=context, figures=(figure("step_time", step_s),))


def test_scaling_is_told_inside_a_node_and_across_nodes():
    runs = tuple(trained(devices, 1.0 / 0.95**step) for step, devices in enumerate((2, 4, 8, 16, 32)))
    sentences = calibration_view(results_of(MeasurementSet(name="t", measurements=runs))).sentences
    (told,) = [sentence for sentence in sentences if "within a node" in sentence]
    assert "(3 runs)" in told
    assert "(2 runs)" in told
    assert "128 devices" in told


def test_scaling_is_that_of_one_job_and_counts_every_run_of_it():
    """Runs in another precision are another job; a second run on as many devices is one more."""
    slow = trained(64, 9.0)
    other = msgspec.structs.replace(slow, context=msgspec.structs.replace(slow.context, weight_precision="fp8"))
    runs = (*(trained(devices, 1.0) for devices in (2, 4, 8, 16)), trained(16, 1.02), other)
    sentences = calibration_view(results_of(MeasurementSet(name="t", measurements=runs))).sentences
    (told,) = [sentence for sentence in sentences if "within a node" in sentence]
    assert "(3 runs)" in told
    assert "(2 runs)" in told
    assert "On 64 devices" in told


def test_a_set_that_is_off_shows_drift_and_its_likely_cause(slow):
    used = slow.project.measurements[0]
    doubled = tuple(
        msgspec.structs.replace(run, figures=(figure("tpot", 2 * run.figures[0].value),)) for run in used.measurements
    )
    same_version = MeasurementSet(name="new", is_used=False, measurements=doubled)
    view = calibration_view(results_of(used, same_version))
    assert view.drift is not None
    assert len(view.drift.beyond) == 4
    assert "slower" in view.sentences[-1]
    newer = tuple(
        msgspec.structs.replace(run, context=msgspec.structs.replace(run.context, engine_version="0.11"))
        for run in doubled
    )
    view = calibration_view(results_of(used, msgspec.structs.replace(same_version, measurements=newer)))
    assert "The engine is 0.11 instead of 0.9" in view.sentences[-1]


def shell_accepts(lines: str) -> bool:
    """As a shell reads them, without running any."""
    return subprocess.run(["bash", "-n"], input=lines, text=True, capture_output=True, check=False).returncode == 0


def with_engine(engine: str, name: str = "Llama 3.1 8B", accelerator: str = H100, at_once: int = 0) -> tuple[str, int]:
    """What to paste for the first run that is worth making with an engine, and its requests at once."""
    catalog, calibration = load_shipped_catalog(), load_calibration()
    workload = ServingWorkload(classes=(RequestClass(peak_rate_per_s=20.0),), weight_precisions=("bf16",))
    workload = msgspec.structs.replace(workload, engine=msgspec.structs.replace(workload.engine, engine=engine))
    model = msgspec.structs.replace(catalog.models["llama-3.1-8b"].model, name=name)
    scenario = Scenario(
        name="chat", model=model, serving=workload, hardware=HardwareChoice(accelerators=(accelerator,))
    )
    results = Results(
        project=Project(scenarios=(scenario,)), scenario=scenario, plan=plan(scenario, catalog, calibration),
        catalog=catalog,
    )  # fmt: skip
    run = calibration_view(results).next_runs[0]
    run = replace(run, concurrency=at_once or run.concurrency)
    return benchmark_command(run, results), run.concurrency


@pytest.mark.parametrize(
    ("engine", "words"),
    [
        ("vllm", ("vllm serve", "--max-num-seqs", "vllm bench serve", "--max-concurrency {at_once} ", "--ignore-eos")),
        ("sglang", ("sglang.launch_server", "random-ids", "--random-range-ratio 1 ", "--max-concurrency {at_once} ")),
        ("trtllm", ("prepare-dataset", "--streaming", "--concurrency {at_once} ", "--report_json")),
        ("llama_cpp", ("llama-server", "--parallel ", "--concurrency {at_once} ")),
        ("generic", ("aiperf profile", "--concurrency {at_once} ", "--streaming")),
    ],
)
def test_commands_start_the_engine_measure_the_planned_load_and_are_safe_to_paste(engine, words):
    lines, at_once = with_engine(engine, 'Llama; rm -rf "x" $(y) `z` | w &')
    assert shell_accepts(lines)
    assert "rm -rf" not in lines
    assert "$(y)" not in lines
    assert "`" not in lines
    for one in words:
        assert one.format(at_once=at_once) in lines
    assert ("kill %1" in lines) == any("serve" in one or "launch" in one for one in words if engine != "generic")


def test_an_engines_own_benchmark_of_one_stream_is_taken_for_one_stream_alone():
    assert "llama-bench" in with_engine("llama_cpp", at_once=1)[0]
    for requests in (1, 4):
        of_mac = with_engine("mlx", accelerator="apple-m2-ultra", at_once=requests)[0]
        assert "mlx_lm.benchmark --model" in of_mac
        assert f"--batch-size {requests}" in of_mac


def test_an_engine_that_does_not_run_on_the_device_says_so_in_place_of_a_command():
    lines, _ = with_engine("sglang", accelerator="aws-trainium1")
    assert lines.startswith("# SGLang does not run on ")
    assert shell_accepts(lines)


def test_no_command_pretends_to_measure_what_it_does_not_send(slow):
    """A text benchmark of one token was proposed for images, and one of four tokens for speech."""
    audio = (RequestClass(peak_rate_per_s=20.0, request="audio"),)
    serving = msgspec.structs.replace(slow.scenario.serving, classes=audio)
    heard = replace(slow, scenario=msgspec.structs.replace(slow.scenario, serving=serving))
    (first, *_) = calibration_view(slow).next_runs
    assert "vllm" in benchmark_command(first, slow)
    assert benchmark_command(first, heard).startswith("# No benchmark tool sends requests like these:")


def test_a_result_of_the_proposed_command_needs_nothing_said(tmp_path):
    """What the command has the tool write into its file is the context that a plan needs."""
    lines, at_once = with_engine("vllm")
    (measuring,) = [line for line in lines.splitlines() if line.startswith("vllm bench")]
    stated = dict(
        word.split("=", 1) for word in shlex.split(measuring)[shlex.split(measuring).index("--metadata") + 1 :]
    )
    stated["vllm_version"] = "0.11.0"
    result = stated | {
        "date": "20261101-120000", "backend": "vllm", "model_id": "/data/checkpoints/ours", "num_prompts": 8 * at_once,
        "request_rate": "inf", "max_concurrency": at_once, "duration": 10.0, "completed": 8 * at_once,
        "total_input_tokens": 8192 * at_once, "total_output_tokens": 2048 * at_once, "request_throughput": 3.2,
        "output_throughput": 800.0, "mean_tpot_ms": 12.0, "mean_ttft_ms": 80.0,
    }  # fmt: skip
    path = tmp_path / "result.json"
    path.write_text(json.dumps(result))
    found = read_sets(path, load_shipped_catalog(), load_calibration())
    assert found.missing == ()
    context = found.sets[0].measurements[0].context
    assert (context.model, context.accelerator, context.engine_version) == ("llama-3.1-8b", H100, "0.11.0")
    assert context.kv_precision == "bf16"


def training_results(model: str, **changes) -> Results:
    catalog, calibration = load_shipped_catalog(), load_calibration()
    scenario = Scenario(
        name="train",
        model=catalog.models[model].model,
        training=msgspec.structs.replace(TrainingWorkload(tokens=1e11), **changes),
        hardware=HardwareChoice(accelerators=(H100,)),
    )
    return Results(
        project=Project(scenarios=(scenario,)), scenario=scenario, plan=plan(scenario, catalog, calibration),
        catalog=catalog,
    )  # fmt: skip


@pytest.mark.parametrize("framework", ["megatron", "fsdp"])
@pytest.mark.parametrize("model", ["llama-3.1-8b", "mixtral-8x7b", "deepseek-v3"])
def test_training_commands_are_whole(framework, model):
    results = training_results(model, framework=framework)
    for lines in next_commands(calibration_view(results), results):
        assert shell_accepts(lines)
        assert "{" not in lines


def test_fsdp_is_timed_with_the_launcher_that_the_flags_name():
    """Accelerate neither divides layers nor recomputes selectively: torchtitan is what runs such a plan."""
    sizes = Parallelism(tensor=2, pipeline=2)
    results = training_results("llama-3.1-8b", framework="fsdp", parallelism=sizes, recompute="selective")
    assert launcher_for(results, "training") == "torchtitan"
    (run,) = calibration_view(results).next_training
    (lines,) = next_commands(calibration_view(results), results)
    words = shlex.split(lines)
    assert "torchtitan.train" in words
    assert words[words.index("--metrics.log_freq") + 1] == "1"
    local, whole = (int(words[words.index(f"--training.{name}_batch_size") + 1]) for name in ("local", "global"))
    assert whole == run.global_batch == local * run.devices // 4


def test_deepspeed_is_timed_by_a_script_that_reads_its_configuration():
    """Transformers' Trainer takes the file by --deepspeed, and knows no --deepspeed_config."""
    results = training_results("llama-3.1-8b", framework="deepspeed")
    (lines,) = next_commands(calibration_view(results), results)
    words = shlex.split(lines)
    assert words[words.index("--deepspeed") + 1] == "launch.yaml"
    assert "run_clm.py" in words
    assert "TRAIN_SCRIPT" not in lines
    assert "--deepspeed_config" not in lines
    assert shell_accepts(lines)


def test_adapters_are_timed_by_the_library_that_trains_them():
    results = training_results("llama-3.1-8b", method="lora")
    (lines,) = next_commands(calibration_view(results), results)
    assert shell_accepts(lines)
    assert "trl sft" in lines
    assert {"--use_peft", "--logging_steps", "--max_steps"} <= set(shlex.split(lines))


def test_a_megatron_run_builds_the_planners_model_without_data_or_checkpoint():
    results = training_results("mixtral-8x7b")
    (lines,) = next_commands(calibration_view(results), results)
    words = shlex.split(lines)
    model = results.scenario.model
    assert words[words.index("--hidden-size") + 1] == str(model.hidden_size)
    assert words[words.index("--num-query-groups") + 1] == "8"
    assert words[words.index("--num-experts") + 1] == "8"
    assert words[words.index("--moe-router-topk") + 1] == "2"
    assert words[words.index("--train-iters") + 1] == "50"
    assert {"--swiglu", "--mock-data", "--log-throughput"} <= set(words)
    assert "--save-interval" not in words


def test_layers_that_arguments_cannot_describe_are_left_to_the_planner():
    results = training_results("deepseek-v3")
    commands = next_commands(calibration_view(results), results)
    assert commands
    assert all("MODEL_ARGUMENTS=" in lines and "--hidden-size" not in lines for lines in commands)


def test_state_that_is_spread_over_many_copies_is_measured_on_as_many_as_hold_it():
    """A 70B model's optimizer on one node's copies would not fit: nobody could make that run."""
    results = training_results(
        "llama-3.1-70b", framework="fsdp", parallelism=Parallelism(tensor=1, pipeline=1), offload="none"
    )
    (run,) = calibration_view(results).next_training
    state_bytes = 70.6e9 * 12
    capacity = results.catalog.accelerators[H100].memory_bytes
    assert run.devices * capacity > state_bytes


def test_training_is_measured_on_one_node_first():
    catalog = load_shipped_catalog()
    scenario = Scenario(
        name="train",
        model=catalog.models["llama-3.1-8b"].model,
        training=TrainingWorkload(tokens=1e11),
        hardware=HardwareChoice(accelerators=(H100,), training_devices=64),
    )
    calibration = load_calibration()
    results = Results(
        project=Project(scenarios=(scenario,)), scenario=scenario, plan=plan(scenario, catalog, calibration),
        catalog=catalog,
    )  # fmt: skip
    view = calibration_view(results)
    (run,) = view.next_training
    assert run.devices <= 8
    assert 0 < run.width_after < run.width_before
    assert run.global_batch % run.micro_batch == 0
    command = shlex.split(next_commands(view, results)[0])
    assert command[command.index("--nproc-per-node") + 1] == str(run.devices)
    assert command[command.index("--global-batch-size") + 1] == str(run.global_batch)
    assert command[command.index("--num-layers") + 1] == "32"
    assert command[command.index("--num-attention-heads") + 1] == "32"
    assert {one.workload for one in view.evidence} == {"training"}


def test_it_is_said_what_the_plan_would_be_without_the_measurements(slow):
    (told,) = [line for line in calibration_view(slow).sentences if "Without these measurements" in line]
    without = results_of().plan.serving
    assert without is not None
    assert told.startswith("Serving: 1 × ")
    assert f"measurements: {candidate_text(results_of().plan, slow.catalog, 'serving', without.best)}" in told
    was, now = told.split("Without these measurements")[::-1]
    assert now.count("/month") == was.count("/month") == 1


def test_a_single_case_is_not_said_to_be_predicted_by_others():
    (first, *_) = calibration_view(results_of(MeasurementSet(name="one", measurements=(served(0.02),)))).sentences
    assert first.startswith("1 run imported. The prediction was off by ")
    assert "other" not in first


def test_runs_are_counted_and_not_their_values():
    runs = [served(0.02), served(0.03, 32.0)]
    both = tuple(
        msgspec.structs.replace(one, figures=(*one.figures, figure("prefill_tokens_per_s", 20_000.0))) for one in runs
    )
    view = calibration_view(results_of(MeasurementSet(name="two", measurements=both)))
    assert len(view.verdicts) == 4
    assert view.sentences[0].startswith("2 runs imported.")


def test_a_set_that_is_excluded_is_said_to_be_and_nothing_to_be_missing():
    whole = MeasurementSet(name="whole", is_used=False, measurements=(served(0.02),))
    assert calibration_view(results_of(whole)).sentences[0] == (
        "Every set is excluded: plans do not use these measurements."
    )


def test_cases_of_other_models_and_devices_are_said_to_change_nothing():
    other = MeasurementSet(
        name="o", measurements=(served(0.05, model="llama-3.1-70b", devices=4, tensor_parallel=4), served(0.02))
    )
    sentences = calibration_view(results_of(other)).sentences
    assert any("1 of 2 measured runs use this plan's model" in line and "Llama 3.1 70B" in line for line in sentences)
    away = MeasurementSet(name="a", measurements=(served(0.05, accelerator="nvidia-l40s"),))
    sentences = calibration_view(results_of(away)).sentences
    assert any("no measured run uses this plan's model and accelerators (L40S" in one for one in sentences)
    assert not any("Without these measurements" in line for line in sentences)


def test_the_release_that_plans_are_for_is_named_where_several_were_measured(slow):
    old = MeasurementSet(name="old", measurements=tuple(served(0.03, at, engine_version="0.6.1") for at in (4.0, 16.0)))
    sentences = calibration_view(results_of(*slow.project.measurements, old)).sentences
    assert any("assume vLLM 0.9" in line and "0.6.1 count less" in line for line in sentences)
    assert not any("count less." in line for line in calibration_view(slow).sentences)


@pytest.mark.parametrize(
    ("bytes_per_token", "words"),
    [(131_072.0, "as expected for the KV cache"), (0.0, "reserves it"), (3e5, "Check the cache format")],
)
def test_memory_that_grows_with_load_is_set_beside_the_cache(bytes_per_token, words):
    runs = []
    for concurrency in (4.0, 16.0, 64.0):
        one = served(0.02, concurrency, kv_precision="bf16")
        used = figure("memory_used", 2e10 + bytes_per_token * 1250.0 * concurrency)
        runs.append(msgspec.structs.replace(one, figures=(used,)))
    view = calibration_view(results_of(MeasurementSet(name="memory", measurements=tuple(runs))))
    (told,) = [sentence for sentence in view.sentences if "memory" in sentence]
    assert words in told


def test_operations_timed_alone_are_said_to_be_a_record():
    context = MeasurementContext(accelerator=H100, weight_precision="bf16", operation="gemm")
    timed = Measurement(context=context, figures=(figure("flop_per_s", 5e14),))
    sentences = calibration_view(results_of(MeasurementSet(name="probe", measurements=(timed,)))).sentences
    assert any("(gemm) are stored" in sentence for sentence in sentences)


def test_timings_that_plans_rest_on_are_told_with_what_they_changed():
    context = MeasurementContext(accelerator="amd-mi300x", weight_precision="bf16", operation="gemm", devices=1)
    runs = []
    for m, seconds in ((1, 8e-5), (256, 2e-4), (2048, 1.2e-3)):
        named = msgspec.structs.replace(context, shape=f"m={m} n=28672 k=4096")
        runs.append(Measurement(context=named, figures=(figure("kernel_time", seconds, "p50"),)))
    wide = msgspec.structs.replace(context, weight_precision="fp32")
    runs.append(Measurement(context=wide, figures=(figure("kernel_time", 1e-3, "p50"),)))
    results = results_of(MeasurementSet(name="probe", measurements=tuple(runs[:3])))
    sentences = calibration_view(results).sentences
    assert "timings of single operations" in sentences[0]
    (told,) = [one for one in sentences if one.startswith("Matrix products (BF16) on Instinct MI300X: 3 timings took ")]
    assert "instead of ±" in told
    assert not any("are stored" in one for one in calibration_view(results).sentences)
    step = msgspec.structs.replace(context, operation="block")
    runs.append(Measurement(context=step, figures=(figure("kernel_time", 0.01, "p50", "training"),)))
    both = calibration_view(results_of(MeasurementSet(name="probe", measurements=tuple(runs)))).sentences
    assert any("(gemm, block) are stored" in one for one in both)
    assert not any("Training measurements" in one for one in both)


def test_memory_of_training_runs_shifts_what_plans_reserve_by_a_shrunk_middle():
    training = TrainingWorkload(tokens=1e10, sequence_length=4096, global_batch_tokens=128 * 4096)
    context = MeasurementContext(
        model="llama-3.1-8b", accelerator=H100, devices=8, weight_precision="bf16", engine="megatron",
        sequence_length=4096, global_batch=128,
    )  # fmt: skip

    def runs(*used: float) -> MeasurementSet:
        return MeasurementSet(
            name="m",
            measurements=tuple(
                Measurement(context=context, figures=(figure("memory_used", one, "max"),)) for one in used
            ),
        )

    catalog = load_shipped_catalog()
    base = context_of(catalog, load_calibration())
    predicted = local_calibration((runs(50e9),), base, shipped_prior()).memory[0].predicted_bytes
    sets = runs(predicted + 3 * 2**30, predicted + 2 * 2**30, predicted + 60e9)
    scenario = Scenario(
        name="train", model=catalog.models["llama-3.1-8b"].model, training=training,
        hardware=HardwareChoice(accelerators=(H100,), training_devices=8),
    )  # fmt: skip
    own = calibrated_by((sets,), catalog, load_calibration())
    found = plan(scenario, catalog, own)
    shipped = plan(scenario, catalog, load_calibration())
    shift = 3 * 2**30 * 3 * 1.5**2 / (3 * 1.5**2 + 2.0**2)
    changed = [float(np.median(one.training.table.runtime_bytes)) for one in (found, shipped)]
    assert changed[0] - changed[1] == pytest.approx(shift, rel=0.05)
    project = Project(scenarios=(scenario,), measurements=(sets,))
    view = calibration_view(Results(project=project, scenario=scenario, plan=found, catalog=catalog))
    (told,) = [sentence for sentence in view.sentences if "than predicted" in sentence]
    assert "3 measured runs use 3 GB more per device than predicted" in told


def test_memory_is_told_by_the_frameworks_that_ran():
    """DeepSpeed is a group of its own; the Trainer shifts what FSDP takes, and is named beside it."""
    point = MemoryPoint(model="m", model_id="llama-3.1-8b", engine="fsdp", measured_bytes=9e9, predicted_bytes=8e9)
    points = (
        point,
        msgspec.structs.replace(point, ran="hf_trainer"),
        msgspec.structs.replace(point, engine="deepspeed"),
    )
    told = [reserve_text(one, load_shipped_catalog()) for one in memory_reserves(points, shipped_prior().memory)]
    assert [sentence.partition(":")[0] for sentence in told] == [
        "Memory of Llama 3.1 8B with FSDP, Hugging Face Trainer",
        "Memory of Llama 3.1 8B with DeepSpeed",
    ]


def test_numbers_of_the_tables_are_found_as_they_are_written(slow):
    """What a planner points at is found by its words, unit and all, and says where it comes from."""
    view = calibration_view(slow)
    shown = replace(slow, decision=Decision(calibration=view))
    numbers = list(numbers_of(shown, "calibrate"))
    row = verdict_rows(view, slow).cells[0]
    for column, place in ((3, "verdicts/0/point/measured"), (4, "verdicts/0/point/predicted"), (6, "verdicts/0/after")):
        meant = {one.place for one in numbers_in(str(row[column]), numbers)}
        assert place in meant
        found = explained_number(shown, load_calibration(), "calibration", place)
        assert found.inputs or found.source
    case = view.evidence[0]
    written = str(evidence_rows(view.evidence, slow.catalog).cells[0][4])
    assert case.measured in {one.value for one in numbers_in(written, numbers)}
