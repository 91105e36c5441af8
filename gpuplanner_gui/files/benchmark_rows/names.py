"""Published names of models, accelerators and engines, resolved through the catalogues and the engine facts."""

from __future__ import annotations

import re

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.inference_stack import StackSoftware
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.model import Model, Precision
from gpuplanner_gui.files.benchmark_rows.cells import shown
from gpuplanner_gui.files.benchmark_rows.question import RowProblem
from gpuplanner_gui.files.catalog_names import resolve_accelerator
from gpuplanner_gui.files.model_names import resolve_model

_NO_WORD = re.compile(r"[^a-z0-9]+")


def model_named(catalog: Catalog, name: str) -> tuple[str, Model, Precision | None]:
    """Identifier and architecture of a published name, and the precision that it says. Raises RowProblem."""
    if not name:
        raise RowProblem("the row names no model")
    found, precision = resolve_model(catalog, name)
    if found is None:
        raise RowProblem(f"the model {shown(name)!r} is not in the catalogue")
    return found, catalog.models[found].model, precision


def accelerator_named(catalog: Catalog, name: str, memory_gb: float | None = None) -> str:
    """Catalogue identifier of a published device name. Raises RowProblem."""
    if not name:
        raise RowProblem("the row names no accelerator")
    found = resolve_accelerator(catalog, name, memory_gb)
    if found is None and memory_gb is not None:
        found = resolve_accelerator(catalog, name)
    if found is None:
        raise RowProblem(f"the accelerator {shown(name)!r} is not in the catalogue")
    return found


def engine_named(calibration: Calibration, name: str) -> str:
    """The engine facts that a published engine's name goes by; the generic engine's for one that is not listed."""
    key = plain_key(name)
    best, length = "generic", 0
    for facts in calibration.engines:
        for alias in (facts.engine, facts.name, *facts.aliases):
            known = plain_key(alias)
            if known and len(known) > length and (key == known or f" {known} " in f" {key} "):
                best, length = facts.engine, len(known)
    return best


def software_named(calibration: Calibration, name: str, version: str) -> StackSoftware:
    """Published software by generation; the engine that its name goes by where it is not listed."""
    found = calibration.stacks.software_named(name, version)
    if found is not None:
        return found
    engine = engine_named(calibration, name)
    return StackSoftware(software=engine, engine=engine, aliases=())


def plain_key(name: str) -> str:
    """A name in lower case, words apart by one space."""
    return _NO_WORD.sub(" ", name.lower()).strip()
