"""A value out of its bounds, as part of a sentence about a file."""

from __future__ import annotations

from gpuplanner_gui.domain.field import Problem
from gpuplanner_gui.files.said import said

BOUNDS_SENTENCES = {
    "not_finite": "{name} must be a finite number, is {value}",
    "below": "{name} must be at least {limit}, is {value}",
    "not_above": "{name} must be more than {limit}, is {value}",
    "over": "{name} must be at most {limit}, is {value}",
    "order": "{name}: the numbers of a range must rise, are {value}",
    "choice": "{name} must be one of {limit}, is {value}",
    "too_many": "{name} has {value} entries; at most {limit} are read",
    "twice": "{name} holds {value} twice",
    "too_long": "{name} has {value} characters; at most {limit} are read",
    "too_large": "{name} is {value}; no number may be larger than {limit}",
    "too_small": "{name} is {value}; no number but 0 may be nearer to 0 than {limit}",
    "other": "{name} is not valid: {value}",
}


def problem_text(problem: Problem) -> str:
    """A value out of bounds as a sentence without a full stop."""
    value = repr(problem.value) if problem.code == "choice" else problem.value
    name = said(problem.title or "The value")
    return said(BOUNDS_SENTENCES[problem.code], name=name, limit=problem.limit, value=value)
