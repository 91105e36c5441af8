"""`gpuplanner plan`, `check` and `report` on the shipped examples and on hostile files."""

from __future__ import annotations

import json
import re

import msgspec
import pytest

from gpuplanner_gui.cli import main
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.files.project import load_project, project_to_bytes
from gpuplanner_gui.paths import resources_dir
from tests.conftest import SMALL_CHAT

pytestmark = pytest.mark.usefixtures("short_simulations", "plans_made_once")

EXAMPLES = sorted((resources_dir() / "examples").glob("*.gpuplan"))
CHAT = SMALL_CHAT
TWO = resources_dir() / "examples" / "13b-two-deployments.gpuplan"
JOB = resources_dir() / "examples" / "7b-continued-pretraining.gpuplan"


def test_an_example_ships_for_each_kind_of_project():
    """One per preset, two workloads on one model, training alone, and an estate."""
    presets = {
        "70b-chat", "rag", "agent", "code-completion", "summarising-overnight", "voice", "image-generation",
        "embedding-index", "transcription", "one-developer",
    }  # fmt: skip
    others = {"13b-two-deployments", "7b-continued-pretraining", "estate-12-quarters"}
    assert {path.stem for path in EXAMPLES} == presets | others


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_valid(path, capsys):
    assert main(["check", str(path)]) == 0
    assert capsys.readouterr().out.startswith(f"{path.name}: valid, ")


def test_the_best_candidates_are_printed(capsys):
    assert main(["plan", str(TWO), "--top", "3", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)["scenarios"][0]
    for workload in ("serving", "training"):
        assert answer[workload][0]["reason"] == "none"
        assert answer[workload][0]["meets_targets"]
        assert len(answer[workload]) == 3


def test_json_has_the_smaller_model_that_a_lever_plans_with(capsys):
    assert main(["plan", str(CHAT), "--top", "1", "--json"]) == 0
    found = {one["code"]: one for one in json.loads(capsys.readouterr().out)["scenarios"][0]["findings"]}
    (edit,) = found["lever_smaller_model"]["remedy"]["edits"]
    assert (edit["path"], edit["value"]["name"]) == ("model", "Llama 3.1 8B")


def test_plan_in_words_says_the_verdict_and_ranks(capsys):
    assert main(["plan", str(TWO), "--top", "2"]) == 0
    printed = capsys.readouterr().out
    assert "Serve on" in printed
    assert "Train on" in printed
    assert "when the file was saved" not in printed
    assert re.search(r"^1 {2}\S", printed, re.MULTILINE)


def test_plan_says_which_results_the_file_was_saved_with(tmp_path, capsys):
    project = load_project(TWO)
    (mfu,) = (one for one in project.headlines if one.code == "training.mfu")
    close, far = (msgspec.structs.replace(mfu, value=mfu.value * by) for by in (1.004, 1.5))
    for saved, is_told in ((close, False), (far, True)):
        path = tmp_path / "saved.gpuplan"
        path.write_bytes(project_to_bytes(msgspec.structs.replace(project, headlines=(saved,))))
        assert main(["plan", str(path), "--top", "1"]) == 0
        assert (f"MFU: {format_value(saved.value, 'share')} when" in capsys.readouterr().out) == is_told


def test_saved_results_of_a_service_are_told_as_the_quick_estimates_that_they_are(tmp_path, capsys):
    """The plan above them may be simulated, and a fleet of another size."""
    project = load_project(TWO)
    (cost,) = (one for one in project.headlines if one.code == "serving.usd_per_month")
    path = tmp_path / "saved.gpuplan"
    far = msgspec.structs.replace(cost, value=cost.value * 2)
    path.write_bytes(project_to_bytes(msgspec.structs.replace(project, headlines=(far,))))
    assert main(["plan", str(path), "--top", "1"]) == 0
    assert "Cost per month, by the quick estimate: $" in capsys.readouterr().out


def test_plan_as_json_is_in_base_units_without_infinities(capsys):
    assert main(["plan", str(CHAT), "--top", "5000", "--json"]) == 0
    text = capsys.readouterr().out
    assert "Infinity" not in text
    assert "NaN" not in text
    answer = json.loads(text)["scenarios"][0]
    rows, verdict = answer["serving"], answer["verdicts"]["serving"]
    assert verdict["chance_without"] == verdict["chance_of_expected_fleet"], "the older name of a key stays"
    assert [row["rank"] for row in rows] == list(range(1, len(rows) + 1))
    best = rows[0]
    assert best["devices"] == best["replicas"] * best["devices_per_replica"]
    assert 1e9 < best["weights_bytes"] < 1e12


def test_one_model_two_deployments_need_different_memory(capsys):
    """S157: the 13B model, trained and served, side by side; training holds far more per parameter."""
    assert main(["plan", str(TWO), "--top", "1", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)["scenarios"][0]
    train, serve = answer["training"][0], answer["serving"][0]
    state = sum(
        train[name] * train["devices"]
        for name in ("weights_bytes", "gradients_bytes", "master_weights_bytes", "first_moment_bytes")
    )
    assert state > 3 * serve["weights_bytes"] * serve["devices_per_replica"]


def test_deadline_is_met_with_slack(capsys):
    assert main(["plan", str(JOB), "--top", "1", "--json"]) == 0
    best = json.loads(capsys.readouterr().out)["scenarios"][0]["training"][0]
    deadline_s = load_project(JOB).scenarios[0].training.deadline_s
    assert best["run_time_s"] <= deadline_s


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("micro_batch", 2000, "A micro-batch of 2 000 sequences is more than the global batch, which has 1 024. Enter"),
        ("global_batch_tokens", 1000, "is less than one sequence. Enter 4 096 tok or more, such as 1.05 M tok."),
    ],
)
def test_a_batch_that_is_too_small_is_told_with_what_to_enter(tmp_path, capsys, field, value, told):
    content = json.loads(JOB.read_bytes())
    content["scenarios"][0]["training"][field] = value
    path = tmp_path / "batch.gpuplan"
    path.write_text(json.dumps(content), encoding="utf-8")
    for command in ("check", "plan"):
        main([command, str(path)])
        assert told in capsys.readouterr().out.replace("\u00a0", " ").replace("\n", " ")


