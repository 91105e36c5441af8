"""Paths to the fields of a project, and what an edit there is called in the Undo menu."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, TypeVar

import msgspec

from gpuplanner_gui.domain.field import field_of
from gpuplanner_gui.domain.workload import Slo
from gpuplanner_gui.drawing.language import Phrase, phrase

T = TypeVar("T")

_STEP = re.compile(r"(?:^|(?<=.)\.)(?P<name>[A-Za-z_]\w*)|\[(?P<index>\d+)\]")


class BadPath(ValueError):
    """A path that can't be read, or that leads nowhere in the given struct."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path!r}: {reason}")
        self.path = path
        self.reason = reason


@lru_cache(maxsize=4096)
def steps_of(path: str) -> tuple[str | int, ...]:
    """Names and indices along a path; empty for the empty path. Raises BadPath."""
    steps: list[str | int] = []
    position = 0
    while position < len(path):
        match = _STEP.match(path, position)
        if match is None:
            raise BadPath(path, f"cannot be read from character {position}")
        steps.append(match["name"] or int(match["index"]))
        position = match.end()
    return tuple(steps)


def joined(parent: str, child: str) -> str:
    """The path of `child` seen from where `parent` starts; either may be empty."""
    if not parent or not child or child.startswith("["):
        return parent + child
    return f"{parent}.{child}"


def value_at(struct: Any, path: str) -> Any:
    """What stands at the path. Raises BadPath."""
    value = struct
    for step in steps_of(path):
        value = _child(value, step, path)
    return value


def replaced(struct: T, path: str, value: Any) -> T:
    """The struct with another value at the path; what is beside the path is shared with the old one. Raises BadPath."""
    return _replaced(struct, steps_of(path), value, path)


def _replaced(container: Any, steps: tuple[str | int, ...], value: Any, path: str) -> Any:
    if not steps:
        return value
    step, rest = steps[0], steps[1:]
    inner = _replaced(_child(container, step, path), rest, value, path)
    if isinstance(step, int):
        return (*container[:step], inner, *container[step + 1 :])
    return msgspec.structs.replace(container, **{step: inner})


def _child(container: Any, step: str | int, path: str) -> Any:
    if isinstance(step, int):
        if not isinstance(container, tuple) or step >= len(container):
            raise BadPath(path, f"there is no item {step}")
        return container[step]
    if not isinstance(container, msgspec.Struct) or step not in container.__struct_fields__:
        raise BadPath(path, f"there is no field {step!r}")
    return getattr(container, step)


def title_at(struct: Any, path: str) -> Phrase:
    """Title of the field at a path. Raises BadPath or KeyError for a path that leads nowhere."""
    title = ""
    value = struct
    for step in steps_of(path):
        if isinstance(step, int):
            value = value[step]
        elif isinstance(value, Slo):
            # "Limit" alone would not say which of several.
            return phrase("{latency} target", latency=f"{value.metric.upper()} p{value.percentile:g}")
        else:
            title = field_of(type(value), step).about.title
            value = getattr(value, step)
    return phrase(title)


def words_of_edit(struct: msgspec.Struct, path: str) -> Phrase:
    return phrase("Change {title}", title=title_at(struct, path))
