"""Where every sentence passes before it is shown, so that another language can take its place."""

from __future__ import annotations

from collections.abc import Callable

ENGLISH = "en"
Translator = Callable[[str], str]


def _english(text: str) -> str:
    return text


_translator: Translator = _english
_code = ENGLISH


def language() -> str:
    """The code of the language of the moment."""
    return _code


def tr(text: str) -> str:
    """The sentence in the language of the moment; placeholders are filled in afterwards."""
    return _translator(text)


def use_translator(translator: Translator | None, code: str = ENGLISH) -> None:
    """Take another language from now on; None: English."""
    global _translator, _code  # one language at a time for the whole program
    _translator, _code = translator or _english, code
