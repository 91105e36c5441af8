"""MLPerf's server scenario: the largest Poisson rate within its limits, over offline throughput of the same system."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from statistics import NormalDist

import msgspec
import numpy as np

from gpuplanner_gui.domain.benchmark import PoolLayout, ServingCase
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.deployments import case_deployments
from gpuplanner_gui.engine.serving.predict.door import settled_layouts
from gpuplanner_gui.engine.simulation.case_load import case_service
from gpuplanner_gui.engine.simulation.result import LatencyTarget
from gpuplanner_gui.files.benchmark_rows.question import TableRow
from tools.fidelity.report_text import markdown

LIMITS: dict[str, tuple[float, float]] = {
    "Llama-2-70B": (2.0, 0.200),
    "Mixtral-8x7B": (2.0, 0.200),
    "Llama-3.1-405B": (6.0, 0.175),
    "Llama-3.1-8B": (2.0, 0.100),
    "DeepSeek-R1": (2.0, 0.080),
}
"""p99 of TTFT and TPOT. [s] MLPerf Inference rules, v4.1 to v5.1."""

INTERACTIVE = {"Llama-2-70B": (0.450, 0.040), "Llama-3.1-8B": (0.500, 0.030)}
LONGEST: dict[str, tuple[float, float]] = {
    "Llama-2-70B": (1024, 1024),
    "Mixtral-8x7B": (2048, 1024),
    "Llama-3.1-405B": (20_000, 2000),
    "Llama-3.1-8B": (2540, 128),
    "DeepSeek-R1": (3136, 20_000),
}
"""Longest prompt and answer of each data set, from which the spread of lengths follows. [tokens]"""

REQUESTS = 2000
SIZES = (1, 2, 4, 8)
"""Tensor parallelism that submitters may have chosen; none states it."""


@dataclass(frozen=True)
class ServerRow:
    """One system's server result beside its offline result."""

    case_id: str
    model: str
    system: str
    measured_ratio: float
    simulated_ratio: float
    measured_tokens_per_s: float
    simulated_tokens_per_s: float
    is_precision_known: bool


def limits_of(row: dict[str, str]) -> tuple[float, float] | None:
    """TTFT and TPOT that the row's benchmark allows; None for one without such limits."""
    if "nteractive" in row["source_locator"] + row["notes"]:
        return INTERACTIVE.get(row["model"])
    return LIMITS.get(row["model"])


def offline_of(row: dict[str, str], raw: list[dict[str, str]]) -> float:
    """Offline tokens per second of the same system and benchmark; NaN where the table has none."""
    here = row["source_locator"].rsplit("/", 1)[0]
    for other in raw:
        same_place = other["source_locator"].rsplit("/", 1)[0] == here
        if same_place and other["scenario"].startswith("offline") and other["unit"] == row["unit"]:
            return float(other["value"])
    return math.nan


def server_rows(
    table: list[TableRow], raw: list[dict[str, str]], context: Context
) -> tuple[list[ServerRow], list[str]]:
    """Every server row that can be judged, and why the others can't."""
    found: list[ServerRow] = []
    left_out: list[str] = []
    for row, stated in zip(table, raw, strict=True):
        limits = limits_of(stated) if stated["scenario"] == "server" else None
        if limits is None or not isinstance(row.case, ServingCase):
            if stated["scenario"] == "server":
                left_out.append(f"{stated['model']}: " + (row.refusal or "no limits on TTFT and TPOT, or no tokens"))
            continue
        if not stated["source"].startswith("MLPerf"):
            left_out.append(f"{stated['model']}: not of MLPerf")
            continue
        if stated["unit"] != "tok/s":
            left_out.append(f"{stated['model']}: its unit is {stated['unit']}")
            continue
        found.append(_judged(row.case, stated, raw, limits, context))
    return found, left_out


