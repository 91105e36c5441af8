from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from gpuplanner_gui.domain.field import problems_of
from gpuplanner_gui.domain.preset import VARIATIONS, GuidedAnswers, OwnedDevices
from gpuplanner_gui.domain.traffic import Traffic
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.workload import RequestClass, Slo
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.guided_start import guided_scenario, guided_steps
from gpuplanner_gui.files.shipped_tables import guided_figures

FIGURES = guided_figures()
CHAT = RequestClass(peak_rate_per_s=40.0, slos=(Slo(metric="ttft", limit_s=1.0),))
BATCH = msgspec.structs.replace(CHAT, name="batch", slos=())
RUN = TrainingWorkload(tokens=1e10, deadline_s=14 * 86_400.0)


def test_questions_are_answered_in_the_order_of_decision(llama_8b, catalog):
    steps = guided_steps(GuidedAnswers(model=llama_8b, requests=CHAT, training=RUN), catalog, FIGURES)
    assert [step.question for step in steps] == sorted(step.question for step in steps)
    assert {step.question for step in steps} == {0, 1, 2, 3, 4}


def test_a_model_that_fits_one_device_is_told_from_one_that_needs_several(llama_8b, llama_70b, catalog):
    small, large = (
        guided_steps(GuidedAnswers(model=one, requests=CHAT), catalog, FIGURES)[0] for one in (llama_8b, llama_70b)
    )
    assert small.code == "fits_one"
    # 16.06 GB of weights and 16 · 1280 tokens · 131,072 bytes of cache = 2.68 GB need 25 GB at three quarters.
    assert small.values["smallest_bytes"] >= (16.06e9 + 16 * 1280 * 131_072) / 0.75
    assert large.values["wide_bytes"] == pytest.approx(141.1e9, rel=0.01)


@pytest.mark.parametrize("variation", VARIATIONS)
@pytest.mark.parametrize("may_stop", [True, False])
@pytest.mark.parametrize(("requests", "training"), [(CHAT, None), (BATCH, None), (None, RUN), (BATCH, RUN)])
def test_every_way_through_gives_a_scenario_without_faults(llama_8b, variation, may_stop, requests, training):
    answers = GuidedAnswers(
        model=llama_8b, requests=requests, training=training, variation=variation, may_stop=may_stop
    )
    scenario = guided_scenario(answers, "mine", FIGURES)
    assert problems_of(scenario) == []
    assert (scenario.serving is None) == (requests is None)
    assert (scenario.training is None) == (training is None)


def test_spot_capacity_is_for_what_may_stop_and_nobody_waits_for(llama_8b):
    def terms(requests, may_stop):
        answers = GuidedAnswers(model=llama_8b, requests=requests, training=RUN, may_stop=may_stop)
        economics = guided_scenario(answers, "mine", FIGURES).economics
        return economics.serving_procurement, economics.training_procurement

    assert terms(BATCH, True) == ("rent_spot", "rent_spot")
    assert terms(CHAT, True) == ("rent_on_demand", "rent_spot")
    assert terms(BATCH, False) == ("rent_on_demand", "rent_on_demand")


def test_who_may_be_interrupted_is_not_warned_of_interruptions(llama_8b):
    for may_stop in (True, False):
        answers = GuidedAnswers(model=llama_8b, requests=BATCH, variation="batch", may_stop=may_stop)
        scenario = guided_scenario(answers, "mine", FIGURES)
        assert scenario.serving.restartable is may_stop


def test_a_steady_base_is_committed_and_a_waited_for_service_keeps_a_spare(llama_8b):
    scenario = guided_scenario(GuidedAnswers(model=llama_8b, requests=CHAT, variation="steady"), "mine", FIGURES)
    assert scenario.economics.serving_procurement == "rent_1y"
    assert scenario.serving.availability.spare_replicas == 1


