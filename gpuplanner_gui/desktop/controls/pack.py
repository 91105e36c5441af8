"""Catalogue packs in the window: choose, look, put in force, take back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog

from gpuplanner_gui.desktop.message_bar import Severity
from gpuplanner_gui.desktop.settings import Key, text_setting
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.words.pack import pack_title
from gpuplanner_gui.files.errors import FileProblem

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.window_parts import WindowParts

PACK_SUFFIX = ".gpupack"


class PackControls:
    """What the Catalogue menu's entries for packs do."""

    def __init__(self, parts: WindowParts) -> None:
        self._parts = parts

    def import_by_dialog(self) -> None:
        folder = text_setting(self._parts.settings, Key.LAST_FOLDER, str(Path.home()))
        filters = ";;".join((tr("Catalogue packs (*.gpupack)"), tr("All files (*)")))
        name, _ = QFileDialog.getOpenFileName(self._parts.frame, tr("Import catalogue pack"), folder, filters)
        if name:
            self.import_from(Path(name))

    def import_from(self, path: Path) -> None:
        """Show what a pack would change; put it in force where the planner says so."""
        from gpuplanner_gui.desktop.dialogs.pack import PackDialog
        from gpuplanner_gui.files.catalogs import load_catalog_of_packs
        from gpuplanner_gui.files.packs.powers import looked_at, put_in_force
        from gpuplanner_gui.files.packs.store import applied_packs

        try:
            signed, changes = looked_at(path, load_catalog_of_packs())
            newer = [one.pack for one in applied_packs() if one.pack.issued_on > signed.pack.issued_on]
            dialog = PackDialog(signed.pack, signed.signer, changes, newer[-1] if newer else None, self._parts.frame)
            if dialog.exec() != PackDialog.DialogCode.Accepted:
                return
            put_in_force(signed, path)
        except FileProblem as problem:
            self._parts.messages.show_problem(problem)
            return
        self._say_and_reload(lambda: tr("In force now: {pack}.").format(pack=pack_title(signed.pack)), can_undo=True)

    def take_back(self) -> None:
        """Take the newest pack away; what it had replaced is in force again."""
        from gpuplanner_gui.files.packs.store import restore_before_last_pack

        try:
            removed = restore_before_last_pack()
        except FileProblem as problem:
            self._parts.messages.show_problem(problem)
            return
        if removed is None:
            self._parts.messages.show_message(lambda: tr("No catalogue pack is in force."), Severity.NOTE)
            return
        self._say_and_reload(lambda: tr("Taken back: {pack}.").format(pack=pack_title(removed.pack)), can_undo=False)

    def _say_and_reload(self, words: Callable[[], str], can_undo: bool) -> None:
        """Compute with the catalogue as it is now; a project keeps the figures that it carries along."""
        self._parts.messages.show_message(
            words,
            Severity.NOTE,
            (lambda: tr("Take Back")) if can_undo else str,
            (PackControls, PackControls.take_back),
            is_about_project=False,
        )
        self._parts.compute.start()
        self._parts.compute.retry()
