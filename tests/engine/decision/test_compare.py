"""Scenarios beside each other: only what differs, the same samples, and weights that decide."""

from __future__ import annotations

import numpy as np
import pytest

from gpuplanner_gui.desktop.store import replaced
from gpuplanner_gui.domain.economics import RankingWeights
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.decision.compare import comparison, differing_inputs
from gpuplanner_gui.engine.decision.monte_carlo_plan import uncertainty_of_plan


@pytest.fixture(scope="module")
def pair(service, catalog, calibration):
    """The same service on few cheap devices, and on dear quick ones."""
    cheap = replaced(replaced(service, "name", "cheap"), "hardware.accelerators", ("nvidia-l40s",))
    quick = replaced(replaced(service, "name", "quick"), "hardware.accelerators", ("nvidia-h200-sxm-141gb",))
    return [(one, plan(one, catalog, calibration)) for one in (cheap, quick)]


def test_only_inputs_that_differ_are_shown(service):
    other = replaced(service, "serving.classes[0].peak_rate_per_s", 80.0)
    other = replaced(other, "economics.serving_procurement", "own")
    found = {one.path: one.values for one in differing_inputs([service, other])}
    assert found == {
        "serving.classes[0].peak_rate_per_s": (40.0, 80.0),
        "economics.serving_procurement": ("rent_on_demand", "own"),
    }
    assert differing_inputs([service, service]) == ()


def test_a_section_that_one_lacks_and_another_model_are_one_line_each(both, service, llama_70b):
    found = {one.path: one.values for one in differing_inputs([both, replaced(service, "model", llama_70b)])}
    assert found["model"] == ("8B", "70B")
    assert found["training"][1] is None


def test_a_class_more_is_one_line(service):
    one = service.serving.classes[0]
    other = replaced(service, "serving.classes", (one, replaced(one, "name", "batch")))
    (found,) = differing_inputs([service, other])
    assert found.path == "serving.classes[1]"
    assert found.values == (None, "batch")


def test_weights_decide_the_ranking(pair, context):
    by_cost = comparison(pair, context, 1, RankingWeights(cost=1, latency=0, stability=0, certainty=0, power=0))
    by_latency = comparison(pair, context, 1, RankingWeights(cost=0, latency=1, stability=0, certainty=0, power=0))
    cost = [one.headline("serving.usd_per_month").planned for one in by_cost.scenarios]
    latency = [one.headline("serving.ttft_p95_s").planned for one in by_latency.scenarios]
    assert by_cost.ranking[0] == int(np.argmin(cost))
    assert by_latency.ranking[0] == int(np.argmin(latency))
    for found, criterion in ((by_cost, "cost"), (by_latency, "latency")):
        assert [one.score for one in found.scenarios] == pytest.approx(
            [one.scores[criterion] for one in found.scenarios]
        )


def test_runs_are_not_judged_by_the_latency_of_a_service(both, catalog, calibration, context):
    """Weight on latency alone made two runs equal at 100 %."""
    first = replaced(replaced(both, "name", "first"), "serving", None)
    second = replaced(replaced(first, "name", "second"), "training.tokens", 3e10)
    weights = RankingWeights(cost=1, latency=100, stability=100, certainty=0, power=0)
    found = comparison([(one, plan(one, catalog, calibration)) for one in (first, second)], context, 1, weights)
    assert [set(one.scores) for one in found.scenarios] == [{"cost", "certainty", "power"}] * 2
    assert [one.score for one in found.scenarios] == [one.scores["cost"] for one in found.scenarios]


def test_one_beats_the_other_or_the_other_it(pair, context):
    found = comparison(pair, context, 1, RankingWeights())
    assert found.beats[0][1] + found.beats[1][0] == pytest.approx(1.0)


def test_a_run_does_not_cost_less_than_a_service(service, both, catalog, calibration, context):
    run = replaced(replaced(both, "serving", None), "name", "run")
    planned = [(one, plan(one, catalog, calibration)) for one in (service, replaced(service, "name", "again"), run)]
    beats = np.array(comparison(planned, context, 1, RankingWeights()).beats)
    assert np.isfinite(beats[0, 1])
    assert np.isnan(beats[2, :]).all()
    assert np.isnan(beats[:, 2]).all()


def test_shared_inputs_share_their_samples(service, catalog, calibration, context):
    """The same scenario at twice the price loses in every sample: what they share does not blur the comparison."""
    dear = replaced(service, "economics.price_level", "high")
    pair = [(one, plan(one, catalog, calibration)) for one in (service, dear)]
    found = comparison(pair, context, 1, RankingWeights())
    assert found.beats[0][1] > 0.99


def test_a_band_beside_others_is_the_one_of_the_scenarios_own_page(pair, context):
    found = comparison(pair, context, 1, RankingWeights())
    for (scenario, answer), beside in zip(pair, found.scenarios, strict=True):
        alone = uncertainty_of_plan(scenario, answer, context, 1)
        assert repr(beside.headlines) == repr(alone.headlines)


def test_scores_lie_between_worst_and_best(pair, context):
    for one in comparison(pair, context, 1, RankingWeights()).scenarios:
        assert all(0 <= value <= 1 for value in one.scores.values())
        assert 0 <= one.score <= 1


def test_one_or_seven_scenarios_are_refused(pair, context):
    for count in (1, 7):
        with pytest.raises(ValueError, match="cannot be compared"):
            comparison([pair[0]] * count, context, 1, RankingWeights())