@pytest.mark.parametrize("model", ["e5-mistral-7b", "bge-m3"])
def test_a_model_that_only_embeds_starts_with_documents(catalog, model):
    answers = GuidedAnswers(model=catalog.models[model].model, requests=CHAT)
    (requests,) = guided_scenario(answers, "mine", FIGURES).serving.classes
    assert requests.request == "document"
    assert {slo.metric for slo in requests.slos} == {"e2e"}


def test_nothing_to_plan_is_refused(llama_8b):
    with pytest.raises(ValueError, match="nothing"):
        guided_scenario(GuidedAnswers(model=llama_8b), "mine", FIGURES)


def test_the_scenario_is_planned_at_once(llama_8b, catalog, calibration):
    found = plan(guided_scenario(GuidedAnswers(model=llama_8b, requests=CHAT), "mine", FIGURES), catalog, calibration)
    assert found.serving.table.meets_targets[found.serving.best]


def test_devices_that_are_there_are_used_first_and_more_of_the_kind_are_bought(llama_8b, catalog):
    owned = OwnedDevices(accelerator="nvidia-h100-sxm-80gb", count=64)
    answers = GuidedAnswers(model=llama_8b, requests=CHAT, training=RUN, place="data_centre", owned=owned)
    scenario = guided_scenario(answers, "mine", FIGURES)
    assert scenario.hardware.accelerators == ("nvidia-h100-sxm-80gb",)
    assert [(one.accelerator, one.devices) for one in scenario.hardware.owned] == [("nvidia-h100-sxm-80gb", 64)]
    assert scenario.hardware.licensed_for_data_centres
    assert scenario.economics.serving_procurement == scenario.economics.training_procurement == "own"
    said = {step.code for step in guided_steps(answers, catalog, FIGURES)}
    assert said >= {"owned_first", "owned_for_run", "licensed_only", "bought"}
    assert problems_of(scenario) == []


@pytest.mark.parametrize("procurement", ["own", "rent_1y"])
def test_devices_that_are_too_few_for_a_run_do_not_keep_it_from_more(llama_8b, catalog, calibration, procurement):
    """Two H200 take months for 100 billion tokens; who owns them is no worse off than who owns none."""
    job = msgspec.structs.replace(RUN, tokens=100e9, deadline_s=30 * 86_400.0)
    owned = OwnedDevices(accelerator="nvidia-h200-sxm-141gb", count=2)
    answers = GuidedAnswers(model=llama_8b, training=job, owned=owned, procurement=procurement)
    found = plan(guided_scenario(answers, "mine", FIGURES), catalog, calibration).trained
    assert found.table.meets_targets[found.best]
    assert found.table.devices[found.best] > 2


@pytest.mark.parametrize("procurement", [None, "own", "rent_1y", "rent_spot"])
@pytest.mark.parametrize("variation", VARIATIONS)
def test_devices_are_paid_for_as_the_reasons_say(llama_8b, catalog, variation, procurement):
    answers = GuidedAnswers(model=llama_8b, requests=CHAT, variation=variation, procurement=procurement)
    term = guided_scenario(answers, "mine", FIGURES).economics.serving_procurement
    said = {step.code for step in guided_steps(answers, catalog, FIGURES) if step.question == 3} - {"licensed_only"}
    hourly = "rented_for_batch" if variation == "batch" else "rented_for_hours"
    of_term = {"rent_1y": {"reserved"}, "rent_on_demand": {hourly}}
    assert said == ({"paid_as_said"} if procurement else of_term[term])


def test_what_is_published_in_few_bits_is_not_unpacked_to_see_whether_it_fits(catalog):
    """gpt-oss-120b: 117 billion parameters, of experts in MXFP4 (OpenAI 2025): 60.8 GiB, not 218."""
    model = catalog.models["gpt-oss-120b"].model
    found = guided_steps(GuidedAnswers(model=model, requests=CHAT), catalog, FIGURES)[0]
    assert found.code == "fits_one_published"
    assert found.values["own_bytes"] == pytest.approx(60.8 * 2**30, rel=0.02)
    assert found.values["smallest_bytes"] < 141e9


