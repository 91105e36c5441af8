"""Why a number is what it is: one candidate replayed through the functions that evaluated all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any
from weakref import ReferenceType, ref

import msgspec
import numpy as np

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.field import About, field_of
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.method import ExplainedValue
from gpuplanner_gui.domain.plan import Plan, ServingTable, TrainingTable, column
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.explaining.formula import Call, FormulaTrace, Leaf, tracing
from gpuplanner_gui.engine.explaining.relations import COLUMN_RELATIONS
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.plan import planned
from gpuplanner_gui.engine.serving.resizing import base_replicas_of, taken_by_simulation

DEEPEST = 12
WIDEST = 40


class UnknownQuantityError(LookupError):
    """A name that is no column of the workload's table."""

    def __init__(self, workload: str, quantity: str) -> None:
        super().__init__(workload, quantity)
        self.workload = workload
        self.quantity = quantity


def explain(
    scenario: Scenario,
    catalog: Catalog,
    calibration: Calibration,
    plan: Plan,
    workload: str,
    candidate: int,
    quantity: str,
) -> ExplainedValue:
    """A result of one candidate with its formula and inputs, each of which is explained in turn.

    Parameters
    ----------
    scenario, catalog, calibration
        As they were given to `plan`.
    plan : Plan
        The plan that holds the candidate.
    workload : "serving" or "training"
    candidate : int
        Index into the workload's table.
    quantity : str
        Name of a column of the table.

    Raises
    ------
    UnknownQuantityError
        For a name that is no column, or a workload that the plan lacks.
    """
    table_type = ServingTable if workload == "serving" else TrainingTable
    try:
        described = field_of(table_type, quantity).about
    except KeyError as problem:
        raise UnknownQuantityError(workload, quantity) from problem
    replay = _replayed(scenario, context_of(catalog, calibration), plan, workload, candidate)
    if quantity not in replay.told:
        replay.told[quantity] = _told(replay, workload, quantity, described)
    return replay.told[quantity]


def _told(replay: _Replay, workload: str, quantity: str, described: About) -> ExplainedValue:
    found = explained(replay.trace, column(replay.table, quantity), quantity, described)
    relation = COLUMN_RELATIONS.get(f"{workload}.{quantity}")
    if found.expression or found.source or relation is None:
        return found
    inputs = tuple(
        explained(replay.trace, column(replay.table, name), name, field_of(type(replay.table), name).about)
        for name in relation.inputs
    )
    return msgspec.structs.replace(found, expression=relation.expression, source=relation.source, inputs=inputs)


@dataclass(frozen=True)
class _Replay:
    """What was asked about, and its trace: the next question is mostly about the same candidate."""

    scenario: Scenario
    context: Any
    plan: ReferenceType[Plan]
    """Not held: the plan of a large scenario is 20 MB, and nothing is asked about it once another has replaced it."""
    workload: str
    candidate: int
    trace: FormulaTrace
    table: Any
    told: dict[str, ExplainedValue] = field(default_factory=dict)
    """Columns that were asked about already."""

    def is_of(self, scenario: Scenario, context: Any, plan: Plan) -> bool:
        return self.scenario is scenario and self.context is context and self.plan() is plan


_last_replay: list[_Replay] = []


def _replayed(scenario: Scenario, context: Any, plan: Plan, workload: str, candidate: int) -> _Replay:
    for kept in tuple(_last_replay):
        if (kept.workload, kept.candidate) == (workload, candidate) and kept.is_of(scenario, context, plan):
            return kept
    with tracing() as trace:
        table = replayed_table(scenario, context, plan, workload, candidate)
    made = _Replay(scenario, context, ref(plan), workload, candidate, trace, table)
    _last_replay[:] = [*_last_replay[-1:], made]
    return made


