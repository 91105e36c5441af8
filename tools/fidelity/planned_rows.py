"""Published rows as questions to the plan: each becomes a scenario, and the candidate of its layout is read back.

A scenario has the row's device, layout, format, lengths and the request rate that its closed loop had, or its users; no
spares, no headroom, bare metal, Poisson arrivals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.domain.economics import Economics, FleetTerms, UncertaintyTerms
from gpuplanner_gui.domain.model import Precision
from gpuplanner_gui.domain.plan import Reason, ServingTable
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.traffic import Traffic
from gpuplanner_gui.domain.workload import (
    Availability,
    EngineSettings,
    RequestClass,
    ServingEngine,
    ServingWorkload,
    Slo,
)
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.engine.model.precision import PRECISIONS
from gpuplanner_gui.engine.serving.deployments import case_deployments
from gpuplanner_gui.engine.serving.plan import serving_plan
from gpuplanner_gui.engine.serving.predict.door import serving_answers
from gpuplanner_gui.engine.serving.predict.points import answer_length, prompt_length
from tools.fit_serving.tables import MeasuredCase
from tools.repository import grouped

LEAST_AVAILABILITY = 0.5
"""No replica is there for another's failure, as in a run."""
FEWEST_SEQUENCES = 256
"""Largest batch of a scenario's engine, where the row has no more users."""
LONG_LIMIT_S = 10.0
"""A target that every run meets, so that capacity alone says how many replicas it takes."""
ALONE_PER_S = 1e-3
"""Request rate at which no request meets another."""
ALONE_LOADS = ("batch", "steady")
_RUNS = (Reason.NONE, Reason.NO_PRICE)
PLANNED_ENGINES = ("vllm", "sglang", "trtllm", "llama_cpp")


@dataclass(frozen=True)
class PlannedRow:
    """A published closed loop beside what the plan says for its layout; times in seconds, NaN where it refuses."""

    measured: MeasuredCase
    weight_precision: Precision
    rate_per_s: float
    """That is asked for: the run's, all users together, or the plan's own with its users in a loop."""
    tpot_s: float
    ttft_s: float
    reason: str = ""
    """Why the plan refuses; empty where it answers."""
    plan_tpot_s: float = float("nan")
    plan_ttft_s: float = float("nan")
    low_s: float = float("nan")
    high_s: float = float("nan")
    """80 % band of TPOT."""
    replicas: float = float("nan")
    utilisation: float = float("nan")
    """Of the replica's capacity, by the plan."""
    predict_tpot_s: float = float("nan")
    predict_ttft_s: float = float("nan")
    """What `gpuplanner predict` says for the row."""

    @property
    def tpot_error(self) -> float:
        """Plan over measurement, less one."""
        return self.plan_tpot_s / self.tpot_s - 1.0

    @property
    def ttft_error(self) -> float:
        return self.plan_ttft_s / self.ttft_s - 1.0

    @property
    def is_in_band(self) -> bool:
        return self.low_s <= self.tpot_s <= self.high_s

    @property
    def setup(self) -> str:
        """Model and device, engine and format: what is right or wrong together."""
        return f"{self.measured.group}, {self.measured.case.engine}, {self.weight_precision}"


def is_wide(case: ServingCase) -> bool:
    """Experts on different devices, or attention in groups."""
    return case.layout.expert_parallel > 1 or case.layout.data_parallel > 1


def weight_precision(case: ServingCase) -> Precision:
    """The one format that a planner would name: the experts' where there are any, else the dense products'.

    Four bits of a checkpoint in MXFP4 are its own.
    """
    own = case.model.weight_format
    has_experts = model_parameters(case.model).routed_experts > 0
    stated = (case.expert_format if has_experts else "") or case.dense_format or own.quantized or own.native
    if stated == "fp8_block":
        return "fp8"
    return "mxfp4" if stated == "nvfp4" and own.quantized == "mxfp4" else stated