def test_a_run_is_not_told_that_its_weights_fit_one_device(llama_8b, catalog):
    """Gradients and optimizer state take several times the room of the weights."""
    assert guided_steps(GuidedAnswers(model=llama_8b, training=RUN), catalog, FIGURES)[0].code == "fit_trained"
    assert (
        guided_steps(GuidedAnswers(model=llama_8b, training=RUN, requests=CHAT), catalog, FIGURES)[0].code == "fits_one"
    )


def test_people_wait_and_a_batch_is_rented_for_its_time_alone(llama_8b):
    demand = Traffic(users=20, think_time_s=30.0, batch_requests=250_000, batch_time_s=8 * 3600.0)
    people = guided_scenario(
        GuidedAnswers(model=llama_8b, requests=CHAT, variation="people", demand=demand), "people", FIGURES
    )
    assert (people.serving.traffic.arrivals, people.serving.traffic.users) == ("users", 20)
    assert people.serving.traffic.think_time_s == 30.0
    assert people.serving.classes[0].slos == CHAT.slos
    batch = guided_scenario(
        GuidedAnswers(model=llama_8b, requests=CHAT, variation="batch", demand=demand), "batch", FIGURES
    )
    assert (batch.serving.traffic.arrivals, batch.serving.traffic.batch_requests) == ("batch", 250_000)
    assert batch.serving.classes[0].slos == ()
    assert batch.serving.availability.spare_replicas == 0
    assert batch.serving.start.is_autoscaled
    assert batch.economics.serving_procurement == "rent_on_demand"


@pytest.mark.parametrize("place", [None, "data_centre", "cloud", "office", "home"])
def test_an_office_and_a_home_buy_and_only_a_home_has_no_spare(llama_8b, catalog, place):
    answers = GuidedAnswers(model=llama_8b, requests=CHAT, training=RUN, place=place)
    scenario, codes = (
        guided_scenario(answers, "mine", FIGURES),
        {one.code for one in guided_steps(answers, catalog, FIGURES)},
    )
    is_own = place in ("office", "home")
    assert (scenario.economics.serving_procurement == "own") == is_own
    assert (scenario.economics.training_procurement == "own") == is_own
    assert ("bought" in codes) == is_own
    assert scenario.serving.availability.spare_replicas == (0 if place == "home" else 1)
    assert scenario.hardware.max_kw_total == (3.5 if place == "home" else None)
    said = guided_scenario(replace(answers, procurement="rent_on_demand"), "mine", FIGURES)
    assert said.economics.serving_procurement == "rent_on_demand"


@pytest.mark.parametrize(
    ("name", "kind", "limit_s", "at_once", "engine"),
    [
        ("flux.1-dev", "image", 15.0, 1, "generic"),
        ("whisper-large-v3", "audio", 5.0, 256, "vllm"),
        ("resnet-50", "classification", 1.0, 256, "generic"),
    ],
)
def test_a_model_that_writes_no_text_is_asked_for_what_it_does(catalog, name, kind, limit_s, at_once, engine):
    answers = GuidedAnswers(model=catalog.models[name].model, requests=CHAT)
    serving = guided_scenario(answers, "mine", FIGURES).serving
    (asked,) = serving.classes
    assert (asked.request, asked.peak_rate_per_s) == (kind, 40.0)
    assert [(one.metric, one.limit_s) for one in asked.slos] == [("e2e", limit_s)]
    assert (serving.engine.max_sequences, serving.engine.engine) == (at_once, engine)
    chosen = guided_scenario(replace(answers, engine="trtllm"), "mine", FIGURES).serving.engine
    assert chosen.engine == "trtllm", "what was said stays"
    said = msgspec.structs.replace(CHAT, slos=(*CHAT.slos, Slo(metric="e2e", limit_s=60.0)))
    (kept,) = guided_scenario(replace(answers, requests=said), "mine", FIGURES).serving.classes
    assert [(one.metric, one.limit_s) for one in kept.slos] == [("e2e", 60.0)]
    assert guided_scenario(
        replace(answers, model=catalog.models["llama-3.1-8b"].model), "mine", FIGURES
    ).serving.classes == (CHAT,)
