"""English that may stand in another language's window: sentences that nobody has translated yet."""

from __future__ import annotations

import re
from functools import cache

from tools.translations.linguist import translations_in, ts_file
from tools.translations.sources import program_sources

_PLACEHOLDER = re.compile(r"\{[^{}]*\}")


@cache
def untranslated(code: str) -> tuple[str, ...]:
    """Sentences of the program that a language's file lacks: they are shown in English."""
    translations = translations_in(ts_file(code))
    return tuple(source.text for source in program_sources() if source.text not in translations)


@cache
def _patterns(code: str) -> tuple[re.Pattern[str], ...]:
    """The longest first, so that a short one takes no words out of a longer one."""
    known = sorted({text.replace("&", "") for text in untranslated(code)}, key=len, reverse=True)
    said = [text for text in known if any(sign.isalpha() for sign in _PLACEHOLDER.sub("", text))]
    return tuple(re.compile(_as_filled_in(text), re.DOTALL) for text in said)


def _as_filled_in(text: str) -> str:
    """Whatever may stand at its places; at its ends that is judged by itself. As a title it has no full stop."""
    parts = _PLACEHOLDER.split(text.removesuffix("."))
    while not parts[0].strip():
        parts.pop(0)
    while not parts[-1].strip():
        parts.pop()
    parts[0], parts[-1] = parts[0].lstrip(), parts[-1].rstrip()
    words = [re.escape(part) for part in parts]
    before = r"(?<![A-Za-z])" if parts[0][0].isalpha() else ""
    after = r"(?![A-Za-z])" if parts[-1][-1].isalpha() else ""
    return before + ".{1,200}?".join(words) + after


def without_untranslated(text: str, code: str) -> str:
    """What is left of a text once sentences that lack a translation are taken out of it."""
    text = text.replace("&", "")
    for pattern in _patterns(code):
        text = pattern.sub(" · ", text)
    return text
