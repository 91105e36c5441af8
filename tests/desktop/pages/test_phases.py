"""The page of phases compares two accelerators of the planner's choice while it is seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.pages.compare import PhasesPage
from gpuplanner_gui.desktop.pages.plot_view import PlotView
from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.drawing.results import Decision, Results
from gpuplanner_gui.engine.phases.gains import speeds
from gpuplanner_gui.engine.phases.speeds import PhaseWork
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from tests.desktop.drawn import wait_until_drawn

Show = Callable[[QWidget], None]
A100, H100 = "nvidia-a100-sxm-80gb", "nvidia-h100-sxm-80gb"


@pytest.fixture(scope="module")
def compared() -> Results:
    from tests.drawing import synthetic

    catalog = load_shipped_catalog()
    model = catalog.models["llama-3.1-8b"].model
    found = speeds(model, catalog, load_calibration(), PhaseWork())
    return replace(synthetic.results(), catalog=catalog, decision=Decision(phases=found))


@pytest.fixture
def page(shown: Show, compared: Results, qtbot: QtBot) -> PhasesPage:
    made = PhasesPage()
    shown(made)
    made.show_results(compared)
    wait_until_drawn(qtbot)
    return made


def choose(page: PhasesPage, first: str, second: str, qtbot: QtBot) -> None:
    page.first.picked.emit(first)
    page.second.picked.emit(second)
    wait_until_drawn(qtbot)


def test_plot_is_made_drawn_and_tabulated_in_turns_of_their_own(shown: Show, compared: Results, qtbot: QtBot) -> None:
    page = PhasesPage()
    shown(page)
    assert not page.findChildren(PlotView), "a plot that nothing is known of yet"
    page.show_results(compared)
    before, drawn = ("", 0, 0), []
    timer = QTimer(interval=0)

    def look() -> None:
        views = page.findChildren(PlotView)
        title = views[0].plot.title if views else ""
        drawn.append((title, len(views), page.gains_table.model().rowCount()))

    timer.timeout.connect(look)
    timer.start()
    wait_until_drawn(qtbot)
    timer.stop()
    changed = [sum(old != new for old, new in zip(a, b)) for a, b in zip([before, *drawn], drawn)]
    assert sum(changed) == 3
    assert max(changed) == 1, "the plot made, the plot drawn, the tables filled"


def test_page_asks_for_the_phases_while_it_is_seen(shown: Show) -> None:
    page, wishes = PhasesPage(), []
    page.part_wanted.connect(lambda part, is_wanted: wishes.append((part, is_wanted)))
    shown(page)
    page.hide()
    assert wishes == [("phases", True), ("phases", False)]


def test_a_chosen_pair_is_drawn_told_and_tabulated(page: PhasesPage, qtbot: QtBot) -> None:
    choose(page, A100, H100, qtbot)
    plot = page.gain_view.plot
    assert "H100" in plot.title
    assert page.gains_table.model().rowCount() == 10
    assert page.published_table.isVisible()
    assert page.published_table.model().rowCount() > 10
    assert "3.17×" in page._peaks.text()
    assert page._plot.found is not None
    shapes = {entry.name: entry.style for entry in plot.legend.entries}
    assert (shapes["bound by compute"], shapes["bound by memory bandwidth"]) == ("o", "s"), "as they are drawn"
    assert "Training step" in plot.readout_at(0.0, -0.2)
    assert "published" in plot.readout_at(0.0, -0.2)


def test_before_anything_is_chosen_the_candidate_on_screen_is_compared(page: PhasesPage, compared: Results) -> None:
    assert compared.plan.serving is not None
    table, best = compared.plan.serving.table, compared.plan.serving.best
    first, second = page._plot.pair
    assert first == compared.plan.accelerators[int(table.accelerator[best])]
    assert second != first


def test_where_one_device_alone_is_allowed_the_one_offered_most_is_beside_it(
    shown: Show, compared: Results, qtbot: QtBot
) -> None:
    """Not the first of the catalogue, a Tesla P100, nor what the hardware choice excludes."""
    assert compared.plan.serving is not None
    answer = compared.plan.serving
    reason = np.full_like(answer.table.reason, Reason.EXCLUDED)
    reason[answer.best] = Reason.NONE
    table = msgspec.structs.replace(answer.table, reason=reason)
    plan = msgspec.structs.replace(compared.plan, serving=msgspec.structs.replace(answer, table=table))
    page = PhasesPage()
    shown(page)
    page.show_results(replace(compared, plan=plan))
    wait_until_drawn(qtbot)
    offered = Counter(one.accelerator_id for one in compared.catalog.offers.values())
    assert page._plot.pair[1] in {name for name, _ in offered.most_common(2)}


def test_turning_round_inverts_the_gain(page: PhasesPage, qtbot: QtBot) -> None:
    choose(page, A100, H100, qtbot)
    assert page._plot.found is not None
    before = [one.gain for one in page._plot.found.gains]
    page._swap()
    wait_until_drawn(qtbot)
    after = [one.gain for one in page._plot.found.gains]
    assert [round(a * b, 9) for a, b in zip(before, after)] == [1.0] * len(before)


def test_a_pair_without_published_results_shows_no_table_of_them(page: PhasesPage, qtbot: QtBot) -> None:
    choose(page, "nvidia-l4", "google-tpu-v6e", qtbot)
    assert not page.published_table.isVisible()
    assert page.gains_table.isVisible()


def test_while_nothing_is_known_the_page_says_so(shown: Show, compared: Results, qtbot: QtBot) -> None:
    page = PhasesPage()
    shown(page)
    page.show_results(replace(compared, decision=None))
    wait_until_drawn(qtbot)
    assert page.gain_view.plot.message == "Comparing…"
    assert not page.gains_table.isVisible()
