"""Details show every field that says something, in words and units, and what is a default."""

from __future__ import annotations

from gpuplanner_gui.domain.quantity import Range
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.drawing.details import Detail, compared, details_of
from gpuplanner_gui.drawing.value_ranges import entered_quantity_text
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from tests.drawing import synthetic


def by_title(details: tuple[Detail, ...]) -> dict[str, Detail]:
    return {detail.title: detail for detail in details}


def test_accelerator_shows_figures_with_units_and_leaves_out_what_is_unknown() -> None:
    details = by_title(details_of(synthetic.catalog().accelerators["nvidia-h200-sxm-141gb"]))
    assert details["Memory bandwidth"].value == "4.80 TB/s"
    assert details["Year"].value == "2024"
    assert all(detail.value or detail.parts for detail in details.values())
    assert by_title(details["Peak dense rates"].parts)["BF16"].value.endswith("TFLOP/s")


def test_defaults_are_told_from_what_was_entered() -> None:
    workload = ServingWorkload(
        classes=(RequestClass(name="chat", peak_rate_per_s=Range(20.0, 60.0), prompt_tokens=900.0),)
    )
    classes = by_title(details_of(workload))["Request classes"]
    entered = by_title(classes.parts[0].parts)
    assert classes.parts[0].title == "chat"
    assert entered["Peak rate"].value == "20–60 req/s"
    assert not entered["Prompt"].is_default
    assert entered["Answer"].is_default


def test_every_entry_of_the_catalogue_can_be_shown() -> None:
    catalog = synthetic.catalog()
    for kind in ("accelerators", "nodes", "links", "offers", "models"):
        for entry in catalog.entries(kind).values():
            assert details_of(entry)


def test_choices_are_said_in_words_and_other_texts_as_they_are() -> None:
    shown = by_title(details_of(TrainingWorkload(tokens=1e9)))
    assert shown["Sustained clock"].value.replace("\u00a0", " ") == "100 %", "a derating of 1 had no meaning"
    assert shown["Method"].value == "Continued pretraining"
    assert shown["Precision recipe"].value == "BF16"
    assert (
        by_title(details_of(RequestClass(name="full_fine_tune", peak_rate_per_s=1.0)))["Name"].value == "full_fine_tune"
    )


def test_what_was_entered_can_be_shown_exactly() -> None:
    workload = TrainingWorkload(tokens=1e9, sequence_length=4096)
    assert by_title(details_of(workload))["Sequence length"].value != "4\u00a0096 tok"
    assert by_title(details_of(workload, entered_quantity_text))["Sequence length"].value == "4\u00a0096 tok"


def test_devices_and_links_of_a_catalogue_have_their_names() -> None:
    catalog = load_shipped_catalog()
    node = next(one for one in catalog.nodes.values() if one.scale_up is not None and one.scale_up.link_id)
    device, link = catalog.accelerators[node.accelerator_id], catalog.links[node.scale_up.link_id]
    details = {one.name: one for one in details_of(node, catalog=catalog)}
    assert details["accelerator_id"].value == device.name
    assert link.name in [part.value for part in details["scale_up"].parts]
    lines = {one.title: one for one in compared([node], catalog)}
    assert lines["Accelerator"].cells[0].text == device.name