def kv_precision(case: ServingCase, weights: Precision) -> Precision:
    """As stated, else what engines choose: TensorRT-LLM an FP8 cache beside FP8 and NVFP4 weights, others 16 bits."""
    if case.kv_precision is not None:
        return case.kv_precision
    return "fp8" if case.engine == "trtllm" and weights in ("fp8", "nvfp4") else "bf16"


def mean_length(longest: float, shortest_share: float) -> float:
    return longest * (1.0 + shortest_share) / 2.0


def loop_rate_per_s(case: ServingCase, ttft_s: float, tpot_s: float) -> float:
    """Requests per second of a closed loop: its users over the time of one request. [1/s]"""
    steps = max(mean_length(case.output_tokens, case.shortest_share) - 1.0, 0.0)
    return case.concurrency / (ttft_s + steps * tpot_s)


def scenario_of(case: ServingCase, rate_per_s: float) -> Scenario:
    """What a planner would type in for a row that was run at this rate."""
    engine = EngineSettings(
        engine=cast(ServingEngine, case.engine), max_sequences=max(FEWEST_SEQUENCES, int(case.concurrency))
    )
    return _scenario(case, rate_per_s, Traffic(burstiness_cv=1.0), engine)


def scenario_of_users(case: ServingCase, context: Context) -> Scenario:
    """The row as it was run: its users ask anew as soon as they are answered, of an engine as it comes."""
    users = Traffic(arrivals="users", users=case.concurrency, think_time_s=0.0, burstiness_cv=1.0)
    facts = context.calibration.engine(case.engine)
    found = case_deployments([case], [case.layout], context, facts)
    engine = EngineSettings(
        engine=cast(ServingEngine, case.engine),
        token_budget=int(found.token_budget[0]),
        max_sequences=int(found.max_sequences[0]),
        memory_fraction=facts.memory_fraction,
    )
    return _scenario(case, 1.0, users, engine)


def _scenario(case: ServingCase, rate_per_s: float, traffic: Traffic, engine: EngineSettings) -> Scenario:
    weights = weight_precision(case)
    requests = RequestClass(
        peak_rate_per_s=rate_per_s,
        prompt_tokens=prompt_length(case),
        output_tokens=answer_length(case),
        slos=(Slo(metric="tpot", percentile=50.0, limit_s=LONG_LIMIT_S),),
    )
    serving = ServingWorkload(
        classes=(requests,),
        traffic=traffic,
        availability=Availability(target=LEAST_AVAILABILITY, spare_replicas=0, target_utilisation=1.0),
        engine=engine,
        weight_precisions=(weights,),
        kv_precisions=(kv_precision(case, weights),),
        tensor_parallel=case.layout.tensor_parallel,
        attention_data_parallel=case.layout.data_parallel,
        expert_parallel=case.layout.expert_parallel,
        max_context=int(case.prompt_tokens + case.output_tokens),
    )
    hardware = HardwareChoice(
        accelerators=(case.accelerator,),
        max_devices_per_replica=case.layout.devices,
        include_end_of_life=True,
        min_memory_headroom=0.0,
    )
    bare_metal = Economics(
        fleets=FleetTerms(serving_virtualisation_loss=0.0), uncertainty=UncertaintyTerms(confidence="expected")
    )
    return Scenario(name=case.case_id, model=case.model, serving=serving, hardware=hardware, economics=bare_metal)


def _place_of(case: ServingCase, table: ServingTable, context: Context) -> int | None:
    """Where the row's layout stands in the plan's table; None where the search does not have it."""
    layout = case.layout
    wanted = {
        "tensor_parallel": layout.tensor_parallel,
        "pipeline_parallel": layout.pipeline_parallel,
        "attention_data_parallel": layout.data_parallel,
        "expert_parallel": layout.expert_parallel,
        "devices_per_replica": layout.devices,
    }
    found = table.accelerator == context.devices.ids.index(case.accelerator)
    for name, size in wanted.items():
        found &= getattr(table, name) == size
    places = np.flatnonzero(found)
    return int(places[0]) if len(places) else None


