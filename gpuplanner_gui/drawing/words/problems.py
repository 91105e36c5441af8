"""What is wrong with an input, as a sentence."""

from __future__ import annotations

from gpuplanner_gui.domain.field import Problem
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.units import entered_text

_SENTENCES = {
    "not_finite": "{name} must be a finite number.",
    "below": "{name} must be at least {limit}; it is {value}.",
    "not_above": "{name} must be more than {limit}; it is {value}.",
    "over": "{name} must be at most {limit}; it is {value}.",
    "order": "{name}: enter the lower end of the range first; it is {value}.",
    "choice": "{name} must be one of {limit}; it is “{value}”.",
    "form": "{name} is written like {limit}; it is “{value}”.",
    "too_many": "{name} has {value} entries; at most {limit} are read.",
    "twice": "{name} holds {value} twice.",
    "too_long": "{name} has {value} characters; at most {limit} are read.",
    "too_large": "{name} is {value}; no number may be larger than {limit}.",
    "too_small": "{name} is {value}; no number but 0 may be nearer to 0 than {limit}.",
    "other": "{name}: {value}",
}


def problem_text(problem: Problem, with_path: bool = True) -> str:
    """The fault in a sentence, with the place in the file where that helps."""
    sentence = tr(_SENTENCES[problem.code]).format(
        name=tr(problem.title) if problem.title else problem.path or tr("The value"),
        value=_number(problem.value),
        limit=_number(problem.limit),
    )
    return f"{sentence} ({problem.path})" if with_path and problem.path else sentence


def _number(value: float | str) -> str:
    return value if isinstance(value, str) else entered_text(value)
