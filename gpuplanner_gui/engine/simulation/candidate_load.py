"""From a plan's candidate, or any other replica, to a service that can be simulated, and to its load curve."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.curves import LoadCurve
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.load_result import SimulatedCurve
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.domain.trace import Trace
from gpuplanner_gui.domain.traffic import Traffic
from gpuplanner_gui.domain.workload import EngineSettings, LatencyMetric, RequestClass, ServingWorkload
from gpuplanner_gui.engine.context import Context, context_of
from gpuplanner_gui.engine.evidence.pace import serving_pace
from gpuplanner_gui.engine.serving.candidates import ServingCandidates, drafting
from gpuplanner_gui.engine.serving.curves import serving_candidate
from gpuplanner_gui.engine.serving.demand import demand_of, keeps_sessions
from gpuplanner_gui.engine.serving.deployments import (
    Deployments,
    candidate_deployments,
    candidate_pools,
    pool_step_factor,
)
from gpuplanner_gui.engine.serving.engine_release import admission_of
from gpuplanner_gui.engine.serving.pace import ServingPace, paced_steps
from gpuplanner_gui.engine.serving.pool_transfer import prompt_transfer_s
from gpuplanner_gui.engine.serving.samples import in_slices, is_of_samples
from gpuplanner_gui.engine.serving.step_table import DeploymentSteps, paced_decode, serving_loss, virtualised_steps
from gpuplanner_gui.engine.serving.tabulated import deployment_steps, usual_work
from gpuplanner_gui.engine.simulation.arrivals import Arrivals, GammaArrivals, PoissonArrivals, bursts_of
from gpuplanner_gui.engine.simulation.curve import FINE_POINTS, FINE_REQUESTS, curve_of, load_curve, points_of
from gpuplanner_gui.engine.simulation.pool import Outage, Routing
from gpuplanner_gui.engine.simulation.replica import UNCONTROLLED, RunControl
from gpuplanner_gui.engine.simulation.requests import RequestMix, Requests
from gpuplanner_gui.engine.simulation.result import LatencyTarget, SimulationResult
from gpuplanner_gui.engine.simulation.run import KvTransfer, ReplicaPool, replica_table, simulate_disaggregated
from gpuplanner_gui.engine.simulation.service import ClientService
from gpuplanner_gui.engine.simulation.settings import Batching, ReplicaSettings
from gpuplanner_gui.engine.simulation.step_time import Speculation
from gpuplanner_gui.engine.simulation.traffic import Lengths, TrafficClass, TrafficSample, trace_sample, traffic_sample


def scenario_sample(
    serving: ServingWorkload, longest_tokens: float, count: int, seed: int = 0, trace: Trace | None = None
) -> TrafficSample:
    """Requests of all classes of a scenario, `count` of them; or those of a trace, at its own times or others.

    Parameters
    ----------
    serving : ServingWorkload
        Classes, and how requests arrive.
    longest_tokens : float
        Context that the model can hold; longer requests are cut.
    trace : Trace, optional
        Replaces the lengths of the classes; its pattern of arrivals replaces the scenario's.
    """
    if trace is not None:
        return trace_sample(trace, longest_tokens).of_length(count)
    classes = [_traffic_class(one) for one in serving.classes]
    sample = traffic_sample(classes, count, seed, arrivals_of(serving.traffic, serving.peak_rate_per_s))
    return replace(sample, requests=sample.requests.within(longest_tokens))


def _traffic_class(one: RequestClass) -> TrafficClass:
    return TrafficClass(
        share=central(one.peak_rate_per_s),
        prompt=Lengths(one.prompt_tokens),
        output=Lengths(one.output_tokens),
        cached_share=central(one.prefix_cache_share),
        priority=one.priority,
    )


def arrivals_of(traffic: Traffic, rate_per_s: float) -> Arrivals:
    """The arrival process that the scenario describes; a trace is replaced by bursts like its own.

    `rate_per_s` is that at which the busiest windows were stated. [1/s]
    """
    bursts, cv = bursts_of(traffic, rate_per_s), central(traffic.burstiness_cv)
    if bursts is not None:
        return bursts
    return GammaArrivals(cv) if traffic.arrivals in ("poisson", "gamma") and cv != 1.0 else PoissonArrivals()


def targets_of(serving: ServingWorkload, by_class: bool = True) -> tuple[LatencyTarget, ...]:
    """Every target of every class, in their order; without classes (`by_class` False) each holds for all requests."""
    return tuple(
        LatencyTarget(slo.metric, slo.percentile / 100, slo.limit_s, number if by_class else None)
        for number, slo in serving.targets
    )


@dataclass(frozen=True)
class PoolsService(ClientService):
    """Workers that decode, with the workers that prefill for them; `replicas` are units of both."""

    prefill: ClientService = field(kw_only=True)
    prefill_workers: int = field(kw_only=True)
    decode_workers: int = field(kw_only=True)
    transfer: KvTransfer = field(kw_only=True)
    entry_s: float = field(kw_only=True)
    """Router and start of a request in the second pool, beside the step that takes it in."""

    @property
    def has_closed_form(self) -> bool:
        """The closed form of one pool is not theirs."""
        return False

    def serve(
        self, requests: Requests, outages: Sequence[Outage] = (), control: RunControl = UNCONTROLLED
    ) -> SimulationResult:
        """See `Service.serve`; where a unit is out, all its workers are."""
        first, then = self.prefill_workers, self.decode_workers
        reading = ReplicaPool(self.prefill.table, self.prefill.settings, self.replicas * first, self.routing)
        writing = ReplicaPool(self.table, self.settings, self.replicas * then, self.routing)
        links = replace(self.transfer, links=self.replicas * first)
        out = (_of_workers(outages, first), _of_workers(outages, then))
        found = simulate_disaggregated(reading, writing, links, requests, self.traffic.seed, control, out)
        return self.seen(found.served)

    def seen(self, result: SimulationResult) -> SimulationResult:
        """See `ClientService.seen`; requests enter two pools."""
        found = super().seen(result)
        answered = float(result.is_finished.sum())
        return replace(
            found,
            sent_s=found.sent_s - self.entry_s,
            request_seconds=found.request_seconds + answered * self.entry_s,
        )

    def _places_per_replica(self) -> int:
        return super()._places_per_replica() * self.decode_workers


def _of_workers(outages: Sequence[Outage], workers: int) -> tuple[Outage, ...]:
    """Outages of units as those of each of their workers."""
    return tuple(
        replace(outage, replica=outage.replica * workers + worker) for outage in outages for worker in range(workers)
    )


def pools_service(
    prefill: ClientService,
    decode: ClientService,
    prefill_workers: int,
    decode_workers: int,
    transfer_s: float,
    engine: EngineFacts,
) -> PoolsService:
    """A service of units. `transfer_s` is what a mean prompt's cache takes on the link."""
    tokens = float(decode.traffic.requests.prompt_tokens.mean())
    return PoolsService(
        **{one.name: getattr(decode, one.name) for one in fields(ClientService)},
        prefill=prefill,
        prefill_workers=prefill_workers,
        decode_workers=decode_workers,
        transfer=KvTransfer(kv_bytes_per_token=transfer_s / tokens, bytes_per_s=1.0),
        entry_s=engine.pool_entry_s,
    )


