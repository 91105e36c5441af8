"""What a prediction rests on, as it is: one record by device, engine, format and kind of model."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Booleans, Integers
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.measurement import Evidence, EvidenceKind, EvidenceTable
from gpuplanner_gui.domain.plan import Reason, ServingTable, TrainingTable

LEAST_RUNS = 5
"""Published runs from which a device counts as seen: fewer may be one odd installation."""
SAME_SPEED = {
    "bf16": ("bf16", "fp16"), "fp16": ("bf16", "fp16"), "fp8": ("fp8", "fp8_block"), "fp8_block": ("fp8", "fp8_block"),
}  # fmt: skip
"""Formats that the same units of a device run at the same rate: a run in one bears out the others."""
EVIDENCE_OF_KIND = np.array(
    [Evidence.MEASURED, Evidence.CALIBRATED, Evidence.CALIBRATED, Evidence.SPECIFICATION, Evidence.SPECIFICATION]
)
"""The older, coarser word for each `EvidenceKind`, which files and scripts still read."""


@dataclass(frozen=True)
class EvidenceRecord:
    """What is known of each case; arrays of the cases' shape."""

    kind: Integers
    """`EvidenceKind`."""
    device_runs: Integers
    """Published runs on the device."""
    is_timed: Booleans
    """Kernels of the format were timed on the device itself."""
    is_format_seen: Booleans
    """Timed, or published on the device."""
    is_engine_seen: Booleans
    """The engine was calibrated in closed loops."""
    is_architecture_seen: Booleans
    """Runs of this kind of model are published on any device."""

    @property
    def evidence(self) -> Integers:
        """The older word."""
        return np.asarray(EVIDENCE_OF_KIND[self.kind], np.int64)


def kinds(device_runs: Integers, is_timed: Booleans, has_relative: Booleans) -> Integers:
    """The best that stands behind each case, own measurements apart."""
    without = np.where(has_relative, int(EvidenceKind.RELATIVE), int(EvidenceKind.DATASHEET))
    timed = np.where(is_timed, int(EvidenceKind.TIMED), without)
    return np.asarray(np.where(device_runs >= LEAST_RUNS, int(EvidenceKind.PUBLISHED), timed), np.int64)


class PublishedRuns:
    """Counts of the published runs that ship: of serving, or of training."""

    def __init__(self, table: EvidenceTable | None, catalog: Catalog, is_serving: bool) -> None:
        self._by_device: dict[str, int] = defaultdict(int)
        self._by_format: dict[tuple[str, str], int] = defaultdict(int)
        self._by_engine: dict[tuple[str, str, str], int] = defaultdict(int)
        self.model_kinds: set[str] = set()
        for row in table.rows if table else ():
            if bool(row.load) is not is_serving:
                continue
            model_kind = catalog.models[row.model].model.kind if row.model in catalog.models else ""
            self.model_kinds.add(model_kind)
            self._by_device[row.accelerator] += 1
            self._by_format[row.accelerator, row.precision] += 1
            self._by_engine[row.accelerator, row.precision, row.engine] += 1

    def on_devices(self, ids: tuple[str, ...]) -> Integers:
        """Runs on each device."""
        return np.array([self._by_device.get(one, 0) for one in ids], np.int64)

    def in_formats(self, ids: tuple[str, ...], formats: tuple[str, ...]) -> Integers:
        """Runs on each device in each format, shape (devices, formats)."""
        return np.array([[self._by_format.get((one, name), 0) for name in formats] for one in ids], np.int64)

    def on_engine(self, ids: tuple[str, ...], formats: tuple[str, ...], engine: str) -> Integers:
        """Runs on each device in each format on one engine or framework, shape (devices, formats)."""
        same = [SAME_SPEED.get(name, (name,)) for name in formats]
        return np.array(
            [[sum(self._by_engine.get((one, alike, engine), 0) for alike in names) for names in same] for one in ids],
            np.int64,
        )


def is_measured(evidence_kind: Integers, published_runs: Integers) -> Booleans:
    """Where own runs, or enough published ones of the device, software and format, bear a prediction out."""
    return np.asarray((evidence_kind == EvidenceKind.OWN) | (published_runs >= LEAST_RUNS))


def best_measured(table: ServingTable | TrainingTable, row: int) -> int:
    """The best candidate that measurements bear out, beside one that they do not; -1 without one."""
    known = is_measured(table.evidence_kind, table.published_runs)
    rows = table.order[(known & (table.reason == Reason.NONE))[table.order]]
    return int(rows[0]) if len(rows) and not known[row] else -1
