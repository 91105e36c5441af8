"""A benchmark table from disk, read as hostile: which kind it is, and every row as a case or the reason why not."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from gpuplanner_gui.domain.catalog import Catalog, CatalogModel
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.files.benchmark_rows import inference_rows, open_loop_rows, serving_rows, training_rows
from gpuplanner_gui.files.benchmark_rows.question import (
    Row,
    RowProblem,
    RowQuestion,
    TableRow,
    shown,
    unread_question,
    word,
)
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.model_import import read_model
from gpuplanner_gui.files.model_names import resolved_model
from gpuplanner_gui.files.safe_json import read_bytes
from gpuplanner_gui.files.text import plain_text

CONFIG_FILE = "config.json"
FROM_CONFIG = "configuration of"
"""How the source of a model from a folder begins."""
MOST_CONFIGS = 2_000
PUBLISHED_ID = re.compile(r"(?:[A-Za-z0-9][A-Za-z0-9._-]{0,95}/)?[A-Za-z0-9][A-Za-z0-9._-]{0,95}")


def with_configs(catalog: Catalog, names: Iterable[str], folder: Path) -> tuple[Catalog, dict[str, str]]:
    """The catalogue with models that only `FOLDER/<owner>--<name>/config.json` knows, and why others can't be read.

    The second part says by name what is wrong with a configuration that is there. Raises FileProblem where `folder` is
    none, or more than `MOST_CONFIGS` models are unknown.
    """
    if not folder.is_dir():
        raise FileProblem(
            folder, "", "this is not a folder", "Choose the folder that holds <owner>--<name>/config.json"
        )
    unknown = [name for name in dict.fromkeys(names) if name and resolved_model(catalog, name) is None]
    if len(unknown) > MOST_CONFIGS:
        raise FileProblem(
            folder, "", "the table names more than {count} unknown models", "Split the table", count=MOST_CONFIGS
        )
    found: dict[str, CatalogModel] = {}
    problems: dict[str, str] = {}
    for name in unknown:
        path = folder / name.replace("/", "--") / CONFIG_FILE
        if not PUBLISHED_ID.fullmatch(name) or not _is_within(path, folder):
            continue
        try:
            model = read_model(path).model
        except FileProblem as problem:
            problems[name] = plain_text(problem.what, 200)
            continue
        found[name] = CatalogModel(id=name, name=name, source=f"{FROM_CONFIG} {name}", model=model)
    return msgspec.structs.replace(catalog, models=catalog.models | found), problems


def _is_within(path: Path, folder: Path) -> bool:
    """Whether a file is there and no link leads it out of the folder."""
    return path.is_file() and path.resolve().is_relative_to(folder.resolve())


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


def read_benchmark(
    path: Path, catalog: Catalog, calibration: Calibration, configs: Path | None = None
) -> BenchmarkTable:
    """Read a table of serving, inference, open-loop or training results.

    Models that the catalogue lacks come from the folder `configs`. A row that can't become a case is kept with its
    reason. Raises FileProblem for what is no such table.
    """
    reader = csv.reader(io.StringIO(_text_of(path), newline=""))
    csv.field_size_limit(max(csv.field_size_limit(), LARGEST_FILE_BYTES))
    header = _header(reader, path)
    kind, module = _kind_of(header, path)
    rows = list(islice(_rows(reader, header, path), MOST_ROWS + 1))
    if len(rows) > MOST_ROWS:
        raise FileProblem(
            path, "", "the table has more than {most_rows} rows", "Split the table", most_rows=f"{MOST_ROWS:,}"
        )
    problems: dict[str, str] = {}
    if configs is not None:
        catalog, problems = with_configs(catalog, (_model_of(row) for _, row in rows), configs)
    made = [_table_row(module, row, line, catalog, calibration, problems) for line, row in rows]
    return BenchmarkTable(kind, tuple(made))


def _model_of(row: Row) -> str:
    return word(row, "model_path") or word(row, "model")


def _text_of(path: Path) -> str:
    content = read_bytes(path, LARGEST_FILE_BYTES)
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FileProblem(path, "", "the file is in UTF-16, not UTF-8", "Save it as CSV in UTF-8")
    return content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="replace")


def _header(reader: Iterator[list[str]], path: Path) -> list[str]:
    try:
        header = [name.strip().lower() for name in next(reader)]
    except (StopIteration, csv.Error):
        raise FileProblem(path, "line 1", "the file contains no table", "Choose a CSV with a header line") from None
    if len(header) > MOST_COLUMNS:
        raise FileProblem(
            path,
            "line 1",
            "the table has more than {most_columns} columns",
            "Choose another file",
            most_columns=MOST_COLUMNS,
        )
    twice = {name for name in header if name and header.count(name) > 1}
    if twice:
        raise FileProblem(
            path, "line 1", "the column {min} appears twice", "Rename one of the two", min=repr(shown(min(twice)))
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
        "the columns match no known benchmark table; the closest is the {nearest} table, without {missing}",
        "Add the columns, or choose another file",
        nearest=nearest[0],
        missing=missing,
    )


def _rows(reader: Any, header: list[str], path: Path) -> Iterator[tuple[int, Row]]:
    """Every row with its line."""
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            yield reader.line_num, {}
            continue
        if any(cells):
            row = {name: cell[:LONGEST_CELL].replace("\0", "") for name, cell in zip(header, cells)}
            yield reader.line_num, row


def _table_row(
    module: ModuleType, row: Row, line: int, catalog: Catalog, calibration: Calibration, problems: Mapping[str, str]
) -> TableRow:
    questions: tuple[RowQuestion, ...] = ()
    try:
        questions = module.questions(row)
        case, remarks = module.case(row, catalog, calibration)
    except RowProblem as problem:
        questions = questions or (unread_question(row),)
        of_config = problems.get(_model_of(row))
        why = problem.sentence if of_config is None else f"its configuration can't be read: {of_config}"
        return TableRow(line, questions, None, f"Line {line}: {why}", (), module.counts(row))
    if _model_of(row) in catalog.models and catalog.models[_model_of(row)].source.startswith(FROM_CONFIG):
        remarks = ("the model comes from its configuration file", *remarks)
    return TableRow(line, questions, case, "", remarks, module.counts(row))
