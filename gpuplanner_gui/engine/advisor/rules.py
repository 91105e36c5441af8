"""The table of rules: each looks at one kind of case and yields findings."""

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
    """One rule: the kind of case that it looks at, and what it looks for."""

    kind: Kind
    look: Callable[[Any], Iterator[Finding]]
    codes_of_replanning: tuple[str, ...] = ()
    """What a rule may say that plans again, which takes as long as a plan: such rules run behind the plan shown."""


RULES: tuple[Rule, ...] = (
    Rule("serving", serving_rules.slow_first_token),
    Rule("serving", serving_rules.uneven_tokens),
    Rule("serving", serving_rules.unstable_latency),
    Rule("serving", draft_rules.drafts_at_this_load),
    Rule("serving", serving_rules.thin_slo_margin),
    Rule("serving", serving_rules.idle_capacity),
    Rule("serving", lifted_rules.host_bound, ("host_bound", "host_bound_for_nothing")),
    Rule("serving", serving_rules.full_cache),
    Rule("serving", serving_rules.requests_refused),
    Rule("serving", serving_rules.split_for_latency),
    Rule("serving", serving_rules.emulated_format),
    Rule(
        "serving",
        lifted_rules.quantised_model,
        ("quantised_model", "quantised_model_is_needed", "quantised_model_unpriced"),
    ),
    Rule("serving", lifted_rules.bursty_arrivals, ("bursty_arrivals", "bursts_of_windows")),
    Rule(
        "serving",
        service_levers.levers,
        tuple(f"lever_{one.code}" for one in service_levers.LEVERS),
    ),
    Rule("serving", service_levers.classes_apart, ("classes_apart",)),
    Rule("serving", serving_rules.more_flops_cost_more),
    Rule("serving", serving_rules.rarely_used),
    Rule("serving", serving_rules.weak_evidence),
    Rule("serving", behind_rules.cheaper_by_datasheet, ("cheaper_by_datasheet",)),
    Rule("serving", serving_rules.price_of_certainty),
    Rule("serving", evidence_rules.held_at_published),
    Rule("serving", evidence_rules.measured_beyond_hardware),
    Rule("serving", evidence_rules.service_judged_by_training),
    Rule("serving", serving_rules.targets_missed),
    Rule("serving", serving_rules.over_budget),
    Rule("serving", site_rules.replica_loss),
    Rule("serving", site_rules.availability_adds_replicas),
    Rule("serving", site_rules.burst_too_much),
    Rule("serving", site_rules.loading_saturates_storage),
    Rule("serving", site_rules.service_on_spot),
    Rule("serving", money_rules.cheaper_terms, ("cheaper_terms", "cheaper_terms_at")),
    Rule("serving", money_rules.term_outlasts_horizon),
    Rule("serving", money_rules.always_on_base, money_rules.FOLLOWING_CODES),
    Rule("serving", money_rules.cheaper_api),
    Rule("serving", money_rules.stranded_devices),
    Rule("serving", money_rules.owned_first),
    Rule("serving", money_rules.few_offers),
    Rule("serving", behind_rules.cheaper_few_offers, ("cheaper_few_offers",)),
    Rule("serving", money_rules.unused_fabric),
    Rule("serving", money_rules.more_than_needed),
    Rule("serving", site_rules.facility),
    Rule("serving", site_rules.largest_cluster),
    Rule("serving", site_rules.priced_one_by_one),
    Rule("serving", site_rules.consumer_licence),
    Rule("serving", site_rules.rented_without_network),
    Rule("training", lifted_rules.input_bound, lifted_rules.FEEDING_CODES),
    Rule("training", training_rules.communication_bound),
    Rule("training", training_rules.pipeline_bubble),
    Rule("training", lifted_rules.stated_schedule, ("stated_schedule",)),
    Rule("training", lifted_rules.stragglers, tuple(one.finding for one in lifted_rules.STRAGGLERS)),
    Rule("training", training_rules.tensor_across_nodes),
    Rule("training", training_rules.more_devices_buy_time),
    Rule("training", training_rules.start_up_heavy),
    Rule("training", training_rules.memory_is_thin),
    Rule("training", training_rules.host_memory_is_unknown),
    Rule("training", training_rules.activations_dominate),
    Rule("training", lifted_rules.other_devices_for_run, ("other_devices_run",)),
    Rule("training", lifted_rules.needless_recompute, ("needless_recompute",)),
    Rule("training", lifted_rules.older_attention, ("older_attention",)),
    Rule(
        "training",
        run_levers.run_levers,
        tuple(f"lever_{one.code}" for one in run_levers.RUN_LEVERS),
    ),
    Rule("training", training_rules.no_headroom_for_retries),
    Rule("training", training_rules.weak_training_evidence),
    Rule("training", evidence_rules.faster_than_published),
    Rule("training", evidence_rules.training_judged_by_service),
    Rule("training", training_rules.targets_missed),
    Rule("training", site_rules.training_on_spot),
    Rule("training", site_rules.much_lost_to_failures),
    Rule("training", lifted_rules.slow_checkpoint_store, ("slow_checkpoint_store",)),
    Rule("training", money_rules.stranded_devices),
    Rule("training", money_rules.owned_first),
    Rule("training", money_rules.few_offers),
    Rule("training", behind_rules.cheaper_few_offers, ("cheaper_few_offers_run",)),
    Rule("training", training_rules.spot_for_training),
    Rule("training", money_rules.term_outlasts_horizon),
    Rule("training", training_rules.term_outlasts_run),
    Rule("training", training_rules.runs_exceed_year),
    Rule("training", training_rules.run_outlasts_horizon),
    Rule("training", training_rules.bought_for_the_run),
    Rule("training", site_rules.facility),
    Rule("training", site_rules.largest_cluster),
    Rule("training", site_rules.priced_one_by_one),
    Rule("training", site_rules.consumer_licence),
    Rule("training", site_rules.rented_without_network),
    Rule("both", training_rules.one_device_for_both),
    Rule("both", training_rules.service_on_training_nodes),
    Rule("both", training_rules.training_on_serving_nodes),
    Rule("both", training_rules.one_profile_forced),
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