def planned_row(
    one: MeasuredCase, context: Context, by_users: bool = False, rate_per_s: float | None = None
) -> PlannedRow:
    """Ask the plan for a row's layout: at the rate that the row had, at another, or with its users."""
    ttft_s, tpot_s = ((question.measured or float("nan")) / question.per_si_unit for question in one.questions)
    rate = loop_rate_per_s(one.case, ttft_s, tpot_s) if rate_per_s is None else rate_per_s
    scenario = scenario_of_users(one.case, context) if by_users else scenario_of(one.case, rate)
    return _asked(one, scenario, PlannedRow(one, weight_precision(one.case), rate, tpot_s, ttft_s), context)


def lone_prompts(cases: Sequence[MeasuredCase], context: Context) -> list[PlannedRow]:
    """Published first tokens of single requests, which the plan is asked for at next to no load."""
    found = []
    for one in cases:
        case = one.case
        stated = [question for question in one.questions if question.asked.startswith("ttft") and question.measured]
        is_alone = case.concurrency == 1.0 and case.load in ALONE_LOADS and case.engine in PLANNED_ENGINES
        if stated and is_alone and not is_wide(case):
            ttft_s = (stated[0].measured or float("nan")) / stated[0].per_si_unit
            asked = PlannedRow(one, weight_precision(case), ALONE_PER_S, float("nan"), ttft_s)
            found.append(_asked(one, scenario_of(case, ALONE_PER_S), asked, context))
    return found


def _asked(one: MeasuredCase, scenario: Scenario, asked: PlannedRow, context: Context) -> PlannedRow:
    table = serving_plan(scenario, context, lambda: None).table
    place = _place_of(one.case, table, context)
    if place is None:
        return replace(asked, reason="no such layout")
    reason = Reason(int(table.reason[place]))
    if reason not in _RUNS:
        return replace(asked, reason=f"{reason.name.lower()} ({PRECISIONS[table.weight_precision[place]]})")
    return replace(
        asked,
        plan_tpot_s=float(table.tpot_mean_s[place]),
        plan_ttft_s=float(table.ttft_mean_s[place]),
        low_s=float(table.tpot_low80_s[place]),
        high_s=float(table.tpot_high80_s[place]),
        replicas=float(table.replicas[place]),
        utilisation=float(table.load_per_replica_per_s[place] / table.max_rate_per_s[place]),
    )


def planned_rows(
    asked: Sequence[MeasuredCase],
    shipped: Context,
    contexts: Mapping[str, Context] | None = None,
    by_users: bool = False,
) -> list[PlannedRow]:
    """Every row asked of the plan and of `predict`, by the context of its group, else by the shipped one."""
    contexts, found = contexts or {}, []
    for group, own in grouped(asked, lambda one: one.group).items():
        context = contexts.get(group, shipped)
        for one, answers in zip(own, serving_answers([one.case for one in own], context)):
            values = {answer.metric: answer.value or float("nan") for answer in answers}
            row = planned_row(one, context, by_users)
            found.append(replace(row, predict_tpot_s=values["tpot_mean"], predict_ttft_s=values["ttft_mean"]))
    return found


def askable(cases: Sequence[MeasuredCase], wide: bool = False, rows_per_setup: int = 0) -> list[MeasuredCase]:
    """Closed loops of one pool with both times measured; of each set-up so many, evenly over its rows; 0: all."""

    def setup(one: MeasuredCase) -> tuple[str, ...]:
        case = one.case
        return one.group, case.engine, str(case.layout), case.dense_format, case.expert_format

    loops = [one for one in cases if one.case.load == "closed_loop" and is_wide(one.case) == wide]
    measured = [one for one in loops if all(question.measured for question in one.questions)]
    found = []
    for rows in grouped(measured, setup).values():
        rows.sort(key=lambda one: (one.case.concurrency, one.case.case_id))
        count = min(rows_per_setup or len(rows), len(rows))
        found += [rows[place] for place in np.linspace(0, len(rows) - 1, count).round().astype(int)]
    return found
