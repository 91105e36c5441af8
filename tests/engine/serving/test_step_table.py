"""The simulation's table of step times says what the serving model says."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.model.precision import PRECISIONS
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.deployments import deployments_of
from gpuplanner_gui.engine.serving.operation import StepWork
from gpuplanner_gui.engine.serving.step import step_times
from gpuplanner_gui.engine.serving.tabulated import UsualWork, deployment_steps
from gpuplanner_gui.engine.simulation.step_time import step_table

USUAL = UsualWork(context_tokens=1200.0, chunk_tokens=700.0, cached_tokens=0.0)
BUDGET, SEQUENCES = 2048, 128


@pytest.fixture(scope="module", params=[("nvidia-h100-sxm-80gb", 1), ("amd-mi300x", 2)], ids=["h100", "mi300x-tp2"])
def replica(request, catalog, calibration, llama_8b):
    device, tp = request.param
    context = context_of(catalog, calibration)
    chosen = ServingCandidates(
        *(
            np.array([number])
            for number in (context.devices.ids.index(device), tp, 1, PRECISIONS.index("bf16"), PRECISIONS.index("bf16"))
        )
    )
    engine = calibration.engine("vllm")
    return deployments_of(llama_8b, context, engine, chosen, 0.9, float(BUDGET), float(SEQUENCES))


def exact(replica, decoding, context, prefill=0.0, prompts=0.0, cached=0.0):
    work = StepWork(*(np.array([float(number)]) for number in (decoding, context, prefill, prompts, cached)))
    return float(step_times(replica.operations, work, replica.replica, replica.engine).total[0])


def table_of(replica, usual=USUAL):
    return step_table(deployment_steps(replica, usual, BUDGET, SEQUENCES), SEQUENCES, BUDGET)


def test_steps_with_few_prompt_tokens_run_from_graphs(replica):
    engine = replica.engine
    eager = msgspec.structs.replace(engine, captured_tokens=0)
    assert engine.captured_tokens > 0
    few, many = (np.array([engine.captured_tokens - 8.0 + more]) for more in (0.0, 16.0))

    def seconds(tokens, facts):
        work = StepWork(np.array([4.0]), np.array([500.0]), tokens, np.ones(1), np.zeros(1))
        return float(step_times(replica.operations, work, replica.replica, facts).total[0])

    assert seconds(few, engine) < seconds(few, eager)
    assert seconds(many, engine) == seconds(many, eager)
    assert seconds(few, engine) < seconds(many, engine)


@pytest.mark.parametrize("decoding", [1, 5, 16, 64, 100, 128])
@pytest.mark.parametrize("context", [600.0, 1200.0, 1800.0])
def test_decode_steps_are_those_of_the_serving_model(replica, decoding, context):
    table = table_of(replica)
    tabulated = table.decode_s[decoding] + table.kv_token_s[decoding] * decoding * context
    assert tabulated == pytest.approx(exact(replica, decoding, context), rel=0.01)


@pytest.mark.parametrize(("decoding", "prefill"), [(0, 700), (16, 700), (100, 700), (16, 500), (64, 1400), (0, 2048)])
def test_steps_with_prompts_are_those_of_the_serving_model(replica, decoding, prefill):
    table = table_of(replica)
    prompts = max(1.0, prefill / 700)
    pairs = prompts * (prefill / prompts) ** 2 / 2
    tabulated = (
        table.mixed_s[min(decoding + prefill, BUDGET)]
        + table.mixed_sequences_s[decoding]
        + table.kv_token_s[decoding] * decoding * 1200.0
        + table.attention_pair_s * pairs
    )
    expected = exact(replica, decoding, 1200.0, prefill, prompts)
    assert tabulated == pytest.approx(expected, rel=0.02 if prefill == 700 else 0.1)


def test_later_chunks_of_long_prompts_cost_what_the_serving_model_says(replica):
    usual = UsualWork(context_tokens=9000.0, chunk_tokens=2048.0, cached_tokens=4096.0)
    table = table_of(replica, usual)
    pairs = 2048 * (4096 + 1024)
    tabulated = table.mixed_s[2048] + table.kv_token_s[0] * 4096 + table.attention_pair_s * pairs
    assert tabulated == pytest.approx(exact(replica, 0, 0, 2048, 1, 4096), rel=0.02)


def test_more_work_never_takes_less(replica):
    table = table_of(replica)
    assert (np.diff(table.mixed_s) >= 0).all()
    busy = np.array(table.decode_s) + np.array(table.kv_token_s) * np.arange(len(table.decode_s)) * 1200.0
    assert (np.diff(busy[1:]) > 0).all()
    assert min(table.mixed_s) > 0
