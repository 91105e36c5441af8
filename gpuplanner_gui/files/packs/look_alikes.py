"""New entries of a pack that an eye takes for known ones: other alphabets, widths, marks, blanks, and 0 for O."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import Any

from gpuplanner_gui.domain.catalog import CATALOG_KINDS, Catalog, Pack
from gpuplanner_gui.domain.hardware import Accelerator
from gpuplanner_gui.files.catalog_names import resolve_accelerator
from gpuplanner_gui.files.errors import FileProblem, said

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
            path, f"{where}.id",
            said("{id} is not an identifier: use small letters, digits and . _ + / @ : -", id=repr(entry.id)),
            "Ask the sender to correct it",
        )  # fmt: skip
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
