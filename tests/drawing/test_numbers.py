"""A walk through every page: each number says where it comes from, and what it says is the number on the page."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
import re
import typing
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.field import field_of
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.method import ExplainedValue
from gpuplanner_gui.domain.plan import ServingTable, TrainingTable, column
from gpuplanner_gui.domain.scenario import HardwareChoice, Project, Scenario
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.drawing.answer_titles import plain_name
from gpuplanner_gui.drawing.calibration import calibration_view
from gpuplanner_gui.drawing.explained_numbers import explained_number, numbers_in
from gpuplanner_gui.drawing.in_depth import in_depth
from gpuplanner_gui.drawing.numbers import STAGES, Number, numbers_of, phases_stage
from gpuplanner_gui.drawing.results import LoadSimulation, Results, TrainingDetail
from gpuplanner_gui.drawing.translations import use_language
from gpuplanner_gui.drawing.words.explain import expression_of, name_of, source_of
from gpuplanner_gui.engine import load_curve, plan
from gpuplanner_gui.engine.decision import doors
from gpuplanner_gui.engine.explaining.formula import tracing
from gpuplanner_gui.engine.explaining.parts import UnknownPartError, formula_named
from gpuplanner_gui.engine.explaining.relations import COLUMN_RELATIONS, RELATIONS
from gpuplanner_gui.engine.fleet.fleet_sizing import fleet_sizing
from gpuplanner_gui.engine.fleet.readiness import readiness
from gpuplanner_gui.engine.fleet.slo_search import slo_search
from gpuplanner_gui.engine.phases.gains import speeds, work_of
from gpuplanner_gui.engine.serving.limits import plan_limits
from gpuplanner_gui.engine.simulation.candidate_load import simulated_curves
from gpuplanner_gui.engine.training import exploring
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from tests.identifiers import identifiers_in
from tests.untranslated import without_untranslated

pytestmark = pytest.mark.usefixtures("short_simulations")

A100, H100, L40S = "nvidia-a100-sxm-80gb", "nvidia-h100-sxm-80gb", "nvidia-l40s"
DAY_S = 86_400.0


@pytest.fixture(scope="module")
def calibration() -> Calibration:
    return load_calibration()


@pytest.fixture(scope="module")
def results(calibration: Calibration) -> Results:
    """Everything that pages show, of a small project that trains and serves."""
    catalog = load_shipped_catalog()
    llama_8b = catalog.models["llama-3.1-8b"].model
    scenario = Scenario(
        name="both",
        model=llama_8b,
        serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=20.0),)),
        training=TrainingWorkload(tokens=5e9, deadline_s=30 * DAY_S, global_batch_tokens=1_048_576),
        hardware=HardwareChoice(accelerators=(H100, L40S), max_training_devices=16),
    )
    economics = msgspec.structs.replace(
        scenario.economics, serving_budget_usd_per_month=1e6,
        uncertainty=msgspec.structs.replace(scenario.economics.uncertainty, samples=200),
    )  # fmt: skip
    scenario = msgspec.structs.replace(scenario, economics=economics)
    project = Project(name="both", scenarios=(scenario,))
    planned = plan(scenario, catalog, calibration, seed=project.seed)
    plain = Results(project=project, scenario=scenario, plan=planned, catalog=catalog)
    found = in_depth(plain, calibration)
    assert found.decision is not None
    decision = replace(
        found.decision,
        limits=plan_limits(scenario, catalog, calibration, planned),
        phases=speeds(llama_8b, catalog, calibration, work_of(scenario)),
        comparison=doors.compared([(scenario, planned)] * 2, catalog, calibration, 1, economics.ranking),
        calibration=calibration_view(plain),
    )
    return replace(
        found, decision=decision, simulation=simulated(plain, calibration), training=trained(plain, calibration)
    )


def simulated(results: Results, calibration: Calibration) -> LoadSimulation:
    given = (results.scenario, results.catalog, calibration, results.plan)
    best = results.plan.serving.best
    curve = next(iter(simulated_curves(*given, best, points=3, requests=100)))
    fleet = fleet_sizing(results.scenario, results.plan, best, curve)
    tests = next(iter(readiness(*given, best, replica_start_s=fleet.start.total_s)))
    search = slo_search(*given, requests=100, batch_limits=(64,), token_budgets=(2048,), most_simulations=4)
    return LoadSimulation(candidate=best, curve=curve, fleet=fleet, readiness=tests, search=search)


def trained(results: Results, calibration: Calibration) -> TrainingDetail:
    given, planned = (results.scenario, results.catalog, calibration), results.plan
    best = planned.training.best
    device = planned.accelerators[int(planned.training.table.accelerator[best])]
    count = int(planned.training.table.devices[best])
    return TrainingDetail(
        step=exploring.step_detail(*given, planned, best),
        fits=exploring.fits(*given, planned, best),
        scaling=exploring.scaling(*given, device),
        layouts=exploring.layouts(*given, device, "time", count),
    )


def one_of_each(results: Results, page: str) -> Iterator[Number]:
    """The first number of every field that a page shows: the others of an array or list come about likewise."""
    seen = set()
    named = (phases_stage(A100, H100),) if page == "phases" else ()
    for one in numbers_of(results, page, named):
        field = one.place if one.stage in ("serving", "training") else re.sub(r"\d+", "#", one.place)
        if (one.stage, field) not in seen:
            seen.add((one.stage, field))
            yield one


def says_where_from(found: ExplainedValue) -> bool:
    """A formula or relation with what goes into it, or the place where the figure was read."""
    return bool(found.inputs) if found.expression else bool(found.source)


def words_of(found: ExplainedValue, told: set[tuple[str, ...]]) -> Iterator[str]:
    """What is read of a value and of all that goes into it, but for what was told before."""
    key = (found.name, found.title, found.expression, found.source)
    if key not in told:
        told.add(key)
        yield from (name_of(found), expression_of(found), source_of(found))
        for one in found.inputs:
            yield from words_of(one, told)


@pytest.mark.parametrize("page", sorted({*STAGES, "verdict"} - {"estate"}))
def test_every_number_of_a_page_says_where_it_comes_from(page: str, results: Results, calibration: Calibration) -> None:
    numbers = list(one_of_each(results, page))
    assert numbers
    silent, other, in_code = [], [], set()
    told: set[Any] = set()
    for one in numbers:
        found = explained_number(results, calibration, one.stage, one.place)
        if not says_where_from(found):
            silent.append((one.stage, one.place))
        if found.value != pytest.approx(one.value, rel=1e-9):
            other.append((one.stage, one.place, found.value, one.value))
        in_code |= set().union(*map(identifiers_in, words_of(found, told)))
    assert silent == []
    assert other == []
    assert in_code == set()


def test_money_of_the_years_says_which_year(results: Results) -> None:
    paid = [one for one in numbers_of(results, "cost") if "/usd_by_year/" in one.place]
    assert any(one.title.endswith("Cost by year · Year 1") for one in paid)
    assert {one.unit for one in paid} == {"USD"}
    assert not any("[" in one.title for one in paid)


@pytest.mark.parametrize(
    ("stage", "place", "formula"),
    [
        ("ownership", "serving/annual/capital_usd", "cost.ownership."),
        ("ownership", "serving/energy/electricity_carbon_kg", "cost.energy."),
        ("ownership", "serving/owned_usd_per_useful_hour", "cost.ownership."),
        ("load", "ttft_s/mean/40", ""),
    ],
)
def test_a_number_that_a_formula_made_is_followed_to_its_inputs(
    stage: str, place: str, formula: str, results: Results, calibration
) -> None:
    """The formula that ran, with the values of this very entry: inputs of arrays are taken at its place."""
    found = explained_number(results, calibration, stage, place)
    assert found.formula.startswith(formula)
    assert found.formula
    assert found.inputs
    assert all(not isinstance(one.value, tuple) for one in found.inputs)


def made_again(results: Results, calibration: Calibration) -> dict[str, Callable[[], object]]:
    """Answers that formulas compute and nothing samples or simulates."""
    given = (results.scenario, results.catalog, calibration, results.plan)
    return {
        "fleets": partial(doors.fleets, *given),
        "ownership": partial(doors.ownership, *given),
        "load": partial(load_curve, *given, results.load_curve.candidate),
        "limits": partial(plan_limits, *given),
        "step": partial(exploring.step_detail, *given, results.training.step.candidate),
    }


def computed_by(results: Results, calibration: Calibration, stage: str) -> dict[str, set[float]]:
    """All numbers that each formula yields while an answer is made, by the formula's key."""
    found: dict[str, set[float]] = defaultdict(set)
    with tracing() as trace:
        made_again(results, calibration)[stage]()
    for call in trace.calls:
        found[call.formula.key] |= set(numbers_in_result(call.result))
    return found


