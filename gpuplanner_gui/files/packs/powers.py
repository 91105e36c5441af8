"""What the key that signed a pack allows it to change, what the pack does to keys, and new entries that look like known
ones: other alphabets, widths, marks, blanks, and 0 for O."""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from gpuplanner_gui.domain.catalog import CATALOG_KINDS, Catalog, CatalogKind, Pack, PackChange
from gpuplanner_gui.domain.field import Doubt, FieldChange, field_changes, value_changes
from gpuplanner_gui.domain.hardware import Accelerator
from gpuplanner_gui.domain.price import Offer
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.engine.hardware.spec_sheet import spec_sheet_doubts
from gpuplanner_gui.files.catalog_names import resolve_accelerator
from gpuplanner_gui.files.catalogs import with_pack
from gpuplanner_gui.files.errors import FileProblem, said
from gpuplanner_gui.files.knowledge import calibration_contents, calibration_part, without_retired
from gpuplanner_gui.files.packs.pack_file import SignedPack, apply_pack, read_pack
from gpuplanner_gui.files.signatures import (
    PublicKey,
    Purpose,
    key_of,
    known_keys,
    refuse_taken_name,
    revoke_keys,
    trust_key,
)


def pack_changes(
    pack: Pack, path: Path, catalog: Catalog, today: datetime.date | None = None
) -> tuple[PackChange, ...]:
    """Changes to a catalogue and to the calibration in force; `path` is what errors call the pack.

    Raises FileProblem for a pack of a day to come (None: after the computer's), an entry that does not fit or looks
    like another one, a reference to nothing, or figures out of bounds: the pack can then not be applied.
    """
    after = with_pack(catalog, pack, path)
    refuse_lookalikes(pack, path, catalog, after)
    found = (*_catalog_changes(pack, catalog, after), *_calibration_changes(pack))
    refuse_future_dates(pack, found, path, today or datetime.date.today())
    return tuple(doubted(found, catalog, after))


def _catalog_changes(pack: Pack, before: Catalog, after: Catalog) -> Iterator[PackChange]:
    for kind in CATALOG_KINDS:
        old, new = before.entries(kind), after.entries(kind)
        for stated in getattr(pack, kind):
            entry = new[stated["id"]]
            known = old.get(entry.id)
            fields = tuple(field_changes(known, entry))
            yield PackChange(kind, entry.id, "new" if known is None else "changed" if fields else "same", fields)


def _calibration_changes(pack: Pack) -> Iterator[PackChange]:
    present = calibration_contents() if pack.calibration else {}
    for name, stated in pack.calibration.items():
        content, left_out = without_retired(name, stated)
        before, after = (calibration_part(name, one) for one in (present[name], msgspec.json.encode(content)))
        fields = tuple(value_changes(before, after))
        yield PackChange("calibration", name, "changed" if fields else "same", fields, left_out)


DOUBTFUL_FACTOR = 2.0
"""A price or specification that moves further between two packs is a slip or a lie more often than news."""
CHEAP_SHARE = 0.5
"""Share of an accelerator's lowest known price below which a price is doubted."""
_IDENTITY = ("name", "vendor", "architecture", "accelerator_id", "accelerator_count")
"""What makes a known entry another thing."""
_STATED_ON = ("date", "as_of", "as_of_from", "as_of_to", "spot_as_of", "fitted_on")
"""Fields that say of which day figures are."""
CLOCK_TOLERANCE = datetime.timedelta(days=1)


def refuse_future_dates(pack: Pack, changes: Iterable[PackChange], path: Path, today: datetime.date) -> None:
    """Raise FileProblem for a pack, or a figure in it, of a day to come: beside it honest ones would look older."""
    newest = (today + CLOCK_TOLERANCE).isoformat()
    stated = [("$.issued_on", pack.issued_on)]
    stated += [(f"$.revoked_keys[{place}].revoked_on", one.revoked_on) for place, one in enumerate(pack.revoked_keys)]
    stated += [
        (f"$.{change.kind} ({change.id}).{field.path}", field.after)
        for change in changes
        for field in change.fields
        if field.path.rpartition(".")[2] in _STATED_ON and isinstance(field.after, str)
    ]
    for place, date in stated:
        if date > newest[: len(date)]:
            what = said("the pack is dated {date}, which is in the future", date=date)
            raise FileProblem(path, place, what, "Check this computer's date, or ask the sender")


def doubted(changes: Sequence[PackChange], before: Catalog, after: Catalog) -> Iterator[PackChange]:
    """The changes with a doubt at each figure that something speaks against."""
    cheapest = _cheapest_offers(before)
    kinds = {change.kind for change in changes}
    bounds = {str(kind): _known_bounds(before, kind) for kind in CATALOG_KINDS if kind in kinds}
    for change in changes:
        entry = after.entries(change.kind).get(change.id) if change.kind in CATALOG_KINDS else None
        suspect = set[str]()
        if isinstance(entry, Accelerator) and change.fields:
            suspect = {one.field for one in spec_sheet_doubts(entry, before)}
        known = bounds.get(change.kind, {})
        fields = tuple(
            msgspec.structs.replace(one, doubt=_doubt(one, entry, suspect, cheapest, known)) for one in change.fields
        )
        yield msgspec.structs.replace(change, fields=fields)


