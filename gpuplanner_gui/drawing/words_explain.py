"""An explanation as text: each value with its formula or source, what went in indented under it."""

from __future__ import annotations

from gpuplanner_gui.domain.plan import ExplainedValue
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
        return ", ".join([*shown, *more])
    return format_value(number, value.unit)


def explanation_text(value: ExplainedValue, depth: int = 0) -> str:
    """The whole tree, for copying and for reports."""
    indent = "    " * depth
    lines = [f"{indent}{value.title or value.name} = {shown_value(value)}"]
    if value.expression:
        lines.append(f"{indent}  = {value.expression}")
    if value.source:
        lines.append(f"{indent}  [{value.source}]")
    lines += [explanation_text(part, depth + 1) for part in value.inputs]
    return "\n".join(lines)
