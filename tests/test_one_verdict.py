"""Every output says the same verdict: text and JSON of the command line, report, page on uncertainty, comparison."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from gpuplanner_gui import api
from gpuplanner_gui.cli.plan import as_json, as_text
from gpuplanner_gui.domain.decision import UncertaintyAnswer
from gpuplanner_gui.domain.verdict import LEVELS
from gpuplanner_gui.drawing.report.summary import verdict_blocks
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.value_ranges import format_range
from gpuplanner_gui.drawing.words.verdict import verdicts
from gpuplanner_gui.drawing.words.verdict_level import STATUSES, chance_text
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.decision.monte_carlo_plan import uncertainty_of_plan
from gpuplanner_gui.files.catalogs import load_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import load_project
from tests.conftest import with_deep

pytestmark = pytest.mark.usefixtures("short_simulations")

ROOT = Path(__file__).parent.parent
FILES = sorted([*(ROOT / "resources/examples").glob("*.gpuplan"), *(ROOT / "tests/cases").glob("*.gpuplan")])
AT_NIGHT = (
    "s17-embed", "estate-12-quarters", "70b-chat", "rag", "code-completion", "agent", "voice", "summarising-overnight",
)  # fmt: skip
"""What these say is said of the others too: chat on its own devices or rented, sure or likely."""
UNCONDITIONAL = re.compile(r"[Mm]eets every target|\bReady\b|Not ready")
"""Words of a verdict beside the one verdict."""


@pytest.mark.parametrize("file", with_deep(FILES, *AT_NIGHT), ids=lambda one: one.stem)
def test_no_output_says_another_verdict(file: Path) -> None:
    project = load_project(file)
    context = context_of(load_catalog(), load_calibration())
    for results in api.plan(project):
        plan = results.plan
        assert plan.verdicts is not None
        text = "\n".join(as_text(results, 3))
        assert not UNCONDITIONAL.search(text), text
        (said,) = as_json(project, (results,), 1)["scenarios"]
        json.dumps(said["verdicts"])
        for words in verdicts(results):
            known = getattr(plan.verdicts, words.workload)
            assert said["verdicts"][words.workload]["level"] == known.level
            assert words.status == STATUSES[known.level]
            assert words.state in text
            if "every target" in words.state and known.reasons[:1] != ("misses_targets",):
                # Never rounded up to the confidence that it misses.
                is_short = known.chance < known.confidence <= round(known.chance, 2)
                assert chance_text(known.confidence - 0.01 if is_short else known.chance) in words.state
        shown = [block.title for block in verdict_blocks(results)]
        assert len(shown) == len(verdicts(results))
        parts = [one for one in (plan.verdicts.serving, plan.verdicts.training) if one is not None]
        worst = max(LEVELS.index(one.level) for one in parts)
        assert LEVELS.index(plan.verdicts.both.level) >= worst
        if any(np.isfinite(one.chance) and one.chance > 0 for one in parts):
            sure = uncertainty_of_plan(results.scenario, plan, context, project.seed)
            _same_figures(results, sure)
            chances = {one.code: one.value for one in sure.probabilities}
            if chances:
                both = chances.get("everything", min(chances.values()))
                assert plan.verdicts.both.chance == pytest.approx(both, abs=1e-12)


def _same_figures(results: Results, sure: UncertaintyAnswer) -> None:
    """A figure's planned value beside its band is the plan's own."""
    answer = results.plan.serving
    if answer is None or answer.best < 0:
        return
    for metric in ("ttft", "tpot", "e2e"):
        headline, planned = (
            sure.headline(f"serving.{metric}_p95_s"),
            getattr(answer.table, f"{metric}_p95_s")[answer.best],
        )
        if headline is not None and np.isfinite(planned):
            assert headline.planned == pytest.approx(planned, rel=1e-6), metric
    is_whole = results.scenario.first_latency == "e2e"
    is_timed = results.scenario.serving is not None and not results.scenario.serving.traffic.is_batch
    assert (sure.headline("serving.e2e_p95_s") is not None) == (is_whole and is_timed)
    assert (sure.headline("serving.ttft_p95_s") is not None) == (not is_whole and is_timed)


@pytest.mark.parametrize(
    ("name", "code"),
    [("7b-continued-pretraining", "training.usd_per_run"), ("chat-on-two-devices", "serving.tpot_p95_s")],
)
def test_the_command_line_prints_the_range_that_the_window_shows(name: str, code: str) -> None:
    file = next(one for one in (*FILES, *(ROOT / "tests/small").glob("*.gpuplan")) if one.stem == name)
    (results,) = api.plan(load_project(file))
    context = context_of(load_catalog(), load_calibration())
    sure = uncertainty_of_plan(results.scenario, results.plan, context, results.project.seed)
    shown, band = results.known.uncertainty, sure.headline(code)
    told = shown.headline(code) if shown is not None else None
    assert told is not None
    assert band is not None
    assert (told.p10, told.p90) == (band.p10, band.p90)
    if code == "training.usd_per_run":
        assert format_range(band.p10, band.p90, "USD", beside=band.planned) in "\n".join(as_text(results, 3))
