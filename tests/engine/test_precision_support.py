"""Which format runs natively, emulated or not at all: by hardware, by engine, and what the plan makes of it."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.domain.scenario import HardwareChoice
from gpuplanner_gui.domain.serving_engine import SUPPORTED_OPERATIONS, PrecisionSupport, Support
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.model.precision import PRECISIONS, format_support, hardware_support, refused
from gpuplanner_gui.files.knowledge import load_precision_support

SUPPORT = load_precision_support()
A100, H100, MI300X = "nvidia-a100-sxm-80gb", "nvidia-h100-sxm-80gb", "amd-mi300x"
V100, RTX_5090, B200 = "nvidia-v100-sxm2-16gb", "nvidia-rtx-5090", "nvidia-b200-sxm-180gb"
TRAINIUM = "aws-trainium1"
NATIVE, EMULATED, NONE = Support.NATIVE, Support.EMULATED, Support.NONE


def level(catalog, engine, accelerator, precision, operation="products"):
    return format_support(SUPPORT, engine, catalog.accelerators[accelerator], precision, operation).level


def planned(scenario, catalog, calibration, accelerator, weights, engine="vllm", kv="bf16"):
    settings = msgspec.structs.replace(scenario.serving.engine, engine=engine)
    serving = msgspec.structs.replace(scenario.serving, engine=settings, weight_precisions=weights, kv_precisions=(kv,))
    hardware = HardwareChoice(accelerators=(accelerator,), max_devices_per_replica=1, licensed_for_data_centres=False)
    found = plan(msgspec.structs.replace(scenario, serving=serving, hardware=hardware), catalog, calibration)
    table = found.serving.table
    rows = np.flatnonzero(table.accelerator == found.accelerators.index(accelerator))
    return table, {found.precisions[int(table.weight_precision[row])]: int(row) for row in rows}


@pytest.mark.parametrize(
    ("engine", "accelerator", "precision", "expected"),
    [
        ("vllm", H100, "fp8", NATIVE), ("vllm", A100, "fp8", EMULATED), ("vllm", V100, "fp8", NONE),
        ("vllm", H100, "int8", NATIVE), ("vllm", RTX_5090, "int8", NONE), ("vllm", MI300X, "int8", NONE),
        ("vllm", H100, "nvfp4", EMULATED), ("vllm", B200, "nvfp4", NATIVE), ("vllm", A100, "int4", NATIVE),
        ("trtllm", A100, "fp8", NONE), ("trtllm", MI300X, "bf16", NONE), ("trtllm", H100, "nvfp4", NONE),
        ("vllm", TRAINIUM, "int4", NONE), ("vllm", TRAINIUM, "int8", EMULATED), ("vllm", TRAINIUM, "bf16", NATIVE),
        ("llama_cpp", H100, "fp8", NONE), ("generic", A100, "fp8", EMULATED), ("generic", RTX_5090, "int8", NATIVE),
    ],
)  # fmt: skip
def test_s46_format_by_accelerator_and_engine(catalog, engine, accelerator, precision, expected):
    assert level(catalog, engine, accelerator, precision) == expected


def test_s47_operations_differ(catalog):
    """llama.cpp and vLLM disagree about caches: 8-bit integers on one, FP8 on the other."""
    assert level(catalog, "vllm", A100, "fp8", "kv_cache") == EMULATED
    assert level(catalog, "vllm", A100, "int8", "kv_cache") == NONE
    assert level(catalog, "vllm", A100, "int8", "products") == NATIVE
    assert level(catalog, "llama_cpp", A100, "int8", "kv_cache") == NATIVE
    assert level(catalog, "llama_cpp", A100, "fp8", "kv_cache") == NONE


@given(engine=st.sampled_from(("vllm", "sglang", "trtllm", "llama_cpp", "mlx", "generic")), data=st.data())
def test_no_engine_computes_natively_what_the_hardware_does_not(catalog, engine, data):
    accelerator = data.draw(st.sampled_from(list(catalog.accelerators.values())))
    precision = data.draw(st.sampled_from(PRECISIONS))
    one = format_support(SUPPORT, engine, accelerator, precision, "products")
    assert one.level >= hardware_support(accelerator, precision) == one.hardware
    assert one.is_recorded == bool(one.source)


@pytest.mark.parametrize("engine", ["vllm", "sglang", "trtllm", "llama_cpp", "mlx", "generic"])
@pytest.mark.parametrize("operation", SUPPORTED_OPERATIONS)
def test_the_refused_are_those_whose_cell_says_so(catalog, engine, operation):
    entries = list(catalog.accelerators.values())[::5]
    table = refused(SUPPORT, engine, entries, operation)
    for row, entry in enumerate(entries):
        for column, precision in enumerate(PRECISIONS):
            one = format_support(SUPPORT, engine, entry, precision, operation)
            assert table[row, column] == (one.is_recorded and one.level == NONE and _says_none(engine, entry, one))


def _says_none(engine, entry, one):
    from gpuplanner_gui.engine.model.precision import rule_for

    rule = rule_for(SUPPORT.rules(engine), entry, one.precision, one.operation)
    return rule is not None and rule.level == "none"


def test_a_refused_format_is_no_candidate_and_says_why(chat_8b, catalog, calibration):
    table, rows = planned(chat_8b, catalog, calibration, RTX_5090, ("fp8", "int8"))
    assert table.fits[rows["fp8"]]
    assert table.reason[rows["int8"]] == Reason.PRECISION_NOT_SUPPORTED
    assert table.reason_value[rows["int8"]] == PRECISIONS.index("int8")
    table, rows = planned(chat_8b, catalog, calibration, H100, ("int8",))
    assert table.fits[rows["int8"]]


def test_a_refused_cache_is_no_candidate(chat_8b, catalog, calibration):
    table, rows = planned(chat_8b, catalog, calibration, H100, ("bf16",), kv="int8")
    assert table.reason[rows["bf16"]] == Reason.PRECISION_NOT_SUPPORTED
    table, rows = planned(chat_8b, catalog, calibration, H100, ("bf16",), engine="generic", kv="int8")
    assert table.fits[rows["bf16"]]


def test_an_engine_that_does_not_run_on_a_device_is_no_candidate(chat_8b, catalog, calibration):
    table, rows = planned(chat_8b, catalog, calibration, MI300X, ("bf16",), engine="trtllm")
    assert table.reason[rows["bf16"]] == Reason.ENGINE_NOT_ON_DEVICE


def test_an_emulated_format_is_marked_and_computes_as_slowly_as_sixteen_bits(chat_8b, catalog, calibration):
    """FP8 on A100: half the memory of BF16, and a prefill as long; on H100 it is a good deal shorter."""
    table, rows = planned(chat_8b, catalog, calibration, A100, ("bf16", "fp8"))
    wide, narrow = rows["bf16"], rows["fp8"]
    assert table.emulated[narrow]
    assert not table.emulated[wide]
    assert table.weights_bytes[narrow] < 0.6 * table.weights_bytes[wide]
    assert table.prefill_s[narrow] == pytest.approx(table.prefill_s[wide], rel=0.03)
    table, rows = planned(chat_8b, catalog, calibration, H100, ("bf16", "fp8"))
    assert not table.emulated[rows["fp8"]]
    assert table.prefill_s[rows["fp8"]] < 0.9 * table.prefill_s[rows["bf16"]]


def test_without_rules_the_hardware_decides(catalog, calibration):
    context = context_of(catalog, calibration)
    assert not refused(PrecisionSupport(), "vllm", context.accelerators, "products").any()
    assert not context.refused("generic", "products").any()


def test_every_rule_has_a_source_and_an_architecture_that_exists(catalog):
    names = {entry.architecture for entry in catalog.accelerators.values()}
    for engine in SUPPORT.engines:
        for rule in engine.rules:
            assert rule.source
            assert rule.date
            for prefix in rule.architectures:
                assert any(name.startswith(prefix) for name in names), prefix
