"""What a plot shows and what can be done in it, in words: for "What's This?"."""

from __future__ import annotations

import html

from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.plots.base import CurvePlot, Plot


def plot_help(plot: Plot) -> str:
    """As marked-up text, of the plot as it is now: of lines that are not there nothing is said."""
    said = [plot.about()]
    if plot.shown_candidates():
        said.append(tr("Click a mark to look at the candidate that it stands for."))
    if any(line.isVisible() and line.movable for line in plot.handles):
        said.append(tr("Drag a dashed line to change the value that it stands for."))
    if plot.toggles():
        said.append(tr("Click a name under the plot to hide what it names, or to show it again."))
    if isinstance(plot, CurvePlot):
        said.append(tr("The wheel with Ctrl zooms, dragging moves what is seen, a double-click shows all again."))
    said.append(
        tr(
            "The right button, or ⋯, copies and saves the plot, shows it as a table and says why its numbers are what"
            " they are."
        )
    )
    title = html.escape(plot.title or plot.message)
    return f"<p style='font-weight:600'>{title}</p><p>{html.escape(' '.join(said))}</p>"
