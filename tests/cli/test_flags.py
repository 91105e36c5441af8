"""`gpuplanner flags`: commands that a shell takes, as text and as JSON."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import msgspec
import pytest

from gpuplanner_gui.cli import main
from gpuplanner_gui.files.project import load_project, project_to_bytes
from gpuplanner_gui.paths import resources_dir

TWO = resources_dir() / "examples" / "13b-two-deployments.gpuplan"


def test_flags_of_one_engine_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["flags", str(TWO), "--engine", "vllm", "--json"]) == 0
    (launch,) = json.loads(capsys.readouterr().out)
    assert launch["engine"] == "vllm"
    assert launch["command"][0] == 'vllm serve "$MODEL"'
    given = [one["text"] for one in launch["settings"] if one["status"] == "given"]
    assert launch["command"][1:] == given
    assert launch["sources"]


def test_all_engines_as_text_are_commands_of_a_shell(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["flags", str(TWO)]) == 0
    text = capsys.readouterr().out
    for name in ("vLLM", "SGLang", "TensorRT-LLM", "Megatron-LM", "PyTorch FSDP"):
        assert name in text
    command = text.split("\n==", 1)[1].split("\n", 1)[1].split("\n\n")[0]
    words = shlex.split(command)
    assert words[:3] == ["vllm", "serve", "$MODEL"]
    assert [word for word in words[3:] if word.startswith("-")] == [word for word in words[3:] if word[:2] == "--"]
    assert "--max-num-seqs" in words


def test_names_of_a_project_never_reach_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = load_project(TWO)
    name = '"; rm -rf / #'
    model = msgspec.structs.replace(project.scenarios[0].model, name=name)
    hostile = msgspec.structs.replace(project.scenarios[0], model=model)
    path = tmp_path / "hostile.gpuplan"
    path.write_bytes(project_to_bytes(msgspec.structs.replace(project, scenarios=(hostile,))))
    assert main(["flags", str(path), "--json"]) == 0
    for launch in json.loads(capsys.readouterr().out):
        assert "rm -rf" not in " ".join(launch["command"] + launch["config"])


def test_unknown_engine_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["flags", str(TWO), "--engine", "nothing"])
    assert "invalid choice" in capsys.readouterr().err