def _doubt(
    change: FieldChange, entry: Any, suspect: set[str], cheapest: dict[str, float], bounds: dict[str, list[float]]
) -> Doubt:
    factor = change.factor
    if factor is not None and not 1 / DOUBTFUL_FACTOR <= factor <= DOUBTFUL_FACTOR:
        return "factor"
    if change.before is not None and change.path in _IDENTITY:
        return "identity"
    if change.is_figure and change.after is None:
        return "gone"
    if change.path.endswith("usd_per_h") and change.is_figure:
        device, count = (entry.accelerator_id, entry.accelerator_count) if isinstance(entry, Offer) else (entry.id, 1)
        if central(change.after) / count < CHEAP_SHARE * cheapest.get(device, 0.0):
            return "cheap"
    if change.is_figure and change.path in bounds:
        lowest, highest = bounds[change.path]
        if not lowest / DOUBTFUL_FACTOR <= central(change.after) <= highest * DOUBTFUL_FACTOR:
            return "beyond"
    return "spec" if change.path in suspect else ""


def _known_bounds(catalog: Catalog, kind: CatalogKind) -> dict[str, list[float]]:
    """Lowest and highest of each figure over the entries of a kind, by its path."""
    found: dict[str, list[float]] = {}
    for entry in catalog.entries(kind).values():
        for figure in field_changes(None, entry):
            if figure.is_figure:
                value = central(figure.after)
                known = found.setdefault(figure.path, [value, value])
                known[:] = min(known[0], value), max(known[1], value)
    return found


def _cheapest_offers(catalog: Catalog) -> dict[str, float]:
    """Lowest rate per accelerator and hour that the catalogue knows, of any term. [USD/h]"""
    found: dict[str, float] = {}
    for offer in catalog.offers.values():
        rates = (
            offer.on_demand_usd_per_accelerator_h, offer.reserved_1y_usd_per_accelerator_h,
            offer.reserved_3y_usd_per_accelerator_h, offer.spot_usd_per_accelerator_h,
        )  # fmt: skip
        stated = [one for one in rates if one]
        if stated:
            found[offer.accelerator_id] = min(*stated, found.get(offer.accelerator_id, stated[0]))
    return found


_PRICES = ("price", "rental", "capex")
"""Fields of an entry that hold what it costs; of an offer, all do."""


def purpose_of(change: PackChange, field: FieldChange) -> Purpose:
    """What a key must be trusted for to make this change."""
    if change.kind == "calibration":
        return "calibration"
    return "prices" if change.kind == "offers" or field.path.split(".")[0] in _PRICES else "catalogue"


def refuse_beyond_key(signed: SignedPack, changes: Sequence[PackChange], path: Path) -> None:
    """Raise FileProblem for a pack that changes what its key is not trusted for."""
    allowed = signed.signer.purposes
    for change in changes:
        for field in change.fields:
            needed = purpose_of(change, field)
            if needed not in allowed:
                raise _beyond(signed, path, f"$.{change.kind}", needed)
    if "keys" not in allowed and signed.pack.new_keys:
        raise _beyond(signed, path, "$.new_keys", "keys")
    if "keys" not in allowed and any(one.fingerprint != signed.signer.fingerprint for one in signed.pack.revoked_keys):
        raise _beyond(signed, path, "$.revoked_keys", "keys")
    for key in new_keys(signed.pack, path):
        if "program" in key.purposes and "program" not in allowed:
            raise _beyond(signed, path, "$.new_keys", "program")


def new_keys(pack: Pack, path: Path) -> tuple[PublicKey, ...]:
    """The keys that a pack brings. Raises FileProblem, also where another key has the name of one."""
    found: list[PublicKey] = []
    for line in pack.new_keys:
        found.append(key_of(line, path))
        refuse_taken_name(found[-1], path, (*known_keys(), *found))
    return tuple(found)


def looked_at(path: Path, catalog: Catalog) -> tuple[SignedPack, tuple[PackChange, ...]]:
    """A pack with what it would change. Raises FileProblem for one that must not be put in force."""
    signed = read_pack(path)
    changes = pack_changes(signed.pack, path, catalog)
    refuse_beyond_key(signed, changes, path)
    return signed, changes


def put_in_force(signed: SignedPack, path: Path) -> None:
    """Apply a pack that was looked at, to figures and keys; keys stay as they are when it is taken back.

    Raises FileProblem.
    """
    apply_pack(signed)
    for key in new_keys(signed.pack, path):
        trust_key(key)
    if signed.pack.revoked_keys:
        revoke_keys({one.fingerprint: f"{one.revoked_on} {one.reason}" for one in signed.pack.revoked_keys})


