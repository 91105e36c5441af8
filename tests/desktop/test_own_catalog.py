"""Own devices and price lists in the window: in force at once, and taken back with one click."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtWidgets import QApplication, QComboBox, QDialog, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.dialogs.own_device import OwnDeviceDialog
from gpuplanner_gui.desktop.dialogs.price_list import PriceListDialog
from gpuplanner_gui.desktop.editors.base import Surroundings, offer_catalog_choices, part_of_path
from gpuplanner_gui.desktop.editors.choices_edit import PickManyEdit
from gpuplanner_gui.desktop.editors.field_row import FieldRow
from gpuplanner_gui.desktop.editors.struct_form import FormSection
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.drawing.words.price_list import fault_sentence
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.price_list import PriceField, read_price_table
from tests.desktop.drawn import wait_until_drawn

RESULT_WAIT_MS = 30_000
LEFT = Qt.MouseButton.LeftButton
T4 = "nvidia-t4"


@pytest.fixture
def window(answered_window: MainWindow, qtbot: QtBot) -> MainWindow:
    window = answered_window
    assert window.results_pane is not None
    window.results_pane.show_catalog_page()
    browser = window.results_pane.catalog_browser
    assert browser is not None
    qtbot.waitUntil(lambda: browser.page("accelerators").model.rowCount() > 0, timeout=20_000)
    return window


def answer(kind: type[QDialog], act: Callable[[QDialog], None]) -> None:
    """Do something in the dialog that is about to be asked."""

    def later() -> None:
        dialog = QApplication.activeModalWidget()
        if dialog is None:
            QTimer.singleShot(20, later)
            return
        try:
            assert isinstance(dialog, kind)
            act(dialog)
        except BaseException:
            assert isinstance(dialog, QDialog)
            dialog.done(0)  # It would wait for an answer for ever, and closing might ask.
            raise

    QTimer.singleShot(0, later)


def typed(qtbot: QtBot, dialog: OwnDeviceDialog, name: str, text: str) -> None:
    wait_until_drawn(qtbot)
    line = next(one for one in dialog.form.findChildren(QLineEdit) if one.accessibleName() == name)
    line.setFocus()
    line.selectAll()
    qtbot.keyClicks(line, text)
    qtbot.keyClick(line, Qt.Key.Key_Return)


def buttons_of(dialog: OwnDeviceDialog) -> dict[str, QPushButton]:
    return {one.text(): one for one in dialog.doubts.findChildren(QPushButton) if not one.isHidden()}


def test_own_device_is_copied_checked_planned_with_and_taken_back(window: MainWindow, qtbot: QtBot) -> None:
    assert window.results_pane is not None
    browser = window.results_pane.catalog_browser
    assert browser is not None
    browser.choose("accelerators", T4)
    seen: list[str] = []

    def edit(dialog: QDialog) -> None:
        assert isinstance(dialog, OwnDeviceDialog)
        typed(qtbot, dialog, "Name", "T4 of the future")
        typed(qtbot, dialog, "Memory, nominal", "64000000000 B")
        typed(qtbot, dialog, "Memory, usable", "")
        dialog.check()
        seen.extend(buttons_of(dialog))
        qtbot.mouseClick(buttons_of(dialog)["Use 64 GB"], LEFT)
        dialog.check()
        assert buttons_of(dialog) == {}
        dialog.source.setText("Sheet of 2026-11")
        qtbot.mouseClick(dialog.save, LEFT)

    answer(OwnDeviceDialog, edit)
    with qtbot.waitSignal(window.compute.completed, timeout=RESULT_WAIT_MS):
        assert browser.details.copy.isVisible()
        qtbot.mouseClick(browser.details.copy, LEFT)
    assert seen == ["Use 64 GB"]
    own = window.compute.catalog.accelerators["own-t4-of-the-future"]
    assert own.memory_nominal_bytes == 64 * 2**30
    assert own.confidence.memory == "user"
    assert own.sources[0] == "Sheet of 2026-11"
    assert window.compute.results is not None
    assert own.id in window.compute.results.plan.accelerators, "the plan tries it"
    assert browser.here().chosen().id == own.id
    assert browser.details.remove.isVisible()
    with qtbot.waitSignal(window.compute.completed, timeout=RESULT_WAIT_MS):
        qtbot.mouseClick(window.messages.action, LEFT)
    assert own.id not in window.compute.catalog.accelerators
    for is_edit, says in ((False, "Added to your"), (True, "Changed in your")):
        window.own_catalog.save_device(own, is_edit)
        assert window.messages.text.text().startswith(says)
    qtbot.waitUntil(lambda: browser.here().chosen() == own, timeout=RESULT_WAIT_MS)
    assert not browser.page("accelerators").filters.own.isHidden()
    window.store.edit("hardware.accelerators", (own.id,), "only this one")
    qtbot.mouseClick(browser.details.remove, LEFT)
    assert "The open project uses it: undo, or choose another device." in window.messages.text.text()
    qtbot.waitUntil(lambda: own.id not in window.compute.catalog.accelerators, timeout=RESULT_WAIT_MS)
    window.inputs.show_part(part_of_path("hardware"))
    allowed = next(one for one in window.inputs.findChildren(PickManyEdit) if own.id in one.button.accessibleName())
    assert allowed.button.accessibleName() == f"Accelerators: Unknown: {own.id}"


def test_device_without_a_name_of_its_own_is_not_saved(qtbot: QtBot) -> None:
    catalog = load_shipped_catalog()
    parent = QWidget()
    qtbot.addWidget(parent)
    surroundings = Surroundings(parent)
    offer_catalog_choices(surroundings)
    surroundings.take_catalog(catalog)
    dialog = OwnDeviceDialog(catalog.accelerators[T4], catalog, surroundings, False, parent)
    dialog.show()
    typed(qtbot, dialog, "Name", catalog.accelerators[T4].name)
    dialog.check()
    assert "already" in dialog.problem.text()
    assert not dialog.save.isEnabled()
    typed(qtbot, dialog, "Name", "Another")
    typed(qtbot, dialog, "Specification as of", "soon")
    dialog.check()
    assert dialog.device().date == datetime.date.today().isoformat(), "what is no date is not taken"
    typed(qtbot, dialog, "Specification as of", "2026-13-40")
    dialog.check()
    assert "not a date" in dialog.problem.text()
    typed(qtbot, dialog, "Specification as of", "2026-11")
    typed(qtbot, dialog, "Power limit", "-5 W")
    dialog.check()
    assert "“Power limit”" in dialog.problem.text()
    assert not dialog.save.isEnabled()
    assert dialog.device().tdp_w == catalog.accelerators[T4].tdp_w, "what is out of bounds is not taken"
    assert dialog.device().id == "own-another"


def test_price_list_is_looked_at_taken_and_taken_back(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "november.csv"
    path.write_text("GPU,Price,Currency,Date\nT4,500,EUR,2024-01-05\nNo such card,1,USD,2026-11-01\n", encoding="utf-8")
    said: list[str] = []

    def look(dialog: QDialog) -> None:
        assert isinstance(dialog, PriceListDialog)
        assert not dialog.take.isEnabled(), "no row has a rate yet"
        qtbot.keyClicks(dialog.rates["EUR"], "1.2")
        said.append(dialog.summary.text())
        model = dialog.model
        said.extend(str(model.index(row, model.columnCount() - 1).data()) for row in range(model.rowCount()))
        dialog.only_remarks.click()
        assert model.rowCount() == 2
        qtbot.mouseClick(dialog.take, LEFT)

    answer(PriceListDialog, look)
    before = window.compute.catalog.accelerators[T4].price
    with qtbot.waitSignal(window.compute.completed, timeout=RESULT_WAIT_MS):
        window.own_catalog.import_prices(path)
    assert "1 of 2 rows" in said[0]
    assert "1 price is older than" in said[0]
    assert said[1].endswith(" old.")
    assert "No such card" in said[2]
    price = window.compute.catalog.accelerators[T4].price
    assert (price.usd, price.as_of, price.confidence) == (600.0, "2024-01-05", "user")
    assert window.messages.text.text() == "1 price imported from november.csv."
    later = tmp_path / "december.csv"
    later.write_text("GPU,Price,Currency,Date\nT4,700,USD,2026-11-05\nA2,400,USD,2026-11-05\n", encoding="utf-8")
    answer(PriceListDialog, lambda dialog: qtbot.mouseClick(cast("PriceListDialog", dialog).take, LEFT))
    with qtbot.waitSignal(window.compute.completed, timeout=RESULT_WAIT_MS):
        window.own_catalog.import_prices(later)
    assert window.messages.text.text() == "2 prices imported from december.csv."
    for expected in (price, before):
        with qtbot.waitSignal(window.compute.completed, timeout=RESULT_WAIT_MS):
            qtbot.mouseClick(window.messages.action, LEFT)
        assert window.compute.catalog.accelerators[T4].price == expected
    assert window.messages.action.isHidden()
    path.write_text("", encoding="utf-8")
    window.own_catalog.import_prices(path)
    assert "not a table" in window.messages.text.text()


ODD = """Anbieter;Karte / Typ;Preis (netto);Währung;Stand;Stück;Vertragsart
Hoster Süd;H100 SXM;2,49;EUR;15.10.2026;1;on demand

