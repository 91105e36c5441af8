"""What a plan is worth: how likely every target holds, what is weakest, what would raise it; and findings about it."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

VerdictLevel = Literal["holds", "likely", "open", "fails"]
EvidenceName = Literal["own", "published", "timed", "relative", "datasheet"]

LEVELS: tuple[VerdictLevel, ...] = ("holds", "likely", "open", "fails")
"""Best first."""


class Raising(msgspec.Struct, frozen=True, kw_only=True):
    """What would raise a verdict: a code, and the value that it takes."""

    code: str
    value: float = float("nan")


class MeasuredAlternative(msgspec.Struct, frozen=True, kw_only=True):
    """The best candidate that rests on measurements, where the recommended one does not."""

    device: str
    more_usd: float
    """Extra cost over the recommended one, per month of service or per run; negative where cheaper. [USD]"""
    candidate: int = -1
    """Place of the candidate in the workload's table."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What is said first about a workload, or about both together."""

    level: VerdictLevel
    chance: float
    """Chance that every target is met; NaN where nothing runs."""
    confidence: float
    """Chance that the planner asks for."""
    weakest: str
    """Code of the target or check that costs most certainty; empty where nothing does."""
    weakest_chance: float
    """NaN where the weakest is no target."""
    reasons: tuple[str, ...]
    """Codes of all that keeps the level below *holds*, gravest first."""
    evidence_kind: EvidenceName
    raised_by: Raising | None = None
    measured: MeasuredAlternative | None = None
    run_time_band_s: tuple[float, float] | None = None
    """Run time at the 10th and 90th percentile of all that is uncertain; None of a service."""
    missed_metric: str = ""
    """Latency (ttft, tpot, e2e) whose p95 exceeds its target in most samples; empty where samples don't tell."""
    chance_of_expected_fleet: float = float("nan")
    """Chance without the replicas that are there for the confidence; NaN where there are none."""


class Verdicts(msgspec.Struct, frozen=True, kw_only=True):
    """One verdict per workload, and one for both; those of workloads that the scenario lacks are None."""

    serving: Verdict | None
    training: Verdict | None
    both: Verdict


class Edit(msgspec.Struct, frozen=True, kw_only=True):
    """A change of the scenario: where, as in `domain.field.Problem`, and the new value."""

    path: str
    value: Any


class Remedy(msgspec.Struct, frozen=True, kw_only=True):
    """What may be done about a finding, and what that does to a figure of the plan."""

    code: str
    edits: tuple[Edit, ...] = ()
    """Changes of the scenario that carry it out; empty where the remedy lies outside the plan."""
    metric: str = ""
    """The figure that it improves, a name in `engine.advisor.metrics`."""
    before: float = float("nan")
    after: float = float("nan")
    """Value after the remedy, at least this good; NaN: better, by an amount that only a new plan tells."""
    values: dict[str, float | str] = {}


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Something the planner should know: a code, how grave it is, and the numbers that show it."""

    code: str
    severity: int
    """0 note, 1 warning, 2 serious."""
    workload: str
    """serving, training or both."""
    values: dict[str, float | str]
    usd: float = 0.0
    """What it costs, saves or puts at risk (words/findings.py says which): in a month of service, or a training run."""
    remedy: Remedy | None = None
