"""How the program and its tools are cut: one name for one class, functions that fit a screen, files of one subject.

How many ways lead through a function is limited by ruff (C901).
"""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "gpuplanner_gui/"


@cache
def modules() -> dict[str, tuple[int, ast.Module]]:
    """Lines and syntax tree of every file of the package and of the tools."""
    paths = [path for part in ("gpuplanner_gui", "tools") for path in sorted((ROOT / part).rglob("*.py"))]
    texts = {path.relative_to(ROOT).as_posix().removeprefix(PACKAGE): path.read_text("utf-8") for path in paths}
    return {name: (text.count("\n"), ast.parse(text)) for name, text in texts.items()}


@cache
def homes_of_classes() -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for name, (_, tree) in modules().items():
        for node in [] if name.startswith("tools/") else tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(name)
    return found


def test_no_public_class_name_stands_for_two_things() -> None:
    assert {name: homes for name, homes in homes_of_classes().items() if len(homes) > 1} == {}


MOST_FUNCTION_LINES, MOST_FILE_LINES = 60, 450


def test_functions_fit_a_screen_and_files_a_subject() -> None:
    large = {name for name, (lines, _) in modules().items() if lines > MOST_FILE_LINES}
    long = set()
    for name, (_, tree) in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno >= MOST_FUNCTION_LINES:
                long.add(f"{name}:{node.name}")
    assert long == set()
    assert large == set()
