"""tests/mutations.csv can be carried out: each text stands in its file once, and each test is there."""

from __future__ import annotations

import csv

from gpuplanner_gui.drawing.words.finding_sentences import FINDING_SENTENCES
from tests.mutate import COLUMNS, REPOSITORY, TABLE, mutations
from tests.test_requirements_table import REQUIREMENT_IDS, named_tests


def test_table_has_its_columns_and_requirements_in_order():
    with TABLE.open(encoding="utf-8", newline="") as table:
        assert next(csv.reader(table)) == COLUMNS
    names = [one.row for one in mutations()]
    required = [one for one in names if one in REQUIREMENT_IDS]
    assert set(required) == REQUIREMENT_IDS
    assert required == sorted(required, key=lambda one: int(one[1:]))
    assert set(names[len(required) :]) <= set(FINDING_SENTENCES), "rules of the advisor, by what they find, come last"


def test_every_change_can_be_made():
    wrong = [
        one.row for one in mutations()
        if (REPOSITORY / one.file).read_text(encoding="utf-8").count(one.taken_out) != 1 or one.taken_out == one.put_in
    ]  # fmt: skip
    assert wrong == []


def test_every_named_test_is_there():
    missing = []
    for one in mutations():
        for test in one.tests:
            file, _, name = test.partition("::")
            known = named_tests(REPOSITORY / file)
            if not known or (name and name.partition("[")[0] not in known):
                missing.append((one.row, test))
    assert missing == []
