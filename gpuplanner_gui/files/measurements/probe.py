"""The JSON that the probe (`resources/probe/gpuplanner_probe.py`) writes on a target machine.

Version 1 called the time of one launch alone the largest kernel time, and copied the cache in its decode steps; its
files are read as they are.
"""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from gpuplanner_gui.domain.measurement import (
    PROCESSOR,
    QUANTITIES,
    Figure,
    MeasurementContext,
    Phase,
    Statistic,
    figure,
)
from gpuplanner_gui.files.measurements.importer import Findings, Importer, Look
from gpuplanner_gui.files.measurements.source import Source
from gpuplanner_gui.files.measurements.values import LARGEST_VALUE, STATISTICS, JsonObject
from gpuplanner_gui.files.whole_file import write_whole_file
from gpuplanner_gui.paths import resources_dir

PROBE_NAME = "gpuplanner_probe.py"


def save_probe(path: Path) -> None:
    """Write the probe. Raises FileProblem where the file can't be written."""
    write_whole_file(path, (resources_dir() / "probe" / PROBE_NAME).read_bytes())


FORMAT = "gpuplanner-probe"
LATEST_VERSION = 2
PHASES = frozenset(get_args(Phase))
SLICE = "MIG"
"""Mark in the driver's name of a slice of a device."""
MIXED = "the machine's devices differ"
BUSY = 10.0
"""Per cent of the time in other programs' hands, from which figures are doubted."""


def recognises(look: Look) -> bool:
    return look.first.word("format") == FORMAT


def read(source: Source, look: Look) -> Findings:
    """Every result of the probe. Raises FileProblem for a newer probe's."""
    findings, probe = Findings(), look.first
    version = probe.count("version")
    if version > LATEST_VERSION:
        raise source.problem("version", "a newer probe wrote this file", "Update GPU Planner")
    if not version:
        raise source.problem(
            "version", "the file does not state the probe's version", ("Import the file that the probe wrote")
        )
    if probe.object("device").word("kind") == PROCESSOR:
        findings.remark("Measured on a CPU: stored, but not used to plan accelerators.")
    elif SLICE in probe.object("device").word("name").split():
        findings.remark("Measured on a slice of a device (MIG): not used for whole devices.")
    busy, mixed = _busy(probe), bool(probe.object("device").value("names"))
    for result in probe.objects("results"):
        note = result.word("note") or busy or (MIXED if mixed and result.count("devices") > 1 else "")
        findings.add(_context(probe, result), _figures(result), 0, note)
    remarks = probe.value("remarks")
    for sentence in remarks if isinstance(remarks, list) else ():
        if isinstance(sentence, str):
            findings.remark(sentence)
    if probe.value("is_complete") is False:
        findings.remark("The probe did not finish: these are its results so far.")
    return findings


def _context(probe: JsonObject, result: JsonObject) -> MeasurementContext:
    device = probe.object("device")
    return MeasurementContext(
        accelerator_as_written=device.word("name"),
        device_kind=device.word("kind"),
        devices=result.count("devices") or 1,
        weight_precision=result.word("precision"),
        engine="pytorch",
        engine_version=probe.word("torch_version"),
        operation=result.word("operation"),
        message_bytes=result.positive("message_bytes"),
        shape=_shape(result),
        measured_on=probe.word("created_at")[:10],
    )


def _busy(probe: JsonObject) -> str:
    """What speaks against all figures of a device that other programs used meanwhile."""
    share = probe.object("conditions").number("utilization.gpu")
    return f"the device was {share:.0f} % busy before" if share is not None and BUSY <= share <= 100.0 else ""


def _shape(result: JsonObject) -> str:
    """Shape of a kernel, with its launch settings where stated."""
    shape, launch = result.word("shape"), result.word("launch")
    return shape if not launch or "launch=" in shape else f"{shape} launch={launch}"


def _figures(result: JsonObject) -> list[Figure]:
    """The phase of the result is that of what was timed; its memory and power stay memory and power."""
    found = []
    stated = result.word("phase")
    phase: Phase | None = stated if stated in PHASES else None  # type: ignore[assignment]
    for item in result.objects("figures"):
        quantity, statistic, value = item.word("quantity"), item.word("statistic") or "mean", item.number("value")
        if quantity in QUANTITIES and statistic in STATISTICS and value is not None and 0 <= value < LARGEST_VALUE:
            name: Statistic = statistic  # type: ignore[assignment]
            found.append(figure(quantity, value, name, phase if QUANTITIES[quantity].phase == "kernel" else None))
    return found


IMPORTER = Importer("probe", "GPU Planner probe", recognises, read, (f'"{FORMAT}"',))
