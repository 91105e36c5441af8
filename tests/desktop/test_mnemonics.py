"""Letters to be pressed with Alt: in a menu, a dialog and a page each stands once, in every language."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QAbstractButton, QLabel, QMenu, QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.editors.base import PARTS
from gpuplanner_gui.desktop.window.guided_start import GuidedStart
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.desktop.window.preferences import PreferencesDialog
from gpuplanner_gui.drawing.translations import LANGUAGES, use_language

_LETTER = re.compile(r"(?<!&)&(?P<letter>[^&\s])")


@pytest.fixture(params=LANGUAGES)
def window(request: pytest.FixtureRequest, settings: QSettings, qtbot: QtBot) -> Iterator[MainWindow]:
    use_language(request.param)
    made = MainWindow(settings=settings)
    qtbot.addWidget(made, before_close_func=lambda window: window.store.undo_stack.setClean())
    made.show()
    made.build_results()
    yield made
    use_language("en")


def twice(texts: list[str]) -> list[str]:
    """Those whose letter another one has too."""
    letters = {text: found["letter"].casefold() for text in texts if (found := _LETTER.search(text))}
    counted = Counter(letters.values())
    return sorted(text for text, letter in letters.items() if counted[letter] > 1)


def texts_on(root: QWidget) -> list[str]:
    found: list[QAbstractButton | QLabel] = [*root.findChildren(QAbstractButton)]
    found += [*(one for one in root.findChildren(QLabel) if one.buddy())]
    return [one.text() for one in found if one.isVisibleTo(root)]


def test_menus_have_each_letter_once(window: MainWindow) -> None:
    menus = list(window.menus.menus.values())
    titles = [action.text() for action in window.menuBar().actions()]
    assert len(titles) >= 7
    assert twice(titles) == []
    for menu in menus:
        menu.aboutToShow.emit()
        assert isinstance(menu, QMenu)
        assert twice([action.text() for action in menu.actions() if action.isVisible()]) == [], menu.title()


def test_the_window_and_its_dialogs_have_each_letter_once(window: MainWindow) -> None:
    bar = [action.text() for action in window.menuBar().actions()]
    window.desk.open_explanation()
    for part in PARTS:
        window.inputs.show_part(part)
        assert twice([*bar, *texts_on(window)]) == [], part.words
    window.workspace.show_start_page()
    assert twice([*bar, *texts_on(window)]) == []
    for dialog in (
        PreferencesDialog(window.settings, window.appearance, window),
        GuidedStart(window.surroundings, window),
    ):
        dialog.show()
        assert any(_LETTER.search(text) for text in texts_on(dialog))
        assert twice(texts_on(dialog)) == []
        dialog.close()
