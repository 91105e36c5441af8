"""Effects of a stack: which apply, what they change, and the bands that belong to them."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.benchmark import PoolLayout
from gpuplanner_gui.domain.serving_engine import InferenceStacks, StackBand, StackEffect, StackFamily, StackSoftware
from gpuplanner_gui.engine.serving.deployments import case_deployments
from gpuplanner_gui.engine.serving.predict.door import STACK_LOADS, quantity_of, stack_band
from gpuplanner_gui.engine.serving.predict.stacks import NAMES, decode_work, traits_of
from gpuplanner_gui.engine.serving.rates import WITHOUT_OVERHEADS
from gpuplanner_gui.engine.serving.samples import StackTraits, is_known, logs_of

STACKS = InferenceStacks(
    software=(
        StackSoftware(software="fast", engine="vllm", aliases=("Fast", "Fast Server")),
        StackSoftware(software="fast-2", engine="vllm", aliases=("Fast",), versions=("2.", "3.")),
        StackSoftware(software="faster", engine="generic", aliases=("Fast Server Pro",)),
    ),
    families=(
        StackFamily(family="old gaming", architectures=("Old",), memory=("GDDR",)),
        StackFamily(family="old", architectures=("Old",)),
        StackFamily(family="processors", kinds=("cpu",)),
    ),
    usual=dict.fromkeys(NAMES, 1.0),
    effects=(
        StackEffect(logs={"decode_kernels": 0.1}),
        StackEffect(software="fast", logs={"decode_kernels": 0.2}),
        StackEffect(software="fast", family="old", logs={"decode_kernels": 0.4, "collectives": 1.0}),
        StackEffect(family="old", is_narrow=True, logs={"decode_kernels": 0.8}),
        StackEffect(kind="cnn", logs={"sample_compute": 1.6}),
    ),
    bands=(
        StackBand(load="batch", quantity="decode", is_known=True, low=-0.1, high=0.2, rows=50),
        StackBand(load="batch", quantity="", is_known=True, low=-0.2, high=0.3, rows=80),
        StackBand(load="", quantity="", is_known=None, low=-0.5, high=0.6, rows=100),
    ),
)


@pytest.mark.parametrize(
    ("traits", "expected"),
    [
        (StackTraits("other", "", "dense_decoder", False), 0.1),
        (StackTraits("fast", "", "dense_decoder", False), 0.3),
        (StackTraits("fast", "old", "dense_decoder", False), 0.7),
        (StackTraits("fast", "old", "dense_decoder", True), 1.5),
        (StackTraits("other", "old", "cnn", True), 0.9),
    ],
)
def test_effects_that_apply_add_up(traits, expected):
    assert logs_of(traits, STACKS)["decode_kernels"] == pytest.approx(expected)


def test_effects_of_a_kind_hold_for_it_alone():
    assert logs_of(StackTraits("", "", "cnn", False), STACKS)["sample_compute"] == 1.6
    assert "sample_compute" not in logs_of(StackTraits("", "", "encoder", False), STACKS)


def test_software_is_known_on_the_families_it_was_measured_on():
    assert is_known(StackTraits("fast", "old", "", False), STACKS)
    assert not is_known(StackTraits("fast", "processors", "", False), STACKS)
    assert not is_known(StackTraits("other", "old", "", False), STACKS)


@pytest.mark.parametrize(
    ("name", "version", "expected"),
    [
        ("Fast", "", "fast"),
        ("fast", "1.9", "fast"),
        ("Fast", "2.1", "fast-2"),
        ("Fast Server", "3.0", "fast"),
        ("Fast Server Pro 7", "2.0", "faster"),
        ("Breakfast", "", None),
    ],
)
def test_software_by_the_longest_name_and_then_its_version(name, version, expected):
    found = STACKS.software_named(name, version)
    assert (found.software if found else None) == expected


def test_family_is_the_first_that_fits():
    assert STACKS.family_of("Old 2", "gpu", "GDDR6X") == "old gaming"
    assert STACKS.family_of("Old 2", "gpu", "HBM2") == "old"
    assert STACKS.family_of("Else", "cpu", "DDR5") == "processors"
    assert STACKS.family_of("Else", "gpu", "DDR5") == ""


def test_the_most_special_band_counts():
    assert stack_band("batch", "tpot_mean", True, STACKS).rows == 50
    assert stack_band("batch", "e2e_mean", True, STACKS).rows == 80
    assert stack_band("batch", "tpot_mean", False, STACKS).rows == 100
    assert stack_band("offline", "tpot_mean", True, STACKS).rows == 100
    without = msgspec.structs.replace(STACKS, bands=())
    assert stack_band("batch", "tpot_mean", True, without).low < 0 < stack_band("batch", "e2e_p90", True, without).high


def test_every_metric_is_about_one_quantity():
    assert quantity_of("ttft_mean") == quantity_of("prefill_tokens_per_s") == "prefill"
    assert quantity_of("tpot_p50") == quantity_of("itl_mean") == quantity_of("decode_tokens_per_s") == "decode"
    assert quantity_of("e2e_p90") == quantity_of("total_tokens_per_s") == "whole"
    assert quantity_of("peak_memory") == "memory"


def test_the_shipped_stacks_are_whole(context):
    stacks = context.calibration.stacks
    names = {one.software for one in stacks.software}
    families = {one.family for one in stacks.families}
    engines = {facts.engine for facts in context.calibration.engines}
    assert set(stacks.usual) == set(NAMES)
    assert all(value > 0 for value in stacks.usual.values())
    assert {one.engine for one in stacks.software} <= engines
    assert all(one.software in names | engines | {""} and one.family in families | {""} for one in stacks.effects)
    assert all(set(one.logs) <= set(NAMES) and all(map(math.isfinite, one.logs.values())) for one in stacks.effects)
    assert all(one.low < 0 < one.high and one.load in STACK_LOADS | {""} for one in stacks.bands)


@pytest.mark.parametrize(
    ("accelerator", "family"),
    [
        ("nvidia-rtx-4090", "Ada, GeForce"),
        ("nvidia-l40s", "Ada"),
        ("nvidia-l4", "Ada, small"),
        ("nvidia-a100-sxm-80gb", "Ampere GA100"),
        ("nvidia-rtx-a6000", "Ampere, GDDR"),
        ("nvidia-rtx-3090", "Ampere, GeForce"),
        ("nvidia-rtx-pro-6000-blackwell-server", "Blackwell, GDDR"),
        ("nvidia-b200-sxm-180gb", "Blackwell"),
        ("amd-mi300x", "CDNA 3"),
        ("apple-m1-max", "Apple"),
        ("intel-xeon-8480plus", "CPU"),
    ],
)
def test_families_of_the_catalogue(case, context, accelerator, family):
    assert traits_of(case(accelerator=accelerator), context).family == family


def test_weights_below_16_bits_are_narrow(case, context):
    assert traits_of(case(dense_format="int4"), context).is_narrow
    assert not traits_of(case(dense_format="fp16"), context).is_narrow


@pytest.mark.parametrize(
    "layout",
    [PoolLayout(tensor_parallel=4), PoolLayout(pipeline_parallel=4), PoolLayout(data_parallel=4)],
)
def test_products_of_a_step_are_shared_by_every_device_of_a_replica(case, context, layout):
    engine = context.calibration.engine("vllm")

    def compute_s(chosen: PoolLayout) -> float:
        one = case(layout=chosen)
        found = case_deployments([one], [chosen], context, engine)
        return float(decode_work(found, np.array([64.0]), np.array([500.0]), WITHOUT_OVERHEADS).compute_s[0])

    assert compute_s(layout) == pytest.approx(compute_s(PoolLayout()) / 4)
