"""What goes wrong with a file, as fields; the sentence is put together from them."""

from __future__ import annotations

from pathlib import Path


class FileProblem(Exception):
    """A file that can't be used: `what` is wrong, `where` in the file, and the `remedy`.

    `path` is the file, `where` a place inside it (`$.serving.classes[0].rate`, `line 12`), empty for the whole file.
    `what` and `remedy` are sentences without a final full stop.
    """

    def __init__(self, path: Path | str, where: str, what: str, remedy: str = "") -> None:
        super().__init__(path, where, what, remedy)
        self.path = Path(path)
        self.where = where
        self.what = what
        self.remedy = remedy

    def __str__(self) -> str:
        place = f"{self.path.name}, at {self.where}" if self.where else self.path.name
        sentence = f"{place}: {self.what}."
        return f"{sentence} {self.remedy}." if self.remedy else sentence
