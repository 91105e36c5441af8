from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QColor, QFontInfo, QFontMetrics, QHelpEvent, QPalette
from PySide6.QtWidgets import QApplication, QComboBox, QMenu, QPushButton, QToolButton, QToolTip
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.editors.base import PARTS, SCENARIO_PART, ValueEditor
from gpuplanner_gui.desktop.editors.struct_form import FormSection
from gpuplanner_gui.desktop.widgets import theme
from gpuplanner_gui.desktop.widgets.theme import icon
from gpuplanner_gui.desktop.window.actions import MENUS, MenuCommand
from gpuplanner_gui.drawing.application import FONT_FAMILY

ROLES = (
    (QPalette.ColorRole.WindowText, QPalette.ColorRole.Window),
    (QPalette.ColorRole.Text, QPalette.ColorRole.Base),
    (QPalette.ColorRole.ButtonText, QPalette.ColorRole.Button),
    (QPalette.ColorRole.HighlightedText, QPalette.ColorRole.Highlight),
    (QPalette.ColorRole.PlaceholderText, QPalette.ColorRole.Base),
    (QPalette.ColorRole.ToolTipText, QPalette.ColorRole.ToolTipBase),
)


@pytest.fixture
def restored_theme(qapp: QApplication) -> Iterator[None]:
    yield
    theme.apply_theme(qapp, theme.ThemeChoice.LIGHT)


def luminance(colour: QColor) -> float:
    """Relative luminance by WCAG 2.1."""
    parts = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (colour.redF(), colour.greenF(), colour.blueF())
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one: QColor, other: QColor) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("is_dark", [False, True])
def test_text_stands_out_from_its_ground(is_dark: bool) -> None:
    palette = theme.palette_of(is_dark)
    for text, ground in ROLES:
        assert contrast(palette.color(text), palette.color(ground)) >= 4.5, (text, ground)


