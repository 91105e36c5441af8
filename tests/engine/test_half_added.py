"""A kind of layer that was added to the vocabulary alone is refused wherever it counts, never taken for nothing."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.model import Attention, LayerGroup, Model
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.model.cache_sizes import cached_values
from gpuplanner_gui.engine.model.operations import layer_attention_flop, layer_state_flop, operations
from gpuplanner_gui.engine.model.parameters import layer_parameters
from gpuplanner_gui.engine.serving.candidates import even_tensor_parallel
from gpuplanner_gui.engine.serving.memory import cache_groups
from gpuplanner_gui.engine.training.activation_memory import stack_activation
from gpuplanner_gui.engine.training.sweeps import scaled_model


class NewMixer(msgspec.Struct, frozen=True, tag="new_mixer"):
    """Known to nobody."""


class NewFfn(msgspec.Struct, frozen=True, tag="new_ffn"):
    """Known to nobody."""


def model_of(group: LayerGroup) -> Model:
    return Model(name="new", hidden_size=512, layers=(group,))


KNOWN = Attention(heads=8, kv_heads=8, head_dim=64)
OF_MIXERS: dict[str, Callable[[LayerGroup], object]] = {
    "parameters": lambda group: layer_parameters(group, 512),
    "attention FLOPs": lambda group: layer_attention_flop(group, np.array([100.0])),
    "state FLOPs": layer_state_flop,
    "cache": cached_values,
    "operations": lambda group: operations(model_of(group)),
    "activations": lambda group: stack_activation((group,), 512, 1024, True),
    "heads": lambda group: Context.heads(model_of(group)),
    "uneven tensor parallelism": lambda group: even_tensor_parallel(model_of(group)),
    "cache of a device": lambda group: cache_groups(model_of(group)),
    "wider model": lambda group: scaled_model(model_of(group), 2.0),
}
OF_FFNS = {name: OF_MIXERS[name] for name in ("parameters", "operations", "activations", "wider model")}


@pytest.mark.parametrize("name", OF_MIXERS)
def test_a_mixer_that_is_half_added_is_refused(name: str) -> None:
    with pytest.raises((AssertionError, KeyError)):
        OF_MIXERS[name](LayerGroup(count=1, mixer=NewMixer(), ffn=None))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", OF_FFNS)
def test_a_feed_forward_part_that_is_half_added_is_refused(name: str) -> None:
    with pytest.raises((AssertionError, KeyError)):
        OF_FFNS[name](LayerGroup(count=1, mixer=KNOWN, ffn=NewFfn()))  # type: ignore[arg-type]
