"""What an importer is: how it tells its files, how it reads one, and what comes out."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from gpuplanner_gui.domain.measurement import Figure, Measurement, MeasurementContext
from gpuplanner_gui.files.errors import said
from gpuplanner_gui.files.measurements.source import Source, reason_in
from gpuplanner_gui.files.measurements.values import JsonObject, as_object
from gpuplanner_gui.files.text import plain_text

MOST_MEASUREMENTS = 20_000
MOST_REMARKS = 20
LONGEST_REMARK = 300
SEARCHED_BYTES = 256_000_000
GLANCED_BYTES = 20_000_000

_LIST = re.compile(r"\s*\[\s*(?:[\[{\]\"]|-?\d[\d.]*\s*[,\]]|\Z)")
"""A list in JSON; lines of logs begin with `[2026-01-03 …]` and `[rank0]` too."""
JsonKind = Literal["", "object", "array", "lines", "values"]
"""One value; objects each on a line of its own; objects one after the other in any other layout."""
MOST_DAMAGED_LINES = 20
"""Most damaged lines before the first sound one."""


@dataclass(frozen=True)
class Look:
    """What the beginning of a file tells."""

    name: str
    head: str
    kind: JsonKind = ""
    first: JsonObject = field(default_factory=lambda: JsonObject({}))
    """The file's object, or the first of several."""
    json_problem: str = ""
    """Why a file that begins as JSON is none."""
    source: Source | None = None
    searched_bytes: int = SEARCHED_BYTES

    def has(self, *keys: str) -> bool:
        """True where the first object has all of these."""
        return all(key in self.first for key in keys)

    def anywhere(self, mark: bytes) -> bool:
        """True where a text that is no JSON has this within its first part, however long its preamble is."""
        return self.source is not None and self.source.data.find(mark, 0, self.searched_bytes) >= 0


@dataclass
class Findings:
    """Measurements and remarks of one file, as they are found."""

    measurements: list[Measurement] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    left_out: int = 0

    def add(self, context: MeasurementContext, figures: list[Figure], line: int = 0, note: str = "") -> None:
        """One run; one without figures, or beyond the limit, is left out."""
        if figures and not self.is_full:
            self.measurements.append(Measurement(context=context, figures=tuple(figures), line=line, note=note))
        elif figures:
            self.left_out += 1

    @property
    def is_full(self) -> bool:
        """True where further runs are only counted."""
        return len(self.measurements) >= MOST_MEASUREMENTS

    def remark(self, sentence: str, /, **values: Any) -> None:
        """Something to be told, with values filled in; it may hold words of the file."""
        sentence = said(sentence, **values) if values else sentence
        plain: str = plain_text(sentence, LONGEST_REMARK)
        if plain == sentence:
            plain = sentence  # with what it remembers of its parts
        if len(self.remarks) < MOST_REMARKS and plain not in self.remarks:
            self.remarks.append(plain)


@dataclass(frozen=True)
class Importer:
    """One format: `recognises` decides by content alone; `marks` name the tool where the JSON is damaged."""

    tool: str
    title: str
    recognises: Callable[[Look], bool]
    read: Callable[[Source, Look], Findings]
    marks: tuple[str, ...] = ()


def look_at(source: Source) -> Look:
    """Look at the beginning of a file, and at its first JSON object where it has one."""
    name, head = source.path.name, source.head()
    start = head.lstrip()[:1]
    if start != "{" and not _LIST.match(head):
        return Look(name, head, source=source)
    first = _first_line(source) if start == "{" else None
    if first is not None:
        return Look(name, head, "lines", first)
    problem = source.problem_of_head()
    if problem:
        # A log whose lines begin with `[` is not read as a whole to find that it is none.
        return _look_further(source, head, problem)
    try:
        if start == "{":
            return Look(name, head, "object", JsonObject(source.decoded(type_=dict[str, msgspec.Raw])))
        items = source.decoded(type_=list[msgspec.Raw])
        return Look(name, head, "array", as_object(items[0]) if items else JsonObject({}))
    except ValueError as found:
        return _look_further(source, head, reason_in(found))


def glance_at(source: Source) -> Look:
    """Look at the beginning alone, so that this is quick however large the file is."""
    first = _first_line(source)
    if first is not None:
        return Look(source.path.name, source.head(), "lines", first)
    return Look(source.path.name, source.head(), source=source, searched_bytes=GLANCED_BYTES)


def _first_line(source: Source) -> JsonObject | None:
    """The object on the first line, where more begin on the second."""
    end = source.data.find(b"\n", 0, GLANCED_BYTES)
    if end <= 0 or source.data[end + 1 : end + 4097].strip()[:1] != b"{":
        return None
    try:
        return JsonObject(source.decoded(None, end, dict[str, msgspec.Raw]))
    except ValueError:
        return None


def _look_further(source: Source, head: str, problem: str) -> Look:
    """Look into a file that is not one JSON value: objects one after the other, or lines of which the first are
    damaged."""
    name = source.path.name
    if head.lstrip()[:1] != "{":
        return Look(name, head, json_problem=problem, source=source)
    try:
        _, first = next(source.decoded_values())
        return Look(name, head, "values", JsonObject(first))
    except (ValueError, StopIteration):
        pass
    position = source.start
    for _ in range(MOST_DAMAGED_LINES):
        end = source.data.find(b"\n", position)
        if end < 0:
            break
        position = end + 1
        after = source.data.find(b"\n", position)
        try:
            sound = source.decoded(position, after if after >= 0 else None, dict[str, msgspec.Raw])
            return Look(name, head, "lines", JsonObject(sound))
        except ValueError:
            continue
    return Look(name, head, json_problem=problem, source=source)


def json_objects(source: Source, look: Look, findings: Findings) -> Iterator[tuple[int, JsonObject]]:
    """Every object of a file of any JSON kind with its line; damaged lines are remarked and left out."""
    if look.kind == "object":
        yield 1, look.first
    elif look.kind == "array":
        for item in source.decoded(type_=list[msgspec.Raw]):
            yield 0, as_object(item)
    elif look.kind == "lines":
        yield from _line_objects(source, findings)
    elif look.kind == "values":
        yield from _value_objects(source, findings)


def _value_objects(source: Source, findings: Findings) -> Iterator[tuple[int, JsonObject]]:
    line = 1
    try:
        for line, value in source.decoded_values():
            yield line, JsonObject(value)
    except ValueError as problem:
        findings.remark(
            "Everything after the result in line {line} is skipped: {problem}.", line=line, problem=reason_in(problem)
        )


def _line_objects(source: Source, findings: Findings) -> Iterator[tuple[int, JsonObject]]:
    data, position, line = source.data, source.start, 0
    while position < source.size:
        source.look(position)
        end = data.find(b"\n", position)
        end = source.size if end < 0 else end
        line += 1
        if data[position : min(end, position + 4096)].strip():
            try:
                yield line, JsonObject(source.decoded(position, end, dict[str, msgspec.Raw]))
            except ValueError as problem:
                findings.remark("Line {line} is skipped: {problem}.", line=line, problem=reason_in(problem))
        position = end + 1


def csv_rows(source: Source, findings: Findings | None = None) -> Iterator[tuple[int, list[str]]]:
    """Line and cells of every row; a line that is none is remarked, where there are findings to remark it in."""
    for line, text in source.lines():
        try:
            cells = next(csv.reader([text]), [])
        except csv.Error:
            if findings is not None:
                findings.remark("Line {line} is skipped: it is not a row.", line=line)
            continue
        yield line, cells
