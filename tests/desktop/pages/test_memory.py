"""The memory page asks what would fit while it is seen, draws it, and tabulates it for the selected accelerator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from gpuplanner_gui.desktop.pages.plot_view import PlotView
from gpuplanner_gui.desktop.pages.serving_plots import FRONTIER, MemoryPage
from gpuplanner_gui.domain.catalog import merged_with_snapshot
from gpuplanner_gui.domain.scenario import HardwareChoice, Project, Scenario
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.drawing.limit_rows import neighbours, planned_memory
from gpuplanner_gui.drawing.plots.axes import NameAxis, PlainAxis
from gpuplanner_gui.drawing.plots.memory import MemoryPlot
from gpuplanner_gui.drawing.plots.memory_frontier import MemoryFrontierPlot
from gpuplanner_gui.drawing.results import Decision, Results, ScenarioOverlay
from gpuplanner_gui.drawing.units import decimals_text
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.serving.limits import plan_limits
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import load_project
from gpuplanner_gui.paths import resources_dir

Show = Callable[[QWidget], None]


@pytest.fixture(scope="module")
def limited() -> Results:
    catalog, calibration = load_shipped_catalog(), load_calibration()
    scenario = Scenario(
        name="70B",
        model=catalog.models["llama-3.1-70b"].model,
        serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=10.0),)),
        hardware=HardwareChoice(accelerators=("nvidia-h200-sxm-141gb",), max_devices_per_replica=8),
    )
    found = plan(scenario, catalog, calibration)
    decision = Decision(limits=plan_limits(scenario, catalog, calibration, found))
    project = Project(name="p", scenarios=(scenario,))
    return Results(project=project, scenario=scenario, plan=found, catalog=catalog, decision=decision)


def shown_page(shown: Show, results: Results) -> MemoryPage:
    page = MemoryPage()
    shown(page)
    show_all(page, results)
    return page


def show_all(page: MemoryPage, results: Results) -> None:
    page.show_results(results)
    QApplication.processEvents()
    while page.is_drawing():
        QApplication.processEvents()


def test_page_asks_for_the_limits_while_it_is_seen(shown: Show) -> None:
    page, wishes = MemoryPage(), []
    page.part_wanted.connect(lambda part, is_wanted: wishes.append((part, is_wanted)))
    shown(page)
    page.hide()
    assert wishes == [("limits", True), ("overlays", True), ("limits", False), ("overlays", False)]


def test_table_answers_the_inverse_questions_for_every_replica(shown: Show, limited: Results) -> None:
    page = shown_page(shown, limited)
    model = page.limits_table.model()
    rows = [
        [model.index(row, column).data() for column in range(model.columnCount())] for row in range(model.rowCount())
    ]
    assert page.limits_table.isVisible()
    assert {row[0] for row in rows} == {"1", "2 · TP 2", "4 · TP 4", "8 · TP 8"}
    first = next(row for row in rows if row[:2] == ["1", "BF16"])
    assert first[3].endswith("missing")
    assert first[4] == "weights"
    assert model.headerData(4, Qt.Orientation.Horizontal) == "Does not fit"
    assert first[7].endswith("B param")
    two = next(row for row in rows if row[:2] == ["2 · TP 2", "BF16"])
    assert two[3].endswith("free")


def test_frontier_says_that_a_replica_runs_fewer_than_memory_holds(shown: Show, limited: Results) -> None:
    serving = limited.plan.serving
    assert serving is not None
    few = msgspec.structs.replace(serving.table, max_sequences=np.full(len(serving.table.replicas), 100.0))
    plan = msgspec.structs.replace(limited.plan, serving=msgspec.structs.replace(serving, table=few))
    title = shown_page(shown, replace(limited, plan=plan)).plot_view(FRONTIER).plot.title
    assert title.startswith("Memory holds 156 sequences")
    assert "a replica runs at most 100 at once." in title


def test_frontier_says_that_the_engine_runs_fewer_than_memory_holds(shown: Show, limited: Results) -> None:
    """766 sequences were promised to a replica whose largest batch is 256."""
    serving = limited.scenario.service
    engine = msgspec.structs.replace(serving.engine, max_sequences=90)
    scenario = msgspec.structs.replace(limited.scenario, serving=msgspec.structs.replace(serving, engine=engine))
    title = shown_page(shown, replace(limited, scenario=scenario)).plot_view(FRONTIER).plot.title
    assert title.startswith("Memory holds 156 sequences")
    assert "a replica runs at most 90 at once, the engine's largest batch." in title


def test_frontier_says_how_many_sequences_of_which_length_fit(shown: Show, limited: Results) -> None:
    plot = shown_page(shown, limited).plot_view(FRONTIER).plot
    assert plot.title.startswith("Memory holds ")
    assert "at most" not in plot.title, "memory is what ends first"
    assert plot.as_rows().cells
    assert "tokens:" in plot.readout_at(3.5, 1.0)


def test_without_an_answer_the_table_is_not_there(shown: Show, limited: Results) -> None:
    page = shown_page(shown, replace(limited, decision=None))
    assert not page.limits_table.isVisible()
    assert page.plot_view(FRONTIER).plot.message == "Calculating memory limits…"


def test_the_selected_candidate_is_always_a_neighbour(limited: Results) -> None:
    assert limited.plan.serving is not None
    table = limited.plan.serving.table
    for selected in table.order[:40]:
        found = neighbours(table, int(selected), 6)
        assert int(selected) in found
        assert len(found) <= 6


def with_overlay(limited: Results, name: str) -> Results:
    catalog = limited.catalog
    other = msgspec.structs.replace(
        limited.scenario, name=name, hardware=HardwareChoice(accelerators=("nvidia-h100-sxm-80gb",))
    )
    planned = plan(other, catalog, load_calibration())
    nothing = np.empty(0)
    memory = planned_memory(planned, catalog, other)
    overlay = ScenarioOverlay(scenario=other, load_curve=None, contexts=nothing, concurrency=nothing, memory=memory)
    decision = limited.decision or Decision()
    return replace(limited, decision=replace(decision, overlays=(overlay,)))


def test_compared_scenarios_memory_lies_under_the_own_bars(shown: Show, limited: Results) -> None:
    page = shown_page(shown, limited)
    plot = page.plot_view("serving").plot
    assert isinstance(plot, MemoryPlot)
    alone = plot.as_rows()
    page.show_results(with_overlay(limited, "On H100"))
    QApplication.processEvents()
    while page.is_drawing():
        QApplication.processEvents()
    rows = plot.as_rows()
    name, *sizes, capacity = rows.cells[-1]
    assert str(name).startswith("On H100: ")
    assert "H100" in str(name)
    assert 0 < sum(float(size or 0) for size in sizes) <= float(capacity or 0)
    assert plot.drawn_lengths.shape[0] == len(rows.cells), "every row of the table has its bar"
    assert "80 GB" not in plot.title
    last = len(rows.cells) - 1
    assert plot.readout_at(0.0, last)
    picked: list[int] = []
    plot.candidate_picked.connect(lambda _, candidate: picked.append(candidate))
    plot.clicked_at(0.0, last)
    assert not picked, "a bar of another scenario is no candidate of this one"
    plot.show(limited)
    assert plot.as_rows() == alone


def test_name_of_a_compared_scenario_is_cut_where_it_is_long(limited: Results) -> None:
    plot = MemoryPlot()
    plot.show(with_overlay(limited, "A name that goes on for a good deal longer than any axis has room"))
    assert "…" in plot.names._names[-1]
    assert "H100" in plot.names._names[-1]


def test_what_fits_stays_dimmed_until_the_next_plan_is_worked_out(shown: Show, limited: Results) -> None:
    """A curve and a table that went and came back at each edit would move everything else on the page."""
    page = shown_page(shown, limited)
    view, before = page.plot_view(FRONTIER), page.limits_table.height()
    cell = page.limits_table.model().index(0, 0)
    assert cell.data(Qt.ItemDataRole.ForegroundRole) is None
    place = view.geometry()
    show_all(page, replace(limited, decision=None))
    assert view.canvas.isVisible()
    assert view.plot.is_outdated
    assert page.limits_table.isVisible()
    assert cell.data(Qt.ItemDataRole.ForegroundRole) is not None
    assert (view.geometry(), page.limits_table.height()) == (place, before)
    show_all(page, replace(limited, decision=Decision(failures={"limits": "too little memory"})))
    assert not view.canvas.isVisible()
    assert not page.limits_table.isVisible()
    show_all(page, replace(limited, decision=Decision(limits=limited.decision.limits)))
    assert view.canvas.isVisible()
    assert not view.plot.is_outdated
    assert page.limits_table.isVisible()


def test_an_axis_is_painted_once_for_new_results(
    shown: Show, limited: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where names of another length move everything: the place is settled before anything is painted."""
    paint, painted = PlainAxis.paint, list[PlainAxis]()

    def noted(self: PlainAxis, *arguments: Any) -> None:
        painted.append(self)
        paint(self, *arguments)

    monkeypatch.setattr(PlainAxis, "paint", noted)
    view = PlotView(MemoryPlot)
    shown(view)
    view.show_results(limited)
    for _ in range(5):
        QApplication.processEvents()
    known = limited.catalog.accelerators
    shorter = {name: msgspec.structs.replace(one, name="H2") for name, one in known.items()}
    catalog = msgspec.structs.replace(limited.catalog, accelerators=shorter)
    painted.clear()
    view.show_results(replace(limited, catalog=catalog))
    for _ in range(5):
        QApplication.processEvents()
    assert any(isinstance(one, NameAxis) for one in painted), "the names are others"
    assert len(painted) == len(set(map(id, painted)))


