"""The serving plan through its door: what fits, what adds up, what must never get worse."""

from __future__ import annotations

from itertools import pairwise

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gpuplanner_gui.domain.economics import Economics, PriceOverride, UncertaintyTerms
from gpuplanner_gui.domain.measurement import EvidenceKind
from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.domain.quantity import Lognormal, Money
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.traffic import Traffic
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload, Slo
from gpuplanner_gui.engine import CancelledError, load_curve, plan
from gpuplanner_gui.engine.cost.offers import offers_of
from gpuplanner_gui.engine.model.cache_sizes import kv_bytes_per_token
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.engine.serving.memory import cache_groups, device_cache_bytes
from gpuplanner_gui.engine.serving.ranking import AS_NEAR

GIB = 2.0**30


def with_serving(scenario, **changes):
    return msgspec.structs.replace(scenario, serving=msgspec.structs.replace(scenario.serving, **changes))


def with_class(scenario, **changes):
    one = msgspec.structs.replace(scenario.serving.classes[0], **changes)
    return with_serving(scenario, classes=(one,))


def only(scenario, *accelerators):
    return msgspec.structs.replace(scenario, hardware=HardwareChoice(accelerators=accelerators))


def find(found, accelerator, tensor_parallel=1, precision="bf16", kv="bf16", pipeline_parallel=1):
    table = found.serving.table
    rows = np.flatnonzero(
        (table.accelerator == found.accelerators.index(accelerator))
        & (table.tensor_parallel == tensor_parallel)
        & (table.pipeline_parallel == pipeline_parallel)
        & (table.weight_precision == found.precisions.index(precision))
        & (table.kv_precision == found.precisions.index(kv))
    )
    assert len(rows) == 1
    return int(rows[0])


def test_the_default_search_has_at_least_ten_thousand_candidates(chat_8b, catalog, calibration):
    found = plan(chat_8b, catalog, calibration)
    table = found.serving.table
    assert len(table.order) >= 10_000
    kinds = [catalog.accelerators[name].kind for name in found.accelerators]
    searched = {kinds[one] for one in np.unique(table.accelerator[table.fits])}
    assert searched == set(kinds) - {"soc", "npu"}, "desktops and modules are asked for by name, or by an office"
    for hardware in (HardwareChoice(licensed_for_data_centres=False), HardwareChoice(kinds=tuple(set(kinds)))):
        table = plan(msgspec.structs.replace(chat_8b, hardware=hardware), catalog, calibration).serving.table
        assert {kinds[one] for one in np.unique(table.accelerator[table.fits])} == set(kinds)


def test_worked_case_e2_cache_of_llama_8b_and_70b(llama_8b, llama_70b):
    assert float(kv_bytes_per_token(llama_8b)) == 131_072
    assert float(kv_bytes_per_token(llama_70b)) == 327_680
    one = np.array([1])
    cache = device_cache_bytes(cache_groups(llama_70b), np.array([8192.0]), one, one, np.array([2.0]))
    assert 32 * float(cache[0]) == 85_899_345_920 == 80 * GIB


def test_worked_case_e2_room_for_tokens_beside_int8_weights(llama_70b):
    weights = float(model_parameters(llama_70b).total)
    assert weights == 70_553_706_496
    for devices, memory, expected in ((2, 80e9, 224_140), (1, 141e9, 171_955)):
        room = devices * memory * 0.9 - weights
        assert int(room / float(kv_bytes_per_token(llama_70b))) == expected


def test_memory_adds_up_to_no_more_than_the_device_holds(chat_70b, catalog, calibration):
    table = plan(chat_70b, catalog, calibration).serving.table
    used = table.weights_bytes + table.kv_pool_bytes + table.activation_bytes + table.runtime_bytes
    assert np.all(used[table.fits] <= table.memory_capacity_bytes[table.fits] * 0.9 * (1 + 1e-12))
    engine = calibration.engine(chat_70b.serving.engine.engine)
    assert np.all(table.runtime_bytes[table.fits] >= engine.runtime_bytes + engine.graph_bytes)
    assert np.all(table.activation_bytes[table.fits] > 0)


def test_parts_of_the_decode_step_add_up(chat_8b, catalog, calibration):
    table = plan(chat_8b, catalog, calibration).serving.table
    parts = table.decode_compute_s + table.decode_bandwidth_s + table.decode_interconnect_s + table.decode_host_s
    np.testing.assert_allclose(parts[table.fits], table.decode_step_s[table.fits], rtol=1e-12)


