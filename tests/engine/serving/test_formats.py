"""What each part of a model is stored in, and that fewer bytes are no slower."""

from __future__ import annotations

import numpy as np
import pytest

from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.kernels.choice import FORMATS, no_slower_when_narrower
from gpuplanner_gui.engine.serving.formats import StoredFormats, cache_format, formats_of_precisions, stored_formats
from tools.fidelity.monotone import decoders, slower_in_a_narrower_format


def model_of(catalog, name):
    return catalog.models[name].model


def test_a_checkpoint_s_own_blocks_are_what_fp8_means(catalog):
    own = model_of(catalog, "deepseek-v3")
    assert stored_formats(own) == StoredFormats("fp8_block", "fp8_block", "fp8_block", "bf16")
    assert stored_formats(own, "fp8", "fp8") == stored_formats(own)
    assert stored_formats(own, "bf16", "bf16") == StoredFormats("bf16", "bf16", "bf16", "bf16")


def test_per_tensor_fp8_is_what_it_means_elsewhere(catalog):
    assert stored_formats(model_of(catalog, "mixtral-8x7b"), "fp8", "fp8").expert == "fp8"


def test_attention_of_mixtures_stays_in_16_bits_under_nvfp4(catalog):
    assert stored_formats(model_of(catalog, "deepseek-v3"), "nvfp4").mixer == "bf16"
    assert stored_formats(model_of(catalog, "llama-3.1-70b"), "nvfp4").mixer == "nvfp4"


def test_a_format_of_experts_leaves_the_rest_as_it_is(catalog):
    own = model_of(catalog, "gpt-oss-120b")
    assert stored_formats(own) == StoredFormats("bf16", "bf16", "mxfp4", "bf16")
    assert stored_formats(own, "nvfp4").expert == "mxfp4"


def test_every_wish_of_a_planner_goes_through_the_same_resolver(catalog):
    model = model_of(catalog, "deepseek-v3")
    wishes = np.array([FORMATS.index(name) for name in ("bf16", "fp8", "nvfp4")])
    found = formats_of_precisions(model, wishes)
    assert [FORMATS[one] for one in found.expert] == ["bf16", "fp8_block", "nvfp4"]
    assert [FORMATS[one] for one in found.mixer] == ["bf16", "fp8_block", "bf16"]


def test_tensorrt_llm_caches_in_fp8_where_the_checkpoint_has_scales(catalog):
    stored = stored_formats(model_of(catalog, "deepseek-v3"))
    assert cache_format("trtllm", stored, None) == "fp8"
    assert cache_format("vllm", stored, None) == "bf16"
    assert cache_format("trtllm", stored, "bf16") == "bf16"


def test_a_kernel_that_reads_its_weights_more_slowly_gives_way():
    """Row 0 reads at 80 %, row 1 (FP8 by its timings) at 20 %, row 2 (blocks of FP8) at 70 %."""
    efficiency = np.array([0.8, 0.2, 0.7])
    rows = np.zeros((1, len(FORMATS)), np.int64)
    rows[0, FORMATS.index("fp8")], rows[0, FORMATS.index("fp8_block")] = 1, 2
    chosen = no_slower_when_narrower(rows, efficiency)
    assert chosen[0, FORMATS.index("fp8")] == 0
    assert chosen[0, FORMATS.index("fp8_block")] == 2
    # Half the speed at half the bytes is as fast.
    assert no_slower_when_narrower(rows, np.array([0.8, 0.41, 0.7]))[0, FORMATS.index("fp8")] == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mixtral-8x7b", "deepseek-v3"])
def test_fp8_of_mixtures_is_no_slower_than_16_bits_under_vllm(name, catalog, calibration):
    """Timings of one kernel said otherwise, and plans bought twice the devices for half the bytes."""
    context = Context(catalog, calibration)
    found = slower_in_a_narrower_format(name, decoders(catalog)[name], "vllm", context)
    assert [(one.accelerator, one.ratio) for one in found if one.what.startswith("bf16 to fp8")] == []
