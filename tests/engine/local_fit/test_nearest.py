"""Distance of measured cases from a plan: none to itself, more for what differs, limited of each kind."""

from __future__ import annotations

import msgspec
import pytest

from gpuplanner_gui.domain.measurement import Measurement, MeasurementContext, figure
from gpuplanner_gui.engine.evidence.nearest import Subject, nearest
from gpuplanner_gui.files.catalogs import load_shipped_catalog

CATALOG = load_shipped_catalog()
HERE = MeasurementContext(
    model="llama-3.1-8b", accelerator="nvidia-h100-sxm-80gb", devices=1, tensor_parallel=1, weight_precision="fp8",
    engine="vllm", load="closed_loop", concurrency=16.0, prompt_tokens=1000.0, output_tokens=250.0,
)  # fmt: skip
PLAN = Subject(CATALOG.models["llama-3.1-8b"].model, HERE, "serving")


def run(**changes) -> Measurement:
    return Measurement(context=msgspec.structs.replace(HERE, **changes), figures=(figure("tpot", 0.01),))


def distance(**changes) -> float:
    (found,) = nearest(PLAN, [run(**changes)], CATALOG, 1)
    return found.distance


def test_the_same_case_is_at_no_distance_and_differs_in_nothing():
    (found,) = nearest(PLAN, [run()], CATALOG, 1)
    assert (found.distance, found.differences) == (0.0, ())


def test_a_model_of_the_same_architecture_is_no_other_model():
    assert distance(model="llama-3-8b") == 0.0
    assert distance(model="llama-3.1-70b") > 1.0


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"devices": 2, "tensor_parallel": 2, "concurrency": 32.0}, 1.0),
        ({"concurrency": 32.0}, 0.5),
        ({"prompt_tokens": 4000.0}, 0.5),
        ({"engine": "sglang"}, 0.5),
        ({"weight_precision": "bf16", "engine": "sglang"}, 1.0),
    ],
)
def test_what_differs_adds_up(changes, expected):
    assert distance(**changes) == pytest.approx(expected)


def test_another_accelerator_is_farther_the_more_its_bandwidth_differs():
    assert 1.0 < distance(accelerator="nvidia-h200-sxm-141gb") < distance(accelerator="nvidia-l4")


def test_nearest_come_first_with_what_differs_named():
    runs = [run(engine="sglang", concurrency=256.0), run(concurrency=20.0), run(model="llama-3.1-70b")]
    found = nearest(PLAN, runs, CATALOG, 3)
    assert [one.index for one in found] == [1, 0, 2] or [one.index for one in found] == [1, 2, 0]
    assert found[[one.index for one in found].index(0)].differences == ("concurrency", "engine")


def test_a_sweep_does_not_fill_the_answer():
    runs = [run(concurrency=float(2**step)) for step in range(9)] + [run(engine="sglang", concurrency=512.0)]
    found = nearest(PLAN, runs, CATALOG, 4)
    assert len(found) == 4
    assert found[-1].index == 9


def test_training_and_runs_without_context_are_left_out():
    trained = Measurement(context=HERE, figures=(figure("step_time", 1.0),))
    assert nearest(PLAN, [trained, run(weight_precision="")], CATALOG, 5) == ()
