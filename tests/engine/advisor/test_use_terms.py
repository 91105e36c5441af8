"""Where devices may stand: licences that shut out data centres, clouds that do not sell (S139)."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.desktop.store import replaced
from gpuplanner_gui.domain.economics import Economics, UncertaintyTerms
from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.domain.scenario import HardwareChoice, OwnedStock, Scenario
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.advisor.reasons import plan_about
from gpuplanner_gui.files.shipped_tables import load_use_terms, owner_at

RTX_5090, L4, TPU, L40S = "nvidia-rtx-5090", "nvidia-l4", "google-tpu-v6e", "nvidia-l40s"


@pytest.fixture
def chat(llama_8b) -> Scenario:
    return Scenario(
        name="chat",
        model=llama_8b,
        serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=20.0),)),
        hardware=HardwareChoice(accelerators=(RTX_5090, L4, L40S, TPU), licensed_for_data_centres=False),
        economics=Economics(serving_procurement="own", uncertainty=UncertaintyTerms(confidence="expected")),
    )


def finding(found, code):
    return next((one for one in found.findings if one.code == code), None)


def reasons(found, accelerator: str) -> set[int]:
    table = found.serving.table
    return {int(one) for one in table.reason[table.accelerator == found.accelerators.index(accelerator)]}


def test_terms_name_devices_of_the_catalogue_with_their_source(catalog):
    terms = load_use_terms().terms
    assert {one.restriction for one in terms} == {"data_centre", "air_gap"}
    assert all(name in catalog.accelerators for one in terms for name in one.accelerators)
    assert all(one.source and one.as_of and one.statement for one in terms)
    assert load_use_terms().of(RTX_5090, "data_centre") is not None
    assert load_use_terms().of("nvidia-rtx-pro-6000-blackwell-server", "data_centre") is None
    assert len({(name, one.restriction) for one in terms for name in one.accelerators}) == sum(
        len(one.accelerators) for one in terms
    )


def test_a_consumer_card_in_a_fleet_is_found_with_what_the_next_device_costs(chat, catalog, calibration):
    alone = replaced(chat, "hardware.accelerators", (RTX_5090, L4))
    before = plan(alone, catalog, calibration)
    said = finding(before, "consumer_licence")
    assert said is not None
    assert "GeForce Software" in said.values["source"]
    assert said.severity == (1 if said.values["devices"] > 4 else 0)
    (edit,) = said.remedy.edits
    after = plan(replaced(alone, edit.path, edit.value), catalog, calibration)
    assert finding(after, "consumer_licence") is None
    assert reasons(after, RTX_5090) == {int(Reason.EXCLUDED)}
    cost = [float(one.serving.table.usd_per_month[one.serving.best]) for one in (before, after)]
    # Among fleets of one device as good as alike in price, another may come first once they are the cheapest.
    assert cost[1] - cost[0] == pytest.approx(said.values["more_usd_per_month"], rel=1e-3)
    assert "more_usd_per_month" in said.values


def test_of_a_chosen_candidate_that_costs_more_than_the_next_the_saving_is_said(chat, catalog, calibration):
    """A planner may choose a dear candidate: what the licensed device then costs less is no negative "more"."""
    alone = replaced(chat, "hardware.accelerators", (RTX_5090, L4))
    before = plan(alone, catalog, calibration)
    table = before.serving.table
    mine = (table.accelerator == before.accelerators.index(RTX_5090)) & np.isfinite(table.usd_per_month) & table.fits
    dearest = int(np.where(mine & (table.reason == Reason.NONE), table.usd_per_month, -np.inf).argmax())
    about = plan_about(alone, catalog, calibration, before, {"serving": dearest})
    said = finding(about, "consumer_licence_cheaper")
    assert said is not None
    after = plan(replaced(alone, said.remedy.edits[0].path, True), catalog, calibration)
    saved = float(table.usd_per_month[dearest] - after.serving.table.usd_per_month[after.serving.best])
    assert said.values["less_usd_per_month"] == pytest.approx(saved, rel=2e-3)
    assert saved > 0
    assert said.usd == 0
    assert (said.remedy.before, said.remedy.after) == (said.values["devices"], 0.0)


@pytest.mark.parametrize("place", ["office", "home"])
def test_in_an_office_or_at_home_the_licence_is_no_matter(chat, catalog, calibration, place):
    alone = replaced(chat, "hardware.accelerators", (RTX_5090, L4))
    found = plan(replaced(alone, "economics", owner_at(place).applied_to(alone.economics)), catalog, calibration)
    assert found.serving.best >= 0
    assert found.serving.table.accelerator[found.serving.best] == found.accelerators.index(RTX_5090)
    assert not [one for one in found.findings if one.code.startswith("consumer_licence")]


def test_without_any_other_device_that_is_said(chat, catalog, calibration):
    found = plan(replaced(chat, "hardware.accelerators", (RTX_5090,)), catalog, calibration)
    assert finding(found, "consumer_licence_only") is not None
    assert finding(found, "consumer_licence") is None


def test_licensed_devices_are_not_accused(chat, catalog, calibration):
    found = plan(replaced(chat, "hardware.accelerators", (L4, L40S)), catalog, calibration)
    assert not [one for one in found.findings if one.code.startswith("consumer_licence")]


def test_an_air_gapped_site_has_no_cloud_devices_and_rents_nothing(chat, catalog, calibration):
    rented = replaced(chat, "economics.serving_procurement", "rent_on_demand")
    open_site = plan(rented, catalog, calibration)
    closed = replaced(rented, "hardware.air_gapped", True)
    found = plan(closed, catalog, calibration)
    assert reasons(found, TPU) == {int(Reason.EXCLUDED)}
    assert int(Reason.EXCLUDED) not in reasons(open_site, TPU)
    assert finding(open_site, "rented_without_network") is None
    said = finding(found, "rented_without_network")
    assert said is not None
    (edit,) = said.remedy.edits
    owned = plan(replaced(closed, edit.path, edit.value), catalog, calibration)
    assert finding(owned, "rented_without_network") is None
    same = owned.serving.table.usd_per_device_hour[found.serving.best]
    assert same == pytest.approx(said.values["other_usd_per_hour"])


@pytest.mark.parametrize("limit", [{"max_kw_total": 0.5}, {"max_kw_per_rack": 0.5}, {}])
def test_an_air_gapped_site_is_told_to_buy_only_what_it_feeds(chat, catalog, calibration, limit):
    """An H100 draws 0.7 kW, and more with its share of the node: it was said to cost so much to own there."""
    closed = replaced(replaced(chat, "hardware.air_gapped", True), "economics.serving_procurement", "rent_on_demand")
    closed = replaced(closed, "hardware.accelerators", ("nvidia-h100-sxm-80gb",))
    for field, kw in limit.items():
        closed = replaced(closed, f"hardware.{field}", kw)
    found = plan(closed, catalog, calibration)
    (said,) = [one for one in found.findings if one.code.startswith("rented_without_network")]
    assert said.code == ("rented_without_network_site" if limit else "rented_without_network")
    assert (said.remedy is None, "other_usd_per_hour" in said.values) == (bool(limit), not limit)


def test_filters_reach_the_project_file(chat):
    closed = replaced(chat, "hardware.air_gapped", True)
    assert msgspec.json.decode(msgspec.json.encode(closed), type=Scenario) == closed


def test_by_default_a_service_stands_in_a_data_centre(chat, catalog, calibration):
    """What the planner named is not dropped in silence: the remedy stands beside it, and brings it back."""
    scenario = replaced(chat, "hardware", HardwareChoice(accelerators=(RTX_5090,)))
    found = plan(scenario, catalog, calibration)
    assert reasons(found, RTX_5090) == {int(Reason.EXCLUDED)}
    assert found.serving.best < 0
    (edit,) = finding(found, "named_device_not_licensed").remedy.edits
    after = plan(replaced(scenario, edit.path, edit.value), catalog, calibration)
    assert after.serving.best >= 0
    assert finding(after, "named_device_not_licensed") is None


@pytest.mark.parametrize("device", ["nvidia-rtx-4090", "nvidia-dgx-spark-gb10"])
def test_what_is_owned_and_not_named_is_not_dropped_in_silence(chat, catalog, calibration, device: str):
    """Four owned RTX 4090 were ignored, and others bought; a desktop stays out though no licence forbids it."""
    stock = (OwnedStock(accelerator=device, devices=4),)
    scenario = replaced(chat, "hardware", HardwareChoice(owned=stock))
    found = plan(scenario, catalog, calibration)
    assert reasons(found, device) == {int(Reason.EXCLUDED)}
    said = finding(found, "owned_device_not_licensed")
    assert said.values["stock"] == 4
    (edit,) = said.remedy.edits
    after = plan(replaced(scenario, edit.path, edit.value), catalog, calibration)
    assert reasons(after, device) != {int(Reason.EXCLUDED)}
    assert finding(after, "owned_device_not_licensed") is None
    # Who names other devices leaves the stock out on purpose.
    others = replaced(chat, "hardware", HardwareChoice(owned=stock, accelerators=(L4,)))
    assert finding(plan(others, catalog, calibration), "owned_device_not_licensed") is None
    # Without the licence another filter would still keep it out.
    filtered = replaced(chat, "hardware", HardwareChoice(owned=stock, ecosystems=("rocm",)))
    assert finding(plan(filtered, catalog, calibration), "owned_device_not_licensed") is None


A100, A6000 = "nvidia-a100-sxm-80gb", "nvidia-rtx-a6000"


def test_the_end_of_sale_stops_buying_and_never_renting(chat, catalog, calibration):
    hardware = HardwareChoice(accelerators=(A100, A6000))
    rented = replaced(replaced(chat, "hardware", hardware), "economics.serving_procurement", "rent_on_demand")
    by_the_hour = plan(rented, catalog, calibration)
    assert int(Reason.NONE) in reasons(by_the_hour, A100)
    bought = plan(replaced(rented, "economics.serving_procurement", "own"), catalog, calibration)
    assert reasons(bought, A100) == {int(Reason.END_OF_LIFE)}
    assert int(Reason.END_OF_LIFE) not in reasons(bought, A6000)  # the catalogue says that it is still sold
    (edit,) = finding(bought, "named_device_not_sold").remedy.edits
    second_hand = replaced(replaced(rented, "economics.serving_procurement", "own"), edit.path, edit.value)
    assert int(Reason.NONE) in reasons(plan(second_hand, catalog, calibration), A100)


def test_an_offer_that_connects_fewer_devices_is_held_against_the_plan(chat, catalog, calibration):
    hardware = HardwareChoice(accelerators=(L4,))
    scenario = replaced(replaced(chat, "hardware", hardware), "economics.serving_procurement", "rent_on_demand")
    scenario = replaced(scenario, "serving.classes[0].peak_rate_per_s", 600.0)
    known = {
        key: msgspec.structs.replace(one, largest_cluster=64) if one.accelerator_id == L4 else one
        for key, one in catalog.offers.items()
    }
    unsaid = plan(scenario, catalog, calibration)
    said = plan(scenario, msgspec.structs.replace(catalog, offers=known), calibration)
    assert finding(unsaid, "cluster_size_unknown") is not None
    assert finding(said, "cluster_size_unknown") is None
    assert finding(said, "cluster_beyond_offer").values["most"] == 64
