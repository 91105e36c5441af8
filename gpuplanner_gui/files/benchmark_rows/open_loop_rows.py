"""Rows of runs at a given request rate: every latency column that is filled, or all of them where none is."""

from __future__ import annotations

import math
import re

from gpuplanner_gui.domain.benchmark import PoolLayout, ServingCase
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.files.benchmark_rows.names import (
    METRICS,
    cache_format,
    device_named,
    model_named,
    nearest_engine,
    release_remarks,
    weight_format,
    workload_of,
)
from gpuplanner_gui.files.benchmark_rows.question import Row, RowProblem, RowQuestion, count, measured, number, word

COLUMNS = {
    **{
        f"{latency}_{statistic}_ms": "ms"
        for latency, statistics in (
            ("ttft", ("mean", "p50", "p90", "p99")),
            ("tpot", ("mean", "p50", "p99")),
            ("itl", ("mean", "p50", "p99")),
            ("e2e", ("mean", "p50", "p99")),
        )
        for statistic in statistics
    },
    "req_throughput": "req/s",
    "output_tok_s": "tok/s",
}
LEAST_BURSTINESS = 1e-3
"""Shape of the gamma distribution of gaps, at which nearly all requests come at once."""

DOUBTFUL = ("slow_host", "cached_prefill", "cold_start", "overload")
"""Marks that keep a row out of accuracy figures."""


def questions(row: Row) -> tuple[RowQuestion, ...]:
    """One per filled column; every column that the table defines where no value is given."""
    case_id = word(row, "case_id")
    values = {name: measured(row, name) for name in COLUMNS}
    asked = [name for name, value in values.items() if value is not None] or list(COLUMNS)
    return tuple(RowQuestion(case_id, name, COLUMNS[name], *METRICS[name], values[name]) for name in asked)


def counts(row: Row) -> bool:
    """False for overload, hosts that slow the device down, cached prompts and cold starts."""
    return not any(mark in word(row, "flag") for mark in DOUBTFUL)


