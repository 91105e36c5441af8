"""What is wrong with a file is said in the window's language; the command line stays English."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuplanner_gui.drawing.language import ENGLISH
from gpuplanner_gui.drawing.translations import use_language
from gpuplanner_gui.drawing.words.files import file_problem_text, said_text
from gpuplanner_gui.files.errors import FileProblem, said
from gpuplanner_gui.files.measurements import import_file
from gpuplanner_gui.files.model_import import read_model
from gpuplanner_gui.files.project import load_project


@pytest.fixture
def chinese(qapp: object) -> Iterator[None]:
    assert use_language("zh_TW")
    yield
    use_language(ENGLISH)


def problem_of(path: Path, text: str) -> FileProblem:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileProblem) as caught:
        (load_project if path.suffix == ".gpuplan" else read_model)(path)
    return caught.value


DAMAGED = {
    "a.gpuplan": ("{", '{"format": "gpuplan"}', '{"format": "gpuplan", "version": 999}', "[]",
                  '{"format": "gpuplan", "version": 1, "name": 3}',
                  '{"format": "gpuplan", "version": 1, "seed": 1e999}'),
    "config.json": ("{}", "[]",
                    '{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": "many"}',
                    '{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": -1}'),
}  # fmt: skip
CASES = [(name, text) for name, texts in DAMAGED.items() for text in texts]


@pytest.mark.parametrize(("name", "text"), CASES)
@pytest.mark.usefixtures("chinese")
def test_damaged_files_are_refused_in_the_windows_language(tmp_path: Path, name: str, text: str) -> None:
    problem = problem_of(tmp_path / name, text)
    told = file_problem_text(problem)
    assert told.startswith(name)
    assert told.endswith("。")
    assert str(problem).isascii(), "the command line speaks English"


@pytest.mark.usefixtures("chinese")
def test_why_a_benchmarks_result_is_no_json_is_said_in_the_windows_language(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text('{"request_throughput": 1.0, "model_id": "m", "dura')
    with pytest.raises(FileProblem, match="it is cut off in the middle") as caught:
        import_file(path)
    assert file_problem_text(caught.value).startswith("run.json：看起")


def test_english_is_the_sentence_as_it_is(tmp_path: Path) -> None:
    problem = problem_of(tmp_path / "a.gpuplan", "[]")
    assert file_problem_text(problem) == str(problem)


@pytest.mark.usefixtures("chinese")
def test_values_within_values_are_translated_too() -> None:
    inner = said("the file is empty")
    told = said_text(said("no row holds a request; the first: {what}", what=inner))
    assert "檔案是空的" in told
    assert told.startswith("沒有任何一列是請求")


@pytest.mark.usefixtures("chinese")
def test_unknown_words_stay_as_they_are() -> None:
    assert said_text("words that nobody translated") == "words that nobody translated"
    assert said_text("Expected `int`, got `str`") == "這裡應為 int，而不是 str"
