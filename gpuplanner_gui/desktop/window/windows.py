"""The program's windows: opened, closed, and brought back at the next start as they were."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QObject, QPoint, QSettings, QTimer, Signal

from gpuplanner_gui.desktop.settings import Key, flag_setting, list_setting
from gpuplanner_gui.desktop.widgets.message_bar import Severity
from gpuplanner_gui.drawing.language import listed, tr

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.window.main_window import Handover, MainWindow

MOST_WINDOWS = 20


@dataclass(frozen=True)
class OpenWindow:
    """The stored state from which a window is reopened."""

    path: str = ""
    """The project's file; empty for one without a name."""
    copy: str = ""
    """Name of the recovery copy with its unsaved work; empty where all is saved."""
    geometry: str = ""
    """Qt's geometry of the window, in base 64."""
    page: str = ""
    scenario: int = -1

    @property
    def is_there(self) -> bool:
        """Whether there is anything to bring back."""
        return bool(self.copy) or (bool(self.path) and Path(self.path).is_file())


def noted(window: MainWindow, copy: str = "") -> OpenWindow:
    """A window as it stands now."""
    return OpenWindow(
        path=str(window.file.path or ""),
        copy=copy,
        geometry=bytes(window.saveGeometry().toBase64().data()).decode("ascii"),
        page=window.results_pane.page_name() if window.results_pane is not None else "",
        scenario=window.store.current,
    )


def wants_windows_back(settings: QSettings) -> bool:
    """Whether the planner wants to begin where the last run ended."""
    return flag_setting(settings, Key.RESTORES_SESSION)


def keep_open_windows(settings: QSettings, found: list[OpenWindow]) -> None:
    """Note them for the next start, the front one last."""
    named = [one for one in found if one.path or one.copy]
    settings.setValue(Key.OPEN_WINDOWS, [json.dumps(asdict(one)) for one in named[-MOST_WINDOWS:]])


def kept_open_windows(settings: QSettings) -> list[OpenWindow]:
    """The windows of the last run, the front one last; none where the planner does not want them back."""
    if not wants_windows_back(settings):
        return []
    found = (_window(entry) for entry in list_setting(settings, Key.OPEN_WINDOWS))
    return [one for one in found if one is not None][-MOST_WINDOWS:]


def put_in_place(window: MainWindow, place: OpenWindow) -> None:
    """Give a window the size and position that it had."""
    geometry = QByteArray.fromBase64(QByteArray(place.geometry.encode("ascii", "ignore")))
    if not geometry.isEmpty():
        window.restoreGeometry(geometry)


def bring_back(window: MainWindow, place: OpenWindow) -> bool:
    """Open what a window was on, at the page and scenario where it was left. False if there was nothing left."""
    is_open = bool(place.copy) and window.recovery.take_back(place.copy)
    if not is_open and place.path:
        is_open = window.file.open(Path(place.path))
    if not is_open or window.file.is_reading:
        return is_open  # What was shown of a large file is found again when it is open (`SessionMemory`).
    if window.results_pane is not None:
        window.results_pane.show_page_named(place.page)
    if 0 <= place.scenario < len(window.store.project.scenarios):
        window.store.select_scenario(place.scenario)
    return True


def _window(entry: str) -> OpenWindow | None:
    """An entry of the settings; None where it is of another making."""
    try:
        found = json.loads(entry)
        made = OpenWindow(**found)
    except (ValueError, TypeError, RecursionError):
        return None
    texts = (made.path, made.copy, made.geometry, made.page)
    # A name and no path: a copy is taken from the folder of copies alone.
    is_sound = all(isinstance(one, str) and "\0" not in one for one in texts) and isinstance(made.scenario, int)
    return made if is_sound and Path(made.copy).name == made.copy else None


CASCADE = QPoint(32, 32)
"""A new window stands so far from the one that it was asked for in."""


