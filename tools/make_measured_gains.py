"""Write catalogs/measured_gains.json: published results of two accelerators in the same configuration, as ratios.

    python -m tools.make_measured_gains

Reads the tables of measurements in tests/fidelity/data. Two rows are a pair when they come from one source and agree in
model, engine, layout, lengths, batch and metric. TTFT and prompt rates stand for prefill; TPOT, decode rates and output
rates of long answers stand for decoding.
"""

from __future__ import annotations

import itertools
import json
import re
import statistics
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.files.catalog_names import resolve_accelerator
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from tools.repository import CATALOGS, table_rows

OUT = CATALOGS / "measured_gains.json"
SERVING_SOURCE = "aiconfigurator-core 0.12 (NVIDIA), Apache-2.0: measured closed loops"
SIXTEEN_BITS = frozenset({"fp16", "bf16", "bfloat16", "amp_bf16/default", "bf16/pure"})
EIGHT_BITS = frozenset({"fp8", "fp8-cs", "amp_fp8/default"})
HIGHER_IS_BETTER = frozenset(
    {"decode_tok_s", "prefill_tok_s", "output_tok_s", "tokens_per_s_per_gpu", "model_tflops_per_gpu"}
)
PHASES = {
    "ttft_ms": "prefill", "prefill_tok_s": "prefill", "tpot_ms": "decode", "tpot_ms_p50": "decode",
    "decode_tok_s": "decode", "output_tok_s": "decode", "tokens_per_s_per_gpu": "training",
    "model_tflops_per_gpu": "training",
}  # fmt: skip
LONG_ANSWER = 1.0
"""Answers at least this many times as long as their prompts: the output rate is that of decoding."""
LARGEST_BATCH = 100_000
SOFTWARE = {"vLLM (Splitwise profiling)": ("vLLM", "0.2 (2023)")}
"""What sources that name no release ran, by their papers' dates."""
ENGINES = {"vllm": "vLLM", "sglang": "SGLang", "trtllm": "TensorRT-LLM"}


@dataclass(frozen=True)
class Result:
    """One published figure, as speed: higher is better."""

    configuration: tuple[str, ...]
    accelerator: str
    phase: str
    model: str
    precision: str
    devices: int
    batch: int
    speed: float
    source: str
    software: tuple[str, str] = ("", "")


def known_precision(name: str) -> str:
    """bf16 or fp8 for what a pair may be made of, empty for other formats."""
    lower = name.lower()
    return "bf16" if lower in SIXTEEN_BITS else "fp8" if lower in EIGHT_BITS else ""


def number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def serving_results(catalog: Catalog) -> Iterator[Result]:
    layout = ("tp_size", "pp_size", "attention_dp_size", "moe_tp_size", "moe_ep_size")
    for row in table_rows("measured-serving-dev"):
        found, precision = resolve_accelerator(catalog, row["system"]), known_precision(row["precision"])
        if row["mode"] != "agg" or found is None or not precision:
            continue
        fixed = tuple(row[name] for name in ("model_path", "backend", "isl", "osl", "concurrency", *layout))
        devices = max(1, round(number(row["tp_size"]) * max(1.0, number(row["attention_dp_size"]))))
        for phase, column in (("prefill", "measured_ttft_ms"), ("decode", "measured_tpot_ms")):
            if phase == "prefill" and row["concurrency"] != "1":
                continue  # a first token under load also waits for others
            yield Result(
                (*fixed, phase), found, phase, row["model_path"].rpartition("/")[2], precision, devices,
                round(number(row["concurrency"])), 1.0 / number(row[column]), SERVING_SOURCE,
                software_of(ENGINES.get(row["backend"], row["backend"]), row["backend_version"]),
            )  # fmt: skip


def inference_results(catalog: Catalog) -> Iterator[Result]:
    fixed = ("source", "model", "n_gpus", "tp", "pp", "engine", "isl", "osl", "concurrency_or_batch", "metric")
    for row in table_rows("measured-inference-dev"):
        phase, precision = PHASES.get(row["metric"]), known_precision(row["weight_precision"])
        value, batch = number(row["value"]), round(number(row["concurrency_or_batch"]))
        found = resolve_accelerator(catalog, row["gpu"], number(row["gpu_mem_gb"]) or None)
        is_queue = row["scenario"] == "offline_max_throughput"  # how many run at once is not known
        if phase is None or not precision or row["suspect"] or is_queue or found is None or value <= 0:
            continue
        is_single = row["metric"] in ("decode_tok_s", "prefill_tok_s") and batch == 0
        if not (0 < batch < LARGEST_BATCH or is_single) or (row["metric"] == "ttft_ms" and batch != 1):
            continue
        if row["metric"] == "output_tok_s" and number(row["osl"]) < LONG_ANSWER * max(number(row["isl"]), 1.0):
            continue
        speed = value if row["metric"] in HIGHER_IS_BETTER else 1.0 / value
        yield Result(
            tuple(row[name] for name in fixed), found, phase, row["model"], precision,
            max(1, round(number(row["n_gpus"]))), max(batch, 1) if phase == "decode" else 0, speed, row["source"],
            software_of(row["engine"], row["engine_version"]),
        )  # fmt: skip


