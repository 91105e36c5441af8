"""Sweeps of one layout, and the largest model for a cluster."""

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.model import Attention
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.engine.training.plan import training_plan
from gpuplanner_gui.engine.training.sweeps import largest_model, micro_batch_sweep, scaled_model, sequence_sweep

from .conftest import H100, IMAGES, LLAMA_8B, LLAMA_70B, ONE_NODE, SMALL_MOE, ScenarioMaker


@pytest.fixture(scope="module")
def planned_70b(context, made: ScenarioMaker):
    scenario = made(LLAMA_70B, {"accelerators": (H100,), "training_devices": 128})
    return scenario, training_plan(scenario, context, lambda: None)


def test_memory_grows_with_the_sequence_until_it_no_longer_fits(context, planned_70b):
    scenario, plan = planned_70b
    sweep = sequence_sweep(scenario, context, plan.table, plan.best)
    assert (np.diff(sweep.total_bytes) > 0).all()
    assert sweep.fits[0]
    assert not sweep.fits[-1]
    assert sweep.largest == sweep.values[sweep.fits][-1]
    at = list(sweep.values).index(scenario.training.sequence_length)
    total = sweep.total_bytes[at]
    own = sum(
        float(getattr(plan.table, name)[plan.best])
        for name in ("weights_bytes", "gradients_bytes", "master_weights_bytes", "first_moment_bytes",
                     "second_moment_bytes", "activation_bytes", "logits_bytes", "runtime_bytes")
    )  # fmt: skip
    assert total == pytest.approx(own)
    assert sweep.tokens_per_s_per_device[at] == pytest.approx(float(plan.table.tokens_per_s_per_device[plan.best]))


def test_a_larger_micro_batch_takes_memory_and_gives_speed(context, planned_70b):
    scenario, plan = planned_70b
    sweep = micro_batch_sweep(scenario, context, plan.table, plan.best)
    assert sweep.values[0] == 1
    assert (np.diff(sweep.activation_bytes) > 0).all()
    # The fullest device may be one of the first stage or of the last, whose ends differ by a norm.
    assert np.ptp(sweep.state_bytes) < 1e-6 * sweep.state_bytes[0]
    assert sweep.largest >= int(plan.table.micro_batch[plan.best])


def test_micro_batches_that_launchers_take_are_swept(context, made: ScenarioMaker):
    """4 M tokens are 976 sequences of 4,096: of the 122 of each of eight copies, 4 at once leave 2."""
    scenario = made(LLAMA_8B, ONE_NODE, framework="deepspeed", global_batch_tokens=4_000_000)
    plan = training_plan(scenario, context, lambda: None)
    assert int(plan.table.data_parallel[plan.best]) == 8
    assert micro_batch_sweep(scenario, context, plan.table, plan.best).values.tolist() == [1, 2, 61, 122]


@pytest.mark.parametrize("factor", [0.1, 0.5, 2.0, 8.0])
@pytest.mark.parametrize("model", [LLAMA_8B, SMALL_MOE, IMAGES], ids=["dense", "experts", "images"])
def test_scaled_models_have_about_the_parameters_asked_for(model, factor: float):
    ratio = model_parameters(scaled_model(model, factor)).total / model_parameters(model).total
    assert 0.5 * factor < ratio < 2.0 * factor


def test_cluster_memory_sets_the_largest_model(context, made: ScenarioMaker):
    one, eight, many = (largest_model(made(LLAMA_8B), context, H100, devices) for devices in (1, 8, 64))
    assert 3e9 < one.parameters < 5e9
    assert 5 * one.parameters < eight.parameters < 10 * one.parameters
    assert many.parameters > 5 * eight.parameters
    for found in (one, eight, many):
        assert 16 < found.bytes_per_parameter < 32


def test_a_model_without_layers_grows_too(context, made: ScenarioMaker):
    scenario = made(IMAGES, sequence_length=1, global_batch_tokens=4096)
    one, eight = (largest_model(scenario, context, H100, devices).parameters for devices in (1, 8))
    assert one > 25e6
    assert eight >= one


def test_wider_models_keep_heads_that_tensor_parallelism_divides():
    for factor in (0.3, 1.7, 2.9, 7.0):
        for group in scaled_model(LLAMA_70B, factor).layers:
            assert isinstance(group.mixer, Attention)
            assert group.mixer.heads % 8 == 0


def test_heads_with_keys_of_their_own_keep_them_in_a_wider_model():
    """Llama 2 7B three times as wide and deep: 27 times its 6.48 B parameters in layers."""
    layers = LLAMA_8B.layers
    own = msgspec.structs.replace(layers[0], mixer=msgspec.structs.replace(layers[0].mixer, kv_heads=32))
    wide = scaled_model(msgspec.structs.replace(LLAMA_8B, layers=(own,)), 27.0).layers[0].mixer
    grouped = scaled_model(LLAMA_8B, 27.0).layers[0].mixer
    assert isinstance(wide, Attention)
    assert isinstance(grouped, Attention)
    assert (wide.heads, wide.kv_heads, grouped.kv_heads) == (96, 96, 8)
