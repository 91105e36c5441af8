"""The report stands alone: nothing is loaded, nothing in a project becomes markup, every part is there."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from gpuplanner_gui.drawing.report import report_html, write_report
from gpuplanner_gui.drawing.report.plots import drawn_plots, file_name
from gpuplanner_gui.drawing.results import Results
from tests.drawing import synthetic

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


def test_page_has_every_part_and_loads_nothing(qapp: QApplication, results: Results, tmp_path: Path) -> None:
    written = write_report(results.project, [results], tmp_path / "out" / "plan.html", tmp_path / "plots")
    html = written[0].read_text(encoding="utf-8")
    page = Page(html)
    assert page.references
    assert all(reference.startswith("data:image/png;base64,") for reference in page.references)
    text = " ".join(page.words)
    for part in (
        "Serve on",
        "Train on",
        "ranked candidates",
        "Inputs and assumptions",
        "sources",
        "Glossary",
        "default",
    ):
        assert part in text
    assert "not recommended" in text
    assert "calibration 000000000000" in text
    assert "http-equiv" in html


def test_plots_are_written_beside_the_page(qapp: QApplication, results: Results, tmp_path: Path) -> None:
    written = write_report(results.project, [results], tmp_path / "plan.html", tmp_path / "plots")
    pictures = [path for path in written if path.suffix == ".png"]
    assert len(pictures) == 13
    assert all(not QImage(str(path)).isNull() for path in pictures)
    assert {path.name for path in pictures} >= {"chat-service-serving-memory.png", "chat-service-training-time.png"}


def test_hostile_names_stay_text(qapp: QApplication, results: Results) -> None:
    scenario = msgspec.structs.replace(results.scenario, name=HOSTILE, notes=HOSTILE)
    project = msgspec.structs.replace(results.project, name=HOSTILE, notes=HOSTILE)
    accelerators = {
        key: msgspec.structs.replace(entry, name=HOSTILE, sources=(HOSTILE,))
        for key, entry in results.catalog.accelerators.items()
    }
    catalog = msgspec.structs.replace(results.catalog, accelerators=accelerators)
    hostile = replace(results, scenario=scenario, catalog=catalog, project=project)
    page = Page(report_html(project, [hostile], [drawn_plots(hostile)]))
    assert "script" not in page.tags
    assert page.tags.count("img") == len(page.references)
    assert HOSTILE in "".join(page.words)


def test_scenario_without_any_candidate_still_gives_a_page(qapp: QApplication, results: Results) -> None:
    assert results.plan.serving is not None
    table = results.plan.serving.table
    none_fits = msgspec.structs.replace(table, reason=table.reason * 0 + 1, fits=table.fits & False)
    serving = msgspec.structs.replace(results.plan.serving, table=none_fits, best=-1)
    plan = msgspec.structs.replace(results.plan, serving=serving, training=None)
    nothing = replace(results, plan=plan, load_curve=None, rooflines={})
    page = Page(report_html(nothing.project, [nothing], [drawn_plots(nothing)]))
    assert "Nothing can serve this." in " ".join(page.words)


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
    root = Path(__file__).resolve().parents[2]
    subprocess.run([sys.executable, "-c", script], env=environment, cwd=root, check=True, timeout=120)
    assert (tmp_path / "plan.html").stat().st_size > 100_000
