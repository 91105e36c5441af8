"""What the simulation of the recommended fleet says, and what the replicas beyond it are for."""

from __future__ import annotations

from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.units import format_value


def simulated_text(results: Results) -> str:
    """Whether the recommended fleet was simulated, and what came of it; empty where nothing can serve."""
    answer = results.plan.serving
    if answer is None or answer.best < 0:
        return ""
    simulated = answer.simulation_of_best
    if simulated is None:
        return tr("Quick estimate, not yet simulated.")
    requests, count = format_value(simulated.requests), format_value(simulated.replicas)
    text = tr("If all is as expected, {count} replicas are enough, headroom included ({requests} requests simulated)")
    if simulated.replicas == 1:
        text = tr("If all is as expected, 1 replica is enough, headroom included ({requests} requests simulated)")
    text = text.format(requests=requests, count=count)
    others = float(answer.table.replicas[answer.best]) - simulated.replicas
    if others >= 1:
        text = f"{text}; {_others_text(results, others)}"
    if simulated.replicas == simulated.quick_replicas:
        return f"{text}."
    quick = format_value(simulated.quick_replicas)
    return tr("{simulated}. The quick estimate was {quick}.").format(simulated=text, quick=quick)


def _others_text(results: Results, others: float) -> str:
    """What the replicas are for that would not be needed if all is as expected: spares, zones, doubt."""
    availability = results.scenario.serving.availability if results.scenario.serving is not None else None
    spares = min(others, float(availability.spare_replicas)) if availability is not None else 0.0
    words = {"count": format_value(others), "spares": format_value(spares), "doubt": format_value(others - spares)}
    if others == spares:
        return (tr("the other one is a spare") if others == 1 else tr("the other {count} are spares")).format(**words)
    if availability is not None and availability.zones > 1:
        return tr("the other {count} cover doubt and failures").format(**words)
    if not spares:
        return (tr("the other one covers doubt") if others == 1 else tr("the other {count} cover doubt")).format(
            **words
        )
    return tr("the other {count}: {spares} spare, {doubt} for doubt").format(**words)
