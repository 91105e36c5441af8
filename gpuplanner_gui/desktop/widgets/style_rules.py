"""The style sheet, subject by subject: what Qt's own style leaves to be said."""

from __future__ import annotations

from dataclasses import dataclass

from gpuplanner_gui import paths

CELL_PADDING = 7
"""Pixels at the left and right of a table's texts, in cells and in headings."""


@dataclass(frozen=True)
class Ink:
    """Colours and sizes (in pixels) of the style rules."""

    mode: str
    """light or dark: the pictures' own."""
    font_scale: float
    line: str
    frame: str
    muted: str
    focus: str
    on_focus: str
    error: str
    disabled: str
    chosen_ground: str
    tip_ground: str
    tip_text: str

    @property
    def mark(self) -> int:
        return round(14 * self.font_scale)

    @property
    def knob(self) -> int:
        return round(12 * self.font_scale)

    @property
    def item(self) -> int:
        return round(28 * self.font_scale)


def sheet_of(ink: Ink) -> str:
    """All rules; a later one goes before an earlier one that says as much about the same."""
    return "".join(part(ink) for part in _PARTS)


def _marks(ink: Ink) -> str:
    """Tool tips, ticks and dots."""
    return f"""
    QToolTip {{ border: 1px solid {ink.line}; padding: 4px; background: {ink.tip_ground};
        color: {ink.tip_text}; }}
    QCheckBox::indicator, QListView::indicator {{ width: {ink.mark}px; height: {ink.mark}px;
        border: 1px solid {ink.frame}; border-radius: 3px; background: palette(base); }}
    QCheckBox::indicator:checked, QListView::indicator:checked {{ border-color: {ink.focus};
        background: {ink.focus}; image: url("{_picture("check", ink.mode)}"); }}
    QCheckBox::indicator:focus {{ border: 1px solid palette(text); }}
    QRadioButton::indicator {{ width: {ink.mark}px; height: {ink.mark}px; border: 1px solid {ink.frame};
        border-radius: {ink.mark // 2 + 1}px;
        background: palette(base); }}
    QRadioButton::indicator:checked {{ border-color: {ink.focus}; background: qradialgradient(cx: 0.5, cy: 0.5,
        radius: 0.5, fx: 0.5, fy: 0.5, stop: 0 {ink.focus}, stop: 0.55 {ink.focus}, stop: 0.65 palette(base)); }}
    QRadioButton::indicator:focus {{ border: 1px solid palette(text); }}
    """


def _scrolling(ink: Ink) -> str:
    """Scroll bars, and lines between what can be made larger."""
    return f"""
    QScrollBar:vertical {{ width: 10px; background: transparent; margin: 0; }}
    QScrollBar:horizontal {{ height: 10px; background: transparent; margin: 0; }}
    QScrollBar::handle {{ background: {ink.frame}; border-radius: 4px; margin: 1px;
        min-height: 24px; min-width: 24px; }}
    QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
    QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
    QSplitter::handle {{ background: {ink.line}; }}
    QMainWindow::separator {{ background: {ink.line}; width: 1px; height: 1px; }}
    QSplitter::handle:horizontal {{ width: 1px; }}
    QSplitter::handle:vertical {{ height: 1px; }}
    """


def _fields(ink: Ink) -> str:
    """Rules for fields: line edits, boxes and their lists."""
    return f"""
    QLineEdit, QComboBox, QAbstractSpinBox {{
        border: 1px solid {ink.frame}; border-radius: 3px; padding: 2px 5px; min-height: 18px;
        background: palette(base);
    }}
    QLineEdit:focus, QComboBox:focus, QToolButton:focus, QPushButton:focus {{ border: 1px solid {ink.focus}; }}
    QLineEdit:disabled, QComboBox:disabled {{ background: palette(window); }}
    QLineEdit[invalid="true"], QComboBox[invalid="true"] {{ border: 1px solid {ink.error}; }}
    QLineEdit[readOnly="true"] {{ background: palette(window); border-color: {ink.line}; }}
    QComboBox {{ combobox-popup: 0; }}
    QComboBox QAbstractItemView {{ border: 1px solid {ink.frame}; padding: 2px; outline: 0; }}
    QComboBox QAbstractItemView::item {{ padding: 2px 4px; min-height: 20px; }}
    QComboBox::drop-down {{ border: 0; width: 18px; }}
    QComboBox::down-arrow {{ image: url("{_picture("arrow-down", ink.mode)}"); width: 10px; height: 10px; }}
    """


