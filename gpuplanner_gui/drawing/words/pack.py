"""What catalogue packs, price lists and specifications bring, change or have wrong, in words and rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.field import field_of
from gpuplanner_gui.domain.field_change import FieldChange
from gpuplanner_gui.domain.hardware import Accelerator, PeakRates
from gpuplanner_gui.domain.pack import Pack, PackChange
from gpuplanner_gui.domain.price_row import PriceRow
from gpuplanner_gui.domain.quantity import Lognormal, Normal, Range, Triangular
from gpuplanner_gui.domain.spec_doubt import SpecDoubt
from gpuplanner_gui.drawing.answer_titles import plain_name
from gpuplanner_gui.drawing.language import listed, tr
from gpuplanner_gui.drawing.units import NOTHING, decimals_text, format_quantity, format_value
from gpuplanner_gui.drawing.words.candidates import accelerator_name
from gpuplanner_gui.engine.advisor.price_age import OLD_PRICE_DAYS

if TYPE_CHECKING:
    from gpuplanner_gui.files.signatures import PublicKey


TERM_WORDS = {
    "purchase": "Purchase",
    "on_demand": "On demand, per hour",
    "reserved_1y": "Reserved 1 year, per hour",
    "reserved_3y": "Reserved 3 years, per hour",
    "spot": "Spot, per hour",
}
FIELD_WORDS = {
    "device": "Device",
    "price": "Price",
    "currency": "Currency",
    "term": "What it pays for",
    "date": "Date",
    "provider": "Provider",
    "region": "Region",
    "count": "Devices",
}
LEAST_PURCHASE_USD, MOST_USD_PER_H = 20.0, 500.0
"""Beyond what any accelerator in the catalogue costs to buy, used, or to rent."""
FAULTS = {
    "no_device": "The row names no device.",
    "unknown_device": "“{detail}” is not in the catalogue.",
    "no_price": "The row has no price.",
    "bad_price": "“{detail}” is not a price.",
    "bad_currency": "“{detail}” is not a known currency.",
    "no_rate": "{detail} has no rate in dollars yet.",
    "bad_date": "“{detail}” is not a date. Enter one such as 2026-10-31.",
    "future_date": "{detail} is in the future.",
    "unknown_term": "“{detail}” says neither purchase nor a kind of rental.",
    "bad_count": "“{detail}” is not a number of devices.",
}
PRICE_HEADINGS = ("Line", "Device", "Pays for", "Price", "In dollars", "As of", "Provider", "Remark")


def fault_sentence(row: PriceRow) -> str:
    """Why a row can't be used, or that its price is old; empty when all is well."""
    if row.fault is not None:
        return tr(FAULTS[row.fault]).format(detail=row.detail)
    if is_doubtful(row):
        shown = format_value(row.usd, "USD")
        if row.term == "purchase":
            return tr("{price} to buy one looks like an hourly price.").format(price=shown)
        return tr("{price} for an hour looks like a purchase price.").format(price=shown)
    if is_old(row):
        return tr("Read {age} ago.").format(age=format_value((row.age_days or 0) * 86_400.0, "s"))
    return ""


def is_old(row: PriceRow) -> bool:
    return row.fault is None and row.age_days is not None and row.age_days > OLD_PRICE_DAYS


def is_doubtful(row: PriceRow) -> bool:
    """A price that none is known to have, as where a column is taken for the wrong kind; it may still be right."""
    if row.fault is not None:
        return False
    return row.usd < LEAST_PURCHASE_USD if row.term == "purchase" else row.usd > MOST_USD_PER_H


def has_remark(row: PriceRow) -> bool:
    return row.fault is not None or is_doubtful(row) or is_old(row)


def row_cells(row: PriceRow, catalog: Catalog) -> tuple[str, ...]:
    """A row under `PRICE_HEADINGS`."""
    is_priced = row.amount == row.amount
    known = accelerator_name(row.accelerator_id, catalog) if row.accelerator_id else row.device
    unit = "USD" if row.term == "purchase" else "USD/h"
    return (
        str(row.line),
        known or NOTHING,
        tr(TERM_WORDS[row.term]) if is_priced else NOTHING,
        f"{_amount(row.amount)} {row.currency}" if is_priced else NOTHING,
        format_value(row.usd, unit) if row.usd == row.usd else NOTHING,
        row.as_of or NOTHING,
        row.provider or NOTHING,
        fault_sentence(row),
    )


