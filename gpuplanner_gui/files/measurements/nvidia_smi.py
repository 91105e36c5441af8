"""`nvidia-smi --query-gpu=… --format=csv`: units in the header and in the cells; devices interleave."""

from __future__ import annotations

import re
from functools import lru_cache

from gpuplanner_gui.files.measurements.importer import Findings, Importer, Look
from gpuplanner_gui.files.measurements.power_log import PowerLog
from gpuplanner_gui.files.measurements.source import Source
from gpuplanner_gui.files.measurements.values import BINARY, amount, word
from gpuplanner_gui.files.said import said

COLUMNS = {
    "power.draw": ("power", 1.0),
    "power.draw.instant": ("power", 1.0),
    "power.draw.average": ("power", 1.0),
    "utilization.gpu": ("utilisation", 0.01),
    "memory.used": ("memory_used", 2.0**20),
}
"""Quantity, and what a bare number counts in: percent, MiB."""
_SAMPLE = re.compile(r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d\.\d{3}, |.{1,200}, ?\d+(?:\.\d+)? (?:W|MiB|%)(?:,|\s)")
IDENTITY = ("uuid", "gpu_uuid", "index", "pci.bus_id", "gpu_bus_id", "serial", "name", "gpu_name")


def recognises(look: Look) -> bool:
    names = [_bare(cell) for cell in look.head.partition("\n")[0].split(",")]
    return any(name in COLUMNS for name in names)


def lacks_header(look: Look) -> bool:
    """True for a log that begins with its first sample."""
    return _SAMPLE.match(look.head) is not None


def read(source: Source, look: Look) -> Findings:
    """Means and percentiles of every device."""
    findings, log = Findings(), PowerLog()
    header: list[str] = []
    positions: list[tuple[int, str, float]] = []
    identity = named = -1
    for line, text in source.lines():
        cells = text.split(",")
        if not header:
            header = [_bare(cell) for cell in cells]
            positions = _positions(header)
            identity = next((header.index(name) for name in IDENTITY if name in header), -1)
            named = next((header.index(name) for name in ("name", "gpu_name") if name in header), -1)
        elif len(cells) != len(header):
            if text.strip():
                findings.remark(
                    said(
                        "Line {line} is left out: it has {count} cells instead of {expected}.",
                        line=line,
                        count=len(cells),
                        expected=len(header),
                    )
                )
        else:
            key = cells[identity] if identity >= 0 else ""
            device = log.known(key) or log.device(key, word(cells[named].strip()) if named >= 0 else "", line)
            for index, quantity, bare in positions if device is not None else ():
                device.add(quantity, _value(cells[index], bare))  # type: ignore[union-attr]
    log.report(findings)
    if identity < 0:
        findings.remark(said("No column says which device a sample is of: all are taken for one device."))
    return findings


def _positions(header: list[str]) -> list[tuple[int, str, float]]:
    """Columns that are read; the first kind of power where several are there."""
    power = next((name for name in COLUMNS if name.startswith("power") and name in header), "")
    return [
        (index, *COLUMNS[name])
        for index, name in enumerate(header)
        if name in COLUMNS and (not name.startswith("power") or name == power)
    ]


def _bare(heading: str) -> str:
    """A heading without its unit: `power.draw [W]`."""
    return heading.partition("[")[0].strip().lower()


@lru_cache(maxsize=65_536)
def _value(cell: str, bare: float) -> float | None:
    found = amount(cell)
    if found is None:
        return None
    value, unit = found
    return value * BINARY.get(unit, bare)


IMPORTER = Importer("nvidia_smi", "nvidia-smi log", recognises, read)
