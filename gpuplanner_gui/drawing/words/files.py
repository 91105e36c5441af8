"""What is wrong with a file or an input, in the language of the moment."""

from __future__ import annotations

import re

from gpuplanner_gui.domain.estate import Estate, EstateProblem
from gpuplanner_gui.domain.field import Problem, field_of
from gpuplanner_gui.domain.scenario import TooManyCandidates
from gpuplanner_gui.drawing.language import ENGLISH, language, tr
from gpuplanner_gui.drawing.units import entered_text, format_value
from gpuplanner_gui.files.errors import LONGEST_PLACE, LONGEST_SENTENCE, FileProblem, Said
from gpuplanner_gui.files.estate_check import fault_sentences
from gpuplanner_gui.files.text import plain_text

_SENTENCES = {
    "not_finite": "{name} must be a finite number.",
    "below": "{name} must be at least {limit}; it is {value}.",
    "not_above": "{name} must be more than {limit}; it is {value}.",
    "over": "{name} must be at most {limit}; it is {value}.",
    "order": "{name}: enter the lower end of the range first; it is {value}.",
    "choice": "{name} must be one of {limit}; it is “{value}”.",
    "form": "{name} must look like {limit}; it is “{value}”.",
    "too_many": "{name} has {value} entries; at most {limit} are allowed.",
    "too_few": "{name} has {value} entries; at least {limit} are needed.",
    "twice": "{name} contains {value} twice. Remove one.",
    "too_long": "{name} has {value} characters; at most {limit} are allowed.",
    "too_large": "{name} is {value}; the largest number allowed is {limit}.",
    "too_small": "{name} is {value}; the smallest number allowed is {limit}, or 0.",
    "other": "{name}: {value}",
}


def problem_text(problem: Problem, with_path: bool = True) -> str:
    """The fault in a sentence, with the place in the file where that helps."""
    sentence = tr(_SENTENCES[problem.code]).format(
        name=tr(problem.title) if problem.title else problem.path or tr("The value"),
        value=_number(problem.value, problem.unit),
        limit=_number(problem.limit, problem.unit),
    )
    return f"{sentence} ({problem.path})" if with_path and problem.path else sentence


def too_many_candidates_text(problem: TooManyCandidates) -> str:
    """What is asked for, what one plan may have, and what to do."""
    words = tr(
        "This search has {count} candidates; at most {most} are planned at once. "
        "Choose fewer accelerators, weight precisions or KV precisions."
    )
    return words.format(count=format_value(problem.count), most=format_value(problem.most))


def _number(value: float | str, unit: str) -> str:
    return value if isinstance(value, str) else entered_text(value, unit)


_DECODER_WORDS = {
    r"Expected `(?P<expected>[^`]+)`, got `(?P<found>[^`]+)`": "{expected} is expected, not {found}",
    r"Expected `(?P<expected>[^`]+)`": "{expected} is expected",
    r"Object missing required field `(?P<name>[^`]+)`": "the field {name} is missing",
    r"Object contains unknown field `(?P<name>[^`]+)`": "there is no field {name}",
    r"Invalid enum value (?P<value>.+)": "{value} is not one of the values allowed here",
    r"Invalid value (?P<value>.+)": "{value} is not one of the values allowed here",
}
"""What the decoder of files says when a value does not fit its place."""


def file_problem_text(problem: FileProblem) -> str:
    """The fault, its place and what to do, as sentences."""
    if language() == ENGLISH:
        return str(problem)
    place = plain_text(problem.path.name, LONGEST_PLACE)
    if problem.where:
        place = tr("{file}, at {place}").format(file=place, place=plain_text(problem.where, LONGEST_PLACE))
    sentence = tr("{place}: {what}.").format(place=place, what=_plain(problem.what))
    if not problem.remedy:
        return sentence
    return tr("{sentence} {remedy}.").format(sentence=sentence, remedy=_plain(problem.remedy))


def estate_fault_text(fault: EstateProblem) -> str:
    """What is wrong with an estate that is being edited, and where: Pools 2: …"""
    what, remedy = fault_sentences(fault)
    field, number = _PLACE_IN_ESTATE.match(fault.path).groups()  # type: ignore[union-attr]
    title = tr(field_of(Estate, field).about.title)
    place = f"{title} {int(number) + 1}" if number else title
    sentence = tr("{place}: {what}.").format(place=place, what=_plain(what))
    return tr("{sentence} {remedy}.").format(sentence=sentence, remedy=_plain(remedy))


_PLACE_IN_ESTATE = re.compile(r"estate\.(\w+)(?:\[(\d+)\])?")


def _plain(sentence: str) -> str:
    return plain_text(said_text(sentence), LONGEST_SENTENCE)


def said_text(sentence: str) -> str:
    """A sentence of the files layer with its values, sentences among them, in the language of the moment."""
    if isinstance(sentence, Said):
        values = {name: said_text(one) if isinstance(one, Said) else one for name, one in sentence.values.items()}
        return tr(sentence.template).format(**values)
    known = tr(sentence)
    return _decoder_text(sentence) if known == sentence else known


def _decoder_text(sentence: str) -> str:
    for pattern, template in _DECODER_WORDS.items():
        found = re.fullmatch(pattern, sentence, re.IGNORECASE)
        if found is not None:
            return tr(template).format(**found.groupdict())
    return sentence
