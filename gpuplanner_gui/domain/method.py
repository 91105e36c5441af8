"""A method of the engine as a page of the handbook tells it."""

from __future__ import annotations

import msgspec


class Method(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a method computes, on what it rests, where it ends, and which modules hold its formulas."""

    code: str
    title: str
    formulas: tuple[str, ...]
    """Modules of the engine, as `cost.ownership`; empty for a method that is no formula."""
    introduction: tuple[str, ...]
    evidence: tuple[str, ...]
    limits: tuple[str, ...]


class Methods(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file of methods that ships."""

    methods: tuple[Method, ...]


class ExplainedValue(msgspec.Struct, frozen=True, kw_only=True):
    """A number with its reason: the formula and what went in, or where it was read."""

    name: str
    title: str
    unit: str
    value: float | tuple[float, ...] | str
    expression: str = ""
    source: str = ""
    formula: str = ""
    """Key of the formula that made it; empty for a figure that none made."""
    inputs: tuple[ExplainedValue, ...] = ()
