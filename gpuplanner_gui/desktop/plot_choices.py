"""How the planner wants each plot drawn: which axes are logarithmic; the same in every window and at the next start."""

from __future__ import annotations

from PySide6.QtCore import QSettings

from gpuplanner_gui.desktop.settings import Key, list_setting
from gpuplanner_gui.drawing.plots.base import CurvePlot


class PlotChoices:
    """Kept by a plot's name; without settings as long as the program runs."""

    def __init__(self) -> None:
        self._settings: QSettings | None = None
        self._scales: dict[str, bool] = {}

    def use_settings(self, settings: QSettings) -> None:
        """Remember in these settings from now on, and take what they hold."""
        self._settings = settings
        self._scales = {}
        for entry in list_setting(settings, Key.PLOT_SCALES):
            name, _, scale = entry.partition("=")
            if scale in ("log", "linear"):
                self._scales[name] = scale == "log"

    def apply(self, plot: CurvePlot) -> None:
        """Give a new plot the axes that were chosen for it."""
        for axis in plot.switchable:
            plot.use_scale(axis, self._scales.get(f"{plot.settings_name}/{axis}", plot.is_log(axis)))

    def note(self, plot: CurvePlot, axis: str) -> None:
        """Remember how this axis of a plot is drawn now."""
        self._scales[f"{plot.settings_name}/{axis}"] = plot.is_log(axis)
        if self._settings is not None:
            entries = [f"{name}={'log' if is_log else 'linear'}" for name, is_log in sorted(self._scales.items())]
            self._settings.setValue(Key.PLOT_SCALES, entries)


plot_choices = PlotChoices()
