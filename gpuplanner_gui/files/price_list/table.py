"""A price list in CSV: which column holds what, every row with its fault or its price in dollars, and what it changes.

Quotations come as spreadsheets with headings of their own, in any currency, with rows that are no prices. Headings are
guessed and may be given; a row that can't be used is kept with the reason.
"""

from __future__ import annotations

import csv
import datetime
import io
import math
import re
import statistics
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from gpuplanner_gui.domain.catalog import Catalog, CatalogKind, age_days
from gpuplanner_gui.domain.price import PriceFault, PriceRow, PriceTerm
from gpuplanner_gui.files.catalog_names import resolve_accelerator
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.price_list.cells import (
    CURRENCY_CODES,
    currency_of,
    is_hourly,
    is_in_cents,
    iso_date,
    number_in,
    term_of,
)
from gpuplanner_gui.files.safe_json import read_bytes
from gpuplanner_gui.files.text import plain_text


def stated_by(
    rows: Sequence[PriceRow], catalog: Catalog, list_name: str
) -> dict[CatalogKind, tuple[dict[str, Any], ...]]:
    """What the usable rows put into the planner's own catalogue: prices of accelerators, and an offer for each rental.

    Several prices of a device and term become a range from the lowest over the median to the highest.
    """
    usable = [row for row in rows if row.fault is None]
    by_device: dict[str, list[PriceRow]] = defaultdict(list)
    for row in usable:
        by_device[row.accelerator_id].append(row)
    accelerators = tuple(_stated_device(each, of, catalog, list_name) for each, of in by_device.items())
    offers = tuple(_offers([row for row in usable if row.term != "purchase"], list_name))
    stated: dict[CatalogKind, tuple[dict[str, Any], ...]] = {}
    if accelerators:
        stated["accelerators"] = accelerators
    if offers:
        stated["offers"] = offers
    return stated


def _stated_device(accelerator_id: str, rows: Sequence[PriceRow], catalog: Catalog, list_name: str) -> dict[str, Any]:
    stated: dict[str, Any] = {"id": accelerator_id}
    entry = catalog.accelerators[accelerator_id]
    bought = [row for row in rows if row.term == "purchase"]
    if bought:
        stated["price"] = {
            "usd": _spread([row.usd for row in bought]),
            "as_of": max(row.as_of for row in bought),
            "confidence": "user",
            "source": list_name,
        }
    rented = [row for row in rows if row.term != "purchase"]
    if rented:
        known = msgspec.to_builtins(entry.rental) if entry.rental is not None else {}
        stated["rental"] = known | _rental(rented, list_name)
    if bought or rented:
        known_confidence = msgspec.to_builtins(entry.confidence)
        own = ({"price": "user"} if bought else {}) | ({"cloud": "user"} if rented else {})
        stated["confidence"] = known_confidence | own
    return stated


_RENTAL_FIELDS = {
    "on_demand": "on_demand_usd_per_h", "reserved_1y": "reserved_1y_usd_per_h", "reserved_3y": "reserved_3y_usd_per_h",
    "spot": "spot_usd_per_h",
}  # fmt: skip


def _rental(rows: Sequence[PriceRow], list_name: str) -> dict[str, Any]:
    by_term: dict[str, list[PriceRow]] = defaultdict(list)
    for row in rows:
        by_term[row.term].append(row)
    found: dict[str, Any] = {
        "offers_counted": len(rows),
        "as_of_from": min(row.as_of for row in rows),
        "as_of_to": max(row.as_of for row in rows),
        "confidence": "user",
        "source": list_name,
    }
    for term, of_term in by_term.items():
        prices = [row.usd for row in of_term]
        found[_RENTAL_FIELDS[term]] = _spread(prices) if term == "on_demand" else statistics.median(prices)
    if by_term["on_demand"]:
        ranked = sorted(by_term["on_demand"], key=lambda row: row.usd)
        found["lowest_provider"], found["highest_provider"] = ranked[0].provider, ranked[-1].provider
    return found


def _spread(prices: Sequence[float]) -> float | dict[str, Any]:
    low, high = min(prices), max(prices)
    if low == high:
        return low
    return {"type": "triangular", "low": low, "mode": statistics.median(prices), "high": high}


def _provider(row: PriceRow, list_name: str) -> str:
    return row.provider or Path(list_name).stem


