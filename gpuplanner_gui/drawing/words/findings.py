"""What the planner should know: every finding about a scenario's results, as sentences made from codes and values."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from datetime import date

import msgspec

from gpuplanner_gui.domain.economics import Economics
from gpuplanner_gui.domain.field import field_of
from gpuplanner_gui.domain.load_result import FleetSplit
from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.domain.scenario import HardwareChoice
from gpuplanner_gui.domain.verdict import Finding, Remedy
from gpuplanner_gui.drawing.carried import carried_findings
from gpuplanner_gui.drawing.language import in_turn, labelled, listed, tr
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.value_ranges import format_change
from gpuplanner_gui.drawing.words.candidates import replicas_text
from gpuplanner_gui.drawing.words.choices import words_of_choice
from gpuplanner_gui.drawing.words.decision import providers_text
from gpuplanner_gui.drawing.words.finding_sentences import FINDING_SENTENCES
from gpuplanner_gui.drawing.words.reasons import reason_for_many
from gpuplanner_gui.drawing.words.remedy_sentences import REMEDY_SENTENCES
from gpuplanner_gui.drawing.words.simulated_fleet import known_multiple, split_text
from gpuplanner_gui.engine.advisor import load_findings, price_findings, sorted_findings
from gpuplanner_gui.engine.advisor.metrics import METRICS
from gpuplanner_gui.engine.serving.fleet_split import load_multiple


def all_findings(results: Results) -> tuple[Finding, ...]:
    """The gravest first, then the dearest."""
    curve, simulation, answer = results.load_curve, results.simulation, results.plan.serving
    # Of the recommended candidate, whichever is looked at: everywhere the same findings.
    best = answer.best if answer is not None else -1
    # A fleet that no number of replicas makes carries no planned load.
    is_sized = answer is not None and best >= 0 and math.isfinite(answer.table.replicas[best])
    is_of_best = curve is not None and curve.candidate == best and is_sized
    serving = results.scenario.serving
    is_waited_for = serving is not None and not serving.traffic.is_batch
    simulated = simulation.curve if simulation is not None and simulation.candidate == best else None
    of_load = load_findings(
        curve if is_of_best and is_waited_for else None, results.scenario.first_latency,
        None if simulated is None or simulated.is_trace else simulated,
    )  # fmt: skip
    found = [*_after_a_loss(results), *of_load, *carried_findings(results)]
    found += price_findings(results.scenario, results.plan, results.catalog, date.today())
    return sorted_findings(found)


def _after_a_loss(results: Results) -> Iterator[Finding]:
    """The plan's findings; the load after a loss is measured by the simulated limit once that is known."""
    answer = results.plan.serving
    for one in results.plan.findings:
        cure = one.remedy
        if cure is None or cure.metric != LOAD_AFTER_LOSS or answer is None:
            yield one
            continue
        times, is_simulated = known_multiple(results, answer)
        more = load_multiple(answer) / times if is_simulated and times > 0 else 1.0
        cure = msgspec.structs.replace(cure, before=cure.before * more, after=cure.after * more)
        values = one.values | {name: float(one.values[name]) * more for name in ("load_share",) if name in one.values}
        yield msgspec.structs.replace(one, values=values, remedy=cure)


SEVERITIES = ("note", "warning", "serious")
MARKS = ("·", "▲", "✖")
"""A shape for each severity, for those who do not see its colour."""