@pytest.mark.parametrize("mode", [theme.ThemeChoice.LIGHT, theme.ThemeChoice.DARK])
def test_icon_of_the_chosen_row_of_a_menu_stands_out(
    mode: theme.ThemeChoice, qapp: QApplication, qtbot: QtBot, restored_theme: None
) -> None:
    theme.apply_theme(qapp, mode)
    menu = QMenu()
    qtbot.addWidget(menu)
    action = menu.addAction(icon("new"), "New")
    menu.addAction("Other")
    menu.popup(QPoint(0, 0))
    menu.setActiveAction(action)
    row = menu.actionGeometry(action)
    picture = menu.grab(row).toImage()
    ground = picture.pixelColor(row.width() - 4, row.height() // 2)
    other = menu.grab(menu.actionGeometry(menu.actions()[1])).toImage()
    assert ground != other.pixelColor(row.width() - 4, row.height() // 2), "the row is seen to be chosen"
    dots = [picture.pixelColor(x, y) for x in range(2, 22) for y in range(2, row.height() - 2)]
    assert max(contrast(dot, ground) for dot in dots) >= 4.5
    menu.close()


@pytest.mark.parametrize("is_dark", [False, True])
@pytest.mark.parametrize("ground", [theme.NOTE_GROUND, theme.WARNING_GROUND, theme.ERROR_GROUND])
def test_messages_can_be_read(is_dark: bool, ground: dict[str, str]) -> None:
    palette = theme.palette_of(is_dark)
    text = palette.color(QPalette.ColorRole.WindowText)
    assert contrast(text, theme.tone(ground, palette)) >= 4.5
    assert contrast(theme.tone(theme.ERROR, palette), palette.color(QPalette.ColorRole.Window)) >= 4.5


@pytest.mark.usefixtures("restored_theme")
@pytest.mark.parametrize("chosen", [theme.ThemeChoice.LIGHT, theme.ThemeChoice.DARK])
def test_a_tool_tip_can_be_read_as_it_is_painted(qapp: QApplication, qtbot: QtBot, chosen: theme.ThemeChoice) -> None:
    theme.apply_theme(qapp, chosen)
    button = QPushButton("Add")
    button.setToolTip("Add Scenario")
    qtbot.addWidget(button)
    button.show()
    place = button.rect().center()
    QApplication.sendEvent(button, QHelpEvent(QEvent.Type.ToolTip, place, button.mapToGlobal(place)))
    tips = [one for one in QApplication.topLevelWidgets() if one.inherits("QTipLabel")]
    assert len(tips) == 1
    picture = tips[0].grab().toImage()
    places = [(x, y) for x in range(2, picture.width() - 2) for y in range(2, picture.height() - 2)]
    found = Counter(picture.pixelColor(x, y).name() for x, y in places)
    ground = QColor(found.most_common(1)[0][0])
    # With letters smoothed at their edges, the strongest colour is the text's own.
    assert max(contrast(QColor(name), ground) for name in found) >= 4.5
    QToolTip.hideText()


@pytest.mark.usefixtures("restored_theme")
@pytest.mark.parametrize("chosen", [theme.ThemeChoice.LIGHT, theme.ThemeChoice.DARK])
def test_the_present_choice_of_an_open_box_can_be_read(
    qapp: QApplication, qtbot: QtBot, restored_theme: None, chosen: theme.ThemeChoice
) -> None:
    theme.apply_theme(qapp, chosen)
    box = QComboBox()
    box.addItems(["Least load", "Round robin"])
    qtbot.addWidget(box)
    box.show()
    qtbot.mouseClick(box, Qt.MouseButton.LeftButton)
    rows = box.view()
    qtbot.waitUntil(rows.isVisible)
    picture = rows.viewport().grab(rows.visualRect(rows.currentIndex())).toImage()
    seen = Counter(picture.pixelColor(x, y).name() for x in range(picture.width()) for y in range(picture.height()))
    ground = QColor(seen.most_common(1)[0][0])
    assert max(contrast(QColor(colour), ground) for colour in seen) >= 4.5
    assert ground == qapp.palette().color(QPalette.ColorRole.Highlight)
    box.hidePopup()


def test_theme_changes_while_the_program_runs(qapp: QApplication) -> None:
    theme.apply_theme(qapp, theme.ThemeChoice.DARK)
    assert theme.is_dark_palette(qapp.palette())
    dark = icon("save").pixmap(16, 16).toImage()
    theme.apply_theme(qapp, theme.ThemeChoice.LIGHT)
    assert not theme.is_dark_palette(qapp.palette())
    assert icon("save").pixmap(16, 16).toImage() != dark


def test_icons_of_buttons_follow_the_theme(qapp: QApplication, qtbot: QtBot) -> None:
    theme.apply_theme(qapp, theme.ThemeChoice.LIGHT)
    section = FormSection("More", ValueEditor)
    qtbot.addWidget(section)
    light = section.header.icon().pixmap(16, 16).toImage()
    theme.apply_theme(qapp, theme.ThemeChoice.DARK)
    dark = section.header.icon().pixmap(16, 16).toImage()
    theme.apply_theme(qapp, theme.ThemeChoice.LIGHT)
    assert dark != light
    assert section.header.icon().pixmap(16, 16).toImage() == light


def test_shipped_typeface_is_used_with_figures_of_equal_width(qapp: QApplication) -> None:
    assert QFontInfo(qapp.font()).family() == FONT_FAMILY
    metrics = QFontMetrics(qapp.font())
    assert len({metrics.horizontalAdvance(figure * 20) for figure in "0123456789"}) == 1


def test_every_icon_that_is_named_draws_something(qapp: QApplication) -> None:
    commands = [entry for _, entries in MENUS for entry in entries if isinstance(entry, MenuCommand)]
    names = {command.icon for command in commands if command.icon} | {part.icon for part in (*PARTS, SCENARIO_PART)}
    assert len(names) > 10
    for name in names:
        image = icon(name).pixmap(32, 32).toImage()
        drawn = sum(image.pixelColor(x, y).alpha() > 0 for x in range(32) for y in range(32))
        assert drawn > 20, name


def test_a_line_to_search_with_and_its_button_are_named_for_a_screen_reader(qtbot: QtBot) -> None:
    plain, named = theme.search_line("Name or value"), theme.search_line("Name or value", name="Numbers to show")
    for line in (plain, named):
        qtbot.addWidget(line)
        assert [button.accessibleName() for button in line.findChildren(QToolButton)] == ["Clear"]
    assert plain.accessibleName() == "Name or value"
    assert named.accessibleName() == "Numbers to show"
