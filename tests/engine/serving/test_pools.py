"""Separate prefill and decode pools: in the search, in numbers that hang together, and in the simulation."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.economics import Economics
from gpuplanner_gui.domain.model import Precision
from gpuplanner_gui.domain.plan import Plan, Reason, ServingTable
from gpuplanner_gui.domain.quantity import Range
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.traffic import Traffic
from gpuplanner_gui.domain.workload import (
    EngineSettings,
    RequestClass,
    ServingEngine,
    ServingPools,
    ServingWorkload,
    Slo,
)
from gpuplanner_gui.engine.context import Context, context_of
from gpuplanner_gui.engine.decision.serving_response import load_result, serving_response
from gpuplanner_gui.engine.decision.uncertain_inputs import UncertainInputs
from gpuplanner_gui.engine.explaining.replay import explain
from gpuplanner_gui.engine.model.precision import PRECISION_INDEX
from gpuplanner_gui.engine.planning import plan
from gpuplanner_gui.engine.serving.candidates import (
    USUAL_WEIGHT_PRECISIONS,
    ServingCandidates,
    even_tensor_parallel,
    searched_weight_precisions,
)
from gpuplanner_gui.engine.serving.curves import load_curve, serving_candidate
from gpuplanner_gui.engine.serving.plan import planned, serving_plan
from gpuplanner_gui.engine.serving.resizing import base_replicas_of
from gpuplanner_gui.engine.serving.search_variants import (
    DRAFT_TOKENS,
    MOST_GROUPS,
    drafts_tried,
    searched_candidates,
    tries_pools,
)
from gpuplanner_gui.engine.simulation.candidate_load import candidate_service
from gpuplanner_gui.engine.simulation.step_time import USUAL_ACCEPTANCE, acceptance_of
from gpuplanner_gui.files.catalogs import load_catalog
from gpuplanner_gui.files.knowledge import load_calibration

CATALOG, CALIBRATION = load_catalog(), load_calibration()
CONTEXT = context_of(CATALOG, CALIBRATION)
H200 = "nvidia-h200-sxm-141gb"


def scenario(
    model: str = "deepseek-v3", pools: ServingPools = "auto", rate: float = 20.0, engine: str = "sglang",
    formats: tuple[Precision, ...] = ("fp8",), drafts: int | None = 0, **workload: object,
) -> Scenario:  # fmt: skip
    slos = (Slo(metric="ttft", percentile=95, limit_s=2.0), Slo(metric="tpot", percentile=95, limit_s=0.05))
    serving = ServingWorkload(
        classes=(RequestClass(peak_rate_per_s=rate, prompt_tokens=2000.0, output_tokens=500.0, slos=slos),),
        engine=EngineSettings(engine=engine, max_sequences=1024, speculative_tokens=drafts),  # type: ignore[arg-type]
        weight_precisions=formats,
        pools=pools,
        **workload,  # type: ignore[arg-type]
    )
    hardware = HardwareChoice(accelerators=(H200,), include_end_of_life=True)
    return Scenario(
        name="s", model=CATALOG.models[model].model, serving=serving, hardware=hardware, economics=Economics()
    )


@pytest.fixture(scope="module")
def context() -> Context:
    return context_of(CATALOG, CALIBRATION)


@pytest.fixture(scope="module")
def answer() -> Plan:
    return plan(scenario(), CATALOG, CALIBRATION)


def table_of(found: Plan) -> ServingTable:
    assert found.serving is not None
    return found.serving.table


def apart(table: ServingTable) -> np.ndarray:
    return np.flatnonzero(table.prefill_workers > 0)


def test_large_mixtures_are_tried_with_pools_and_others_when_asked() -> None:
    assert tries_pools(scenario(), CONTEXT)
    assert not tries_pools(scenario(pools="together"), CONTEXT)
    assert not tries_pools(scenario("llama-3.1-8b"), CONTEXT)
    assert tries_pools(scenario("llama-3.1-8b", "separate"), CONTEXT)
    assert not tries_pools(scenario(engine="llama_cpp", pools="separate"), CONTEXT)
    assert not tries_pools(scenario(traffic=Traffic(arrivals="users", users=50.0)), CONTEXT)


def test_an_engine_with_options_for_pools_and_drafts_is_tried_with_them() -> None:
    """What an engine can be told of stands with its launcher alone."""
    vllm, llama = (next(one for one in CALIBRATION.launchers if one.id == name) for name in ("vllm", "llama_cpp"))
    for missing in ("", "pool_role", "mtp_drafts"):
        flags = tuple(one for one in vllm.flags if one.setting != missing)
        launchers = (msgspec.structs.replace(llama, flags=flags),)
        context = context_of(CATALOG, msgspec.structs.replace(CALIBRATION, launchers=launchers))
        asked = scenario(engine="llama_cpp", pools="separate", drafts=None)
        assert tries_pools(asked, context) == (not missing)
        assert drafts_tried(asked, context) == (() if missing else DRAFT_TOKENS)


def test_four_bits_of_the_checkpoint_are_searched_unless_formats_are_chosen() -> None:
    model = CATALOG.models["gpt-oss-120b"].model
    assert model.weight_format.quantized == "mxfp4"
    usual = ServingWorkload(classes=(RequestClass(peak_rate_per_s=1.0),))
    assert searched_weight_precisions(usual, model) == ("bf16", "fp8", "int8", "int4", "mxfp4")
    chosen = msgspec.structs.replace(usual, weight_precisions=("fp8",))
    assert searched_weight_precisions(chosen, model) == ("fp8",)
    # Neither another order nor one more of them takes any away.
    for formats in (USUAL_WEIGHT_PRECISIONS[::-1], ("fp16", *USUAL_WEIGHT_PRECISIONS)):
        stated = msgspec.structs.replace(usual, weight_precisions=formats)
        assert searched_weight_precisions(stated, model) == (*formats, "mxfp4")
    assert searched_weight_precisions(usual, CATALOG.models["llama-3.1-8b"].model) == usual.weight_precisions


def test_four_bits_of_other_published_checkpoints_are_searched_where_devices_have_units_for_them() -> None:
    """DeepSeek-V3 is FP8; NVIDIA publishes it in NVFP4 and AMD in MXFP4."""
    asked = scenario(formats=USUAL_WEIGHT_PRECISIONS)
    found, pruned = searched_candidates(msgspec.structs.replace(asked, hardware=HardwareChoice()), CONTEXT)
    assert pruned == 0

    def devices_in(name: str) -> set[str]:
        return {CONTEXT.devices.ids[one] for one in found.accelerator[found.weight_precision == PRECISION_INDEX[name]]}

    assert "nvidia-b200-sxm-180gb" in devices_in("nvfp4")
    assert "amd-mi355x" in devices_in("mxfp4")
    assert not {H200, "amd-mi300x"} & (devices_in("nvfp4") | devices_in("mxfp4"))
    assert H200 in devices_in("fp8")


def test_tensor_parallelism_that_is_no_power_of_two() -> None:
    """GLM-4.5 has 96 heads over 8 KV heads; 24 devices hold four heads each, and three of them one KV head."""
    assert even_tensor_parallel(CATALOG.models["glm-4.5"].model) == (24, 48)
    assert even_tensor_parallel(CATALOG.models["llama-3.1-8b"].model) == ()
    stated = msgspec.structs.replace(scenario("gpt3-175b", "together").serving, tensor_parallel=12)
    asked = msgspec.structs.replace(
        scenario("gpt3-175b", "together"), serving=stated, hardware=HardwareChoice(accelerators=("nvidia-gb200",))
    )
    table = table_of(plan(asked, CATALOG, CALIBRATION))
    assert set(table.tensor_parallel.tolist()) == {12}
    assert table.fits.any()


def stated_sizes(model: str, accelerator: str, **sizes: int) -> ServingTable:
    """Rows of a plan whose layout is stated, of one accelerator and one format, for one pool."""
    asked = scenario(model, "together")
    assert asked.serving is not None
    serving = msgspec.structs.replace(asked.serving, weight_precisions=("fp8",), kv_precisions=("bf16",), **sizes)
    hardware = HardwareChoice(accelerators=(accelerator,), max_devices_per_replica=8)
    found = table_of(plan(msgspec.structs.replace(asked, serving=serving, hardware=hardware), CATALOG, CALIBRATION))
    here = np.flatnonzero(found.reason != Reason.EXCLUDED)
    return msgspec.structs.replace(
        found,
        **{name: getattr(found, name)[here] for name in (
            "tensor_parallel", "attention_data_parallel", "expert_parallel", "devices_per_replica", "reason",
            "decode_interconnect_s",
        )},
    )  # fmt: skip


def test_a_stated_layout_is_answered_beyond_the_scale_up_domain_and_pays_its_network() -> None:
    """H200 has eight devices in a domain; 16 talk over the network, in two levels, several times as long."""
    within, beyond = (
        stated_sizes("deepseek-v3", "nvidia-h200-sxm-141gb", tensor_parallel=size, expert_parallel=size)
        for size in (8, 16)
    )
    for table, size in ((within, 8), (beyond, 16)):
        assert table.reason.tolist() == [Reason.NONE]
        assert (table.tensor_parallel[0], table.expert_parallel[0], table.devices_per_replica[0]) == (size, size, size)
    assert beyond.decode_interconnect_s[0] > 2 * within.decode_interconnect_s[0]


def test_stated_attention_groups_may_cut_every_expert_over_all_devices() -> None:
    table = stated_sizes("deepseek-v3", "nvidia-h200-sxm-141gb", attention_data_parallel=8, expert_parallel=1)
    usual = table.tensor_parallel == 1
    assert set(table.attention_data_parallel.tolist()) == {8}
    assert set(table.expert_parallel.tolist()) == {1}
    assert table.reason[usual].tolist() == [Reason.NONE]


def test_an_engine_that_spreads_experts_over_all_devices_refuses_some_of_them() -> None:
    asked = scenario("deepseek-v3", "together", engine="vllm")
    assert asked.serving is not None
    expected: tuple[tuple[ServingEngine, Reason], ...] = (
        ("vllm", Reason.EXPERTS_NOT_OVER_ALL),
        ("sglang", Reason.NONE),
    )
    for engine, reason in expected:
        settings = EngineSettings(engine=engine)
        serving = msgspec.structs.replace(asked.serving, engine=settings, tensor_parallel=8, expert_parallel=4)
        stated = msgspec.structs.replace(asked, serving=serving, hardware=HardwareChoice(accelerators=(H200,)))
        table = table_of(plan(stated, CATALOG, CALIBRATION))
        here = (table.reason != Reason.EXCLUDED) & (table.expert_parallel == 4)
        assert reason in table.reason[here].tolist()


def test_attention_groups_of_a_model_without_experts_keep_their_reason() -> None:
    table = stated_sizes("llama-3.1-8b", "nvidia-h200-sxm-141gb", tensor_parallel=1, attention_data_parallel=8)
    assert table.reason.tolist() == [Reason.EXPERTS_NOT_DIVISIBLE]


def test_only_the_most_promising_pairs_are_tried_and_the_others_are_counted(answer: Plan) -> None:
    assert answer.serving is not None
    table = table_of(answer)
    assert 0 < len(apart(table)) == answer.serving.pool_pairs <= MOST_GROUPS * 6
    assert answer.serving.pool_pairs_left_out > 0
    together = plan(scenario(pools="together"), CATALOG, CALIBRATION)
    assert len(table_of(together).order) == len(table.order) - len(apart(table))
    assert sorted(table.order.tolist()) == list(range(len(table.order)))


def test_devices_of_a_unit_are_those_of_both_pools(answer: Plan) -> None:
    table = table_of(answer)
    rows = apart(table)
    prefill = table.prefill_tensor_parallel * table.prefill_data_parallel * table.prefill_workers
    decode = table.tensor_parallel * table.pipeline_parallel * table.attention_data_parallel * table.decode_workers
    assert np.array_equal(table.devices_per_replica[rows], (prefill + decode)[rows])
    known = rows[np.isfinite(table.replicas[rows])]
    assert np.allclose(table.devices[known], (table.replicas * table.devices_per_replica)[known])


def test_prompts_do_not_delay_answers_in_a_pool_of_their_own(answer: Plan, context: Context) -> None:
    """Decode steps stay free of prompts: the gap between tokens has hardly a tail."""
    table = table_of(answer)
    rows = apart(table)[table.meets_targets[apart(table)]]
    assert len(rows)
    assert (table.itl_p99_s[rows] < 1.2 * table.tpot_mean_s[rows]).all()
    one = ServingCandidates.of_table(table, rows).together
    mixed = planned(scenario(), context, one, lambda: None).table
    assert (mixed.itl_p99_s > 1.2 * mixed.tpot_mean_s)[np.isfinite(mixed.itl_p99_s)].all()


def test_a_slower_network_takes_longer_for_the_cache_and_never_pays(answer: Plan) -> None:
    slow = msgspec.structs.replace(CATALOG.accelerators[H200], scale_out_bytes_per_s=5e8)
    catalog = msgspec.structs.replace(CATALOG, accelerators=CATALOG.accelerators | {H200: slow})
    table = table_of(answer)
    rows = apart(table)
    chosen = ServingCandidates.of_table(table, rows)
    then = planned(scenario(), context_of(catalog, CALIBRATION), chosen, lambda: None).table
    # 50 GB/s against 0.5: a hundred times as long, where the pools stand apart from each other.
    assert np.allclose(then.transfer_s, 100 * table.transfer_s[rows])
    assert (then.slo_rate_per_s <= table.slo_rate_per_s[rows] * 1.001).all()
    assert (then.slo_rate_per_s <= then.prefill_workers / then.transfer_s * 1.001).all()


def test_cache_of_a_prompt_over_the_link_by_hand(answer: Plan) -> None:
    """61 layers of 576 values; every device of a worker holds the same latent vectors, so that one sends them."""
    table = table_of(answer)
    row = next(one for one in apart(table) if answer.precisions[table.kv_precision[one]] == "bf16")
    assert table.transfer_s[row] == pytest.approx(61 * 576 * 2 * 2000 / 50e9, rel=1e-6)


def test_replayed_rows_say_what_the_plan_says(answer: Plan, context: Context) -> None:
    table = table_of(answer)
    rows = np.array([apart(table)[0], int(np.flatnonzero(table.fits & (table.prefill_workers == 0))[0])])
    assert answer.serving is not None
    base = np.array([base_replicas_of(answer.serving, scenario(), int(row)) for row in rows])
    again = planned(scenario(), context, ServingCandidates.of_table(table, rows), lambda: None, base).table
    for name in ("replicas", "ttft_p95_s", "tpot_mean_s", "devices", "prefill_workers", "usd_per_hour"):
        assert np.allclose(getattr(again, name), getattr(table, name)[rows], rtol=1e-4, equal_nan=True), name
    found = explain(scenario(), CATALOG, CALIBRATION, answer, "serving", int(rows[0]), "ttft_p95_s")
    assert found.value == pytest.approx(float(table.ttft_p95_s[rows[0]]), rel=1e-4)
    assert {one.name for one in found.inputs} == {"prefill_ttft_s", "handover_s"}


def test_the_simulation_of_pools_agrees_with_their_closed_form(answer: Plan, context: Context) -> None:
    table = table_of(answer)
    row = int(next(one for one in table.order if table.prefill_workers[one] > 0))
    curve = load_curve(scenario(), CATALOG, CALIBRATION, answer, row)
    service = candidate_service(scenario(), context, serving_candidate(answer, row), 2000, 1)
    for share in (0.2, 0.5):
        rate = share * curve.slo_rate_per_s
        run = service.run(rate)
        tpot = (run.finish_s - run.first_token_s) / (run.requests.output_tokens - 1)
        ttft = run.first_token_s - run.sent_s
        at = np.argmin(np.abs(curve.rates_per_s - rate))
        assert tpot.mean() == pytest.approx(curve.tpot_s["mean"][at], rel=0.1)
        # Under load the closed form has prompts wait longer than they do.
        assert 0.5 * curve.ttft_s["mean"][at] < ttft.mean() < 1.1 * curve.ttft_s["mean"][at]


def test_four_times_the_load_takes_about_four_times_the_units(context: Context, answer: Plan) -> None:
    table = table_of(answer)
    row = np.array([next(one for one in table.order if table.prefill_workers[one] > 0)])
    chosen = ServingCandidates.of_table(table, row)
    few, many = (planned(scenario(rate=rate), context, chosen, lambda: None).table for rate in (50.0, 200.0))
    assert 3 * (few.replicas[0] - 1) <= many.replicas[0] - 1 <= 4 * (few.replicas[0] - 1)


def test_uncertainty_asks_the_pools_and_not_one_pool_of_the_decode_layout(answer: Plan, context: Context) -> None:
    table = table_of(answer)
    row = int(next(one for one in table.order if table.prefill_workers[one] > 0))
    other = int(next(one for one in table.order if table.prefill_workers[one] == 0))
    rows = np.array([row, other])
    inputs = UncertainInputs(
        {"prompt_length": Range(low=0.5, high=2.0)}, {"prompt_length": (0.1, 10.0)}, {}, {"prompt_length": 1.0}
    )
    found = serving_response(scenario(), context, table, rows, inputs, lambda: None)
    assert np.allclose(found.slo_load, table.slo_rate_per_s[rows], rtol=0.01)
    assert np.allclose(found.capacity_per_s, table.max_rate_per_s[rows], rtol=0.01)
    assert (np.diff(found.slower[0].at(np.array([1.0, 1.35, 2.0]))[0]) < 0).all()
    assert (np.diff(found.responses[load_result(0)]["prompt_length"].at(np.array([0.5, 1.0, 2.0]))[0]) < 0).all()


@pytest.mark.parametrize("tpot_limit_s", [0.05, 0.5])
def test_machines_that_are_faster_never_carry_less(answer: Plan, context: Context, tpot_limit_s: float) -> None:
    table = table_of(answer)
    rows = apart(table)[:8]
    slos = (Slo(metric="ttft", percentile=95, limit_s=2.0), Slo(metric="tpot", percentile=95, limit_s=tpot_limit_s))
    asked = scenario()
    assert asked.serving is not None
    classes = (msgspec.structs.replace(asked.serving.classes[0], slos=slos),)
    serving = msgspec.structs.replace(asked.serving, classes=classes)
    found = serving_response(
        msgspec.structs.replace(asked, serving=serving),
        context,
        table,
        rows,
        UncertainInputs({}, {}, {}, {}),
        lambda: None,
    )
    # The rate of machines that take so many times as long for a step, over the planned rate.
    for slower in found.slower:
        assert (np.diff(slower.ratios, axis=0) <= 1e-9).all()
        assert (slower.ratios[0] >= 1.0).all()


def test_each_group_of_attention_holds_its_own_caches(answer: Plan) -> None:
    """The latent vectors of a sequence are 61 × 576 values, on every device of its group."""
    table = table_of(answer)
    known = np.flatnonzero((table.attention_data_parallel == 8) & (table.batch > 1))
    row = next(one for one in known if answer.precisions[table.kv_precision[one]] == "bf16")
    each = table.batch[row] / 8 * 61 * 576 * 2 * 2250
    assert table.kv_cache_bytes[row] == pytest.approx(min(each, table.kv_pool_bytes[row]), rel=1e-6)


def test_the_curve_of_pools_falls_to_an_idle_unit(answer: Plan) -> None:
    row = int(next(one for one in table_of(answer).order if table_of(answer).prefill_workers[one] > 0))
    curve = load_curve(scenario(), CATALOG, CALIBRATION, answer, row)
    assert (np.diff(curve.tpot_s["mean"]) > 0).all()
    assert (np.diff(curve.batch) > 0).all()


def test_mtp_layers_are_searched_and_kept_where_they_pay() -> None:
    """DeepSeek-V3 brings a layer that drafts: with its number left open both ways compete, each as if it were stated;
    a number of the planner's own is final."""
    found = serving_plan(scenario(drafts=None), CONTEXT, lambda: None)
    table = found.table
    assert set(table.draft_tokens.tolist()) == {0, *DRAFT_TOKENS}
    assert found.drafted == np.count_nonzero(table.draft_tokens)
    for drafts in (0, 3):
        row = next(one for one in table.order if table.draft_tokens[one] == drafts and table.fits[one])
        again = planned(
            scenario(drafts=drafts), CONTEXT, ServingCandidates.of_table(table, np.array([row])), lambda: None
        )
        for name in ("tpot_mean_s", "ttft_p95_s", "usd_per_hour", "weights_bytes", "draft_gain"):
            assert getattr(again.table, name)[0] == pytest.approx(getattr(table, name)[row], nan_ok=True), name
    assert set(serving_plan(scenario(drafts=2), CONTEXT, lambda: None).table.draft_tokens.tolist()) == {2}
    assert drafts_tried(scenario("gpt-oss-120b", drafts=None), CONTEXT) == ()