def replayed_table(scenario: Scenario, context: Any, plan: Plan, workload: str, candidate: int) -> Any:
    """The table of one candidate alone, every column, by the functions that made the whole plan."""
    if workload == "serving":
        if plan.serving is None:
            raise UnknownQuantityError(workload, "")
        table = plan.serving.table
        one = slice(candidate, candidate + 1)
        chosen = ServingCandidates.of_table(table, one)
        found = planned(scenario, context, chosen, lambda: None).table
        # Sized by samples or by the simulation, which no formula replays.
        base = np.array([base_replicas_of(plan.serving, scenario, candidate)])
        if found.replicas[0] != table.replicas[candidate] and np.isfinite(base[0]):
            found = planned(scenario, context, chosen, lambda: None, base).table
        # As many as were expected before that sizing, or what was simulated, are none of its results.
        kept = ["replicas_expected"]
        if taken_by_simulation(plan.serving, np.array([candidate])) is not None:
            kept += ["slo_rate_per_s", "headroom"]
        return msgspec.structs.replace(found, **{name: getattr(table, name)[one].copy() for name in kept})
    if plan.training is None:
        raise UnknownQuantityError(workload, "")
    from gpuplanner_gui.engine.training.plan import replayed

    return replayed(scenario, context, plan.training.table, candidate)


def explained(trace: FormulaTrace, value: Any, name: str, described: About | None = None) -> ExplainedValue:
    """The tree behind a value of a trace."""
    return _explained(trace, value, name, described, DEEPEST, {})


Told = dict[tuple[int, str, int], ExplainedValue]
"""Branches by the object that they explain, its name and how deep they may go: formulas share most of theirs."""


def _explained(
    trace: FormulaTrace, value: Any, name: str, described: About | None, depth: int, told: Told
) -> ExplainedValue:
    maker = trace.maker_of(value)
    title = described.title if described else name
    unit = described.unit if described else ""
    if maker is None and described is None and np.size(value) > WIDEST:
        value = f"{np.size(value)} values"
    if maker is None:
        return ExplainedValue(name=name, title=title, unit=unit or unit_of_name(name), value=shown_value(value))
    if isinstance(maker, Leaf):
        return ExplainedValue(
            name=maker.name, title=title, unit=unit or maker.unit, value=shown_value(value), source=maker.source
        )
    inputs = () if depth == 0 else tuple(_inputs(trace, maker, depth - 1, told))
    formula = maker.formula
    return ExplainedValue(
        name=name,
        title=described.title if described else formula.title,
        unit=unit or formula.unit,
        value=shown_value(value),
        expression=f"{formula.title}: {formula.expression}" if described else formula.expression,
        source=formula.source,
        formula=formula.key,
        inputs=inputs,
    )


def _inputs(trace: FormulaTrace, call: Call, depth: int, told: Told) -> Iterator[ExplainedValue]:
    count = 0
    for name, argument in call.arguments.items():
        for inner, value in _numbers_in(name, argument, trace):
            count += 1
            if count > WIDEST:
                return
            # The trace keeps what calls were given, so that an id stays that object's.
            key = (id(value), inner, depth)
            if key not in told:
                told[key] = _explained(trace, value, inner, None, depth, told)
            yield told[key]


def _numbers_in(name: str, argument: Any, trace: FormulaTrace) -> Iterator[tuple[str, Any]]:
    """An argument that is a number as it is; of a struct, the numbers in it."""
    if isinstance(argument, (bool, str)) or argument is None:
        return
    if isinstance(argument, (int, float, np.generic)):
        yield name, argument
    elif isinstance(argument, np.ndarray):
        if argument.size <= 1 or trace.maker_of(argument) is not None:
            yield name, argument
    elif is_dataclass(argument) and not isinstance(argument, type):
        for part in fields(argument):
            yield from _numbers_in(part.name, getattr(argument, part.name), trace)
    elif isinstance(argument, msgspec.Struct) and trace.maker_of(argument) is not None:
        for part_name in argument.__struct_fields__:
            yield from _numbers_in(part_name, getattr(argument, part_name), trace)


def shown_value(value: Any) -> float | tuple[float, ...] | str:
    """A single number as a number, several as a tuple, anything else as text."""
    if isinstance(value, (int, float, np.ndarray, np.generic)):
        flat = np.asarray(value, dtype=np.float64).ravel().tolist()
        return flat[0] if len(flat) == 1 else tuple(flat)
    return str(value)


UNIT_SUFFIXES = {
    "usd": "USD", "_share": "share", "bytes_per_s": "bytes/s", "flop_per_s": "flop/s", "_per_s": "1/s",
    "bytes": "bytes", "_w": "W", "_s": "s", "_h": "h", "_hours": "h",
}  # fmt: skip


def unit_of_name(name: str) -> str:
    """The unit at the end of a name of code; empty where it has none."""
    return next((unit for suffix, unit in UNIT_SUFFIXES.items() if name.endswith(suffix)), "")
