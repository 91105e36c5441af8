"""No service is planned faster than every published run of its device and format, nor than its hardware allows."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.measurement import FastestRun
from gpuplanner_gui.engine.context import Context, kept_in_context
from gpuplanner_gui.engine.evidence.record import LEAST_RUNS
from gpuplanner_gui.engine.model.precision import PRECISIONS
from gpuplanner_gui.engine.serving.deployments import Deployments
from gpuplanner_gui.engine.serving.step import StepTimes
from gpuplanner_gui.engine.training.judging import held_s

SOURCE = "the fastest of all published runs of the device and format, over what is predicted of it"
CLOCKS = 1.05
"""Factor by which clocks above the stated ones may beat a peak, a bandwidth or kernels that were timed."""


def fastest_run(context: Context, accelerator: str, precision: str) -> FastestRun | None:
    """The published run of a device and format that comes nearest to its prediction; None of fewer than five."""
    return _fastest_runs(context).get((accelerator, precision))


@kept_in_context()
def _fastest_runs(context: Context) -> dict[tuple[str, str], FastestRun]:
    table = context.calibration.published
    known = table.fastest if table is not None else ()
    return {(one.accelerator, one.precision): one for one in known if one.runs >= LEAST_RUNS}


@kept_in_context()
def published_log(context: Context) -> Floats:
    """Log factor by which steps stay hardly faster than all published runs, shape (accelerators, precisions); 0 where
    one of them was as fast as predicted, or fewer than five are known."""
    table, slower = context.calibration.published, np.ones((len(context.devices.ids), len(PRECISIONS)))
    places = {name: place for place, name in enumerate(context.devices.ids)}
    for (accelerator, precision), run in _fastest_runs(context).items():
        if accelerator in places:
            slower[places[accelerator], PRECISIONS.index(precision)] = max(run.slowdown, 1.0)
    lead = table.served_lead if table else 1.0
    return np.asarray(np.log(held_s(np.ones_like(slower), np.ones_like(slower), slower, lead)))


def hardware_log(context: Context, engine: str, deployed: Deployments, parts: StepTimes) -> Floats:
    """Log factor on predicted steps below which no measurement is believed, shape (deployments,).

    Memory is read no faster than its stated bandwidth; products are computed no faster than they were timed alone, on
    devices that were not timed no faster than the stated peak.
    """
    products, where = deployed.replica.ffn, (deployed.accelerator, deployed.replica.formats.ffn)
    is_timed = context.kernels(engine).is_measured[where]
    least_compute_s = parts.compute_s * np.where(is_timed, 1.0, products.parameters.compute_efficiency)
    least_memory_s = parts.bandwidth_s * products.parameters.memory_efficiency
    return np.asarray(np.log(np.maximum(least_compute_s, least_memory_s) / (CLOCKS * parts.total)))
