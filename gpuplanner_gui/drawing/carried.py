"""Where a project brings figures of its own along: what they are, what this installation has instead, and what changes.

A file's own figures are the catalogue entries that it carries, the prices quoted in its scenarios, and a model that has
the name of a known one and another architecture.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import msgspec

from gpuplanner_gui.domain.catalog import Catalog, CatalogModel, SnapshotDifference, without_changed
from gpuplanner_gui.domain.economics import Economics
from gpuplanner_gui.domain.field_change import FieldChange, field_changes
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.scenario import Project, Scenario, SeenHeadline
from gpuplanner_gui.domain.verdict import Finding
from gpuplanner_gui.drawing.language import clauses, tr
from gpuplanner_gui.drawing.results import Results, Workload
from gpuplanner_gui.drawing.units import NOTHING, format_value
from gpuplanner_gui.drawing.words.candidates import CARRIED_MARK, accelerator_name, headline_name
from gpuplanner_gui.drawing.words.choices import english_of_choice
from gpuplanner_gui.drawing.words.pack import value_text
from gpuplanner_gui.engine.cost.offers import RENTED_TERMS, offers_of
from gpuplanner_gui.engine.cost.prices import bought_node, purchase_price
from gpuplanner_gui.engine.model.model_summary import model_summary
from gpuplanner_gui.files.project import CHANCE, headlines_of

MOST_FIGURES = 4
"""Named in one sentence."""
MOST_ENTRIES = 3
NOTE, WARNING, SERIOUS = 0, 1, 2
MODEL_FIGURES = {
    "total_params": ("Parameters", "param"), "active_params": ("Active parameters", "param"), "layers": ("Layers", ""),
    "kv_bytes_per_token": ("KV cache per token", "bytes"), "max_context": ("Largest context", "tok"),
}  # fmt: skip


def brought(catalog: Catalog, scenario: Scenario) -> tuple[SnapshotDifference, ...]:
    """What a plan of the scenario takes from the file where this installation knows otherwise, entry by entry.

    Offers and quotations come as the prices that they lead to, a device at a time.
    """
    offers = [one for one in catalog.carried if one.kind == "offers"]
    quoted = [one.accelerator for one in scenario.economics.overrides]
    priced = dict.fromkeys([one.accelerator for one in offers] + quoted)
    found = [one for one in catalog.carried if one.kind != "offers"]
    for device in priced:
        changes = tuple(_price_changes(device, catalog, scenario.economics))
        if not changes:
            # No price of a term differs: what remains are sizes and limits of offers.
            changes = tuple(change for one in offers if one.accelerator == device for change in one.figures)
        if changes:
            name = accelerator_name(device, catalog).removesuffix(f" {CARRIED_MARK}")
            found.append(SnapshotDifference("offers", device, name, "changed", changes, device))
    model = _known_model(catalog, scenario)
    if model is not None and model.model != scenario.model:
        difference = SnapshotDifference(
            "models", model.id, scenario.model.name, "changed", _model_changes(model, scenario)
        )
        found += [difference] if difference.figures else []
    return tuple(found)


def carried_lines(catalog: Catalog, scenarios: Sequence[Scenario]) -> list[str]:
    """Every figure that the project brings and this installation has otherwise, with both values: a line each."""
    lines = []
    for one in (difference for scenario in scenarios for difference in brought(catalog, scenario)):
        if one.code == "missing":
            lines.append(tr("{name}: only in this file, not in your catalogue.").format(name=one.name))
        else:
            lines += [f"{one.name}: {_figure_text(figure)}." for figure in one.figures]
    return list(dict.fromkeys(lines))


def carried_findings(results: Results) -> Iterator[Finding]:
    """Serious where the recommended device's figures, or the model's, are the file's; one warning for all others."""
    best: dict[str, Workload] = {}
    for workload in results.workloads():
        answer = results.answer(workload)
        if answer is not None and answer.best >= 0:
            best.setdefault(results.plan.accelerators[int(answer.table.accelerator[answer.best])], workload)
    others = []
    offered = {one.accelerator for one in results.catalog.carried if one.kind == "offers"}
    for one in brought(results.catalog, results.scenario):
        if one.kind == "models":
            yield from [_finding("carried_model", workload, one) for workload in results.workloads()[:1]]
        elif one.accelerator in best:
            is_quote = one.kind == "offers" and one.accelerator not in offered
            code = "carried_quote" if is_quote else "carried_device" if one.code == "missing" else "carried_figures"
            yield _finding(code, best[one.accelerator], one, WARNING if is_quote else SERIOUS)
        else:
            others.append(f"{one.name} ({_figure_text(one.figures[0])})" if one.code == "changed" else one.name)
    if others:
        names = clauses(others[:MOST_ENTRIES]) + (" …" if len(others) > MOST_ENTRIES else "")
        yield Finding(code="carried_entries", severity=WARNING, workload="both", values={"names": names})
    sets = sum(one.is_used for one in results.project.measurements)
    if sets:
        yield Finding(code="carried_measurements", severity=NOTE, workload="both", values={"count": sets})


