"""Where the planner is: the places, the pages of the one in front, whom the page speaks of, and the way back."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.pages.page_table import AT_THE_SIDE, BY_NAME, PLACES, PlaceName
from gpuplanner_gui.desktop.widgets.labels import ElidedLabel
from gpuplanner_gui.desktop.widgets.layouts import STRETCH, Gap, lay_out
from gpuplanner_gui.drawing.language import tr

MOST_COUNTED = 99
"""Of findings: the tab keeps room for this many."""
LEAST_BUTTON = 36
"""Pixels: beside a wide panel, names give way before the window does."""
COUNTED = "findings"


class PlaceBar(QWidget):
    """Two rows; neither moves when counts, pages or the subject change."""

    place_chosen = Signal(str)
    page_chosen = Signal(str)
    recommended_wanted = Signal()
    """Back to the recommended candidate."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.places: dict[PlaceName, QToolButton] = {}
        self._group = QButtonGroup(self)
        self.pages = _PageTabs(self)
        self.pages.setAccessibleName(tr("Pages"))
        self.pages.currentChanged.connect(self._on_tab)
        self.subject = ElidedLabel(self, tr("Whom the page speaks of"))
        self.subject.fill_width()
        self.subject.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.back = QPushButton(tr("Back to the recommended"), self)
        self.back.clicked.connect(self.recommended_wanted)
        for widget in (self.pages, self.back):
            kept = widget.sizePolicy()
            kept.setRetainSizeWhenHidden(True)
            widget.setSizePolicy(kept)
        self.back.setMinimumWidth(LEAST_BUTTON)
        self.back.hide()
        first = QHBoxLayout()
        first.setContentsMargins(12, 4, 12, 0)
        first.setSpacing(4)
        for name, title in PLACES.items():
            if name == AT_THE_SIDE[0]:
                lay_out(first, Gap(12), (self.subject, 1), Gap(12))
            first.addWidget(self._place_button(name, tr(title)))
        second = lay_out(QHBoxLayout(), self.pages, STRETCH, self.back, margins=(8, 0, 12, 2), spacing=12)
        lay_out(QVBoxLayout(self), first, second, margins=(0, 0, 0, 0), spacing=0)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_page(self, name: str, beside: Sequence[str]) -> None:
        """Mark the page in front and its place; `beside` are the pages of the place that apply, itself among them."""
        self.places[BY_NAME[name].place].setChecked(True)
        blocker = QSignalBlocker(self.pages)
        if tuple(beside) != self.pages.names:
            self.pages.show_names(beside)
        self.pages.setCurrentIndex(self.pages.names.index(name))
        del blocker
        self.pages.setVisible(len(beside) > 1)

    def show_count(self, count: int) -> None:
        """How many findings are more than notes."""
        self.pages.show_count(count)

    def show_subject(self, text: str, is_elsewhere: bool) -> None:
        self.subject.setText(text)
        self.back.setVisible(is_elsewhere)

    def _place_button(self, name: PlaceName, title: str) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName("place")
        button.setText(title)
        button.setCheckable(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda: self.place_chosen.emit(name))
        button.setMinimumWidth(LEAST_BUTTON)
        self._group.addButton(button)
        self.places[name] = button
        return button

    def _on_tab(self, place: int) -> None:
        if 0 <= place < len(self.pages.names):
            self.page_chosen.emit(self.pages.names[place])


class _PageTabs(QTabBar):
    """The pages of a place; the one that counts findings is as wide as with many of them."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.names: tuple[str, ...] = ()
        self._counted = 0
        self._room = (0, 0)
        """Height of the type, and the counting tab's width in it."""
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setUsesScrollButtons(True)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def show_names(self, names: Sequence[str]) -> None:
        while self.count():
            self.removeTab(0)
        self.names = tuple(names)
        for name in names:
            self.addTab(tr(BY_NAME[name].title))
        self.show_count(self._counted)

    def show_count(self, count: int) -> None:
        self._counted = min(count, MOST_COUNTED)
        if COUNTED in self.names:
            place, title = self.names.index(COUNTED), tr(BY_NAME[COUNTED].title)
            text = f"{title} ({self._counted})" if count else title
            # The same words again would lay out all tabs anew.
            if text != self.tabText(place):
                self.setTabText(place, text)

    def tabSizeHint(self, index: int) -> QSize:
        size = super().tabSizeHint(index)
        if 0 <= index < len(self.names) and self.names[index] == COUNTED:
            metrics, widest = self.fontMetrics(), f"{tr(BY_NAME[COUNTED].title)} ({MOST_COUNTED})"
            if self._room[0] != metrics.height():
                # Kept, so that rounding moves nothing by a pixel either.
                beside = size.width() - metrics.horizontalAdvance(self.tabText(index))
                self._room = metrics.height(), metrics.horizontalAdvance(widest) + beside
            size.setWidth(self._room[1])
        return size
