"""Names that belong to the code: what people read must not hold them."""

from __future__ import annotations

import re

_NAMES = re.compile(r"(?<![\w{/.#$-])[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?![\w/]|\.\w)")
"""Names of fields and functions, but for places of files and links."""
_REQUIREMENTS = re.compile(r"\b[SK]\d{1,3}\b")
"""Numbers of requirements, which only their table explains."""
TOOLS = frozenset({"bench_serving", "nccl_tests", "torch_profiler", "all_reduce", "all_gather", "reduce_scatter"})
"""Programs and operations that are called so."""


def identifiers_in(text: str) -> set[str]:
    """Names of code in a text that people read."""
    return {*_NAMES.findall(text), *_REQUIREMENTS.findall(text)} - TOOLS