def test_a_model_that_does_not_fit_says_by_how_much(chat_70b, catalog, calibration):
    found = plan(chat_70b, catalog, calibration)
    table, row = found.serving.table, find(found, "nvidia-h100-sxm-80gb")
    assert table.reason[row] == Reason.DOES_NOT_FIT
    fixed = table.weights_bytes[row] + table.activation_bytes[row] + table.runtime_bytes[row]
    assert table.reason_value[row] == pytest.approx(fixed - 0.9 * table.memory_capacity_bytes[row])
    assert table.weights_bytes[row] == pytest.approx(2 * 70_553_706_496)


def test_quantised_70b_fits_two_h100_and_one_h200(chat_70b, catalog, calibration):
    """S30: 70B in INT8 is served on two 80 GB devices or one of 141 GB."""
    found = plan(chat_70b, catalog, calibration)
    table = found.serving.table
    for accelerator, parallel in (("nvidia-h100-sxm-80gb", 2), ("nvidia-h200-sxm-141gb", 1)):
        row = find(found, accelerator, parallel, "int8")
        assert table.fits[row]
        assert table.kv_pool_bytes[row] > 0


@pytest.mark.parametrize(
    ("accelerator", "devices", "tokens"), [("nvidia-h100-sxm-80gb", 2, 224_140), ("nvidia-h200-sxm-141gb", 1, 171_955)]
)
def test_s30_room_for_the_cache_that_70b_in_int8_leaves(accelerator, devices, tokens, chat_70b, catalog, calibration):
    """Case E2: the room beside 70,553,706,496 bytes at 90 %; embeddings, activations and runtime move it."""
    serving = msgspec.structs.replace(chat_70b.serving, weight_precisions=("int8",), kv_precisions=("bf16",))
    found = plan(msgspec.structs.replace(chat_70b, serving=serving), catalog, calibration)
    row = find(found, accelerator, devices, "int8")
    assert found.serving.table.kv_pool_bytes[row] * devices / 327_680 == pytest.approx(tokens, rel=0.07)


def test_kv_heads_that_tensor_parallelism_does_not_divide_are_replicated(llama_70b):
    groups, one = cache_groups(llama_70b), np.array([1])
    context, size = np.array([1000.0]), np.array([2.0])
    at_8 = device_cache_bytes(groups, context, np.array([8]), one, size)
    at_16 = device_cache_bytes(groups, context, np.array([16]), one, size)
    assert at_16 == at_8


def test_h200_decodes_faster_than_h100_and_prefills_alike(chat_8b, catalog, calibration):
    """S53: bandwidth decides decoding, compute decides prefill."""
    found = plan(chat_8b, catalog, calibration)
    table = found.serving.table
    h100, h200 = find(found, "nvidia-h100-sxm-80gb"), find(found, "nvidia-h200-sxm-141gb")
    assert table.decode_bandwidth_s[h200] < 0.85 * table.decode_bandwidth_s[h100]
    assert table.prefill_s[h200] == pytest.approx(table.prefill_s[h100], rel=0.25)


def test_ranking_is_by_cost_among_those_that_meet_every_target(chat_8b, catalog, calibration):
    """Devices whose price three providers bear out come before those that fewer sell."""
    table = plan(chat_8b, catalog, calibration).serving.table
    good = [index for index in table.order if table.reason[index] == Reason.NONE]
    assert len(good) > 100
    assert list(table.order[: len(good)]) == good
    economics, offers = chat_8b.economics, offers_of(catalog)
    quotes = [offers.quote(one, "rent_on_demand", economics) for one in catalog.accelerators.values()]
    thin = np.array([not one.is_borne_out for one in quotes])[table.accelerator[good]]
    assert 0 < thin.sum() < len(good)
    assert not thin[: len(good) - thin.sum()].any()
    doubt = np.where(table.evidence_kind == EvidenceKind.DATASHEET, 1.15, 1.0)
    usd = table.usd_per_hour * doubt
    for part in (~thin, thin):
        assert np.all(np.diff(usd[np.array(good)[part]]) >= -0.01 * usd[good[0]])


def test_every_latency_target_holds_for_the_recommended_candidate(chat_8b, catalog, calibration):
    found = plan(chat_8b, catalog, calibration)
    table, best = found.serving.table, found.serving.best
    assert table.meets_targets[best]
    # Unless told otherwise, people get their first token within a second: what takes longer is no candidate.
    # What is read off between the points of the grid of load may be a hundredth over.
    assert np.all(table.ttft_p95_s[table.meets_targets] <= 1.02)
    assert np.all(table.tpot_p95_s[table.meets_targets] <= 0.051)
    assert table.replicas[best] * table.devices_per_replica[best] == table.devices[best]


def test_an_impossible_target_is_said_with_how_far_it_is_missed(chat_8b, catalog, calibration):
    hard = with_class(chat_8b, slos=(Slo(metric="tpot", percentile=95, limit_s=1e-5),))
    found = plan(hard, catalog, calibration)
    table, best = found.serving.table, found.serving.best
    assert not np.any(table.meets_targets)
    assert table.reason[best] == Reason.MISSES_TARGET
    assert table.reason_value[best] > 10
    assert found.serving.limiting_slo == 0


