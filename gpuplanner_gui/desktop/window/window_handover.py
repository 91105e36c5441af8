"""One window takes another's place: in another language, on the same work, with its history of steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QScrollArea, QWidget

from gpuplanner_gui.desktop.editors.base import FIELD_NAME, part_of_path
from gpuplanner_gui.desktop.editors.list_edit import ListEdit
from gpuplanner_gui.desktop.editors.struct_form import FormSection, StructForm
from gpuplanner_gui.desktop.widgets.ask_why import from_inside_out
from gpuplanner_gui.desktop.widgets.event_turns import WhenDrawn
from gpuplanner_gui.desktop.widgets.ui_state import Kept, kept_of, put_back, scroll_of
from gpuplanner_gui.desktop.window.main_window import Handover

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.store import Store
    from gpuplanner_gui.desktop.window.main_window import MainWindow


@dataclass
class KeptForm:
    """State of the form of one project part."""

    entries: dict[str, int] = field(default_factory=dict)
    """Number of shown entries of each list."""
    sections: dict[str, bool] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    focused: str = ""
    cursor: int = 0
    scroll: int = 0


def place_in_form(widget: QWidget, page: QWidget) -> str:
    """Names from the page down to the widget: classes/[0]/prompt_tokens."""
    within = takewhile(lambda one: one is not page, from_inside_out(widget))
    names = [str(name) for one in within if (name := one.property(FIELD_NAME))]
    return "/".join(reversed(names))


def settle(page: QWidget) -> None:
    """Take what has been typed, as leaving each field would; what cannot be read stays in its field."""
    for line in page.findChildren(QLineEdit):
        if line.isModified():
            line.editingFinished.emit()
    for box in page.findChildren(QPlainTextEdit):
        QApplication.sendEvent(box, QFocusEvent(QEvent.Type.FocusOut))


def form_of(area: QScrollArea, page: QWidget) -> KeptForm:
    """The state of a part's form: open sections, half-typed text, scroll position."""
    kept = KeptForm(scroll=area.verticalScrollBar().value())
    kept.entries = {place_in_form(one, page): len(one.items) for one in page.findChildren(ListEdit)}
    kept.sections = {place_in_form(one, page): one.header.isChecked() for one in page.findChildren(FormSection)}
    for line in _lines(page):
        place = place_in_form(line, page)
        if line.isModified():
            kept.texts[place] = line.text()
        if page.window().focusWidget() is line:
            kept.focused, kept.cursor = place, line.cursorPosition()
    return kept


def show_form(area: QScrollArea, page: QWidget, kept: KeptForm) -> bool:
    """Open, type and scroll as it was; False while the page is too short to be scrolled so far."""
    is_more = True
    while is_more:
        # A form that is made whole, an opened section and an entry may hold others.
        is_grown = [one.complete() for one in page.findChildren(StructForm)]
        lists = page.findChildren(ListEdit)
        is_longer = [one.show_entries(kept.entries.get(place_in_form(one, page), 0)) for one in lists]
        is_more = _open_sections(page, kept.sections) or any(is_grown) or any(is_longer)
    for line in _lines(page):
        place = place_in_form(line, page)
        text = kept.texts.pop(place, None)
        if text is not None and text != line.text():
            line.setText(text)
            line.setModified(True)
            line.textEdited.emit(text)
            line.editingFinished.emit()
        if kept.focused and place == kept.focused:
            line.setFocus()
            line.setCursorPosition(kept.cursor)
            kept.focused = ""
    bar = area.verticalScrollBar()
    bar.setValue(kept.scroll)
    return bar.value() == kept.scroll


def _open_sections(page: QWidget, wanted: dict[str, bool]) -> bool:
    is_changed = False
    for section in page.findChildren(FormSection):
        is_open = wanted.get(place_in_form(section, page))
        if is_open is not None and section.header.isChecked() != is_open:
            section.header.setChecked(is_open)
            is_changed = True
    return is_changed


def _lines(page: QWidget) -> Iterator[QLineEdit]:
    return (line for line in page.findChildren(QLineEdit) if not line.isReadOnly())