_UNIT_SUFFIXES = (
    ("bytes_per_s", "bytes/s"),
    ("flop_per_s", "flop/s"),
    ("tokens_per_s", "tok/s"),
    ("reads_per_s", "reads/s"),
    ("_per_s", "req/s"),
    ("checkpoint_bytes", "bytes on disk"),
    ("stored_bytes", "bytes on disk"),
    ("bytes", "bytes"),
    ("usd_per_hour", "USD/h"),
    ("usd_per_month", "USD/month"),
    ("usd_per_year", "USD/y"),
    ("usd", "USD"),
    ("share", "share"),
    ("_years", "y"),
    ("_w", "W"),
    ("_s", "s"),
)
_FIELDS = {
    "owned": field_of(HardwareChoice, "owned").about.title,
    "overrides": field_of(Economics, "overrides").about.title,
    "order": field_of(Economics, "order").about.title,
}
_TERMS = {
    "rent_on_demand": "rented by the hour",
    "rent_1y": "reserved for a year",
    "rent_3y": "reserved for three years",
    "rent_spot": "rented on spot capacity",
    "own": "bought",
}
LOAD_AFTER_LOSS = "serving.load_after_loss"
"""Infinite where no replica is left."""
_METRIC_NAMES = {
    "serving.usd_per_month": "cost of the service",
    "serving.ttft_p95_s": "TTFT p95",
    "serving.tpot_mean_s": "TPOT mean",
    "serving.itl_p99_s": "ITL p99",
    "serving.headroom": "load reserve",
    "serving.refused_share": "requests refused as too long",
    LOAD_AFTER_LOSS: "load of each remaining replica after a loss, as a share of what its targets allow",
    "serving.burst_carried": "largest burst handled, relative to the peak",
    "serving.enough_replicas_up": "availability",
    "serving.spot_interruptions_per_month": "interruptions per month",
    "serving.start_together_s": "cold start of all replicas together",
    "training.usd_per_run": "cost of the run",
    "training.run_time_s": "run time",
    "training.step_time_s": "step time",
    "training.goodput": "goodput",
    "training.spot_interruptions": "interruptions per run",
    "training.free_memory_share": "free memory",
    "serving.unlicensed_devices": "devices without a licence for data centres",
    "training.unlicensed_devices": "devices without a licence for data centres",
    "serving.named_devices_left_out": "named or owned devices that are excluded",
    "training.named_devices_left_out": "named or owned devices that are excluded",
    "unknown_devices": "allowed devices that are not in the catalogue",
    "serving.unpriced_devices": "devices without a price",
    "training.unpriced_devices": "devices without a price",
    "serving.years_beyond_horizon": "reserved beyond the horizon",
    "training.years_beyond_horizon": "reserved beyond the horizon",
    "serving.rented_without_network": "rented devices on an air-gapped site",
    "training.rented_without_network": "rented devices on an air-gapped site",
}
_VARIANT = re.compile(r"(_run)?(_cheaper)?$")
_PLAIN_NUMBERS = 2
"""Digits of shares and ratios in a sentence."""


def value_unit(name: str) -> str:
    """The unit that a value's name ends with, as names do throughout the program; empty for a plain number."""
    return next((unit for suffix, unit in _UNIT_SUFFIXES if name.endswith(suffix)), "")


def sentence_code(code: str) -> str:
    """Which sentence a finding has: those that differ in whether a device costs more or less, and when, share one."""
    return code if code in FINDING_SENTENCES else _VARIANT.sub("", code)


def _difference(values: Mapping[str, str]) -> str:
    """$40 000/month more, or less, as the values say it."""
    for name in ("more_usd_per_month", "more_usd"):
        if name in values:
            return tr("{usd} more").format(usd=values[name])
    for name in ("less_usd_per_month", "less_usd"):
        if name in values:
            return tr("{usd} less").format(usd=values[name])
    return ""


_EFFECTS = {
    "enough_usd": "the targets would be met, for {value}",
    "enough_usd_per_month": "the targets would be met, for {value}",
    "enough": "the targets would be met",
    "saved_usd": "the run would cost {value} less",
    "saved_held_usd": "the run would cost {value} less, idle time included",
    "saved_usd_per_month": "the service would cost {value} less",
    "saved_s": "the run would end {value} earlier",
}
"""What lifting a limit is worth, by the one value that says it."""


def keeps_targets(found: Finding) -> bool:
    """Whether a finding's remedy is known to keep targets that are missed now."""
    return found.remedy is not None and any(name.startswith("enough") for name in found.values)


def _effect(values: Mapping[str, str]) -> str:
    """The half sentence of the first value that says what lifting a limit is worth."""
    return next((tr(words).format(value=values[name]) for name, words in _EFFECTS.items() if name in values), "")


def _formats(values: Mapping[str, str]) -> str:
    """FP8 weights (BF16 KV cache); of a model without a cache its weights alone."""
    if "cache_format" not in values:
        return tr("{format} weights").format(**values) if "format" in values else ""
    return tr("{format} weights ({cache_format} KV cache)").format(**values)


