"""The table of rules: each looks at one kind of case and yields findings, with the requirements that it embodies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.verdict import Finding
from gpuplanner_gui.engine.advisor import (
    behind_rules,
    draft_rules,
    evidence_rules,
    lifted_rules,
    money_rules,
    row_rules,
    run_levers,
    service_levers,
    serving_rules,
    site_rules,
    training_rules,
)
from gpuplanner_gui.engine.advisor.case import BothCase, PlansAgain, serving_case, training_case
from gpuplanner_gui.engine.context import Context

Kind = Literal["serving", "training", "both"]


@dataclass(frozen=True)
class Rule:
    """One rule: the kind of case that it looks at, and what of the founding requirements it embodies."""

    kind: Kind
    look: Callable[[Any], Iterator[Finding]]
    requirements: tuple[str, ...]
    codes_of_replanning: tuple[str, ...] = ()
    """What a rule may say that plans again, which takes as long as a plan: such rules run behind the plan shown."""


RULES: tuple[Rule, ...] = (
    Rule("serving", serving_rules.slow_first_token, ("S11", "S12")),
    Rule("serving", serving_rules.uneven_tokens, ("S11", "S95")),
    Rule("serving", serving_rules.unstable_latency, ("S103",)),
    Rule("serving", draft_rules.drafts_at_this_load, ("S95", "S96")),
    Rule("serving", serving_rules.thin_slo_margin, ("S87",)),
    Rule("serving", serving_rules.idle_capacity, ("S87", "S104", "S133", "K8")),
    Rule("serving", lifted_rules.host_bound, ("S64", "S65"), ("host_bound", "host_bound_for_nothing")),
    Rule("serving", serving_rules.full_cache, ("S33", "S36", "S112")),
    Rule("serving", serving_rules.requests_refused, ("S33",)),
    Rule("serving", serving_rules.split_for_latency, ("S68", "S96")),
    Rule("serving", serving_rules.emulated_format, ("S46", "S47")),
    Rule(
        "serving",
        lifted_rules.quantised_model,
        ("S48",),
        ("quantised_model", "quantised_model_is_needed", "quantised_model_unpriced"),
    ),
    Rule("serving", lifted_rules.bursty_arrivals, ("S17", "S92"), ("bursty_arrivals", "bursts_of_windows")),
    Rule(
        "serving",
        service_levers.levers,
        ("S20", "S48", "S95", "S96"),
        tuple(f"lever_{one.code}" for one in service_levers.LEVERS),
    ),
    Rule("serving", service_levers.classes_apart, ("S94",), ("classes_apart",)),
    Rule("serving", serving_rules.more_flops_cost_more, ("S62",)),
    Rule("serving", serving_rules.rarely_used, ("S99",)),
    Rule("serving", serving_rules.weak_evidence, ("S145",)),
    Rule("serving", behind_rules.cheaper_by_datasheet, ("S145",), ("cheaper_by_datasheet",)),
    Rule("serving", serving_rules.price_of_certainty, ("S145",)),
    Rule("serving", evidence_rules.held_at_published, ("S145",)),
    Rule("serving", evidence_rules.measured_beyond_hardware, ("S145",)),
    Rule("serving", evidence_rules.service_judged_by_training, ("S128",)),
    Rule("serving", serving_rules.targets_missed, ("S10", "S97")),
    Rule("serving", serving_rules.over_budget, ("S133",)),
    Rule("serving", site_rules.replica_loss, ("S90",)),
    Rule("serving", site_rules.availability_adds_replicas, ("S15", "S88")),
    Rule("serving", site_rules.burst_too_much, ("S92",)),
    Rule("serving", site_rules.loading_saturates_storage, ("S101", "S113")),
    Rule("serving", site_rules.service_on_spot, ("S102", "S118", "K6")),
    Rule("serving", money_rules.cheaper_terms, ("S119", "S117"), ("cheaper_terms", "cheaper_terms_at")),
    Rule("serving", money_rules.term_outlasts_horizon, ("S119",)),
    Rule("serving", money_rules.always_on_base, ("S98", "S119"), money_rules.FOLLOWING_CODES),
    Rule("serving", money_rules.cheaper_api, ("S132", "S119")),
    Rule("serving", money_rules.stranded_devices, ("S133", "S141")),
    Rule("serving", money_rules.owned_first, ("S119",)),
    Rule("serving", money_rules.few_offers, ("S158",)),
    Rule("serving", behind_rules.cheaper_few_offers, ("S158",), ("cheaper_few_offers",)),
    Rule("serving", money_rules.unused_fabric, ("S73", "S125", "K9")),
    Rule("serving", money_rules.more_than_needed, ("S134", "S133")),
    Rule("serving", site_rules.facility, ("S141", "S143")),
    Rule("serving", site_rules.largest_cluster, ("S141",)),
    Rule("serving", site_rules.priced_one_by_one, ("S141",)),
    Rule("serving", site_rules.consumer_licence, ("S139",)),
    Rule("serving", site_rules.rented_without_network, ("S139",)),
    Rule("training", lifted_rules.input_bound, ("S105", "S107", "S153"), lifted_rules.FEEDING_CODES),
    Rule("training", training_rules.communication_bound, ("S71", "S77")),
    Rule("training", training_rules.pipeline_bubble, ("S71", "S78")),
    Rule("training", lifted_rules.stated_schedule, ("S71", "S78"), ("stated_schedule",)),
    Rule("training", lifted_rules.stragglers, ("S75", "S80"), tuple(one.finding for one in lifted_rules.STRAGGLERS)),
    Rule("training", training_rules.tensor_across_nodes, ("S69",)),
    Rule("training", training_rules.more_devices_buy_time, ("S76",)),
    Rule("training", training_rules.start_up_heavy, ("S16",)),
    Rule("training", training_rules.memory_is_thin, ("S36", "S112")),
    Rule("training", training_rules.host_memory_is_unknown, ("S36", "S112")),
    Rule("training", training_rules.activations_dominate, ("S24",)),
    Rule("training", lifted_rules.other_devices_for_run, ("S119",), ("other_devices_run",)),
    Rule("training", lifted_rules.needless_recompute, ("S22",), ("needless_recompute",)),
    Rule("training", lifted_rules.older_attention, ("S22",), ("older_attention",)),
    Rule(
        "training",
        run_levers.run_levers,
        ("S42", "S44", "S133"),
        tuple(f"lever_{one.code}" for one in run_levers.RUN_LEVERS),
    ),
    Rule("training", training_rules.no_headroom_for_retries, ("S129",)),
    Rule("training", training_rules.weak_training_evidence, ("S145",)),
    Rule("training", evidence_rules.faster_than_published, ("S145",)),
    Rule("training", evidence_rules.training_judged_by_service, ("S128",)),
    Rule("training", training_rules.targets_missed, ("S133",)),
    Rule("training", site_rules.training_on_spot, ("S118",)),
    Rule("training", site_rules.much_lost_to_failures, ("S109", "S112")),
    Rule("training", lifted_rules.slow_checkpoint_store, ("S108", "S109", "S112"), ("slow_checkpoint_store",)),
    Rule("training", money_rules.stranded_devices, ("S133", "S141")),
    Rule("training", money_rules.owned_first, ("S119",)),
    Rule("training", money_rules.few_offers, ("S158",)),
    Rule("training", behind_rules.cheaper_few_offers, ("S158",), ("cheaper_few_offers_run",)),
    Rule("training", training_rules.spot_for_training, ("S116", "S118")),
    Rule("training", money_rules.term_outlasts_horizon, ("S119",)),
    Rule("training", training_rules.term_outlasts_run, ("S114", "S124")),
    Rule("training", training_rules.runs_exceed_year, ("S114", "S124")),
    Rule("training", training_rules.run_outlasts_horizon, ("S114", "S124")),
    Rule("training", training_rules.bought_for_the_run, ("S114", "S124")),
    Rule("training", site_rules.facility, ("S141", "S143")),
    Rule("training", site_rules.largest_cluster, ("S141",)),
    Rule("training", site_rules.priced_one_by_one, ("S141",)),
    Rule("training", site_rules.consumer_licence, ("S139",)),
    Rule("training", site_rules.rented_without_network, ("S139",)),
    Rule("both", training_rules.one_device_for_both, ("S1", "S122")),
    Rule("both", training_rules.service_on_training_nodes, ("S125",)),
    Rule("both", training_rules.training_on_serving_nodes, ("S126", "S135", "K10")),
    Rule("both", training_rules.one_profile_forced, ("S1", "S133")),
)


def findings(scenario: Scenario, plan: Plan, context: Context, again: PlansAgain | None = None) -> tuple[Finding, ...]:
    """All that the rules find in a plan, the gravest and dearest first.

    `again` plans changed scenarios; without it, rules that ask for such plans are left out.
    """
    serving, training = serving_case(scenario, plan, context, again), training_case(scenario, plan, context, again)
    both = BothCase(scenario, plan, context, serving, training) if serving and training else None
    cases: dict[Kind, Any] = {"serving": serving, "training": training, "both": both}
    rules = [one for one in RULES if cases[one.kind] is not None and (again is not None or not one.codes_of_replanning)]
    found = [one for rule in rules for one in rule.look(cases[rule.kind])]
    found += training_rules.nothing_can_train(scenario, plan, context)
    found += run_levers.batch_that_trains(scenario, plan, context, again)
    found += site_rules.named_device_left_out(scenario, plan, context)
    found += site_rules.unknown_devices(scenario, context.catalog)
    found += row_rules.unusable_rows(scenario, context.catalog)
    return sorted_findings(found)


def sorted_findings(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Gravest first; among equals by their money."""
    return tuple(sorted(found, key=lambda one: (-one.severity, -one.usd)))
