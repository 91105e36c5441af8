"""The training plan through its door: what is searched, its parts, reasons, ranking and explanations."""

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.economics import Economics
from gpuplanner_gui.domain.field import field_of
from gpuplanner_gui.domain.method import ExplainedValue
from gpuplanner_gui.domain.plan import Reason, TrainingTable
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.engine.explaining.formula import tracing
from gpuplanner_gui.engine.explaining.replay import explained
from gpuplanner_gui.engine.training.plan import replayed, training_plan
from gpuplanner_gui.engine.training.ranking import AS_CHEAP_TO_PAY

from .conftest import (
    DAY_S,
    H100,
    IMAGES,
    LLAMA_8B,
    LLAMA_70B,
    ONE_NODE,
    SMALL_MOE,
    ScenarioMaker,
    fastest,
    never,
)

STEP_PARTS = (
    "compute_s", "bandwidth_s", "tensor_communication_s", "data_communication_s", "pipeline_communication_s",
    "expert_communication_s", "bubble_s", "host_s", "input_s",
)  # fmt: skip
MEMORY_PARTS = (
    "weights_bytes", "gradients_bytes", "master_weights_bytes", "first_moment_bytes", "second_moment_bytes",
    "activation_bytes", "logits_bytes", "runtime_bytes",
)  # fmt: skip


@pytest.fixture(scope="module")
def whole(context, made: ScenarioMaker):
    """Llama 8B over the whole catalogue."""
    return training_plan(made(LLAMA_8B, deadline_s=30 * DAY_S), context, never)


def test_default_search_has_thousands_of_candidates_and_every_accelerator(whole, context):
    assert len(whole.table.order) >= 10_000
    assert set(np.unique(whole.table.accelerator)) == set(range(len(context.devices)))


def test_every_kind_of_parallelism_is_searched(context, made: ScenarioMaker):
    hardware = {"accelerators": (H100,), "training_devices": 64}
    table = training_plan(made(SMALL_MOE, hardware, sequence_length=131_072), context, never).table
    for kind in ("tensor", "pipeline", "data", "context", "expert"):
        assert len(np.unique(getattr(table, f"{kind}_parallel"))) > 1, kind


def test_every_column_has_an_entry_per_candidate_and_is_known_where_it_runs(whole):
    table = whole.table
    count = len(table.order)
    for name in TrainingTable.__struct_fields__:
        column = getattr(table, name)
        assert len(column) == count, name
        unknown = {"paid_devices", "unit_devices", "usd_per_device_hour", "usd_per_run", "usd_per_run_confident",
                   "power_w", "energy_j"}  # fmt: skip
        if name not in unknown:
            assert np.isfinite(np.asarray(column, float)[table.fits]).all(), name


def test_parts_add_up_to_the_step(whole):
    table = whole.table
    total = sum(getattr(table, name) for name in STEP_PARTS)
    np.testing.assert_allclose(total[table.fits], table.step_time_s[table.fits], rtol=1e-12)
    for name in STEP_PARTS:
        assert (getattr(table, name)[table.fits] >= 0).all(), name


def test_what_fits_stays_within_memory_and_headroom_and_the_rest_says_by_how_much(whole):
    table = whole.table
    total = sum(getattr(table, name) for name in MEMORY_PARTS)
    assert (total[table.fits] <= 0.9 * table.memory_capacity_bytes[table.fits] * (1 + 1e-9)).all()
    lacking = table.reason == Reason.DOES_NOT_FIT
    assert lacking.any()
    np.testing.assert_allclose((total - table.memory_capacity_bytes)[lacking], table.reason_value[lacking])


def test_every_candidate_that_is_not_recommended_has_a_reason(whole):
    table = whole.table
    assert (table.reason[~table.meets_targets] != Reason.NONE).all()
    known = (Reason.NONE, Reason.BELOW_CONFIDENCE, Reason.NO_PRICE)
    assert np.isin(table.reason[table.meets_targets], known).all()


