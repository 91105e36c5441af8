"""Tables in parts: they answer as one table does, whatever falls into which part."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.files.traces.columns import PARTS, Numbering, SeenNumbers


def test_names_are_numbered_in_the_order_of_their_first_appearance() -> None:
    rng = np.random.default_rng(0)
    names = [f"session {number}" for number in rng.integers(0, 3000, 10_000)]
    numbering, one_table = Numbering(), dict[str, int]()
    for name in names:
        assert numbering.number(name) == one_table.setdefault(name, len(one_table))
    assert len(one_table) > 2 * PARTS
    numbering.clear()
    assert numbering.number(names[-1]) == 0


def test_numbers_seen_at_the_start_are_counted_as_in_one_set() -> None:
    rng = np.random.default_rng(1)
    seen, one_set = SeenNumbers(), set[int]()
    lengths = set()
    for _ in range(2000):
        # Steps of the number of parts put every block into the same part; negative ones are numbers too.
        prompt = (rng.integers(-400, 400, int(rng.integers(0, 12))) * rng.choice((1, PARTS))).tolist()
        known = next((place for place, block in enumerate(prompt) if block not in one_set), len(prompt))
        assert seen.known_at_start(prompt) == known
        lengths.add(known)
        seen.add(prompt)
        one_set |= set(prompt)
    assert {0, 1, 5} <= lengths
    seen.clear()
    assert seen.known_at_start([1, 2]) == 0
