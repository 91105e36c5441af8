"""What a catalogue pack is and changes, in words and as rows of a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from gpuplanner_gui.domain.field_change import FieldChange
from gpuplanner_gui.domain.pack import Pack, PackChange
from gpuplanner_gui.domain.quantity import Lognormal, Normal, Range, Triangular
from gpuplanner_gui.drawing.language import listed, tr
from gpuplanner_gui.drawing.units import NOTHING, format_quantity

HEADINGS = ("What", "Entry", "Field", "Now", "Then")
LONGEST_VALUE = 80
_KINDS = {
    "accelerators": ("accelerator", "accelerators"),
    "nodes": ("node", "nodes"),
    "links": ("link", "links"),
    "offers": ("offer", "offers"),
    "models": ("model", "models"),
    "calibration": ("calibration file", "calibration files"),
}


def pack_title(pack: Pack) -> str:
    """Name, date and issuer on one line."""
    by = tr(" by {issuer}").format(issuer=pack.issuer) if pack.issuer else ""
    return tr("{name}, issued on {date}{by}").format(name=pack.name, date=pack.issued_on, by=by)


def changes_summary(changes: Sequence[PackChange]) -> str:
    """How many entries of which kind are new or changed, as a sentence."""
    counts: Counter[tuple[str, str]] = Counter((change.kind, change.code) for change in changes)
    parts = []
    for kind, (one, several) in _KINDS.items():
        for code, word in (("new", tr("new")), ("changed", tr("changed"))):
            count = counts[kind, code]
            if count:
                parts.append(f"{count} {word} {tr(one) if count == 1 else tr(several)}")
    return ", ".join(parts) + "." if parts else tr("Nothing would change: all of it is in force already.")


def left_out_text(changes: Sequence[PackChange]) -> str:
    """That a pack of an earlier version states what nothing reads any more; empty where it does not."""
    names = dict.fromkeys(name for change in changes for name in change.left_out)
    if not names:
        return ""
    return tr("Written for an earlier version: this one has no use for {names}, and leaves it out.").format(
        names=listed(names)
    )


def change_rows(changes: Sequence[PackChange]) -> list[tuple[str, str, str, str, str]]:
    """A row for each new entry and each changed field, under `HEADINGS`."""
    return [row for change in changes for row in _rows(change)]


def _rows(change: PackChange) -> Iterator[tuple[str, str, str, str, str]]:
    kind = tr(_KINDS[change.kind][0])
    if change.code == "new":
        yield kind, change.id, "", NOTHING, tr("new")
    elif change.code == "changed" and not change.fields:
        yield kind, change.id, "", tr("in force"), tr("replaced")
    for field in change.fields:
        yield kind, change.id, tr(field.title), value_text(field, field.before), value_text(field, field.after)


def value_text(field: FieldChange, value: Any) -> str:
    """One of the two values of a change, short enough for a cell."""
    if value is None or value in ("", ()):
        return NOTHING
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    if isinstance(value, (int, float, Range, Triangular, Normal, Lognormal)):
        return format_quantity(value, field.unit)
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode("utf-8", "replace")
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"
