import datetime
from typing import Any

import msgspec
import pytest

from gpuplanner_gui.domain.catalog import (
    Catalog,
    CatalogSnapshot,
    age_days,
    catalog_digest,
    merged_with_snapshot,
    newest_date,
    snapshot_differences,
    snapshot_of,
)
from gpuplanner_gui.domain.field import fields_of, problems_of
from gpuplanner_gui.domain.hardware import PEAK_PRECISIONS, Accelerator, Link, NodeType, PeakRates, ScaleUp
from gpuplanner_gui.domain.price import Offer, PurchasePrice, RentalPrice
from gpuplanner_gui.domain.quantity import Triangular, central


def an_accelerator(**changes):
    stated: dict[str, Any] = {
        "id": "acme-one",
        "name": "One",
        "vendor": "Acme",
        "kind": "gpu",
        "ecosystem": "vendor",
        "architecture": "Acme 1",
        "memory_nominal_bytes": 80e9,
        "memory_bandwidth_bytes_per_s": 2e12,
        "peak_dense_flop_per_s": PeakRates(fp64=10e12, fp64_matrix=20e12, bf16=300e12, fp4=1200e12),
    }
    return Accelerator(**(stated | changes))


def a_link(**changes):
    stated: dict[str, Any] = {
        "id": "acme-link",
        "name": "Acme link",
        "kind": "scale_up",
        "bytes_per_s_per_direction": 100e9,
        "hardware_latency_s": Triangular(1e-7, 2e-7, 4e-7),
    }
    return Link(**(stated | changes))


def an_offer(**changes):
    stated: dict[str, Any] = {
        "id": "cloud-one-8",
        "provider": "Cloud",
        "market": "neocloud",
        "instance": "one.8x",
        "accelerator_id": "acme-one",
        "accelerator_count": 8,
        "on_demand_usd_per_h": 20.0,
        "as_of": "2026-10-01",
    }
    return Offer(**(stated | changes))


def a_node(**changes):
    stated: dict[str, Any] = {
        "id": "acme-node",
        "name": "Acme node",
        "vendor": "Acme",
        "accelerator_id": "acme-one",
        "accelerator_count": 4,
        "accelerators_per_host": 4,
        "scale_out_bytes_per_s": 100e9,
        "scale_up": ScaleUp(name="Acme link", bytes_per_s_per_direction=100e9, domain_size=4, link_id="acme-link"),
    }
    return NodeType(**(stated | changes))


def a_catalog(*entries):
    kinds: dict[type, str] = {Accelerator: "accelerators", NodeType: "nodes", Link: "links", Offer: "offers"}
    held: dict[str, Any] = {name: {} for name in kinds.values()}
    for entry in entries:
        held[kinds[type(entry)]][entry.id] = entry
    return Catalog(**held)


def test_a_program_gets_the_usable_memory_where_it_is_stated():
    assert an_accelerator().memory_bytes == 80e9
    assert an_accelerator(memory_usable_bytes=79e9).memory_bytes == 79e9


def test_matrix_units_give_the_fp64_peak_and_block_scaled_formats_run_at_the_fp4_rate():
    accelerator = an_accelerator()
    assert accelerator.peak_flop_per_s("fp64") == 20e12
    assert accelerator.peak_flop_per_s("bf16") == 300e12
    assert accelerator.peak_flop_per_s("mxfp4") == accelerator.peak_flop_per_s("nvfp4") == 1200e12


def test_a_format_without_a_rate_is_not_supported_and_an_unknown_format_is_an_error():
    accelerator = an_accelerator()
    assert [name for name in PEAK_PRECISIONS if accelerator.supports(name)] == ["fp64", "bf16", "fp4"]
    with pytest.raises(KeyError, match="fp5"):
        accelerator.peak_flop_per_s("fp5")


def test_prices_of_an_instance_are_shared_among_its_accelerators():
    offer = an_offer(spot_usd_per_h=6.0)
    assert offer.on_demand_usd_per_accelerator_h == 2.5
    assert offer.spot_usd_per_accelerator_h == 0.75
    assert offer.reserved_1y_usd_per_accelerator_h is None
    assert offer.reserved_3y_usd_per_accelerator_h is None


@pytest.mark.parametrize("struct_type", [Accelerator, NodeType, Link, Offer, PurchasePrice, RentalPrice, PeakRates])
def test_every_field_has_a_title_and_every_number_named_for_a_unit_has_one(struct_type):
    endings = {"_bytes": "B", "_w": "W", "_hz": "Hz", "_s": "s", "_usd": "USD", "_usd_per_h": "USD/h"}
    endings |= {"_bytes_per_s": "B/s", "_bit_per_s": "bit/s", "_flop_per_s": "FLOP/s", "_per_direction": "B/s"}
    for field in fields_of(struct_type):
        assert field.about.title
        fitting = [unit for ending, unit in endings.items() if field.name.endswith(ending)]
        if fitting and field.type is not str:
            assert field.about.unit in fitting, field.name


