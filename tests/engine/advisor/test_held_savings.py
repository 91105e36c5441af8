"""What a change of the run saves where its devices are bought or reserved: what is paid, idle time included."""

from __future__ import annotations

import msgspec
import pytest

from gpuplanner_gui.domain.economics import Economics, Procurement, Site
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.verdict import Finding
from gpuplanner_gui.drawing.words.findings import money_text
from gpuplanner_gui.engine import plan

DAY_S, HOURS_PER_YEAR = 86_400.0, 8760


def scenario_of(llama_8b, term: Procurement, training_devices: int = 0) -> Scenario:
    training = TrainingWorkload(tokens=1.2e11, global_batch_tokens=1_048_576, deadline_s=30 * DAY_S)
    # Power is free here: what is held costs its devices times their price.
    economics = Economics(training_procurement=term, site=Site(electricity_usd_per_kwh=0.0))
    choice = HardwareChoice(accelerators=("nvidia-h100-sxm-80gb",), training_devices=training_devices)
    return Scenario(name="held", model=llama_8b, training=training, hardware=choice, economics=economics)


def narrow(found: tuple[Finding, ...]) -> Finding:
    return next(one for one in found if one.code == "lever_narrow_recipe")


def test_fp8_saves_the_devices_that_are_no_longer_reserved_by_hand(llama_8b, advised, catalog, calibration) -> None:
    """Fewer devices of a reservation are paid for in all 8,760 hours; the run's own hours are a twelfth of them."""
    scenario = scenario_of(llama_8b, "rent_1y")
    answer = plan(scenario, catalog, calibration).trained
    found = narrow(advised(scenario).findings)
    price = float(answer.table.usd_per_device_hour[answer.best])
    fewer = float(answer.table.devices[answer.best]) - float(found.values["devices"])
    assert fewer > 0
    assert found.usd == pytest.approx(fewer * HOURS_PER_YEAR * price)
    assert found.usd > 5 * (float(answer.table.usd_per_run[answer.best]) - float(found.values["usd"]))
    assert money_text(found).startswith("could save about")


@pytest.mark.parametrize("deadline_s", [30 * DAY_S, None])
def test_a_shorter_run_on_the_same_bought_devices_saves_time_and_no_money(llama_8b, advised, deadline_s) -> None:
    scenario = scenario_of(llama_8b, "own", training_devices=8)
    scenario = msgspec.structs.replace(
        scenario, training=msgspec.structs.replace(scenario.training, deadline_s=deadline_s)
    )
    found = narrow(advised(scenario).findings)
    assert found.values["devices"] == 8
    assert found.usd == 0
    assert found.remedy is not None
    assert found.remedy.metric == "training.run_time_s"


@pytest.mark.parametrize("tokens", [1.3e10, 1.7e10, 2e10])
def test_a_year_of_the_same_devices_costs_the_same_whatever_runs_on_them(llama_8b, advised, tokens) -> None:
    """Either sum of hours ends in other digits: FP8 once saved 7.28e-12 USD, or was left out as dearer."""
    scenario = scenario_of(llama_8b, "rent_1y")
    training = msgspec.structs.replace(scenario.training, tokens=tokens, deadline_s=60 * DAY_S)
    found = narrow(advised(msgspec.structs.replace(scenario, training=training)).findings)
    assert found.values["devices"] == 1
    assert found.usd == 0
    assert money_text(found) == ""
