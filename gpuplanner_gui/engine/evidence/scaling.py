"""Scaling fitted in two stages: what a doubling of devices keeps inside a node, then what one keeps across nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.engine.explaining.formula import formula

USUAL_KEPT_INSIDE, USUAL_KEPT_ACROSS = 0.985, 0.97
"""Throughput per device that a doubling usually keeps, inside a node and across nodes: the middle of published runs."""
PRIOR_LOG_SD = 0.04
"""Spread of the logarithm of what a doubling keeps, before anything is measured."""
NOISE_LOG_SD = 0.02
"""Noise (spread of the logarithm) of one run."""


@dataclass(frozen=True)
class ScalingFit:
    """Throughput per device against devices, on a logarithmic scale."""

    node_devices: int
    log_one_device: float
    """Logarithm of the throughput of one device by itself."""
    log_kept_inside: float
    """Logarithm of what a doubling inside the node keeps."""
    log_kept_across: float
    """The same for a doubling of nodes."""
    covariance: Floats
    """Covariance of these three, shape (3, 3)."""
    runs_inside: int
    runs_across: int

    def efficiency(self, devices: Floats) -> Floats:
        """Throughput per device over that of one device. [1]"""
        inside, across = doublings(devices, self.node_devices)
        return kept_share(inside, across, self.log_kept_inside, self.log_kept_across)

    def throughput_per_device(self, devices: Floats) -> tuple[Floats, Floats, Floats]:
        """Predicted throughput per device with its 80 % band, in the unit of the runs."""
        inside, across = doublings(devices, self.node_devices)
        rows = np.stack([np.ones_like(inside), inside, across])
        log = self.log_one_device + inside * self.log_kept_inside + across * self.log_kept_across
        variance = np.einsum("i...,ij,j...->...", rows, self.covariance, rows) + NOISE_LOG_SD**2
        width = Z_80 * np.sqrt(variance)
        return np.exp(log), np.exp(log - width), np.exp(log + width)


def doublings(devices: Floats, node_devices: int) -> tuple[Floats, Floats]:
    """Doublings of devices inside a node, and of nodes."""
    counts = np.maximum(np.asarray(devices, np.float64), 1.0)
    return np.log2(np.minimum(counts, node_devices)), np.log2(np.maximum(counts / node_devices, 1.0))


@formula(
    title="Scaling efficiency",
    unit="",
    expression="kept_inside^(doublings inside the node) · kept_across^(doublings of nodes)",
    source="scaling within one node first, then across nodes",
)
def kept_share(inside: Floats, across: Floats, log_kept_inside: float, log_kept_across: float) -> Floats:
    """Throughput per device over that of one device. [1]"""
    return np.asarray(np.exp(inside * log_kept_inside + across * log_kept_across))


def scaling_fit(devices: Floats, throughput_per_device: Floats, node_devices: int) -> ScalingFit:
    """Fit runs of one job on several counts of devices.

    Parameters
    ----------
    devices, throughput_per_device : float arrays, shape (runs,)
        All above 0; any unit of throughput.
    node_devices : int
        Devices of a node.

    Raises
    ------
    ValueError
        Without runs, or with one that is not above 0.

    Notes
    -----
    Ridge regression of the logarithm, in two stages. Runs inside a node settle one device's pace and what a doubling
    inside keeps; with these, the others settle what a doubling of nodes keeps. What too few runs leave open stays at
    what published runs usually keep.
    """
    counts, rates = np.asarray(devices, np.float64), np.asarray(throughput_per_device, np.float64)
    if not len(counts) or np.any(counts <= 0) or np.any(rates <= 0):
        raise ValueError("scaling needs runs with devices and throughput above 0")
    inside, across = doublings(counts, node_devices)
    within = counts <= node_devices
    start = np.array([float(np.log(rates).mean()), np.log(USUAL_KEPT_INSIDE), np.log(USUAL_KEPT_ACROSS)])
    spread = np.array([10.0, PRIOR_LOG_SD, PRIOR_LOG_SD])
    rows = np.stack([np.ones_like(inside), inside, across], axis=1)
    mean, covariance = start, np.diag(spread**2)
    for chosen in (within, ~within):
        mean, covariance = _updated(mean, covariance, rows[chosen], np.log(rates[chosen]))
    return ScalingFit(
        node_devices,
        float(mean[0]),
        float(mean[1]),
        float(mean[2]),
        covariance,
        int(within.sum()),
        int((~within).sum()),
    )


def _updated(mean: Floats, covariance: Floats, rows: Floats, logs: Floats) -> tuple[Floats, Floats]:
    """Bayesian linear regression: the next stage's start is the last one's result."""
    if not len(rows):
        return mean, covariance
    precision = np.linalg.inv(covariance) + rows.T @ rows / NOISE_LOG_SD**2
    found = np.linalg.inv(precision)
    return np.asarray(found @ (np.linalg.solve(covariance, mean) + rows.T @ logs / NOISE_LOG_SD**2)), np.asarray(found)
