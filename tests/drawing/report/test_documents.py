"""The report stands alone: nothing is loaded, nothing in a project becomes markup, every part is there."""

from __future__ import annotations

import csv
import io
import os
import re
import subprocess
import sys
from dataclasses import replace
from datetime import date, timedelta
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import msgspec
import pytest
from pypdf import PdfReader
from PySide6.QtCore import QSizeF
from PySide6.QtGui import QImage, QTextDocument, QTextFormat
from PySide6.QtWidgets import QApplication

from gpuplanner_gui import __version__
from gpuplanner_gui.domain.plan import ServingTable
from gpuplanner_gui.drawing.report import FORMATS, SUBJECTS, drawings, format_of, rendered, report_of, write_report
from gpuplanner_gui.drawing.report.html import html_page
from gpuplanner_gui.drawing.report.model import Report, ReportFigure, Table, clean
from gpuplanner_gui.drawing.report.pdf import _longest_word
from gpuplanner_gui.drawing.report.pdf_breaks import blocks_of, break_pages
from gpuplanner_gui.drawing.report.plots import file_name
from gpuplanner_gui.drawing.report.xlsx import shortened
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.files.errors import FileProblem
from tests.drawing import synthetic
from tests.drawing.report.spreadsheet import read_workbook

pytestmark = pytest.mark.usefixtures("short_simulations")

HOSTILE = "<img src=x onerror=alert(1)> & \"quoted\" </title><script>alert('x')</script>"