@dataclass
class KeptPlaces:
    """State of a window's views, by names that do not depend on the language."""

    forms: dict[str, KeptForm] = field(default_factory=dict)
    views: dict[str, Kept] = field(default_factory=dict)
    page_scroll: dict[str, tuple[int, int]] = field(default_factory=dict)
    width_of_why: int = 0
    """Width of the panel Why?, where it is open."""
    asked: tuple[str, ...] = ()
    """The question in the panel Why?"""


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
        kept.page_scroll = {name: scroll_of(frame) for name, frame, _ in pane.built_pages()}
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
        # Puts back what needs results; what finds no place then is dropped.
        self._when_drawn = WhenDrawn(self, lambda: self._try(self._has_results))
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


def _scrolled(area: QScrollArea, place: tuple[int, int]) -> bool:
    area.horizontalScrollBar().setValue(place[0])
    area.verticalScrollBar().setValue(place[1])
    return scroll_of(area) == place


@dataclass(frozen=True)
class _PreferencesPlace:
    """Whether the preferences are open, where, and which of them is at hand."""

    is_open: bool = False
    position: QPoint | None = None
    focused: str = ""

    @staticmethod
    def of(window: MainWindow) -> _PreferencesPlace:
        dialog = window.commands.preferences
        if dialog is None or not dialog.isVisible():
            return _PreferencesPlace()
        focused = dialog.focusWidget()
        return _PreferencesPlace(True, dialog.pos(), focused.objectName() if focused is not None else "")

    def restore(self, window: MainWindow) -> None:
        if not self.is_open or self.position is None:
            return
        window.commands.show_preferences()
        dialog = window.commands.preferences
        assert dialog is not None
        # Larger type makes it larger: all of it stays on the screen.
        room = dialog.screen().availableGeometry()
        corner = room.bottomRight() - QPoint(dialog.frameGeometry().width(), dialog.frameGeometry().height())
        dialog.move(
            max(room.left(), min(self.position.x(), corner.x())), max(room.top(), min(self.position.y(), corner.y()))
        )
        field = dialog.findChild(QWidget, self.focused) if self.focused else None
        if field is not None:
            field.setFocus()


def take_over(old: MainWindow, make_window: Callable[[Handover], MainWindow]) -> MainWindow:
    """A new window with the old one's project, steps, file, page and place; the old one is gone afterwards."""
    old.save_layout()
    preferences = _PreferencesPlace.of(old)
    page = old.results_pane.page_name() if old.results_pane is not None else ""
    part = old.inputs.editor.part
    is_starting = not old.workspace.is_at_work
    selected, pinned = old.planner.selected, old.planner.pinned
    places = places_of(old)
    trace = old.load.simulations.replayed
    methods = old.commands.methods_place()
    launch_flags = old.commands.are_launch_flags_shown()
    store = _released_store(old)
    store.retell()
    engine = old.compute.engine
    new = make_window(Handover(store, old.compute.make_engine if engine is None else lambda: engine))
    store.setParent(new)
    new.file.continue_from(old.file)
    for workload, key in selected.items():
        new.planner.look_at(workload, key)
    new.planner.pin(pinned)
    if part is not None:
        new.inputs.show_part(part_of_path(part.path))
    new.setGeometry(old.geometry())
    new.setWindowState(old.windowState())
    new.show()
    new.build_results()
    if new.results_pane is not None and page:
        new.results_pane.show_page_named(page)
    if is_starting:
        new.workspace.show_start_page()
    # Before the old window deletes its copy of unsaved work.
    new.recovery.keeper.keep_at_once()
    new.messages.take_over(old.messages)
    PutBack(new, places)
    if trace is not None:
        new.load.simulations.use_trace(*trace)
    old.retire()
    new.planner.ask()
    new.compute.start()
    new.activateWindow()
    if methods:
        new.commands.show_method(methods)
    if launch_flags:
        new.commands.show_launch_flags()
    preferences.restore(new)
    return new


def _released_store(window: MainWindow) -> Store:
    """The store with nobody listening any more: what the old window does while it goes concerns it no longer."""
    store = window.store
    stack = store.undo_stack
    signals = (store.project_changed, store.current_scenario_changed, stack.cleanChanged)
    for signal in signals:
        signal.disconnect()
    return store
