"""Step times as tables: exact where the step time is affine, whatever kernel table it comes from."""

from __future__ import annotations

import numpy as np
import pytest

from gpuplanner_gui.engine.simulation.step_time import Speculation, SpeculativeStepTime, step_table
from tests.engine.load.linear import LinearStepTime
from tests.engine.load.tabulated import TabulatedStepTime


def test_linear_step_time_is_the_sum_of_its_parts() -> None:
    step_time = LinearStepTime(1e-3, 2e-6, 3e-9, 4e-12)
    assert step_time.step_time_s(10, 100, 1e6, 1e6) == pytest.approx(1e-3 + 2.2e-4 + 3e-3 + 4e-6)


def test_table_of_a_linear_step_time_is_exact() -> None:
    table = step_table(LinearStepTime(1e-3, 2e-6, 3e-9, 4e-12), 64, 512)
    assert table.decode_s[64] == pytest.approx(1e-3 + 64 * 2e-6, rel=1e-12)
    assert table.kv_token_s == pytest.approx([3e-9] * 65, rel=1e-9)
    assert table.mixed_s[512] == pytest.approx(1e-3 + 512 * 2e-6, rel=1e-12)
    assert table.mixed_s_per_token == pytest.approx(2e-6, rel=1e-9)
    assert table.mixed_sequences_s == pytest.approx([0.0] * 65, abs=1e-15)
    assert table.attention_pair_s == pytest.approx(4e-12, rel=1e-9)


def test_one_candidate_as_an_array_gives_the_same_table() -> None:
    scalar = step_table(LinearStepTime(1e-3, 2e-6, 3e-9), 64, 512)
    column = step_table(LinearStepTime(np.array([1e-3]), np.array([2e-6]), np.array([3e-9])), 64, 512)
    assert column == scalar


def test_tabulated_step_time_tells_decoding_from_mixed_steps() -> None:
    grid = np.array([0.0, 8.0, 64.0])
    step_time = TabulatedStepTime(
        batch=grid,
        decode_s=np.array([5e-3, 6e-3, 9e-3]),
        kv_token_s=np.array([2e-9, 1e-9, 1e-9]),
        tokens=np.array([0.0, 64.0, 1024.0]),
        mixed_s=np.array([7e-3, 10e-3, 40e-3]),
        attention_pair_s=1e-12,
    )
    assert step_time.step_time_s(8, 0, 1e6) == pytest.approx(7e-3)
    assert step_time.step_time_s(0, 64, 0) == pytest.approx(10e-3)
    assert step_time.step_time_s(64, 960, 0) == pytest.approx(40e-3)
    assert step_time.step_time_s(0, 1984, 0) == pytest.approx(70e-3), "beyond the table with its last slope"
    table = step_table(step_time, 64, 1024)
    for batch in (0, 5, 40):
        assert table.decode_s[batch] == pytest.approx(float(step_time.step_time_s(batch, 0, 0)))
        expected = float(step_time.step_time_s(batch, 300, 5000, 100))
        made = table.mixed_s[batch + 300] + table.mixed_sequences_s[batch]
        assert made + table.kv_token_s[batch] * 5000 + table.attention_pair_s * 100 == pytest.approx(expected, rel=1e-9)


def test_speculation_verifies_several_tokens_per_sequence() -> None:
    plain = LinearStepTime(1e-3, 2e-6, 3e-9)
    drafts = SpeculativeStepTime(plain, Speculation(3, 0.7, draft_share=0.1))
    # Three drafts for ten sequences: 40 tokens are verified (1.083 ms) and read by the draft too, which then makes two
    # further passes over 10 tokens (1.023 ms each); all at a tenth of the model's time.
    assert drafts.step_time_s(10, 0, 1000) == pytest.approx(1.1 * 1.083e-3 + 2 * 0.1 * 1.023e-3)
    # A prompt alone is read by the model and, once, by the draft.
    assert drafts.step_time_s(0, 10, 0) == pytest.approx(1.1 * 1.02e-3)
    table = step_table(drafts, 16, 512, tokens_per_sequence=4)
    assert table.decode_s[10] == pytest.approx(1.1 * 1.08e-3 + 0.2 * 1.02e-3)
    mixed = table.mixed_s[10 * 4 + 100] + table.mixed_sequences_s[10] + 1000 * table.kv_token_s[10]
    assert mixed == pytest.approx(float(drafts.step_time_s(10, 100, 1000)))


def test_drafts_without_a_model_cost_nothing_but_their_verification() -> None:
    plain = LinearStepTime(1e-3, 2e-6, 3e-9)
    n_grams = SpeculativeStepTime(plain, Speculation(4, 0.5))
    assert n_grams.step_time_s(8, 32, 100) == pytest.approx(float(plain.step_time_s(40, 32, 100)))
    with pytest.raises(ValueError, match="no speculation"):
        Speculation(0, 0.5)


def test_scaled_table_takes_proportionally_longer() -> None:
    table = step_table(LinearStepTime(1e-3, 2e-6, 3e-9), 4, 16)
    slower = table.scaled(2.0)
    assert slower.decode_s == pytest.approx([2 * time_s for time_s in table.decode_s])
    assert slower.mixed_s_per_token == pytest.approx(2 * table.mixed_s_per_token)