def _buttons(ink: Ink) -> str:
    """Buttons, chips and what opens a section."""
    return f"""
    QPushButton {{
        border: 1px solid {ink.frame}; border-radius: 3px; padding: 3px 10px; min-height: 18px;
        background: palette(button);
    }}
    QPushButton:hover {{ background: palette(midlight); }}
    QPushButton:pressed {{ background: palette(mid); }}
    QPushButton:disabled {{ color: {ink.disabled}; }}
    QToolButton {{ border: 1px solid transparent; border-radius: 3px; padding: 2px; }}
    QToolButton:hover {{ background: palette(midlight); }}
    QToolButton#place {{ border: 1px solid transparent; border-radius: 4px; padding: 3px 10px; font-weight: 600; }}
    QToolButton#place:hover:!checked {{ background: palette(midlight); }}
    QToolButton#place:checked {{ background: {ink.focus}; color: {ink.on_focus}; }}
    QToolButton#place:focus {{ border: 1px solid palette(text); }}
    QToolButton#chip {{ border: 1px solid {ink.frame}; border-radius: 9px; padding: 1px 7px;
        background: palette(base); }}
    QToolButton#chip:checked {{ background: {ink.focus}; border-color: {ink.focus}; color: {ink.on_focus}; }}
    QToolButton#chip::menu-indicator {{ image: none; width: 0; }}
    QToolButton#chip:focus {{ border: 1px solid palette(text); }}
    QPushButton#sectionHeader {{ font-weight: 600; padding: 4px 0; text-align: left; border: 1px solid transparent;
        background: transparent; }}
    QPushButton#sectionHeader:hover {{ background: palette(midlight); }}
    QPushButton#sectionHeader:focus {{ border: 1px solid {ink.focus}; }}
    """


def _words(ink: Ink) -> str:
    """Texts and the frames around them."""
    return f"""
    QLabel#sectionTitle {{ font-weight: 600; }}
    QLabel#problem {{ color: {ink.error}; }}
    QLabel#quiet {{ color: {ink.muted}; }}
    QLabel#guidedReasons {{ border-top: 1px solid {ink.line}; padding: 8px 0 0 0; }}
    QWidget#dropHint {{ border: 2px solid palette(highlight); border-radius: 6px; background: transparent; }}
    QLabel#veil {{ background: palette(base); border: 1px solid {ink.line}; border-radius: 4px; }}
    QDialog#palette {{ border: 1px solid {ink.frame}; }}
    QFrame#card {{ border: 1px solid {ink.line}; border-radius: 4px; background: palette(alternate-base); }}
    """


def _lists(ink: Ink) -> str:
    """Lists, trees and tables."""
    return f"""
    QListWidget {{ border: 0; background: palette(base); outline: 0; }}
    QListWidget::item {{ padding: 3px 2px; }}
    QTreeView {{ border: 0; background: palette(window); outline: 0; icon-size: {round(16 * ink.font_scale)}px; }}
    QTreeView::item {{ padding: 3px 2px; }}
    QAbstractScrollArea::corner {{ background: transparent; border: 0; }}
    QTableView::item {{ padding: 0 {CELL_PADDING - 3}px; }}
    QHeaderView {{ background: palette(base); }}
    QHeaderView::section {{ padding: 4px {CELL_PADDING}px; border: 0; border-bottom: 1px solid {ink.frame};
        background: palette(base); color: {ink.muted}; }}
    QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; }}
    """


def _sliders(ink: Ink) -> str:
    """Rules for sliders."""
    return f"""
    QSlider {{ min-height: {ink.mark + 2}px; }}
    QSlider::groove:horizontal {{ height: 4px; border-radius: 2px; background: {ink.frame}; }}
    QSlider::sub-page:horizontal {{ height: 4px; border-radius: 2px; background: {ink.focus}; }}
    QSlider::sub-page:horizontal:disabled {{ background: {ink.line}; }}
    QSlider::groove:horizontal:disabled {{ background: {ink.line}; }}
    QSlider::handle:horizontal {{ width: {ink.knob}px; height: {ink.knob}px; margin: -{(ink.knob - 2) // 2}px 0;
        border: 1px solid {ink.muted}; border-radius: {ink.knob // 2 + 1}px; background: palette(button); }}
    QSlider::handle:horizontal:hover, QSlider::handle:horizontal:focus {{ border-color: {ink.focus};
        background: {ink.focus}; }}
    QSlider::handle:horizontal:disabled {{ border-color: {ink.line}; background: palette(window); }}
    """


