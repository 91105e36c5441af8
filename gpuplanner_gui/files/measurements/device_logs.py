"""Logs of devices over time: `nvidia-smi --query-gpu`, `nvidia-smi dmon`, `dcgmi dmon`, dcgm-exporter for Prometheus.

Each names its columns otherwise; one measurement per device comes out, and what ran meanwhile is asked for.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from gpuplanner_gui.domain.measurement import Figure, MeasurementContext, Statistic, figure
from gpuplanner_gui.files.measurements.importer import Findings, Importer, Look
from gpuplanner_gui.files.measurements.source import Source
from gpuplanner_gui.files.measurements.values import BINARY, amount, number, word

_POWER, _BUSY, _MEMORY = ("power", 1.0), ("utilisation", 0.01), ("memory_used", 2.0**20)
"""Quantity, and what a bare number counts in: watts, percent, MiB."""
QUERIED = {
    "power.draw": _POWER, "power.draw.instant": _POWER, "power.draw.average": _POWER, "utilization.gpu": _BUSY,
    "memory.used": _MEMORY,
}  # fmt: skip
SMI_DMON = {"pwr": _POWER, "sm": _BUSY, "fb": _MEMORY}
DCGMI_DMON = {"POWER": _POWER, "GPUTL": _BUSY, "FBUSD": _MEMORY}
EXPORTED = {"DCGM_FI_DEV_POWER_USAGE": _POWER, "DCGM_FI_DEV_GPU_UTIL": _BUSY, "DCGM_FI_DEV_FB_USED": _MEMORY}

PERCENTILES: tuple[tuple[Statistic, float], ...] = (("p50", 50.0), ("p95", 95.0), ("max", 100.0))
MOST_DEVICES = 4096
LONGEST_LINE, LONGEST_SAMPLE = 1000, 4000
IDENTITY = ("uuid", "gpu_uuid", "index", "pci.bus_id", "gpu_bus_id", "serial", "name", "gpu_name")
NAMES = ("name", "gpu_name")
_QUERY_SAMPLE = re.compile(r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d\.\d{3}, |.{1,200}, ?\d+(?:\.\d+)? (?:W|MiB|%)(?:,|\s)")
_SMI_HEADER = re.compile(
    r"^[ \t]*#[ \t]*(?:Date[ \t]+Time[ \t]+)?gpu[ \t]+(?:\w+[ \t]+){0,40}(?:pwr|sm|fb)\b", re.MULTILINE
)
_SAMPLE = re.compile(r"(DCGM_FI_\w+)\{([^}]*)\}\s+(\S+)")
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


@dataclass
class DeviceLog:
    """Samples of one device by quantity."""

    name: str
    line: int
    columns: dict[str, array[float]] = field(default_factory=dict)

    def add(self, quantity: str, value: float | None) -> None:
        if value is not None and 0 <= value < 1e18:
            self.columns.setdefault(quantity, array("d")).append(value)

    def figures(self) -> list[Figure]:
        found = []
        for quantity, values in self.columns.items():
            array_of = np.frombuffer(values)
            found.append(figure(quantity, float(array_of.mean())))
            if len(values) > 1:
                found += [figure(quantity, float(np.percentile(array_of, at)), name) for name, at in PERCENTILES]
        return found

    @property
    def samples(self) -> int:
        return max((len(values) for values in self.columns.values()), default=0)


class DeviceLogs:
    """All devices of a file."""

    def __init__(self) -> None:
        self._devices: dict[str, DeviceLog] = {}

    def known(self, key: str) -> DeviceLog | None:
        """The device's log, where it has one."""
        return self._devices.get(key)

    def add(self, key: str, name: str, line: int, samples: dict[tuple[str, float], float | None]) -> None:
        """Samples by quantity and what their number counts in; those of one device too many are left out."""
        device = self.device(key, name, line)
        for (quantity, scale), value in samples.items() if device is not None else ():
            device.add(quantity, None if value is None else value * scale)  # type: ignore[union-attr]

    def device(self, key: str, name: str, line: int) -> DeviceLog | None:
        """The device's log; None for one device too many."""
        if key not in self._devices:
            if len(self._devices) >= MOST_DEVICES:
                return None
            self._devices[key] = DeviceLog(name, line)
        return self._devices[key]

    def findings(self) -> Findings:
        """One measurement per device."""
        findings = Findings()
        for one in self._devices.values():
            context = MeasurementContext(accelerator_as_written=one.name, devices=1, requests=one.samples)
            findings.add(context, one.figures(), one.line)
        return findings


def is_query(look: Look) -> bool:
    return any(_bare(cell) in QUERIED for cell in look.head.partition("\n")[0].split(","))


def lacks_header(look: Look) -> bool:
    """True for a log of nvidia-smi that begins with its first sample."""
    return _QUERY_SAMPLE.match(look.head) is not None


