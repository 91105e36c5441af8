"""Unsaved work is kept in a copy of its own every few seconds, so that a crash or a power cut loses next to nothing.

Each window has one copy in the user's data folder, and a lock beside it for as long as it runs. A copy whose lock is
free was left by a program that ended without asking: it is offered at the next start, and never opened unasked.
"""

from __future__ import annotations

import logging
import uuid
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QLockFile, QObject, QSettings, QThreadPool, QTimer, Signal
from shiboken6 import isValid

from gpuplanner_gui import paths
from gpuplanner_gui.desktop.settings import Key, number_setting
from gpuplanner_gui.desktop.store import Store
from gpuplanner_gui.desktop.widgets.message_bar import Severity
from gpuplanner_gui.desktop.widgets.questions import SaveAnswer
from gpuplanner_gui.desktop.window.project_file import ProjectFile
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.words.files import file_problem_text
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.whole_file import write_whole_file

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.window.window_parts import WindowParts
    from gpuplanner_gui.files.recovery import RecoveryCopy

logger = logging.getLogger(__name__)

KEEP_AFTER_MS = 3000
"""Time from the first unsaved edit to the recovery copy; later edits are in it."""
KEEP_CHOICES_S = (1.0, 3.0, 10.0, 30.0, 60.0)
SUFFIX, LOCK_SUFFIX = ".recovery", ".lock"
STOP_WAIT_MS = 3000
UNSIGNED_LOCK_MS = 1000
"""A running program says in its lock far sooner than this whose it is."""


def keep_after_s(settings: QSettings) -> float:
    """The preferred time from an edit to the recovery copy, rounded to an allowed choice. [s]"""
    wanted = number_setting(settings, Key.AUTOSAVE_S, KEEP_AFTER_MS / 1e3)
    return min(KEEP_CHOICES_S, key=lambda one: abs(one - wanted))


def recovery_dir() -> Path:
    return paths.user_data_dir() / "recovery"


