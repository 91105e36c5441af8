"""The shipped context, and cases on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpuplanner_gui.domain.benchmark import PoolLayout, ServingCase
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.predict.door import serving_answers
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration


@pytest.fixture(scope="session")
def context() -> Context:
    return Context(load_shipped_catalog(), load_calibration())


@pytest.fixture
def case(context: Context) -> Callable[..., ServingCase]:
    def made(model: str = "llama-3-8b", **changes) -> ServingCase:
        usual = {
            "case_id": "c",
            "accelerator": "nvidia-a100-sxm-80gb",
            "engine": "vllm",
            "software": "vllm-0.6",
            "load": "batch",
            "layout": PoolLayout(),
            "prompt_tokens": 512.0,
            "output_tokens": 128.0,
            "concurrency": 8.0,
        }
        return ServingCase(model=context.catalog.models[model].model, **{**usual, **changes})

    return made


@pytest.fixture
def values(context: Context) -> Callable[..., dict[str, float]]:
    """Answers of a case, by metric."""

    def found(one: ServingCase, *metrics: str) -> dict[str, float]:
        answers = serving_answers([ServingCase(**{**_fields(one), "metrics": metrics})], context)[0]
        return {answer.metric: answer.value for answer in answers}

    return found


def _fields(one: ServingCase) -> dict[str, Any]:
    return {name: getattr(one, name) for name in one.__struct_fields__}