__all__ = [
    "candidate_service",
    "replica_service",
    "sampled_service",
    "simulated_curves",
    "simulated_rates",
]

LONGEST_WITHOUT_LIMIT = 1e7
"""Context of a model that states none. [tokens]"""


@dataclass(frozen=True)
class ReplicaModel:
    """One replica: what it computes, on what, under which engine, and how much it holds; arrays of shape (1,)."""

    deployed: Deployments
    settings: ReplicaSettings
    pace: ServingPace | None = None
    """What own measurements say; None where there are none."""
    virtualisation_loss: float = 0.0

    def steps(self, mix: RequestMix) -> DeploymentSteps:
        """Step times around what such requests make of a step."""
        budget, most = self.settings.token_budget, self.settings.max_sequences * self.settings.tokens_per_sequence
        table = deployment_steps(self.deployed, usual_work(mix, budget), budget, most)
        if self.deployed.role == "decode":
            table = paced_decode(table, pool_step_factor(self.deployed))
        return virtualised_steps(paced_steps(table, self.pace), self.virtualisation_loss)


def replica_service(
    model: ReplicaModel,
    sample: TrafficSample,
    replicas: int = 1,
    routing: Routing = Routing.LEAST_LOAD,
) -> ClientService:
    """A service of equal replicas under given traffic."""
    step_time = model.steps(sample.mix())
    settings, engine = model.settings, model.deployed.engine
    table = replica_table(step_time, settings)
    admission = admission_of(engine, float(sample.requests.prompt_tokens.mean()))
    return ClientService(
        step_time,
        table,
        settings,
        sample,
        replicas,
        routing,
        admission=admission,
        delivery_steps=engine.delivery_steps,
    )