def test_ranking_is_by_cost_among_those_that_meet_every_target(whole, context):
    table = whole.table
    is_borne_out = context.prices(Economics(), "rent_on_demand").is_borne_out
    assert sorted(table.order) == list(range(len(table.order)))
    is_good = table.reason == Reason.NONE
    good = table.order[: int(is_good.sum())]
    assert is_good[good].all()
    priced = good[np.isfinite(table.usd_per_run[good])]
    first, last = (priced[is_borne_out[table.accelerator[priced]] == one] for one in (True, False))
    assert list(priced) == [*first, *last]
    for rows in (first, last):
        usd = table.usd_per_run_confident[rows]
        as_good = int((usd <= AS_CHEAP_TO_PAY * usd.min()).sum())
        assert as_good > 1
        assert usd[:as_good].max() <= AS_CHEAP_TO_PAY * usd.min()
        assert (np.diff(table.run_time_s[rows[:as_good]]) >= 0).all()
        assert (np.diff(usd[as_good:]) >= -1e-6 * usd[as_good:-1]).all()
    assert whole.best == good[0]


def test_deadline_and_budget_are_reasons_with_their_ratio(context, made: ScenarioMaker):
    late = training_plan(made(LLAMA_8B, ONE_NODE, deadline_s=DAY_S), context, never).table
    missed = late.reason == Reason.MISSES_DEADLINE
    assert missed.any()
    np.testing.assert_allclose(late.reason_value[missed], late.run_time_s[missed] / DAY_S)
    dear = training_plan(made(LLAMA_8B, ONE_NODE, budget_usd=10.0), context, never).table
    over = dear.reason == Reason.OVER_BUDGET
    assert over.any()
    np.testing.assert_allclose(dear.reason_value[over], dear.usd_per_run[over] / 10.0)


@pytest.mark.parametrize("share", [0.4, 0.9, 1.2])
def test_a_budget_is_missed_on_the_run_that_comes_nearest_to_it_by_its_price(
    context, made: ScenarioMaker, share: float
):
    """No deadline is missed for it: a device without a price, or a late run of four times the cost, is not nearer."""
    choice = {"accelerators": ("amd-mi300x", "amd-mi455x", "nvidia-l40s")}
    wanted = made(LLAMA_8B, choice, deadline_s=30 * DAY_S)
    free = training_plan(wanted, context, never).table
    unpriced = np.isnan(free.usd_per_run) & (free.reason == Reason.NO_PRICE)
    best = int(free.order[0])
    assert unpriced.any()
    assert free.reason[best] == Reason.NONE
    budget = float(free.usd_per_run[best]) * share
    assert budget < free.usd_per_run_confident[free.reason == Reason.NONE].min()
    job = msgspec.structs.replace(wanted.training, budget_usd=budget)
    found = training_plan(msgspec.structs.replace(wanted, training=job), context, never)
    table, row = found.table, found.best
    assert table.accelerator[row] == free.accelerator[best]
    assert table.usd_per_run[row] == pytest.approx(free.usd_per_run[best], rel=0.02)
    assert table.run_time_s[row] < 30 * DAY_S
    wanted_reason, usd = Reason.BELOW_CONFIDENCE, table.usd_per_run_confident[row]
    if share < 1:
        wanted_reason, usd = Reason.OVER_BUDGET, table.usd_per_run[row]
    assert table.reason[row] == wanted_reason
    assert table.reason_value[row] == pytest.approx(usd / budget)


