"""Loads what measurements have taught the program: kernels, facts of serving engines, facts of training."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.curves import MeasuredGain
from gpuplanner_gui.domain.knowledge import FORMAT, Calibration, ErrorHierarchy, KernelCalibration
from gpuplanner_gui.domain.measurement import MeasurementSet
from gpuplanner_gui.domain.serving_engine import (
    ANY_FORMAT,
    DeviceFamily,
    EngineFacts,
    InferenceStacks,
    PrecisionSupport,
)
from gpuplanner_gui.domain.training_calibration import TrainingCalibration
from gpuplanner_gui.engine.model.precision import PRECISIONS
from gpuplanner_gui.files.errors import FileProblem, said
from gpuplanner_gui.files.packs.pack_file import CALIBRATION_FILES, applied_packs
from gpuplanner_gui.files.safe_json import NOT_JSON, REMEDY, decoded, read_bytes, read_shipped, refuse_out_of_bounds
from gpuplanner_gui.files.shipped_tables import (
    load_economics_presets,
    load_evidence,
    load_launchers,
    load_uncertainty_defaults,
    load_use_terms,
)
from gpuplanner_gui.paths import catalogs_dir

RETIRED: dict[str, frozenset[str]] = {
    "serving_engines.json": frozenset(
        (
            "pool_devices",
            "crowd_steps",
            "delivery_passes",
            "client_prompts",
            "client_admission_steps",
            "client_crowd_steps",
            "client_complex_steps",
            "client_sequence_host_s",
            "client_start_delay_s",
            "clients",
            "crowd_clients",
            "crowd_growth",
            "start_delay_s",
            "unstated_speculation",
            "sweep_speculation",
            "sweep_first_token",
            "clump_prompts",
            "arrival_chance",
            "group_admission_steps",
            "gathering_steps",
            "yearly_gain",
            "reference_year",
            "releases",
            "pool_practice",
        )
    ),
}
"""Names of former fields of a file's entries."""


def without_retired(name: str, content: Any) -> tuple[Any, tuple[str, ...]]:
    """A calibration file's plain content without the fields that are gone, and their names.

    A field that never was stays, so that a slip of the pen is still refused.
    """
    names = RETIRED.get(name)
    if names is None or not isinstance(content, list):
        return content, ()
    entries = [entry for entry in content if isinstance(entry, dict)]
    gone = dict.fromkeys(key for entry in entries for key in entry if key in names)
    kept = [
        {key: value for key, value in entry.items() if key not in names} if isinstance(entry, dict) else entry
        for entry in content
    ]
    return kept, tuple(gone)


def calibration_contents() -> dict[str, bytes]:
    """Every file that ships by name, with the packs in force over them. Raises FileProblem."""
    contents = {name: read_bytes(catalogs_dir() / name) for name in CALIBRATION_FILES}
    for applied in applied_packs():
        contents |= {
            name: msgspec.json.encode(without_retired(name, content)[0])
            for name, content in applied.pack.calibration.items()
        }
    return contents


def calibration_state() -> tuple[object, ...]:
    """What has changed when the calibration may have: compared, not read. Raises FileProblem."""
    base = catalogs_dir()
    try:
        files = tuple((base / name).stat().st_mtime_ns for name in CALIBRATION_FILES)
    except OSError as problem:
        name = Path(str(problem.filename)).name
        raise FileProblem(
            base / name, "", "The file can't be read ({strerror})", "Check that it exists", strerror=problem.strerror
        ) from problem
    return (base, files, tuple(applied.path for applied in applied_packs()))


NEWEST_VERSION = 1
LARGEST_FILE_BYTES = 20_000_000


@dataclass(frozen=True)
class LoadedCalibration:
    """A calibration and the SHA-256 digest of the file it came from, which a plan records."""

    calibration: KernelCalibration
    digest: str


def load_kernel_calibration(path: Path) -> LoadedCalibration:
    """The kernel calibration in a file.

    Raises FileProblem when it can't be read, is no calibration, is newer than this program, or holds figures out of
    bounds.
    """
    return kernel_calibration_of(path, read_bytes(path, LARGEST_FILE_BYTES))


def kernel_calibration_of(path: Path, content: bytes) -> LoadedCalibration:
    """The kernel calibration in the bytes of a file; `path` is what errors call it. Raises FileProblem."""
    calibration = _decoded_kernels(path, content)
    refuse_out_of_bounds(path, calibration, within="$.")
    _check_references(path, calibration)
    return LoadedCalibration(calibration, hashlib.sha256(content).hexdigest())


class _Header(msgspec.Struct):
    format: str
    version: int


def _decoded_kernels(path: Path, content: bytes) -> KernelCalibration:
    header: _Header = _decoded(path, content, _Header)
    if header.format != FORMAT:
        raise FileProblem(path, "$.format", "This is {format}, not a kernel calibration", format=repr(header.format))
    if header.version > NEWEST_VERSION:
        what = said("The file has version {version}, which this program cannot read", version=header.version)
        raise FileProblem(path, "$.version", what, "Open it with a newer GPU Planner")
    found: KernelCalibration = _decoded(path, content, KernelCalibration)
    return found


def _check_references(path: Path, calibration: KernelCalibration) -> None:
    known = {device.accelerator for device in calibration.devices}
    for number, found in enumerate(calibration.sets):
        if found.accelerator not in known:
            raise FileProblem(
                path,
                f"$.sets[{number}].accelerator",
                "{accelerator} is not among the devices",
                accelerator=repr(found.accelerator),
            )
        if found.precision not in calibration.relatedness.precisions:
            raise FileProblem(
                path,
                f"$.sets[{number}].precision",
                "{precision} is not among the precisions",
                precision=repr(found.precision),
            )


