"""Facts of an engine at a stated release."""

from __future__ import annotations

import pytest

from gpuplanner_gui.engine.engine_release import engine_of_release, release_numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("0.7.3", (0, 7, 3)), ("v0.19.1rc1", (0, 19, 1)), ("0.5.8.post1", (0, 5, 8)), ("", ()), ("nightly-dev", ())],
)
def test_numbers_of_a_release(text, numbers):
    assert release_numbers(text) == numbers


def test_releases_before_a_change_differ_and_others_do_not(calibration):
    engine = calibration.engine("vllm")
    older = engine_of_release(engine, "0.7.3")
    assert not older.mixes_prefill
    assert older.max_sequences < engine.max_sequences
    assert older.sequence_host_s > engine.sequence_host_s
    for release in ("0.8", "0.10.0", "", "main"):
        assert engine_of_release(engine, release) == engine
