"""New figures carried in as one file: catalogue entries, prices, calibration."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from gpuplanner_gui.domain.field import LONGEST_NAME, LONGEST_NOTES, about
from gpuplanner_gui.domain.field_change import FieldChange
from gpuplanner_gui.domain.price import IsoDate

PACK_FORMAT = "gpuplanner-pack"
PACK_VERSION = 1


class RevokedKey(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A key that counts no more."""

    fingerprint: Annotated[str, msgspec.Meta(pattern=r"^([0-9a-f]{4} ){7}[0-9a-f]{4}$"), about("Fingerprint")]
    revoked_on: Annotated[IsoDate, about("Revoked on")]
    reason: Annotated[str, about("Reason", longest=LONGEST_NAME)] = ""


class Pack(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a pack holds. An entry with a known identifier replaces the fields that it states and keeps the rest."""

    format: Literal["gpuplanner-pack"] = "gpuplanner-pack"
    version: Annotated[int, about("Format version", minimum=1)] = PACK_VERSION
    name: Annotated[str, about("Name", longest=LONGEST_NAME)]
    issued_on: Annotated[IsoDate, about("Issued on")]
    issuer: Annotated[str, about("Issuer")] = ""
    notes: Annotated[str, about("Notes", longest=LONGEST_NOTES)] = ""
    accelerators: Annotated[tuple[dict[str, Any], ...], about("Accelerators", most=5_000)] = ()
    nodes: Annotated[tuple[dict[str, Any], ...], about("Nodes", most=5_000)] = ()
    links: Annotated[tuple[dict[str, Any], ...], about("Links", most=5_000)] = ()
    offers: Annotated[tuple[dict[str, Any], ...], about("Offers", most=5_000)] = ()
    models: Annotated[tuple[dict[str, Any], ...], about("Models", most=5_000)] = ()
    calibration: Annotated[dict[str, Any], about("Calibration")] = {}
    """Whole calibration files by name, in place of those that ship."""
    revoked_keys: Annotated[tuple[RevokedKey, ...], about("Revoked keys", most=50)] = ()
    new_keys: Annotated[tuple[str, ...], about("New keys", "", "One line per key, as in a .pub file.", most=10)] = ()


class PackChange(msgspec.Struct, frozen=True):
    """What a pack does to one entry or one calibration file."""

    kind: str
    id: str
    code: Literal["new", "changed", "same"]
    fields: tuple[FieldChange, ...] = ()
    left_out: tuple[str, ...] = ()
    """Fields of an earlier version, by name, that nothing reads any more."""
