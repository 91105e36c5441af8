"""The projects that were opened or saved last."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QSettings, Signal

from gpuplanner_gui.desktop.settings import Key, list_setting

LIMIT = 10


class RecentFiles(QObject):
    """Newest first; a file that is gone is left out when the list is shown."""

    changed = Signal()

    def __init__(self, settings: QSettings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings

    def paths(self) -> list[Path]:
        return [path for path in map(Path, list_setting(self._settings, Key.RECENT_FILES)) if path.is_file()]

    def add(self, path: Path) -> None:
        newest = path.absolute()
        others = [known for known in self.paths() if known != newest]
        self._store([newest, *others][:LIMIT])

    def clear(self) -> None:
        self._store([])

    def _store(self, paths: list[Path]) -> None:
        self._settings.setValue(Key.RECENT_FILES, [str(path) for path in paths])
        self.changed.emit()
