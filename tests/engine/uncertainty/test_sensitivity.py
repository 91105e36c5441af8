import numpy as np
import pytest

from gpuplanner_gui.domain.quantity import Lognormal, Normal, Quantity, Range
from gpuplanner_gui.engine.uncertainty import sampling
from gpuplanner_gui.engine.uncertainty.sampling import sample_inputs

INPUTS: dict[str, Quantity] = {
    "strong": Normal(0.0, 3.0),
    "weak": Normal(0.0, 1.0),
    "none": Normal(5.0, 1.0),
    "fixed": 2.0,
}


def linear(values):
    return {"y": values["strong"] + values["weak"] + values["fixed"]}


def test_tornado_by_hand():
    bars = sampling.tornado(linear, INPUTS, "y")
    assert [bar.input for bar in bars] == ["strong", "weak", "none"]
    assert bars[0].swing == pytest.approx(2 * 1.2815515655 * 3)
    assert bars[1].swing == pytest.approx(2 * 1.2815515655)
    assert bars[2].swing == 0
    assert (bars[0].low_input, bars[0].high_input) == pytest.approx((-3 * 1.2815515655, 3 * 1.2815515655))
    assert bars[0].result_at_low == pytest.approx(2 - 3 * 1.2815515655)


def test_tornado_of_certain_inputs_is_empty():
    assert sampling.tornado(lambda values: {"y": values["a"]}, {"a": 1.0}, "y") == ()


def test_variance_splits_between_inputs_and_models():
    generator = np.random.default_rng(4)
    clean = np.exp(0.4 * generator.standard_normal(20_000))
    noisy = clean * np.exp(0.2 * generator.standard_normal(20_000))
    assert sampling.share_from_inputs(clean, noisy) == pytest.approx(0.16 / 0.20, abs=0.01)
    assert sampling.share_from_inputs(clean, clean) == 1


def rent_or_buy(values):
    """Renting costs what is used; buying costs the same however much that is."""
    rent = values["hours"] * 2.0 + 0 * values["colour"]
    return {"usd": np.stack([rent, np.full_like(rent, 1_000.0)])}


def test_value_of_knowing_the_demand_before_choosing():
    """Demand uniform on 0…1,000 h at 2 USD: rent is right below 500 h; each regret averages 250 USD."""
    sample = sample_inputs({"hours": Range(0, 1_000), "colour": Range(0, 1)}, 10_000, seed=1)
    costs = rent_or_buy(sample.values)["usd"]
    found = sampling.value_of_information(sample, costs)
    assert found.names[0] == "hours"
    assert found.value[0] == pytest.approx(250, rel=0.03)
    assert found.value[1] <= found.noise + 5
    assert np.all(found.value >= -1e-9)


def test_information_that_changes_no_choice_is_worth_nothing():
    sample = sample_inputs({"hours": Lognormal(100, 0.3)}, 2_000, seed=1)
    costs = np.stack([sample.values["hours"], sample.values["hours"] + 50])
    found = sampling.value_of_information(sample, costs)
    assert found.value == pytest.approx([0], abs=1e-9)
