"""From a file to sets of measurements with their context: results of tools, and sets that were mailed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec

from gpuplanner_gui import __version__
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.field import about, problems_of
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.measurement import (
    PROCESSOR,
    Measurement,
    MeasurementContext,
    MeasurementSet,
    missing_context,
)
from gpuplanner_gui.domain.model import Precision
from gpuplanner_gui.files.benchmark_rows.names import cache_format, engine_named, plain_key, weight_format
from gpuplanner_gui.files.benchmark_rows.question import RowProblem
from gpuplanner_gui.files.bounded import checked_struct, problem_text, refuse_bulk_and_hidden_text
from gpuplanner_gui.files.catalog_names import resolve_accelerator
from gpuplanner_gui.files.errors import FileProblem, said
from gpuplanner_gui.files.measurements.importer import glance_at, look_at
from gpuplanner_gui.files.measurements.registry import IMPORTERS, import_file
from gpuplanner_gui.files.measurements.source import opened
from gpuplanner_gui.files.measurements.table import FIELD_BY_NAME, FIELDS
from gpuplanner_gui.files.measurements.values import LOADS, count, implied_load, positive, word
from gpuplanner_gui.files.migrations import SET_MIGRATIONS, migrated
from gpuplanner_gui.files.model_names import precision_hint, resolve_model
from gpuplanner_gui.files.safe_json import read_json
from gpuplanner_gui.files.whole_file import write_whole_file

FRAMEWORKS = (
    ("megatron", "megatron"), ("nemo", "megatron"), ("nanotron", "nanotron"), ("fsdp", "fsdp"), ("torchtitan", "fsdp"),
    ("deepspeed", "deepspeed"), ("trainer", "fsdp"), ("accelerate", "fsdp"), ("litgpt", "fsdp"), ("torchtune", "fsdp"),
)  # fmt: skip
"""Frameworks as logs name them, and the one whose measured habits they share."""


def stated_context(stated: Mapping[str, str], path: Any) -> dict[str, Any]:
    """What a planner says about all runs of a file, as values of the context's fields.

    Raises FileProblem for a field that there is none of, or a value that can't be.
    """
    found: dict[str, Any] = {}
    for key, text in stated.items():
        name = FIELD_BY_NAME.get(key.strip().lower())
        if name is None:
            known = ", ".join(dict.fromkeys(aliases[0] for aliases in FIELDS.values()))
            raise FileProblem(path, key, "there is no such context field", "Write one of {known}", known=known)
        found[name] = _value(name, text, path)
    return found


def _value(name: str, text: str, path: Any) -> Any:
    default = getattr(MeasurementContext(), name)
    text = re.sub(r"[ -]", "_", text.strip().lower()) if name == "load" else text
    if name == "load" and text not in LOADS:
        raise FileProblem(
            path,
            "load",
            "{word} is not a kind of load",
            "Write one of {loads}",
            word=repr(word(text, 40)),
            loads=", ".join(LOADS),
        )
    if isinstance(default, str):
        return word(text)
    value = count(text) if isinstance(default, int) else positive(text)
    if not value:
        raise FileProblem(path, name, "{word} is not a number above 0", "Write a number", word=repr(word(text, 40)))
    return value


def refuse_other_device(
    measurements: Iterable[Measurement], stated: Mapping[str, Any], catalog: Catalog, path: Any
) -> None:
    """What ran on a processor speaks of no accelerator, whatever is stated. Raises FileProblem."""
    wanted = str(stated.get("accelerator_as_written", ""))
    found = catalog.accelerators.get(resolve_accelerator(catalog, wanted) or "") if wanted else None
    if found is None or found.kind == PROCESSOR:
        return
    for one in measurements:
        if one.context.device_kind == PROCESSOR:
            name = one.context.accelerator_as_written
            raise FileProblem(
                path,
                "accelerator",
                "these figures were measured on a processor ({name}), not on {device}",
                "Run the probe where PyTorch sees the accelerator",
                name=name,
                device=found.name,
            )


def with_context(
    measurements: Iterable[Measurement], stated: Mapping[str, Any], catalog: Catalog, calibration: Calibration
) -> tuple[Measurement, ...]:
    """Measurements with what the planner states in place of what the file says, and names as the catalogues have them.

    A name that no catalogue knows leaves its field empty, so that it counts as missing.
    """
    made = []
    for one in measurements:
        context = msgspec.structs.replace(one.context, **stated)
        if set(one.phases) & {"prefill", "decode", "serving", "memory"} and not context.load:
            context = msgspec.structs.replace(context, load=implied_load(context.rate_per_s, context.concurrency))
        named = msgspec.structs.replace(context, **_named(context, one, catalog, calibration))
        made.append(msgspec.structs.replace(one, context=named))
    return tuple(made)


def _named(
    context: MeasurementContext, measurement: Measurement, catalog: Catalog, calibration: Calibration
) -> dict[str, str]:
    model, hint = resolve_model(catalog, context.model_as_written) if context.model_as_written else (None, None)
    accelerator = resolve_accelerator(catalog, context.accelerator_as_written) if context.accelerator_as_written else ""
    is_training = "training" in measurement.phases
    return {
        "model": model or "",
        "accelerator": accelerator or "",
        "weight_precision": precision_named(context.weight_precision) or hint or "",
        "kv_precision": cache_format(context.kv_precision, []) or "",
        **_engine_names(context, is_training, calibration),
    }


def precision_named(text: str) -> str:
    """A precision as it is written anywhere, in the program's own words; empty where it is not known."""
    plain = text.strip().lower()
    if not plain:
        return ""
    if plain in get_args(Precision):
        return plain
    try:
        return weight_format(plain, [])
    except RowProblem:
        return precision_hint(plain) or ""


