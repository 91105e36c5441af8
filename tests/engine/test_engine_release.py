"""Facts of an engine at a stated release."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.serving.engine_release import admission_of, engine_of_release, release_costs, release_numbers


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


def test_old_trtllm_steps_take_longer_by_layer_and_sequence(calibration):
    engine = calibration.engine("trtllm")
    older = engine_of_release(engine, "0.11.0")
    assert older.decode_layer_host_s > engine.decode_layer_host_s
    assert older.sequence_host_s > engine.sequence_host_s
    (few,), (many,) = release_costs(engine, 32), release_costs(engine, 80)
    assert many.step_s == pytest.approx(few.step_s * 80 / 32)
    assert engine_of_release(engine, "0.17") == engine_of_release(engine, "1.2.0rc1") == engine


def test_a_plan_speaks_for_the_stated_release(chat_8b, catalog, calibration):
    newest = plan(chat_8b, catalog, calibration).serving.table.tpot_mean_s
    serving = chat_8b.serving
    older = msgspec.structs.replace(serving.engine, release="0.7.3")
    scenario = msgspec.structs.replace(chat_8b, serving=msgspec.structs.replace(serving, engine=older))
    slower = plan(scenario, catalog, calibration).serving.table.tpot_mean_s
    known = np.isfinite(newest) & np.isfinite(slower)
    assert np.median(slower[known] / newest[known]) > 1.005
