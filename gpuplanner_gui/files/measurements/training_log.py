"""What training logs have in common: a run's step times, warm-up left out, as one measurement."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.measurement import Figure, Statistic, figure

_SPREAD: tuple[Statistic, ...] = ("p10", "p90")
WARM_UP_STEPS = 3
"""The first steps compile and allocate; a log that is shorter than twice as many keeps them all."""
FEW_STEPS = "too few steps to exclude the first ones, which compile and allocate"


@dataclass
class StepColumn:
    """Values of one quantity, a number per step."""

    values: array[float] = field(default_factory=lambda: array("d"))

    def add(self, value: float | None) -> None:
        if value is not None and 0 < value < 1e18:
            self.values.append(value)

    def extend(self, values: NDArray[np.float64]) -> None:
        """Many at once; what is no time or rate is left out."""
        self.values.frombytes(values[(values > 0) & (values < 1e18)].astype(np.float64).tobytes())

    @property
    def kept(self) -> NDArray[np.float64]:
        all_values = np.array(self.values)
        return all_values[WARM_UP_STEPS:] if len(all_values) >= 2 * WARM_UP_STEPS else all_values

    def figures(self, quantity: str, scale: float = 1.0) -> list[Figure]:
        """Median, and with several steps the 10th and 90th percentile."""
        kept = self.kept
        if not len(kept):
            return []
        found = [figure(quantity, float(np.median(kept)) * scale, "p50")]
        if len(kept) > WARM_UP_STEPS:
            found += [
                figure(quantity, float(value) * scale, name)
                for name, value in zip(_SPREAD, np.percentile(kept, (10, 90)))
            ]
        return found
