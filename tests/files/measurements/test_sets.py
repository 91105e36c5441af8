"""Context: names found in the catalogues, what the planner states, what is refused; sets that are mailed."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.measurement import figure, missing_context
from gpuplanner_gui.drawing.words.calibration import case_text
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.knowledge import calibrated_by
from gpuplanner_gui.files.measurements import import_file, sets
from gpuplanner_gui.files.measurements.sets import (
    added,
    completed,
    holds_measurements,
    load_sets,
    on_machines,
    read_sets,
    save_sets,
)


def first_run(found):
    return found.sets[0].measurements[0]


def test_names_are_found_in_the_catalogues(samples, catalog, calibration):
    context = first_run(read_sets(samples / "vllm-bench-serve.constructed.json", catalog, calibration)).context
    assert (context.model, context.accelerator, context.engine) == ("llama-3.1-8b", "nvidia-l40s", "vllm")


def test_a_figure_without_its_context_is_refused_until_it_is_stated(samples, catalog, calibration):
    path = samples / "vllm-bench-serve.constructed.json"
    bare = read_sets(path, catalog, calibration)
    assert bare.missing == ("weight_precision",)
    assert missing_context(first_run(bare)) == ("weight_precision",)
    stated = read_sets(path, catalog, calibration, {"precision": "bf16"})
    assert stated.missing == ()
    assert first_run(stated).context.weight_precision == "bf16"


def test_context_can_be_completed_later(samples, catalog, calibration):
    bare = read_sets(samples / "vllm-bench-serve.constructed.json", catalog, calibration).sets[0]
    done = completed(bare, {"precision": "FP8"}, catalog, calibration)
    assert [missing_context(run) for run in done.measurements] == [(), ()]
    assert done.measurements[0].context.weight_precision == "fp8"


def test_virtual_machines_are_stated_with_what_they_lose(samples, catalog, calibration):
    path = samples / "vllm-bench-serve.constructed.json"
    found = read_sets(path, catalog, calibration, {"precision": "bf16", "virtualisation": "0.03"})
    assert {run.context.virtualisation_loss for run in found.sets[0].measurements} == {0.03}
    bare = on_machines(found.sets[0], 0.0)
    assert {run.context.virtualisation_loss for run in bare.measurements} == {0.0}


def test_a_name_that_no_catalogue_has_counts_as_missing(samples, catalog, calibration):
    found = read_sets(samples / "aiperf-profile_export_aiperf.json", catalog, calibration)
    assert "model" in found.missing
    assert first_run(found).context.model_as_written == "mock-8b"


def test_frameworks_go_with_the_one_whose_habits_they_share(samples, catalog, calibration):
    assert first_run(read_sets(samples / "nemo.constructed.log", catalog, calibration)).context.engine == "megatron"
    assert first_run(read_sets(samples / "llama-bench.json", catalog, calibration)).context.engine == "llama_cpp"


@pytest.mark.parametrize(
    ("sample", "name"),
    [
        ("hf-trainer_state.json", "Hugging Face Trainer"),
        ("hf-train_results.json", "Hugging Face Trainer"),
        ("deepspeed-engine.constructed.txt", "DeepSpeed"),
        ("deepspeed-flops-profiler.txt", "DeepSpeed"),
        ("megatron-train.log", "Megatron"),
    ],
)
def test_a_case_is_called_by_the_framework_that_ran(samples, catalog, calibration, sample, name):
    """Whose habits it shares is no name for it: nothing of DeepSpeed's log is FSDP."""
    stated = {
        "model": "Llama 3.1 8B", "accelerator": "H100 SXM", "devices": "8", "precision": "bf16",
        "sequence_length": "4096", "global_batch": "512",
    }  # fmt: skip
    found = read_sets(samples / sample, catalog, calibration, stated)
    for one in (found.sets[0], completed(found.sets[0], {"global_batch": "512"}, catalog, calibration)):
        run = one.measurements[0]
        assert missing_context(run) == ()
        assert name in case_text(run.context, catalog)
        assert "FSDP" not in case_text(run.context, catalog)


def test_a_framework_that_is_stated_takes_the_place_of_the_one_in_the_file(samples, catalog, calibration):
    found = read_sets(samples / "hf-trainer_state.json", catalog, calibration, {"engine": "torchtitan"})
    assert first_run(found).context.engine == "fsdp"
    assert "torchtitan" in case_text(first_run(found).context, catalog).lower()
    plain = read_sets(samples / "hf-trainer_state.json", catalog, calibration, {"engine": "fsdp"})
    assert "FSDP" in case_text(first_run(plain).context, catalog)


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ({"colour": "red"}, "no such context field"),
        ({"devices": "many"}, "not a number above 0"),
        ({"load": "heavy"}, "not a kind of load"),
    ],
)
def test_a_statement_that_can_not_be_gets_a_sentence(stated, words, samples, catalog, calibration):
    with pytest.raises(FileProblem, match=words):
        read_sets(samples / "nemo.constructed.log", catalog, calibration, stated)


