"""One candidate in depth: latency against load, and its place under the roofline."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.domain.curves import LoadCurve, Roofline
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.plan import Plan, ServingTable
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context, context_of
from gpuplanner_gui.engine.evidence.pace import serving_pace
from gpuplanner_gui.engine.explaining.formula import is_tracing
from gpuplanner_gui.engine.explaining.roofline_points import (
    BATCHES,
    batch_shares,
    decode_ceiling_of,
    sample_points,
    serving_points,
    shared,
    slowed,
)
from gpuplanner_gui.engine.kernels.operation_time import gemm_time
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.engine.model.precision import PRECISIONS
from gpuplanner_gui.engine.recent import Recent
from gpuplanner_gui.engine.serving.candidates import ServingCandidates, drafting
from gpuplanner_gui.engine.serving.confidence import Doubt, doubt_of
from gpuplanner_gui.engine.serving.demand import Demand, demand_of
from gpuplanner_gui.engine.serving.deployments import Deployments, candidate_deployments, candidate_pools
from gpuplanner_gui.engine.serving.load.rates import capacity_per_s, highest_load_within, slowed_latency_s
from gpuplanner_gui.engine.serving.load.states import LoadStates
from gpuplanner_gui.engine.serving.load_grid import LoadModel, loads_of, states_of
from gpuplanner_gui.engine.serving.loaded import load_inputs, scenario_load_model
from gpuplanner_gui.engine.serving.pools import answer_s, pools_under_load, unit_states
from gpuplanner_gui.engine.serving.prompt_media import EncoderWork, encoder_work
from gpuplanner_gui.engine.serving.replica import products_of
from gpuplanner_gui.engine.serving.samples import is_of_samples, mean_flop
from gpuplanner_gui.engine.serving.step_table import serving_loss, virtualised_s
from gpuplanner_gui.engine.simulation.arrays import as_floats
from gpuplanner_gui.engine.training.job import RECIPES
from gpuplanner_gui.engine.training.step_phases import training_points

POINTS = 48
PERCENTILES = {"p50": 50.0, "p90": 90.0, "p95": 95.0, "p99": 99.0}


def serving_candidate(plan: Plan, candidate: int) -> ServingCandidates:
    """One row of a plan's serving table as a set of one candidate. Raises ValueError without a serving plan."""
    return serving_candidates(plan, np.array([candidate]))


def serving_candidates(plan: Plan, rows: NDArray[np.int64]) -> ServingCandidates:
    """Rows of a plan's serving table as a set of candidates. Raises ValueError without a serving plan."""
    if plan.serving is None:
        raise ValueError("the plan has no serving table")
    return ServingCandidates.of_table(plan.serving.table, rows)


def load_curve(
    scenario: Scenario,
    catalog: Catalog,
    calibration: Calibration,
    plan: Plan,
    candidate: int,
    *,
    is_cancelled: Callable[[], bool] | None = None,
) -> LoadCurve:
    """Latency of one replica from idle to saturation, in closed form.

    Raises ValueError for a plan without serving, or a candidate that does not fit.
    """
    context = context_of(catalog, calibration)
    chosen = serving_candidate(plan, candidate)
    scenario = drafting(scenario, chosen)
    if not plan.served.table.fits[candidate]:
        raise ValueError("the candidate does not fit")
    demand = demand_of(scenario.service, scenario.model)
    paced = 1.0 if scenario.service.has_next_tokens else np.nan
    if chosen.is_apart.any():
        return _pools_curve(scenario, context, chosen, demand, plan.served.table, candidate)
    model, states = _states_along_load(scenario, context, chosen, demand)
    stable = (states.utilisation < 1).all(axis=1)
    keep = np.flatnonzero(stable) if stable.any() else np.array([0])
    capacity = capacity_per_s(states)
    slo_rate, _ = highest_load_within(states.rate_per_s, states, demand.slos, capacity)
    doubt = doubt_of(scenario, context, chosen, model.deployed, model.pace)
    table = plan.served.table

    def by_statistic(mean: Floats, percentile: Callable[[float], Floats]) -> dict[str, Floats]:
        columns = {"mean": mean[keep, 0]}
        return columns | {name: percentile(value)[keep, 0] for name, value in PERCENTILES.items()}

    return LoadCurve(
        candidate=candidate,
        rates_per_s=states.rate_per_s[keep, 0],
        ttft_s=by_statistic(states.ttft_mean_s, states.ttft_s),
        itl_mean_s=paced * states.step_s[keep, 0],
        tpot_s=by_statistic(paced * states.token_s, lambda at: paced * states.tpot_s(at)),
        e2e_s=by_statistic(states.e2e_mean_s, states.e2e_s),
        output_tokens_per_s=states.rate_per_s[keep, 0] * demand.output_tokens,
        batch=states.batch[keep, 0],
        kv_use=np.minimum(states.batch[keep, 0] / model.sequences[0], 1.0),
        max_rate_per_s=float(capacity[0]),
        slo_rate_per_s=float(slo_rate[0]),
        planned_rate_per_s=float(table.load_per_replica_per_s[candidate]),
        **_factors(doubt, demand),
    )


