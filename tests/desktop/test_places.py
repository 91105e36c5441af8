"""Four places, the pages in them that apply, one candidate a page speaks of, and the way back to the recommended."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSettings, Qt
from PySide6.QtWidgets import QApplication, QDockWidget, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.pages.overview import OverviewPage
from gpuplanner_gui.desktop.pages.place_bar import BY_NAME, PAGES, PLACES
from gpuplanner_gui.desktop.pages.results_pane import ResultsPane
from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
from gpuplanner_gui.desktop.widgets.event_turns import drawing_queue
from gpuplanner_gui.desktop.widgets.message_bar import Severity
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.drawing.words.candidates import candidate_text
from gpuplanner_gui.paths import resources_dir

WAIT_MS = 60_000
LEFT = Qt.MouseButton.LeftButton
EXAMPLES = resources_dir() / "examples"
RATE = "serving.classes[0].peak_rate_per_s"


@pytest.fixture
def window(qtbot: QtBot, settings: QSettings, engine: ShippedEngine, user_home: Path) -> Iterator[MainWindow]:
    made = MainWindow(lambda: engine, settings)
    made.resize(1366, 768)
    made.show()
    made.build_results()
    made.compute.start()
    yield made
    made.store.undo_stack.setClean()
    made.close()
    made.deleteLater()


def pane_of(window: MainWindow) -> ResultsPane:
    assert window.results_pane is not None
    return window.results_pane


def opened(window: MainWindow, qtbot: QtBot, example: str) -> ResultsPane:
    with qtbot.waitSignal(window.compute.completed, timeout=WAIT_MS):
        window.commands.open_path(EXAMPLES / f"{example}.gpuplan")
    return pane_of(window)


def edited(window: MainWindow, qtbot: QtBot, path: str, value: object) -> None:
    with qtbot.waitSignal(window.compute.completed, timeout=WAIT_MS):
        window.store.edit(path, value, "edit")


def select(window: MainWindow, qtbot: QtBot, rank: int) -> int:
    """Look at the serving candidate at a place of the ranking."""
    results = window.compute.results
    assert results is not None
    assert results.plan.serving is not None
    candidate = int(results.plan.serving.table.order[rank - 1])
    with qtbot.waitSignal(window.compute.completed, timeout=WAIT_MS):
        window.planner.select_candidate("serving", candidate)
    qtbot.wait(50)
    qtbot.waitUntil(lambda: not drawing_queue().is_drawing(), timeout=WAIT_MS)
    return candidate


@pytest.mark.parametrize(
    ("example", "is_there", "is_gone"),
    [
        ("70b-chat", {"load", "readiness"}, {"step", "layouts", "scaling", "fits", "run_time", "estate"}),
        ("7b-continued-pretraining", {"step", "layouts", "scaling", "fits", "run_time"}, {"load", "readiness"}),
        ("13b-two-deployments", {page.name for page in PAGES}, set()),
        ("estate-12-quarters", {"estate"}, set()),
    ],
)
def test_pages_that_do_not_apply_do_not_exist(
    window: MainWindow, qtbot: QtBot, example: str, is_there: set[str], is_gone: set[str]
) -> None:
    names = set(opened(window, qtbot, example).page_names())
    assert is_there <= names
    assert not is_gone & names
    offered = {action.data() for action in window.menus.menus["pages"].actions() if action.isVisible()}
    assert offered == names


def test_every_page_is_two_clicks_away(window: MainWindow, qtbot: QtBot) -> None:
    pane = opened(window, qtbot, "13b-two-deployments")
    for name in pane.page_names():
        qtbot.mouseClick(pane.bar.places[BY_NAME[name].place], LEFT)
        if pane.page_name() != name:
            tabs = pane.bar.pages
            qtbot.mouseClick(tabs, LEFT, pos=tabs.tabRect(tabs.names.index(name)).center())
        assert pane.page_name() == name


def test_a_place_is_found_as_it_was_left_and_has_keys(window: MainWindow, qtbot: QtBot) -> None:
    pane = opened(window, qtbot, "70b-chat")
    pane.show_page_named("roofline")
    actions = [action for action in window.menus.menus["view"].actions() if action.text() in PLACES.values()]
    assert [action.shortcut().toString() for action in actions] == [f"Ctrl+{number}" for number in range(1, 7)]
    actions[0].trigger()
    assert pane.page_name() == "overview"
    actions[1].trigger()
    assert pane.page_name() == "roofline"


def test_a_page_that_goes_leaves_its_place_in_front_and_comes_back_when_asked_for(
    window: MainWindow, qtbot: QtBot
) -> None:
    pane = opened(window, qtbot, "13b-two-deployments")
    pane.show_page_named("step")
    edited(window, qtbot, "training", None)
    assert pane.page_name() == "memory"
    pane.show_page_named("layouts")
    assert pane.page_name() == "memory"
    window.store.undo_stack.undo()
    qtbot.waitUntil(lambda: pane.page_name() == "layouts", timeout=WAIT_MS)


def test_the_page_names_whom_it_speaks_of_and_one_click_leads_back(window: MainWindow, qtbot: QtBot) -> None:
    pane = opened(window, qtbot, "70b-chat")
    pane.show_page_named("memory")
    qtbot.waitUntil(lambda: pane.bar.subject.text().startswith("Recommended: "), timeout=WAIT_MS)
    assert not pane.bar.back.isVisible()
    chosen = select(window, qtbot, 5)
    results = window.compute.results
    assert results is not None
    name = candidate_text(results.plan, results.catalog, "serving", chosen)
    assert results.plan.serving is not None
    replicas = int(results.plan.serving.table.replicas[chosen])
    said = f"Selected: {replicas} replicas of {name}"
    qtbot.waitUntil(lambda: pane.bar.subject.text() == said, timeout=WAIT_MS)
    assert pane.bar.back.isVisible()
    with qtbot.waitSignal(window.compute.completed, timeout=WAIT_MS):
        qtbot.mouseClick(pane.bar.back, LEFT)
    assert results.plan.serving is not None
    assert window.compute.results is not None
    assert window.compute.results.candidate("serving") == results.plan.serving.best
    qtbot.waitUntil(lambda: not pane.bar.back.isVisible(), timeout=WAIT_MS)


def test_money_speaks_of_the_recommended_candidate_alone(window: MainWindow, qtbot: QtBot) -> None:
    pane = opened(window, qtbot, "70b-chat")
    select(window, qtbot, 5)
    pane.show_page_named("cost")
    assert pane.bar.subject.text().startswith("Recommended: ")
    view = pane.view_in_front()
    assert view is not None
    assert view.context is not None
    assert view.context.plan.serving is not None
    assert view.context.candidate("serving") == view.context.plan.serving.best


def test_a_selected_candidate_survives_an_edit_until_it_is_gone(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot, "70b-chat")
    chosen = select(window, qtbot, 5)
    results = window.compute.results
    assert results is not None
    name = candidate_text(results.plan, results.catalog, "serving", chosen)
    edited(window, qtbot, RATE, 41.0)
    after = window.compute.results
    assert after is not None
    assert candidate_text(after.plan, after.catalog, "serving", after.candidate("serving")) == name
    edited(window, qtbot, "hardware.accelerators", ("nvidia-l40s",))
    assert window.compute.results is not None
    assert window.compute.results.plan.serving is not None
    assert window.compute.results.candidate("serving") == window.compute.results.plan.serving.best
    window.store.undo_stack.undo()
    qtbot.waitUntil(lambda: window.compute.state == "current", timeout=WAIT_MS)
    assert window.planner.selected == {}, "one that an edit took away is not come back to"


def test_choosing_the_recommended_one_follows_the_recommendation(window: MainWindow, qtbot: QtBot) -> None:
    opened(window, qtbot, "70b-chat")
    select(window, qtbot, 5)
    select(window, qtbot, 1)
    assert window.planner.selected == {}


def test_candidates_are_at_hand_on_answer_and_compare(window: MainWindow, qtbot: QtBot) -> None:
    pane, dock = opened(window, qtbot, "70b-chat"), window.desk.candidates_dock
    shown = {}
    for place in PLACES:
        pane.show_place(place)
        shown[place] = dock.isVisible()
    assert [place for place, is_shown in shown.items() if is_shown] == ["answer", "compare"]
    pane.show_place("answer")
    dock.close()
    pane.show_place("why")
    pane.show_place("answer")
    assert not dock.isVisible(), "what was put away by hand stays away"
    pane.show_place("why")
    window.menus.actions["edit_candidates"].trigger()
    assert pane.page_name() == "overview"
    assert dock.isVisible()


def test_nothing_shifts_when_counts_subjects_and_messages_come(window: MainWindow, qtbot: QtBot) -> None:
    pane = opened(window, qtbot, "70b-chat")

    def places() -> list[tuple[QPoint, int, int]]:
        widgets: list[QWidget] = [*pane.bar.places.values(), pane.bar.pages, pane.frame_in_front(), window.verdict]
        return [(one.mapTo(window, QPoint(0, 0)), one.width(), one.height()) for one in widgets]

    # How sure the plan is comes some time after it, and gives the verdict its last words.
    tasks = window.decision.tasks
    qtbot.waitUntil(lambda: tasks.answer is not None and tasks.answer.uncertainty is not None, timeout=WAIT_MS)
    pane.bar.show_count(0)
    qtbot.wait(300)
    before = places()
    pane.bar.show_count(12)
    pane.bar.show_subject(["Selected: " + "a long name of a candidate " * 5, "Selected"], True)
    window.messages.show_message("Something that the planner should know, in one line.", Severity.WARNING)
    qtbot.wait(50)
    assert window.messages.isVisible()
    assert places() == before


def test_another_count_of_candidates_moves_nothing_in_its_row(window: MainWindow, qtbot: QtBot) -> None:
    pane = opened(window, qtbot, "70b-chat")
    candidates = pane.candidates
    row = [candidates.filter, candidates.only_running, candidates._count, candidates.head]

    def places() -> list[QRect]:
        return [one.geometry() for one in row]

    qtbot.wait(50)
    before = places()
    for typed in ("h200", "nothing is called this", "fp8 h100"):
        candidates.filter.setText(typed)
        qtbot.wait(50)
        assert places() == before, typed


@pytest.mark.parametrize("example", ["transcription", "embedding-index"])
def test_no_finding_beside_the_plots_is_cut_at_the_right(window: MainWindow, qtbot: QtBot, example: str) -> None:
    page = opened(window, qtbot, example).view_in_front()
    assert isinstance(page, OverviewPage)
    qtbot.waitUntil(lambda: not page.is_drawing(), timeout=WAIT_MS)
    inside = page.risks.area.widget()
    assert inside is not None
    assert inside.minimumSizeHint().width() <= page.risks.area.viewport().width()


def test_the_answer_shows_latency_roofline_and_the_gravest_findings(window: MainWindow, qtbot: QtBot) -> None:
    pane = opened(window, qtbot, "70b-chat")
    page = pane.view_in_front()
    assert isinstance(page, OverviewPage)
    qtbot.waitUntil(lambda: not page.is_drawing(), timeout=WAIT_MS)
    assert set(page._plots) == {"latency", "roofline"}
    cards = [card for card in page.risks.cards if card.isVisible()]
    assert 1 <= len(cards) <= 3
    severities = [card.finding.severity for card in cards if card.finding is not None]
    assert severities == sorted(severities, reverse=True)
    qtbot.mouseClick(page.risks.all, LEFT)
    assert pane.page_name() == "findings"


def test_of_two_workloads_the_bar_names_the_devices_of_both(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1366, 768)
    pane = opened(window, qtbot, "13b-two-deployments")
    qtbot.waitUntil(lambda: " training " in pane.bar.subject.text(), timeout=WAIT_MS)
    said = pane.bar.subject.shown_text()
    assert said.startswith("Recommended: serving 3 × "), said
    assert " training 4 × " in said


def test_findings_beside_a_selected_candidate_are_told_to_be_of_the_recommended_plan(
    window: MainWindow, qtbot: QtBot
) -> None:
    opened(window, qtbot, "70b-chat").show_page_named("overview")
    page = window.findChild(OverviewPage)
    assert page is not None
    qtbot.waitUntil(lambda: page.risks._none.text() != "", timeout=WAIT_MS)
    assert not page.risks._none.text().startswith("Recommended")
    select(window, qtbot, 4)
    qtbot.waitUntil(lambda: page.risks._none.text().startswith("Recommended plan: "), timeout=WAIT_MS)


@pytest.mark.parametrize("is_native", [False, True], ids=["at first", "docks moved"])
def test_a_question_is_not_told_to_every_widget_of_the_window(
    window: MainWindow, qtbot: QtBot, is_native: bool
) -> None:
    """Each of 3,000 widgets heard of it, through Python and beside a thread at work: 60 ms. A dock that was moved has a
    native window, and so has all that it stands in: each was told apart."""
    heard: list[QEvent.Type] = []
    if is_native:
        for dock in window.findChildren(QDockWidget):
            dock.winId()

    class Ear(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
            heard.append(event.type())
            return False

    ear, box = Ear(), QMessageBox(window)
    for part in (window.inputs, window.results_pane):
        part.installEventFilter(ear)
    box.open()
    qtbot.waitUntil(lambda: QApplication.activeModalWidget() is box)
    box.done(0)
    qtbot.wait(20)
    assert not {QEvent.Type.WindowBlocked, QEvent.Type.WindowUnblocked} & set(heard)