@pytest.fixture(scope="module")
def of_examples() -> Callable[[str], Results]:
    def limited_example(name: str) -> Results:
        project = load_project(resources_dir() / "examples" / f"{name}.gpuplan")
        catalog, calibration = merged_with_snapshot(load_shipped_catalog(), project.catalog), load_calibration()
        (scenario,) = project.scenarios
        found = plan(scenario, catalog, calibration)
        decision = Decision(limits=plan_limits(scenario, catalog, calibration, found))
        return Results(project=project, scenario=scenario, plan=found, catalog=catalog, decision=decision)

    return limited_example


@pytest.mark.parametrize("example", ["image-generation", "embedding-index"])
def test_requests_without_a_cache_are_asked_nothing_of_their_length(
    shown: Show, of_examples: Callable[[str], Results], example: str
) -> None:
    page = shown_page(shown, of_examples(example))
    assert FRONTIER not in page._plots
    titles = [column.title for column in page.limits_table.rows_model.rows.columns]
    assert titles == ["Devices", "Weights", "Memory", "Largest model"], "all fit: nothing says what does not"


def test_the_planned_sequences_of_a_short_model_are_in_sight(
    shown: Show, of_examples: Callable[[str], Results]
) -> None:
    results = of_examples("transcription")
    plot = shown_page(shown, results).plot_view(FRONTIER).plot
    limits = results.known.limits
    assert isinstance(plot, MemoryFrontierPlot)
    assert limits is not None
    first, last = plot.item.getViewBox().viewRange()[0]
    assert first < plot.x_scale.place([limits.context_tokens])[0] < last
    assert last < plot.x_scale.place([2 * limits.model_context])[0], "no sequence is longer than the model's maximum"