def software_of(engine: str, release: str) -> tuple[str, str]:
    """Engine and release as planners know them; a nightly build says no release."""
    name, known = SOFTWARE.get(engine, (engine, release))
    return name, "" if known.startswith("nightly") else known.removeprefix(name).strip()


def listed(software: set[tuple[str, str]]) -> str:
    """TensorRT-LLM 0.5.0 to 0.9.0; several engines with commas."""
    parts = []
    for engine in sorted({engine for engine, _ in software}):
        releases = sorted({one for name, one in software if name == engine and one}, key=release_order)
        parts.append(f"{engine} {' to '.join(dict.fromkeys((releases[0], releases[-1])))}" if releases else engine)
    return ", ".join(parts)


def release_order(release: str) -> list[int]:
    """The numbers of a release, in turn."""
    return [int(one) for one in re.findall(r"\d+", release)]


def training_results(catalog: Catalog) -> Iterator[Result]:
    fixed = ("source", "model", "seq_len", "micro_batch", "n_gpus", "tp", "pp", "cp", "ep", "metric")
    for row in table_rows("measured-training-dev"):
        precision, value = known_precision(row["precision"]), number(row["value"])
        found = resolve_accelerator(catalog, row["gpu"])
        if row["metric"] not in PHASES or not precision or found is None or value <= 0:
            continue
        yield Result(
            tuple(row[name] for name in fixed), found, "training", row["model"], precision,
            max(1, round(number(row["n_gpus"]))), 0, value, row["source"],
        )  # fmt: skip


def entries(results: list[Result], catalog: Catalog) -> list[dict[str, object]]:
    alike: dict[tuple[str, ...], dict[tuple[str, str], list[Result]]] = defaultdict(lambda: defaultdict(list))
    for one in results:
        alike[one.configuration][one.accelerator, one.precision].append(one)
    ratios: dict[tuple[object, ...], list[tuple[int, float]]] = defaultdict(list)
    software: dict[tuple[object, ...], set[tuple[str, str]]] = defaultdict(set)
    for members in alike.values():
        for (a, a_format), (b, b_format) in itertools.permutations(members, 2):
            if a == b or age(catalog, a) >= age(catalog, b) or (a_format, b_format) == ("fp8", "bf16"):
                continue
            old, new = members[a, a_format], members[b, b_format]
            gain = statistics.median(one.speed for one in new) / statistics.median(one.speed for one in old)
            key = (a, b, new[0].phase, new[0].model, a_format, b_format, new[0].devices, new[0].source)
            ratios[key].append((new[0].batch, gain))
            software[key] |= {one.software for one in (*old, *new) if one.software[0]}
    found: list[dict[str, object]] = []
    for which, pairs in ratios.items():
        names = ("first", "second", "phase", "model", "first_precision", "second_precision", "devices", "source")
        values = sorted(gain for _, gain in pairs)
        entry = dict(zip(names, which)) | {
            "batch_low": min(batch for batch, _ in pairs), "batch_high": max(batch for batch, _ in pairs),
            "pairs": len(pairs), "low": round(values[0], 3), "median": round(statistics.median(values), 3),
            "high": round(values[-1], 3),
        }  # fmt: skip
        if software[which]:
            entry["software"] = listed(software[which])
        found.append({name: value for name, value in entry.items() if value != 0})
    order = ("training", "prefill", "decode")
    return sorted(found, key=lambda one: (one["first"], one["second"], order.index(str(one["phase"])), json.dumps(one)))


def age(catalog: Catalog, accelerator: str) -> tuple[int, float, str]:
    """Which of two accelerators is the first: the older one, then the one of less bandwidth."""
    entry = catalog.accelerators[accelerator]
    return (entry.year or 0, entry.memory_bandwidth_bytes_per_s, accelerator)


def main() -> None:
    catalog = load_shipped_catalog()
    results = [*serving_results(catalog), *inference_results(catalog), *training_results(catalog)]
    found = entries(results, catalog)
    OUT.write_text("[\n" + ",\n".join(f"  {json.dumps(one)}" for one in found) + "\n]\n", encoding="utf-8")
    print(f"{len(found)} measured gains from {len(results)} results in {OUT.name}")


if __name__ == "__main__":
    main()
