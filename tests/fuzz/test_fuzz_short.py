"""A short run of what `python -m tests.fuzz.fuzz` does a million times: damaged files are read or refused in words."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("resource", reason="memory and processor time are watched as POSIX does")

from tests.fuzz.fuzz import run
from tests.fuzz.targets import TARGETS

INPUTS = 400


@pytest.mark.parametrize("name", TARGETS)
def test_samples_themselves_are_read(name: str) -> None:
    target = TARGETS[name]
    outcomes = [target.try_out(sample.text.encode("utf-8")) for sample in target.samples()]
    assert outcomes == ["read"] * len(outcomes)


@pytest.mark.parametrize("name", TARGETS)
def test_damaged_files_end_in_an_answer_or_a_sentence(name: str, tmp_path: Path) -> None:
    log = tmp_path / "fuzz.log"
    assert run(TARGETS[name], seed=8, first=0, count=INPUTS, log=log) == 0, log.read_text(encoding="utf-8")


def test_the_same_number_gives_the_same_input() -> None:
    mutator = TARGETS["config"].mutator()
    assert mutator.damaged(1, 5) == TARGETS["config"].mutator().damaged(1, 5)
    assert mutator.damaged(1, 5) != mutator.damaged(1, 6)
