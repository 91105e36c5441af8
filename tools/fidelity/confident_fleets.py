"""How often fleets that are recommended at a confidence keep their targets, over projects drawn around given ones.

python -m tools.fidelity.confident_fleets FILE.gpuplan … [--draws N] [--projects N] [--seed N]

Each project is one of the files with its peak, lengths and targets moved at random. Its fleet is planned at the file's
confidence. Then the world is drawn: demand, lengths, prefix hits and bursts from their distributions, and machines that
are slower or faster by an error of their band. The whole engine, not the responses that sizing interpolates, says
whether the fleet keeps every target there, and whether one with a replica less would.

Beside it stands what choosing the cheapest costs if all of a band were error of prediction: figures of every device are
drawn around the true ones, the fleet that then looks cheapest is taken, and asked to keep its targets on the machine as
it is; and the same without a choice.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from gpuplanner_gui.domain.plan import Plan, Reason, ServingPlan
from gpuplanner_gui.domain.preset import scaled
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.workload import ServingWorkload
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.decision.serving_response import first_token_power
from gpuplanner_gui.engine.decision.uncertain_inputs import SERVING_MODEL, changes_of
from gpuplanner_gui.engine.decision.uncertain_plan import plan_model
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.plan import planned
from gpuplanner_gui.engine.serving.resizing import base_replicas_of
from gpuplanner_gui.engine.simulation.replicas import replicas_needed
from gpuplanner_gui.engine.uncertainty.sampling import COMMON_SHARE, sample_inputs, sigma_of_band
from gpuplanner_gui.files.project import load_project
from tools.repository import shipped_context

SPREADS = {"peak": 1.0, "prompt_tokens": 0.5, "output_tokens": 0.5, "limit_s": 0.3}
"""Of the logarithms by which projects differ from the file that they are drawn around."""
MOST_PEAK_MOVED = 4.0
MOST_ERRORS = 20
"""Draws of errors of prediction, of each project."""
CHANCE = 0.8
MANY = 5
"""Replicas from which one more or less is a fine step."""


def drawn_project(scenario: Scenario, random: np.random.Generator) -> Scenario:
    """The scenario with its peak, lengths and targets moved."""
    serving = scenario.serving
    assert serving is not None
    factor = {name: math.exp(random.normal(0.0, spread)) for name, spread in SPREADS.items()}
    peak = min(max(factor["peak"], 1 / MOST_PEAK_MOVED), MOST_PEAK_MOVED)
    classes = tuple(
        msgspec.structs.replace(
            one, peak_rate_per_s=scaled(one.peak_rate_per_s, peak),
            prompt_tokens=scaled(one.prompt_tokens, factor["prompt_tokens"]),
            output_tokens=scaled(one.output_tokens, factor["output_tokens"]),
            slos=tuple(msgspec.structs.replace(slo, limit_s=slo.limit_s * factor["limit_s"]) for slo in one.slos),
        ) for one in serving.classes
    )  # fmt: skip
    return msgspec.structs.replace(scenario, serving=msgspec.structs.replace(serving, classes=classes))


@dataclass(frozen=True)
class Kept:
    """Shares of the draws in which a recommended fleet keeps its latency targets."""

    name: str
    replicas: int
    is_by_confidence: bool
    """It is larger than what the expected figures ask for."""
    kept: float
    with_one_less: float
    kept_if_predicted: float
    """Where the band is an error of the prediction of the recommended candidate,"""
    kept_if_chosen: float
    """and where the cheapest of all candidates by such predictions is taken."""


def kept_by(scenario: Scenario, found: Plan, context: Context, draws: int, seed: int) -> Kept | None:
    """Draw the world and ask the engine; None where nothing is recommended at the confidence."""
    answer, serving = found.serving, scenario.serving
    assert serving is not None
    if answer is None or answer.best < 0 or answer.table.reason[answer.best] != Reason.NONE:
        return None
    table, best = answer.table, answer.best
    base = float(base_replicas_of(answer, scenario, best))
    model = plan_model(scenario, found, context, lambda: None, rows={"serving": np.array([best])})
    assert model is not None
    inputs = model.inputs
    sample = sample_inputs(inputs.quantities, draws, seed, inputs.correlations, inputs.bounds).values
    worlds = [{name: float(column[place]) for name, column in sample.items()} for place in range(draws)]
    asked = Asked(scenario, context, answer)
    held = np.array([asked.needed(best, base, world) for world in worlds])
    utilisation = serving.availability.target_utilisation
    expected = float(replicas_needed(answer.peak_rate_per_s, float(table.slo_rate_per_s[best]), utilisation))
    alone, chosen = _with_errors_of_prediction(asked, worlds[:MOST_ERRORS], np.random.default_rng(seed))
    return Kept(
        scenario.name, int(base), base > expected, float((held <= base).mean()), float((held <= base - 1).mean()),
        alone, chosen,
    )  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """A plan's service, put to the whole engine in drawn worlds."""

    scenario: Scenario
    context: Context
    answer: ServingPlan

    def needed(self, row: int, base: float, world: dict[str, float]) -> float:
        """Replicas of a candidate that carry the peak within the targets there."""
        serving, one = self.scenario.serving, np.array([row])
        assert serving is not None
        slow, demand = world.get(SERVING_MODEL, 1.0), world.get("demand", 1.0)
        power = float(first_token_power(self.answer.table, one)[0])
        worse = slower_world(serving, world, slow, power)
        there = planned(
            msgspec.structs.replace(self.scenario, serving=worse), self.context,
            ServingCandidates.of_table(self.answer.table, one), lambda: None, np.array([base]),
        ).table  # fmt: skip
        rate = float(there.slo_rate_per_s[0]) / slow
        return self.answer.peak_rate_per_s * demand / rate if rate > 0 else math.inf


