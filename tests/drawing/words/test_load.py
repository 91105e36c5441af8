"""Simulated load in tables and sentences."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.load_result import (
    METRICS,
    STATISTICS,
    FleetSizing,
    FleetSplit,
    PoolArrangement,
    Readiness,
    SearchOutcome,
    SearchResult,
    SimulatedCurve,
    Stage,
    StartTimes,
    StressResult,
    TargetResult,
)
from gpuplanner_gui.drawing.load_rows import FAILED, PASSED, fleet_rows, search_rows, stress_rows, why_lost
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.load import (
    batch_text,
    difference_text,
    long_gaps_text,
    rates_summary,
    readiness_summary,
    search_summary,
    use_summary,
)
from tests.drawing import synthetic

RATES = np.array([1.0, 2.0, 3.0])


def curve(**changes) -> SimulatedCurve:
    latency = {metric: dict.fromkeys(STATISTICS, RATES * 0.1) for metric in METRICS}
    values: dict[str, Any] = {
        "candidate": 0, "replicas": 1, "stage": Stage.FINAL, "requests": 2000, "rates_per_s": RATES,
        "latency_s": latency, "band_s": {metric: dict.fromkeys(STATISTICS, RATES * 0.01) for metric in METRICS},
        "throughput_per_s": RATES, "output_tokens_per_s": RATES * 100, "batch": RATES * 10, "kv_use": RATES * 0.1,
        "peak_kv_use": RATES * 0.2, "preemptions": np.zeros(3, int), "rejected": np.zeros(3, int),
        "is_overloaded": np.zeros(3, bool), "meets_targets": np.array([True, True, False]),
        "closed_ttft_s": RATES * 0.1, "closed_itl_s": RATES * 0.1, "ttft_differs": np.zeros(3, bool),
        "itl_differs": np.zeros(3, bool), "max_rate_per_s": 3.5, "slo_rate_per_s": 2.0, "knee_rate_per_s": 2.5,
        "operating_rate_per_s": 2.0, "littles_law_error": 0.0,
    }  # fmt: skip
    return SimulatedCurve(**(values | changes))


def test_a_mean_gap_above_its_95th_percentile_says_why() -> None:
    assert long_gaps_text(curve()) == []
    gaps = {"itl": dict.fromkeys(STATISTICS, RATES * 0.1) | {"mean": RATES * 0.2}}
    (text,) = long_gaps_text(curve(latency_s=gaps))
    assert text.startswith("Mean ITL is above its p95 where a few long gaps")


def stress(code="burst", **changes) -> StressResult:
    values = {
        "disturbance": code, "factor": 2.0, "duration_s": 10.0, "replicas_hit": 1,
        "targets": (TargetResult(metric="ttft", percentile=95.0, limit_s=1.0, measured_s=0.4, class_index=0),),
        "worst_ttft_s": 0.9, "recovery_s": 0.0, "rejected": 0, "preemptions": 0, "unanswered": 0,
    }  # fmt: skip
    return StressResult(**(values | changes))


def readiness(*tests: StressResult, **changes) -> Readiness:
    values: dict[str, Any] = {
        "candidate": 0,
        "replicas": 8,
        "simulated_replicas": 8,
        "rate_per_s": 40.0,
        "steady": stress("steady"),
    }
    return Readiness(**(values | changes), tests=tests)


def fleet(**changes) -> FleetSizing:
    values: dict[str, Any] = {
        "candidate": 0, "slo_rate_per_s": 4.0, "is_simulated": True, "peak_rate_per_s": 40.0, "base": 14,
        "split": FleetSplit(total=15, expected=12, added=2, spares=1, zones=1, chance=0.8),
        "replaced_at_once": 1, "spares": 1,
        "zones": 1, "total": 15, "replica_availability": 0.995, "enough_up_share": 0.998, "availability_target": 0.999,
        "needed_for_availability": 16, "slots": 3584, "users": 0, "waiting_share": 0.01, "weight_bytes": 72e9,
        "start": StartTimes(provision_s=120, image_s=30, weights_s=14, compile_s=42, graph_capture_s=18, warm_up_s=0),
        "start_together_s": 240.0, "rollout_s": 3000.0, "headroom_per_s": 0.4, "growth_per_s2": 0.001,
        "static_replica_hours": 2352.0, "autoscaled_replica_hours": 1200.0,
        "mean_gap_s": 600.0, "scale_to_zero_saving": 0.5, "cold_share": 0.6, "scale_to_zero_breaks_targets": True,
    }  # fmt: skip
    return FleetSizing(**(values | changes))


def test_key_rates_are_said_beside_the_closed_form():
    closed = synthetic.results().load_curve
    text = rates_summary(curve(), closed)
    assert "Saturates at 3.50 req/s per replica (quick estimate " in text
    assert "every target is met up to 2 req/s" in text
    assert "above 2.50 req/s (knee) 1 % more load makes TTFT p95 more than 1 % longer" in text
    assert "quick estimate" not in rates_summary(curve(is_trace=True), closed)
    limited = rates_summary(curve(operating_rate_per_s=1.75), closed)
    assert limited.endswith("plan for 1.75 req/s at most (50 % of saturation).")


def test_a_service_without_targets_is_not_said_to_meet_them():
    closed = synthetic.results().load_curve
    assert "target" not in rates_summary(curve(), closed, has_targets=False)
    assert "target" not in rates_summary(curve(slo_rate_per_s=0.0, operating_rate_per_s=0.0), None, has_targets=False)


def test_a_batch_says_why_it_keeps_more_in_work_than_the_curve():
    results = synthetic.results()
    scenario, answer = results.scenario, results.plan.serving
    assert batch_text(scenario, answer, answer.best) == ""
    traffic = msgspec.structs.replace(scenario.serving.traffic, arrivals="batch")
    serving = msgspec.structs.replace(scenario.serving, traffic=traffic)
    text = batch_text(msgspec.structs.replace(scenario, serving=serving), answer, answer.best)
    assert f"about {format_value(float(answer.table.batch[answer.best]), digits=2)} in work" in text


def test_use_of_the_replica_is_said_at_the_planned_rate():
    closed = msgspec.structs.replace(synthetic.results().load_curve, planned_rate_per_s=2.0)
    calm = use_summary(curve(), closed)
    assert calm.startswith("At the planned 2 req/s per replica, a working replica keeps up: 200 tok/s of output, ")
    beside = use_summary(curve(), msgspec.structs.replace(closed, planned_rate_per_s=1.8))
    assert beside.startswith("At 2 req/s, the simulated rate next to the plan's, a working replica keeps up: ")
    assert "mean batch 20, KV cache 20 % full on average (40 % at most)" in calm
    assert calm.endswith("none preempted.")
    busy = curve(preemptions=np.array([0, 3, 9]), rejected=np.array([0, 1, 1]))
    assert use_summary(busy, closed).endswith("3 preempted, 1 rejected.")
    assert use_summary(busy, None).startswith("At 3 req/s")


def test_no_rate_within_the_targets_is_said():
    assert "misses a target at every" in rates_summary(curve(slo_rate_per_s=0.0, operating_rate_per_s=0.0), None)


def test_the_closed_form_is_called_off_only_where_it_is():
    assert difference_text(curve()) == ""
    off = curve(closed_ttft_s=RATES * 0.05, ttft_differs=np.array([False, True, True]))
    said = "Quick estimate against the simulation: mean TTFT up to 50 % too low from 2 to 3 req/s"
    assert difference_text(off) == said
    far = curve(closed_ttft_s=RATES * 900, ttft_differs=np.array([False, False, True]))
    assert difference_text(far).endswith(": mean TTFT more than ten times too high at 3 req/s")
    both = msgspec.structs.replace(off, closed_itl_s=RATES * 900, itl_differs=np.array([False, False, True]))
    assert difference_text(both) == f"{said}; mean ITL more than ten times too high at 3 req/s", "one sentence"


def test_a_ready_and_an_unready_service():
    assert readiness_summary(readiness(stress())).startswith("All 2 stress tests passed (8 replicas at 40 req/s")
    failed = readiness(stress(rejected=1))
    assert readiness_summary(failed).startswith("1 of 2 stress tests failed")
    assert "so far" in readiness_summary(readiness(stress(), is_complete=False))


def test_lower_latencies_are_said_only_where_spares_share_the_load():
    assert "latencies at peak are lower than in the verdict" in readiness_summary(readiness(stress()))
    assert "router" in readiness_summary(readiness(stress())), "the second reason"
    assert "show one replica alone" in readiness_summary(readiness(stress())), "and the third"
    assert "spares" not in readiness_summary(readiness(stress()), has_spares=False)
    assert "one replica alone" in readiness_summary(readiness(stress()), has_spares=False)
    # A router by chance evens out nothing.
    assert "alone" not in readiness_summary(readiness(stress()), router="random")
    assert "router" not in readiness_summary(readiness(stress()), has_spares=False, router="random")


def test_a_percentile_below_that_of_steady_load_is_explained():
    calm = stress(targets=(TargetResult(metric="ttft", percentile=95.0, limit_s=1.0, measured_s=0.3, class_index=0),))
    said = "so its latencies can be lower than at peak load."
    assert said in readiness_summary(readiness(calm))
    worse = readiness(stress(worst_ttft_s=1.2))
    assert said not in readiness_summary(worse)
    as_bad = readiness(stress(worst_ttft_s=0.9))
    assert said in readiness_summary(as_bad), "the worst of a burst was no worse than at peak load, without a word"


def test_what_a_test_holds_the_service_to_is_said() -> None:
    """The worst first token is far beyond the limit of 1 s, and the test passes."""
    late = stress(worst_ttft_s=60.0)
    assert late.passes
    said = readiness_summary(readiness(late))
    assert "passes if all requests are answered and every percentile is within its target; the worst TTFT does " in said
    free = stress(targets=())
    assert "A test passes" not in readiness_summary(readiness(free, steady=free))


def test_a_fleet_simulated_smaller_is_said_with_its_own_rate():
    text = readiness_summary(readiness(stress(), replicas=80, simulated_replicas=8))
    assert "8 of 80 replicas simulated, spares included, at 40 of 400 req/s" in text


def test_each_test_has_a_row_with_its_numbers():
    lost = stress("replica_loss", recovery_s=math.inf)
    rows = stress_rows(readiness(lost), synthetic.scenario())
    assert [cells[1] for cells in rows.cells] == [PASSED, FAILED]
    assert rows.columns[2].title == "TTFT p95 ≤ 1 s"
    assert rows.cells[1][0] == "One replica lost for 10 s"
    assert rows.cells[1][2] == 0.4
    assert rows.cells[1][-1] == "more than a minute"


@pytest.mark.parametrize(
    ("changes", "said"),
    [({"rejected": 2, "unanswered": 1}, "3 not answered"), ({"preemptions": 7}, "0 s, 7 preempted")],
)
def test_what_went_wrong_is_in_the_last_column(changes, said):
    rows = stress_rows(readiness(stress(**changes)), synthetic.scenario())
    assert rows.cells[1][-1] == said


def test_fleet_says_replicas_start_and_scaling():
    rows = {str(cells[0]): cells for cells in fleet_rows(fleet(), None).cells}
    assert rows["Replicas"][1:] == (
        "15", "12 for the expected load (headroom included) + 2 for 80 % confidence + 1 spare",
    )  # fmt: skip
    assert rows["Replicas without any reserve"][1] == "10"
    assert "4 req/s that a replica takes within its targets (simulated)" in str(rows["Replicas without any reserve"][2])
    assert "needs 16 replicas" in str(rows["Availability"][2])
    assert "weights 14 s" in str(rows["Cold start of one replica"][2])
    # 72 GB in 14 s; 15 × 72 GB in those 14 s and the 16 s that all replicas wait longer for the store.
    assert "its 72 GB of weights (1 GB = 10⁹ bytes) at 5.14 GB/s" in str(rows["Cold start of one replica"][2]).replace(
        "\u00a0", " "
    )
    together = str(rows["Cold start of all replicas together"][2]).replace("\u00a0", " ")
    assert together == f"15 replicas read {15 * 72 / 30:.3g} GB/s together from one store"
    assert rows["Scaling to zero between requests"][1:] == (
        "would miss a target", "60 % of requests would wait for a cold start; they come 10 min apart on average",
    )  # fmt: skip
    busy = fleet(scale_to_zero_breaks_targets=False, scale_to_zero_saving=0.0, cold_share=0.0, mean_gap_s=0.2)
    assert {str(cells[0]): cells for cells in fleet_rows(busy, None).cells}["Scaling to zero between requests"][1:] == (
        "saves nothing", "requests come 200 ms apart on average: replicas are never idle long enough",
    )  # fmt: skip
    assert "without spares, up to" in str(rows["Requests that wait because all batches are full"][2])
    alone = {str(cells[0]): cells for cells in fleet_rows(fleet(slots=1, users=1, waiting_share=0.0), None).cells}
    assert alone["Requests that wait because all batches are full"][1:] == (
        "0 %", "without spares, 1 request at a time; 1 user waits for each answer before asking again",
    )  # fmt: skip


def test_a_batch_has_no_rows_of_chance_waits_and_of_growth():
    rows = {str(cells[0]): cells for cells in fleet_rows(fleet(is_batch=True, is_stopped=True), None).cells}
    assert not {"Requests that wait because all batches are full", "Headroom that autoscaling needs", "Autoscaling",
                "Scaling to zero between requests"} & set(rows)  # fmt: skip
    assert "targets" not in str(rows["Replicas without any reserve"][2])
    assert "Batches done in time despite failures" in rows
    assert str(rows["Replicas released after the batch"][2]).endswith("the plan's cost counts this saving")


def test_a_saving_of_hours_says_whether_the_cost_counts_it():
    for is_stopped, said in ((True, "counts this saving"), (False, "leaves this saving out")):
        rows = {str(cells[0]): cells for cells in fleet_rows(fleet(is_stopped=is_stopped), None).cells}
        assert str(rows["Autoscaling"][2]).endswith(said)
    rows = {str(cells[0]): cells for cells in fleet_rows(fleet(autoscaled_replica_hours=2352.0), None).cells}
    assert rows["Autoscaling"][1:] == ("saves nothing", "2\u00a0352 replica-hours per week either way")


def test_one_replica_is_off_in_whole_hours_and_not_between_requests():
    """The one is ordered ahead of its hour; the other makes requests wait for a cold start."""
    for total, is_off in ((1, True), (15, False)):
        rows = {str(cells[0]): cells for cells in fleet_rows(fleet(total=total), None).cells}
        assert str(rows["Autoscaling"][2]).startswith("off in whole hours without load: ") is is_off
        assert "Scaling to zero between requests" in rows


def test_a_fleet_that_cannot_be_is_said():
    rows = fleet_rows(fleet(base=0, total=0), None)
    assert "No rate meets the targets" in str(rows.cells[0][2])
    assert not any(cells[0] == "Autoscaling" for cells in rows.cells)


def test_pools_are_compared_by_replicas_and_cost():
    pools = PoolArrangement(shared=0, shared_with_priorities=6, separate=(4, 1), usd_per_replica_hour=2.0, most=15)
    rows = {str(cells[0]): cells for cells in fleet_rows(fleet(), pools).cells}
    assert rows["Fewest replicas in one pool"][1] == "more than 15"
    assert rows["Fewest in one pool with priorities"][1] == "6 replicas, $12/h"
    assert rows["Fewest with a pool for each class"][1:] == ("5 replicas, $10/h", "4 + 1")
    assert "Fewest with separate prefill and decode pools" not in rows
    tried = msgspec.structs.replace(pools, prefill=2, decode=0)
    rows = {str(cells[0]): cells for cells in fleet_rows(fleet(), tried).cells}
    assert rows["Fewest with separate prefill and decode pools"][1:] == (
        "none up to 15 in each pool",
        "2 prefill replicas are enough, but even 15 decode replicas miss a target",
    )
    slow = msgspec.structs.replace(tried, prefill=0)
    rows = {str(cells[0]): cells for cells in fleet_rows(fleet(), slow).cells}
    said = rows["Fewest with separate prefill and decode pools"][2]
    assert said == "even 15 prefill replicas miss a TTFT target"
    apart = msgspec.structs.replace(pools, separate=(3,), prefill=2, decode=3, transfer_s=0.004)
    rows = {str(cells[0]): cells for cells in fleet_rows(fleet(), apart).cells}
    assert "Fewest with a pool for each class" not in rows
    alone = msgspec.structs.replace(apart, shared=1)
    one = {str(cells[0]): cells[1] for cells in fleet_rows(fleet(), alone).cells}
    assert one["Fewest replicas in one pool"] == "1 replica, $2/h"
    without_choice = msgspec.structs.replace(alone, prefill=-1)
    assert fleet_rows(fleet(), without_choice) == fleet_rows(fleet(), None), "one way alone is no choice"
    assert rows["Fewest with separate prefill and decode pools"][1:] == (
        "5 replicas, $10/h",
        "2 + 3; cache transfer takes 4 ms per prompt",
    )


def outcome(**changes) -> SearchOutcome:
    values: dict[str, Any] = {
        "candidate": 0, "max_sequences": 64, "token_budget": 2048, "replicas": 13, "usd_per_hour": 40.0,
        "slo_rate_per_s": 4.4, "lost_on": "cost", "price_factor": 0.8,
        "tightest": TargetResult(metric="tpot", percentile=95.0, limit_s=0.05, measured_s=0.06),
    }  # fmt: skip
    return SearchOutcome(**(values | changes))


def test_why_a_configuration_lost():
    scenario = synthetic.scenario()
    text = why_lost(outcome(), scenario)
    assert text == "at that price TPOT p95 is 60 ms, target 50 ms; would win at 80 % of its price"
    assert why_lost(outcome(price_factor=1.0), scenario) == "costs the same"
    unable = why_lost(outcome(price_factor=math.nan, replicas=0, lost_on="target"), scenario)
    assert unable.endswith("more replicas do not help")
    endless = msgspec.structs.replace(outcome().tightest, measured_s=math.inf)
    assert "unbounded" in why_lost(outcome(tightest=endless), scenario)


def test_search_is_summed_up_and_listed():
    results = synthetic.results()
    found = SearchResult(
        winner=outcome(lost_on="", price_factor=1.0, usd_per_hour=32.0), runners_up=(outcome(candidate=1),),
        considered=4016, simulated=219, is_complete=True,
    )  # fmt: skip
    assert search_summary(found).startswith("Cheapest within every simulated target: $32/h")
    assert "stopped early" in search_summary(msgspec.structs.replace(found, is_complete=False))
    rows = search_rows(found, results)
    assert len(rows.cells) == 2
    assert "batch 64, 2\u00a0048 tok" in str(rows.cells[0][0])
    none = msgspec.structs.replace(found, winner=None, runners_up=())
    assert search_summary(none).startswith("No configuration meets every target")
    assert search_rows(none, results).cells == ()
    cut = msgspec.structs.replace(none, is_complete=False)
    assert search_summary(cut).startswith(
        "The search was stopped before it found a configuration that meets every target"
    )


def test_without_a_winner_the_nearest_say_which_target_would_have_to_be_looser():
    nearest = outcome(lost_on="idle", replicas=0, usd_per_hour=math.inf, price_factor=math.nan)
    none = SearchResult(winner=None, runners_up=(nearest,), considered=9, simulated=1, is_complete=True)
    rows = search_rows(none, synthetic.results()).cells
    assert [row[3] for row in rows] == ["TPOT p95 is 60 ms even at low load: relax the target of 50 ms"]


def test_availability_is_never_all_of_the_time():
    assert availability_of(enough_up_share=1 - 1e-12) == ("over 99.99 %", "under 53 min a year with too few replicas; ")


def availability_of(**changes) -> tuple[str, str]:
    """The availability of a fleet, and what is said of it before its target."""
    rows = {row[0]: row[1:] for row in fleet_rows(fleet(**changes), None).cells}
    value, said = (str(one).replace("\u00a0", " ") for one in rows["Availability"])
    return value, said.partition("target")[0]


def test_availability_is_told_to_one_nine_more_than_its_target_and_as_time():
    """A target of 99.9 % got "over 99.9999 %": 30 s a year, which no model of lone replicas can promise."""
    year_min = 365.25 * 24 * 60
    assert availability_of(enough_up_share=0.99995, availability_target=0.99)[0] == "over 99.9 %"
    value, said = availability_of(enough_up_share=0.9995)
    assert (value, said) == ("99.950 %", f"{0.0005 * year_min / 60:.1f} h a year with too few replicas; ")
    assert availability_of(enough_up_share=1 - 2e-6, availability_target=0.99999)[0] == "99.9998 %"
    assert availability_of(enough_up_share=0.998)[1].startswith("18 h a year")
