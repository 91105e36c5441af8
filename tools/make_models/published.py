"""Models given by their published configurations: short JSON facts, one file per group of makers, each with its source.

A fact holds `id`, `name`, `source`, the `config` as far as it shapes the model, and what its count is checked against:
`stated_total` and `stated_active` (the maker's own figures, often rounded), `instantiated_total` (parameters of the
reference class without weights: transformers 5.23.0, PyTorch 2.13 meta device).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Fact = dict[str, Any]

FOLDER = Path(__file__).parent / "published"
TOLERANCE = 0.06
"""Of a stated total: names round, and some count towers for sound or layers that predict further tokens."""


def published_facts() -> list[Fact]:
    """All facts, by file name and then in the order of each file."""
    facts: list[Fact] = []
    for file in sorted(FOLDER.glob("*.json")):
        facts += json.loads(file.read_text(encoding="utf-8"))
    return facts


def check_count(fact: Fact, total: int) -> None:
    """Raise ValueError where the counted total is not that of the reference class, or far from the stated one."""
    instantiated, stated = fact.get("instantiated_total"), fact.get("stated_total")
    if instantiated and total != instantiated:
        raise ValueError(f"{fact['id']}: {total:,} counted, {instantiated:,} in the reference class")
    if stated and abs(total / stated - 1) > TOLERANCE:
        raise ValueError(f"{fact['id']}: {total:,} counted, {stated:,} stated")
