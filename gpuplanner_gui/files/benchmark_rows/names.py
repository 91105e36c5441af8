"""Published names of models, devices, software, formats and metrics, resolved through what is known of them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from gpuplanner_gui.domain.benchmark import ProductFormat, ServingMetric
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.model import Model, Precision
from gpuplanner_gui.domain.preset import ReferenceWorkload, ReferenceWorkloads
from gpuplanner_gui.domain.serving_engine import EngineFacts, StackSoftware
from gpuplanner_gui.engine.serving.engine_release import older_release
from gpuplanner_gui.files.benchmark_rows.question import RowProblem, shown
from gpuplanner_gui.files.catalog_names import name_key, resolve_accelerator
from gpuplanner_gui.files.model_names import resolve_model
from gpuplanner_gui.files.safe_json import read_shipped
from gpuplanner_gui.paths import catalogs_dir

WEIGHT_FORMATS: MappingProxyType[str, ProductFormat] = MappingProxyType({
    "": "", "auto": "", "default": "", "fp32": "fp32", "float32": "fp32", "f32": "fp32", "tf32": "tf32",
    "bf16": "bf16", "bfloat16": "bf16", "fp16": "fp16", "float16": "fp16", "f16": "fp16", "half": "fp16",
})  # fmt: skip
"""Wide formats, which are stored as they are named."""

BY_WORD: tuple[tuple[re.Pattern[str], ProductFormat], ...] = (
    (re.compile(r"nvfp4|fp4_e2m1|(?<![a-z0-9])fp4(?!\d)"), "nvfp4"),
    (re.compile(r"mxfp4"), "mxfp4"),
    (re.compile(r"fp8_?block|block_?fp8"), "fp8_block"),
    (re.compile(r"fp8|float8|e4m3|e5m2|(?<![a-z0-9])f8(?!\d)"), "fp8"),
    (re.compile(r"fp6|e3m2|e2m3"), "fp6"),
)
"""Formats of floating point by the first word that a name holds; the narrowest decides, as it is that of the weights:
`w4a8_mxfp4_mxfp8` has MXFP4 weights."""

ACTIVATIONS = re.compile(r"(?<=w\d)_?a_?(?:fp|int|bf)?\d+")
STATED_BITS = re.compile(
    r"(?<![a-z0-9])(?:i?q|tq|u?int|[iu]|nf|w|gptq|awq|exl[23]_|hqq|bnb|mlx)_?([1-8](?:\.\d+)?)(?!\d)"
    r"|(?<![\d.])([1-8](?:\.\d+)?)_?(?:bpw|bits?)(?![a-z])"
)
"""Bits of a weight that a name states: `ud-q2_k_xl`, `iq3_xxs`, `w4a16`, `int8_wo`, `4bit`, `4.25bpw`, `mlx-6bit`."""

FOUR_BITS_UNLESS_STATED = re.compile(r"awq|gptq|exl[23]|nf4|bnb|autoround|hqq|marlin|qat")
MIXED_WIDTHS = re.compile(r"int\d(?:[_/+]\d)+")
STORED_IN_BITS: tuple[tuple[float, ProductFormat], ...] = ((4.75, "int4"), (6.99, "fp6"), (8.99, "int8"))
"""The nearest format of up to so many bits; formats of five or six bits go with FP6, the nearest in size."""

WORDS_APART = re.compile(r"[\s\-+,;:()]+")
LONGEST_FORMAT = 60

CACHE_FORMATS: MappingProxyType[ProductFormat, Precision | None] = MappingProxyType({
    "": None, "fp32": "fp32", "bf16": "bf16", "fp16": "fp16", "fp8": "fp8", "fp8_block": "fp8", "int8": "int8",
    "nvfp4": "nvfp4", "mxfp4": "nvfp4", "int4": "nvfp4",
})  # fmt: skip
"""A cache of four bits takes the bytes of one in FP4, scales and all."""

METRICS: MappingProxyType[str, tuple[ServingMetric, float]] = MappingProxyType({
    "ttft_ms": ("ttft_mean", 1e3), "ttft_ms_mean": ("ttft_mean", 1e3), "ttft_mean_ms": ("ttft_mean", 1e3),
    "ttft_ms_p50": ("ttft_p50", 1e3), "ttft_p50_ms": ("ttft_p50", 1e3), "ttft_p90_ms": ("ttft_p90", 1e3),
    "ttft_ms_p90": ("ttft_p90", 1e3), "ttft_p99_ms": ("ttft_p99", 1e3), "ttft_ms_p99": ("ttft_p99", 1e3),
    "tpot_ms": ("tpot_mean", 1e3), "tpot_ms_mean": ("tpot_mean", 1e3), "tpot_mean_ms": ("tpot_mean", 1e3),
    "tpot_ms_p50": ("tpot_p50", 1e3), "tpot_p50_ms": ("tpot_p50", 1e3), "tpot_p99_ms": ("tpot_p99", 1e3),
    "tpot_ms_p99": ("tpot_p99", 1e3), "itl_ms": ("itl_mean", 1e3), "itl_mean_ms": ("itl_mean", 1e3),
    "itl_p50_ms": ("itl_p50", 1e3), "itl_p99_ms": ("itl_p99", 1e3), "e2e_latency_ms": ("e2e_mean", 1e3),
    "e2e_mean_ms": ("e2e_mean", 1e3), "e2e_p50_ms": ("e2e_p50", 1e3), "e2e_p99_ms": ("e2e_p99", 1e3),
    "latency_ms": ("e2e_mean", 1e3), "latency_ms_p90": ("e2e_p90", 1e3), "latency_ms_p99": ("e2e_p99", 1e3),
    "output_tok_s": ("output_tokens_per_s", 1.0), "total_tok_s": ("total_tokens_per_s", 1.0),
    "prefill_tok_s": ("prefill_tokens_per_s", 1.0), "decode_tok_s": ("decode_tokens_per_s", 1.0),
    "req_s": ("requests_per_s", 1.0), "req_throughput": ("requests_per_s", 1.0),
    "samples_s": ("samples_per_s", 1.0), "peak_mem_gb": ("peak_memory", 1e-9),
})  # fmt: skip
"""The engine's name of a published metric, and the factor from SI to the usual unit."""

