"""What a planner has set, half typed and scrolled to survives another language, in both directions."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.editors.struct_form import FormSection
from gpuplanner_gui.desktop.widgets.event_turns import drawing_queue
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.desktop.window.window_handover import place_in_form
from gpuplanner_gui.desktop.window.windows import Windows
from gpuplanner_gui.drawing.language import ENGLISH
from gpuplanner_gui.files.project import project_to_bytes
from gpuplanner_gui.files.whole_file import write_whole_file
from tests.desktop.language_switch import change_language, open_example

WAIT_MS = 60_000
CHINESE = "zh_TW"
THERE_BY_DAY = (CHINESE, pytest.param(ENGLISH, marks=pytest.mark.deep))
"""Back is the same way as there; what is typed and where a form stands is looked at both ways each time."""

pytestmark = pytest.mark.usefixtures("english_afterwards", "short_simulations")


@pytest.fixture
def windows(windows: Windows, qtbot: QtBot) -> Windows:
    open_example(windows, qtbot)
    return windows


def changed(windows: Windows, code: str, qtbot: QtBot) -> MainWindow:
    """The window in another language, with places put back."""
    window = change_language(windows, code, qtbot)
    qtbot.waitUntil(lambda: window.compute.state == "current" and not drawing_queue().is_drawing(), timeout=WAIT_MS)
    return window


def field(window: MainWindow, part: str, place: str) -> QLineEdit:
    page = next(page for name, _, page in window.inputs.editor.built_areas() if name == part)
    return next(line for line in page.findChildren(QLineEdit) if place_in_form(line, page) == place)


def page(window: MainWindow, name: str):
    assert window.results_pane is not None
    window.results_pane.show_page_named(name)
    return next(view for known, _, view in window.results_pane.built_pages() if known == name)


@pytest.mark.parametrize("code", THERE_BY_DAY)
def test_the_catalogue_keeps_its_search_filters_pins_choice_and_place(
    windows: Windows, qtbot: QtBot, code: str
) -> None:
    if code == ENGLISH:
        changed(windows, CHINESE, qtbot)
    browser = page(windows.front, "catalog_browser")
    qtbot.waitUntil(lambda: browser.here().model.rowCount() > 100, timeout=WAIT_MS)
    accelerators = browser.page("accelerators")
    accelerators.filters.chips["vendor"].tick("NVIDIA")
    accelerators.table.sortByColumn(5, Qt.SortOrder.DescendingOrder)
    accelerators.table.selectRow(3)
    accelerators.table.verticalScrollBar().setValue(30)
    chosen = accelerators.chosen().id
    for row in (4, 6):
        accelerators.toggle_pin(accelerators.model.entries[accelerators.model.source_at(row)].id)
    browser.tabs.setCurrentIndex(4)
    QTest.keyClicks(browser.here().filters.text, "llama")
    browser.here().table.selectRow(2)
    model = browser.here().chosen().id
    shown = browser.here().model.rowCount()
    browser = page(changed(windows, code, qtbot), "catalog_browser")
    assert browser.tabs.currentIndex() == 4
    assert browser.here().filters.text.text() == "llama"
    assert browser.here().model.rowCount() == shown
    assert browser.here().chosen().id == model
    accelerators = browser.page("accelerators")
    assert accelerators.filters.chips["vendor"].values() == ("NVIDIA",)
    assert accelerators.chosen().id == chosen
    assert accelerators.compare_button.isEnabled()
    header = accelerators.table.horizontalHeader()
    assert (header.sortIndicatorSection(), header.sortIndicatorOrder()) == (5, Qt.SortOrder.DescendingOrder)
    browser.tabs.setCurrentIndex(0)
    qtbot.waitUntil(lambda: accelerators.table.verticalScrollBar().value() == 30, timeout=WAIT_MS)


@pytest.mark.parametrize("code", THERE_BY_DAY)
def test_candidates_keep_their_filter_workload_order_and_place(windows: Windows, qtbot: QtBot, code: str) -> None:
    if code == ENGLISH:
        changed(windows, CHINESE, qtbot)
    assert windows.front.results_pane is not None
    view = windows.front.results_pane.candidates
    view.show_workload("training")
    QTest.keyClicks(view.filter, "h200")
    view.only_running.click()
    table = view.tables["training"]
    table.sortByColumn(7, Qt.SortOrder.DescendingOrder)
    qtbot.waitUntil(lambda: table.verticalScrollBar().maximum() > 12, timeout=WAIT_MS)
    table.verticalScrollBar().setValue(12)
    qtbot.wait(300)
    assert table.verticalScrollBar().value() == 12
    shown = view.models["training"].rowCount()
    pane = changed(windows, code, qtbot).results_pane
    assert pane is not None
    view = pane.candidates
    assert view.workload() == "training"
    assert (view.filter.text(), view.only_running.isChecked()) == ("h200", True)
    assert view.models["training"].rowCount() == shown
    assert view.tables["training"].horizontalHeader().sortIndicatorSection() == 7
    assert view.tables["training"].verticalScrollBar().value() == 12


@pytest.mark.parametrize("code", THERE_BY_DAY)
def test_fields_keep_what_is_half_typed_and_take_what_is_whole(windows: Windows, qtbot: QtBot, code: str) -> None:
    if code == ENGLISH:
        changed(windows, CHINESE, qtbot)
    window = windows.front
    for name in ("classes/[0]/peak_rate_per_s", "classes/[0]/output_tokens"):
        field(window, "serving", name).selectAll()
    QTest.keyClicks(field(window, "serving", "classes/[0]/peak_rate_per_s"), "77 req/s")
    QTest.keyClicks(field(window, "serving", "classes/[0]/output_tokens"), "many tok")
    window = changed(windows, code, qtbot)
    assert window.store.value("serving.classes[0].peak_rate_per_s") == 77.0
    half = field(window, "serving", "classes/[0]/output_tokens")
    assert half.text() == "many tok"
    assert half.property("invalid")
    window.menus.actions["undo"].trigger()
    assert window.store.value("serving.classes[0].peak_rate_per_s") != 77.0


@pytest.mark.parametrize("code", THERE_BY_DAY)
def test_forms_keep_their_sections_focus_and_place(windows: Windows, qtbot: QtBot, code: str) -> None:
    if code == ENGLISH:
        changed(windows, CHINESE, qtbot)
    window = windows.front
    _, area, form = next(one for one in window.inputs.editor.built_areas() if one[0] == "serving")
    closed = [one for one in form.findChildren(FormSection) if not one.header.isChecked()]
    closed[1].header.click()
    opened = place_in_form(closed[1], form)
    field(window, "serving", "classes/[0]/name").setFocus()
    qtbot.wait(50)
    area.verticalScrollBar().setValue(120)
    window = changed(windows, code, qtbot)
    _, area, form = next(one for one in window.inputs.editor.built_areas() if one[0] == "serving")
    is_open = {place_in_form(one, form): one.header.isChecked() for one in form.findChildren(FormSection)}
    assert is_open[opened]
    assert window.focusWidget() is field(window, "serving", "classes/[0]/name")
    assert area.verticalScrollBar().value() == 120


@pytest.mark.parametrize("code", THERE_BY_DAY)
def test_pages_keep_their_tables_hidden_curves_and_scroll(windows: Windows, qtbot: QtBot, code: str) -> None:
    if code == ENGLISH:
        changed(windows, CHINESE, qtbot)
    view = page(windows.front, "load")
    qtbot.waitUntil(lambda: any(one.plot.toggles() for one in view._plots.values()), timeout=WAIT_MS)
    name, plot_view = next((name, one) for name, one in view._plots.items() if one.plot.toggles())
    hidden = plot_view.plot.toggles()[0].key
    plot_view.plot.toggle(hidden)
    plot_view.show_as_table(True)
    assert windows.front.results_pane is not None
    windows.front.resize(1280, 600)
    page(windows.front, "memory")
    frame = windows.front.results_pane.frame_in_front()
    qtbot.waitUntil(lambda: frame.verticalScrollBar().maximum() > 20, timeout=WAIT_MS)
    qtbot.wait(300)
    frame.verticalScrollBar().setValue(20)
    window = changed(windows, code, qtbot)
    assert window.results_pane is not None
    bar = window.results_pane.frame_in_front().verticalScrollBar()
    assert bar.value() == min(20, bar.maximum()) > 0
    view = page(window, "load")
    qtbot.waitUntil(lambda: name in view._plots and view._plots[name].shows_table, timeout=WAIT_MS)
    assert hidden in view._plots[name].plot.hidden


@pytest.mark.parametrize("code", THERE_BY_DAY)
def test_steps_are_named_in_the_new_language(windows: Windows, qtbot: QtBot, code: str) -> None:
    names = {ENGLISH: "Change Peak rate", CHINESE: "變更尖峰速率"}
    if code == ENGLISH:
        changed(windows, CHINESE, qtbot)
    before = field(windows.front, "serving", "classes/[0]/peak_rate_per_s")
    before.selectAll()
    QTest.keyClicks(before, "77")
    QTest.keyClick(before, Qt.Key.Key_Return)
    windows.front.commands.duplicate_scenario()
    stack = changed(windows, code, qtbot).store.undo_stack
    texts = [stack.text(place) for place in range(stack.count())]
    assert texts[0] == names[code]
    assert texts[1].isascii() is (code == ENGLISH)


def test_the_question_why_is_asked_again(windows: Windows, qtbot: QtBot) -> None:
    window = windows.front
    with qtbot.waitSignal(window.compute.explained, timeout=WAIT_MS):
        best = window.compute.results.plan.serving.best
        window.results_pane.explain_requested.emit("serving", best, "usd_per_month")
    asked = window.explain_panel.explanation
    window = changed(windows, CHINESE, qtbot)
    qtbot.waitUntil(lambda: window.explain_panel.explanation is not None, timeout=WAIT_MS)
    again = window.explain_panel.explanation
    assert again.name == asked.name == "usd_per_month"
    assert again.value == asked.value
    assert not window.explain_panel.tree.topLevelItem(0).text(0).isascii()


@pytest.mark.parametrize("code", THERE_BY_DAY)
def test_a_plot_is_looked_at_as_closely_as_before(windows: Windows, qtbot: QtBot, code: str) -> None:
    if code == ENGLISH:
        changed(windows, CHINESE, qtbot)
    view = page(windows.front, "load")
    qtbot.waitUntil(lambda: "ttft" in view._plots and not drawing_queue().is_drawing(), timeout=WAIT_MS)
    plot = view._plots["ttft"].plot
    plot.zoom(2.0)
    seen = plot.item.getViewBox().viewRange()
    view = page(changed(windows, code, qtbot), "load")
    plot = view._plots["ttft"].plot
    assert plot.is_moved
    assert plot.item.getViewBox().viewRange() == seen


def test_a_message_is_said_again_in_the_new_language_and_what_it_offers_is_done_there(
    windows: Windows, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "plan.gpuplan"
    write_whole_file(path, project_to_bytes(windows.front.store.project))
    windows.front.file.open(path)
    write_whole_file(path, path.read_bytes().replace(b"13B assistant", b"A colleague's"))
    windows.front.file.look_at_disk()
    assert windows.front.messages.text.text() == "Another program or window changed “plan.gpuplan” on disk."
    window = changed(windows, CHINESE, qtbot)
    assert window.messages.isVisible()
    assert "plan.gpuplan" in window.messages.text.text()
    assert not window.messages.text.text().isascii()
    qtbot.mouseClick(window.messages.action, Qt.MouseButton.LeftButton)
    assert not window.messages.isVisible()
    assert window.store.project.scenarios[0].name == "A colleague's"


def test_what_a_stage_said_that_is_computed_anew_is_not_kept(windows: Windows, qtbot: QtBot) -> None:
    windows.front.decision.tasks.problem.emit("Uncertainty: the disk is full")
    assert windows.front.messages.isVisible()
    assert not changed(windows, CHINESE, qtbot).messages.isVisible()
