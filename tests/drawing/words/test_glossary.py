"""The glossary: found at its words, told once, and the same names as in the nomenclature."""

from __future__ import annotations

from pathlib import Path

from gpuplanner_gui.drawing.words.glossary import GLOSSARY, TOLD_AT_THE_WORD, meanings, terms_in

NOMENCLATURE = (Path(__file__).resolve().parents[3] / "docs/nomenclature.md").read_text("utf-8").lower()


def test_terms_are_found_where_they_stand_as_words() -> None:
    text = "TTFT p95 0.62 s, headroom 12 %; TPs, spotted, KV cache"
    assert [text[one.start : one.end] for one in terms_in(text)] == ["TTFT", "headroom", "KV cache"]


def test_each_term_of_several_texts_is_told_once() -> None:
    assert meanings("TTFT and TPOT", "TPOT p95") == [f"{term}: {GLOSSARY(term)}" for term in ("TTFT", "TPOT")]
    assert meanings("Nothing to say") == []


def test_the_glossary_has_the_names_of_the_nomenclature() -> None:
    assert set(TOLD_AT_THE_WORD) <= set(GLOSSARY)
    missing = [term for term in TOLD_AT_THE_WORD if term.lower() not in NOMENCLATURE]
    assert missing == []
