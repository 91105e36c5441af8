"""From answers to a scenario, with the reasons why it is as it is.

The order is the order of decision: does it fit one device, how fast must it answer, how does
the load vary, where does it run and on what, may it be interrupted.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.economics import Economics, Procurement
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.preset import GuidedAnswers, GuidedCode, GuidedFigures, GuidedStep, SitePlace, Variation
from gpuplanner_gui.domain.quantity import Triangular, central
from gpuplanner_gui.domain.scenario import HardwareChoice, OwnedStock, Scenario
from gpuplanner_gui.domain.traffic import Traffic
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.workload import (
    Availability,
    EngineSettings,
    ReplicaStart,
    RequestClass,
    RequestKind,
    ServingEngine,
    ServingWorkload,
    Slo,
)
from gpuplanner_gui.engine.cost.energy import WATTS_PER_KW
from gpuplanner_gui.engine.handoff.serving import WITH_TOKENS
from gpuplanner_gui.engine.model.cache_sizes import kv_bytes_per_token
from gpuplanner_gui.engine.model.weight_sizes import weight_bytes_by_precision
from gpuplanner_gui.engine.serving.samples import NO_ANSWER_IN_TOKENS, unanswered

COMFORT = 0.75
"""Share of a device's memory for weights and caches at which a model fits comfortably."""
WORKING_BATCH = 16
PATIENCE_S = 300.0
"""Nobody sits before an answer that may take longer than this."""
NARROW, WIDE = "fp8", "bf16"

OWN_PREMISES: tuple[SitePlace, ...] = ("office", "home")
"""Places where devices are bought: nobody rents them out there. A data centre may be the provider's."""
ONE_AT_A_TIME: tuple[RequestKind, ...] = ("image", "video")
"""Of these a device draws one as fast as it can: several at once take nearly as long as one after another."""

TRAFFIC: dict[Variation, Traffic] = {
    "steady": Traffic(mean_over_peak=0.9, burstiness_cv=1.0),
    "daily": Traffic(mean_over_peak=0.5, burstiness_cv=Triangular(1.0, 1.0, 2.0)),
    "bursty": Traffic(mean_over_peak=0.25, burstiness_cv=Triangular(1.5, 2.5, 4.0)),
    "people": Traffic(arrivals="users", mean_over_peak=0.5),
    "batch": Traffic(arrivals="batch", mean_over_peak=1.0),
}
"""How the load of each answer varies over a day and from second to second."""

TERM: dict[Variation, Procurement] = {
    "steady": "rent_1y", "daily": "rent_on_demand", "bursty": "rent_on_demand", "people": "rent_on_demand",
    "batch": "rent_on_demand",
}  # fmt: skip
"""A base that is always on is worth a commitment (requirement S119)."""


def guided_scenario(answers: GuidedAnswers, name: str, figures: GuidedFigures) -> Scenario:
    """The scenario that follows from the answers. Raises ValueError where nothing is trained or served."""
    if answers.requests is None and answers.training is None:
        raise ValueError("nothing is trained and nothing served")
    return Scenario(
        name=name,
        model=answers.model,
        serving=_serving(answers, figures),
        training=_training(answers),
        hardware=_hardware(answers, figures),
        economics=_economics(answers),
    )


def guided_steps(answers: GuidedAnswers, catalog: Catalog | None, figures: GuidedFigures) -> tuple[GuidedStep, ...]:
    """Why the scenario is as it is, question by question."""
    return (
        _fit(answers, catalog), *_speed(answers), *_variation(answers), *_site(answers, figures), *_restart(answers),
    )  # fmt: skip


def _serving(answers: GuidedAnswers, figures: GuidedFigures) -> ServingWorkload | None:
    if answers.requests is None:
        return None
    is_batch, demand = answers.variation == "batch", answers.demand
    # A batch has a deadline, and nobody waits for one of its answers.
    asked = _answerable(answers.requests, answers.model, figures)
    requests = msgspec.structs.replace(asked, slos=()) if is_batch else asked
    is_spare = _is_spare_kept(answers)
    traffic = msgspec.structs.replace(
        TRAFFIC[answers.variation], users=demand.users, batch_requests=demand.batch_requests,
        batch_time_s=demand.batch_time_s,
    )  # fmt: skip
    if answers.variation == "people":
        traffic = msgspec.structs.replace(traffic, think_time_s=demand.think_time_s)
    return ServingWorkload(
        classes=(requests,),
        traffic=traffic,
        availability=Availability(
            spare_replicas=1 if is_spare else 0,
            target=central(figures.home_availability.value) if answers.place == "home" else Availability().target,
        ),
        start=ReplicaStart(is_autoscaled=is_batch),
        restartable=answers.may_stop,
        engine=EngineSettings(
            engine=answers.engine or _engine_for(answers.model),
            max_sequences=1 if asked.request in ONE_AT_A_TIME else EngineSettings().max_sequences,
        ),
    )


