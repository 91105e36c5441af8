"""Keys such as `p99_ttft_ms`, as vLLM and SGLang write them."""

from __future__ import annotations

import re
from typing import Any, get_args

from gpuplanner_gui.domain.measurement import Figure, Statistic
from gpuplanner_gui.files.measurements.importer import figures_of
from gpuplanner_gui.files.measurements.values import JsonObject

_KEY = re.compile(r"(mean|median|std|p\d{1,3}(?:\.\d)?)_(ttft|tpot|itl|e2el|e2e_latency)_ms")
_QUANTITY = {"e2el": "e2e", "e2e_latency": "e2e"}
_NAMED: dict[str, Statistic] = {"mean": "mean", "median": "p50", "std": "sd"}
STATISTICS = frozenset(get_args(Statistic))
_BY_RANK = {float(name[1:]): name for name in STATISTICS if re.fullmatch(r"p\d\d", name)} | {99.9: "p999"}


def percentile_name(text: str) -> Statistic | None:
    """`p99`, `p5`, `p99.9` as the statistic they mean."""
    rank = text.removeprefix("p")
    if f"p{rank}" in STATISTICS:
        return f"p{rank}"  # type: ignore[return-value]
    return _BY_RANK.get(float(rank)) if re.fullmatch(r"\d{1,2}(\.\d{1,6})?", rank) else None


def latency_figures(result: JsonObject) -> list[Figure]:
    """All latencies of a result, in seconds. Zero stands for what was not measured."""
    found: dict[tuple[str, Statistic], Any] = {}
    for key in sorted(result.keys()):
        match = _KEY.fullmatch(key)
        statistic = (_NAMED.get(match[1]) or percentile_name(match[1])) if match else None
        if match is None or statistic is None or not result.positive(key):
            continue
        found[(_QUANTITY.get(match[2], match[2]), statistic)] = result.positive(key)
    return figures_of(found, 1e-3)
