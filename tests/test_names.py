"""A public class name of the package tells one thing from another: no two classes share one."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "gpuplanner_gui"
STILL_TWICE = frozenset((
    "Answer", "Box", "Entry", "Estate", "Figure", "Fleet", "Gate", "Headline", "Measurement", "OwnedDevices", "Pace",
    "Part", "Pool", "Problem", "Progress", "Question", "Replica", "Rival", "Rows", "Section", "ServingCase",
    "SimulatedCurve", "Site", "Span", "Step", "Theme", "TrainingCase", "Unit",
))  # fmt: skip
"""Names to be told apart yet. This list only shrinks."""


def homes_of_classes() -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(path.relative_to(PACKAGE).as_posix())
    return found


def test_no_public_class_name_stands_for_two_things() -> None:
    twice = {name: homes for name, homes in homes_of_classes().items() if len(homes) > 1}
    assert {name: homes for name, homes in twice.items() if name not in STILL_TWICE} == {}


def test_the_allowance_shrinks_with_the_names() -> None:
    twice = {name for name, homes in homes_of_classes().items() if len(homes) > 1}
    assert STILL_TWICE - twice == set()
