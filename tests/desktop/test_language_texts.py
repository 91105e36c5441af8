"""After a switch to Chinese only what has no translation is an English sentence; after one back nothing is Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QTableView, QTreeWidget, QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.dialogs.methods import AboutDialog
from gpuplanner_gui.desktop.editors.base import PARTS, SCENARIO_PART
from gpuplanner_gui.desktop.window.guided_start import GuidedStart
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.desktop.window.preferences import PreferencesDialog
from gpuplanner_gui.desktop.window.windows import Windows
from gpuplanner_gui.drawing.language import ENGLISH
from gpuplanner_gui.drawing.translations import LANGUAGES
from tests.desktop.language_switch import change_language, open_example
from tests.desktop.test_pseudo_language import names_from_data, texts_of
from tests.untranslated import without_untranslated

CHINESE = "zh_TW"
SENTENCE = re.compile(r"[A-Za-z][a-z]{2,}(?: [a-z]{2,})+")
"""Words of small letters in a row: no abbreviation, name or unit is written so."""
IDEOGRAPH = re.compile(r"[\u4e00-\u9fff]")
NAMES = {"token", "say", "Customer", "Use of", "Software", "section"}
"""Words of names in the catalogue that are too short for its list, and of a licence."""
COMMANDS = ("vllm ", "python ", "trtllm-bench ")
FROM_OUTSIDE = ("QuietDock/", "QDialogButtonBox/", "QTabBar/", "DeployDialog/", "QWidget/QPushButton")
"""Qt's own words, which Qt translates where it has them (the last are a wizard's buttons), and command lines."""

pytestmark = pytest.mark.usefixtures("english_afterwards")


@pytest.fixture
def windows(windows: Windows, qtbot: QtBot) -> Windows:
    window = open_example(windows, qtbot)
    window.store.edit("serving.classes[0].peak_rate_per_s", 15.0, "edit")
    return windows


def shown_cells(root: QWidget) -> Iterator[tuple[str, str]]:
    """Texts of tables and of the panel that says why, and what fields hold."""
    for widget in root.findChildren(QWidget):
        who = f"{type(widget.parent()).__name__}/{type(widget).__name__}"
        if isinstance(widget, QTableView) and widget.model() is not None:
            model = widget.model()
            for row in range(min(model.rowCount(), 20)):
                for column in range(model.columnCount()):
                    yield who, str(model.index(row, column).data() or "")
        elif isinstance(widget, QTreeWidget) and widget.objectName() != "projectTree":
            for place in range(widget.topLevelItemCount()):
                yield who, widget.topLevelItem(place).text(0)
        elif isinstance(widget, QLineEdit):
            yield who, widget.text()


def all_texts(window: MainWindow, qtbot: QtBot) -> dict[str, str]:
    """Every text of every page, part and dialog, with who shows it."""
    pane = window.results_pane
    assert pane is not None
    for part in (*PARTS, SCENARIO_PART):
        window.inputs.show_part(part)
    window.desk.open_explanation()
    found: dict[str, str] = {}
    for page in pane.page_names():
        pane.show_page_named(page)
        qtbot.wait(700)
        found |= {text: who for who, text in (*texts_of(window), *shown_cells(window))}
    roots = [
        AboutDialog(window),
        GuidedStart(window.surroundings, window),
        PreferencesDialog(window.settings, window.appearance, window),
    ]
    for root in roots:
        found |= {text: who for who, text in (*texts_of(root), *shown_cells(root))}
    notes = {box.toPlainText() for box in window.findChildren(QPlainTextEdit)}
    return {text: who for text, who in found.items() if text not in notes}


@pytest.mark.deep
def test_no_sentence_that_is_translated_stays_in_the_language_before(windows: Windows, qtbot: QtBot) -> None:
    data = " ".join(names_from_data() | NAMES)
    texts = all_texts(change_language(windows, CHINESE, qtbot), qtbot)
    english = {
        text: who
        for text, who in texts.items()
        if any(
            word not in data for part in SENTENCE.findall(without_untranslated(text, CHINESE)) for word in part.split()
        )
        and not any(name in who for name in FROM_OUTSIDE)
        and not text.startswith(COMMANDS)
    }

    assert english == {}
    texts = all_texts(change_language(windows, ENGLISH, qtbot), qtbot)
    own_names = set(LANGUAGES.values())
    assert {text: who for text, who in texts.items() if IDEOGRAPH.search(text) and text not in own_names} == {}
