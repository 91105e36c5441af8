"""From a device's name as people write it to a catalogue entry: `8x NVIDIA H100 80GB HBM3`, `h100_sxm`, `A100_40GB`.

A name is reduced to a key (lower case; no vendor, count, clock, memory type, memory size or separators) and the memory
size that it states. Keys are made the same way from identifiers, names and aliases, so spellings that nobody listed
resolve too.
"""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from gpuplanner_gui.domain.catalog import AmbiguousName, Catalog
from gpuplanner_gui.domain.hardware import Accelerator

MEMORY_TOLERANCE = 0.12
"""GB or GiB, and what the driver leaves of it, are the same memory; the next size up is not."""

SHORTEST_ENDING = 3
"""Letters and digits of an ending that is a name by itself: `W7800`, not the `X8` of a card or of eight cards."""

_COUNT = re.compile(r"^\s*\d{1,3}\s*[x×*]\s*(?=[a-z])|\s+[x×*]\s*\d+\s*$|(?:(?<=\d)|(?<=gb))[x×]\d{1,4}\s*$")
_MARKS = re.compile(r"\((?:r|tm|c)\)|[®™©]")
_CORES = re.compile(r"(?<![a-z0-9.])(\d+)[\s_-]*cores?(?![a-z])")
_CLOCK = re.compile(r"@?\s*(?<![a-z0-9.])\d+(?:\.\d+)?\s*ghz")
_GENERATION = re.compile(r"(?<![a-z0-9])\d{1,2}th\s+gen(?:eration)?(?![a-z])")
_MEMORY = re.compile(r"(?<![a-z0-9.])(\d+(?:\.\d+)?)\s*g(?:i?b)?(?![a-z0-9])")
_FORM_FACTOR = re.compile(r"(sxm)\d?(?![a-z])|(pci)[\s_-]?(?:e|express)(?![a-z])")
_RACK = re.compile(r"nvl\s*\d+")
_WORD = re.compile(r"[a-z0-9]+")
_NOISE = frozenset({
    "nvidia", "amd", "intel", "apple", "google", "aws", "amazon", "huawei", "qualcomm", "habana", "xilinx", "ampere",
    "furiosa", "furiosaai", "tenstorrent", "cambricon", "biren",
    "geforce", "tesla", "instinct", "radeon", "cloud", "gpu", "gpus", "cpu", "cpus", "npu", "soc", "graphics", "card",
    "accelerator", "data", "center", "datacenter", "hgx", "dgx", "oam", "corporation", "inc", "processor", "platinum",
    "gold", "silver", "generation", "gen", "edition", "hbm", "hbm2", "hbm2e", "hbm3", "hbm3e", "gddr6", "gddr6x",
    "gddr7", "lovelace",
})  # fmt: skip
_SAME_WORD = {"se": "server", "ws": "workstation", "standard": "std", "lite": "e"}
_CONFIGURABLE_MEMORY = ("cpu", "soc", "npu")


class NameKey(msgspec.Struct, frozen=True):
    """What a device's name says, without the way it is written."""

    words: tuple[str, ...]
    key: str
    sorted_key: str
    cores: str = ""
    memory_gb: float | None = None


class ResolvedName(msgspec.Struct, frozen=True):
    """The entry that a name means, and what was taken for granted."""

    id: str
    note: str = ""


@lru_cache(maxsize=4096)
def name_key(name: str) -> NameKey:
    """Reduce a written name. An empty key means that nothing but noise was written."""
    text = _COUNT.sub(" ", _MARKS.sub(" ", name.lower().replace("_", " ")))
    text = _GENERATION.sub(" ", _CLOCK.sub(" ", text))
    cores = _CORES.search(text)
    text = _CORES.sub(" ", text)
    memory = _MEMORY.search(text)
    text = _MEMORY.sub(" ", text)
    text = _RACK.sub(" ", text)
    text = _FORM_FACTOR.sub(lambda found: " sxm " if found[1] else " pcie ", text)
    words = [_SAME_WORD.get(word, word) for word in _WORD.findall(text.replace("+", "plus "))]
    words = [word for word in words if word not in _NOISE]
    return NameKey(
        words=tuple(words),
        key="".join(words),
        sorted_key="".join(sorted(words)),
        cores=cores[1] if cores else "",
        memory_gb=float(memory[1]) if memory else None,
    )


