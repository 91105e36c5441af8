"""What a model amounts to, as plain data: for the command line, reports and other tools."""

from __future__ import annotations

from typing import Any

from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.engine.model.cache_sizes import (
    cross_attention_bytes_per_sequence,
    fixed_state_bytes_per_sequence,
    indexer_bytes_per_token,
    kv_bytes_per_token,
    kv_bytes_per_token_beyond_window,
)
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.engine.model.weight_sizes import weight_bytes_by_precision


def model_summary(model: Model) -> dict[str, Any]:
    """Parameters, cache and weights of a model; sizes in bytes, the cache in BF16. The keys are a stable contract."""
    parameters = model_parameters(model)
    per_token = whole(kv_bytes_per_token(model))
    return {
        "name": model.name,
        "architecture": model.family,
        "kind": model.kind,
        "layers": sum(group.count for group in model.layers),
        "encoder_layers": sum(group.count for group in model.encoder_layers),
        "hidden_size": model.hidden_size,
        "vocab_size": model.vocab_size,
        "max_context": model.max_context,
        "total_params": int(parameters.total),
        "active_params": int(parameters.active),
        "components": {name: int(count) for name, count in parameters.components().items()},
        "kv_bytes_per_token": per_token,
        "kv_bytes_per_token_bf16": per_token,
        "kv_bytes_per_token_beyond_window": whole(kv_bytes_per_token_beyond_window(model)),
        "indexer_bytes_per_token": whole(indexer_bytes_per_token(model)),
        "fixed_state_bytes_per_sequence": int(fixed_state_bytes_per_sequence(model)),
        "cross_attention_bytes_per_sequence": whole(cross_attention_bytes_per_sequence(model)),
        "weight_bytes": {name: whole(size) for name, size in weight_bytes_by_precision(model).items()},
        "assumed": list(model.assumed),
        "not_understood": list(model.not_understood),
    }


def whole(value: Any) -> int | float:
    """A size as a whole number where it is one."""
    number = float(value)
    return int(number) if number.is_integer() else number
