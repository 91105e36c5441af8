"""Whatever a file, a terminal or a disk brings, a command answers in a sentence: no traceback, no endless wait."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gpuplanner_gui.cli import main
from gpuplanner_gui.cli.main import INTERNAL_FAULT, STOPPED, TRACEBACK_VARIABLE
from gpuplanner_gui.cli.terminal import ProgressLine, json_text
from tests.conftest import SMALL_CHAT
from tests.fuzz.exhausting import EXHAUSTING, plan_file, scenario
from tests.fuzz.limited import is_json

pytestmark = pytest.mark.usefixtures("short_simulations")

EXAMPLE = SMALL_CHAT
START = "import sys; from gpuplanner_gui.cli import main; sys.exit(main(sys.argv[1:]))"


def test_what_is_not_known_is_null_in_json() -> None:
    answer = {"a": float("nan"), "b": np.float64("inf"), "c": [np.int64(3), np.True_], "d": np.array([1.0, np.nan])}
    assert json.loads(json_text(answer)) == {"a": None, "b": None, "c": [3, True], "d": [1.0, None]}


def test_a_plan_that_nothing_can_serve_is_json_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "long.gpuplan"
    path.write_bytes(plan_file(scenario(classes=[{"peak_rate_per_s": 4, "output_tokens": 1e8}])))
    assert main(["plan", str(path), "--json", "--top", "2"]) == 0
    assert is_json(capsys.readouterr().out)


@pytest.mark.parametrize("command", ["plan", "order"])
@pytest.mark.parametrize("price", ["rent_per_device_hour", "purchase_per_device"])
def test_what_is_quoted_for_nothing_is_planned_with(command: str, price: str, tmp_path: Path) -> None:
    """Whoever lends the devices may ask for nothing; every ratio to their price stopped the plan."""
    project = json.loads(EXAMPLE.read_text(encoding="utf-8"))
    economics = project["scenarios"][0]["economics"]
    free = {"amount": 0.0, "currency": "USD"}
    economics["overrides"] = [{"accelerator": one, price: free} for one in ("amd-mi300x", "nvidia-l40s", "nvidia-l4")]
    economics["serving_procurement"] = "own" if price == "purchase_per_device" else "rent_on_demand"
    path = tmp_path / "free.gpuplan"
    path.write_text(json.dumps(project), encoding="utf-8")
    assert main([command, str(path)]) == 0


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_any_locale_is_printed_to(encoding: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    named = tmp_path / "s.gpuplan"
    named.write_bytes(plan_file(scenario("▲ 計画 ×")))
    written = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", written)
    assert main(["plan", str(named), "--top", "1"]) == 0
    written.seek(0)
    assert "Serving" in written.read()


@pytest.mark.parametrize("command", [["predict", "{}", "--out", "o.csv"], ["check", "{}"], ["trace", "{}"]])
@pytest.mark.parametrize("kind", ["pipe", "link to a device", "folder"])
def test_what_is_no_file_is_refused_at_once(command: list[str], kind: str, tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("/dev/zero")
    done = subprocess.run(
        [sys.executable, "-c", START, *(part.format(path) for part in command)],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(EXAMPLE.parents[2])}, capture_output=True, text=True,
        timeout=30, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "this is not a file" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("kind", ["pipe", "link to a device"])
def test_nothing_but_a_file_is_written_over(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "probe.py"
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/full")
    before = path.lstat().st_ino
    assert main(["probe", "-o", str(path)]) == 1
    assert "this is not a file" in capsys.readouterr().err
    assert path.lstat().st_ino == before
    assert Path("/dev/full").is_char_device()


def test_a_report_takes_a_name_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "report\udcff.md"
    assert main(["report", str(EXAMPLE), "-o", str(path)]) == 0
    assert "report%FF" in path.read_text(encoding="utf-8")


def test_a_report_written_to_a_link_leaves_the_link(tmp_path: Path) -> None:
    target, link = tmp_path / "shared" / "report.md", tmp_path / "link.md"
    target.parent.mkdir()
    target.write_text("old")
    link.symlink_to(target)
    assert main(["report", str(EXAMPLE), "-o", str(link)]) == 0
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8").startswith("#")


@pytest.mark.parametrize(
    ("problem", "status", "words"),
    [
        (KeyboardInterrupt(), STOPPED, "Stopped."),
        (MemoryError(), 1, "Not enough memory"),
        (ZeroDivisionError("secret 3 of the plan"), INTERNAL_FAULT, "ZeroDivisionError in "),
    ],
)
def test_a_fault_is_a_sentence_without_a_word_of_the_plan(
    problem: BaseException, status: int, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(path: object) -> object:
        raise problem

    monkeypatch.setattr("gpuplanner_gui.cli.projects.load_project", fail)
    assert main(["check", str(EXAMPLE)]) == status
    told = capsys.readouterr().err
    assert words in told
    assert "secret" not in told
    assert "Traceback" not in told


def test_the_whole_of_a_fault_is_shown_to_who_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: object) -> object:
        raise ZeroDivisionError

    monkeypatch.setattr("gpuplanner_gui.cli.projects.load_project", fail)
    monkeypatch.setenv(TRACEBACK_VARIABLE, "1")
    with pytest.raises(ZeroDivisionError):
        main(["check", str(EXAMPLE)])


def test_a_long_simulation_says_how_far_it_is_and_can_be_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Prompts of 100,000 tokens in steps of 16 take minutes: Ctrl-C comes at the hundredth look."""
    path = tmp_path / "long.gpuplan"
    path.write_bytes(EXHAUSTING["tiny steps for long prompts"][0]())
    looks, beat = [], ProgressLine.beat

    def interrupted(line: ProgressLine) -> bool:
        looks.append(line)
        if len(looks) == 100:
            raise KeyboardInterrupt
        return beat(line)

    monkeypatch.setattr(ProgressLine, "beat", interrupted)
    assert main(["load", str(path)]) == STOPPED
    assert capsys.readouterr().err.strip() == "Stopped."
