"""Dialogs that edit a copy, by keys: Enter ends a field and not the dialog."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.dialogs.copy_dialog import CopyDialog
from gpuplanner_gui.desktop.dialogs.own_device import EstateInputsDialog, OwnDeviceDialog
from gpuplanner_gui.desktop.dialogs.price_list import PriceListDialog
from gpuplanner_gui.desktop.editors.base import Surroundings, offer_catalog_choices
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.price_list import read_price_table
from gpuplanner_gui.files.project import load_project
from gpuplanner_gui.paths import resources_dir
from tests.desktop.drawn import wait_until_drawn
from tests.desktop.question_box import answer_next

ENTER = Qt.Key.Key_Return
Make = Callable[[QWidget, Catalog, Path], CopyDialog]


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_shipped_catalog()


def own_device(parent: QWidget, catalog: Catalog, folder: Path) -> CopyDialog:
    surroundings = Surroundings(parent)
    offer_catalog_choices(surroundings)
    surroundings.take_catalog(catalog)
    return OwnDeviceDialog(catalog.accelerators["nvidia-h100-sxm-80gb"], catalog, surroundings, False, parent)


def estate(parent: QWidget, catalog: Catalog, folder: Path) -> CopyDialog:
    project = load_project(resources_dir() / "examples" / "estate-12-quarters.gpuplan")
    assert project.estate is not None
    made = EstateInputsDialog(project.estate, project.scenarios, catalog, parent)
    made.tabs.setCurrentIndex(made.tabs.count() - 1)
    return made


def price_list(parent: QWidget, catalog: Catalog, folder: Path) -> CopyDialog:
    path = folder / "list.csv"
    path.write_text("GPU,Price,Currency\nH100 SXM,28500,USD\nT4,500,EUR\n", encoding="utf-8")
    return PriceListDialog(read_price_table(path), catalog, {}, datetime.date(2026, 11, 1), parent)


FIELDS: dict[Make, tuple[str, str]] = {
    own_device: ("Memory bandwidth", "4 TB/s"),
    estate: ("Periods", "6"),
    price_list: ("US dollars for one EUR", "1.1"),
}


@pytest.fixture
def show(qtbot: QtBot, catalog: Catalog, tmp_path: Path) -> Iterator[Callable[[Make], CopyDialog]]:
    parent = QWidget()
    shown: list[CopyDialog] = []

    def made(make: Make) -> CopyDialog:
        dialog = make(parent, catalog, tmp_path)
        shown.append(dialog)
        dialog.show()
        dialog.activateWindow()
        qtbot.waitUntil(dialog.isActiveWindow)
        wait_until_drawn(qtbot)
        return dialog

    yield made
    for dialog in shown:
        dialog.done(0)
    parent.deleteLater()


def typed(qtbot: QtBot, dialog: CopyDialog, name: str, text: str, end: Qt.Key) -> QLineEdit:
    line = next(one for one in dialog.findChildren(QLineEdit) if one.accessibleName() == name and one.isVisible())
    line.setFocus()
    line.selectAll()
    qtbot.keyClicks(line, text)
    qtbot.keyClick(line, end)
    return line


@pytest.mark.parametrize("make", FIELDS)
def test_enter_ends_a_field_and_presses_the_button_that_has_the_focus(
    make: Make, show: Callable[[Make], CopyDialog], qtbot: QtBot
) -> None:
    dialog = show(make)
    typed(qtbot, dialog, *FIELDS[make], ENTER)
    assert dialog.isVisible()
    assert dialog.is_changed(), "the field was taken"
    assert not dialog.take.isDefault(), "no button looks as if Enter pressed it"
    dialog.take.setFocus()
    qtbot.keyClick(dialog.take, ENTER)
    assert not dialog.isVisible()
    assert dialog.result() == CopyDialog.DialogCode.Accepted


UNREADABLE: dict[Make, tuple[str, str]] = {own_device: ("Memory bandwidth", "4 TB per s?"), estate: ("Periods", "six")}


@pytest.mark.parametrize("make", UNREADABLE)
def test_what_can_not_be_read_is_said_and_keeps_the_copy_from_being_taken(
    make: Make, show: Callable[[Make], CopyDialog], qtbot: QtBot
) -> None:
    dialog = show(make)
    name, text = UNREADABLE[make]
    line = typed(qtbot, dialog, name, text, Qt.Key.Key_Tab)
    qtbot.waitUntil(lambda: not dialog.take.isEnabled())
    assert isinstance(dialog, (OwnDeviceDialog, EstateInputsDialog))
    assert dialog.problem.text().startswith(f"“{name}” was not changed, because “{text}” is not valid")
    line.setFocus()
    line.selectAll()
    qtbot.keyClicks(line, "nothing of the kind")
    qtbot.keyClick(line, Qt.Key.Key_Escape)
    qtbot.waitUntil(dialog.take.isEnabled)
    assert not dialog.problem.text()


@pytest.mark.parametrize("make", UNREADABLE)
def test_a_click_on_accept_does_not_lose_what_is_still_typed(
    make: Make, show: Callable[[Make], CopyDialog], qtbot: QtBot
) -> None:
    dialog = show(make)
    name, text = UNREADABLE[make]
    line = typed(qtbot, dialog, name, text, Qt.Key.Key_Question)
    qtbot.mouseClick(dialog.take, Qt.MouseButton.LeftButton)
    assert dialog.isVisible()
    asked: list[str] = []
    answer_next(qtbot, "", asked, Qt.Key.Key_Escape)
    dialog.reject()
    assert asked == ["Discard what you entered?"]
    assert dialog.isVisible()
    assert line.text() == f"{text}?"