def _judged(
    case: ServingCase, stated: dict[str, str], raw: list[dict[str, str]], limits: tuple[float, float], context: Context
) -> ServerRow:
    longest = LONGEST[stated["model"]]
    spread = msgspec.structs.replace(
        case,
        prompt_spread=spread_of(case.prompt_tokens, longest[0]),
        output_spread=spread_of(case.output_tokens, longest[1]),
        requests=REQUESTS,
    )
    rate, capacity, tokens = best_layout(spread, limits, context)
    measured = float(stated["value"])
    return ServerRow(
        case_id=case.case_id,
        model=stated["model"],
        system=f"{stated['n_gpus']} x {stated['gpu']}",
        measured_ratio=measured / offline_of(stated, raw),
        simulated_ratio=rate / capacity if capacity > 0 else math.nan,
        measured_tokens_per_s=measured,
        simulated_tokens_per_s=rate * tokens,
        is_precision_known=bool(stated["weight_precision"]),
    )


def best_layout(case: ServingCase, limits: tuple[float, float], context: Context) -> tuple[float, float, float]:
    """Requests per second within the limits, and without any, of all devices; mean tokens of an answer.

    Each at the tensor parallelism that suits it best, as submitters choose it.
    """
    engine = context.calibration.engine(case.engine)
    (settled,) = settled_layouts([case], context, engine)
    devices = max(settled.layout.devices_stated, settled.layout.devices)
    targets = [
        LatencyTarget("ttft", 0.99, limits[0]),
        LatencyTarget("tpot", 0.99, limits[1]),
    ]
    rates, capacities, tokens = [0.0], [0.0], 0.0
    for size in (size for size in SIZES if size <= devices):
        layout = PoolLayout(tensor_parallel=size, expert_tensor_parallel=size, devices_stated=devices)
        one = msgspec.structs.replace(settled, layout=layout)
        found = case_deployments([one], [layout], context, engine)
        if found.memory.pool[0] <= 0:
            continue
        service = case_service(one, 0, found, engine)
        capacity = service.saturation_rate_per_s()
        tokens = float(service.traffic.requests.output_tokens.mean())
        capacities.append(capacity * (devices // size))
        rates.append(service.slo_rate_per_s(targets, 0.0, capacity) * (devices // size) if capacity > 0 else 0.0)
    return max(rates), max(capacities), tokens


def spread_of(mean: float, longest: float) -> float:
    """Coefficient of variation of a lognormal of which a thousandth is longer than the longest."""
    if longest <= mean:
        return 0.0
    quantile = NormalDist().inv_cdf(0.999)
    sigma = quantile - math.sqrt(max(quantile**2 - 2 * math.log(longest / mean), 0.0))
    return math.sqrt(math.expm1(sigma**2))


SERVER_HEAD = ["case", "model", "system", "server/offline measured", "simulated", "tok/s simulated/measured",
               "precision stated"]  # fmt: skip


def server_lines(rows: list[ServerRow], left_out: list[str]) -> list[str]:
    """The figures as Markdown."""
    pairs = [row for row in rows if math.isfinite(row.measured_ratio) and row.simulated_ratio > 0]
    known = [row for row in rows if row.is_precision_known and row.simulated_tokens_per_s > 0]
    ratio = [abs(row.simulated_ratio / row.measured_ratio - 1) for row in pairs]
    rate = [abs(row.simulated_tokens_per_s / row.measured_tokens_per_s - 1) for row in known]
    return [
        "# MLPerf server",
        "",
        f"Server over offline throughput, {len(pairs)} pairs: median error {_median(ratio):.1%} (asked for: 15 %)."
        f" Rate at the limits where the precision is stated, {len(known)} rows: {_median(rate):.1%} (asked for: 30 %).",
        "",
        *markdown(SERVER_HEAD, ([
            row.case_id, row.model, row.system, f"{row.measured_ratio:.2f}", f"{row.simulated_ratio:.2f}",
            f"{row.simulated_tokens_per_s / row.measured_tokens_per_s:.2f}", "yes" if row.is_precision_known else "",
        ] for row in rows)),
        "",
        "Rows that can't be judged:",
        *(f"- {count} of {text}" for text, count in sorted(Counter(left_out).items())),
    ]  # fmt: skip


def _median(values: list[float]) -> float:
    return float(np.median(values)) if values else math.nan
