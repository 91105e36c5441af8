"""The catalogues that ship with the program, and those that a planner puts beside them.

A user's catalogue is a folder with any of the files below. An entry with a new identifier is added; one with a known
identifier replaces the fields that it states and keeps the rest.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from gpuplanner_gui import paths
from gpuplanner_gui.domain.catalog import (
    CATALOG_KINDS,
    AmbiguousName,
    Catalog,
    CatalogEntry,
    CatalogKind,
    CatalogModel,
    age_days,
    newest_date,
)
from gpuplanner_gui.domain.field import Problem, problems_of
from gpuplanner_gui.domain.hardware import Accelerator, Link, NodeType, Offer
from gpuplanner_gui.files.catalog_names import resolve_accelerator, resolved_accelerator
from gpuplanner_gui.files.errors import FileProblem

__all__ = [
    "CATALOG_FILES", "entry_age_days", "load_catalog", "load_shipped_catalog", "resolve_accelerator",
    "resolved_accelerator", "search", "search_key",
]  # fmt: skip

ENTRY_TYPES: dict[CatalogKind, type[msgspec.Struct]] = {
    "accelerators": Accelerator,
    "nodes": NodeType,
    "links": Link,
    "offers": Offer,
    "models": CatalogModel,
}
CATALOG_FILES: dict[CatalogKind, str] = {kind: f"{kind}.json" for kind in CATALOG_KINDS}
ACCELERATOR_ALIASES_FILE = "aliases_accelerators.json"
MODEL_ALIASES_FILE = "aliases_models.json"
LARGEST_FILE_BYTES = 50_000_000

SEARCHED_FIELDS: dict[CatalogKind, tuple[str, ...]] = {
    "accelerators": ("id", "name", "vendor", "architecture", "kind", "ecosystem", "memory_type", "form_factor"),
    "nodes": ("id", "name", "vendor", "accelerator_id", "cooling"),
    "links": ("id", "name", "kind", "composition"),
    "offers": ("id", "provider", "market", "instance", "accelerator_id", "region"),
    "models": ("id", "name", "source"),
}


class AliasFile(msgspec.Struct, forbid_unknown_fields=True):
    """Other names of accelerators or models: the identifier meant, or several with the most common first."""

    accelerators: dict[str, str | AmbiguousName] = {}
    models: dict[str, str | AmbiguousName] = {}


_DECODERS: dict[type, msgspec.json.Decoder[Any]] = {
    entry_type: msgspec.json.Decoder(list[entry_type])  # type: ignore[valid-type]
    for entry_type in ENTRY_TYPES.values()
}


def load_catalog(user_folder: Path | None = None) -> Catalog:
    """The shipped catalogues with the user's over them, from the given folder or the platform's own.

    Raises FileProblem, naming file and field, for a file that is damaged, has unknown or missing fields, values outside
    their bounds, an identifier twice, or refers to an accelerator that is in no catalogue. `load_shipped_catalog` still
    works then.
    """
    return _loaded(user_folder or paths.user_catalogs_dir())


def load_shipped_catalog() -> Catalog:
    """The catalogues that ship with the program, without the user's."""
    return _loaded(None)


def _loaded(user_folder: Path | None) -> Catalog:
    shipped_folder = paths.catalogs_dir()
    found: dict[str, dict[str, Any]] = {
        kind: _shipped_entries(shipped_folder / CATALOG_FILES[kind], ENTRY_TYPES[kind]) for kind in CATALOG_KINDS
    }
    found["accelerator_aliases"] = _aliases(shipped_folder / ACCELERATOR_ALIASES_FILE).accelerators
    found["model_aliases"] = _aliases(shipped_folder / MODEL_ALIASES_FILE).models
    if user_folder is not None and user_folder.is_dir():
        _refuse_unknown_files(user_folder)
        for kind in CATALOG_KINDS:
            _add_user_entries(found[kind], user_folder / CATALOG_FILES[kind], ENTRY_TYPES[kind])
        found["accelerator_aliases"] |= _aliases(user_folder / ACCELERATOR_ALIASES_FILE).accelerators
        found["model_aliases"] |= _aliases(user_folder / MODEL_ALIASES_FILE).models
        _refuse_dangling_aliases(user_folder / ACCELERATOR_ALIASES_FILE, "accelerators", found["accelerators"])
        _refuse_dangling_aliases(user_folder / MODEL_ALIASES_FILE, "models", found["models"])
    catalog = Catalog(**found)
    _refuse_dangling_references(catalog, user_folder or shipped_folder)
    return catalog


def _shipped_entries(path: Path, entry_type: type[msgspec.Struct]) -> dict[str, Any]:
    """Entries of a shipped file; their bounds are checked when the file is made, and by the tests."""
    try:
        entries = _DECODERS[entry_type].decode(_bytes_of(path) or b"[]")
    except msgspec.DecodeError as error:
        raise _decoding_problem(path, error, []) from error
    return _by_id(path, entries)


def _add_user_entries(entries: dict[str, Any], path: Path, entry_type: type[msgspec.Struct]) -> None:
    content = _bytes_of(path)
    if content is None:
        return
    try:
        stated = msgspec.json.decode(content, type=list[dict[str, Any]])
    except msgspec.DecodeError as error:
        raise _decoding_problem(path, error, []) from error
    completed = [_over_known_entry(entry, entries) for entry in stated]
    try:
        structs = msgspec.convert(completed, list[entry_type], strict=True)  # type: ignore[valid-type]
    except msgspec.ValidationError as error:
        raise _decoding_problem(path, error, stated) from error
    for index, struct in enumerate(structs):
        problems = problems_of(struct, f"$[{index}]")
        if problems:
            raise FileProblem(
                path, _place(problems[0].path, stated), _bounds_sentence(problems[0]), "Correct the value"
            )
    entries.update(_by_id(path, structs))


