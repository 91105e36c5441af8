"""A page for the board comes first; the annex is what was asked for, and short where nothing was."""

from __future__ import annotations

import io
import math
import re
from pathlib import Path

import msgspec
import pytest
from pypdf import PdfReader
from PySide6.QtWidgets import QApplication

from gpuplanner_gui.api import plan as answered
from gpuplanner_gui.cli import main
from gpuplanner_gui.domain.decision import OwnershipAnswer
from gpuplanner_gui.drawing.decision_rows import investment_text, term_rows
from gpuplanner_gui.drawing.in_depth import compared, in_depth
from gpuplanner_gui.drawing.order_rows import beside_text, order_lines, order_rows
from gpuplanner_gui.drawing.plots.ownership import TermsPlot
from gpuplanner_gui.drawing.report import SUBJECTS, drawings, rendered, report_of, usual_subjects
from gpuplanner_gui.drawing.report.model import Callout, Paragraph, Table
from gpuplanner_gui.drawing.report.risks import open_risks, risks_sections
from gpuplanner_gui.drawing.report_subjects import IN_SHORT
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.decision import assumed_text, range_of
from gpuplanner_gui.drawing.words.verdict import verdict
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import load_project
from gpuplanner_gui.paths import resources_dir
from tests.drawing.report.spreadsheet import read_workbook

EXAMPLES = resources_dir() / "examples"
NAMES = ("13b-two-deployments", "70b-chat", "7b-continued-pretraining")


@pytest.fixture(scope="module")
def three(qapp: QApplication) -> tuple[Results, ...]:
    """Three scenarios in one project, in depth."""
    first = load_project(EXAMPLES / f"{NAMES[0]}.gpuplan")
    scenarios = tuple(load_project(EXAMPLES / f"{name}.gpuplan").scenarios[0] for name in NAMES)
    calibration = load_calibration()
    project = msgspec.structs.replace(first, scenarios=scenarios)
    found = [in_depth(one, calibration, lambda _: None, lambda: None) for one in answered(project)]
    return compared(found, calibration, lambda: None)


def pages(three: tuple[Results, ...], subjects: tuple[str, ...]) -> list[str]:
    report = report_of(three[0].project, three, subjects=subjects)
    path = Path("plan.pdf")
    content = rendered(report, ".pdf", dict(drawings(report, ".pdf")), path)[path]
    return [page.extract_text() for page in PdfReader(io.BytesIO(content)).pages]


@pytest.mark.slow
def test_three_scenarios_are_a_page_each_for_the_board_and_a_short_annex(three: tuple[Results, ...]) -> None:
    found = pages(three, usual_subjects(".pdf"))
    assert len(found) <= 22
    for place, results in enumerate(three):
        assert f"For the board: {results.scenario.name}" in found[place]
        for part in ("Recommendation", "What to order", "Cash by year", "Own, rent or spot", "Main risks"):
            assert part in found[place], (place, part)
    assert "For the board" not in "".join(found[3:])
    assert len(pages(three, ("board",))) == 3


@pytest.mark.slow
def test_a_workbook_has_a_sheet_a_subject(three: tuple[Results, ...]) -> None:
    report = report_of(three[0].project, three, subjects=usual_subjects(".xlsx"))
    sheets = read_workbook(rendered(report, ".xlsx", {}, Path("plan.xlsx"))[Path("plan.xlsx")])
    assert len(sheets) <= 12
    assert [one.name for one in sheets] == [title for key, title in SUBJECTS.items() if key not in ("estate", "plots")]


@pytest.mark.slow
def test_board_says_what_the_order_and_the_terms_say(three: tuple[Results, ...]) -> None:
    for results in three:
        report = report_of(results.project, (results,), subjects=("board",))
        (board,) = report.sections
        tables = {one.title: one for one in board.blocks if isinstance(one, Table)}
        answers = list(results.decision.ownership.values())
        cash = tables["Cash by year"].rows
        for year, row in enumerate(cash[:-1]):
            paid = math.fsum(one.usd for answer in answers for one in answer.order.cash[4 * year : 4 * year + 4])
            assert row[3].number == pytest.approx(paid, abs=0.005)
        ways = tables["Own, rent or spot: present value over the horizon"]
        assert len(ways.rows) == 6
        for row in ways.rows:
            assert row[-1].text or all(one.number is not None and math.isfinite(one.number) for one in row[1:-1])


