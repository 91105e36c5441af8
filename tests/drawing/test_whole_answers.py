"""Images are told by how long the whole answer takes, in every table and report, with no word of tokens."""

from __future__ import annotations

import json
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from gpuplanner_gui.api import plan as answered
from gpuplanner_gui.cli import main
from gpuplanner_gui.domain.decision import UnitCost
from gpuplanner_gui.drawing.decision_rows import unit_costs_text
from gpuplanner_gui.drawing.in_depth import in_depth
from gpuplanner_gui.drawing.plots.cost import CostPlot
from gpuplanner_gui.drawing.plots.memory import MemoryPlot
from gpuplanner_gui.drawing.report import rendered, report_of
from gpuplanner_gui.drawing.report.risks import open_risks
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.value_ranges import format_range
from gpuplanner_gui.drawing.words.candidates import estimates_text
from gpuplanner_gui.drawing.words.request_kinds import columns_without_meaning, has_tokens
from gpuplanner_gui.drawing.words.verdict import verdicts
from gpuplanner_gui.engine.model.table_memory import memory_bytes
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import headlines_of, load_project
from tests.conftest import SMALL_CHAT

pytestmark = pytest.mark.usefixtures("short_simulations")

EXAMPLES = Path(__file__).parents[2] / "resources/examples"
IMAGES, SPEECH, CHAT = (EXAMPLES / f"{one}.gpuplan" for one in ("image-generation", "transcription", "70b-chat"))
HOUR_S = 3600.0
OF_TOKENS = ("TTFT", "TPOT", "KV cache", "decode step", "output token", "BF16 KV")


@pytest.fixture(scope="module")
def drawn() -> Results:
    (results,) = answered(load_project(IMAGES), is_judged=False)
    return in_depth(results, load_calibration())


def test_the_command_line_has_a_column_of_whole_answers(capsys):
    assert main(["plan", str(IMAGES)]) == 0
    told = capsys.readouterr().out
    assert "p95 E2E" in told
    assert not [one for one in OF_TOKENS if one in told]
    rows = [line for line in told.splitlines() if "MI300X" in line and "FP8" in line and line[:1].isdigit()]
    assert len(rows) == 1, "candidates that differ in the format of a cache that is not there"


def test_json_keeps_its_keys_and_has_the_whole_answer(capsys):
    assert main(["plan", str(SPEECH), "--json", "--top", "1"]) == 0
    (first,) = json.loads(capsys.readouterr().out)["scenarios"][0]["serving"]
    assert 0 < first["ttft_p95_s"] < first["e2e_p95_s"]
    assert first["tpot_mean_s"] > 0


def test_what_a_first_latency_is():
    first = {path.stem: load_project(path).scenarios[0].first_latency for path in (IMAGES, SPEECH, CHAT)}
    assert first == {"image-generation": "e2e", "transcription": "e2e", "70b-chat": "ttft"}
    assert [has_tokens(load_project(path).scenarios[0]) for path in (IMAGES, SPEECH, CHAT)] == [False, True, True]
    assert {"ttft_p95_s", "usd_per_million_output_tokens"} <= columns_without_meaning(load_project(SPEECH).scenarios[0])
    assert columns_without_meaning(load_project(CHAT).scenarios[0]) == {"e2e_p95_s", "usd_per_request"}


def test_saved_headlines_name_the_whole_answer(drawn):
    codes = {one.code for one in headlines_of(drawn.scenario, drawn.plan)}
    assert "serving.e2e_p95_s" in codes
    assert "serving.ttft_p95_s" not in codes


def test_the_headline_has_the_band_of_all_that_is_uncertain(drawn):
    sure = drawn.known.uncertainty.headline("serving.e2e_p95_s")
    (said,) = verdicts(drawn)
    band = format_range(sure.p10, sure.p90, "s", 2, beside=sure.planned)
    assert f"80 % range {band}), target 15 s" in said.detail


def test_a_batch_is_told_by_how_long_it_takes():
    project = load_project(SMALL_CHAT)
    (chat,) = project.scenarios
    traffic = replace(chat.serving.traffic, arrivals="batch", batch_requests=100_000.0, batch_time_s=8 * HOUR_S)
    batch = replace(chat, serving=replace(chat.serving, traffic=traffic))
    (results,) = answered(replace(project, scenarios=(batch,)), is_judged=False)
    (said,) = [one for one in results_risks(results) if "was not measured by you" in one]
    table, best = results.plan.serving.table, results.plan.serving.best
    hours = 8 * results.plan.serving.peak_rate_per_s / (table.replicas * table.slo_rate_per_s)[best]
    assert f"batch time {format_value(hours * HOUR_S, 's')} (80 % range" in said
    assert "TPOT" not in said


