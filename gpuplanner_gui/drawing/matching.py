"""Finding an entry by a few typed letters."""

from __future__ import annotations

NO_MATCH = -1.0


def match_score(typed: str, text: str) -> float:
    """Score of typed letters against a text, the higher the better; `NO_MATCH` if some word of them does not.

    Each typed word must begin a word of the text, stand inside it, or be its letters in order; the whole begins best.
    """
    low = text.casefold()
    words = typed.casefold().split()
    if not words:
        return 0.0
    score = 3.0 if low.startswith(typed.casefold().strip()) else 0.0
    for word in words:
        found = _word_score(word, low)
        if found == NO_MATCH:
            return NO_MATCH
        score += found
    return score / len(words) - len(low) / 10_000


def _word_score(word: str, text: str) -> float:
    if any(part.startswith(word) for part in text.replace("-", " ").split()):
        return 2.0
    if word in text:
        return 1.0
    rest = iter(text)
    return 0.2 if len(word) > 1 and all(letter in rest for letter in word) else NO_MATCH
