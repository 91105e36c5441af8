"""What views are given, and the states that they can be in."""

from __future__ import annotations

from enum import StrEnum

from gpuplanner_gui.drawing.results import Results

Context = Results


class ViewState(StrEnum):
    """How what is on screen relates to what was asked."""

    EMPTY = "empty"
    COMPUTING = "computing"
    OUTDATED = "outdated"
    FAILED = "failed"
    CURRENT = "current"
