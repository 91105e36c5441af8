"""The program's look: colours, sizes of type, icons, and the style sheet made from them."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from enum import StrEnum
from functools import cache, lru_cache
from typing import Any, TypeVar

from PySide6.QtCore import QByteArray, QLocale, QRectF, QSettings, QSize, Qt
from PySide6.QtGui import QColor, QFontDatabase, QGuiApplication, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLineEdit, QPushButton, QToolButton, QWidget

from gpuplanner_gui import paths
from gpuplanner_gui.desktop.settings import Key, flag_setting, number_setting, text_setting
from gpuplanner_gui.desktop.widgets.calm import CalmComboBox
from gpuplanner_gui.desktop.widgets.style_rules import Ink, sheet_of
from gpuplanner_gui.drawing.application import FONT_SCALE, type_scale, typeface
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.translations import SYSTEM, language_of, use_language
from gpuplanner_gui.drawing.units import NumberSigns, use_number_signs

ICON_NAME = "iconName"
"""Property of a button whose icon follows the theme."""
_SIDES = (12, 16, 24, 32)
"""Sides of the icons in use, in pixels of an unscaled screen."""


def icon_size(side: int) -> QSize:
    """The size of an icon that has this width at the usual size of type."""
    return QSize(side, side) * type_scale()


def icon(name: str) -> QIcon:
    """An icon of `resources/icons` in the colour of the present palette's text."""
    return coloured_icon(name, QGuiApplication.palette().color(QPalette.ColorRole.WindowText))


def use_icon(button: QAbstractButton, name: str) -> None:
    """Give a button an icon that follows the theme."""
    button.setProperty(ICON_NAME, name)
    button.setIcon(icon(name))


def push_button(text: str, act: Any = None, parent: QWidget | None = None, **looks: Any) -> QPushButton:
    """A button that does this; `looks` as `_dress` takes them."""
    return _dress(QPushButton(text, parent), act, **looks)


def tool_button(
    text: str, act: Any = None, parent: QWidget | None = None, is_flat: bool = False, **looks: Any
) -> QToolButton:
    """A small button, of a bar or beside a field; `looks` as `_dress` takes them."""
    button = _dress(QToolButton(parent), act, **looks)
    button.setText(text)
    button.setAutoRaise(is_flat)
    return button


def _dress(
    button: Button, act: Any, *, tip: str = "", picture: str = "", side: int = 0, name: str = "", said: str = "",
    takes_focus: bool = False, is_checkable: bool = False,
) -> Button:  # fmt: skip
    """Tool tip, an icon of so many pixels, the style sheet's name, a screen reader's words; by Tab too, or not."""
    button.setToolTip(tip)
    button.setObjectName(name)
    button.setAccessibleName(said)
    button.setCheckable(is_checkable)
    if act is not None:
        button.clicked.connect(act)
    if picture:
        use_icon(button, picture)
    if side:
        button.setIconSize(icon_size(side))
    if takes_focus:
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button


def refresh_icons() -> None:
    """Draw the icons of all buttons in the colour of the present palette's text."""
    for widget in QApplication.allWidgets():
        name = widget.property(ICON_NAME)
        if name and isinstance(widget, QAbstractButton):
            widget.setIcon(icon(name))


def coloured_icon(name: str, colour: QColor) -> QIcon:
    selected = QGuiApplication.palette().color(QPalette.ColorRole.HighlightedText)
    return _coloured_icon(name, colour.name(), selected.name())


def application_icon() -> QIcon:
    return QIcon(str(paths.resources_dir() / "icons" / "application.svg"))


