"""What a row's columns give away of its source."""

from __future__ import annotations

import pytest

from gpuplanner_gui.files.benchmark_rows import serving_rows
from tools.fit_serving.tables import measured_cases
from tools.observation.habits import CLIENTS, SWEEP, USUAL, Source, as_drawn, habits_of, source_of

ROW = {
    "case_id": "c", "model_path": "deepseek-ai/DeepSeek-R1", "system": "b200_sxm", "backend": "trtllm",
    "precision": "fp4", "isl": "1000", "osl": "1000", "concurrency": "8", "tp_size": "8", "moe_tp_size": "8",
}  # fmt: skip


@pytest.fixture
def read(catalog, calibration):
    def source(**columns: str) -> Source:
        row = ROW | columns
        return source_of(row, serving_rows.case(row, catalog, calibration)[0])

    return source


def test_undated_runs_of_a_compared_release_are_its_comparisons(read):
    (release,) = habits_of("trtllm").compared_releases
    assert read(backend_version=release).client == SWEEP
    assert read(backend_version=release, measured_on="2026-01-02").client == USUAL
    assert read(backend_version="9.9").client == USUAL


def test_dated_runs_of_models_with_latent_attention_have_a_recipe_and_may_draft(read):
    assert read(backend_version="1.3.0rc1", measured_on="2026-03-09") == Source(USUAL, "1.3.0rc1 2026-03", True)
    assert not read(backend_version="1.3.0rc1", measured_on="2026-03-09", engine_image="a").may_speculate
    assert read(backend_version="1.3.0rc1") == Source()
    dense = {"model_path": "meta-llama/Llama-3.1-70B", "moe_tp_size": "1", "measured_on": "2026-03-09"}
    assert read(**dense) == Source()


def test_comparisons_send_equal_lengths_and_others_do_not(catalog, calibration):
    case, _ = serving_rows.case(ROW, catalog, calibration)
    assert [as_drawn(case, Source(client)).shortest_share for client in CLIENTS] == [0.8, 1.0]


def test_every_client_of_the_published_rows_has_habits(catalog, calibration):
    cases, _ = measured_cases("serving", catalog, calibration)
    for engine, client in {(one.case.engine, one.source.client) for one in cases}:
        habits = habits_of(engine)
        assert habits.admission_steps[client] > 0
        assert habits.start_delay_s[client] >= 0
