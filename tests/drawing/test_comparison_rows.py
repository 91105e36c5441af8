"""Titles of sections are told from results whose names are capitals, in any language."""

from __future__ import annotations

from gpuplanner_gui.drawing.decision_rows import INPUTS, RANK, RESULTS, is_heading
from gpuplanner_gui.drawing.language import tr


def test_titles_are_headings_and_mfu_is_a_result() -> None:
    assert all(is_heading((tr(title).upper(), "", "")) for title in (INPUTS, RESULTS, RANK))
    assert not is_heading(("MFU", "54 %", "51 %"))
    assert not is_heading((tr("none"), "", ""))