def test_a_line_ends_where_one_sequence_fits_or_at_the_models_maximum(
    shown: Show, of_examples: Callable[[str], Results]
) -> None:
    """INT8 ended at 16 384 tokens, of which 30 073 fit; INT4 ran past the model's 40 960."""
    results = of_examples("one-developer")
    plot = shown_page(shown, results).plot_view(FRONTIER).plot
    limits = results.known.limits
    assert isinstance(plot, MemoryFrontierPlot)
    assert limits is not None
    ends = []
    for row, curve in zip(plot._rows, plot._curves):
        places = curve.getData()[0]
        if places is not None and len(places):
            ends.append(plot.x_scale.value_at(float(places[-1])))
            longest = float(limits.longest_alone[row])
            assert longest == limits.longest_context[row], "the plan has one sequence"
            assert ends[-1] == pytest.approx(min(longest, limits.model_context))
    assert len(ends) > 1
    assert min(ends) < limits.model_context == pytest.approx(max(ends))


def test_the_lengths_that_are_read_off_hold_what_the_sentence_says(shown: Show, limited: Results) -> None:
    plot = shown_page(shown, limited).plot_view(FRONTIER).plot
    limits, row = limited.known.limits, limited.candidate("serving")
    assert isinstance(plot, MemoryFrontierPlot)
    assert limits is not None
    held = int(limits.largest_concurrency[row])
    said = plot.readout_at(plot.x_scale.place_one(limits.context_tokens), 0.0).replace("\N{NO-BREAK SPACE}", "")
    assert f" {held} " in said.replace(" · ", "  ")
    # Between lengths of the grid too: half as long again is two thirds as many.
    longer = plot.readout_at(plot.x_scale.place_one(1.5 * 1024), 0.0).replace("\N{NO-BREAK SPACE}", "")
    shorter = int(limits.concurrency_by_context[list(limits.contexts).index(1024.0), row])
    assert any(f" {count} " in longer for count in range(round(shorter / 1.5) - 2, round(shorter / 1.5) + 3)), longer


def test_lines_that_lie_on_one_another_are_one_and_those_that_do_not_are_not(
    shown: Show, of_examples: Callable[[str], Results]
) -> None:
    """190 sequences in BF16 and 202 in INT4 were lines of their own, of which one was seen."""
    lines = {}
    for example in ("rag", "70b-chat"):
        plot = shown_page(shown, of_examples(example)).plot_view(FRONTIER).plot
        assert isinstance(plot, MemoryFrontierPlot)
        lines[example] = [entry.name for entry in plot.legend_entries() if entry.key.startswith("curve")]
    (together,) = lines["rag"]
    assert together.startswith("BF16 / FP8, BF16 KV / ")
    assert len(lines["70b-chat"]) > 1


def test_the_largest_model_says_at_which_batch_and_length(shown: Show, limited: Results) -> None:
    limits = limited.known.limits
    assert limits is not None
    titles = [one.title for one in shown_page(shown, limited).limits_table.rows_model.rows.columns]
    batch, tokens = decimals_text(limits.concurrency), decimals_text(limits.context_tokens)
    assert titles[-1] == f"Largest model at {batch} × {tokens} tokens"
