from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtNetwork import QLocalSocket
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.window.single_instance import (
    LONGEST_MESSAGE_BYTES,
    InstanceServer,
    is_taken_over,
    server_name,
)
from gpuplanner_gui.paths import HOME_VARIABLE


@pytest.fixture
def server(user_home: Path) -> Iterator[InstanceServer]:
    made = InstanceServer()
    assert made.listen()
    yield made
    made.close()


def hand_over(home: Path, *arguments: str) -> subprocess.Popen[str]:
    environment = {**os.environ, HOME_VARIABLE: str(home), "QT_QPA_PLATFORM": "offscreen"}
    return subprocess.Popen([sys.executable, "-m", "gpuplanner_gui", *arguments], env=environment, text=True)


def test_nobody_answers_when_no_program_runs(user_home: Path) -> None:
    assert not is_taken_over(Path("plan.gpuplan"))


def test_a_second_start_hands_its_file_over_and_ends(
    server: InstanceServer, user_home: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    file = tmp_path / "with spaces and ü.gpuplan"
    with qtbot.waitSignal(server.requested, timeout=30_000) as asked:
        second = hand_over(user_home, str(file))
    assert asked.args == [str(file)]
    qtbot.waitUntil(lambda: second.poll() is not None, timeout=30_000)
    assert second.returncode == 0


@pytest.mark.parametrize(
    "message",
    [
        b"[]\n",
        b"{\n",
        b'{"version": 2, "open": ""}\n',
        b'{"version": 1, "open": 3}\n',
        b'{"version": 1, "open": "relative.gpuplan"}\n',
        b"x" * (LONGEST_MESSAGE_BYTES + 2),
    ],
)
def test_what_is_no_message_of_ours_is_dropped(server: InstanceServer, message: bytes, qtbot: QtBot) -> None:
    heard: list[str] = []
    server.requested.connect(heard.append)
    socket = QLocalSocket()
    socket.connectToServer(server_name())
    assert socket.waitForConnected(1000)
    socket.write(message)
    qtbot.waitUntil(lambda: socket.state() == QLocalSocket.LocalSocketState.UnconnectedState, timeout=20_000)
    assert heard == []


@pytest.mark.skipif(sys.platform == "win32", reason="pipes leave nothing behind")
def test_a_socket_left_behind_is_replaced(user_home: Path, qtbot: QtBot) -> None:
    script = (
        "import os\nfrom PySide6.QtCore import QCoreApplication\napp = QCoreApplication([])\n"
        "from gpuplanner_gui.desktop.window.single_instance import InstanceServer\n"
        "server = InstanceServer()\nassert server.listen()\nos._exit(0)\n"
    )
    environment = {**os.environ, HOME_VARIABLE: str(user_home)}
    subprocess.run([sys.executable, "-c", script], env=environment, check=True, timeout=60)
    server = InstanceServer()
    assert server.listen()
    server.close()