@pytest.mark.parametrize("model", [LLAMA_8B, SMALL_MOE, IMAGES], ids=["dense", "experts", "images"])
def test_a_candidate_replayed_alone_is_the_same(context, made: ScenarioMaker, model):
    scenario = made(model, {"accelerators": (H100,)}, sequence_length=4096)
    plan = training_plan(scenario, context, never)
    chosen = np.flatnonzero(plan.table.fits)[:: max(1, int(plan.table.fits.sum()) // 7)]
    assert len(chosen)
    for candidate in chosen:
        alone = replayed(scenario, context, plan.table, int(candidate))
        for name in TrainingTable.__struct_fields__:
            if name != "order":
                was = np.asarray(getattr(plan.table, name)[candidate], float)
                np.testing.assert_allclose(np.asarray(getattr(alone, name)[0], float), was, rtol=1e-12, err_msg=name)


def test_cost_of_a_run_leads_down_to_peak_price_and_calibration(context, made: ScenarioMaker):
    scenario = made(LLAMA_8B, ONE_NODE)
    plan = training_plan(scenario, context, never)
    with tracing() as trace:
        table = replayed(scenario, context, plan.table, fastest(plan))
    tree = explained(trace, table.usd_per_run, "usd_per_run", field_of(TrainingTable, "usd_per_run").about)
    names, sources = set(), set()

    def walk(node: ExplainedValue) -> None:
        names.add(node.name)
        sources.add(node.source)
        for inner in node.inputs:
            walk(inner)

    walk(tree)
    assert {"peak_flop_per_s", "usd_per_device_hour", "tokens", "efficiency", "sustained", "goodput"} <= names
    assert any(source.startswith("catalogue") for source in sources)
    assert any(source.startswith("training calibration") for source in sources)


def test_every_shown_figure_of_a_running_candidate_can_be_explained(context, made: ScenarioMaker):
    scenario = made(LLAMA_70B, {"accelerators": (H100,), "training_devices": 64})
    plan = training_plan(scenario, context, never)
    with tracing() as trace:
        table = replayed(scenario, context, plan.table, fastest(plan))
    figures = (*STEP_PARTS, *MEMORY_PARTS, "step_time_s", "tokens_per_s", "mfu", "hfu", "goodput", "run_time_s",
               "device_hours", "energy_j", "usd_per_run", "power_w", "checkpoint_interval_s",
               "memory_capacity_bytes", "usd_per_device_hour", "tokens_per_s_per_device")  # fmt: skip
    for name in figures:
        made_by = explained(trace, getattr(table, name), name)
        assert made_by.source, name


def test_long_sequences_offer_context_parallelism(context, made: ScenarioMaker):
    table = training_plan(made(LLAMA_8B, {"accelerators": (H100,)}, sequence_length=131_072), context, never).table
    assert set(np.unique(table.context_parallel)) == {1, 2, 4, 8}
    assert table.fits[table.context_parallel > 1].any()


def test_experts_are_spread_over_devices(context, made: ScenarioMaker):
    scenario = made(SMALL_MOE, {"accelerators": (H100,), "training_devices": 64}, zero_stage="1")
    table = training_plan(scenario, context, never).table
    assert {1, 8, 32, 64} == set(np.unique(table.expert_parallel))
    spread = table.fits & (table.expert_parallel > 1)
    assert spread.any()
    assert (table.expert_communication_s[spread] > 0).all()
    alone = (table.tensor_parallel == 1) & (table.pipeline_parallel == 1)
    weights = [float(table.weights_bytes[alone & (table.expert_parallel == size)][0]) for size in (1, 8, 64)]
    experts = 48 * 3 * 128 * 2048 * 768 * 2
    assert weights[0] - weights[1] == pytest.approx(experts * 7 / 8)
    assert weights[0] - weights[2] == pytest.approx(experts * 63 / 64)


def test_a_model_known_by_its_flops_is_planned_by_samples(context, made: ScenarioMaker):
    scenario = made(IMAGES, ONE_NODE, tokens=1.28e6 * 90, global_batch_tokens=2048)
    plan = training_plan(scenario, context, never)
    assert plan.flop_per_token == 3 * 8.2e9
    assert plan.table.fits[plan.best]
    assert set(plan.table.pipeline_parallel) == {1}
    assert plan.table.tokens_per_s[plan.best] > 1000


def test_processors_for_inference_alone_are_named(context, made: ScenarioMaker):
    named = HardwareChoice(accelerators=("groq-lpu-v1",))
    table = training_plan(msgspec.structs.replace(made(LLAMA_8B), hardware=named), context, never).table
    groq = context.devices.ids.index("groq-lpu-v1")
    assert (table.reason[table.accelerator == groq] == Reason.NOT_FOR_TRAINING).all()


def bought(scenario: Scenario) -> Scenario:
    return msgspec.structs.replace(scenario, economics=Economics(training_procurement="own"))


def test_limits_of_power_and_cooling_are_reasons(context, made: ScenarioMaker):
    hardware = {"accelerators": (H100,), "training_devices": 64}
    table = training_plan(bought(made(LLAMA_8B, hardware | {"max_kw_total": 50.0})), context, never).table
    mine = table.accelerator == context.devices.ids.index(H100)
    assert (table.reason[mine] == Reason.OVER_POWER).all()
    assert (table.reason_value[mine] > 0).all()
    dry = training_plan(bought(made(LLAMA_8B, {"cooling": ("air",)})), context, never).table
    rack = context.devices.ids.index("nvidia-gb200")
    assert (dry.reason[dry.accelerator == rack] == Reason.COOLING).all()


@pytest.mark.parametrize("limit", ["max_kw_total", "max_kw_per_rack"])
def test_where_the_site_feeds_no_cluster_the_nearest_then_cheapest_is_planned(context, made: ScenarioMaker, limit):
    """Nothing was: "none of 298 layouts can train", and not by how much the site is too small."""
    hardware = {"accelerators": (H100, "nvidia-a100-sxm-80gb"), "training_devices": 8, "include_end_of_life": True}
    found = training_plan(bought(made(LLAMA_8B, hardware | {limit: 3.0})), context, never)
    table, over = found.table, np.flatnonzero(found.table.reason == Reason.OVER_POWER)
    assert found.best == min(over, key=lambda row: (table.reason_value[row], table.usd_per_run[row]))
    late = training_plan(bought(made(LLAMA_8B, hardware | {limit: 3.0}, deadline_s=86_400.0 * 30)), context, never)
    assert (late.table.reason == Reason.MISSES_DEADLINE).any()
    assert late.table.reason[late.best] == Reason.OVER_POWER


def test_cancelled_work_stops(context, made: ScenarioMaker):
    class StoppedError(Exception):
        pass

    def stop():
        raise StoppedError

    with pytest.raises(StoppedError):
        training_plan(made(LLAMA_8B), context, stop)


def test_a_scenario_without_training_is_refused(context, made: ScenarioMaker):

    with pytest.raises(ValueError, match="no training"):
        training_plan(msgspec.structs.replace(made(LLAMA_8B), training=None), context, never)


def test_the_framework_decides_what_is_kept_beside_the_model(context, made: ScenarioMaker):
    """Eager FSDP keeps more activations than Megatron's fused kernels, DeepSpeed buckets beside them."""
    usual = {"zero_stage": "3", "micro_batch": 1, "recompute": "none"}

    def best(framework: str):
        hardware = {"accelerators": (H100,), "training_devices": 64}
        plan = training_plan(made(LLAMA_8B, hardware, framework=framework, **usual), context, never)
        table = plan.table
        row = np.flatnonzero((table.tensor_parallel == 1) & (table.pipeline_parallel == 1))[0]
        return table.activation_bytes[row], table.runtime_bytes[row], table.step_time_s[row]

    fused, eager, deepspeed = best("megatron"), best("fsdp"), best("deepspeed")
    facts = context.calibration.training.framework("fsdp")
    assert eager[0] == pytest.approx(facts.activation_share * fused[0])
    assert deepspeed[1] > eager[1] + 4e9
    assert fused[2] != eager[2] == pytest.approx(deepspeed[2], rel=1e-3)


def test_offloading_weights_fits_what_devices_cannot_hold_and_takes_longer(context, made: ScenarioMaker):
    """Full training of 70B on 8 H100 lacks memory; with state and weights beside the host it runs."""
    hardware = {"accelerators": (H100,), "training_devices": 8}
    here = training_plan(made(LLAMA_70B, hardware, offload="none"), context, never)
    away = training_plan(made(LLAMA_70B, hardware, offload="host", offload_weights=True), context, never)
    assert here.best == -1
    assert away.best >= 0
    assert away.table.weights_bytes[away.best] == 0.0
    assert away.table.host_s[away.best] > 1.0


def test_offloaded_activations_leave_room_for_longer_sequences(context, made: ScenarioMaker):
    hardware = {"accelerators": (H100,), "training_devices": 8}
    usual = {"sequence_length": 65_536, "recompute": "full", "micro_batch": 1, "zero_stage": "3"}
    kept = training_plan(made(LLAMA_8B, hardware, **usual), context, never).table
    sent = training_plan(made(LLAMA_8B, hardware, offload_activations=True, **usual), context, never).table
    row = np.flatnonzero((kept.tensor_parallel == 1) & (kept.pipeline_parallel == 1) & (kept.context_parallel == 1))[0]
    assert sent.activation_bytes[row] < kept.activation_bytes[row]


def test_a_picture_model_trains_on_one_pass_not_on_a_whole_sampling(context, made: ScenarioMaker):
    """Stable Diffusion 1.5: 0.80 TFLOP of one denoising pass, three times that with the backward pass."""
    model = context.catalog.models["stable-diffusion-1.5"].model
    plan = training_plan(made(model, {"accelerators": (H100,), "training_devices": 8}), context, never)
    assert plan.flop_per_token == pytest.approx(3 * model.training_flop_per_sample)
    assert plan.table.activation_bytes[plan.best] > 1e9


@pytest.mark.parametrize(
    ("batch", "micro", "least"), [(1, 0, 4096), (4095, 0, 4096), (4096 * 1024, 2000, 4096 * 2000), (4096, 0, 0)]
)
def test_a_batch_that_has_less_than_a_sequence_or_a_micro_batch_is_refused(context, made, batch, micro, least):
    """2,000 sequences at once of a batch of 1,024 were planned, with an MFU of 5.6 %."""
    hardware = {"accelerators": (H100,), "training_devices": 8}
    scenario = made(LLAMA_8B, hardware, global_batch_tokens=batch, micro_batch=micro)
    plan = training_plan(scenario, context, never)
    if not least:
        assert plan.best >= 0
        return
    assert plan.best == -1
    refused = plan.table.reason == Reason.BATCH_TOO_SMALL
    assert refused.any()
    assert set(plan.table.reason_value[refused]) == {least}


def test_copies_get_no_more_sequences_than_the_batch_has(context, made: ScenarioMaker):
    """8 copies with 4 sequences each take 32 of the 16 in a batch; 4 copies take all of them."""
    hardware = {"accelerators": (H100,), "training_devices": 8}
    table = training_plan(made(LLAMA_8B, hardware, global_batch_tokens=16 * 4096, micro_batch=4), context, never).table
    too_many = (table.data_parallel == 8) & (table.reason != Reason.EXCLUDED)
    assert too_many.any()
    assert (table.reason[too_many] == Reason.BATCH_TOO_SMALL).all()
    assert set(table.reason_value[too_many]) == {32 * 4096}
    assert not (table.reason[~too_many] == Reason.BATCH_TOO_SMALL).any()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("method", ["lora", "qlora"])
def test_adapters_beside_matrices_that_nobody_states_are_refused(context, made: ScenarioMaker, method: str):
    scenario = made(IMAGES, ONE_NODE, method=method, sequence_length=1, global_batch_tokens=256)
    plan = training_plan(scenario, context, never)
    assert plan.best == -1
    mine = plan.table.accelerator == context.devices.ids.index(H100)
    assert (plan.table.reason[mine] == Reason.ADAPTERS_UNKNOWN).all()
