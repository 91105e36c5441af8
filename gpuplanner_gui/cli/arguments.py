"""How a command and its arguments are declared, and models and accelerators as a person names them."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.workload import ServingEngine
from gpuplanner_gui.files.catalog_names import resolve_accelerator
from gpuplanner_gui.files.model_import import read_model
from gpuplanner_gui.files.model_names import resolve_model


@dataclass(frozen=True)
class Argument:
    """As `argparse` takes it; `choices` may be a function, which is asked when the command line is read."""

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
ENGINE = option("--engine", choices=get_args(ServingEngine), default="vllm", help="default vllm")
