"""Catalogue, calibration and small scenarios that the engine's tests share."""

from __future__ import annotations

import pytest

from gpuplanner_gui.domain.model import Attention, DenseFfn, LayerGroup, Model
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration


@pytest.fixture(scope="session")
def catalog():
    return load_shipped_catalog()


@pytest.fixture(scope="session")
def calibration():
    return load_calibration()


@pytest.fixture(scope="session")
def llama_8b() -> Model:
    """The shape of Llama 3.1 8B."""
    return Model(
        name="8B",
        hidden_size=4096,
        vocab_size=128_256,
        max_context=131_072,
        layers=(
            LayerGroup(
                count=32, mixer=Attention(heads=32, kv_heads=8, head_dim=128), ffn=DenseFfn(size=14_336), norms=2
            ),
        ),
        other_parameters=4096,
    )


@pytest.fixture(scope="session")
def llama_70b() -> Model:
    """The shape of Llama 3.1 70B."""
    return Model(
        name="70B",
        hidden_size=8192,
        vocab_size=128_256,
        max_context=131_072,
        layers=(
            LayerGroup(
                count=80, mixer=Attention(heads=64, kv_heads=8, head_dim=128), ffn=DenseFfn(size=28_672), norms=2
            ),
        ),
        other_parameters=8192,
    )


@pytest.fixture
def chat_8b(llama_8b) -> Scenario:
    return Scenario(name="chat", model=llama_8b, serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=20.0),)))


@pytest.fixture
def chat_70b(llama_70b) -> Scenario:
    return Scenario(
        name="chat 70B", model=llama_70b, serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=40.0),))
    )