def _engine_names(context: MeasurementContext, is_training: bool, calibration: Calibration) -> dict[str, str]:
    """The framework whose habits are taken, and the one that ran where that is another."""
    if context.operation:
        return {}
    taken = _engine(context.engine, is_training, calibration)
    ran = context.engine_as_written if context.engine == taken else context.engine
    shares_habits = is_training and bool(ran) and _framework(ran) == taken and taken not in plain_key(ran)
    return {"engine": taken, "engine_as_written": ran if shares_habits else ""}


def _framework(name: str) -> str:
    key = plain_key(name)
    return next((framework for mark, framework in FRAMEWORKS if mark in key), "")


def _engine(name: str, is_training: bool, calibration: Calibration) -> str:
    if not name:
        return ""
    if not is_training:
        return engine_named(calibration, name)
    known = {facts.framework for facts in calibration.training.frameworks}
    found = _framework(name)
    return found if found in known else name


FORMAT_NAME = "gpuplanner-measurements"
FORMAT_VERSION = 2


class MeasurementFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a file of measurements holds."""

    format: Literal["gpuplanner-measurements"] = "gpuplanner-measurements"
    version: Annotated[int, about("Format version", minimum=1)] = FORMAT_VERSION
    app_version: Annotated[str, about("Written by")] = ""
    sets: Annotated[tuple[MeasurementSet, ...], about("Measurements")] = ()


def save_sets(path: Path, sets: tuple[MeasurementSet, ...]) -> None:
    """Write sets of measurements. Raises FileProblem where the file can't be written."""
    content = msgspec.json.encode(MeasurementFile(app_version=__version__, sets=sets))
    write_whole_file(path, msgspec.json.format(content, indent=2) + b"\n")


