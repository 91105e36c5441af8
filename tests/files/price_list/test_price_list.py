"""Price lists as people send them: columns, currencies, dates and faults are understood row by row."""

from __future__ import annotations

import datetime
from dataclasses import replace
from pathlib import Path

import pytest

from gpuplanner_gui.domain.price import PriceRow
from gpuplanner_gui.drawing.words.price_list import fault_sentence
from gpuplanner_gui.files.catalogs import load_catalog, load_shipped_catalog, save_own_entries
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.price_list import (
    PriceReading,
    currencies_of,
    guessed_reading,
    price_rows,
    read_price_table,
    stated_by,
)
from gpuplanner_gui.files.price_list.cells import iso_date, number_in, term_of
from gpuplanner_gui.files.price_list.table import guessed_columns

TODAY = datetime.date(2026, 11, 21)
LIST = """GPU Model;Supplier;Unit price (EUR);Term;Quoted on;Currency
NVIDIA H100 SXM 80GB;Acme;28.500,00;purchase;2026-10-01;EUR
H200 SXM;Acme;31 200;buy;01.11.2026;EUR
H200 SXM;Bolt;$35,000;buy;2026-09;
RTX 9999;Acme;100;buy;2026-10-01;EUR
B200;Acme;on request;buy;2026-10-01;EUR
L40S;Cloudy;1,10;on-demand;2024-03;USD
L40S;Cloudy;0.60;spot;2026-03;USD
L40S;Cloudy;0.60;weird;2026-03;USD
L40S;Cloudy;0.60;spot;soon;USD
L40S;Cloudy;0.60;spot;2031-01-01;USD
;;;;;
A100 80GB SXM;Acme;9000;buy;;CHF
"""


@pytest.fixture
def rows(tmp_path: Path) -> tuple[PriceRow, ...]:
    table = read_price_table(written(tmp_path, LIST))
    reading = replace(guessed_reading(table), usd_per_unit={"EUR": 1.1})
    return price_rows(table, reading, load_shipped_catalog(), TODAY)


