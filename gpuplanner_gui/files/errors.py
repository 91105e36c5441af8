"""What goes wrong with a file, as fields and as sentences that remember their parts; the words are made where shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gpuplanner_gui.files.text import plain_text


class Said(str):
    """A sentence that remembers its template and the values in it; values may be sentences themselves."""

    __slots__ = ("template", "values")

    template: str
    values: dict[str, Any]


def said(template: str, **values: Any) -> Said:
    """The template with the values filled in."""
    sentence = Said(template.format(**values))
    sentence.template, sentence.values = template, values
    return sentence


LONGEST_PLACE = 200
LONGEST_SENTENCE = 500
"""What stands in a file may stand in the sentence about it: bounded, and without characters that hide text."""


class FileProblem(Exception):
    """A file that can't be used: `what` is wrong, `where` in the file, and the `remedy`.

    `path` is the file, `where` a place inside it (`$.serving.classes[0].rate`, `line 12`), empty for the whole file.
    `what` and `remedy` are sentences without a final full stop; `values` are filled into both.
    """

    def __init__(self, path: Path | str, where: str, what: str, remedy: str = "", /, **values: Any) -> None:
        self.path, self.where = Path(path), where
        self.what, self.remedy = (said(one, **values) if values else one for one in (what, remedy))
        super().__init__(path, where, self.what, self.remedy)

    def __str__(self) -> str:
        name = plain_text(self.path.name, LONGEST_PLACE)
        place = f"{name}, at {plain_text(self.where, LONGEST_PLACE)}" if self.where else name
        sentence = f"{place}: {plain_text(self.what, LONGEST_SENTENCE)}."
        return f"{sentence} {plain_text(self.remedy, LONGEST_SENTENCE)}." if self.remedy else sentence


def unreadable(path: Path, problem: OSError | ValueError) -> FileProblem:
    """What the disk says against reading a file."""
    reason = getattr(problem, "strerror", None) or str(problem)
    return FileProblem(path, "", "the file can't be read ({reason})", "Check its name and permissions", reason=reason)


def no_file(path: Path) -> FileProblem:
    """What is wrong where a file should be: nothing is there, or a folder, a device or the like."""
    if path.exists():
        return FileProblem(path, "", "this is not a file", "Choose a file")
    folder = plain_text(str(path.absolute().parent), LONGEST_PLACE)
    return FileProblem(
        path, "", "there is no such file", "Check the name; the program looked in {folder}", folder=folder
    )
