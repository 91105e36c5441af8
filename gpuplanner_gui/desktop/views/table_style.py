"""What the tables share beside the style sheet."""

from __future__ import annotations

from gpuplanner_gui.drawing.plots.type_size import scaled

_ROW_HEIGHT = 24


def row_height() -> int:
    """Pixels of a line of any table: larger type stands in higher rows."""
    return round(scaled(_ROW_HEIGHT))
