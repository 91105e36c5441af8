"""No path opens a network socket: the whole command line and a walk through the window, watched from two sides.

Python's audit events catch every socket of Python code. `strace`, where the machine has it, sees every socket of the
process, Qt's and libraries' included; an empty network namespace, where it may be made, shows that nothing misses one.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gpuplanner_gui.paths import HOME_VARIABLE
from tests.conftest import SMALL_CHAT

REPOSITORY = Path(__file__).resolve().parents[2]
PROJECT = SMALL_CHAT
LOCAL_FAMILIES = {"AF_UNIX", "AF_LOCAL"}
WALKS = ("walk_window", "walk_commands")


def run(walk: str, folder: Path, *around: str) -> subprocess.CompletedProcess[str]:
    target = folder / "saved.gpuplan" if walk == "walk_window" else folder
    environment = {**os.environ, HOME_VARIABLE: str(folder / "home"), "QT_QPA_PLATFORM": "offscreen"}
    command = [*around, sys.executable, "-m", f"tests.network.{walk}", str(PROJECT), str(target), "--guard"]
    return subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, timeout=280)


def test_guard_would_notice(tmp_path: Path) -> None:
    script = "from tests.network.walk_window import guard; guard(); import socket; socket.socket()"
    done = subprocess.run([sys.executable, "-c", script], cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 9
    assert "socket.__new__" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("walk", WALKS)
def test_no_socket_is_asked_for_where_there_is_no_network(walk: str, tmp_path: Path) -> None:
    """One walk, watched by all that the machine has: Python's events, an empty network namespace, `strace`."""
    log, around = tmp_path / "sockets", list[str]()
    if works("unshare", "-rn", "true"):
        around += ["unshare", "-rn"]
    traced = ["strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=socket", "-o", str(log)]
    if works(*around, *traced, "true"):
        around += traced
    done = run(walk, tmp_path, *around)
    assert done.returncode == 0, done.stderr
    if log.exists():
        assert set(re.findall(r"socket\((\w+)", log.read_text(encoding="utf-8"))) <= LOCAL_FAMILIES


def works(*command: str) -> bool:
    """Whether the machine has and allows it."""
    return shutil.which(command[0]) is not None and subprocess.run(command, capture_output=True).returncode == 0
