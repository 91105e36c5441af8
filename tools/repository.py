"""The repository's folders and measured tables, and the program as it ships: where every tool begins.

And rows put together by what they have in common.
"""

from __future__ import annotations

import csv
import gzip
import json
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from gpuplanner_gui.engine.context import Context, context_of
from gpuplanner_gui.files.benchmark_rows.question import TableRow
from gpuplanner_gui.files.benchmark_rows.reader import read_benchmark
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration

ROOT = Path(__file__).resolve().parents[1]
CATALOGS = ROOT / "catalogs"
DATA = ROOT / "tests" / "fidelity" / "data"


Key = TypeVar("Key")
Row = TypeVar("Row")


def grouped(rows: Iterable[Row], key: Callable[[Row], Key]) -> dict[Key, list[Row]]:
    """Rows by what they have in common, the groups in the order in which they first appear."""
    groups: dict[Key, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def shipped_context() -> Context:
    """Catalogue and calibration as they ship."""
    return context_of(load_shipped_catalog(), load_calibration())


def table_rows(name: str) -> list[dict[str, str]]:
    """Rows of a compressed table of the fidelity data, by its name without endings."""
    with gzip.open(DATA / f"{name}.csv.gz", "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def table_cases(name: str, context: Context) -> tuple[TableRow, ...]:
    """The same rows as the command line reads them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.csv"
        path.write_bytes(gzip.decompress((DATA / f"{name}.csv.gz").read_bytes()))
        return read_benchmark(path, context.catalog, context.calibration).rows


def write_json(path: Path, value: object, indent: int = 2) -> None:
    """Write a catalogue."""
    path.write_text(json.dumps(value, indent=indent, ensure_ascii=False) + "\n", encoding="utf-8")
