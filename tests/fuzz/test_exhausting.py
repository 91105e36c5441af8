"""Small plans that are valid and made to exhaust: no command takes over 1 GB or ends in a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.exhausting import EXHAUSTING
from tests.fuzz.limited import commands_on, is_json, tried

SAMPLE = (
    "every format of both kinds, every size", "prompts of 1e8 tokens", "a rate of 1e-30",
)  # fmt: skip
"""What the others cost is seen by `make test-deep`."""


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLE)
def test_planning_a_hostile_plan_stays_in_bounds(name: str, tmp_path: Path) -> None:
    path = tmp_path / "hostile.gpuplan"
    path.write_bytes(EXHAUSTING[name][0]())
    assert path.stat().st_size < 100_000
    done = tried(commands_on(path, tmp_path)["plan"])
    assert done.faults() == [], done.errors[-2000:]
    assert done.status == 1 or is_json(done.output)
