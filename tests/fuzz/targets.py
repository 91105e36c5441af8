"""What is fuzzed: good files of every kind, the door that reads them, and what must hold for what it lets in."""

from __future__ import annotations

import csv
import gzip
import io
import math
import os
import tempfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import msgspec

from gpuplanner_gui.files.catalogs import load_catalog
from gpuplanner_gui.files.errors import LONGEST_PLACE, LONGEST_SENTENCE, FileProblem
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.text import has_unsafe_text
from tests.fuzz.mutation import Mutator, Sample, sample_of

REPOSITORY = Path(__file__).resolve().parents[2]
SAMPLES = Path(__file__).with_name("samples")
LARGEST_SAMPLE_BYTES = 8_000
"""Larger samples are cut: what counts is the variety, and small files are read a hundred times as often."""
LARGEST_CUT_BYTES = 900
SMALL_PROJECTS = 4
FEW_LINES = 8
"""A table of few and long lines loses its rows when it is cut."""


@dataclass(frozen=True)
class Target:
    """One parser: `read` raises FileProblem for what it refuses, `check` fails for what it should not have let in."""

    name: str
    samples: Callable[[], list[Sample]]
    read: Callable[[bytes], Any]
    check: Callable[[Any], None]
    checked_one_in: int = 1
    """Where the check takes longer than the reading, it is made of some."""

    def mutator(self) -> Mutator:
        return Mutator(self.name, self.samples())

    def try_out(self, content: bytes) -> str:
        """`read` or `refused`. Raises whatever should not happen."""
        try:
            found = self.read(content)
        except FileProblem as problem:
            check_sentence(str(problem))
            return "refused"
        if zlib.crc32(content) % self.checked_one_in == 0:
            self.check(found)
        return "read"


def check_sentence(sentence: str) -> None:
    """A refusal is one line that ends as sentences do, holds nothing hidden, is not endless and can be written."""
    assert sentence.endswith("."), sentence
    assert "\n" not in sentence, sentence
    assert not has_unsafe_text(sentence), ascii(sentence)
    assert len(sentence) <= 2 * LONGEST_PLACE + 2 * LONGEST_SENTENCE + 20, len(sentence)
    assert "Traceback" not in sentence
    sentence.encode("utf-8")


@lru_cache(maxsize=1)
def scratch_file() -> Path:
    """A file that is written anew for each input, in memory where the machine allows."""
    memory = Path("/dev/shm")
    folder = tempfile.mkdtemp(prefix="gpuplanner-fuzz-", dir=memory if os.access(memory, os.W_OK) else None)
    return Path(folder, "input.txt")


def written(content: bytes) -> Path:
    path = scratch_file()
    path.write_bytes(content)
    return path


def samples_of(folder: str, pattern: str) -> list[Sample]:
    """Files of a folder, large ones by their first lines; large JSON files are left out."""
    found = []
    for path in sorted((REPOSITORY / folder).glob(pattern)):
        content = path.read_bytes()
        is_json = path.suffix in (".json", ".gpuplan", ".gpumeasure")
        if path.name == "SOURCES.csv" or (is_json and len(content) > LARGEST_SAMPLE_BYTES):
            continue
        if len(content) > LARGEST_SAMPLE_BYTES and content.count(b"\n") > FEW_LINES:
            content = content[: content.find(b"\n", LARGEST_CUT_BYTES) + 1]
        found.append(sample_of(content, is_json))
    return found


def thinned_samples(pattern: str) -> list[Sample]:
    """What `thin` has made of large files."""
    return [sample_of(path.read_bytes(), is_json=True) for path in sorted(SAMPLES.glob(pattern))]


def read_project(content: bytes) -> Any:
    from gpuplanner_gui.files.project import project_from_bytes

    return project_from_bytes(content)


def check_project(project: Any) -> None:
    """What was let in is saved, and reads back as the same."""
    from gpuplanner_gui.domain.field import problems_of
    from gpuplanner_gui.files.project import project_from_bytes, project_to_bytes

    assert not problems_of(project)
    content = project_to_bytes(project)
    assert project_to_bytes(project_from_bytes(content)) == content


