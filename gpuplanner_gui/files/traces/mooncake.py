"""Mooncake's trace: one JSON object per line, prompts as numbered blocks whose equality means a shared prefix."""

from __future__ import annotations

import math

import msgspec

from gpuplanner_gui.files.said import said
from gpuplanner_gui.files.traces.cells import MOST_TOKENS
from gpuplanner_gui.files.traces.parted import SeenNumbers
from gpuplanner_gui.files.typed_json import decoded

BLOCK_TOKENS = 512
MOST_BLOCKS = 8_000_000
"""Numbers of different blocks that are remembered; beyond, prompts count as new."""


class Line(msgspec.Struct):
    """One request; time in milliseconds."""

    timestamp: float
    input_length: int
    output_length: int
    hash_ids: list[int] = []


class PrefixMemory:
    """Blocks of all earlier prompts: an unlimited prefix cache."""

    def __init__(self) -> None:
        self._seen = SeenNumbers()
        self._room = MOST_BLOCKS

    def cached_tokens(self, blocks: list[int], prompt_tokens: int) -> int:
        """Tokens at the start of a prompt that an earlier prompt began with; remembers the prompt."""
        known = self._seen.known_at_start(blocks)
        if self._room > 0:
            new = blocks[known:]
            self._seen.add(new)
            self._room -= len(new)
        return min(known * BLOCK_TOKENS, prompt_tokens - 1)

    def forget(self) -> None:
        self._seen.clear()


def read_line(text: str) -> Line:
    """The request of a line. Raises ValueError with what is wrong."""
    try:
        line: Line = decoded(text, Line)
    except msgspec.ValidationError as problem:
        what, _, where = str(problem).partition(" - at ")
        place = f" in {where.strip('`').removeprefix('$.')}" if where else ""
        raise ValueError(f"{what[:1].lower()}{what[1:100]}{place[:60]}") from None
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        raise ValueError(said("no JSON object with timestamp, input_length and output_length")) from None
    if not 1 <= line.input_length <= MOST_TOKENS:
        raise ValueError(said("the prompt has {count} tokens", count=line.input_length))
    if not 1 <= line.output_length <= MOST_TOKENS:
        raise ValueError(said("the answer has {count} tokens", count=line.output_length))
    if not math.isfinite(line.timestamp):
        raise ValueError(said("the time is no finite number"))
    if len(line.hash_ids) > math.ceil(line.input_length / BLOCK_TOKENS):
        raise ValueError(
            said(
                "{blocks} blocks are more than a prompt of {tokens} tokens has",
                blocks=len(line.hash_ids),
                tokens=line.input_length,
            )
        )
    return line
