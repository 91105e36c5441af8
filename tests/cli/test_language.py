"""Results and reports in another language, by an option or by the environment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuplanner_gui.cli.main import LANGUAGE_VARIABLE, main
from gpuplanner_gui.drawing.language import use_translator
from gpuplanner_gui.paths import resources_dir

EXAMPLE = str(resources_dir() / "examples" / "7b-continued-pretraining.gpuplan")


@pytest.fixture(autouse=True)
def english_afterwards() -> Iterator[None]:
    yield
    use_translator(None)


def test_a_report_is_written_in_the_language_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "plan.html"
    assert main(["--language", "zh_TW", "report", EXAMPLE, "-o", str(file)]) == 0
    text = file.read_text(encoding="utf-8")
    assert '<html lang="zh-TW">' in text
    assert "訓練" in text


def test_the_environment_asks_too_and_the_option_overrules_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(LANGUAGE_VARIABLE, "xx")
    assert main(["check", EXAMPLE]) == 1
    assert "no such language" in capsys.readouterr().err
    assert main(["--language", "en", "check", EXAMPLE]) == 0
