"""No page of the window contradicts the verdict: every chance, level and stress test on screen is the verdict's own."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import QModelIndex, QSettings, Qt
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QLabel, QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.pages.plot_view import PlotView
from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
from gpuplanner_gui.desktop.tasks.runner import TaskRunner
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.domain.verdict import LEVELS, Verdict, Verdicts
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.words.verdict_level import chance_text
from tests.identifiers import identifiers_in

ROOT = Path(__file__).parent.parent.parent
FILES = sorted(
    [*(ROOT / "resources/examples").glob("*.gpuplan"), *(ROOT / "tests/cases").glob("*.gpuplan")],
    key=lambda one: one.stem,
)
USUAL = frozenset(("t11-both",))
"""Project of every run; `make test-deep` walks all."""
WALKED = [path for path in FILES if path.stem in USUAL or "GPUPLANNER_DEEP" in os.environ]
WAIT_MS = 300_000
UNCONDITIONAL = re.compile(r"[Mm]eets every target|\bReady\b|Not ready")
CHANCE = re.compile(r"((?:over |under )?[^\s(]+ %) chance of meeting (?:every target|the deadline|the budget)")
WORDS = "Holds|Likely|Uncertain|Fails"
LEVEL = re.compile(
    rf"\b({WORDS}) \((?:over |under )?\S+ % chance\)|^(?:Together it )?(?:is )?({WORDS})(?: at best)?[:.,]",
    re.IGNORECASE,
)
LEVEL_NAMES = {"holds": "holds", "likely": "likely", "open": "uncertain", "fails": "fails"}
CHANCE_ROW = "Chance of meeting every target"
TESTS = re.compile(r"All \d+ stress tests passed|\d+ of \d+ stress tests failed")


@pytest.fixture
def window(qtbot: QtBot, settings: QSettings, engine: ShippedEngine, user_home: Path) -> Iterator[MainWindow]:
    made = MainWindow(lambda: engine, settings)
    made.resize(1280, 800)
    made.show()
    made.build_results()
    made.compute.start()
    yield made
    made.store.undo_stack.setClean()
    made.close()
    made.deleteLater()


@pytest.mark.parametrize("file", WALKED, ids=lambda one: one.stem)
def test_no_page_says_another_verdict(file: Path, window: MainWindow, qtbot: QtBot) -> None:
    settled: list[Results] = []
    window.compute.settled.connect(settled.append)
    window.commands.open_path(file)
    qtbot.waitUntil(lambda: bool(settled) and is_idle(window), timeout=WAIT_MS)
    pane = window.results_pane
    assert pane is not None
    seen, told = {}, set[str]()
    for page in pane.page_names():
        pane.show_page_named(page)
        qtbot.waitUntil(lambda: is_idle(window), timeout=WAIT_MS)
        seen[page] = list(texts_of(window))
        told.update(tips_of(window))
    plan = settled[-1].plan
    assert plan.verdicts is not None
    other_scenarios = len(settled[-1].project.scenarios) > 1
    wrong = {
        (page, text) for page, texts in seen.items() for text in texts
        if UNCONDITIONAL.search(text) or contradicts(text, plan.verdicts, other_scenarios)
    }  # fmt: skip
    assert wrong == set()
    said = " ".join(text for texts in seen.values() for text in texts)
    assert identifiers_in(said) == set()
    assert len(told) > 100
    assert {one for one in told if identifiers_in(one)} == set()
    assert CHANCE.search(said) or plan.verdicts.both.level == "fails"
    for one in TESTS.finditer(said) if plan.stress is not None else ():
        assert one[0].startswith("All") == plan.stress.passes


def contradicts(text: str, verdicts: Verdicts, has_others: bool) -> bool:
    """Whether a text tells a chance or a level that none of the verdicts has."""
    known = [one for one in (verdicts.serving, verdicts.training, verdicts.both) if one is not None]
    chances = {chance_text(one.chance) for one in known}
    levels = {LEVEL_NAMES[one.level] for one in known}
    if has_others and " (" in text:
        return False  # Cells of the comparison tell of other scenarios, too.
    if any(one[1] not in chances for one in CHANCE.finditer(text)):
        return True
    if CHANCE_ROW in text and (told := re.search(r"(?:over |under )?\S+ %", text)) and told[0] not in chances:
        return True
    return any((one[1] or one[2]).lower() not in levels for one in LEVEL.finditer(text))


def is_idle(window: MainWindow) -> bool:
    return not any(one.is_running for one in window.findChildren(TaskRunner))


def texts_of(window: MainWindow) -> Iterator[str]:
    """What the page in front and the bars around it say: labels, cells row by row, plots and their numbers."""
    yield window.verdict.accessibleDescription()
    for widget in window.findChildren(QWidget):
        if not widget.isVisible():
            continue
        match widget:
            case QLabel():
                yield re.sub(r"<[^>]+>", " ", widget.text()).strip()
            case QAbstractItemView() if widget.model() is not None:
                yield from rows_of(widget)
            case PlotView():
                yield from (widget.plot.title, widget.plot.message)
                yield from (" | ".join(str(cell) for cell in row) for row in widget.plot.as_rows().cells)


def tips_of(window: MainWindow) -> Iterator[str]:
    """What is told at the pointer, to a screen reader and on whatever can be pressed."""
    for widget in window.findChildren(QWidget):
        if widget.isVisible():
            told = (widget.toolTip(), widget.whatsThis(), widget.accessibleName(), widget.accessibleDescription())
            yield from (re.sub(r"<[^>]+>", " ", one) for one in told)
        if isinstance(widget, QAbstractButton):
            yield widget.text()
        if isinstance(widget, QAbstractItemView) and widget.isVisible() and widget.model() is not None:
            model, role = widget.model(), Qt.ItemDataRole.ToolTipRole
            for column in range(model.columnCount(QModelIndex())):
                yield str(model.headerData(column, Qt.Orientation.Horizontal))
                yield str(model.headerData(column, Qt.Orientation.Horizontal, role))
                yield from (str(model.index(row, column).data(role)) for row in range(min(model.rowCount(), 50)))


def rows_of(view: QAbstractItemView) -> Iterator[str]:
    model = view.model()
    for row in range(min(model.rowCount(QModelIndex()), 200)):
        cells = (
            model.data(model.index(row, column), Qt.ItemDataRole.DisplayRole)
            for column in range(model.columnCount(QModelIndex()))
        )
        yield " | ".join(str(cell) for cell in cells if cell is not None)


def test_a_text_that_tells_another_chance_or_level_is_found(engine: ShippedEngine) -> None:
    one = Verdict(
        level="open", chance=0.42, confidence=0.8, weakest="", weakest_chance=0.4, reasons=(), evidence_kind="own",
        raised_by=None, measured=None,
    )  # fmt: skip
    known = Verdicts(serving=one, training=None, both=one)
    assert not contradicts("Uncertain: 42 % chance of meeting every target.", known, False)
    assert contradicts("Uncertain: 43 % chance of meeting every target.", known, False)
    assert contradicts("Likely: 42 % chance of meeting every target.", known, False)
    assert contradicts("Likely at best: 42 % chance of meeting every target, but a finding is serious.", known, False)
    assert contradicts("Likely (42 % chance)", known, False)
    holds = Verdicts(serving=msgspec.structs.replace(one, level="holds"), training=None, both=one)
    assert contradicts(
        "Uncertain: 42 % chance of meeting every target.", msgspec.structs.replace(holds, both=holds.serving), False
    )
    assert contradicts(f"Serving: {CHANCE_ROW} | 90 %", known, False)
    assert set(LEVEL_NAMES) == set(LEVELS)