UNIT_FACTORS: MappingProxyType[str, float] = MappingProxyType({
    "ms": 1e3, "s": 1.0, "us": 1e6, "GB": 1e-9, "GiB": 2.0**-30, "MB": 1e-6, "MiB": 2.0**-20,
})  # fmt: skip

PLAIN_UNITS = frozenset(("tok/s", "req/s", "samples/s", "images/s", "tokens/s", ""))


def weight_format(text: str, remarks: list[str]) -> ProductFormat:
    """The stored format that a published name means, by families of names; what is read into it joins `remarks`.

    Raises RowProblem for a name that states neither a known format nor bits.
    """
    plain = ACTIVATIONS.sub("", WORDS_APART.sub("_", text.strip().lower())).strip("_")
    if plain in WEIGHT_FORMATS:
        return WEIGHT_FORMATS[plain]
    if len(plain) > LONGEST_FORMAT:
        raise RowProblem(f"the weight precision {shown(text)!r} is not known")
    stored = next((stored for words, stored in BY_WORD if words.search(plain)), None)
    if stored is not None:
        return stored
    bits = _bits_of(plain)
    if bits is None:
        wide = [stored for name, stored in WEIGHT_FORMATS.items() if name in plain.split("_")]
        if not wide or not wide[0]:
            raise RowProblem(f"the weight precision {shown(text)!r} is not known")
        return wide[0]
    nearest: ProductFormat = next((stored for most, stored in STORED_IN_BITS if bits <= most), "int8")
    if bits not in (4.0, 8.0):
        remarks.append(f"weights of about {bits:g} bits predicted as {nearest.upper()}, the nearest format")
    return nearest


