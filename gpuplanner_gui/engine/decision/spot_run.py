"""What interruptions of spot capacity do to a training run that is planned on capacity that stays."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.plan import TrainingTable
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.reliability import checkpointed_efficiency, daly_interval_s, job_mtbf_s
from gpuplanner_gui.engine.training.cluster import cluster_for
from gpuplanner_gui.engine.training.run import (
    HOST_COPY_SHARE,
    MEMORY_COPY_BYTES_PER_S,
    checkpoint_stall_s,
    rarest_interval_s,
)

SECONDS_PER_DAY = 86_400.0


def spot_run_factor(scenario: Scenario, context: Context, table: TrainingTable, row: int) -> float:
    """Device time on spot over that on capacity that stays, at the best checkpoint interval of each. [1]

    Interruptions of nodes add to failures; everything else is as in the plan's own run.
    """
    assert scenario.training is not None
    terms, who = scenario.training.checkpoints, int(table.accelerator[row])
    devices = table.devices[row : row + 1]
    nodes = np.ceil(devices / cluster_for(context.catalog, scenario.hardware).node_devices[who])
    link = context.devices.host_bytes_per_s[who : who + 1] * HOST_COPY_SHARE
    stall = checkpoint_stall_s(
        table.checkpoint_bytes[row : row + 1], devices,
        np.where(np.isnan(link), MEMORY_COPY_BYTES_PER_S, link),
        central(terms.storage_write_bytes_per_s), terms.asynchronous,
    )  # fmt: skip
    more = SECONDS_PER_DAY / central(scenario.economics.spot_interruption_interval_s)
    rates = np.array([0.0, more]) + central(terms.failures_per_node_day)
    mtbf = job_mtbf_s(nodes, rates, 0.0)
    interval = rarest_interval_s(daly_interval_s(stall, mtbf))
    kept = checkpointed_efficiency(interval, stall, mtbf, central(terms.restart_s))
    return float(kept[0] / kept[1])
