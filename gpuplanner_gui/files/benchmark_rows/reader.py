"""A benchmark table from disk, read as hostile: which kind it is, and every row as a case or the reason why not."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.files.benchmark_rows import inference_rows, open_loop_rows, serving_rows, training_rows
from gpuplanner_gui.files.benchmark_rows.cells import Row, shown
from gpuplanner_gui.files.benchmark_rows.question import RowProblem, TableRow
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.safe_json import read_bytes
from gpuplanner_gui.files.said import said

LARGEST_FILE_BYTES = 200_000_000
LONGEST_CELL = 20_000
MOST_COLUMNS = 500
MOST_ROWS = 1_000_000

KINDS: tuple[tuple[str, ModuleType, frozenset[str]], ...] = (
    ("serving", serving_rows, frozenset(("model_path", "system", "backend", "isl", "osl", "concurrency", "tp_size"))),
    ("open loop", open_loop_rows, frozenset(("model_path", "system", "request_rate_per_s", "mean_isl"))),
    ("training", training_rows, frozenset(("model", "gpu", "n_gpus", "seq_len", "metric"))),
    ("inference", inference_rows, frozenset(("model", "gpu", "n_gpus", "scenario", "metric"))),
)
"""Each with the columns that tell it; the others may be missing."""


@dataclass(frozen=True)
class BenchmarkTable:
    """A table's kind and rows, in their order."""

    kind: str
    rows: tuple[TableRow, ...]


def read_benchmark(path: Path, catalog: Catalog, calibration: Calibration) -> BenchmarkTable:
    """Read a table of serving, inference, open-loop or training results.

    A row that can't become a case is kept with its reason. Raises FileProblem for what is no such table.
    """
    reader = csv.reader(io.StringIO(_text_of(path), newline=""))
    csv.field_size_limit(max(csv.field_size_limit(), LARGEST_FILE_BYTES))
    header = _header(reader, path)
    kind, module = _kind_of(header, path)
    rows: list[TableRow] = []
    for row in _rows(reader, header, path):
        rows.append(_table_row(module, row, reader.line_num, catalog, calibration))
        if len(rows) > MOST_ROWS:
            raise FileProblem(
                path,
                "",
                said("the table has more than {most_rows} rows", most_rows=f"{MOST_ROWS:,}"),
                "Split the table",
            )
    return BenchmarkTable(kind, tuple(rows))


def _text_of(path: Path) -> str:
    content = read_bytes(path, LARGEST_FILE_BYTES)
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FileProblem(path, "", "the file is in UTF-16, not UTF-8", "Save it as CSV in UTF-8")
    return content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="replace")


def _header(reader: Iterator[list[str]], path: Path) -> list[str]:
    try:
        header = [name.strip().lower() for name in next(reader)]
    except (StopIteration, csv.Error):
        raise FileProblem(path, "line 1", "the file holds no table", "Choose a CSV with a header line") from None
    if len(header) > MOST_COLUMNS:
        raise FileProblem(
            path,
            "line 1",
            said("the table has more than {most_columns} columns", most_columns=MOST_COLUMNS),
            "Choose another file",
        )
    twice = {name for name in header if name and header.count(name) > 1}
    if twice:
        raise FileProblem(
            path,
            "line 1",
            said("the column {min} is there twice", min=repr(shown(min(twice)))),
            "Rename one of the two",
        )
    return header


def _kind_of(header: list[str], path: Path) -> tuple[str, ModuleType]:
    present = frozenset(header)
    for kind, module, needed in KINDS:
        if needed <= present:
            return kind, module
    nearest = min(KINDS, key=lambda one: len(one[2] - present))
    missing = ", ".join(sorted(nearest[2] - present))
    raise FileProblem(
        path,
        "line 1",
        said(
            "the columns are those of no known benchmark table; nearest is the {nearest} table, which lacks {missing}",
            nearest=nearest[0],
            missing=missing,
        ),
        "Add the columns, or choose another file",
    )


def _rows(reader: Iterator[list[str]], header: list[str], path: Path) -> Iterator[Row]:
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            yield {}
            continue
        if any(cells):
            yield {name: cell[:LONGEST_CELL].replace("\0", "") for name, cell in zip(header, cells)}


def _table_row(module: ModuleType, row: Row, line: int, catalog: Catalog, calibration: Calibration) -> TableRow:
    asked: Callable[[Row], tuple] = module.questions  # type: ignore[type-arg]
    questions = ()
    try:
        questions = asked(row)
        case, remarks = module.case(row, catalog, calibration)
    except RowProblem as problem:
        questions = questions or module.unread_questions(row)
        return TableRow(line, questions, None, f"Line {line}: {problem.sentence}", (), module.counts(row))
    return TableRow(line, questions, case, "", remarks, module.counts(row))
