"""APIs, smaller models and processors beside a service, and the load above which the plan is cheaper, by hand."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from gpuplanner_gui.api import plan as answered
from gpuplanner_gui.cli import main
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.domain.price import ApiPrice, ApiPrices
from gpuplanner_gui.drawing.decision_rows import alternative_rows, alternatives_text
from gpuplanner_gui.drawing.in_depth import alternatives_of
from gpuplanner_gui.drawing.results import Decision, LoadSimulation, Results
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.engine.cost.apis import api_alternatives
from gpuplanner_gui.engine.fleet.fleet_sizing import fleet_sizing
from gpuplanner_gui.engine.model.smaller import smaller_models
from gpuplanner_gui.engine.serving.fleet_split import load_multiple
from gpuplanner_gui.files.catalogs import load_catalog
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import load_project
from gpuplanner_gui.paths import resources_dir
from tests.conftest import SMALL_CHAT

CHAT = SMALL_CHAT


@pytest.fixture(scope="module")
def results() -> Results:
    return answered(load_project(CHAT), is_judged=False)[0]


def priced(usd_in: float, usd_out: float, model: str = "llama-3.1-70b") -> ApiPrices:
    one = ApiPrice(
        model=model, provider="A", name="m", input_usd_per_million=usd_in, output_usd_per_million=usd_out, page=""
    )
    return ApiPrices(date="2026-01-01", source="by hand", prices=(one,))


def with_prices(results: Results, *prices: ApiPrices) -> Catalog:
    return msgspec.structs.replace(results.catalog, api_prices=prices)


def test_bill_and_break_even_by_hand(results: Results) -> None:
    answer, serving = results.plan.serving, results.scenario.serving
    assert answer is not None
    assert serving is not None
    (found,) = api_alternatives(results.scenario, with_prices(results, priced(1.0, 2.0)), results.plan)
    usd_each = (answer.mean_prompt_tokens * 1.0 + answer.mean_output_tokens * 2.0) / 1e6
    seconds = 730 * 3600
    mean = answer.peak_rate_per_s * serving.traffic.mean_share_of_peak
    assert found.usd_per_month == pytest.approx(usd_each * mean * seconds)
    fleet = float(answer.table.usd_per_month[answer.best])
    assert found.wins_above_per_s == pytest.approx(fleet / usd_each / seconds)
    # At the load from which it wins, both cost the same.
    assert found.wins_above_per_s * usd_each * seconds == pytest.approx(found.fleet_usd_per_month)


def test_an_api_that_is_always_cheaper_is_never_beaten_and_the_cheapest_comes_first(results: Results) -> None:
    prices = priced(5.0, 5.0), priced(1e-6, 1e-6)
    found = api_alternatives(results.scenario, with_prices(results, *prices), results.plan)
    assert [one.price.input_usd_per_million for one in found] == [1e-6, 5.0]
    assert math.isinf(found[0].wins_above_per_s)
    assert found[1].wins_above_per_s < math.inf


def test_another_architecture_has_no_price(results: Results) -> None:
    other = priced(1.0, 2.0, "gpt-oss-120b")
    assert api_alternatives(results.scenario, with_prices(results, other), results.plan) == ()


@pytest.mark.parametrize(("model", "found"), [("qwen2.5-72b", 0), ("qwen2.5-vl-72b", 1)])
def test_a_model_of_text_does_not_answer_for_one_that_sees(results: Results, model: str, found: int) -> None:
    """The decoders of both are alike; images can be sent to one of them alone."""
    sees = msgspec.structs.replace(results.scenario, model=results.catalog.models["qwen2.5-vl-72b"].model)
    assert len(api_alternatives(sees, with_prices(results, priced(1.0, 2.0, model)), results.plan)) == found


def test_smaller_models_speak_the_same_tokens_and_get_smaller_each_time(catalog: Catalog) -> None:
    def names(model: str) -> list[str]:
        return [one.name for one in smaller_models(catalog.models[model].model, catalog)]

    assert names("llama-3.1-405b") == ["Llama 3.1 70B", "Llama 3.1 8B"]
    assert names("gpt-oss-120b") == ["gpt-oss-20b"]
    assert names("llama-2-13b") == ["Llama 2 7B", "TinyLlama 1.1B"], "rather than Code Llama of the same size"
    assert names("qwen3-32b") == ["Qwen3 14B", "Qwen3 8B"], "neither with a vision tower nor of Qwen 2.5"
    assert names("sdxl-1.0") == [], "pictures have no vocabulary"


def test_a_fleet_instead_costs_what_its_own_plan_costs(results: Results) -> None:
    found = {one.kind: one for one in alternatives_of(results, load_calibration())}
    smaller, processors = found["smaller_model"], found["cpu"]
    model = results.catalog.models["llama-3.2-3b"].model
    assert smaller.model == model.name
    planned = answered(msgspec.structs.replace(results.scenario, model=model), is_judged=False)[0].plan.serving
    assert planned is not None
    # The plan's fleet is simulated and put right besides; it is of the same size here.
    assert smaller.usd_per_month == pytest.approx(float(planned.table.usd_per_month[planned.best]))
    assert smaller.usd_per_month < smaller.fleet_usd_per_month
    assert math.isinf(smaller.wins_above_per_s)
    assert math.isnan(processors.usd_per_month)
    assert processors.reason == Reason.MISSES_TARGET


def test_prices_stand_beside_the_planned_fleets_at_one_mean_load(results: Results) -> None:
    found = alternatives_of(results, load_calibration())
    shown = replace(results, decision=Decision(alternatives=found))
    rows = alternative_rows(shown)
    mean = results.plan.served.peak_rate_per_s * 0.5
    assert {one.mean_rate_per_s for one in found} == {mean}
    (place,) = (place for place, one in enumerate(rows.columns) if one.unit == "USD/month")
    assert rows.columns[place].title == f"At {format_value(mean, 'req/s')} on average"
    assert rows.cells[0][0] == "The planned fleet"
    assert rows.cells[0][place] == pytest.approx(found[0].fleet_usd_per_month, abs=0.01)
    same = msgspec.structs.replace(found[-2], usd_per_month=found[0].fleet_usd_per_month)
    text = alternatives_text(replace(shown, decision=Decision(alternatives=(same,))))
    never = "cheaper than the plan, or as cheap, at every load that the plan can carry"
    assert never in text, "it costs the same"
    most = mean * max(1.0, load_multiple(results.plan.served))
    assert f"can carry {format_value(most, 'req/s')} on average (quick estimate)" in text.splitlines()[0]


def test_once_the_load_is_simulated_the_fleet_carries_what_the_simulation_says(results: Results) -> None:
    """The quick estimate's limit stood beside the verdict's simulated one."""
    answer, mean = results.plan.served, results.plan.served.peak_rate_per_s * 0.5
    found = alternatives_of(results, load_calibration())
    sized = msgspec.structs.replace(
        fleet_sizing(results.scenario, results.plan, answer.best), is_simulated=True,
        slo_rate_per_s=1.5 * float(answer.table.load_per_replica_per_s[answer.best]),
    )  # fmt: skip
    simulation = LoadSimulation(candidate=answer.best, fleet=sized)
    wins = {
        1.4 * mean: f"cheaper above {format_value(1.4 * mean, 'req/s')}",
        1.6 * mean: "at every load that the plan can carry",
    }
    for above, said in wins.items():
        one = msgspec.structs.replace(found[-2], wins_above_per_s=above)
        known = replace(results, decision=Decision(alternatives=(one,)), simulation=simulation)
        first, beside, *_ = alternatives_text(known).splitlines()
        assert f"can carry {format_value(1.5 * mean, 'req/s')} on average. Instead:" in first
        assert said in beside


def test_processors_lose_from_the_load_that_the_same_money_carries() -> None:
    results = answered(load_project(resources_dir() / "examples" / "embedding-index.gpuplan"), is_judged=False)[0]
    processors = next(one for one in alternatives_of(results, load_calibration()) if one.kind == "cpu")
    mean = results.plan.serving.peak_rate_per_s * results.scenario.serving.traffic.mean_share_of_peak
    assert processors.usd_per_month > 10 * processors.fleet_usd_per_month
    share = processors.fleet_usd_per_month / processors.usd_per_month
    # A whole number of replicas, each with its headroom at most twice as much.
    assert 0.5 * share * mean < processors.wins_above_per_s < 2 * share * mean


def test_what_is_no_plan_names_no_fleet() -> None:
    """Processors miss the agents' targets at the confidence asked, whatever their number."""
    agent = answered(load_project(resources_dir() / "examples" / "agent.gpuplan"), is_judged=False)[0]
    known = replace(agent, decision=Decision(alternatives=alternatives_of(agent, load_calibration())))
    (row,) = [one for one in alternative_rows(known).cells if str(one[0]).startswith("CPU servers")]
    assert any("no plan, because" in str(cell) for cell in row)
    assert row[0] == "CPU servers for Qwen3 32B"


