"""How the report puts the errors of groups together, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from gpuplanner_gui.domain.knowledge import CovarianceTerm, LocalPrior, MemoryPrior
from tests.engine.local_fit.conftest import point, prior
from tools.fidelity.local_fit import COUNTS, Curve, Part, curve_of, divided, report
from tools.local_points import GroupedPoints


def curve(errors: list[float]) -> Curve:
    """Groups that begin at 10, 20 and 40 % and come to such errors with five points."""
    before = np.repeat(np.array([[0.1], [0.2], [0.4]]), len(COUNTS), axis=1)
    error = before.copy()
    error[:, COUNTS.index(5)] = errors
    return Curve("made", ("a", "b", "c"), COUNTS, before, error, np.full(error.shape, 0.8), (0.0, 0.4, 0.3, 0.2, 0.1))


def test_ratios_are_put_together_in_each_way_and_none_is_left_out():
    found = curve([0.11, 0.05, 0.2])
    assert found.ratio(5) == pytest.approx(0.11 / 0.2)
    assert found.middle_ratio(5) == pytest.approx(0.5)
    assert found.geometric(5) == pytest.approx((1.1 * 0.25 * 0.5) ** (1 / 3))
    assert (found.halved(5), found.worse(5), found.worst_ratio(5)) == (2, 1, pytest.approx(1.1))
    text = report([found])
    for line in (
        "| median of groups over their median before | 1.00 | 1.00 | 0.55 | 1.00 |",
        "| median of the groups' ratios | 1.00 | 1.00 | 0.50 | 1.00 |",
        "| largest of the groups' ratios | 1.00 | 1.00 | 1.10 | 1.00 |",
        "| groups worse | 0 | 0 | 1 | 0 |",
        "| single draws worse | 40% | 30% | 20% | 10% |",
    ):
        assert line in text


def test_single_draws_that_make_a_group_worse_are_counted():
    flat = prior(terms=(CovarianceTerm(same=("model",), log_sd=0.3),), noise_log_sd=0.02)
    chance = np.random.default_rng(4)
    off = [point(0.3 + 0.01 * chance.normal(), model="off") for _ in range(20)]
    # Seven of eight are right and one far off: where it is met, it speaks for all.
    mixed = [point(0.0 if index % 8 else 1.0, model="mixed") for index in range(24)]
    grouped = GroupedPoints([*off, *mixed], ["off"] * 20 + ["mixed"] * 24)
    of_all = LocalPrior(phases={"decode": flat}, memory=MemoryPrior(model_sd_bytes=1e9, run_sd_bytes=1e9, source=""))
    found = curve_of(Part("made", "decode", grouped), of_all, 40)
    assert found.groups == ("off", "mixed")
    assert found.error[0, COUNTS.index(5)] < 0.02 < 0.2 < found.error[0, 0]
    assert found.worse_draws[0] == 0.0
    assert 0.0 < found.worse_draws[COUNTS.index(1)] < 0.3


def test_a_group_is_divided_by_labels_and_keeps_its_name_before_the_comma():
    points = [
        point(0.1, engine="vllm", release="1"),
        point(0.1, engine="vllm", release=""),
        point(0.1, engine="sglang"),
    ]
    found = divided(GroupedPoints(points, ["a × b", "a × b", "c × d"]), ("engine", "release"))
    assert found.groups == ["a × b, vllm 1", "a × b, vllm –", f"c × d, sglang {points[2].release or '–'}"]
    assert [name.split(",")[0] for name in found.groups] == ["a × b", "a × b", "c × d"]
    assert found.points == points
