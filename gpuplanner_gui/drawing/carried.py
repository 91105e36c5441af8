"""Where a project brings figures of its own along: what they are, what this installation has instead, and what changes.

A file's own figures are the catalogue entries that it carries, prices quoted in its scenarios and of its estate, and a
model that has the name of a known one and another architecture.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import msgspec

from gpuplanner_gui.domain.catalog import Catalog, CatalogModel, SnapshotDifference, without_changed
from gpuplanner_gui.domain.economics import RENTED_TERMS, Economics, PriceOverride
from gpuplanner_gui.domain.estate import EstateHardware
from gpuplanner_gui.domain.field import FieldChange, field_changes, field_of
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Project, Scenario, SeenHeadline
from gpuplanner_gui.domain.verdict import Finding
from gpuplanner_gui.drawing.language import clauses, phrase, tr
from gpuplanner_gui.drawing.results import Results, Workload
from gpuplanner_gui.drawing.shown_money import money_of, money_shown
from gpuplanner_gui.drawing.units import NOTHING, format_value
from gpuplanner_gui.drawing.words.candidates import CARRIED_MARK, accelerator_name, headline_name
from gpuplanner_gui.drawing.words.choices import english_of_choice
from gpuplanner_gui.drawing.words.pack import value_text
from gpuplanner_gui.engine.estate.draft import PriceTerms, offered_in_place_of, term_prices
from gpuplanner_gui.engine.model.model_summary import model_summary
from gpuplanner_gui.engine.recent import Recent
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import CHANCE, SAME_RESULT, headlines_of

MOST_FIGURES = 4
"""Named in one sentence."""
MOST_ENTRIES = 3
NOTE, WARNING, SERIOUS = 0, 1, 2
SAME_PRICE = 1e-3
"""Largest difference of equal prices of an estate, which are kept in cents."""
RESERVED_TITLES = {
    12: phrase("Rent per device, reserved for 1 year"), 36: phrase("Rent per device, reserved for 3 years"),
}  # fmt: skip
"""Terms of a reservation by their months."""
LATER_FACTS = ("published_formats", "drafts")
"""Facts of a model that older files lack: a missing one is no difference."""
MODEL_FIGURES = {
    "total_params": ("Parameters", "param"), "active_params": ("Active parameters", "param"), "layers": ("Layers", ""),
    "kv_bytes_per_token": ("KV cache per token", "bytes"), "max_context": ("Largest context", "tok"),
}  # fmt: skip


def brought(catalog: Catalog, scenario: Scenario) -> tuple[SnapshotDifference, ...]:
    """The file's figures that a plan of the scenario uses and that differ from this installation, by entry.

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


def estate_brought(project: Project, catalog: Catalog) -> tuple[SnapshotDifference, ...]:
    """Prices of the estate's hardware that this installation knows otherwise, by the terms of the first scenario."""
    estate, own = project.estate, catalog.installed or catalog
    if estate is None or not project.scenarios:
        return ()
    first = project.scenarios[0]
    known, terms = _recent_units.of((first.economics, own), dict), _own_terms(first, own)
    return tuple(difference for one in estate.hardware for difference in _unit_brought(one, terms, known))


_recent_units: Recent[dict[EstateHardware, tuple[SnapshotDifference, ...]]] = Recent(most=2)
"""By unit: an edit of one asks for no other, and undoing it for none. Drafts ask for theirs on their thread."""
MOST_UNITS = 500


def _unit_brought(
    unit: EstateHardware, terms: PriceTerms, known: dict[EstateHardware, tuple[SnapshotDifference, ...]]
) -> tuple[SnapshotDifference, ...]:
    found = known.get(unit)
    if found is None:
        own = _known_unit(unit, terms)
        changes = tuple(_unit_changes(unit, own)) if own is not None else ()
        difference = SnapshotDifference("offers", unit.name, unit.name, "changed", changes, unit.accelerator)
        found = (difference,) if changes else ()
        if len(known) >= MOST_UNITS:
            known.clear()
        known[unit] = found
    return found


def carried_lines(catalog: Catalog, project: Project, scenarios: Sequence[Scenario] | None = None) -> list[str]:
    """Every figure that the project brings and this installation has otherwise, with both values: a line each.

    Amounts are in their scenario's currency. The estate's come with the first scenario, whose terms price it.
    """
    chosen = project.scenarios if scenarios is None else scenarios
    lines: list[str] = []
    for scenario in chosen:
        with money_shown(money_of(scenario.economics)):
            lines += _difference_lines(brought(catalog, scenario))
    for first in project.scenarios[:1]:
        if tuple(chosen[:1]) == (first,):
            with money_shown(money_of(first.economics)):
                lines += _difference_lines(estate_brought(project, catalog))
    return list(dict.fromkeys(lines))


