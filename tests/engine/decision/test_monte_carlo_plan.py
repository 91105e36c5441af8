"""Bands and probabilities of a plan; what the model interpolates is held against the engine itself."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.desktop.store import replaced
from gpuplanner_gui.domain.economics import UncertaintyTerms
from gpuplanner_gui.domain.preset import scaled
from gpuplanner_gui.domain.quantity import Range, Triangular
from gpuplanner_gui.domain.workload import RequestClass, Slo
from gpuplanner_gui.drawing.words.decision import input_value_text, skewed_text
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.decision.monte_carlo_plan import uncertainty_of_plan
from gpuplanner_gui.engine.decision.uncertain_inputs import SERVING_MODEL
from gpuplanner_gui.engine.decision.uncertain_plan import plan_model

SAMPLES = 1_000
H100 = "nvidia-h100-sxm-80gb"


@pytest.fixture(scope="module")
def answer(both, both_plan, context):
    return uncertainty_of_plan(both, both_plan, context, seed=1, samples=SAMPLES)


def test_same_seed_same_answer_and_another_seed_another(both, both_plan, context, answer):
    again = uncertainty_of_plan(both, both_plan, context, seed=1, samples=SAMPLES)
    other = uncertainty_of_plan(both, both_plan, context, seed=2, samples=SAMPLES)
    assert msgspec.json.encode(again) == msgspec.json.encode(answer)
    assert other.headlines != answer.headlines


def test_bands_are_ordered_and_the_plan_lies_near_their_middle(answer):
    for one in answer.headlines:
        assert one.p10 <= one.p50 <= one.p90, one.code
    for code in ("training.run_time_s", "training.usd_per_run", "serving.usd_per_month"):
        one = answer.headline(code)
        assert one.planned == pytest.approx(one.p50, rel=0.15), code


def test_an_input_that_is_planned_at_the_edge_of_its_cases_is_told(
    both, both_plan, context, answer, catalog, calibration
):
    # Triangular from 1, most likely 1, to 2: the upper half begins at 2 − 1/√2.
    (found,) = (one for one in answer.skewed if one.input == "burstiness")
    assert (found.planned, found.median) == (1.0, pytest.approx(2 - 0.5**0.5))
    said = skewed_text(answer)
    assert (
        "Burstiness: the plan uses its most likely value (1), which is also its lowest; half of the simulations use "
        "more than 1.29."
    ) in said
    even = replaced(both, "serving.traffic.burstiness_cv", Triangular(0.5, 1.0, 1.5))
    told = uncertainty_of_plan(even, both_plan, context, seed=1, samples=200).skewed
    assert "burstiness" not in {one.input for one in told}
    for arrivals in ("batch", "users"):
        other = replaced(both, "serving.traffic.arrivals", arrivals)
        found = uncertainty_of_plan(other, plan(other, catalog, calibration), context, seed=1, samples=200)
        assert "burstiness" not in {one.input for one in found.skewed}, "nobody asks how these arrive"


def test_planned_results_are_those_of_the_plan(answer, both_plan):
    serving, training = both_plan.serving, both_plan.training
    best, run = serving.best, training.best
    expected = {
        "serving.usd_per_month": serving.table.usd_per_month[best],
        "serving.usd_per_month_needed": serving.table.usd_per_month[best],
        "serving.replicas_needed": serving.table.replicas[best],
        "serving.usd_per_million_output_tokens": serving.table.usd_per_million_output_tokens[best],
        "training.run_time_s": training.table.run_time_s[run],
        "training.usd_per_run": training.table.usd_per_run[run],
        "training.mfu": training.table.mfu[run],
    }
    for code, value in expected.items():
        assert answer.headline(code).planned == pytest.approx(float(value), rel=1e-3), code
    assert answer.headline("serving.ttft_p95_s").planned == pytest.approx(
        float(serving.table.ttft_p95_s[best]), rel=0.1
    )
    assert answer.headline("serving.tpot_p95_s").planned == pytest.approx(
        float(serving.table.tpot_p95_s[best]), rel=0.1
    )


def test_a_target_on_the_whole_answer_has_a_band_of_its_own(service, catalog, calibration, context):
    """It decided the fleet, and no table told how sure it was."""
    (first,) = service.serving.classes
    asked = replaced(service, "serving.classes", (replaced(first, "slos", (Slo(metric="e2e", limit_s=20.0),)),))
    found = uncertainty_of_plan(asked, plan(asked, catalog, calibration), context, seed=1, samples=200)
    whole, first_token = (found.headline(f"serving.{metric}_p95_s") for metric in ("e2e", "ttft"))
    assert whole.limit == 20.0
    assert first_token.p50 < whole.p10 < whole.planned < whole.p90
    assert "serving.e2e_p95_s" in {one.code for one in found.tornados}
    assert (uncertainty_of_plan(service, plan(service, catalog, calibration), context, seed=1, samples=200)).headline(
        "serving.e2e_p95_s"
    ) is None


def test_interpolated_rates_are_near_the_engines_own(service, service_plan, context, catalog, calibration):
    """Inputs act independently on the logarithm: checked where several are off at once."""
    model = plan_model(service, service_plan, context, lambda: None)
    row = service_plan.serving.best
    table = service_plan.serving.table
    for prompt, output, cv in ((1.3, 0.8, 1.2), (0.7, 1.4, 1.5), (1.4, 1.3, 1.0)):
        one = service.serving.classes[0]
        longer = msgspec.structs.replace(
            one, prompt_tokens=scaled(one.prompt_tokens, prompt), output_tokens=scaled(one.output_tokens, output)
        )
        changed = replaced(service, "serving.classes", (longer,))
        changed = replaced(changed, "serving.traffic.burstiness_cv", cv)
        asked = plan(changed, catalog, calibration).serving.table
        inputs = {"prompt_length": prompt, "output_length": output, "burstiness": cv}
        found = model.evaluate({name: np.array([value]) for name, value in inputs.items()})
        exact = table.load_per_replica_per_s[row] / asked.slo_rate_per_s[row]
        assert float(found["serving.load_over_limit"][0]) == pytest.approx(float(exact), rel=0.08)


def test_a_slower_step_serves_as_if_targets_were_tighter(service, service_plan, context):
    model = plan_model(service, service_plan, context, lambda: None)
    load = [
        float(model.evaluate({SERVING_MODEL: np.array([factor])})["serving.load_over_limit"][0])
        for factor in (0.7, 1.0, 1.4)
    ]
    assert load[0] < load[1] < load[2]
    assert load[2] > 1.4 * load[1]


def test_price_alone_moves_no_latency(service, service_plan, context):
    model = plan_model(service, service_plan, context, lambda: None)
    plain, dear = (model.evaluate({"device_price": np.array([factor])}) for factor in (1.0, 2.0))
    assert dear["serving.ttft_p95_s"] == plain["serving.ttft_p95_s"]
    assert dear["serving.usd_per_month"] == pytest.approx(2 * plain["serving.usd_per_month"])


def test_later_dates_and_larger_budgets_are_likelier(both, both_plan, context):
    chances = []
    for days, usd in ((7.0, 100.0), (14.0, 1_000.0), (60.0, 1e6)):
        changed = replaced(both, "training.deadline_s", days * 86_400.0)
        changed = replaced(changed, "training.budget_usd", usd)
        found = uncertainty_of_plan(changed, both_plan, context, seed=1, samples=SAMPLES)
        chances.append((found.probability("training.date"), found.probability("training.budget")))
        assert found.probability("everything") <= min(chances[-1]) + 1e-12
    assert [one for one, _ in chances] == sorted(one for one, _ in chances)
    assert [one for _, one in chances] == sorted(one for _, one in chances)
    assert chances[-1] == (1.0, 1.0)


def test_a_spare_replica_more_is_surer(service, catalog, calibration, context):
    def chance(utilisation: float) -> float:
        changed = replaced(service, "serving.availability.target_utilisation", utilisation)
        found = uncertainty_of_plan(changed, plan(changed, catalog, calibration), context, seed=1, samples=SAMPLES)
        return found.probability("serving.targets")

    assert chance(0.4) > chance(0.9)


def test_shares_of_winning_sum_to_one_and_the_recommended_is_among_the_rivals(answer, both_plan):
    for workload, best in (("serving", both_plan.serving.best), ("training", both_plan.training.best)):
        rivals = [one for one in answer.rivals if one.workload == workload]
        assert rivals[0].candidate == best
        assert sum(one.best_share for one in rivals) == pytest.approx(1.0)


@pytest.mark.parametrize("term", ["rent_on_demand", "rent_1y", "own"])
def test_rivals_of_a_run_cost_what_they_are_ranked_by(term, both, catalog, calibration, context):
    """A year of each one's devices where they are held for one run; power is free here, also while they wait."""
    scenario = replaced(replaced(both, "economics.training_procurement", term), "training.deadline_s", 60 * 86_400.0)
    scenario = replaced(replaced(scenario, "economics.site.electricity_usd_per_kwh", 0.0), "serving", None)
    made = plan(scenario, catalog, calibration)
    model = plan_model(scenario, made, context, check=lambda: None)
    table, rows = made.training.table, model.training.rows
    costs = model.evaluate({})["training.rivals"][:, 0]
    expected = table.usd_per_run[rows]
    if term != "rent_on_demand":
        expected = table.devices[rows] * table.usd_per_device_hour[rows] * 8760
    assert len(rows) > 2
    assert costs == pytest.approx(expected)
    assert costs[0] < 1.02 * costs.min()