def numbers_in_result(result: object) -> Iterator[float]:
    if dataclasses.is_dataclass(result) or isinstance(result, msgspec.Struct):
        of_struct = getattr(result, "__struct_fields__", None)
        names = of_struct or tuple(one.name for one in dataclasses.fields(result))  # type: ignore[arg-type]
        for name in (*names, "total") if hasattr(result, "total") else names:
            yield from numbers_in_result(getattr(result, name))
    elif isinstance(result, tuple):
        for one in result:
            yield from numbers_in_result(one)
    elif isinstance(result, (int, float, np.ndarray, np.generic)):
        yield from np.asarray(result, float).ravel().tolist()


@pytest.mark.parametrize("stage", ["fleets", "ownership", "load", "limits", "step"])
def test_the_formula_that_is_named_for_a_field_computed_its_numbers(
    stage: str, results: Results, calibration: Calibration
) -> None:
    computed, seen, wrong = computed_by(results, calibration, stage), 0, []
    for page in STAGES:
        for one in one_of_each(results, page):
            found = explained_number(results, calibration, stage, one.place) if one.stage == stage else None
            if found is None or not found.formula:
                continue
            seen += 1
            if one.value not in computed[found.formula]:
                wrong.append((one.place, found.formula))
    assert seen
    assert wrong == []


