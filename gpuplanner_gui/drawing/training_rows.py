"""Curves of training as tables of numbers."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.training_results import ScalingCurve
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.rows import Column, Rows

_COLUMNS = (
    ("Step time", "step_time_s", "s"),
    ("Tokens/s", "tokens_per_s", "tok/s"),
    ("Efficiency", "efficiency", "share"),
    ("MFU", "mfu", "share"),
    ("Communication and bubble", "communication_share", "share"),
    ("Goodput", "goodput", "share"),
    ("Run time", "run_time_s", "s"),
    ("Cost of the run", "usd_per_run", "USD"),
    ("A day saved costs", "usd_per_day_saved", "USD/d"),
)


def scaling_rows(curve: ScalingCurve) -> Rows:
    """The whole curve as a table; the knee is marked in words."""
    columns = [Column(tr("Devices")), Column("TP"), Column("PP"), Column("DP")]
    columns += [Column(tr(title), unit) for title, _, unit in _COLUMNS]
    cells = []
    for place, count in enumerate(curve.devices):
        name = tr("{count} (knee)").format(count=int(count)) if place == curve.knee else int(count)
        sizes = (curve.tensor_parallel, curve.pipeline_parallel, curve.data_parallel)
        numbers = [float(getattr(curve, column)[place]) for _, column, _ in _COLUMNS]
        cells.append((
            name, *(int(one[place]) for one in sizes),
            *(number if np.isfinite(number) else None for number in numbers),
        ))  # fmt: skip
    return Rows((*columns,), tuple(cells))
