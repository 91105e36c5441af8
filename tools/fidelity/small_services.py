"""Replicas of 200 drawn small services against the fewest that a simulation finds by trying each number.

    python -m tools.fidelity.small_services [--count 200] [--first 0] [--batching static] [--csv OUT]

The plan is asked as a planner asks it, simulation of its recommendation included. Brute force simulates longer, with
other seeds: a number of replicas is enough where the targets hold in most of the runs.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import get_args

import msgspec
import numpy as np

from gpuplanner_gui.domain.economics import Economics
from gpuplanner_gui.domain.quantity import Lognormal, central
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.traffic import Traffic
from gpuplanner_gui.domain.workload import (
    Availability,
    BatchingPolicy,
    EngineSettings,
    RequestClass,
    ServingEngine,
    ServingWorkload,
    Slo,
)
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.curves import serving_candidate
from gpuplanner_gui.engine.simulation.candidate_load import candidate_service, scenario_targets
from gpuplanner_gui.engine.simulation.fleet_check import simulated_plan
from gpuplanner_gui.engine.simulation.result import meets
from tools.fidelity.report_text import write_rows
from tools.repository import shipped_context

SERVED: tuple[tuple[str, str, ServingEngine, int], ...] = (
    ("llama-3.1-8b", "nvidia-h100-sxm-80gb", "vllm", 1), ("llama-3.1-8b", "nvidia-l40s", "vllm", 1),
    ("llama-3.1-8b", "nvidia-rtx-4090", "llama_cpp", 1), ("llama-3.1-8b", "apple-m2-ultra", "llama_cpp", 1),
    ("llama-3.1-70b", "nvidia-h100-sxm-80gb", "vllm", 4), ("llama-3.1-70b", "amd-mi300x", "sglang", 2),
)  # fmt: skip
PLACES = (1, 2, 4, 8, 32, 128)
MOST_REPLICAS = 12
REQUESTS = 12_000
SEEDS = (101, 202, 303)


@dataclass(frozen=True)
class SmallService:
    """One service: what it is, what the plan says, and what brute force does."""

    number: int
    setup: str
    arrivals: str
    places: int
    rate_per_s: float
    quick: int
    planned: int
    fewest: int


def drawn(number: int, context: Context, batching: BatchingPolicy = "chunked_prefill") -> Scenario:
    """A service of a few replicas; the same for the same number."""
    draw = np.random.default_rng([23, number])
    model, device, engine, tensor = SERVED[int(draw.integers(len(SERVED)))]
    prompt, answer = float(np.exp(draw.uniform(np.log(100), np.log(4000)))), float(np.exp(draw.uniform(3.0, 6.3)))
    spread = float(draw.uniform(0.0, 0.9))
    slow = float(np.exp(draw.uniform(0.0, 1.5)))
    slos = (
        Slo(metric="ttft", percentile=95.0, limit_s=round(0.5 * slow + prompt / 1500, 2)),
        Slo(metric="tpot", percentile=95.0, limit_s=round(0.06 * slow, 3)),
    )
    is_by_users = bool(draw.random() < 0.3)
    users, think_s = float(draw.integers(1, 60)), float(draw.choice([0.0, 5.0, 30.0]))
    traffic = Traffic(arrivals="users", users=users, think_time_s=think_s) if is_by_users else Traffic(
        burstiness_cv=float(draw.choice([1.0, 1.0, 2.0]))
    )  # fmt: skip
    request = RequestClass(
        peak_rate_per_s=float(np.exp(draw.uniform(np.log(0.02), np.log(8.0)))),
        prompt_tokens=Lognormal(median=prompt, sigma=spread) if spread > 0.1 else prompt,
        output_tokens=Lognormal(median=answer, sigma=spread) if spread > 0.1 else answer,
        slos=slos if draw.random() < 0.7 else (Slo(metric="e2e", percentile=95.0, limit_s=round(answer * 0.1, 1)),),
    )
    serving = ServingWorkload(
        classes=(request,), traffic=traffic, tensor_parallel=tensor, kv_precisions=("bf16",),
        weight_precisions=("int4",) if engine == "llama_cpp" else ("bf16",),
        availability=Availability(
            spare_replicas=0, target=0.01, target_utilisation=float(draw.choice([0.6, 0.75, 1.0]))
        ),
        engine=EngineSettings(engine=engine, max_sequences=int(draw.choice(PLACES)), batching=batching),
    )  # fmt: skip
    choice = HardwareChoice(accelerators=(device,), include_end_of_life=True, licensed_for_data_centres=False)
    uncertainty = msgspec.structs.replace(Economics().uncertainty, confidence="expected")
    economics = msgspec.structs.replace(Economics(), uncertainty=uncertainty)
    entry = context.catalog.models[model]
    return Scenario(name=f"{number}", model=entry.model, serving=serving, hardware=choice, economics=economics)


def fewest_by_trial(scenario: Scenario, context: Context, chosen: object) -> int:
    """The fewest replicas whose targets hold in most runs; 0 where no number that is tried is enough."""
    serving = scenario.serving
    assert serving is not None
    targets, traffic = scenario_targets(scenario), serving.traffic
    used = serving.availability.target_utilisation
    services = [candidate_service(scenario, context, chosen, REQUESTS, seed, None, 1) for seed in SEEDS]  # type: ignore[arg-type]

    def holds(replicas: int) -> bool:
        kept = 0
        for service in services:
            fleet = service.with_replicas(replicas)
            if traffic.arrivals == "users":
                crowd = max(round(central(traffic.users) / used), 1)
                kept += meets(fleet.run_users(crowd, central(traffic.think_time_s)), targets)
            else:
                kept += meets(fleet.run(serving.peak_rate_per_s / used), targets)
        return 2 * kept > len(services)

    return next((count for count in range(1, MOST_REPLICAS + 1) if holds(count)), 0)


def compared(count: int, first: int, batching: BatchingPolicy) -> Iterator[SmallService]:
    """Services whose plan meets its targets with a few replicas, in the order of their numbers."""
    context, number, found = shipped_context(), first, 0
    while found < count:
        scenario = drawn(number, context, batching)
        number += 1
        quick = plan(scenario, context.catalog, context.calibration)
        answer = quick.serving
        if answer is None or answer.best < 0 or not answer.table.meets_targets[answer.best]:
            continue
        if not 1 <= answer.table.replicas[answer.best] <= MOST_REPLICAS / 2:
            continue
        final_plan = simulated_plan(scenario, context.catalog, context.calibration, quick, seed=1)
        final = final_plan.serving
        assert final is not None
        assert scenario.serving is not None
        chosen = serving_candidate(final_plan, final.best)
        planned = float(final.table.replicas[final.best]) if final.table.meets_targets[final.best] else math.nan
        found += 1
        yield SmallService(
            number - 1, f"{scenario.model.name} {answer.table.accelerator[answer.best]}",
            scenario.serving.traffic.arrivals, scenario.serving.engine.max_sequences,
            scenario.serving.peak_rate_per_s, int(answer.table.replicas[answer.best]),
            int(planned) if math.isfinite(planned) else 0, fewest_by_trial(scenario, context, chosen),
        )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--batching", choices=get_args(BatchingPolicy), default="chunked_prefill")
    parser.add_argument("--csv", type=Path)
    asked = parser.parse_args()
    rows = []
    for row in compared(asked.count, asked.first, asked.batching):
        rows.append(row)
        if row.planned != row.fewest:
            print(row, flush=True)
        if asked.csv is not None:
            write_rows(asked.csv, [one.name for one in fields(SmallService)], map(astuple, rows))
    equal = sum(one.planned == one.fewest for one in rows)
    fewer = sum(0 < one.planned < one.fewest or (one.planned > 0 and not one.fewest) for one in rows)
    quick = sum(one.quick == one.fewest for one in rows)
    shares = f"{equal / len(rows):.1%} equal, {quick / len(rows):.1%} by the quick estimate"
    print(f"{len(rows)} services: {shares}, {fewer} with fewer replicas")


if __name__ == "__main__":
    main()
