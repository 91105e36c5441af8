"""Names that tell things of one kind apart."""

from __future__ import annotations

from collections.abc import Callable


def free_name(name: str, is_taken: Callable[[str], bool], form: str = "{name} {number}") -> str:
    """The name as it is, or with the first number from 2 on, in this form, that nothing else has."""
    free, number = name, 2
    while is_taken(free):
        free, number = form.format(name=name, number=number), number + 1
    return free
