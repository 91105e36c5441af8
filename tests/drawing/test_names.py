"""Names in a plot never lie over each other, over a point or outside, and beside curves where there is room."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.drawing.plots.name_places import (
    Box,
    CurveCover,
    Frame,
    NameObstacles,
    arrange,
    leaders,
)  # fmt: skip
from gpuplanner_gui.drawing.plots.names import around_point, beside_upright

WIDTH, HEIGHT = 400.0, 200.0
ROOM = Frame(WIDTH, HEIGHT, 0.0, 0.0, 1.0, 1.0)
point = st.tuples(st.floats(0, 390), st.floats(0, 190), st.floats(4, 20))


def surroundings(curves=(), **kept) -> NameObstacles:
    return NameObstacles(WIDTH, HEIGHT, CurveCover(WIDTH, HEIGHT, curves), **kept)


def level(height: float) -> tuple[np.ndarray, np.ndarray]:
    return np.array([0.0, WIDTH]), np.array([height, height])


def overlap(one: Box, other: Box) -> bool:
    across = one.left < other.left + other.width and other.left < one.left + one.width
    return across and one.top < other.top + other.height and other.top < one.top + one.height


@given(st.lists(st.tuples(point, st.floats(10, 120)), max_size=12))
def test_no_two_names_overlap_and_none_covers_a_point(points):
    marks = [Box(x, y, size, size) for (x, y, size), _ in points]
    offers = [around_point(mark, (width, 14.0)) for mark, (_, width) in zip(marks, points)]
    chosen = arrange(offers, surroundings(marks=np.array(marks).reshape(-1, 4)))
    named = [Box(*boxes[one]) for boxes, one in zip(offers, chosen) if one >= 0]
    for index, box in enumerate(named):
        assert box.left >= 0
        assert box.top >= 0
        assert box.left + box.width <= WIDTH
        assert box.top + box.height <= HEIGHT
        assert not any(overlap(box, other) for other in named[index + 1 :])
        inner = Box(box.left + 1, box.top + 1, box.width - 2, box.height - 2)
        assert not any(overlap(inner, mark) for mark in marks)


def test_the_first_name_stands_to_the_right_without_a_line():
    mark = Box(100, 100, 10, 10)
    offers = around_point(mark, (40.0, 14.0))
    (chosen,) = arrange([offers], surroundings())
    assert Box(*offers[chosen]) == Box(110, 98, 40, 14)
    assert np.isnan(leaders(mark, offers[[chosen]])).all()


def test_a_name_that_stands_apart_is_led_to():
    assert leaders(Box(100, 100, 10, 10), np.array([[140.0, 60.0, 40.0, 14.0]])).tolist() == [[105, 105, 140, 74]]


def test_the_line_to_a_name_runs_through_no_other_name():
    """Of two points beside each other, the lower one's name does not stand between the other and its name."""
    mark, below = Box(100, 20, 10, 10), np.array([[80.0, 40.0, 50.0, 14.0]])
    offers = np.array([[80.0, 70.0, 50.0, 14.0], [160.0, 20.0, 50.0, 14.0]])
    assert arrange([below, offers], surroundings(), led_from=[None, mark]) == [0, 1]
    assert arrange([below, offers], surroundings()) == [0, 0]
    # Nor does a later name stand on the line to an earlier one; without another place it does.
    later = np.array([[80.0, 40.0, 50.0, 14.0], [80.0, 120.0, 50.0, 14.0]])
    assert arrange([offers[:1], later], surroundings(), led_from=[mark, None]) == [0, 1]
    assert arrange([offers[:1], later[:1]], surroundings(), led_from=[mark, None]) == [0, 0]


def test_a_name_does_not_stand_beside_another_names_point():
    large, small = Box(100, 100, 20, 20), Box(118, 112, 8, 8)
    offers = np.array([[120.0, 118.0, 60.0, 14.0], [40.0, 103.0, 60.0, 14.0]])
    assert arrange([offers, np.empty((0, 4))], surroundings(), led_from=[large, small])[0] == 1
    assert arrange([offers, np.empty((0, 4))], surroundings(), led_from=[large, None])[0] == 0


def test_a_name_without_a_place_is_left_out():
    here = np.array([[10.0, 10.0, 80.0, 14.0]])
    assert arrange([here, here], surroundings()) == [0, -1]
    assert arrange([np.array([[390.0, 10.0, 80.0, 14.0]])], surroundings()) == [-1]


