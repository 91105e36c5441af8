"""Where every sentence passes before it is shown, so that another language can take its place."""

from __future__ import annotations

from collections.abc import Callable

Translator = Callable[[str], str]


def _english(text: str) -> str:
    return text


_translator: Translator = _english


def tr(text: str) -> str:
    """The sentence in the language of the moment; placeholders are filled in afterwards."""
    return _translator(text)


def use_translator(translator: Translator | None) -> None:
    """Take another language from now on; None: English."""
    global _translator  # one language at a time for the whole program
    _translator = translator or _english
