"""Where the planner was in a project: its page and scenario, found again when the project's file is opened."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gpuplanner_gui.desktop.settings import Key, list_setting

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.pages.results_pane import ResultsPane
    from gpuplanner_gui.desktop.window.window_parts import WindowParts

KEPT_PROJECTS = 50


class SessionMemory(QObject):
    """Notes where the planner goes, by the file's path; an unnamed project leaves no trace."""

    def __init__(self, parts: WindowParts) -> None:
        super().__init__(parts.frame)
        self._parts = parts
        self._pane: ResultsPane | None = None
        self._restored: Path | None = None
        """The file whose place has been found again; while another is being opened, nothing is noted of it."""
        parts.file.changed.connect(self._take_name)
        parts.file.opened.connect(self._restore)
        parts.store.current_scenario_changed.connect(self._note)

    def connect_pane(self, pane: ResultsPane) -> None:
        self._pane = pane
        self._restore()
        pane.page_changed.connect(self._note)

    def _note(self, *_: object) -> None:
        path = self._parts.file.path
        if path is None or self._pane is None or path != self._restored:
            return
        place = json.dumps([str(path), self._pane.page_name(), self._parts.store.current])
        others = [entry for entry in list_setting(self._parts.settings, Key.SESSIONS) if _place(entry)[0] != str(path)]
        self._parts.settings.setValue(Key.SESSIONS, [place, *others][:KEPT_PROJECTS])

    def _take_name(self) -> None:
        """Opened, or saved under another name: what is noted from now on is of that file."""
        self._restored = self._parts.file.path

    def _restore(self) -> None:
        path = self._parts.file.path
        if path is None or self._pane is None:
            self._restored = None
            return
        self._restored = None
        self._find_place(path, self._pane)
        self._restored = path

    def _find_place(self, path: Path, pane: ResultsPane) -> None:
        for entry in list_setting(self._parts.settings, Key.SESSIONS):
            known, page, scenario = _place(entry)
            if known == str(path):
                pane.show_page_named(page)
                if 0 <= scenario < len(self._parts.store.project.scenarios):
                    self._parts.store.select_scenario(scenario)
                return


def _place(entry: str) -> tuple[str, str, int]:
    """Path, page and scenario of an entry; empty where the settings hold something else."""
    try:
        path, page, scenario = json.loads(entry)
    except (ValueError, TypeError, RecursionError):
        return "", "", -1
    if isinstance(path, str) and isinstance(page, str) and isinstance(scenario, int):
        return path, page, scenario
    return "", "", -1
