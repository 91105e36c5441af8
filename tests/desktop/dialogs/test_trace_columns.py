"""Columns of a trace are chosen in the window where its headings do not say what they hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.dialogs.measurement_columns import TraceColumnsDialog
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.traces import ColumnNames, UnknownColumns, head_of, read_trace

TABLE = 'when;Words in;Words out;user\n0;100;20;a\n1500;"300";40;b\n'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "gateway.csv"
    place.write_text(TABLE, encoding="utf-8")
    return place


@pytest.fixture
def dialog(qtbot: QtBot, path: Path) -> TraceColumnsDialog:
    made = TraceColumnsDialog(head_of(path))
    qtbot.addWidget(made, before_close_func=lambda it: it.done(0))
    made.show()
    return made


def choose(dialog: TraceColumnsDialog, **headings: str) -> None:
    for part, heading in headings.items():
        box = dialog.choices[part]
        box.setCurrentIndex(box.findData(heading))


def test_unknown_headings_are_told_apart_from_files_that_are_no_use(path: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownColumns):
        read_trace(path)
    empty = tmp_path / "empty.csv"
    empty.write_text("", encoding="utf-8")
    with pytest.raises(FileProblem) as raised:
        head_of(empty)
    assert not isinstance(raised.value, UnknownColumns)


def test_the_head_shows_the_first_rows(path: Path) -> None:
    head = head_of(path)
    assert head.headings == ("when", "words in", "words out", "user")
    assert head.rows == (("0", "100", "20", "a"), ("1500", "300", "40", "b"))


def test_import_waits_for_three_different_columns(dialog: TraceColumnsDialog) -> None:
    assert not dialog.import_button.isEnabled()
    assert "Time of the request" in dialog.problem.text()
    choose(dialog, time="when", prompt="words in", output="words in")
    assert not dialog.import_button.isEnabled()
    assert "the same column" in dialog.problem.text()
    choose(dialog, output="words out")
    assert dialog.import_button.isEnabled()
    assert dialog.problem.text() == ""


def test_what_is_chosen_reads_the_trace(dialog: TraceColumnsDialog, path: Path, qtbot: QtBot) -> None:
    choose(dialog, time="when", prompt="words in", output="words out", session="user")
    dialog.unit.setCurrentIndex(dialog.unit.findData("ms"))
    chosen: list[ColumnNames] = []
    dialog.chosen.connect(chosen.append)
    dialog.import_button.click()
    assert len(chosen) == 1
    trace = read_trace(path, chosen[0])
    assert list(trace.prompt_tokens) == [100, 300]
    assert trace.arrival_s[-1] - trace.arrival_s[0] == pytest.approx(1.5)


def test_usual_headings_are_chosen_beforehand(qtbot: QtBot, tmp_path: Path) -> None:
    place = tmp_path / "half.csv"
    place.write_text("timestamp,input_tokens,reply\n1,2,3\n", encoding="utf-8")
    made = TraceColumnsDialog(head_of(place))
    qtbot.addWidget(made, before_close_func=lambda it: it.done(0))
    assert made.choices["time"].currentData() == "timestamp"
    assert made.choices["prompt"].currentData() == "input_tokens"
    assert made.choices["output"].currentData() == ""
