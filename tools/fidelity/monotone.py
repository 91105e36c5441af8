"""What must never make a serving plan slower: more bandwidth, fewer bytes, a narrower format, more devices.

    python -m tools.fidelity.monotone [--models N] [--worst N]

Asks the plan for pairs of questions of which one can't have the slower answer, over the catalogue's models, engines and
accelerators, and prints every kind of pair with those that break it. `tests/engine/serving/test_monotone.py` asks for a
sample of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import cast, get_args

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Booleans, Floats
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.economics import Economics, UncertaintyTerms
from gpuplanner_gui.domain.model import Model, Precision
from gpuplanner_gui.domain.plan import Reason, Resource, ServingTable
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.workload import Availability, EngineSettings, RequestClass, ServingEngine, ServingWorkload
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.model.precision import PRECISION_INDEX, PRECISIONS
from gpuplanner_gui.engine.serving.plan import serving_plan
from tools.fidelity.report_text import markdown
from tools.repository import grouped, shipped_context

ENGINES: tuple[str, ...] = get_args(ServingEngine)
KINDS = ("dense_decoder", "moe_decoder", "ssm_hybrid")
"""Models that decode."""
IDLE_PER_S, BUSY_PER_S = 1e-3, 4.0
FASTER = 1.25
SLACK = 1e-9
BITS = {"bf16": 16, "fp8": 8, "int8": 8, "nvfp4": 4, "mxfp4": 4}
"""Formats of weights that devices compute in, widest first, and the bits of a value; INT4 is always unpacked."""
FORMATS = cast(tuple[Precision, ...], tuple(BITS))
MOST_DEVICES = (1, 2, 4, 8, 16, 32)
RUNS = (int(Reason.NONE), int(Reason.NO_PRICE))


@dataclass(frozen=True)
class Slower:
    """A question whose answer is slower than that of one that can't be faster."""

    rule: str
    engine: str
    model: str
    accelerator: str
    layout: str
    what: str
    ratio: float
    """The answer's time over the other's."""


def question(model: Model, engine: str, rate_per_s: float, weights: Sequence[Precision] = ("bf16",),
             cache: Precision = "bf16", prompt_tokens: float = 1024.0, most_devices: int = 8) -> Scenario:  # fmt: skip
    """A service without targets and spares on every accelerator of the catalogue."""
    serving = ServingWorkload(
        classes=(RequestClass(peak_rate_per_s=rate_per_s, prompt_tokens=prompt_tokens, slos=()),),
        availability=Availability(target=0.5, spare_replicas=0, target_utilisation=1.0),
        engine=EngineSettings(engine=cast(ServingEngine, engine), speculative_tokens=0),
        weight_precisions=tuple(weights),
        kv_precisions=(cache,),
        pools="together",
    )
    hardware = HardwareChoice(max_devices_per_replica=most_devices, include_end_of_life=True, min_memory_headroom=0.0)
    # At the expected figures: a quicker device needs fewer replicas at a confidence, which then carry more each.
    economics = Economics(uncertainty=UncertaintyTerms(confidence="expected"))
    return Scenario(name="pair", model=model, serving=serving, hardware=hardware, economics=economics)


def answer(scenario: Scenario, context: Context) -> ServingTable:
    """The plan's table, candidates in the order of the search."""
    return serving_plan(scenario, context, lambda: None).table


def runs(table: ServingTable) -> Booleans:
    return np.isin(table.reason, RUNS)


def _slower(
    rule: str,
    asked: tuple[str, str],
    what: str,
    before: ServingTable,
    after: ServingTable,
    comparable: Booleans,
    context: Context,
    metrics: Sequence[str] = ("decode_step_s", "tpot_mean_s", "ttft_mean_s"),
) -> Iterator[Slower]:
    """Candidates of which `after` has a longer time than `before`, with the metric that is worst hit."""
    both = comparable & runs(before) & runs(after) & (before.replicas == after.replicas)
    with np.errstate(invalid="ignore"):
        ratios = np.stack([getattr(after, name) / getattr(before, name) for name in metrics])
    ratios = np.where(both & np.isfinite(ratios), ratios, 0.0)
    timed = {device.accelerator for device in context.calibration.kernels.devices}
    for place in np.flatnonzero(ratios.max(axis=0) > 1.0 + SLACK):
        worst, accelerator = int(ratios[:, place].argmax()), context.devices.ids[after.accelerator[place]]
        yield Slower(
            rule=f"{rule}, {'timed' if accelerator in timed else 'relatives'}",
            engine=asked[0],
            model=asked[1],
            accelerator=accelerator,
            layout=_layout(after, int(place)),
            what=f"{what}: {metrics[worst]}",
            ratio=float(ratios[worst, place]),
        )


def _layout(table: ServingTable, place: int) -> str:
    return (
        f"TP {table.tensor_parallel[place]} PP {table.pipeline_parallel[place]} "
        f"{PRECISIONS[table.weight_precision[place]]}/{PRECISIONS[table.kv_precision[place]]}"
    )


def with_faster_memory(catalog: Catalog, factor: float = FASTER) -> Catalog:
    """Every accelerator's memory bandwidth times a factor."""
    faster = {
        key: msgspec.structs.replace(one, memory_bandwidth_bytes_per_s=one.memory_bandwidth_bytes_per_s * factor)
        for key, one in catalog.accelerators.items()
    }
    return msgspec.structs.replace(catalog, accelerators=faster)


EVERYWHERE: Booleans = np.array(True)


