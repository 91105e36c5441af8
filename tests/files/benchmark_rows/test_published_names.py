"""Formats, boards and engines as publishers write them: whole families of spellings, none of them listed."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.engine.model.precision import PRECISIONS
from gpuplanner_gui.files.benchmark_rows.names import cache_format, device_named, nearest_engine, weight_format
from gpuplanner_gui.files.benchmark_rows.question import RowProblem
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration

STORED = {1: "int4", 2: "int4", 3: "int4", 4: "int4", 5: "fp6", 6: "fp6", 8: "int8"}
BITS = st.sampled_from(sorted(STORED))
CASES = st.sampled_from((str.lower, str.upper, str.title))
SEPARATORS = st.sampled_from(("_", "-", " ", "_-"))


@given(
    bits=BITS,
    dynamic=st.booleans(),
    importance=st.booleans(),
    ending=st.sampled_from(("", "_0", "_1", "_k", "_k_s", "_k_m", "_k_l", "_k_xl", "_xxs", "_xs", "_nl")),
    written=CASES,
)
def test_gguf_names(bits, dynamic, importance, ending, written):
    name = f"{'ud-' if dynamic else ''}{'i' if importance else ''}q{bits}{ending}"
    assert weight_format(written(name), []) == STORED[bits]


@given(
    bits=BITS,
    form=st.sampled_from((
        "{}bit", "{}-bit", "{}bits", "mlx-{}bit", "dwq-{}bit", "int{}", "uint{}", "w{}a16", "gptq-{}bit", "int{}_awq",
        "awq_int{}", "bnb-{}bit", "exl2-{}.0bpw", "exl3_{}bpw", "hqq {}bit", "int{}-g128",
    )),
    written=CASES,
)  # fmt: skip
def test_names_that_state_bits(bits, form, written):
    assert weight_format(written(form.format(bits)), []) == STORED[bits]


@given(words=st.permutations(("modelopt", "v2", "static")), separator=SEPARATORS, written=CASES)
def test_four_bit_floats_are_told_apart_among_other_words(words, separator, written):
    for name in ("nvfp4", "mxfp4", "fp8"):
        assert weight_format(written(separator.join((*words, name))), []) == name
    assert weight_format("w4a8_mxfp4_mxfp8", []) == "mxfp4"
    assert weight_format("w4afp8", []) == "int4"
    assert weight_format("awq", []) == weight_format("gptq-marlin", []) == weight_format("nf4", []) == "int4"


@given(st.text(max_size=90))
def test_any_text_is_a_format_or_refused_by_name(text):
    stored, problem = "", ""
    try:
        stored = weight_format(text, [])
    except RowProblem as refused:
        problem = str(refused)
    has_letters = any(one.isalnum() for one in text)
    assert stored in PRECISIONS or "is not known" in problem or text.strip().lower() in ("auto", "default", "") or (
        not has_letters
    )  # fmt: skip
    remarks: list[str] = []
    cache = cache_format(text, remarks)
    assert cache in PRECISIONS or (cache is None and (not stored or remarks))


def test_what_is_no_format_is_refused_and_what_is_rounded_is_told():
    with pytest.raises(RowProblem, match="is not known"):
        weight_format("banana", [])
    remarks: list[str] = []
    assert weight_format("q2_k", remarks) == "int4"
    assert "about 2 bits predicted as INT4" in remarks[0]


@pytest.mark.parametrize(
    ("name", "cache"),
    [("default", None), ("auto (BF16)", "bf16"), ("f16", "fp16"), ("q8_0", "int8"), ("q4_0", "nvfp4")],
)
def test_cache_formats(name, cache):
    assert cache_format(name, []) == cache


def test_an_unknown_cache_format_is_the_engines_choice_with_a_remark():
    remarks: list[str] = []
    assert cache_format("banana", remarks) is None
    assert "the engine's own choice" in remarks[0]


@given(mark=st.sampled_from(("unspecified", "unknown", "not_stated")), separator=SEPARATORS)
def test_a_board_left_open_is_the_sxm_one_with_the_spread_of_its_siblings(mark, separator):
    catalog = load_shipped_catalog()
    for name, usual in (("h100", "nvidia-h100-sxm-80gb"), ("a100", "nvidia-a100-sxm-80gb")):
        found = device_named(catalog, f"{name}{separator}{mark}")
        assert found.id == usual
        assert "form factor open" in found.remarks[0]
        slowest = min(
            one.memory_bandwidth_bytes_per_s for one in catalog.accelerators.values() if f"nvidia-{name}" in one.id
        )
        apart = math.log(catalog.accelerators[usual].memory_bandwidth_bytes_per_s / slowest)
        assert found.log_sd == pytest.approx(apart)
        assert not device_named(catalog, f"{name}_sxm").log_sd


@pytest.mark.parametrize("name", ["unspecified", "unknown", "banana_unspecified"])
def test_a_name_that_leaves_all_open_is_refused(name):
    with pytest.raises(RowProblem):
        device_named(load_shipped_catalog(), name)


@pytest.mark.parametrize(
    ("name", "engine"),
    [
        ("vllm-neuron", "vllm"),
        ("my-vllm-fork 0.9", "vllm"),
        ("ollama", "llama_cpp"),
        ("NIM 1.2", "trtllm"),
    ],
)
def test_forks_and_wrappers_are_their_engines(name, engine):
    found = nearest_engine(load_calibration(), name)
    assert (found.id, found.log_sd, found.remarks) == (engine, 0.0, ())


@pytest.mark.parametrize(
    ("name", "engine", "timed"),
    [
        ("TGI", "vllm", "vllm"), ("lmdeploy", "vllm", "vllm"), ("MLC LLM", "llama_cpp", "llama_cpp"),
        ("banana", "generic", "generic"), ("MLX", "mlx", "llama_cpp"), ("mlx-lm 0.31.2", "mlx", "llama_cpp"),
        ("mlx_lm", "mlx", "llama_cpp"), ("omlx 0.3.4", "mlx", "llama_cpp"), ("mlx-vlm", "mlx", "llama_cpp"),
    ],
)  # fmt: skip
def test_other_software_is_predicted_as_the_nearest_engine_with_a_remark_and_a_spread(name, engine, timed):
    calibration = load_calibration()
    found = nearest_engine(calibration, name)
    assert found.id == engine
    assert f"predicted as {calibration.engine(timed).name}" in found.remarks[0]
    known = calibration.engine(timed).log_sd
    assert math.hypot(found.log_sd, known) == pytest.approx(calibration.engine("generic").log_sd)