def _difference_lines(differences: Sequence[SnapshotDifference]) -> Iterator[str]:
    for one in differences:
        if one.code == "missing":
            yield tr("{name}: only in this file, not in your catalogue.").format(name=one.name)
        else:
            yield from (f"{one.name}: {_figure_text(figure)}." for figure in one.figures)


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
    # None may be there any more: until the window has looked up, a plan is of a scenario that was removed.
    is_first = any(one is results.scenario for one in results.project.scenarios[:1])
    units = estate_brought(results.project, results.catalog) if is_first else ()
    if units:
        names = _listed([f"{one.name} ({_figure_text(one.figures[0])})" for one in units])
        yield Finding(code="carried_estate", severity=WARNING, workload="both", values={"names": names})
    if others:
        yield Finding(code="carried_entries", severity=WARNING, workload="both", values={"names": _listed(others)})
    sets = sum(one.is_used for one in results.project.measurements)
    if sets:
        yield Finding(code="carried_measurements", severity=NOTE, workload="both", values={"count": sets})


def with_own_figures(project: Project, own: Catalog) -> Project:
    """The project without what this catalogue has otherwise; devices, prices and models that it lacks stay.

    Own measurements stay: Calibrate shows what each set does, and excludes it.
    """
    scenarios = []
    for scenario in project.scenarios:
        kept = tuple(one for one in scenario.economics.overrides if not _has_own_price(one, own))
        economics = msgspec.structs.replace(scenario.economics, overrides=kept)
        model = _known_model(own, scenario)
        scenarios.append(
            msgspec.structs.replace(
                scenario, economics=economics, model=model.model if model is not None else scenario.model
            )
        )
    estate = project.estate
    if estate is not None and scenarios:
        terms = _own_terms(project.scenarios[0], own)
        hardware = tuple(_with_known_prices(one, _known_unit(one, terms)) for one in estate.hardware)
        estate = msgspec.structs.replace(estate, hardware=hardware)
    catalog = without_changed(own, project.catalog)
    return msgspec.structs.replace(project, scenarios=tuple(scenarios), catalog=catalog, estate=estate)


def _has_own_price(row: PriceOverride, own: Catalog) -> bool:
    """Whether this catalogue prices what a row quotes: the device on any term, or where the row is of one, on that."""
    known = term_prices(row.accelerator, own, Economics())
    of_one_term = row.term is not None and row.purchase_per_device is None
    return row.term in known if of_one_term else bool(known)


def headlines_of_both(scenario: Scenario, plan: Plan, own: Plan) -> list[tuple[SeenHeadline, SeenHeadline | None]]:
    """The headline results that come out otherwise with this installation's own figures, beside those.

    Both plans were simulated, or neither: what is compared is what stands on screen and in reports.
    """
    known = {one.code: one for one in headlines_of(scenario, own, are_shown=True)}
    shown = headlines_of(scenario, plan, are_shown=True)
    found = [one for one in shown if one.code in known or not one.code.endswith(f".{CHANCE}")]
    pairs = [(one, known.get(one.code)) for one in found]
    return [
        (one, other)
        for one, other in pairs
        if other is None
        or other.candidate != one.candidate
        or not math.isclose(other.value, one.value, rel_tol=SAME_RESULT)
    ]


def both_text(carried: SeenHeadline, own: SeenHeadline | None, catalog: Catalog) -> str:
    """One headline with the file's figures and with one's own; devices are named where they differ."""
    sentence = tr("{result} is {carried} with the file's figures, {own} with yours.")
    of_file, of_own = _both_shown(carried, own, catalog)
    return sentence.format(result=headline_name(carried.code), carried=of_file, own=of_own)


def saved_text(saved: SeenHeadline, now: SeenHeadline | None, catalog: Catalog) -> str:
    """One headline as the file was saved with it and as it is here; devices are named where they differ.

    A service's are the quick estimate's on both sides: the plan that is shown may be simulated.
    """
    sentence = tr("{result}: {was} when the file was saved, {now} here.")
    if saved.code.startswith("serving.") and not saved.code.endswith(f".{CHANCE}"):
        sentence = tr("{result}, by the quick estimate: {was} when the file was saved, {now} here.")
    was, is_now = _both_shown(saved, now, catalog)
    return sentence.format(result=headline_name(saved.code), was=was, now=is_now)


def _both_shown(one: SeenHeadline, other: SeenHeadline | None, catalog: Catalog) -> tuple[str, str]:
    names = catalog if other is None or other.candidate != one.candidate else None
    return _shown(one, names), _shown(other, names)


