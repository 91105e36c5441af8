"""The handbook shows the formulas that the program computes with, and no others."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from gpuplanner_gui.drawing.method_pages import module_formulas
from gpuplanner_gui.engine.formula import FORMULAS
from gpuplanner_gui.files.methods import methods

PACKAGE = Path(__file__).parents[2] / "gpuplanner_gui"
WAITING = "gpuplanner_gui.engine.cost."
"""Beginning of the keys of formulas that are looked at on their own."""


def names_in(node: ast.AST) -> Iterator[str]:
    for one in ast.walk(node):
        if isinstance(one, ast.Name):
            yield one.id
        elif isinstance(one, ast.Attribute):
            yield one.attr


def test_every_formula_is_called_by_the_program() -> None:
    for method in methods():
        for module in method.formulas:
            module_formulas(module)
    used: Counter[str] = Counter()
    for path in PACKAGE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        used.update(names_in(tree))
    keys = [key for key in FORMULAS if not key.startswith(WAITING)]
    assert len(keys) > 100
    assert [key for key in keys if not used[key.rpartition(".")[2]]] == []