class RecoveryKeeper(QObject):
    """Keeps the copy of one window's unsaved work."""

    problem = Signal(str)
    """Once, when a copy could not be written."""

    def __init__(self, store: Store, file: ProjectFile, folder: Path, parent: QObject) -> None:
        super().__init__(parent)
        self._store = store
        self._file = file
        self._path = folder / f"{uuid.uuid4().hex}{SUFFIX}"
        self._lock: QLockFile | None = None
        self._has_failed = False
        self._is_left = False
        # One thread: a later copy can't be overtaken by an earlier one, and a slow disk stalls no window.
        self._writer = QThreadPool(self)
        self._writer.setMaxThreadCount(1)
        self.keep_soon = QTimer(self, singleShot=True, interval=KEEP_AFTER_MS)
        self.keep_soon.timeout.connect(self.keep)
        self._failed.connect(self._on_failed)
        store.project_changed.connect(self._on_changed)
        store.undo_stack.cleanChanged.connect(self._on_changed)

    _failed = Signal(str)

    def keep_after(self, seconds: float) -> None:
        """Write copies so long after an edit from now on."""
        self.keep_soon.setInterval(round(seconds * 1e3))

    def keep(self) -> None:
        """Write the copy now, if there is unsaved work."""
        self.keep_soon.stop()
        if not self._file.is_modified or not self._is_locked():
            return
        from gpuplanner_gui.files.recovery import RecoveryCopy

        copy = RecoveryCopy(project=self._store.project, kept_at=datetime.now().astimezone(), original=self._file.path)
        self._writer.start(lambda: self._write(copy))

    def keep_at_once(self) -> bool:
        """Write the copy and wait until it is on disk; False if it is not."""
        self.keep()
        self._writer.waitForDone(STOP_WAIT_MS)
        return self._path.exists()

    def leave_for_next_start(self) -> str:
        """Keep the copy when the window closes; its file name, or nothing where it could not be written."""
        self._is_left = self.keep_at_once()
        return self._path.name if self._is_left else ""

    def stay(self) -> None:
        """The window stays after all: its copy goes as soon as its work is saved or given up."""
        self._is_left = False

    def forget(self) -> None:
        """The work is saved, or was given up by the planner: there is nothing to recover, once the writer is done."""
        self.keep_soon.stop()
        self._writer.clear()
        self._writer.start(partial(_remove, self._path))

    def close(self) -> None:
        """The window closes in good order."""
        if self._is_left:
            self.keep_soon.stop()
        else:
            self.forget()
        self._writer.waitForDone(STOP_WAIT_MS)
        if self._lock is not None:
            self._lock.unlock()
            self._lock = None

    def _on_changed(self, *_: object) -> None:
        if not isValid(self._store.undo_stack):
            # A window that is destroyed without being closed: its stack is emptied, its work is not saved.
            return
        if not self._file.is_modified:
            if self._lock is not None:
                self.forget()
        elif not self.keep_soon.isActive():
            self.keep_soon.start()

    def _is_locked(self) -> bool:
        """Take the lock when there is something to keep for the first time, or its folder was deleted meanwhile."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._drop_lost_lock()
        except OSError as problem:
            self._failed.emit(str(problem))
            return False
        if self._lock is None:
            lock = QLockFile(str(self._path.with_suffix(LOCK_SUFFIX)))
            lock.setStaleLockTime(0)
            if not lock.tryLock(0):
                self._failed.emit(str(self._path.parent))
                return False
            self._lock = lock
        return True

    def _drop_lost_lock(self) -> None:
        """Drop the lock of a folder that was deleted and created again. Raises OSError."""
        if self._lock is not None and not Path(self._lock.fileName()).exists():
            # Unlocking deletes the file, and warns where there is none.
            Path(self._lock.fileName()).touch()
            self._lock.unlock()
            self._lock = None

    def _write(self, copy: RecoveryCopy) -> None:
        from gpuplanner_gui.files.recovery import recovery_to_bytes

        try:
            write_whole_file(self._path, recovery_to_bytes(copy))
        except FileProblem as problem:
            self._failed.emit(file_problem_text(problem))

    def _on_failed(self, reason: str) -> None:
        if not self._has_failed:
            self._has_failed = True
            logger.warning("unsaved work could not be kept: %s", reason)
            self.problem.emit(reason)


class LostWork:
    """Copies that a program left behind that ended without asking. Whoever looks through them holds their locks."""

    def __init__(self, folder: Path) -> None:
        self.copies: list[tuple[Path, RecoveryCopy]] = []
        self.problems: list[str] = []
        self._locks: dict[Path, QLockFile] = {}
        for path in sorted(folder.glob(f"*{SUFFIX}")):
            lock = _lock_of_dead(path.with_suffix(LOCK_SUFFIX))
            if lock is None:
                continue
            try:
                self.copies.append((path, _loaded(path)))
                self._locks[path] = lock
            except FileProblem as problem:
                self.problems.append(file_problem_text(problem))
                lock.unlock()
        self.copies.sort(key=lambda found: found[1].kept_at, reverse=True)

    def named(self, name: str) -> Path | None:
        """The copy with a file's name, if it is here and nobody else's."""
        return next((path for path, _ in self.copies if path.name == name), None)

    def discard(self, path: Path) -> None:
        """Delete a copy that was taken over, or is not wanted."""
        _remove(path)
        self.copies = [found for found in self.copies if found[0] != path]
        self._release(path)

    def release(self) -> None:
        """Leave what is left for another time."""
        for path in list(self._locks):
            self._release(path)

    def _release(self, path: Path) -> None:
        lock = self._locks.pop(path, None)
        if lock is not None:
            lock.unlock()


def _lock_of_dead(path: Path) -> QLockFile | None:
    """The lock, taken over, of a program that does not run any more; None while it runs."""
    lock = QLockFile(str(path))
    lock.setStaleLockTime(0)
    if lock.tryLock(0):
        return lock
    is_signed, *_ = lock.getLockInfo()
    if not is_signed:
        # Killed between making the file and writing into it whose it is: nobody would ever be found dead.
        lock.setStaleLockTime(UNSIGNED_LOCK_MS)
        if lock.tryLock(2 * UNSIGNED_LOCK_MS):
            return lock
    return None


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as problem:
        # It is offered again, which is a nuisance and no loss.
        logger.warning("a recovery copy could not be deleted: %s", problem)


def _loaded(path: Path) -> RecoveryCopy:
    # Only here: there is usually none, and reading one takes modules that the start need not wait for.
    from gpuplanner_gui.files.recovery import load_recovery

    return load_recovery(path)


class RecoveryControls(QObject):
    """Keeps the window's unsaved work, and offers what earlier runs left behind."""

    recovered_beside_requested = Signal(str)
    """The name of a copy of unsaved work, to be opened in a window of its own."""

    def __init__(self, parts: WindowParts) -> None:
        super().__init__(parts.frame)
        self._parts = parts
        self._folder = recovery_dir()
        self.keeper = RecoveryKeeper(parts.store, parts.file, self._folder, self)
        self.keeper.keep_after(keep_after_s(parts.settings))
        self.keeper.problem.connect(self._on_problem)

    def offer(self) -> None:
        """Ask about unsaved work of programs that ended without asking; say so where there is none."""
        lost = LostWork(self._folder)
        if not lost.copies:
            self._parts.messages.show_message(
                " ".join(lost.problems) if lost.problems else lambda: tr("There is no unsaved work to recover."),
                Severity.WARNING if lost.problems else Severity.NOTE,
            )
            return
        self._ask(lost)

    def offer_at_start(self) -> bool:
        """Offer unsaved work at the start, silently if there is none. True if work was restored."""
        lost = LostWork(self._folder)
        return bool(lost.copies) and self._ask(lost)

    def take_back(self, name: str) -> bool:
        """Go on with the unsaved work that a window left behind in good order. False if it is not there any more."""
        lost = LostWork(self._folder)
        path = lost.named(name)
        is_back = path is not None and self._restore(lost, path)
        lost.release()
        return is_back

    def mention(self) -> None:
        """Say that there is something to recover, beside a project that was asked for by name."""
        lost = LostWork(self._folder)
        lost.release()
        if lost.copies:
            self._parts.messages.show_message(
                lambda: tr("Unsaved work from an earlier session was found."),
                Severity.NOTE,
                lambda: tr("Recover…"),
                (RecoveryControls, RecoveryControls.offer),
                is_about_project=False,
            )

    def _ask(self, lost: LostWork) -> bool:
        from gpuplanner_gui.desktop.dialogs.recovery import RecoveryDialog

        was_restored, beside = False, list[str]()
        while lost.copies and not was_restored:
            dialog = RecoveryDialog(lost.copies, self._parts.frame)
            dialog.exec()
            path = dialog.chosen
            answer = dialog.answer
            dialog.deleteLater()
            if path is None or answer is SaveAnswer.CANCEL:
                break
            if answer is SaveAnswer.DISCARD:
                lost.discard(path)
            else:
                was_restored = self._restore(lost, path)
                beside = [found.name for found, _ in lost.copies] if answer is SaveAnswer.ALL and was_restored else []
                break
        lost.release()
        for name in beside:
            self.recovered_beside_requested.emit(name)
        return was_restored

    def _restore(self, lost: LostWork, path: Path) -> bool:
        copy = next(copy for found, copy in lost.copies if found == path)
        if not self._parts.file.may_leave():
            return False
        self._parts.file.take_recovered(copy.project, copy.original, copy.kept_at.timestamp())
        # The old copy goes only when the new one is on disk.
        if self.keeper.keep_at_once():
            lost.discard(path)
        return True

    def _on_problem(self, reason: str) -> None:
        self._parts.messages.show_message(
            lambda: tr("Autosave failed: {reason}").format(reason=reason),
            Severity.WARNING,
            is_about_project=False,
        )
