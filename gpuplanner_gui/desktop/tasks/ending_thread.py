"""Threads end when their window closes; one that does not is left to itself, and takes nothing down with it."""

from __future__ import annotations

import logging

from PySide6.QtCore import QObject, QThread

logger = logging.getLogger(__name__)

STOP_WAIT_MS = 3000

_left_behind: list[tuple[QThread, QObject]] = []
"""Held with their workers: Qt ends the whole program where a running thread is destroyed."""


def end_thread(thread: QThread, worker: QObject, wait_ms: int = STOP_WAIT_MS) -> None:
    """Ask a thread to end, and wait for it; its work has been told before to give up."""
    thread.quit()
    if thread.wait(wait_ms):
        return
    logger.warning("the %s thread did not stop within %d ms", thread.objectName(), wait_ms)
    thread.setParent(None)
    _left_behind.append((thread, worker))


def are_threads_left() -> bool:
    """Whether one still runs that was told to end."""
    return any(thread.isRunning() for thread, _ in _left_behind)
