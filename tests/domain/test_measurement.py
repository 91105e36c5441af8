"""A figure needs its context, and speaks of its own phase only."""

from __future__ import annotations

import msgspec
import pytest

from gpuplanner_gui.domain.measurement import (
    Measurement,
    MeasurementContext,
    MeasurementSet,
    accepted,
    figure,
    foreign_phases,
    missing_context,
)

SERVED = MeasurementContext(
    model="llama-3.1-8b",
    accelerator="nvidia-h100-sxm-80gb",
    devices=1,
    weight_precision="fp8",
    engine="vllm",
    load="closed_loop",
    concurrency=16.0,
    prompt_tokens=1024.0,
    output_tokens=128.0,
)
TRAINED = Measurement(context=MeasurementContext(), figures=(figure("step_time", 1.0),))


def test_whole_context_is_accepted():
    assert missing_context(Measurement(context=SERVED, figures=(figure("tpot", 0.01), figure("ttft", 0.1)))) == ()


@pytest.mark.parametrize("name", ["model", "accelerator", "devices", "weight_precision", "engine", "concurrency"])
def test_each_part_of_the_context_is_needed(name):
    context = msgspec.structs.replace(SERVED, **{name: type(getattr(SERVED, name))()})
    assert missing_context(Measurement(context=context, figures=(figure("tpot", 0.01),))) == (name,)


def test_an_operation_alone_needs_no_load():
    context = MeasurementContext(accelerator="nvidia-h100-sxm-80gb", weight_precision="bf16", operation="block")
    assert missing_context(Measurement(context=context, figures=(figure("kernel_time", 1e-3, phase="decode"),))) == ()


def test_memory_under_load_needs_that_load_and_at_rest_none():
    used = figure("memory_used", 4e10)
    assert missing_context(Measurement(context=SERVED, figures=(used,))) == ()
    unsaid = msgspec.structs.replace(SERVED, output_tokens=0.0)
    assert missing_context(Measurement(context=unsaid, figures=(used,))) == ("output_tokens",)
    idle = MeasurementContext(accelerator="nvidia-h100-sxm-80gb", operation="idle")
    assert missing_context(Measurement(context=idle, figures=(used,))) == ()


def test_training_says_nothing_about_serving_nor_the_reverse():
    assert foreign_phases(TRAINED, "serving") == ("training",)
    assert foreign_phases(TRAINED, "training") == ()
    assert foreign_phases(Measurement(context=SERVED, figures=(figure("tpot", 0.01),)), "training") == ("decode",)


def test_only_whole_measurements_of_sets_in_use_are_accepted():
    good = Measurement(context=SERVED, figures=(figure("tpot", 0.01),))
    sets = (
        MeasurementSet(name="used", measurements=(good, TRAINED)),
        MeasurementSet(name="off", is_used=False, measurements=(good,)),
    )
    assert list(accepted(sets)) == [good]
