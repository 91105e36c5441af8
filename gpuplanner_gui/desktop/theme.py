"""How the program looks: Fusion with our own light and dark palette, the shipped typeface, a little style sheet."""

from __future__ import annotations

import logging
from enum import StrEnum

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from gpuplanner_gui import paths
from gpuplanner_gui.desktop.style_rules import Ink, sheet_of

logger = logging.getLogger(__name__)

FONT_FAMILY = "Inter"
FONT_FILES = ("Inter-Regular.otf", "Inter-SemiBold.otf")
NORMAL_POINTS, FONT_SCALE = "normalPoints", "fontScale"
"""Properties of the application: the platform's size of type, and how much larger ours is."""


class Theme(StrEnum):
    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


def theme_of(name: str) -> Theme:
    """A theme by the name in the settings; the system's where that is not one of ours."""
    return Theme(name) if name in {theme.value for theme in Theme} else Theme.SYSTEM


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
"""Of a menu's row; icons, ticks and arrows, which keep their colours there, stand out from it as the text does."""
NOTE_GROUND = {"light": "#e4eefb", "dark": "#1d2c42"}


def apply_theme(app: QApplication, theme: Theme = Theme.SYSTEM) -> None:
    """Set style, palette and style sheet; may be called again at any time."""
    if not app.styleSheet():
        # With a style sheet the style is wrapped and says another name: set it once, before.
        app.setStyle("Fusion")
    is_dark = theme == Theme.DARK or (theme == Theme.SYSTEM and _system_is_dark())
    # Without a sheet between: exchanging one for another styles each widget once for every widget that it stands in.
    app.setStyleSheet("")
    app.setPalette(palette_of(is_dark))
    app.setStyleSheet(style_sheet(is_dark, app.property(FONT_SCALE) or 1.0))


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
    app.setFont(interface_font(normal * scale))


def present_font_scale() -> float:
    """How much larger than the platform's our type is at the moment."""
    app = QGuiApplication.instance()
    return float((app.property(FONT_SCALE) if app is not None else None) or 1.0)


def interface_font(point_size: float) -> QFont:
    font = QFont(FONT_FAMILY)
    font.setPointSizeF(point_size if point_size > 0 else 10)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


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