def _offer_id(provider: str, accelerator_id: str, region: str, taken: set[str]) -> str:
    """The same for the same words, so that a later list replaces it; told apart where letters were left out."""
    words = "\0".join((provider, accelerator_id, region)).casefold()
    key = re.sub(r"[^a-z0-9]+", "-", f"own-{words}").strip("-")
    if key not in taken and re.fullmatch(r"[a-z0-9 ]*", f"{provider}{region}".casefold()):
        return key
    return f"{key}-{zlib.crc32(words.encode()):08x}"


def _offers(rows: Sequence[PriceRow], list_name: str) -> Iterator[dict[str, Any]]:
    """An offer for each provider, device and region, with the terms that the list has of it."""
    grouped: dict[tuple[str, str, str], list[PriceRow]] = defaultdict(list)
    for row in rows:
        grouped[_provider(row, list_name).casefold(), row.accelerator_id, row.region.casefold()].append(row)
    taken: set[str] = set()
    for (_, accelerator_id, _), of_offer in grouped.items():
        provider, region = _provider(of_offer[0], list_name), of_offer[0].region
        key = _offer_id(provider, accelerator_id, region, taken)
        taken.add(key)
        prices = {_RENTAL_FIELDS[row.term]: row.usd for row in of_offer}
        yield {
            "id": key,
            "provider": provider,
            "market": "own",
            "instance": of_offer[0].device,
            "accelerator_id": accelerator_id,
            "accelerator_count": 1,
            "region": region,
            "as_of": max(row.as_of for row in of_offer),
            "source": list_name,
            "confidence": "user",
            **prices,
        }


LARGEST_FILE_BYTES = 5_000_000
MOST_ROWS = 10_000
MOST_LINES = 100_000
MOST_COLUMNS = 100
"""So much is read and understood in about a second, while the dialog waits."""
LONGEST_CELL = 200
LARGEST_HEAD_BYTES = 65_536
_WITH_TAX = re.compile(r"\bgross\b|\bbrutto\b|\bincl\w* (?:\w+ )?(?:vat|tax|taxes|gst|mwst|ust)\b")
_PRICE_WORDS = re.compile(r"\bprices?\b|\b(usd|eur|gbp|jpy|cny)\b|[$€£]", re.IGNORECASE)
LARGEST_PRICE = 1e9
SMALLEST_PRICE = 1e-6
"""Per hour and device, in any currency: less is no price, and divided by a count it may be nothing at all."""
DELIMITERS = (",", ";", "\t", "|")

PriceField = Literal["device", "price", "currency", "term", "date", "provider", "region", "count"]
PRICE_FIELDS: tuple[PriceField, ...] = get_args(PriceField)
USUAL_HEADINGS: dict[PriceField, tuple[str, ...]] = {
    "device": ("device", "accelerator", "gpu", "gpu model", "gpu type", "product", "part", "item", "model", "name",
               "description"),
    "price": ("net price", "unit price", "price per gpu", "price per unit", "price per hour", "price", "amount", "cost",
              "list price", "rate", "usd", "eur", "usd/h"),
    "currency": ("currency", "curr", "ccy"),
    "term": ("term", "kind", "type", "pricing", "price type", "commitment", "billing"),
    "date": ("date", "as of", "valid from", "quoted on", "price date", "updated", "quote date"),
    "provider": ("provider", "vendor", "supplier", "seller", "cloud", "reseller", "company"),
    "region": ("region", "location", "zone", "country"),
    "count": ("gpus", "gpu count", "devices", "accelerators", "count"),
}  # fmt: skip


@dataclass(frozen=True)
class PriceTable:
    """The cells as text, with the line each row starts at."""

    name: str
    header: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    has_decimal_comma: bool = False
    """Cells between semicolons, as spreadsheets write them where the comma marks decimals."""


@dataclass(frozen=True)
class PriceReading:
    """How a table is read: columns by position, and what holds where no column says it."""

    columns: Mapping[PriceField, int]
    term: PriceTerm = "purchase"
    currency: str = "USD"
    date: str = ""
    usd_per_unit: Mapping[str, float] = field(default_factory=dict)
    """Dollars for one unit of each other currency."""
    is_per_instance: bool = False
    """The price is for as many devices as the column of counts says."""
    has_decimal_comma: bool = False
    """Whether the table writes decimals with a comma."""
    price_heading: str = ""
    """Says what time the prices are for, and whether they are in cents."""


