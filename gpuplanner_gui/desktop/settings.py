"""Where the window's own settings are kept: an INI file in the user's configuration folder.

A setting never changes a computed number; what changes numbers belongs to the project.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from PySide6.QtCore import QByteArray, QSettings

from gpuplanner_gui import paths

FILE_NAME = "window.ini"


class Key(StrEnum):
    """Every setting there is."""

    GEOMETRY = "window/geometry"
    WINDOW_STATE = "window/state"
    MAIN_SPLIT = "window/main_split"
    INPUT_SPLIT = "window/input_split"
    RESULT_SPLIT = "window/result_split"
    RECENT_FILES = "files/recent"
    SESSIONS = "files/sessions"
    LAST_FOLDER = "files/last_folder"
    THEME = "view/theme"
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


def list_setting(settings: QSettings, key: Key) -> list[str]:
    """A list of texts. An INI file gives back a lone entry as a plain text."""
    value: Any = settings.value(key)
    if isinstance(value, str):
        return [value] if value else []
    return [entry for entry in value if isinstance(entry, str)] if isinstance(value, list) else []
