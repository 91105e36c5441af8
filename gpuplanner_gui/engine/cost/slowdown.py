"""How much longer work takes on hardware that was chosen for other work."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.engine.explaining.formula import formula

Values = float | NDArray[np.floating[Any]]


@formula(
    title="Slowdown on other hardware",
    unit="1",
    expression="time_elsewhere_s / time_at_home_s",
    source="ratio of predicted times for the same work",
)
def slowdown(time_elsewhere_s: Values, time_at_home_s: Values) -> Values:
    """How much longer the same work takes on hardware chosen for another workload. [1]"""
    return time_elsewhere_s / time_at_home_s