def written(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    path = folder / "prices.csv"
    path.write_bytes(text.encode(encoding))
    return path


def test_columns_and_currency_are_guessed_by_their_headings(tmp_path: Path) -> None:
    table = read_price_table(written(tmp_path, LIST))
    reading = guessed_reading(table)
    named = {name: table.header[place] for name, place in reading.columns.items()}
    assert named == {
        "device": "GPU Model", "provider": "Supplier", "price": "Unit price (EUR)", "term": "Term",
        "date": "Quoted on", "currency": "Currency",
    }  # fmt: skip
    assert reading.currency == "EUR"
    assert currencies_of(table, reading) == ("CHF", "EUR")


def test_good_rows_have_a_device_a_price_in_dollars_and_a_date(rows: tuple[PriceRow, ...]) -> None:
    good = [(row.line, row.accelerator_id, row.term, round(row.usd, 2), row.as_of) for row in rows if row.fault is None]
    assert good == [
        (2, "nvidia-h100-sxm-80gb", "purchase", 31350.0, "2026-10-01"),
        (3, "nvidia-h200-sxm-141gb", "purchase", 34320.0, "2026-11-01"),
        (4, "nvidia-h200-sxm-141gb", "purchase", 35000.0, "2026-09"),
        (7, "nvidia-l40s", "on_demand", 1.1, "2024-03"),
        (8, "nvidia-l40s", "spot", 0.6, "2026-03"),
    ]


def test_bad_rows_say_what_is_wrong(rows: tuple[PriceRow, ...]) -> None:
    assert [(row.line, row.fault, row.detail) for row in rows if row.fault is not None] == [
        (5, "unknown_device", "RTX 9999"),
        (6, "bad_price", "on request"),
        (9, "unknown_term", "weird"),
        (10, "bad_date", "soon"),
        (11, "future_date", "2031-01-01"),
        (13, "no_rate", "CHF"),
    ]


def test_age_of_a_price_is_counted_from_its_date(rows: tuple[PriceRow, ...]) -> None:
    assert {row.line: row.age_days for row in rows if row.line in (2, 7)} == {2: 51, 7: 995}


def test_taken_prices_are_ranges_with_source_and_date(tmp_path: Path, rows: tuple[PriceRow, ...]) -> None:
    catalog = load_shipped_catalog()
    save_own_entries(stated_by(rows, catalog, "prices.csv"), tmp_path / "own", keeps_fields=True)
    own = load_catalog(tmp_path / "own")
    price = own.accelerators["nvidia-h200-sxm-141gb"].price
    assert price is not None
    assert price.confidence == "user"
    assert price.source == "prices.csv"
    assert (price.usd.low, price.usd.mode, price.usd.high) == (pytest.approx(34320), pytest.approx(34660), 35000)  # type: ignore[union-attr]
    assert price.as_of == "2026-11-01"
    rental = own.accelerators["nvidia-l40s"].rental
    known = catalog.accelerators["nvidia-l40s"].rental
    assert rental is not None
    assert known is not None
    assert (rental.on_demand_usd_per_h, rental.spot_usd_per_h, rental.as_of_to) == (1.1, 0.6, "2026-03")
    assert rental.reserved_1y_usd_per_h == known.reserved_1y_usd_per_h, "a term that the list lacks stays"
    offer = next(one for one in own.offers.values() if one.confidence == "user")
    assert (offer.provider, offer.on_demand_usd_per_h, offer.spot_usd_per_h) == ("Cloudy", 1.1, 0.6)


def test_prices_of_whole_instances_are_divided_by_their_devices(tmp_path: Path) -> None:
    text = "gpu,gpu count,price per hour\nH100 SXM,8,24\nH100 SXM,none,24\n"
    table = read_price_table(written(tmp_path, text))
    reading = replace(guessed_reading(table), is_per_instance=True)
    assert reading.term == "on_demand"
    rows = price_rows(table, reading, load_shipped_catalog(), TODAY)
    assert next((row.usd, row.fault) for row in rows) == (3.0, None)
    assert rows[1].fault == "bad_count"


@pytest.mark.parametrize(
    ("text", "has_comma", "number"),
    [
        ("1.234,56", False, 1234.56), ("1,234.56", True, 1234.56), ("28.500", True, 28500.0), ("28.500", False, 28.5),
        ("28,500", True, 28500.0), ("1,10", False, 1.1), ("0,600", True, 0.6), ("12 k", False, 12000.0),
        ("1'000", False, 1000.0), ("$2.50/h", False, 2.5), ("1 234 €", False, 1234.0), ("-5", False, None),
        ("3 to 4", False, None), ("on request", False, None), ("", False, None),
    ],
)  # fmt: skip
def test_numbers_are_read_whichever_way_they_are_marked(text: str, has_comma: bool, number: float | None) -> None:
    assert number_in(text, has_comma) == number


@pytest.mark.parametrize(
    ("text", "day"),
    [("2026-10-01", "2026-10-01"), ("2026/1/5", "2026-01-05"), ("5.1.2026", "2026-01-05"), ("2026-10", "2026-10"),
     ("2026", "2026"), ("2026-13-01", ""), ("01/02/2026", ""), ("tomorrow", "")],
)  # fmt: skip
def test_dates_that_are_clear_are_read(text: str, day: str) -> None:
    assert iso_date(text) == day


def test_terms_are_told_by_their_words() -> None:
    words = {"Spot": "spot", "3-year reserved": "reserved_3y", "Reserved 1Y": "reserved_1y", "Per hour": "on_demand",
             "Purchase": "purchase", "free": None, "12 months": "reserved_1y", "reserved36m": "reserved_3y",
             "one-year commitment": "reserved_1y", "24 months reserved": None, "1.5 years reserved": None,
             "two years": None, "13 years reserved": None, "annual commitment": "reserved_1y"}  # fmt: skip
    assert {text: term_of(text) for text in words} == words


@pytest.mark.parametrize(
    ("heading", "price", "term", "fault"),
    [
        ("Price per month (USD)", "1825", "", "not_hourly"), ("price_per_gpu_month", "1825", "", "not_hourly"),
        ("Monthly rent price", "1825", "on demand", "not_hourly"), ("Annual price", "21900", "", "not_hourly"),
        ("Price", "1825", "rent per month", "not_hourly"), ("Price", "21900", "rent per year", "not_hourly"),
        ("Price", "1825", "1 year reserved (monthly price)", "not_hourly"), ("Price", "1825 USD/mo", "", "not_hourly"),
        ("Price per hour (cents)", "250", "", "in_cents"), ("Price per hour", "250 ¢", "", "in_cents"),
        ("Price per hour", "2.5", "1 year, billed monthly", None), ("Price", "$2.50/h", "reserved for a year", None),
        ("Price", "28000", "purchase", None), ("Price, 1 year reserved", "2.5", "12 months", None),
    ],
)  # fmt: skip
def test_rents_of_other_than_an_hour_and_cents_are_refused(
    tmp_path: Path, heading: str, price: str, term: str, fault: str | None
) -> None:
    table = read_price_table(written(tmp_path, f"gpu;{heading};term\nH100 SXM;{price};{term}\n"))
    (row,) = price_rows(table, guessed_reading(table), load_shipped_catalog(), TODAY)
    assert row.fault == fault
    assert (fault is None) == (fault_sentence(row) == "")


@pytest.mark.parametrize(
    ("headings", "wanted"),
    [
        (("Price incl. VAT EUR", "Net price EUR"), "Net price EUR"),
        (("Gross unit price", "Unit price"), "Unit price"),
        (("Price (including 19% VAT)", "Amount"), "Amount"),
        (("Gross price", "VAT"), "Gross price"),
    ],
)
def test_a_price_without_tax_comes_before_one_with_it(headings: tuple[str, str], wanted: str) -> None:
    assert headings[guessed_columns(headings)["price"]] == wanted


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_spreadsheets_write_in_several_encodings(tmp_path: Path, encoding: str) -> None:
    table = read_price_table(written(tmp_path, "Gerät;Preis €\nH100 SXM;1,5\n", encoding))
    assert table.header[0] == "Gerät"


@pytest.mark.parametrize("text", ["", "one column\n1\n", "a,b\n", "\x00\x00\x00"])
def test_what_is_no_table_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(FileProblem, match="not a table"):
        read_price_table(written(tmp_path, text))


def test_hidden_characters_and_long_cells_do_not_come_in(tmp_path: Path) -> None:
    text = "device,price,provider\nH100 SXM,10,evil\u202ename" + "x" * 5000 + "\n"
    table = read_price_table(written(tmp_path, text))
    assert "\u202e" not in table.rows[0][1][2]
    assert len(table.rows[0][1][2]) <= 200


def test_ten_thousand_rows_are_read_whole(tmp_path: Path) -> None:
    text = "device,price\n" + "".join(f"H100 SXM,{place + 1}\n" for place in range(10_000))
    table = read_price_table(written(tmp_path, text))
    rows = price_rows(table, PriceReading({"device": 0, "price": 1}), load_shipped_catalog(), TODAY)
    assert len(rows) == 10_000
    assert all(row.fault is None for row in rows)


@pytest.mark.parametrize("content", ["device,price\n" + "a,1\n" * 10_002, "device,price\n" + "\n" * 100_001 + "a,1\n"])
def test_more_rows_than_a_planner_waits_for_are_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(FileProblem, match="more than 10,000 rows"):
        read_price_table(written(tmp_path, content))


def test_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="5 MB"):
        read_price_table(written(tmp_path, "device,price\n" + "a" * 5_000_000))


