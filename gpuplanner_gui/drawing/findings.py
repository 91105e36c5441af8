"""Everything that the planner should know about a scenario's results: of the plan, the load curve, and the prices."""

from __future__ import annotations

from datetime import date

from gpuplanner_gui.domain.verdict import Finding
from gpuplanner_gui.drawing.carried import carried_findings
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.engine.advisor import load_findings, price_findings, sorted_findings


def all_findings(results: Results, today: date | None = None) -> tuple[Finding, ...]:
    """The gravest first, then the dearest. `today` tells how old prices are; the day of the computer without it."""
    curve = results.load_curve
    is_of_best = curve is not None and results.plan.serving is not None and curve.candidate == results.plan.serving.best
    found = [*results.plan.findings, *load_findings(curve if is_of_best else None), *carried_findings(results)]
    found += price_findings(results.scenario, results.plan, results.catalog, today or date.today())
    return sorted_findings(found)
