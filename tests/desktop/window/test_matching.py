from __future__ import annotations

import pytest

from gpuplanner_gui.desktop.window.command_palette import NO_MATCH, match_score


def best(typed: str, *texts: str) -> str:
    return max(texts, key=lambda text: match_score(typed, text))


def test_beginnings_of_words_come_before_parts_and_scattered_letters() -> None:
    assert best("rate", "Generate", "Arrival rate", "Remaining attempts") == "Arrival rate"
    assert best("sa", "Save As…", "Message", "Serving area") == "Save As…"


def test_all_typed_words_must_fit_in_any_order() -> None:
    assert match_score("peak rate", "Rate at the peak") > 0
    assert match_score("peak rate", "Rate") == NO_MATCH


@pytest.mark.parametrize("typed", ["", "   "])
def test_nothing_typed_fits_everything_alike(typed: str) -> None:
    assert match_score(typed, "Save") == match_score(typed, "Open") == 0.0


def test_scattered_letters_fit_in_order_only() -> None:
    assert match_score("dpsc", "Duplicate Scenario") > NO_MATCH
    assert match_score("csud", "Duplicate Scenario") == NO_MATCH
