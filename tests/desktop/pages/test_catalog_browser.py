"""The catalogue is found by text and choices, each figure is shown with its source, and an entry can be used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QToolTip, QTreeWidget, QTreeWidgetItem, QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.pages import catalog_model
from gpuplanner_gui.desktop.pages.catalog_browser import CatalogBrowser
from gpuplanner_gui.desktop.pages.entry_compare import EntryDetails
from gpuplanner_gui.desktop.widgets.event_turns import drawing_queue
from gpuplanner_gui.desktop.widgets.style_rules import CELL_PADDING
from gpuplanner_gui.domain.catalog import CATALOG_KINDS, CatalogKind
from gpuplanner_gui.drawing.plots.memory import MemoryPlot
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.serving.plan import serving_plan
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import load_project
from tests.conftest import SMALL_CHAT
from tests.drawing import synthetic
from tests.identifiers import identifiers_in

Show = Callable[[QWidget], None]
WAIT_MS = 60_000


@pytest.fixture
def browser(shown: Show) -> CatalogBrowser:
    made = CatalogBrowser()
    shown(made)
    made.show_catalog(synthetic.catalog())
    return made


def names(browser: CatalogBrowser, kind: CatalogKind = "accelerators") -> list[str]:
    model = browser.page(kind).model
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def tree_texts(tree: QTreeWidget) -> dict[str, str]:
    found: dict[str, str] = {}

    def walk(item: QTreeWidgetItem) -> None:
        found[item.text(0)] = item.text(1)
        for place in range(item.childCount()):
            walk(item.child(place))

    for place in range(tree.topLevelItemCount()):
        item = tree.topLevelItem(place)
        assert item is not None
        walk(item)
    return found


@pytest.mark.parametrize("kind", CATALOG_KINDS)
def test_every_entry_is_listed(browser: CatalogBrowser, kind: CatalogKind, qtmodeltester: ModelTester) -> None:
    model = browser.page(kind).model
    assert model.rowCount() == len(synthetic.catalog().entries(kind)) > 0
    qtmodeltester.check(model)


def test_a_device_is_listed_at_the_rent_that_plans_pay() -> None:
    """A100 PCIe stood there at $1.58/h, the middle of its cheapest offers, and in every plan at $2.00/h."""
    catalog, scenario = load_shipped_catalog(), load_project(SMALL_CHAT).scenarios[0]
    devices = ("amd-mi300x", "nvidia-a100-pcie-80gb")
    hardware = msgspec.structs.replace(scenario.hardware, accelerators=devices)
    context = context_of(catalog, load_calibration())
    table = serving_plan(msgspec.structs.replace(scenario, hardware=hardware), context, lambda: None).table
    names = [context.accelerators[one].id for one in table.accelerator]
    paid = dict(zip(names, map(float, table.usd_per_device_hour)))
    (rent,) = (one for one in catalog_model.COLUMNS["accelerators"] if one.title == "Rent, typical")
    for one in devices:
        assert rent.value(catalog.accelerators[one], catalog) == pytest.approx(paid[one])


def test_only_the_rows_on_screen_are_worded(shown: Show, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    catalog, worded, word = load_shipped_catalog(), set[str](), catalog_model.cell_text

    def note(column: Any, entry: Any, known: Any) -> str:
        worded.add(entry.id)
        return word(column, entry, known)

    monkeypatch.setattr(catalog_model, "cell_text", note)
    made = CatalogBrowser()
    shown(made)
    made.show_catalog(catalog)
    qtbot.waitUntil(lambda: made.page("accelerators").table.updatesEnabled() and bool(worded), timeout=WAIT_MS)
    worded.clear()
    made.show_catalog(catalog)  # As when money is shown in another currency.
    assert not worded
    table = made.page("accelerators").table
    qtbot.waitUntil(lambda: bool(worded), timeout=WAIT_MS)
    QApplication.processEvents()
    rows = table.viewport().height() // table.rowHeight(0) + 2
    assert len(worded) <= rows < len(catalog.accelerators) / 4


def test_the_rent_of_a_device_says_which_price_level_it_is() -> None:
    (rent,) = (one for one in catalog_model.COLUMNS["accelerators"] if one.title.startswith("Rent"))
    assert rent.title == "Rent, typical"
    assert "price level" in rent.help


def test_the_memory_of_a_device_says_that_a_plan_may_use_less(qapp: QApplication) -> None:
    """A B300 is sold with 288 GB; the Memory page ends it at the 268.6 GB that its driver leaves."""
    (memory,) = (one for one in catalog_model.COLUMNS["accelerators"] if one.title == "Memory")
    catalog = load_shipped_catalog()
    entry = catalog.accelerators["nvidia-b300-sxm-288gb"]
    assert entry.memory_usable_bytes is not None
    assert memory.value(entry, catalog) == 288 * 2**30 > entry.memory_usable_bytes
    assert "“Memory, usable”" in memory.help
    assert [one.name for one in MemoryPlot("training").legend_entries()][-1] == "usable device memory"


def test_text_narrows_at_every_key(qtbot: QtBot, browser: CatalogBrowser) -> None:
    qtbot.keyClicks(browser.page("accelerators").filters.text, "h200 sxm")
    assert names(browser) == ["H200 SXM 141GB"]


def test_chips_narrow_together(browser: CatalogBrowser) -> None:
    filters = browser.page("accelerators").filters
    assert filters.memory is not None
    assert filters.precision is not None
    filters.chips["vendor"].tick("AMD")
    filters.memory.tick(192e9)
    filters.precision.tick("fp8")
    shown = names(browser)
    catalog = synthetic.catalog().accelerators.values()
    wanted = {
        entry.name
        for entry in catalog
        if entry.vendor == "AMD" and entry.memory_bytes >= 192e9 and entry.supports("fp8")
    }
    assert set(shown) == wanted != set()
    filters.chips["kind"].tick("cpu")
    assert names(browser) == []
    assert browser.page("accelerators").empty.isVisible()


def test_chip_says_what_it_lets_through_and_several_values_add_up(qtbot: QtBot, browser: CatalogBrowser) -> None:
    page = browser.page("accelerators")
    chip = page.filters.chips["vendor"]
    assert not page.filters.clear.isVisible()
    menu = chip.menu_of_values
    menu.popup(chip.mapToGlobal(chip.rect().bottomLeft()))
    for vendor in ("AMD", "NVIDIA"):
        action = next(one for one in menu.actions() if one.text() == vendor)
        qtbot.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(action).center())
        assert menu.isVisible(), "the menu stays open for the next tick"
    menu.close()
    assert chip.text() == "Vendor: AMD, NVIDIA"
    assert chip.accessibleName() == "Vendor: AMD, NVIDIA"
    assert {page.model.entries[int(one)].vendor for one in page.model.shown_sources()} == {"AMD", "NVIDIA"}  # type: ignore[union-attr]
    qtbot.keyClick(chip, Qt.Key.Key_Delete)
    assert chip.values() == ()
    page.filters.text.setText("h200")
    qtbot.mouseClick(page.filters.clear, Qt.MouseButton.LeftButton)
    assert len(names(browser)) == len(page.model.entries)
    assert not page.filters.clear.isVisible()


def test_pinned_devices_stand_side_by_side_with_what_differs_marked(qtbot: QtBot, browser: CatalogBrowser) -> None:
    page = browser.page("accelerators")
    for name in ("H100 SXM5 80GB", "H200 SXM 141GB"):
        page.choose(next(entry.id for entry in page.model.entries if entry.name == name))  # type: ignore[union-attr]
        qtbot.keyClick(page.table, Qt.Key.Key_Space)
    assert page.compare_button.text() == "Compare 2 pinned"
    qtbot.mouseClick(page.compare_button, Qt.MouseButton.LeftButton)
    lines = {line.title: line for line in page.comparison.model.lines}
    assert [cell.text for cell in lines["Memory bandwidth"].cells] == ["3.35 TB/s", "4.80 TB/s"]
    assert lines["Memory bandwidth"].cells[1].ratio == "×1.43"
    assert lines["Memory bandwidth"].cells[0].known == "data sheet"
    assert lines["Memory bandwidth"].differs
    assert not lines["Peak dense rates, BF16"].differs
    page.comparison.only_differing.click()
    assert all(line.differs for line in page.comparison.model.lines)
    assert len(page.comparison.model.lines) > 3
    qtbot.keyClick(page.comparison, Qt.Key.Key_Escape)
    assert not page.is_comparing()
    assert browser.details.pin.text() == "Unpin"
    qtbot.mouseClick(browser.details.pin, Qt.MouseButton.LeftButton)
    assert not page.compare_button.isEnabled()


def test_comparison_follows_the_catalogue_and_the_qt_rules(browser: CatalogBrowser, qtmodeltester: ModelTester) -> None:
    page = browser.page("nodes")
    browser.tabs.setCurrentIndex(CATALOG_KINDS.index("nodes"))
    for entry in page.model.entries[:3]:
        page.toggle_pin(entry.id)
    page.open_comparison()
    qtmodeltester.check(page.comparison.model)
    assert not browser.details.isVisible()
    chip = page.comparison._flow.itemAt(0).widget()
    assert isinstance(chip, QAbstractButton)
    chip.click()
    assert page.comparison.model.columnCount() == 3


def test_each_figure_says_how_it_is_known(qtbot: QtBot, browser: CatalogBrowser) -> None:
    page = browser.page("accelerators")
    page.choose(next(entry.id for entry in page.model.entries if entry.name == "H200 SXM 141GB"))  # type: ignore[union-attr]
    tree = browser.details.tree
    items = [tree.topLevelItem(row) for row in range(tree.topLevelItemCount())]
    known = {item.text(0): (item.text(2), item.toolTip(2)) for item in items if item is not None}
    assert known["Memory bandwidth"][0] == "data sheet"
    assert "NVIDIA" in known["Memory bandwidth"][1]
    assert known["Purchase price"][0].startswith("third party · 2026")
    assert known["Idle power"][0] == "estimated"


def test_thousands_of_rows_are_filtered_and_sorted_at_once(browser: CatalogBrowser) -> None:
    """Ten thousand offers: cells are read for what is on screen alone."""
    catalog = synthetic.catalog()
    offer = next(iter(catalog.offers.values()))
    many = {f"o{place}": msgspec.structs.replace(offer, id=f"o{place}") for place in range(10_000)}
    browser.show_catalog(msgspec.structs.replace(catalog, offers=many))
    browser.tabs.setCurrentIndex(CATALOG_KINDS.index("offers"))
    page = browser.page("offers")
    asked: list[int] = []
    original = page.model.data

    def counted(index: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        asked.append(index.row())
        return original(index, role)

    page.model.data = counted  # type: ignore[method-assign]
    page.filters.text.setText("o99")
    page.table.sortByColumn(4, Qt.SortOrder.DescendingOrder)
    page.filters.text.setText("")
    QApplication.processEvents()
    assert page.model.rowCount() == 10_000
    assert len(set(asked)) < 200, "rows that nobody sees are asked for"


def test_numbers_sort_as_numbers_and_unknown_ones_last(browser: CatalogBrowser) -> None:
    page = browser.page("accelerators")
    titles = [column.title for column in page.model.columns]
    page.table.sortByColumn(titles.index("FP4"), Qt.SortOrder.DescendingOrder)
    rates = [page.model.entries[int(source)].peak_flop_per_s("fp4") for source in page.model.shown_sources()]  # type: ignore[union-attr]
    known = [rate for rate in rates if rate is not None]
    assert known == sorted(known, reverse=True)
    assert rates[len(known) :] == [None] * (len(rates) - len(known))


def test_details_show_each_field_with_unit_source_and_date(qtbot: QtBot, browser: CatalogBrowser) -> None:
    qtbot.keyClicks(browser.page("accelerators").filters.text, "h200 sxm")
    browser.page("accelerators").table.selectRow(0)
    shown = tree_texts(browser.details.tree)
    assert shown["Memory bandwidth"] == "4.80 TB/s"
    assert shown["BF16"].endswith("TFLOP/s")
    assert "Kind of source" in shown
    assert any("http" in text or "nvidia" in text.casefold() for text in [*shown, *shown.values()])


def test_chosen_accelerator_can_be_the_only_one(qtbot: QtBot, browser: CatalogBrowser) -> None:
    page = browser.page("accelerators")
    page.table.sortByColumn(5, Qt.SortOrder.DescendingOrder)
    page.table.selectRow(2)
    source = page.model.source_at(2)
    with qtbot.waitSignal(browser.use_only_requested) as told:
        qtbot.mouseClick(browser.details.use, Qt.MouseButton.LeftButton)
    assert told.args == [page.model.entries[source].id]


def test_offer_leads_to_its_accelerator_and_a_model_is_chosen(qtbot: QtBot, browser: CatalogBrowser) -> None:
    browser.tabs.setCurrentIndex(CATALOG_KINDS.index("offers"))
    browser.page("offers").table.selectRow(0)
    offer = browser.page("offers").chosen()
    with qtbot.waitSignal(browser.use_only_requested) as told:
        browser.details.use.click()
    assert told.args == [offer.accelerator_id]
    browser.tabs.setCurrentIndex(CATALOG_KINDS.index("models"))
    browser.page("models").table.selectRow(1)
    with qtbot.waitSignal(browser.model_chosen) as chosen:
        browser.details.use.click()
    assert chosen.args == [browser.page("models").chosen().id]


def test_tab_without_a_choice_says_what_to_do(browser: CatalogBrowser) -> None:
    browser.page("accelerators").table.selectRow(0)
    assert browser.details.tree.isVisibleTo(browser)
    browser.tabs.setCurrentIndex(CATALOG_KINDS.index("links"))
    assert not browser.details.tree.isVisibleTo(browser)
    assert not browser.details.use.isVisibleTo(browser)


def test_details_of_an_accelerator_say_which_formats_run_on_it(qtbot: QtBot) -> None:
    details = EntryDetails()
    qtbot.addWidget(details)
    details.show_entry(load_shipped_catalog().accelerators["nvidia-a100-sxm-80gb"])
    tree = details.tree
    group = next(
        item for item in (tree.topLevelItem(row) for row in range(tree.topLevelItemCount()))
        if item is not None and item.text(0) == "Number formats"
    )  # fmt: skip
    formats = {group.child(row).text(0): group.child(row) for row in range(group.childCount())}
    assert formats["BF16 weights"].text(1) == "native"
    assert formats["FP8 weights"].text(1) == "emulated"
    engines = {
        formats["FP8 weights"].child(row).text(0): formats["FP8 weights"].child(row).text(1)
        for row in range(formats["FP8 weights"].childCount())
    }
    assert engines["vLLM"] == "emulated (weight-only by Marlin kernels)"
    assert engines["TensorRT-LLM"] == "not supported"


def test_notes_of_an_entry_have_the_whole_row_and_as_many_lines_as_they_need(qtbot: QtBot) -> None:
    details = EntryDetails()
    qtbot.addWidget(details)
    details.resize(360, 500)
    details.show_entry(load_shipped_catalog().models["qwen3-32b"])
    details.show()
    qtbot.waitExposed(details)
    notes = details.tree.findItems("Notes", Qt.MatchFlag.MatchExactly)[0].child(0)
    source = details.tree.findItems("Source", Qt.MatchFlag.MatchExactly)[0]
    assert notes.text(0).startswith("Published: ")
    assert details.tree.visualItemRect(notes).width() > details.tree.columnWidth(0)
    line = details.tree.fontMetrics().height()
    assert details.tree.visualItemRect(source).height() > 3 * line, "a long source has lines of its own"


def test_tables_have_the_room_of_the_details_until_an_entry_is_chosen(qtbot: QtBot, browser: CatalogBrowser) -> None:
    assert not browser.details.isVisible()
    page = browser.page("accelerators")
    page.table.selectRow(0)
    assert browser.details.isVisible()
    qtbot.keyClicks(page.filters.text, "nothing is called this")
    # While one searches, nothing jumps.
    assert browser.details.isVisible()


def test_columns_hold_their_numbers_and_nearly_all_of_their_texts(shown: Show, qtbot: QtBot) -> None:
    browser = CatalogBrowser()
    shown(browser)
    browser.show_catalog(load_shipped_catalog())
    qtbot.waitUntil(lambda: browser.catalog is not None and not drawing_queue().is_drawing(), timeout=WAIT_MS)
    table, model = browser.page("accelerators").table, browser.page("accelerators").model
    metrics = table.fontMetrics()
    for place, column in enumerate(model.columns):
        room = table.columnWidth(place) - 2 * CELL_PADDING
        texts = [model.index(row, place).data() for row in range(model.rowCount())]
        held = sum(metrics.horizontalAdvance(text) <= room for text in texts) / len(texts)
        assert held == 1 if column.unit is not None else held >= 0.85, column.title


def test_cut_cell_tells_its_text(qtbot: QtBot, browser: CatalogBrowser) -> None:
    table, model = browser.page("accelerators").table, browser.page("accelerators").model
    index = model.index(0, 1)
    for width, told in ((400, ""), (40, index.data())):
        table.setColumnWidth(1, width)
        place = table.visualRect(index).center()
        event = QHelpEvent(QEvent.Type.ToolTip, place, table.viewport().mapToGlobal(place))
        QApplication.sendEvent(table.viewport(), event)
        assert QToolTip.text() == told


@pytest.mark.parametrize("kind", ["accelerators", "nodes", "offers"])
def test_columns_of_the_shipped_catalogue_show_their_texts_whole(shown: Show, kind: CatalogKind) -> None:
    """Cut short, RTX PRO 6000 Blackwell Server Edition and Workstation Edition were the same row."""
    browser = CatalogBrowser()
    shown(browser)
    browser.show_catalog(load_shipped_catalog())
    page = browser.page(kind)
    metrics = page.table.fontMetrics()
    cut = {
        text
        for row in page.model.sample_texts(10_000)
        for column, text in enumerate(row)
        if metrics.horizontalAdvance(text) + 2 * CELL_PADDING > page.table.columnWidth(column)
    }
    assert not cut


def test_kinds_of_links_are_words(browser: CatalogBrowser) -> None:
    model = browser.page("links").model
    kinds = {model.index(row, 1).data() for row in range(model.rowCount())}
    assert {"Scale-up", "Scale-out"} <= kinds
    assert not any(identifiers_in(one) for one in kinds)


def test_models_say_their_kind_in_words_and_no_size_that_they_lack(browser: CatalogBrowser) -> None:
    browser.show_catalog(load_shipped_catalog())
    model = browser.page("models").model
    rows = [[model.index(row, place).data() for place in range(6)] for row in range(model.rowCount())]
    assert {"Decoder", "Mixture of experts", "Convolutional network"} <= {row[1] for row in rows}
    assert not any("0" in row[2:] for row in rows)


def test_memory_is_as_the_vendor_names_it(browser: CatalogBrowser) -> None:
    browser.show_catalog(load_shipped_catalog())
    model = browser.page("accelerators").model
    place = [column.title for column in model.columns].index("Memory")
    memory = {model.index(row, 0).data(): model.index(row, place).data() for row in range(model.rowCount())}
    assert memory["A10"].replace("\u00a0", " ") == "24 GB", "22.5 GB are left to programs"


def test_details_without_room_for_values_leave_the_sources_out(qtbot: QtBot) -> None:
    """With large type “Memory, nominal” and “Memory, usable” were both “Memory, …”, and values “nvidi…”."""
    details = EntryDetails()
    qtbot.addWidget(details)
    details.show_entry(load_shipped_catalog().accelerators["nvidia-h100-sxm-80gb"])
    details.show()
    for width, is_hidden in ((500, False), (280, True)):
        details.resize(width, 400)
        header = details.tree.header()
        assert details.tree.isColumnHidden(2) == is_hidden
        assert header.sectionSize(1) >= 60
        assert sum(header.sectionSize(one) for one in range(3)) <= details.tree.width()
