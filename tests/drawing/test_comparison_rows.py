"""Titles of sections are told from results whose names are capitals, in any language."""

from __future__ import annotations

import math

import msgspec

from gpuplanner_gui.domain.verdict import Verdict
from gpuplanner_gui.drawing.comparison_rows import INPUTS, RANK, RESULTS, is_heading
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.words.verdict_level import held_back_text, verdict_state


def test_titles_are_headings_and_mfu_is_a_result() -> None:
    assert all(is_heading((tr(title).upper(), "", "")) for title in (INPUTS, RESULTS, RANK))
    assert not is_heading(("MFU", "54 %", "51 %"))
    assert not is_heading((tr("none"), "", ""))


def test_a_level_below_its_chance_says_why() -> None:
    held = Verdict(
        level="likely", chance=0.84, confidence=0.8, weakest="stress:burst", weakest_chance=math.nan,
        reasons=("stress:burst",), evidence_kind="published",
    )  # fmt: skip
    words = "Likely: 84 % chance of meeting every target, but a stress test misses a target."
    assert verdict_state(held, "every target") == words
    assert held_back_text(held) == "a stress test misses a target"
    assert not held_back_text(msgspec.structs.replace(held, chance=0.7))