class _NameIndex:
    """Keys of a catalogue's accelerators, each with the entries that answer to it, the likeliest first."""

    def __init__(self, catalog: Catalog) -> None:
        self.accelerators = catalog.accelerators
        self.notes: dict[str, str] = {}
        self._by_key: dict[str, dict[str, None]] = {}
        self._by_sorted_key: dict[str, dict[str, None]] = {}
        self._by_ending: dict[str, dict[str, None]] = {}
        for alias, target in catalog.accelerator_aliases.items():
            self._add_alias(alias, target)
        for accelerator in catalog.accelerators.values():
            self._add_entry(accelerator)
        for accelerator in catalog.accelerators.values():
            self._add_short_names(accelerator)

    def candidates(self, name: NameKey) -> list[str]:
        for key in (name.key + f"#{name.cores}" if name.cores else name.key, name.key):
            found = self._by_key.get(key) or {}
            if not found and key == name.key:
                found = self._by_sorted_key.get(name.sorted_key) or {}
            if found and (key != name.key or not name.cores):
                return list(found)
            kept = [entry_id for entry_id in found if self.accelerators[entry_id].kind == "cpu"]
            if kept:
                return kept
        return []

    def ending_with(self, name: NameKey) -> list[str]:
        """Entries whose name ends in the written words, such as `7900XTX` or `AGX Orin`."""
        return [] if name.cores else list(self._by_ending.get(name.key, ()))

    def _add_alias(self, alias: str, target: str | AmbiguousName) -> None:
        name = name_key(alias)
        ids = (target,) if isinstance(target, str) else target.ids
        for entry_id in ids:
            if entry_id in self.accelerators:
                self._add(name, entry_id)
        if isinstance(target, AmbiguousName) and target.note:
            self.notes[name.key] = target.note

    def _add_entry(self, accelerator: Accelerator) -> None:
        bare_name = re.sub(r"\(.*?\)", " ", accelerator.name)
        cores = _CORES.search(accelerator.name.lower())
        for text in (accelerator.id, accelerator.name, bare_name):
            self._add(name_key(text), accelerator.id)
        self._add_endings(accelerator.id, bare_name)
        if cores:
            self._add(name_key(f"{bare_name} {cores[1]} core"), accelerator.id)

    def _add_endings(self, entry_id: str, bare_name: str) -> None:
        for text in (entry_id, bare_name):
            words = name_key(text).words
            for start in range(1, len(words)):
                ending = "".join(words[start:])
                says_enough = len(words) - start > 1 or re.search(r"[a-z]\d|\d[a-z]|\d{4}", ending)
                if says_enough and len(ending) >= SHORTEST_ENDING:
                    self._by_ending.setdefault(ending, {}).setdefault(entry_id)

    def _add_short_names(self, accelerator: Accelerator) -> None:
        for text in (accelerator.id, re.sub(r"\(.*?\)", " ", accelerator.name)):
            key = name_key(text).key
            for ending in ("sxm", "pcie"):
                self._by_key.setdefault(key.removesuffix(ending), {}).setdefault(accelerator.id)
            if re.fullmatch(r"rtx(?!pro)[a-z]?\d{4}\w*", key):
                self._by_key.setdefault(key.removeprefix("rtx"), {}).setdefault(accelerator.id)

    def _add(self, name: NameKey, entry_id: str) -> None:
        if not name.key:
            return
        key = f"{name.key}#{name.cores}" if name.cores else name.key
        self._by_key.setdefault(key, {}).setdefault(entry_id)
        if not name.cores:
            self._by_sorted_key.setdefault(name.sorted_key, {}).setdefault(entry_id)


@lru_cache(maxsize=4)
def _index_of(catalog: Catalog) -> _NameIndex:
    return _NameIndex(catalog)


def resolved_accelerator(catalog: Catalog, name: str, memory_gb: float | None = None) -> ResolvedName | None:
    """The accelerator that a written name means, with a note where the name leaves a choice; None: none known.

    A memory size in the name, else `memory_gb`, chooses among variants; an entry with another memory is not taken,
    except for processors and systems on a chip, whose memory is a matter of configuration.
    """
    if name in catalog.accelerators:
        return ResolvedName(name)
    index = _index_of(catalog)
    exact = catalog.accelerator_aliases.get(name)
    if isinstance(exact, str) and exact in catalog.accelerators:
        return ResolvedName(exact)
    written = name_key(name)
    stated_gb = written.memory_gb if written.memory_gb is not None else memory_gb
    for key in (written, _without_form_factor(written)):
        candidates = index.candidates(key)
        fitting = _with_memory(catalog, candidates, stated_gb)
        if fitting:
            is_choice = fitting[0] == candidates[0] and (len(fitting) > 1 or len(candidates) == 1)
            return ResolvedName(fitting[0], index.notes.get(key.key, "") if is_choice else "")
    ending = _with_memory(catalog, index.ending_with(written), stated_gb)
    return ResolvedName(ending[0]) if len(ending) == 1 else None


def resolve_accelerator(catalog: Catalog, name: str, memory_gb: float | None = None) -> str | None:
    """Identifier of the accelerator that a written name means; None: none known. See `resolved_accelerator`."""
    resolved = resolved_accelerator(catalog, name, memory_gb)
    return None if resolved is None else resolved.id


def _without_form_factor(name: NameKey) -> NameKey:
    key = name.key.removesuffix("sxm").removesuffix("pcie")
    return msgspec.structs.replace(name, key=key, sorted_key=key)


def _with_memory(catalog: Catalog, candidates: list[str], memory_gb: float | None) -> list[str]:
    """Candidates with a stated memory size, or else those whose memory is a matter of configuration."""
    if memory_gb is None:
        return candidates
    entries = [catalog.accelerators[entry_id] for entry_id in candidates]
    same = [
        entry.id for entry in entries if abs(memory_gb * 2**30 / entry.memory_nominal_bytes - 1) <= MEMORY_TOLERANCE
    ]
    return same or [entry.id for entry in entries if entry.kind in _CONFIGURABLE_MEMORY]
