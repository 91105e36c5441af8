"""Each language says every sentence of the program, with the same places to fill in; its compiled file is in step."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gpuplanner_gui.drawing.language import ENGLISH, tr
from gpuplanner_gui.drawing.translations import LANGUAGES, language_of, use_language
from tests.untranslated import untranslated
from tools.translations.linguist import faults_of, translations_in, ts_file
from tools.translations.sources import program_sources

OTHERS = [code for code in LANGUAGES if code != ENGLISH]
RENEW = "run `python -m tools.translations --list missing.json`, translate what it lists, and merge that"


@pytest.fixture(autouse=True)
def english_afterwards() -> Iterator[None]:
    yield
    use_language(ENGLISH)


@pytest.mark.parametrize("code", OTHERS)
def test_a_sentence_without_a_translation_is_shown_in_english(code: str) -> None:
    assert use_language(code)
    assert [text for text in untranslated(code) if tr(text) != text] == []


@pytest.mark.parametrize("code", OTHERS)
def test_translations_have_the_places_lines_and_mnemonics_of_their_sources(code: str) -> None:
    faulty = {text: faults_of(text, said) for text, said in translations_in(ts_file(code)).items()}
    assert {text: faults for text, faults in faulty.items() if faults} == {}


@pytest.mark.parametrize("code", OTHERS)
def test_the_compiled_file_says_what_the_written_one_does(code: str) -> None:
    assert use_language(code)
    differing = [text for text, said in translations_in(ts_file(code)).items() if tr(text) != said]
    assert differing == [], RENEW


def test_sentences_of_tables_and_of_calls_are_found() -> None:
    found = {source.text for source in program_sources()}
    assert "&File" in found, "a command's text"
    assert "Peak rate" in found, "a field's title"
    assert "Requests per second in the busiest minutes." in found, "a field's help"
    assert "Not yet tested under stress." in found, "a sentence in a call"
    assert "Electricity" in found, "an entry of a table of words"
    assert "req/s" in found, "a unit that has words"
    assert not {"step_time_s", "TB/s", "GB"} & found, "names and symbols are the same in every language"


def test_an_unknown_sentence_stays_english() -> None:
    use_language(OTHERS[0])
    assert tr("A sentence that no file has.") == "A sentence that no file has."


def test_a_language_without_a_file_is_english() -> None:
    assert not use_language("xx_YY")
    assert tr("&File") == "&File"
    assert language_of("xx_YY") in LANGUAGES
