"""llama.cpp in a plan is as fast as it was published to be, by family of devices; other engines keep their own fit."""

from __future__ import annotations

import numpy as np
import pytest

from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.traffic import Traffic
from gpuplanner_gui.domain.workload import EngineSettings, RequestClass, ServingEngine, ServingWorkload, Slo
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.explaining.replay import explain
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration

CATALOG, CALIBRATION = load_shipped_catalog(), load_calibration()
PUBLISHED = {
    # Tokens a second of an 8B in four bits, decoded and prefilled, one sequence: XiongjieDai, GPU-Benchmarks-on-LLM-
    # Inference (llama.cpp, Llama 3 8B Q4_K_M, 512 or 1,024 tokens).
    "nvidia-rtx-3090": (111.7, 3865.0),
    "nvidia-rtx-a6000": (102.2, 3621.0),
    "nvidia-rtx-4090": (127.7, 6898.0),
    "apple-m1-max": (34.5, 355.0),
    "apple-m2-ultra": (76.3, 1024.0),
}


def alone(accelerator: str, engine: ServingEngine = "llama_cpp", model: str = "llama-3.1-8b") -> tuple[Scenario, Plan]:
    """One person on one device."""
    one = RequestClass(
        peak_rate_per_s=1.0, prompt_tokens=1024.0, output_tokens=128.0,
        slos=(Slo(metric="e2e", percentile=95.0, limit_s=1e5),),
    )  # fmt: skip
    scenario = Scenario(
        name=accelerator, model=CATALOG.models[model].model,
        serving=ServingWorkload(
            classes=(one,), weight_precisions=("int4",), kv_precisions=("bf16",),
            traffic=Traffic(arrivals="users", users=1.0, think_time_s=5.0),
            engine=EngineSettings(engine=engine, max_sequences=1),
        ),
        hardware=HardwareChoice(
            accelerators=(accelerator,), licensed_for_data_centres=False, include_end_of_life=True,
            max_devices_per_replica=1,
        ),
    )  # fmt: skip
    return scenario, plan(scenario, CATALOG, CALIBRATION)


def speeds(found: Plan) -> tuple[float, float]:
    """Tokens a second, decoded and prefilled."""
    assert found.serving is not None
    table, row = found.serving.table, int(found.serving.table.order[0])
    return 1.0 / float(table.tpot_mean_s[row]), 1024.0 / float(table.prefill_s[row])


@pytest.mark.parametrize("accelerator", PUBLISHED)
def test_one_sequence_is_as_fast_as_published(accelerator):
    decoded, prefilled = speeds(alone(accelerator)[1])
    assert decoded == pytest.approx(PUBLISHED[accelerator][0], rel=0.2)
    assert prefilled == pytest.approx(PUBLISHED[accelerator][1], rel=0.3)


def test_a_card_with_more_bandwidth_is_not_slower_than_its_sister():
    assert speeds(alone("nvidia-rtx-3090")[1])[0] > speeds(alone("nvidia-rtx-a6000")[1])[0]


def test_prefill_on_processors_is_far_below_the_peak_of_their_matrix_units():
    # By hand: 2 · 8.03e9 FLOPs a token; AMX of a Xeon 8480+ does 0.11 PFLOP/s in 16 bits.
    peak = CATALOG.accelerators["intel-xeon-8480plus"].peak_flop_per_s("bf16")
    assert peak is not None
    _, prefilled = speeds(alone("intel-xeon-8480plus")[1])
    assert 0.08 < 2 * 8.03e9 * prefilled / peak < 0.4


def test_why_names_the_published_results():
    scenario, found = alone("apple-m2-ultra")
    assert found.serving is not None
    row = int(found.serving.table.order[0])
    told, sources = [explain(scenario, CATALOG, CALIBRATION, found, "serving", row, "decode_step_s")], []
    while told:
        one = told.pop()
        sources += [one.source] if one.name == "local_factor" else []
        told += one.inputs
    assert sources
    assert all("published results of the software" in one for one in sources)


def test_engines_with_a_fit_of_their_own_are_not_paced_by_stacks():
    assert [CALIBRATION.stacks.token_software(one) for one in ("vllm", "sglang", "trtllm")] == [(), (), ()]
    assert CALIBRATION.stacks.token_software("llama_cpp") == ("llama.cpp", "llama.cpp-2025")
    assert np.isfinite(speeds(alone("nvidia-h100-sxm-80gb", "vllm")[1])).all()
