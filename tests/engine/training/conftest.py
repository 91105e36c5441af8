"""What training tests share: shipped catalogue and calibration, a few models, scenarios made from them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from gpuplanner_gui.domain.model import Attention, DenseFfn, LayerGroup, Model, MoeFfn
from gpuplanner_gui.domain.plan import TrainingPlan
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.engine.context import Context, context_of
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration

H100, A100 = "nvidia-h100-sxm-80gb", "nvidia-a100-sxm-80gb"
ONE_NODE = {"accelerators": (H100,), "training_devices": 8}
DAY_S = 86_400.0
ScenarioMaker = Callable[..., Scenario]


def never() -> None:
    """Nobody cancels a test."""


def fastest(plan: TrainingPlan) -> int:
    """Row of the candidate with the shortest step."""
    runs = np.flatnonzero(plan.table.fits)
    return int(runs[np.argmin(plan.table.step_time_s[runs])])


@pytest.fixture(scope="session")
def context() -> Context:
    return context_of(load_shipped_catalog(), load_calibration())


def llama(layers: int, hidden: int, heads: int, kv_heads: int, ffn: int, vocabulary: int = 128_256) -> Model:
    mixer = Attention(heads=heads, kv_heads=kv_heads, head_dim=hidden // heads)
    group = LayerGroup(count=layers, mixer=mixer, ffn=DenseFfn(size=ffn))
    return Model(name="decoder", hidden_size=hidden, vocab_size=vocabulary, layers=(group,), other_parameters=hidden)


LLAMA_8B = llama(32, 4096, 32, 8, 14336)
LLAMA_70B = llama(80, 8192, 64, 8, 28672)
LLAMA_405B = llama(126, 16384, 128, 8, 53248)
SMALL_MOE = Model(
    name="experts",
    kind="moe_decoder",
    hidden_size=2048,
    vocab_size=151_936,
    layers=(
        LayerGroup(
            count=48,
            mixer=Attention(heads=32, kv_heads=4, head_dim=128),
            ffn=MoeFfn(experts=128, top_k=8, expert_size=768),
        ),
    ),
)
IMAGES = Model(
    name="ResNet-50",
    kind="cnn",
    flop_per_sample=8.2e9,
    sample="an image of 224 × 224",
    custom_parameters=25_557_032,
    activation_bytes_per_sample=1.1e8,
)


@pytest.fixture(scope="session")
def made() -> ScenarioMaker:
    """A scenario of a model; `hardware` are fields of the hardware choice, the rest those of the workload."""

    def scenario(model: Model = LLAMA_8B, hardware: dict[str, object] | None = None, **training: object) -> Scenario:
        workload = TrainingWorkload(**({"tokens": 1e11} | training))  # type: ignore[arg-type]
        choice = HardwareChoice(**(hardware or {}))  # type: ignore[arg-type]
        return Scenario(name="test", model=model, training=workload, hardware=choice)

    return scenario
