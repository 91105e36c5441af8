"""Unsaved work outlives a kill at any moment; many more are tried by `python -m tests.durability.kill_recovery`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
KILLS = 8


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_program_leaves_its_unsaved_work_whole() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.durability.kill_recovery", "--kills", str(KILLS)],
        cwd=REPOSITORY, env={**os.environ, "QT_QPA_PLATFORM": "offscreen"}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"offered again {KILLS} times" in done.stdout