KEPT = 4

_made: list[tuple[tuple[MeasurementSet, ...], Catalog, Calibration, Calibration]] = []


def calibrated_by(sets: tuple[MeasurementSet, ...], catalog: Catalog, calibration: Calibration) -> Calibration:
    """The shipped calibration with what the sets in use add; the newest few are kept, compared by identity."""
    if not any(one.is_used for one in sets):
        return calibration
    for known_sets, known_catalog, known_calibration, found in _made:
        if known_sets is sets and known_catalog is catalog and known_calibration is calibration:
            return found
    # Loads the engine, which a command that only reads files does without.
    from gpuplanner_gui.engine.context import context_of
    from gpuplanner_gui.engine.evidence.knowledge import local_calibration, localized
    from gpuplanner_gui.engine.evidence.own_kernels import with_own_kernels
    from gpuplanner_gui.engine.evidence.posterior import local_prior

    # Operations first: whole runs are set beside what these make of the prediction, so that neither counts twice.
    base = with_own_kernels(calibration, sets, catalog)
    local = local_calibration(sets, context_of(catalog, base), local_prior(calibration.errors))
    made = localized(base, local)
    _made[:] = [(sets, catalog, calibration, made), *_made[: KEPT - 1]]
    return made


KERNELS_FILE = "calibration_kernels.json"
ENGINES_FILE = "serving_engines.json"
FAMILIES_FILE = "serving_devices.json"
ERRORS_FILE = "error_hierarchy.json"
STACKS_FILE = "inference_stacks.json"
TRAINING_FILE = "training_calibration.json"
GAINS_FILE = "measured_gains.json"


def load_calibration() -> Calibration:
    """The calibration that ships with the packs in force over it.

    Raises FileProblem when a file can't be read, is damaged or holds figures out of bounds.
    """
    return _loaded(calibration_state())


@lru_cache(maxsize=4)
def _loaded(state: tuple[object, ...]) -> Calibration:
    """`state` only tells calls apart: the same object is given as long as nothing has changed."""
    return calibration_of_contents(calibration_contents())


def calibration_of_contents(contents: Mapping[str, bytes]) -> Calibration:
    """The calibration in the contents of its files, by name. Raises FileProblem."""
    kernels = kernel_calibration_of(Path(KERNELS_FILE), contents[KERNELS_FILE])
    parts = {name: calibration_part(name, contents[name]) for name in PARTS if name != KERNELS_FILE}
    others = contents[ENGINES_FILE] + contents[FAMILIES_FILE] + contents[TRAINING_FILE]
    return Calibration(
        kernels=kernels.calibration,
        engines=parts[ENGINES_FILE],
        families=parts[FAMILIES_FILE],
        errors=parts[ERRORS_FILE],
        published=load_evidence(),
        stacks=parts[STACKS_FILE],
        training=parts[TRAINING_FILE],
        economics=load_economics_presets(),
        uncertainty=load_uncertainty_defaults(),
        digest=hashlib.sha256(kernels.digest.encode() + others).hexdigest(),
        gains=parts[GAINS_FILE],
        formats=load_precision_support(),
        use_terms=load_use_terms(),
        launchers=load_launchers(),
    )


def calibration_part(name: str, content: bytes) -> Any:
    """One file of the calibration as its structs. Raises FileProblem."""
    if name == KERNELS_FILE:
        return kernel_calibration_of(Path(name), content).calibration
    part = _decoded(name, content, PARTS[name])
    refuse_out_of_bounds(Path(name), *(part if isinstance(part, tuple) else (part,)))
    return part


PARTS: dict[str, Any] = {
    KERNELS_FILE: KernelCalibration,
    ENGINES_FILE: tuple[EngineFacts, ...],
    FAMILIES_FILE: tuple[DeviceFamily, ...],
    TRAINING_FILE: TrainingCalibration,
    GAINS_FILE: tuple[MeasuredGain, ...],
    ERRORS_FILE: ErrorHierarchy,
    STACKS_FILE: InferenceStacks,
}


def _decoded(path: Path | str, content: bytes, kind: Any) -> Any:
    """The content of a file as a type. Raises FileProblem."""
    try:
        return decoded(content, kind)
    except msgspec.ValidationError as problem:
        what, _, where = str(problem).partition(" - at ")
        raise FileProblem(path, where.strip("`"), what, REMEDY) from problem
    except NOT_JSON as problem:
        raise FileProblem(path, "", "The file is not valid JSON", REMEDY) from problem


SUPPORT_FILE = "precision_support.json"


@lru_cache(maxsize=4)
def load_precision_support(folder: Path | None = None) -> PrecisionSupport:
    """The matrix that ships, or the one in a folder. Raises FileProblem for a damaged file or an unknown format."""
    path = (catalogs_dir() if folder is None else folder) / SUPPORT_FILE
    support = read_shipped(path, PrecisionSupport)
    for engine in support.engines:
        for place, rule in enumerate(engine.rules):
            unknown = [name for name in rule.formats if name not in (*PRECISIONS, ANY_FORMAT)]
            if unknown:
                where = f"$.engines[{engine.engine}].rules[{place}].formats"
                raise FileProblem(
                    path, where, said("{unknown} is not a number format", unknown=repr(unknown[0])), REMEDY
                )
    return support
