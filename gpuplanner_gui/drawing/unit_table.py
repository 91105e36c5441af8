"""The units that planners write and read: names, dimensions and sizes, kept as exact decimals.

A unit such as `USD/kW/month` is a product of atoms over a product of atoms; an atom is a name with an optional prefix.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

SI = {
    "n": "1e-9", "u": "1e-6", "µ": "1e-6", "μ": "1e-6", "m": "1e-3",
    "k": "1e3", "K": "1e3", "M": "1e6", "G": "1e9", "T": "1e12", "P": "1e15", "E": "1e18", "Z": "1e21", "Y": "1e24",
}  # fmt: skip
IEC = {"Ki": str(2**10), "Mi": str(2**20), "Gi": str(2**30), "Ti": str(2**40), "Pi": str(2**50)}
COUNT = {"k": "1e3", "K": "1e3", "M": "1e6", "B": "1e9", "bn": "1e9", "G": "1e9", "T": "1e12"}
PREFIXES = (*IEC.items(), *COUNT.items(), *SI.items())
NUMBER_WORDS = {
    "thousand": "1e3", "million": "1e6", "billion": "1e9", "trillion": "1e12", **COUNT,
}  # fmt: skip
"""Multipliers that may follow a bare number: 15T, 7B, 1.5k, 3 million."""
EAST_ASIAN_NUMBER_WORDS = {"千": "1e3", "萬": "1e4", "百萬": "1e6", "億": "1e8", "十億": "1e9", "兆": "1e12"}
"""Multipliers that stand right before what they count: 3 萬個請求."""

MONTH_S = Decimal("2629800")
YEAR_S = Decimal("31557600")
"""A Julian year; a month is a twelfth of it."""


@dataclass(frozen=True)
class Atom:
    dimension: str
    size: Decimal
    prefixes: str = ""
    """'decimal', 'binary', 'count', or several with a blank between."""


def _atoms(dimension: str, size: Decimal | str, names: str, prefixes: str = "") -> dict[str, Atom]:
    return {name: Atom(dimension, Decimal(size), prefixes) for name in names.split()}


ATOMS: dict[str, Atom] = {
    **_atoms("byte", "1", "B byte bytes Byte Bytes", "decimal binary"),
    **_atoms("byte", "0.125", "bit bits b", "decimal binary"),
    **_atoms("second", "1", "s sec secs second seconds", "decimal"),
    **_atoms("second", "60", "min mins minute minutes"),
    **_atoms("second", "3600", "h hr hrs hour hours"),
    **_atoms("second", "86400", "d day days"),
    **_atoms("second", "604800", "week weeks wk wks"),
    **_atoms("second", MONTH_S, "month months mo"),
    **_atoms("second", YEAR_S, "y yr yrs year years"),
    **_atoms("usd", "1", "USD usd $ US$ dollar dollars", "count"),
    **_atoms("token", "1", "tok toks token tokens", "count"),
    **_atoms("request", "1", "req reqs request requests", "count"),
    **_atoms("sequence", "1", "seq seqs sequence sequences", "count"),
    **_atoms("device", "1", "device devices gpu gpus GPU GPUs accelerator accelerators", "count"),
    **_atoms("replica", "1", "replica replicas", "count"),
    **_atoms("core", "1", "core cores"),
    **_atoms("litre", "1", "L l litre litres liter liters", "decimal"),
    **_atoms("parameter", "1", "param params parameter parameters", "count"),
    **_atoms("watt", "1", "W watt watts", "decimal"),
    **_atoms("joule", "1", "J joule joules", "decimal"),
    **_atoms("joule", "3600", "Wh", "decimal"),
    **_atoms("flop", "1", "flop flops FLOP FLOPs Flop OP OPs op ops", "decimal"),
    **_atoms("gram", "1", "g gram grams", "decimal"),
    **_atoms("hertz", "1", "Hz hz", "decimal"),
    **_atoms("rackunit", "1", "U"),
    **_atoms("area", "1", "m² m2 sqm"),
    **_atoms("", "0.01", "% percent"),
    **_atoms("", "1", "1 x ×"),
}
TRANSLATED_ATOMS: dict[str, Atom] = {
    **_atoms("byte", "1", "位元組"),
    **_atoms("byte", "0.125", "位元"),
    **_atoms("second", "1e-9", "奈秒"),
    **_atoms("second", "1e-6", "微秒"),
    **_atoms("second", "1e-3", "毫秒"),
    **_atoms("second", "1", "秒 秒鐘"),
    **_atoms("second", "60", "分 分鐘"),
    **_atoms("second", "3600", "時 小時 鐘頭"),
    **_atoms("second", "86400", "天 日"),
    **_atoms("second", "604800", "週 周 星期 禮拜"),
    **_atoms("second", MONTH_S, "月"),
    **_atoms("second", YEAR_S, "年"),
    **_atoms("usd", "1", "美元 美金"),
    **_atoms("token", "1", "詞元"),
    **_atoms("request", "1", "請求 次請求 次 筆請求"),
    **_atoms("sequence", "1", "序列"),
    **_atoms("device", "1", "裝置 加速器 張 台"),
    **_atoms("replica", "1", "副本"),
    **_atoms("core", "1", "核心 核"),
    **_atoms("litre", "1", "公升"),
    **_atoms("parameter", "1", "參數"),
    **_atoms("watt", "1", "瓦"),
    **_atoms("watt", "1e3", "千瓦"),
    **_atoms("joule", "1", "焦耳"),
    **_atoms("joule", "3.6e6", "度"),
    **_atoms("gram", "1", "公克"),
    **_atoms("gram", "1e3", "公斤"),
    **_atoms("hertz", "1", "赫茲"),
}
"""Words of the program's other languages; they are read in every language, as English ones are."""
MEASURE_WORD = "個"
"""Stands between a number and what it counts, and says nothing."""
SHORTHANDS = {
    "bps": "bit/s", "Bps": "B/s", "FLOPS": "flop/s", "FLOPs/s": "flop/s", "flops": "flop/s", "OPS": "OP/s",
    "TOPS": "TOP/s", "tps": "tok/s", "qps": "req/s", "rps": "req/s", "QPS": "req/s", "RPS": "req/s",
}  # fmt: skip
"""Names that stand for a compound."""

