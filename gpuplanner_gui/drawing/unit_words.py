"""Units as the language of the moment writes them: symbols of physics stay, words and their abbreviations do not.

Whatever is written here must be read by `unit_table`, which knows the words of every language at any time.
"""

from __future__ import annotations

import re
from functools import lru_cache

from gpuplanner_gui.drawing.language import tr

UNIT_WORDS = (
    "min", "h", "d", "day", "y", "month", "tok", "Mtok", "tok/s", "param", "seq", "req", "req/s", "request", "devices",
    "replicas", "cores", "experts", "/s", "share",
)  # fmt: skip
"""Units that other languages write otherwise, alone or within a compound."""
_KNOWN = frozenset(UNIT_WORDS)
_COUNTED_WORDS = {
    "devices": ("{count} device", "{count} devices"),
    "replicas": ("{count} replica", "{count} replicas"),
    "cores": ("{count} core", "{count} cores"),
    "experts": ("{count} expert", "{count} experts"),
    "seq": ("{count} seq", "{count} seq"),
}
"""Of one, and of several."""
_BETWEEN_ATOMS = re.compile(r"([ /])")


def unit_text(unit: str) -> str:
    """A unit for reading: req/s, $/month, M tok."""
    whole = [part if not is_word else tr(part) for part, is_word in _parts(unit)]
    return "".join(whole)


@lru_cache(maxsize=1024)
def _parts(unit: str) -> tuple[tuple[str, bool], ...]:
    """What of a unit is a word of the language."""
    if unit in _KNOWN:
        return ((unit, True),)
    head, blank, tail = unit.partition(" ")
    if blank and tail in _KNOWN:
        return ((head + blank, False), (tail, True))
    return tuple((part, part in _KNOWN) for part in _BETWEEN_ATOMS.split(unit))


def is_counted(unit: str) -> bool:
    """Whether a number of this unit is a number of things."""
    return unit in _COUNTED_WORDS


def counted_text(number: str, unit: str) -> str:
    """So many things: 1 device, 8 devices."""
    one, several = _COUNTED_WORDS[unit]
    return tr(one if number == "1" else several).format(count=number)