def _shown(one: SeenHeadline | None, catalog: Catalog | None) -> str:
    if one is None:
        return NOTHING
    name = f" ({accelerator_name(one.candidate, catalog)})" if catalog is not None else ""
    return f"{format_value(one.value, one.unit)}{name}"


def _listed(names: Sequence[str]) -> str:
    return clauses(names[:MOST_ENTRIES]) + (" …" if len(names) > MOST_ENTRIES else "")


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
    here = term_prices(device, catalog, economics)
    there = term_prices(device, own, msgspec.structs.replace(economics, overrides=()))
    for title, unit in (*((term, "USD/h") for term in RENTED_TERMS), ("own", "USD")):
        if here.get(title) != there.get(title):
            name = "Purchase" if title == "own" else english_of_choice(title)
            yield FieldChange(title, name, there.get(title), here.get(title), unit)
    counts = [sum(one.accelerator_id == device for one in known.offers.values()) for known in (own, catalog)]
    if counts[0] != counts[1]:
        yield FieldChange("offers", "Number of rental offers", counts[0], counts[1])


def _own_terms(first: Scenario, own: Catalog) -> PriceTerms:
    economics = msgspec.structs.replace(first.economics, overrides=())
    return PriceTerms(own, load_calibration(), msgspec.structs.replace(first, economics=economics), {})


def _known_unit(unit: EstateHardware, terms: PriceTerms) -> EstateHardware | None:
    """A unit of that size as this installation sells it and rents it out; None where it doesn't.

    A purchase holds the share of a fabric that only plans know: of all prices from none to a full one, the nearest.
    """
    full = central(terms.scenario.economics.ownership.network_usd_per_device)
    low, high = (offered_in_place_of(unit, replace(terms, network_usd=network_usd)) for network_usd in (0.0, full))
    if low is None or high is None or not low.purchase_usd or not high.purchase_usd or unit.purchase_usd is None:
        return low
    least, most = (
        one * unit.devices_per_unit / low.devices_per_unit for one in (low.purchase_usd, high.purchase_usd)
    )  # fmt: skip
    return msgspec.structs.replace(low, purchase_usd=min(max(unit.purchase_usd, least), most))


def _unit_changes(unit: EstateHardware, own: EstateHardware) -> Iterator[FieldChange]:
    """Prices of a unit that are others than this installation's, of the terms that both have."""
    for name in ("purchase_usd", "rent_usd_per_device_hour"):
        described, here, there = field_of(EstateHardware, name).about, getattr(unit, name), getattr(own, name)
        if here is not None and there is not None and not math.isclose(here, there, rel_tol=SAME_PRICE):
            yield FieldChange(name, described.title, there, here, described.unit)
    known = {one.months: one.usd_per_device_hour for one in own.reservations}
    for one in unit.reservations:
        there = known.get(one.months)
        if there is not None and not math.isclose(one.usd_per_device_hour, there, rel_tol=SAME_PRICE):
            title = RESERVED_TITLES[one.months]
            yield FieldChange(f"reservations.{one.months}", title, there, one.usd_per_device_hour, "USD/h")


def _with_known_prices(unit: EstateHardware, own: EstateHardware | None) -> EstateHardware:
    changes = {} if own is None else {one.path: one.before for one in _unit_changes(unit, own)}
    reservations = tuple(
        msgspec.structs.replace(
            one, usd_per_device_hour=changes.pop(f"reservations.{one.months}", one.usd_per_device_hour)
        )
        for one in unit.reservations
    )
    return msgspec.structs.replace(unit, reservations=reservations, **changes) if own is not None else unit


def _known_model(catalog: Catalog, scenario: Scenario) -> CatalogModel | None:
    """The installation's model of this name, without what older files could not say of it."""
    name, carried = scenario.model.name.casefold(), scenario.model
    models = (catalog.installed or catalog).models.values()
    known = next((one for one in models if one.model.name.casefold() == name), None)
    if known is None:
        return None
    unsaid = {field: getattr(carried, field) for field in LATER_FACTS if not getattr(carried, field)}
    return msgspec.structs.replace(known, model=msgspec.structs.replace(known.model, **unsaid))


def _model_changes(known: CatalogModel, scenario: Scenario) -> tuple[FieldChange, ...]:
    """Changes of a model: its main figures, or single fields if none of those differs."""
    before, after = model_summary(known.model), model_summary(scenario.model)
    changes = [
        FieldChange(name, title, before[name], after[name], unit)
        for name, (title, unit) in MODEL_FIGURES.items()
        if before[name] != after[name]
    ]
    return tuple(changes or field_changes(known.model, scenario.model))
