"""The planner's own entries: saved, taken out, taken back, and never left in a state that cannot be read."""

from __future__ import annotations

import datetime
from pathlib import Path

import msgspec
import pytest

from gpuplanner_gui.domain.economics import Economics
from gpuplanner_gui.engine.cost.offers import Offers, offers_of
from gpuplanner_gui.files.catalogs import (
    copy_of,
    is_name_taken,
    load_catalog,
    load_shipped_catalog,
    own_ids,
    remove_own_entry,
    save_own_entries,
    take_back,
    with_own_confidence,
)
from gpuplanner_gui.files.errors import FileProblem

T4 = "nvidia-t4"
TODAY = datetime.date(2026, 11, 21)


@pytest.fixture
def device() -> dict[str, object]:
    catalog = load_shipped_catalog()
    made = copy_of(catalog.accelerators[T4], catalog, "T4, own", TODAY)
    stated: dict[str, object] = msgspec.to_builtins(made)
    return stated


def test_copy_has_a_name_and_identifier_of_its_own() -> None:
    catalog = load_shipped_catalog()
    original = catalog.accelerators[T4]
    copy = copy_of(original, catalog, original.name, TODAY)
    assert copy.name != original.name
    assert copy.id not in catalog.accelerators
    assert copy.date == "2026-11-21"
    assert is_name_taken(original.name.upper(), copy.id, catalog)
    assert not is_name_taken(copy.name, copy.id, catalog)


def test_what_differs_from_the_original_is_marked_as_own() -> None:
    catalog = load_shipped_catalog()
    original = catalog.accelerators[T4]
    changed = msgspec.structs.replace(copy_of(original, catalog, "own", TODAY), tdp_w=75.0)
    marked = with_own_confidence(changed, original, "Sheet of 2026-10")
    assert marked.confidence.tdp == "user"
    assert marked.confidence.memory == original.confidence.memory
    assert marked.sources[0] == "Sheet of 2026-10"


def test_what_a_planner_asks_for_an_own_device_is_its_price(tmp_path: Path) -> None:
    """3.50 dollars an hour, entered for a copy, were no price: its kind of source was still that of the original."""
    original = (shipped := load_shipped_catalog()).accelerators["nvidia-h100-sxm-80gb"]
    copy = copy_of(original, shipped, "own", TODAY)
    assert copy.rental is not None
    rent = msgspec.structs.replace(copy.rental, on_demand_usd_per_h=3.5)
    entered = msgspec.structs.replace(copy, rental=rent)
    for device, usd, source in ((entered, 3.5, "Quote 7"), (copy, 4.14, copy.rental.source)):
        saved = with_own_confidence(device, original, "Quote 7")
        save_own_entries({"accelerators": (msgspec.to_builtins(saved),)}, tmp_path)
        held = load_catalog(tmp_path)
        found = offers_of(held).quote(held.accelerators[copy.id], "rent_on_demand", Economics(), 8)
        assert found.usd_per_hour == pytest.approx(usd)
        assert (found.is_own, found.asked_by) == (True, "your own catalogue")
        assert saved.rental is not None
        assert saved.rental.source == source


def test_an_own_price_of_an_older_file_counts() -> None:
    """Only the group of figures was marked as the planner's own."""
    original = load_shipped_catalog().accelerators["nvidia-h100-sxm-80gb"]
    marked = msgspec.structs.replace(original.confidence, cloud="user", price="user")
    older = msgspec.structs.replace(original, id="own", confidence=marked)
    assert older.is_own_price
    assert Offers(()).quote(older, "rent_on_demand", Economics(), 8).is_own


def test_entry_is_in_the_catalogue_and_out_again(tmp_path: Path, device: dict[str, object]) -> None:
    save_own_entries({"accelerators": (device,)}, tmp_path)
    assert device["id"] in load_catalog(tmp_path).accelerators
    assert own_ids(tmp_path).whole["accelerators"] == {device["id"]}
    remove_own_entry("accelerators", str(device["id"]), tmp_path)
    assert device["id"] not in load_catalog(tmp_path).accelerators


def test_a_change_is_taken_back_to_the_byte(tmp_path: Path, device: dict[str, object]) -> None:
    path = tmp_path / "accelerators.json"
    path.write_text('[{"id":  "nvidia-t4", "tdp_w": 71}]\n')
    change = save_own_entries({"accelerators": (device,), "offers": ()}, tmp_path)
    assert load_catalog(tmp_path).accelerators[T4].tdp_w == 71
    take_back(change)
    assert path.read_text() == '[{"id":  "nvidia-t4", "tdp_w": 71}]\n'
    assert not (tmp_path / "offers.json").exists()


def test_figures_over_a_known_entry_stay_beside_new_ones(tmp_path: Path) -> None:
    save_own_entries({"accelerators": ({"id": T4, "tdp_w": 71},)}, tmp_path)
    prices = ({"id": T4, "price": {"usd": 500.0, "as_of": "2026-10"}},)
    save_own_entries({"accelerators": prices}, tmp_path, keeps_fields=True)
    entry = load_catalog(tmp_path).accelerators[T4]
    assert entry.tdp_w == 71
    assert entry.price is not None
    assert entry.price.usd == 500.0
    assert own_ids(tmp_path).partial["accelerators"] == {T4}


def test_an_entry_that_does_not_fit_leaves_the_files_as_they_were(tmp_path: Path, device: dict[str, object]) -> None:
    save_own_entries({"accelerators": (device,)}, tmp_path)
    before = (tmp_path / "accelerators.json").read_bytes()
    with pytest.raises(FileProblem, match="Power limit"):
        save_own_entries({"accelerators": (device | {"tdp_w": -1.0},)}, tmp_path)
    assert (tmp_path / "accelerators.json").read_bytes() == before


def test_a_device_that_an_offer_refers_to_is_not_removed(tmp_path: Path, device: dict[str, object]) -> None:
    offer = {
        "id": "own-offer", "provider": "Own", "market": "own", "instance": "x", "accelerator_id": device["id"],
        "accelerator_count": 1,
    }  # fmt: skip
    save_own_entries({"accelerators": (device,), "offers": (offer,)}, tmp_path)
    with pytest.raises(FileProblem, match="refers to the accelerator"):
        remove_own_entry("accelerators", str(device["id"]), tmp_path)
    assert device["id"] in load_catalog(tmp_path).accelerators
