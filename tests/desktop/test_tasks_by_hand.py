"""Three tasks of a buyer, with real clicks and keys, and no more of them than a hurried person has patience for."""

from __future__ import annotations

from pathlib import Path

import pytest
from pypdf import PdfReader
from PySide6.QtCore import QSettings, Qt
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
from gpuplanner_gui.desktop.window.guided_start import GuidedStart
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.engine.decision import doors
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.paths import resources_dir
from tests.desktop.person import RESULT_WAIT_MS, Person

CONFIG = Path(__file__).resolve().parents[1] / "files" / "model_import" / "configs" / "llama-3.1-70b.json"
MAILED = resources_dir() / "examples" / "70b-chat.gpuplan"


@pytest.fixture
def person(qtbot: QtBot, settings: QSettings, user_home: Path) -> Person:
    window = MainWindow(ShippedEngine, settings)
    qtbot.addWidget(window, before_close_func=lambda it: it.store.undo_stack.setClean())
    window.resize(1280, 720)
    window.show()
    window.workspace.show_start_page()
    window.build_results()
    window.compute.start()
    qtbot.waitUntil(lambda: window.surroundings.catalog is not None, timeout=RESULT_WAIT_MS)
    return Person(window, qtbot)


def first_page(path: Path) -> str:
    return PdfReader(path).pages[0].extract_text()


def test_own_rent_or_spot_for_a_board_from_a_mailed_file(
    person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    person.picks(MAILED, monkeypatch)
    person.press("Open a project…")
    person.wait_for_the_answer()
    person.press("Money and risk")
    person.open_page("Order")
    person.export_pdf(tmp_path / "board.pdf", monkeypatch)
    board = first_page(tmp_path / "board.pdf")
    assert "Rent 20 × Instinct MI300X by the hour from" in board
    assert "every target" in board
    for way in ("Rent by the hour", "Rent spot capacity", "Own", "autoscaled"):
        assert way in board
    assert "Spot can be interrupted; this workload must not be." in board
    assert len(person.actions) <= 15, person.actions


def test_a_service_on_licensed_devices_of_its_own_as_a_pdf(
    person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    person.picks(CONFIG, monkeypatch)
    person.press("Plan a model's config.json…")
    person.go_to("Serving")
    person.fill_in("Peak rate", "40")
    person.go_to("Hardware")
    person.go_to("Money")
    person.choose("Serving fleet", "Own")
    person.wait_for_the_answer()
    scenario = person.window.store.scenario
    assert scenario is not None
    assert scenario.hardware.licensed_for_data_centres, "as it is proposed"
    assert scenario.economics.serving_procurement == "own"
    person.export_pdf(tmp_path / "own.pdf", monkeypatch)
    board = first_page(tmp_path / "own.pdf")
    assert "Buy " in board
    assert "Nodes or racks, as sold" in board
    assert len(person.actions) <= 15, person.actions


def test_a_run_on_64_own_h100_by_a_date(person: Person) -> None:
    person.press("Guided start…")
    start = person.window.findChild(GuidedStart)
    assert start is not None
    person.qtbot.waitExposed(start)
    person.press("Pretrain it", start)
    person.press("Next >", start)
    person.wait_for_a_field()
    person.type("100 B")
    person.fill_in("Deadline", "2027-01-10", start, has_enter=False)
    person.press("Next >", start)
    person.wait_for_a_field()
    person.type("64")
    person.press("Which device…", start)
    person.wait_for_a_field()
    person.type("H100 SXM")
    person.key(Qt.Key.Key_Return)
    person.press("Plan it", start)
    person.wait_for_the_answer()
    scenario = person.window.store.scenario
    assert scenario is not None
    assert scenario.training is not None
    assert scenario.training.tokens == 100e9
    assert scenario.training.deadline_s is not None
    assert [(one.accelerator, one.devices) for one in scenario.hardware.owned] == [("nvidia-h100-sxm-80gb", 64)]
    assert scenario.economics.training_procurement == "own"
    assert "Train on" in person.reads()
    results = person.window.compute.results
    found = doors.ownership(scenario, results.catalog, load_calibration(), results.plan)
    assert found["training"].order.devices == 0, "what is there already is not bought again"
    assert len(person.actions) <= 12, person.actions
