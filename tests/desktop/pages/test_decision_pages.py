"""Pages of the decision ask for what they show while they are seen, draw it, and hand on what is applied or weighed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.pages.compare import ComparePage
from gpuplanner_gui.desktop.pages.cost import CostPage, UncertaintyPage
from gpuplanner_gui.desktop.pages.estate import EstatePage
from gpuplanner_gui.desktop.pages.overview import CARDS_AT_ONCE, FindingsPage
from gpuplanner_gui.desktop.pages.plot_page import PlotPage
from gpuplanner_gui.desktop.pages.plot_view import PlotView
from gpuplanner_gui.desktop.pages.result_view import ResultView
from gpuplanner_gui.desktop.store import replaced
from gpuplanner_gui.desktop.tasks.plan_tasks import PlanState
from gpuplanner_gui.domain.scenario import HardwareChoice, Project, Scenario
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.drawing.comparison_rows import comparison_rows
from gpuplanner_gui.drawing.decision_rows import break_even_text, commitment_text
from gpuplanner_gui.drawing.plots.ownership import OwnedPartsPlot, TermsPlot
from gpuplanner_gui.drawing.plots.ranking import RankingPlot
from gpuplanner_gui.drawing.plots.uncertainty import TornadoPlot
from gpuplanner_gui.drawing.results import Decision, Results, renamed
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.decision import headline_range, planned_text
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.decision import doors
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration

Show = Callable[[QWidget], None]
DEVICES = ("nvidia-h200-sxm-141gb", "nvidia-l40s", "nvidia-rtx-5090", "amd-mi300x")


@pytest.fixture(scope="module")
def decided() -> Results:
    """A scenario that trains and serves, with all that is known of the decision; two scenarios in its project."""
    catalog, calibration = load_shipped_catalog(), load_calibration()
    scenario = Scenario(
        name="both",
        model=catalog.models["llama-3.1-8b"].model,
        training=TrainingWorkload(tokens=20e9, deadline_s=14 * 86_400.0),
        serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=40.0),)),
        hardware=HardwareChoice(accelerators=DEVICES, max_training_devices=64),
    )
    other = replaced(replaced(scenario, "name", "other"), "serving.classes[0].peak_rate_per_s", 80.0)
    planned = [(one, plan(one, catalog, calibration)) for one in (scenario, other)]
    found = planned[0][1]
    decision = Decision(
        fleets=doors.fleets(scenario, catalog, calibration, found),
        ownership=doors.ownership(scenario, catalog, calibration, found) or {},
        uncertainty=doors.uncertainty(scenario, catalog, calibration, found, 1, 200),
        comparison=doors.compared(planned, catalog, calibration, 1, scenario.economics.ranking),
    )
    project = Project(name="decided", scenarios=(scenario, other))
    return Results(project=project, scenario=scenario, plan=found, catalog=catalog, decision=decision)


def drawn(page: QWidget) -> None:
    QApplication.processEvents()
    plots = [page, *page.findChildren(PlotPage)]
    while any(isinstance(one, ResultView) and one.is_drawing() for one in plots):
        QApplication.processEvents()


@pytest.mark.parametrize("page_type", [CostPage, EstatePage, UncertaintyPage, ComparePage])
def test_page_asks_while_it_is_seen(qtbot: QtBot, shown: Show, page_type: type[CostPage]) -> None:
    page, wishes = page_type(), []
    page.part_wanted.connect(lambda part, is_wanted: wishes.append((part, is_wanted)))
    shown(page)
    asked = [(stage, True) for stage in page.wanted]
    assert asked
    assert wishes == asked
    page.hide()
    assert wishes == [*asked, *((stage, False) for stage in page.wanted)]


@pytest.mark.parametrize("page_type", [CostPage, EstatePage, UncertaintyPage])
def test_every_plot_has_a_sentence_and_numbers(shown: Show, decided: Results, page_type: type[CostPage]) -> None:
    page = page_type()
    shown(page)
    page.show_results(decided)
    drawn(page)
    plots = [view for view in page.findChildren(PlotView) if view.isVisibleTo(page)]
    assert len(plots) >= 4
    for view in plots:
        assert view.plot.title, view.plot.message
        assert view.plot.as_rows().cells


def test_pages_wait_for_what_is_not_known_yet(qtbot: QtBot, shown: Show, decided: Results) -> None:
    page = UncertaintyPage()
    shown(page)
    page.show_results(replace(decided, decision=Decision(progress=0.4)))
    drawn(page)
    assert page.progress.isVisible()
    assert page.progress.value() == 40
    with qtbot.waitSignal(page.cancelled):
        page.cancel.click()
    page.show_results(decided)
    drawn(page)
    assert not page.progress.isVisible()


def test_probabilities_stand_first_and_another_result_can_be_explained(shown: Show, decided: Results) -> None:
    page = UncertaintyPage()
    shown(page)
    page.show_results(decided)
    drawn(page)
    first = next(tile for tile in page.tiles if tile.isVisible())
    assert first.accessibleName().startswith("Service meets its targets")
    page.choice.setCurrentIndex(page.choice.findData("training.run_time_s"))
    drawn(page)
    titles = [view.plot.title for view in page.findChildren(PlotView) if view.isVisibleTo(page)]
    assert any(" has the largest effect: " in title for title in titles)
    assert decided.known.uncertainty is not None
    middle = next(one.middle for one in decided.known.uncertainty.tornados if one.code == "training.run_time_s")
    plots = [view.plot for view in page.findChildren(PlotView) if view.isVisibleTo(page)]
    (tornado,) = [plot for plot in plots if isinstance(plot, TornadoPlot)]
    names = [entry.name for entry in tornado.legend_entries()]
    assert names[-1] == f"all inputs at their medians: {format_value(middle, 's')}"


def test_findings_are_cards_and_a_remedy_is_applied(qtbot: QtBot, shown: Show, decided: Results) -> None:
    page = FindingsPage()
    shown(page)
    page.show_results(decided)
    drawn(page)
    cards = [card for card in page.cards if card.isVisible()]
    assert len(cards) == len(decided.plan.findings) > 3
    ready = [card for card in cards if card.apply.isVisible()]
    assert ready
    edits: list[tuple[str, object]] = []
    page.value_edited.connect(lambda path, value: edits.append((path, value)))
    qtbot.mouseClick(ready[0].apply, Qt.MouseButton.LeftButton)
    finding = ready[0].finding
    assert finding is not None
    assert finding.remedy is not None
    assert edits == [(edit.path, edit.value) for edit in finding.remedy.edits]


def test_findings_are_shown_a_few_in_each_turn(shown: Show, decided: Results) -> None:
    page = FindingsPage()
    shown(page)
    page.show_results(decided)
    seen = [sum(card.isVisible() for card in page.cards)]
    while page.is_drawing():
        QApplication.processEvents()
        seen.append(sum(card.isVisible() for card in page.cards))
    assert seen[-1] == len(decided.plan.findings)
    assert all(after - before <= CARDS_AT_ONCE for before, after in pairwise([0, *seen]))


def test_no_finding_is_said_as_well(shown: Show, decided: Results) -> None:
    page = FindingsPage()
    shown(page)
    page.show_results(decided)
    drawn(page)
    assert any(card.isVisible() for card in page.cards)
    nothing = msgspec.structs.replace(decided.plan, findings=(), training=None)
    page.show_results(replace(decided, plan=nothing))
    drawn(page)
    assert page.summary.text() == "No findings: nothing speaks against this plan."
    assert nothing.serving is not None
    idle = msgspec.structs.replace(nothing.serving, best=-1)
    page.show_results(replace(decided, plan=msgspec.structs.replace(nothing, serving=idle)))
    drawn(page)
    assert page.summary.text() == "No findings, as there is no candidate to judge."
    assert not any(card.isVisible() for card in page.cards)
    page.show_results(replace(decided, plan=msgspec.structs.replace(nothing, serving=None)))
    drawn(page)
    assert page.summary.text().startswith("This scenario has no workload.")


def test_compared_scenarios_show_only_what_differs(shown: Show, decided: Results) -> None:
    page = ComparePage()
    shown(page)
    page.show_results(replace(decided, decision=None))
    drawn(page)
    assert page.model.rows.cells == (("Comparing…",),), "the table says why it is empty"
    page.show_results(decided)
    drawn(page)
    rows = [row[0] for row in page.model.rows.cells]
    inputs = rows[rows.index("INPUTS THAT DIFFER") + 1 : rows.index("RESULTS")]
    assert inputs == ["Request classes › chat › Peak rate"]
    assert [column.title for column in page.model.rows.columns] == ["", "both", "other"]
    edits: list[tuple[str, object]] = []
    page.value_edited.connect(lambda path, value: edits.append((path, value)))
    page.weights["latency"].setValue(7.0)
    assert edits == [("economics.ranking.latency", 7.0)]
    runs = tuple(msgspec.structs.replace(one, serving=None) for one in decided.project.scenarios)
    page.show_results(replace(decided, project=msgspec.structs.replace(decided.project, scenarios=runs)))
    drawn(page)
    assert [name for name, box in page.weights.items() if box.isHidden()] == ["latency", "stability"]


def test_two_scenarios_stand_side_by_side_on_a_small_screen(shown: Show, decided: Results) -> None:
    page = ComparePage()
    shown(page)
    page.resize(1000, 330)
    page.show_results(decided)
    drawn(page)
    assert page.table.viewport().width() < 800, "the ranking stands beside it"
    assert page.table.horizontalHeader().length() <= page.table.viewport().width()


def test_one_scenario_alone_is_told_how_to_get_a_second(shown: Show, decided: Results) -> None:
    page = ComparePage()
    shown(page)
    alone = msgspec.structs.replace(decided.project, scenarios=decided.project.scenarios[:1])
    page.show_results(replace(decided, project=alone))
    page.set_state(PlanState.CURRENT)
    assert page.state is not None
    assert page.context is None


def test_a_renamed_scenario_keeps_its_comparison(decided: Results) -> None:
    answer, project = decided.known.comparison, replaced(decided.project, "scenarios[1].name", "nights")
    found = renamed(decided.known, project).comparison
    assert answer is not None
    assert found is not None
    assert [one.name for one in found.scenarios] == ["both", "nights"]
    assert msgspec.structs.replace(found, scenarios=answer.scenarios) == answer
    assert renamed(decided.known, decided.project) is decided.known


def test_a_scenario_that_always_costs_less_is_not_said_to_be_certain(decided: Results) -> None:
    """Twice the load on the same devices costs more in every simulation, and 100 % would be more than is known."""
    answer = decided.known.comparison
    assert answer is not None
    cells = {str(row[0]): row[1:] for row in comparison_rows(answer, decided.catalog).cells}
    assert cells["Chance: cheaper than other"] == ("over 99 %", "–")
    assert cells["Chance: cheaper than both"] == ("–", "under 1 %")
    assert "Rank" in cells
    apart = msgspec.structs.replace(answer, beats=((math.nan, math.nan), (math.nan, math.nan)))
    cells = {str(row[0]): row[1:] for row in comparison_rows(apart, decided.catalog).cells}
    assert "Rank" not in cells
    assert "Score by your weights (no rank: different work)" in cells
    first = answer.scenarios[0].headline("serving.ttft_p95_s")
    assert first is not None
    late = msgspec.structs.replace(first, p10=0.03, p90=math.inf)
    assert planned_text(late).endswith(f"({headline_range(late)})")
    assert headline_range(late).endswith("to overload")
    plot = RankingPlot()
    plot.show(decided)
    assert plot.title == "both ranks first by your weights; chance of costing less than other: over 99 %"


def test_an_owned_hour_says_how_many_devices_it_pays_for(qtbot: QtBot, decided: Results) -> None:
    """8 are bought with their node; rented by the hour, as many as are used are paid for."""
    owned = msgspec.structs.replace(decided.known.ownership["serving"], devices=3.0, bought_devices=8.0)
    dear = tuple(msgspec.structs.replace(one, break_even_share=1.6) for one in owned.terms)
    assert decided.decision is not None
    for answer, basis, buying in (
        (msgspec.structs.replace(owned, terms=dear), "(8 bought, 3 in use; 97 % available)", "less than buying 8"),
        (msgspec.structs.replace(owned, terms=dear, devices=8.0), "(97 % available)", "even for devices always in use"),
    ):
        results = replace(decided, decision=replace(decided.decision, ownership={"serving": answer}))
        parts, terms = OwnedPartsPlot("serving"), TermsPlot("serving")
        parts.show(results)
        terms.show(results)
        assert basis in parts.title
        assert buying in terms.title


def test_an_owned_hour_names_the_parts_that_it_has(qtbot: QtBot, decided: Results) -> None:
    assert decided.decision is not None
    owned = decided.known.ownership["serving"]
    plot = OwnedPartsPlot("serving")
    for software, is_named in ((0.0, False), (0.1 * owned.annual.total, True)):
        answer = msgspec.structs.replace(owned, annual=msgspec.structs.replace(owned.annual, software_usd=software))
        plot.show(replace(decided, decision=replace(decided.decision, ownership={"serving": answer})))
        names = [entry.name for entry in plot.legend_entries()]
        assert ("Software" in names) is is_named
        assert {"Capital", "Electricity"} < set(names)


def test_a_mix_that_saves_nothing_is_not_called_cheapest_for_autoscaling(decided: Results) -> None:
    owned = decided.known.ownership["serving"]
    plain = next(one for one in owned.terms if one.term == "rent_on_demand")
    first = msgspec.structs.replace(owned.commitments[0], three_years=0, one_year=0, by_the_hour=2)
    for usd, words in ((plain.usd, " (autoscaling saves nothing)"), (0.8 * plain.usd, ", autoscaled")):
        answer = msgspec.structs.replace(owned, commitments=(first,), commitment_usd=usd)
        assert f"2 replicas by the hour{words}; {format_value(usd, 'USD')}" in commitment_text(answer)


def test_a_lone_effect_is_not_called_the_largest(qtbot: QtBot, decided: Results) -> None:
    assert decided.decision is not None
    known = decided.known.uncertainty
    assert known is not None
    whole = next(one for one in known.tornados if len(one.bars) > 1)
    plot = TornadoPlot(whole.code, whole.unit)
    for bars, words in ((whole.bars, " has the largest effect: "), (whole.bars[:1], " has an effect: ")):
        known = msgspec.structs.replace(known, tornados=(msgspec.structs.replace(whole, bars=bars),))
        plot.show(replace(decided, decision=replace(decided.decision, uncertainty=known)))
        assert words in plot.title
        assert plot.title.startswith("One input at a time, only ") is (len(bars) == 1)
        assert ("; all together: " in plot.title) is (len(bars) == 1)


def test_buying_is_never_cheaper_above_all_of_the_hours() -> None:
    texts = [break_even_text(share, "rent_on_demand") for share in (0.67, 1.63, math.nan)]
    assert texts == ["67 % of the hours", "never", ""]
    assert break_even_text(0.67, "rent_1y") == "any: both are paid for in all hours"
