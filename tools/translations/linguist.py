"""Qt Linguist files: written, read, and compiled."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from gpuplanner_gui.drawing.translations import CONTEXT
from tools.translations.sources import Source

FOLDER = Path(__file__).resolve().parents[2] / "resources" / "translations"
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")


def ts_file(code: str) -> Path:
    return FOLDER / f"gpuplanner_{code}.ts"


def translations_in(path: Path) -> dict[str, str]:
    """The finished translations of a Linguist file, by their English sentence."""
    if not path.is_file():
        return {}
    found = {}
    for message in ElementTree.parse(path).iter("message"):
        translation = message.find("translation")
        if translation is not None and translation.get("type") is None and translation.text:
            found[message.findtext("source") or ""] = translation.text
    return found


def write_ts(path: Path, code: str, sources: Sequence[Source], translations: Mapping[str, str]) -> None:
    """Every sentence with its place and its translation; one that lacks it is marked as unfinished."""
    root = ElementTree.Element("TS", version="2.1", language=code, sourcelanguage="en")
    context = ElementTree.SubElement(root, "context")
    ElementTree.SubElement(context, "name").text = CONTEXT
    for source in sources:
        message = ElementTree.SubElement(context, "message")
        # Without a line, which every edit of the program would change.
        ElementTree.SubElement(message, "location", filename=source.file)
        ElementTree.SubElement(message, "source").text = source.text
        translation = ElementTree.SubElement(message, "translation")
        if source.text in translations:
            translation.text = translations[source.text]
        else:
            translation.set("type", "unfinished")
    ElementTree.indent(root, "  ")
    body = ElementTree.tostring(root, encoding="unicode")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n{body}\n', encoding="utf-8")


def compile_ts(path: Path) -> Path:
    """The file that the program reads. Raises CalledProcessError."""
    compiled = path.with_suffix(".qm")
    release = Path(sys.executable).with_name("pyside6-lrelease")
    subprocess.run([str(release), "-silent", str(path), "-qm", str(compiled)], check=True)
    return compiled


def faults_of(source: str, translation: str) -> list[str]:
    """What would go wrong when this translation is shown."""
    faults = []
    if sorted(_PLACEHOLDER.findall(source)) != sorted(_PLACEHOLDER.findall(translation)):
        faults.append("placeholders differ")
    if source[:1].isspace() != translation[:1].isspace() or source[-1:].isspace() != translation[-1:].isspace():
        faults.append("blanks at the ends differ")
    if "&" in source.replace("&&", "") and "&" not in translation:
        faults.append("no mnemonic")
    if source.count("\n") != translation.count("\n"):
        faults.append("lines differ")
    return faults
