"""Values from outside, taken as what they are said to be or left out; and results in JSON read by tables.

A table says where each figure and each part of the context stands: a path (`world_info.tp_size`). Several are parted by
`|`, and the first that holds something counts. Where a figure's statistic is `*`, the place holds an object, and each
of its keys that names a statistic is a figure.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, get_args

import msgspec

from gpuplanner_gui.domain.measurement import Figure, MeasuredLoad, MeasurementContext, Statistic, figure
from gpuplanner_gui.files.measurements.source import INFINITE, decoded_json
from gpuplanner_gui.files.text import plain_text

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


LONGEST_NUMBER = 40
_GROUPED = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d*)?")
_NUMBER = re.compile(rf"{_GROUPED.pattern}|[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|[-+]?\.\d+")

PREFIXES = {"": 1.0, "K": 1e3, "k": 1e3, "M": 1e6, "G": 1e9, "B": 1e9, "T": 1e12, "P": 1e15}
BINARY = {"KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40}
SECONDS = {
    "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "sec": 1.0, "secs": 1.0, "seconds": 1.0,
}  # fmt: skip


def number(value: Any) -> float | None:
    """A finite number, also where it is written as text (`1,250.40` too); None for anything else, infinite included."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        found = float(value) if abs(value) < INFINITE else math.inf
    elif isinstance(value, str) and 0 < len(value.strip()) <= LONGEST_NUMBER and "_" not in value:
        text = value.strip()
        try:
            found = float(text.replace(",", "") if _GROUPED.fullmatch(text) else text)
        except ValueError:
            return None
    else:
        return None
    return found if math.isfinite(found) and abs(found) < INFINITE else None


def is_infinite(value: Any) -> bool:
    """True for what tools write for "all at once": `inf`, `Infinity`."""
    if isinstance(value, str):
        return value.strip().lower() in ("inf", "infinity")
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= INFINITE


def count(value: Any) -> int:
    """A whole number from 0; 0 for anything else."""
    found = number(value)
    return int(found) if found is not None and 0 <= found < 1e15 else 0


def positive(value: Any) -> float:
    """A number above 0; 0 for anything else."""
    found = number(value)
    return found if found is not None and found > 0 else 0.0


def word(value: Any, longest: int = 200) -> str:
    """Text on one line, safe to show; empty for anything else."""
    return plain_text(value, longest) if isinstance(value, str) else ""


def amount(text: str) -> tuple[float, str] | None:
    """The number that a text begins with and the unit behind it: `4.47 s`, `29089 MiB`, `16.11 GMACs`."""
    stripped = text.strip()
    found = _NUMBER.match(stripped[:LONGEST_NUMBER])
    if found is None:
        return None
    value = number(found[0].replace(",", ""))
    unit = stripped[found.end() :].strip()
    return None if value is None else (value, unit.split()[0] if unit else "")


def seconds(text: str) -> float | None:
    """A time with its unit, in seconds: `10.510ms`."""
    found = amount(text)
    return None if found is None or found[1] not in SECONDS else found[0] * SECONDS[found[1]]


def scaled(text: str, endings: tuple[str, ...] = ("",)) -> float | None:
    """A number with a decimal prefix before one of the endings: `32.24 G`, `7.22 GFLOPS`."""
    found = amount(text)
    if found is None:
        return None
    for ending in endings:
        prefix = found[1].removesuffix(ending) if ending and found[1].endswith(ending) else found[1]
        if prefix in PREFIXES:
            return found[0] * PREFIXES[prefix]
    return None


class JsonObject:
    """A JSON object whose parts are decoded when they are asked for, so that large ones that nobody needs stay text."""

    def __init__(self, parts: dict[str, Any]) -> None:
        self._parts = parts

    def __contains__(self, key: str) -> bool:
        return key in self._parts

    def __bool__(self) -> bool:
        return bool(self._parts)

    def keys(self) -> frozenset[str]:
        return frozenset(self._parts)

    def value(self, key: str) -> Any:
        """The part, decoded in full; None where there is none."""
        part = self._parts.get(key)
        return decoded_or_none(memoryview(part)) if isinstance(part, msgspec.Raw) else part

    def values(self, but: str) -> dict[str, Any]:
        """All parts, decoded; not those whose key begins with `but`."""
        return {key: self.value(key) for key in self._parts if not key.startswith(but)}

    def number(self, *keys: str) -> float | None:
        """The first of the keys that holds a number."""
        return next((found for found in (number(self.value(key)) for key in keys) if found is not None), None)

    def count(self, *keys: str) -> int:
        return next((found for found in (count(self.value(key)) for key in keys) if found), 0)

    def positive(self, *keys: str) -> float:
        return next((found for found in (positive(self.value(key)) for key in keys) if found), 0.0)

    def word(self, *keys: str) -> str:
        return next((found for found in (word(self.value(key)) for key in keys) if found), "")

    def object(self, key: str) -> JsonObject:
        """The part as an object; an empty one for anything else."""
        return as_object(self._parts.get(key))

    def objects(self, key: str) -> Iterator[JsonObject]:
        """The objects of a list, one after the other."""
        part = self._parts.get(key)
        if isinstance(part, msgspec.Raw):
            part = decoded_or_none(memoryview(part), list[msgspec.Raw])
        for item in part if isinstance(part, list) else ():
            yield as_object(item)


