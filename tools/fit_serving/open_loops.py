"""80 % bands of latency at a request rate, from published runs whose group of model and accelerator is left out.

python -m tools.fit_serving.open_loops
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.serving_band import ServingBand
from gpuplanner_gui.engine.serving.predict.bands import open_loop_quantity
from tools.fidelity.load import Compared, open_loop
from tools.fit_serving.catalogue import BAND_DATE, replace_bands, rounded

SOURCE = (
    "errors of simulated runs of measured-open-loop-dev.csv without a mark, each group of model and accelerator"
    " weighted by the square root of its values"
)
ENDS = (0.1, 0.9)


@dataclass(frozen=True)
class Error:
    """Logarithm of measured over predicted."""

    group: str
    log: float


def errors_by_quantity(compared: Sequence[Compared]) -> dict[str, list[Error]]:
    """Of runs that count, with what suits the other groups."""
    found: dict[str, list[Error]] = defaultdict(list)
    for row in compared:
        if row.counts and row.left_out > 0:
            found[open_loop_quantity(row.metric)].append(Error(row.group, math.log(row.measured / row.left_out)))
    return found


def ends_of(errors: Sequence[Error]) -> tuple[float, float]:
    """The middle 80 %, groups of many values counting less each."""
    counts = Counter(error.group for error in errors)
    ordered = sorted(errors, key=lambda error: error.log)
    weights = np.array([counts[error.group] ** -0.5 for error in ordered])
    reached = (np.cumsum(weights) - weights / 2) / weights.sum()
    low, high = np.interp(ENDS, reached, [error.log for error in ordered])
    return min(float(low), 0.0), max(float(high), 0.0)


def coverage(errors: Sequence[Error]) -> float:
    """Share of errors inside the ends of the other groups."""
    inside = []
    for error in errors:
        low, high = ends_of([one for one in errors if one.group != error.group])
        inside.append(low <= error.log <= high)
    return float(np.mean(inside))


def open_loop_bands(errors: dict[str, list[Error]]) -> list[ServingBand]:
    """A band for each quantity."""
    bands = []
    for quantity, found in sorted(errors.items()):
        low, high = ends_of(found)
        bands.append(
            ServingBand(
                load="open_loop",
                quantity=quantity,
                low=rounded(low),
                high=rounded(high),
                rows=len(found),
                groups=len({error.group for error in found}),
                source=SOURCE,
                date=BAND_DATE,
            )
        )
    return bands


def main() -> None:
    """Write the bands, print how many values lie in those of the other groups."""
    errors = errors_by_quantity(open_loop()[0])
    for quantity, found in sorted(errors.items()):
        print(f"{quantity}: {coverage(found):.0%} of {len(found)} values in the other groups' band")
    replace_bands(open_loop_bands(errors))


if __name__ == "__main__":
    main()
