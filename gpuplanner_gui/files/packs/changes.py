"""What a pack would change, entry by entry and field by field, before it is applied."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path

import msgspec

from gpuplanner_gui.domain.catalog import CATALOG_KINDS, Catalog
from gpuplanner_gui.domain.field_change import field_changes, plain_changes
from gpuplanner_gui.domain.pack import Pack, PackChange
from gpuplanner_gui.files.calibration_files import calibration_contents
from gpuplanner_gui.files.calibration_retired import without_retired
from gpuplanner_gui.files.catalogs import with_pack
from gpuplanner_gui.files.knowledge import calibration_part
from gpuplanner_gui.files.packs.doubts import doubted, refuse_future_date, refuse_lookalikes


def pack_changes(
    pack: Pack, path: Path, catalog: Catalog, today: datetime.date | None = None
) -> tuple[PackChange, ...]:
    """Changes to a catalogue and to the calibration in force; `path` is what errors call the pack.

    Raises FileProblem for a pack of a day to come (None: after the computer's), an entry that does not fit or looks
    like another one, a reference to nothing, or figures out of bounds: the pack can then not be applied.
    """
    refuse_future_date(pack, path, today or datetime.date.today())
    after = with_pack(catalog, pack, path)
    refuse_lookalikes(pack, path, catalog, after)
    found = (*_catalog_changes(pack, catalog, after), *_calibration_changes(pack))
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
        calibration_part(name, msgspec.json.encode(content))
        fields = tuple(plain_changes(msgspec.json.decode(present[name]), content, "", ""))
        yield PackChange("calibration", name, "changed" if fields else "same", fields, left_out)
