"""Where things are: what ships with the program, and what belongs to the user. Belongs to no layer.

What ships is found in three situations: in a source checkout (`catalogs/`, `resources/` beside the package), in an
installed wheel and in a frozen build (both carry them inside the package). What belongs to the user goes to the
platform's own folders, or all of it under the folder named by the environment variable `GPUPLANNER_HOME`.
The functions name a folder; whoever writes into it makes it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import platformdirs

APPLICATION_NAME = "gpuplanner"
HOME_VARIABLE = "GPUPLANNER_HOME"

_PACKAGE = Path(__file__).resolve().parent


class IncompleteInstallationError(RuntimeError):
    """A folder that ships with the program is not there."""

    def __init__(self, name: str, searched: tuple[Path, ...]) -> None:
        places = " or ".join(str(place) for place in searched)
        super().__init__(f"The folder '{name}' that ships with GPU Planner is not at {places}. Install it again.")
        self.name = name
        self.searched = searched


def catalogs_dir() -> Path:
    """The catalogues that ship: accelerators, nodes, links, offers, models, calibration."""
    return _shipped_dir("catalogs")


def resources_dir() -> Path:
    """Icons, styles, example projects, translations."""
    return _shipped_dir("resources")


def build_dir() -> Path | None:
    """The folder of the frozen build that runs now, on macOS the one around the application bundle.

    None in a checkout or an installed wheel.
    """
    if not getattr(sys, "frozen", False):
        return None
    folder = Path(sys.executable).resolve().parent
    return folder.parents[2] if folder.parts[-2:] == ("Contents", "MacOS") else folder


def user_catalogs_dir() -> Path:
    """The user's own catalogues, which add to or override those that ship."""
    return user_data_dir() / "catalogs"


def user_data_dir() -> Path:
    """What the user would miss: own catalogues, recovery files."""
    return _user_dir("data", platformdirs.user_data_path(APPLICATION_NAME, appauthor=False))


def user_config_dir() -> Path:
    """Settings and recent files."""
    return _user_dir("config", platformdirs.user_config_path(APPLICATION_NAME, appauthor=False))


def log_dir() -> Path:
    """Log files and crash reports."""
    return _user_dir("log", platformdirs.user_log_path(APPLICATION_NAME, appauthor=False))


def _user_dir(part: str, platform_folder: Path) -> Path:
    home = os.environ.get(HOME_VARIABLE)
    return Path(home) / part if home else platform_folder


def _shipped_dir(name: str) -> Path:
    searched = (_PACKAGE / f"_{name}", _PACKAGE.parent / name)
    for place in searched:
        if place.is_dir():
            return place
    raise IncompleteInstallationError(name, searched)
