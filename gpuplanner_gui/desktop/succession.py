"""One window takes another's place: in another language, on the same work, with its history of steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget

from gpuplanner_gui.desktop.kept_places import PutBack, places_of
from gpuplanner_gui.desktop.main_window import Estate
from gpuplanner_gui.desktop.parts import part_of_path

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.main_window import MainWindow
    from gpuplanner_gui.desktop.store import Store


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


def take_over(old: MainWindow, make_window: Callable[[Estate], MainWindow]) -> MainWindow:
    """A new window with the old one's project, steps, file, page and place; the old one is gone afterwards."""
    old.save_layout()
    preferences = _PreferencesPlace.of(old)
    page = old.results_pane.page_name() if old.results_pane is not None else ""
    part = old.inputs.editor.part
    is_starting = not old.workspace.is_at_work
    selected = old.planner.selected
    places = places_of(old)
    trace = old.load.simulations.replayed
    methods = old.commands.methods_place()
    launch_flags = old.commands.are_launch_flags_shown()
    store = _released_store(old)
    store.retell()
    engine = old.compute.engine
    new = make_window(Estate(store, old.compute.make_engine if engine is None else lambda: engine))
    store.setParent(new)
    new.file.continue_from(old.file)
    for workload, key in selected.items():
        new.planner.look_at(workload, key)
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
