"""The program's windows, each on a project of its own: opened, brought to the front, closed one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QTimer, Signal

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.main_window import MainWindow
    from gpuplanner_gui.desktop.succession import Estate

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
        make_successor: Callable[[Estate], MainWindow] | None = None,
    ) -> None:
        super().__init__(parent)
        self._make_window = make_window
        self._make_successor = make_successor
        self.all: list[MainWindow] = []
        """The one in front last."""

    @property
    def front(self) -> MainWindow:
        return self.all[-1]

    def take(self, window: MainWindow) -> None:
        """Hold a window from now on."""
        window.activated.connect(lambda: self._on_activated(window))
        window.closed.connect(lambda: self._on_closed(window))
        window.new_window_requested.connect(self.open_new)
        window.next_window_requested.connect(self.show_next)
        # Later: the menu that asked for it is gone then.
        window.renewal_requested.connect(lambda: QTimer.singleShot(0, self, self.renew))
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
        window.show_start_page()
        window.planner.ask()
        window.compute.start()
        window.activateWindow()
        return window

    def renew(self) -> None:
        """Put another window in the place of each, on the same work, as the present settings ask for."""
        from gpuplanner_gui.desktop.succession import take_over

        if self._make_successor is None:
            return
        for old in list(self.all):
            take_over(old, self._made_successor)
        self.renewed.emit(self.front)

    def _made_successor(self, estate: Estate) -> MainWindow:
        assert self._make_successor is not None
        window = self._make_successor(estate)
        self.take(window)
        return window

    def show_next(self) -> None:
        """Bring the window to the front that was there longest ago."""
        self.all[0].open_from_outside("")
        self._bring_to_front(self.all[0])

    def open_from_outside(self, file: str) -> None:
        """In the front window: a file that was double-clicked; an empty name asks for the front alone."""
        if self.all:
            self.front.open_from_outside(file)

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
