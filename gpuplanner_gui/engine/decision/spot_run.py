"""What interruptions of spot capacity do to a training run that is planned on capacity that stays."""

from __future__ import annotations

from gpuplanner_gui.domain.plan import TrainingTable
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.training.run import checkpointing_of_row, spot_interruptions


def spot_run_factor(scenario: Scenario, context: Context, table: TrainingTable, row: int) -> float:
    """Device time on spot over that on capacity that stays, at the best checkpoint interval of each. [1]

    Interruptions of nodes add to failures; everything else is as in the plan's own run.
    """
    often = spot_interruptions(scenario)
    stays, spot = (checkpointing_of_row(scenario, context, table, row, more).goodput[0] for more in (0.0, often))
    return float(stays / spot)