def _beyond(signed: SignedPack, path: Path, place: str, needed: Purpose) -> FileProblem:
    what = said(
        "the key {key} signed it, which is trusted for {allowed}, and the pack asks for {needed}",
        key=signed.signer.name, allowed=", ".join(signed.signer.purposes), needed=needed,
    )  # fmt: skip
    return FileProblem(path, place, what, "Ask for a pack that the right key has signed")


_ID = re.compile(r"[a-z0-9][a-z0-9._+/@:-]*")
_SHOWN_NAMES = ("name", "vendor", "provider", "instance")
_ALPHABETS = frozenset({"CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU", "GEORGIAN"})
"""Those with letters that nobody can tell from Latin ones."""
_LOOK_ALIKE = str.maketrans("авекмнорстухѕіјһԁԛԝѵӏзбαβεζηικμνορτυχօ", "abekmhopctyxsijhdqwvl36abezhikmnoptyxo")
"""Letters of other alphabets, small ones for both cases, to the Latin ones that one of their cases looks like."""
_SAME_STROKE = str.maketrans("oil", "011")
_PARTS = re.compile(r"((?<=\d)[\W_]+(?=\d))|[\W_]+")
_UNSEEN = ("Mn", "Me", "Cf")
_LATIN = re.compile(r"LATIN .*?\b([A-Z])(?: WITH .*)?")


def refuse_lookalikes(pack: Pack, path: Path, before: Catalog, after: Catalog) -> None:
    """Raise FileProblem for a new entry that is named as another one is, or whose identifier hides what it is."""
    for kind in CATALOG_KINDS:
        known = before.entries(kind)
        taken_ids = {skeleton(one): one for one in known}
        taken = {skeleton(one.partition("-")[2]): one for one in known} if kind == "accelerators" else {}
        taken |= {skeleton(_name(one)): one.id for one in known.values()}
        for place, stated in enumerate(getattr(pack, kind)):
            entry, where = after.entries(kind)[stated["id"]], f"$.{kind}[{place}]"
            _refuse_hidden(entry, path, where)
            present = known.get(entry.id)
            if present is not None and _name(present) == _name(entry):
                continue
            other = taken.setdefault(skeleton(_name(entry)), entry.id)
            if present is None:
                other = taken_ids.setdefault(skeleton(entry.id), other)
                other = _almost(entry, before) or other
            if other != entry.id:
                what = said("{id} looks like {other}, which the catalogue has", id=repr(entry.id), other=repr(other))
                raise FileProblem(path, where, what, "Ask the sender which of the two is meant")


def _refuse_hidden(entry: Any, path: Path, where: str) -> None:
    """Raise FileProblem for an identifier in other characters than ours, or a name in two alphabets."""
    if not _ID.fullmatch(entry.id):
        raise FileProblem(
            path,
            f"{where}.id",
            "{id} is not an identifier: use small letters, digits and . _ + / @ : -",
            "Ask the sender to correct it",
            id=repr(entry.id),
        )
    for field in _SHOWN_NAMES:
        name = getattr(entry, field, None) or ""
        alphabets = {unicodedata.name(letter, "").partition(" ")[0] for letter in name if letter.isalpha()}
        if alphabets & _ALPHABETS and len(alphabets) > 1:
            what = said("{name} mixes letters of two alphabets that look the same", name=repr(name))
            raise FileProblem(path, f"{where}.{field}", what, "Ask the sender to write it in one alphabet")


def _almost(entry: Any, before: Catalog) -> str:
    """The device that a new one's name means here, and is one letter away from; empty where there is none."""
    meant = resolve_accelerator(before, entry.name) if isinstance(entry, Accelerator) else None
    if meant is None:
        return ""
    one, other = sorted((skeleton(entry.name), skeleton(before.accelerators[meant].name)), key=len)
    is_near = any(other[:place] + other[place + 1 :] == one for place in range(len(other)))
    return meant if is_near else ""


def _name(entry: Any) -> str:
    return str(getattr(entry, "name", entry.id))


def skeleton(name: str) -> str:
    """A name as an eye takes it: without case, blanks, marks and variants of letters; O is 0, I and L are 1.

    Whatever parts two digits counts as a point: 1.3 is not 13.
    """
    plain = "".join(map(_plain_letter, unicodedata.normalize("NFKD", name))).casefold()
    return _PARTS.sub(lambda found: "." if found[1] else "", plain.translate(_LOOK_ALIKE)).translate(_SAME_STROKE)


def _plain_letter(letter: str) -> str:
    """A digit of any script as ours, a Latin letter in any form as the plain one."""
    if letter.isascii():
        return letter
    if unicodedata.category(letter) in _UNSEEN:
        return ""
    digit = unicodedata.decimal(letter, None)
    latin = _LATIN.fullmatch(unicodedata.name(letter, ""))
    return str(digit) if digit is not None else latin[1] if latin else letter