@pytest.mark.slow
def test_board_recommends_in_two_sentences_and_names_the_cheaper_way(three: tuple[Results, ...]) -> None:
    (board,) = report_of(three[1].project, (three[1],), subjects=("board",)).sections
    said = next(one for one in board.blocks if isinstance(one, Callout))
    do, chance = (line.text for line in said.lines)
    answer = three[1].decision.ownership["serving"]
    provider = answer.order.rental.provider
    assert do.startswith(f"Rent 20 × Instinct MI300X by the hour from {provider} to serve Llama 3.1 70B, for $")
    assert re.search(r"\d % .*every target\.$", chance)
    (cheaper,) = (
        one.text for one in board.blocks if isinstance(one, Paragraph) and one.text.startswith("The scenario sets ")
    )
    assert min(term_rows(answer), key=lambda one: math.inf if one.reason else one.usd).name in cheaper


@pytest.mark.slow
def test_the_dated_plan_tells_the_present_value_of_the_way_that_the_scenario_pays(three: tuple[Results, ...]) -> None:
    """Months times today's bill knew neither discount nor growth, and stood beside present values."""
    sections = report_of(three[1].project, (three[1],), subjects=("summary",)).sections
    (dated,) = (one for one in sections if one.title == "Plan with dates")
    (rows,) = (one.rows for one in dated.blocks if isinstance(one, Table))
    (hourly,) = (one for one in three[1].decision.ownership["serving"].terms if one.term == "rent_on_demand")
    assert rows[0][5].number == hourly.usd
    assert any("present value" in one.text for one in dated.blocks if isinstance(one, Paragraph))


@pytest.mark.slow
def test_every_way_to_pay_is_listed_or_says_why_not(three: tuple[Results, ...]) -> None:
    for results in three:
        for answer in results.decision.ownership.values():
            assert isinstance(answer, OwnershipAnswer)
            rows = list(term_rows(answer))
            assert rows[-1].term == "mixed"
            reserved = any(one.three_years or one.one_year for one in answer.commitments)
            assert reserved or not rows[-1].name.startswith("Mixed") or rows[-1].reason
            assert len(rows) == 6
            first = answer.commitments[:1]
            assert all(rows[-1].provider.startswith(f"{one.provider}, $") for one in first)
            for one in rows:
                assert bool(one.reason) == (not math.isfinite(one.usd)), one
            by_the_hour = next(one for one in answer.terms if one.term == "rent_on_demand")
            is_without_price = "No on-demand price" in rows[-1].reason
            assert not is_without_price or by_the_hour.reason


def test_sections_are_named_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "plan.md"
    assert main(["report", str(EXAMPLES / f"{NAMES[2]}.gpuplan"), "-o", str(path), "--sections", "board,deploy"]) == 0
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"^##+ (.+)$", text, re.MULTILINE)[0].startswith("For the board")
    assert "Deploy: training" in text
    assert "Findings" not in text
    with pytest.raises(SystemExit):
        main(["report", "x.gpuplan", "-o", "y.pdf", "--sections", "board,nothing"])
    assert "no section 'nothing'" in capsys.readouterr().err


def test_short_is_part_of_all() -> None:
    assert set(IN_SHORT) < set(SUBJECTS)
    assert usual_subjects(".csv") == tuple(SUBJECTS)


def test_one_run_has_one_band_wherever_it_is_told(three: tuple[Results, ...]) -> None:
    """The step ends where the hardware does, the run where the verdict does; days are not rounded in seconds first."""
    run = three[2]
    known = run.known.uncertainty
    assert known is not None
    time = known.headline("training.run_time_s")
    step = next(bar for one in known.tornados for bar in one.bars if bar.input == "training_model")
    assert time is not None
    table, best = run.plan.trained.table, run.plan.trained.best
    lowest = format_value(float(table.step_time_s[best]) * step.low_input, "s")
    assert any(f"{lowest} to " in str(cell) for row in open_risks(run) for cell in row)
    # A range has one number of decimals, by its lower end.
    assert float(range_of(time.p10, time.p90, "s").split("–")[1].split()[0]) == pytest.approx(
        time.p90 / 86400, rel=5e-3
    )
    report = report_of(run.project, [run])
    told = [cell.text for one in report.sections for block in one.blocks if isinstance(block, Table)
            for row in block.rows for cell in row if "80 % range (" in cell.text]  # fmt: skip
    assert [one.split("(")[1] for one in told] == [f"{format_value(time.p90, 's')})"]


