"""Escape and Cancel in a dialog: they close it, and ask first where something entered would be lost."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.dialogs.measurement_columns import TraceColumnsDialog
from gpuplanner_gui.desktop.dialogs.own_device import OwnDeviceDialog
from gpuplanner_gui.desktop.dialogs.price_list import PriceListDialog
from gpuplanner_gui.desktop.editors.base import Surroundings, offer_catalog_choices
from gpuplanner_gui.desktop.window.guided_start import GuidedStart
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.price_list import read_price_table
from gpuplanner_gui.files.traces import head_of
from tests.desktop.question_box import answer_next

LEFT = Qt.MouseButton.LeftButton
Edit = Callable[[QDialog, QtBot], None]


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_shipped_catalog()


def own_device(parent: QWidget, catalog: Catalog, folder: Path) -> QDialog:
    surroundings = Surroundings(parent)
    offer_catalog_choices(surroundings)
    surroundings.take_catalog(catalog)
    return OwnDeviceDialog(catalog.accelerators["nvidia-t4"], catalog, surroundings, False, parent)


def price_list(parent: QWidget, catalog: Catalog, folder: Path) -> QDialog:
    path = folder / "list.csv"
    path.write_text("Karte;Preis\nT4;500\n", encoding="utf-8")
    return PriceListDialog(read_price_table(path), catalog, {}, datetime.date(2026, 11, 1), parent)


def trace_columns(parent: QWidget, catalog: Catalog, folder: Path) -> QDialog:
    path = folder / "gateway.csv"
    path.write_text("when;in;out\n0;100;20\n", encoding="utf-8")
    return TraceColumnsDialog(head_of(path), parent)


def guided_start(parent: QWidget, catalog: Catalog, folder: Path) -> QDialog:
    surroundings = Surroundings(parent)
    surroundings.take_catalog(catalog)
    return GuidedStart(surroundings, parent)


def type_a_source(dialog: QDialog, qtbot: QtBot) -> None:
    assert isinstance(dialog, OwnDeviceDialog)
    dialog.source.setFocus()
    qtbot.keyClicks(dialog.source, "Sheet of 2026-11")


def type_a_name_without_enter(dialog: QDialog, qtbot: QtBot) -> None:
    assert isinstance(dialog, OwnDeviceDialog)
    line = next(one for one in dialog.form.findChildren(QWidget) if one.accessibleName() == "Name")
    line.setFocus()
    qtbot.keyClicks(line, "X")


def choose_a_price_column(dialog: QDialog, qtbot: QtBot) -> None:
    assert isinstance(dialog, PriceListDialog)
    box = dialog.columns["device"]
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Down)


def choose_a_trace_column(dialog: QDialog, qtbot: QtBot) -> None:
    assert isinstance(dialog, TraceColumnsDialog)
    box = dialog.choices["time"]
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Down)


def want_training_too(dialog: QDialog, qtbot: QtBot) -> None:
    assert isinstance(dialog, GuidedStart)
    dialog.fit.tasks["both"].setFocus()
    qtbot.keyClick(dialog.fit.tasks["both"], Qt.Key.Key_Space)


CASES = [
    pytest.param(own_device, type_a_source, id="own device"),
    pytest.param(own_device, type_a_name_without_enter, id="own device, a field not left yet"),
    pytest.param(price_list, choose_a_price_column, id="price list"),
    pytest.param(trace_columns, choose_a_trace_column, id="trace"),
    pytest.param(guided_start, want_training_too, id="guided start"),
]


@pytest.mark.parametrize(("make", "edit"), CASES)
def test_escape_asks_before_edits_are_lost(
    make: Callable[[QWidget, Catalog, Path], QDialog], edit: Edit, catalog: Catalog, tmp_path: Path, qtbot: QtBot
) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = make(parent, catalog, tmp_path)
    dialog.show()
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    edit(dialog, qtbot)
    asked: list[str] = []
    answer_next(qtbot, "", asked, Qt.Key.Key_Return)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert len(asked) == 1
    assert dialog.isVisible(), "Enter goes on editing"
    answer_next(qtbot, "", asked, Qt.Key.Key_Escape)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.isVisible(), "Escape of the question too"
    answer_next(qtbot, "Discard", asked)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert len(asked) == 3
    assert not dialog.isVisible()
    assert dialog.result() == QDialog.DialogCode.Rejected.value


@pytest.mark.parametrize("make", [own_device, price_list, trace_columns, guided_start])
def test_escape_closes_at_once_where_nothing_was_entered(
    make: Callable[[QWidget, Catalog, Path], QDialog], catalog: Catalog, tmp_path: Path, qtbot: QtBot
) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = make(parent, catalog, tmp_path)
    dialog.show()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