def as_object(part: Any) -> JsonObject:
    """A part as an object; an empty one for anything else."""
    if isinstance(part, msgspec.Raw):
        part = decoded_or_none(memoryview(part), dict[str, msgspec.Raw])
    return JsonObject(part if isinstance(part, dict) else {})


def decoded_or_none(content: Any, type_: Any = Any) -> Any:
    """JSON in a buffer; None where it is none, or of another type."""
    try:
        return decoded_json(content, type_)
    except ValueError:
        return None


LOADS = tuple(one for one in get_args(MeasuredLoad) if one)


def implied_load(rate_per_s: float, concurrency: float) -> MeasuredLoad:
    """The load that figures speak of; empty where neither is stated."""
    if rate_per_s:
        return "open_loop"
    return "closed_loop" if concurrency else ""


LARGEST_VALUE = 1e21
"""Larger figures are no measurements."""
STATISTICS = frozenset(get_args(Statistic))
WORDS: dict[str, Statistic] = {
    "mean": "mean", "avg": "mean", "average": "mean", "median": "p50", "std": "sd", "std_dev": "sd", "min": "min",
    "max": "max",
}  # fmt: skip
_BY_RANK = {float(name[1:]): name for name in STATISTICS if re.fullmatch(r"p\d\d", name)} | {99.9: "p999"}
_NOTHING = MeasurementContext()

ContextFacts = Mapping[str, str]
"""Places by the context's field; what they hold is read as the field's type."""
FigureFacts = Mapping[str, tuple[str, str, float]]
"""Quantity, statistic and the factor into its SI unit, by place."""


def context_facts(result: JsonObject, facts: ContextFacts) -> dict[str, Any]:
    """Fields of the context as a result states them; empty or 0 for what it doesn't say."""
    return {name: _stated(result, places, getattr(_NOTHING, name)) for name, places in facts.items()}


def _stated(result: JsonObject, places: str, default: Any) -> Any:
    read = word if isinstance(default, str) else count if isinstance(default, int) else positive
    return next((found for place in _parts(places) if (found := read(part_at(result, place)))), default)


def part_at(result: JsonObject, place: str) -> Any:
    """What stands at a path; None where it leads nowhere."""
    *outer, last = place.split(".")
    for key in outer:
        result = result.object(key)
    return result.value(last)


def figures_by(result: JsonObject, facts: FigureFacts) -> list[Figure]:
    """Figures in the order of the table, those at places that hold a number from 0."""
    made: list[Figure] = []
    for places, (quantity, statistic, factor) in facts.items():
        found = [part_at(result, place) for place in _parts(places)]
        if statistic == "*":
            holder = next((one for one in found if isinstance(one, dict)), {})
            named = ((statistic_named(key), holder[key]) for key in sorted(holder))
            made += figures_of({(quantity, name): value for name, value in named if name is not None}, factor)
        else:
            value = next((one for one in found if number(one) is not None), None)
            made += figures_of({(quantity, statistic): value}, factor)
    return made


def _parts(places: str) -> list[str]:
    return [place.strip() for place in places.split("|")]


def figures_of(values: Mapping[tuple[str, Any], Any], scale: float = 1.0) -> list[Figure]:
    """Figures of what holds a number from 0."""
    found = []
    for (quantity, statistic), value in values.items():
        read = number(value)
        if read is not None and 0 <= read * scale < LARGEST_VALUE:
            found.append(figure(quantity, read * scale, statistic))
    return found


def percentile_name(text: str) -> Statistic | None:
    """`p99`, `p5`, `p99.9` as the statistic they mean."""
    rank = text.removeprefix("p")
    if f"p{rank}" in STATISTICS:
        return f"p{rank}"  # type: ignore[return-value]
    return _BY_RANK.get(float(rank)) if re.fullmatch(r"\d{1,2}(\.\d{1,6})?", rank) else None


def statistic_named(text: str) -> Statistic | None:
    """`avg`, `median`, `p99` as the statistic they mean; None for any other word."""
    return WORDS.get(text) or percentile_name(text)
