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

REPOSITORY = Path(__file__).resolve().parents[2]
PROJECT = REPOSITORY / "resources" / "examples" / "70b-chat.gpuplan"
LOCAL_FAMILIES = {"AF_UNIX", "AF_LOCAL"}
WALKS = ("walk_window", "walk_commands")


def run(walk: str, folder: Path, *around: str, guard: bool = True) -> subprocess.CompletedProcess[str]:
    target = folder / "saved.gpuplan" if walk == "walk_window" else folder
    environment = {**os.environ, HOME_VARIABLE: str(folder / "home"), "QT_QPA_PLATFORM": "offscreen"}
    command = [*around, sys.executable, "-m", f"tests.network.{walk}", str(PROJECT), str(target)]
    return subprocess.run(
        command + ["--guard"] * guard, cwd=REPOSITORY, env=environment, capture_output=True, text=True, timeout=280
    )


def test_guard_would_notice(tmp_path: Path) -> None:
    script = "from tests.network.walk_window import guard; guard(); import socket; socket.socket()"
    done = subprocess.run([sys.executable, "-c", script], cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 9
    assert "socket.__new__" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("walk", WALKS)
def test_no_socket_is_asked_for(walk: str, tmp_path: Path) -> None:
    done = run(walk, tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
@pytest.mark.parametrize("walk", WALKS)
def test_no_library_opens_a_network_socket(walk: str, tmp_path: Path) -> None:
    log = tmp_path / "sockets"
    done = run(
        walk, tmp_path, "strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=socket", "-o", str(log), guard=False
    )
    if "ptrace" in done.stderr and not log.exists():
        pytest.skip("tracing is not allowed here")
    assert done.returncode == 0, done.stderr
    families = set(re.findall(r"socket\((\w+)", log.read_text(encoding="utf-8")))
    assert families <= LOCAL_FAMILIES


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare")
@pytest.mark.parametrize("walk", WALKS)
def test_works_where_there_is_no_network_at_all(walk: str, tmp_path: Path) -> None:
    if subprocess.run(["unshare", "-rn", "true"], capture_output=True).returncode:
        pytest.skip("network namespaces are not allowed here")
    done = run(walk, tmp_path, "unshare", "-rn")
    assert done.returncode == 0, done.stderr
