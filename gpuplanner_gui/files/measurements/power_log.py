"""Samples of devices over time, as nvidia-smi, dcgmi and exporters write them: one measurement per device."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

import numpy as np

from gpuplanner_gui.domain.measurement import Figure, MeasurementContext, Statistic, figure
from gpuplanner_gui.files.measurements.importer import Findings

PERCENTILES: tuple[tuple[Statistic, float], ...] = (("p50", 50.0), ("p95", 95.0), ("max", 100.0))
MOST_DEVICES = 4096


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


class PowerLog:
    """All devices of a file."""

    def __init__(self) -> None:
        self._devices: dict[str, DeviceLog] = {}

    def known(self, key: str) -> DeviceLog | None:
        """The device's log, where it has one."""
        return self._devices.get(key)

    def device(self, key: str, name: str, line: int) -> DeviceLog | None:
        """The device's log; None for one device too many."""
        if key not in self._devices:
            if len(self._devices) >= MOST_DEVICES:
                return None
            self._devices[key] = DeviceLog(name, line)
        return self._devices[key]

    def report(self, findings: Findings) -> None:
        """One measurement per device; what ran meanwhile is asked for."""
        for one in self._devices.values():
            context = MeasurementContext(accelerator_as_written=one.name, devices=1, requests=one.samples)
            findings.add(context, one.figures(), one.line)
