"""The few questions that must be answered before going on, and which file to read."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from gpuplanner_gui.desktop.settings import last_folder
from gpuplanner_gui.drawing.language import tr

Role = QMessageBox.ButtonRole


class SaveAnswer(Enum):
    SAVE = auto()
    ALL = auto()
    SAVE_AS = auto()
    DISCARD = auto()
    CANCEL = auto()


def ask_about_unsaved(window: QWidget, name: str, unread: str = "") -> SaveAnswer:
    """Ask whether to save or discard unsaved work; `unread` lists typed text that can't be saved."""
    text = tr("Save the changes to “{name}”?").format(name=name)
    lost = tr("Your changes will be lost if you don't save them.")
    more = "\n\n".join(part for part in (lost, unread) if part)
    buttons = ((tr("&Save"), Role.AcceptRole), (tr("&Discard"), Role.DestructiveRole))
    answers = (SaveAnswer.SAVE, SaveAnswer.DISCARD, SaveAnswer.CANCEL)
    return answers[_ask(window, "unsaved", text, more, buttons, default=0)]


def may_lose_typing(window: QWidget, unread: str) -> bool:
    """Whether text may go that could not be taken; asked where nothing else is unsaved."""
    text = tr("One field has an entry that is not valid. Discard it?")
    return _ask(window, "unread", text, unread, ((tr("&Discard"), Role.DestructiveRole),)) == 0


def ask_about_disk_change(window: QWidget, path: Path) -> SaveAnswer:
    """Whether to write over what somebody else wrote meanwhile."""
    text = tr("Another program or window changed “{name}” on disk.").format(name=path.name)
    more = tr("Saving overwrites those changes. Save under another name to keep both.")
    buttons = ((tr("Save &As…"), Role.AcceptRole), (tr("&Replace"), Role.DestructiveRole))
    answers = (SaveAnswer.SAVE_AS, SaveAnswer.SAVE, SaveAnswer.CANCEL)
    return answers[_ask(window, "disk-change", text, more, buttons, default=0)]


def may_give_up_edits(dialog: QWidget) -> bool:
    """Whether what was entered in a dialog may be lost; asked where Escape or Cancel would lose it."""
    text, more = tr("Discard what you entered?"), tr("The dialog closes and your entries are lost.")
    buttons = ((tr("&Discard"), Role.DestructiveRole),)
    return _ask(dialog, "give-up", text, more, buttons, cancel=tr("Keep &editing")) == 0


def may_restore_preferences(dialog: QWidget) -> bool:
    """Whether every preference may go back to its default."""
    text = tr("Restore the defaults of all preferences?")
    more = tr("Language, numbers, appearance, plots, autosave and session.")
    return _ask(dialog, "restore-preferences", text, more, ((tr("Restore &defaults"), Role.AcceptRole),)) == 0


def ask_for_file(parent: QWidget, title: str, *filters: str) -> Path | None:
    """A file to read, asked for in the folder that was used last; None where the planner names none."""
    shown = ";;".join((*filters, tr("All files (*)")))
    name, _ = QFileDialog.getOpenFileName(parent, title, last_folder.place_for(""), shown)
    if name:
        last_folder.note(Path(name))
    return Path(name) if name else None


def _ask(
    window: QWidget, name: str, text: str, more: str, buttons: Sequence[tuple[str, Role]], *,
    default: int = -1, cancel: str = "",
) -> int:  # fmt: skip
    """Place of the button that was clicked; -1 for the last one, which Escape means too and which cancels."""
    box = QMessageBox(window)
    box.setObjectName(name)
    box.setIcon(QMessageBox.Icon.Warning)
    box.setWindowTitle(tr("GPU Planner"))
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(text)
    box.setInformativeText(more)
    made = [box.addButton(words, role) for words, role in buttons]
    last = box.addButton(QMessageBox.StandardButton.Cancel)
    if cancel:
        last.setText(cancel)
    box.setDefaultButton(made[default] if default >= 0 else last)
    box.setEscapeButton(last)
    box.exec()
    clicked = box.clickedButton()
    box.deleteLater()
    return next((place for place, one in enumerate(made) if one is clicked), -1)
