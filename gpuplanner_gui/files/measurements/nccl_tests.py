"""nccl-tests and rccl-tests: a row per message size, out of place and in place; foreign lines may stand between.

The printed average counts tiny messages too, so that it says little; large messages show the fabric's rate.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpuplanner_gui.domain.measurement import MeasurementContext, figure
from gpuplanner_gui.files.measurements.importer import Findings, Importer, Look
from gpuplanner_gui.files.measurements.source import Source
from gpuplanner_gui.files.measurements.values import number, word
from gpuplanner_gui.files.said import said

_RANK = re.compile(r"#\s+Rank\s+\d+\s+.*?device\s+\d+\s+\[[0-9a-fA-Fx:]+\]\s+(\S.*)")
_OPERATION = re.compile(
    r"(all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|broadcast|sendrecv|reduce|gather|scatter)"
)
_ROW = re.compile(r"\s*(\d+)\s+(\d+)\s+([a-z]\w*)\s+([a-z]\w*)\s+(-?\d+)\s+(.*)")
_HEADER = re.compile(r"#\s+size\s+count\s+type\s+redop")
LONGEST_ROW = 500
BYTES_PER_S = 1e9
CANONICAL = {
    "allreduce": "all_reduce", "allgather": "all_gather", "reducescatter": "reduce_scatter", "alltoall": "all_to_all",
}  # fmt: skip
PASSES = {"all_reduce": 2.0, "all_gather": 1.0, "reduce_scatter": 1.0, "all_to_all": 1.0}
"""Bus over algorithm bandwidth is this times (n − 1)/n."""


def recognises(look: Look) -> bool:
    return _HEADER.search(look.head) is not None and "algbw" in look.head


@dataclass(frozen=True)
class Row:
    """One message size, out of place."""

    line: int
    message_bytes: float
    redop: str
    time_s: float
    algorithm: float
    bus: float
    errors: str


def read(source: Source, look: Look) -> Findings:
    """Every message size of the table."""
    findings = Findings()
    names: list[str] = []
    rows: list[Row] = []
    for line, text in source.lines():
        rank = _RANK.match(text[:LONGEST_ROW])
        if rank is not None:
            names.append(word(rank[1]))
        row = _row(line, text)
        if row is not None:
            rows.append(row)
    if not rows:
        raise source.problem("", "the table has no rows", "Copy the whole output")
    operation = _operation(look, rows)
    ranks = len(names) or _ranks(rows, operation)
    if ranks and not names:
        findings.remark(
            said(
                "The number of ranks is not listed; the ratio of bus to algorithm bandwidth says {ranks}.", ranks=ranks
            )
        )
    if len(set(names)) > 1:
        findings.remark(said("The ranks run on different devices; the first one's name is taken."))
    for row in rows:
        context = MeasurementContext(
            accelerator_as_written=names[0] if names else "",
            devices=ranks,
            operation=operation,
            message_bytes=row.message_bytes,
            engine="nccl",
        )
        figures = [figure("collective_time", row.time_s)]
        if row.bus > 0:
            figures += [figure("algorithm_bandwidth", row.algorithm), figure("bus_bandwidth", row.bus)]
        note = f"{row.errors} wrong values" if row.errors not in ("0", "N/A") else ""
        findings.add(context, figures, row.line, note)
    return findings


def _row(line: int, text: str) -> Row | None:
    found = _ROW.fullmatch(text[:LONGEST_ROW])
    if found is None:
        return None
    cells = found[6].split()
    values = [number(cell) for cell in cells[:3]]
    if len(cells) < 4 or any(value is None or value < 0 for value in values):
        return None
    time_us, algorithm, bus = (value or 0.0 for value in values)
    return Row(line, float(found[1]), found[4], time_us * 1e-6, algorithm * BYTES_PER_S, bus * BYTES_PER_S, cells[3])


def _operation(look: Look, rows: list[Row]) -> str:
    """Named by the file or its head, else told by what the columns say."""
    for text in (look.name, look.head[:4000]):
        found = _OPERATION.search(text.lower())
        if found is not None:
            return CANONICAL.get(found[1].replace("_", ""), found[1])
    largest = rows[-1]
    if largest.redop != "none" and largest.algorithm and largest.bus / largest.algorithm > 1.0:
        return "all_reduce"
    return ""


def _ranks(rows: list[Row], operation: str) -> int:
    """Ranks from the ratio of the two bandwidths at the largest message, which is rounded the least."""
    best = max(rows, key=lambda row: row.algorithm)
    is_gathering = best.redop == "none" and best.bus < best.algorithm
    passes = PASSES.get(operation) or (1.0 if is_gathering else 0.0)
    if not passes or best.algorithm <= 0:
        return 0
    rest = 1.0 - best.bus / (best.algorithm * passes)
    return round(1.0 / rest) if 1e-4 < rest < 0.75 else 0


IMPORTER = Importer("nccl_tests", "nccl-tests", recognises, read)
