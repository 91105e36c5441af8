import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.engine.cost import energy

US_G_PER_KWH, FR_G_PER_KWH, DE_G_PER_KWH = 369.473, 56.039, 380.950
"""Grid intensities of 2023, Ember through CodeCarbon."""


def run_energy_kwh() -> float:
    power = energy.fleet_power_w(256.0, 10_200 / 8 * 0.76, 256.0, 0.0, 1.0, 0.0, 1.25)
    assert power == pytest.approx(310_080)
    return float(energy.energy_kwh(power, 720))


def test_energy_and_price_of_a_month_on_256_devices():
    assert run_energy_kwh() == pytest.approx(223_257.6)
    assert energy.electricity_usd(run_energy_kwh(), 0.085) == pytest.approx(18_976.90, abs=0.005)


def test_share_of_time_with_a_request_by_hand():
    """Two sequences at the peak, for a quarter of the week, a tenth of that for the rest:
    1/4 · (1 − e⁻²) + 3/4 · (1 − e^−0.2) = 0.2162 + 0.1360."""
    busy = energy.busy_share(np.array(2.0), np.array([1.0, 0.1]), np.ones(2), np.array([0.25, 0.75]))
    assert busy == pytest.approx(0.3521, abs=1e-4)


def test_replicas_that_run_have_the_requests_of_those_that_are_stopped():
    """The same with a fifth of the replicas for three quarters of the week: 1/4 · (1 − e⁻²) + 3/4 · 1/5 · (1 − e⁻¹).
    A device with nothing to do draws its idle power for the 0.4 of the hours in which it runs."""
    busy = energy.busy_share(np.array(2.0), np.array([1.0, 0.1]), np.array([1.0, 0.2]), np.array([0.25, 0.75]))
    assert busy == pytest.approx(0.2162 + 0.0948, abs=1e-4)
    assert energy.mean_device_power_w(80.0, 600.0, 0.0, 0.0, 1 / 3, 0.4) == pytest.approx(32.0)
    assert energy.fleet_power_w(5.0, 32.0, 8.0, 80.0, 0.4, 0.0, 1.25) == pytest.approx(8 * 32 * 1.25)


def test_power_between_idle_and_full_by_hand():
    """An H200 of 80.3 W idle and 592.8 W loaded at 0.3 of its load: 80.3 + 512.5 · 0.3 = 234.05 W on a straight line.
    A third of the way at batch 1, with something to do half of the time: 80.3 + 512.5 · (0.5/3 + 0.3 · 2/3)."""

    def drawn(busy: float, load: float, batch_one: float) -> float:
        return float(energy.mean_device_power_w(80.3, 592.8, np.array(busy), np.array(load), batch_one, 1.0))

    assert drawn(0.3, 0.3, 0.0) == pytest.approx(234.05)
    assert drawn(0.5, 0.3, 1 / 3) == pytest.approx(80.3 + 512.5 * (0.5 / 3 + 0.2))
    assert drawn(0.0, 0.0, 1 / 3) == pytest.approx(80.3)
    assert drawn(1.0, 1.0, 1 / 3) == pytest.approx(592.8)


@given(busy=st.floats(0, 1), load=st.floats(0, 1), more=st.floats(0, 1), batch_one=st.floats(0, 1))
def test_more_load_never_draws_less(busy: float, load: float, more: float, batch_one: float):
    high = load + more * (1 - load)
    low_w, high_w = (
        energy.mean_device_power_w(100.0, 700.0, np.array(busy), np.array(one), batch_one, 1.0) for one in (load, high)
    )
    assert 100.0 - 1e-9 <= low_w <= high_w + 1e-9 <= 700.0 + 1e-6


@pytest.mark.parametrize(
    ("grid_g", "tonnes"), [(US_G_PER_KWH, 82.487655), (FR_G_PER_KWH, 12.511133), (DE_G_PER_KWH, 85.049983)]
)
def test_carbon_of_the_month(grid_g: float, tonnes: float):
    assert energy.electricity_carbon_kg(run_energy_kwh(), grid_g) / 1000 == pytest.approx(tonnes, rel=1e-6)


def test_embodied_carbon_of_the_month():
    assert energy.embodied_carbon_kg(164, 1, 4, 1) * 1000 == pytest.approx(4.680365, rel=1e-6)
    assert energy.embodied_carbon_kg(164, 256 * 720, 4, 1) == pytest.approx(862.684932, rel=1e-6)
    assert energy.embodied_carbon_kg(164, 1, 4, 0.5) == pytest.approx(2 * 164 / (4 * 8760))


def test_carbon_parts_add_up():
    assert energy.carbon_kg(82_487.655, 862.685) == pytest.approx(83_350.34)


def test_energy_per_token():
    joules = energy.joules_per_token(969, 1.3, 2_500)
    per_million = energy.kwh_per_million_tokens(joules)
    assert joules == pytest.approx(0.50388)
    assert per_million == pytest.approx(0.139967, abs=5e-7)
    assert energy.electricity_carbon_kg(per_million, US_G_PER_KWH) * 1000 == pytest.approx(51.713904, rel=1e-6)


def test_water():
    assert energy.water_litres(1_000, 1.8) == pytest.approx(1_800)


def test_facility_limits_name_what_is_missing():
    fit = energy.facility_fit(
        nodes=np.array([4, 4, 4, 40]),
        node_rated_w=np.array([10_200, 132_000, 14_300, 10_200]),
        needs_liquid=np.array([False, True, False, False]),
        rack_limit_w=44_000,
        facility_limit_w=500_000,
        pue=1.25,
        has_liquid=False,
    )
    assert fit.rack_excess_w.tolist() == [0, 88_000, 0, 0]
    assert fit.total_excess_w == pytest.approx([0, 160_000, 0, 10_000])
    assert fit.is_cooling_missing.tolist() == [False, True, False, False]