@lru_cache(maxsize=256)
def _coloured_icon(name: str, colour: str, selected: str) -> QIcon:
    drawing = (paths.resources_dir() / "icons" / f"{name}.svg").read_bytes()
    renderer = QSvgRenderer(QByteArray(drawing.replace(b"currentColor", colour.encode())))
    result = QIcon()
    dots = QGuiApplication.primaryScreen().devicePixelRatio()
    for size in sorted({round(side * dots) for side in _SIDES}):
        pixmap = QPixmap(size, size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        renderer.render(painter, QRectF(0, 0, size, size))
        painter.end()
        result.addPixmap(pixmap)
        result.addPixmap(_tinted(pixmap, selected), QIcon.Mode.Selected)
    return result


def _tinted(pixmap: QPixmap, colour: str) -> QPixmap:
    tinted = QPixmap(pixmap)
    painter = QPainter(tinted)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
    painter.fillRect(tinted.rect(), QColor(colour))
    painter.end()
    return tinted


def search_line(hint: str, parent: QWidget | None = None, *, name: str = "") -> QLineEdit:
    """A line to search or filter with and a button that clears it; a screen reader says `name`, else the hint."""
    line = QLineEdit(parent)
    line.setPlaceholderText(hint)
    line.setAccessibleName(name or hint)
    line.setClearButtonEnabled(True)
    for button in line.findChildren(QToolButton):
        button.setAccessibleName(tr("Clear"))
    return line


def choice_box(choices: Iterable[tuple[Any, str]], name: str = "") -> QComboBox:
    """A box to choose from codes and their words; `name` is what a screen reader says of it."""
    box = CalmComboBox()
    box.setAccessibleName(name)
    for code, words in choices:
        box.addItem(words, code)
    return box


Button = TypeVar("Button", bound=QAbstractButton)
logger = logging.getLogger(__name__)

FONT_FILES = ("Inter-Regular.otf", "Inter-SemiBold.otf")
NORMAL_POINTS = "normalPoints"
"""Property of the application: the platform's size of type."""


class ThemeChoice(StrEnum):
    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


def theme_of(name: str) -> ThemeChoice:
    """A theme by the name in the settings; the system's where that is not one of ours."""
    return ThemeChoice(name) if name in {theme.value for theme in ThemeChoice} else ThemeChoice.SYSTEM


_ROLES = (
    "Window", "WindowText", "Base", "AlternateBase", "Text", "Button", "ButtonText", "BrightText", "Highlight",
    "HighlightedText", "ToolTipBase", "ToolTipText", "PlaceholderText", "Link", "Accent", "Light", "Midlight", "Mid",
    "Dark", "Shadow",
)  # fmt: skip
_LIGHT = (
    "#F5F6F7", "#1C2126", "#FFFFFF", "#F5F6F7", "#1C2126", "#FFFFFF", "#1C2126", "#FFFFFF", "#2B5FC7",
    "#FFFFFF", "#1C2126", "#FFFFFF", "#5F6B76", "#2B5FC7", "#2B5FC7", "#FFFFFF", "#E7EAED", "#C3CAD1",
    "#98A2AC", "#5F6B76",
)  # fmt: skip
_DARK = (
    "#1B1E22", "#E8EAED", "#23272C", "#1F2328", "#E8EAED", "#2A2F35", "#E8EAED", "#FFFFFF", "#3D6CC9",
    "#FFFFFF", "#30363D", "#F0F2F5", "#9BA5AF", "#7FA8F8", "#7FA8F8", "#3B424A", "#30363D", "#4A525B",
    "#0F1114", "#07080A",
)  # fmt: skip
_DISABLED = {"light": "#98a1ad", "dark": "#697382"}

# The same colours as drawing.palette has, which a shell that must not wait for numpy can't import.
ERROR = {"light": "#B3261E", "dark": "#FF8A80"}
CHANGED = {"light": "#2B5FC7", "dark": "#7FA8F8"}
MUTED = {"light": "#5F6B76", "dark": "#9BA5AF"}
LINE = {"light": "#D5DADF", "dark": "#3B424A"}
_FRAME = {"light": "#C3CAD1", "dark": "#4A525B"}
WARNING_GROUND = {"light": "#fff4d6", "dark": "#3d3215"}
ERROR_GROUND = {"light": "#fde7e5", "dark": "#44201d"}
CHOSEN_GROUND = {"light": "#c9daf6", "dark": "#2f4a78"}
"""Ground of the chosen row of a menu; icons, ticks and arrows, which keep their colours, contrast with it."""
NOTE_GROUND = {"light": "#e4eefb", "dark": "#1d2c42"}


def apply_theme(app: QApplication, theme: ThemeChoice = ThemeChoice.SYSTEM) -> None:
    """Set style, palette and style sheet; may be called again at any time."""
    if not app.styleSheet():
        # With a style sheet the style is wrapped and says another name: set it once, before.
        app.setStyle("Fusion")
    is_dark = theme == ThemeChoice.DARK or (theme == ThemeChoice.SYSTEM and _system_is_dark())
    # Without a sheet between: exchanging one for another styles each widget once for every widget that it stands in.
    app.setStyleSheet("")
    app.setPalette(palette_of(is_dark))
    app.setStyleSheet(style_sheet(is_dark, type_scale()))
    refresh_icons()


def palette_of(is_dark: bool) -> QPalette:
    palette = QPalette()
    for role, colour in zip(_ROLES, _DARK if is_dark else _LIGHT, strict=True):
        palette.setColor(QPalette.ColorRole[role], QColor(colour))
    faint = QColor(_DISABLED["dark" if is_dark else "light"])
    for role in ("WindowText", "Text", "ButtonText"):
        palette.setColor(QPalette.ColorGroup.Disabled, QPalette.ColorRole[role], faint)
    return palette


def is_dark_palette(palette: QPalette) -> bool:
    return palette.color(QPalette.ColorRole.Window).lightnessF() < 0.5


def tone(colours: dict[str, str], palette: QPalette) -> QColor:
    """The light or dark member of a pair, after the palette at hand."""
    return QColor(colours["dark" if is_dark_palette(palette) else "light"])


def load_font(app: QApplication, scale: float = 1.0) -> None:
    """Use the shipped typeface with figures of equal width; keep the platform's font where it is missing."""
    folder = paths.resources_dir() / "fonts"
    loaded = [QFontDatabase.addApplicationFont(str(folder / name)) for name in FONT_FILES if (folder / name).is_file()]
    if not loaded or -1 in loaded:
        logger.warning("the typeface in %s could not be loaded", folder)
    use_font_scale(app, scale)


def use_font_scale(app: QApplication, scale: float) -> None:
    """Write larger or smaller than the platform does; the style sheet goes, and comes back with the theme."""
    normal = app.property(NORMAL_POINTS) or QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).pointSizeF()
    app.setProperty(NORMAL_POINTS, normal)
    app.setProperty(FONT_SCALE, scale)
    app.setStyleSheet("")  # as in `apply_theme`
    app.setFont(typeface(normal * scale))


