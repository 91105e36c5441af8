"""The estate in a report and a workbook, whose sums follow from its numbers alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from gpuplanner_gui.domain.decision import ComparedScenario, ComparisonAnswer
from gpuplanner_gui.domain.estate import EstatePool, EstateWorkload, YearLimits
from gpuplanner_gui.domain.scenario import OwnedStock, Scenario
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.verdict import Verdict
from gpuplanner_gui.drawing.estate_rows import hours_text, limit_lines, now_lines, order_rows
from gpuplanner_gui.drawing.report import rendered, report_of
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words import estate
from gpuplanner_gui.drawing.words.estate import (
    assumed_windows_line,
    estate_lines,
    left_out_lines,
    orders_line,
    unsure_lines,
)
from gpuplanner_gui.engine.estate.answer import FirstOrder, planned_estate
from gpuplanner_gui.engine.estate.problem import Option
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from tests.drawing import synthetic
from tests.drawing.estates import ESTATE, OPTIONS, findings, planned, with_estate
from tests.drawing.report.spreadsheet import read_workbook, worked_out


def test_sums_of_the_workbook_are_the_evaluators(qapp: QApplication) -> None:
    results = with_estate(synthetic.results())
    report = report_of(results.project, [results])
    content = rendered(report, ".xlsx", {}, Path("plan.xlsx"))[Path("plan.xlsx")]
    (sheet,) = [one for one in read_workbook(content) if one.name == "Estate"]
    assert sum(formula.startswith("SUM(") for formula in sheet.formulas.values()) == 8
    found = worked_out(sheet)
    for where, value in found.items():
        assert value == pytest.approx(sheet.numbers[where], rel=1e-9, abs=1e-6), where
    checked = planned().found.evaluation
    paid = float((checked.capital_usd + checked.operating_usd).sum() - checked.proceeds_usd[:-1].sum())
    heading = next(where for where, text in sheet.texts.items() if text == "Net cost")
    total = next(where for where, text in sheet.texts.items() if text == "Total")
    assert found[heading[0] + total[1:]] == pytest.approx(paid, abs=0.01)


def test_the_report_says_what_to_do_now_and_who_is_served(qapp: QApplication) -> None:
    results = with_estate(synthetic.results())
    report = report_of(results.project, [results])
    text = rendered(report, ".md", {}, Path("plan.md"))[Path("plan.md")].decode()
    for words in ("Plan of the estate", "Orders by date", "Where workloads run", "Futures", "over 3 futures"):
        assert words in text
    assert any(words in text for words in ("Now: ", "can wait"))
    names = {figure.name for figure in report.figures()}
    assert sum("estate-" in name for name in names) == 3


def test_the_headline_says_what_to_order_first_for_whom_and_until_when() -> None:
    cost, orders, owned = estate_lines(planned())
    usd = format_value(planned().found.evaluation.present_value_usd, "USD")
    assert cost.startswith(f"{usd} for all 3 workloads, 2027-01 to 2027-12 (present value; hardware left at the end")
    for gap, words in ((0.01, "no other plan would save more than 1 %."), (1e-9, "no other plan would cost less.")):
        found = replace(planned().found, gap=gap)
        assert words in estate_lines(replace(planned(), found=found))[0].replace("\u00a0", " ")
    rows = order_rows(planned())
    assert orders.startswith(f"Order {rows[0]['month']}: ")
    assert owned.endswith(": 1 × node.")


def test_the_headline_does_not_claim_what_the_search_cannot_find() -> None:
    """A workload runs on one kind of unit at a time; two kinds of one accelerator could share it."""
    twin = msgspec.structs.replace(ESTATE.hardware[1], accelerator=ESTATE.hardware[0].accelerator)
    answer = replace(planned(), estate=msgspec.structs.replace(ESTATE, hardware=(ESTATE.hardware[0], twin)))
    for gap, words in ((1e-9, "would cost less."), (0.01, "would save more than 1 %.")):
        said = estate_lines(replace(answer, found=replace(answer.found, gap=gap)))[0].replace("\u00a0", " ")
        assert said.endswith(f"each on one kind of unit at a time, {words}")


def test_owned_hardware_is_not_called_enough_for_what_is_not_served() -> None:
    """Nothing was owned and nothing served, for want of hardware."""
    bare = msgspec.structs.replace(ESTATE, pools=(EstatePool(name="cluster"),))
    assert estate_lines(planned_estate(bare, {}, gap=0.0))[1:] == [
        "Nothing to order.",
        "Not served, because the estate has no hardware for it: chat (priority 1), tune (priority 1), "
        "search (priority 3)",
    ]
    enough = msgspec.structs.replace(ESTATE, workloads=ESTATE.workloads[:1], hardware=ESTATE.hardware[:1])
    small = {("chat", "serving"): (Option(0, "a", 1, 1.0, 0),)}
    assert orders_line(planned_estate(enough, small, gap=0.0)) == "Nothing to order: the owned hardware is enough."


def test_what_the_estate_does_not_count_is_told() -> None:
    project = synthetic.results().project
    (scenario, *_) = project.scenarios
    hardware = msgspec.structs.replace(
        scenario.hardware, owned=(OwnedStock(accelerator="amd-mi300x", devices=12),)
    )  # fmt: skip
    renting = msgspec.structs.replace(
        scenario.economics.renting, stored_bytes=1e15, storage_usd_per_gb_month=0.02, support_share=0.0,
        serving_egress_bytes_per_month=0.0,
    )  # fmt: skip
    economics = msgspec.structs.replace(scenario.economics, renting=renting, horizon_years=7.0)
    scenario = msgspec.structs.replace(scenario, hardware=hardware, economics=economics)
    node = msgspec.structs.replace(ESTATE.hardware[0], accelerator="amd-mi300x")
    estate = msgspec.structs.replace(
        ESTATE, hardware=(node,), workloads=(EstateWorkload(scenario=scenario.name),)
    )  # fmt: skip
    told = left_out_lines(
        msgspec.structs.replace(project, scenarios=(scenario,)), estate, load_shipped_catalog()
    )  # fmt: skip
    assert [line.replace("\u00a0", " ").replace("\u202f", " ") for line in told] == [
        "Owned, but not in the estate: 4 of 12 × Instinct MI300X. An estate holds whole units, and a drafted one "
        "only those that its site has power and cooling for.",
        f"Not counted: storage and egress where devices are rented ({scenario.name} $20 000 a month at today's load).",
        "An estate covers 5 y at most; the longest horizon is 7 y.",
    ]


def test_the_time_that_a_first_estate_allows_a_run_is_told() -> None:
    """Nine months of 730 h are 274 days; a scenario with a deadline or a time per run is not named."""
    project = synthetic.results().project
    scenario, training = project.scenarios[0], TrainingWorkload(tokens=1e9)
    fleets = scenario.economics.fleets
    free = msgspec.structs.replace(scenario, training=training)
    timed = msgspec.structs.replace(fleets, training_window_s=1e6)
    economics = msgspec.structs.replace(scenario.economics, fleets=timed)
    run = EstateWorkload(scenario=scenario.name, part="training", start="2027-01", end="2027-10")
    drafted = msgspec.structs.replace(ESTATE, workloads=(EstateWorkload(scenario=scenario.name), run))

    def told(one: Scenario) -> str:
        line = assumed_windows_line(msgspec.structs.replace(project, scenarios=(one,)), drafted)
        return line.replace("\u00a0", " ").replace("\u202f", " ")

    assert told(free) == (
        "No deadline or time per run is entered. Each run may take as long as the recommended run, at least 30 d, "
        f"rounded up to months: {scenario.name} 274 d."
    )
    due = msgspec.structs.replace(free, training=msgspec.structs.replace(training, deadline_s=1e6))
    assert told(due) == told(msgspec.structs.replace(free, economics=economics)) == ""


def test_replacement_within_the_estate_is_told() -> None:
    """An estate of two years tells a life of one and a half, and no life of two; without anything sold, neither."""
    project = synthetic.results().project
    scenario = project.scenarios[0]
    for life, usd, replaced in ((1.5, 300_000.0, ["1.50 y"]), (2.0, 300_000.0, []), (1.5, None, [])):
        own = msgspec.structs.replace(scenario.economics.ownership, useful_life_years=life)
        economics = msgspec.structs.replace(scenario.economics, ownership=own, horizon_years=2.0)
        lasting = msgspec.structs.replace(scenario, economics=economics)
        node = msgspec.structs.replace(ESTATE.hardware[0], purchase_usd=usd)
        told = left_out_lines(
            msgspec.structs.replace(project, scenarios=(lasting,)),
            msgspec.structs.replace(ESTATE, hardware=(node,), workloads=(), periods=8, period="quarter"),
            load_shipped_catalog(),
        )
        assert [line.replace("\u00a0", " ").replace("\u202f", " ") for line in told] == [
            f"Owned hardware is replaced every {years}: the running costs of a drafted estate include it."
            for years in replaced
        ]


def test_every_order_is_named_or_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the first year all are named, also what is rented by the hour; of the rest the number is said."""
    rows, said = order_rows(planned()), orders_line(planned())
    assert any(row["kind"] == "rent" and row["period"] for row in rows)
    for row in rows:
        assert f"{row['units']} × {row['hardware']}" in said.partition(f"{row['month']}: ")[2].partition(";")[0]
    assert "more order" not in said
    monkeypatch.setattr(estate, "MOST_ORDERS", 1)
    of_first_date = sum(row["month"] == rows[0]["month"] for row in rows)
    left = len(rows) - of_first_date
    assert f" {left} more order" in orders_line(planned())
    assert "until 2027-12: see the table of orders." in orders_line(planned())


