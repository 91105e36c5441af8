"""A planner can ask any part of the owned cost why it is so, down to the terms."""

from __future__ import annotations

from gpuplanner_gui.engine.cost import ownership
from gpuplanner_gui.engine.explaining.formula import Call, tracing

CASE = ownership.OwnershipTerms(
    0.1, 3_000.0, 600.0, 0.02, 4.0, 0.1, 0.1, 195.0, 0.1, 0.76, 1.3, 0.085, 0.05, 0.0, 400.0, 0.005
)  # fmt: skip


def formulas_behind(value: object, maker_of) -> set[str]:
    made_by = maker_of(value)
    if not isinstance(made_by, Call):
        return set()
    names = {made_by.formula.name}
    for argument in made_by.arguments.values():
        names |= formulas_behind(argument, maker_of)
    return names


def test_hourly_cost_leads_back_to_every_formula_it_was_made_of():
    with tracing() as trace:
        hourly = ownership.owned_usd_per_hour(ownership.owned_cost(CASE, 37_500.0, 1_275.0))
    assert formulas_behind(hourly, trace.maker_of) == {
        "owned_usd_per_hour",
        "owned_usd_per_year",
        "annual_capital_usd",
        "present_residual_usd",
        "capital_recovery_factor",
        "device_capital_total_usd",
        "device_capital_usd",
        "facility_usd_per_year",
        "electricity_usd_per_year",
        "provisioned_power_w",
    }
