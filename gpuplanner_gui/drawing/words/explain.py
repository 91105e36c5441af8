"""An explanation as text: each value with its formula or source, what went in indented under it."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplanner_gui.domain.method import ExplainedValue
from gpuplanner_gui.drawing.answer_titles import formula_in_words, given_title, name_title
from gpuplanner_gui.drawing.language import labelled, listed, tr
from gpuplanner_gui.drawing.units import decimals_text, format_value

LONGEST_LIST = 4
EXACT_FROM = 1024
"""Bytes that are shown in larger units, and exactly beside them."""


def shown_value(value: ExplainedValue) -> str:
    """The number with its unit; of several, the first few."""
    number = value.value
    if isinstance(number, str):
        return number
    if isinstance(number, tuple):
        shown = [format_value(one, value.unit) for one in number[:LONGEST_LIST]]
        more = ["…"] if len(number) > LONGEST_LIST else []
        return listed([*shown, *more])
    # Memory counts in 2³⁰, rates in 10⁹: to reckon with, the bytes themselves are needed.
    is_large = value.unit in ("bytes", "B") and abs(number) >= EXACT_FROM
    text = format_value(number, value.unit)
    return f"{text} ({decimals_text(number)} B)" if is_large else text


def name_of(value: ExplainedValue) -> str:
    """What a value is called, as it is in the formula that it goes into."""
    return tr(given_title(value.title)) if value.title else name_title(value.name)


def input_names(value: ExplainedValue) -> list[str]:
    """What goes into a value, each told apart: several that one formula corrected are called by what they were."""
    names = [name_of(one) for one in value.inputs]
    alike = {name for name in names if len({one.name for one, own in zip(value.inputs, names) if own == name}) > 1}
    return [name_title(one.name) if name in alike else name for one, name in zip(value.inputs, names)]


def expression_of(value: ExplainedValue) -> str:
    """The formula behind its name, with titles for what goes in; or how the value comes about in words."""
    titles = {one.name: name for one, name in zip(value.inputs, input_names(value)) if one.title}
    title, colon, symbols = value.expression.partition(": ")
    said = tr(value.expression)
    if colon and said == value.expression:
        return labelled(tr(title), formula_in_words(symbols, titles))
    return formula_in_words(said, titles)


def source_of(value: ExplainedValue) -> str:
    """Where it was read; what is cited stays as it is."""
    return formula_in_words(tr(value.source))


def explanation_lines(value: ExplainedValue) -> Iterator[str]:
    """The whole tree, for copying and for reports; what stands above already is not told again."""
    yield from _lines_of(value, name_of(value), "", set())


def _lines_of(value: ExplainedValue, name: str, indent: str, told: set[int]) -> Iterator[str]:
    """A value and what goes into it; values of `told`, by identity, have their inputs above."""
    head = f"{indent}{name} = {shown_value(value)}"
    if value.inputs and id(value) in told:
        yield f"{head} ({tr('as above')})"
        return
    told.add(id(value))
    yield head
    if value.expression:
        yield f"{indent}  = {expression_of(value)}"
    if value.source:
        yield f"{indent}  [{source_of(value)}]"
    for part, own in zip(value.inputs, input_names(value)):
        yield from _lines_of(part, own, f"{indent}    ", told)
