"""Valid plans that a command once failed on: an answer or one sentence, and nothing else is said."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpuplanner_gui.cli import main
from tests.fuzz.exhausting import TRAINING, plan_file, scenario
from tests.fuzz.limited import commands_on, more_commands_on
from tests.fuzz.targets import REPOSITORY

pytestmark = pytest.mark.usefixtures("short_simulations")

H100 = {"accelerators": ["nvidia-h100-sxm-80gb"]}
V100_AND_H100 = {"accelerators": ["nvidia-v100-sxm2-32gb", "nvidia-h100-sxm-80gb"]}


def example(name: str, *accelerators: str) -> bytes:
    """An example that searches these devices alone."""
    project: dict[str, Any] = json.loads((REPOSITORY / "resources" / "examples" / f"{name}.gpuplan").read_bytes())
    for one in project["scenarios"]:
        one["hardware"]["accelerators"] = list(accelerators)
    return json.dumps(project).encode()


def failing(name: str, failures_per_node_day: float) -> bytes:
    """An example whose training fails so often."""
    project: dict[str, Any] = json.loads(example(name))
    project["scenarios"][0]["training"]["checkpoints"]["failures_per_node_day"] = failures_per_node_day
    return json.dumps(project).encode()


def trained(name: str, tokens: float) -> bytes:
    """An example that also trains its model on so many tokens."""
    project: dict[str, Any] = json.loads((REPOSITORY / "resources" / "examples" / f"{name}.gpuplan").read_bytes())
    project["scenarios"][0]["training"] = {"tokens": tokens}
    return json.dumps(project).encode()


FAILED: dict[str, tuple[Callable[[], bytes], tuple[str, ...]]] = {
    "no format chosen": (
        lambda: plan_file(scenario(serving={"weight_precisions": []}, hardware=H100)), ("plan", "flags", "order"),
    ),
    "a run that never ends": (
        lambda: plan_file(scenario(training={**TRAINING, "checkpoints": {"restart_s": 1e26}}, hardware=H100)),
        ("scaling", "report"),
    ),
    "no request is answered": (
        lambda: example("code-completion", "nvidia-rtx-3070", "qualcomm-snapdragon-x-elite-npu"), ("load",),
    ),
    "nothing serves a workload of the estate": (
        lambda: example("estate-12-quarters", "nvidia-rtx-3070"), ("estate",),
    ),
    "more devices to share than whole numbers count": (
        lambda: trained("70b-chat", 1e30), ("report",),
    ),
    "steps too small for their prompts": (
        lambda: plan_file(scenario(
            serving={"engine": {"token_budget": 16}}, hardware=V100_AND_H100,
            classes=[{"peak_rate_per_s": 4, "prompt_tokens": 100_000}],
        )), ("report",),
    ),
    "a machine that always fails": (
        lambda: failing("7b-continued-pretraining", 5e14), ("report",),
    ),
}  # fmt: skip


OWN_FIGURES = "This file has its own figures"


@pytest.mark.parametrize("name", FAILED)
def test_what_once_failed_is_answered(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPUPLANNER_TRACEBACK", "1")
    made, commands = FAILED[name]
    path = tmp_path / "failed.gpuplan"
    path.write_bytes(made())
    known = {**commands_on(path, tmp_path), **more_commands_on(path, tmp_path)}
    known["estate"] = ["estate", str(path), "--json", "--seconds", "2"]
    for command in commands:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            status = main(known[command])
        said = [line for line in capsys.readouterr().err.strip().splitlines() if OWN_FIGURES not in line]
        assert (status, len(said)) in ((0, 0), (1, 1)), said


def test_a_service_without_requests_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "failed.gpuplan"
    content = json.loads(plan_file(scenario()))
    content["scenarios"][0]["serving"]["classes"] = []
    path.write_text(json.dumps(content), encoding="utf-8")
    assert main(["check", str(path)]) == 1
    assert "at least 1" in capsys.readouterr().err
