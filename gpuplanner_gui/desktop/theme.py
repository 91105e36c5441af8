"""How the program looks: Fusion with our own light and dark palette, the shipped typeface, a little style sheet."""

from __future__ import annotations

import logging
from enum import StrEnum

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from gpuplanner_gui import paths

logger = logging.getLogger(__name__)

FONT_FAMILY = "Inter"
FONT_FILES = ("Inter-Regular.otf", "Inter-SemiBold.otf")
NORMAL_POINTS, FONT_SCALE = "normalPoints", "fontScale"
"""Properties of the application: the platform's size of type, and how much larger ours is."""
GRID = 8
"""Pixels between things; halves of it inside a group."""
CELL_PADDING = 7
"""Pixels at the left and right of a table's texts, in cells and in headings."""


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
    normal = app.property(NORMAL_POINTS) or app.font().pointSizeF()
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
    on_focus = "#1B1E22" if is_dark else "#FFFFFF"
    line, frame, muted = LINE[mode], _FRAME[mode], MUTED[mode]
    focus = CHANGED[mode]
    mark, knob, item = round(14 * font_scale), round(12 * font_scale), round(28 * font_scale)
    # A style sheet that touches tool tips takes their ground from the window, and their text from the palette.
    tip = dict(zip(_ROLES, _DARK if is_dark else _LIGHT, strict=True))
    return f"""
    QToolTip {{ border: 1px solid {line}; padding: 4px; background: {tip["ToolTipBase"]};
        color: {tip["ToolTipText"]}; }}
    QCheckBox::indicator {{ width: {mark}px; height: {mark}px; border: 1px solid {frame}; border-radius: 3px;
        background: palette(base); }}
    QCheckBox::indicator:checked {{ border-color: {focus}; background: {focus};
        image: url("{_picture("check", mode)}"); }}
    QCheckBox::indicator:focus {{ border: 1px solid palette(text); }}
    QRadioButton::indicator {{ width: {mark}px; height: {mark}px; border: 1px solid {frame};
        border-radius: {mark // 2 + 1}px;
        background: palette(base); }}
    QRadioButton::indicator:checked {{ border-color: {focus}; background: qradialgradient(cx: 0.5, cy: 0.5,
        radius: 0.5, fx: 0.5, fy: 0.5, stop: 0 {focus}, stop: 0.55 {focus}, stop: 0.65 palette(base)); }}
    QRadioButton::indicator:focus {{ border: 1px solid palette(text); }}
    QScrollBar:vertical {{ width: 10px; background: transparent; margin: 0; }}
    QScrollBar:horizontal {{ height: 10px; background: transparent; margin: 0; }}
    QScrollBar::handle {{ background: {frame}; border-radius: 4px; margin: 1px; min-height: 24px; min-width: 24px; }}
    QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
    QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
    QSplitter::handle {{ background: {line}; }}
    QMainWindow::separator {{ background: {line}; width: 1px; height: 1px; }}
    QSplitter::handle:horizontal {{ width: 1px; }}
    QSplitter::handle:vertical {{ height: 1px; }}
    QLineEdit, QComboBox, QAbstractSpinBox {{
        border: 1px solid {frame}; border-radius: 3px; padding: 2px 5px; min-height: 18px;
        background: palette(base);
    }}
    QLineEdit:focus, QComboBox:focus, QToolButton:focus, QPushButton:focus {{ border: 1px solid {focus}; }}
    QLineEdit:disabled, QComboBox:disabled {{ background: palette(window); }}
    QLineEdit[invalid="true"], QComboBox[invalid="true"] {{ border: 1px solid {ERROR[mode]}; }}
    QLineEdit[readOnly="true"] {{ background: palette(window); border-color: {line}; }}
    QComboBox {{ combobox-popup: 0; }}
    QComboBox QAbstractItemView {{ border: 1px solid {frame}; padding: 2px; outline: 0; }}
    QComboBox QAbstractItemView::item {{ padding: 2px 4px; min-height: 20px; }}
    QComboBox::drop-down {{ border: 0; width: 18px; }}
    QComboBox::down-arrow {{ image: url("{_picture("arrow-down", mode)}"); width: 10px; height: 10px; }}
    QPushButton {{
        border: 1px solid {frame}; border-radius: 3px; padding: 3px 10px; min-height: 18px;
        background: palette(button);
    }}
    QPushButton:hover {{ background: palette(midlight); }}
    QPushButton:pressed {{ background: palette(mid); }}
    QPushButton:disabled {{ color: {_DISABLED[mode]}; }}
    QToolButton {{ border: 1px solid transparent; border-radius: 3px; padding: 2px; }}
    QToolButton:hover {{ background: palette(midlight); }}
    QToolButton#chip {{ border: 1px solid {frame}; border-radius: 9px; padding: 1px 7px; background: palette(base); }}
    QToolButton#chip:checked {{ background: {focus}; border-color: {focus}; color: {on_focus}; }}
    QToolButton#chip::menu-indicator {{ image: none; width: 0; }}
    QToolButton#chip:focus {{ border: 1px solid palette(text); }}
    QPushButton#sectionHeader {{ font-weight: 600; padding: 4px 0; text-align: left; border: 1px solid transparent;
        background: transparent; }}
    QPushButton#sectionHeader:hover {{ background: palette(midlight); }}
    QPushButton#sectionHeader:focus {{ border: 1px solid {focus}; }}
    QLabel#sectionTitle {{ font-weight: 600; }}
    QLabel#problem {{ color: {ERROR[mode]}; }}
    QLabel#quiet {{ color: {muted}; }}
    QLabel#guidedReasons {{ border-top: 1px solid {line}; padding: 8px 0 0 0; }}
    QLabel#veil {{ background: palette(base); border: 1px solid {line}; border-radius: 4px; }}
    QDialog#palette {{ border: 1px solid {frame}; }}
    QFrame#card {{ border: 1px solid {line}; border-radius: 4px; background: palette(alternate-base); }}
    QListWidget {{ border: 0; background: palette(base); outline: 0; }}
    QListWidget::item {{ padding: 3px 2px; }}
    QListView::indicator {{ width: {mark}px; height: {mark}px; border: 1px solid {frame}; border-radius: 3px;
        background: palette(base); }}
    QListView::indicator:checked {{ border-color: {focus}; background: {focus};
        image: url("{_picture("check", mode)}"); }}
    QTreeView {{ border: 0; background: palette(window); outline: 0; icon-size: {round(16 * font_scale)}px; }}
    QTreeView::item {{ padding: 3px 2px; }}
    QAbstractScrollArea::corner {{ background: transparent; border: 0; }}
    QTableView::item {{ padding: 0 {CELL_PADDING - 3}px; }}
    QHeaderView {{ background: palette(base); }}
    QHeaderView::section {{ padding: 4px {CELL_PADDING}px; border: 0; border-bottom: 1px solid {frame};
        background: palette(base); color: {muted}; }}
    QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; }}
    QSlider {{ min-height: {mark + 2}px; }}
    QSlider::groove:horizontal {{ height: 4px; border-radius: 2px; background: {frame}; }}
    QSlider::sub-page:horizontal {{ height: 4px; border-radius: 2px; background: {focus}; }}
    QSlider::sub-page:horizontal:disabled {{ background: {line}; }}
    QSlider::groove:horizontal:disabled {{ background: {line}; }}
    QSlider::handle:horizontal {{ width: {knob}px; height: {knob}px; margin: -{(knob - 2) // 2}px 0;
        border: 1px solid {muted}; border-radius: {knob // 2 + 1}px; background: palette(button); }}
    QSlider::handle:horizontal:hover, QSlider::handle:horizontal:focus {{ border-color: {focus};
        background: {focus}; }}
    QSlider::handle:horizontal:disabled {{ border-color: {line}; background: palette(window); }}
    QMenu {{ background: palette(base); border: 1px solid {frame}; padding: 4px 0; }}
    QMenu::item {{ padding: 4px {item}px 4px {mark}px; background: transparent; }}
    QMenu::item:selected {{ background: {CHOSEN_GROUND[mode]}; }}
    QMenu::item:disabled {{ background: transparent; color: {_DISABLED[mode]}; }}
    QMenu::separator {{ height: 1px; margin: 4px 0; background: {line}; }}
    QMenu::icon {{ padding-left: 6px; }}
    QMenu::indicator {{ width: {mark}px; height: {mark}px; left: 6px; }}
    QMenu::indicator:non-exclusive {{ border: 1px solid {frame}; border-radius: 3px; background: palette(base); }}
    QMenu::indicator:non-exclusive:checked {{ border-color: {focus}; background: {focus};
        image: url("{_picture("check", mode)}"); }}
    QMenu::right-arrow {{ width: 10px; height: 10px; right: 6px; image: url("{_picture("arrow-right", mode)}"); }}
    QTabBar {{ background: transparent; }}
    QTabBar::scroller {{ width: {round(22 * font_scale)}px; }}
    QTabBar QToolButton {{ background: palette(window); border: 0; }}
    QTabBar QToolButton::left-arrow {{ image: url("{_picture("arrow-left", mode)}"); width: 12px; height: 12px; }}
    QTabBar QToolButton::right-arrow {{ image: url("{_picture("arrow-right", mode)}"); width: 12px; height: 12px; }}
    QTabBar::tab {{ background: transparent; border: 0; border-bottom: 2px solid transparent; padding: 6px 8px 4px 8px;
        margin: 0; color: {muted}; }}
    QTabBar::tab:selected {{ border-bottom: 2px solid {focus}; color: palette(text); }}
    QTabBar::tab:hover:!selected {{ border-bottom: 2px solid {frame}; color: palette(text); }}
    QTabBar::tab:focus {{ background: palette(midlight); }}
    QTabWidget::pane {{ border: 0; border-top: 1px solid {line}; }}
    QTabWidget::tab-bar {{ left: 0; }}
    QScrollArea {{ border: 0; background: transparent; }}
    QStatusBar::item {{ border: 0; }}
    QStatusBar {{ border-top: 1px solid {line}; }}
    QMenuBar {{ border-bottom: 1px solid {line}; }}
    QMenuBar::item {{ padding: 4px 9px; background: transparent; }}
    QMenuBar::item:selected {{ background: palette(midlight); }}
    QLabel#startup {{ font-size: {12 * font_scale:g}pt; color: {muted}; }}
    QLabel#partTitle {{ font-weight: 600; font-size: {11 * font_scale:g}pt; }}
    QLabel#startTitle {{ font-weight: 600; font-size: {17 * font_scale:g}pt; }}
    QPushButton#addFirst {{ margin: 8px 12px; }}
    QPushButton#startWay {{ text-align: left; padding: 8px 14px; min-width: 210px; }}
    QPushButton#startWay:default {{ border: 1px solid {focus}; }}
    QListWidget#startFiles {{ background: transparent; }}
    QListWidget#startFiles::item {{ padding: 5px 0; }}
    QListWidget#startFiles::item:hover {{ background: palette(midlight); }}
    """


def _picture(name: str, mode: str) -> str:
    return (paths.resources_dir() / "icons" / f"{name}-{mode}.svg").as_posix()
