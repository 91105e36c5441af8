"""The page of own measurements: tables, buttons, and fields for the context that a set lacks."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QWheelEvent
from PySide6.QtWidgets import QTableView

from gpuplanner_gui.desktop.pages.calibrate import CASES, DRIFT, NEXT, CalibratePage
from gpuplanner_gui.domain.measurement import MeasurementSet
from gpuplanner_gui.drawing.calibration import calibration_view, next_rows
from gpuplanner_gui.drawing.results import Decision, Results
from tests.desktop.drawn import wait_until_drawn
from tests.drawing.test_calibration import results_of, served, training_results


def found_out(results: Results) -> Results:
    """The results with what the decision thread finds out for the page."""
    return replace(results, decision=Decision(calibration=calibration_view(results)))


@pytest.fixture
def page(qtbot, shown) -> CalibratePage:
    widget = CalibratePage()
    shown(widget)
    lacking = served(0.02)
    lacking = msgspec.structs.replace(lacking, context=msgspec.structs.replace(lacking.context, weight_precision=""))
    sets = (
        MeasurementSet(name="whole", tool="vllm_serve", measurements=(served(0.02), served(0.03, 32.0))),
        MeasurementSet(name="bare", tool="vllm_serve", measurements=(lacking,)),
    )
    widget.show_results(found_out(results_of(*sets)))
    wait_until_drawn(qtbot)
    return widget


def wishes(page: CalibratePage) -> list[tuple]:
    """What the page asks for from now on: a signal's name and what it carries."""
    heard: list[tuple] = []
    names = (
        "import_requested", "probe_requested", "export_requested", "set_toggled", "set_removed", "context_stated",
        "context_stated_for_all", "loss_stated", "part_wanted",
    )  # fmt: skip
    for name in names:
        getattr(page, name).connect(lambda *values, name=name: heard.append((name, *values)))
    return heard


def test_sets_cases_and_next_runs_are_listed(page):
    assert page.sets.rowCount() == 2
    assert page.cases.rowCount() == 2
    assert page.next_runs.rowCount() == 2
    assert "2 runs imported" in page.summary.text()
    assert page.evidence.rowCount() == 8
    assert page.residuals.plot.title
    assert len(page.residuals.plot.as_rows().cells) == 2


def test_missing_context_is_asked_for_inline(page, qtbot):
    assert not page.questions.isVisible()
    page.set_table.selectRow(1)
    assert list(page.questions.fields) == ["weight_precision"]
    heard = wishes(page)
    qtbot.keyClicks(page.questions.fields["weight_precision"], "bf16")
    qtbot.keyClick(page.questions.fields["weight_precision"], Qt.Key.Key_Return)
    assert heard == [("context_stated", 1, {"weight_precision": "bf16"})]
    page.set_table.selectRow(0)
    assert page.questions.fields == {}


def test_one_answer_can_be_given_for_all_sets_that_lack_it(page, qtbot):
    one = served(0.02)
    bare = msgspec.structs.replace(one.context, weight_precision="")
    runs = (msgspec.structs.replace(one, context=bare),)
    sets = [MeasurementSet(name=name, measurements=runs) for name in ("8 devices", "16 devices")]
    page.show_results(found_out(results_of(*sets)))
    assert page.questions.all_button.isVisible()
    (field,) = page.questions.fields.values()
    qtbot.keyClicks(field, "fp8")
    heard = wishes(page)
    qtbot.mouseClick(page.questions.all_button, Qt.MouseButton.LeftButton)
    assert heard == [("context_stated_for_all", {"weight_precision": "fp8"})]
    page.show_results(found_out(results_of(sets[0])))
    assert not page.questions.all_button.isVisible()


def test_the_keyboard_goes_through_the_fields_to_the_button(page, qtbot):
    one = served(0.02)
    bare = msgspec.structs.replace(one.context, weight_precision="", accelerator="")
    lacking = MeasurementSet(name="bare", measurements=(msgspec.structs.replace(one, context=bare),))
    page.show_results(found_out(results_of(lacking)))
    first, second = page.questions.fields.values()
    heard = wishes(page)
    first.setFocus()
    qtbot.keyClicks(first, "H100 SXM")
    qtbot.keyClick(first, Qt.Key.Key_Tab)
    assert second.hasFocus()
    qtbot.keyClicks(second, "fp8")
    qtbot.keyClick(second, Qt.Key.Key_Tab)
    qtbot.keyClick(page.focusWidget(), Qt.Key.Key_Space)
    assert heard == [("context_stated", 0, {"accelerator": "H100 SXM", "weight_precision": "fp8"})]


