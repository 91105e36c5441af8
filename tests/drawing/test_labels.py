"""Names beside points never lie over each other, whatever the points."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.drawing.plots.labels import Box, free_boxes, leader

ROOM = Box(0, 0, 400, 200)
place = st.tuples(st.floats(0, 390), st.floats(0, 190), st.floats(4, 20))


@given(st.lists(st.tuples(place, st.floats(10, 120)), max_size=12))
def test_no_two_names_overlap_and_none_covers_a_point(points):
    marks = [Box(x, y, size, size) for (x, y, size), _ in points]
    found = free_boxes(marks, [(width, 14.0) for _, width in points], [], ROOM)
    named = [box for box in found if box is not None]
    for index, box in enumerate(named):
        assert ROOM.holds(box)
        assert not any(box.overlaps(other) for other in named[index + 1 :])
    for own, box in zip(marks, found):
        assert box is None or not any(box.overlaps(mark) for mark in marks if mark is not own)


def test_the_first_name_stands_to_the_right_without_a_line():
    mark = Box(100, 100, 10, 10)
    (box,) = free_boxes([mark], [(40.0, 14.0)], [], ROOM)
    assert box == Box(110, 98, 40, 14)
    assert leader(mark, box) is None


def test_a_name_that_stands_apart_is_led_to():
    mark = Box(100, 100, 10, 10)
    assert leader(mark, Box(140, 60, 40, 14)) == (105, 105, 140, 74)


def test_what_is_taken_is_left_alone():
    mark = Box(100, 100, 10, 10)
    (box,) = free_boxes([mark], [(40.0, 14.0)], [Box(110, 90, 300, 40)], ROOM)
    assert box is not None
    assert not box.overlaps(Box(110, 90, 300, 40))
