"""The report as one page that needs nothing else: pictures are inside it, and it may load nothing."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable, Mapping

from gpuplanner_gui.drawing.details import Detail
from gpuplanner_gui.drawing.language import language, tr
from gpuplanner_gui.drawing.report.model import (
    Block,
    Callout,
    Code,
    Outline,
    Paragraph,
    Report,
    ReportFigure,
    ReportSection,
    Sheet,
    Table,
    clean,
)
from gpuplanner_gui.drawing.report.plots import WIDTH

STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.5 Inter, "Segoe UI", system-ui, sans-serif; font-variant-numeric: tabular-nums; color: #1C2126;
  background: #F5F6F7; margin: 0; }
main { max-width: 1040px; margin: 0 auto; padding: 32px 24px 64px; background: #FFFFFF; }
h1 { font-size: 26px; margin: 0 0 4px; } h2 { font-size: 20px; margin: 40px 0 8px; padding-top: 16px;
  border-top: 1px solid #D5DADF; } h3 { font-size: 16px; margin: 24px 0 8px; }
h4 { font-size: 13px; margin: 12px 0 4px; color: #5F6B76; } .verdict h4 { margin-top: 0; }
nav { columns: 3; font-size: 13px; margin: 16px 0; } nav ul { list-style: none; padding: 0; margin: 0; }
nav .level2 { font-weight: 600; } nav .level3 { padding-left: 12px; } a { color: #1F5FA8; text-decoration: none; }
pre { background: #F5F6F7; padding: 8px 12px; overflow-x: auto; font-size: 12px; line-height: 1.4; }
.strong { font-weight: 600; }
p { margin: 4px 0; } .quiet, .default { color: #5F6B76; } .default { font-size: 12px; }
.verdict { border-left: 4px solid #5F6B76; padding: 8px 16px; margin: 12px 0; background: #F5F6F7; }
.verdict.good { border-color: #1B7F4B; } .verdict.warning { border-color: #9A6700; }
.verdict.bad { border-color: #B3261E; }
figure { margin: 12px 0; } img { max-width: 100%; height: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13px; margin: 8px 0; }
th, td { text-align: left; padding: 4px 8px; border-bottom: 1px solid #E7EAED; vertical-align: top; }
th { color: #5F6B76; font-weight: 600; border-bottom-color: #D5DADF; }
.number { text-align: right; white-space: nowrap; }
ul.details { list-style: none; padding-left: 16px; margin: 2px 0; font-size: 13px; }
ul.details .field { color: #5F6B76; }
summary { cursor: pointer; font-weight: 600; margin: 8px 0; } code { font-size: 12px; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
@media print { nav { display: none; } .new-page { break-before: page; } .scroll { overflow: visible; }
  pre { white-space: pre-wrap; }
  body { background: #FFFFFF; } main { padding: 0; } figure, tr, .verdict { break-inside: avoid; }
  details > * { display: block; } }
"""


POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
"""The page may load nothing, whatever a name in it tries."""
_WEIGHTS = {"plain": "", "quiet": "quiet", "strong": "strong"}


def html_page(report: Report, pictures: Mapping[ReportFigure, bytes]) -> str:
    """The page as text; `pictures` holds the drawn figures as PNG."""
    body = heading(1, report.title) + paragraph(" · ".join(report.provenance), "quiet")
    body += "".join(paragraph(line) for line in report.introduction.splitlines())
    body += contents(report)
    body += "".join(_section(one, place, pictures) for place, one in enumerate(report.sections))
    head = (
        '<meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{text(report.title)}</title><style>{STYLE}</style>"
    )
    code = language().replace("_", "-")
    return f'<!DOCTYPE html>\n<html lang="{code}"><head>{head}</head><body>{element("main", body)}</body></html>\n'


def sections_html(report: Report) -> str:
    """The sections alone, without pictures: for a preview."""
    return "".join(_section(one, place, {}) for place, one in enumerate(report.sections))


def text(value: object) -> str:
    """Data as plain text, whatever markup it holds."""
    return html.escape(clean(value), quote=True)


def element(name: str, inner: str, css: str = "") -> str:
    """An element around HTML that is already safe."""
    return f'<{name} class="{css}">{inner}</{name}>' if css else f"<{name}>{inner}</{name}>"


def heading(level: int, title: str) -> str:
    return element(f"h{level}", text(title))


def paragraph(sentence: str, css: str = "") -> str:
    return element("p", text(sentence), css) if sentence else ""


def contents(report: Report) -> str:
    """Links to the parts."""
    items = [
        f'<li class="level{one.level}"><a href="#part{place}">{text(one.title)}</a></li>'
        for place, one in enumerate(report.sections)
        if one.level < 4
    ]
    return f"<nav><ul>{''.join(items)}</ul></nav>"


def _section(section: ReportSection, place: int, pictures: Mapping[ReportFigure, bytes]) -> str:
    inner = "".join(block_html(block, section, pictures) for block in section.blocks)
    css = ' class="new-page"' if section.starts_page else ""
    if section.is_folded:
        inner = f"<details><summary>{text(section.title)}</summary>{inner}</details>"
    else:
        inner = heading(section.level, section.title) + inner
    return f'<section id="part{place}"{css}>{inner}</section>'


def block_html(block: Block, section: ReportSection, pictures: Mapping[ReportFigure, bytes]) -> str:
    if isinstance(block, Paragraph):
        return paragraph(block.text, _WEIGHTS[block.weight])
    if isinstance(block, Callout):
        lines = heading(4, block.title) + "".join(paragraph(one.text, _WEIGHTS[one.weight]) for one in block.lines)
        return element("div", lines, f"verdict {block.status}")
    if isinstance(block, (Table, Sheet)):
        caption = heading(4, block.title) if block.title != section.title else ""
        return caption + table_html(block.as_table())
    if isinstance(block, Code):
        return element("pre", element("code", text(block.text)))
    if isinstance(block, Outline):
        return details_list(block.details)
    return picture(pictures[block], block.title, WIDTH) if block in pictures else ""


def table_html(table: Table) -> str:
    looks = dict.fromkeys(table.quiet_columns, "quiet") | dict.fromkeys(table.number_columns, "number")

    def row(tag: str, cells: Iterable[str]) -> str:
        return element("tr", "".join(element(tag, text(one), looks.get(at, "")) for at, one in enumerate(cells)))

    body = "".join(row("td", (cell.text for cell in line)) for line in table.rows)
    made = f"<thead>{row('th', table.headings)}</thead><tbody>{body}</tbody>"
    return element("div", element("table", made), "scroll")


def picture(png: bytes, title: str, width: int) -> str:
    """A picture inside the page, with its sentence as text for those who do not see it."""
    encoded = base64.b64encode(png).decode("ascii")
    return f'<figure><img width="{width}" alt="{text(title)}" src="data:image/png;base64,{encoded}"></figure>'


def details_list(details: Iterable[Detail]) -> str:
    """Fields and their values, groups inside each other; what is a default is said to be one."""
    items = []
    for detail in details:
        value = element("span", text(detail.value), "value") if detail.value else ""
        note = element("span", text(tr("default")), "default") if detail.is_default and detail.value else ""
        title = element("span", text(detail.title), "field") if detail.title else ""
        inner = f"{title} {value} {note}".strip()
        if detail.parts:
            inner += details_list(detail.parts)
        items.append(element("li", inner))
    return element("ul", "".join(items), "details")