def test_a_set_that_comes_in_is_the_one_at_hand(page):
    """Its questions are asked at once, not those of the set that was looked at before."""
    page.set_table.selectRow(0)
    lacking = served(0.02)
    lacking = msgspec.structs.replace(lacking, context=msgspec.structs.replace(lacking.context, engine=""))
    sets = (*page.view.sets, MeasurementSet(name="new", tool="vllm_serve", measurements=(lacking,)))
    page.show_results(found_out(results_of(*sets)))
    assert page.set_table.currentIndex().row() == 2
    assert list(page.questions.fields) == ["engine"]
    page.set_table.selectRow(1)
    page.show_results(found_out(results_of(*sets)))
    assert page.set_table.currentIndex().row() == 1


def test_buttons_say_what_is_wanted_of_the_chosen_set(page, qtbot):
    page.set_table.selectRow(1)
    heard = wishes(page)
    buttons = (page.import_button, page.probe_button, page.export_button, page.toggle_button, page.remove_button)
    for button in buttons:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert heard == [
        ("import_requested",),
        ("probe_requested",),
        ("export_requested",),
        ("set_toggled", 1),
        ("set_removed", 1),
    ]


def test_nothing_can_be_asked_of_a_set_while_it_is_compared(page, qtbot):
    """A click that did nothing told nobody so."""
    page.set_table.selectRow(1)
    field = page.questions.fields["weight_precision"]
    qtbot.keyClicks(field, "bf")
    known = page.context
    page.show_results(replace(known, decision=Decision()))
    buttons = (page.export_button, page.toggle_button, page.remove_button)
    assert [one.isEnabled() for one in (*buttons, page.loss)] == [False] * 4
    heard = wishes(page)
    for button in buttons:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert heard == []
    qtbot.keyClicks(field, "16")
    page.show_results(known)
    assert page.questions.fields["weight_precision"].text() == "bf16", "what is typed stays"
    for button in buttons:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert [one[0] for one in heard] == ["export_requested", "set_toggled", "set_removed"]


def test_what_a_set_was_measured_on_is_shown_and_can_be_said(page, shown):
    """Runs on virtual machines hold their loss already: a plan must not add it again (S127)."""
    page.set_table.selectRow(1)
    assert page.loss.text() == "bare metal"
    heard = wishes(page)
    page.loss.setValue(3.0)
    assert heard == [("loss_stated", 1, 0.03)]
    widget = CalibratePage()
    shown(widget)
    run = served(0.2)
    context = msgspec.structs.replace(run.context, virtualisation_loss=0.05)
    virtual = MeasurementSet(name="vm", measurements=(msgspec.structs.replace(run, context=context),))
    widget.show_results(found_out(results_of(virtual)))
    assert widget.loss.value() == 5.0
    assert any("lost to virtual machines" in str(cell) for row in widget.cases.rows.cells for cell in row)


def test_the_button_says_whether_a_set_would_be_used_or_left_out(page, shown):
    page.set_table.selectRow(0)
    assert page.toggle_button.text() == "Exclude"
    widget = CalibratePage()
    shown(widget)
    left_out = MeasurementSet(name="new", is_used=False, measurements=(served(0.2),))
    widget.show_results(found_out(results_of(left_out)))
    assert widget.toggle_button.text() == "Use"
    assert widget.drifted.rowCount() == 1
    assert widget.sections.tabText(DRIFT).endswith("(1)")


def test_the_chosen_runs_commands_are_shown_and_copied_whole(page, qtbot):
    page.sections.setCurrentIndex(NEXT)
    first = page.command.toPlainText()
    assert [one.row() for one in page.next_table.selectionModel().selectedRows()] == [0], "whose command it is"
    qtbot.waitUntil(lambda: page.command.horizontalScrollBar().maximum() == 0)
    page.resize(1180, 800)
    assert page.next_table.horizontalHeader().length() <= page.next_table.viewport().width()
    page.next_table.setCurrentIndex(page.next_runs.index(1, 0))
    shown = page.command.toPlainText()
    assert "vllm serve" in shown
    assert shown != first
    page.copy_button.click()
    assert QGuiApplication.clipboard().text() == shown