def slower_with_bandwidth(key: str, model: Model, engine: str, context: Context, faster: Context) -> Iterator[Slower]:
    """One layout on a device whose memory is faster, and nothing else changed."""
    for rate in (IDLE_PER_S, BUSY_PER_S):
        asked = question(model, engine, rate, ("bf16", "fp8"))
        what = f"bandwidth × {FASTER:g} at {rate:g}/s"
        before, after = answer(asked, context), answer(asked, faster)
        yield from _slower("bandwidth", (engine, key), what, before, after, EVERYWHERE, context)


def slower_with_shorter_prompts(key: str, model: Model, engine: str, context: Context) -> Iterator[Slower]:
    """One layout with half the prompt."""
    for rate in (IDLE_PER_S, BUSY_PER_S):
        before = answer(question(model, engine, rate, ("bf16", "fp8")), context)
        after = answer(question(model, engine, rate, ("bf16", "fp8"), prompt_tokens=512.0), context)
        yield from _slower("prompt", (engine, key), f"half at {rate:g}/s", before, after, EVERYWHERE, context)


def slower_with_a_smaller_cache(key: str, model: Model, engine: str, context: Context) -> Iterator[Slower]:
    """One layout with a cache in FP8 instead of 16 bits, where the device computes in FP8."""
    for rate in (IDLE_PER_S, BUSY_PER_S):
        before = answer(question(model, engine, rate, ("bf16", "fp8")), context)
        after = answer(question(model, engine, rate, ("bf16", "fp8"), cache="fp8"), context)
        native = ~context.devices.is_emulated[after.accelerator, PRECISION_INDEX["fp8"]]
        what = f"FP8 at {rate:g}/s"
        yield from _slower("cache", (engine, key), what, before, after, native, context, ("tpot_mean_s",))


def slower_in_a_narrower_format(key: str, model: Model, engine: str, context: Context) -> Iterator[Slower]:
    """One layout, memory-bound, whose weights lie in a format of fewer bits that the device computes in.

    At a load, only where the batch is no larger: slower prompts make it grow.
    """
    for rate in (IDLE_PER_S, BUSY_PER_S):
        tables = {name: answer(question(model, engine, rate, (name,)), context) for name in FORMATS}
        for wide, narrow in combinations(FORMATS, 2):
            before, after = tables[wide], tables[narrow]
            if BITS[narrow] < BITS[wide]:
                is_bound = before.limit == Resource.MEMORY_BANDWIDTH
                comparable = is_bound & ~after.emulated & (after.batch <= np.maximum(before.batch, 1.0))
                what = f"{wide} to {narrow} at {rate:g}/s"
                yield from _slower(
                    "format", (engine, key), what, before, after, comparable, context, ("decode_step_s",)
                )


def slower_with_more_devices(key: str, model: Model, engine: str, context: Context) -> Iterator[Slower]:
    """The fastest layout of each accelerator, as more devices are allowed."""
    for rate in (IDLE_PER_S, BUSY_PER_S):
        before: Floats | None = None
        for most in MOST_DEVICES:
            table = answer(question(model, engine, rate, ("bf16", "fp8"), most_devices=most), context)
            best = np.full(len(context.devices.ids), np.inf)
            where = runs(table)
            np.minimum.at(best, table.accelerator[where], table.tpot_mean_s[where])
            if before is not None:
                for place in np.flatnonzero(best > before * (1.0 + SLACK)):
                    yield Slower(
                        "more devices", engine, key, context.devices.ids[place], f"at most {most}",
                        f"best TPOT at {rate:g}/s", float(best[place] / before[place]),
                    )  # fmt: skip
            before = best


def decoders(catalog: Catalog) -> dict[str, Model]:
    """Models that decode, by identifier."""
    return {key: entry.model for key, entry in catalog.models.items() if entry.model.kind in KINDS}


def all_slower(key: str, model: Model, engine: str, context: Context, faster: Context) -> Iterator[Slower]:
    yield from slower_with_bandwidth(key, model, engine, context, faster)
    yield from slower_with_shorter_prompts(key, model, engine, context)
    yield from slower_with_a_smaller_cache(key, model, engine, context)
    yield from slower_in_a_narrower_format(key, model, engine, context)
    yield from slower_with_more_devices(key, model, engine, context)


HEAD = ["rule", "engine", "pair", "slower", "models", "accelerators", "worst", "for example"]


def report(found: Sequence[Slower]) -> list[list[str]]:
    """A line per rule, engine and pair: how many answers are slower, and the worst."""
    groups, lines = grouped(found, lambda one: (one.rule, one.engine, one.what)), []
    for kind, own in sorted(groups.items(), key=lambda entry: -max(one.ratio for one in entry[1])):
        worst = max(own, key=lambda one: one.ratio)
        models, accelerators = ({getattr(one, name) for one in own} for name in ("model", "accelerator"))
        example = f"{worst.model} on {worst.accelerator}, {worst.layout}"
        lines.append([*kind, str(len(own)), str(len(models)), str(len(accelerators)), f"{worst.ratio:.3f}", example])
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.fidelity.monotone", description=__doc__)
    parser.add_argument("--models", type=int, default=0, metavar="N", help="so many, evenly over the catalogue; 0: all")
    chosen = parser.parse_args()
    context = shipped_context()
    faster, models = Context(with_faster_memory(context.catalog), context.calibration), decoders(context.catalog)
    keys = list(models)
    if chosen.models:
        keys = [keys[place] for place in np.linspace(0, len(keys) - 1, chosen.models).round().astype(int)]
    found = [one for engine in ENGINES for key in keys for one in all_slower(key, models[key], engine, context, faster)]
    print(f"{len(keys)} models, {len(ENGINES)} engines, {len(context.devices.ids)} accelerators")
    print("\n".join(markdown(HEAD, report(found))))


if __name__ == "__main__":
    main()