def test_a_name_leaves_a_curve_but_stays_where_it_is_as_good():
    around = surroundings([level(50.0)])
    offers = np.array([(0, 44, 80, 12), (0, 10, 80, 12), (0, 80, 80, 12)], float)
    assert arrange([offers], around) == [1]
    assert arrange([offers], around, present=[2]) == [2]
    assert arrange([offers], around, present=[0]) == [1]


def test_only_names_that_may_stand_on_a_curve_do_where_there_is_no_other_place():
    around, on_curve = surroundings([level(50.0)]), np.array([(0, 44, 80, 12)], float)
    assert arrange([on_curve], around) == [-1]
    assert arrange([on_curve], around, may_cross=[True]) == [0]


def test_a_name_gives_way_to_one_without_a_choice():
    free, other = (0.0, 4.0, 80.0, 12.0), (0.0, 24.0, 80.0, 12.0)
    assert arrange([np.array([free, other]), np.array([free])], surroundings()) == [1, 0]
    # The earlier name counts more than several later ones together would where one has to go.
    assert arrange([np.array([free]), np.array([free])], surroundings()) == [0, -1]


def test_lines_through_a_name_are_avoided():
    offers = np.array([(55, 20, 30, 10), (0, 20, 30, 10)], float)
    assert arrange([offers], surroundings(uprights=np.array([70.0]))) == [1]
    assert arrange([offers], surroundings(levels=np.array([25.0]))) == [0]


def test_two_names_are_not_read_as_one():
    """ "TTFT p95 ≤ 1 s" and "TPOT p95 target: up to 8.04 req/s" stood end to end, in one colour."""
    first, after, below = (50.0, 20.0, 80.0, 14.0), (138.0, 20.0, 80.0, 14.0), (138.0, 60.0, 80.0, 14.0)
    assert arrange([np.array([first]), np.array([after, below])], surroundings()) == [0, 1]
    assert arrange([np.array([first]), np.array([after])], surroundings()) == [0, 0], "better than without a name"
    apart = (180.0, 20.0, 80.0, 14.0)
    assert arrange([np.array([first]), np.array([apart, below])], surroundings()) == [0, 0]


def test_names_of_upright_lines_stay_in_the_picture():
    for column in (0.0, 200.0, 399.0):
        offers = beside_upright(column, 0.93, (90.0, 14.0), ROOM)
        (chosen,) = arrange([offers], surroundings())
        assert 0 <= offers[chosen][0] <= WIDTH - 90


def test_curves_are_counted_by_how_far_they_run_through():
    rising = (np.array([100.0, 104.0, 200.0]), np.array([90.0, 10.0, 10.0]))
    across = np.array([0.0, 200.0])
    cover = CurveCover(200.0, 100.0, [(across, np.array([50.0, 50.0])), rising, (np.empty(0), np.empty(0))])

    def share(*box: float) -> float:
        return float(cover.share(np.array([box]))[0])

    assert share(0, 44, 80, 12) == 1.0
    assert share(-40, 44, 80, 12) == 1.0, "of what is in view"
    assert share(0, 60, 80, 12) == 0.0
    assert 0 < share(80, 70, 40, 12) < 0.5, "a steep curve runs through a narrow part"
    assert share(300, 70, 40, 12) == pytest.approx(0.0)


def test_a_place_that_is_no_number_is_answered():
    """A mark beyond what floating point counts, seen from nearby."""
    cover = CurveCover(200.0, 100.0, [level(50.0)])
    found = cover.share(np.array([[np.nan, 10.0, 40.0, 12.0], [10.0, np.inf, 40.0, 12.0], [10.0, 40.0, 40.0, 20.0]]))
    assert np.isfinite(found).all()
    assert found[2] == pytest.approx(1.0, abs=0.3)


def test_a_name_stands_beside_a_band_where_there_is_room_and_else_in_it() -> None:
    across = np.array([0.0, WIDTH])
    bands = CurveCover(WIDTH, HEIGHT, [(across, np.full(2, down)) for down in np.linspace(100.0, 180.0, 7)])
    cover = CurveCover(WIDTH, HEIGHT, [])
    around = NameObstacles(WIDTH, HEIGHT, cover, bands)
    inside, above = (10.0, 120.0, 80.0, 12.0), (10.0, 40.0, 80.0, 12.0)
    assert arrange([np.array([inside, above])], around) == [1]
    assert arrange([np.array([inside])], around) == [0]
