"""Where every sentence passes before it is shown, so that another language can take its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

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


class CodeNames(dict[Any, str]):
    """Names of the codes of one kind; calling it with a code gives the name in the present language."""

    def __call__(self, code: object) -> str:
        return tr(self[code])


_MARKS = {"zh_TW": {", ": "、", "; ": "；", ": ": "：", ".": "。"}}
"""Punctuation between parts of a sentence, by language."""


def mark(english: str) -> str:
    """A mark between parts of a sentence, with its blank, as the language of the moment writes it."""
    return _MARKS.get(_code, {}).get(english, english)


def listed(parts: Iterable[str]) -> str:
    """Things one after the other: a, b, c."""
    return mark(", ").join(parts)


def clauses(parts: Iterable[str]) -> str:
    """Parts of a sentence that stand by themselves: a; b."""
    return mark("; ").join(parts)


def in_turn(*sentences: str) -> str:
    """Whole sentences one after the other; behind a full stop of its own width no blank stands."""
    text = ""
    for sentence in filter(None, sentences):
        text += sentence if not text or text.endswith("。") else f" {sentence}"
    return text


def without_mnemonic(text: str) -> str:
    """A command's words without the letter that it is called by: &Open, 開啟(&O)."""
    plain = re.sub(r"\(&\w\)", "", text)
    return plain.replace("&&", "\0").replace("&", "").replace("\0", "&")


def labelled(name: str, text: str) -> str:
    """A name and what is said of it: a: b."""
    return f"{name}{mark(': ')}{text}"


class Phrase(str):
    """A sentence that can be said again in another language, with what is filled in."""

    source: str
    values: Mapping[str, str]

    def retold(self) -> Phrase:
        """The same in the language of the moment."""
        return phrase(
            self.source, **{name: one.retold() if isinstance(one, Phrase) else one for name, one in self.values.items()}
        )


def phrase(source: str, **values: str) -> Phrase:
    """A sentence that outlives the language of the moment: the name of a step that can be undone."""
    said = Phrase(tr(source).format(**values))
    said.source, said.values = source, values
    return said


def use_translator(translator: Translator | None, code: str = ENGLISH) -> None:
    """Take another language from now on; None: English."""
    global _translator, _code  # one language at a time for the whole program
    _translator, _code = translator or _english, code