def load_sets(path: Path) -> tuple[MeasurementSet, ...]:
    """The sets in a file that `save_sets` wrote. Raises FileProblem, naming the place."""
    data = read_json(path)
    if not isinstance(data, dict) or data.get("format") != FORMAT_NAME:
        raise FileProblem(path, "", "this is not a file of measurements", "Choose one that GPU Planner saved")
    version = data.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise FileProblem(path, "version", "The format version is missing or not a positive whole number")
    if version > FORMAT_VERSION:
        raise FileProblem(path, "version", "a newer program wrote this file", "Update GPU Planner")
    refuse_bulk_and_hidden_text(data, path)
    content = migrated(data, FORMAT_VERSION, SET_MIGRATIONS)
    file: MeasurementFile = checked_struct(
        content, MeasurementFile, path, "Ask the sender for the file again", "Correct the value"
    )
    return file.sets


OWN = "gpuplanner"
SUFFIX = ".gpumeasure"
LARGEST_LOOKED_AT_BYTES = 50_000_000
TITLES = {one.tool: one.title for one in IMPORTERS} | {OWN: "GPU Planner measurements"}


@dataclass(frozen=True)
class ImportedSets:
    """What a file brought, and what the reader should know of it."""

    title: str
    sets: tuple[MeasurementSet, ...]
    remarks: tuple[str, ...] = ()

    @property
    def missing(self) -> tuple[str, ...]:
        """Fields of the context that at least one measurement lacks, in the order in which they are asked for."""
        found = (name for one in self.sets for run in one.measurements for name in missing_context(run))
        return tuple(dict.fromkeys(found))


def read_sets(
    path: Path,
    catalog: Catalog,
    calibration: Calibration,
    stated: Mapping[str, str] | None = None,
    columns: Mapping[str, str] | None = None,
    is_cancelled: Callable[[], bool] | None = None,
    on_progress: Callable[[float], None] | None = None,
) -> ImportedSets:
    """Measurements of a file with their context; `stated` is what the planner says about all of its runs.

    Raises FileProblem for a file or a statement that can't be used, CancelledError when `is_cancelled` says so.
    """
    values = stated_context(stated or {}, path)
    if is_own(path):
        sets = tuple(_with_known_names(one, catalog) for one in load_sets(path))
        for one in sets:
            refuse_other_device(one.measurements, values, catalog, path)
        if values:
            runs = (with_context(one.measurements, values, catalog, calibration) for one in sets)
            sets = tuple(msgspec.structs.replace(one, measurements=own) for one, own in zip(sets, runs, strict=True))
        return ImportedSets(TITLES[OWN], sets)
    found = import_file(path, columns, is_cancelled, on_progress)
    refuse_other_device(found.measurements, values, catalog, path)
    measurements, remarks = _within_bounds(with_context(found.measurements, values, catalog, calibration), path)
    one = MeasurementSet(
        name=path.stem[:100],
        source=path.name[:200],
        tool=found.tool,
        digest=found.digest,
        imported_on=date.today().isoformat(),
        measurements=measurements,
    )
    return ImportedSets(found.title, (one,), (*found.remarks, *remarks))


def _within_bounds(
    measurements: tuple[Measurement, ...], path: Path
) -> tuple[tuple[Measurement, ...], tuple[str, ...]]:
    """The runs whose figures can be; a sentence about the others. Raises FileProblem where none is left."""
    problems = [next(iter(problems_of(run)), None) for run in measurements]
    first = next((problem for problem in problems if problem is not None), None)
    if first is None:
        return measurements, ()
    kept = tuple(run for run, problem in zip(measurements, problems, strict=True) if problem is None)
    if not kept:
        raise FileProblem(path, first.path, problem_text(first), "Correct the value and import the file again")
    count = len(measurements) - len(kept)
    return kept, (
        said(
            "{count} of {all} runs are skipped: {problem} ({place}).",
            count=count,
            all=len(measurements),
            problem=problem_text(first),
            place=first.path,
        ),
    )


