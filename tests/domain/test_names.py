"""Names that tell things of one kind apart."""

from __future__ import annotations

import pytest

from gpuplanner_gui.domain.names import free_name


@pytest.mark.parametrize(
    ("taken", "form", "free"),
    [
        (set(), "{name} {number}", "chat"),
        ({"chat"}, "{name} {number}", "chat 2"),
        ({"chat", "chat 2", "chat 4"}, "{name} {number}", "chat 3"),
        ({"chat", "chat 2"}, "{name} ({number})", "chat (2)"),
    ],
)
def test_the_first_number_that_nothing_else_has_tells_a_name_apart(taken: set[str], form: str, free: str) -> None:
    assert free_name("chat", taken.__contains__, form) == free


def test_a_name_with_braces_is_kept_as_it_is() -> None:
    assert free_name("{number}", {"{number}"}.__contains__) == "{number} 2"