def _answerable(requests: RequestClass, model: Model, figures: GuidedFigures) -> RequestClass:
    """Requests of the kind that the model answers: images, audio or documents, where it writes no text.

    A document that is embedded comes whole, so that a target on its first token is one on all of it.
    """
    is_answered = not model.embeds and not unanswered(ServingWorkload(classes=(requests,)), model)
    if requests.request != "text" or is_answered:
        return requests
    said = tuple(one for one in requests.slos if one.metric == "e2e")
    if model.embeds and not said:
        said = tuple(msgspec.structs.replace(one, metric="e2e") for one in requests.slos if one.metric == "ttft")
    for whole in figures.whole_answers:
        slos = said or (Slo(metric="e2e", limit_s=central(whole.limit.value)),)
        asked = msgspec.structs.replace(requests, name=whole.name, request=whole.request, slos=slos)
        if not unanswered(ServingWorkload(classes=(asked,)), model):
            return asked
    return requests


def _engine_for(model: Model) -> ServingEngine:
    """What runs the model: engines for language models draw and classify no images."""
    draws = model.kind not in WITH_TOKENS and model.kind in NO_ANSWER_IN_TOKENS
    return "generic" if draws else EngineSettings().engine


def _training(answers: GuidedAnswers) -> TrainingWorkload | None:
    if answers.training is None:
        return None
    return msgspec.structs.replace(answers.training, restartable=answers.may_stop)


def _hardware(answers: GuidedAnswers, figures: GuidedFigures) -> HardwareChoice:
    owned = answers.owned
    return HardwareChoice(
        accelerators=() if owned is None else (owned.accelerator,),
        owned=() if owned is None else (OwnedStock(accelerator=owned.accelerator, devices=owned.count),),
        # A driver that forbids data centres is no matter in an office or at home.
        licensed_for_data_centres=answers.place not in OWN_PREMISES,
        max_kw_total=central(figures.home_circuit_kw.value) if answers.place == "home" else None,
        cooling=("air",) if answers.place in OWN_PREMISES else HardwareChoice().cooling,
    )


def _economics(answers: GuidedAnswers) -> Economics:
    paid = _paid(answers)
    return paid if answers.owner is None else answers.owner.applied_to(paid)


def _paid(answers: GuidedAnswers) -> Economics:
    is_owner = answers.owned is not None or answers.place in OWN_PREMISES
    stated = answers.procurement or ("own" if is_owner else None)
    if stated is not None:
        return Economics(serving_procurement=stated, training_procurement=stated)
    tolerant = answers.may_stop and answers.requests is not None and not _has_waiting(answers)
    serving: Procurement = "rent_spot" if tolerant else TERM[answers.variation]
    training: Procurement = "rent_spot" if answers.may_stop else "rent_on_demand"
    return Economics(
        serving_procurement=serving if answers.requests is not None else "rent_on_demand",
        training_procurement=training if answers.training is not None else "rent_on_demand",
    )


def _fit(answers: GuidedAnswers, catalog: Catalog | None) -> GuidedStep:
    weights = weight_bytes_by_precision(answers.model)
    values = {"wide_bytes": float(weights[WIDE]), "narrow_bytes": float(weights[NARROW])}
    if answers.requests is None:
        return GuidedStep(0, "fit_trained", values)
    own = answers.model.weight_format.quantized
    # Nobody unpacks a model that is published in fewer bits to serve it.
    tried: tuple[tuple[GuidedCode, str], ...] = (("fits_one", "wide_bytes"), ("fits_one_narrow", "narrow_bytes"))
    if own is not None:
        values |= {"own_bytes": float(weights[own])}
        tried = (("fits_one_published", "own_bytes"),)
    if catalog is None:
        return GuidedStep(0, "fit_unknown", values)
    sizes = np.array([entry.memory_bytes for entry in catalog.accelerators.values() if entry.memory_bytes > 0])
    cache = _working_cache_bytes(answers.model, answers.requests)
    for code, name in tried:
        fitting = sizes[values[name] + cache <= COMFORT * sizes]
        if len(fitting):
            found = {"devices": float(len(fitting)), "smallest_bytes": float(fitting.min()), "of": float(len(sizes))}
            return GuidedStep(0, code, values | found)
    code = "needs_several" if own is None else "needs_several_published"
    return GuidedStep(0, code, values | {"largest_bytes": float(sizes.max(initial=0.0))})


