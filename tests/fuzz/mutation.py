"""Damaged files made of good ones: values, keys, cells and lines are changed where they stand, then bytes at random.

A change works on the text, so that what no encoder writes is tried too: keys twice, `NaN`, numbers of 400 digits,
cut files. The same seed and index give the same bytes.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field

LARGEST_BYTES = 400_000

NASTY_NUMBERS = (
    "0", "-0", "-1", "1", "2", "0.5", "-0.0", "1e-308", "5e-324", "1e308", "-1e308", "1e309", "-1e999", "1" + "0" * 400,
    "9" * 25, "9" * 26, "9" * 5000, "2147483648", "9007199254740993", "18446744073709551616", "NaN", "Infinity",
    "-Infinity", "nan", "inf", "0x10", "01", "1.", ".5", "1_000", "1,000", "+1", "1e", "--1", "١٢٣",
)  # fmt: skip
NASTY_WORDS = (
    "", " ", "null", "true", "False", "../../etc/passwd", "..\\..\\x", "/dev/zero", "C:\\aux", "file:///etc/passwd",
    "https://example.org/x.png", "//example.org/share", "<script>alert(1)</script>", "<img src=x onerror=alert(1)>",
    "</style><b>", "&amp;", "=1+2", "=cmd|' /C calc'!A0", "@SUM(A1)", "+1", "-1", "\tx", "%s%n",
    "{0.__class__}", "${x}",
    "a" * 5000, "e\u0301" * 200, "\ufeff", "\ufffe", "💥", "ß", "İ",
    *"\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\u00ad\U000e0041",
)  # fmt: skip
NASTY_JSON_STRINGS = (
    r'"\u0000"', r'"\ud800"', r'"\udfff\ud800"', r'"\u202e txt.exe"', r'"\n\n"', r'"\u2028"', '"\x00"', '"\x1b[31m"',
    r'"\x"', '"unclosed',
)  # fmt: skip
NASTY_JSON = ("null", "true", "false", "[]", "{}", "[[]]", '[""]', "[null]", '{"":0}', '{"a":1,"a":2}', "[0,0]")

_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|NaN|-?Infinity|[\[\]{},:]')
_TEXT_TOKEN = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[^\W\d_]+|[,;|\t:=]")
Span = tuple[int, int]


@dataclass
class Sample:
    """A good file and where its parts stand."""

    text: str
    is_json: bool
    values: list[Span] = field(default_factory=list)
    keys: list[Span] = field(default_factory=list)
    members: list[Span] = field(default_factory=list)
    """What can be left out or stand twice: a member of an object or list with its comma; a line."""


def sample_of(content: bytes, is_json: bool) -> Sample:
    """The parts of a file."""
    sample = Sample(content.decode("utf-8"), is_json)
    if is_json:
        _find_json_parts(sample)
    else:
        _find_text_parts(sample)
    if not sample.values or not sample.members:
        raise ValueError("a sample needs values and members")
    return sample


def _find_json_parts(sample: Sample) -> None:
    open_at: list[int] = []
    member_at: list[int] = []
    is_key = False
    for token in _JSON_TOKEN.finditer(sample.text):
        mark = token[0]
        if mark in "[{":
            open_at.append(token.start())
            member_at.append(token.end())
            is_key = mark == "{"
        elif mark in "]}":
            if not open_at:
                continue
            sample.members.append((member_at.pop(), token.start()))
            sample.values.append((open_at.pop(), token.end()))
            is_key = False
        elif mark == ",":
            if member_at:
                sample.members.append((member_at[-1], token.end()))
                member_at[-1] = token.end()
                is_key = sample.text[open_at[-1]] == "{"
        elif mark == ":":
            is_key = False
        elif is_key:
            sample.keys.append(token.span())
        else:
            sample.values.append(token.span())


def _find_text_parts(sample: Sample) -> None:
    sample.values = [token.span() for token in _TEXT_TOKEN.finditer(sample.text)]
    first = sample.text.find("\n") + 1
    sample.keys = [span for span in sample.values if span[1] <= first] or sample.values[:1]
    start = 0
    while start < len(sample.text):
        end = sample.text.find("\n", start) + 1 or len(sample.text)
        sample.members.append((start, end))
        start = end


class Mutator:
    """Damaged files of one kind."""

    def __init__(self, name: str, samples: list[Sample]) -> None:
        self._name = name
        self._samples = samples

    def damaged(self, seed: int, index: int) -> bytes:
        """The file number `index` of a run."""
        chance = random.Random(f"{self._name}:{seed}:{index}")
        sample = chance.choice(self._samples)
        edits: list[tuple[Span, str]] = []
        while not edits or chance.random() < 0.45:
            edits.append(self._edit(sample, chance))
        content = _applied(sample.text, edits).encode("utf-8", "surrogatepass")
        if chance.random() < 0.12:
            content = _with_damaged_bytes(content, chance)
        return content[:LARGEST_BYTES]

    def _edit(self, sample: Sample, chance: random.Random) -> tuple[Span, str]:
        kind, text = chance.random(), sample.text
        if kind < 0.45:
            return chance.choice(sample.values), nasty_value(sample.is_json, chance)
        if kind < 0.60:
            other = chance.choice(self._samples)
            start, end = chance.choice(other.values)
            return chance.choice(sample.values), other.text[start:end]
        if kind < 0.72:
            return chance.choice(sample.members), ""
        if kind < 0.82:
            start, end = chance.choice(sample.members)
            part = text[start:end]
            joint = "" if part.endswith((",", "\n")) else ","
            return (end, end), (joint + part) * chance.choice((1, 1, 1, 2, 30))
        if kind < 0.90 and sample.keys:
            other = chance.choice(self._samples)
            start, end = chance.choice(other.keys) if other.keys else (0, 0)
            key = other.text[start:end] if chance.random() < 0.5 else nasty_value(sample.is_json, chance)
            return chance.choice(sample.keys), key
        start, end = chance.choice(sample.values)
        if kind < 0.96:
            return (start, end), _tuned(text[start:end], chance)
        depth = chance.choice((1, 2, 50, 99, 101, 2000, 50_000))
        return (start, end), "[" * depth + text[start:end] + "]" * depth


def nasty_value(is_json: bool, chance: random.Random) -> str:
    """What a parser may not have thought of."""
    kind = chance.random()
    if kind < 0.5:
        return chance.choice(NASTY_NUMBERS)
    if not is_json:
        return chance.choice(NASTY_WORDS)
    if kind < 0.65:
        return chance.choice(NASTY_JSON)
    if kind < 0.75:
        return chance.choice(NASTY_JSON_STRINGS)
    word = chance.choice(NASTY_WORDS).replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
    return f'"{word}"'


def _tuned(text: str, chance: random.Random) -> str:
    """A number near the one that stands there, or the text twice."""
    try:
        number = float(text)
    except ValueError:
        return text + text
    factor = chance.choice((0.1, 0.5, 0.999, 1.001, 2.0, 3.0, 10.0, 1e3, 1e6, 1e12, -1.0))
    tuned = number * factor
    return str(int(tuned)) if text.lstrip("-").isdigit() and abs(tuned) < 1e30 else repr(tuned)


def _applied(text: str, edits: list[tuple[Span, str]]) -> str:
    """The text with the edits that do not overlap a later one."""
    free = len(text)
    for (start, end), new in sorted(edits, key=lambda edit: edit[0], reverse=True):
        if end <= free:
            text = text[:start] + new + text[end:]
            free = start
    return text


def _with_damaged_bytes(content: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(content) + 1)
    kind = chance.randrange(5)
    if kind == 0:
        return content[:place]
    if kind == 1:
        return content[:place] + chance.randbytes(chance.choice((1, 2, 8, 200))) + content[place:]
    if kind == 2:
        return content[:place] + content[place + chance.choice((1, 3, 50)) :]
    if kind == 3:
        return content[:place] + chance.choice((b"\x00", b"\xff", b"\xef\xbb\xbf", b"\r", b"\n\n")) + content[place:]
    flipped = bytearray(content)
    for _ in range(min(len(content), chance.choice((1, 2, 20)))):
        flipped[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    return bytes(flipped)
