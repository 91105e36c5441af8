"""Where files were opened and saved last: what a view saves goes there, and not where the program was started."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSettings

from gpuplanner_gui.desktop.settings import Key, text_setting


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