def looks_like_prices(path: Path) -> bool:
    """True for a table with a column of devices and one that says "price" or a currency; quick for any size."""
    try:
        if not path.is_file():  # A pipe would be waited for.
            return False
        with path.open("rb") as file:
            head = file.read(LARGEST_HEAD_BYTES)
    except OSError:
        return False
    first = _text(head).lstrip().partition("\n")[0]
    delimiter = max(DELIMITERS, key=first.count)
    try:
        header = next(csv.reader([first], delimiter=delimiter), [])
    except csv.Error:
        return False
    if not 2 <= len(header) <= MOST_COLUMNS or "device" not in guessed_columns(header):
        return False
    return any(_PRICE_WORDS.search(heading) is not None for heading in header)


def read_price_table(path: Path) -> PriceTable:
    """A table from a CSV file of any usual delimiter. Raises FileProblem."""
    data = read_bytes(path, LARGEST_FILE_BYTES)
    text = _text(data)
    first = text.lstrip().partition("\n")[0]
    delimiter = max(DELIMITERS, key=first.count)
    header: tuple[str, ...] = ()
    rows: list[tuple[int, tuple[str, ...]]] = []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    line = seen = 1
    try:
        for cells in reader:
            seen += bool(cells)
            if seen > MOST_ROWS + 2 or reader.line_num > MOST_LINES:
                raise FileProblem(
                    path, "", "the list has more than {most_rows} rows", "Split it", most_rows=f"{MOST_ROWS:,}"
                )
            cleaned = tuple(plain_text(cell, LONGEST_CELL) for cell in cells[:MOST_COLUMNS])
            if not header:
                header = cleaned if any(cleaned) else ()
            elif any(cleaned):
                rows.append((line, cleaned))
            line = reader.line_num + 1
    except csv.Error as error:
        raise FileProblem(
            path, f"line {line}", "this is not a table ({error})", "Save the list as CSV", error=error
        ) from None
    if len(header) < 2 or not rows:
        raise FileProblem(
            path, "", "this is not a table with headings and rows", "Save the list as CSV, headings first"
        )
    return PriceTable(path.name, header, tuple(rows), delimiter == ";")


