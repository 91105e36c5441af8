"""Facts of an engine at a stated release."""

from __future__ import annotations

import msgspec
import pytest

from gpuplanner_gui.engine.admission import admission_of
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


@pytest.mark.parametrize("name", ["vllm", "sglang"])
def test_a_run_that_is_only_dated_is_of_its_times_release(calibration, name):
    engine = calibration.engine(name)
    older = engine_of_release(engine, "", year=2024.9)
    assert older.sequence_host_s > 10 * engine.sequence_host_s
    for year in (0.0, 2025.5, 2026.0):
        assert engine_of_release(engine, "", year) == engine
    assert engine_of_release(engine, "0.9.0", year=2024.9) == engine, "a stated release says more than a date"


def test_first_tokens_of_newer_releases_wait_for_steps_scheduled_ahead(calibration):
    newest = msgspec.structs.replace(calibration.engine("vllm"), admission_steps=2.0)
    admission = admission_of(newest, 1000.0)
    assert admission.late_steps == pytest.approx(1.5)
    assert admission.host_s == pytest.approx(newest.request_host_s + 1000 * newest.prompt_token_host_s)
    older = admission_of(engine_of_release(newest, "0.7.3"), 1000.0)
    assert (older.late_steps, older.host_s) == (0.0, newest.request_host_s)