def _factors(doubt: Doubt, demand: Demand) -> dict[str, float]:
    """Step times of the one candidate over the predicted ones, and what first tokens take of them."""
    step, first = float(doubt.step_log_sd[0]), float(doubt.first_token_log_sd[0])
    step = first if demand.is_of_samples else step  # Nothing comes before the whole answer.
    return {
        "low80_factor": math.exp(-Z_80 * step),
        "high80_factor": math.exp(Z_80 * step),
        "first_token_power": first / step if step > 0 else 1.0,
    }


def _power(curve: LoadCurve, metric: str) -> float:
    """What a latency takes of slower steps: all of an answer of one token is its first."""
    is_first = metric == "ttft" or np.isnan(curve.tpot_s["p95"]).all()
    return curve.first_token_power if is_first else 1.0


def latency_band_s(
    curve: LoadCurve, metric: str, latency_s: Floats, rates_per_s: Floats, capacity_per_s: float,
    think_s: float | None = None,
) -> tuple[Floats, Floats]:  # fmt: skip
    """80 % band of a latency along its rates if only the step time is uncertain; infinite beyond a capacity. [s]

    `think_s` is what users wait before they ask again: slower answers, fewer questions. None: nobody waits for answers.
    """
    power, share = _power(curve, metric), rates_per_s / capacity_per_s
    if not len(share):
        return latency_s, latency_s
    fast, slow = (
        slowed_latency_s(share, latency_s, share / _rounds(curve, rates_per_s, one, think_s), one, power)
        for one in (curve.low80_factor, curve.high80_factor)
    )
    return fast, slow


def planned_band(curve: LoadCurve, metric: str, think_s: float | None = None) -> tuple[float, float]:
    """Ends of that band of p95 at the planned rate, over p95 there."""
    latency_s, power = getattr(curve, f"{metric}_s")["p95"], _power(curve, metric)
    loads, planned = curve.rates_per_s / curve.max_rate_per_s, as_floats(curve.planned_rate_per_s)
    at_plan = np.interp(planned / curve.max_rate_per_s, loads, latency_s)
    found = []
    for slow in (curve.low80_factor, curve.high80_factor):
        load = planned / curve.max_rate_per_s / _rounds(curve, planned, slow, think_s)
        found.append(float(slowed_latency_s(loads, latency_s, load, slow, power) / at_plan))
    return found[0], found[1]


def _rounds(curve: LoadCurve, rates_per_s: Floats, slow: float, think_s: float | None) -> Floats:
    """What a user's round of answer and thought takes at rates over the planned, where steps take `slow` times as
    long."""
    if think_s is None:
        return np.ones_like(rates_per_s)
    answer_s = np.interp(rates_per_s, curve.rates_per_s, curve.e2e_s["mean"])
    return np.asarray((answer_s * slow + think_s) / (answer_s + think_s))


def best_load_curve(
    scenario: Scenario,
    catalog: Catalog,
    calibration: Calibration,
    plan: Plan,
    is_cancelled: Callable[[], bool] | None = None,
) -> LoadCurve | None:
    """Load curve of the recommended candidate, which findings are about; None where nothing can serve."""
    if plan.serving is None or plan.serving.best < 0:
        return None
    return load_curve(scenario, catalog, calibration, plan, plan.serving.best, is_cancelled=is_cancelled)


