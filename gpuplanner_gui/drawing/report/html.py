"""Small pieces of HTML. Everything that comes from a project or a catalogue passes through `text`."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable

from gpuplanner_gui.drawing.details import Detail
from gpuplanner_gui.drawing.language import tr


def text(value: object) -> str:
    """Data as plain text, whatever markup it holds."""
    return html.escape(str(value), quote=True)


def element(name: str, inner: str, css: str = "") -> str:
    """An element around HTML that is already safe."""
    return f'<{name} class="{css}">{inner}</{name}>' if css else f"<{name}>{inner}</{name}>"


def heading(level: int, title: str) -> str:
    return element(f"h{level}", text(title))


def paragraph(sentence: str, css: str = "") -> str:
    return element("p", text(sentence), css) if sentence else ""


def table(headings: Iterable[str], rows: Iterable[Iterable[str]], numbers: Iterable[int] = (), css: str = "") -> str:
    """A table of texts; `numbers` are the columns aligned to the right."""
    right = set(numbers)

    def cell(tag: str, place: int, value: str) -> str:
        return element(tag, text(value), "number" if place in right else "")

    head = element("tr", "".join(cell("th", place, title) for place, title in enumerate(headings)))
    body = "".join(element("tr", "".join(cell("td", place, one) for place, one in enumerate(row))) for row in rows)
    return element("table", f"<thead>{head}</thead><tbody>{body}</tbody>", css)


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


def folded(title: str, inner: str) -> str:
    """A section that the reader opens."""
    return f"<details><summary>{text(title)}</summary>{inner}</details>"
