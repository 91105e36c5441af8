"""What a comparison of ways to pay takes for granted: said beside it, so that nobody has to guess it from the sums."""

from __future__ import annotations

import math
from collections.abc import Iterator

from gpuplanner_gui.domain.decision import OwnershipAnswer
from gpuplanner_gui.domain.economics import Economics
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.workload import DAYS_PER_WEEK, Traffic
from gpuplanner_gui.drawing.language import in_turn, tr
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.decision import term_name


def assumed_text(answer: OwnershipAnswer, scenario: Scenario) -> str:
    """Horizon and interest, growth and fleets, life and taxes, the week behind the mean load; a sentence each."""
    return in_turn(*_sentences(answer, scenario))


def _sentences(answer: OwnershipAnswer, scenario: Scenario) -> Iterator[str]:
    economics = scenario.economics
    yield tr(
        "Ways to pay are compared by present value: {years} at a cost of capital of {rate} a year, before income tax."
    ).format(
        years=format_value(answer.horizon_years, "y"),
        rate=format_value(central(economics.ownership.cost_of_capital), "share", 2),
    )
    if answer.growth_per_year and len(answer.replicas_by_year) > 1:
        yield fleets_text(answer)
    yield _life_text(answer, economics)
    if any(math.isfinite(one.usd_per_device_hour) and not one.usd_by_year for one in answer.terms):
        yield tr("Terms longer than the horizon are left out.")
    yield from _providers(answer)
    if answer.workload == "serving" and scenario.serving is not None:
        yield load_text(scenario.serving.traffic)


def _providers(answer: OwnershipAnswer) -> Iterator[str]:
    """Whose price each term is, and what the same offer asks by the hour."""
    for one in answer.terms:
        if not one.provider or not math.isfinite(one.usd_per_device_hour):
            continue
        words = {"term": term_name(one.term), "provider": one.provider}
        if one.term == "rent_on_demand" or not math.isfinite(one.by_the_hour_usd):
            yield tr("{term}: {provider}.").format(**words)
        else:
            hourly = format_value(one.by_the_hour_usd, "USD/h")
            yield tr("{term}: {provider} ({hourly} by the hour).").format(**words, hourly=hourly)


def fleets_text(answer: OwnershipAnswer) -> str:
    """The steps of what is held where the load grows or falls."""
    steps = " → ".join(format_value(one) for one in answer.replicas_by_year)
    text = tr(
        "Load changes by {growth} a year. Reserved and bought devices are sized for each year's highest load "
        "({steps} replicas); the mixed terms follow the load hour by hour."
    )
    return text.format(growth=format_value(answer.growth_per_year, "share", 2), steps=steps)


def _life_text(answer: OwnershipAnswer, economics: Economics) -> str:
    life = central(economics.ownership.useful_life_years)
    if answer.horizon_years < life:
        text = tr("Owned devices are charged for {years} of their {life}; their remaining value is credited.")
    elif answer.horizon_years > life:
        text = tr("Owned devices last {life}; after that they are bought again at today's price.")
    else:
        return tr("Owned devices are charged for the whole of their life, less what they are sold for.")
    return text.format(years=format_value(answer.horizon_years, "y"), life=format_value(life, "y"))


def load_text(traffic: Traffic) -> str:
    """The mean load that costs of a token are spread over, and what it follows from."""
    share = format_value(traffic.mean_share_of_peak, "share", 2)
    if traffic.week_share == 1.0:
        return tr("Tokens are counted at the mean load, {share} of the peak.").format(share=share)
    text = tr(
        "Tokens are counted at the mean load, {share} of the peak ({day} within the busiest day × {week} for the week)."
    )
    found = text.format(
        share=share,
        day=format_value(traffic.mean_share_of_peak / traffic.week_share, "share", 2),
        week=format_value(traffic.week_share, "share", 2),
    )
    left_out = DAYS_PER_WEEK - len(traffic.days)
    if left_out <= 0:
        return found
    stated = tr("{count} days of the week have no stated load and count as none.").format(count=left_out)
    return in_turn(found, stated if left_out > 1 else tr("One day of the week has no stated load and counts as none."))