@pytest.mark.parametrize(("model", "rate"), [("deepseek-v3", 20.0), ("deepseek-v3", 80.0), ("glm-5", 20.0)])
def test_the_number_of_drafts_left_open_costs_no_more_than_any_that_is_stated(model: str, rate: float) -> None:
    """Layouts were tried with drafts for their saturated rate alone, and those cheapest within the targets weren't."""

    def usd_per_month(drafts: int | None) -> float:
        asked = scenario(model, rate=rate, drafts=drafts, formats=("fp8", "int4"))
        asked = msgspec.structs.replace(asked, hardware=HardwareChoice())
        found = serving_plan(asked, CONTEXT, lambda: None)
        assert (found.drafted_left_out > 0) is (drafts is None)
        return float(found.table.usd_per_month[found.best])

    assert usd_per_month(None) <= 1.001 * min(usd_per_month(one) for one in (0, *DRAFT_TOKENS))


def test_a_draft_head_brings_its_published_acceptance_unless_the_planner_states_one() -> None:
    model = CATALOG.models["gpt-oss-120b"].model
    assert model.drafts is not None
    assert model.drafts.source
    engine = EngineSettings(speculative_tokens=3)
    assert acceptance_of(engine, model) == model.drafts.acceptance
    assert acceptance_of(msgspec.structs.replace(engine, draft_acceptance=0.5), model) == 0.5
    assert acceptance_of(msgspec.structs.replace(engine, draft_share=0.1), model) == USUAL_ACCEPTANCE