def recovery_samples() -> list[Sample]:
    """The smallest projects as unsaved work; projects themselves are fuzzed on their own."""
    head = b'{"format": "gpuplanner-recovery", "version": 1, "kept_at": "2026-11-21T10:00:00+01:00", "original": "'
    found = sorted(thinned_samples("project-*"), key=lambda one: len(one.text))[:SMALL_PROJECTS]
    return [
        sample_of(head + b'/home/x/plan.gpuplan", "project": ' + one.text.encode() + b"}", is_json=True)
        for one in found
    ]


def read_recovery(content: bytes) -> Any:
    from gpuplanner_gui.files.recovery import load_recovery

    return load_recovery(written(content)).project


def read_config(content: bytes) -> Any:
    from gpuplanner_gui.files.model_import import read_model

    return read_model(content).model


def check_model(model: Any) -> None:
    from gpuplanner_gui.domain.field import problems_of
    from gpuplanner_gui.engine.model.parameters import model_parameters

    assert not problems_of(model)
    assert 0 <= float(model_parameters(model).total) < 1e17
    for text in (model.name, model.source, *model.assumed, *model.not_understood):
        assert not has_unsafe_text(text), ascii(text)


INDEX = b"""{"metadata": {"total_size": 2471645608, "format": "pt"}, "weight_map": {"model.embed_tokens.weight":
"model-00001-of-00002.safetensors", "model.layers.0.mlp.down_proj.weight": "model-00002-of-00002.safetensors"}}"""
CONFIG_OF_INDEX = b"""{"model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 16, "vocab_size": 128256,
"num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 8192, "tie_word_embeddings": true}"""


def read_index(content: bytes) -> Any:
    from gpuplanner_gui.files.model_import import read_model

    return read_model(CONFIG_OF_INDEX, content)


def check_index(found: Any) -> None:
    assert all(math.isfinite(value) for finding in found.findings for value in finding.values.values())


def read_trace_file(content: bytes) -> Any:
    from gpuplanner_gui.files.traces import read_trace

    return read_trace(written(content))


def check_trace(trace: Any) -> None:
    import numpy as np

    assert len(trace)
    assert np.all(np.isfinite(trace.arrival_s))
    assert np.all(np.diff(trace.arrival_s) >= 0)
    assert trace.prompt_tokens.min() >= 1
    assert trace.output_tokens.min() >= 1
    assert trace.cached_tokens.min() >= 0


def read_measurements(content: bytes) -> Any:
    from gpuplanner_gui.files.measurements.sets import read_sets

    return read_sets(written(content), load_catalog_once(), load_calibration_once())


def check_measurements(found: Any) -> None:
    """Whatever a tool's output brings can be saved, mailed and read again."""
    from gpuplanner_gui.domain.field import problems_of
    from gpuplanner_gui.files.measurements.sets import MeasurementFile

    file = MeasurementFile(sets=found.sets)
    assert not problems_of(file)
    assert msgspec.json.decode(msgspec.json.encode(file), type=MeasurementFile) == file
    for run in (run for one in found.sets for run in one.measurements):
        assert all(math.isfinite(one.value) for one in run.figures)
    for text in found.remarks:
        assert not has_unsafe_text(text), ascii(text)


def measurement_samples() -> list[Sample]:
    """Outputs of every tool."""
    return samples_of("tests/files/measurements/samples", "*.*") + thinned_samples("measurements-*")


def measurement_set_samples() -> list[Sample]:
    """What this program saves of other tools' outputs."""
    from gpuplanner_gui.files.measurements.sets import MeasurementFile, read_sets

    found = []
    for name in ("table.constructed.csv", "vllm-bench-serve.constructed.json", "nccl-16ranks.constructed.txt"):
        path = REPOSITORY / "tests" / "files" / "measurements" / "samples" / name
        sets = read_sets(path, load_catalog(), load_calibration()).sets
        found.append(sample_of(msgspec.json.encode(MeasurementFile(sets=sets)), is_json=True))
    return found


BENCHMARK_TABLES = ("serving", "open-loop", "training", "inference")


