"""`gpuplanner measurements`: what was recognised, every figure with its context, what is missing."""

from __future__ import annotations

import json
from pathlib import Path

from gpuplanner_gui.cli import main

SAMPLES = Path(__file__).resolve().parents[1] / "files" / "measurements" / "samples"
SERVED = str(SAMPLES / "vllm-bench-serve.constructed.json")


def test_text_says_what_was_recognised_and_what_is_missing(capsys):
    assert main(["measurements", SERVED]) == 0
    text = capsys.readouterr().out
    assert "vLLM bench serve, 2 runs" in text
    assert "18.50 ms" in text
    assert "not accepted, missing: precision" in text
    assert "--context precision=…" in text


def test_what_was_set_is_told_to_the_last_digit_and_steps_are_no_requests(capsys):
    assert main(["measurements", str(SAMPLES / "megatron-older.constructed.log")]) == 0
    assert "Sequence length 2 048 tok" in capsys.readouterr().out.replace("\xa0", " ")
    assert main(["measurements", str(SAMPLES / "hf-trainer_state.json")]) == 0
    text = capsys.readouterr().out
    assert "Steps 16" in text
    assert "Requests" not in text


def test_figures_that_are_not_printed_are_said_to_be_elsewhere(capsys):
    told = {"aiperf-profile_export_aiperf.json": (20, "56 figures (20 below, --json has all)"),
            "hf-train_results.json": (3, "3 figures;")}  # fmt: skip
    for name, (printed, heading) in told.items():
        assert main(["measurements", str(SAMPLES / name)]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert heading in lines[0]
        phases = ("prefill", "decode", "serving", "training")
        assert sum(line.startswith("  ") and line.endswith(phases) for line in lines) == printed


def test_one_run_several_and_some_of_them_are_told_apart(capsys, tmp_path):
    assert main(["measurements", str(SAMPLES / "hf-train_results.json")]) == 0
    assert "The run cannot be used without: model, " in capsys.readouterr().out
    assert main(["measurements", str(SAMPLES / "llama-bench.md")]) == 0
    assert "None of the 4 runs can be used without: model, accelerator, devices." in capsys.readouterr().out
    table = tmp_path / "mine.csv"
    table.write_text(
        "model,gpu,devices,precision,engine,isl,osl,concurrency,tpot_ms\n"
        "llama-3.1-8b,h100,1,fp8,vllm,1000,200,8,9.5\nllama-3.1-8b,h100,1,,vllm,1000,200,8,9.5\n"
    )
    assert main(["measurements", str(table)]) == 0
    assert "1 of 2 runs cannot be used without: precision." in capsys.readouterr().out


def test_json_holds_every_figure_with_its_context(capsys):
    assert main(["measurements", SERVED, "--json", "--context", "precision=bf16"]) == 0
    (file,) = json.loads(capsys.readouterr().out)
    assert file["missing"] == []
    run = file["sets"][0]["measurements"][0]
    assert run["accepted"] is True
    assert run["context"]["model"] == "llama-3.1-8b"
    assert {one["phase"] for one in run["figures"]} == {"prefill", "decode", "serving"}


def test_what_was_read_can_be_saved_and_read_again(capsys, tmp_path):
    saved = str(tmp_path / "mine.gpumeasure")
    assert main(["measurements", SERVED, "--context", "precision=bf16", "--save", saved]) == 0
    capsys.readouterr()
    assert main(["measurements", saved]) == 0
    assert "GPU Planner measurements, 2 runs" in capsys.readouterr().out


def test_a_project_takes_measurements_in_and_plans_with_them(capsys, tmp_path):
    """What was measured on one H200 narrows the band of a plan on it; a second time nothing is added."""
    plan = tmp_path / "plan.gpuplan"
    start = ["new", "llama-3.1-8b", "-o", str(plan), "--own", "2xh200-sxm", "--rate", "5", "--engine", "vllm"]
    assert main(start) == 0

    def band() -> float:
        capsys.readouterr()
        assert main(["plan", str(plan), "--json", "--top", "1"]) == 0
        answer = json.loads(capsys.readouterr().out)["scenarios"][0]["serving"][0]
        return answer["tpot_high80_s"] / answer["tpot_low80_s"]

    before = band()
    for name in ("probe-h200.json", "vllm-bench-serve-h200.jsonl"):
        context = ["--context", "model=llama-3.1-8b,gpu=h200-sxm,devices=1,precision=bf16,engine=vllm"]
        given = context if name.startswith("vllm") else []
        assert main(["measurements", str(SAMPLES / name), *given, "--into", str(plan)]) == 0
    assert "Plans of plan.gpuplan use 2 of 2 runs." in capsys.readouterr().out
    assert band() < 0.8 * before
    content = plan.read_bytes()
    assert main(["measurements", str(SAMPLES / "probe-h200.json"), "--into", str(plan)]) == 0
    assert "There already: probe-h200." in capsys.readouterr().out
    assert plan.read_bytes() == content


def test_a_foreign_file_is_one_sentence_and_status_one(capsys, tmp_path):
    foreign = tmp_path / "foreign.txt"
    foreign.write_text("hello\n")
    assert main(["measurements", str(foreign)]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_a_pair_that_is_none_is_refused(capsys):
    assert main(["measurements", SERVED, "--context", "bf16"]) == 1
    assert "is no pair" in capsys.readouterr().err


def test_the_probe_is_written_to_be_carried_away(tmp_path, capsys):
    script = tmp_path / "probe.py"
    assert main(["probe", "-o", str(script)]) == 0
    compile(script.read_text(encoding="utf-8"), "probe.py", "exec")
    assert "python probe.py --dry-run" in capsys.readouterr().out
