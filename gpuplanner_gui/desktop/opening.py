"""Files that are opened by name: dropped on the window, double-clicked, handed over by a later start."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gpuplanner_gui.desktop.controls.calibrate import MEASUREMENT_SUFFIXES
from gpuplanner_gui.desktop.controls.load import TRACE_SUFFIXES
from gpuplanner_gui.desktop.controls.pack import PACK_SUFFIX, PackControls
from gpuplanner_gui.desktop.message_bar import Severity
from gpuplanner_gui.desktop.templates import SUFFIX
from gpuplanner_gui.drawing.language import tr

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.main_window import MainWindow

TABLE_SUFFIXES = (".csv", ".tsv")
Open = Callable[[Path], object]


class FileOpening:
    """Finds out what a file is, by its name and then by its content, and has it opened by whoever knows how."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window

    def open_paths(self, paths: Sequence[Path]) -> None:
        """Each of several files; a second project gets a window of its own, and what is foreign is said at the end."""
        # What went wrong with an earlier file is over.
        self._window.messages.withdraw_error()
        found = [(self._kind(path), path) for path in paths]
        foreign = [path for opens, path in found if opens is None]
        is_taken = False
        for opens, path in found:
            if opens == self._window.file.open and is_taken:
                self._window.project_beside_requested.emit(str(path))
            elif opens is not None:
                opens(path)
                is_taken = is_taken or opens == self._window.file.open
        if foreign:
            self._window.messages.show_message(partial(_foreign_text, foreign), Severity.ERROR)

    def _kind(self, path: Path) -> Open | None:
        """What opens a file; None for one that GPU Planner has no use for."""
        from gpuplanner_gui.files.measurements.sets import holds_measurements
        from gpuplanner_gui.files.price_list import looks_like_prices

        window, suffix = self._window, path.suffix.lower()
        if path.is_dir():
            return None
        if suffix == SUFFIX:
            return window.file.open
        if suffix == PACK_SUFFIX:
            return PackControls(window).import_from
        # Before measurements: a list that says how much memory a card has is no measurement of it.
        if suffix in (*TABLE_SUFFIXES, ".txt") and looks_like_prices(path):
            return window.own_catalog.import_prices
        if suffix in MEASUREMENT_SUFFIXES or holds_measurements(path):
            return window.calibrate.read
        if suffix in (*TRACE_SUFFIXES, *TABLE_SUFFIXES):
            return window.load.read_trace
        # A name that has no such ending may have been asked for: then it is said what is wrong with the file.
        return window.commands.import_model_from if suffix == ".json" or not path.exists() else None


def _foreign_text(paths: Sequence[Path]) -> str:
    known = tr(
        "Open a project (.gpuplan), a model's config.json, a benchmark's result or log, recorded traffic (CSV, JSON "
        "lines), a price list (CSV) or a pack."
    )
    name = paths[0].name or str(paths[0])
    if len(paths) > 1:
        said = tr("{count} of these are nothing that GPU Planner opens, {name} among them.")
        return f"{said.format(count=len(paths), name=name)} {known}"
    said = tr("{name} is a folder.") if paths[0].is_dir() else tr("{name} is nothing that GPU Planner opens.")
    return f"{said.format(name=name)} {known}"
