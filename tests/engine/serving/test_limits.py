"""The inverse questions of memory: hand-checked cases, and answers that fit while one more does not."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplanner_gui.domain.curves import MemoryPart
from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.model.precision import PRECISION_INDEX
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.deployments import deployments_of
from gpuplanner_gui.engine.serving.limits import (
    largest_concurrency,
    limits_of,
    longest_context,
    plan_limits,
)
from gpuplanner_gui.engine.serving.memory import cache_groups

H100, H200 = "nvidia-h100-sxm-80gb", "nvidia-h200-sxm-141gb"
ONE = np.array([1])
HALF_BLOCK = 7.5
"""Cache tokens of the last block that a sequence leaves empty, on average of blocks of 16."""


@pytest.fixture(scope="module")
def context(catalog, calibration):
    return context_of(catalog, calibration)


def limits(context, model, accelerator, devices=1, weights="bf16", concurrency=1.0, tokens=4096.0, **changes):
    serving = ServingWorkload(
        classes=(RequestClass(peak_rate_per_s=1.0),), weight_precisions=(weights,), kv_precisions=("bf16",)
    )
    scenario = Scenario(name="x", model=model, serving=serving)
    return limits_of(scenario, context, one_candidate(context, accelerator, devices, weights), concurrency, tokens)


def one_candidate(context, accelerator, devices, weights):
    return ServingCandidates(
        np.array([context.devices.ids.index(accelerator)]), np.array([devices]), ONE,
        np.array([PRECISION_INDEX[weights]]), np.array([PRECISION_INDEX["bf16"]]),
    )  # fmt: skip


def test_s38_concurrency_falls_as_the_context_grows(context, llama_8b):
    """8B caches 131 072 bytes a token: a pool of P bytes holds ⌊P / (131 072 · (context + 7.5))⌋ sequences."""
    found = limits(context, llama_8b, H100)
    pool = found.free_bytes[0] + (4096 + HALF_BLOCK) * 131_072
    for tokens, held in zip(found.contexts, found.concurrency_by_context[:, 0]):
        assert held == np.floor(pool / (131_072 * (tokens + HALF_BLOCK)))
    assert np.all(np.diff(found.concurrency_by_context[:, 0]) <= 0)
    assert found.largest_concurrency[0] == np.floor(pool / (131_072 * (4096 + HALF_BLOCK)))


def test_longest_context_fits_and_one_token_more_does_not(context, llama_8b):
    deployed = deployed_with(context, llama_8b, 40e9)
    for concurrency in (1, 7, 64):
        assert longest_context(deployed, concurrency)[0] == np.floor(40e9 / (131_072 * concurrency))


def deployed_with(context, model, pool_bytes):
    """One H100 in 16 bits whose pool for the cache is as large as stated."""
    engine = context.calibration.engine("vllm")
    found = deployments_of(model, context, engine, one_candidate(context, H100, 1, "bf16"), 0.9, 8192.0, 256.0)
    return replace(found, memory=replace(found.memory, pool=np.array([pool_bytes])))


def test_s37_largest_model_by_precision(context, catalog, llama_8b):
    """Two bytes a parameter of what the engine may fill; half the bytes, nearly twice the parameters: embedding and
    head stay in 16 bits."""
    wide, narrow = (limits(context, llama_8b, H200, weights=name).largest_parameters[0] for name in ("bf16", "fp8"))
    most = 0.9 * catalog.accelerators[H200].memory_bytes / 2
    assert 0.95 * most < wide < most
    assert 1.6 < narrow / wide < 2.0


def test_the_largest_model_just_fits(context, llama_8b, llama_70b):
    """70B in BF16 lacks memory on one H200, where its own kind ends at 66e9 parameters; on two it fits."""
    one, two = (limits(context, llama_70b, H200, devices=count) for count in (1, 2))
    assert one.runs_out_at[0] == MemoryPart.WEIGHTS
    assert one.missing_bytes[0] > 0
    assert two.missing_bytes[0] == 0
    assert one.largest_parameters[0] < one.model_parameters
    assert two.runs_out_at[0] == MemoryPart.NONE
    assert two.largest_parameters[0] > two.model_parameters


def test_missing_memory_names_its_part(context, llama_8b):
    """One H100: 8B fits; 600 contexts of 4096 tokens do not, because of their cache."""
    fine, full = (limits(context, llama_8b, H100, concurrency=count) for count in (1, 600))
    assert fine.runs_out_at[0] == MemoryPart.NONE
    assert full.runs_out_at[0] == MemoryPart.KV_CACHE
    assert full.free_bytes[0] == pytest.approx(fine.free_bytes[0] - 599 * (4096 + HALF_BLOCK) * 131_072)


@settings(max_examples=40)
@given(concurrency=st.integers(1, 512), tokens=st.integers(1, 200_000))
def test_answers_agree_with_each_other(context, llama_8b, concurrency, tokens):
    """What fits has room for its own batch, context and size; what does not has not."""
    found = limits(context, llama_8b, H100, concurrency=float(concurrency), tokens=float(tokens))
    fits = found.missing_bytes[0] == 0
    assert fits == (found.free_bytes[0] >= 0)
    assert fits == (found.runs_out_at[0] == MemoryPart.NONE)
    assert fits == (found.largest_concurrency[0] >= concurrency)
    assert fits == (found.longest_context[0] >= tokens)
    assert fits == (found.largest_parameters[0] >= found.model_parameters)


def test_windows_and_states_do_not_limit_the_context(context, catalog):
    """A cache that stops growing leaves the context unlimited by memory."""
    model = catalog.models["mistral-7b-v0.1"].model
    assert all(group.values.window_tokens for group in cache_groups(model))
    deployed = deployed_with(context, model, 0.0)
    each = float(deployed.cache_bytes_per_sequence(1e6)[0])
    assert np.isinf(longest_context(deployed_with(context, model, each * 1.01), 1)[0])
    assert longest_context(deployed_with(context, model, each * 0.5), 1)[0] == pytest.approx(2048, abs=2)


def test_nothing_cached_means_no_limit():
    assert np.isinf(largest_concurrency(1e9, 0.0))
    assert largest_concurrency(-1.0, 0.0) == 0
    assert largest_concurrency(-1.0, 1.0) == 0


def test_limits_of_a_plan_stand_beside_its_candidates(chat_70b, catalog, calibration):
    found = plan(chat_70b, catalog, calibration)
    answer, table = plan_limits(chat_70b, catalog, calibration, found), found.serving.table
    assert len(answer.free_bytes) == len(table.order)
    does_not_fit = table.reason == Reason.DOES_NOT_FIT
    assert does_not_fit.any()
    assert np.all(answer.runs_out_at[does_not_fit] != MemoryPart.NONE)
    assert np.all(answer.largest_parameters[does_not_fit] < answer.model_parameters)
    can_run = np.flatnonzero(table.fits)
    assert np.array_equal(answer.largest_concurrency[can_run], table.max_sequences[can_run])
    best = found.serving.best
    assert answer.concurrency == pytest.approx(table.batch[best], abs=0.5)


def test_a_scenario_that_does_not_serve_is_refused(chat_8b, context, catalog, calibration):
    silent = msgspec.structs.replace(chat_8b, serving=None)
    with pytest.raises(ValueError, match="no serving"):
        plan_limits(silent, catalog, calibration, plan(silent, catalog, calibration))


def test_free_memory_ends_where_the_engine_may_use_no_more(chat_70b, catalog, calibration):
    """192 GB with 42 in use had 150 free, 19 of which the engine may not touch. A headroom of 30 %: 0.2 less."""
    hardware = msgspec.structs.replace(chat_70b.hardware, min_memory_headroom=0.3)
    roomy = msgspec.structs.replace(chat_70b, hardware=hardware)
    answers = [(one, plan(one, catalog, calibration)) for one in (chat_70b, roomy)]
    usual, kept = (plan_limits(one, catalog, calibration, found, 64.0) for one, found in answers)
    table = answers[0][1].serving.table
    taken = 0.2 * table.memory_capacity_bytes
    assert kept.free_bytes == pytest.approx(usual.free_bytes - taken, abs=1, nan_ok=True)
    assert usual.missing_bytes == pytest.approx(np.maximum(-usual.free_bytes, 0.0), nan_ok=True)
    held = table.weights_bytes + table.activation_bytes + table.runtime_bytes
    assert np.all((usual.free_bytes + held <= 0.9 * table.memory_capacity_bytes + 1) | np.isnan(held))
