"""Published rows as questions to the plan: what is asked, by hand; answers belong to `tests/fidelity`."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from gpuplanner_gui.domain.quantity import Range
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from tools.fidelity.plan_path import against_predict, scores, worst_setups
from tools.fidelity.planned_rows import (
    PlannedRow,
    askable,
    is_wide,
    kv_precision,
    loop_rate_per_s,
    planned_row,
    planned_rows,
    scenario_of,
    weight_precision,
)
from tools.fit_serving.tables import MeasuredCase, measured_cases


@pytest.fixture(scope="module")
def context() -> Context:
    return Context(load_shipped_catalog(), load_calibration())


@pytest.fixture(scope="module")
def loops(context: Context) -> list[MeasuredCase]:
    cases, _ = measured_cases("serving", context.catalog, context.calibration)
    return [one for one in cases if one.case.load == "closed_loop"]


@pytest.fixture(scope="module")
def plain(loops: list[MeasuredCase]) -> MeasuredCase:
    """A dense model in FP8 under vLLM on one group of devices."""
    return next(
        one for one in loops
        if one.case.model.kind == "dense_decoder" and one.case.engine == "vllm" and one.case.dense_format == "fp8"
    )  # fmt: skip


def test_a_closed_loops_rate_is_its_users_over_the_time_of_a_request(plain):
    """Eight users; 1 s to the first of 101 tokens, 10 ms for each other one: 2 s. From 80 to 100 tokens: 1.89 s."""
    case = msgspec.structs.replace(plain.case, concurrency=8.0, output_tokens=101.0, shortest_share=1.0)
    assert loop_rate_per_s(case, 1.0, 0.01) == pytest.approx(4.0)
    case = msgspec.structs.replace(case, output_tokens=100.0, shortest_share=0.8)
    assert loop_rate_per_s(case, 1.0, 0.01) == pytest.approx(8.0 / 1.89)


def test_a_scenario_asks_for_the_row_and_nothing_more(plain):
    case = msgspec.structs.replace(plain.case, shortest_share=0.8, prompt_tokens=1000.0, concurrency=300.0)
    scenario = scenario_of(case, 2.5)
    serving = scenario.serving
    assert serving is not None
    (requests,) = serving.classes
    assert requests.peak_rate_per_s == 2.5
    assert requests.prompt_tokens == Range(low=800.0, high=1000.0)
    assert (serving.weight_precisions, serving.kv_precisions) == (("fp8",), ("bf16",))
    assert serving.engine.max_sequences == 300
    assert (serving.availability.spare_replicas, serving.availability.target_utilisation) == (0, 1.0)
    assert scenario.hardware.accelerators == (case.accelerator,)
    assert scenario.hardware.min_memory_headroom == 0.0
    assert scenario.economics.fleets.serving_virtualisation_loss == 0.0


def test_a_format_is_the_experts_and_a_checkpoints_own_where_it_is_finer(loops):
    asked = {
        (one.case.model.weight_format.quantized, one.case.expert_format, weight_precision(one.case)) for one in loops
    }
    assert {("mxfp4", "nvfp4", "mxfp4"), ("fp8", "nvfp4", "nvfp4"), (None, "fp8_block", "fp8")} <= asked
    assert {weight for _, _, weight in asked} == {"bf16", "fp8", "int4", "mxfp4", "nvfp4"}


def test_a_cache_is_in_fp8_where_tensorrt_llm_has_scales_for_it(plain):
    trtllm = msgspec.structs.replace(plain.case, engine="trtllm")
    assert [kv_precision(trtllm, weights) for weights in ("fp8", "nvfp4", "bf16", "mxfp4")] == [
        "fp8",
        "fp8",
        "bf16",
        "bf16",
    ]
    assert kv_precision(plain.case, "fp8") == "bf16"
    assert kv_precision(msgspec.structs.replace(plain.case, kv_precision="fp8"), "bf16") == "fp8"


def test_rows_are_asked_once_wide_layouts_apart(loops):
    narrow, wide = askable(loops), askable(loops, wide=True)
    assert len(narrow) + len(wide) == len(loops)
    assert not any(is_wide(one.case) for one in narrow)
    assert all(is_wide(one.case) for one in wide)
    few = askable(loops, rows_per_setup=2)
    assert {one.case.case_id for one in few} < {one.case.case_id for one in narrow}


def test_the_plan_answers_for_the_rows_layout(plain, context):
    row = planned_row(plain, context)
    assert row.reason == ""
    assert 0.5 < row.plan_tpot_s / row.tpot_s < 2.0
    assert row.low_s < row.plan_tpot_s < row.high_s


def test_users_in_a_loop_keep_one_replica_busy_whatever_was_measured(plain, context):
    case = msgspec.structs.replace(plain.case, concurrency=8.0)
    row = planned_row(replace(plain, case=case), context, by_users=True)
    assert row.replicas == 1.0
    slower = tuple(replace(question, measured=9.0 * question.measured) for question in plain.questions)
    again = planned_row(replace(plain, case=case, questions=slower), context, by_users=True)
    assert again.plan_tpot_s == row.plan_tpot_s


def test_a_layout_that_cannot_be_is_refused_with_its_reason(plain, context):
    odd = msgspec.structs.replace(plain.case, layout=msgspec.structs.replace(plain.case.layout, tensor_parallel=3))
    assert planned_row(replace(plain, case=odd), context).reason.startswith("heads_not_divisible")


def test_scores_by_hand(plain):
    """Errors of 10, 20 and 60 %, all too slow; two of three in the band; one needs two replicas; one refused."""
    case = msgspec.structs.replace(plain.case, concurrency=4.0)

    def row(plan_tpot_s: float, replicas: float = 1.0) -> PlannedRow:
        one = replace(plain, case=case)
        return PlannedRow(one, "fp8", 1.0, 0.010, 0.1, "", plan_tpot_s, 0.15, 0.009, plan_tpot_s, replicas)

    rows = [row(0.011), row(0.012), row(0.016, replicas=2.0)]
    rows[2] = replace(rows[2], low_s=0.0105)
    refused = PlannedRow(plain, "fp8", 1.0, 0.010, 0.1, "does_not_fit (fp8)")
    count, answered, median, late, bias, held, carried, first, few = scores([*rows, refused])
    assert (count, answered, median, bias) == ("4", "3", "20.0 %", "20.0 %")
    assert late == "52.0 %"
    assert (held, carried, first, few) == ("66.7 %", "66.7 %", "50.0 %", "50.0 %")
    assert scores([refused])[:3] == ["1", "0", "–"]
    assert worst_setups([*rows, refused])[0][1:] == ["3", "1.20", "66.7 %"]


def test_the_plan_is_held_against_predict_on_the_same_rows(plain, context):
    (row,) = planned_rows([plain], context)
    assert row.plan_tpot_s == planned_row(plain, context).plan_tpot_s
    assert 0.4 < row.plan_tpot_s / row.predict_tpot_s < 2.0, "its rate takes two replicas"
    assert 0.0 < row.utilisation < 1.0
    off = [replace(row, plan_tpot_s=0.012, predict_tpot_s=0.010, utilisation=0.9),
           replace(row, plan_tpot_s=0.0105, predict_tpot_s=0.010, utilisation=0.5)]  # fmt: skip
    everywhere, idle = against_predict(off)
    assert everywhere[1:3] == ["2", "12.5 %"]
    assert idle[1:] == ["1", "5.0 %", "5.0 %", "0.0 %", "100.0 %"]
