from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from gpuplanner_gui.engine.recent import Recent, aside


@dataclass(frozen=True)
class Table:
    name: str
    values: np.ndarray


def test_value_is_kept_while_all_it_follows_from_is_the_same() -> None:
    recent: Recent[int] = Recent()
    made: list[int] = []

    def value_of(number: float) -> int:
        def make() -> int:
            made.append(1)
            return len(made)

        return recent.of(("model", Table("a", np.array([1.0, number]))), make)

    assert [value_of(2.0), value_of(2.0), value_of(3.0), value_of(2.0)] == [1, 1, 2, 3]


def test_failure_keeps_the_value_before() -> None:
    recent: Recent[str] = Recent()
    recent.of(("one",), lambda: "kept")

    def fail() -> str:
        raise ValueError("no value")

    with pytest.raises(ValueError, match="no value"):
        recent.of(("two",), fail)
    assert recent.of(("one",), lambda: "made again") == "kept"


def test_asides_find_what_is_kept_and_keep_nothing() -> None:
    recent: Recent[str] = Recent()
    recent.of(("plan",), lambda: "plan")
    with aside():
        assert recent.of(("plan",), lambda: "again") == "plan"
        assert recent.of(("limit lifted",), lambda: "lifted") == "lifted"
    assert recent.of(("plan",), lambda: "again") == "plan"
    assert recent.of(("limit lifted",), lambda: "lifted again") == "lifted again"


def test_a_twin_is_compared_once() -> None:
    compared: list[int] = []

    class Catalogue:
        """Large, and read anew: equal to the one before, and slow to compare."""

        def __eq__(self, other: object) -> bool:
            compared.append(1)
            return True

        __hash__ = None

    recent: Recent[str] = Recent()
    recent.of((Catalogue(),), lambda: "made")
    twin = Catalogue()
    assert [recent.of((twin,), lambda: "again") for _ in range(3)] == ["made"] * 3
    assert len(compared) == 1