def _bits_of(plain: str) -> float | None:
    """Bits of a weight that a name states, the middle one where it states several; None where it states none."""
    mixed = MIXED_WIDTHS.search(plain)
    if mixed:
        widths = sorted(int(digit) for digit in mixed[0] if digit.isdigit())
        return float(min(widths[len(widths) // 2], 8))
    found = [float(next(filter(None, one.groups()))) for one in STATED_BITS.finditer(plain)]
    if found:
        return min(found)
    return 4.0 if FOUR_BITS_UNLESS_STATED.search(plain) else None


def cache_format(text: str, remarks: list[str]) -> Precision | None:
    """A published name of a cache format; None where the engine chooses or nobody knows it."""
    automatic = re.sub(r"^(?:auto|default)\b", "", text.strip().lower())
    read_into: list[str] = []
    try:
        found = CACHE_FORMATS[weight_format(automatic, read_into)] if automatic else None
    except (RowProblem, KeyError):
        remarks.append(f"the KV precision {shown(text)!r} is not known; predicted with the engine's own choice")
        return None
    remarks.extend(remark.replace("weights", "KV cache") for remark in read_into)
    return found


def metric_of(name: str, unit: str) -> tuple[ServingMetric, float]:
    """The engine's metric and the factor from SI to the row's unit. Raises RowProblem."""
    if name not in METRICS:
        raise RowProblem(f"the metric {shown(name)!r} is not one that can be predicted")
    asked, usual = METRICS[name]
    if unit in UNIT_FACTORS:
        return asked, UNIT_FACTORS[unit]
    if unit in PLAIN_UNITS:
        return asked, usual
    raise RowProblem(f"the unit {shown(unit)!r} of {name} is not known")


WORKLOADS_FILE = "reference_workloads.json"


@lru_cache(maxsize=1)
def reference_workloads() -> tuple[ReferenceWorkload, ...]:
    """All of them, the more special first. Raises FileProblem for a damaged file."""
    return read_shipped(catalogs_dir() / WORKLOADS_FILE, ReferenceWorkloads).workloads


def workload_of(model_id: str, *texts: str) -> ReferenceWorkload:
    """The first workload of the model, or of any, that a row's source or notes name; the last one fits all."""
    joined = " ".join(texts).lower()
    for workload in reference_workloads():
        is_named = any(name.lower() in joined for name in workload.sources)
        if is_named and (not workload.models or model_id in workload.models):
            return workload
    return reference_workloads()[-1]


GENERIC = "generic"
_NO_WORD = re.compile(r"[^a-z0-9]+")


def model_named(catalog: Catalog, name: str) -> tuple[str, Model, Precision | None]:
    """Identifier and architecture of a published name, and the precision that it says. Raises RowProblem."""
    if not name:
        raise RowProblem("the row names no model")
    found, precision = resolve_model(catalog, name)
    if found is None:
        raise RowProblem(f"the model {shown(name)!r} is not in the catalogue")
    return found, catalog.models[found].model, precision


def accelerator_named(catalog: Catalog, name: str, memory_gb: float | None = None) -> str:
    """Catalogue identifier of a published device name. Raises RowProblem."""
    if not name:
        raise RowProblem("the row names no accelerator")
    found = resolve_accelerator(catalog, name, memory_gb)
    if found is None and memory_gb is not None:
        found = resolve_accelerator(catalog, name)
    if found is None:
        raise RowProblem(f"the accelerator {shown(name)!r} is not in the catalogue")
    return found


@dataclass(frozen=True)
class Named:
    """What a published name was taken for, and the spread that this adds to times."""

    id: str
    log_sd: float = 0.0
    remarks: tuple[str, ...] = ()


_LEFT_OPEN = re.compile(r"(?<![a-z])(?:unspecified|unknown|unstated|not[\s_-]stated|any[\s_-]form)(?![a-z])")


def device_named(catalog: Catalog, name: str, memory_gb: float | None = None) -> Named:
    """The accelerator of a published name; one that leaves the form factor open counts as the usual board.

    The spread is that of the bandwidths of the boards which share the name. Raises RowProblem.
    """
    plain = _LEFT_OPEN.sub(" ", name.lower())
    if plain == name.lower() or not plain.strip(" _-()"):
        return Named(accelerator_named(catalog, name, memory_gb))
    found = accelerator_named(catalog, plain, memory_gb)
    taken = catalog.accelerators[found]
    bare = name_key(plain).words
    others = [
        one for one in catalog.accelerators.values() if name_key(one.id).words[: len(bare)] == bare and one.id != found
    ]
    bandwidth = taken.memory_bandwidth_bytes_per_s
    apart = [abs(math.log(one.memory_bandwidth_bytes_per_s / bandwidth)) for one in others]
    remark = f"the name leaves the form factor open; predicted as {taken.name}"
    return Named(found, max(apart, default=0.0), (remark,))


def nearest_engine(calibration: Calibration, name: str) -> Named:
    """The engine of a published name, or the one that works most like it, with the spread of one without figures."""
    key, unknown = plain_key(name), calibration.engine(GENERIC)
    found, length = _by_own_name(calibration, key)
    stand_in, closer = _longest(key, {one.engine: one.stands_for for one in calibration.engines})
    is_own = length >= max(closer, 1)
    found = found if is_own else stand_in
    timed = _timed_for(calibration, found)
    if not key or (is_own and timed.engine == found):
        return Named(found)
    wide = calibration.engine(found) if is_own else unknown
    spread = math.sqrt(max(wide.log_sd**2 - timed.log_sd**2, 0.0))
    return Named(found, spread, (f"{shown(name)} has no figures of its own; predicted as {timed.name}",))


def _timed_for(calibration: Calibration, engine: str) -> EngineFacts:
    """The engine whose published results stand for one: itself, or the one that its steps take as long as."""
    lenders = (one.engine for one in calibration.stacks.software if engine in one.serves_tokens_of)
    return calibration.engine(next(lenders, engine))


def engine_named(calibration: Calibration, name: str) -> str:
    """The engine facts that a published engine's name goes by; the generic engine's for one that is not listed."""
    return _by_own_name(calibration, plain_key(name))[0]


def _by_own_name(calibration: Calibration, key: str) -> tuple[str, int]:
    return _longest(key, {one.engine: (one.engine, one.name, *one.aliases) for one in calibration.engines})


def _longest(key: str, names: dict[str, tuple[str, ...]]) -> tuple[str, int]:
    """The engine with the longest name that a key holds as words, and that name's letters; generic and 0 for none."""
    best, length = GENERIC, 0
    for engine, aliases in names.items():
        for known in map(plain_key, aliases):
            if len(known) > length and f" {known} " in f" {key} ":
                best, length = engine, len(known)
    return best, length


def software_named(calibration: Calibration, name: str, version: str) -> StackSoftware:
    """Published software by generation; the engine that its name goes by where it is not listed."""
    found = calibration.stacks.software_named(name, version)
    if found is not None:
        return found
    engine = engine_named(calibration, name)
    return StackSoftware(software=engine, engine=engine, aliases=())


def plain_key(name: str) -> str:
    """A name in lower case, words apart by one space."""
    return _NO_WORD.sub(" ", name.lower()).strip()


def release_remarks(calibration: Calibration, engine: str, release: str, year: float) -> tuple[str, ...]:
    """What is told of a release that did otherwise than the newest ones."""
    facts = calibration.engine(engine)
    older = older_release(facts, release, year)
    return () if older is None else (f"predicted as a release of {facts.name} before {older.before}",)