@pytest.mark.parametrize(
    ("example", "unit"),
    [("image-generation", "image"), ("transcription", "hour of audio"), ("embedding-index", "million documents")],
)
def test_the_cost_plot_prices_what_the_verdict_prices(qapp, example, unit):
    (results,) = answered(load_project(EXAMPLES / f"{example}.gpuplan"), is_judged=False)
    (said,) = verdicts(results)
    plot = CostPlot()
    plot.show(results)
    (price,) = [part for part in said.detail.split(" · ") if part.endswith(f"per {unit}")]
    assert price in plot.title
    rows = plot.table(results)
    assert rows.columns[1].title == f"Cost per {unit}"
    selected = plot.candidates.index(results.candidate("serving"))
    cost = rows.cells[selected][1]
    assert isinstance(cost, float)
    assert format_value(cost, "USD") == price.split(" per ")[0]


def test_unit_costs_are_those_of_the_requests():
    codes = {"million_input": 13.93, "million_output": 2.05, "request": 2.5e-7, "user_month": 0.1}
    costs = tuple(
        UnitCost(code=code, value=value, unit="USD", requests_per_day=20.0 if code == "user_month" else math.nan)
        for code, value in codes.items()
    )
    documents, chat = (load_project(path).scenarios[0] for path in (EXAMPLES / "embedding-index.gpuplan", CHAT))
    answer: Any = SimpleNamespace(workload="serving", unit_costs=costs)
    assert unit_costs_text(answer, documents).startswith(
        "$0.25 per million documents · $0.10 per user and month, at 20 req"
    )
    # Each alternative is the whole cost; tokens of each kind are parts of it.
    apart = UnitCost(code="million_output_alone", value=1.05, unit="USD")
    answer = SimpleNamespace(workload="serving", unit_costs=(*costs, apart))
    assert unit_costs_text(answer, chat).replace("\u00a0", " ").splitlines() == [
        "Whole cost, per unit: $2.05 per M output tokens, cost of prompts included · $2.50e−07 per request · "
        "$0.10 per user and month, at 20 requests a day each",
        "Same cost, split by kind of token: $13.93 per M input tokens · $1.05 per M output tokens, cost of prompts "
        "excluded",
    ]


def results_risks(results: Results) -> list[str]:
    """The rows of what is still open, each in one line."""
    return list(map(" ".join, open_risks(results)))


def test_a_report_says_no_word_of_tokens(drawn, tmp_path):
    path = tmp_path / "images.md"
    report = report_of(drawn.project, (drawn,), subjects=("board", "summary", "risks", "monitoring", "candidates"))
    text = rendered(report, ".md", {}, path)[path].decode()
    assert "E2E p95" in text
    assert "Cost per image" in text
    assert not [line for line in text.splitlines() if any(one in line for one in OF_TOKENS)]


def test_free_memory_says_what_the_engine_leaves_unused(qapp, drawn):
    """192 GB with 42 in use had 150 free, and a batch that did not fit them: the engine takes 90 % of the device."""
    plot = MemoryPlot("serving")
    plot.show(drawn)
    table, best = drawn.plan.serving.table, drawn.plan.serving.best
    allowed = drawn.scenario.engine_memory_fraction * float(table.memory_capacity_bytes[best])
    used = float(memory_bytes(table)[best])
    most, free = format_value(allowed, "bytes"), format_value(allowed - used, "bytes")
    assert plot.title.endswith(f"of the {most} that the engine may use; {free} is free")
    row = plot.candidates.index(best)
    assert plot.bars.marks[row].at == pytest.approx(allowed)
    assert plot.as_rows().cells[row][-1] == pytest.approx(allowed)


def test_hours_at_each_load_add_up_to_the_year(drawn):
    """1 825 h, told as 1 820, left ten hours of the year out."""
    path = Path("report.md")
    text = rendered(report_of(drawn.project, [drawn]), ".md", {}, path)[path].decode()
    _, _, after = text.partition("**Power by load, cooling included**")
    rows = [
        line.split("|")[2].strip() for line in after.split("**")[0].splitlines() if " kW |" in line or " h |" in line
    ]
    hours = [float(one.removesuffix("h").replace("\N{NO-BREAK SPACE}", "").replace(" ", "")) for one in rows]
    assert len(hours) > 3
    assert sum(hours) == pytest.approx(8760, abs=1)


def test_the_note_of_the_table_says_what_of_it_is_simulated():
    """The first row's latencies were called simulated: only its number of replicas is."""
    (results,) = answered(load_project(CHAT), is_judged=False)
    assert results.plan.serving.simulation_of_best is not None
    said = estimates_text(results.plan)
    assert "Only the number of replicas of the first fleet is simulated" in said
    assert "All latencies" in said


def test_a_target_on_whole_texts_is_told_with_its_range():
    """Of services that write tokens only first tokens and pace had one."""
    (results,) = answered(load_project(EXAMPLES / "code-completion.gpuplan"), is_judged=False)
    (said,) = verdicts(in_depth(results, load_calibration()))
    assert said.detail.startswith("E2E p95")
    assert "80 % range" in said.detail
