import numpy as np
import pytest

from gpuplanner_gui.engine.cost import carbon, energy

US_G_PER_KWH, FR_G_PER_KWH, DE_G_PER_KWH = 369.473, 56.039, 380.950
"""Grid intensities of 2023, Ember through CodeCarbon."""


def run_energy_kwh() -> float:
    it_power = 32 * 10_200 * 0.76
    assert energy.facility_power_w(it_power, 1.25) == pytest.approx(310_080)
    return energy.energy_kwh(energy.facility_power_w(it_power, 1.25), 720)


def test_energy_and_price_of_a_month_on_256_devices():
    assert run_energy_kwh() == pytest.approx(223_257.6)
    assert energy.electricity_usd(run_energy_kwh(), 0.085) == pytest.approx(18_976.90, abs=0.005)


@pytest.mark.parametrize(
    ("grid_g", "tonnes"), [(US_G_PER_KWH, 82.487655), (FR_G_PER_KWH, 12.511133), (DE_G_PER_KWH, 85.049983)]
)
def test_carbon_of_the_month(grid_g: float, tonnes: float):
    assert carbon.electricity_carbon_kg(run_energy_kwh(), grid_g) / 1000 == pytest.approx(tonnes, rel=1e-6)


def test_embodied_carbon_of_the_month():
    assert carbon.embodied_carbon_kg(164, 1, 4, 1) * 1000 == pytest.approx(4.680365, rel=1e-6)
    assert carbon.embodied_carbon_kg(164, 256 * 720, 4, 1) == pytest.approx(862.684932, rel=1e-6)
    assert carbon.embodied_carbon_kg(164, 1, 4, 0.5) == pytest.approx(2 * 164 / (4 * 8760))


def test_carbon_parts_add_up():
    parts = carbon.carbon_kg(82_487.655, 862.685)
    assert parts.total == pytest.approx(parts.electricity_kg + parts.embodied_kg)


def test_energy_per_token():
    joules = energy.joules_per_token(969, 1.3, 2_500)
    per_million = energy.kwh_per_million_tokens(joules)
    assert joules == pytest.approx(0.50388)
    assert per_million == pytest.approx(0.139967, abs=5e-7)
    assert carbon.electricity_carbon_kg(per_million, US_G_PER_KWH) * 1000 == pytest.approx(51.713904, rel=1e-6)


def test_water():
    assert carbon.water_litres(1_000, 1.8) == pytest.approx(1_800)


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
    assert fit.fits.tolist() == [True, False, True, False]
    assert fit.rack_excess_w.tolist() == [0, 88_000, 0, 0]
    assert fit.total_excess_w == pytest.approx([0, 160_000, 0, 10_000])
    assert fit.is_cooling_missing.tolist() == [False, True, False, False]