def test_the_page_asks_for_its_comparison_while_it_is_seen(page):
    heard = wishes(page)
    page.hide()
    page.show()
    assert heard == [("part_wanted", "calibration", False), ("part_wanted", "calibration", True)]


def test_without_measurements_the_page_says_what_they_are_good_for_and_how_to_get_them(qtbot, shown):
    widget = CalibratePage()
    shown(widget)
    widget.show_results(found_out(results_of()))
    assert widget.empty.isVisible()
    heard = wishes(widget)
    for button in (widget.empty.import_button, widget.empty.probe_button):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert heard == [("import_requested",), ("probe_requested",)]
    empty = [one for one in widget.findChildren(QTableView) if one.isVisible() and one.model().rowCount() == 0]
    assert empty == [], "no white panes"
    assert widget.sections.isTabVisible(widget.sections.currentIndex()), "the section that is shown has a tab"
    assert widget.next_table.isVisible(), "what to measure first is known before anything is measured"
    assert not widget.toggle_button.isVisible()
    wait_until_drawn(qtbot)
    assert not widget.residuals.isVisible()
    whole = MeasurementSet(name="whole", tool="vllm_serve", measurements=(served(0.02),))
    widget.show_results(found_out(results_of(whole)))
    wait_until_drawn(qtbot)
    assert not widget.empty.isVisible()
    assert widget.residuals.isVisible()
    assert widget.set_table.isVisible()


def test_a_section_that_has_no_tab_any_more_is_left(qtbot, shown):
    widget = CalibratePage()
    shown(widget)
    whole = MeasurementSet(name="whole", tool="vllm_serve", measurements=(served(0.02),))
    widget.show_results(found_out(results_of(whole)))
    widget.sections.setCurrentIndex(DRIFT)
    widget.show_results(found_out(results_of()))
    assert widget.sections.isTabVisible(widget.sections.currentIndex())


def test_a_set_of_which_nothing_is_accepted_is_not_called_used(page, shown, qtbot):
    assert [row[0] for row in page.sets.rows.cells] == ["yes", "not yet"]
    assert not page.sets.rows.cells[1][4]
    widget = CalibratePage()
    shown(widget)
    left_out = MeasurementSet(name="new", is_used=False, measurements=(served(0.2),))
    both = MeasurementSet(name="both", measurements=(served(0.02), page.view.sets[1].measurements[0]))
    widget.show_results(found_out(results_of(left_out, both)))
    assert [row[0] for row in widget.sets.rows.cells] == ["excluded", "partly"]
    widget.show_results(found_out(results_of(page.view.sets[1])))
    wait_until_drawn(qtbot)
    assert not widget.residuals.isVisible()
    assert "No run can be compared yet" in widget.remarks[CASES].text()
    assert widget.remarks[CASES].isVisible()


