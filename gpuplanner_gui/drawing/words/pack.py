"""What a catalogue pack is and changes, in words and as rows of a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from textwrap import shorten
from typing import TYPE_CHECKING, Any

import msgspec

from gpuplanner_gui.domain.catalog import Pack, PackChange
from gpuplanner_gui.domain.field import LONGEST_NOTES, FieldChange
from gpuplanner_gui.domain.quantity import Quantity
from gpuplanner_gui.drawing.answer_titles import plain_name
from gpuplanner_gui.drawing.language import listed, tr
from gpuplanner_gui.drawing.units import NOTHING, format_value
from gpuplanner_gui.drawing.value_ranges import format_quantity
from gpuplanner_gui.files.text import plain_text

if TYPE_CHECKING:
    from gpuplanner_gui.files.signatures import PublicKey

HEADINGS = ("What", "Entry", "Field", "Now", "Then", "Change")
DOUBT_MARK = "▲"
_DOUBTS = {
    "factor": "moved more than twofold",
    "cheap": "under half of the cheapest offer known",
    "spec": "inconsistent with related devices",
    "beyond": "outside every known value",
    "gone": "removed",
    "identity": "a different kind of value",
}
LONGEST_VALUE = 80
_PURPOSES = {
    "prices": "prices",
    "catalogue": "catalogue entries",
    "calibration": "calibration",
    "program": "programs",
    "keys": "other keys",
}
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
    by = tr(" by {issuer}").format(issuer=plain_text(pack.issuer)) if pack.issuer else ""
    return tr("{name}, issued on {date}{by}").format(name=pack.name, date=pack.issued_on, by=by)


def pack_lines(
    pack: Pack, signer: PublicKey, changes: Sequence[PackChange], in_force: Sequence[Pack]
) -> tuple[str, ...]:
    """What a reader is told above the table of changes, a line each."""
    newer = [one for one in in_force if one.issued_on > pack.issued_on]
    older = tr("It is older than a pack already in use: {pack}.").format(pack=pack_title(newer[-1])) if newer else ""
    keys = keys_text(pack)
    summary = changes_summary(changes) if changes or not keys else tr("No figure would change.")
    lines = (signer_text(signer), older, summary, left_out_text(changes), doubts_text(changes), keys)
    return tuple(line for line in lines if line)


def note_text(pack: Pack, longest: int = LONGEST_NOTES) -> str:
    """What the sender says of the pack, on one line and told from what the program says; empty where nothing."""
    note = shorten(pack.notes, longest, placeholder=" …")
    return tr("Note by the sender: “{note}”").format(note=note) if note else ""


def changes_summary(changes: Sequence[PackChange]) -> str:
    """How many entries of which kind are new or changed, as a sentence."""
    counts: Counter[tuple[str, str]] = Counter((change.kind, change.code) for change in changes)
    parts = []
    for kind, (one, several) in _KINDS.items():
        for code, word in (("new", tr("new")), ("changed", tr("changed"))):
            count = counts[kind, code]
            if count:
                parts.append(f"{count} {word} {tr(one) if count == 1 else tr(several)}")
    return ", ".join(parts) + "." if parts else tr("Nothing would change: all these figures are already in use.")


def left_out_text(changes: Sequence[PackChange]) -> str:
    """That a pack of an earlier version states what nothing reads any more; empty where it does not."""
    names = dict.fromkeys(plain_name(name) for change in changes for name in change.left_out)
    if not names:
        return ""
    return tr("The pack was made for an earlier version. This version ignores {names}.").format(names=listed(names))


def change_rows(changes: Sequence[PackChange]) -> list[tuple[str, ...]]:
    """A row for each figure of a new entry and each changed field, under `HEADINGS`; the doubtful ones first."""
    found = [(field, _row(change, field)) for change in changes for field in _fields(change)]
    found.sort(key=lambda one: not one[0].doubt)
    return [row for _, row in found]


def rows_that_hold(rows: Sequence[tuple[str, ...]], wanted: str) -> tuple[tuple[str, ...], ...]:
    """The rows with this text in any of their cells."""
    return tuple(row for row in rows if wanted.casefold() in " ".join(row).casefold())


def changes_that_hold(changes: Sequence[PackChange], wanted: str) -> list[PackChange]:
    """The changes with this text in any cell of a field's row, and of each those fields alone."""
    found = []
    for change in changes:
        one_by_one = [msgspec.structs.replace(change, fields=(field,)) for field in change.fields]
        fields = tuple(one.fields[0] for one in one_by_one if rows_that_hold(change_rows([one]), wanted))
        if fields:
            found.append(msgspec.structs.replace(change, fields=fields))
    return found


