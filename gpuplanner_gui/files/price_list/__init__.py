"""A price list in CSV: read, understood row by row, and turned into entries of the planner's own catalogue."""

from gpuplanner_gui.files.price_list.table import (
    PRICE_FIELDS,
    PriceField,
    PriceReading,
    PriceTable,
    currencies_of,
    guessed_reading,
    looks_like_prices,
    price_rows,
    read_price_table,
    stated_by,
)

__all__ = [
    "PRICE_FIELDS", "PriceField", "PriceReading", "PriceTable", "currencies_of", "guessed_reading", "looks_like_prices",
    "price_rows", "read_price_table", "stated_by",
]  # fmt: skip
