"""Energy of a service and of a run, from the power of their devices to carbon and water."""

from __future__ import annotations

import pytest

from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.engine.advisor.case import serving_case, training_case
from gpuplanner_gui.engine.decision.energy_view import energy_of


def test_devices_of_a_service_draw_power_in_every_hour_of_the_year(both, both_plan, context):
    case = serving_case(both, both_plan, context)
    found, site = energy_of(case), both.economics.site
    assert found.facility_power_w == pytest.approx(found.it_power_w * central(site.pue))
    assert found.it_power_w < found.rated_power_w
    assert found.energy_kwh == pytest.approx(found.facility_power_w / 1000 * 8760)
    assert found.electricity_usd == pytest.approx(found.energy_kwh * central(site.electricity_usd_per_kwh))
    millions = 40.0 * case.mean_over_peak * both_plan.serving.mean_output_tokens * 8760 * 3600 / 1e6
    assert found.kwh_per_million_tokens == pytest.approx(found.energy_kwh / millions)


def test_energy_of_a_run_is_that_of_its_device_hours(both, both_plan, context):
    case = training_case(both, both_plan, context)
    found, table, row = energy_of(case), both_plan.training.table, both_plan.training.best
    per_device_w = found.facility_power_w / float(table.devices[row])
    assert found.energy_kwh == pytest.approx(per_device_w / 1000 * float(table.device_hours[row]))
    carbon = found.electricity_carbon_kg + found.embodied_carbon_kg
    assert found.grams_per_million_tokens == pytest.approx(carbon * 1000 / (both_plan.training.tokens / 1e6))
