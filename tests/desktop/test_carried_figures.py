"""A project that brings figures of its own: the window says so, marks the devices, plans with own ones at a click."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.window.file_messages import brings_figures_text
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.domain.estate import EstateHardware
from gpuplanner_gui.drawing import carried
from gpuplanner_gui.drawing.words.candidates import CARRIED_MARK, accelerator_of
from gpuplanner_gui.drawing.words.findings import all_findings
from gpuplanner_gui.engine.estate.draft import PriceTerms
from gpuplanner_gui.paths import resources_dir
from tests.conftest import SMALL_CHAT

RESULT_WAIT_MS = 60_000


@pytest.mark.slow
def test_false_figures_are_told_and_left_with_one_click(
    answered_window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    window = answered_window
    content = json.loads(SMALL_CHAT.read_bytes())
    for device in content["catalog"]["accelerators"]:
        device["memory_bandwidth_bytes_per_s"] *= 8
    content["headlines"] = []
    path = tmp_path / "lying.gpuplan"
    path.write_text(json.dumps(content), encoding="utf-8")
    assert window.file.open(path)

    def told() -> str:
        shown = window.messages.shown
        return shown.text() if shown is not None else ""

    qtbot.waitUntil(lambda: "uses its own figures" in told(), timeout=RESULT_WAIT_MS)
    assert recommended(window).endswith(CARRIED_MARK)
    qtbot.waitUntil(lambda: "Cost per month is" in told() and "with yours" in told(), timeout=RESULT_WAIT_MS)
    qtbot.mouseClick(window.messages.action, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not recommended(window).endswith(CARRIED_MARK), timeout=RESULT_WAIT_MS)
    assert window.store.project.catalog.accelerators == ()
    assert "uses its own figures" not in told()
    window.store.undo_stack.undo()
    qtbot.waitUntil(lambda: recommended(window).endswith(CARRIED_MARK), timeout=RESULT_WAIT_MS)
    qtbot.waitUntil(lambda: "uses its own figures" in told(), timeout=RESULT_WAIT_MS)
    assert window.messages.action.isVisible()
    window.store.undo_stack.redo()
    qtbot.waitUntil(lambda: not recommended(window).endswith(CARRIED_MARK), timeout=RESULT_WAIT_MS)
    assert "uses its own figures" not in told()
    window.store.undo_stack.setClean()


@pytest.mark.slow
def test_prices_of_an_estate_are_compared_beside_the_windows_thread(
    answered_window: MainWindow, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    compared_in: list[threading.Thread] = []
    known_unit = carried._known_unit

    def watched(unit: EstateHardware, terms: PriceTerms) -> EstateHardware | None:
        compared_in.append(threading.current_thread())
        return known_unit(unit, terms)

    monkeypatch.setattr(carried, "_known_unit", watched)
    with qtbot.waitSignal(answered_window.compute.completed, timeout=RESULT_WAIT_MS):
        assert answered_window.file.open(resources_dir() / "examples" / "estate-12-quarters.gpuplan")
    assert answered_window.compute.results is not None
    all_findings(answered_window.compute.results)
    assert compared_in
    assert threading.main_thread() not in compared_in
    answered_window.store.undo_stack.setClean()


def test_a_mark_is_spoken_of_where_devices_bear_it() -> None:
    assert "†" in brings_figures_text(2, ())
    assert "†" not in brings_figures_text(2, (), is_marked=False), "an estate's prices and models bear none"


def recommended(window: MainWindow) -> str:
    results = window.compute.results
    assert results is not None
    assert results.plan.serving is not None
    return accelerator_of(results.plan, results.catalog, results.plan.serving.table, results.plan.serving.best)