def test_of_several_targets_that_are_missed_the_one_missed_most_is_named(chat_8b, catalog, calibration):
    targets = (Slo(metric="ttft", percentile=95, limit_s=0.005), Slo(metric="tpot", percentile=95, limit_s=1e-5))
    for slos in (targets, targets[::-1]):
        found = plan(with_class(chat_8b, slos=slos), catalog, calibration).serving
        over = np.array(found.target_latency_s) / [one.limit_s for one in slos]
        assert (over > 1).all()
        assert found.limiting_slo == over.argmax()
        assert found.table.reason_value[found.best] == pytest.approx(over.max())


def test_of_those_about_as_near_to_a_confidence_as_any_the_cheapest_is_first(llama_8b, catalog, calibration):
    """0.07 s at 95 % is missed by 1.44 times on two H100, by 1.51 on one at half the price: one is the better try."""
    targets = (Slo(metric="ttft", percentile=95, limit_s=0.07),)
    asked = RequestClass(peak_rate_per_s=4.0, prompt_tokens=1000.0, output_tokens=100.0, slos=targets)
    scenario = Scenario(
        name="near", model=llama_8b, serving=ServingWorkload(classes=(asked,)),
        economics=Economics(uncertainty=UncertaintyTerms(confidence="p95")),
        hardware=HardwareChoice(accelerators=("nvidia-h100-sxm-80gb",)),
    )  # fmt: skip
    table = plan(scenario, catalog, calibration).serving.table
    unsure = np.array([one for one in table.order if table.reason[one] == Reason.BELOW_CONFIDENCE])
    over, usd = table.reason_value[unsure], table.usd_per_hour[unsure]
    near = over <= AS_NEAR * over.min()
    assert table.reason[table.order[0]] == Reason.BELOW_CONFIDENCE
    assert 2 <= near.sum() < len(unsure)
    assert near[: near.sum()].all()
    assert np.all(np.diff(usd[near]) >= 0)
    assert usd[0] < usd[np.argmin(over)]
    assert np.all(np.diff(over[~near]) >= 0)


@pytest.mark.parametrize(("model", "best"), [("llama-3.1-8b", ("bf16", "bf16")), ("gpt-oss-20b", ("mxfp4", "bf16"))])
def test_of_fleets_that_cost_the_same_the_one_nearest_to_what_is_published_is_first(model, best, catalog, calibration):
    """A bought server of eight H100 costs the same however many of them a small service uses, and in which format."""
    asked = RequestClass(peak_rate_per_s=4.0, slos=(Slo(metric="tpot", percentile=95, limit_s=0.05),))
    scenario = Scenario(
        name="ties", model=catalog.models[model].model,
        serving=ServingWorkload(classes=(asked,), weight_precisions=("int4", "fp8", "bf16", "mxfp4")),
        economics=Economics(serving_procurement="own"),
        hardware=HardwareChoice(accelerators=("nvidia-h100-sxm-80gb",)),
    )  # fmt: skip
    found = plan(scenario, catalog, calibration)
    table = found.serving.table
    good = np.array([one for one in table.order if table.reason[one] == Reason.NONE])
    ties = good[table.usd_per_hour[good] <= 1.01 * table.usd_per_hour[good].min()]
    assert list(ties) == list(good[: len(ties)])
    formats = [
        (found.precisions[table.weight_precision[one]], found.precisions[table.kv_precision[one]]) for one in ties
    ]
    assert formats[0] == best
    assert len(set(formats)) > 3
    alike = ties[[one == best for one in formats]]
    assert list(alike) == list(ties[: len(alike)])
    devices, each = table.replicas[alike] * table.devices_per_replica[alike], table.devices_per_replica[alike]
    ranked = list(zip(devices, each, table.e2e_mean_s[alike], strict=True))
    assert ranked == sorted(ranked)
    assert len(set(zip(devices, each, strict=True))) > 1


def test_a_quoted_price_stands_before_the_catalogues(chat_8b, catalog, calibration):
    quote = PriceOverride(accelerator="nvidia-h100-sxm-80gb", rent_per_device_hour=Money(1.23))
    scenario = msgspec.structs.replace(chat_8b, economics=Economics(overrides=(quote,)))
    found = plan(scenario, catalog, calibration)
    assert found.serving.table.usd_per_device_hour[find(found, "nvidia-h100-sxm-80gb")] == 1.23