def _at_published(values: Mapping[str, float | str]) -> str:
    """What the service needs at the speed of published runs; empty where no number of replicas is enough."""
    if "published_replicas" not in values:
        return ""
    planned, needed = (replicas_text(int(values[name])) for name in ("replicas", "published_replicas"))
    words = tr("At the published speed the service needs {needed}; the plan has {planned}.")
    if needed == planned:
        words = tr("At the published speed, the plan still needs {planned}.")
    return words.format(needed=needed, planned=planned)


def _fleet(values: Mapping[str, str]) -> str:
    """The devices of the plan that follows, with its formats where they are others than the plan's."""
    if not {"device", "devices"} <= values.keys():
        return ""
    fleet = tr("{devices} × {device} with {formats}") if "format" in values else "{devices} × {device}"
    return fleet.format(**{**values, "formats": _formats(values)})


def _other_fleet(cure: Remedy | None, planned: Mapping[str, str]) -> str:
    """What the fleet of other terms costs, before what the planned device does; empty where that fleet stays."""
    if cure is None or cure.code != "change_terms_to":
        return ""
    values = {name: _shown(name, value) for name, value in cure.values.items()}
    fleet = _fleet(values)
    if fleet == _fleet(planned):
        return ""
    before, after = format_change(cure.before, cure.after, "USD/month")
    text = tr("On {fleet}, {term}, the service costs {after} instead of {before}.")
    return text.format(fleet=fleet, term=values["term"], after=after, before=before)


def _split(values: Mapping[str, float | str]) -> str:
    """What the replicas of a fleet are for; empty for a finding that does not split them."""
    if "added_replicas" not in values:
        return ""
    names = {"total": "replicas", "expected": "expected_replicas", "added": "added_replicas",
             "spares": "spare_replicas", "zones": "zones", "kept_up": "kept_up_replicas"}  # fmt: skip
    counts = {name: int(values[value]) for name, value in names.items()}
    return split_text(FleetSplit(**counts, chance=float(values["chance_share"])))


_OF_THIS_FLEET = ("follow_the_load", "switch_off")
"""Findings that tell what the planned fleet would cost; a remedy that can be applied tells what its own plan does."""
_PLANNED_ANEW = (*_OF_THIS_FLEET, "follow_the_load_then_reserve", "cheaper_terms", "cheaper_terms_at")
"""Findings whose one saving is that of the plan that their remedy leads to."""


def finding_text(finding: Finding) -> str:
    """The sentence for a finding; one without a sentence of its own lists its values, so that none is lost."""
    values = {name: _shown(name, value) for name, value in finding.values.items()}
    difference = _difference(values)
    if difference:
        values["difference"] = difference
    if "provider" in values:
        values["provider"] = providers_text(values["provider"], values.get("quoted_by"))
    values |= {"effect": _effect(values), "formats": _formats(values), "split": _split(finding.values)}
    values["at_published"] = _at_published(finding.values)
    code = sentence_code(finding.code)
    if code in _OF_THIS_FLEET and finding.remedy is not None and finding.remedy.edits:
        code = "fewer_replicas_off_peak"
    sentence = FINDING_SENTENCES.get(code)
    if sentence is not None:
        try:
            return in_turn(_other_fleet(finding.remedy, values), tr(sentence).format(**values))
        except KeyError:
            pass  # the engine gives other values than the sentence asks for: they are listed below
    shown = listed(f"{name.replace('_', ' ')} {values[name]}" for name in finding.values)
    title = finding.code.replace("_", " ").capitalize()
    return labelled(title, shown) if shown else title


def remedy_text(remedy: Remedy | None) -> str:
    """What may be done, in a sentence; empty where nothing is advised."""
    if remedy is None:
        return ""
    values = {name: _shown(name, value) for name, value in remedy.values.items()}
    values["fleet"] = _fleet(values)
    said = tr(REMEDY_SENTENCES[remedy.code]).format(**values)
    if remedy.values.get("is_borne_out", 1.0):
        return said
    unsure = tr(
        "Fewer than five published runs of such models are known on that device, in any software or format, so the "
        "verdict would be uncertain."
    )
    return f"{said} {unsure}"