def replica_settings(
    stated: EngineSettings, engine: EngineFacts, kv_tokens: float, speculation: Speculation | None, groups: int = 1
) -> ReplicaSettings:
    """An engine's settings of a scenario, of all groups of attention, with the tokens that the cache holds."""
    batching = {
        "chunked_prefill": Batching.CHUNKED if engine.mixes_prefill else Batching.PREFILL_FIRST,
        "continuous": Batching.MIXED if engine.mixes_prefill else Batching.PREFILL_FIRST,
        "dynamic": Batching.DYNAMIC,
        "static": Batching.STATIC,
    }[stated.batching]
    return ReplicaSettings(
        max_sequences=stated.max_sequences * groups,
        token_budget=stated.token_budget * groups,
        kv_tokens=kv_tokens,
        batching=batching,
        kv_block_tokens=stated.kv_block_tokens,
        speculation=speculation,
    )


def candidate_model(scenario: Scenario, context: Context, chosen: ServingCandidates) -> ReplicaModel:
    """The replica of a set of one candidate, under a scenario's engine settings; of pools the worker that decodes."""
    if scenario.serving is None:
        raise ValueError("the scenario serves nothing")
    scenario = drafting(scenario, chosen)
    if chosen.is_apart.any():
        return _replica_model(scenario, context, chosen.together, candidate_pools(scenario, context, chosen)[1])
    return _replica_model(scenario, context, chosen, candidate_deployments(scenario, context, chosen))


def _replica_model(
    scenario: Scenario, context: Context, chosen: ServingCandidates, deployed: Deployments
) -> ReplicaModel:
    serving = scenario.service
    demand = demand_of(serving, scenario.model)
    drafts = None if deployed.role == "prefill" else demand.speculation
    kv_tokens = float(deployed.sequences_held(demand.context_tokens)[0]) * demand.context_tokens
    return ReplicaModel(
        deployed=deployed,
        settings=replica_settings(
            in_slices(serving, scenario.model).engine,
            deployed.engine,
            kv_tokens,
            drafts,
            int(deployed.layout.data_parallel[0]),
        ),
        pace=serving_pace(context, scenario, chosen, deployed, demand),
        virtualisation_loss=serving_loss(scenario),
    )


def longest_tokens(scenario: Scenario) -> float:
    """Context beyond which a request is cut; slices of samples are no tokens, and none is cut. [tokens]"""
    limit = 0 if is_of_samples(scenario.service, scenario.model) else scenario.model.max_context
    return float(limit or LONGEST_WITHOUT_LIMIT)


def candidate_service(
    scenario: Scenario,
    context: Context,
    chosen: ServingCandidates,
    count: int = FINE_REQUESTS,
    seed: int = 0,
    trace: Trace | None = None,
    replicas: int = 1,
) -> ClientService:
    """A candidate (a set of one) under the scenario's traffic, or under that of a trace; `count` requests.

    Raises
    ------
    ValueError
        If the scenario serves nothing.
    """
    sample = scenario_sample(in_slices(scenario.service, scenario.model), longest_tokens(scenario), count, seed, trace)
    found, traffic = sampled_service(scenario, context, chosen, sample, replicas), scenario.service.traffic
    if traffic.arrivals != "users" or trace is not None or isinstance(found, PoolsService):
        return found
    return replace(found, think_s=central(traffic.think_time_s))


