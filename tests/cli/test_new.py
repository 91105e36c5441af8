"""`gpuplanner new`: the guided start without a window."""

from __future__ import annotations

import re

import pytest

from gpuplanner_gui import api
from gpuplanner_gui.cli import main
from gpuplanner_gui.files.project import load_project

MODEL = "llama-3.1-8b"


def test_a_project_is_written_and_planned(tmp_path, capsys):
    path = tmp_path / "chat.gpuplan"
    assert main(["new", MODEL, "-o", str(path), "--name", "Chat", "--rate", "40", "--prompt", "1024", "--answer",
                 "256", "--ttft", "1s", "--own", "64xh100-sxm"]) == 0  # fmt: skip
    told = capsys.readouterr().out
    (scenario,) = load_project(path).scenarios
    assert scenario.name == "Chat"
    assert scenario.serving.classes[0].peak_rate_per_s == 40.0
    listed = {line.split()[0] for line in told.splitlines() if line.startswith("--")}
    assert {"--tpot", "--load", "--where", "--pay"} <= listed
    assert not {"--rate", "--prompt", "--answer", "--ttft", "--own"} & listed
    assert main(["plan", str(path), "--top", "1"]) == 0
    assert "H100" in capsys.readouterr().out


def test_every_question_of_the_start_is_an_option(capsys):
    with pytest.raises(SystemExit):
        main(["new", "--help"])
    options = set(re.findall(r"--[\w-]+", capsys.readouterr().out))
    assert {f"--{one.name.replace('_', '-')}" for one in api.QUESTIONS} <= options


def test_a_file_that_is_there_is_not_written_over(tmp_path, capsys):
    path = tmp_path / "chat.gpuplan"
    path.write_text("mine")
    assert main(["new", MODEL, "-o", str(path)]) == 1
    assert "--force" in capsys.readouterr().err
    assert path.read_text() == "mine"
    assert main(["new", MODEL, "-o", str(path), "--force"]) == 0
    assert load_project(path).scenarios


@pytest.mark.parametrize(
    ("options", "sentence"),
    [(["--rate", "a lot"], "rate: “a lot” contains no number."), (["--own", "h100"], "64xh100-sxm"),
     (["--task", "pretrain", "--ttft", "1s"], "ttft says how to serve")],
)  # fmt: skip
def test_an_answer_that_cannot_be_taken_is_one_sentence(tmp_path, capsys, options, sentence):
    path = tmp_path / "chat.gpuplan"
    assert main(["new", MODEL, "-o", str(path), *options]) == 1
    assert sentence in capsys.readouterr().err
    assert not path.exists()


def test_a_flag_says_that_it_may_stop(tmp_path):
    path = tmp_path / "run.gpuplan"
    assert main(["new", MODEL, "-o", str(path), "--task", "pretrain", "--may-stop"]) == 0
    (scenario,) = load_project(path).scenarios
    assert scenario.training.restartable
    assert scenario.economics.training_procurement == "rent_spot"


def test_a_mac_at_home_is_planned_with_its_own_engine(tmp_path, capsys):
    path = tmp_path / "mac.gpuplan"
    answers = ["--rate", "0.01", "--where", "home", "--own", "1xapple-m4-max", "--engine", "mlx"]
    assert main(["new", MODEL, "-o", str(path), *answers]) == 0
    assert "--engine" not in {line.split()[0] for line in capsys.readouterr().out.splitlines() if line.startswith("--")}
    (scenario,) = load_project(path).scenarios
    assert scenario.serving.engine.engine == "mlx"
    assert main(["flags", str(path), "--engine", "mlx"]) == 0
    assert "mlx_lm.server --model" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["new", MODEL, "-o", str(path), "--engine", "banana"])
    with pytest.raises(api.StartProblem, match="banana"):
        api.new_scenario(api.read_model(MODEL), engine="banana")
