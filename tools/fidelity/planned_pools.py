"""Published runs with separate prefill and decode pools asked of the plan: one unit of their workers, at the rate that
their users make who wait for the plan's own latencies.

    python -m tools.fidelity.planned_pools [--rows N]

A row that leaves workers, attention groups or drafts open stands for every set-up that may be meant; the plan answers
each, and the middle is taken by how often operators choose them (`tools.observation.pools`). Engine facts are as they
ship, the acceptance of drafts that published runs have among them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.domain.plan import ServingTable
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.model.precision import PRECISION_INDEX
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.plan import planned
from tools.fidelity.planned_rows import (
    kv_precision,
    mean_length,
    scenario_of,
    scenario_of_users,
    weight_precision,
)
from tools.fidelity.report_text import error_cells, markdown, sections
from tools.fit_serving.tables import MeasuredCase, measured_cases
from tools.observation.habits import habits_of
from tools.observation.pools import middle_of, setups_of
from tools.repository import grouped, shipped_context

HALVINGS = 9
HIGHEST_SHARE = 0.99
"""Of a unit's capacity, up to which steady latencies exist."""
WHOLE_PER_S = 1e6
"""Rate that many units share; no unit reaches it alone."""
ENOUGH_WORKERS = 16
"""That prefill, where their number is unsaid: operators match them to those that decode."""
HEAD = ["rows", "answered", "TPOT median", "90th percentile", "bias", "in the 80 % band"]


@dataclass(frozen=True)
class PlannedPools:
    """What the plan says of a row; ratios are plan over measured, NaN where it refuses."""

    is_stated: bool
    engine: str
    tpot_ratio: float
    is_in_band: bool


def asked_pools(rows: Sequence[MeasuredCase], context: Context) -> Iterator[PlannedPools]:
    """Every row with both times measured, by engine and model."""
    for (engine, _), own in grouped(rows, lambda one: (one.case.engine, one.case.model.name)).items():
        facts, practice = context.calibration.engine(engine), habits_of(engine).pool_practice
        setups = setups_of([one.case for one in own], [one.source for one in own], context, facts)
        shares = setups.shares(practice)
        for place, one in enumerate(own):
            of_row = np.flatnonzero(setups.of == place)
            yield _asked(one, [setups.cases[index] for index in of_row], shares[of_row], context)


def _asked(one: MeasuredCase, setups: Sequence[ServingCase], shares: np.ndarray, context: Context) -> PlannedPools:
    _, tpot_s = ((question.measured or float("nan")) / question.per_si_unit for question in one.questions)
    scenario = scenario_of(one.case, WHOLE_PER_S)
    assert scenario.serving is not None
    accepted = context.calibration.engine(one.case.engine).draft_acceptance
    as_it_comes = scenario_of_users(one.case, context).serving
    assert as_it_comes is not None
    engine = msgspec.structs.replace(as_it_comes.engine, speculative_tokens=None, draft_acceptance=accepted)
    serving = msgspec.structs.replace(
        scenario.serving, tensor_parallel=0, attention_data_parallel=0, expert_parallel=0, engine=engine
    )
    hardware = msgspec.structs.replace(scenario.hardware, tensor_parallel_across_nodes=True)
    asked = msgspec.structs.replace(scenario, serving=serving, hardware=hardware)
    found = _in_loop(asked, context, _candidates(one.case, setups, context), one.case)
    known = np.flatnonzero(np.isfinite(found.tpot_mean_s))
    if not len(known):
        return PlannedPools(len(setups) == 1, one.case.engine, float("nan"), False)
    share = shares[known] / shares[known].sum()
    middle = middle_of(found.tpot_mean_s[known], share, np.zeros(len(known), np.int64))[0]
    row = known[np.argmin(np.abs(found.tpot_mean_s[known] - middle))]
    width = found.tpot_high80_s[row] / found.tpot_mean_s[row]
    return PlannedPools(
        len(setups) == 1, one.case.engine, float(middle / tpot_s), bool(middle / width <= tpot_s <= middle * width)
    )