def _over_known_entry(stated: dict[str, Any], entries: dict[str, Any]) -> dict[str, Any]:
    entry_id = stated.get("id")
    if not isinstance(entry_id, str) or entry_id not in entries:
        return stated
    known: dict[str, Any] = msgspec.to_builtins(entries[entry_id])
    return known | stated


def _by_id(path: Path, entries: Iterable[Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for index, entry in enumerate(entries):
        if entry.id in found:
            raise FileProblem(
                path, f"$[{index}].id", f"the identifier {entry.id!r} is there twice", "Remove one of the two"
            )
        found[entry.id] = entry
    return found


def _bytes_of(path: Path) -> bytes | None:
    """A file's content, None where it does not exist."""
    try:
        if path.stat().st_size > LARGEST_FILE_BYTES:
            raise FileProblem(path, "", "the file is larger than 50 MB", "Split the catalogue or remove entries")
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FileProblem(
            path, "", f"the file can't be read: {error.strerror}", "Check the file's permissions"
        ) from error


def _aliases(path: Path) -> AliasFile:
    try:
        return msgspec.json.decode(_bytes_of(path) or b"{}", type=AliasFile)
    except msgspec.DecodeError as error:
        raise _decoding_problem(path, error, []) from error


def _decoding_problem(path: Path, error: msgspec.DecodeError, stated: list[dict[str, Any]]) -> FileProblem:
    what, _, place = str(error).partition(" - at `")
    where = _place(place.rstrip("`"), stated)
    if isinstance(error, msgspec.ValidationError):
        return FileProblem(path, where, what[:1].lower() + what[1:], "Correct the field, or remove the entry")
    return FileProblem(path, where, f"the file is no valid JSON ({what})", "Correct the file, or remove it")


def _place(json_path: str, stated: list[dict[str, Any]]) -> str:
    """A path into the file, with the identifier of the entry it lies in."""
    index_text = json_path[2:].partition("]")[0] if json_path.startswith("$[") else ""
    if not index_text.isdigit() or int(index_text) >= len(stated):
        return json_path
    entry_id = stated[int(index_text)].get("id")
    return f"{json_path} (entry {entry_id!r})" if isinstance(entry_id, str) else json_path


def _bounds_sentence(problem: Problem) -> str:
    limits = {"below": "at least", "not_above": "more than", "over": "at most", "choice": "one of"}
    subject = f"{problem.title or 'the value'} is {problem.value}"
    if problem.code in limits:
        return f"{subject}, must be {limits[problem.code]} {problem.limit}"
    return f"{subject}, which is not in order from low to high" if problem.code == "order" else f"{subject}, no number"


def _refuse_unknown_files(folder: Path) -> None:
    known = {*CATALOG_FILES.values(), ACCELERATOR_ALIASES_FILE, MODEL_ALIASES_FILE}
    for path in sorted(folder.glob("*.json")):
        if path.name not in known:
            names = ", ".join(sorted(known))
            raise FileProblem(
                path, "", "no catalogue has this file's name", f"Rename it to one of {names}, or remove it"
            )


def _refuse_dangling_references(catalog: Catalog, folder: Path) -> None:
    for kind, entries in (("nodes", catalog.nodes), ("offers", catalog.offers)):
        for entry in entries.values():
            if entry.accelerator_id not in catalog.accelerators:
                what = f"entry {entry.id!r} refers to the accelerator {entry.accelerator_id!r}, which no catalogue has"
                raise FileProblem(
                    folder / f"{kind}.json", "accelerator_id", what, "Add the accelerator, or correct the name"
                )


def _refuse_dangling_aliases(path: Path, kind: CatalogKind, entries: dict[str, Any]) -> None:
    for alias, target in getattr(_aliases(path), kind).items():
        for entry_id in (target,) if isinstance(target, str) else target.ids:
            if entry_id not in entries:
                what = f"{alias!r} stands for {entry_id!r}, which no catalogue has"
                raise FileProblem(path, f"$.{kind}", what, "Add the entry, or correct the identifier")


@lru_cache(maxsize=8)
def _search_keys(catalog: Catalog, kind: CatalogKind) -> dict[str, str]:
    fields = SEARCHED_FIELDS[kind]
    return {entry_id: search_key(entry, fields) for entry_id, entry in catalog.entries(kind).items()}


def search_key(entry: CatalogEntry, fields: Iterable[str]) -> str:
    """What a search looks into: the fields' texts in lower case."""
    return " ".join(str(getattr(entry, name)) for name in fields).lower()


def search(catalog: Catalog, text: str, kind: CatalogKind = "accelerators") -> list[Any]:
    """Entries of a kind that contain every word of the text, in the catalogue's order; all for an empty text."""
    words = text.lower().split()
    entries = catalog.entries(kind)
    keys = _search_keys(catalog, kind)
    return [entries[entry_id] for entry_id, key in keys.items() if all(word in key for word in words)]


def entry_age_days(entry: CatalogEntry, today: datetime.date) -> int | None:
    """Days since the newest date that an entry states; None: undated."""
    return age_days(newest_date(entry), today)
