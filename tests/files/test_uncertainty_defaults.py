from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpuplanner_gui.domain.field import problems_of
from gpuplanner_gui.domain.preset import Spread, UncertaintyDefault
from gpuplanner_gui.domain.price import SourcedFigure
from gpuplanner_gui.domain.quantity import Lognormal, Normal, Range, Triangular, central
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.shipped_tables import UNCERTAINTY_FILE, load_uncertainty_defaults
from gpuplanner_gui.paths import catalogs_dir


def default(spread: Spread, distribution) -> UncertaintyDefault:
    figure = SourcedFigure(value=distribution, source="test")
    return UncertaintyDefault(id="x", title="X", applies_to=("x",), spread=spread, distribution=figure)


def test_every_default_has_a_source_and_a_name_of_its_own():
    inputs = load_uncertainty_defaults().inputs
    assert len({entry.id for entry in inputs}) == len(inputs)
    assert all(len(entry.distribution.source) > 8 for entry in inputs)


def test_every_default_spreads_around_a_planners_value():
    for entry in load_uncertainty_defaults().inputs:
        spread = entry.around(0.5)
        assert not problems_of(spread)
        if entry.spread == "factor":
            assert central(spread) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("distribution", "expected"),
    [
        (Range(0.5, 1.5), Range(20, 60)),
        (Triangular(0.75, 1, 1.25), Triangular(30, 40, 50)),
        (Normal(1, 0.1), Normal(40, 4)),
        (Lognormal(1, 0.4), Lognormal(40, 0.4)),
        (1.5, 60.0),
    ],
)
def test_factors_scale_the_planners_value(distribution, expected):
    assert default("factor", distribution).around(40.0) == expected


def test_offsets_move_it_and_absolute_distributions_replace_it():
    assert default("offset", Triangular(-1, 0, 2)).around(10.0) == Triangular(9, 10, 12)
    assert default("offset", Normal(0, 1)).around(Range(8, 12)) == Normal(10, 1)
    assert default("absolute", Range(0.1, 0.6)).around(0.9) == Range(0.1, 0.6)


def test_lognormal_offset_is_refused_when_loaded(tmp_path: Path):
    content = json.loads((catalogs_dir() / UNCERTAINTY_FILE).read_text(encoding="utf-8"))
    content["inputs"][0]["spread"] = "offset"
    (tmp_path / UNCERTAINTY_FILE).write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(FileProblem, match="peak_rate_new"):
        load_uncertainty_defaults(tmp_path)


def test_distribution_out_of_order_is_refused(tmp_path: Path):
    content = json.loads((catalogs_dir() / UNCERTAINTY_FILE).read_text(encoding="utf-8"))
    content["inputs"][2]["distribution"]["value"]["low"] = 9.0
    (tmp_path / UNCERTAINTY_FILE).write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(FileProblem, match=r"inputs\[2\]"):
        load_uncertainty_defaults(tmp_path)
