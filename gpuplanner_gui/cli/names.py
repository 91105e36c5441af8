"""Models and accelerators as a person names them on the command line."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.files.catalog_names import resolve_accelerator
from gpuplanner_gui.files.model_import import read_model
from gpuplanner_gui.files.model_names import resolve_model

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


def add_model_option(command: argparse.ArgumentParser) -> None:
    """--model, which names a catalogue entry or a file."""
    command.add_argument(
        "--model", default=DEFAULT_MODEL, metavar="NAME|CONFIG.json",
        help=f"a model of the catalogue, or a config.json (default {DEFAULT_MODEL})",
    )  # fmt: skip


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
