"""What a planner loses by choosing among measured configurations by predictions instead of measurements.

    python -m tools.fidelity.regret [--shipped] [--plan]

Of the configurations that were measured for one model, lengths and engine on one accelerator, that with the most output
tokens per second and device is chosen among those predicted to hold a limit on TPOT; then across accelerators, engines
and formats, with the most per dollar. Regret is one less the choice's measured rate over the best measured rate that
held the limit. Ours are `predict`'s by fits that have not seen the group, unless shipped figures are asked for, or the
plan's, which is asked with users in a loop: a run's own rate would tell it some of the answer.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.engine.context import Context
from tools.fidelity.left_out import left_out
from tools.fidelity.planned_rows import PlannedRow, askable, planned_rows
from tools.fidelity.report_text import markdown, percent, sections
from tools.fidelity.serving import JudgedRow, left_out_rows, shipped_rows
from tools.fit_serving.tables import PEERS, MeasuredCase, measured_cases
from tools.repository import grouped, shipped_context, table_rows

LIMITS_S = (0.015, 0.025, 0.040)
FEWEST_OPTIONS = 5
"""Measured configurations from which a choice says something."""
BROKEN_OVER = 1.1
"""Of its limit: a choice whose measured TPOT is beyond has broken it."""

USD_PER_DEVICE_HOUR = {
    "nvidia-a100-sxm-80gb": 2.50,
    "nvidia-h100-sxm-80gb": 4.14,
    "nvidia-h200-sxm-141gb": 5.29,
    "nvidia-b200-sxm-180gb": 7.81,
    "nvidia-b300-sxm-288gb": 8.75,
    "nvidia-gb200": 10.50,
}
"""The catalogue's medians of on-demand offers, as of 2026-10-10 (catalogs/accelerators.json, rental); frozen here, so
that the figure moves with predictions alone. Accelerators that nobody offers on demand stay out."""


@dataclass(frozen=True)
class Latency:
    """Of one configuration, measured or predicted."""

    ttft_s: float
    tpot_s: float


Predictions = Mapping[str, Latency]
"""By case."""


@dataclass(frozen=True)
class Option:
    """A measured configuration that a planner could choose."""

    case_id: str
    sweep: Hashable
    """What is the same where only layouts and loads differ: model, accelerator, engine, release, format, lengths."""
    task: Hashable
    """What is the same wherever it runs: model and lengths."""
    accelerator: str
    devices: int
    users: float
    """Requests at once."""
    output_tokens: float
    measured: Latency
    is_settled: bool = True
    """Whether the row says what ran: nothing that may have speculated."""

    def rate(self, latency: Latency) -> float:
        """Output tokens per second and device of a closed loop. [tok/s]"""
        request_s = latency.ttft_s + (self.output_tokens - 1.0) * latency.tpot_s
        return self.users * self.output_tokens / request_s / self.devices

    def rate_per_dollar(self, latency: Latency) -> float:
        """Output tokens per dollar. [tok/USD]"""
        return self.rate(latency) * 3600.0 / USD_PER_DEVICE_HOUR[self.accelerator]


Worth = Callable[[Option, Latency], float]


@dataclass(frozen=True)
class Decision:
    """What one choice lost, and whether it broke its limit."""

    regret: float
    """NaN where no configuration was predicted to hold a limit that some held: no choice."""
    is_broken: bool


def decision(options: Sequence[Option], predicted: Predictions, limit_s: float, worth: Worth) -> Decision | None:
    """The choice under one limit; None where nothing held it."""
    held = [one for one in options if one.measured.tpot_s <= limit_s]
    promised = [one for one in options if predicted[one.case_id].tpot_s <= limit_s]
    if not held:
        return None
    if not promised:
        return Decision(float("nan"), False)
    best = max(worth(one, one.measured) for one in held)
    choice = max(promised, key=lambda one: worth(one, predicted[one.case_id]))
    loss = 1.0 - worth(choice, choice.measured) / best
    return Decision(max(loss, 0.0), choice.measured.tpot_s > BROKEN_OVER * limit_s)


def decisions_within(options: Sequence[Option], predicted: Predictions) -> list[Decision]:
    """Choices on one accelerator, by output tokens per second and device."""
    return list(_decisions(options, predicted, lambda one: one.sweep, Option.rate, 1))


def decisions_across(options: Sequence[Option], predicted: Predictions) -> list[Decision]:
    """Choices over accelerators that have a price, engines and formats, by output tokens per dollar."""
    priced = [one for one in options if one.accelerator in USD_PER_DEVICE_HOUR]
    return list(_decisions(priced, predicted, lambda one: one.task, Option.rate_per_dollar, 2))


def _decisions(
    options: Sequence[Option],
    predicted: Predictions,
    alike: Callable[[Option], Hashable],
    worth: Worth,
    fewest_accelerators: int,
) -> Iterator[Decision]:
    for own in grouped((one for one in options if one.case_id in predicted), alike).values():
        if len(own) < FEWEST_OPTIONS or len({one.accelerator for one in own}) < fewest_accelerators:
            continue
        for limit_s in LIMITS_S:
            found = decision(own, predicted, limit_s, worth)
            if found is not None:
                yield found


def options_of(cases: Sequence[MeasuredCase]) -> list[Option]:
    """Closed loops of one pool whose times were both measured."""
    found = []
    for one in cases:
        case = one.case
        if case.load != "closed_loop" or not all(question.measured for question in one.questions):
            continue
        ttft_s, tpot_s = ((question.measured or 0.0) / question.per_si_unit for question in one.questions)
        lengths = (case.prompt_tokens, case.output_tokens)
        formats = (case.dense_format, case.expert_format)
        found.append(
            Option(
                case_id=case.case_id,
                sweep=(one.group, case.engine, one.row["backend_version"], formats, lengths),
                task=(one.group.split(" × ")[0], lengths),
                accelerator=case.accelerator,
                devices=case.layout.devices,
                users=case.concurrency,
                output_tokens=case.output_tokens * (1.0 + case.shortest_share) / 2.0,
                measured=Latency(ttft_s, tpot_s),
                is_settled=not one.source.may_speculate,
            )
        )
    return found


def own_predictions(rows: Sequence[JudgedRow], value: Callable[[JudgedRow], float]) -> Predictions:
    """Ours of every case that has both times, in milliseconds as `value` reads them."""
    times: dict[str, dict[str, float]] = defaultdict(dict)
    for row in rows:
        if np.isfinite(value(row)):
            times[row.case_id][row.metric] = value(row) / 1e3
    return {key: Latency(own["ttft_ms"], own["tpot_ms"]) for key, own in times.items() if len(own) == 2}


def plan_predictions(rows: Sequence[PlannedRow]) -> Predictions:
    """The plan's of every case that it answers."""
    return {row.measured.case.case_id: Latency(row.plan_ttft_s, row.plan_tpot_s) for row in rows if not row.reason}