def test_sets_are_mailed_and_read_back_the_same(samples, catalog, calibration, tmp_path):
    sets = read_sets(samples / "vllm-bench-serve.constructed.json", catalog, calibration, {"precision": "bf16"}).sets
    save_sets(tmp_path / "mine.gpumeasure", sets)
    assert load_sets(tmp_path / "mine.gpumeasure") == sets
    assert read_sets(tmp_path / "mine.gpumeasure", catalog, calibration).sets == sets


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("version", 99), "newer program"),
        (("version", 0), "not a positive whole number"),
        (("format", "other"), "not a file of measurements"),
        (("surprise", 1), "surprise"),
    ],
)
def test_a_foreign_or_newer_set_file_gets_a_sentence(change, words, tmp_path):
    save_sets(tmp_path / "set.gpumeasure", ())
    data = msgspec.json.decode((tmp_path / "set.gpumeasure").read_bytes())
    data[change[0]] = change[1]
    (tmp_path / "set.gpumeasure").write_bytes(msgspec.json.encode(data))
    with pytest.raises(FileProblem, match=words):
        load_sets(tmp_path / "set.gpumeasure")


def test_a_set_that_was_mailed_by_version_one_gets_the_framework_that_ran(tmp_path):
    context, figures = {"engine": "fsdp"}, [{"quantity": "step_time", "value": 1.0, "phase": "training", "unit": "s"}]
    sets = [
        {"name": tool, "tool": tool, "measurements": [{"context": context, "figures": figures}]}
        for tool in ("deepspeed_profiler", "hf_trainer")
    ]
    old = {"format": "gpuplanner-measurements", "version": 1, "app_version": "0.1.0", "sets": sets}
    (tmp_path / "old.gpumeasure").write_bytes(msgspec.json.encode(old))
    runs = [one.measurements[0].context for one in load_sets(tmp_path / "old.gpumeasure")]
    assert [(one.engine, one.engine_as_written) for one in runs] == [("deepspeed", ""), ("fsdp", "hf_trainer")]


def test_a_set_that_comes_in_again_is_not_added_but_one_that_says_more_takes_its_place(samples, catalog, calibration):
    path = samples / "vllm-bench-serve.constructed.json"
    bare = read_sets(path, catalog, calibration).sets[0]
    whole = read_sets(path, catalog, calibration, {"precision": "bf16"}).sets[0]
    off = msgspec.structs.replace(bare, is_used=False)
    assert added((off,), (bare,)) == ((off,), (bare.name,))
    (kept,), known = added((off,), (whole,))
    assert (known, kept.is_used) == ((whole.name,), False)
    assert not any(missing_context(run) for run in kept.measurements)
    assert added((kept,), (bare,))[0] == (kept,)
    other = msgspec.structs.replace(whole, digest="", name="other", measurements=whole.measurements[:1])
    assert added((whole,), (other, other)) == ((whole, other), ("other",))


def test_names_that_only_the_sender_knows_are_asked_for(samples, catalog, calibration, tmp_path):
    one = read_sets(samples / "vllm-bench-serve.constructed.json", catalog, calibration, {"precision": "bf16"}).sets[0]
    runs = tuple(
        msgspec.structs.replace(
            run, context=msgspec.structs.replace(
                run.context, accelerator="senders-own", accelerator_as_written="", model="senders-model",
                model_as_written="",
            )
        )
        for run in one.measurements
    )  # fmt: skip
    save_sets(tmp_path / "mail.gpumeasure", (msgspec.structs.replace(one, measurements=runs),))
    found = read_sets(tmp_path / "mail.gpumeasure", catalog, calibration)
    assert found.missing == ("model", "accelerator")
    assert first_run(found).context.accelerator_as_written == "senders-own"
    # Read past that door, they change nothing and break nothing.
    assert calibrated_by(load_sets(tmp_path / "mail.gpumeasure"), catalog, calibration) is calibration


EXTREMES = {
    "tensor_parallel": 9 * 10**18, "sequence_length": 9 * 10**18, "global_batch": 9 * 10**18, "devices": 10**7,
    "concurrency": 1e300, "prompt_tokens": 1e300, "output_tokens": 1e300, "rate_per_s": 1e300, "requests": 9 * 10**18,
}  # fmt: skip


@pytest.mark.parametrize("field", EXTREMES)
@pytest.mark.parametrize("load", ["closed_loop", "open_loop", "batch", "offline"])
def test_no_number_of_a_mailed_file_stops_a_plan(field, load, samples, catalog, calibration, tmp_path):
    one = read_sets(samples / "vllm-bench-serve.constructed.json", catalog, calibration, {"precision": "bf16"}).sets[0]
    figures = (*one.measurements[0].figures, figure("step_time", 1.0), figure("memory_used", 1e9, "max"))
    context = msgspec.structs.replace(
        one.measurements[0].context, load=load, sequence_length=4096, global_batch=8, concurrency=4.0, rate_per_s=1.0
    )
    run = msgspec.structs.replace(
        one.measurements[0], context=msgspec.structs.replace(context, **{field: EXTREMES[field]}), figures=figures
    )
    path = tmp_path / "mail.gpumeasure"
    save_sets(path, (msgspec.structs.replace(one, measurements=(run,)),))
    try:
        sets = load_sets(path)
    except FileProblem:
        # Out of bounds: a sentence, and nothing is loaded.
        return
    for point in getattr(calibrated_by(sets, catalog, calibration).local, "points", ()):
        assert np.isfinite([point.predicted, point.log2_batch, point.log2_time, *point.shares]).all()