def test_every_relation_is_of_a_struct_that_has_the_field_and_names_a_formula_that_is_there() -> None:
    kinds = {f"{kind.__module__.rpartition('.')[2]}.{kind.__name__}": kind for kind in answer_kinds()}
    for key, relation in RELATIONS.items():
        struct, _, name = key.rpartition(".")
        field = name.partition("/")[0]
        assert name == "*" or field in kinds[struct].__annotations__ or hasattr(kinds[struct], field), key
        assert not relation.formula or formula_named(relation.formula)
        for one in relation.inputs:
            kind, _, rest = one.partition(":")
            if kind == "column" and rest != "code":
                workload, _, column = rest.partition(":")
                table = {"serving": ServingTable, "training": TrainingTable}[workload]
                assert column in table.__struct_fields__, (key, one)
            if kind == "scenario":
                assert has_path(Scenario, rest.split(".")), (key, one)


def answer_kinds() -> Iterator[type]:
    for place in ("domain", "engine.evidence", "drawing"):
        package = importlib.import_module(f"gpuplanner_gui.{place}")
        for info in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            module = importlib.import_module(info.name)
            yield from (one for one in vars(module).values() if isinstance(one, type) and one.__module__ == info.name)


def has_path(kind: object, steps: list[str]) -> bool:
    """Whether a path leads through a struct's fields, also those that may be None."""
    structs = [
        one for one in (kind, *typing.get_args(kind)) if isinstance(one, type) and issubclass(one, msgspec.Struct)
    ]
    if not steps:
        return True
    return any(
        has_path(field_of(one, steps[0]).type, steps[1:]) for one in structs if steps[0] in one.__struct_fields__
    )


def test_relations_that_are_arithmetic_hold(results: Results) -> None:
    """`(training_hours + serving_hours) / paid_hours`, with the numbers that stand beside it."""
    checked = set()
    busy = RELATIONS["decision.Fleet.busy_share"].expression
    for fleet in (one for answer in results.decision.fleets.strategies for one in answer.fleets):
        assert fleet.busy_share == pytest.approx(value_of(busy, vars_of(fleet)))
    for workload in ("serving", "training"):
        table = results.answer(workload).table
        columns = {
            name: column(table, name)[table.order[:20]] for name in type(table).__struct_fields__ if name != "order"
        }
        for key, relation in COLUMN_RELATIONS.items():
            names = set(re.findall(r"[^\W\d]\w*", relation.expression))
            if key.startswith(workload) and names and names <= set(columns):
                checked.add(key)
                expected = value_of(relation.expression, columns)
                assert columns[key.partition(".")[2]] == pytest.approx(expected, nan_ok=True), key
    assert {"serving.headroom", "training.data_parallel"} <= checked


def vars_of(struct: msgspec.Struct) -> dict[str, object]:
    return {name: getattr(struct, name) for name in struct.__struct_fields__}


def value_of(expression: str, names: Mapping[str, object]) -> object:
    return eval(expression.replace("·", "*").replace("−", "-"), {"__builtins__": {}}, names)  # noqa: S307


def test_relations_lead_on_to_candidates_and_to_the_scenario(results: Results, calibration: Calibration) -> None:
    (serving,) = [
        place for place, one in enumerate(results.decision.fleets.of("burst").fleets) if one.role == "serving"
    ]
    found = explained_number(results, calibration, "fleets", f"strategies/3/fleets/{serving}/serving_hours")
    column = next(one for one in found.inputs if one.name == "slo_rate_per_s")
    assert column.formula
    bill = explained_number(results, calibration, "fleets", f"strategies/3/fleets/{serving}/data_usd")
    assert bill.formula == "cost.bill.storage_and_egress_usd"


def test_findings_tell_their_rule_and_the_figures_that_it_read(results: Results, calibration: Calibration) -> None:
    one = next(one for one in numbers_of(results, "findings") if one.stage == "findings")
    found = explained_number(results, calibration, one.stage, one.place)
    assert found.expression.endswith(".")
    assert found.inputs


