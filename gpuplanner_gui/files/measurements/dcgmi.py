"""`dcgmi dmon` and `nvidia-smi dmon` with their repeated headers, and the text of dcgm-exporter for Prometheus."""

from __future__ import annotations

import re

from gpuplanner_gui.files.measurements.importer import Findings, Importer, Look
from gpuplanner_gui.files.measurements.power_log import PowerLog
from gpuplanner_gui.files.measurements.source import Source
from gpuplanner_gui.files.measurements.values import number, word

DMON = {
    "POWER": ("power", 1.0),
    "GPUTL": ("utilisation", 0.01),
    "FBUSD": ("memory_used", 2.0**20),
}
SMI_DMON = {
    "pwr": ("power", 1.0),
    "sm": ("utilisation", 0.01),
    "fb": ("memory_used", 2.0**20),
}
_SMI_HEADER = re.compile(
    r"^[ \t]*#[ \t]*(?:Date[ \t]+Time[ \t]+)?gpu[ \t]+(?:\w+[ \t]+){0,40}(?:pwr|sm|fb)\b", re.MULTILINE
)
LONGEST_LINE = 1000
EXPORTED = {
    "DCGM_FI_DEV_POWER_USAGE": ("power", 1.0),
    "DCGM_FI_DEV_GPU_UTIL": ("utilisation", 0.01),
    "DCGM_FI_DEV_FB_USED": ("memory_used", 2.0**20),
}
_SAMPLE = re.compile(r"(DCGM_FI_\w+)\{([^}]*)\}\s+(\S+)")
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def is_dmon(look: Look) -> bool:
    return re.search(r"^[ \t]*#[ \t]?Entity\s", look.head, re.MULTILINE) is not None


def is_smi_dmon(look: Look) -> bool:
    return _SMI_HEADER.search(look.head) is not None


def read_smi_dmon(source: Source, look: Look) -> Findings:
    """As many columns as headings; a dash where a device does not tell."""
    findings, log = Findings(), PowerLog()
    columns: list[str] = []
    for line, text in source.lines():
        start = text[:LONGEST_LINE]
        cells = start.lstrip(" #").split()
        if _SMI_HEADER.match(start):
            columns = cells
        elif columns and len(cells) == len(columns) and not start.lstrip().startswith("#"):
            row = dict(zip(columns, cells))
            device = log.device(row["gpu"][:100], "", line)
            for name, (quantity, scale) in SMI_DMON.items():
                value = number(row.get(name))
                if device is not None and value is not None:
                    device.add(quantity, value * scale)
    log.report(findings)
    return findings


def is_exported(look: Look) -> bool:
    return any(name in look.head for name in EXPORTED)


def read_dmon(source: Source, look: Look) -> Findings:
    """Means and percentiles of every device; columns are chosen by whoever ran it."""
    findings, log = Findings(), PowerLog()
    columns: list[str] = []
    for line, text in source.lines():
        cells = text.split()
        if not cells:
            continue
        if text.lstrip().startswith("#"):
            columns = [cell.lstrip("#") for cell in cells if cell.lstrip("#") and cell.lstrip("#") != "Entity"]
        elif len(cells) == len(columns) + 2:
            device = log.device(f"{cells[0]} {cells[1]}"[:100], "", line)
            for name, cell in zip(columns, cells[2:]):
                if device is not None and name in DMON:
                    quantity, scale = DMON[name]
                    value = number(cell)
                    device.add(quantity, None if value is None else value * scale)
    log.report(findings)
    return findings


def read_exported(source: Source, look: Look) -> Findings:
    """Samples of all scrapes that the file holds."""
    findings, log = Findings(), PowerLog()
    for line, text in source.lines():
        found = _SAMPLE.match(text[:4000])
        if found is None or found[1] not in EXPORTED:
            continue
        labels = dict(_LABEL.findall(found[2]))
        key = f"{labels.get('Hostname', '')} {labels.get('UUID', labels.get('gpu', ''))}"
        device = log.device(key[:200], word(labels.get("modelName", "")), line)
        quantity, scale = EXPORTED[found[1]]
        value = number(found[3])
        if device is not None:
            device.add(quantity, None if value is None else value * scale)
    log.report(findings)
    return findings


DMON_IMPORTER = Importer("dcgmi", "dcgmi dmon", is_dmon, read_dmon)
EXPORTER_IMPORTER = Importer("dcgm_exporter", "dcgm-exporter", is_exported, read_exported)
SMI_DMON_IMPORTER = Importer("nvidia_smi_dmon", "nvidia-smi dmon", is_smi_dmon, read_smi_dmon)
