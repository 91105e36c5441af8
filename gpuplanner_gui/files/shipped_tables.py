"""Loads the small tables that ship: presets, defaults, terms, launchers, methods, each from a JSON file.

Every loader raises FileProblem, naming the place, for a file that is damaged or holds a figure out of bounds.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import msgspec

from gpuplanner_gui.domain.economics import Economics, Ownership, Site
from gpuplanner_gui.domain.hardware import UseTerms
from gpuplanner_gui.domain.launch import Launcher, Launchers
from gpuplanner_gui.domain.measurement import QUANTITIES, EvidenceTable
from gpuplanner_gui.domain.method import Method, Methods
from gpuplanner_gui.domain.preset import (
    EconomicsPreset,
    EconomicsPresets,
    GuidedFigures,
    RequestPreset,
    RequestPresets,
    SitePlace,
    UncertaintyDefaults,
)
from gpuplanner_gui.domain.quantity import Lognormal
from gpuplanner_gui.domain.workload import RequestClass
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.safe_json import REMEDY, read_shipped, refuse_out_of_bounds
from gpuplanner_gui.paths import catalogs_dir, resources_dir

ECONOMICS_FILE = "economics_presets.json"
EVIDENCE_FILE = "evidence.json"
GUIDED_FILE = "guided_start.json"
LAUNCHERS_FILE = "launchers.json"
METHODS_FILE = "methods.json"
REQUESTS_FILE = "request_presets.json"
UNCERTAINTY_FILE = "uncertainty_defaults.json"
USE_TERMS_FILE = "use_terms.json"


@lru_cache(maxsize=4)
def load_economics_presets(folder: Path | None = None) -> EconomicsPresets:
    """Owners' terms, prices by resource and energy by region. A field that the money section lacks is refused too."""
    path = (folder or catalogs_dir()) / ECONOMICS_FILE
    loaded = read_shipped(path, EconomicsPresets)
    for preset in loaded.presets:
        _refuse_unknown_fields(path, preset)
        refuse_out_of_bounds(path, preset.applied_to(Economics()), within=f"{preset.id}.")
    return loaded


def owner_at(place: SitePlace | None) -> EconomicsPreset | None:
    """What owning costs at a place of the guided start; None where it costs what it does in a data centre."""
    if place is None:
        return None
    return next((one for one in load_economics_presets().presets if one.place == place), None)


def _refuse_unknown_fields(path: Path, preset: EconomicsPreset) -> None:
    sections: tuple[tuple[str, type[msgspec.Struct], dict[str, object]], ...] = (
        ("ownership", Ownership, dict(preset.ownership)),
        ("site", Site, dict(preset.site)),
    )
    for section, struct_type, figures in sections:
        for name in figures.keys() - set(struct_type.__struct_fields__):
            raise FileProblem(path, f"{preset.id}.{section}.{name}", "no such field", REMEDY)


@lru_cache(maxsize=4)
def load_uncertainty_defaults(folder: Path | None = None) -> UncertaintyDefaults:
    """How uncertain each input usually is."""
    path = (folder or catalogs_dir()) / UNCERTAINTY_FILE
    loaded = read_shipped(path, UncertaintyDefaults)
    refuse_out_of_bounds(path, loaded)
    for entry in loaded.inputs:
        if entry.spread == "offset" and isinstance(entry.distribution.value, Lognormal):
            raise FileProblem(path, entry.id, "a lognormal spread is a factor, not an offset", REMEDY)
    return loaded


@lru_cache(maxsize=4)
def request_presets(folder: Path | None = None) -> tuple[RequestPreset, ...]:
    """The usual classes of requests."""
    path = (folder or catalogs_dir()) / REQUESTS_FILE
    loaded = read_shipped(path, RequestPresets).presets
    for preset in loaded:
        refuse_out_of_bounds(path, preset, within=f"{preset.id}.")
    return loaded


def request_classes() -> dict[str, RequestClass]:
    """The usual classes of requests by the identifier of their preset."""
    return {preset.id: preset.request_class for preset in request_presets()}


@lru_cache(maxsize=1)
def guided_figures() -> GuidedFigures:
    """What the guided start takes for usual."""
    return read_shipped(catalogs_dir() / GUIDED_FILE, GuidedFigures)


@lru_cache(maxsize=4)
def load_evidence(folder: Path | None = None) -> EvidenceTable:
    """Published measurements. A row of an unknown source or quantity is refused."""
    path = (folder or catalogs_dir()) / EVIDENCE_FILE
    table = read_shipped(path, EvidenceTable)
    for place, row in enumerate(table.rows):
        if row.source >= len(table.sources) or row.quantity not in QUANTITIES or row.value <= 0:
            raise FileProblem(path, f"rows[{place}]", "the source or the quantity is not known", REMEDY)
    return table


@lru_cache(maxsize=1)
def load_use_terms() -> UseTerms:
    """Where devices may be used."""
    return read_shipped(catalogs_dir() / USE_TERMS_FILE, UseTerms)


@lru_cache(maxsize=1)
def load_launchers() -> tuple[Launcher, ...]:
    """What the launchers' documents say about their flags."""
    return read_shipped(catalogs_dir() / LAUNCHERS_FILE, Launchers).launchers


@lru_cache(maxsize=1)
def device_resources() -> dict[str, str]:
    """What Kubernetes calls devices, by software ecosystem."""
    return read_shipped(catalogs_dir() / LAUNCHERS_FILE, Launchers).device_resources


@lru_cache(maxsize=1)
def methods() -> tuple[Method, ...]:
    """The handbook's pages on the engine's methods, in the order in which a plan uses them."""
    return read_shipped(resources_dir() / METHODS_FILE, Methods).methods
