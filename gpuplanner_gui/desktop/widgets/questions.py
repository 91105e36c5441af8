"""The few questions that must be answered before going on, and which file to read."""

from __future__ import annotations

from enum import Enum, auto
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from gpuplanner_gui.desktop.settings import last_folder
from gpuplanner_gui.drawing.language import tr


class Answer(Enum):
    SAVE = auto()
    ALL = auto()
    SAVE_AS = auto()
    DISCARD = auto()
    CANCEL = auto()


def ask_about_unsaved(window: QWidget, name: str, unread: str = "") -> Answer:
    """What becomes of unsaved work; `unread` says what stands in fields and is saved in no case."""
    box = _box(window, "unsaved", tr("Save the changes to “{name}”?").format(name=name))
    lost = tr("Your changes will be lost if you don't save them.")
    box.setInformativeText("\n\n".join(part for part in (lost, unread) if part))
    buttons = QMessageBox.StandardButton
    box.setStandardButtons(buttons.Save | buttons.Discard | buttons.Cancel)
    box.button(buttons.Save).setText(tr("&Save"))
    box.button(buttons.Discard).setText(tr("&Discard"))
    box.setDefaultButton(buttons.Save)
    box.setEscapeButton(buttons.Cancel)
    answers = {int(buttons.Save): Answer.SAVE, int(buttons.Discard): Answer.DISCARD}
    return answers.get(int(box.exec()), Answer.CANCEL)


def may_lose_typing(window: QWidget, unread: str) -> bool:
    """Whether text may go that could not be taken; asked where nothing else is unsaved."""
    box = _box(window, "unread", tr("The program could not read what you typed in a field. Discard it?"))
    box.setInformativeText(unread)
    loses = box.addButton(tr("&Discard"), QMessageBox.ButtonRole.DestructiveRole)
    goes_back = box.addButton(QMessageBox.StandardButton.Cancel)
    box.setDefaultButton(goes_back)
    box.setEscapeButton(goes_back)
    box.exec()
    return box.clickedButton() is loses


def ask_about_disk_change(window: QWidget, path: Path) -> Answer:
    """Whether to write over what somebody else wrote meanwhile."""
    box = _box(window, "disk-change", tr("“{name}” was changed on disk by another program.").format(name=path.name))
    box.setInformativeText(tr("Saving replaces those changes with yours. Another name keeps both."))
    save_as = box.addButton(tr("Save &As…"), QMessageBox.ButtonRole.AcceptRole)
    overwrite = box.addButton(tr("&Replace"), QMessageBox.ButtonRole.DestructiveRole)
    cancel = box.addButton(QMessageBox.StandardButton.Cancel)
    box.setDefaultButton(save_as)
    box.setEscapeButton(cancel)
    box.exec()
    clicked = box.clickedButton()
    return Answer.SAVE_AS if clicked is save_as else Answer.SAVE if clicked is overwrite else Answer.CANCEL


def may_give_up_edits(dialog: QWidget) -> bool:
    """Whether what was entered in a dialog may be lost; asked where Escape or Cancel would lose it."""
    box = _box(dialog, "give-up", tr("Discard what you entered?"))
    box.setInformativeText(tr("The dialog closes, and nothing you entered in it is kept."))
    gives_up = box.addButton(tr("&Discard"), QMessageBox.ButtonRole.DestructiveRole)
    goes_on = box.addButton(tr("Keep &editing"), QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(goes_on)
    box.setEscapeButton(goes_on)
    box.exec()
    return box.clickedButton() is gives_up


def may_restore_preferences(dialog: QWidget) -> bool:
    """Whether every preference may go back to its default."""
    box = _box(dialog, "restore-preferences", tr("Restore the defaults of all preferences?"))
    box.setInformativeText(tr("Language, numbers, appearance, plots, autosave and session."))
    brings = box.addButton(tr("Restore &defaults"), QMessageBox.ButtonRole.AcceptRole)
    keeps = box.addButton(QMessageBox.StandardButton.Cancel)
    box.setDefaultButton(keeps)
    box.setEscapeButton(keeps)
    box.exec()
    return box.clickedButton() is brings


def ask_for_file(parent: QWidget, title: str, *filters: str) -> Path | None:
    """A file to read, asked for in the folder that was used last; None where the planner names none."""
    shown = ";;".join((*filters, tr("All files (*)")))
    name, _ = QFileDialog.getOpenFileName(parent, title, last_folder.place_for(""), shown)
    if name:
        last_folder.note(Path(name))
    return Path(name) if name else None


def _box(window: QWidget, name: str, text: str) -> QMessageBox:
    box = QMessageBox(window)
    box.setObjectName(name)
    box.setIcon(QMessageBox.Icon.Warning)
    box.setWindowTitle(tr("GPU Planner"))
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(text)
    return box
