"""What a verdict says of cost: its range, what a run's includes, and what the devices take beyond it."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.constants import HOURS_PER_YEAR
from gpuplanner_gui.domain.plan import TrainingPlan
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.value_ranges import format_range
from gpuplanner_gui.engine.cost.bill import TERM_LENGTHS
from gpuplanner_gui.engine.training.run import clusters_side_by_side


def run_cost_text(results: Results, answer: TrainingPlan) -> str:
    """Cost of the recommended run, with its range and what it includes; beside the budget, if there is one."""
    job, cost = results.scenario.training, float(answer.table.usd_per_run[answer.best])
    text = format_value(cost, "USD") if np.isfinite(cost) else tr("no price")
    if np.isfinite(cost):
        text += cost_band_text(results, "training.usd_per_run", cost)
        text += _beyond_run_text(job, is_brief=len(results.workloads()) > 1)
        text += _bought_text(results) or _reserved_text(results, answer)
    if job is not None and job.budget_usd is not None:
        text += tr(", budget {budget}").format(budget=format_value(central(job.budget_usd), "USD"))
    return text


def cost_band_text(results: Results, code: str, cost: float) -> str:
    """Between what a cost lies with 80 %, once that is known."""
    sure = results.known.uncertainty
    band = sure.headline(code) if sure is not None else None
    if band is None or not (np.isfinite(band.p10) and np.isfinite(band.p90)):
        return ""
    return f" ({format_range(band.p10, band.p90, 'USD', beside=cost)})"


def _beyond_run_text(job: TrainingWorkload | None, is_brief: bool) -> str:
    """What is paid beside the run itself, which the run time leaves out; in brief below another workload's verdict."""
    share = 0.0 if job is None else sum(map(central, (job.retry_share, job.validation_share, job.experiment_share)))
    if share <= 0:
        return ""
    said = tr(" with {share} for retries, validation and experiments, which the run time leaves out")
    if is_brief:
        said = tr(" with {share} beside the run")
    return said.format(share=format_value(share, "share", 2))


def _bought_text(results: Results) -> str:
    """What buying the devices takes, where the cost of the run counts its own hours alone."""
    bought = next((one for one in results.plan.findings if one.code == "bought_for_the_run"), None)
    if bought is None:
        return ""
    return tr("; buying the devices takes {capital}").format(
        capital=format_value(float(bought.values["capital_usd"]), "USD")
    )


def _reserved_text(results: Results, answer: TrainingPlan) -> str:
    """What a year of the reservation costs, of which the cost of the run counts its own hours alone."""
    if results.scenario.economics.training_procurement not in TERM_LENGTHS:
        return ""
    table, best = answer.table, answer.best
    runs = central(results.scenario.economics.fleets.training_runs_per_year)
    devices = table.devices[best] * clusters_side_by_side(runs, table.device_hours[best] / table.devices[best])
    hourly = float(table.usd_per_device_hour[best] * devices)
    for one in results.plan.findings:
        if one.workload == "training" and "added_usd_per_hour" in one.values:  # Beside owned devices.
            hourly = float(one.values["added_usd_per_hour"])
    if not hourly > 0:
        return ""
    return tr("; the reservation costs {price}").format(price=format_value(hourly * HOURS_PER_YEAR, "USD/y"))
