"""A workbook as a spreadsheet sees it, and its formulas worked out afresh."""

from __future__ import annotations

import io
import math
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree import ElementTree

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
TOKEN = re.compile(r"\s*(?:(?P<number>\d+\.?\d*(?:[eE][-+]?\d+)?)|(?P<cell>[A-Z]+\d+)|(?P<name>[A-Z]+)|(?P<sign>.))")


@dataclass
class ReadSheet:
    name: str
    texts: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, float] = field(default_factory=dict)
    formulas: dict[str, str] = field(default_factory=dict)


def read_workbook(content: bytes) -> list[ReadSheet]:
    """Every sheet; raises for an archive or XML that is not well made."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        parts = {name: archive.read(name) for name in archive.namelist()}
    for name, part in parts.items():
        ElementTree.fromstring(part)
        assert name == "[Content_Types].xml" or name.startswith(("_rels/", "xl/"))
    targets = {one.get("Id"): one.get("Target") for one in ElementTree.fromstring(parts["xl/_rels/workbook.xml.rels"])}
    workbook = ElementTree.fromstring(parts["xl/workbook.xml"])
    return [
        _read(one.get("name") or "", parts[f"xl/{targets[one.get(RELATION)]}"]) for one in workbook.iter(f"{MAIN}sheet")
    ]


def _read(name: str, part: bytes) -> ReadSheet:
    sheet = ReadSheet(name)
    for cell in ElementTree.fromstring(part).iter(f"{MAIN}c"):
        where = cell.get("r") or ""
        if cell.get("t") == "inlineStr":
            sheet.texts[where] = "".join(one.text or "" for one in cell.iter(f"{MAIN}t"))
            continue
        value, formula = cell.find(f"{MAIN}v"), cell.find(f"{MAIN}f")
        assert value is not None
        sheet.numbers[where] = float(value.text or "nan")
        if formula is not None:
            sheet.formulas[where] = formula.text or ""
    return sheet


def worked_out(sheet: ReadSheet) -> dict[str, float]:
    """The value of each formula, from the given numbers alone."""
    given = {where: value for where, value in sheet.numbers.items() if where not in sheet.formulas}
    known: dict[str, float] = {}

    def value_of(where: str) -> float:
        if where in given:
            return given[where]
        if where not in known:
            known[where] = Reckoner(sheet.formulas[where], value_of).result()
        return known[where]

    return {where: value_of(where) for where in sheet.formulas}


class Reckoner:
    """Arithmetic of a spreadsheet: + - * / = with brackets, IF, INT, POWER and SUM of a column."""

    def __init__(self, formula: str, value_of) -> None:
        self._tokens = list(_tokens(formula))
        self._place = 0
        self._value_of = value_of

    def result(self) -> float:
        found = self._compared()
        assert self._place == len(self._tokens), self._tokens[self._place :]
        return found

    def _next(self) -> str:
        return self._tokens[self._place] if self._place < len(self._tokens) else ""

    def _took(self, *signs: str) -> str:
        sign = self._next()
        if sign in signs and sign:
            self._place += 1
            return sign
        return ""

    def _compared(self) -> float:
        left = self._sum()
        return float(left == self._sum()) if self._took("=") else left

    def _sum(self) -> float:
        total = self._product()
        while sign := self._took("+", "-"):
            total += self._product() if sign == "+" else -self._product()
        return total

    def _product(self) -> float:
        total = self._single()
        while sign := self._took("*", "/"):
            other = self._single()
            total = total * other if sign == "*" else total / other if other else math.inf
        return total

    def _single(self) -> float:
        if self._took("-"):
            return -self._single()
        if self._took("("):
            found = self._compared()
            assert self._took(")")
            return found
        token = self._next()
        self._place += 1
        if token in ("IF", "INT", "POWER"):
            return self._called(token)
        if token == "SUM":
            return self._column_sum()
        return self._value_of(token) if token[0].isalpha() else float(token)

    def _column_sum(self) -> float:
        assert self._took("(")
        first, colon, last, bracket = self._tokens[self._place : self._place + 4]
        assert (colon, bracket) == (":", ")")
        self._place += 4
        column, rows = (
            first.rstrip("0123456789"),
            [int(one.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")) for one in (first, last)],
        )
        return sum(self._value_of(f"{column}{row}") for row in range(rows[0], rows[1] + 1))

    def _called(self, name: str) -> float:
        assert self._took("(")
        values = [self._compared()]
        while self._took(","):
            values.append(self._compared())
        assert self._took(")")
        if name == "POWER":
            return float(values[0] ** values[1])
        if name == "INT":
            return float(math.floor(values[0]))
        return values[1] if values[0] else values[2]


def _tokens(formula: str) -> Iterator[str]:
    for found in TOKEN.finditer(formula):
        yield found[0].strip()
