"""Work outlives a kill at any moment; `python -m tests.durability.kill_recovery` and `kill_window` try many more."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
KILLS = 8


def killed(module: str) -> str:
    """What is said of so many kills of each kind."""
    done = subprocess.run(
        [sys.executable, "-m", f"tests.durability.{module}", "--kills", str(KILLS)],
        cwd=REPOSITORY, env={**os.environ, "QT_QPA_PLATFORM": "offscreen"}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_program_leaves_its_unsaved_work_whole() -> None:
    assert f"offered again {KILLS} times" in killed("kill_recovery")


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_window_leaves_projects_and_reports_whole() -> None:
    assert killed("kill_window").count(" 0 lost") == 2