EXTRA_PREFIXED = ("bps", "Bps", "FLOPS", "flops", "OPS")


@dataclass(frozen=True)
class MeasuringUnit:
    """A unit's size in base units, and its dimension as sorted (atom, power) pairs."""

    size: Decimal
    dimension: tuple[tuple[str, int], ...]


class UnknownUnit(ValueError):
    """A word that names no unit."""

    def __init__(self, word: str) -> None:
        super().__init__(word)
        self.word = word


@lru_cache(maxsize=1024)
def unit_of(text: str) -> MeasuringUnit:
    """Read a unit: `GB`, `req/min`, `USD/kW/month`, `$ per hour`. Raises UnknownUnit."""
    size, powers = Decimal(1), Counter[str]()
    for index, part in enumerate(re.sub(r"\bper\b|每", "/", text).split("/")):
        sign = 1 if index == 0 else -1
        for word in part.replace("·", " ").replace("*", " ").split():
            atom = _atom_of(word)
            size = size * atom.size if sign > 0 else size / atom.size
            for name, power in atom.dimension:
                powers[name] += sign * power
    return MeasuringUnit(size, tuple(sorted((name, power) for name, power in powers.items() if power and name)))


def _atom_of(word: str) -> MeasuringUnit:
    known = _known(word) or _known(word.lower() if len(word) > 3 else word)
    known = known or _known_ignoring_case(word) or _known_in_translation(word)
    if known is None:
        raise UnknownUnit(word)
    return known


def _times(factor: str, atom: Atom) -> MeasuringUnit:
    return MeasuringUnit(Decimal(factor) * atom.size, ((atom.dimension, 1),))


def _known_in_translation(word: str) -> MeasuringUnit | None:
    """Units and multipliers in the present language, such as 請求, 個裝置, 百萬請求, 百萬."""
    if word in EAST_ASIAN_NUMBER_WORDS:
        return MeasuringUnit(Decimal(EAST_ASIAN_NUMBER_WORDS[word]), ())
    for name, factor in (("", "1"), *sorted(EAST_ASIAN_NUMBER_WORDS.items(), key=lambda item: -len(item[0]))):
        if not word.startswith(name):
            continue
        rest = word.removeprefix(name).removeprefix(MEASURE_WORD)
        if rest in TRANSLATED_ATOMS:
            return _times(factor, TRANSLATED_ATOMS[rest])
        if name and rest in ATOMS:
            return _times(factor, ATOMS[rest])
    return None


def _known(word: str) -> MeasuringUnit | None:
    if word in ATOMS:
        return _times("1", ATOMS[word])
    if word in SHORTHANDS:
        return unit_of(SHORTHANDS[word])
    for prefix, factor in PREFIXES:
        rest = word[len(prefix) :]
        if not rest or not word.startswith(prefix):
            continue
        if rest in EXTRA_PREFIXED and prefix in SI:
            unit = unit_of(SHORTHANDS[rest])
            return MeasuringUnit(Decimal(factor) * unit.size, unit.dimension)
        if rest in ATOMS and _takes(ATOMS[rest], prefix):
            return _times(factor, ATOMS[rest])
    return None


def _takes(atom: Atom, prefix: str) -> bool:
    kinds = atom.prefixes.split()
    return (
        (prefix in SI and "decimal" in kinds)
        or (prefix in IEC and "binary" in kinds)
        or (prefix in COUNT and "count" in kinds)
    )


_CARELESS = {
    "kb": "kB", "mb": "MB", "gb": "GB", "tb": "TB", "pb": "PB", "kib": "KiB", "mib": "MiB", "gib": "GiB", "tib": "TiB",
    "gbps": "Gbps", "mbps": "Mbps", "tflops": "TFLOPS", "pflops": "PFLOPS", "gflops": "GFLOPS", "tops": "TOPS",
    "kw": "kW", "mw": "MW", "kwh": "kWh", "w": "W", "kwhr": "kWh", "tflop": "Tflop", "pflop": "Pflop", "ghz": "GHz",
    "mhz": "MHz", "sec.": "s", "S": "s", "MS": "ms", "H": "h",
}  # fmt: skip
"""Spellings that mean one thing only in a planner's hand: `80gb` is gigabytes, `Gb` stays gigabits."""


def _known_ignoring_case(word: str) -> MeasuringUnit | None:
    meant = _CARELESS.get(word) or _CARELESS.get(word.lower())
    return _known(meant) if meant else None