def _with_errors_of_prediction(
    asked: Asked, worlds: list[dict[str, float]], random: np.random.Generator
) -> tuple[float, float]:
    """Shares of draws in which fleets keep their targets whose size was predicted wrongly by as much as bands are wide:
    of the recommended candidate, and of the one that then looks cheapest. Machines are as they truly are."""
    table, best = asked.answer.table, asked.answer.best
    rows = np.array([one for one in table.order if table.reason[one] == Reason.NONE], np.int64)
    with np.errstate(invalid="ignore"):
        log_sd = sigma_of_band(table.tpot_low80_s[rows], table.tpot_high80_s[rows])
    rows, log_sd = rows[np.isfinite(log_sd)], log_sd[np.isfinite(log_sd)]
    if best not in rows:
        return math.nan, math.nan
    device, place_of_best = table.accelerator[rows], int(np.flatnonzero(rows == best)[0])
    base, usd = (
        np.array([base_replicas_of(asked.answer, asked.scenario, int(one)) for one in rows]),
        table.usd_per_month[rows],
    )
    kept = np.zeros((len(worlds), 2), bool)
    for number, world in enumerate(worlds):
        own = random.normal(size=int(device.max()) + 1)[device]
        error = log_sd * (math.sqrt(COMMON_SHARE) * random.normal() + math.sqrt(1.0 - COMMON_SHARE) * own)
        cheapest = int((usd * np.exp(error)).argmin())
        true = world | {SERVING_MODEL: 1.0}
        for way, place in enumerate((place_of_best, cheapest)):
            fleet = max(math.ceil(base[place] * math.exp(error[place]) - 1e-9), 1)
            kept[number, way] = asked.needed(int(rows[place]), fleet, true) <= fleet
    return float(kept[:, 0].mean()), float(kept[:, 1].mean())


def slower_world(serving: ServingWorkload, world: dict[str, float], slow: float, power: float) -> ServingWorkload:
    """The service as it is in a draw, with targets as many times as tight as machines are slow."""
    for name, change in changes_of(serving).items():
        if name in world:
            serving = change(serving, world[name])
    classes = tuple(
        msgspec.structs.replace(one, slos=tuple(
            msgspec.structs.replace(slo, limit_s=slo.limit_s / (slow**power if slo.metric == "ttft" else slow))
            for slo in one.slos
        )) for one in serving.classes
    )  # fmt: skip
    return msgspec.structs.replace(serving, classes=classes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--projects", type=int, default=100)
    parser.add_argument("--draws", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    context = shipped_context()
    scenarios = [
        one for file in asked.files for one in load_project(file).scenarios
        if one.serving is not None and one.serving.traffic.arrivals != "users"
    ]  # fmt: skip
    random, found, unsure = np.random.default_rng(asked.seed), [], 0
    for place in range(asked.projects):
        scenario = drawn_project(scenarios[place % len(scenarios)], random)
        answer = plan(scenario, context.catalog, context.calibration, seed=asked.seed + place)
        kept = kept_by(scenario, answer, context, asked.draws, 1_000_000 + place)
        if kept is None:
            unsure += 1
            continue
        found.append(kept)
        shares = (kept.kept, kept.with_one_less, kept.kept_if_predicted, kept.kept_if_chosen)
        print(f"{kept.name:28} {kept.replicas:6}", *(f"{share:6.3f}" for share in shares), flush=True)
    print(summary(found, unsure))


def summary(found: list[Kept], unsure: int) -> str:
    """Over all fleets, and over those of which a replica less would be too unsure."""
    larger = [one for one in found if one.is_by_confidence]
    many = [one for one in larger if one.replicas >= MANY]
    exact = [one for one in found if one.with_one_less < CHANCE]
    rows = [
        ("all", found), ("by the confidence", larger), (f"of these, {MANY} replicas or more", many),
        ("a replica less misses the chance", exact),
    ]  # fmt: skip
    lines = [f"{unsure} projects in which nothing reaches the confidence"]
    for name, some in rows:
        if not some:
            continue
        shares = np.array([(one.kept, one.with_one_less, one.kept_if_predicted, one.kept_if_chosen) for one in some])
        kept, less, alone, chosen = np.nanmean(shares, axis=0)
        lines.append(
            f"{name}: {len(some)} fleets keep their targets in {kept:.3f} of draws, {less:.3f} with one less; "
            f"were bands errors of prediction, {alone:.3f} as recommended and {chosen:.3f} as the cheapest then"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
