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
