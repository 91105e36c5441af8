"""Files that are read in the background, one after another, for what carries out the window's commands."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from gpuplanner_gui.desktop.tasks.runner import Step, TaskRunner, Watch, failure_text
from gpuplanner_gui.desktop.widgets.message_bar import Severity

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.window.window_parts import WindowParts


class ReadingControls(QObject):
    """Reads files of one kind; what was read goes to `_on_read`."""

    reading_changed = Signal()
    """A file is being read now, or not any more."""

    def __init__(self, kind: str, parts: WindowParts) -> None:
        super().__init__(parts.frame)
        self._parts = parts
        self._runner = TaskRunner(kind, self)
        self._runner.answered.connect(self._on_read)
        self._runner.progressed.connect(self._show_progress)
        self._runner.failed.connect(self._on_refused)
        self._runner.finished.connect(self._on_finished)
        self._waiting: list[Callable[[], None]] = []
        """What reads the files after the one at hand."""

    @property
    def is_reading(self) -> bool:
        return self._runner.is_running

    def cancel_reading(self) -> bool:
        """Give up the file that is being read, if one is, and those that wait."""
        was_reading = self.is_reading
        self._waiting.clear()
        if was_reading:
            self._runner.cancel()
            self._on_finished()
        return was_reading

    def stop(self) -> None:
        """Give up what is read and what waits, and end the thread."""
        self._waiting.clear()
        self._runner.stop()

    def _begin(self, path: Path, read: Callable[[Watch], Any]) -> None:
        self._runner.run(lambda: (Step(path.name, read),))
        self._show_progress(path.name, 0.0)
        self.reading_changed.emit()

    def _task_text(self, file: str) -> str:
        """What the status bar calls the reading of a file."""
        raise NotImplementedError

    def _on_read(self, file: str, found: Any) -> None:
        raise NotImplementedError

    def _show_progress(self, file: str, share: float) -> None:
        self._parts.status.show_task(self._task_text(file), share)

    def _on_refused(self, _: str, problem: Exception) -> None:
        self._parts.messages.show_message(partial(failure_text, problem), Severity.ERROR)

    def _on_finished(self) -> None:
        self._parts.status.show_task("", 0.0)
        self.reading_changed.emit()
        if self._waiting and not self.is_reading:
            self._waiting.pop(0)()
