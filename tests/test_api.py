"""The Python API: from a config to a verdict, a file and a report, without a window."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

import msgspec
import pytest

from gpuplanner_gui import api
from gpuplanner_gui.domain.quantity import Range, central
from gpuplanner_gui.domain.scenario import HardwareChoice, Project, Scenario
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.drawing.in_depth import in_depth
from gpuplanner_gui.drawing.words.findings import all_findings
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.knowledge import load_calibration

CONFIG = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256,
    "max_position_embeddings": 131072, "torch_dtype": "bfloat16",
}  # fmt: skip
DAY_S = 86_400.0


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG))
    return path


def of(**answers: object) -> Scenario:
    return api.new_scenario(api.read_model("llama-3.1-8b"), **answers)  # type: ignore[arg-type]


def test_from_a_config_to_a_verdict_and_a_report(config: Path, tmp_path: Path) -> None:
    scenario = api.new_scenario(api.read_model(config), name="chat", rate=10, own="64xh100-sxm")
    (results,) = api.plan(scenario)
    assert results.plan.serving is not None
    said = api.verdict(results)
    deep = in_depth(results, load_calibration())
    assert all_findings(results) == all_findings(deep), "a plan and its report list the same findings"
    assert "H100" in said
    assert "req/s" in said
    written = api.report(scenario, tmp_path / "plan.md")[0]
    assert "chat" in written.read_text(encoding="utf-8")
    api.save(scenario, tmp_path / "chat.gpuplan")
    assert api.load(tmp_path / "chat.gpuplan").scenarios == (scenario,)
    assert api.as_project(Project(name="two", scenarios=(scenario,))).name == "two"


def test_answers_are_numbers_or_typed_as_in_the_window() -> None:
    scenario = of(rate="2400 per min", prompt="500..2000", answer=256, ttft="800 ms", tpot=0.04, e2e="10 s")
    assert scenario.serving is not None
    (requests,) = scenario.serving.classes
    assert (requests.peak_rate_per_s, requests.prompt_tokens, requests.output_tokens) == (40.0, Range(500, 2000), 256)
    assert {slo.metric: slo.limit_s for slo in requests.slos} == {"ttft": 0.8, "tpot": 0.04, "e2e": 10.0}
    assert {slo.percentile for slo in requests.slos} == {95.0}


def test_a_target_of_the_preset_is_taken_away() -> None:
    scenario = of(ttft="none")
    assert scenario.serving is not None
    assert [slo.metric for slo in scenario.serving.classes[0].slos] == ["tpot"]


@pytest.mark.parametrize(
    ("task", "serves", "method"),
    [("serve", True, None), ("fine-tune", False, "full_fine_tune"), ("pretrain", False, "pretraining"),
     ("both", True, "full_fine_tune")],
)  # fmt: skip
def test_the_task_decides_what_is_planned(task: str, serves: bool, method: str | None) -> None:
    scenario = of(task=task)
    assert (scenario.serving is not None) is serves
    assert (scenario.training.method if scenario.training is not None else None) == method


@pytest.mark.parametrize("method", ["full_fine_tune", "lora", "qlora"])
def test_a_fine_tuning_takes_a_small_batch_unless_it_says_otherwise(method: str) -> None:
    model = api.read_model("llama-3.1-8b")
    usual, long, stated = (
        api.new_scenario(model, task="fine-tune", method=method, **said).training
        for said in ({}, {"sequence": 8192}, {"batch": "1M"})
    )
    assert [one.global_batch_tokens for one in (usual, long, stated) if one] == [64 * 4096, 64 * 8192, 1_000_000]
    pretrained = api.new_scenario(model, task="pretrain").training
    assert pretrained is not None
    assert pretrained.global_batch_tokens == TrainingWorkload(tokens=1.0).global_batch_tokens


@pytest.mark.parametrize(("task", "most"), [("fine-tune", 1e6), ("pretrain", 1e9)])
def test_a_model_without_tokens_counts_samples(task: str, most: float) -> None:
    """A billion pictures, 262,144 at a time, took FLUX.1 [dev] 2.9 years to fine-tune."""
    made = api.new_scenario(api.read_model("flux.1-dev"), task=task)
    assert central(made.training.tokens) < most
    assert made.training.global_batch_tokens <= 8192
    shown = {question.name: question.shown(made) for question in api.QUESTIONS if question.applies(made)}
    assert shown["batch"].endswith("samples")


def test_a_model_of_short_contexts_gets_no_longer_sequences_unless_it_says_so() -> None:
    model = msgspec.structs.replace(api.read_model("llama-3.1-8b"), max_context=512)
    usual = api.new_scenario(model, task="fine-tune").training
    stated = api.new_scenario(model, task="fine-tune", sequence=4096).training
    assert usual is not None
    assert (usual.sequence_length, usual.global_batch_tokens) == (512, 64 * 512)
    assert stated is not None
    assert stated.sequence_length == 4096


def test_a_deadline_may_be_a_date() -> None:
    date = datetime.date.today() + datetime.timedelta(days=40)
    scenario = of(task="pretrain", tokens="100B", deadline=date.isoformat())
    assert scenario.training is not None
    assert scenario.training.deadline_s == 40 * DAY_S
    assert scenario.training.tokens == 100e9


def test_a_fleet_that_is_there_is_planned_with_and_may_be_added_to() -> None:
    scenario = of(task="both", own="64 x H100 SXM")
    assert scenario.hardware.accelerators == ("nvidia-h100-sxm-80gb",)
    assert [one.devices for one in scenario.hardware.owned] == [64]
    assert scenario.hardware.max_training_devices == of(task="both").hardware.max_training_devices
    assert (scenario.economics.serving_procurement, scenario.economics.training_procurement) == ("own", "own")
    assert of(own="64xh100-sxm", pay="1y").economics.serving_procurement == "rent_1y"


def test_where_it_stands_decides_licence_and_cooling() -> None:
    assert of(where="data-centre").hardware.licensed_for_data_centres
    assert of(where="cloud").hardware.licensed_for_data_centres
    assert of(where="office").hardware.cooling == ("air",)
    assert not of(where="home").hardware.licensed_for_data_centres
    assert of().hardware == HardwareChoice()


def test_people_and_batches_are_meant_where_their_figures_are_given() -> None:
    people, batch = of(users=20, think="30s"), of(requests="250000", within="8h")
    assert people.serving is not None
    assert batch.serving is not None
    assert (people.serving.traffic.arrivals, people.serving.traffic.think_time_s) == ("users", 30.0)
    assert (batch.serving.traffic.arrivals, batch.serving.traffic.batch_time_s) == ("batch", 8 * 3600.0)
    left = {one.name: shown for one, shown in api.defaults_of(batch, {"requests": 1, "within": 1})}
    assert left["load"] == "batch"
    assert not {"rate", "ttft", "users"} & set(left)


def test_what_was_not_answered_is_listed_with_what_is_taken() -> None:
    given = {"rate": 40, "ttft": "1 s"}
    taken = {one.name: text for one, text in api.defaults_of(of(**given), given)}
    assert "rate" not in taken
    assert "ttft" not in taken
    assert taken["tpot"] == "p95 50 ms"
    assert taken["pay"] == "on-demand"
    assert "tokens" not in taken, "a service trains nothing"
    trained = {one.name for one, _ in api.defaults_of(of(task="pretrain"), {"task": "pretrain"})}
    assert {"tokens", "sequence", "batch", "deadline", "budget", "method"} <= trained
    assert not {"rate", "ttft", "load"} & trained


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        ({"rate": "a lot"}, "rate: “a lot” contains no number. Try 40, 40 req/s"),
        ({"rate": -3}, "out of bounds"),
        ({"task": "dance"}, "task: 'dance' is none of serve, fine-tune, pretrain, both."),
        ({"task": "pretrain", "rate": 4}, "rate says how to serve"),
        ({"deadline": "6 weeks"}, "deadline says how to train"),
        ({"task": "pretrain", "deadline": "2020-01-01"}, "2020-01-01 is in the past."),
        ({"task": "pretrain", "deadline": "2027-02-30"}, "is not a date"),
        ({"own": "some h100"}, "Enter a number and an accelerator: 64xh100-sxm."),
        ({"own": "8xunobtainium"}, "'unobtainium' is not in the catalogue"),
        ({"users": 20, "rate": 4}, "rate says how many requests come a second"),
        ({"within": "8h", "ttft": "1s"}, "ttft says how long one waits"),
        ({"load": "daily", "users": 20}, "users says who waits for answers"),
        ({"pay": "later"}, "pay: 'later' is none of"),
    ],
)
def test_an_answer_that_cannot_be_taken_is_a_sentence(answers: dict[str, object], sentence: str) -> None:
    with pytest.raises(api.StartProblem) as told:
        of(**answers)
    assert sentence in str(told.value)


def test_models_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    with pytest.raises(api.StartProblem, match="not known"):
        api.read_model("no such model at all")
    broken = tmp_path / "config.json"
    broken.write_text("{")
    with pytest.raises(FileProblem):
        api.read_model(broken)


def test_at_home_nothing_is_paid_for_a_room_or_for_staff_and_electricity_costs_what_households_pay() -> None:
    home, office, hall = (of(where=place).economics for place in ("home", "office", "data-centre"))
    assert home.ownership.facility_usd_per_kw_month == home.ownership.staff_usd_per_device_year == 0
    assert office.ownership.facility_usd_per_kw_month == 0
    assert office.ownership.staff_usd_per_device_year == hall.ownership.staff_usd_per_device_year
    prices = [central(one.site.electricity_usd_per_kwh) for one in (hall, office, home)]
    assert prices == sorted(prices)
    assert prices[2] == 0.16
