"""Pages are built ahead in turns that are short, and whole when they are seen before that."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.pages.place_bar import read_pages
from gpuplanner_gui.desktop.pages.results_pane import ResultsPane


def built(pane: ResultsPane) -> list[str]:
    return [name for name, _, _ in pane.built_pages()]


def test_a_page_is_made_in_one_turn_and_put_in_its_place_in_the_next(qtbot: QtBot) -> None:
    read_pages()
    pane = ResultsPane()
    qtbot.addWidget(pane)
    pane.read_ahead()
    counts = []
    while not built(pane):
        assert pane.prepare_one()
    while pane.prepare_one():
        counts.append(len(built(pane)))
    assert counts, "there is more than one page"
    assert counts == [1 + half // 2 for half in range(1, len(counts) + 1)], "each page takes two turns"
    assert set(built(pane)) == set(pane.page_names())


def test_a_page_that_is_seen_before_it_is_put_in_its_place_is_whole(qtbot: QtBot) -> None:
    read_pages()
    pane = ResultsPane()
    qtbot.addWidget(pane)
    pane.show()
    while len(built(pane)) < 2:
        assert pane.prepare_one()
    assert pane.prepare_one()
    name = next(name for name in pane.page_names() if name not in built(pane))
    pane.show_page_named(name)
    assert name in built(pane)
    assert pane.frame_in_front().widget().isVisible()
    while pane.prepare_one():
        pass
    assert sorted(built(pane)) == sorted(pane.page_names())