@pytest.mark.parametrize(
    ("entry", "path", "code"),
    [
        (an_accelerator(memory_nominal_bytes=0.0), "memory_nominal_bytes", "below"),
        (an_accelerator(peak_dense_flop_per_s=PeakRates(bf16=-1.0)), "peak_dense_flop_per_s.bf16", "below"),
        (an_accelerator(price=PurchasePrice(usd=Triangular(3.0, 2.0, 4.0))), "price.usd", "order"),
        (an_accelerator(tdp_w=float("inf")), "tdp_w", "not_finite"),
        (a_link(collective_efficiency=1.2), "collective_efficiency", "over"),
        (a_node(accelerator_count=0), "accelerator_count", "below"),
        (an_offer(on_demand_usd_per_h=-1.0), "on_demand_usd_per_h", "below"),
    ],
)
def test_values_outside_their_bounds_are_found_with_their_path(entry, path, code):
    assert [(problem.path, problem.code) for problem in problems_of(entry)] == [(path, code)]


def test_an_entry_survives_json_exactly_and_states_nothing_that_is_unknown():
    accelerator = an_accelerator(price=PurchasePrice(usd=Triangular(1.1, 2.2, 3.3), as_of="2026-10"), tdp_w=0.1 + 0.2)
    text = msgspec.json.encode(accelerator)
    assert msgspec.json.decode(text, type=Accelerator) == accelerator
    assert b"null" not in text
    assert b"rental" not in text


@pytest.mark.parametrize("wrong", ["yesterday", "2026-1", "10/2026", "2026-10-1"])
def test_a_date_is_a_day_a_month_or_a_year(wrong):
    text = msgspec.json.encode(an_offer()).replace(b"2026-10-01", wrong.encode())
    with pytest.raises(msgspec.ValidationError, match="as_of"):
        msgspec.json.decode(text, type=Offer)


def test_a_typing_error_in_a_field_name_is_refused():
    text = msgspec.json.encode(an_offer()).replace(b'"region"', b'"regoin"').replace(b'"instance"', b'"instanze"')
    with pytest.raises(msgspec.ValidationError, match="instanz"):
        msgspec.json.decode(text, type=Offer)


def test_a_snapshot_holds_what_is_named_and_what_that_refers_to():
    other = an_accelerator(id="acme-two")
    catalog = a_catalog(an_accelerator(), other, a_node(), a_link(), a_link(id="unused"), an_offer())
    snapshot = snapshot_of(catalog, {"nodes": ["acme-node", "gone"], "offers": ["cloud-one-8"]})
    assert [entry.id for entry in snapshot.accelerators] == ["acme-one"]
    assert [entry.id for entry in snapshot.nodes] == ["acme-node"]
    assert [entry.id for entry in snapshot.links] == ["acme-link"]
    assert [entry.id for entry in snapshot.offers] == ["cloud-one-8"]
    assert snapshot.models == ()


def test_a_receiver_computes_with_the_senders_figures_and_is_told_what_differs():
    own = a_catalog(an_accelerator(), an_offer())
    sent = CatalogSnapshot(accelerators=(an_accelerator(tdp_w=500.0, year=2025), an_accelerator(id="acme-two")))
    merged = merged_with_snapshot(own, sent)
    assert merged.accelerators["acme-one"].tdp_w == 500.0
    assert set(merged.accelerators) == {"acme-one", "acme-two"}
    assert merged.offers == own.offers
    assert own.accelerators["acme-one"].tdp_w is None
    changed, missing = snapshot_differences(own, sent)
    assert (changed.kind, changed.id, changed.code) == ("accelerators", "acme-one", "changed")
    assert [(one.title, one.before, one.after) for one in changed.figures] == [
        ("Year", None, 2025),
        ("Power limit", None, 500.0),
    ]
    assert merged.carried == (changed, missing)
    assert merged_with_snapshot(merged, sent).carried == ()
    assert (missing.id, missing.code) == ("acme-two", "missing")
    assert snapshot_differences(merged, sent) == ()


def test_the_digest_follows_content_and_not_order():
    one, two = an_accelerator(), an_accelerator(id="acme-two")
    assert catalog_digest(a_catalog(one, two)) == catalog_digest(a_catalog(two, one))
    assert catalog_digest(a_catalog(one)) != catalog_digest(a_catalog(two))
    assert catalog_digest(a_catalog(one)) != catalog_digest(a_catalog(an_accelerator(tdp_w=1.0)))


def test_lookups_by_accelerator_and_link():
    catalog = a_catalog(an_accelerator(), a_node(), a_link(), an_offer(), an_offer(id="else", accelerator_id="other"))
    assert [node.id for node in catalog.nodes_of("acme-one")] == ["acme-node"]
    assert catalog.link_of(catalog.nodes["acme-node"]) == a_link()
    assert catalog.link_of(catalog.accelerators["acme-one"]) is None
    assert central(a_link().hardware_latency_s) == 2e-7


def test_an_entry_is_as_old_as_its_newest_date():
    priced = an_accelerator(
        price=PurchasePrice(usd=1.0, as_of="2026-05"),
        rental=RentalPrice(as_of_to="2026-09-30", as_of_from="2026-01-01"),
    )
    assert newest_date(priced) == "2026-09-30"
    assert newest_date(an_accelerator()) is None
    assert newest_date(an_offer(spot_as_of="2026-11-02")) == "2026-11-02"
    assert newest_date(a_node(capex=PurchasePrice(usd=1.0, as_of="2025"))) == "2025"


@pytest.mark.parametrize(
    ("date", "days"), [("2026-10-01", 30), ("2026-10", 30), ("2026", 303), ("2026-11-02", -2), (None, None)]
)
def test_age_in_days(date, days):
    assert age_days(date, datetime.date(2026, 10, 31)) == days
