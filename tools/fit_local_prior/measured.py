"""Published results as points of local calibration, by group of canonical architecture × accelerator."""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import numpy as np

from gpuplanner_gui.domain.benchmark import TrainingCase
from gpuplanner_gui.domain.local_calibration import LocalPhase, LocalPoint, PhasePrior
from gpuplanner_gui.engine.context import Context, context_of
from gpuplanner_gui.engine.local_fit.cases import Observation, build_of, is_prompt_alone
from gpuplanner_gui.engine.local_fit.points import points_of
from gpuplanner_gui.files.benchmark_rows import TableRow, read_benchmark
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from tools.fit_serving.tables import measured_cases

REPOSITORY = Path(__file__).resolve().parents[2]
DATA = REPOSITORY / "tests" / "fidelity" / "data"
SERVED: dict[str, LocalPhase] = {"ttft_mean": "prefill", "tpot_mean": "decode"}
TRAINED = {
    "step_time": False, "tokens_per_s_per_device": True, "tokens_per_s": True, "mfu": True,
    "model_flop_per_s_per_device": True,
}  # fmt: skip
LEAST_ROWS = 10
"""Rows of a group that is judged: five to learn from and five to test on."""


@dataclass(frozen=True)
class GroupedPoints:
    """Points of one phase and their groups."""

    points: list[LocalPoint]
    groups: list[str]

    def by_group(self) -> dict[str, np.ndarray]:  # type: ignore[type-arg]
        found: dict[str, list[int]] = defaultdict(list)
        for index, name in enumerate(self.groups):
            found[name].append(index)
        return {name: np.array(members) for name, members in found.items() if len(members) >= LEAST_ROWS}


def shipped_context() -> Context:
    return context_of(load_shipped_catalog(), load_calibration())


def rows_of(name: str, context: Context) -> list[TableRow]:
    """Rows of a table of the fidelity data that count."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.csv"
        path.write_bytes(gzip.decompress((DATA / f"{name}.csv.gz").read_bytes()))
        table = read_benchmark(path, context.catalog, context.calibration)
    return [row for row in table.rows if row.case is not None and row.counts]


def served_points(phase: LocalPhase, context: Context) -> GroupedPoints:
    """Closed-loop results, of one pool or of two."""
    found, groups = [], []
    for one in measured_cases("serving", context.catalog, context.calibration)[0]:
        for question in one.questions:
            known = SERVED.get(question.asked)
            is_told = phase != "prefill" or is_prompt_alone(one.case)
            if known == phase and question.measured and is_told:
                value = question.measured / question.per_si_unit
                build = row_build(one.row)
                found.append(Observation(phase, question.asked, value, one.case, question.asked, build=build))
                groups.append(one.group)
    return _grouped(found, groups, context)


def row_build(row: Mapping[str, str]) -> str:
    """Release and month of a row of the serving table."""
    return build_of(row.get("backend_version", ""), row.get("measured_on", ""))


def trained_points(context: Context) -> GroupedPoints:
    """Training results, one figure of each run."""
    found: dict[bytes, Observation] = {}
    for row in rows_of("measured-training-dev", context):
        assert isinstance(row.case, TrainingCase)
        for question in row.questions:
            if question.asked in TRAINED and question.measured:
                value = question.measured / question.per_si_unit
                is_rate = TRAINED[question.asked]
                one = Observation("training", question.asked, value, row.case, question.asked, is_rate)
                found.setdefault(run_of(row.case), one)
    observed = list(found.values())
    groups = [f"{one.case.model.name} × {one.case.accelerator}" for one in observed]
    return _grouped(observed, groups, context)


def run_of(case: TrainingCase) -> bytes:
    """What makes a run: sources state several figures of one, which would tell of each other."""
    return msgspec.json.encode(msgspec.structs.replace(case, case_id="", metric="step_time", flop_convention="causal"))


def _grouped(found: list[Observation], groups: list[str], context: Context) -> GroupedPoints:
    points = points_of([replace(one, measurement_index=index) for index, one in enumerate(found)], context)
    return GroupedPoints(
        [msgspec.structs.replace(point, measurement_index=0) for point in points],
        [groups[point.measurement_index] for point in points],
    )


def all_points(context: Context) -> dict[LocalPhase, GroupedPoints]:
    return {
        "prefill": served_points("prefill", context),
        "decode": served_points("decode", context),
        "training": trained_points(context),
    }


__all__ = ["GroupedPoints", "PhasePrior", "all_points", "shipped_context"]