def added(
    held: tuple[MeasurementSet, ...], new: tuple[MeasurementSet, ...]
) -> tuple[tuple[MeasurementSet, ...], tuple[str, ...]]:
    """All sets, each once, and the names of new ones that were there already.

    A set is told by the file that it came from, else by its runs. One that lacks less of its context than its double
    takes its place, and is as much in use as that was.
    """
    sets, known = list(held), []
    for one in new:
        place = next((place for place, other in enumerate(sets) if _is_same(other, one)), -1)
        if place < 0:
            sets.append(one)
            continue
        known.append(one.name)
        if _lacking(one) < _lacking(sets[place]):
            sets[place] = msgspec.structs.replace(one, is_used=sets[place].is_used)
    return tuple(sets), tuple(known)


def _is_same(one: MeasurementSet, other: MeasurementSet) -> bool:
    if one.digest and other.digest:
        return one.digest == other.digest
    return one.measurements == other.measurements


def _lacking(one: MeasurementSet) -> int:
    return sum(len(missing_context(run)) for run in one.measurements)


def is_own(path: Path) -> bool:
    """True for a file that GPU Planner saved. Raises FileProblem for what can't be read."""
    with opened(path) as source:
        return f'"{FORMAT_NAME}"' in source.head()[:200]


def holds_measurements(path: Path) -> bool:
    """True for a file that `read_sets` would know; a large one is only glanced at, so that this is quick."""
    try:
        is_large = path.stat().st_size > LARGEST_LOOKED_AT_BYTES
        if path.suffix.lower() in (SUFFIX, ".json", ".log", ".txt") and (is_large or path.suffix.lower() == SUFFIX):
            return True
        with opened(path) as source:
            look = glance_at(source) if is_large else look_at(source)
            return f'"{FORMAT_NAME}"' in look.head[:200] or any(one.recognises(look) for one in IMPORTERS)
    except (FileProblem, OSError):
        return False


def _with_known_names(one: MeasurementSet, catalog: Catalog) -> MeasurementSet:
    """A mailed set without identifiers that only the sender's catalogue has: they are asked for."""
    runs = []
    for run in one.measurements:
        context = run.context
        if context.accelerator and context.accelerator not in catalog.accelerators:
            written = context.accelerator_as_written or context.accelerator
            found = resolve_accelerator(catalog, written) or ""
            context = msgspec.structs.replace(context, accelerator=found, accelerator_as_written=written)
        if context.model and context.model not in catalog.models:
            written = context.model_as_written or context.model
            model = resolve_model(catalog, written)[0] or ""
            context = msgspec.structs.replace(context, model=model, model_as_written=written)
        runs.append(run if context is run.context else msgspec.structs.replace(run, context=context))
    return msgspec.structs.replace(one, measurements=tuple(runs))


def on_machines(one: MeasurementSet, virtualisation_loss: float) -> MeasurementSet:
    """A set whose runs lost a share of their work to virtual machines; 0: bare metal."""
    runs = (
        msgspec.structs.replace(
            run, context=msgspec.structs.replace(run.context, virtualisation_loss=virtualisation_loss)
        )
        for run in one.measurements
    )
    return msgspec.structs.replace(one, measurements=tuple(runs))


def completed(
    one: MeasurementSet, stated: Mapping[str, str], catalog: Catalog, calibration: Calibration
) -> MeasurementSet:
    """A set with more of its context, where its runs lack it. Raises FileProblem for a statement that can't be used.

    What a run lacks may follow from what is stated: a closed loop lacks its concurrency.
    """
    values = stated_context(stated, one.source or one.name)
    refuse_other_device(one.measurements, values, catalog, one.source or one.name)
    runs: list[Measurement] = []
    for run in one.measurements:
        pending = values
        while wanted := _wanted(pending, run):
            (run,) = with_context((run,), wanted, catalog, calibration)
            pending = {name: value for name, value in pending.items() if name not in wanted}
        runs.append(run)
    return msgspec.structs.replace(one, measurements=tuple(runs))


def _wanted(values: Mapping[str, Any], run: Measurement) -> dict[str, Any]:
    """Those of the stated values that a run lacks."""
    lacking = missing_context(run)
    return {name: value for name, value in values.items() if name.removesuffix("_as_written") in lacking}