def test_filters_leave_out_with_a_reason(chat_8b, catalog, calibration):
    found = plan(only(chat_8b, "nvidia-l40s"), catalog, calibration)
    table = found.serving.table
    others = table.accelerator != found.accelerators.index("nvidia-l40s")
    assert np.all(table.reason[others] == Reason.EXCLUDED)
    assert np.any(table.fits[~others])


def test_cancelling_answers_nothing(chat_8b, catalog, calibration):
    with pytest.raises(CancelledError):
        plan(chat_8b, catalog, calibration, is_cancelled=lambda: True)


def test_lengths_may_be_distributions(chat_8b, catalog, calibration):
    spread = with_class(chat_8b, prompt_tokens=Lognormal(700.0, 1.0), output_tokens=Lognormal(180.0, 0.8))
    found = plan(spread, catalog, calibration)
    assert found.serving.mean_prompt_tokens == pytest.approx(700 * np.exp(0.5), rel=1e-9)
    assert found.serving.best >= 0


def test_same_scenario_gives_the_same_plan_to_the_bit(chat_8b, catalog, calibration):
    first, second = (plan(chat_8b, catalog, calibration).serving.table for _ in range(2))
    np.testing.assert_array_equal(first.ttft_p95_s, second.ttft_p95_s)
    np.testing.assert_array_equal(first.order, second.order)


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rate=st.floats(0.5, 200.0), factor=st.floats(1.0, 4.0))
@example(rate=15.0, factor=1.5)
def test_more_load_never_costs_less(chat_8b, catalog, calibration, rate, factor):
    few = only(with_class(chat_8b, peak_rate_per_s=rate), "nvidia-h100-sxm-80gb")
    many = only(with_class(chat_8b, peak_rate_per_s=rate * factor), "nvidia-h100-sxm-80gb")
    a, b = (plan(one, catalog, calibration).serving for one in (few, many))
    both = a.table.meets_targets & b.table.meets_targets
    assert np.all(b.table.replicas_expected[both] >= a.table.replicas_expected[both])
    # Fleets that nobody sized by samples are as much larger as their relatives, which differ from load to load.
    costs = (one.table.usd_per_hour[one.best] for one in (a, b) if one.best >= 0 and both[one.best])
    assert all(low <= high * (1 + 1e-9) for low, high in pairwise(costs))


def test_latency_rises_with_load_along_the_curve(chat_8b, catalog, calibration):
    found = plan(chat_8b, catalog, calibration)
    curve = load_curve(chat_8b, catalog, calibration, found, found.serving.best)
    assert np.all(np.diff(curve.rates_per_s) > 0)
    for statistics in (curve.ttft_s, curve.tpot_s, curve.e2e_s):
        assert np.all(np.diff(statistics["mean"]) >= -1e-12)
        assert np.all(statistics["p99"] >= statistics["p50"])
        assert statistics["mean"][-1] > 1.5 * statistics["mean"][0]
    assert np.all(np.diff(curve.batch) > 0)
    assert curve.slo_rate_per_s <= curve.max_rate_per_s * (1 + 1e-9)


def test_two_classes_share_one_fleet(chat_8b, catalog, calibration):
    second = RequestClass(name="code", peak_rate_per_s=5.0, prompt_tokens=4000.0, output_tokens=100.0)
    both = msgspec.structs.replace(chat_8b, serving=ServingWorkload(classes=(chat_8b.serving.classes[0], second)))
    found = plan(both, catalog, calibration)
    assert found.serving.peak_rate_per_s == pytest.approx(25.0)
    assert found.serving.mean_prompt_tokens == pytest.approx((20 * 1024 + 5 * 4000) / 25)


def test_what_an_edit_leaves_over_does_not_change_the_next_answer(chat_8b, catalog, calibration):
    other = with_class(with_serving(chat_8b, kv_precisions=("bf16",)), prompt_tokens=3000.0)
    edited = with_class(chat_8b, peak_rate_per_s=77.0)
    plan(other, catalog, calibration)
    afresh = plan(edited, catalog, calibration).serving.table
    plan(other, catalog, calibration)
    plan(chat_8b, catalog, calibration)
    after_an_edit = plan(edited, catalog, calibration).serving.table
    for name in afresh.__struct_fields__:
        np.testing.assert_array_equal(getattr(after_an_edit, name), getattr(afresh, name))


def test_a_stated_day_stands_before_the_stated_mean(chat_8b, catalog, calibration):
    def per_million(**traffic):
        found = plan(with_serving(chat_8b, traffic=Traffic(**traffic)), catalog, calibration)
        return found.serving.table.usd_per_million_output_tokens[found.serving.best]

    quarter = per_million(mean_over_peak=1.0, hours=(4.0, 0.0, 0.0, 0.0))
    assert quarter == pytest.approx(4 * per_million(mean_over_peak=1.0))
