"""The target that a verdict tells: the latency beside it, and what would meet it."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from gpuplanner_gui import api
from gpuplanner_gui.domain.scenario import HardwareChoice, Project, Scenario
from gpuplanner_gui.domain.workload import EngineSettings, RequestClass, ServingWorkload, Slo
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.words.target_text import target_text
from gpuplanner_gui.drawing.words.verdict import verdicts
from gpuplanner_gui.files.catalogs import load_shipped_catalog

pytestmark = pytest.mark.usefixtures("short_simulations")


def planned(limit_s: float, **engine: object) -> Results:
    asked = RequestClass(
        peak_rate_per_s=20.0, prompt_tokens=500.0, output_tokens=100.0,
        slos=(Slo(metric="ttft", percentile=95.0, limit_s=limit_s),),
    )  # fmt: skip
    scenario = Scenario(
        name="8B", model=load_shipped_catalog().models["llama-3.1-8b"].model,
        serving=ServingWorkload(
            classes=(asked,), weight_precisions=("bf16",), engine=msgspec.structs.replace(EngineSettings(), **engine)
        ),
        hardware=HardwareChoice(accelerators=("nvidia-h100-sxm-80gb",), max_devices_per_replica=1),
    )  # fmt: skip
    (results,) = api.plan(Project(name="p", scenarios=(scenario,)))
    return results


def test_full_batches_that_miss_are_told_to_be_smaller() -> None:
    """Shorter prompts fill no batch. What is told is the best of all loads, and not that of the lowest: days."""
    (words,) = verdicts(planned(0.3, batching="static", max_sequences=128))
    assert "s at best (" in words.detail
    assert "make the largest batch smaller, or choose a batching that does not wait for full batches" in words.advice
    assert "prompts" not in words.advice


def test_a_fleet_that_the_simulation_finds_enough_is_told_within_its_target() -> None:
    """Never is a target told as met beside a latency over it: the quick estimate is told as such."""
    results = planned(1.0)
    answer = results.plan.serving
    assert answer is not None
    assert answer.simulation_of_best is not None
    assert "target 1 s at 20 req/s" in target_text(results, answer)
    late = msgspec.structs.replace(answer, target_latency_s=(1.25,))
    told = replace(results, plan=msgspec.structs.replace(results.plan, serving=late))
    assert target_text(told, late) == "TTFT p95 within 1 s (simulated; 1.25 s by the quick estimate) at 20 req/s"