def sampled_service(
    scenario: Scenario, context: Context, chosen: ServingCandidates, sample: TrafficSample, replicas: int = 1
) -> ClientService:
    """A candidate (a set of one) under given traffic; with separate pools, units of both."""
    scenario = drafting(scenario, chosen)
    model, routing = candidate_model(scenario, context, chosen), Routing(scenario.service.availability.router)
    if keeps_sessions(scenario.service) and not (sample.requests.session >= 0).any():
        # Nobody says how many sessions there are: of many, each request meets another, on any replica.
        routing = Routing.RANDOM
    decode = replica_service(model, sample, replicas, routing)
    if not chosen.is_apart.any():
        return decode
    deployed = candidate_pools(scenario, context, chosen)[0]
    prefill = replica_service(_replica_model(scenario, context, chosen.prefill, deployed), sample, replicas, routing)
    transfer_s = float(prompt_transfer_s(chosen, deployed, float(sample.requests.prompt_tokens.mean()))[0])
    workers = int(chosen.prefill_workers[0]), int(chosen.decode_workers[0])
    return pools_service(prefill, decode, *workers, transfer_s, model.deployed.engine)


def simulated_curves(
    scenario: Scenario,
    catalog: Catalog,
    calibration: Calibration,
    plan: Plan,
    candidate: int,
    closed_form: LoadCurve | None = None,
    *,
    trace: Trace | None = None,
    seed: int = 0,
    points: int = FINE_POINTS,
    requests: int = FINE_REQUESTS,
    is_cancelled: Callable[[], bool] | None = None,
) -> Iterator[SimulatedCurve]:
    """Load curves of one replica of a candidate by simulation: coarse at once, then ever more exact.

    Parameters
    ----------
    closed_form : LoadCurve, optional
        What the plan's own closed form says; the simulated curves carry it along, and where it is off. Without it (a
        trace is other traffic than the plan's) they carry that of the traffic simulated.
    trace : Trace, optional
        Recorded traffic in place of the scenario's classes; targets then hold for all requests.
    points, requests : int
        Rates of the final curve, and requests at each.

    Raises
    ------
    ValueError
        For a plan without serving, or a candidate that does not fit.
    CancelledError
        When `is_cancelled` says so.
    """
    if plan.serving is None or scenario.serving is None or not plan.serving.table.fits[candidate]:
        raise ValueError("the candidate does not fit")
    context = context_of(catalog, calibration)
    service = candidate_service(scenario, context, serving_candidate(plan, candidate), requests, seed, trace)
    targets = scenario_targets(scenario, trace)
    planned = closed_form.planned_rate_per_s if closed_form is not None and trace is None else float("nan")
    for curve in load_curve(service, targets, points, RunControl(is_cancelled), scenario.first_latency, planned):
        yield curve_of(curve, service, candidate, closed_form, trace is not None, scenario.first_latency)


def simulated_rates(
    service: ClientService,
    targets: Sequence[LatencyTarget],
    rates_per_s: Sequence[float],
    candidate: int = -1,
    closed_form: LoadCurve | None = None,
    is_trace: bool = False,
    is_cancelled: Callable[[], bool] | None = None,
    first: LatencyMetric = "ttft",
) -> SimulatedCurve:
    """A service simulated at given rates of the whole service; `first` is what its clients wait for.

    Raises CancelledError when `is_cancelled` says so.
    """
    found = points_of(service, targets, sorted(rates_per_s), RunControl(is_cancelled), first)
    return curve_of(found, service, candidate, closed_form, is_trace, first)


def scenario_targets(scenario: Scenario, trace: Trace | None = None) -> tuple[LatencyTarget, ...]:
    """Targets of a scenario, of samples as a client gets them: whole.

    Under a trace, whose requests have no classes, each holds for all requests.
    """
    if scenario.serving is None:
        return ()
    return targets_of(in_slices(scenario.serving, scenario.model), by_class=trace is None)
