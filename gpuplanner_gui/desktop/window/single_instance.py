"""One program per user: a file that is double-clicked opens in the window that is there already.

Programs find each other by a local socket, which other users cannot open and which is no network.
"""

from __future__ import annotations

import hashlib
import json
import logging
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from gpuplanner_gui import __version__, paths

logger = logging.getLogger(__name__)

CONNECT_MS, ANSWER_MS = 300, 1000
LONGEST_MESSAGE_BYTES = 16_384
MESSAGE_VERSION = 1
TAKEN = b"taken\n"


def server_name() -> str:
    """Another for every user, settings folder and version: two versions run side by side."""
    place = hashlib.sha256(str(paths.user_config_dir()).encode()).hexdigest()[:16]
    return f"gpuplanner-{__version__}-{place}"


def is_taken_over(file: Path | None) -> bool:
    """Ask a running program to open a file, or to come to the front; False if none answers."""
    socket = QLocalSocket()
    socket.connectToServer(server_name())
    if not socket.waitForConnected(CONNECT_MS):
        return False
    message = {"version": MESSAGE_VERSION, "open": str(file.absolute()) if file is not None else ""}
    socket.write(json.dumps(message).encode() + b"\n")
    answer = b""
    while not answer.endswith(b"\n") and socket.waitForReadyRead(ANSWER_MS):
        answer += bytes(socket.readAll().data())
    socket.disconnectFromServer()
    return answer == TAKEN


class InstanceServer(QObject):
    """Hears what later starts of the program hand over."""

    requested = Signal(str)
    """The file to open; empty: come to the front."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connection)

    def listen(self) -> bool:
        """Be the one from now on. A socket that a killed program left behind is replaced."""
        name = server_name()
        if not self._server.listen(name):
            QLocalServer.removeServer(name)
            if not self._server.listen(name):
                logger.warning("no single instance: %s", self._server.errorString())
                return False
        return True

    def close(self) -> None:
        self._server.close()

    def _on_connection(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.readyRead.connect(lambda socket=socket: self._on_ready(socket))
            socket.disconnected.connect(socket.deleteLater)
            if socket.bytesAvailable():
                self._on_ready(socket)

    def _on_ready(self, socket: QLocalSocket) -> None:
        if socket.bytesAvailable() > LONGEST_MESSAGE_BYTES:
            socket.abort()
        elif socket.canReadLine():
            wanted = _wanted(bytes(socket.readLine(LONGEST_MESSAGE_BYTES).data()))
            if wanted is None:
                socket.abort()
                return
            socket.write(TAKEN)
            socket.flush()
            self.requested.emit(wanted)


def _wanted(line: bytes) -> str | None:
    """The file that a message asks for; None where it is no message of ours."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or message.get("version") != MESSAGE_VERSION:
        return None
    file = message.get("open")
    if not isinstance(file, str) or "\0" in file or (file and not Path(file).is_absolute()):
        return None
    return file