def with_own_figures(project: Project, own: Catalog) -> Project:
    """The project without what this catalogue has otherwise; devices, prices and models that it lacks stay.

    Own measurements stay: Calibrate shows what each set does, and excludes it.
    """
    scenarios = []
    for scenario in project.scenarios:
        kept = tuple(one for one in scenario.economics.overrides if not _prices(one.accelerator, own, Economics()))
        economics = msgspec.structs.replace(scenario.economics, overrides=kept)
        model = _known_model(own, scenario)
        scenarios.append(
            msgspec.structs.replace(
                scenario, economics=economics, model=model.model if model is not None else scenario.model
            )
        )
    catalog = without_changed(own, project.catalog)
    return msgspec.structs.replace(project, scenarios=tuple(scenarios), catalog=catalog)


def headlines_of_both(scenario: Scenario, plan: Plan, own: Plan) -> list[tuple[SeenHeadline, SeenHeadline | None]]:
    """The headline results that come out otherwise with this installation's own figures, beside those."""
    known = {one.code: one for one in headlines_of(scenario, own)}
    found = [one for one in headlines_of(scenario, plan) if one.code in known or not one.code.endswith(f".{CHANCE}")]
    pairs = [(one, known.get(one.code)) for one in found]
    return [
        (one, other)
        for one, other in pairs
        if other is None or other.candidate != one.candidate or not math.isclose(other.value, one.value, rel_tol=1e-3)
    ]


def both_text(carried: SeenHeadline, own: SeenHeadline | None, catalog: Catalog) -> str:
    """One headline with the file's figures and with one's own; devices are named where they differ."""
    sentence = tr("{result} is {carried} with the file's figures, {own} with yours.")
    is_named = own is None or own.candidate != carried.candidate
    shown = [_shown(one, catalog if is_named else None) for one in (carried, own)]
    return sentence.format(result=headline_name(carried.code), carried=shown[0], own=shown[1])


def _shown(one: SeenHeadline | None, catalog: Catalog | None) -> str:
    if one is None:
        return NOTHING
    name = f" ({accelerator_name(one.candidate, catalog)})" if catalog is not None else ""
    return f"{format_value(one.value, one.unit)}{name}"


def _finding(code: str, workload: Workload, one: SnapshotDifference, severity: int = SERIOUS) -> Finding:
    shown = clauses([_figure_text(figure) for figure in one.figures[:MOST_FIGURES]])
    more = len(one.figures) - MOST_FIGURES
    if more > 0:
        shown += " " + tr("and {count} more").format(count=more)
    return Finding(code=code, severity=severity, workload=workload, values={"device": one.name, "figures": shown})


def _figure_text(figure: FieldChange) -> str:
    return tr("{title} is {carried} in this file, {own} in your catalogue").format(
        title=tr(figure.title), carried=value_text(figure, figure.after), own=value_text(figure, figure.before)
    )


def _price_changes(device: str, catalog: Catalog, economics: Economics) -> Iterator[FieldChange]:
    """Prices of the device that are others in this file; by the scenario's level and rates in both."""
    own = catalog.installed or catalog
    here = _prices(device, catalog, economics)
    there = _prices(device, own, msgspec.structs.replace(economics, overrides=()))
    for title, unit in (*((term, "USD/h") for term in RENTED_TERMS), ("own", "USD")):
        if here.get(title) != there.get(title):
            name = "Purchase" if title == "own" else english_of_choice(title)
            yield FieldChange(title, name, there.get(title), here.get(title), unit)
    counts = [sum(one.accelerator_id == device for one in known.offers.values()) for known in (own, catalog)]
    if counts[0] != counts[1]:
        yield FieldChange("offers", "Number of rental offers", counts[0], counts[1])


def _prices(device: str, catalog: Catalog, economics: Economics) -> dict[str, float]:
    """What a device costs on each term, as plans take it; terms without a price are left out. [USD/h, USD]"""
    entry = catalog.accelerators.get(device)
    if entry is None:
        return {}
    offers = offers_of(catalog)
    found = {term: offers.quote(entry, term, economics).usd_per_hour for term in RENTED_TERMS}
    nodes = tuple(catalog.nodes.values())
    found["own"] = purchase_price(entry, bought_node(entry, nodes), economics).usd
    return {str(term): usd for term, usd in found.items() if math.isfinite(usd)}


def _known_model(catalog: Catalog, scenario: Scenario) -> CatalogModel | None:
    """The installation's model of this name."""
    name = scenario.model.name.casefold()
    models = (catalog.installed or catalog).models.values()
    return next((one for one in models if one.model.name.casefold() == name), None)


def _model_changes(known: CatalogModel, scenario: Scenario) -> tuple[FieldChange, ...]:
    """What a planner knows a model by; single fields only where none of that differs."""
    before, after = model_summary(known.model), model_summary(scenario.model)
    changes = [
        FieldChange(name, title, before[name], after[name], unit)
        for name, (title, unit) in MODEL_FIGURES.items()
        if before[name] != after[name]
    ]
    return tuple(changes or field_changes(known.model, scenario.model))
