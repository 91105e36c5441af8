"""What an edit is called in the Undo menu: the title of the field that it touched."""

from __future__ import annotations

from typing import Any

import msgspec

from gpuplanner_gui.desktop.edit_path import steps_of
from gpuplanner_gui.domain.field import field_of
from gpuplanner_gui.domain.workload import Slo
from gpuplanner_gui.drawing.language import Phrase, phrase


def title_at(struct: Any, path: str) -> Phrase:
    """Title of the field at a path. Raises BadPath or KeyError for a path that leads nowhere."""
    title = ""
    value = struct
    for step in steps_of(path):
        if isinstance(step, int):
            value = value[step]
        elif isinstance(value, Slo):
            # "Limit" alone would not say which of several.
            return phrase("{latency} target", latency=f"{value.metric.upper()} p{value.percentile:g}")
        else:
            title = field_of(type(value), step).about.title
            value = getattr(value, step)
    return phrase(title)


def words_of_edit(struct: msgspec.Struct, path: str) -> Phrase:
    return phrase("Change {title}", title=title_at(struct, path))
