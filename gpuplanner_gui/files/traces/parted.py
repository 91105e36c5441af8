"""Large tables in many small parts, so that growing never keeps Python from the other threads for long.

A dictionary or a set of a million entries is moved to more room, or let go of, in one call that lasts a tenth of a
second: for so long a window beside it stands still. A part of it takes less than a millisecond.
"""

from __future__ import annotations

from collections.abc import Iterable

PARTS = 251
"""A prime, so that numbers in steps of a power of two are spread over all parts."""


class Numbering:
    """Numbers names from 0 in the order in which they are first seen."""

    def __init__(self) -> None:
        self._parts: list[dict[str, int]] = [{} for _ in range(PARTS)]
        self._count = 0

    def number(self, name: str) -> int:
        """The number of a name, the next one if it was not seen before."""
        part = self._parts[hash(name) % PARTS]
        found = part.get(name)
        if found is None:
            found = part[name] = self._count
            self._count += 1
        return found

    def clear(self) -> None:
        """Let go of everything, part by part."""
        for part in self._parts:
            part.clear()
        self._count = 0


class SeenNumbers:
    """A set of whole numbers."""

    def __init__(self) -> None:
        self._parts: list[set[int]] = [set() for _ in range(PARTS)]

    def known_at_start(self, numbers: list[int]) -> int:
        """How many of the numbers, from the first on, were seen before."""
        parts = self._parts
        for place, number in enumerate(numbers):
            if number not in parts[number % PARTS]:
                return place
        return len(numbers)

    def add(self, numbers: Iterable[int]) -> None:
        parts = self._parts
        for number in numbers:
            parts[number % PARTS].add(number)

    def clear(self) -> None:
        """Let go of everything, part by part."""
        for part in self._parts:
            part.clear()
