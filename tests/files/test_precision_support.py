"""The matrix of formats as a file: it loads, and damage is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest

from gpuplanner_gui.domain.workload import ServingEngine
from gpuplanner_gui.drawing.words.choices import words_of_choice
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.knowledge import SUPPORT_FILE, load_calibration, load_precision_support
from gpuplanner_gui.paths import catalogs_dir


def test_the_shipped_matrix_loads():
    assert {one.engine for one in load_precision_support().engines} == {"vllm", "sglang", "trtllm", "llama_cpp", "mlx"}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda rule: rule.update(formats=["fp5"]), "'fp5' is not a number format"),
        (lambda rule: rule.update(level="perhaps"), "level"),
        (lambda rule: rule.pop("source"), "source"),
        (lambda rule: rule.update(surprise=1), "surprise"),
    ],
)
def test_damage_is_named(tmp_path: Path, change, says):
    content = json.loads((catalogs_dir() / SUPPORT_FILE).read_text(encoding="utf-8"))
    change(content["engines"][0]["rules"][0])
    (tmp_path / SUPPORT_FILE).write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(FileProblem, match=says):
        load_precision_support(tmp_path)


def test_engines_have_the_catalogues_names_in_the_words_of_choices():
    known = {one.engine: one.name for one in load_calibration().engines}
    assert set(known) == set(get_args(ServingEngine))
    assert {code: words_of_choice(code) for code in known if code != "generic"} == {
        code: name for code, name in known.items() if code != "generic"
    }
