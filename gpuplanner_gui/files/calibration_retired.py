"""Fields that calibration files of earlier versions had and that nothing reads any more.

A pack that was signed then is still good: its signature covers the bytes as they are, so it can't be written anew. What
is gone is left out when its calibration is read, and said where the pack is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

RETIRED: dict[str, dict[tuple[str, ...], frozenset[str]]] = {
    "serving_engines.json": {
        (): frozenset(
            (
                "pool_devices",
                "crowd_steps",
                "delivery_passes",
                "client_prompts",
                "client_admission_steps",
                "client_crowd_steps",
                "client_complex_steps",
                "client_sequence_host_s",
                "client_start_delay_s",
                "clients",
                "crowd_clients",
                "crowd_growth",
                "start_delay_s",
                "unstated_speculation",
                "sweep_speculation",
                "sweep_first_token",
                "clump_prompts",
                "arrival_chance",
                "group_admission_steps",
                "gathering_steps",
                "yearly_gain",
                "reference_year",
                "releases",
                "pool_practice",
            )
        ),
    },
}
"""By file and by the structs inside each of its entries: names that were fields once."""


def without_retired(name: str, content: Any) -> tuple[Any, tuple[str, ...]]:
    """A calibration file's plain content without the fields that are gone, and their names.

    A field that never was stays, so that a slip of the pen is still refused.
    """
    places = RETIRED.get(name)
    if places is None or not isinstance(content, list):
        return content, ()
    kept, gone = content, dict[str, None]()
    for path, names in places.items():
        kept = [_without(entry, path, names, gone) for entry in kept]
    return kept, tuple(gone)


def _without(entry: Any, path: tuple[str, ...], names: frozenset[str], gone: dict[str, None]) -> Any:
    if not isinstance(entry, dict):
        return entry
    if path:
        first, *rest = path
        return {**entry, first: _without(entry[first], tuple(rest), names, gone)} if first in entry else entry
    gone.update(dict.fromkeys(_present(entry, names)))
    return {key: value for key, value in entry.items() if key not in names}


def _present(entry: dict[str, Any], names: frozenset[str]) -> Iterator[str]:
    return (key for key in entry if key in names)
