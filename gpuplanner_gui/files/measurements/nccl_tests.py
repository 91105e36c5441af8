"""nccl-tests and rccl-tests: a row per message size, out of place and in place; foreign lines may stand between.

The printed average counts tiny messages too, so that it says little; large messages show the fabric's rate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from gpuplanner_gui.domain.measurement import MeasurementContext, figure
from gpuplanner_gui.files.measurements.importer import Findings, Importer, Look
from gpuplanner_gui.files.measurements.source import Source
from gpuplanner_gui.files.measurements.values import number, word

_RANK = re.compile(r"#\s+Rank\s+\d+\s+.*?device\s+\d+\s+\[[0-9a-fA-Fx:]+\]\s+(\S.*)")
_NAMES = r"(all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|broadcast|sendrecv|reduce|gather|scatter)"
_OPERATION = re.compile(_NAMES)
_PROGRAM = re.compile(rf"\b{_NAMES}_perf")
_BEGINNING = re.compile(r"# (?:nThread|nccl-tests version|rccl-tests|Collective test starting)")
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


@dataclass
class CollectiveTable:
    """What one run of the tests printed: its collective, if it is named, the ranks' devices, and the rows."""

    operation: str = ""
    names: list[str] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)


def read(source: Source, look: Look) -> Findings:
    """Every message size of every table: one file often holds the output of several collectives."""
    tables = [table for table in _tables(source) if table.rows]
    if not tables:
        raise source.problem("", "the table has no rows", "Copy the complete output")
    findings = Findings()
    for table in tables:
        operation = table.operation or _operation(look if len(tables) == 1 else None, table.rows)
        _add(findings, table, operation)
    return findings


def _tables(source: Source) -> Iterator[CollectiveTable]:
    table = CollectiveTable()
    for line, text in source.lines():
        start = text[:LONGEST_ROW]
        row = _row(line, start)
        if row is not None:
            table.rows.append(row)
            continue
        program = None if "concluded" in start else _PROGRAM.search(start)
        if table.rows and (program is not None or _BEGINNING.match(start)):
            yield table
            table = CollectiveTable()
        if program is not None:
            table.operation = _canonical(program[1])
        rank = _RANK.match(start)
        if rank is not None:
            table.names.append(word(rank[1]))
    yield table


def _add(findings: Findings, table: CollectiveTable, operation: str) -> None:
    ranks = len(table.names) or _ranks(table.rows, operation)
    if ranks and not table.names:
        findings.remark(
            "The number of ranks is not listed; the ratio of bus to algorithm bandwidth implies {ranks}.", ranks=ranks
        )
    if len(set(table.names)) > 1:
        findings.remark("The ranks run on different devices; the name of the first one is used.")
    for row in table.rows:
        context = MeasurementContext(
            accelerator_as_written=table.names[0] if table.names else "",
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


def _row(line: int, text: str) -> Row | None:
    found = _ROW.fullmatch(text)
    if found is None:
        return None
    cells = found[6].split()
    values = [number(cell) for cell in cells[:3]]
    if len(cells) < 4 or any(value is None or value < 0 for value in values):
        return None
    time_us, algorithm, bus = (value or 0.0 for value in values)
    return Row(line, float(found[1]), found[4], time_us * 1e-6, algorithm * BYTES_PER_S, bus * BYTES_PER_S, cells[3])


def _operation(look: Look | None, rows: list[Row]) -> str:
    """Named by the file or its head, where it holds one table alone; else told by what the columns say."""
    for text in (look.name, look.head[:4000]) if look is not None else ():
        found = _OPERATION.search(text.lower())
        if found is not None:
            return _canonical(found[1])
    largest = rows[-1]
    if largest.redop != "none" and largest.algorithm and largest.bus / largest.algorithm > 1.0:
        return "all_reduce"
    return ""


def _canonical(name: str) -> str:
    return CANONICAL.get(name.replace("_", ""), name)


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