def read_query(source: Source, look: Look) -> Findings:
    """Units stand in the header and in the cells; devices interleave."""
    log, uneven = DeviceLogs(), Findings()
    header: list[str] = []
    positions: list[tuple[int, str, float]] = []
    identity = named = -1
    for line, text in source.lines():
        cells = text.split(",")
        if not header:
            header = [_bare(cell) for cell in cells]
            positions = _positions(header)
            identity = next((header.index(name) for name in IDENTITY if name in header), -1)
            named = next((header.index(name) for name in NAMES if name in header), -1)
        elif len(cells) != len(header):
            if text.strip():
                uneven.remark(
                    "Line {line} is skipped: it has {count} cells instead of {expected}.",
                    line=line,
                    count=len(cells),
                    expected=len(header),
                )
        else:
            key = cells[identity] if identity >= 0 else ""
            device = log.known(key) or log.device(key, word(cells[named].strip()) if named >= 0 else "", line)
            for index, quantity, bare in positions if device is not None else ():
                device.add(quantity, _queried_value(cells[index], bare))  # type: ignore[union-attr]
    findings = log.findings()
    findings.remarks += uneven.remarks
    if identity < 0:
        findings.remark("No column names the device of a sample: all samples count as one device.")
    return findings


def _positions(header: list[str]) -> list[tuple[int, str, float]]:
    """Columns that are read; the first kind of power where several are there."""
    power = next((name for name in QUERIED if name.startswith("power") and name in header), "")
    return [
        (index, *QUERIED[name])
        for index, name in enumerate(header)
        if name in QUERIED and (not name.startswith("power") or name == power)
    ]


def _bare(heading: str) -> str:
    """A heading without its unit: `power.draw [W]`."""
    return heading.partition("[")[0].strip().lower()


@lru_cache(maxsize=65_536)
def _queried_value(cell: str, bare: float) -> float | None:
    found = amount(cell)
    return None if found is None else found[0] * BINARY.get(found[1], bare)


def is_smi_dmon(look: Look) -> bool:
    return _SMI_HEADER.search(look.head) is not None


def read_smi_dmon(source: Source, look: Look) -> Findings:
    """Read `nvidia-smi dmon`: as many columns as headings, which repeat; a dash where a device states nothing."""
    log = DeviceLogs()
    columns: list[str] = []
    for line, text in source.lines():
        start = text[:LONGEST_LINE]
        cells = start.lstrip(" #").split()
        if _SMI_HEADER.match(start):
            columns = cells
        elif columns and len(cells) == len(columns) and not start.lstrip().startswith("#"):
            row = dict(zip(columns, cells))
            samples = {quantity: number(row.get(name)) for name, quantity in SMI_DMON.items()}
            log.add(row["gpu"][:100], "", line, samples)
    return log.findings()


def is_dcgmi_dmon(look: Look) -> bool:
    return re.search(r"^[ \t]*#[ \t]?Entity\s", look.head, re.MULTILINE) is not None


def read_dcgmi_dmon(source: Source, look: Look) -> Findings:
    """Columns are chosen by whoever ran it; headers repeat."""
    log = DeviceLogs()
    columns: list[str] = []
    for line, text in source.lines():
        cells = text.split()
        if not cells:
            continue
        if text.lstrip().startswith("#"):
            columns = [cell.lstrip("#") for cell in cells if cell.lstrip("#") and cell.lstrip("#") != "Entity"]
        elif len(cells) == len(columns) + 2:
            named = zip(columns, cells[2:])
            samples = {DCGMI_DMON[name]: number(cell) for name, cell in named if name in DCGMI_DMON}
            log.add(f"{cells[0]} {cells[1]}"[:100], "", line, samples)
    return log.findings()


def is_exported(look: Look) -> bool:
    return any(name in look.head for name in EXPORTED)


def read_exported(source: Source, look: Look) -> Findings:
    """Samples of all scrapes that the file holds."""
    log = DeviceLogs()
    for line, text in source.lines():
        found = _SAMPLE.match(text[:LONGEST_SAMPLE])
        if found is not None and found[1] in EXPORTED:
            labels = dict(_LABEL.findall(found[2]))
            key = f"{labels.get('Hostname', '')} {labels.get('UUID', labels.get('gpu', ''))}"
            log.add(key[:200], word(labels.get("modelName", "")), line, {EXPORTED[found[1]]: number(found[3])})
    return log.findings()


QUERY = Importer("nvidia_smi", "nvidia-smi log", is_query, read_query)
DMON = Importer("nvidia_smi_dmon", "nvidia-smi dmon", is_smi_dmon, read_smi_dmon)
DCGMI = Importer("dcgmi", "dcgmi dmon", is_dcgmi_dmon, read_dcgmi_dmon)
EXPORTER = Importer("dcgm_exporter", "dcgm-exporter", is_exported, read_exported)