def _working_cache_bytes(model: Model, requests: RequestClass) -> float:
    """Caches of a working batch of the requests that were described. [bytes]"""
    tokens = central(requests.prompt_tokens) + central(requests.output_tokens)
    return float(kv_bytes_per_token(model)) * tokens * WORKING_BATCH


def _speed(answers: GuidedAnswers) -> Iterator[GuidedStep]:
    if answers.requests is not None:
        is_waited_for = _has_waiting(answers)
        yield _service_speed(answers.requests) if is_waited_for else GuidedStep(1, "throughput_bound", {})
    if answers.training is not None:
        deadline = answers.training.deadline_s
        values = {"tokens": central(answers.training.tokens)}
        yield GuidedStep(
            1, "deadline_bound", values | ({"deadline_s": central(deadline)} if deadline is not None else {})
        )


def _service_speed(requests: RequestClass) -> GuidedStep:
    if not _is_waited_for(requests):
        return GuidedStep(1, "throughput_bound", {})
    return GuidedStep(1, "latency_bound", {f"{slo.metric}_s": slo.limit_s for slo in requests.slos})


def _is_waited_for(requests: RequestClass) -> bool:
    """Whether somebody sits before the answer: any target but a generous one on whole answers."""
    return any(slo.metric != "e2e" or slo.limit_s < PATIENCE_S for slo in requests.slos)


def _is_spare_kept(answers: GuidedAnswers) -> bool:
    return _has_waiting(answers) and not answers.may_stop and answers.place != "home"


def _has_waiting(answers: GuidedAnswers) -> bool:
    """Whether somebody waits for the service's answers; a batch has a deadline alone."""
    return answers.requests is not None and answers.variation != "batch" and _is_waited_for(answers.requests)


def _variation(answers: GuidedAnswers) -> Iterator[GuidedStep]:
    if answers.requests is not None:
        asked = answers.demand
        values: dict[Variation, dict[str, float]] = {
            "people": {"users": asked.users, "think_time_s": asked.think_time_s},
            "batch": {"requests": asked.batch_requests, "batch_time_s": asked.batch_time_s},
        }
        share = {"mean_over_peak": central(TRAFFIC[answers.variation].mean_over_peak)}
        yield GuidedStep(2, _LOADS[answers.variation], values.get(answers.variation, share))


_LOADS: dict[Variation, GuidedCode] = {
    "steady": "load_steady", "daily": "load_daily", "bursty": "load_bursty", "people": "load_people",
    "batch": "load_batch",
}  # fmt: skip


def _site(answers: GuidedAnswers, figures: GuidedFigures) -> Iterator[GuidedStep]:
    if answers.owned is not None:
        owned = {"devices": float(answers.owned.count)}
        if answers.requests is not None:
            yield GuidedStep(3, "owned_first", owned)
        if answers.training is not None:
            yield GuidedStep(3, "owned_for_run", owned)
    if _hardware(answers, figures).licensed_for_data_centres:
        yield GuidedStep(3, "licensed_only", {})
    if answers.place == "home":
        yield GuidedStep(3, "one_circuit", {"limit_w": central(figures.home_circuit_kw.value) * WATTS_PER_KW})
    yield from _terms(answers)


def _terms(answers: GuidedAnswers) -> Iterator[GuidedStep]:
    """How devices are paid for; spot capacity follows from what may be interrupted."""
    if answers.procurement is not None:
        yield GuidedStep(3, "paid_as_said", {})
        return
    paid = _paid(answers)
    is_batch = answers.variation == "batch"
    serving: dict[Procurement, GuidedCode] = {
        "own": "bought", "rent_1y": "reserved",
        "rent_on_demand": "rented_for_batch" if is_batch else "rented_for_hours",
    }  # fmt: skip
    training: dict[Procurement, GuidedCode] = {"rent_on_demand": "rented_for_run"}
    if answers.requests is not None and paid.serving_procurement in serving:
        yield GuidedStep(3, serving[paid.serving_procurement], {})
    if answers.training is not None and paid.training_procurement in training:
        yield GuidedStep(3, training[paid.training_procurement], {})


def _restart(answers: GuidedAnswers) -> Iterator[GuidedStep]:
    yield GuidedStep(4, "restartable" if answers.may_stop else "must_not_stop", {})
    if _is_spare_kept(answers):
        yield GuidedStep(4, "spare_kept", {"spare_replicas": 1.0})