def test_shipped_prices_name_models_of_the_catalogue_and_their_pages(catalog: Catalog) -> None:
    (shipped,) = catalog.api_prices
    assert shipped.date
    assert shipped.source
    for one in shipped.prices:
        assert one.model in catalog.models, one.model
        assert one.page.startswith("https://")
        assert 0 < one.input_usd_per_million <= one.output_usd_per_million


def test_own_prices_are_read_beside_the_shipped_ones(tmp_path: Path) -> None:
    (tmp_path / "api_prices.json").write_bytes(msgspec.json.encode(priced(0.5, 0.6)))
    own, shipped = load_catalog(tmp_path).api_prices
    assert own.source == "by hand"
    assert len(shipped.prices) > 10
    wrong = tmp_path / "wrong"
    wrong.mkdir()
    (wrong / "api_prices.json").write_text(json.dumps({"date": "", "source": "", "prices": [{}]}))
    with pytest.raises(FileProblem):
        load_catalog(wrong)


def test_order_prints_apis_beside_the_service(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["order", str(CHAT), "--json"]) == 0
    (order,) = json.loads(capsys.readouterr().out)
    assert {one["price"]["provider"] for one in order["apis"]} >= {"Groq", "Cerebras"}
    assert {one["kind"] for one in order["alternatives"]} == {"api", "smaller_model", "cpu"}
    assert [one["term"] for one in order["ways_to_pay"]][-1] == "mixed"
    assert all(one["reason"] or one["present_value_usd"] for one in order["ways_to_pay"])
