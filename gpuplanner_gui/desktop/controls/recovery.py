"""Between the window and recovery copies: what is kept, what is offered, what becomes of the answer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gpuplanner_gui.desktop.message_bar import Severity
from gpuplanner_gui.desktop.questions import Answer
from gpuplanner_gui.desktop.recovery import LostWork, RecoveryKeeper, keep_after_s, recovery_dir
from gpuplanner_gui.drawing.language import tr

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.window_parts import WindowParts


class RecoveryControls(QObject):
    """Keeps the window's unsaved work, and offers what earlier runs left behind."""

    recovered_beside_requested = Signal(str)
    """The name of a copy of unsaved work, to be opened in a window of its own."""

    def __init__(self, parts: WindowParts, folder: Path | None = None) -> None:
        super().__init__(parts.frame)
        self._parts = parts
        self._folder = folder or recovery_dir()
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
        """As `offer`, without a word where there is nothing. True if work was restored."""
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
                lambda: tr("Work from an earlier run was not saved."),
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
            if path is None or answer is Answer.CANCEL:
                break
            if answer is Answer.DISCARD:
                lost.discard(path)
            else:
                was_restored = self._restore(lost, path)
                beside = [found.name for found, _ in lost.copies] if answer is Answer.ALL and was_restored else []
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
            lambda: tr("Unsaved work cannot be kept for a crash: {reason}").format(reason=reason),
            Severity.WARNING,
            is_about_project=False,
        )