def beside_another(results: Results, calibration: Calibration) -> Results:
    """The results with a second scenario of twice the load, and both compared."""
    (mine,) = results.project.scenarios
    serving = msgspec.structs.replace(mine.serving, classes=(RequestClass(peak_rate_per_s=40.0),))
    other = msgspec.structs.replace(mine, name="other", serving=serving)
    seed = results.project.seed
    planned = [(one, plan(one, results.catalog, calibration, seed=seed)) for one in (mine, other)]
    comparison = doors.compared(planned, results.catalog, calibration, 1, mine.economics.ranking)
    project = msgspec.structs.replace(results.project, scenarios=(mine, other))
    return replace(results, project=project, decision=replace(results.decision, comparison=comparison))


def test_another_scenarios_results_are_followed_down_to_its_own_formulas(
    results: Results, calibration: Calibration
) -> None:
    both = beside_another(results, calibration)
    mine, its = (
        explained_number(both, calibration, "comparison", f"scenarios/{place}/headlines/0/planned") for place in (0, 1)
    )
    assert isinstance(its.value, float)
    assert isinstance(mine.value, float)
    assert its.value > mine.value
    for found in (mine, its):
        (column,) = found.inputs
        assert column.name == "usd_per_month"
        assert column.value == pytest.approx(found.value, rel=1e-12)
        assert column.formula
        assert column.inputs


def test_a_compared_scenario_that_the_project_has_no_more_is_refused(
    results: Results, calibration: Calibration
) -> None:
    both = beside_another(results, calibration)
    alone = replace(both, project=results.project)
    with pytest.raises(UnknownPartError):
        explained_number(alone, calibration, "comparison", "scenarios/1/headlines/0/planned")


@pytest.mark.parametrize("stage", ["uncertainty", "comparison"])
def test_what_is_told_of_the_recommended_is_explained_by_it_whichever_is_looked_at(
    stage: str, results: Results, calibration: Calibration
) -> None:
    other = int(results.plan.serving.table.order[3])
    looking = replace(beside_another(results, calibration), selected={"serving": other})
    place = "headlines/0/planned" if stage == "uncertainty" else "scenarios/0/headlines/0/planned"
    found = explained_number(looking, calibration, stage, place)
    assert [one.value for one in found.inputs if one.name == "usd_per_month"] == [pytest.approx(found.value, rel=1e-12)]


def test_a_number_that_is_not_there_is_refused(results: Results, calibration: Calibration) -> None:
    for stage, place in (("fleets", "strategies/9/usd"), ("nothing", "x"), ("findings", "999/values/x")):
        with pytest.raises(UnknownPartError):
            explained_number(results, calibration, stage, place)


SAME_IN_CHINESE = {"both", "token", "Token", "Logits", "Spot", "Little", "Pareto", "hyperscaler", "Force", "bytes"}
"""Names, and words of the field that Chinese takes as they are."""


def test_titles_and_rules_are_said_in_chinese_where_it_has_them(results: Results, calibration: Calibration) -> None:
    use_language("zh_TW")
    try:
        numbers = [one for page in STAGES for one in one_of_each(results, page)]
        found = [
            explained_number(results, calibration, one.stage, one.place) for one in numbers if one.stage == "findings"
        ]
        said = [*(one.title for one in numbers), *map(name_of, found), *map(expression_of, found)]
    finally:
        use_language("en")
    proper = [one.name for one in results.catalog.accelerators.values()]
    proper += [str(one.values.get(key, "")) for one in results.plan.findings for key in ("provider", "model")]
    names = {word for one in proper for word in (*re.findall(r"\w+", one), *re.findall(r"[A-Za-z][a-z]{3,}", one))}
    known = {text: without_untranslated(text, "zh_TW") for text in said}
    english = {text for text in said if set(re.findall(r"[A-Za-z][a-z]{3,}", known[text])) - names - SAME_IN_CHINESE}
    assert len(numbers) > 200
    assert english == set()


def test_words_hold_whole_numbers_only():
    numbers = [Number("s", text, text, "", float(text)) for text in ("1", "12", "3.25")]
    assert [one.text for one in numbers_in("12 devices at 3.25", numbers)] == ["12", "3.25"]
    assert numbers_in("none", numbers) == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ttft_s", "TTFT"), ("peak_flop_per_s", "peak"), ("slo_rate_per_s", "SLO rate"), ("peak_kv_use", "peak KV use"),
        ("usd_per_month", "cost per month"), ("busy_share", "busy share"), ("weights_s", "weights"),
    ],
)  # fmt: skip
def test_names_of_code_are_read_without_their_unit(name: str, words: str) -> None:
    assert plain_name(name) == words
