"""What this project measured itself on one H200 and fitted to nothing: the plan's path, the band that it promises."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from gpuplanner_gui.cli.measurements import AnsweredQuestion, answers_of, read_benchmark
from gpuplanner_gui.engine.context import Context, context_of
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration

DATA = Path(__file__).parent / "data"
WITHOUT_AUTOCAST = (19.6, 24.5)
"""Bytes of PyTorch's operations per token and value of FP32 adapters outside autocast, counted as the catalogue's."""
KEPT_WITHOUT_AUTOCAST = 1.6
"""Activations of such a layer: 296 kB a token, 185 kB with adapters in BF16, counted likewise."""


@pytest.fixture(scope="module")
def context() -> Context:
    return context_of(load_shipped_catalog(), load_calibration())


def asked(table: str, context: Context) -> dict[tuple[str, str], AnsweredQuestion]:
    rows = read_benchmark(DATA / table, context.catalog, context.calibration, None).rows
    return {(one.question.case_id, one.question.metric): one for one in answers_of(rows, context)}


def ratio(found: AnsweredQuestion) -> float:
    assert found.predicted is not None
    assert found.question.measured
    return found.predicted / found.question.measured


def test_tokens_of_vllm_come_as_predicted(context: Context) -> None:
    found = asked("own-h200-serving.csv", context)
    assert ratio(found["own-h200-1", "tpot_ms"]) == pytest.approx(1.0, abs=0.03)
    assert ratio(found["own-h200-1", "ttft_ms"]) == pytest.approx(1.0, abs=0.08)
    assert ratio(found["own-h200-8", "tpot_ms"]) == pytest.approx(1.0, abs=0.15)
    assert all(one.low80 <= one.question.measured <= one.high80 for one in found.values())


def test_full_steps_and_their_memory_come_as_predicted(context: Context) -> None:
    found = asked("own-h200-training.csv", context)
    for case, error in (("own-h200-1", 0.08), ("own-h200-4", 0.21), ("own-h200-5", 0.08)):
        assert ratio(found[case, "tokens_per_s_per_gpu"]) == pytest.approx(1.0, abs=error)
        assert ratio(found[case, "peak_memory"]) == pytest.approx(1.0, abs=0.08)


def test_adapters_cost_the_traffic_that_was_counted(context: Context) -> None:
    """The runs kept adapters in FP32 without autocast, which no plan does; with that traffic they are predicted."""
    training = context.calibration.training
    forward, backward = WITHOUT_AUTOCAST
    costs = tuple(
        msgspec.structs.replace(
            one, forward_bytes=forward, backward_bytes=backward, activation_share=KEPT_WITHOUT_AUTOCAST
        )
        for one in training.adapters
    )
    known = msgspec.structs.replace(context.calibration, training=msgspec.structs.replace(training, adapters=costs))
    without = msgspec.structs.replace(context.calibration, training=msgspec.structs.replace(training, adapters=()))
    found = asked("own-h200-training.csv", context_of(context.catalog, known))
    plain = asked("own-h200-training.csv", context_of(context.catalog, without))
    for case in ("own-h200-0", "own-h200-2", "own-h200-3"):
        assert ratio(found[case, "tokens_per_s_per_gpu"]) == pytest.approx(1.0, abs=0.06)
        assert ratio(found[case, "peak_memory"]) == pytest.approx(1.0, abs=0.12)
        assert ratio(plain[case, "tokens_per_s_per_gpu"]) > 1.3