def _system_is_dark() -> bool:
    return QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark


def style_sheet(is_dark: bool, font_scale: float = 1.0) -> str:
    mode = "dark" if is_dark else "light"
    # A style sheet that touches tool tips takes their ground from the window, and their text from the palette.
    tip = dict(zip(_ROLES, _DARK if is_dark else _LIGHT, strict=True))
    ink = Ink(
        mode=mode, font_scale=font_scale, line=LINE[mode], frame=_FRAME[mode], muted=MUTED[mode], focus=CHANGED[mode],
        on_focus="#1B1E22" if is_dark else "#FFFFFF", error=ERROR[mode], disabled=_DISABLED[mode],
        chosen_ground=CHOSEN_GROUND[mode], tip_ground=tip["ToolTipBase"], tip_text=tip["ToolTipText"],
    )  # fmt: skip
    return sheet_of(ink)


NUMBER_SIGNS = {
    "plain": NumberSigns(".", "\u00a0"),
    "comma_groups": NumberSigns(".", ","),
    "comma_decimals": NumberSigns(",", ".", is_money_behind=True),
    "blank_groups": NumberSigns(",", "\u00a0", is_money_behind=True),
}
"""Number formats by code; the preferences show an example of each."""
_MOVING = (
    Qt.UIEffect.UI_AnimateMenu, Qt.UIEffect.UI_FadeMenu, Qt.UIEffect.UI_AnimateCombo, Qt.UIEffect.UI_AnimateTooltip,
    Qt.UIEffect.UI_FadeTooltip, Qt.UIEffect.UI_AnimateToolBox,
)  # fmt: skip
FONT_SCALES = (0.85, 1.0, 1.15, 1.3, 1.5, 2.0)


def take_up_settings(app: QApplication, settings: QSettings) -> None:
    """Apply the saved settings at the start, before there is a window."""
    speak(settings)
    use_number_signs(number_signs(text_setting(settings, Key.NUMBERS, SYSTEM)))
    load_font(app, font_scale(settings))
    apply_theme(app, theme_of(text_setting(settings, Key.THEME)))
    use_reduced_motion(flag_setting(settings, Key.REDUCED_MOTION))


def speak(settings: QSettings) -> None:
    """Take the language that is set; dates follow it."""
    code = language_of(text_setting(settings, Key.LANGUAGE, SYSTEM))
    use_language(code)
    system = QLocale.system()
    is_systems = system.name().startswith(code)
    QLocale.setDefault(system if is_systems else QLocale(code))


def use_reduced_motion(is_on: bool) -> None:
    """Let menus, lists and tips appear at once, or as the platform has it."""
    for effect, is_platforms in _platforms_effects().items():
        QApplication.setEffectEnabled(effect, is_platforms and not is_on)


@cache
def _platforms_effects() -> dict[Qt.UIEffect, bool]:
    """Which effects the platform has, asked before any was set here."""
    return {effect: QApplication.isEffectEnabled(effect) for effect in _MOVING}


def number_signs(code: str) -> NumberSigns:
    """The signs before decimals and between thousands; the system's for an unknown code."""
    if code in NUMBER_SIGNS:
        return NUMBER_SIGNS[code]
    system = QLocale.system()
    decimal = "," if system.decimalPoint() == "," else "."
    group = system.groupSeparator().replace("\u202f", "\u00a0")
    is_known = group in (",", ".", "\u00a0", "'", "’") and group != decimal
    # The plain locale of a system that was told no country writes 1.00$.
    has_country = system.language() != QLocale.Language.C
    is_behind = has_country and not system.toCurrencyString(1.0, "$").lstrip("\u200e\u200f").startswith("$")
    return NumberSigns(decimal, group if is_known else "\u00a0", is_behind)


def font_scale(settings: QSettings) -> float:
    scale = number_setting(settings, Key.FONT_SCALE, 1.0)
    return min(FONT_SCALES, key=lambda one: abs(one - scale))
