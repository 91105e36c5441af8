"""Which fields hold catalogue entries, and what they offer."""

from __future__ import annotations

from collections.abc import Sequence

from gpuplanner_gui.desktop.editors.base import Choice, Surroundings
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.hardware import ACCELERATOR_KINDS, ECOSYSTEMS
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.words.choices import words_of_choice


def offer_catalog_choices(surroundings: Surroundings) -> None:
    """Say for each such field what may be picked."""
    surroundings.offer_choices("HardwareChoice", "accelerators", _accelerators)
    surroundings.offer_choices("HardwareChoice", "vendors", _vendors)
    surroundings.offer_choices("HardwareChoice", "network", _links)
    surroundings.offer_choices("PriceOverride", "accelerator", _accelerators)
    surroundings.offer_choices("OwnedStock", "accelerator", _accelerators)
    surroundings.offer_choices("ScaleUp", "link_id", _no_link_or_links)
    surroundings.offer_codes("HardwareChoice", "kinds", [(code, words_of_choice(code)) for code in ACCELERATOR_KINDS])
    surroundings.offer_codes("HardwareChoice", "ecosystems", [(code, words_of_choice(code)) for code in ECOSYSTEMS])


def _accelerators(catalog: Catalog) -> Sequence[Choice]:
    return sorted(((entry.id, entry.name) for entry in catalog.accelerators.values()), key=_by_words)


def _vendors(catalog: Catalog) -> Sequence[Choice]:
    return sorted(((vendor, vendor) for vendor in {e.vendor for e in catalog.accelerators.values()}), key=_by_words)


def _links(catalog: Catalog) -> Sequence[Choice]:
    return sorted(((entry.id, entry.name) for entry in catalog.links.values()), key=_by_words)


def _no_link_or_links(catalog: Catalog) -> Sequence[Choice]:
    return [("", tr("Not set")), *_links(catalog)]


def _by_words(choice: Choice) -> str:
    return choice[1].casefold()
