"""tests/attacks.csv names the tests for each item of the attack on commit e11a574.

What a night takes stands in `make test-deep`: plans through every command and the window, kills, two builds.
"""

from __future__ import annotations

import csv

from tests.test_requirements_table import REPOSITORY, named_tests

COLUMNS = ["item", "attack", "test"]
ITEMS = [str(number) for number in range(1, 12)]


def test_every_item_of_the_attack_has_tests_that_exist():
    with (REPOSITORY / "tests" / "attacks.csv").open(encoding="utf-8", newline="") as table:
        read = csv.DictReader(table)
        rows = list(read)
    assert read.fieldnames == COLUMNS
    assert list(dict.fromkeys(row["item"] for row in rows)) == ITEMS
    named = [row["test"].split("::") for row in rows]
    assert [name for file, name in named if name not in named_tests(REPOSITORY / file)] == []
    assert all(row["attack"].strip() for row in rows)
