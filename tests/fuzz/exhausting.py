"""Small plans made to exhaust memory, time or the window's thread; found by attacking the program, and kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any, get_args

from gpuplanner_gui.domain.model import Precision

LAYER = {
    "count": 80,
    "mixer": {"type": "attention", "heads": 64, "kv_heads": 8, "head_dim": 128},
    "ffn": {"type": "dense", "size": 28672, "gated": True},
}
FORMATS = list(get_args(Precision))


def plan_file(*scenarios: dict[str, Any], **project: Any) -> bytes:
    """A project file of the least that a plan needs."""
    return json.dumps({"format": "gpuplan", "version": 2, "scenarios": scenarios, **project}).encode()


def scenario(
    name: str = "s",
    serving: dict[str, Any] | None = None,
    classes: list[dict[str, Any]] | None = None,
    layers: list[dict[str, Any]] | None = None,
    **others: Any,
) -> dict[str, Any]:
    """A service of a 70B model, with what is to be different."""
    model = {"name": "m", "hidden_size": 8192, "vocab_size": 128256, "layers": layers or [LAYER]}
    served = {"classes": classes or [{"peak_rate_per_s": 4}], **(serving or {})}
    return {"name": name, "model": model, "serving": served, **others}


def _one(**changes: Any) -> Callable[[], bytes]:
    return lambda: plan_file(scenario(**changes))


def _request(**changes: Any) -> Callable[[], bytes]:
    return _one(classes=[{"peak_rate_per_s": 4, **changes}])


def _many(count: int, **changes: Any) -> bytes:
    return plan_file(*[scenario(f"s{place}", **changes) for place in range(count)])


def _unlike_layers(count: int) -> list[dict[str, Any]]:
    return [{**LAYER, "count": 1, "ffn": {"type": "dense", "size": 28672 + place}} for place in range(count)]


TRAINING = {"tokens": 1e9}
EVERY_SIZE = {"max_devices_per_replica": 4096, "tensor_parallel_across_nodes": True, "min_memory_headroom": 0}

EXHAUSTING: dict[str, tuple[Callable[[], bytes], str]] = {
    "formats twice, 120 × 120": (
        _one(serving={"weight_precisions": ["fp8"] * 120, "kv_precisions": ["fp8"] * 120}), "at most 10",
    ),
    "formats twice, 400 × 400": (
        _one(serving={"weight_precisions": ["fp8"] * 400, "kv_precisions": ["fp8"] * 400}), "at most 10",
    ),
    "formats twice, 2": (_one(serving={"weight_precisions": ["fp8", "fp8"]}), "twice"),
    "every format of both kinds, every size": (
        _one(serving={"weight_precisions": FORMATS, "kv_precisions": FORMATS}, hardware=EVERY_SIZE), "",
    ),
    "200 classes": (_one(classes=[{"peak_rate_per_s": 1}] * 200), "at most 20"),
    "3,000 classes": (_one(classes=[{"peak_rate_per_s": 1}] * 3000), "at most 20"),
    "20 classes": (_one(classes=[{"peak_rate_per_s": 1}] * 20), ""),
    "200 targets": (_request(slos=[{"metric": "ttft", "limit_s": 1.0}] * 200), "at most 10"),
    "900,000 hours": (_one(serving={"traffic": {"hours": [1] * 900_000}}), "at most 168"),
    "a name of 99,000 letters": (_one(name="n" * 99_000), "at most 300"),
    "a class's name of 99,000 letters": (_request(name="n" * 99_000), "at most 300"),
    "3,000 groups of layers": (_one(layers=_unlike_layers(3000)), "at most 200"),
    "110 groups of layers": (_one(layers=_unlike_layers(110), training=TRAINING), ""),
    "prompts of 1e155 tokens": (_request(prompt_tokens=1e155), "1e.155"),
    "answers of 1e155 tokens": (_request(output_tokens=1e155), "1e.155"),
    "prompts of 1e9 tokens": (_request(prompt_tokens=1e9), "at most"),
    "answers of 1e6 tokens": (_request(output_tokens=1e6), ""),
    "prompts of 1e8 tokens": (_request(prompt_tokens=1e8), ""),
    "a rate of 5e-324": (_request(peak_rate_per_s=5e-324), "smallest number allowed"),
    "a rate of 1e-30": (_request(peak_rate_per_s=1e-30), ""),
    "a rate of 1e30": (_request(peak_rate_per_s=1e30), "at most"),
    "a rate of 1e7": (_request(peak_rate_per_s=1e7), ""),
    "a context of 25 digits": (_one(serving={"max_context": 10**24}), "at most"),
    "35 scenarios": (partial(_many, 35), "at most 24"),
    "12 scenarios, trained and served": (partial(_many, 12, training=TRAINING), ""),
    "12 scenarios of many formats": (
        partial(_many, 12, serving={"weight_precisions": FORMATS, "kv_precisions": FORMATS[:4]}), "",
    ),
    "24 scenarios of 20 classes": (partial(_many, 24, classes=[{"peak_rate_per_s": 1}] * 20), ""),
    "tiny steps for long prompts": (
        _one(serving={"engine": {"token_budget": 16}}, classes=[{"peak_rate_per_s": 4, "prompt_tokens": 100_000}]), "",
    ),
    "100,000 samples": (_one(training=TRAINING, economics={"uncertainty": {"samples": 100_000}}), ""),
    "a million devices to train": (_one(training=TRAINING, hardware={"max_training_devices": 1_000_000}), ""),
    "1,000 spares in 20 zones": (
        _one(serving={"availability": {"spare_replicas": 1000, "zones": 20, "target": 0.999999}}), "",
    ),
}  # fmt: skip
"""By what they do: the file, and words of the sentence that refuses it; no words where it is read and stays bounded."""
