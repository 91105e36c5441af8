"""tests/requirements.csv says for each founding requirement where a planner finds it and which test exercises it."""

from __future__ import annotations

import ast
import csv
import re
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
TABLE = REPOSITORY / "tests" / "requirements.csv"
COLUMNS = ["id", "where_in_window", "test"]
REQUIREMENT_IDS = {f"S{number}" for number in range(1, 160)}


def rows() -> list[dict[str, str]]:
    with TABLE.open(encoding="utf-8", newline="") as table:
        return list(csv.DictReader(table))


def named_tests(path: Path) -> set[str]:
    """`test_x`, `TestY::test_x` for every test function of a file."""
    names = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}::{item.name}" for item in node.body if isinstance(item, ast.FunctionDef)}
        elif isinstance(node, ast.FunctionDef):
            names.add(node.name)
    return {name for name in names if name.split("::")[-1].startswith("test_")}


def test_table_has_its_columns_and_rows():
    with TABLE.open(encoding="utf-8", newline="") as table:
        assert next(csv.reader(table)) == COLUMNS
    assert rows()
    assert [row for row in rows() if None in row or not all(str(cell or "").strip() for cell in row.values())] == []


def test_ids_are_requirements():
    assert {row["id"] for row in rows()} <= REQUIREMENT_IDS


def test_rows_are_in_order_of_number_and_not_repeated():
    keys = [(int(re.sub(r"\D", "", row["id"])), row["test"]) for row in rows()]
    assert keys == sorted(set(keys))


def test_named_tests_exist():
    missing = []
    for row in rows():
        file, _, name = row["test"].partition("::")
        path = REPOSITORY / file
        if not file.startswith("tests/") or not path.is_file() or name not in named_tests(path):
            missing.append(f"{row['id']}: {row['test']}")
    assert missing == []
