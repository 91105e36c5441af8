"""YAML from plain values: every text is quoted or a block, so that none is read as anything else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

Yaml = Mapping[str, "Yaml"] | Sequence["Yaml"] | str | int | bool
_PLAIN_KEY = re.compile(r"[A-Za-z_][\w./-]*")
_BLOCK = re.compile(r"[!-~][\n -~]*")
"""Texts that a literal block may hold; others are quoted."""
_BEYOND = re.compile("[\U00010000-\U0010ffff]")


def yaml_text(*documents: Yaml) -> str:
    """Documents in block style."""
    return "---\n".join("\n".join(_lines(one)) + "\n" for one in documents)


def _lines(value: Yaml) -> Iterator[str]:
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from _under(f"{key if _PLAIN_KEY.fullmatch(key) else _scalar(key)}:", inner)
    elif isinstance(value, Sequence) and not isinstance(value, str) and value:
        for inner in value:
            first, *rest = _lines(inner) if not _is_block(inner) else _under("", inner)
            yield f"- {first.lstrip()}"
            yield from (f"  {line}" for line in rest)
    else:
        yield _scalar(value)


def _under(head: str, value: Yaml) -> Iterator[str]:
    if _is_block(value):
        assert isinstance(value, str)
        yield f"{head} |{'' if value.endswith(chr(10)) else '-'}"
        yield from (f"  {line}" if line else "" for line in value.removesuffix("\n").split("\n"))
    elif isinstance(value, (str, int)) or not value:
        yield f"{head} {_scalar(value)}"
    else:
        yield head
        yield from (f"  {line}" for line in _lines(value))


def _is_block(value: Yaml) -> bool:
    """A text of several lines that a literal block holds as it is."""
    return isinstance(value, str) and "\n" in value[:-1] and bool(_BLOCK.fullmatch(value)) and value[-2:] != "\n\n"


def _scalar(value: Yaml) -> str:
    """JSON's form of it, which is YAML's as well but for characters beyond 16 bits."""
    if isinstance(value, str):
        pieces = _BEYOND.split(value)
        beyond = [f"\\U{ord(one):08x}" for one in _BEYOND.findall(value)]
        return '"' + "".join(
            part for pair in zip((json.dumps(one)[1:-1] for one in pieces), [*beyond, ""]) for part in pair
        ) + '"'  # fmt: skip
    return json.dumps(value if isinstance(value, int) else ([] if isinstance(value, Sequence) else {}))
