"""What separate pools add is found again in pools that were made with it, and no group tells about itself."""

from __future__ import annotations

import numpy as np
import pytest

from gpuplanner_gui.domain.benchmark import PoolLayout, ServingCase
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.files.benchmark_rows.question import RowQuestion
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from tools.fit_serving.pools import PoolFacts, PoolProblem, all_pool_facts, left_out_facts, left_out_logs, predicted_s
from tools.fit_serving.tables import MeasuredCase

MADE_WITH = PoolFacts(entry_s=0.2, group_time=1.3, acceptance=0.7, four_bit_time=0.9)


@pytest.fixture(scope="module")
def context() -> Context:
    return Context(load_shipped_catalog(), load_calibration())


def pools(context: Context) -> list[ServingCase]:
    model = context.catalog.models["deepseek-v3"].model
    layouts = (PoolLayout(tensor_parallel=8, expert_parallel=8, replicas=2.0),
               PoolLayout(data_parallel=8, expert_parallel=8, replicas=2.0))  # fmt: skip
    return [
        ServingCase(
            case_id=f"{drafts} {concurrency} {layout.data_parallel}",
            model=model,
            accelerator="nvidia-gb200",
            engine="trtllm",
            load="disaggregated",
            layout=layout,
            prefill_layout=PoolLayout(data_parallel=4, expert_parallel=4),
            dense_format="nvfp4",
            prompt_tokens=1024.0,
            output_tokens=1024.0,
            concurrency=float(concurrency),
            draft_tokens=drafts,
            metrics=("ttft_mean", "tpot_mean"),
        )
        for drafts in (0, 3)
        for concurrency in np.geomspace(4, 4096, 62).round()
        for layout in layouts
    ]


def problem(context: Context, facts: PoolFacts) -> PoolProblem:
    """Pools measured as engines with these facts run them, in two groups."""
    engine = context.calibration.engine("trtllm")
    cases = pools(context)
    rows = [MeasuredCase(case, (), "", {}) for case in cases]
    both = np.array(predicted_s(rows, engine, facts, context)) * 1e3
    made = tuple(
        MeasuredCase(
            case,
            tuple(
                RowQuestion(case.case_id, name, "ms", f"{name[:4]}_mean", 1e3, float(value))
                for name, value in zip(("ttft_ms", "tpot_ms"), values)
            ),
            f"group {index // 2 % 2}",
            {},
        )
        for index, (case, values) in enumerate(zip(cases, both.T))
    )
    return PoolProblem(engine, made, made)


def test_facts_are_found_again(context):
    found = all_pool_facts([problem(context, MADE_WITH)], context)["trtllm"]
    assert found.group_time == pytest.approx(1.3, rel=0.02)
    assert found.acceptance == pytest.approx(0.7, abs=0.03)
    assert found.entry_s == pytest.approx(0.2, rel=0.15)
    assert found.four_bit_time == pytest.approx(0.9, rel=0.02)


def test_engines_without_pools_take_the_usual_ones(context):
    found = all_pool_facts([problem(context, MADE_WITH)], context)
    assert found["vllm"] == found["trtllm"]


def test_a_group_is_predicted_from_the_other(context):
    made = problem(context, MADE_WITH)
    other = problem(context, PoolFacts(0.2, 2.0, 0.7, 0.9))
    mixed = PoolProblem(
        made.engine,
        tuple(a if a.group == "group 0" else b for a, b in zip(made.cases, other.cases)),
        made.plain,
    )
    logs = left_out_logs([mixed], left_out_facts([mixed], context), context)["trtllm"][1]
    ratio = np.exp(np.log(mixed.measured_s[1]) - logs)
    group_zero = np.array([one.group == "group 0" for one in mixed.cases])
    in_groups = np.array([one.case.layout.data_parallel > 1 for one in mixed.cases])
    assert np.median(ratio[in_groups & group_zero]) < 0.75
    assert np.median(ratio[in_groups & ~group_zero]) > 1.3