def effect_text(remedy: Remedy | None) -> str:
    """What the remedy does to the figure that it improves; empty where it names none."""
    if remedy is None or not remedy.metric:
        return ""
    metric, words = METRICS[remedy.metric], tr(_METRIC_NAMES[remedy.metric])
    name = words[:1].upper() + words[1:]
    if remedy.metric == LOAD_AFTER_LOSS and math.isinf(remedy.before):
        after = format_value(remedy.after, metric.unit)
        return tr("After a loss, each remaining replica then runs at {after} of what its targets allow.").format(
            after=after
        )
    before = format_value(remedy.before, metric.unit)
    if not math.isfinite(remedy.after):
        direction = tr("lower") if metric.is_lower_better else tr("higher")
        return tr("{name}: {before}, {direction}; apply it to see by how much").format(
            name=name, before=before, direction=direction
        )
    if math.isfinite(remedy.before):
        before, after = format_change(remedy.before, remedy.after, metric.unit)
    else:
        after = format_value(remedy.after, metric.unit)
    return tr("{name}: {before} → {after}").format(name=name, before=before, after=after)


_SPENT, _AT_RISK, _AS_PUBLISHED, _ON_OTHER, _OVER, _LATER, _IN_FULL = (
    "{money} of the cost", "{money} at risk", "{money} more at the published speed", "{money} more on that device",
    "{money} over budget", "{money} after the horizon", "{money} more without quantisation",
)  # fmt: skip
_MONEY = {
    "idle_capacity": _SPENT,
    "stranded_devices": _SPENT,
    "price_of_certainty": _SPENT,
    "unused_fabric": _SPENT,
    "availability_adds_replicas": _SPENT,
    "term_outlasts_horizon": _LATER,
    "term_outlasts_run": _SPENT,
    "communication_bound": _SPENT,
    "start_up_heavy": _SPENT,
    "much_lost_to_failures": _SPENT,
    "quantised_model": _IN_FULL,
    "faster_than_published": _AS_PUBLISHED,
    "held_at_published": _AS_PUBLISHED,
    "old_price": _AT_RISK,
    "few_offers": _AT_RISK,
    "training_on_spot": _AT_RISK,
    "no_headroom_for_retries": "{money} not planned",
    "bought_for_the_run": "{money} to invest",
    "weak_evidence": _ON_OTHER,
    "weak_evidence_held": _ON_OTHER,
    "consumer_licence": _ON_OTHER,
    "one_device_for_both": _ON_OTHER,
    "service_on_training_nodes": _ON_OTHER,
    "training_on_serving_nodes": _ON_OTHER,
    "serving_nodes_train_too_late": _ON_OTHER,
    "service_over_budget": _OVER,
    "run_over_budget": _OVER,
}
"""What a finding's money is, by its sentence: a part of the planned cost, a loss to fear, another device's extra price,
or what is over the budget. That of all others could be saved."""


def money_text(finding: Finding) -> str:
    """A finding's money and what it is, per month of service, per year or per run; empty where there is none."""
    if finding.usd <= 0:
        return ""
    money, code = format_value(finding.usd, _money_unit(finding)), sentence_code(finding.code)
    remedy = finding.remedy
    saved = remedy.before - remedy.after if remedy is not None and "usd" in remedy.metric else math.nan
    is_all = code in _PLANNED_ANEW or saved >= finding.usd * (1 - 1e-6)
    if remedy is not None and is_all and 0 < saved < math.inf:
        # Costs before and after stand beside it, each rounded by itself: their difference may not be this number.
        saved = saved if METRICS[remedy.metric].unit == _money_unit(finding) else finding.usd
        return tr("saves about {money}").format(money=format_value(saved, _money_unit(finding)))
    return tr(_MONEY.get(code, "could save about {money}")).format(money=money)


def _money_unit(finding: Finding) -> str:
    """The unit of the value that says the same, as where both workloads have the service's cost alone."""
    units = {finding.values[name]: value_unit(name) for name in finding.values if "usd" in name}
    return units.get(finding.usd) or ("USD/month" if finding.workload == "serving" else "USD")


def _shown(name: str, value: float | str) -> str:
    if isinstance(value, str):
        return _word(name, value)
    unit = value_unit(name)
    value = round(value, 2) if unit == "USD" else value
    return format_value(float(value), unit, _PLAIN_NUMBERS if unit in ("", "share") and value % 1 else 3)


def _word(name: str, value: str) -> str:
    if name == "term":
        return tr(_TERMS[value])
    if name == "software":
        return words_of_choice(value)
    if name == "field":
        return tr(_FIELDS[value])
    if name == "reason" and value in Reason.__members__:
        return reason_for_many(int(Reason[value]))
    return value.upper() if name.endswith("format") else value
