"""Loads what measurements have taught the program: kernels, facts of serving engines, facts of training."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from gpuplanner_gui.domain.calibration import KernelCalibration
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.field import problems_of
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.local_calibration import ErrorHierarchy
from gpuplanner_gui.domain.measurement import MeasurementSet
from gpuplanner_gui.domain.phase_gain import MeasuredGain
from gpuplanner_gui.domain.serving_engine import DeviceFamily, EngineFacts, InferenceStacks
from gpuplanner_gui.domain.training_calibration import TrainingCalibration
from gpuplanner_gui.files.calibration import calibration_contents, calibration_state, kernel_calibration_of
from gpuplanner_gui.files.errors import FileProblem, said
from gpuplanner_gui.files.precision_support import load_precision_support
from gpuplanner_gui.files.safe_json import decoded
from gpuplanner_gui.files.shipped_tables import (
    load_economics_presets,
    load_evidence,
    load_uncertainty_defaults,
    load_use_terms,
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


def load_calibration(folder: Path | None = None) -> Calibration:
    """The calibration that ships with the packs in force over it, or the one in a folder.

    Raises FileProblem when a file can't be read, is damaged or holds figures out of bounds.
    """
    return _loaded(folder, calibration_state(folder))


@lru_cache(maxsize=4)
def _loaded(folder: Path | None, state: tuple[object, ...]) -> Calibration:
    """`state` only tells calls apart: the same object is given as long as nothing has changed."""
    return calibration_of_contents(calibration_contents(folder))


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
    )


def calibration_part(name: str, content: bytes) -> Any:
    """One file of the calibration as its structs. Raises FileProblem."""
    if name == KERNELS_FILE:
        return kernel_calibration_of(Path(name), content).calibration
    part = _decoded(name, content, PARTS[name])
    _refuse_out_of_bounds(Path(name), part if isinstance(part, tuple) else (part,))
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


def _decoded(name: str, content: bytes, kind: Any) -> Any:
    """The content of a file as a type. Raises FileProblem."""
    try:
        return decoded(content, kind)
    except msgspec.ValidationError as problem:
        what, _, where = str(problem).partition(" - at ")
        raise FileProblem(name, where.strip("`"), what, "Restore the file that came with the program") from problem
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise FileProblem(
            name, "", "The file is not valid JSON", "Restore the file that came with the program"
        ) from problem


def _refuse_out_of_bounds(path: Path, structs: tuple[msgspec.Struct, ...]) -> None:
    for found in [problem for struct in structs for problem in problems_of(struct)]:
        raise FileProblem(
            path,
            found.path,
            said("{title} is {value}, which is out of range", title=found.title or "A value", value=found.value),
        )
