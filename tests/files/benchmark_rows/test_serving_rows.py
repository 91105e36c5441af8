"""Rows of served models: what an engine would refuse to start is refused by name."""

from __future__ import annotations

import pytest

from gpuplanner_gui.files.benchmark_rows.question import RowProblem
from gpuplanner_gui.files.benchmark_rows.serving_rows import case
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration

ROW = {
    "case_id": "c",
    "model_path": "meta-llama/Llama-3.1-70B",
    "system": "h100_sxm",
    "backend": "vllm",
    "precision": "bf16",
    "isl": "1024",
    "osl": "1024",
    "concurrency": "8",
}


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"mode": "agg", "tp_size": "3"}, "64 heads do not divide by TP 3"),
        ({"mode": "disagg", "decode_tp_size": "8", "prefill_tp_size": "5"}, "64 heads do not divide by TP 5"),
    ],
)
def test_a_dense_model_whose_heads_do_not_divide_is_refused(columns: dict[str, str], says: str) -> None:
    with pytest.raises(RowProblem, match=says):
        case(ROW | columns, load_shipped_catalog(), load_calibration())