class Page(HTMLParser):
    """Tags, links and text of a page; fails on tags that do not match."""

    VOID = ("meta", "img", "br")

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.references: list[str] = []
        self.words: list[str] = []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.references += [value or "" for name, value in attrs if name in ("src", "href", "action", "data", "srcset")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


@pytest.fixture(scope="module")
def results() -> Results:
    return synthetic.results()


DAY = date(2026, 11, 21)
BIDI = "\u202e\u2066evil\u2069\u200f"


def page_of(results: Results, *others: Results) -> Page:
    report = report_of(results.project, [results, *others], DAY)
    return Page(html_page(report, dict.fromkeys(report.figures(), b"picture")))


@pytest.fixture(scope="module")
def report(qapp: QApplication, results: Results) -> Report:
    return report_of(results.project, [results], DAY)


def words_of(page: Page) -> str:
    return " ".join(page.words)


def test_page_has_every_part_and_loads_nothing(qapp: QApplication, results: Results, tmp_path: Path) -> None:
    written = write_report(
        results.project, [results], tmp_path / "out" / "plan.html", tmp_path / "plots", tuple(SUBJECTS)
    )
    html = written[0].read_text(encoding="utf-8")
    page = Page(html)
    pictures = [reference for reference in page.references if not reference.startswith("#")]
    assert pictures
    assert all(reference.startswith("data:image/png;base64,") for reference in pictures)
    text = words_of(page)
    for part in (
        "Serve on", "Train on", "Headline numbers", "Plan with dates", "Open risks and actions", "What to monitor",
        "ranked candidates", "Inputs and assumptions", "sources", "Glossary", "default", "vllm serve", "Cost sheet",
        "Training and serving side by side",
    ):  # fmt: skip
        assert part in text
    assert "not recommended" in text
    assert "calibration 000000000000" in text
    assert f"GPU Planner {__version__}" in text
    assert "catalogue figures from" in text
    assert "(devices)" in text
    assert "API prices of" in text
    assert "http-equiv" in html


def test_plots_are_written_beside_the_page(qapp: QApplication, results: Results, tmp_path: Path) -> None:
    written = write_report(results.project, [results], tmp_path / "plan.html", tmp_path / "plots")
    pictures = [path for path in written if path.suffix == ".png"]
    assert len(pictures) == 12
    assert all(not QImage(str(path)).isNull() for path in pictures)
    assert {path.name for path in pictures} >= {"chat-service-serving-memory.png", "chat-service-training-time.png"}


def hostile_results(results: Results, name: str) -> Results:
    """Everything that a file may name carries the name."""
    scenario = msgspec.structs.replace(results.scenario, name=name, notes=name)
    model = msgspec.structs.replace(scenario.model, name=name)
    assert scenario.serving is not None
    classes = tuple(msgspec.structs.replace(one, name=name) for one in scenario.serving.classes)
    serving = msgspec.structs.replace(scenario.serving, classes=classes)
    scenario = msgspec.structs.replace(scenario, model=model, serving=serving)
    project = msgspec.structs.replace(results.project, name=name, notes=name)
    accelerators = {
        key: msgspec.structs.replace(entry, name=name, sources=(name,))
        for key, entry in results.catalog.accelerators.items()
    }
    catalog = msgspec.structs.replace(results.catalog, accelerators=accelerators)
    return replace(results, scenario=scenario, catalog=catalog, project=project)


def test_hostile_names_stay_text(qapp: QApplication, results: Results) -> None:
    page = page_of(hostile_results(results, HOSTILE))
    assert "script" not in page.tags
    assert page.tags.count("img") == sum(one.startswith("data:") for one in page.references)
    assert HOSTILE in "".join(page.words)


def test_characters_that_turn_text_around_are_left_out(qapp: QApplication, results: Results) -> None:
    report = report_of(results.project, [hostile_results(results, BIDI)], DAY)
    for suffix in (".html", ".md", ".csv"):
        (content,) = rendered(report, suffix, {}, Path(f"plan{suffix}")).values()
        text = content.decode("utf-8-sig")
        assert "evil" in text
        assert not any(sign in text for sign in "\u202e\u2066\u2069\u200f")
    for sheet in read_workbook(rendered(report, ".xlsx", {}, Path("plan.xlsx"))[Path("plan.xlsx")]):
        assert not any(sign in text for text in (sheet.name, *sheet.texts.values()) for sign in "\u202e\u2066")


@pytest.mark.parametrize("name", ["=HYPERLINK(1)", "+1+1", "-1", "@SUM(A1)", "\t=1"])
def test_no_name_becomes_a_formula(qapp: QApplication, results: Results, name: str) -> None:
    report = report_of(results.project, [hostile_results(results, name)], DAY)
    for sheet in read_workbook(rendered(report, ".xlsx", {}, Path("plan.xlsx"))[Path("plan.xlsx")]):
        assert not any(clean(name).strip() in formula for formula in sheet.formulas.values())
    (content,) = rendered(report, ".csv", {}, Path("plan.csv")).values()
    for row in csv.reader(io.StringIO(content.decode("utf-8-sig"))):
        for cell in row:
            is_number = cell.lstrip("-").replace(".", "").replace("e", "").replace("+", "").replace("-", "").isdigit()
            assert is_number or not cell.startswith(("=", "+", "-", "@", "\t"))


def test_markdown_takes_names_as_they_are(qapp: QApplication, results: Results) -> None:
    name = "# a | b *c* <b>d</b> [e](http://x) `f` ~~~"
    report = report_of(results.project, [hostile_results(results, name)], DAY)
    (content,) = rendered(report, ".md", {}, Path("plan.md")).values()
    text = content.decode()
    assert "<b>" not in text.replace("\\<", "")
    assert "](http" not in text.replace("\\]", "")
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(widths) == 1, block


def test_scenario_without_any_candidate_still_gives_every_document(qapp: QApplication, results: Results) -> None:
    assert results.plan.serving is not None
    table = results.plan.serving.table
    none_fits = msgspec.structs.replace(table, reason=table.reason * 0 + 1, fits=table.fits & False)
    serving = msgspec.structs.replace(results.plan.serving, table=none_fits, best=-1)
    plan = msgspec.structs.replace(results.plan, serving=serving, training=None)
    nothing = replace(results, plan=plan, load_curve=None, rooflines={})
    page = page_of(nothing)
    assert "No candidate can serve this." in words_of(page)
    report = report_of(nothing.project, [nothing], DAY)
    for suffix in FORMATS:
        assert rendered(report, suffix, dict(drawings(report, suffix)), Path(f"plan{suffix}"))


def test_numbers_are_those_of_the_plan(report: Report, results: Results) -> None:
    serving, training = results.plan.serving, results.plan.training
    assert serving is not None
    assert training is not None
    cells = [cell for table in tables_of(report) for row in table.rows for cell in row if cell.number is not None]
    shown = {(cell.number, cell.unit) for cell in cells}
    assert (float(serving.table.usd_per_month[serving.best]), "USD/month") in shown
    assert (float(serving.table.ttft_p95_s[serving.best]), "s") in shown
    assert (float(training.table.run_time_s[training.best]), "s") in shown
    assert (float(training.table.usd_per_run[training.best]), "USD") in shown


def test_every_figure_says_what_it_holds_for(qapp: QApplication, results: Results) -> None:
    text = words_of(page_of(results))
    assert "Serving figures apply to Chat 70B: prompts of" in text
    assert "Training figures apply to Chat 70B: 20 B tok in sequences of" in text


def test_summary_is_a_page_and_says_the_difference_in_a_sentence(report: Report, results: Results) -> None:
    assert report.sections[0].subject == "board"
    assert next(one for one in report.sections if one.subject == "summary").starts_page
    two = next(one for one in report.sections if one.title == "Two workloads")
    text = " ".join(getattr(block, "text", "") for block in two.blocks)
    assert "Training is limited by" in text
    assert "Serving is limited by" in text


def test_quantised_weights_are_an_open_action(qapp: QApplication, results: Results) -> None:
    serving = results.plan.serving
    assert serving is not None
    fp8 = results.plan.precisions.index("fp8")
    table = msgspec.structs.replace(serving.table, weight_precision=serving.table.weight_precision * 0 + fp8)
    quantised = replace_table(results, table)
    (risks,) = [
        one for one in tables_of(report_of(results.project, [quantised], DAY)) if one.title.startswith("Open r")
    ]
    (row,) = [row for row in risks.rows if "Quality of Chat 70B in FP8" in row[1].text]
    assert row[0].text == "☐"
    assert "Validate accuracy" in row[2].text
    plain = msgspec.structs.replace(serving.table, weight_precision=serving.table.weight_precision * 0)
    (risks,) = [
        one for one in tables_of(report_of(results.project, [replace_table(results, plain)], DAY))
        if one.title.startswith("Open r")
    ]  # fmt: skip
    assert not any("Quality of Chat 70B" in row[1].text for row in risks.rows)


def replace_table(results: Results, table: ServingTable) -> Results:
    assert results.plan.serving is not None
    serving = msgspec.structs.replace(results.plan.serving, table=table)
    return replace(results, plan=msgspec.structs.replace(results.plan, serving=serving))


def test_monitoring_thresholds_come_from_the_plan(report: Report, results: Results) -> None:
    (watched,) = [one for one in tables_of(report) if one.title == "Service"]
    rows = {row[0].text: row for row in watched.rows}
    serving = results.plan.serving
    assert serving is not None
    table, best = serving.table, serving.best
    assert rows["TTFT p95"][3].number == 1.0
    assert rows["TTFT p95"][1].number == table.ttft_p95_s[best]
    assert rows["Requests per replica"][3].number == table.slo_rate_per_s[best]
    assert rows["KV cache in use"][1].number == pytest.approx(table.kv_cache_bytes[best] / table.kv_pool_bytes[best])
    assert {"Warm-up of a new replica", "Replicas up"} <= set(rows)
    for row in watched.rows:
        values = [cell.number for cell in row[1:4]]
        assert all(value is not None for value in values)
    (trained,) = [one for one in tables_of(report) if one.title == "Training"]
    names = {row[0].text for row in trained.rows}
    assert {"Step time", "Waiting for communication", "Waiting for data", "Goodput"} <= names


def test_plan_has_dates(report: Report, results: Results) -> None:
    (dated,) = [one for one in tables_of(report) if one.title == "Plan with dates"]
    training = results.plan.training
    assert training is not None
    ends = DAY + timedelta(days=round(float(training.table.run_time_s[training.best]) / 86_400))
    run = next(row for row in dated.rows if row[2].text == "Training run")
    assert [cell.text for cell in run[:2]] == [str(DAY), str(ends)]
    after = next(row for row in dated.rows if row[2].text.startswith("Retries, validation and experiments"))
    paid_h = float(training.table.device_hours[training.best] / training.table.devices[training.best])
    assert [cell.text for cell in after[:2]] == [str(ends), str(DAY + timedelta(days=round(paid_h / 24)))]
    assert next(row for row in dated.rows if row[2].text == "Deadline")[1].text == str(DAY + timedelta(days=14))


def tables_of(report: Report) -> list[Table]:
    return [block for section in report.sections for block in section.blocks if isinstance(block, Table)]


def test_all_figures_of_the_report_are_found_in_the_pdf(qapp: QApplication, results: Results, tmp_path: Path) -> None:
    (path,) = write_report(results.project, [results], tmp_path / "plan.pdf", subjects=tuple(SUBJECTS))
    text = "".join(page.extract_text() for page in PdfReader(path).pages)
    assert re.findall(".{0,30}[\x00-\x08\x0b-\x1f\ue000-\uf8ff].{0,30}", text) == []
    found, blocks = "".join(text.split()), [
        block for one in report_of(results.project, [results]).sections for block in one.blocks
    ]  # fmt: skip
    figures = [
        cell.text for block in blocks if isinstance(block, Table) for row in block.rows for cell in row
        if cell.number is not None
    ]  # fmt: skip
    assert len(figures) > 50
    assert [one for one in figures if "".join(one.split()) not in found] == []


def test_pdf_has_pages_and_no_links(qapp: QApplication, results: Results, tmp_path: Path) -> None:
    (path,) = write_report(results.project, [results], tmp_path / "plan.pdf", subjects=tuple(SUBJECTS))
    content = path.read_bytes()
    assert content.startswith(b"%PDF-")
    assert content.rstrip().endswith(b"%%EOF")
    assert len(re.findall(rb"/Type /Page\b(?!s)", content)) > 8
    assert b"/URI" not in content
    assert b"/Subtype /Image" not in content, "plots are vectors"


def test_markdown_names_its_pictures(qapp: QApplication, results: Results, tmp_path: Path) -> None:
    written = write_report(results.project, [results], tmp_path / "my plan.md")
    text = written[0].read_text(encoding="utf-8")
    links = re.findall(r"!\[[^\n]*\]\(([^)]*)\)", text)
    assert len(links) == len(written) - 1
    assert all((tmp_path / unquote(link)).is_file() for link in links)


def test_scenarios_whose_names_look_alike_keep_their_plots(
    qapp: QApplication, results: Results, tmp_path: Path
) -> None:
    first, second = (
        replace(results, scenario=msgspec.structs.replace(results.scenario, name=name)) for name in ("日本", "中国")
    )
    report = report_of(results.project, [first, second], DAY)
    pictures = dict.fromkeys(report.figures(), b"x")
    files = rendered(report, ".md", pictures, tmp_path / "plan.md")
    assert len(files) == 1 + len(pictures)


def test_a_name_without_a_format_is_refused_with_words(tmp_path: Path) -> None:
    assert format_of(Path("a.HTML")) == ".html"
    with pytest.raises(FileProblem, match="is not a report format"):
        format_of(tmp_path / "plan.docx")


def test_a_place_that_cannot_be_written_is_refused_with_words(
    qapp: QApplication, results: Results, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileProblem, match="can't be written"):
        write_report(results.project, [results], tmp_path / "file" / "plan.csv")


def test_figures_are_drawn_only_for_formats_that_show_them(report: Report, results: Results) -> None:
    assert list(drawings(report, ".csv")) == []
    assert list(drawings(report, ".xlsx")) == []
    assert all(isinstance(one, ReportFigure) for one in report.figures())


def test_names_of_plots_suit_every_file_system() -> None:
    assert file_name("70B chat: Zürich / EU", "cost") == "70b-chat-z-rich-eu-cost.png"
    assert file_name("../..", "cost") == "scenario-cost.png"


def test_report_needs_no_display(tmp_path: Path) -> None:
    script = (
        "from pathlib import Path\n"
        "from gpuplanner_gui.drawing.report import write_report\n"
        "from tests.drawing import synthetic\n"
        "results = synthetic.results(400)\n"
        f"write_report(results.project, [results], Path({str(tmp_path / 'plan.html')!r}))\n"
    )
    environment = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    environment.pop("QT_QPA_PLATFORM", None)
    root = Path(__file__).resolve().parents[3]
    subprocess.run([sys.executable, "-c", script], env=environment, cwd=root, check=True, timeout=120)
    assert (tmp_path / "plan.html").stat().st_size > 100_000


def test_sheets_are_named_by_whole_words() -> None:
    assert shortened("Serving: the 20 best candidates", 27) == "Serving: the 20 best"
    assert shortened("Cost sheet", 27) == "Cost sheet"
    assert shortened("Donaudampfschifffahrtsgesellschaft", 27) == "Donaudampfschifffahrtsgesel"


def test_no_page_holds_headings_alone(qapp: QApplication) -> None:
    """A heading and the one under it go to the next page together, also where both would stand alone."""
    document = QTextDocument()
    document.setHtml("<p>" + "line<br>" * 40 + "</p><h3>One</h3><h4>Two</h4><p>" + "text<br>" * 5 + "</p>")
    layout = document.documentLayout()
    top = layout.blockBoundingRect(document.lastBlock()).top()
    document.setPageSize(QSizeF(400, top + 4))
    break_pages(document, top + 4)
    policies = {block.text()[:3]: block.blockFormat().pageBreakPolicy() for block in blocks_of(document)}
    always = QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore
    assert policies["One"] == always
    assert policies["Two"] != always


def test_columns_are_as_wide_as_their_longest_words() -> None:
    assert _longest_word("Cost per month") == 5
    assert _longest_word("397\u00a0ms") == 6
    assert _longest_word("Tokens/s/device") == 7
    assert _longest_word("推論服務的成本") == 8
