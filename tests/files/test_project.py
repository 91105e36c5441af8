"""Project files: exact round trip, refusals that name the place, results that travel along."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplanner_gui.domain.catalog import MOST_ENTRIES, CatalogSnapshot, merged_with_snapshot, snapshot_of
from gpuplanner_gui.domain.economics import Economics, ExchangeRate, PriceOverride
from gpuplanner_gui.domain.estate import Estate, EstateSite
from gpuplanner_gui.domain.field import LARGEST, SMALLEST
from gpuplanner_gui.domain.model import Attention, DenseFfn, LayerGroup, Model
from gpuplanner_gui.domain.quantity import Lognormal, Money, Normal, Range, Triangular
from gpuplanner_gui.domain.scenario import FORMAT_VERSION, MOST_SCENARIOS, HardwareChoice, Project, Scenario
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload, Slo
from gpuplanner_gui.engine import plan
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import (
    changed_headlines,
    load_project,
    project_from_bytes,
    project_to_bytes,
    save_project,
    with_snapshot,
)

VERSIONS = Path(__file__).parent / "versions"

MODEL = Model(
    name="tiny",
    hidden_size=512,
    vocab_size=32_000,
    layers=(LayerGroup(count=4, mixer=Attention(heads=8, kv_heads=2, head_dim=64), ffn=DenseFfn(size=2048)),),
)


def sample(**changes) -> Project:
    scenario = Scenario(
        name="Chat",
        model=MODEL,
        serving=ServingWorkload(
            classes=(
                RequestClass(peak_rate_per_s=Triangular(10.0, 20.0, 40.0), prompt_tokens=Lognormal(800.0, 1.1)),
                RequestClass(name="batch", peak_rate_per_s=1.0, slos=(Slo(metric="e2e", limit_s=60.0),)),
            )
        ),
        training=TrainingWorkload(tokens=Range(1e9, 2e9), deadline_s=Normal(1e6, 1e4)),
        hardware=HardwareChoice(accelerators=("nvidia-h100-sxm-80gb",)),
        economics=Economics(
            overrides=(
                PriceOverride(accelerator="nvidia-h100-sxm-80gb", rent_per_device_hour=Money(2.1, "EUR")),
                PriceOverride(
                    accelerator="nvidia-h100-sxm-80gb",
                    term="rent_3y",
                    rent_per_device_hour=Money(1.7),
                    provider="Nordkap",
                ),
            ),
            rates=(ExchangeRate("EUR", 1.08),),
        ),
        notes="first line\nsecond line",
    )
    return msgspec.structs.replace(Project(name="Ünïcode 計画", scenarios=(scenario,)), **changes)


def refused(content: bytes) -> FileProblem:
    with pytest.raises(FileProblem) as caught:
        project_from_bytes(content, "plan.gpuplan")
    assert "plan.gpuplan" in str(caught.value)
    assert "Traceback" not in str(caught.value)
    return caught.value


def edited(change) -> bytes:
    data = json.loads(project_to_bytes(sample()))
    change(data)
    return json.dumps(data).encode()


def test_round_trip_is_exact():
    first = project_to_bytes(sample())
    again = project_from_bytes(first)
    assert again.scenarios == sample().scenarios
    assert project_to_bytes(again) == first


@given(value=st.floats(min_value=SMALLEST, max_value=LARGEST, allow_nan=False, allow_infinity=False))
@settings(max_examples=200)
def test_numbers_read_back_to_the_bit(value):
    project = sample(scenarios=(Scenario(name="a", model=MODEL, training=TrainingWorkload(tokens=value)),))
    assert project_from_bytes(project_to_bytes(project)).scenarios[0].training.tokens == value


def test_the_file_is_readable_text_with_a_fixed_order():
    text = project_to_bytes(sample()).decode()
    assert text.startswith('{\n  "format": "gpuplan",\n  "version": 4,\n  "app_version"')
    assert "Ünïcode 計画" in text


def test_snapshot_digests_and_headlines_travel_along():
    catalog, calibration = load_shipped_catalog(), load_calibration()
    serving_only = msgspec.structs.replace(
        sample().scenarios[0], training=None, economics=Economics(), serving=ServingWorkload(
            classes=(RequestClass(peak_rate_per_s=5.0),)
        )
    )  # fmt: skip
    project = sample(scenarios=(serving_only,))
    found = plan(serving_only, catalog, calibration)
    stamped = with_snapshot(project, catalog, calibration, {"Chat": found})
    back = project_from_bytes(project_to_bytes(stamped))
    assert back.calibration_digest == calibration.digest
    assert {entry.id for entry in back.catalog.accelerators} == {"nvidia-h100-sxm-80gb"}
    codes = {one.code: one.value for one in back.headlines}
    assert codes["serving.usd_per_month"] == float(found.serving.table.usd_per_month[found.serving.best])
    assert changed_headlines(back, {"Chat": found}) == []
    dearer = msgspec.structs.replace(back.headlines[0], value=back.headlines[0].value * 1.5)
    other = msgspec.structs.replace(back, headlines=(dearer,))
    assert [old for old, _ in changed_headlines(other, {"Chat": found})] == [dearer]


def planned_here(project, own):
    """The project with its own figures over the catalogue, planned, and saved by this installation."""
    catalog, calibration = merged_with_snapshot(own, project.catalog), load_calibration()
    found = plan(project.scenarios[0], catalog, calibration)
    return load_again(with_snapshot(project, catalog, calibration, {"Chat": found}))


def load_again(project):
    return project_from_bytes(project_to_bytes(project))


def small_service():
    return msgspec.structs.replace(
        sample().scenarios[0], training=None, serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=5.0),))
    )


def test_figures_that_a_project_brought_stay_in_it_when_it_is_saved():
    own = load_shipped_catalog()
    device = "amd-mi300x"
    sent = snapshot_of(own, {"offers": [one.id for one in own.offers.values() if one.accelerator_id == device]})
    assert sent.offers
    dear = tuple(msgspec.structs.replace(one, on_demand_usd_per_h=99.0) for one in sent.offers[:-1])
    project = sample(scenarios=(small_service(),), catalog=msgspec.structs.replace(sent, offers=dear))
    saved = planned_here(project, own)
    assert {one.id for one in saved.catalog.accelerators} == {"nvidia-h100-sxm-80gb", device}
    assert [one for one in saved.catalog.offers if one.accelerator_id == device] == sorted(dear, key=lambda one: one.id)
    told = merged_with_snapshot(own, project.catalog).carried
    assert {one.id for one in merged_with_snapshot(own, saved.catalog).carried} == {one.id for one in told}
    assert planned_here(saved, own).catalog == saved.catalog
    plain = with_snapshot(project, own, load_calibration(), {"Chat": plan(small_service(), own, load_calibration())})
    assert {one.id for one in plain.catalog.accelerators} == {"nvidia-h100-sxm-80gb"}, "given up: nothing is kept"


def test_a_scenario_that_was_not_planned_keeps_its_devices_with_nodes_and_offers():
    own, calibration = load_shipped_catalog(), load_calibration()
    sent = snapshot_of(own, {"offers": [one.id for one in own.offers.values() if one.accelerator_id == "nvidia-l4"]})
    assert sent.offers
    other = msgspec.structs.replace(small_service(), name="Other")
    project = sample(scenarios=(small_service(), other), catalog=sent)
    found = plan(small_service(), own, calibration)
    saved = with_snapshot(project, merged_with_snapshot(own, sent), calibration, {"Chat": found})
    assert set(sent.offers) <= set(saved.catalog.offers)


def test_a_project_that_brings_as_much_as_it_may_is_saved_with_it():
    own = load_shipped_catalog()
    acme = msgspec.structs.replace(own.accelerators["nvidia-l4"], id="acme-one", name="Acme One")
    offer = next(one for one in own.offers.values() if one.accelerator_id == "nvidia-l4")
    many = tuple(
        msgspec.structs.replace(offer, id=f"acme-{place:03}", accelerator_id="acme-one")
        for place in range(MOST_ENTRIES)
    )
    project = sample(scenarios=(small_service(),), catalog=CatalogSnapshot(accelerators=(acme,), offers=many))
    assert planned_here(project, own).catalog.offers == many


def test_a_newer_file_is_refused_with_the_version_it_needs():
    problem = refused(edited(lambda data: data.update(version=99, app_version="7.1")))
    assert "version 99" in problem.what
    assert "7.1" in problem.what


def test_another_kind_of_json_is_refused():
    assert "not a GPU Planner project" in refused(b'{"architectures": ["LlamaForCausalLM"]}').what
    assert "not a GPU Planner project" in refused(b"[1, 2, 3]").what


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_refused_with_line_and_column(share):
    content = project_to_bytes(sample())
    problem = refused(content[: int(len(content) * share)])
    assert "line" in problem.where or "JSON" in problem.what


def first_serving(data):
    return data["scenarios"][0]["serving"]


@pytest.mark.parametrize(
    ("change", "where", "what"),
    [
        (lambda data: first_serving(data)["classes"][0].update(peak_rate_per_s=-1), "peak_rate_per_s", "more than 0"),
        (lambda data: first_serving(data)["classes"][0].update(peak_rate_per_s="fast"), "peak_rate_per_s", "str"),
        (lambda data: first_serving(data)["traffic"].update(mean_over_peak=1.5), "mean_over_peak", "at most 1"),
        (lambda data: data["scenarios"][0]["model"].update(hidden_size=-4), "hidden_size", "at least 0"),
        (lambda data: data["scenarios"][0].update(surprise=1), "scenarios[0]", "surprise"),
        (lambda data: data["scenarios"].append(dict(data["scenarios"][0])), "scenarios[1].name", "Two scenarios"),
        (lambda data: data.update(name="evil\u202etxt"), "name", "direction characters"),
        (lambda data: data.update(name="x" * 200_000), "name", "longer than"),
        (lambda data: data["scenarios"][0]["model"].update(name="7B\nrm -rf ~"), "model.name", "line break"),
        (lambda data: data.update(seed=-1), "seed", "at least 0"),
        (lambda data: data.update(version="one"), "version", "whole number"),
    ],
)
def test_what_no_plan_may_hold_is_refused_with_its_place(change, where, what):
    problem = refused(edited(change))
    assert where in problem.where
    assert what in problem.what


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e300])
def test_a_number_that_no_file_can_hold_is_never_written(value, tmp_path):
    """NaN became a null, and the program then refused its own file."""
    path = tmp_path / "plan.gpuplan"
    save_project(sample(), path)
    kept = path.read_bytes()
    site = EstateSite(name="hall", max_kw=value)
    with pytest.raises(FileProblem, match=r"estate\.sites\[0\]\.max_kw"):
        save_project(sample(estate=Estate(sites=(site,))), path)
    assert path.read_bytes() == kept


def test_hostile_numbers_are_refused():
    content = project_to_bytes(sample())
    assert content.count(b'"seed": 1') == 1
    for number in (b"NaN", b"Infinity", b"1e999", b"1" * 400):
        assert "number" in refused(content.replace(b'"seed": 1', b'"seed": ' + number)).what
    twice = refused(content.replace(b'"seed": 1', b'"seed": 1, "seed": 2'))
    assert (twice.where, "twice" in twice.what) == ("seed", True)


def test_deep_nesting_is_refused():
    nested = b'{"format": "gpuplan", "version": 1, "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    assert "nested more than 100 levels" in refused(nested).what


def test_a_list_that_is_too_long_is_refused_with_its_place():
    one = {"scenario": "Chat", "code": "serving.usd_per_month", "value": 1.0, "unit": "USD/month"}
    project_from_bytes(edited(lambda data: data.update(headlines=[one] * 20 * MOST_SCENARIOS)))
    problem = refused(edited(lambda data: data.update(headlines=[one] * (20 * MOST_SCENARIOS + 1))))
    assert "headlines" in problem.where
    assert str(20 * MOST_SCENARIOS) in problem.what


def test_an_oversized_file_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "big.gpuplan"
    with path.open("wb") as file:
        file.truncate(51 * 1024 * 1024)
    with pytest.raises(FileProblem) as caught:
        load_project(path)
    assert "50" in str(caught.value)


def test_a_missing_file_is_a_sentence(tmp_path):
    with pytest.raises(FileProblem) as caught:
        load_project(tmp_path / "nothing.gpuplan")
    assert "nothing.gpuplan" in str(caught.value)


@pytest.mark.parametrize("path", sorted(VERSIONS.glob("*.gpuplan")), ids=lambda path: path.stem)
def test_files_of_every_version_open(path):
    project = load_project(path)
    assert project.scenarios[0].serving.classes[0].peak_rate_per_s == 40.0
    assert project.scenarios[0].model.name == "Llama 3.1 70B"


@pytest.mark.parametrize("version", range(1, FORMAT_VERSION + 1))
def test_a_file_of_every_version_is_kept(version):
    assert f'"version": {version},' in (VERSIONS / f"version_{version}.gpuplan").read_text(encoding="utf-8")


def runs_of(tool, *contexts):
    """A set of measurements as version 1 wrote it: what is empty is left out."""
    figures = [{"quantity": "step_time", "value": 1.0, "phase": "training", "unit": "s"}]
    runs = [{"context": context, "figures": figures} for context in contexts]
    return {
        "name": tool,
        "source": "log",
        "tool": tool,
        "digest": "",
        "imported_on": "2026-11-21",
        "measurements": runs,
    }


@pytest.mark.parametrize(
    ("tool", "before", "after"),
    [
        ("deepspeed_profiler", {"engine": "fsdp"}, ("deepspeed", "")),
        ("deepspeed_profiler", {"engine": "fsdp", "engine_as_written": "deepspeed"}, ("deepspeed", "")),
        ("hf_trainer", {"engine": "fsdp"}, ("fsdp", "hf_trainer")),
        ("hf_trainer", {"engine": "fsdp", "engine_as_written": "torchtitan"}, ("fsdp", "torchtitan")),
        ("table", {"engine": "fsdp"}, ("fsdp", "")),
        ("megatron", {"engine": "megatron"}, ("megatron", "")),
    ],
)
def test_measurements_of_version_one_get_the_framework_that_ran(tool, before, after):
    old = json.loads((VERSIONS / "version_1.gpuplan").read_bytes())
    old["measurements"] = [runs_of(tool, before)]
    run = project_from_bytes(json.dumps(old).encode()).measurements[0].measurements[0]
    assert (run.context.engine, run.context.engine_as_written) == after
    assert run.figures[0].value == 1.0


def test_what_was_said_since_stays_as_it_is():
    """In a file of today a planner's own word stands: the Trainer ran with FSDP."""
    new = json.loads((VERSIONS / "version_2.gpuplan").read_bytes())
    new["measurements"] = [runs_of("hf_trainer", {"engine": "fsdp"})]
    run = project_from_bytes(json.dumps(new).encode()).measurements[0].measurements[0]
    assert (run.context.engine, run.context.engine_as_written) == ("fsdp", "")


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=300))
def test_random_bytes_never_load_and_never_crash(content):
    with pytest.raises(FileProblem):
        project_from_bytes(content)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_mutated_file_loads_whole_or_is_refused(data):
    content = bytearray(project_to_bytes(sample()))
    for _ in range(data.draw(st.integers(1, 4))):
        position = data.draw(st.integers(0, len(content) - 1))
        content[position] = data.draw(st.integers(0, 255))
    with contextlib.suppress(FileProblem):
        project = project_from_bytes(bytes(content))
        assert isinstance(project.catalog, CatalogSnapshot)


def test_results_without_a_price_are_no_headlines():
    catalog, calibration = load_shipped_catalog(), load_calibration()
    scenario = msgspec.structs.replace(
        sample().scenarios[0],
        training=None,
        economics=Economics(),
        hardware=HardwareChoice(accelerators=("amd-mi300a",)),
        serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=5.0),)),
    )
    found = plan(scenario, catalog, calibration)
    assert found.serving.best >= 0
    stamped = with_snapshot(sample(scenarios=(scenario,)), catalog, calibration, {"Chat": found})
    assert project_from_bytes(project_to_bytes(stamped)).headlines == stamped.headlines
