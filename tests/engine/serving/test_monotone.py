"""What must never make a plan slower, over every accelerator for some models; all models: `tools.fidelity.monotone`."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.plan import serving_plan
from tools.fidelity.monotone import (
    BUSY_PER_S,
    ENGINES,
    MOST_DEVICES,
    Slower,
    decoders,
    question,
    slower_with_bandwidth,
    slower_with_more_devices,
    slower_with_shorter_prompts,
    with_faster_memory,
)

MODELS = ("llama-3.1-70b", "mixtral-8x7b", "deepseek-v3", "granite-4.0-h-tiny")

pytestmark = [pytest.mark.slow, pytest.mark.parametrize("engine", ENGINES)]


@pytest.fixture(scope="module")
def context(catalog, calibration) -> Context:
    return Context(catalog, calibration)


@pytest.fixture(scope="module")
def faster(catalog, calibration) -> Context:
    return Context(with_faster_memory(catalog), calibration)


@pytest.fixture(scope="module")
def models(catalog):
    return {key: decoders(catalog)[key] for key in MODELS}


def told(found: list[Slower]) -> list[str]:
    """The worst first."""
    found.sort(key=lambda one: -one.ratio)
    return [f"{one.ratio:.3f} {one.model} on {one.accelerator}, {one.layout}, {one.what}" for one in found[:10]]


def test_the_best_layout_is_no_slower_where_more_devices_are_allowed(engine, models, context):
    found = [one for key, model in models.items() for one in slower_with_more_devices(key, model, engine, context)]
    assert not found, told(found)


def test_the_recommendation_is_no_dearer_where_more_devices_are_allowed(engine, models, context):
    for model in models.values():
        usd = []
        for most in MOST_DEVICES:
            found = serving_plan(
                question(model, engine, BUSY_PER_S, ("bf16", "fp8"), most_devices=most), context, lambda: None
            )
            runs = found.best >= 0 and found.table.meets_targets[found.best]
            # What nobody has a price for is no offer.
            usd.append(float(np.nan_to_num(found.table.usd_per_hour[found.best], nan=np.inf)) if runs else np.inf)
        if engine == "mlx":  # Nobody rents out what it runs on.
            assert np.isinf(usd).all()
            continue
        assert np.isfinite(usd[-1])
        assert all(later <= earlier for earlier, later in pairwise(usd)), usd


def test_faster_memory_gives_no_slower_tokens_on_timed_devices(engine, models, context, faster):
    found = [one for key, model in models.items() for one in slower_with_bandwidth(key, model, engine, context, faster)]
    worse = [one for one in found if one.rule == "bandwidth, timed" and not one.what.endswith("ttft_mean_s")]
    assert not worse, told(worse)


def test_half_the_prompt_alone_is_no_slower_on_timed_devices(engine, models, context):
    found = [one for key, model in models.items() for one in slower_with_shorter_prompts(key, model, engine, context)]
    worse = [one for one in found if one.rule.endswith(", timed") and "at 0.001/s" in one.what]
    assert not worse, told(worse)
