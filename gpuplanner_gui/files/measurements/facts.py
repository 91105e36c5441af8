"""Results read by tables: where in a JSON object each figure and each part of the context stands.

A place is a path (`world_info.tp_size`). Several are parted by `|`, and the first that holds something counts. Where a
figure's statistic is `*`, the place holds an object, and each of its keys that names a statistic is a figure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, get_args

from gpuplanner_gui.domain.measurement import Figure, MeasurementContext, Statistic, figure
from gpuplanner_gui.files.measurements.values import JsonObject, count, number, positive, word

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
