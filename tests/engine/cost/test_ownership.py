import dataclasses

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.domain.arrays import Values
from gpuplanner_gui.domain.ownership import OwnedParts
from gpuplanner_gui.engine.cost import ownership

CASE = ownership.OwnershipTerms(
    capital_discount=0.0,
    network_usd_per_device=0.0,
    storage_usd_per_device=0.0,
    installation_share=0.0,
    useful_life_years=4.0,
    residual_share=0.1,
    cost_of_capital=0.1,
    facility_usd_per_kw_month=195.0,
    infrastructure_power_share=0.0,
    power_share_of_rating=0.76,
    pue=1.3,
    electricity_usd_per_kwh=0.085,
    support_share_per_year=0.05,
    software_usd_per_device_year=0.0,
    staff_usd_per_device_year=0.0,
    insurance_and_tax_share_per_year=0.0,
)
"""The worked case: one device of eight in a node of 10.2 kW, 42,000 USD each, colocated."""


def case_cost(**changes: float) -> OwnedParts[Values]:
    return ownership.owned_cost(dataclasses.replace(CASE, **changes), 42_000, 10_200 / 8)


def test_parts_of_the_worked_case():
    cost = case_cost()
    assert cost.capital_usd == pytest.approx(12_344.796380, rel=1e-9)
    assert cost.facility_usd == pytest.approx(2_983.50)
    assert cost.energy_usd == pytest.approx(937.972620, rel=1e-9)
    assert cost.support_usd == pytest.approx(2_100)
    assert cost.total == pytest.approx(18_366.269000, rel=1e-9)


def test_hours_of_the_worked_case():
    hourly = ownership.owned_usd_per_hour(case_cost())
    assert hourly == pytest.approx(2.096606, abs=5e-7)
    assert ownership.useful_usd_per_hour(hourly, 0.97, 0.7) == pytest.approx(3.087785, abs=5e-7)
    assert ownership.useful_usd_per_hour(hourly, 0.97, 0.0) == np.inf


def test_break_even_utilisation_against_four_rents():
    hourly = ownership.owned_usd_per_hour(case_cost())
    rents = np.array([1.70, 2.35, 3.93, 6.88])
    expected = [1.233298, 0.892173, 0.533488, 0.304739]
    assert ownership.break_even_utilisation(hourly, rents) == pytest.approx(expected, abs=5e-7)


def test_terms_broadcast_over_scenarios_and_nodes():
    terms = dataclasses.replace(CASE, cost_of_capital=np.array([0.05, 0.1])[:, None])
    total = ownership.owned_cost(terms, np.array([200e3, 300e3, 400e3]) / 8, 10_200 / 8).total
    assert np.shape(total) == (2, 3)
    assert np.all(np.diff(total, axis=0) > 0)
    assert np.all(np.diff(total, axis=1) > 0)


amounts = st.floats(0, 1e5)
shares = st.floats(0, 0.5)


@given(node=amounts, network=amounts, storage=amounts, installation=shares, discount=shares)
def test_capital_parts_add_up(node: float, network: float, storage: float, installation: float, discount: float):
    capital = ownership.device_capital_usd(node, discount, network, storage, installation)
    parts = msgspec.structs.astuple(capital)
    assert sum(parts) == pytest.approx(capital.total)
    assert capital.total == pytest.approx((node * (1 - discount) + network + storage) * (1 + installation))


INCREASING = [
    "network_usd_per_device",
    "storage_usd_per_device",
    "installation_share",
    "cost_of_capital",
    "facility_usd_per_kw_month",
    "infrastructure_power_share",
    "power_share_of_rating",
    "pue",
    "electricity_usd_per_kwh",
    "support_share_per_year",
    "software_usd_per_device_year",
    "staff_usd_per_device_year",
    "insurance_and_tax_share_per_year",
]


@pytest.mark.parametrize("name", INCREASING)
@given(more=st.floats(1e-3, 1.0))
def test_a_dearer_term_never_makes_owning_cheaper(name: str, more: float):
    assert case_cost(**{name: getattr(CASE, name) + more}).total > case_cost().total


@given(more=st.floats(0.01, 0.9))
def test_discount_and_resale_make_owning_cheaper(more: float):
    assert case_cost(capital_discount=more).total < case_cost().total
    assert case_cost(residual_share=0.1 + more).total < case_cost().total


def test_parts_of_the_yearly_cost_add_up():
    cost = case_cost(
        software_usd_per_device_year=500.0, staff_usd_per_device_year=300.0, insurance_and_tax_share_per_year=0.01
    )
    parts = msgspec.structs.astuple(cost)
    assert all(part > 0 for part in parts)
    assert sum(parts) == pytest.approx(cost.total)
