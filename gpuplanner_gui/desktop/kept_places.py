"""Where a planner was in a window, and what was set and typed there: handed from a window to the one after it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QScrollArea, QWidget

from gpuplanner_gui.desktop.kept_typing import KeptForm, form_of, settle, show_form
from gpuplanner_gui.desktop.kept_widgets import Kept, kept_of, put_back
from gpuplanner_gui.desktop.views.next_turn import WhenDrawn

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.main_window import MainWindow


@dataclass
class KeptPlaces:
    """By names that are the same in every language."""

    forms: dict[str, KeptForm] = field(default_factory=dict)
    views: dict[str, Kept] = field(default_factory=dict)
    page_scroll: dict[str, tuple[int, int]] = field(default_factory=dict)
    width_of_why: int = 0
    """Of the panel that says why, where it is open."""
    asked: tuple[str, ...] = ()
    """What it was asked."""


def places_of(window: MainWindow) -> KeptPlaces:
    """Takes what is typed first: a value that can be read is no half-typed text."""
    areas = window.inputs.editor.built_areas()
    for _, _, page in areas:
        settle(page)
    kept = KeptPlaces(forms={name: form_of(area, page) for name, area, page in areas})
    pane = window.results_pane
    if pane is not None:
        kept.width_of_why = window.explain_dock.width() if window.explain_dock.isVisible() else 0
        kept.views = {name: kept_of(view) for name, view in _views(window).items()}
        kept.page_scroll = {name: _scroll_of(frame) for name, frame, _ in pane.built_pages()}
        kept.asked = window.explaining.asked if window.explain_panel.explanation is not None else ()
    return kept


def _views(window: MainWindow) -> dict[str, QWidget]:
    """The views that were built so far, by name."""
    pane = window.results_pane
    if pane is None:
        return {}
    pages = {name: view for name, _, view in pane.built_pages()}
    return {"candidates": pane.candidates, "numbers": window.explain_panel.numbers, **pages}


class PutBack(QObject):
    """Puts places back as soon as what they belong to is there, and then no more."""

    def __init__(self, window: MainWindow, kept: KeptPlaces) -> None:
        super().__init__(window)
        self._window = window
        self._kept = kept
        self._has_results = False
        self._when_drawn = WhenDrawn(self, self._on_drawn)
        window.inputs.editor.page_built.connect(self._when_drawn.start)
        window.compute.completed.connect(self._on_completed)
        if window.results_pane is not None:
            window.results_pane.page_built.connect(self._on_page_built)
        if kept.width_of_why:
            dock = window.explain_dock
            dock.show()
            window.desk.resizeDocks([dock], [kept.width_of_why], Qt.Orientation.Horizontal)
        self._try(is_last=False)

    def _on_completed(self) -> None:
        self._window.compute.completed.disconnect(self._on_completed)
        self._has_results = True
        if self._kept.asked:
            self._window.explaining.ask_again(self._kept.asked)
        self._when_drawn.start()

    def _on_page_built(self) -> None:
        # At once: nobody should see it otherwise first.
        self._show_views(is_last=False)
        self._when_drawn.start()

    def _on_drawn(self) -> None:
        """With the results, whatever is there now has its size: what finds no place will find none."""
        self._try(self._has_results)

    def _try(self, is_last: bool) -> None:
        self._show_forms(is_last)
        self._show_views(is_last)
        if self._window.results_pane is None or not self._has_results:
            return
        for name, frame, _ in self._window.results_pane.built_pages():
            place = self._kept.page_scroll.get(name)
            if place is not None and (_scrolled(frame, place) or is_last):
                del self._kept.page_scroll[name]

    def _show_forms(self, is_last: bool) -> None:
        for name, area, page in self._window.inputs.editor.built_areas():
            kept = self._kept.forms.get(name)
            if kept is not None and (show_form(area, page, kept) or is_last):
                del self._kept.forms[name]

    def _show_views(self, is_last: bool) -> None:
        for name, view in _views(self._window).items():
            kept = self._kept.views.pop(name, {})
            left = put_back(view, kept, is_last) if kept else {}
            if left and not is_last:
                self._kept.views[name] = left


def _scroll_of(area: QScrollArea) -> tuple[int, int]:
    return area.horizontalScrollBar().value(), area.verticalScrollBar().value()


def _scrolled(area: QScrollArea, place: tuple[int, int]) -> bool:
    area.horizontalScrollBar().setValue(place[0])
    area.verticalScrollBar().setValue(place[1])
    return _scroll_of(area) == place