def test_tornado_is_sorted_and_price_moves_cost_by_its_own_spread(answer):
    bars = {one.code: one for one in answer.tornados}
    for one in bars.values():
        assert [bar.swing for bar in one.bars] == sorted((bar.swing for bar in one.bars), reverse=True)
    price = next(bar for bar in bars["training.usd_per_run"].bars if bar.input == "device_price")
    assert price.result_at_high / price.result_at_low == pytest.approx(np.exp(2 * 1.281552 * 0.25), rel=1e-3)


def test_without_usual_spreads_only_what_was_entered_as_a_range_is_uncertain(both, both_plan, context):
    economics = msgspec.structs.replace(both.economics, uncertainty=UncertaintyTerms(usual_spreads=False))
    plain = msgspec.structs.replace(both, economics=economics)
    found = uncertainty_of_plan(plain, both_plan, context, seed=1, samples=200)
    assert set(found.inputs) == {"burstiness", "failure_rate", "serving_model", "training_model"}
    on_spot = replaced(plain, "economics.training_procurement", "rent_spot")
    on_spot = replaced(on_spot, "economics.spot_interruption_interval_s", 259_200.0)
    assert "preemption_interval" not in uncertainty_of_plan(on_spot, both_plan, context, seed=1, samples=200).inputs


