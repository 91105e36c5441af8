"""The newest value of a computation kept for the next question that needs the very same one.

Between two edits of a scenario most of its numbers stay as they are; what follows from those alone need not be computed
again. The result is the same with and without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import is_dataclass
from operator import is_
from threading import local
from typing import Any, Generic, TypeVar

import numpy as np

from gpuplanner_gui.engine.columns import names_of

_asking = local()

V = TypeVar("V")


@contextmanager
def aside() -> Iterator[None]:
    """Answers of this thread are not kept: plans with a limit lifted must not displace what the next edit needs."""
    before, _asking.aside = getattr(_asking, "aside", False), True
    try:
        yield
    finally:
        _asking.aside = before


class Recent(Generic[V]):
    """Holds the newest values, one unless more are asked for, with all that they follow from.

    Threads may share it: each sees whole entries.
    """

    def __init__(self, most: int = 1) -> None:
        self._most = most
        self._entries: tuple[tuple[tuple[Any, ...], V], ...] = ()

    def of(self, inputs: tuple[Any, ...], make: Callable[[], V]) -> V:
        """The value that follows from `inputs`: the kept one where they are the same, else made and kept."""
        entries = self._entries
        for place, entry in enumerate(entries):
            if _are_same(entry[0], inputs):
                if not all(map(is_, entry[0], inputs)):
                    # Kept under the inputs of now: a twin, once found the same, is not compared again.
                    self._entries = (*entries[:place], (inputs, entry[1]), *entries[place + 1 :])
                return entry[1]
        value = make()
        if getattr(_asking, "aside", False):
            return value
        self._entries = ((inputs, value), *entries[: self._most - 1])
        return value


def _are_same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(_are_same, one, other))
    if is_dataclass(one):
        kind: Any = type(one)
        return all(_are_same(getattr(one, name), getattr(other, name)) for name in names_of(kind))
    return bool(one == other)