def test_columns_of_a_table_can_be_named(tmp_path, catalog, calibration):
    path = tmp_path / "own.csv"
    path.write_text("Modell,Karte,Erstes Token\nLlama 3.1 8B,H100,250\n")
    columns = {"ttft_p95_ms": "Erstes Token", "model": "Modell", "gpu": "Karte"}
    run = import_file(path, columns).measurements[0]
    assert (run.figures[0].quantity, run.figures[0].statistic, run.figures[0].value) == ("ttft", "p95", 0.25)
    assert run.context.accelerator_as_written == "H100"
    with pytest.raises(FileProblem, match="there is no column 'zweites token'"):
        import_file(path, {"ttft_ms": "Zweites Token"})


def test_what_a_run_says_itself_is_not_overwritten(samples, catalog, calibration):
    bare = read_sets(samples / "vllm-bench-serve.constructed.json", catalog, calibration).sets[0]
    first, second = bare.measurements
    known = msgspec.structs.replace(first, context=msgspec.structs.replace(first.context, weight_precision="int4"))
    mixed = msgspec.structs.replace(bare, measurements=(known, second))
    done = completed(mixed, {"weight_precision": "fp8"}, catalog, calibration)
    assert [run.context.weight_precision for run in done.measurements] == ["int4", "fp8"]


def test_measurements_are_told_from_models_and_traffic_by_their_content(samples, tmp_path):
    known = [path for path in samples.iterdir() if path.name != "SOURCES.csv"]
    assert all(holds_measurements(path) for path in known)
    model = tmp_path / "config.json"
    model.write_text('{"architectures": ["LlamaForCausalLM"], "hidden_size": 4096, "num_hidden_layers": 32}')
    traffic = tmp_path / "trace.csv"
    traffic.write_text("TIMESTAMP,ContextTokens,GeneratedTokens\n2024-01-01 00:00:00,100,10\n")
    assert not any(holds_measurements(path) for path in (model, traffic, tmp_path / "absent.json"))


def test_a_run_that_cannot_be_is_left_out_and_said(samples, tmp_path, catalog, calibration):
    lines = (samples / "table.constructed.csv").read_text().splitlines()
    impossible = lines[2].replace(";1;fp8;", ";99999999999;fp8;")
    path = tmp_path / "table.csv"
    path.write_text("\n".join([lines[0], lines[1], impossible]))
    found = read_sets(path, catalog, calibration)
    assert len(found.sets[0].measurements) == 1
    assert any("1 of 2 runs are skipped" in remark for remark in found.remarks)
    path.write_text("\n".join([lines[0], impossible]))
    with pytest.raises(FileProblem, match="at most"):
        read_sets(path, catalog, calibration)


def test_a_profile_asks_for_its_devices_and_a_training_step_with_memory_for_no_operation(
    samples, tmp_path, catalog, calibration
):
    profile = read_sets(samples / "torch-profiler-key-averages.txt", catalog, calibration)
    assert profile.missing == ("accelerator", "weight_precision", "devices")
    path = tmp_path / "steps.csv"
    path.write_text(
        "model,gpu,gpus,precision,engine,seq_len,global_batch,step_time_s,peak_memory_gb\n"
        "llama-3.1-8b,nvidia-h100-sxm-80gb,8,bf16,megatron,4096,128,9.5,61.2\n"
    )
    steps = read_sets(path, catalog, calibration)
    assert steps.missing == ()
    assert {one.quantity for one in first_run(steps).figures} == {"step_time", "memory_used"}


@pytest.mark.parametrize("name", ["aiperf-profile_export.jsonl", "nvidia-smi.constructed.csv", "llama-bench.csv"])
def test_a_large_file_is_known_by_its_beginning(samples, tmp_path, name, monkeypatch):
    monkeypatch.setattr(sets, "LARGEST_LOOKED_AT_BYTES", 10)
    assert sets.holds_measurements(samples / name)
    traffic = tmp_path / "trace.jsonl"
    traffic.write_text('{"timestamp": 0, "input_length": 3, "output_length": 4, "hash_ids": [1]}\n' * 9)
    assert not sets.holds_measurements(traffic)


def test_what_a_stated_load_asks_for_is_taken_with_it(samples, catalog, calibration):
    (one,) = read_sets(samples / "aiperf-profile_export.jsonl", catalog, calibration).sets
    stated = {
        "model": "Llama 3.1 8B", "accelerator": "H100 SXM", "devices": "1", "weight_precision": "fp8", "engine": "vllm",
        "load": "Closed loop", "concurrency": "4",
    }  # fmt: skip
    (run,) = completed(one, stated, catalog, calibration).measurements
    assert missing_context(run) == ()
    assert (run.context.load, run.context.concurrency) == ("closed_loop", 4.0)
