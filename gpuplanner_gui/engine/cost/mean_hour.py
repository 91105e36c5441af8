"""What a device of a fleet costs in a mean hour: owned ones are paid for always, rented ones while they run."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Values
from gpuplanner_gui.engine.explaining.formula import formula


@formula(
    title="Price of a device in a mean hour",
    unit="USD/h",
    expression="stock_usd_per_device_hour + (usd_per_device_hour − stock_usd_per_device_hour)"
    " · max(running_share − stock_share, 0) / (1 − stock_share)",
    source="owned devices cost their price at all hours, rented ones while they run",
)
def mean_usd_per_device_hour(
    usd_per_device_hour: Floats, stock_usd_per_device_hour: Floats, stock_share: Values, running_share: Floats
) -> Floats:
    """What a device of the fleet costs on average over its hours; the stock's part of its price is spread over all.
    [USD/h]"""
    rented = usd_per_device_hour - stock_usd_per_device_hour
    return np.asarray(stock_usd_per_device_hour + rented * rented_share(running_share, stock_share), np.float64)


def rented_share(running_share: Floats, stock_share: Values) -> Floats:
    """Share of the rented devices that is paid for, where so large a share of all is and the owned ones always are."""
    left = 1.0 - stock_share
    return np.asarray(np.maximum(running_share - stock_share, 0.0) / np.where(left > 0, left, np.inf), np.float64)