class Windows(QObject):
    """Holds every window for as long as it is open."""

    front_changed = Signal(object)
    """The window that is worked in; what comes from outside concerns it."""

    renewed = Signal(object)
    """The front window after all were made anew."""

    def __init__(
        self,
        make_window: Callable[[], MainWindow],
        parent: QObject | None = None,
        make_successor: Callable[[Handover], MainWindow] | None = None,
    ) -> None:
        super().__init__(parent)
        self._make_window = make_window
        self._make_successor = make_successor
        self._is_quitting = False
        self.all: list[MainWindow] = []
        """The one in front last."""

    @property
    def front(self) -> MainWindow:
        return self.all[-1]

    def take(self, window: MainWindow) -> None:
        """Hold a window from now on."""
        window.may_close = partial(self._may_close, window)
        window.file.is_elsewhere = lambda path: self._is_elsewhere(path, window)
        window.activated.connect(lambda: self._on_activated(window))
        window.closed.connect(lambda: self._on_closed(window))
        window.file.changed.connect(self._note)
        window.commands.new_window_requested.connect(self.open_new)
        window.commands.project_beside_requested.connect(self.open_beside)
        window.recovery.recovered_beside_requested.connect(self.open_recovered)
        window.commands.next_window_requested.connect(self.show_next)
        # Later: the menu that asked for it is gone then.
        window.commands.quit_requested.connect(lambda: QTimer.singleShot(0, self, self.quit))
        window.appearance.renewal_requested.connect(lambda: QTimer.singleShot(0, self, self.renew))
        self._bring_to_front(window)

    def open_new(self) -> MainWindow:
        """Another window, on the start page."""
        place = self.front.pos() + CASCADE
        window = self._make_window()
        self.take(window)
        window.resize(self.front.size())
        window.move(place)
        window.show()
        window.build_results()
        window.workspace.show_start_page()
        window.planner.ask()
        window.compute.start()
        window.activateWindow()
        return window

    def open_beside(self, file: str) -> MainWindow:
        """A project in a window of its own; one that is open already comes to the front."""
        if self._is_elsewhere(Path(file)):
            return self.front
        window = self.open_new()
        window.file.open(Path(file))
        return window

    def _is_elsewhere(self, path: Path, asking: MainWindow | None = None) -> bool:
        """Whether a window, but the one that asks, has a file open: it comes to the front and says so.

        Two windows would write over each other's work.
        """
        found = next((one for one in self.all if one is not asking and one.file.is_at(path)), None)
        if found is None:
            return False
        found.open_from_outside("")
        self._bring_to_front(found)
        found.messages.show_message(
            lambda: tr("{name} is already open in this window.").format(name=path.name), Severity.NOTE
        )
        return True

    def open_recovered(self, copy: str) -> MainWindow:
        """Unsaved work of an earlier run in a window of its own."""
        window = self.open_new()
        window.recovery.take_back(copy)
        return window

    def bring_back(self, found: list[OpenWindow]) -> bool:
        """The windows of the last run, the front one in place of the window at hand. True if one is back."""
        first, gone = self.front, [one for one in found if not one.is_there]
        there = [one for one in found if one.is_there]
        is_back = False
        while there and not is_back:
            is_back = bring_back(first, there.pop())
        for place in there:
            self._bring_one_back(place)
        if is_back:
            first.raise_()
            first.activateWindow()
            self._bring_to_front(first)
        if gone:
            first.messages.show_message(partial(_gone_text, gone), Severity.WARNING, is_about_project=False)
        return is_back

    def _bring_one_back(self, place: OpenWindow) -> None:
        window = self._make_window()
        self.take(window)
        put_in_place(window, place)
        window.show()
        window.build_results()
        if not bring_back(window, place):
            window.workspace.show_start_page()
        window.planner.ask()
        window.compute.start()

    def quit(self) -> None:
        """Close every window, unless the planner would rather keep one."""
        if not self._may_quit(self.all):
            return
        self._is_quitting = True
        for window in reversed(self.all):
            window.close()
        self._is_quitting = False

    def renew(self) -> None:
        """Put another window in the place of each, on the same work, as the present settings ask for."""
        from gpuplanner_gui.desktop.window.window_handover import take_over

        if self._make_successor is None:
            return
        for old in list(self.all):
            take_over(old, self._made_successor)
        self.renewed.emit(self.front)

    def _made_successor(self, handover: Handover) -> MainWindow:
        assert self._make_successor is not None
        window = self._make_successor(handover)
        self.take(window)
        return window

    def show_next(self) -> None:
        """Bring the window to the front that was there longest ago."""
        self.all[0].open_from_outside("")
        self._bring_to_front(self.all[0])

    def open_from_outside(self, file: str) -> None:
        """Open a double-clicked file in the front window; an empty name only raises it."""
        if self.all:
            self.front.open_from_outside(file)

    def _may_close(self, window: MainWindow) -> bool:
        """The last window closes as quitting does; of several, one that goes is gone."""
        if self._is_quitting:
            return True
        return self._may_quit([window]) if self.all == [window] else window.file.may_leave()

    def _may_quit(self, windows: list[MainWindow]) -> bool:
        """Ask about unsaved work, or keep it for the next start where the planner wants to go on there."""
        places = []
        for window in windows:
            window.file.finish_typing()
            copy = ""
            if window.file.is_modified and wants_windows_back(window.settings):
                copy = window.recovery.keeper.leave_for_next_start()
            if not _may_go(window, copy):
                for one in windows:
                    one.recovery.keeper.stay()
                return False
            places.append(noted(window, copy))
        keep_open_windows(windows[-1].settings, places)
        return True

    def _note(self) -> None:
        """Store the session for a run that ends without asking; the next start offers its unsaved work and reopens
        files."""
        if not self._is_quitting and self.all and wants_windows_back(self.front.settings):
            keep_open_windows(self.front.settings, [noted(window) for window in self.all])

    def _on_activated(self, window: MainWindow) -> None:
        # One that is closing may be activated once more when another is hidden.
        if any(one is window for one in self.all):
            self._bring_to_front(window)

    def _bring_to_front(self, window: MainWindow) -> None:
        self.all = [*(one for one in self.all if one is not window), window]
        self.front_changed.emit(window)

    def _on_closed(self, window: MainWindow) -> None:
        self.all = [one for one in self.all if one is not window]
        if self.all:
            # The last one stays for what the program still does with it at its end.
            window.deleteLater()
            self.front_changed.emit(self.front)
            self._note()


def _may_go(window: MainWindow, copy: str) -> bool:
    """Ask about what a window would lose: a copy of its work has all but what could not be taken from its fields."""
    file = window.file
    if not file.unread() and (copy or not file.is_modified):
        return True
    window.open_from_outside("")
    return file.may_lose_typing() if copy else file.may_leave()


def _gone_text(gone: list[OpenWindow]) -> str:
    names = listed(Path(one.path).name for one in gone)
    return tr("Not reopened, because the file no longer exists: {names}.").format(names=names)
