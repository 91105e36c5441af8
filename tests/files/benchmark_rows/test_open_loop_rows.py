"""Rows of runs at a request rate as cases: lengths, cuts, arrivals, releases and cached prompts as tables say them."""

from __future__ import annotations

import pytest

from gpuplanner_gui.files.benchmark_rows.open_loop_rows import case, longest_of
from gpuplanner_gui.files.benchmark_rows.question import RowProblem
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration

ROW = {
    "case_id": "c",
    "model_path": "meta-llama/Llama-3.1-8B-Instruct",
    "system": "h100_sxm_80gb",
    "n_gpus": "1",
    "tp": "1",
    "backend": "vllm",
    "backend_version": "0.7.3",
    "mean_isl": "240",
    "mean_osl": "350",
    "request_rate_per_s": "5",
}


@pytest.fixture(scope="module")
def read():
    catalog, calibration = load_shipped_catalog(), load_calibration()

    def one(**changes):
        found, remarks = case({**ROW, **changes}, catalog, calibration)
        return found, remarks

    return one


def test_a_plain_row(read):
    found, remarks = read()
    assert (found.prompt_tokens, found.output_tokens, found.rate_per_s) == (240, 350, 5)
    assert found.release == "0.7.3"
    assert found.arrival_cv == 1.0
    assert not found.prefix_is_cached
    assert remarks == ("predicted as a release of vLLM before 0.8",)


@pytest.mark.parametrize(
    ("described", "longest"),
    [("model EOS, cap 512", 512), ("max 500, EOS allowed", 500), ("constant", 0), ("uniform 1-1024", 0), ("cap", 0)],
)
def test_where_answers_are_cut(described, longest):
    assert longest_of(described) == longest


def test_lengths_that_a_client_was_asked_for(read):
    found, (remark,) = read(
        backend_version="",
        mean_isl="",
        mean_osl="",
        isl_distribution="random, input_len 2048",
        osl_distribution="random, output_len 512",
    )
    assert (found.prompt_tokens, found.output_tokens) == (1536, 384)
    assert "1536 in" in remark


@pytest.mark.parametrize(
    ("prompts", "answers", "evenly"),
    [
        ("uniform 1-1024", "uniform 1-1024", True),
        ("random, input_len 2048 (range ratio not stated)", "random, output_len 512", True),
        ("uniform 1-1024", "model EOS, cap 512", False),
        ("ShareGPT sample", "fixed per request from ShareGPT", False),
        ("", "", False),
    ],
)
def test_made_up_lengths_are_drawn_evenly(read, prompts, answers, evenly):
    assert read(isl_distribution=prompts, osl_distribution=answers)[0].draws_evenly == evenly


def test_shared_prompts_are_found_where_the_cache_is_on(read):
    shared = {"isl_distribution": "near constant; shared system prompt 100 tokens"}
    assert read(prefix_caching="True", **shared)[0].prefix_is_cached
    assert not read(prefix_caching="False", **shared)[0].prefix_is_cached
    assert not read(prefix_caching="True")[0].prefix_is_cached
    assert read(flag="cached_prefill")[0].prefix_is_cached


def test_gaps_between_requests_by_the_gammas_shape(read):
    assert read(burstiness="0.25")[0].arrival_cv == pytest.approx(2.0)
    with pytest.raises(RowProblem, match="burstiness"):
        read(burstiness="-1")


@pytest.mark.parametrize(
    ("notes", "version", "year"),
    [
        ("torch compile on; Dec 2024 SGLang", "", 2024 + 11.5 / 12),
        ("vLLM main, late 2024", "", 2024.85),
        ("vLLM main, late 2024", "0.9.0", 0.0),
        ("a 2024-bit key, build 20250530", "", 0.0),
        ("", "", 0.0),
    ],
)
def test_runs_without_a_version_are_dated_by_their_notes(read, notes, version, year):
    found, _ = read(notes=notes, backend_version=version)
    assert found.year == pytest.approx(year)