def test_offers_of_providers_in_other_scripts_are_told_apart(tmp_path: Path) -> None:
    text = "device,price per hour,provider,region\n" + "".join(
        f"H100 SXM,{place + 1},{provider},{region}\n"
        for place, (provider, region) in enumerate(
            (("雲端甲", "台北"), ("雲端乙", "台北"), ("雲端乙", "高雄"), ("A-B", ""), ("A B", ""), ("a b", ""))
        )
    )
    table = read_price_table(written(tmp_path, text))
    stated = stated_by(
        price_rows(table, guessed_reading(table), load_shipped_catalog(), TODAY), load_catalog(), "list.csv"
    )
    offers = {offer["id"]: offer for offer in stated["offers"]}
    assert [offer["provider"] for offer in offers.values()] == ["雲端甲", "雲端乙", "雲端乙", "A-B", "A B"]
    save_own_entries(stated, tmp_path / "own")


@pytest.mark.parametrize(("price", "count"), [("5e-324", "8"), ("0.0000001", "1"), ("2", "1e9")])
def test_prices_next_to_nothing_are_faults(tmp_path: Path, price: str, count: str) -> None:
    table = read_price_table(written(tmp_path, f"gpu,gpu count,price per hour\nH100 SXM,{count},{price}\n"))
    reading = replace(guessed_reading(table), is_per_instance=True)
    (row,) = price_rows(table, reading, load_shipped_catalog(), TODAY)
    assert row.fault == "bad_price"
