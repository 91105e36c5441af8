"""What commands print: answers as text or JSON, columns, and a line that says how far a long task is."""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, get_args

import numpy as np

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.workload import ServingEngine
from gpuplanner_gui.drawing.rows import Cell, Rows
from gpuplanner_gui.files.catalog_names import resolve_accelerator
from gpuplanner_gui.files.model_import import read_model
from gpuplanner_gui.files.model_names import resolve_model


def json_text(value: Any) -> str:
    """A value as indented JSON by its standard; NumPy's numbers as numbers, those that are not finite as null."""
    return json.dumps(_plain(value), indent=2, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, np.generic):
        return _plain(value.item())
    return None if isinstance(value, float) and not math.isfinite(value) else value


def print_answers(
    arguments: argparse.Namespace, as_json: Callable[[], Any], as_text: Callable[[], Iterable[str]]
) -> int:
    """Print an answer as JSON where `--json` asks for it, else its lines; status 0."""
    for line in [json_text(as_json())] if arguments.json else as_text():
        print(line)
    return 0


def aligned(headings: Sequence[str], rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset()) -> str:
    """Rows under their headings, columns as wide as their widest cell; those in `right` are right-aligned."""
    lines = [list(headings), *[list(row) for row in rows]]
    widths = [max(len(line[index]) for line in lines) for index in range(len(headings))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if index in right else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def aligned_rows(
    rows: Rows, text: Callable[[Cell, str], str] | None = None, right: frozenset[int] = frozenset()
) -> str:
    """A table of the drawing, aligned; `text` writes a cell in its column's unit, else it stands as it is."""
    cells = [
        [text(one, column.unit) if text else str(one) for one, column in zip(row, rows.columns)] for row in rows.cells
    ]
    return aligned([column.title for column in rows.columns], cells, right)


FIRST_AFTER_S = 0.5
EVERY_S = 0.1


class ProgressLine:
    """Used as a context; the line is gone when the task ends."""

    def __init__(self, words: str) -> None:
        self._words = words
        self._started_s = time.monotonic()
        self._shown_at_s = self._started_s + FIRST_AFTER_S - EVERY_S
        self._is_shown = False
        self._share = ""

    def show(self, share: float) -> None:
        """Say the share that is done, now and then."""
        self._share = f"{min(share, 1.0):.0%}, "
        self.beat()

    def beat(self) -> bool:
        """Say how long it has taken; False, for who asks whether to stop: Ctrl-C does that."""
        now_s = time.monotonic()
        if sys.stderr.isatty() and now_s - self._shown_at_s >= EVERY_S:
            self._shown_at_s = now_s
            self._is_shown = True
            sys.stderr.write(f"\r\x1b[K{self._words}: {self._share}{now_s - self._started_s:.0f} s ")
            sys.stderr.flush()
        return False

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


@dataclass(frozen=True)
class Argument:
    """An argument as `argparse` takes it; `choices` may be a function, which is asked when the command line is read."""

    names: tuple[str, ...]
    options: dict[str, Any]

    def mount(self, parser: argparse.ArgumentParser) -> None:
        choices = self.options.get("choices")
        parser.add_argument(*self.names, **self.options | ({"choices": choices()} if callable(choices) else {}))


@dataclass(frozen=True)
class Command:
    """A word after `gpuplanner`; its function's docstring is what `--help` says of it."""

    name: str
    summary: str
    run: Callable[[argparse.Namespace], int] | None
    arguments: tuple[Argument, ...] = ()
    actions: tuple[Command, ...] = ()
    """Words that follow it, instead of a function of its own."""
    about: str = ""

    def mount(self, subparsers: Any) -> None:
        parser = subparsers.add_parser(self.name, help=self.summary, description=self.about)
        for one in self.arguments:
            one.mount(parser)
        if self.actions:
            within = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
            for action in self.actions:
                action.mount(within)
        else:
            parser.set_defaults(run=self.run)


def command(name: str, words: str, *arguments: Argument) -> Callable[[Callable[[argparse.Namespace], int]], Command]:
    """Declare the command that a function carries out."""
    return lambda run: Command(name, words, run, arguments, about=run.__doc__ or "")


def option(*names: str, **options: Any) -> Argument:
    """An argument with or without a name of its own, such as `--top`."""
    return Argument(names, options)


DEFAULT_MODEL = "llama-3.1-8b"


class NameProblem(Exception):
    """A name on the command line that means nothing here; the message is for the person who wrote it."""


def named_accelerator(catalog: Catalog, name: str) -> str:
    """Catalogue identifier of an accelerator. Raises NameProblem."""
    found = resolve_accelerator(catalog, name)
    if found is None:
        near = [entry.id for entry in catalog.accelerators.values() if name.lower() in entry.id][:5]
        hint = f" Is it one of {', '.join(near)}?" if near else " See the Library, or catalogs/accelerators.json."
        raise NameProblem(f"The accelerator {name!r} is not in the catalogue.{hint}")
    return found


def named_model(catalog: Catalog, name: str) -> Model:
    """The architecture of a catalogue entry, or of a config.json. Raises NameProblem, or FileProblem for a bad file."""
    if name.endswith(".json"):
        return read_model(Path(name)).model
    found, _ = resolve_model(catalog, name)
    if found is None:
        raise NameProblem(f"The model {name!r} is not in the catalogue. Name one that is, or give its config.json.")
    return catalog.models[found].model


def positive(text: str) -> float:
    """A number above 0, for argparse."""
    value = float(text)
    if not 0 < value < 1e12:
        raise argparse.ArgumentTypeError(f"{text} is not a number above 0")
    return value


def positive_count(text: str) -> int:
    """A whole number above 0, for argparse."""
    value = int(text)
    if not 0 < value < 10**9:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number above 0")
    return value


PROJECT_FILE = option("file", type=Path, help="a .gpuplan file")
JSON = option("--json", action="store_true", help="print JSON, in SI base units")
OWN_FIGURES = option(
    "--own-figures", action="store_true", help="plan with this installation's catalogue where the file differs"
)
MODEL = option(
    "--model", default=DEFAULT_MODEL, metavar="NAME|CONFIG.json",
    help=f"a model of the catalogue, or a config.json (default {DEFAULT_MODEL})",
)  # fmt: skip
ENGINE = option("--engine", choices=get_args(ServingEngine), default="vllm", help="serving engine (default vllm)")