def benchmark_samples() -> list[Sample]:
    """Some rows of each kind of table, far apart."""
    found = []
    for kind in BENCHMARK_TABLES:
        path = REPOSITORY / "tests" / "fidelity" / "data" / f"measured-{kind}-dev.csv.gz"
        rows = list(csv.reader(io.StringIO(gzip.decompress(path.read_bytes()).decode("utf-8"))))
        for first in range(1, len(rows), max(1, len(rows) // 8)):
            text = io.StringIO()
            csv.writer(text, lineterminator="\n").writerows([rows[0], rows[first]])
            found.append(sample_of(text.getvalue().encode(), is_json=False))
    return found


def read_benchmark_table(content: bytes) -> Any:
    from gpuplanner_gui.files.benchmark_rows import read_benchmark

    return read_benchmark(written(content), load_catalog_once(), load_calibration_once())


@lru_cache(maxsize=1)
def load_catalog_once() -> Any:
    return load_catalog()


@lru_cache(maxsize=1)
def load_calibration_once() -> Any:
    return load_calibration()


def check_benchmark(table: Any) -> None:
    for row in table.rows:
        assert row.case is not None or row.refusal, row
        assert not has_unsafe_text(row.refusal), ascii(row.refusal)


OFFERS = b"""[{"id": "example-h100-8", "provider": "Example", "market": "neocloud", "instance": "h100.8",
"accelerator_id": "nvidia-t4", "accelerator_count": 8, "region": "eu", "on_demand_usd_per_h": 19.6,
"reserved_1y_usd_per_h": 16.1, "spot_usd_per_h": 9.5, "as_of": "2026-11", "as_of_precision": "month",
"source": "https://example.org/prices", "confidence": "user", "note": "list price"},
{"id": "example-t4", "provider": "Example", "market": "own", "instance": "t4", "accelerator_id": "nvidia-t4",
"accelerator_count": 1}]"""
ENTRIES = b"""[{"id": "nvidia-t4", "tdp_w": 72, "price": {"usd": {"type": "range", "low": 700, "high": 1200},
"as_of": "2026-10", "confidence": "user", "source": "quote"}}, {"id": "nvidia-a2", "name": "A2", "rental":
{"on_demand_usd_per_h": {"type": "triangular", "low": 0.1, "mode": 0.2, "high": 0.4}, "offers_counted": 3}}]"""


def catalogue_samples() -> list[Sample]:
    """A list of offers, and a list of accelerators with prices."""
    return [sample_of(OFFERS, is_json=True), sample_of(ENTRIES, is_json=True)]


def read_own_entries(content: bytes, name: str = "") -> Any:
    from gpuplanner_gui.files.catalogs import with_user_entries

    folder = scratch_file().parent / "catalogs"
    folder.mkdir(exist_ok=True)
    name = name or ("offers.json" if b"provider" in content else "accelerators.json")
    other = "accelerators.json" if name == "offers.json" else "offers.json"
    (folder / other).unlink(missing_ok=True)
    (folder / name).write_bytes(content)
    return with_user_entries(shipped_catalog(), folder)


@lru_cache(maxsize=1)
def shipped_catalog() -> Any:
    from gpuplanner_gui.files.catalogs import load_shipped_catalog

    return load_shipped_catalog()


def check_catalogue(catalog: Any) -> None:
    from gpuplanner_gui.domain.field import problems_of

    for entry in (*catalog.offers.values(), *catalog.accelerators.values()):
        if entry not in (shipped_catalog().offers.get(entry.id), shipped_catalog().accelerators.get(entry.id)):
            assert not problems_of(entry)


PRICE_LISTS = (
    b"Device,Unit price,Currency,Date,Vendor\nNVIDIA H100 SXM5,28 500,EUR,2026-10-01,A\nMI300X,$19000,,2026-09,\n",
    b"GPU;Price;Currency;Term;Region\nH200;3,20;EUR;on demand;\xc3\xb6\nB200;5.10;USD;1 year;us\n;1;USD;spot;\n",
    b"item|price per hour USD|GPU count|as of|provider\n8x H100|19.6|8|10.10.2026|A\nnvidia-t4|0.35|1|2026-11-20|B\n",
    b"name\tprice\nL40S\t7.5k\nnot a device\t-1\nA100 80GB\t\xe2\x82\xac12.000,50\n",
)
PRICE_DAY = date(2026, 11, 21)


def price_list_samples() -> list[Sample]:
    """Quotations as spreadsheets write them: each delimiter, currencies by code and sign, both ways of dates."""
    return [sample_of(content, is_json=False) for content in PRICE_LISTS]


def read_prices(content: bytes) -> Any:
    from gpuplanner_gui.files.price_list import currencies_of, guessed_reading, price_rows, read_price_table, stated_by

    table = read_price_table(written(content))
    guessed = guessed_reading(table)
    rates = dict.fromkeys(currencies_of(table, guessed), 1.1)
    reading = replace(guessed, usd_per_unit=rates, is_per_instance="count" in guessed.columns)
    rows = price_rows(table, reading, shipped_catalog(), PRICE_DAY)
    return rows, stated_by(rows, shipped_catalog(), table.name)


def check_prices(found: Any) -> None:
    """Every row shows as it reads, a usable one has a price, and what is stated is taken into the catalogue."""
    rows, stated = found
    for row in rows:
        assert not any(has_unsafe_text(text) for text in (row.device, row.detail, row.provider, row.region)), row
        assert row.fault is not None or (math.isfinite(row.usd) and row.usd > 0), row
    for kind, entries in stated.items():
        read_own_entries(msgspec.json.encode(entries), f"{kind}.json")


def pack_samples() -> list[Sample]:
    """Packs of offers and accelerators, and one with a file of the calibration."""
    head = b'{"format": "gpuplanner-pack", "version": 1, "name": "Prices", "issued_on": "2026-11-20", "issuer": "x"'
    devices = (REPOSITORY / "catalogs" / "serving_devices.json").read_bytes()
    bodies = (
        b', "notes": "n", "offers": ' + OFFERS + b"}",
        b', "accelerators": ' + ENTRIES + b', "links": [{"id": "nvlink-4", "bytes_per_s_per_direction": 4.5e11}]}',
        b', "calibration": {"serving_devices.json": ' + devices + b"}}",
    )
    return [sample_of(head + body, is_json=True) for body in bodies]


def read_pack_content(content: bytes) -> Any:
    from gpuplanner_gui.files.packs.pack_file import pack_from_bytes
    from gpuplanner_gui.files.packs.powers import pack_changes

    path = Path("input.gpupack")
    pack = pack_from_bytes(content, path)
    return pack, pack_changes(pack, path, shipped_catalog())


def check_pack(found: Any) -> None:
    """What is shown before a pack is applied can be shown."""
    from gpuplanner_gui.drawing.words.pack import change_rows, changes_summary, pack_title

    pack, changes = found
    for text in (pack_title(pack), changes_summary(changes), *(cell for row in change_rows(changes) for cell in row)):
        assert not has_unsafe_text(text), ascii(text)


TARGETS: dict[str, Target] = {
    one.name: one
    for one in (
        Target("project", partial(thinned_samples, "project-*"), read_project, check_project, 8),
        Target("recovery", recovery_samples, read_recovery, check_project, 8),
        Target("config", partial(samples_of, "tests/files/model_import/configs", "*.json"), read_config, check_model),
        Target("safetensors-index", lambda: [sample_of(INDEX, True)], read_index, check_index),
        Target("trace", partial(samples_of, "tests/files/traces/data", "*.*"), read_trace_file, check_trace),
        Target("measurements", measurement_samples, read_measurements, check_measurements, 8),
        Target("measurement-set", measurement_set_samples, read_measurements, check_measurements, 8),
        Target("benchmark-table", benchmark_samples, read_benchmark_table, check_benchmark),
        Target("own-entries", catalogue_samples, read_own_entries, check_catalogue, 8),
        Target("price-list", price_list_samples, read_prices, check_prices, 8),
        Target("pack", pack_samples, read_pack_content, check_pack),
    )
}  # fmt: skip
