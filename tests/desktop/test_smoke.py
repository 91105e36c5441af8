"""The program as it is started, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpuplanner_gui import __version__
from gpuplanner_gui.desktop.window.project_file import template_files
from gpuplanner_gui.paths import HOME_VARIABLE
from tests.conftest import with_deep

LIMIT_S = 120
BRIEFLY = frozenset(("70b-chat", "7b-continued-pretraining", "image-generation", "summarising-overnight"))
"""Examples of every run, one of each kind; `make test-deep` opens all."""
EXAMPLES = with_deep(template_files(), *({path.stem for path in template_files()} - BRIEFLY))


def run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, HOME_VARIABLE: str(home), "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-m", "gpuplanner_gui", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LIMIT_S)


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_is_opened_computed_and_painted(example: Path, tmp_path: Path) -> None:
    done = run(tmp_path, str(example), "--smoke")
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "log" / "gpuplanner.log").read_text().count("Traceback")


def test_missing_file_fails_the_run_with_a_sentence(tmp_path: Path) -> None:
    done = run(tmp_path, str(tmp_path / "nothing.gpuplan"), "--smoke")
    assert done.returncode != 0
    assert "nothing.gpuplan" in done.stderr


def test_version_is_told_without_a_window(tmp_path: Path) -> None:
    done = run(tmp_path, "--version")
    assert done.returncode == 0
    assert __version__ in done.stdout
