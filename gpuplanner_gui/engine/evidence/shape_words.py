"""Sizes in the words by which tools describe operands: `m=16 n=4096 k=4096 launch=graph`."""

from __future__ import annotations

from collections.abc import Sequence

LARGEST = 1e9


def sizes_in(shape: str, names: Sequence[str]) -> tuple[float, ...]:
    """The named sizes, in their order; empty where one is missing or is no whole number above 0."""
    words = dict(word.split("=", 1) for word in shape.split() if word.count("=") == 1)
    texts = [words.get(name, "") for name in names]
    if not all(text.isascii() and text.isdigit() and len(text) <= 10 for text in texts):
        return ()
    found = tuple(float(text) for text in texts)
    return found if all(0 < size <= LARGEST for size in found) else ()
