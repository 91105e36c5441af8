"""Loads what measurements have taught the program: kernels, facts of serving engines, facts of training."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from gpuplanner_gui.domain.field import problems_of
from gpuplanner_gui.domain.inference_stack import InferenceStacks
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.phase_gain import MeasuredGain
from gpuplanner_gui.domain.serving_engine import DeviceFamily, EngineFacts
from gpuplanner_gui.domain.training_calibration import TrainingCalibration
from gpuplanner_gui.files.calibration import load_kernel_calibration
from gpuplanner_gui.files.economics_presets import load_economics_presets
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.uncertainty_defaults import load_uncertainty_defaults
from gpuplanner_gui.paths import catalogs_dir

KERNELS_FILE = "calibration_kernels.json"
ENGINES_FILE = "serving_engines.json"
FAMILIES_FILE = "serving_devices.json"
STACKS_FILE = "inference_stacks.json"
TRAINING_FILE = "training_calibration.json"
GAINS_FILE = "measured_gains.json"


@lru_cache(maxsize=4)
def load_calibration(folder: Path | None = None) -> Calibration:
    """The calibration that ships, or the one in a folder.

    Raises FileProblem when a file can't be read, is damaged or holds figures out of bounds.
    """
    base = catalogs_dir() if folder is None else folder
    loaded = load_kernel_calibration(base / KERNELS_FILE)
    engines, engines_content = _decoded(base / ENGINES_FILE, tuple[EngineFacts, ...])
    families, families_content = _decoded(base / FAMILIES_FILE, tuple[DeviceFamily, ...])
    stacks, _ = _decoded(base / STACKS_FILE, InferenceStacks)
    training, training_content = _decoded(base / TRAINING_FILE, TrainingCalibration)
    gains, _ = _decoded(base / GAINS_FILE, tuple[MeasuredGain, ...])
    read = (
        (engines, ENGINES_FILE),
        (families, FAMILIES_FILE),
        ((stacks,), STACKS_FILE),
        ((training,), TRAINING_FILE),
        (gains, GAINS_FILE),
    )
    for content, name in read:
        _refuse_out_of_bounds(base / name, content)
    contents = engines_content + families_content + training_content
    digest = hashlib.sha256(loaded.digest.encode() + contents).hexdigest()
    return Calibration(
        kernels=loaded.calibration,
        engines=engines,
        families=families,
        stacks=stacks,
        training=training,
        economics=load_economics_presets(),
        uncertainty=load_uncertainty_defaults(),
        digest=digest,
        gains=gains,
    )


def _decoded(path: Path, kind: Any) -> tuple[Any, bytes]:
    """The content of a shipped file as a type, and its bytes."""
    try:
        content = path.read_bytes()
        return msgspec.json.decode(content, type=kind), content
    except OSError as problem:
        raise FileProblem(path, "", f"The file can't be read ({problem.strerror})", "Check that it exists") from problem
    except msgspec.ValidationError as problem:
        what, _, where = str(problem).partition(" - at ")
        raise FileProblem(path, where.strip("`"), what, "Restore the file that came with the program") from problem
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        raise FileProblem(
            path, "", "The file is no valid JSON", "Restore the file that came with the program"
        ) from problem


def _refuse_out_of_bounds(path: Path, structs: tuple[msgspec.Struct, ...]) -> None:
    for found in [problem for struct in structs for problem in problems_of(struct)]:
        raise FileProblem(path, found.path, f"{found.title or 'A figure'} is {found.value}, which is out of bounds")