def _pools_curve(
    scenario: Scenario,
    context: Context,
    chosen: ServingCandidates,
    demand: Demand,
    table: ServingTable,
    candidate: int,
) -> LoadCurve:
    """Latency of one unit of a prefill and a decode pool."""
    paced = 1.0 if scenario.service.has_next_tokens else np.nan
    prefill, decode = candidate_pools(scenario, context, chosen)
    load = pools_under_load(scenario, context, chosen, prefill, decode, demand, lambda: None)
    capacity = float(load.capacity_per_s[0])
    rates = capacity * np.linspace(0.005, 0.985, POINTS)

    first, then = unit_states(load, demand, rates)
    keep = np.flatnonzero(((first.utilisation < 1) & (then.utilisation < 1)).all(axis=1))
    keep = keep if len(keep) else np.array([0])
    over_s, answers_s = float(load.handover_s[0]), answer_s(then)

    def by_statistic(percentile: Callable[[float], Floats], mean: Floats) -> dict[str, Floats]:
        return {"mean": mean[keep, 0]} | {name: percentile(value)[keep, 0] for name, value in PERCENTILES.items()}

    batch = then.batch[keep, 0]
    return LoadCurve(
        candidate=candidate,
        rates_per_s=rates[keep],
        ttft_s=by_statistic(lambda at: first.ttft_s(at) + over_s, first.ttft_mean_s + over_s),
        itl_mean_s=paced * then.step_s[keep, 0],
        tpot_s=by_statistic(lambda at: paced * then.tpot_s(at), paced * then.token_s),
        e2e_s=by_statistic(lambda at: first.ttft_s(at) + over_s + answers_s, first.ttft_mean_s + over_s + answers_s),
        output_tokens_per_s=rates[keep] * demand.output_tokens,
        batch=batch,
        kv_use=np.minimum(batch / load.decode.model.sequences[0], 1.0),
        max_rate_per_s=capacity,
        slo_rate_per_s=float(load.slo_rate_per_s[0]),
        planned_rate_per_s=float(table.load_per_replica_per_s[candidate]),
        **_factors(load.doubt, demand),
    )


_recent_states: Recent[tuple[LoadModel, LoadStates]] = Recent()


def _states_along_load(
    scenario: Scenario, context: Context, chosen: ServingCandidates, demand: Demand
) -> tuple[LoadModel, LoadStates]:
    """One replica from idle to saturation: the same whatever rate is asked for, whatever the targets and prices."""
    deployed = candidate_deployments(scenario, context, chosen)

    def made() -> tuple[LoadModel, LoadStates]:
        model = scenario_load_model(scenario, context, chosen, deployed, demand)
        fractions = np.concatenate([np.linspace(0.005, 0.9, POINTS - 12), np.linspace(0.91, 1.0, 12)])
        loads = fractions[:, None] * model.most_requests
        if demand.begins_with_some:
            loads = np.sort(np.concatenate([loads, loads_of(model, demand)]), axis=0)
        return model, states_of(model, demand, loads)

    if is_tracing():
        return made()
    return _recent_states.of(load_inputs(scenario, context, chosen, deployed, demand), made)


def roofline(
    scenario: Scenario,
    catalog: Catalog,
    calibration: Calibration,
    plan: Plan,
    workload: str,
    candidate: int,
) -> Roofline:
    """Ceilings of a candidate's accelerator and the operations of its phases under them.

    Raises ValueError for a workload that the plan lacks.
    """
    return rooflines(scenario, catalog, calibration, plan, workload, (candidate,))[0]