def _amount(amount: float) -> str:
    """To the cent, as a list states it."""
    return decimals_text(amount, 0 if amount == round(amount) else 2)


def rows_summary(rows: Sequence[PriceRow]) -> str:
    """How many prices of how many devices can be used, and how many rows can't or are old."""
    usable = [row for row in rows if row.fault is None]
    devices = len({row.accelerator_id for row in usable})
    said = (
        tr("{usable} of {total} rows can be used; they price one device.")
        if devices == 1
        else tr("{usable} of {total} rows can be used; they price {devices} devices.")
    )
    parts = [said.format(usable=len(usable), total=len(rows), devices=devices)]
    doubtful = sum(is_doubtful(row) for row in rows)
    if doubtful:
        parts.append(tr("{count} prices are unlikely: see their remarks.").format(count=doubtful))
    old = sum(is_old(row) for row in rows)
    if old:
        age = format_value(OLD_PRICE_DAYS * 86_400.0, "s")
        parts.append(tr("{old} prices are older than {age}: ask for new ones.").format(old=old, age=age))
    return " ".join(parts)


_SENTENCES = {
    "sparse": "{field}: {stated} is twice what {against} does for each compute unit and clock. Is it the rate with "
    "structured sparsity? The dense rate would be {expected}.",
    "sparse_beside": "{field}: {stated} is four times the rate of {against}. Is it the rate with structured sparsity? "
    "The dense rate would be {expected}.",
    "tebi": "{field}: {stated} looks like a figure in TB/s that was typed in TiB/s; that would be {expected}.",
    "bits": "{field}: {stated} is eight times too much. Was it stated in bits per second? That would be {expected}.",
    "both_directions": "{field}: {stated} looks like both directions together; one direction would be {expected}.",
    "off_bus": "{field}: {stated} does not follow from the bus and its rate per pin, which give {expected}.",
    "off_lanes": "{field}: {stated} does not follow from generation and lanes, which give {expected}.",
    "decimal_memory": "{field}: {stated} is a round number in powers of ten, and memory is built in powers of two. "
    "It is probably {expected}.",
    "kilowatts": "{field}: {stated} is too little for such rates. Was it stated in kilowatts? It would be {expected}.",
    "below_idle": "{field}: {stated} is not more than the idle power, {expected}.",
    "rate_per_watt": "{field}: {stated} is far from what {against} needs for such rates, about {expected}.",
}
_GROUPS = {"scale_up": "Scale-up fabric", "pcie": "PCIe"}
_UNITS = {"memory_nominal_bytes": "B", "tdp_w": "W"}


def doubt_sentence(doubt: SpecDoubt) -> str:
    """The doubt as a sentence that names the figure, what it might be, and what it would then be."""
    unit = _unit(doubt.field)
    against = doubt.against.upper() if doubt.code == "sparse_beside" else doubt.against
    return tr(_SENTENCES[doubt.code]).format(
        field=doubt_field(doubt),
        stated=format_value(doubt.stated, unit),
        expected=expected_text(doubt),
        against=against,
    )


def doubt_field(doubt: SpecDoubt) -> str:
    """Title of the doubted figure."""
    head, _, inner = doubt.field.partition(".")
    if head == "peak_dense_flop_per_s":
        return tr(field_of(PeakRates, inner).about.title)
    return tr(_GROUPS[head]) if head in _GROUPS else tr(field_of(Accelerator, head).about.title)


def _unit(path: str) -> str:
    if path.startswith("peak_dense_flop_per_s."):
        return field_of(PeakRates, path.partition(".")[2]).about.unit
    return _UNITS.get(path, "B/s")


def expected_text(doubt: SpecDoubt) -> str:
    """What the figure would be if the doubt is right."""
    return format_value(doubt.expected, _unit(doubt.field))


