"""Files that are opened by name: dropped on the window, double-clicked, handed over by a later start."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from gpuplanner_gui.desktop.controls.calibrate import MEASUREMENT_SUFFIXES
from gpuplanner_gui.desktop.controls.load import TRACE_SUFFIXES
from gpuplanner_gui.desktop.controls.pack import PACK_SUFFIX
from gpuplanner_gui.desktop.message_bar import MessageBar, Severity
from gpuplanner_gui.desktop.templates import SUFFIX
from gpuplanner_gui.drawing.language import tr

TABLE_SUFFIXES = (".csv", ".tsv")
Open = Callable[[Path], object]


@dataclass(frozen=True, kw_only=True)
class Openers:
    """What opens each kind of file."""

    project: Open
    project_beside: Open
    """In a window of its own."""
    pack: Open
    prices: Open
    measurements: Open
    trace: Open
    model: Open


class FileOpening:
    """Finds out what a file is, by its name and then by its content, and has it opened by whoever knows how."""

    def __init__(self, messages: MessageBar, openers: Openers) -> None:
        self._messages, self._openers = messages, openers

    def open_paths(self, paths: Sequence[Path]) -> None:
        """Each of several files; a second project gets a window of its own, and what is foreign is said at the end."""
        # What went wrong with an earlier file is over.
        self._messages.withdraw_error()
        found = [(self._opener(path), path) for path in paths]
        foreign = [path for opens, path in found if opens is None]
        is_taken = False
        for opens, path in found:
            if opens == self._openers.project and is_taken:
                self._openers.project_beside(path)
            elif opens is not None:
                opens(path)
                is_taken = is_taken or opens == self._openers.project
        if foreign:
            self._messages.show_message(partial(_foreign_text, foreign), Severity.ERROR)

    def _opener(self, path: Path) -> Open | None:
        """What opens a file; None for one that GPU Planner has no use for."""
        from gpuplanner_gui.files.measurements.sets import holds_measurements
        from gpuplanner_gui.files.price_list import looks_like_prices

        known, suffix = self._openers, path.suffix.lower()
        if path.is_dir():
            return None
        if suffix == SUFFIX:
            return known.project
        if suffix == PACK_SUFFIX:
            return known.pack
        # Before measurements: a list that says how much memory a card has is no measurement of it.
        if suffix in (*TABLE_SUFFIXES, ".txt") and looks_like_prices(path):
            return known.prices
        if suffix in MEASUREMENT_SUFFIXES or holds_measurements(path):
            return known.measurements
        if suffix in (*TRACE_SUFFIXES, *TABLE_SUFFIXES):
            return known.trace
        # A name that has no such ending may have been asked for: then it is said what is wrong with the file.
        return known.model if suffix == ".json" or not path.exists() else None


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