def _in_loop(asked: Scenario, context: Context, chosen: ServingCandidates, case: ServingCase) -> ServingTable:
    """Units at the rate at which as many requests are under way as the run has users; near saturation where more are.

    So many units share the scenario's rate that each has its own.
    """
    assert asked.serving is not None
    steps = max(mean_length(case.output_tokens, case.shortest_share) - 1.0, 0.0)

    def at(rate: Floats) -> ServingTable:
        return planned(asked, context, chosen, lambda: None, WHOLE_PER_S / np.maximum(rate, 1e-9)).table

    table = at(np.ones(len(chosen)))
    low, high = np.zeros(len(chosen)), HIGHEST_SHARE * np.nan_to_num(table.max_rate_per_s, nan=1.0)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        table = at(middle)
        under_way = middle * (table.ttft_mean_s + steps * table.tpot_mean_s)
        is_more = under_way > case.concurrency
        low, high = np.where(is_more, low, middle), np.where(is_more, middle, high)
    return at((low + high) / 2)


def _candidates(case: ServingCase, setups: Sequence[ServingCase], context: Context) -> ServingCandidates:
    decode = [one.layout for one in setups]
    prefill = [one.prefill_layout or one.layout for one in setups]
    weights = weight_precision(case)
    ones = np.ones(len(setups), np.int64)

    def sizes(layouts: Sequence[object], name: str) -> np.ndarray:
        return np.array([max(int(getattr(one, name)), 1) for one in layouts], np.int64)

    return ServingCandidates(
        accelerator=ones * context.devices.ids.index(case.accelerator),
        tensor_parallel=sizes(decode, "tensor_parallel"),
        pipeline_parallel=sizes(decode, "pipeline_parallel"),
        weight_precision=ones * PRECISION_INDEX[weights],
        kv_precision=ones * PRECISION_INDEX[kv_precision(case, weights)],
        data_parallel=sizes(decode, "data_parallel"),
        expert_parallel=sizes(decode, "expert_parallel"),
        prefill_tensor_parallel=sizes(prefill, "tensor_parallel"),
        prefill_data_parallel=sizes(prefill, "data_parallel"),
        prefill_expert_parallel=sizes(prefill, "expert_parallel"),
        prefill_workers=np.array([int(one.replicas) or ENOUGH_WORKERS for one in prefill], np.int64),
        decode_workers=sizes(decode, "replicas"),
        draft_tokens=np.array([one.draft_tokens for one in setups], np.int64),
    )


def scores(rows: Sequence[PlannedPools]) -> list[str]:
    known = [one for one in rows if np.isfinite(one.tpot_ratio)]
    if not known:
        return [str(len(rows)), "0", *["–"] * (len(HEAD) - 2)]
    errors = np.array([one.tpot_ratio for one in known]) - 1.0
    return [str(len(rows)), *error_cells(errors, [one.is_in_band for one in known])]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.fidelity.planned_pools", description=__doc__)
    parser.add_argument("--rows", type=int, default=0, metavar="N", help="every so many evenly; 0: all")
    chosen = parser.parse_args(arguments)
    context = shipped_context()
    cases, _ = measured_cases("serving", context.catalog, context.calibration)
    rows = [one for one in cases if one.case.load == "disaggregated" and all(part.measured for part in one.questions)]
    if chosen.rows:
        rows = [rows[place] for place in np.linspace(0, len(rows) - 1, min(chosen.rows, len(rows))).astype(int)]
    found = list(asked_pools(rows, context))
    parts = {"all": found, "workers, groups and drafts stated": [one for one in found if one.is_stated],
             "some of it open": [one for one in found if not one.is_stated]}  # fmt: skip
    parts |= {engine: [one for one in found if one.engine == engine] for engine in ("sglang", "trtllm", "vllm")}
    body = [[name, *scores(part)] for name, part in parts.items()]
    print("\n".join(sections("Separate pools asked of the plan", [("", markdown(["class", *HEAD], body))])))


if __name__ == "__main__":
    main()
