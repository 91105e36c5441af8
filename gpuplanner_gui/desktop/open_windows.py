"""Which windows were open when the program ended: on which file or unsaved work, where they stood, on which page."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QSettings

from gpuplanner_gui.desktop.settings import Key, flag_setting, list_setting

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.main_window import MainWindow

MOST_WINDOWS = 20


@dataclass(frozen=True)
class OpenWindow:
    """What a window is brought back from."""

    path: str = ""
    """The project's file; empty for one without a name."""
    copy: str = ""
    """Name of the recovery copy with its unsaved work; empty where all is saved."""
    geometry: str = ""
    """As Qt gives it, in base 64."""
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
    return flag_setting(settings, Key.RESTORES_SESSION, False)


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
    if not is_open:
        return False
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
