"""What serving devices draw: idle, with a lone sequence, and up to the rate at which their replica saturates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.engine.cost.energy import busy_share
from gpuplanner_gui.engine.cost.prices import DevicePrices
from gpuplanner_gui.engine.explaining.formula import leaf
from gpuplanner_gui.engine.fleet.service_week import LoadHours


@dataclass(frozen=True)
class PeakUse:
    """What one replica does at the peak, one entry per candidate; what comes is spread over all, spares among them."""

    load: Floats
    """Share of the rate at which it saturates."""
    sequences: Floats
    """Sequences in the batch; 0 where requests have none."""


USE_COLUMNS = ("load_per_replica_per_s", "max_rate_per_s", "batch")
"""Columns of the table that `peak_use` reads besides rate and replicas."""


def peak_use(
    peak_rate_per_s: Floats | float, replicas: Floats, planned_rate_per_s: Floats, max_rate_per_s: Floats, batch: Floats
) -> PeakUse:
    """A replica at the peak, from its batch at the rate that is planned for one."""
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = np.asarray(peak_rate_per_s / replicas)
        load, part = np.minimum(1.0, rate / max_rate_per_s), np.minimum(1.0, rate / planned_rate_per_s)
    return PeakUse(np.asarray(load), np.nan_to_num(batch * part))


def device_power_w(prices: DevicePrices, accelerator: Integers, use: PeakUse, hours: LoadHours) -> Floats:
    """Mean draw of a device with its share of the node, over hours of several loads. [W]"""
    sequences = leaf(use.sequences, "sequences", "", "batch at the peak, over all replicas")
    load = leaf(hours.load, "load", "", "scenario: traffic, as a share of the peak")
    busy = busy_share(sequences, load, leaf(hours.share, "hours_share", "", "scenario: traffic"))
    mean = leaf(
        use.load * float(hours.load @ hours.share), "load", "", "mean rate over the rate at which a replica saturates"
    )
    return prices.mean_power_w(accelerator, busy, mean)
