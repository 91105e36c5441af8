"""Which number formats serving engines run, unpack or refuse, on which accelerators; with sources."""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, Literal

import msgspec

from gpuplanner_gui.domain.field import about

SupportedOperation = Literal["products", "experts", "kv_cache"]
SUPPORTED_OPERATIONS: tuple[SupportedOperation, ...] = ("products", "experts", "kv_cache")
LevelName = Literal["native", "emulated", "none"]
ANY_FORMAT = "*"


class Support(IntEnum):
    """What an accelerator and an engine make of a format."""

    NATIVE = 0
    EMULATED = 1
    """Unpacked to 16 bits before each product: memory is saved, arithmetic is not."""
    NONE = 2


class FormatRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What an engine does with some formats on some devices; the first rule that applies counts."""

    formats: Annotated[tuple[str, ...], about("Number formats", "", "* stands for every format.")]
    operations: Annotated[tuple[SupportedOperation, ...], about("Operations")] = ("products", "experts")
    architectures: Annotated[tuple[str, ...], about("Architectures", "", "How their names begin; empty: all.")] = ()
    ecosystems: Annotated[tuple[str, ...], about("Ecosystems", "", "Empty: all.")] = ()
    level: Annotated[LevelName, about("Support")]
    note: Annotated[str, about("Note")] = ""
    source: Annotated[str, about("Source")]
    date: Annotated[str, about("As of")]


class EngineFormats(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    engine: Annotated[str, about("Engine")]
    rules: Annotated[tuple[FormatRule, ...], about("Rules")]


class PrecisionSupport(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The matrix; an engine without rules does what the hardware does."""

    engines: tuple[EngineFormats, ...] = ()

    def rules(self, engine: str) -> tuple[FormatRule, ...]:
        """The rules of an engine; none for one that nothing is recorded of."""
        return next((one.rules for one in self.engines if one.engine == engine), ())


class FormatSupport(msgspec.Struct, frozen=True, kw_only=True):
    """One cell: a format on an accelerator, by the hardware alone and by an engine."""

    accelerator: str
    engine: str
    precision: str
    operation: SupportedOperation
    hardware: int
    """`Support` of the hardware, by its catalogued rates."""
    level: int
    """`Support` of hardware and engine together."""
    is_recorded: bool
    """Whether a rule says so; else the hardware's own."""
    note: str = ""
    source: str = ""
