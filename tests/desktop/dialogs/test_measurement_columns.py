"""What the columns of a table of measurements hold is said in the window where its headings do not."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.dialogs.measurement_columns import (
    FIELDS,
    STATISTICS,
    UNITS,
    MeasurementColumnsDialog,
    TraceColumnsDialog,
)
from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.domain.measurement import QUANTITIES
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.measurements import UnknownHeadings, import_file
from gpuplanner_gui.files.measurements.table import table_head
from gpuplanner_gui.files.traces import head_of

TABLE = "Karte;Erstes Token p95;Je Token;Nutzer\nH100;120,5;14,1;16\nH100;180,5;17,2;32\n"
WAIT_MS = 30_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "lab.csv"
    place.write_text(TABLE, encoding="utf-8")
    return place


@pytest.fixture
def dialog(qtbot: QtBot) -> MeasurementColumnsDialog:
    head = table_head(TABLE)
    assert head is not None
    made = MeasurementColumnsDialog("lab.csv", head)
    qtbot.addWidget(made, before_close_func=lambda it: it.done(0))
    made.show()
    return made


def choose(box: QComboBox, data: str) -> None:
    assert box.findData(data) >= 0, data
    box.setCurrentIndex(box.findData(data))


def test_headings_that_say_nothing_are_told_from_what_is_no_table(path: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownHeadings, match="--columns"):
        import_file(path)
    prose = tmp_path / "letter.txt"
    prose.write_text("Dear all, this is prose\nwith one, two commas, and no table\n", encoding="utf-8")
    with pytest.raises(FileProblem) as raised:
        import_file(prose)
    assert not isinstance(raised.value, UnknownHeadings)


def test_nothing_is_imported_before_a_figure_is_chosen(dialog: MeasurementColumnsDialog) -> None:
    assert not dialog.import_button.isEnabled()
    assert "at least one column" in dialog.problem.text()
    choose(dialog.holds[1], "ttft")
    assert dialog.import_button.isEnabled()
    assert dialog.problem.text() == ""


def test_statistic_and_unit_are_asked_of_figures_alone(dialog: MeasurementColumnsDialog) -> None:
    choose(dialog.holds[0], "accelerator")
    choose(dialog.holds[1], "ttft")
    assert not dialog.statistics[0].isVisible()
    assert not dialog.units[0].isVisible()
    assert dialog.units[1].isVisible()
    assert dialog.statistics[1].currentData() == "p95", "the heading says it"
    assert [dialog.units[1].itemData(place) for place in range(dialog.units[1].count())] == ["ms", "s", "us", "ns"]


def test_two_columns_can_not_hold_the_same(dialog: MeasurementColumnsDialog) -> None:
    choose(dialog.holds[1], "ttft")
    choose(dialog.holds[2], "ttft")
    assert dialog.import_button.isEnabled(), "one is the 95th percentile, the other the mean"
    choose(dialog.statistics[2], "p95")
    assert not dialog.import_button.isEnabled()
    assert "cannot both be TTFT" in dialog.problem.text()


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_every_choice_is_read_as_what_it_says(tmp_path: Path, quantity: str) -> None:
    for unit in UNITS.get(QUANTITIES[quantity].unit, ("",)):
        for statistic in STATISTICS:
            meaning = "_".join(filter(None, (quantity, statistic, unit)))
            place = tmp_path / "one.csv"
            place.write_text("Was,Wo\n2,x\n")
            (figure,) = import_file(place, {meaning: "Was"}).measurements[0].figures
            assert (figure.quantity, figure.statistic) == (quantity, statistic)
            assert figure.value == 2 or unit


@pytest.mark.parametrize("field", FIELDS)
def test_every_part_of_the_context_can_be_chosen(tmp_path: Path, field: str) -> None:
    place = tmp_path / "one.csv"
    place.write_text(f"Was,Wo\n2,{'batch' if field == 'load' else 7}\n")
    context = import_file(place, {"ttft_ms": "Was", field: "Wo"}).measurements[0].context
    name = f"{field}_as_written" if field in ("model", "accelerator") else field
    assert getattr(context, name)


@pytest.fixture
def window(qtbot: QtBot, settings: QSettings, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    made = MainWindow(ShippedEngine, settings)
    qtbot.addWidget(made, before_close_func=lambda window: window.store.undo_stack.setClean())
    # Nobody is there to answer whether to save.
    monkeypatch.setattr(made.file, "may_leave", lambda: True)
    with qtbot.waitSignal(made.compute.catalog_ready, timeout=WAIT_MS):
        made.compute.start()
    made.show()
    return made


def opened_dialog(window: MainWindow, qtbot: QtBot) -> MeasurementColumnsDialog:
    qtbot.waitUntil(lambda: bool(window.findChildren(MeasurementColumnsDialog)), timeout=WAIT_MS)
    return window.findChildren(MeasurementColumnsDialog)[0]


def test_a_table_is_imported_as_its_reader_says(window: MainWindow, path: Path, qtbot: QtBot) -> None:
    window.calibrate.read(path)
    dialog = opened_dialog(window, qtbot)
    assert "lab.csv" in dialog.findChildren(type(dialog.problem))[0].text()
    for place, data in enumerate(("accelerator", "ttft", "tpot", "concurrency")):
        choose(dialog.holds[place], data)
    with qtbot.waitSignal(window.store.project_changed, timeout=WAIT_MS):
        qtbot.mouseClick(dialog.import_button, Qt.MouseButton.LeftButton)
    first, second = window.store.project.measurements[0].measurements
    assert [(one.quantity, one.statistic, round(one.value, 6)) for one in first.figures] == [
        ("ttft", "p95", 0.1205), ("tpot", "mean", 0.0141),
    ]  # fmt: skip
    assert (second.context.accelerator, second.context.concurrency) == ("nvidia-h100-sxm-80gb", 32.0)


def test_what_is_taken_for_traffic_can_be_said_to_be_measurements(window: MainWindow, path: Path, qtbot: QtBot) -> None:
    window.load._ask_for_columns(head_of(path))
    (traffic,) = window.findChildren(TraceColumnsDialog)
    qtbot.mouseClick(traffic.measurements_button, Qt.MouseButton.LeftButton)
    opened_dialog(window, qtbot).reject()
    assert window.store.project.measurements == ()


def test_the_keyboard_goes_through_the_choices_row_by_row(dialog: MeasurementColumnsDialog, qtbot: QtBot) -> None:
    qtbot.waitUntil(dialog.holds[0].hasFocus)
    qtbot.keyClick(dialog.holds[0], Qt.Key.Key_Down)
    qtbot.keyClick(dialog.holds[0], Qt.Key.Key_Tab)
    assert dialog.statistics[0].hasFocus()
    qtbot.keyClick(dialog.statistics[0], Qt.Key.Key_Tab)
    qtbot.keyClick(dialog.units[0], Qt.Key.Key_Tab)
    assert dialog.holds[1].hasFocus()


def test_no_unit_is_cut(dialog: MeasurementColumnsDialog) -> None:
    for quantity in QUANTITIES:
        choose(dialog.holds[0], quantity)
        assert dialog.units[0].width() >= dialog.units[0].sizeHint().width(), quantity