Hoster Süd;A100 80GB SXM;18.990,00;EUR;;8;on demand
;;;;;;
Cloud Nord;L40S;0,89;USD;2026-10-01;1;spot
Cloud Nord;Quantum Box 9000;12;USD;2026-10-01;1;spot
Cloud Nord;H200;auf Anfrage;USD;2026-10-01;1;
Cloud Nord;B200;5,10;GBP;2026-10-01;1;reserved
Cloud Nord;MI300X;3,10;XYZ;2026-10-01;1;1 year
"""


def test_list_with_foreign_headings_is_mapped_by_keys_and_each_row_says_what_is_wrong(
    qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "angebot.csv"
    path.write_text(ODD, encoding="utf-8")
    parent = QWidget()
    qtbot.addWidget(parent)
    catalog = load_shipped_catalog()
    dialog = PriceListDialog(read_price_table(path), catalog, {}, datetime.date(2026, 11, 22), parent)
    dialog.show()
    assert dialog.summary.text() == "Choose the column for: Device."
    assert not dialog.take.isEnabled()
    headings: dict[PriceField, str] = {
        "device": "Karte", "price": "Preis", "currency": "W", "term": "Vertrag", "date": "Stand",
        "provider": "Anbieter", "count": "Stand",
    }  # fmt: skip
    for field, letters in headings.items():
        box = dialog.columns[field]
        box.setFocus()
        qtbot.keyClicks(box, letters)
        assert box.currentText().startswith(letters)
    qtbot.keyClick(dialog.columns["count"], Qt.Key.Key_Down)
    assert dialog.columns["count"].currentText() == "Stück — 1"
    assert dialog.columns["device"].currentText() == "Karte / Typ — H100 SXM", "an example stands beside the heading"
    assert list(dialog.rates) == ["EUR", "GBP"]
    qtbot.keyClicks(dialog.rates["EUR"], "1,1")
    qtbot.keyClicks(dialog.rates["GBP"], "much")
    assert dialog.rates["GBP"].property("invalid")
    assert not dialog.rates["EUR"].property("invalid")
    remarks = {row.line: fault_sentence(row) for row in dialog.rows}
    assert list(remarks) == [2, 4, 6, 7, 8, 9, 10], "rows of nothing are none"
    assert [line for line, remark in remarks.items() if not remark] == [2, 6]
    assert "looks like a purchase price" in remarks[4]
    assert "is not in the catalogue" in remarks[7]
    assert "auf Anfrage" in remarks[8]
    assert "exchange rate for GBP" in remarks[9]
    assert "XYZ" in remarks[10]
    assert dialog.summary.text().startswith("3 of 7 rows can be used: prices of 3 devices. 1 price looks wrong")
    qtbot.mouseClick(dialog.per_instance, LEFT)
    assert next(row for row in dialog.rows if row.line == 4).usd == pytest.approx(18_990 / 8 * 1.1)
    assert dialog.take.isEnabled()
    dialog.done(0)


TWO_PRICES = """GPU,List price USD,EUR per hour,Netto (GBP)
H100 SXM,28500,2.10,21000
MI300X,15000,1.90,11000
"""


def test_term_and_currency_follow_the_heading_of_the_price_unless_chosen(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    path.write_text(TWO_PRICES, encoding="utf-8")
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = PriceListDialog(
        read_price_table(path), load_shipped_catalog(), {"EUR": 1.1, "GBP": 1.3}, datetime.date(2026, 11, 22), parent
    )
    dialog.show()

    def choose(box: QComboBox, letters: str) -> None:
        qtbot.keyClick(box, Qt.Key.Key_Home)
        while not box.currentText().startswith(letters):
            qtbot.keyClick(box, Qt.Key.Key_Down)

    def said() -> tuple[str, str, float]:
        return dialog.rows[0].currency, dialog.rows[0].term, round(dialog.rows[0].usd, 4)

    assert said() == ("USD", "purchase", 28_500.0)
    choose(dialog.columns["price"], "EUR")
    assert said() == ("EUR", "on_demand", 2.31)
    choose(dialog.columns["price"], "Netto")
    assert said() == ("GBP", "purchase", 27_300.0)
    choose(dialog.term, "Spot")
    assert said() == ("GBP", "spot", 27_300.0)
    choose(dialog.columns["price"], "EUR")
    assert said() == ("EUR", "spot", 2.31), "what was chosen by hand stays"
    choose(dialog.currency, "USD")
    choose(dialog.columns["price"], "Netto")
    assert said() == ("USD", "spot", 21_000.0)
    dialog.done(0)


def test_a_copy_marks_what_differs_from_the_original_and_nothing_else(qtbot: QtBot) -> None:
    catalog = load_shipped_catalog()
    surroundings = Surroundings()
    offer_catalog_choices(surroundings)
    surroundings.take_catalog(catalog)
    parent = QWidget()
    qtbot.addWidget(parent)
    original = catalog.accelerators["nvidia-h200-nvl-141gb"]
    assert original.rental is not None
    dialog = OwnDeviceDialog(original, catalog, surroundings, False, parent)
    wait_until_drawn(qtbot)
    # Those of the rental price all were marked, as if the copy had changed them.
    assert marked(dialog) <= {"Name", "Specification as of"}
    typed(qtbot, dialog, "On demand", "$2/h")
    assert "On demand" in marked(dialog)
    assert "Marketplaces" not in marked(dialog)


def marked(dialog: OwnDeviceDialog) -> set[str]:
    return {row.label.text() for row in dialog.form.findChildren(FieldRow) if not row.reset.isHidden()}


def test_parts_of_the_form_stand_in_line_in_their_order(window: MainWindow, qtbot: QtBot) -> None:
    catalog = window.compute.catalog
    assert catalog is not None
    device = catalog.accelerators["nvidia-h100-sxm-80gb"]
    dialog = OwnDeviceDialog(device, catalog, window.surroundings, False, window)
    qtbot.addWidget(dialog, before_close_func=lambda one: one.done(0))
    dialog.show()
    qtbot.waitExposed(dialog)
    wait_until_drawn(qtbot)
    parts = [row for row in dialog.form.findChildren(FieldRow) if row.parentWidget() is dialog.form]
    assert not dialog.form.findChildren(FormSection)
    assert len({row.label.mapTo(dialog.form, QPoint(0, 0)).x() for row in parts}) == 1
    titles = [row.label.text() for row in sorted(parts, key=lambda row: row.y())]
    place = titles.index("Peak dense rates")
    assert titles[place + 1] == "Peak dense rates with FP16 accumulation"
    rates = next(row for row in parts if row.label.text() == "Peak dense rates")
    assert rates.reset.isHidden()
    dialog.form.edited.emit("peak_dense_flop_per_s.bf16", 1e15)
    assert not rates.reset.isHidden()
    qtbot.mouseClick(rates.reset, Qt.MouseButton.LeftButton)
    assert dialog.device().peak_dense_flop_per_s == device.peak_dense_flop_per_s
