"""What fills the window: the start page, or the place of work."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget


class Workspace(QStackedWidget):
    """Shows the place of work until a start page is asked for."""

    start_page_shown = Signal()
    workspace_shown = Signal()
    """The start page has made room for it."""

    def __init__(self, work: QWidget) -> None:
        super().__init__()
        self.addWidget(work)
        self.make_start_page: Callable[[], QWidget]
        self.start_page: QWidget | None = None

    @property
    def is_at_work(self) -> bool:
        """The planner sees the place of work."""
        return self.currentIndex() == 0

    def show_start_page(self) -> None:
        """Offer ways to begin instead of the project at hand, until one is taken."""
        if self.start_page is None:
            self.start_page = self.make_start_page()
            self.addWidget(self.start_page)
        self.setCurrentWidget(self.start_page)
        self.start_page_shown.emit()

    def show_workspace(self) -> None:
        if not self.is_at_work:
            self.setCurrentIndex(0)
            self.workspace_shown.emit()