def test_the_wheel_over_the_sections_does_not_change_the_section(page, qtbot):
    bar = page.sections.tabBar()
    place = QPointF(bar.rect().center())
    turned = QWheelEvent(
        place, bar.mapToGlobal(place), QPoint(), QPoint(0, -120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    before = page.sections.currentIndex()
    QGuiApplication.sendEvent(bar, turned)
    assert page.sections.currentIndex() == before


def test_the_axis_of_cases_counts_whole_cases(page):
    axis = page.residuals.plot.item.getAxis("bottom")
    for count in (1, 2, 3, 7, 40):
        for size in (120, 400, 1200):
            (_, ticks), *_ = axis.tickValues(0.3, count + 0.7, size)
            assert ticks
            assert all(abs(tick - round(tick)) < 1e-9 for tick in ticks)


def without(run, **left_out):
    return msgspec.structs.replace(run, context=msgspec.structs.replace(run.context, **left_out))


def test_a_kind_of_load_is_chosen_and_what_it_was_kept_at_is_asked_at_once(page, qtbot):
    lacking = without(served(0.02), load="", concurrency=0.0)
    sets = (*page.view.sets, MeasurementSet(name="loaded", tool="aiperf", measurements=(lacking,)))
    page.show_results(found_out(results_of(*sets)))
    assert list(page.questions.fields) == ["load"]
    choice = page.questions.fields["load"]
    qtbot.keyClick(choice, Qt.Key.Key_Down)
    qtbot.keyClick(choice, Qt.Key.Key_Down)
    assert list(page.questions.fields) == ["load", "rate_per_s"]
    qtbot.keyClick(choice, Qt.Key.Key_Up)
    assert list(page.questions.fields) == ["load", "concurrency"]
    heard = wishes(page)
    qtbot.keyClicks(page.questions.fields["concurrency"], "32")
    qtbot.keyClick(page.questions.fields["concurrency"], Qt.Key.Key_Return)
    assert heard == [("context_stated", 2, {"load": "closed_loop", "concurrency": "32"})]


def test_what_is_typed_for_one_set_is_not_said_of_another(page, qtbot):
    sets = (*page.view.sets, MeasurementSet(name="other", measurements=(without(served(0.02), weight_precision=""),)))
    page.show_results(found_out(results_of(*sets)))
    page.set_table.selectRow(1)
    qtbot.keyClicks(page.questions.fields["weight_precision"], "fp8")
    page.show_results(found_out(results_of(*sets)))
    assert page.questions.fields["weight_precision"].text() == "fp8", "the same set, drawn anew"
    page.set_table.selectRow(2)
    assert page.questions.fields["weight_precision"].text() == ""


def test_names_of_the_catalogue_are_offered_where_they_are_asked_for(page):
    lacking = without(served(0.02), accelerator="", model="")
    sets = (*page.view.sets, MeasurementSet(name="nameless", measurements=(lacking,)))
    page.show_results(found_out(results_of(*sets)))
    for name, part in (("accelerator", "h100 sxm"), ("model", "llama 3.1 8b")):
        completer = page.questions.fields[name].completer()
        completer.setCompletionPrefix(part)
        assert completer.completionCount() >= 1


def test_enter_takes_a_name_that_is_offered_before_it_hands_on(page, qtbot):
    lacking = without(served(0.02), model="", weight_precision="")
    sets = (*page.view.sets, MeasurementSet(name="nameless", measurements=(lacking,)))
    page.show_results(found_out(results_of(*sets)))
    heard = wishes(page)
    field = page.questions.fields["model"]
    field.setFocus()
    qtbot.keyClicks(field, "llama 3.1 8")
    popup = field.completer().popup()
    qtbot.waitUntil(popup.isVisible)
    qtbot.keyClick(popup, Qt.Key.Key_Down)
    qtbot.keyClick(popup, Qt.Key.Key_Return)
    assert not popup.isVisible()
    assert field.text() == "Llama 3.1 8B"
    assert heard == []
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert heard == [("context_stated", 2, {"model": "Llama 3.1 8B"})]


def test_the_keyboard_goes_on_with_what_is_not_yet_told(page, qtbot):
    lacking = without(served(0.02), model="", weight_precision="")
    told = without(served(0.02), weight_precision="")
    before, after = (
        (*page.view.sets, MeasurementSet(name="nameless", digest="ab", measurements=(run,))) for run in (lacking, told)
    )
    page.show_results(found_out(results_of(*before)))
    page.questions.fields["model"].setFocus()
    qtbot.waitUntil(page.questions.fields["model"].hasFocus)
    page.show_results(found_out(results_of(*after)))
    assert list(page.questions.fields) == ["weight_precision"]
    assert page.questions.fields["weight_precision"].hasFocus()


def test_a_section_shows_its_rows_whatever_stands_above_them(qtbot, shown):
    """With large type the remark, heads and commands left 5 pixels of the table for its rows."""
    page = CalibratePage()
    shown(page)
    page.resize(800, 400)
    font = page.font()
    font.setPointSizeF(1.5 * font.pointSizeF())
    page.setFont(font)
    page.show_results(found_out(results_of()))
    wait_until_drawn(qtbot)
    rows, line = page.next_runs.rowCount(), page.next_table.rowHeight(0)
    assert rows > 0
    assert page.heightForWidth(800) > 400, "the page is scrolled"
    page.resize(800, page.heightForWidth(800))
    assert page.next_table.viewport().height() >= min(rows, 3) * line


def test_what_the_factor_of_a_step_time_means_is_said_of_training_runs_too(qtbot, shown):
    """It was said beside serving runs alone: "1.97" and "1.44" of a training run stood there unexplained."""
    results = found_out(training_results("llama-3.1-8b"))
    view = results.known.calibration
    assert view is not None
    assert view.next_training
    assert not view.next_runs
    widget = CalibratePage()
    shown(widget)
    widget.show_results(results)
    wait_until_drawn(qtbot)
    before = str(next_rows(view, results).cells[0][2])
    assert f"{float(before):.2f} means: in 9 of 10 cases" in widget.remarks[NEXT].text(), "a number of the table"