def _text(data: bytes) -> str:
    for encoding in ("utf-8-sig", "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("cp1252", "replace")


def guessed_columns(header: Sequence[str]) -> dict[PriceField, int]:
    """Which column holds what, by usual headings; the first that fits, no column twice. Prices with tax come last."""
    plain = [re.sub(r"[_\W]+", " ", heading.casefold()).strip() for heading in header]
    found: dict[PriceField, int] = {}
    taxed = {at for at, text in enumerate(plain) if _WITH_TAX.search(text)}
    for fits, left_out in ((_is_heading, taxed), (_holds_heading, taxed), (_holds_heading, set[int]())):
        for name in PRICE_FIELDS:
            for usual in USUAL_HEADINGS[name]:
                if name in found:
                    break
                places = [
                    at for at, text in enumerate(plain) if fits(text, usual) and at not in {*found.values(), *left_out}
                ]
                if places:
                    found[name] = places[0]
    return found


def _is_heading(text: str, usual: str) -> bool:
    return text == re.sub(r"[_\W]+", " ", usual)


def _holds_heading(text: str, usual: str) -> bool:
    return len(usual) > 3 and re.search(rf"\b{re.escape(usual)}\b", text) is not None


def guessed_reading(table: PriceTable, columns: Mapping[PriceField, int] | None = None) -> PriceReading:
    """Columns by their headings, unless given; currency and term by what the price's heading says."""
    columns = columns if columns is not None else guessed_columns(table.header)
    heading = table.header[columns["price"]] if "price" in columns else ""
    return PriceReading(columns, "on_demand" if is_hourly(heading) else "purchase", currency_of(heading) or "USD")


def currencies_of(table: PriceTable, reading: PriceReading) -> tuple[str, ...]:
    """Currencies of the list that need a rate."""
    found = {_row_currency(cells, reading)[0] for _, cells in table.rows}
    return tuple(sorted(code for code in found if code in CURRENCY_CODES and code != "USD"))


def price_rows(
    table: PriceTable, reading: PriceReading, catalog: Catalog, today: datetime.date
) -> tuple[PriceRow, ...]:
    """Every row of the table, with a price in dollars or the reason why it has none."""
    known: dict[str, str | None] = {}
    place = reading.columns.get("price", -1)
    heading = table.header[place] if 0 <= place < len(table.header) else ""
    reading = replace(reading, has_decimal_comma=table.has_decimal_comma, price_heading=heading)
    return tuple(_price_row(line, cells, reading, catalog, today, known) for line, cells in table.rows)


def _price_row(
    line: int,
    cells: tuple[str, ...],
    reading: PriceReading,
    catalog: Catalog,
    today: datetime.date,
    known: dict[str, str | None],
) -> PriceRow:
    device = _cell(cells, reading, "device")
    row = PriceRow(
        line=line, device=device, provider=_cell(cells, reading, "provider"), region=_cell(cells, reading, "region")
    )
    if not device:
        return _faulty(row, "no_device")
    if device not in known:
        known[device] = resolve_accelerator(catalog, device)
    accelerator_id = known[device]
    if accelerator_id is None:
        return _faulty(row, "unknown_device", device)
    row = msgspec.structs.replace(row, accelerator_id=accelerator_id)
    return _dated(_priced(row, cells, reading), _cell(cells, reading, "date") or reading.date, today)


def _priced(row: PriceRow, cells: tuple[str, ...], reading: PriceReading) -> PriceRow:
    text = _cell(cells, reading, "price")
    if not text:
        return _faulty(row, "no_price")
    amount = number_in(text, reading.has_decimal_comma)
    if amount is None or not SMALLEST_PRICE <= amount < LARGEST_PRICE:
        return _faulty(row, "bad_price", text)
    currency, stated = _row_currency(cells, reading)
    if currency not in CURRENCY_CODES:
        return _faulty(row, "bad_currency", stated)
    term_text = _cell(cells, reading, "term")
    fault = _fault_of_unit((text, reading.price_heading, stated), (text, reading.price_heading, term_text))
    if fault is not None:
        return _faulty(row, *fault)
    count = 1.0
    if reading.is_per_instance and "count" in reading.columns:
        counted = _cell(cells, reading, "count")
        count = number_in(counted) or 0.0
        if count < 1:
            return _faulty(row, "bad_count", counted)
    term = term_of(term_text) if term_text else reading.term
    if term is None:
        return _faulty(row, "unknown_term", term_text)
    rate = 1.0 if currency == "USD" else reading.usd_per_unit.get(currency, math.nan)
    row = msgspec.structs.replace(row, amount=amount / count, currency=currency, term=term)
    if not rate > 0:
        return _faulty(row, "no_rate", currency)
    usd = amount / count * rate
    if not SMALLEST_PRICE <= usd < LARGEST_PRICE:
        return _faulty(row, "bad_price", text)
    return msgspec.structs.replace(row, usd=usd)


def _fault_of_unit(on_money: Sequence[str], on_time: Sequence[str]) -> tuple[PriceFault, str] | None:
    """What says that a price is in cents, or for another time than an hour: the first text that says any decides."""
    cents = next(filter(is_in_cents, on_money), None)
    time = next((text for text in on_time if is_hourly(text) is not None), None)
    if cents is not None:
        return "in_cents", cents
    return ("not_hourly", time) if time is not None and not is_hourly(time) else None


def _dated(row: PriceRow, text: str, today: datetime.date) -> PriceRow:
    if row.fault is not None:
        return row
    if not text:
        return msgspec.structs.replace(row, as_of=today.isoformat(), age_days=0)
    day = iso_date(text)
    if not day:
        return _faulty(row, "bad_date", text)
    age = age_days(day, today)
    if age is not None and age < -1:
        return _faulty(row, "future_date", text)
    return msgspec.structs.replace(row, as_of=day, age_days=age)


def _faulty(row: PriceRow, fault: PriceFault, detail: str = "") -> PriceRow:
    return msgspec.structs.replace(row, fault=fault, detail=detail)


def _cell(cells: tuple[str, ...], reading: PriceReading, name: PriceField) -> str:
    place = reading.columns.get(name, -1)
    return cells[place].strip() if 0 <= place < len(cells) else ""


def _row_currency(cells: tuple[str, ...], reading: PriceReading) -> tuple[str, str]:
    """Code of a row's currency, and how it is written."""
    stated = _cell(cells, reading, "currency")
    if stated:
        return (currency_of(stated) or stated.upper()), stated
    found = currency_of(_cell(cells, reading, "price"))
    return found or reading.currency, found