def case(row: Row, catalog: Catalog, calibration: Calibration) -> tuple[ServingCase, tuple[str, ...]]:
    """The row's configuration, and what was read into it. Raises RowProblem."""
    model_id, model, hinted = model_named(catalog, word(row, "model_path"))
    rate = number(row, "request_rate_per_s")
    if not rate:
        raise RowProblem("the request rate is needed")
    device, engine = device_named(catalog, word(row, "system")), nearest_engine(calibration, word(row, "backend"))
    prompt, output, length_remarks = _lengths(row, model_id)
    remarks = [*device.remarks, *engine.remarks, *length_remarks]
    devices, tp = count(row, "n_gpus"), count(row, "tp")
    tp = min(tp, devices)
    found = ServingCase(
        case_id=word(row, "case_id"),
        model=model,
        accelerator=device.id,
        engine=engine.id,
        assumed_log_sd=math.hypot(device.log_sd, engine.log_sd),
        load="open_loop",
        layout=PoolLayout(
            tensor_parallel=tp,
            expert_tensor_parallel=tp,
            replicas=max(1.0, devices // tp),
            devices_stated=devices,
        ),
        dense_format=weight_format(word(row, "weight_precision") or hinted or "", remarks),
        kv_precision=cache_format(word(row, "kv_precision"), remarks),
        prompt_tokens=prompt,
        output_tokens=output,
        prompt_spread=spread_of(word(row, "isl_distribution")),
        output_spread=spread_of(word(row, "osl_distribution")),
        draws_evenly=is_drawn_evenly(row),
        longest_output=longest_of(word(row, "osl_distribution")),
        rate_per_s=rate,
        arrival_cv=1 / math.sqrt(number(row, "burstiness", least=LEAST_BURSTINESS) or 1.0),
        requests=count(row, "num_prompts", 0),
        max_sequences=count(row, "max_num_seqs", 0),
        token_budget=count(row, "max_num_batched_tokens", 0),
        prefix_is_cached=prefix_is_cached(row),
        release=word(row, "backend_version"),
        year=year_of(row),
        chunks_prompts=is_on(row, "chunked_prefill"),
        metrics=tuple(question.asked for question in questions(row)),  # type: ignore[misc]
    )
    return found, (*remarks, *release_remarks(calibration, found.engine, found.release, found.year))


def _lengths(row: Row, model_id: str) -> tuple[float, float, tuple[str, ...]]:
    """Mean prompt and answer, and where they come from if the table does not print them."""
    prompt, output = number(row, "mean_isl"), number(row, "mean_osl")
    if prompt and output:
        return prompt, output, ()
    stated = [REQUESTED.search(word(row, name)) for name in ("isl_distribution", "osl_distribution")]
    if stated[0] and stated[1]:
        prompt, output = (float(found[1]) * MEAN_OF_REQUESTED for found in stated if found)
        return prompt, output, (f"lengths between half and all of those requested: {prompt:g} in, {output:g} out",)
    usual = workload_of(model_id, word(row, "dataset"))
    prompt, output = prompt or usual.prompt_tokens, output or usual.output_tokens
    return prompt, output, (f"lengths of the workload {usual.workload}: {prompt:g} tokens in, {output:g} out",)


def year_of(row: Row) -> float:
    """When a run without a version was made, as its notes say, in years; 0 where they don't."""
    found = DATED.search(word(row, "notes").lower())
    if word(row, "backend_version") or not found:
        return 0.0
    part = found[1]
    if part == RELEASE_OF:
        return int(found[2]) + 0.5
    share = PARTS_OF_YEAR[part] if part in PARTS_OF_YEAR else (MONTHS.index(part[:3]) + 0.5) / len(MONTHS)
    return int(found[2]) + share


MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
PARTS_OF_YEAR = {"early": 0.15, "mid": 0.5, "late": 0.85}
RELEASE_OF = "release of"
DATED = re.compile(rf"\b({RELEASE_OF}|early|mid|late|(?:{'|'.join(MONTHS)})[a-z]{{0,6}})[ -](20\d\d)\b")

REQUESTED = re.compile(r"put_len (\d{1,7})\b")
"""Lengths of a client that draws them up to a largest one."""

MEAN_OF_REQUESTED = 0.75
"""Mean length over the largest, where the range is not stated: clients draw evenly from 0 to 1 times it up to it."""


def longest_of(described: str) -> float:
    """Where answers are cut, 0 where they aren't. [tokens]"""
    found = CUT.search(described.lower())
    return float(found[1]) if found else 0.0


CUT = re.compile(r"\b(?:cap|max) (\d{1,7})\b")


def is_on(row: Row, name: str) -> bool:
    """Whether a switch of the engine is stated as on."""
    return word(row, name).lower() == "true"


def is_drawn_evenly(row: Row) -> bool:
    """Whether a client made up both lengths, which it draws evenly from a range; else they come from a data set."""
    described = [word(row, name).lower() for name in ("isl_distribution", "osl_distribution")]
    return all("uniform" in text or REQUESTED.search(text) for text in described)


def prefix_is_cached(row: Row) -> bool:
    """Whether most of a prompt is in the cache: a row marked so, or few shared prompts with the prefix cache on."""
    is_shared = is_on(row, "prefix_caching") and "shared" in word(row, "isl_distribution").lower()
    return is_shared or "cached_prefill" in word(row, "flag")


SPREADS = (("constant", 0.03), ("fixed", 0.9), ("uniform", 0.577), ("random", 0.3), ("sample", 0.9), ("eos", 1.2))
"""Standard deviation over mean: even from nothing 0.577, ShareGPT's prompts and answers about 1 before a cap."""


def spread_of(described: str) -> float:
    """Coefficient of variation of lengths from how the table describes them; 0.6 where it doesn't."""
    text = described.lower()
    return next((spread for mark, spread in SPREADS if mark in text), 0.6)