def test_a_planner_of_runs_reads_how_many_are_compared(three: tuple[Results, ...]) -> None:
    run = three[2]
    assert run.decision is not None
    owned = run.decision.ownership["training"]
    assert owned.order is not None
    order = owned.order
    assert (order.runs_per_year, order.capital_usd) == (1.0, 0.0)
    present = sum(order.yearly_usd / (1 + order.cost_of_capital) ** year for year in (1, 2, 3))
    assert order_lines(order)[0].replace("\u00a0", " ") == (
        f"{format_value(order.yearly_usd, 'USD')} per run; 3 runs in 3 y, one a year (Training runs per year, under "
        f"Money › Fleets over time). Present value {format_value(present, 'USD')} over 3 y at 10 % a year, counted "
        "as paid at each year's end."
    ).replace("\u00a0", " ")
    assert "3 runs in 3 y, one a year" in assumed_text(owned, run.scenario).replace("\u00a0", " ")
    worth = investment_text(owned).replace("\u00a0", " ")
    assert worth.endswith("over the useful life of 4 y (the chart covers 3 y)")
    plot = TermsPlot("training")
    plot.draw(run)
    assert plot.title.replace("\u00a0", " ").startswith("Cheapest way to pay for 3 runs in 3 y, one a year, on ")
    told = verdict(run, "training").detail.replace("\u00a0", " ")
    assert "with 15 % for retries, validation and experiments, which the run time leaves out" in told


def test_the_board_reads_of_an_api_that_costs_less_than_the_fleet(three: tuple[Results, ...]) -> None:
    (board,) = (one for one in report_of(three[1].project, [three[1]]).sections if one.subject == "board")
    said = [block.text for block in board.blocks if isinstance(block, Paragraph)]
    assert sum("API, the mean load would cost" in one for one in said) == 1


def test_what_a_benchmark_of_a_service_would_show_counts_that_slower_devices_are_busier(
    three: tuple[Results, ...],
) -> None:
    known = three[1].known.uncertainty
    assert known is not None
    (tornado,) = (one for one in known.tornados if one.code == "serving.tpot_p95_s")
    bar = next(one for one in tornado.bars if one.input == "serving_model")
    said = next(str(cell) for row in open_risks(three[1]) for cell in row if "TPOT p95" in str(cell))
    assert "at the planned inputs" in said, "a tornado's ends are beside the medians"
    low, high = (float(one) for one in re.findall(r"([\d.]+)\Wms to ([\d.]+)\Wms", said)[0])
    assert (low / 1e3, high / 1e3) == pytest.approx((bar.result_at_low, bar.result_at_high), rel=0.1)


def test_advice_for_a_run_is_about_runs_and_what_is_not_priced_says_so(three: tuple[Results, ...]) -> None:
    for one in three:
        blocks = [block for section in risks_sections(one) for block in section.blocks if isinstance(block, Table)]
        (actions,) = (block for block in blocks if block.title == "Open risks and actions")
        serves = one.plan.serving is not None
        said = " ".join(cell.text for row in actions.rows for cell in row)
        assert ("load test" in said) == serves
        assert ("Time some steps of this layout again" in said) != serves
    run = three[2]
    assert run.decision is not None
    order = run.decision.ownership["training"].order
    assert order is not None
    (unpriced, support) = (line for line in order.lines if line.item in ("storage_and_egress", "support"))
    assert "enter data and prices" in beside_text(unpriced) == beside_text(support)
    assert "enter data" not in beside_text(msgspec.structs.replace(unpriced, unit_usd=10.0))
    shown = {str(row[0]): row[2:4] for row in order_rows(order).cells}
    assert shown["Support"] == shown["Storage and egress"] == ("not priced", "not priced")


def test_every_headline_number_is_told_at_planned_inputs_and_each_effect_beside_the_medians(
    three: tuple[Results, ...],
) -> None:
    known = three[1].known.uncertainty
    assert known is not None
    report = report_of(three[1].project, [three[1]], subjects=tuple(SUBJECTS))
    tables = {block.title: block for part in report.sections for block in part.blocks if isinstance(block, Table)}
    planned = [row[1].number for row in tables["Headline numbers"].rows]
    assert planned == [one.planned for one in known.headlines]
    assert "serving.replicas_needed" in {one.code for one in known.headlines}
    middles = {row[1].number for row in tables["Inputs with the largest effect"].rows}
    assert middles <= {one.middle for one in known.tornados}
