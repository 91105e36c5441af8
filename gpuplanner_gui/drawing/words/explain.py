"""An explanation as text: each value with its formula or source, what went in indented under it."""

from __future__ import annotations

from gpuplanner_gui.domain.plan import ExplainedValue
from gpuplanner_gui.drawing.answer_titles import given_title
from gpuplanner_gui.drawing.language import labelled, listed, tr
from gpuplanner_gui.drawing.units import format_value

LONGEST_LIST = 4


def shown_value(value: ExplainedValue) -> str:
    """The number with its unit; of several, the first few."""
    number = value.value
    if isinstance(number, str):
        return number
    if isinstance(number, tuple):
        shown = [format_value(one, value.unit) for one in number[:LONGEST_LIST]]
        more = ["…"] if len(number) > LONGEST_LIST else []
        return listed([*shown, *more])
    return format_value(number, value.unit)


def name_of(value: ExplainedValue) -> str:
    """What a value is called; symbols of a formula stay as they stand in it."""
    return tr(given_title(value.title)) if value.title else value.name


def expression_of(value: ExplainedValue) -> str:
    """The formula in symbols behind its name, or how the value comes about in words."""
    title, colon, symbols = value.expression.partition(": ")
    said = tr(value.expression)
    return labelled(tr(title), symbols) if colon and said == value.expression else said


def source_of(value: ExplainedValue) -> str:
    """Where it was read; what is cited stays as it is."""
    return tr(value.source)


def explanation_text(value: ExplainedValue, depth: int = 0) -> str:
    """The whole tree, for copying and for reports."""
    indent = "    " * depth
    lines = [f"{indent}{name_of(value)} = {shown_value(value)}"]
    if value.expression:
        lines.append(f"{indent}  = {expression_of(value)}")
    if value.source:
        lines.append(f"{indent}  [{source_of(value)}]")
    lines += [explanation_text(part, depth + 1) for part in value.inputs]
    return "\n".join(lines)
