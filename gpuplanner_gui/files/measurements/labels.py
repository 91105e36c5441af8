"""Lines `label: value` as tools print their results to a console, between whatever else a log holds."""

from __future__ import annotations

import re

LONGEST_LINE = 400
_PAIR = re.compile(r"([A-Za-z\[][^:]{0,99}?):\s*(\S.*)")
_COLOURS = re.compile(r"\x1b\[[0-9;]{0,20}m")


def plain_line(text: str) -> str:
    """A line without colours, and of a progress bar that is drawn over itself only what comes last."""
    return _COLOURS.sub("", text[-LONGEST_LINE:].rpartition("\r")[2]).strip()


def pair_of(line: str) -> tuple[str, str] | None:
    """The label in lower case and what it says."""
    found = _PAIR.fullmatch(line)
    return (" ".join(found[1].lower().split()), found[2].strip()) if found else None