@pytest.mark.parametrize("command", ["check", "plan"])
def test_a_row_without_accelerator_is_told_and_its_file_opens(tmp_path, capsys, command):
    content = json.loads(CHAT.read_bytes())
    content["scenarios"][0]["hardware"]["owned"] = [{"accelerator": "", "devices": 8}]
    quoted = [{"accelerator": name} for name in ("nvidia-h100-sxm-80gb", "")]
    content["scenarios"][0]["economics"]["overrides"] = quoted
    path = tmp_path / "rows.gpuplan"
    path.write_text(json.dumps(content), encoding="utf-8")
    assert main([command, str(path)]) == 0
    told = capsys.readouterr().out
    assert "Row 1 of Already owned has no accelerator of the catalogue" in told
    assert "Row 2 of Quoted prices has no accelerator of the catalogue" in told
    assert "Row 1 of Quoted prices" not in told


@pytest.mark.parametrize("command", ["check", "plan"])
def test_a_bad_file_is_one_sentence_and_status_1(tmp_path, capsys, command):
    path = tmp_path / "bad.gpuplan"
    path.write_bytes(CHAT.read_bytes()[:500])
    assert main([command, str(path)]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert "bad.gpuplan" in printed.err


def test_report_is_one_page_that_refers_to_nothing_outside(tmp_path, capsys):
    page = tmp_path / "out" / "plan.html"
    page.parent.mkdir()
    assert main(["report", str(TWO), "-o", str(page), "--plots", str(tmp_path / "plots")]) == 0
    text = page.read_text(encoding="utf-8")
    assert "13B assistant" in text
    assert not re.search(r"""(src|href)=["'](?!data:|#)""", text)
    assert list((tmp_path / "plots").glob("*.png"))
    assert str(page) in capsys.readouterr().out


def test_a_plan_says_for_which_release_it_speaks_and_what_older_ones_cost(capsys):
    assert main(["plan", str(CHAT), "--top", "1", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)["scenarios"][0]["engine_release"]
    assert said["stated"] is None
    assert said["planned_before"] is None
    assert all(one["before"] and one["sequence_s"] > 0 for one in said["older"])
    assert main(["plan", str(JOB), "--top", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["scenarios"][0]["engine_release"] is None


def test_plan_says_what_a_run_asks_of_storage(capsys):
    """The same in words and in JSON: data to feed, checkpoints to write, and the run with other stores."""
    assert main(["plan", str(JOB), "--top", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["scenarios"][0]
    best, storage = found["training"][0], found["storage"]
    rates = [one["write_bytes_per_s"] for one in storage["stores"]]
    assert rates == sorted(rates, reverse=True)
    assert {400e9, 100e6} < set(rates)
    times = [one["run_time_s"] for one in storage["stores"]]
    assert times == sorted(times)
    assert storage["needed"]["run_time_s"] <= 1.0101 * times[0]
    sequence = json.loads(JOB.read_text())["scenarios"][0]["training"]["sequence_length"]
    assert best["data_reads_per_s"] * sequence * 4 == pytest.approx(best["data_bytes_per_s"])
    assert main(["plan", str(JOB), "--top", "1"]) == 0
    printed = capsys.readouterr().out
    assert re.search(
        r"^Data: the devices read \S+ \S+ in \S+ reads per second; preparing it takes \S+ CPU core", printed, re.M
    )
    assert re.search(r"^Checkpoints: \S+ GB every .*, written in ", printed, re.MULTILINE)
    assert re.search(r"^ +100 MB/s", printed, re.MULTILINE)


def test_plan_as_json_has_power_by_load(capsys):
    assert main(["plan", str(TWO), "--top", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["scenarios"][0]
    for workload in ("serving", "training"):
        energy = found["energy"][workload]
        assert energy["facility_power_w"] == pytest.approx(found[workload][0]["power_w"])
        assert sum(one["hours"] * one["power_w"] for one in energy["by_load"]) / 1e3 == pytest.approx(
            energy["energy_kwh"]
        )


def test_a_run_that_its_store_holds_up_is_told_to_write_faster(capsys, tmp_path):
    """Not to take more devices: the same job with a store of a megabyte a second and many failures."""
    text = json.loads(JOB.read_text())
    run = text["scenarios"][0]["training"]
    run["checkpoints"] |= {"storage_write_bytes_per_s": 1e6, "failures_per_node_day": 0.5}
    run["deadline_s"] = run["deadline_s"] or 30 * 86_400.0
    text["scenarios"][0]["hardware"]["accelerators"] = ["nvidia-h100-sxm-80gb"]
    path = tmp_path / "slow.gpuplan"
    path.write_text(json.dumps(text))
    assert main(["plan", str(path), "--top", "1"]) == 0
    printed = capsys.readouterr().out
    assert "bound by storage" in printed
    assert re.search(r"To meet it: allow .*, or write checkpoints at ", printed)
    assert "more devices" not in printed
