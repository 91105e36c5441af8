"""Every figure of money in the window follows the currency that the scenario asks for."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.domain.economics import ExchangeRate

WAIT_MS = 20_000


def texts_of(window: MainWindow) -> list[str]:
    assert window.results_pane is not None
    model = window.results_pane.candidates.tables["serving"].model()
    cells = [str(model.index(0, column).data()) for column in range(model.columnCount())]
    heads = [str(model.headerData(column, Qt.Orientation.Horizontal)) for column in range(model.columnCount())]
    return [*cells, *heads]


def test_table_verdict_and_catalogue_follow_the_currency(answered_window: MainWindow, qtbot: QtBot) -> None:
    window = answered_window
    assert window.results_pane is not None
    window.results_pane.show_catalog_page()
    browser = window.results_pane.catalog_browser
    assert browser is not None
    model = browser.page("accelerators").model

    def prices() -> str:
        rows, columns = range(min(model.rowCount(), 50)), range(model.columnCount())
        return " ".join(str(model.index(row, column).data()) for row in rows for column in columns)

    qtbot.waitUntil(lambda: "$" in prices(), timeout=WAIT_MS)
    window.results_pane.show_page_named("overview")
    assert any("$" in text for text in texts_of(window))
    assert "$" in window.verdict.accessibleDescription()
    with qtbot.waitSignal(window.compute.completed, timeout=WAIT_MS):
        window.store.edit("economics.display_currency", "EUR", "currency")
    qtbot.waitUntil(lambda: "no exchange rate for EUR" in window.verdict.accessibleDescription(), timeout=WAIT_MS)
    with qtbot.waitSignal(window.compute.completed, timeout=WAIT_MS):
        window.store.edit("economics.rates", (ExchangeRate("EUR", 1.25),), "rate")
    qtbot.waitUntil(lambda: "€" in window.verdict.accessibleDescription(), timeout=WAIT_MS)
    assert "$" not in window.verdict.accessibleDescription()
    qtbot.waitUntil(lambda: any("€" in text for text in texts_of(window)), timeout=WAIT_MS)
    assert not [text for text in texts_of(window) if "$" in text]
    window.results_pane.show_catalog_page()
    qtbot.waitUntil(lambda: "€" in prices(), timeout=WAIT_MS)
    assert "$" not in prices()
    window.store.undo_stack.undo()
    qtbot.waitUntil(lambda: "$" in window.verdict.accessibleDescription(), timeout=WAIT_MS)
