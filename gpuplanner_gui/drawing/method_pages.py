"""Pages of the handbook: a method's words from its file, its formulas from the functions that compute them."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

from gpuplanner_gui.domain.method import Method
from gpuplanner_gui.drawing.answer_titles import formula_in_words
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.unit_words import unit_text
from gpuplanner_gui.files.shipped_tables import methods

if TYPE_CHECKING:
    from gpuplanner_gui.engine.explaining.formula import Formula

_UNITS = (
    ("usd_per_mtok", "USD/Mtok"), ("usd_per_kwh", "USD/kWh"), ("usd_per_kw_month", "USD/kW/month"),
    ("usd_per_gb_month", "USD/GB/month"), ("usd_per_gb", "USD/GB"), ("usd_per_device_hour", "USD/h"),
    ("usd_per_hour", "USD/h"), ("usd_per_h", "USD/h"), ("usd_per_year", "USD/y"), ("usd", "USD"),
    ("g_per_kwh", "g/kWh"), ("litres_per_kwh", "L/kWh"), ("_kwh", "kWh"), ("_kg", "kg"),
    ("bytes_per_parameter", "bytes"), ("bytes_per_element", "bytes"), ("bytes_per_value", "bytes"),
    ("bytes_per_token", "bytes/tok"), ("flop_per_token", "FLOP/tok"), ("s_per_token", "s/tok"),
    ("tokens_per_s_per_device", "tok/s"), ("tokens_per_step", "tok"), ("bytes_per_s", "bytes/s"),
    ("flop_per_s", "FLOP/s"), ("tokens_per_s", "tok/s"), ("_per_s2", "1/s²"), ("_per_s", "1/s"),
    ("failures_per_hour", "1/h"), ("failures_per_node_day", "1/d"), ("bytes", "bytes"), ("flop", "FLOP"),
    ("tokens", "tok"), ("years", "y"), ("_days", "d"), ("hours", "h"), ("_h", "h"), ("_w", "W"), ("_s2", "s²"),
    ("_s", "s"),
)  # fmt: skip
"""Units by the end of a name, the longest ends first."""


def module_formulas(module: str) -> tuple[Formula, ...]:
    """The formulas of a module of the engine, in the order in which it defines them; imports the module."""
    from gpuplanner_gui.engine.explaining.formula import ENGINE, FORMULAS

    importlib.import_module(ENGINE + module)
    return tuple(one for one in FORMULAS.values() if module_of(one.key) == module)


def module_of(key: str) -> str:
    return key.rpartition(".")[0]


def method_of(key: str) -> Method | None:
    """The method that a formula belongs to; None where no page tells of it."""
    return next((one for one in methods() if module_of(key) in one.formulas), None)


def method_text(method: Method, formulas: Iterable[Formula]) -> str:
    """All words of a page, in the language of the moment and in English, to be searched."""
    said = (method.title, *method.introduction, *method.evidence, *method.limits)
    lines = [*said, *(tr(one) for one in said)]
    for one in formulas:
        shown = formula_in_words(one.expression)
        lines += [one.name, one.title, tr(one.title), shown, one.expression, one.source, one.unit, *one.inputs]
    return "\n".join(lines).casefold()


def method_html(method: Method, formulas: Sequence[Formula] | None, quiet: str) -> str:
    """A page as the text views of Qt show it; `formulas` None: they are still being read."""
    parts = [f"<h2>{_said(method.title)}</h2>", *(f"<p>{_said(one)}</p>" for one in method.introduction)]
    if formulas is None:
        parts.append(f'<p style="color: {quiet}">{_plain(tr("Reading the formulas…"))}</p>')
    elif formulas:
        parts += [f"<h3>{_plain(tr('Formulas'))}</h3>", *(_formula_html(one, quiet) for one in formulas)]
    parts += _list_html(tr("How it was checked"), method.evidence)
    parts += _list_html(tr("Limits"), method.limits)
    return "".join(parts)


def _said(text: str) -> str:
    return _plain(tr(text))


def _plain(text: str) -> str:
    return escape(text, quote=False)


def _list_html(title: str, items: Sequence[str]) -> Iterator[str]:
    if items:
        yield f"<h3>{_plain(title)}</h3><ul>"
        yield from (f"<li>{_said(one)}</li>" for one in items)
        yield "</ul>"


def _formula_html(formula: Formula, quiet: str) -> str:
    inputs = ", ".join(input_text(name) for name in formula.inputs)
    is_plain = formula.unit in ("", "1")
    unit = (
        tr("Result: a plain number")
        if is_plain
        else tr("Result in {unit}").format(unit=unit_text(formula.unit.replace("flop", "FLOP")))
    )
    source = tr("Source: {source}").format(source=formula_in_words(tr(formula.source)))
    notes = (unit, tr("From: {inputs}").format(inputs=inputs), source)
    shown = "<br>".join(_plain(one) for one in notes)
    return (
        f'<p><a name="{escape(formula.key)}"></a><b>{_said(formula.title)}</b><br>'
        f"<code>{_plain(formula_in_words(formula.expression))}</code><br>"
        f'<span style="color: {quiet}">{shown}</span></p>'
    )


def input_text(name: str) -> str:
    """An argument with the unit that its name ends with: prompt tokens [tok]."""
    unit = next((unit for suffix, unit in _UNITS if name.endswith(suffix)), "")
    words = formula_in_words(name)
    return f"{words} [{unit_text(unit)}]" if unit else words
