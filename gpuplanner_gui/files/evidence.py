"""Published measurements that ship: `catalogs/evidence.json`."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from gpuplanner_gui.domain.evidence import EvidenceTable
from gpuplanner_gui.domain.measurement import QUANTITIES
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.typed_json import REMEDY, read_shipped
from gpuplanner_gui.paths import catalogs_dir

EVIDENCE_FILE = "evidence.json"


@lru_cache(maxsize=4)
def load_evidence(folder: Path | None = None) -> EvidenceTable:
    """The table that ships, or the one in a folder. Raises FileProblem for a damaged one."""
    path = (catalogs_dir() if folder is None else folder) / EVIDENCE_FILE
    table = read_shipped(path, EvidenceTable)
    for place, row in enumerate(table.rows):
        if row.source >= len(table.sources) or row.quantity not in QUANTITIES or row.value <= 0:
            raise FileProblem(path, f"rows[{place}]", "the source or the quantity is not known", REMEDY)
    return table
