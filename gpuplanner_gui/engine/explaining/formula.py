"""Formulas registered with their inputs, so that any result can be asked "why?".

A function marked with `@formula` computes on arrays as any other. While a `FormulaTrace` is active (one candidate,
replayed), each call is also recorded with its arguments and its result, and values are linked to the calls that made
them by object identity. So `explain` has no second implementation of anything.

Rules for traceable code: arithmetic that a planner might ask about lives inside a formula; results are handed on as
they are (no slicing or casting between formulas); figures from scenario and catalogue enter through `leaf`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, ParamSpec, TypeVar

import msgspec
import numpy as np

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Formula:
    """What a registered function computes: result's name, unit, formula in symbols, where it comes from."""

    name: str
    title: str
    unit: str
    expression: str
    source: str
    inputs: tuple[str, ...]
    key: str
    """Module of the engine and function: `cost.energy.energy_kwh`."""


@dataclass(frozen=True)
class Leaf:
    """A figure that no formula made: the planner's input, a catalogue figure or a named constant."""

    name: str
    unit: str
    value: Any
    source: str


@dataclass(frozen=True)
class Call:
    """One recorded evaluation of a formula."""

    formula: Formula
    arguments: dict[str, Any]
    result: Any


@dataclass
class FormulaTrace:
    """Everything that was computed while the trace was active, and which call made which value."""

    calls: list[Call] = field(default_factory=list)
    leaves: list[Leaf] = field(default_factory=list)
    _makers: dict[int, Call | Leaf] = field(default_factory=dict)
    _kept: list[Any] = field(default_factory=list)
    """Objects stay alive so that an id is never reused within one trace."""

    def maker_of(self, value: Any) -> Call | Leaf | None:
        """What made this very object, None for a plain constant."""
        return self._makers.get(id(value))

    def keep(self, value: Any, maker: Call | Leaf) -> None:
        """Link an array or a struct to what made it; plain numbers are shared by Python and have no identity."""
        if isinstance(value, (int, float, str, np.generic)) or value is None:
            return
        if id(value) not in self._makers:
            self._makers[id(value)] = maker
            self._kept.append(value)


ENGINE = "gpuplanner_gui.engine."
FORMULAS: dict[str, Formula] = {}
"""Registered formulas by module and function; filled as modules are imported."""
_active: ContextVar[FormulaTrace | None] = ContextVar("trace", default=None)


def formula(*, title: str, unit: str, expression: str, source: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Register a function of arrays as a formula.

    `unit` is the result's (for a breakdown, the unit that all its parts share, or ""), `expression` the formula in
    symbols a planner can read, using the function's parameter names, `source` a citation with section or equation.
    """

    def register(function: Callable[P, R]) -> Callable[P, R]:
        name = function.__name__
        signature = inspect.signature(function)
        names = tuple(signature.parameters)
        defaults = {
            key: one.default for key, one in signature.parameters.items() if one.default is not inspect.Parameter.empty
        }
        key = f"{function.__module__}.{name}"
        made = Formula(name, title, unit, expression, source, names, key.removeprefix(ENGINE))
        FORMULAS[key] = made

        @functools.wraps(function)
        def evaluate(*args: P.args, **kwargs: P.kwargs) -> R:
            trace = _active.get()
            if trace is None:
                return function(*args, **kwargs)
            result: R = _as_traceable(function(*args, **kwargs))
            call = Call(made, {**defaults, **dict(zip(names, args, strict=False)), **kwargs}, result)
            trace.calls.append(call)
            for value in _values_in(result):
                trace.keep(value, call)
            return result

        return evaluate

    return register


def leaf(value: Any, name: str, unit: str, source: str) -> Any:
    """Mark a figure as an input with its source; returns it unchanged unless a trace is active."""
    trace = _active.get()
    if trace is None:
        return value
    traced = np.array(value)
    made = Leaf(name, unit, traced, source)
    trace.leaves.append(made)
    trace.keep(traced, made)
    return traced


def carried(after: R, before: Any) -> R:
    """Say that a value is another one moved to a new place (a slice, a column), so that its origin is not lost."""
    trace = _active.get()
    if trace is not None:
        maker = trace.maker_of(before)
        if maker is not None:
            trace.keep(after, maker)
    return after


@contextmanager
def tracing() -> Iterator[FormulaTrace]:
    """Record every formula evaluated inside the block, in this thread only."""
    trace = FormulaTrace()
    token = _active.set(trace)
    try:
        yield trace
    finally:
        _active.reset(token)


def is_tracing() -> bool:
    return _active.get() is not None


def _as_traceable(result: Any) -> Any:
    """A scalar becomes an array of its own, so that identity tells it from every other value."""
    return np.array(result) if isinstance(result, (int, float, np.number, np.bool_)) else result


def _values_in(result: Any) -> Iterator[Any]:
    yield result
    if is_dataclass(result) and not isinstance(result, type):
        for part in fields(result):
            yield getattr(result, part.name)
    elif isinstance(result, msgspec.Struct):
        yield from msgspec.structs.astuple(result)
    elif isinstance(result, tuple):
        yield from result
