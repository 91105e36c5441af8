"""Published results as points: a run counts once, however often sources list it."""

from __future__ import annotations

from tests.engine.local_fit.conftest import point
from tools.local_points import GroupedPoints, told_once


def test_a_run_that_is_listed_several_times_counts_once_with_its_build():
    bare, built = point(0.2), point(0.2, release="0.19.0", month="2026-04")
    found = told_once(GroupedPoints([bare, built, bare], ["g"] * 3))
    assert (found.points, found.groups) == ([built], ["g"])


def test_runs_that_differ_in_figure_load_or_group_all_count():
    points = [point(0.2), point(0.21), point(0.2, log2_batch=5.0), point(0.2, engine="sglang"), point(0.2)]
    groups = ["g", "g", "g", "g", "h"]
    found = told_once(GroupedPoints(points, groups))
    assert (found.points, found.groups) == (points, groups)


def test_a_copy_with_fewer_digits_is_the_same_run_unless_its_build_is_another():
    built = point(0.2, release="0.5.9", month="2026-03", measured=0.006333)
    copy = point(0.2, release="0.5.9", measured=0.00633)
    other, apart = point(0.2, release="0.5.10", measured=0.00633), point(0.2, release="0.5.9", measured=0.00634)
    found = told_once(GroupedPoints([copy, built, other, apart], ["g"] * 4))
    assert found.points == [built, other, apart]
    # A figure that is the same to its last digit is no second run, whatever build a list ascribes it to.
    assert told_once(GroupedPoints([copy, other], ["g"] * 2)).points == [copy]
