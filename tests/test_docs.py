"""The documentation is true to the repository: citations, links, file names and names in code lead somewhere."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGE = REPOSITORY / "gpuplanner_gui"
PAGES = sorted([*(REPOSITORY / "docs").rglob("*.md"), *REPOSITORY.glob("*.md")])
CODE = ("gpuplanner_gui", "tools", "tests")

CITATION = re.compile(r"\bdocs/[\w/.-]+?\.md(?:#[\w-]*\w)?")
"""A page with a heading, as sources in code and catalogues name it."""
LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)")
IN_BACKTICKS = re.compile(r"`([^`\n]+)`")
NAME_IN_FILE = re.compile(r"`([A-Za-z_]\w*)(?:\.\w+)?`\s+(?:in|of)\s+`([\w./-]+\.py)`")
PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)*/?")
FENCE = re.compile(r"^(?:```|~~~).*?^(?:```|~~~)", re.MULTILINE | re.DOTALL)
FILE_ENDINGS = (".py", ".json", ".md", ".csv", ".toml", ".gpuplan", ".qm", ".ts", ".sh", ".html")

NOTES = "engine notes"
"""What sources cited before docs/derivations: notes that never were in the repository."""


@cache
def anchors_of(page: Path) -> frozenset[str]:
    """The headings of a page as a link names them: small letters, spaces as hyphens, signs left out."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    found: set[str] = set()
    for heading in re.findall(r"^#{1,6} +(.+?) *#*$", text, re.MULTILINE):
        plain = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        number = 1
        while (anchor := plain if number == 1 else f"{plain}-{number - 1}") in found:
            number += 1
        found.add(anchor)
    return frozenset(found)


def dead(page: Path, anchor: str) -> str:
    """Why a place can't be found; empty where it can."""
    if not page.exists():
        return f"there is no {page.relative_to(REPOSITORY)}" if REPOSITORY in page.parents else f"there is no {page}"
    if anchor and page.suffix == ".md" and anchor not in anchors_of(page):
        return f"{page.relative_to(REPOSITORY)} has no heading #{anchor}"
    return ""


def sources() -> Iterator[Path]:
    for folder in CODE:
        yield from sorted((REPOSITORY / folder).rglob("*.py"))
    yield from sorted((REPOSITORY / "catalogs").glob("*.json"))
    yield from sorted((REPOSITORY / "resources").glob("*.json"))


def texts_of(path: Path) -> Iterator[str]:
    """Every string of a module, pieces that the code puts together as one; the whole of any other file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield text
        return
    if "docs/" not in text and NOTES not in text.lower():
        return  # saves reading a thousand modules as Python
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
    yield "\n".join(line for line in text.splitlines() if line.lstrip().startswith("#"))


@cache
def defined_in(path: Path) -> frozenset[str]:
    """Names that a module defines anywhere: functions, classes, and what it assigns or declares."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return frozenset(found)


def name_of(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


def test_every_citation_of_a_page_finds_its_heading() -> None:
    lost, found = [], 0
    for path in sources():
        for text in texts_of(path):
            for citation in CITATION.findall(text):
                page, _, anchor = citation.partition("#")
                if path.suffix == ".json" and not page.startswith("docs/derivations/"):
                    continue  # the catalogues also cite files of other repositories
                found += 1
                why = dead(REPOSITORY / page, anchor)
                if why:
                    lost.append(f"{name_of(path)} cites {citation}: {why}")
    assert lost == []
    assert found > 30


def test_sources_cite_no_notes_outside_the_repository() -> None:
    citing = {name_of(path) for path in sources() if any(NOTES in text.lower() for text in texts_of(path))}
    assert citing <= {"tests/test_docs.py"}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_somewhere(page: Path) -> None:
    lost = []
    for target in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        if "://" in target:
            continue
        place, _, anchor = target.partition("#")
        why = dead((page.parent / place).resolve() if place else page, anchor)
        if why:
            lost.append(f"{target}: {why}")
    assert lost == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_file_that_a_page_names_exists(page: Path) -> None:
    """Below the repository, the package, or the folder of the page."""
    missing = []
    for named in IN_BACKTICKS.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        is_path = PATH.fullmatch(named) and "/" in named and (named.endswith("/") or named.endswith(FILE_ENDINGS))
        if is_path and not named.startswith("build/"):
            roots = (REPOSITORY, PACKAGE, page.parent)
            if not any((root / named).exists() for root in roots):
                missing.append(named)
    assert missing == []


def test_every_page_stands_in_an_index() -> None:
    """README's pages, or the derivations' own."""
    for index, folder in (("README.md", "docs"), ("docs/derivations/README.md", "docs/derivations")):
        text = (REPOSITORY / index).read_text(encoding="utf-8")
        linked = {((REPOSITORY / index).parent / target.split("#")[0]).resolve() for target in LINK.findall(text)}
        pages = {page for page in (REPOSITORY / folder).glob("*.md") if page.name != "README.md"}
        assert sorted(map(name_of, pages - linked)) == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_name_in_a_file_is_defined_there(page: Path) -> None:
    """Where a page says "`name` in `file.py`"."""
    wrong = []
    for name, file in NAME_IN_FILE.findall(page.read_text(encoding="utf-8")):
        path = next((root / file for root in (REPOSITORY, PACKAGE, page.parent) if (root / file).exists()), None)
        if path is not None and name not in defined_in(path):
            wrong.append(f"{name} in {file}")
    assert wrong == []


def test_names_in_the_nomenclature_are_names_in_the_code() -> None:
    page = (REPOSITORY / "docs" / "nomenclature.md").read_text(encoding="utf-8")
    code = "\n".join(path.read_text(encoding="utf-8") for path in sorted(PACKAGE.rglob("*.py")))
    words = frozenset(re.findall(r"\b\w+\b", code))
    named = [name for name in IN_BACKTICKS.findall(page) if re.fullmatch(r"[a-z]\w*", name)]
    assert len(named) > 40
    assert [name for name in named if name not in words] == []


def test_the_readme_is_short() -> None:
    assert len((REPOSITORY / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


def test_headings_are_found_as_links_name_them(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A's B, c\n\n```\n# no heading\n```\n\n## Twice\n\n## Twice\n", encoding="utf-8")
    assert anchors_of(page) == {"as-b-c", "twice", "twice-1"}
