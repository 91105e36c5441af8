"""What is said of latencies where several classes of requests share a fleet: each class's own, beside its own limit."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from gpuplanner_gui.api import plan as answered
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.drawing.report.model import Cell, Table
from gpuplanner_gui.drawing.report.monitoring import monitoring_sections
from gpuplanner_gui.drawing.report.summary import headline_blocks
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.words.verdict import verdicts
from gpuplanner_gui.files.project import load_project
from tests.conftest import SMALL_CHAT

pytestmark = pytest.mark.usefixtures("short_simulations")


def chat() -> Scenario:
    return load_project(SMALL_CHAT).scenarios[0]


def of_classes(*changes: dict[str, object]) -> Results:
    """The small chat shared out over classes, each a part of its rate."""
    scenario = chat()
    (whole,) = scenario.service.classes
    rate = whole.peak_rate_per_s / len(changes)  # type: ignore[operator]
    classes = tuple(msgspec.structs.replace(whole, peak_rate_per_s=rate, **change) for change in changes)
    serving = msgspec.structs.replace(scenario.service, classes=classes)
    (results,) = answered(msgspec.structs.replace(scenario, serving=serving))
    return results


def shown(results: Results) -> dict[str, tuple[Cell, ...]]:
    """Rows of the headline table by name."""
    (table,) = (one for one in headline_blocks(results) if isinstance(one, Table))
    return by_name(table)


def by_name(table: Table) -> dict[str, tuple[Cell, ...]]:
    return {row[0].text: row[1:] for row in table.rows}


@pytest.fixture(scope="module")
def halves() -> Results:
    return of_classes({"name": "a"}, {"name": "b"})


@pytest.fixture(scope="module")
def unlike() -> Results:
    slos = tuple(msgspec.structs.replace(one, limit_s=20 * one.limit_s) for one in chat().service.classes[0].slos)
    return of_classes({"name": "chat"}, {"name": "docs", "prompt_tokens": 8000, "slos": slos})


def test_a_class_in_two_halves_has_the_range_of_the_whole(halves: Results) -> None:
    (one,), (two,) = verdicts(of_classes({})), verdicts(halves)
    assert "80 % range" in one.detail
    assert two.detail.split(" · ")[0] == f"a: {one.detail.split(' · ')[0]}"


def test_headlines_and_monitoring_name_the_class_whose_latency_they_tell(unlike: Results) -> None:
    answer, scenario = unlike.plan.served, unlike.scenario
    rows = shown(unlike)
    (section,) = monitoring_sections(unlike)
    (table,) = (one for one in section.blocks if isinstance(one, Table))
    watched = by_name(table)
    place = 0
    for one in scenario.service.classes:
        for slo in one.slos:
            name, own = f"{one.name}: {slo.metric.upper()} p{slo.percentile:g}", answer.target_latency_s[place]
            assert watched[name][0].number == pytest.approx(own)
            assert watched[name][2].number == slo.limit_s
            if slo.percentile == 95.0:
                assert rows[name][0].number == pytest.approx(own)
                assert rows[name][-1].number == slo.limit_s
            place += 1
    assert not {"TTFT p95", "TPOT p95"} & (set(rows) | set(watched))


def test_headlines_without_samples_name_the_class_too(unlike: Results) -> None:
    rows = shown(replace(unlike, decision=None))
    assert {"chat: TTFT p95", "docs: TTFT p95"} <= set(rows)
    assert rows["docs: TTFT p95"][0].number != rows["chat: TTFT p95"][0].number