def rooflines(
    scenario: Scenario,
    catalog: Catalog,
    calibration: Calibration,
    plan: Plan,
    workload: str,
    candidates: Sequence[int],
) -> tuple[Roofline, ...]:
    """Rooflines of several candidates, as `roofline` for one, in hardly more time than for one of them."""
    context = context_of(catalog, calibration)
    table = _table_of(plan, workload)
    engine = scenario.serving.engine.engine if scenario.serving else "vllm"
    fitting = tuple(one for one in candidates if table.fits[one]) if workload == "serving" else ()
    found = _serving_rooflines(scenario, context, plan, fitting) if fitting else {}
    roofs = (found.get(one) or _ceilings(context, engine, int(table.accelerator[one])) for one in candidates)
    if workload == "training" and scenario.training is not None:
        recipe = scenario.training.recipe
        formats = tuple(dict.fromkeys((RECIPES[recipe].compute, RECIPES[recipe].wide)))
        points = [shared(training_points(scenario, context, table, one)) for one in candidates]
        roofs = (msgspec.structs.replace(roof, points=own, formats=formats) for roof, own in zip(roofs, points))
    return tuple(roofs)


def _ceilings(context: Context, engine: str, accelerator: int) -> Roofline:
    """Datasheet peaks of the formats that run natively, and what the best timed products reached of them."""
    known = _recent_ceilings.of((engine, context), dict)
    if accelerator not in known:
        known[accelerator] = _made_ceilings(context, engine, accelerator)
    return known[accelerator]


_recent_ceilings: Recent[dict[int, Roofline]] = Recent()


def _made_ceilings(context: Context, engine: str, accelerator: int) -> Roofline:
    devices, kernels = context.devices, context.kernels(engine)
    peaks = {
        name: float(devices.peak_flop_per_s[accelerator, column])
        for column, name in enumerate(PRECISIONS)
        if np.isfinite(devices.peak_flop_per_s[accelerator, column]) and not devices.is_emulated[accelerator, column]
    }
    bf16, family = PRECISIONS.index("bf16"), kernels.family
    measured = _rates_of_large_products(context, engine, accelerator, tuple(peaks))
    reached = float(kernels.gemm.parameters.memory_efficiency[kernels.gemm.row[accelerator, bf16]])
    reached /= float(family.memory_time[accelerator])
    bandwidth = float(devices.bandwidth_bytes_per_s[accelerator])
    return Roofline(
        accelerator=accelerator,
        peak_flop_per_s=peaks,
        measured_flop_per_s={name: rate / float(family.compute_time[accelerator]) for name, rate in measured.items()},
        bandwidth_bytes_per_s=bandwidth,
        measured_bandwidth_bytes_per_s=bandwidth * reached,
        points=(),
        measured_on=kernels.relative[accelerator][bf16],
    )


LARGE_PRODUCT = 8192.0
"""Rows, columns and depth of the product whose rate stands for a measured ceiling."""


def _rates_of_large_products(
    context: Context, engine: str, accelerator: int, precisions: tuple[str, ...]
) -> dict[str, float]:
    """What a large square product reaches in each format by the fitted timings. [FLOP/s]"""
    which = np.array([PRECISIONS.index(name) for name in precisions], np.int64)
    same = np.full(len(which), accelerator)
    products = products_of(same, which, context.devices, context.kernels(engine))
    size = as_floats(LARGE_PRODUCT)
    time = gemm_time(
        size, size, size, products.weight_bytes, products.activation_bytes, products.device, products.parameters
    )
    rates = 2.0 * LARGE_PRODUCT**3 / (time.floor_s + time.compute_s + time.memory_s)
    return {name: float(rate) for name, rate in zip(precisions, rates)}


def _table_of(plan: Plan, workload: str) -> Any:
    part = plan.answers.get(workload)
    if part is None:
        raise ValueError(f"the plan has no {workload} table")
    return part.table


def _planned_batch(table: ServingTable, rows: NDArray[np.int64]) -> Floats:
    """Sequences that each candidate decodes together; one where none is planned. [1]"""
    planned = np.asarray(table.batch[rows], np.float64)
    return np.where(np.isfinite(planned) & (planned >= 1), planned, 1.0)


def _encoder_s(deployed: Deployments, work: EncoderWork | None) -> Floats:
    """Time of the encoder before the mean prompt of each deployment; 0 where nothing is seen or heard. [s]"""
    if work is None or deployed.encoder_token_s is None:
        return np.zeros(len(deployed))
    return np.asarray(deployed.encoder_token_s * work.prompt_tokens)


