import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.engine.cost import levers
from gpuplanner_gui.engine.cost.levers import Lever


def test_faster_and_spot_and_both():
    measures = levers.training_levers(2.0, 2.133732, 3.93, is_restartable=True)
    savings = levers.lever_savings(100_000.0, measures)
    assert savings.codes == ("faster", "spot")
    assert savings.alone_usd == pytest.approx([50_000, 45_706.6], rel=1e-5)
    assert savings.in_order_usd == pytest.approx([50_000, 22_853.3], rel=1e-5)
    assert savings.final_usd == pytest.approx(100_000 * 0.5 * 2.133732 / 3.93)


def test_run_that_cannot_restart_is_not_offered_spot():
    assert [lever.code for lever in levers.training_levers(1.5, 1.0, 3.0, is_restartable=False)] == ["faster"]


def test_measure_that_costs_shows_as_negative():
    savings = levers.lever_savings(100.0, (Lever("quantise", hours_factor=0.5), Lever("own", price_factor=1.2)))
    assert savings.alone_usd == pytest.approx([50, -20])
    assert savings.in_order_usd == pytest.approx([50, -10])


factors = st.floats(0.01, 2)


@given(base=st.floats(1, 1e9), pairs=st.lists(st.tuples(factors, factors), max_size=6))
def test_savings_in_order_add_up(base: float, pairs: list[tuple[float, float]]):
    measures = tuple(Lever("batching", *pair) for pair in pairs)
    savings = levers.lever_savings(base, measures)
    product = 1.0
    for measure in measures:
        product *= measure.cost_factor
    assert savings.final_usd == pytest.approx(base * product, rel=1e-9, abs=1e-9 * base)