def test_stated_ranges_of_prefix_hits_are_what_is_sampled(service, catalog, calibration, context):
    def asked(plan_of, *hits):
        classes = tuple(
            RequestClass(name=f"c{place}", peak_rate_per_s=90.0, prompt_tokens=8_000.0, prefix_cache_share=one)
            for place, one in enumerate(hits)
        )
        scenario = replaced(service, "serving.classes", classes)
        found = plan(scenario, catalog, calibration) if plan_of is None else plan_of
        swings = uncertainty_of_plan(scenario, found, context, seed=1, samples=200).tornados
        bars = [bar for one in swings for bar in one.bars if bar.input.startswith("prefix_cache")]
        return found, {bar.input: (bar.low_input, bar.high_input) for bar in bars}

    stated, spans = asked(None, Range(0.90, 0.94))
    assert spans == {"prefix_cache": pytest.approx((0.904, 0.936))}
    _, usual = asked(None, 0.92)
    assert usual == {"prefix_cache": pytest.approx((0.92 - 0.2 * 0.08 / 0.65, 0.92 + 0.2 * 0.08 / 0.65), abs=1e-3)}
    # Beside others each class that states a range varies by itself, the others by the usual spread.
    _, several = asked(stated, Range(0.90, 0.94), 0.3)
    assert several["prefix_cache:c0"] == pytest.approx((0.904, 0.936))
    assert several["prefix_cache"] == pytest.approx((0.3 * 0.15 / 0.35, 0.3 * 0.55 / 0.35))


def test_owners_inputs_are_uncertain_where_devices_are_owned(service, catalog, calibration, context):
    owned = replaced(service, "economics.serving_procurement", "own")
    found = uncertainty_of_plan(owned, plan(owned, catalog, calibration), context, seed=1, samples=SAMPLES)
    assert {"useful_life", "cost_of_capital", "electricity", "pue"} <= set(found.inputs)
    assert "device_price" not in found.inputs
    one = found.headline("serving.usd_per_month")
    assert one.p10 < one.planned < one.p90


def test_cancelling_stops_between_batches(both, both_plan, context):
    class Stop(Exception):
        pass

    asked = []

    def check() -> None:
        asked.append(1)
        if len(asked) > 30:
            raise Stop

    with pytest.raises(Stop):
        uncertainty_of_plan(both, both_plan, context, seed=1, samples=50_000, check=check)


def test_nothing_that_runs_cannot_be_sampled(service, catalog, calibration, context):
    impossible = replaced(service, "serving.classes[0].slos[0].limit_s", 1e-6)
    found = plan(impossible, catalog, calibration)
    assert uncertainty_of_plan(impossible, found, context, seed=1, samples=100) is None


