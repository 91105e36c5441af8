"""Published names of models, accelerators, engines and workloads, resolved through what is known of them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.model import Model, Precision
from gpuplanner_gui.domain.preset import ReferenceWorkload, ReferenceWorkloads
from gpuplanner_gui.domain.serving_engine import StackSoftware
from gpuplanner_gui.engine.serving.engine_release import older_release
from gpuplanner_gui.files.benchmark_rows.question import RowProblem, shown
from gpuplanner_gui.files.catalog_names import name_key, resolve_accelerator
from gpuplanner_gui.files.model_names import resolve_model
from gpuplanner_gui.files.safe_json import read_shipped
from gpuplanner_gui.paths import catalogs_dir

WORKLOADS_FILE = "reference_workloads.json"


@lru_cache(maxsize=1)
def reference_workloads() -> tuple[ReferenceWorkload, ...]:
    """All of them, the more special first. Raises FileProblem for a damaged file."""
    return read_shipped(catalogs_dir() / WORKLOADS_FILE, ReferenceWorkloads).workloads


def workload_of(model_id: str, *texts: str) -> ReferenceWorkload:
    """The first workload of the model, or of any, that a row's source or notes name; the last one fits all."""
    joined = " ".join(texts).lower()
    for workload in reference_workloads():
        is_named = any(name.lower() in joined for name in workload.sources)
        if is_named and (not workload.models or model_id in workload.models):
            return workload
    return reference_workloads()[-1]


GENERIC = "generic"
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


@dataclass(frozen=True)
class Named:
    """What a published name was taken for, and the spread that this adds to times."""

    id: str
    log_sd: float = 0.0
    remarks: tuple[str, ...] = ()


_LEFT_OPEN = re.compile(r"(?<![a-z])(?:unspecified|unknown|unstated|not[\s_-]stated|any[\s_-]form)(?![a-z])")


def device_named(catalog: Catalog, name: str, memory_gb: float | None = None) -> Named:
    """The accelerator of a published name; one that leaves the form factor open counts as the usual board.

    The spread is that of the bandwidths of the boards which share the name. Raises RowProblem.
    """
    plain = _LEFT_OPEN.sub(" ", name.lower())
    if plain == name.lower() or not plain.strip(" _-()"):
        return Named(accelerator_named(catalog, name, memory_gb))
    found = accelerator_named(catalog, plain, memory_gb)
    taken = catalog.accelerators[found]
    bare = name_key(plain).words
    others = [
        one for one in catalog.accelerators.values() if name_key(one.id).words[: len(bare)] == bare and one.id != found
    ]
    bandwidth = taken.memory_bandwidth_bytes_per_s
    apart = [abs(math.log(one.memory_bandwidth_bytes_per_s / bandwidth)) for one in others]
    remark = f"the name leaves the form factor open; predicted as {taken.name}"
    return Named(found, max(apart, default=0.0), (remark,))


def nearest_engine(calibration: Calibration, name: str) -> Named:
    """The engine of a published name, or the one that works most like it, with the spread of an unknown engine."""
    found = engine_named(calibration, name)
    facts = calibration.engine(found)
    if found != GENERIC or plain_key(name) in ("", GENERIC):
        return Named(found)
    stand_in = next((one for one in calibration.engines if _has_alias(plain_key(name), one.stands_for)), facts)
    spread = math.sqrt(max(facts.log_sd**2 - stand_in.log_sd**2, 0.0))
    remark = f"{shown(name)} has no figures of its own; predicted as {stand_in.name}"
    return Named(stand_in.engine, spread, (remark,))


def _has_alias(key: str, aliases: Sequence[str]) -> bool:
    return any(f" {plain_key(alias)} " in f" {key} " for alias in aliases)


def engine_named(calibration: Calibration, name: str) -> str:
    """The engine facts that a published engine's name goes by; the generic engine's for one that is not listed."""
    key = plain_key(name)
    best, length = GENERIC, 0
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


def release_remarks(calibration: Calibration, engine: str, release: str, year: float) -> tuple[str, ...]:
    """What is told of a release that did otherwise than the newest ones."""
    facts = calibration.engine(engine)
    older = older_release(facts, release, year)
    return () if older is None else (f"predicted as a release of {facts.name} before {older.before}",)