def _serving_rooflines(
    scenario: Scenario, context: Context, plan: Plan, fitting: tuple[int, ...]
) -> dict[int, Roofline]:
    """Each candidate's operations under its ceilings, and its decode step over batches; kept for the next question."""
    rows = np.array(fitting)
    chosen = serving_candidates(plan, rows)
    groups = [tuple(rows[chosen.draft_tokens == one].tolist()) for one in np.unique(chosen.draft_tokens)]
    if len(groups) > 1:
        return {
            row: roof for group in groups for row, roof in _serving_rooflines(scenario, context, plan, group).items()
        }
    scenario = drafting(scenario, chosen)
    serving, model = scenario.service, scenario.model
    engine = serving.engine.engine
    demand, table = demand_of(serving, model), plan.served.table
    batch = _planned_batch(table, rows)
    prompt = min(demand.mix.computed_tokens, float(demand.token_budget))
    largest = np.nan_to_num(np.asarray(table.max_sequences[rows], np.float64))
    sample_flop = mean_flop(serving.classes, model) if is_of_samples(serving, model) else 0.0
    encoder = None if is_of_samples(serving, model) else encoder_work(serving, model)
    yielded = demand.speculation.tokens_per_step if demand.speculation is not None else 1.0

    def made() -> dict[int, Roofline]:
        deployed = candidate_deployments(scenario, context, chosen)
        slower, at_each = _slowdown(scenario, context, chosen, deployed, demand, batch)
        if deployed.samples is not None:
            weights = float(model_parameters(model).total)
            points = sample_points(deployed, batch, sample_flop, weights, model.activation_bytes_per_sample)
        else:
            points = serving_points(deployed, batch, demand.context_tokens, prompt, demand.speculation)
        points = tuple(
            slowed(those, {phase: float(factor[place]) for phase, factor in slower.items()})
            for place, those in enumerate(points)
        )
        batches = batch_shares(deployed, batch, largest, demand.context_tokens, demand.speculation, at_each)
        roofs = [_ceilings(context, engine, int(accelerator)) for accelerator in chosen.accelerator]
        return {
            one: msgspec.structs.replace(
                roofs[place],
                points=points[place],
                decode_ceiling_tokens_per_s=decode_ceiling_of(
                    points[place], float(batch[place]) * yielded, roofs[place].bandwidth_bytes_per_s
                ),
                formats=tuple(dict.fromkeys(point.precision for point in points[place] if point.precision)),
                batches=batches[place],
                context_tokens=demand.context_tokens,
                prompt_tokens=prompt,
                encoder_s=float(_encoder_s(deployed, encoder)[place]),
            )
            for place, one in enumerate(fitting)
        }

    # An edit of a price or a target leaves the operations as they are.
    drafts = demand.speculation
    machines = context, scenario.hardware.host_link_bytes_per_s
    work = prompt, demand.context_tokens, sample_flop, encoder
    software = serving.engine, serving_loss(scenario)
    inputs = (fitting, batch, work, largest, chosen, software, scenario.model, machines, drafts)
    return _recent_rooflines.of(inputs, made)


def _slowdown(
    scenario: Scenario,
    context: Context,
    chosen: ServingCandidates,
    deployed: Deployments,
    demand: Demand,
    batch: Floats,
) -> tuple[dict[str, Floats], Floats]:
    """What steps take over the model's time, by phase, and what decode steps do over batches: as the table has it."""
    pace = serving_pace(context, scenario, chosen, deployed, demand)
    each = 1.0 if demand.speculation is None else float(demand.speculation.verified_tokens)
    lost = virtualised_s(np.ones(len(batch)), serving_loss(scenario))

    def decoding(batches: Floats) -> Floats:
        return np.asarray(lost * (np.ones_like(batches) if pace is None else pace.decode_factor(batches * each)))

    prefill = lost if pace is None else lost * pace.prefill_factor
    at_each = decoding(np.broadcast_to(BATCHES[:, None], (len(BATCHES), len(batch))))
    return {"prefill": prefill, "decode": decoding(batch), "sample": lost}, at_each


_recent_rooflines: Recent[dict[int, Roofline]] = Recent()
