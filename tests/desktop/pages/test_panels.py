"""Verdict bar and explanation: the words that are said, in every state, as plain text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QTreeWidgetItemIterator, QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.pages.explain_panel import ExplainPanel
from gpuplanner_gui.desktop.pages.verdict import VerdictBar
from gpuplanner_gui.desktop.tasks.plan_tasks import PlanState
from gpuplanner_gui.desktop.widgets.labels import ElidedLabel, LinesLabel, plain_tool_tip
from gpuplanner_gui.domain.method import ExplainedValue
from gpuplanner_gui.drawing.application import typeface
from gpuplanner_gui.drawing.results import LoadSimulation, Results
from gpuplanner_gui.engine.fleet.fleet_sizing import fleet_sizing
from tests.drawing import synthetic

Show = Callable[[QWidget], None]


def texts(widget: QWidget) -> str:
    return "\n".join(label.text() for label in widget.findChildren(QLabel) if label.isVisibleTo(widget))


def test_verdict_stands_for_each_workload(shown: Show, results: Results) -> None:
    bar = VerdictBar()
    shown(bar)
    assert "the answer appears here" in texts(bar)
    bar.show_results(results)
    said = texts(bar)
    assert "Serving · Holds: " in said
    assert "Serve on " in said
    assert "Training · " in said
    assert "Train on " in said
    assert "Serve on " in bar.accessibleDescription()


def test_verdict_of_one_workload_does_not_name_it(shown: Show, results: Results) -> None:
    bar = VerdictBar()
    shown(bar)
    bar.show_results(replace(results, plan=msgspec.structs.replace(results.plan, training=None)))
    said = texts(bar)
    assert "Serving:" not in said
    assert "Train on" not in said


def test_old_verdict_stays_while_it_is_outdated(shown: Show, results: Results) -> None:
    bar = VerdictBar()
    shown(bar)
    bar.show_results(results)
    before = texts(bar)
    for state in PlanState:
        bar.set_state(state, "why")
        assert texts(bar) == before


def test_verdict_takes_the_load_that_the_simulation_found(shown: Show, results: Results) -> None:
    answer = results.plan.served
    best, load = answer.best, float(answer.table.load_per_replica_per_s[answer.best])
    bar = VerdictBar()
    shown(bar)
    bar.show_results(results)
    assert "times this load (quick estimate)" in texts(bar)
    assert "(quick estimate, 80" not in texts(bar)
    fleet = fleet_sizing(results.scenario, results.plan, best)
    simulated = msgspec.structs.replace(fleet, is_simulated=True, slo_rate_per_s=1.23 * load)
    bar.take_found("simulation", LoadSimulation(candidate=best, fleet=simulated))
    assert "up to 1.2 times this load (simulated)" in texts(bar)
    assert "(quick estimate, 80" in texts(bar), "the latency beside it says that it is not simulated"


def test_explanation_opens_down_to_its_sources(qtbot: QtBot, shown: Show) -> None:
    panel = ExplainPanel()
    shown(panel)
    assert "how it is calculated" in texts(panel)
    panel.show_explanation(synthetic.explained())
    root = panel.tree.topLevelItem(0)
    assert root is not None
    assert (root.text(0), root.text(1), root.text(2)) == ("Decode step", "18.3 ms", "weights / bandwidth + launch")
    assert root.isExpanded()
    children = {root.child(place).text(0): root.child(place).text(2) for place in range(root.childCount())}
    assert children["Memory bandwidth"] == "catalogue, datasheet 2024-11"
    assert children["Source"] == "docs/derivations/serving-step.md"
    qtbot.keyClick(panel, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().startswith("Decode step = 18.3 ms")
    panel.show_message("Computing why…")
    assert "Computing why…" in texts(panel)


def lines_of(panel: ExplainPanel) -> int:
    items, count = QTreeWidgetItemIterator(panel.tree), 0
    while items.value() is not None:
        items += 1
        count += 1
    return count


def test_lines_of_a_deep_explanation_are_made_when_they_are_opened(qtbot: QtBot, shown: Show) -> None:
    """Three values go into each, ten levels down: 88,573 lines."""
    value = ExplainedValue(name="x", title="Leaf", unit="", value=1.0)
    for level in range(10):
        value = ExplainedValue(name="x", title=f"Level {level}", unit="", value=1.0, inputs=(value,) * 3)
    panel = ExplainPanel()
    shown(panel)
    panel.show_explanation(value)
    assert lines_of(panel) == 1 + 3 + 9
    line = panel.tree.topLevelItem(0).child(0).child(0)
    panel.tree.setCurrentItem(line)
    qtbot.keyClick(panel.tree, Qt.Key.Key_Right)
    assert [line.child(place).text(0) for place in range(line.childCount())] == ["Level 6"] * 3
    panel.expand_all()
    qtbot.waitUntil(lambda: lines_of(panel) > 100)
    panel.show_explanation(synthetic.explained())
    few = lines_of(panel)
    panel.expand_all()
    qtbot.waitUntil(lambda: not panel.expanding.isActive())
    assert lines_of(panel) >= few
    assert all(one.isExpanded() for one in panel.tree.findItems("*", Qt.MatchFlag.MatchWildcard) if one.childCount())


def test_long_explanation_is_copied_a_few_lines_a_turn(qtbot: QtBot, shown: Show) -> None:
    parts = tuple(ExplainedValue(name=f"x{one}", title="Part", unit="", value=float(one)) for one in range(2_000))
    panel = ExplainPanel()
    shown(panel)
    panel.show_explanation(ExplainedValue(name="x", title="Whole", unit="", value=1.0, inputs=parts))
    QGuiApplication.clipboard().setText("before")
    panel.copy_text()
    assert QGuiApplication.clipboard().text() == "before", "not in the turn that asks"
    qtbot.waitUntil(lambda: not panel.copying.isActive())
    lines = QGuiApplication.clipboard().text().splitlines()
    assert (len(lines), lines[0]) == (2_001, "Whole = 1")
    assert lines[-1].strip().startswith("X1999")


def test_names_are_measured_once_for_all_that_a_turn_opens(
    qtbot: QtBot, shown: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    value = ExplainedValue(name="x", title="Leaf", unit="", value=1.0)
    for level in range(3):
        value = ExplainedValue(name="x", title=f"Level {level}", unit="", value=1.0, inputs=(value,) * 8)
    panel, measured = ExplainPanel(), list[int]()
    shown(panel)
    widen = panel.tree.setColumnWidth

    def note(*column: int) -> None:
        measured.append(1)
        widen(*column)

    monkeypatch.setattr(panel.tree, "setColumnWidth", note)
    panel.show_explanation(value)
    assert len(measured) == 1, "nine lines were opened"
    turns = QTimer(interval=0)
    turns.timeout.connect(lambda: measured.append(-1))
    turns.start()
    panel.expand_all()
    qtbot.waitUntil(lambda: not panel.expanding.isActive())
    turns.stop()
    together = "".join("." if one < 0 else "m" for one in measured)
    assert "m" in together
    assert "mm" not in together


def test_markup_in_an_explanation_stays_text(shown: Show) -> None:
    panel = ExplainPanel()
    shown(panel)
    panel.show_explanation(ExplainedValue(name="x", title="<img src=x>", unit="", value="<b>y</b>", source="<a>"))
    root = panel.tree.topLevelItem(0)
    assert root is not None
    assert root.text(0) == "<img src=x>"
    assert "<img" not in root.toolTip(0)
    assert "&lt;a&gt;" in root.toolTip(2)


def test_long_text_is_cut_and_whole_in_the_tool_tip(qtbot: QtBot, shown: Show) -> None:
    label = ElidedLabel()
    shown(label)
    label.resize(60, 20)
    label.setText("Serve on 2 × H200 SXM per replica, FP8, TP 2")
    assert label.text() == "Serve on 2 × H200 SXM per replica, FP8, TP 2"
    assert label.toolTip() == label.text()
    assert label.shown_text().endswith("…")
    label.resize(600, 20)
    assert label.toolTip() == ""


@pytest.mark.parametrize("point_size", [9.0, 9.6, 10.0, 13.5])
def test_line_as_wide_as_it_asks_for_is_shown_whole(qtbot: QtBot, point_size: float) -> None:
    """Letters are no whole pixels wide: with widths rounded down the last of them were cut."""
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.setFont(typeface(point_size))
    for count in range(90, 130):
        label.setText(f"18,336 candidates in {count} ms  ·  evidence: calibrated  ·  prices up to 2026-10")
        label.resize(label.sizeHint())
        assert label.shown_text() == label.text()


def test_label_that_fills_its_width_moves_nothing_with_its_text(qtbot: QtBot, shown: Show) -> None:
    page = QWidget()
    following, filling = ElidedLabel(page), ElidedLabel(page)
    filling.fill_width()
    layout = QHBoxLayout(page)
    layout.addWidget(following)
    layout.addWidget(filling, 1)
    shown(page)
    asked = LayoutRequests(page)
    asked.count()
    filling.setText("TTFT p95 is 0.8 s at the planned rate")
    assert asked.count() == 0
    assert filling.shown_text() == filling.text()
    following.setText("Serving")
    assert asked.count() == 1
    following.keep_width()
    asked.count()
    following.setText("Serve")
    assert asked.count() == 0


class LayoutRequests(QObject):
    """Counts how often what stands in a widget was to be laid out anew."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__()
        self._seen = 0
        self._widget = widget
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        self._seen += event.type() == QEvent.Type.LayoutRequest
        return False

    def count(self) -> int:
        """Since this was asked last."""
        QCoreApplication.sendPostedEvents(self._widget, QEvent.Type.LayoutRequest.value)
        seen, self._seen = self._seen, 0
        return seen


