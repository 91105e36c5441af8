"""What the planner is asked before a report: only what there is to choose."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.dialogs.deploy import ReportContents, ReportDialog


def made(qtbot: QtBot, names: tuple[str, ...], selected: dict[str, int]) -> ReportDialog:
    dialog = ReportDialog(names, 0, selected, "8 × H200")
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def test_all_scenarios_and_recommended_candidates_unless_chosen(qtbot: QtBot) -> None:
    dialog = made(qtbot, ("a", "b", "c"), {"serving": 7})
    assert dialog.contents == ReportContents((0, 1, 2))
    dialog.scenarios.item(1).setCheckState(Qt.CheckState.Unchecked)
    dialog.chosen.setChecked(True)
    assert dialog.contents == ReportContents((0, 2), {"serving": 7})


def test_candidates_of_a_scenario_left_out_cannot_be_chosen(qtbot: QtBot) -> None:
    dialog = made(qtbot, ("a", "b"), {"serving": 7})
    dialog.chosen.setChecked(True)
    dialog.scenarios.item(0).setCheckState(Qt.CheckState.Unchecked)
    assert not dialog.chosen.isEnabled()
    assert dialog.contents == ReportContents((1,))
    dialog.scenarios.item(1).setCheckState(Qt.CheckState.Unchecked)
    assert not dialog.buttons.button(QDialogButtonBox.StandardButton.Ok).isEnabled()


def test_nothing_is_shown_that_is_no_choice(qtbot: QtBot) -> None:
    alone = made(qtbot, ("a",), {"serving": 7})
    assert not alone.scenarios.isVisible()
    assert alone.chosen.isVisible()
    several = made(qtbot, ("a", "b"), {})
    assert several.scenarios.isVisible()
    assert not several.chosen.isVisible()


def test_an_estate_is_offered_where_there_is_one_and_pinned_candidates_are_ticked(qtbot: QtBot) -> None:
    dialog = ReportDialog(("a",), 0, {}, "", has_estate=False)
    qtbot.addWidget(dialog)
    titles = [dialog.sections.item(row).text() for row in range(dialog.sections.count())]
    assert "Estate" not in titles
    assert dialog.contents.subjects is None
    last = dialog.sections.item(dialog.sections.count() - 1)
    dialog.show()
    assert dialog.sections.viewport().rect().contains(dialog.sections.visualItemRect(last)), "the last section is cut"
    pinned = ReportDialog(("a",), 0, {}, "", has_pinned=True)
    qtbot.addWidget(pinned)
    assert "candidates" in (pinned.contents.subjects or ())


def test_long_names_are_shown_whole(qtbot: QtBot) -> None:
    which = "8 × Instinct MI300X OAM with 192 GB, 16 × GB300 NVL72 with Grace, and 128 × H200 SXM & more"
    dialog = ReportDialog(("a", "b"), 0, {"serving": 7}, which)
    qtbot.addWidget(dialog)
    dialog.show()
    assert " ".join(dialog.chosen.text().split()).endswith(which.replace("&", "&&"))
    for button in (dialog.recommended, dialog.chosen):
        assert button.width() >= button.sizeHint().width()
        assert button.height() >= button.sizeHint().height()
        assert button.geometry().right() < dialog.width()


def test_sections_are_chosen_and_the_selected_one_is_previewed(qtbot: QtBot) -> None:
    asked: list[str] = []

    def preview(subject: str) -> str:
        asked.append(subject)
        return f"<p>about {subject}</p>"

    dialog = ReportDialog(("a",), 0, {}, "", None, preview)
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.contents.subjects is None
    for row in range(dialog.sections.count()):
        dialog.sections.item(row).setCheckState(Qt.CheckState.Unchecked)
    assert not dialog.buttons.button(QDialogButtonBox.StandardButton.Ok).isEnabled()
    dialog.sections.item(0).setCheckState(Qt.CheckState.Checked)
    assert dialog.contents.subjects == ("board",)
    assert dialog.buttons.button(QDialogButtonBox.StandardButton.Ok).isEnabled()
    rect = dialog.sections.visualItemRect(dialog.sections.item(2))
    qtbot.mouseClick(dialog.sections.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
    assert asked == ["estate"]
    assert dialog.preview.toPlainText() == "about estate"
