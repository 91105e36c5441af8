"""The handbook's formulas are those that the program computes with: each is called, and gives what it says."""

from __future__ import annotations

import ast
import importlib
import inspect
import math
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

import numpy as np
import pytest

from gpuplanner_gui.drawing.method_pages import module_formulas
from gpuplanner_gui.engine.explaining.formula import ENGINE, FORMULAS, Formula
from gpuplanner_gui.files.shipped_tables import methods

PACKAGE = Path(__file__).parents[2] / "gpuplanner_gui"

SIGNS = str.maketrans({"·": "*", "×": "*", "−": "-", "^": "**", "²": "**2"})
FUNCTIONS = {
    "min": min, "max": max, "sqrt": math.sqrt, "ceil": math.ceil, "exp": math.exp, "ln": math.log, "hypot": math.hypot,
}  # fmt: skip
HANGING_TOGETHER = {"serving.load.steps.step_variance_s2"}
"""Read as shown only where one argument follows from the others."""
SHARE = re.compile(r"share|overlap|loss|efficiency|utilisation|headroom|availability|idle|rate$")
"""Arguments that lie between 0 and 1."""


def formulas() -> list[Formula]:
    for method in methods():
        for module in method.formulas:
            module_formulas(module)
    return [one for name, one in FORMULAS.items() if name.startswith(ENGINE)]


def code_of(formula: Formula) -> CodeType | None:
    """The expression as Python; None for one that holds more than the function's own arguments."""
    text = re.sub(r"⌈([^⌈⌉]*)⌉", r" ceil(\1)", formula.expression.translate(SIGNS).replace("√(", " sqrt("))
    text = text.replace(" e**(", " exp(")
    try:
        code = compile(text.strip(), formula.key, "eval")
    except SyntaxError:
        return None
    names = set(code.co_names) - set(FUNCTIONS)
    return code if names and names <= set(formula.inputs) else None


READABLE = [one for one in formulas() if code_of(one) is not None and one.key not in HANGING_TOGETHER]


def test_most_formulas_can_be_read_as_they_are_shown() -> None:
    assert len(READABLE) > 0.5 * len(formulas()) > 80


@pytest.mark.parametrize("formula", READABLE, ids=lambda one: one.key)
def test_a_formula_gives_what_its_expression_says(formula: Formula) -> None:
    module, _, name = formula.key.rpartition(".")
    function = getattr(importlib.import_module(ENGINE + module), name)
    rng = np.random.default_rng(1)
    arguments, compared = list(inspect.signature(function).parameters), 0
    for attempt in range(400):
        if attempt >= 200 and compared:
            break
        values = {one: 10 ** rng.uniform(-3.0, 3.0) if attempt >= 200 else rng.uniform(1.5, 9.0) for one in arguments}
        values |= {one: rng.uniform(0.1, 0.9) for one in arguments if SHARE.search(one)}
        expected = eval(code_of(formula), FUNCTIONS, values)  # noqa: S307  (the program's own expressions)
        # Less than nothing: what is left over where nothing is, which functions cut off.
        if not isinstance(expected, complex) and expected >= 0:
            found = function(**{one: np.array([value]) for one, value in values.items()})
            assert np.asarray(getattr(found, "total", found)).item() == pytest.approx(expected, rel=1e-9, abs=1e-12)
            compared += 1
    assert compared > 0


def names_in(node: ast.AST) -> Iterator[str]:
    for one in ast.walk(node):
        if isinstance(one, ast.Name):
            yield one.id
        elif isinstance(one, ast.Attribute):
            yield one.attr


def test_every_formula_is_called_by_the_program() -> None:
    used: Counter[str] = Counter()
    for path in PACKAGE.rglob("*.py"):
        used.update(names_in(ast.parse(path.read_text(encoding="utf-8"))))
    keys = [one.key for one in formulas()]
    assert len(keys) > 100
    assert [key for key in keys if not used[key.rpartition(".")[2]]] == []