def peer_predictions() -> dict[str, Predictions]:
    """Those of each tool in the table of peers."""
    found: dict[str, dict[str, Latency]] = defaultdict(dict)
    for row in table_rows(PEERS):
        if row["ttft_ms"] and row["tpot_ms"]:
            found[row["tool"]][row["case_id"]] = Latency(float(row["ttft_ms"]) / 1e3, float(row["tpot_ms"]) / 1e3)
    return dict(found)


def only(predicted: Predictions, case_ids: Set[str]) -> Predictions:
    return {key: latency for key, latency in predicted.items() if key in case_ids}


HEAD = ["choice", "by", "decisions", "mean regret", "90th percentile", "limit broken", "no choice"]


def regret_row(choice: str, by: str, found: Sequence[Decision]) -> list[str]:
    """Mean and 90th percentile of regret, how often the limit broke, and choices that were not made."""
    made = [one for one in found if not np.isnan(one.regret)]
    missed = str(len(found) - len(made))
    if not made:
        return [choice, by, "0", "–", "–", "–", missed]
    regrets = np.array([one.regret for one in made])
    figures = (regrets.mean(), np.quantile(regrets, 0.9), np.mean([one.is_broken for one in made]))
    return [choice, by, str(len(made)), *(percent(float(figure)) for figure in figures), missed]


CHOICES = (("within an accelerator", decisions_within), ("over accelerators, per dollar", decisions_across))


def regret_rows(options: Sequence[Option], ours: Predictions, peers: Mapping[str, Predictions]) -> Iterator[list[str]]:
    """Ours on all rows; then each peer's and ours on the rows that it answers."""
    for name, decided in CHOICES:
        yield regret_row(name, "ours, all rows", decided(options, ours))
        settled = [one for one in options if one.is_settled]
        yield regret_row(name, "ours, rows that say what ran", decided(settled, ours))
        for tool, theirs in sorted(peers.items()):
            both = ours.keys() & theirs.keys()
            yield regret_row(name, tool, decided(options, only(theirs, both)))
            yield regret_row(name, "ours, same rows", decided(options, only(ours, both)))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.fidelity.regret", description=__doc__)
    parser.add_argument("--shipped", action="store_true", help="by the figures as shipped, which have seen every row")
    parser.add_argument("--plan", action="store_true", help="by the plan instead of predict")
    chosen = parser.parse_args(arguments)
    context = shipped_context()
    cases, _ = measured_cases("serving", context.catalog, context.calibration)
    how = "without your runs" if chosen.shipped else "groups of architecture × accelerator left out"
    for by, ours in _ours(cases, context, chosen.shipped, chosen.plan).items():
        found = regret_rows(options_of(cases), ours, peer_predictions())
        print("\n".join(sections(f"Regret of choices by {by}, {how}", [("", markdown(HEAD, found))])))


def _ours(cases: Sequence[MeasuredCase], context: Context, is_shipped: bool, by_plan: bool) -> dict[str, Predictions]:
    """By what chooses: the plan; or `predict`, plain and with what sources did on top, drafts above all."""
    if by_plan:
        contexts = {} if is_shipped else left_out(cases, context).contexts
        asked = planned_rows([*askable(cases), *askable(cases, wide=True)], context, contexts, by_users=True)
        return {"the plan": plan_predictions(asked)}
    loops = [one for one in cases if one.case.load == "closed_loop"]
    rows = shipped_rows(loops, context) if is_shipped else left_out_rows(cases, context)
    return {
        "predict, plain": own_predictions(rows, lambda row: row.plain),
        "predict, observed": own_predictions(rows, lambda row: row.predicted),
    }


if __name__ == "__main__":
    main()
