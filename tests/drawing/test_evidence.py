"""Measured cases beside a plan: published ones and the planner's own, with what the model says of them."""

from __future__ import annotations

import math

import pytest

from gpuplanner_gui.domain.measurement import MeasurementSet, missing_context
from gpuplanner_gui.drawing.evidence import evidence_cases, evidence_rows, evidence_text
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.shipped_tables import EVIDENCE_FILE, load_evidence
from tests.drawing.test_calibration import results_of, served


def test_published_rows_have_their_whole_context_and_a_source():
    table, catalog = load_evidence(), load_shipped_catalog()
    assert len(table.rows) > 1000
    assert all(table.sources[row.source] for row in table.rows)
    lacking = [row for row in table.rows if missing_context(row.measurement) and row.load != "offline"]
    assert not [row for row in lacking if row.concurrency and row.precision and row.engine]
    assert {row.accelerator for row in table.rows} <= set(catalog.accelerators)
    assert {row.model for row in table.rows} <= set(catalog.models)


def test_own_cases_stand_among_the_published_with_their_predictions():
    results = results_of(MeasurementSet(name="mine", measurements=(served(0.01, 40.0),)))
    cases = evidence_cases(results, load_calibration())
    assert len(cases) == 8
    assert [one.distance for one in cases] == sorted(one.distance for one in cases)
    (own,) = [one for one in cases if one.source == "own: mine"]
    assert own.measured == 0.01
    assert math.isfinite(own.predicted)
    assert own.slowness == pytest.approx(own.measured / own.predicted)
    rows = evidence_rows(cases, results.catalog)
    assert [row[1] for row in rows.cells].count("yes") == 1
    assert any("Llama 3.1 8B on H100 SXM" in str(row[2]) for row in rows.cells)
    said = evidence_text(cases, "serving")
    assert " took longer than predicted" in said
    assert " close to this plan: " in said
    assert "No measured run" in evidence_text(cases, "training")


def test_a_set_that_is_left_out_stands_among_the_evidence_as_such():
    left_out = MeasurementSet(name="mine", is_used=False, measurements=(served(0.01, 40.0),))
    cases = evidence_cases(results_of(left_out), load_calibration())
    assert [one.source for one in cases if one.is_own] == ["own, excluded: mine"]


def test_a_damaged_table_is_a_sentence(tmp_path):
    (tmp_path / EVIDENCE_FILE).write_text(
        '{"date": "2026-01-01", "sources": [], "rows": [[0,"m","a",1,"fp8","vllm",[1,1,1,1],"batch",1,1,1,"tpot",1]]}'
    )
    with pytest.raises(FileProblem, match=r"rows\[0\]"):
        load_evidence(tmp_path)
