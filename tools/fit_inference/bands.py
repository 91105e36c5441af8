"""80 % bands from residuals of groups that a fit had not seen, by load, quantity and how well the stack is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.serving_engine import StackBand
from gpuplanner_gui.engine.serving.predict.bands import quantity_of

FEWEST = 25
"""Rows from which a class has a band of its own."""
LOW, HIGH = 0.1, 0.9
NARROWEST = 0.01
"""A band holds its own prediction, however one-sided the residuals are."""


@dataclass(frozen=True)
class Residual:
    """Logarithm of measured over predicted of a row whose group was left out, and the class it belongs to."""

    load: str
    metric: str
    is_known: bool
    log: float


def bands_of(residuals: Sequence[Residual]) -> tuple[StackBand, ...]:
    """The bands of all classes with enough rows, the more special first."""
    return tuple(_bands(residuals))


def _bands(residuals: Sequence[Residual]) -> Iterator[StackBand]:
    loads = sorted({one.load for one in residuals})
    quantities = sorted({quantity_of(one.metric) for one in residuals})
    classes: list[tuple[str, str, bool | None]] = [
        (load, quantity, known) for load in loads for quantity in quantities for known in (True, False)
    ]
    classes += [(load, "", known) for load in loads for known in (True, False)]
    classes += [("", "", known) for known in (True, False)]
    classes.append(("", "", None))
    for load, quantity, known in classes:
        logs = [
            one.log
            for one in residuals
            if load in ("", one.load) and quantity in ("", quantity_of(one.metric)) and known in (None, one.is_known)
        ]
        if len(logs) >= FEWEST:
            low, high = np.quantile(logs, [LOW, HIGH])
            yield StackBand(
                load=load,
                quantity=quantity,
                is_known=known,
                low=round(min(float(low), -NARROWEST), 3),
                high=round(max(float(high), NARROWEST), 3),
                rows=len(logs),
            )