def test_tool_tips_escape_what_looks_like_markup() -> None:
    assert plain_tool_tip("a < b & c") == "<span>a &lt; b &amp; c</span>"
    assert plain_tool_tip("plain") == "plain"


def test_verdict_is_read_whole_in_a_narrow_window(shown: Show, results: Results) -> None:
    bar = VerdictBar()
    shown(bar)
    bar.show_results(results)
    bar.resize(620, 300)
    lines = [line for line in bar.findChildren(LinesLabel) if line.isVisible()]
    assert any(len(line.lines()) > 1 for line in lines)
    assert [line.text() for line in lines if line.shown_text() != line.text()] == []


def test_a_second_verdict_that_is_good_takes_one_line_where_there_is_room(
    shown: Show, results: Results, qtbot: QtBot
) -> None:
    bar = VerdictBar()
    shown(bar)
    bar.show_results(results)
    first, second = (bar._lines[workload] for workload in ("serving", "training"))

    def is_beside() -> bool:
        headline, detail = second._headline.geometry(), second._detail.geometry()
        return detail.left() >= headline.right() and detail.top() < headline.bottom()

    bar.resize(1700, 300)
    qtbot.waitUntil(is_beside)
    assert first._detail.y() >= first._headline.geometry().bottom()
    cut = [line.text() for line in bar.findChildren(LinesLabel) if line.shown_text() != line.text()]
    assert cut == []
    brief = second.sizeHint().height()
    bar.resize(700, 300)
    qtbot.waitUntil(lambda: second._detail.y() >= second._headline.geometry().bottom())
    assert second.sizeHint().height() > brief


def test_a_second_verdict_with_bad_news_has_its_lines(shown: Show, results: Results, qtbot: QtBot) -> None:
    assert results.plan.training is not None
    table = results.plan.training.table
    late = msgspec.structs.replace(table, run_time_s=table.run_time_s * 1e6, meets_targets=np.zeros_like(table.fits))
    bad = synthetic.verdict("fails", 0.0, ("misses_targets",))
    plan = msgspec.structs.replace(
        results.plan, training=msgspec.structs.replace(results.plan.training, table=late),
        verdicts=msgspec.structs.replace(results.plan.verdicts, training=bad),
    )  # fmt: skip
    bar = VerdictBar()
    shown(bar)
    bar.resize(1600, 300)
    bar.show_results(replace(results, plan=plan))
    second = bar._lines["training"]
    qtbot.waitUntil(lambda: second._detail.y() >= second._headline.geometry().bottom() > 0)
    assert not second.is_brief