def test_a_workload_that_misses_a_target_when_planned_alone_is_named() -> None:
    verdict = Verdict(
        level="likely", chance=0.9, confidence=0.8, weakest="stress:burst", weakest_chance=float("nan"),
        reasons=("stress:burst",), evidence_kind="published",
    )  # fmt: skip
    one = ComparedScenario(name="chat", serving="a", training="", headlines=(), scores={}, score=1.0, verdict=verdict)
    other = msgspec.structs.replace(one, name="search", verdict=msgspec.structs.replace(verdict, level="holds"))
    comparison = ComparisonAnswer(scenarios=(one, other), differing=(), beats=(), ranking=(0, 1))
    assert unsure_lines(comparison, planned()) == [
        "May miss a target even when planned alone: chat (a stress test misses a target)."
    ]
    assert unsure_lines(None, planned()) == []


def test_rented_hours_are_told_from_the_busiest_on() -> None:
    assert (
        hours_text(np.array([3, 1, 0]), [6.0, 8.0, 10.0])
        == "3 in the 6 busiest hours of a day, 1 in the next 8, none in the rest"
    )
    assert hours_text(np.array([2, 1, 1]), [6.0, 8.0, 10.0]) == "2 in the 6 busiest hours of a day, 1 in the next 18"
    assert hours_text(np.array([1, 1, 1]), [6.0, 8.0, 10.0]) == "all day"


def test_an_order_that_only_some_futures_want_is_to_wait() -> None:
    """Not “buy 0 nodes now”."""
    order = FirstOrder(kind="buy", pool=0, hardware=0, units=0, alone=(2, 0, 0))
    assert now_lines(planned(), replace(findings().ahead, orders=(order,))) == [
        "Wait: buy no node for cluster yet. If the future were known, the number would be: low 2, middle 0, high 0."
    ]


def test_limits_are_not_called_loose_where_a_workload_is_left_out() -> None:
    """More budget would save nothing for those that are served, and would serve the rest."""
    poor = msgspec.structs.replace(ESTATE, years=(YearLimits(capital_usd=0.0, operating_usd=30_000.0),), sites=())
    poor = msgspec.structs.replace(poor, pools=(EstatePool(name="cluster"),))
    answer = planned_estate(poor, OPTIONS, gap=0.0, most_s=60.0)
    assert answer.found.evaluation.unserved
    why = replace(findings().reasons, prices=())
    assert "make room for the others" in limit_lines(answer, why)[0]
    assert "No limit is binding" in limit_lines(planned(), why)[0]