HEADINGS = ("What", "Entry", "Field", "Now", "Then", "Change")
DOUBT_MARK = "▲"
_DOUBTS = {
    "factor": "more than twofold",
    "cheap": "under half of the cheapest offer known",
    "spec": "at odds with related devices",
    "beyond": "beyond all that is known",
    "gone": "taken away",
    "identity": "another thing than before",
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
    by = tr(" by {issuer}").format(issuer=pack.issuer) if pack.issuer else ""
    return tr("{name}, issued on {date}{by}").format(name=pack.name, date=pack.issued_on, by=by)


def pack_lines(
    pack: Pack, signer: PublicKey, changes: Sequence[PackChange], in_force: Sequence[Pack]
) -> tuple[str, ...]:
    """What a reader is told above the table of changes, a line each."""
    newer = [one for one in in_force if one.issued_on > pack.issued_on]
    older = tr("It is older than one that is in force: {pack}.").format(pack=pack_title(newer[-1])) if newer else ""
    lines = (signer_text(signer), older, changes_summary(changes), left_out_text(changes), doubts_text(changes))
    return tuple(line for line in (*lines, keys_text(pack)) if line)


def changes_summary(changes: Sequence[PackChange]) -> str:
    """How many entries of which kind are new or changed, as a sentence."""
    counts: Counter[tuple[str, str]] = Counter((change.kind, change.code) for change in changes)
    parts = []
    for kind, (one, several) in _KINDS.items():
        for code, word in (("new", tr("new")), ("changed", tr("changed"))):
            count = counts[kind, code]
            if count:
                parts.append(f"{count} {word} {tr(one) if count == 1 else tr(several)}")
    return ", ".join(parts) + "." if parts else tr("Nothing would change: all figures are in use already.")


def left_out_text(changes: Sequence[PackChange]) -> str:
    """That a pack of an earlier version states what nothing reads any more; empty where it does not."""
    names = dict.fromkeys(plain_name(name) for change in changes for name in change.left_out)
    if not names:
        return ""
    return tr("Written for an earlier version; this one ignores {names}.").format(names=listed(names))


def change_rows(changes: Sequence[PackChange]) -> list[tuple[str, ...]]:
    """A row for each figure of a new entry and each changed field, under `HEADINGS`; the doubtful ones first."""
    found = [(field, _row(change, field)) for change in changes for field in _fields(change)]
    found.sort(key=lambda one: not one[0].doubt)
    return [row for _, row in found]


def rows_that_hold(rows: Sequence[tuple[str, ...]], wanted: str) -> tuple[tuple[str, ...], ...]:
    """The rows with this text in any of their cells."""
    return tuple(row for row in rows if wanted.casefold() in " ".join(row).casefold())


def signer_text(signer: PublicKey) -> str:
    """Whose key signed, and what it is trusted for."""
    text = tr("Signed by {name}, key {fingerprint}, which is trusted for {purposes}{until}.")
    until = tr(" until {date}").format(date=signer.until) if signer.until else ""
    purposes = listed([tr(_PURPOSES[one]) for one in signer.purposes])
    return text.format(name=signer.name, fingerprint=signer.fingerprint, purposes=purposes, until=until)


def in_force_text(pack: Pack, signer: PublicKey | None) -> str:
    """A pack in force, and who signed it, as of now."""
    name = signer.name if signer is not None else tr("no key that is trusted any more")
    return tr("{pack}; signed by {key}").format(pack=pack_title(pack), key=name)


def revoked_text(packs: Sequence[Pack]) -> str:
    """That packs in force are of a key that was revoked since; empty where none is."""
    names = listed([pack_title(pack) for pack in packs])
    return tr("Take back what a revoked key had signed: {packs}.").format(packs=names) if packs else ""


def keys_text(pack: Pack) -> str:
    """What a pack does to keys; empty where nothing."""
    sentences = []
    if pack.revoked_keys:
        revoked = listed([f"{one.fingerprint} ({one.reason or one.revoked_on})" for one in pack.revoked_keys])
        sentences.append(tr("It revokes keys for good: {keys}.").format(keys=revoked))
    if pack.new_keys:
        brought = listed([" ".join(line.split()[1:2] + line.split()[3:]) for line in pack.new_keys])
        sentences.append(tr("It brings keys that are trusted from then on: {keys}.").format(keys=brought))
    return " ".join(sentences)


def doubts_text(changes: Sequence[PackChange]) -> str:
    """How many changes a reader should look at twice, and why; empty where none."""
    counts = Counter(field.doubt for change in changes for field in change.fields if field.doubt)
    if not counts:
        return ""
    reasons = listed([f"{count} {tr(_DOUBTS[doubt])}" for doubt, count in counts.items()])
    return tr("Look twice at {count} of the changes, listed first: {reasons}.").format(
        count=sum(counts.values()), reasons=reasons
    )


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
    if isinstance(value, (int, float, Range, Triangular, Normal, Lognormal)):
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
