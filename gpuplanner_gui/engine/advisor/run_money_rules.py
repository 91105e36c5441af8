"""Rules about how the devices of a training run are paid for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gpuplanner_gui.domain.constants import HOURS_PER_YEAR
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.verdict import Finding
from gpuplanner_gui.engine.advisor.case import (
    NOTE,
    WARNING,
    AdvisedRun,
    added_devices,
    finding,
    is_held,
    owned_fleet,
    price_in_use,
    remedy,
)
from gpuplanner_gui.engine.advisor.money_rules import WORTH_CHANGING, quote_of
from gpuplanner_gui.engine.decision.ways_to_pay import spot_run_factor


def spot_for_training(case: AdvisedRun) -> Iterator[Finding]:
    """A run that restarts from checkpoints costs less on spot capacity, interruptions and repeated steps included."""
    if case.procurement != "rent_on_demand" or not case.workload.restartable or not case.best.meets_targets:
        return
    economics, price = case.scenario.economics, case.best.of("usd_per_device_hour")
    quote = quote_of(case, economics, "rent_spot")
    spot = price_in_use(case, "rent_spot")
    if not spot < WORTH_CHANGING * price or not quote.usd_per_hour < quote.of("rent_on_demand"):
        return
    stretch = spot_run_factor(case)
    cost = case.best.of("usd_per_run")
    after = case.run_usd(case.best.of("device_hours") * stretch, spot, "rent_spot")
    deadline = case.workload.deadline_s
    is_late = deadline is not None and case.best.of("run_time_s") * stretch > central(deadline)
    if after > WORTH_CHANGING * cost or is_late:
        return
    cure = remedy(
        "train_on_spot", {"economics.training_procurement": "rent_spot"}, "training.usd_per_run", cost, after,
        stretch_share=stretch - 1,
    )  # fmt: skip
    values: dict[str, float | str] = {
        "provider": quote.provider, "spot_usd_per_hour": spot, "price_usd_per_hour": price,
        "stretch_share": stretch - 1, "saved_share": 1 - after / cost,
    }  # fmt: skip
    yield finding("spot_for_training", "training", NOTE, values, cost - after, cure)


def term_outlasts_run(case: AdvisedRun) -> Iterator[Finding]:
    """Capacity is reserved or bought for years, and the runs fill only a part of that time."""
    if not is_held(case):
        return
    use = min(1.0, case.hours_per_year / HOURS_PER_YEAR)
    hourly = price_in_use(case, "rent_on_demand")
    price = case.best.of("usd_per_device_hour")
    if not np.isfinite(hourly) or use >= price / hourly:
        return
    yearly = case.best.of("devices") * HOURS_PER_YEAR
    idle = yearly * (price - use * hourly)
    values = {
        "use_share": use, "break_even_share": price / hourly, "extra_usd_per_year": idle,
        "usd_per_year": yearly * price,
    }  # fmt: skip
    yield finding("term_outlasts_run", "training", WARNING, values, idle, remedy("rent_for_the_run"))


def bought_for_the_run(case: AdvisedRun) -> Iterator[Finding]:
    """A run's cost counts its own hours of devices that are bought for years."""
    use = min(1.0, case.hours_per_year / HOURS_PER_YEAR)
    if case.procurement != "own" or not is_held(case) or use >= WELL_USED:
        return
    added = added_devices(case)
    bought, owned = owned_fleet(case)
    new = float(bought.devices[0]) - (case.best.of("devices") - added)
    capital = float(np.ravel(owned.capital.total)[0]) * max(added, new)
    if not np.isfinite(capital):
        return
    values: dict[str, float | str] = {
        "devices": added, "device": case.best.accelerator.name, "capital_usd": capital, "use_share": use,
        "usd": case.best.of("usd_per_run"),
    }  # fmt: skip
    yield finding("bought_for_the_run", "training", WARNING, values, capital)


WELL_USED = 0.9
