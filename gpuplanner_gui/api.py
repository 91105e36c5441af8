"""GPU Planner for notebooks and scripts: read a model, say what is to be done, plan it, read the verdict, report it.

    from gpuplanner_gui import api

    model = api.read_model("config.json")
    scenario = api.new_scenario(model, rate=40, prompt=1024, answer=256, ttft="1 s")
    (results,) = api.plan(scenario)
    print(api.verdict(results))
    api.report(scenario, "plan.pdf")

Amounts are numbers in SI units and dollars, or text as the window takes it: `"40 req/s"`, `"100B"`, `"2027-01-10"`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args

import msgspec

from gpuplanner_gui.domain.catalog import merged_with_snapshot
from gpuplanner_gui.domain.economics import Procurement
from gpuplanner_gui.domain.field import problems_of
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.preset import (
    GUIDED_DEMAND,
    SERVING_TASKS,
    TASKS,
    TRAINING_OF_TASK,
    VARIATIONS,
    GuidedAnswers,
    OwnedDevices,
    SitePlace,
    Variation,
    guided_training,
)
from gpuplanner_gui.domain.quantity import Quantity
from gpuplanner_gui.domain.scenario import Project, Scenario
from gpuplanner_gui.domain.traffic import Traffic
from gpuplanner_gui.domain.training_workload import TrainingMethod, TrainingWorkload
from gpuplanner_gui.domain.workload import LatencyMetric, RequestClass, ServingEngine, Slo
from gpuplanner_gui.drawing.results import Decision, Results
from gpuplanner_gui.drawing.shown_money import money_of, money_shown
from gpuplanner_gui.drawing.typed_values import NotUnderstood, parse_number, parse_value
from gpuplanner_gui.drawing.value_ranges import entered_quantity_text
from gpuplanner_gui.drawing.words.guided_start import reasoning_text
from gpuplanner_gui.drawing.words.selected_plan import named_text
from gpuplanner_gui.drawing.words.verdict import verdicts
from gpuplanner_gui.engine import plan as planned
from gpuplanner_gui.engine import search_size
from gpuplanner_gui.engine.decision import doors
from gpuplanner_gui.engine.guided_start import guided_scenario, guided_steps
from gpuplanner_gui.engine.serving.curves import best_load_curve
from gpuplanner_gui.engine.simulation.fleet_check import simulated_plan
from gpuplanner_gui.files.catalog_names import resolve_accelerator
from gpuplanner_gui.files.catalogs import load_catalog
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.knowledge import calibrated_by, load_calibration
from gpuplanner_gui.files.model_import import read_model as read_config
from gpuplanner_gui.files.model_names import resolve_model
from gpuplanner_gui.files.project import load_project, save_project
from gpuplanner_gui.files.shipped_tables import guided_figures, owner_at, request_classes

Amount = float | str
PAYING: dict[str, Procurement] = {
    "on-demand": "rent_on_demand", "1y": "rent_1y", "3y": "rent_3y", "spot": "rent_spot", "buy": "own",
}  # fmt: skip
FIRST_PRESET = "chat"
NO_TARGET = "none"
MOST_TOGETHER = 400_000
"""Candidates of all scenarios, whose tables stand in memory together."""
_OWNED = re.compile(r"^\s*(?P<count>\d{1,6})\s*[x×*]\s*(?P<name>.+)$")


class StartProblem(ValueError):
    """An answer that cannot be taken; `str()` says which, and what is expected, with an example."""


@dataclass(frozen=True)
class Question:
    """One question of the guided start: a keyword of `new_scenario`, an option of `gpuplanner new`."""

    name: str
    help: str
    applies: Callable[[Scenario], bool]
    shown: Callable[[Scenario], str]
    """The answer that a scenario has."""
    choices: tuple[str, ...] = ()


def read_model(source: str | Path) -> Model:
    """A model from its config.json, or by its name in the catalogue. Raises FileProblem, StartProblem."""
    path = Path(source)
    if path.suffix == ".json" or path.exists():
        return read_config(path).model
    catalog = load_catalog()
    found, _ = resolve_model(catalog, str(source))
    if found is None:
        raise StartProblem(f"The model {str(source)!r} is not known. Give its config.json, or a name: llama-3.1-8b.")
    return catalog.models[found].model


def new_scenario(
    model: Model, *, task: str = "serve", name: str = "", preset: str = FIRST_PRESET, rate: Amount | None = None,
    prompt: Amount | None = None, answer: Amount | None = None, ttft: Amount | None = None, tpot: Amount | None = None,
    itl: Amount | None = None, e2e: Amount | None = None, load: str | None = None, users: Amount | None = None,
    think: Amount | None = None, requests: Amount | None = None, within: Amount | None = None,
    method: str | None = None,
    tokens: Amount | None = None, sequence: Amount | None = None, batch: Amount | None = None,
    deadline: Amount | None = None, budget: Amount | None = None, may_stop: bool = False, where: str | None = None,
    own: str | None = None, pay: str | None = None, engine: str | None = None,
) -> Scenario:  # fmt: skip
    """A scenario from the answers of the guided start; what is None is the default. Raises StartProblem.

    Targets (`ttft`, `tpot`, `itl`, `e2e`) are p95, in seconds; `"none"` takes one of the preset's away. `own` is a
    fleet that is there already: `"64xh100-sxm"`.
    """
    _check_choice("task", task, TASKS)
    variation, demand = _demand(load, users, think, requests, within)
    serves, trains = task in SERVING_TASKS, task in TRAINING_OF_TASK
    targets: dict[LatencyMetric, Amount | None] = {"ttft": ttft, "tpot": tpot, "itl": itl, "e2e": e2e}
    asked = _requests(preset, rate, prompt, answer, targets) if serves else None
    _refuse(not serves, "how to serve, and the task does not", rate=rate, prompt=prompt, answer=answer, users=users,
            think=think, requests=requests, within=within, engine=engine, **targets)  # fmt: skip
    _refuse(variation in ("people", "batch"), "how many requests come a second, and the load says so itself", rate=rate)
    _refuse(variation == "batch", "how long one waits, and nobody waits for an answer of a batch", **targets)
    _refuse(not trains, "how to train, and the task does not", method=method, tokens=tokens, sequence=sequence,
            batch=batch, deadline=deadline, budget=budget)  # fmt: skip
    if engine is not None:
        _check_choice("engine", engine, get_args(ServingEngine))
    training = (
        _training(model, method or TRAINING_OF_TASK[task], tokens, sequence, batch, deadline, budget)
        if trains
        else None
    )
    answers = GuidedAnswers(
        model=model, requests=asked, training=training, variation=variation, demand=demand, may_stop=may_stop,
        place=_place(where), owner=owner_at(_place(where)), owned=_owned(own), procurement=_procurement(pay),
        engine=engine,  # type: ignore[arg-type]
    )  # fmt: skip
    made = guided_scenario(answers, name or model.name, guided_figures())
    for problem in problems_of(made):
        raise StartProblem(f"{problem.title} is {problem.value}, which is out of bounds.")
    return msgspec.structs.replace(made, notes=reasoning_text(guided_steps(answers, load_catalog(), guided_figures())))


def plan(
    what: Scenario | Project,
    progress: Callable[[float], None] | None = None,
    is_cancelled: Callable[[], bool] | None = None,
    is_judged: bool = True,
) -> tuple[Results, ...]:
    """A plan for each scenario, with the figures that a project carries along, its recommended fleet simulated.

    `progress` is told the share done; `is_cancelled` is asked many times a second. Without `is_judged` candidates and
    fleets are the same, but the verdict knows no stress tests and no bands, nor the findings what limits cost.

    Raises FileProblem where the tables would take too much memory together, and CancelledError where `is_cancelled`
    says so.
    """
    project = as_project(what)
    catalog = merged_with_snapshot(load_catalog(), project.catalog)
    calibration = calibrated_by(project.measurements, catalog, load_calibration())
    _refuse_too_many(search_size(one, catalog, calibration) for one in project.scenarios)
    answers = []
    for place, scenario in enumerate(project.scenarios):
        if progress is not None:
            progress(place / len(project.scenarios))
        quick = planned(scenario, catalog, calibration, seed=project.seed, is_cancelled=is_cancelled)
        found = simulated_plan(scenario, catalog, calibration, quick, project.seed, is_cancelled, is_judged)
        curve = best_load_curve(scenario, catalog, calibration, found, is_cancelled) if is_judged else None
        sure = doors.uncertainty(scenario, catalog, calibration, found, project.seed) if is_judged else None
        known = Decision(uncertainty=sure) if sure is not None else None
        answers.append(Results(project=project, scenario=scenario, plan=found, catalog=catalog, load_curve=curve,
                               decision=known))  # fmt: skip
    return tuple(answers)


def _refuse_too_many(sizes: Iterable[int]) -> None:
    """Refuse searches of scenarios that are too large together, before any of them is planned. Raises FileProblem."""
    if sum(sizes) > MOST_TOGETHER:
        many = f"the scenarios have more than {MOST_TOGETHER:,} candidates together"
        raise FileProblem("project", "$.scenarios", many, "Choose fewer accelerators or precisions in some")


def verdict(results: Results) -> str:
    """What to do, whether it meets the targets and at what cost: a paragraph for each of serving and training."""
    with money_shown(money_of(results.scenario.economics)):
        said = ("\n".join(filter(None, (one.text, named_text(results, one.workload)))) for one in verdicts(results))
        return "\n\n".join(said)


def report(what: Scenario | Project, path: str | Path) -> tuple[Path, ...]:
    """Write the plan in depth as .pdf, .html, .xlsx, .csv or .md; returns what was written. Raises FileProblem."""
    # Draws with Qt, which planning does without.
    from gpuplanner_gui.drawing.in_depth import about_chosen, compared, in_depth
    from gpuplanner_gui.drawing.report import format_of, write_report

    format_of(Path(path))
    project = as_project(what)
    catalog = merged_with_snapshot(load_catalog(), project.catalog)
    calibration = calibrated_by(project.measurements, catalog, load_calibration())
    answers = compared([in_depth(about_chosen(one, calibration), calibration) for one in plan(project)], calibration)
    return write_report(project, answers, Path(path))


def load(path: str | Path) -> Project:
    """A `.gpuplan` file. Raises FileProblem."""
    return load_project(Path(path))


def save(what: Scenario | Project, path: str | Path) -> None:
    """Write a `.gpuplan` file. Raises FileProblem."""
    save_project(as_project(what), Path(path))


def as_project(what: Scenario | Project) -> Project:
    return what if isinstance(what, Project) else Project(name=what.name, scenarios=(what,))


def defaults_of(scenario: Scenario, given: dict[str, Any]) -> list[tuple[Question, str]]:
    """The questions that were not answered, each with what was taken instead."""
    return [
        (one, one.shown(scenario)) for one in QUESTIONS if given.get(one.name) is None and one.applies(scenario)
    ]  # fmt: skip


def _requests(
    preset: str, rate: Amount | None, prompt: Amount | None, answer: Amount | None,
    targets: dict[LatencyMetric, Amount | None],
) -> RequestClass:  # fmt: skip
    known = request_classes()
    _check_choice("preset", preset, tuple(known))
    made = known[preset]
    changes: dict[str, Any] = {
        "peak_rate_per_s": _amount("rate", rate, "req/s"), "prompt_tokens": _amount("prompt", prompt, "tok"),
        "output_tokens": _amount("answer", answer, "tok"),
    }  # fmt: skip
    slos = {slo.metric: slo for slo in made.slos}
    for metric, limit in targets.items():
        if limit == NO_TARGET:
            slos.pop(metric, None)
        elif limit is not None:
            slos[metric] = Slo(metric=metric, percentile=95.0, limit_s=_number(metric, limit, "s"))
    changes = {field: value for field, value in changes.items() if value is not None}
    return msgspec.structs.replace(made, **changes, slos=tuple(slos.values()))


def _demand(
    load: str | None, users: Amount | None, think: Amount | None, requests: Amount | None, within: Amount | None
) -> tuple[Variation, Traffic]:
    """How the load comes, and what people or a batch are; either is meant where its figures are given."""
    of_people, of_batch = users is not None or think is not None, requests is not None or within is not None
    meant = load or ("people" if of_people else "batch" if of_batch else "daily")
    _check_choice("load", meant, VARIATIONS)
    _refuse(meant != "people", "who waits for answers, for the load “people”", users=users, think=think)
    _refuse(meant != "batch", "what a batch is, for the load “batch”", requests=requests, within=within)
    given = {
        "users": (users, ""), "think_time_s": (think, "s"), "batch_requests": (requests, ""),
        "batch_time_s": (within, "s"),
    }  # fmt: skip
    names = {"users": "users", "think_time_s": "think", "batch_requests": "requests", "batch_time_s": "within"}
    figures = {field: _number(names[field], value, unit) for field, (value, unit) in given.items() if value is not None}
    return cast("Variation", meant), msgspec.structs.replace(GUIDED_DEMAND, **figures)


def _training(
    model: Model, method: str, tokens: Amount | None, sequence: Amount | None, batch: Amount | None,
    deadline: Amount | None, budget: Amount | None,
) -> TrainingWorkload:  # fmt: skip
    _check_choice("method", method, get_args(TrainingMethod))
    changes: dict[str, Any] = {
        "tokens": _amount("tokens", tokens, "tok"), "deadline_s": _amount("deadline", deadline, "s"),
        "budget_usd": _amount("budget", budget, "USD"),
        "global_batch_tokens": None if batch is None else round(_number("batch", batch, "tok")),
    }  # fmt: skip
    length = None if sequence is None else round(_number("sequence", sequence, "tok"))
    made = guided_training(method, model, guided_figures(), length)  # type: ignore[arg-type]
    return msgspec.structs.replace(made, **{field: value for field, value in changes.items() if value is not None})


def _amount(name: str, value: Amount | None, unit: str) -> Quantity | None:
    try:
        return parse_value(value, unit) if isinstance(value, str) else value
    except NotUnderstood as problem:
        raise StartProblem(f"{name}: {problem}") from None


def _number(name: str, value: Amount, unit: str) -> float:
    try:
        return parse_number(value, unit) if isinstance(value, str) else float(value)
    except NotUnderstood as problem:
        raise StartProblem(f"{name}: {problem}") from None


def _place(where: str | None) -> SitePlace | None:
    if where is None:
        return None
    places = {one.replace("_", "-"): one for one in get_args(SitePlace)}
    _check_choice("where", where, tuple(places))
    return places[where]


def _procurement(pay: str | None) -> Procurement | None:
    if pay is not None:
        _check_choice("pay", pay, tuple(PAYING))
    return None if pay is None else PAYING[pay]


def _owned(own: str | None) -> OwnedDevices | None:
    if own is None:
        return None
    match = _OWNED.match(own)
    if match is None or int(match["count"]) < 1:
        raise StartProblem(f"own: {own!r} is not a number of devices. Enter a number and an accelerator: 64xh100-sxm.")
    name = match["name"].strip()
    found = resolve_accelerator(load_catalog(), name)
    if found is None:
        raise StartProblem(f"own: the accelerator {name!r} is not in the catalogue. Name one that is: h100-sxm.")
    return OwnedDevices(accelerator=found, count=int(match["count"]))


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise StartProblem(f"{name}: {value!r} is none of {', '.join(choices)}.")


def _refuse(is_pointless: bool, what: str, **given: Amount | str | None) -> None:
    """An answer to a question that does not apply would be lost without a word."""
    for name, value in given.items():
        if is_pointless and value is not None:
            raise StartProblem(f"{name} says {what}: leave it out, or choose another task or load.")


def _serves(scenario: Scenario) -> bool:
    return scenario.serving is not None


def _trains(scenario: Scenario) -> bool:
    return scenario.training is not None


def _of_requests(field: str, unit: str) -> Callable[[Scenario], str]:
    def shown(scenario: Scenario) -> str:
        return entered_quantity_text(getattr(scenario.service.classes[0], field), unit)

    return shown


def _has_rate(scenario: Scenario) -> bool:
    return scenario.serving is not None and scenario.serving.traffic.arrivals not in ("users", "batch")


def _is_awaited(scenario: Scenario) -> bool:
    return scenario.serving is not None and not scenario.serving.traffic.is_batch


def _load(scenario: Scenario) -> str:
    return {"users": "people", "batch": "batch"}.get(scenario.service.traffic.arrivals, "daily")


def _comes_as(arrivals: str) -> Callable[[Scenario], bool]:
    return lambda scenario: scenario.serving is not None and scenario.serving.traffic.arrivals == arrivals


def _of_traffic(field: str, unit: str) -> Callable[[Scenario], str]:
    def shown(scenario: Scenario) -> str:
        return entered_quantity_text(getattr(scenario.service.traffic, field), unit)

    return shown


def _of_training(field: str, unit: str) -> Callable[[Scenario], str]:
    def shown(scenario: Scenario) -> str:
        value = getattr(scenario.training, field)
        if value is None or not unit:
            return str(value or "none")
        counts_samples = unit == "tok" and not scenario.model.layers
        return entered_quantity_text(float(value), "samples" if counts_samples else unit)

    return shown


def _target(metric: str) -> Callable[[Scenario], str]:
    def shown(scenario: Scenario) -> str:
        limits = [slo.limit_s for slo in scenario.service.classes[0].slos if slo.metric == metric]
        return f"p95 {entered_quantity_text(limits[0], 's')}" if limits else "none"

    return shown


def _paid(scenario: Scenario) -> str:
    names = {procurement: name for name, procurement in PAYING.items()}
    economics = scenario.economics
    used = ([economics.serving_procurement] if _serves(scenario) else []) + (
        [economics.training_procurement] if _trains(scenario) else []
    )
    return ", ".join(dict.fromkeys(names[one] for one in used))


def _always(_: Scenario) -> bool:
    return True


def _engine(scenario: Scenario) -> str:
    return scenario.serving.engine.engine if scenario.serving is not None else ""


QUESTIONS = (
    Question("task", "what is to be done; both: fine-tune, then serve", _always, lambda _: TASKS[0], TASKS),
    Question("preset", "requests and targets to start from", _serves, lambda _: FIRST_PRESET,
             tuple(request_classes())),
    Question("rate", "request rate in the busiest minutes: 40 (per second), 2000 per min", _has_rate,
             _of_requests("peak_rate_per_s", "req/s")),
    Question("prompt", "input tokens of a request: 1024, 500..4000", _serves, _of_requests("prompt_tokens", "tok")),
    Question("answer", "generated tokens of a request", _serves, _of_requests("output_tokens", "tok")),
    Question("ttft", "p95 of the time to the first token: 1s; none", _is_awaited, _target("ttft")),
    Question("tpot", "p95 over requests of the mean time per output token: 50ms; none", _is_awaited, _target("tpot")),
    Question("itl", "p95 of the gaps between tokens: 80ms; none", _is_awaited, _target("itl")),
    Question("e2e", "p95 of the time to the last token: 10s; none", _is_awaited, _target("e2e")),
    Question("load", "how the load comes", _serves, _load, VARIATIONS),
    Question("users", "people who use it at the peak, each waiting for the answer: 20", _comes_as("users"),
             _of_traffic("users", "")),
    Question("think", "time from an answer to the same person's next request: 30s", _comes_as("users"),
             _of_traffic("think_time_s", "s")),
    Question("requests", "requests of a batch that comes every day: 250000", _comes_as("batch"),
             _of_traffic("batch_requests", "")),
    Question("within", "time for a batch, from its start to its last answer: 8h", _comes_as("batch"),
             _of_traffic("batch_time_s", "s")),
    Question("method", "how it is trained", _trains, _of_training("method", ""), get_args(TrainingMethod)),
    Question("tokens", "training tokens (or samples), epochs included: 100B", _trains, _of_training("tokens", "tok")),
    Question("sequence", "tokens of a training sequence", _trains, _of_training("sequence_length", "tok")),
    Question("batch", "tokens (or samples) between two optimizer updates: 4M", _trains,
             _of_training("global_batch_tokens", "tok")),
    Question("deadline", "deadline of the training: 6 weeks, 2027-01-10", _trains, _of_training("deadline_s", "s")),
    Question("budget", "budget of the whole training run: $250000", _trains, _of_training("budget_usd", "USD")),
    Question("where", "where it runs", _always, lambda _: "anywhere",
             tuple(one.replace("_", "-") for one in get_args(SitePlace))),
    Question("own", "accelerators you already own: 64xh100-sxm", _always, lambda _: "none"),
    Question("engine", "what serves; on a Mac mlx or llama_cpp", _serves, _engine, get_args(ServingEngine)),
    Question("pay", "how devices are paid for", _always, _paid, tuple(PAYING)),
    Question("may_stop", "interruptions are acceptable: training resumes from a checkpoint, requests are sent again",
             _always, lambda _: "no"),
)  # fmt: skip
"""In the order in which the guided start asks."""
