"""A configuration's keys, read with types and bounds; what is missing is filled from family defaults and noted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.text import plain_text

Number = TypeVar("Number", bool, int, float)

MOST_LAYERS = 100_000
MOST_HEADS = 100_000
MOST_EXPERTS = 1_000_000
LARGEST_SIZE = 100_000_000

LIMITS = {"layer": MOST_LAYERS, "depth": MOST_LAYERS, "head": MOST_HEADS, "expert": MOST_EXPERTS}
"""Bounds by a word in the key's name; head sizes are sizes."""


@dataclass
class Notes:
    """What an import had to assume, and what it could not read."""

    assumed: list[str] = field(default_factory=list)
    not_understood: list[str] = field(default_factory=list)

    def assume(self, sentence: str) -> None:
        if sentence not in self.assumed:
            self.assumed.append(sentence)

    def give_up(self, sentence: str) -> None:
        if sentence not in self.not_understood:
            self.not_understood.append(sentence)


@dataclass(frozen=True)
class Config:
    """One JSON object of a configuration file.

    Keys may go by several names (`integer("num_hidden_layers", "n_layer", default=32)`): the first one present counts,
    null is as good as absent, and the first name is what notes call it. Raises FileProblem naming the key.
    """

    data: dict[str, Any]
    path: Path
    family: str
    notes: Notes = field(default_factory=Notes)
    place: str = ""

    def has(self, *names: str) -> bool:
        """True where one of the keys stands and is not null."""
        return any(self.data.get(name) is not None for name in names)

    def mentions(self, name: str) -> bool:
        """True where the key stands, null or not."""
        return name in self.data

    def integer(
        self,
        *names: str,
        default: int | None = None,
        least: int = 1,
        most: int | None = None,
        derived: str = "",
    ) -> int:
        """A whole number within bounds; `derived` says how a default was computed, else it is the family's own."""
        name, value = self._found(names)
        if value is None:
            return self._default(names[0], default, derived)
        if isinstance(value, float) and math.isfinite(value) and value == int(value):
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.problem(name, "a whole number is expected, not {value}", value=shown(value))
        limit = most if most is not None else _limit(name)
        if not least <= value <= limit:
            raise self.problem(
                name,
                "{value} is outside {least} to {limit}",
                value=shown(value),
                least=f"{least:,}",
                limit=f"{limit:,}",
            )
        return value

    def number(self, *names: str, default: float | None = None, least: float = 0.0, most: float = 1e9) -> float:
        """A finite number within bounds."""
        name, value = self._found(names)
        if value is None:
            return self._default(names[0], default, "")
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise self.problem(name, "a number is expected, not {value}", value=shown(value))
        if not least <= value <= most:
            raise self.problem(
                name, "{value} is outside {least} to {most}", value=shown(value), least=f"{least:,}", most=f"{most:,}"
            )
        return float(value)

    def flag(self, *names: str, default: bool, quiet: bool = False) -> bool:
        """True or false; `quiet` leaves a default unmentioned."""
        name, value = self._found(names)
        if value is None:
            return default if quiet else self._default(names[0], default, "")
        if not isinstance(value, bool):
            raise self.problem(name, "true or false is expected, not {value}", value=shown(value))
        return value

    def text(self, *names: str, default: str = "") -> str:
        """A line of plain text; the default goes unmentioned."""
        name, value = self._found(names)
        if value is None:
            return default
        if not isinstance(value, str):
            raise self.problem(name, "text is expected, not {value}", value=shown(value))
        return plain_text(value)

    def items(self, name: str, kind: type | tuple[type, ...] = object, most: int = MOST_LAYERS) -> list[Any]:
        """A list of values of one kind, empty where the key is missing."""
        value = self.data.get(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.problem(name, "a list is expected, not {value}", value=shown(value))
        if len(value) > most:
            raise self.problem(
                name, "the list has {value} entries, more than {most}", value=f"{len(value):,}", most=f"{most:,}"
            )
        for index, item in enumerate(value):
            if not isinstance(item, kind) or (isinstance(item, bool) and kind is int):
                raise self.problem(f"{name}[{index}]", "{item} is of the wrong type", item=shown(item))
        return value

    def part(self, name: str, family: str = "") -> Config | None:
        """A nested object; its notes go with these. None where it is missing."""
        value = self.data.get(name)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise self.problem(name, "an object is expected, not {value}", value=shown(value))
        return Config(value, self.path, family or self.family, self.notes, f"{self.place}{name}.")

    def problem(self, name: str, what: str, remedy: str = "", /, **values: Any) -> FileProblem:
        """The error for one key of this object; `values` are filled into what is said."""
        where = f"{self.place}{plain_text(name, 80)}"
        return FileProblem(self.path, where, what, remedy or "Correct the key or remove it", **values)

    def _found(self, names: tuple[str, ...]) -> tuple[str, Any]:
        for name in names:
            value = self.data.get(name)
            if value is not None:
                return name, value
        return names[0], None

    def _default(self, name: str, default: Number | None, derived: str) -> Number:
        if default is None:
            raise self.problem(
                name,
                "{family} needs this key, which is missing",
                "Add the key to the configuration",
                family=self.family,
            )
        value = str(default).lower() if isinstance(default, bool) else default
        origin = derived or f"family default of {self.family}"
        self.notes.assume(f"{self.place}{name}: {value} ({origin})")
        return default


def shown(value: Any) -> str:
    """A value as an error may quote it: short, on one line."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, str):
        return f'"{plain_text(value, 40)}"'
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return plain_text(str(value), 40)


def _limit(name: str) -> int:
    if name.endswith(("dim", "size", "d_kv", "rank")) or "vocab" in name:
        return LARGEST_SIZE
    return next((limit for word, limit in LIMITS.items() if word in name), LARGEST_SIZE)


def per_layer(values: Sequence[Any], layers: int, config: Config, name: str) -> list[Any]:
    """A per-layer list cut or continued to the number of layers; what was done is noted."""
    if not values:
        raise config.problem(name, "the list is empty")
    if len(values) == layers:
        return list(values)
    if len(values) > layers:
        config.notes.assume(f"{name}: the first {layers} of its {len(values)} entries")
        return list(values[:layers])
    period = _period(values)
    config.notes.assume(f"{name}: its {len(values)} entries continued to {layers} layers with a period of {period}")
    return [values[index] if index < len(values) else values[index % period] for index in range(layers)]


def listed(config: Config, name: str, kind: type, layers: int) -> list[Any]:
    """A key's value for each layer; empty where the key is missing or its list empty."""
    values = config.items(name, kind)
    return per_layer(values, layers, config, name) if values else []


def _period(values: Sequence[Any]) -> int:
    """The shortest repetition that explains the list from its start, at most its length."""
    count = len(values)
    for period in range(1, min(count, 64) + 1):
        if all(values[index] == values[index % period] for index in range(count)):
            return period
    return count