def signer_text(signer: PublicKey) -> str:
    """Whose key signed, and what it is trusted for."""
    text = tr("Signed by {name}, key {fingerprint}, which is trusted for {purposes}{until}.")
    until = tr(" until {date}").format(date=signer.until) if signer.until else ""
    purposes = listed([tr(_PURPOSES[one]) for one in signer.purposes])
    return text.format(name=signer.name, fingerprint=signer.fingerprint, purposes=purposes, until=until)


def in_force_text(pack: Pack, signer: PublicKey | None) -> str:
    """A pack in force, and who signed it, as of now."""
    name = signer.name if signer is not None else tr("a key that is no longer trusted")
    return tr("{pack}; signed by {key}").format(pack=pack_title(pack), key=name)


def revoked_text(packs: Sequence[Pack]) -> str:
    """That packs in force are of a key that was revoked since; empty where none is."""
    names = listed([pack_title(pack) for pack in packs])
    return tr("Remove packs that a revoked key signed: {packs}.").format(packs=names) if packs else ""


def keys_text(pack: Pack) -> str:
    """What a pack does to keys; empty where nothing."""
    sentences = []
    if pack.revoked_keys:
        revoked = listed([f"{one.fingerprint} ({one.reason or one.revoked_on})" for one in pack.revoked_keys])
        sentences.append(tr("It revokes these keys permanently: {keys}.").format(keys=revoked))
    if pack.new_keys:
        brought = listed([" ".join(line.split()[1:2] + line.split()[3:]) for line in pack.new_keys])
        sentences.append(tr("It adds keys that will be trusted: {keys}.").format(keys=brought))
    return " ".join(sentences)


def doubts_text(changes: Sequence[PackChange]) -> str:
    """How many changes a reader should look at twice, and why; empty where none."""
    counts = Counter(field.doubt for change in changes for field in change.fields if field.doubt)
    if not counts:
        return ""
    count = counts.total()
    if count == 1:
        return tr("Check one unusual change, listed first: {reason}.").format(reason=tr(_DOUBTS[next(iter(counts))]))
    reasons = listed([f"{count} {tr(_DOUBTS[doubt])}" for doubt, count in counts.items()])
    return tr("Check {count} unusual changes, listed first: {reasons}.").format(count=count, reasons=reasons)


def _fields(change: PackChange) -> tuple[FieldChange, ...]:
    if change.code == "new" and not change.fields:
        return (FieldChange("", "", None, None),)
    return change.fields


def _row(change: PackChange, field: FieldChange) -> tuple[str, ...]:
    before = tr("new") if change.code == "new" else value_text(field, field.before)
    factor = "" if field.factor is None else f"× {format_value(field.factor)}"
    why = tr(_DOUBTS[field.doubt]) if field.doubt and not factor else factor
    mark = f"{DOUBT_MARK} " if field.doubt else ""
    kind = tr(_KINDS[change.kind][0])
    return kind, change.id, tr(field.title), before, value_text(field, field.after), f"{mark}{why}"


def value_text(field: FieldChange, value: Any) -> str:
    """One of the two values of a change, short enough for a cell; of a long text the part where the two differ."""
    if value is None or value in ("", ()):
        return NOTHING
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    if isinstance(value, int | Quantity):
        return format_quantity(value, field.unit)
    text, other = map(_plain, (value, field.after if value is field.before else field.before))
    if len(text) <= LONGEST_VALUE:
        return text
    alike = next((place for place, pair in enumerate(zip(text, other)) if pair[0] != pair[1]), len(other))
    start = max(0, alike - LONGEST_VALUE // 2) if other else 0
    shown = text[start : start + LONGEST_VALUE - 2]
    return ("…" if start else "") + shown + ("…" if start + len(shown) < len(text) else "")


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode("utf-8", "replace")