def _menus(ink: Ink) -> str:
    """Menus with their ticks and arrows."""
    return f"""
    QMenu {{ background: palette(base); border: 1px solid {ink.frame}; padding: 4px 0; }}
    QMenu::item {{ padding: 4px {ink.item}px 4px {ink.mark}px; background: transparent; }}
    QMenu::item:selected {{ background: {ink.chosen_ground}; }}
    QMenu::item:disabled {{ background: transparent; color: {ink.disabled}; }}
    QMenu::separator {{ height: 1px; margin: 4px 0; background: {ink.line}; }}
    QMenu::icon {{ padding-left: 6px; }}
    QMenu::indicator {{ width: {ink.mark}px; height: {ink.mark}px; left: 6px; }}
    QMenu::indicator:non-exclusive {{ border: 1px solid {ink.frame}; border-radius: 3px; background: palette(base); }}
    QMenu::indicator:non-exclusive:checked {{ border-color: {ink.focus}; background: {ink.focus};
        image: url("{_picture("check", ink.mode)}"); }}
    QMenu::right-arrow {{ width: 10px; height: 10px; right: 6px; image: url("{_picture("arrow-right", ink.mode)}"); }}
    """


def _tabs(ink: Ink) -> str:
    """Pages side by side."""
    return f"""
    QTabBar {{ background: transparent; }}
    QTabBar::scroller {{ width: {round(22 * ink.font_scale)}px; }}
    QTabBar QToolButton {{ background: palette(window); border: 0; }}
    QTabBar QToolButton::left-arrow {{ image: url("{_picture("arrow-left", ink.mode)}"); width: 12px; height: 12px; }}
    QTabBar QToolButton::right-arrow {{ image: url("{_picture("arrow-right", ink.mode)}"); width: 12px; height: 12px; }}
    QTabBar::tab {{ background: transparent; border: 0; border-bottom: 2px solid transparent; padding: 6px 8px 4px 8px;
        margin: 0; color: {ink.muted}; }}
    QTabBar::tab:selected {{ border-bottom: 2px solid {ink.focus}; color: palette(text); }}
    QTabBar::tab:hover:!selected {{ border-bottom: 2px solid {ink.frame}; color: palette(text); }}
    QTabBar::tab:focus {{ background: palette(midlight); }}
    QTabWidget::pane {{ border: 0; border-top: 1px solid {ink.line}; }}
    QTabWidget::tab-bar {{ left: 0; }}
    """


def _bars(ink: Ink) -> str:
    """The window's edges and its start page."""
    return f"""
    QScrollArea {{ border: 0; background: transparent; }}
    QStatusBar::item {{ border: 0; }}
    QStatusBar {{ border-top: 1px solid {ink.line}; }}
    QMenuBar {{ border-bottom: 1px solid {ink.line}; }}
    QMenuBar::item {{ padding: 4px 9px; background: transparent; }}
    QMenuBar::item:selected {{ background: palette(midlight); }}
    QLabel#startup {{ font-size: {12 * ink.font_scale:g}pt; color: {ink.muted}; }}
    QLabel#partTitle {{ font-weight: 600; font-size: {11 * ink.font_scale:g}pt; }}
    QLabel#startTitle {{ font-weight: 600; font-size: {17 * ink.font_scale:g}pt; }}
    QPushButton#addFirst {{ margin: 8px 12px; }}
    QPushButton#startWay {{ text-align: left; padding: 8px 14px; min-width: 210px; }}
    QPushButton#startWay:default {{ border: 1px solid {ink.focus}; }}
    QListWidget#startFiles {{ background: transparent; }}
    QListWidget#startFiles::item {{ padding: 5px 0; }}
    QListWidget#startFiles::item:hover {{ background: palette(midlight); }}
    """


def _picture(name: str, mode: str) -> str:
    return (paths.resources_dir() / "icons" / f"{name}-{mode}.svg").as_posix()


_PARTS = (_marks, _scrolling, _fields, _buttons, _words, _lists, _sliders, _menus, _tabs, _bars)
