"""What a pack would change, entry by entry and field by field, before it is applied."""

from __future__ import annotations

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


def pack_changes(pack: Pack, path: Path, catalog: Catalog) -> tuple[PackChange, ...]:
    """Changes to a catalogue and to the calibration in force; `path` is what errors call the pack.

    Raises FileProblem for an entry that does not fit, a reference to nothing, or figures out of bounds: the pack can
    then not be applied.
    """
    return (*_catalog_changes(pack, path, catalog), *_calibration_changes(pack))


def _catalog_changes(pack: Pack, path: Path, catalog: Catalog) -> Iterator[PackChange]:
    after = with_pack(catalog, pack, path)
    for kind in CATALOG_KINDS:
        old, new = catalog.entries(kind), after.entries(kind)
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
        fields = tuple(plain_changes(msgspec.json.decode(present[name]), content, ""))
        yield PackChange("calibration", name, "changed" if fields else "same", fields, left_out)
