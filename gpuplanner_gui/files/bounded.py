"""Plain data from outside is bounded in count and length, and shows as it reads."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from gpuplanner_gui.domain.field import Problem, problems_of
from gpuplanner_gui.files.errors import FileProblem, said
from gpuplanner_gui.files.safe_json import converted
from gpuplanner_gui.files.text import has_unsafe_text

BOUNDS_SENTENCES = {
    "not_finite": "{name} must be a finite number, not {value}",
    "below": "{name} must be at least {limit}; it is {value}",
    "not_above": "{name} must be more than {limit}; it is {value}",
    "over": "{name} must be at most {limit}; it is {value}",
    "order": "{name}: enter the lower end of the range first; it is {value}",
    "choice": "{name} must be one of {limit}; it is {value}",
    "form": "{name} must look like {limit}; it is {value}",
    "too_many": "{name} has {value} entries; at most {limit} are allowed",
    "too_few": "{name} has {value} entries; at least {limit} are needed",
    "twice": "{name} contains {value} twice",
    "too_long": "{name} has {value} characters; at most {limit} are allowed",
    "too_large": "{name} is {value}; the largest number allowed is {limit}",
    "too_small": "{name} is {value}; the smallest number allowed is {limit}, or 0",
    "other": "{name} is not valid: {value}",
}


def problem_text(problem: Problem) -> str:
    """A value out of bounds as a sentence without a full stop."""
    value = repr(problem.value) if problem.code == "choice" else problem.value
    name = said(problem.title or "The value")
    return said(BOUNDS_SENTENCES[problem.code], name=name, limit=problem.limit, value=value)


def checked_struct(data: Any, kind: Any, path: Path, remedy: str, bounds_remedy: str) -> Any:
    """Plain data as a struct. Raises FileProblem, naming the place, for what does not fit or is out of bounds."""
    try:
        struct = converted(data, kind)
    except msgspec.ValidationError as problem:
        what, _, where = str(problem).partition(" - at ")
        raise FileProblem(path, where.strip("`") or "$", what, remedy) from None
    for found in problems_of(struct):
        raise FileProblem(path, found.path, problem_text(found), bounds_remedy)
    return struct


MOST_ITEMS = 1_000_000
"""Entries of all lists together; a file with more is none that a person made."""
LONGEST_TEXT = 100_000
LINE_BREAKS = "\r\n"
_CONTAINERS = (dict, list)


Place = tuple["Place", "str | int"] | None
"""Where a value stands: the place around it and its key; None for the whole."""


def refuse_bulk_and_hidden_text(data: Any, path: Path) -> None:
    """Raise FileProblem, naming the place, for more or longer texts than anybody writes, or hidden characters."""
    items = 0
    if isinstance(data, str):
        _refuse_text(data, None, path)
    pending: list[tuple[Place, Any]] = [(None, data)]
    while pending:
        place, value = pending.pop()
        if isinstance(value, dict):
            _refuse_names(value, place, path)
            inner: Iterable[tuple[str | int, Any]] = value.items()
        elif isinstance(value, list):
            inner = enumerate(value)
        else:
            continue
        items += len(value)
        if items > MOST_ITEMS:
            raise FileProblem(
                path, "", "The file contains more than {most_items} values", "Split it", most_items=f"{MOST_ITEMS:,}"
            )
        _refuse_texts(inner, place, path)
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        pending.extend([((place, key), item) for key, item in inner if type(item) in _CONTAINERS])


def _refuse_names(value: dict[str, Any], place: Place, path: Path) -> None:
    if has_unsafe_text("".join(value)):
        raise FileProblem(path, _text_of(place), "A name contains invisible characters", "Remove them")
    name = value.get("name")
    if isinstance(name, str) and any(mark in name for mark in LINE_BREAKS):
        # What is copied with a name in it, such as a command, must not gain a line.
        raise FileProblem(path, f"{_text_of(place)}.name", "A name contains a line break", "Remove it")


def _refuse_texts(inner: Iterable[tuple[str | int, Any]], place: Place, path: Path) -> None:
    """Look at all texts of one object or list at once, and one by one only where something is wrong."""
    texts = [(key, item) for key, item in inner if type(item) is str]
    joined = "".join([text for _, text in texts])
    if len(joined) <= LONGEST_TEXT and not has_unsafe_text(joined):
        return
    for key, text in texts:
        _refuse_text(text, (place, key), path)


def _refuse_text(value: str, place: Place, path: Path) -> None:
    if len(value) > LONGEST_TEXT:
        raise FileProblem(
            path,
            _text_of(place),
            "The text is longer than {longest_text} characters",
            "Shorten it",
            longest_text=f"{LONGEST_TEXT:,}",
        )
    if has_unsafe_text(value):
        raise FileProblem(
            path,
            _text_of(place),
            "The text contains control or direction characters",
            "Remove them",
        )


def _text_of(place: Place) -> str:
    """A place as it is written: `$.scenarios[0].name`."""
    parts: list[str] = []
    while place is not None:
        place, key = place
        parts.append(f".{key}" if isinstance(key, str) else f"[{key}]")
    return "$" + "".join(reversed(parts))
