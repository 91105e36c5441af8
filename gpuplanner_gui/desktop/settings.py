"""Where the window's own settings are kept: an INI file in the user's configuration folder.

A setting never changes a computed number; what changes numbers belongs to the project.
"""

from __future__ import annotations

import math
from enum import StrEnum
from pathlib import Path
from typing import Any

from PySide6.QtCore import QByteArray, QObject, QSettings, Signal

from gpuplanner_gui import paths


class LastFolder:
    """The same in every window and at the next start; the user's own folder before anything was saved."""

    def __init__(self) -> None:
        self._settings: QSettings | None = None

    def use_settings(self, settings: QSettings) -> None:
        self._settings = settings

    def place_for(self, name: str) -> str:
        """A path to suggest for a file of that name."""
        home = str(Path.home())
        folder = Path(home if self._settings is None else text_setting(self._settings, Key.LAST_FOLDER, home))
        return str((folder if folder.is_dir() else Path(home)) / name)

    def note(self, path: Path) -> None:
        """A file was saved there."""
        if self._settings is not None:
            self._settings.setValue(Key.LAST_FOLDER, str(path.parent))


last_folder = LastFolder()


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


FILE_NAME = "window.ini"


class Key(StrEnum):
    """Every setting there is."""

    GEOMETRY = "window/geometry"
    DOCKS = "window/docks"
    INPUT_SPLIT = "window/input_split"
    RECENT_FILES = "files/recent"
    SESSIONS = "files/sessions"
    LAST_FOLDER = "files/last_folder"
    THEME = "view/theme"
    LANGUAGE = "view/language"
    NUMBERS = "view/numbers"
    FONT_SCALE = "view/font_scale"
    REDUCED_MOTION = "view/reduced_motion"
    AUTOSAVE_S = "files/autosave_s"
    RESTORES_SESSION = "files/restores_session"
    OPEN_WINDOWS = "files/open_windows"
    TOUR_DONE = "help/tour_done"
    OVERLAYS = "view/overlays"
    PLOT_SCALES = "view/plot_scales"


def window_settings() -> QSettings:
    return QSettings(str(paths.user_config_dir() / FILE_NAME), QSettings.Format.IniFormat)


def text_setting(settings: QSettings, key: Key, default: str = "") -> str:
    value = settings.value(key, default)
    return value if isinstance(value, str) else default


def bytes_setting(settings: QSettings, key: Key) -> QByteArray:
    """Geometry and layouts; empty where nothing usable was stored."""
    value: Any = settings.value(key)
    return value if isinstance(value, QByteArray) else QByteArray()


def number_setting(settings: QSettings, key: Key, default: float) -> float:
    """A number; an INI file gives it back as a text."""
    value: Any = settings.value(key, default)
    try:
        number = float(value)
    except (TypeError, ValueError):
        return default
    return number if math.isfinite(number) else default


def flag_setting(settings: QSettings, key: Key) -> bool:
    """Yes or no; an INI file gives it back as a text."""
    value: Any = settings.value(key)
    return value is True or str(value).lower() == "true"


def list_setting(settings: QSettings, key: Key) -> list[str]:
    """A list of texts. An INI file gives back a lone entry as a plain text."""
    value: Any = settings.value(key)
    if isinstance(value, str):
        return [value] if value else []
    return [entry for entry in value if isinstance(entry, str)] if isinstance(value, list) else []
