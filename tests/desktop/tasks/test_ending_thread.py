"""A thread that goes on after its window has closed does not take the program down."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QThread, Signal, Slot
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.tasks.ending_thread import are_threads_left, end_thread


class Worker(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.began, self.may_end = threading.Event(), threading.Event()

    @Slot()
    def work(self) -> None:
        self.began.set()
        self.may_end.wait(60)


class Owner(QObject):
    ask = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.thread_at_work = QThread(self)
        self.thread_at_work.setObjectName("patient")
        self.worker = Worker()
        self.worker.moveToThread(self.thread_at_work)
        self.ask.connect(self.worker.work, Qt.ConnectionType.QueuedConnection)
        self.thread_at_work.start()


def test_a_thread_that_ends_in_time_leaves_nothing(qtbot: QtBot) -> None:
    owner = Owner()
    end_thread(owner.thread_at_work, owner.worker)
    assert owner.thread_at_work.isFinished()
    assert not are_threads_left()


def test_a_thread_that_goes_on_outlives_its_window(qtbot: QtBot, caplog: pytest.LogCaptureFixture) -> None:
    owner = Owner()
    worker, thread = owner.worker, owner.thread_at_work
    owner.ask.emit()
    assert worker.began.wait(20)
    end_thread(thread, worker, wait_ms=10)
    assert "the patient thread did not stop within 10 ms" in caplog.text
    assert are_threads_left()
    # Qt would end the program here, were the thread still its owner's.
    owner.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    worker.may_end.set()
    qtbot.waitUntil(lambda: not are_threads_left(), timeout=20_000)
