"""Every layout of one accelerator at one device count."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.engine.training.layout_ranking import layout_search, pareto_front
from gpuplanner_gui.engine.training.plan import replayed

from .conftest import H100, LLAMA_405B, SMALL_MOE, ScenarioMaker

MEMORY_PARTS = (
    "weights_bytes", "gradients_bytes", "master_weights_bytes", "first_moment_bytes", "second_moment_bytes",
    "activation_bytes", "logits_bytes", "runtime_bytes",
)  # fmt: skip


@pytest.fixture(scope="module")
def search_405b(context, made: ScenarioMaker):
    scenario = made(LLAMA_405B, tokens=15.6e12, sequence_length=8192, global_batch_tokens=16 * 2**20)
    return layout_search(scenario, context, H100, 16_384, lambda: None)


def test_405b_on_16384_devices_has_thousands_of_legal_layouts(search_405b):
    table = search_405b.table
    assert len(table.order) > 5000
    assert (table.tensor_parallel * table.pipeline_parallel * table.context_parallel * table.data_parallel
            == table.devices).all()  # fmt: skip
    assert (table.tensor_parallel <= 8).all()
    assert (128 % table.tensor_parallel == 0).all()
    assert table.fits.any()


def test_a_layout_is_the_same_alone_and_among_all(search_405b, context, made: ScenarioMaker):
    scenario = made(LLAMA_405B, tokens=15.6e12, sequence_length=8192, global_batch_tokens=16 * 2**20)
    table = search_405b.table
    for candidate in np.linspace(0, len(table.order) - 1, 23).astype(int):
        alone = replayed(scenario, context, table, int(candidate))
        for name in (*MEMORY_PARTS, "reason", "step_time_s", "usd_per_run"):
            np.testing.assert_allclose(getattr(alone, name)[0], getattr(table, name)[candidate], rtol=1e-12)


def test_uneven_stages_have_chunks_of_the_fullest(search_405b):
    """Llama 3 405B ran 126 layers on 16 stages of 8 chunks of a layer."""
    table = search_405b.table
    assert ((table.pipeline_parallel == 16) & (table.virtual_stages == 8)).any()


def test_405b_trains_in_about_two_months(search_405b):
    """Published: 15.6e12 tokens, 16,384 H100, about 54 days of progress at 38 to 43 % of peak."""
    table, best = search_405b.table, search_405b.best
    assert 0.35 < table.mfu[best] < 0.55
    assert 50 * 86_400 < table.run_time_s[best] < 90 * 86_400


def test_expert_parallel_sizes_divide_the_experts(context, made: ScenarioMaker):
    table = layout_search(made(SMALL_MOE), context, H100, 64, lambda: None).table
    assert set(np.unique(table.expert_parallel)) == {1, 2, 4, 8, 16, 32, 64}
    assert (128 % table.expert_parallel == 0).all()


def test_an_unknown_accelerator_is_refused(context, made: ScenarioMaker):
    with pytest.raises(ValueError, match="not in"):
        layout_search(made(), context, "abacus", 8, lambda: None)


@given(values=st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=60))
def test_pareto_front_holds_just_those_that_nobody_beats(values):
    for width in (2, 3):
        objectives = np.array(values, float)[:, :width].T
        front = pareto_front(*objectives)
        for index in range(objectives.shape[1]):
            mine = objectives[:, [index]]
            beaten = ((objectives <= mine).all(axis=0) & (objectives < mine).any(axis=0)).any()
            if beaten:
                assert not front[index]
        assert front.any()


def test_unknown_figures_are_never_on_the_front():
    front = pareto_front(np.array([1.0, np.nan, 0.5]), np.array([1.0, 0.0, 2.0]))
    np.testing.assert_array_equal(front, [True, False, True])


def test_layouts_tried_differ_in_every_choice(search_405b):
    table = search_405b.table
    assert set(np.unique(table.recompute)) == {0, 1, 2}
    assert set(np.unique(table.zero_stage)) == {0, 1, 2, 3}
    assert set(np.unique(table.micro_batch)) <= {2**power for power in range(10)}
    assert len(np.unique(table.virtual_stages)) > 2
    in_part = (table.recompute_share > 0) & (table.recompute_share < 1)
    assert in_part.any()
    assert (table.recompute[in_part] == 2).all()