def test_no_sample_makes_more_of_a_device_than_any_run_has(both, both_plan, context):
    """However wide the band of an unmeasured device: the published best, and a tenth."""
    wide = both_plan.training.table
    wide = msgspec.structs.replace(wide, step_low80_s=wide.step_low80_s / 5, step_high80_s=wide.step_high80_s * 5)
    found = msgspec.structs.replace(both_plan, training=msgspec.structs.replace(both_plan.training, table=wide))
    answer = uncertainty_of_plan(both, found, context, seed=1, samples=SAMPLES)
    mfu = answer.headline("training.mfu")
    assert mfu.p90 == pytest.approx(0.7)
    assert mfu.planned == pytest.approx(float(wide.mfu[both_plan.training.best]))
    bars = next(one.bars for one in answer.tornados if one.code == "training.run_time_s")
    step = next(one for one in bars if one.input == "training_model")
    assert step.low_input == pytest.approx(mfu.planned / 0.7), "the input's interval ends where its results do"


def test_a_range_of_draft_acceptance_moves_speed_and_fleet(service, catalog, calibration, context):
    """Drafts that are kept more often make a token take less time; a figure without a range moves nothing, and one that
    the planner leaves open has the usual range."""
    scenario = replaced(replaced(service, "serving.engine.speculative_tokens", 3), "hardware.accelerators", (H100,))
    uncertain = replaced(scenario, "serving.engine.draft_acceptance", Triangular(0.3, 0.7, 0.95))
    found = plan(uncertain, catalog, calibration)
    answer = uncertainty_of_plan(uncertain, found, context, seed=1, samples=SAMPLES)
    assert "draft_acceptance" in answer.inputs
    tpot = next(one for one in answer.tornados if one.code == "serving.tpot_p95_s")
    bar = next(one for one in tpot.bars if one.input == "draft_acceptance")
    assert 0.3 < bar.low_input < 0.7 < bar.high_input < 0.95
    assert bar.result_at_low > tpot.middle > bar.result_at_high
    assert input_value_text("draft_acceptance", bar.low_input).endswith("%")
    assert "draft_acceptance" in plan_model(scenario, found, context, lambda: None).inputs.quantities
    stated = replaced(scenario, "serving.engine.draft_acceptance", 0.7)
    known = uncertainty_of_plan(stated, found, context, seed=1, samples=SAMPLES)
    assert "draft_acceptance" not in known.inputs
    wide, narrow = (one.headline("serving.tpot_p95_s") for one in (answer, known))
    # In more than a tenth of the samples, with a range or without, the fleet's queue grows without end.
    assert wide.p50 / wide.p10 > narrow.p50 / narrow.p10
    assert wide.planned == pytest.approx(narrow.planned)


def test_without_drafts_their_acceptance_is_no_input(service, service_plan, context):
    uncertain = replaced(service, "serving.engine.draft_acceptance", Triangular(0.3, 0.7, 0.95))
    assert "draft_acceptance" not in plan_model(uncertain, service_plan, context, lambda: None).inputs.quantities


DEARER, CHEAPER = True, False


@pytest.mark.parametrize(
    ("term", "signs"),
    [
        (
            "own",
            {
                "purchase_price": DEARER, "cost_of_capital": DEARER, "electricity": DEARER, "pue": DEARER,
                "power_use": DEARER, "demand": DEARER, "useful_life": CHEAPER,
            },
        ),
        ("rent_on_demand", {"device_price": DEARER, "demand": DEARER, "output_length": DEARER}),
    ],
)  # fmt: skip
def test_inputs_move_a_fleets_cost_the_way_they_must(service, catalog, calibration, context, term, signs):
    scenario = replaced(replaced(service, "economics.serving_procurement", term), "hardware.accelerators", (H100,))
    scenario = replaced(scenario, "serving.classes[0].peak_rate_per_s", 400.0)
    answer = uncertainty_of_plan(scenario, plan(scenario, catalog, calibration), context, seed=1, samples=SAMPLES)
    cost = next(one for one in answer.tornados if one.code == "serving.usd_per_month_needed")
    bars = {one.input: one for one in cost.bars}
    for name, is_dearer in signs.items():
        bar = bars[name]
        assert bar.low_input < bar.high_input
        change = bar.result_at_high - bar.result_at_low
        assert change > 0 if is_dearer else change < 0, name
    swings = [one.swing for one in cost.bars]
    assert swings == sorted(swings, reverse=True)
