"""Lists and texts of a project are bounded where they are declared, and what is over is refused in a sentence."""

from __future__ import annotations

import json
import typing
from typing import Any, get_args

import msgspec
import pytest

from gpuplanner_gui import api
from gpuplanner_gui.domain.catalog import Pack
from gpuplanner_gui.domain.field import LARGEST, SMALLEST, fields_of, problems_of
from gpuplanner_gui.domain.model import Precision
from gpuplanner_gui.domain.scenario import HardwareChoice, Project, Scenario, TooManyCandidates
from gpuplanner_gui.domain.traffic import Traffic
from gpuplanner_gui.domain.workload import MOST_TOKENS, RequestClass, ServingWorkload
from gpuplanner_gui.engine import plan, search_size
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.serving.candidates import (
    MOST_CANDIDATES,
    ServingCandidates,
    serving_candidates,
)
from gpuplanner_gui.engine.serving.search_variants import searched_candidates
from gpuplanner_gui.files.catalogs import load_catalog
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import project_from_bytes
from tests.fuzz.exhausting import EXHAUSTING, plan_file, scenario


def structs_in(kind: Any, found: set[type]) -> set[type]:
    """Every struct type that a type can hold."""
    for part in (kind, *get_args(kind)):
        if part is not kind:
            structs_in(part, found)
        elif isinstance(part, type) and issubclass(part, msgspec.Struct) and part not in found:
            found.add(part)
            for hint in typing.get_type_hints(part).values():
                structs_in(hint, found)
    return found


def is_open_list(kind: Any) -> bool:
    return typing.get_origin(kind) is tuple and get_args(kind)[-1] is Ellipsis


def test_every_list_that_a_file_can_hold_has_a_bound() -> None:
    kinds = structs_in(Project, set()) | {Pack}
    assert len(kinds) > 30
    unbounded = [
        f"{kind.__name__}.{field.name}"
        for kind in kinds
        for field in fields_of(kind)
        if is_open_list(field.type) and field.about.most is None
    ]
    assert unbounded == []


def test_a_list_of_choices_holds_no_more_than_there_are_choices() -> None:
    for kind in structs_in(Project, set()):
        for field in fields_of(kind):
            choices = get_args(get_args(field.type)[0]) if is_open_list(field.type) else ()
            if choices and all(isinstance(one, str) for one in choices):
                assert field.about.once, field.name
                assert field.about.most == len(choices), field.name


@pytest.mark.parametrize("name", [name for name, (_, words) in EXHAUSTING.items() if words])
def test_what_would_exhaust_memory_or_the_window_is_refused(name: str) -> None:
    content, words = EXHAUSTING[name]
    with pytest.raises(FileProblem, match=words):
        project_from_bytes(content())


def test_an_entry_that_stands_twice_is_told_by_its_place() -> None:
    twice = scenario(serving={"weight_precisions": ["bf16", "fp8", "bf16"]})
    with pytest.raises(FileProblem, match="weight_precisions\\[2\\]: Weight precisions contains bf16 twice"):
        project_from_bytes(plan_file(twice))


@pytest.mark.parametrize("number", [SMALLEST / 10, 5e-324, LARGEST * 10, 1e308])
def test_no_number_may_be_so_large_or_small_that_products_overflow(number: float) -> None:
    (problem,) = problems_of(Traffic(peak_over_mean_1s=3.0, hours=(1.0, number)))[:1]
    assert problem.path == "hours[1]"
    assert problem.code in ("too_small", "too_large")


def test_the_most_tokens_of_a_request_are_read_and_one_more_is_not() -> None:
    most = scenario(classes=[{"peak_rate_per_s": 1, "prompt_tokens": MOST_TOKENS}])
    assert project_from_bytes(plan_file(most)).scenarios[0].name == "s"
    more = json.loads(plan_file(most))
    more["scenarios"][0]["serving"]["classes"][0]["prompt_tokens"] = MOST_TOKENS * 1.01
    with pytest.raises(FileProblem, match="Prompt must be at most"):
        project_from_bytes(json.dumps(more).encode())


def test_too_many_candidates_are_refused_before_memory_is_taken() -> None:
    formats: tuple[str, ...] = get_args(Precision)
    assert len(serving_candidates(280, ("bf16", "fp8"), ("bf16",), 4096)) == 280 * 19 * 2
    with pytest.raises(TooManyCandidates) as refused:
        serving_candidates(280, formats, formats, 4096)
    assert (refused.value.count, refused.value.most) == (532_000, MOST_CANDIDATES)
    with pytest.raises(TooManyCandidates):
        serving_candidates(10**9, formats, formats, 4096)  # would take 10**13 bytes


def test_scenarios_too_large_together_are_refused_before_any_is_planned(monkeypatch: pytest.MonkeyPatch) -> None:
    planned = []
    monkeypatch.setattr(api, "planned", lambda *args, **_: planned.append(args))
    many = project_from_bytes(plan_file(*[scenario(f"s{place}", training={"tokens": 1e9}) for place in range(20)]))
    with pytest.raises(FileProblem, match=f"more than {api.MOST_TOGETHER:,} candidates together"):
        api.plan(many)
    assert planned == []


def test_the_size_of_a_search_is_what_its_plan_holds_without_variants() -> None:
    """Nothing is evaluated for it, and a plan of one scenario has as many, and a few counts of devices in between."""
    catalog, calibration = load_catalog(), load_calibration()
    both = project_from_bytes(plan_file(scenario(training={"tokens": 1e9}))).scenarios[0]
    found = plan(both, catalog, calibration)
    assert found.serving is not None
    assert found.training is not None
    size, held = (
        search_size(both, catalog, calibration),
        len(found.serving.table.order) + len(found.training.table.order),
    )
    assert size <= held <= 1.05 * size


def test_a_search_of_too_many_begins_without_those_whose_weights_cannot_fit() -> None:
    """Every format of a mixture over the whole catalogue: what is left runs as before, and what is not is counted."""
    formats: tuple[Precision, ...] = get_args(Precision)
    catalog = load_catalog()
    hardware = HardwareChoice(max_devices_per_replica=16)

    def searched(weights: tuple[Precision, ...]) -> tuple[ServingCandidates, int]:
        serving = ServingWorkload(
            classes=(RequestClass(peak_rate_per_s=1.0),), weight_precisions=weights, kv_precisions=("bf16", "fp8")
        )
        asked = Scenario(name="s", model=catalog.models["deepseek-v3"].model, serving=serving, hardware=hardware)
        return searched_candidates(asked, context_of(catalog, load_calibration()))

    few, none_left_out = searched(("fp8",))
    many, left_out = searched(formats)
    assert none_left_out == 0
    assert len(many) + left_out == len(few) * len(formats)
    assert 0 < len(many) <= MOST_CANDIDATES
    # One device with 80 GB is left with no format: the model has 671 B parameters.
    h100 = list(catalog.accelerators).index("nvidia-h100-sxm-80gb")
    assert many.devices[many.accelerator == h100].min() > 4
    assert few.devices[few.accelerator == h100].min() == 1
